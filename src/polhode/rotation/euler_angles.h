#pragma once

#include "polhode/rotation/chart.h"
#include "polhode/rotation/euler_sequence.h"

namespace polhode {

/// Sines and cosines of three successive turns: all that the matrices of an Euler sequence need, and on
/// exact fractions all that is available.
template <class S>
using Turns = std::array<math::SinCos<S>, 3>;

template <class S>
Turns<S> turns_of(const Vec3<S>& angles) {
  return {math::sincos(angles.x), math::sincos(angles.y), math::sincos(angles.z)};
}

namespace sequence {

/// ε_ijl with l the axis other than i and j: +1 if i, j, l is cyclic.
constexpr int sign(const EulerSequence& s) { return (s.axes[1] - s.axes[0] + 3) % 3 == 1 ? 1 : -1; }

/// The intrinsic sequence that gives the same matrix with the angles in reverse order: an extrinsic i-j-k is
/// an intrinsic k-j-i.
constexpr EulerSequence reversed(const EulerSequence& s) { return {{s.axes[2], s.axes[1], s.axes[0]}, !s.extrinsic}; }

/// R_axis(angle) v.
template <class S>
constexpr Vec3<S> turn(int axis, const math::SinCos<S>& a, const Vec3<S>& v) {
  const auto j = static_cast<std::size_t>((axis + 1) % 3);
  const auto l = static_cast<std::size_t>((axis + 2) % 3);
  Vec3<S> turned = v;
  turned[j] = a.cos * v[j] - a.sin * v[l];
  turned[l] = a.sin * v[j] + a.cos * v[l];
  return turned;
}
/// R_axis(angle)ᵀ v.
template <class S>
constexpr Vec3<S> turn_back(int axis, const math::SinCos<S>& a, const Vec3<S>& v) {
  return turn(axis, math::SinCos<S>{-a.sin, a.cos}, v);
}
template <class S>
constexpr Vec3<S> axis_of(int axis) {
  return axis_vector<S>(static_cast<std::size_t>(axis));
}

/// Rotation matrix of an intrinsic sequence i-j-k.
///
///   A = R_i(θ1) R_j(θ2) R_k(θ3)                             (KIN-30) [SchwabMeijaard2006, eqs. 2-5]
template <class S>
constexpr Mat3<S> matrix(const EulerSequence& s, const Turns<S>& t) {
  const auto col = [&](std::size_t n) {
    return turn(s.axes[0], t[0], turn(s.axes[1], t[1], turn(s.axes[2], t[2], axis_vector<S>(n))));
  };
  return from_columns(col(0), col(1), col(2));
}

/// Body rate matrix of an intrinsic sequence, ω' = B θ̇.
///
///   B = [R_kᵀ R_jᵀ e_i,  R_kᵀ e_j,  e_k]                    (KIN-31) [SchwabMeijaard2006, eqs. 15, 16]
template <class S>
constexpr Mat3<S> body_rate_matrix(const EulerSequence& s, const Turns<S>& t) {
  const auto [i, j, k] = s.axes;
  return from_columns(turn_back(k, t[2], turn_back(j, t[1], axis_of<S>(i))), turn_back(k, t[2], axis_of<S>(j)),
                      axis_of<S>(k));
}

/// Space rate matrix of an intrinsic sequence, ω = C θ̇: the axes of the cans as they stand in space.
///
///   C = A B = [e_i,  R_i e_j,  R_i R_j e_k]                 (KIN-32) [SchwabMeijaard2006, eqs. 13, 14]
template <class S>
constexpr Mat3<S> space_rate_matrix(const EulerSequence& s, const Turns<S>& t) {
  const auto [i, j, k] = s.axes;
  return from_columns(axis_of<S>(i), turn(i, t[0], axis_of<S>(j)), turn(i, t[0], turn(j, t[1], axis_of<S>(k))));
}

///   det B = det C = −sin θ2 (proper),  ε cos θ2 (Tait-Bryan)      (KIN-33)
template <class S>
constexpr S determinant(const EulerSequence& s, const math::SinCos<S>& theta2) {
  return s.proper() ? S(-1) * theta2.sin : S(sign(s)) * theta2.cos;
}

///   ∂B/∂θ1 = 0,  ∂B/∂θ2 = [b1×b2, 0, 0],  ∂B/∂θ3 = [b1×b3, b2×b3, 0]      (KIN-34)
template <class S>
constexpr std::array<Mat3<S>, 3> body_rate_partials(const Mat3<S>& B) {
  const Vec3<S> zero{S(0), S(0), S(0)};
  const Vec3<S> b1 = column(B, 0);
  const Vec3<S> b2 = column(B, 1);
  const Vec3<S> b3 = column(B, 2);
  return {from_columns(zero, zero, zero), from_columns(cross(b1, b2), zero, zero),
          from_columns(cross(b1, b3), cross(b2, b3), zero)};
}

///   B⁻¹ = [b2×b3, b3×b1, b1×b2]ᵀ / det B                    (KIN-35)
template <class S>
constexpr Mat3<S> inverse_rate_matrix(const Mat3<S>& B, const S& det) {
  return (S(1) / det) * transpose(cofactor(B));
}

/// Euler parameters of an intrinsic sequence from sines and cosines of the *half* angles.
///
///   e = e_i(θ1) ∘ e_j(θ2) ∘ e_k(θ3)
template <class S>
constexpr EulerParameters<S> euler_parameters(const EulerSequence& s, const Turns<S>& half) {
  const auto about = [&](std::size_t n) {
    return EulerParameters<S>{half[n].cos, half[n].sin * axis_of<S>(s.axes[n])};
  };
  return about(0) * about(1) * about(2);
}

}  // namespace sequence

/// Euler angles of any of the 12 sequences, intrinsic or extrinsic, as a chart: x = (θ1, θ2, θ3) in
/// the order of the turns. One general formula serves all of them.
struct EulerAngles {
  EulerSequence sequence;

  template <class S>
  EulerParameters<S> to_euler_parameters(const Vec3<S>& angles) const {
    const Vec3<S> half = S(0.5) * in_order(angles);
    return sequence::euler_parameters(intrinsic(), turns_of(half));
  }

  template <class S>
  Mat3<S> matrix(const Vec3<S>& angles) const {
    return sequence::matrix(intrinsic(), turns_of(in_order(angles)));
  }

  /// Angles of an attitude: θ2 in [0, π] (proper) or [−π/2, π/2] (Tait-Bryan), θ1 and θ3 in [−π, π].
  /// Any |e| ≠ 0 will do, e and −e give the same. At lock, where only θ1 ± θ3 is determined, the
  /// last turn of the intrinsic order is 0.
  template <class S>
  Vec3<S> from_euler_parameters(const EulerParameters<S>& e) const;

  /// The same attitude near given angles: whole turns and the second solution (θ1 ± π, …) are chosen
  /// so that the angles continue `previous`; at lock the previous θ3 is kept and θ1 corrected.
  template <class S>
  Vec3<S> from_euler_parameters(const EulerParameters<S>& e, const Vec3<S>& previous) const;

  template <class S>
  Mat3<S> body_rate_matrix(const Vec3<S>& angles) const {
    return columns_in_order(sequence::body_rate_matrix(intrinsic(), turns_of(in_order(angles))));
  }
  template <class S>
  Mat3<S> inverse_body_rate_matrix(const Vec3<S>& angles) const {
    const Turns<S> t = turns_of(in_order(angles));
    const Mat3<S> B = sequence::body_rate_matrix(intrinsic(), t);
    const Mat3<S> inverse = sequence::inverse_rate_matrix(B, sequence::determinant(intrinsic(), t[1]));
    return transpose(columns_in_order(transpose(inverse)));
  }
  template <class S>
  std::array<Mat3<S>, 3> body_rate_partials(const Vec3<S>& angles) const {
    const Mat3<S> B = sequence::body_rate_matrix(intrinsic(), turns_of(in_order(angles)));
    std::array<Mat3<S>, 3> partials = sequence::body_rate_partials(B);
    for (Mat3<S>& partial : partials) { partial = columns_in_order(partial); }
    if (sequence.extrinsic) { std::swap(partials[0], partials[2]); }
    return partials;
  }

  /// Singular values 1 and √(1 ± c), c = b1·b3: condition number √((1 + |c|)/(1 − |c|)) = (1 + |c|)/|det B|, which
  /// does not cancel near lock.                            (KIN-33)
  template <class S>
  Conditioning<S> conditioning(const Vec3<S>& angles) const {
    const math::SinCos<S> middle = math::sincos(angles.y);
    const S det = sequence::determinant(intrinsic(), middle);
    const S abs_det = value_of(det) > 0 ? det : S(S(0) - det);  // +0 at lock, whatever the sign of zero
    const S c = sequence.proper() ? middle.cos : middle.sin;
    const S abs_c = value_of(c) < 0 ? S(-c) : c;
    // swapping two columns (extrinsic order) changes the sign of the determinant only
    return {sequence.extrinsic ? S(-det) : det, (S(1) + abs_c) / abs_det, math::atan2(abs_det, abs_c)};
  }

  /// The angles farthest from lock.
  template <class S>
  Vec3<S> center() const {
    return {S(0), sequence.proper() ? S(0.5) * math::pi<S>() : S(0), S(0)};
  }

 private:
  constexpr EulerSequence intrinsic() const { return sequence.extrinsic ? sequence::reversed(sequence) : sequence; }
  template <class S>
  constexpr Vec3<S> in_order(const Vec3<S>& v) const {
    return sequence.extrinsic ? Vec3<S>{v.z, v.y, v.x} : v;
  }
  template <class S>
  constexpr Mat3<S> columns_in_order(const Mat3<S>& m) const {
    return sequence.extrinsic ? from_columns(column(m, 2), column(m, 1), column(m, 0)) : m;
  }
};

namespace detail {
/// √(x² + y²), as safe as norm().
template <class S>
S hypotenuse(const S& x, const S& y) {
  if constexpr (PlainReal<S>) {
    return safe_norm(x * x + y * y, {x, y});
  } else {
    return math::sqrt(x * x + y * y);
  }
}
}  // namespace detail

/// Extraction straight from the Euler parameters. With l the third axis and ε = ε_ijl,
///
///   proper:      a = e0,       b = e_i,         c = e_j,       d = ε e_l
///   Tait-Bryan:  a = e0 − e_j, b = e_i − ε e_l, c = e_j + e0,  d = e_i + ε e_l
///
/// the complex numbers a + ib and c + id have the arguments (θ1 ± θ3)/2 (θ3 counted with −ε for Tait-Bryan):
///
///   θ1 = arg((a + ib)(c + id)),   θ3 (or −ε θ3) = arg((a + ib)(c − id))           (KIN-36)
///   proper:      θ2 = 2 atan2(|c + id|, |a + ib|)
///   Tait-Bryan:  θ2 = atan2(2 (e0 e_j + ε e_i e_l), |a + ib| |c + id|)            (KIN-37)
///
/// [BernardesViollet2022] adds and subtracts the arguments; the products instead keep small angles
/// accurate. Near lock one factor is small but known to full accuracy, so θ1 and θ3 together still give
/// the attitude to rounding; away from it the products are multiplied out, where e_l drops out
/// of θ1 and small θ1 survives next to large θ3.
template <class S>
Vec3<S> EulerAngles::from_euler_parameters(const EulerParameters<S>& e) const {
  const EulerSequence s = intrinsic();
  const auto i = static_cast<std::size_t>(s.axes[0]);
  const auto j = static_cast<std::size_t>(s.axes[1]);
  const std::size_t l = 3 - i - j;
  const S epsilon = S(sequence::sign(s));
  const S ei = e.ev[i];
  const S ej = e.ev[j];
  const S el = epsilon * e.ev[l];

  const bool proper = s.proper();
  const S a = proper ? e.e0 : e.e0 - ej;
  const S b = proper ? ei : ei - el;
  const S c = proper ? ej : ej + e.e0;
  const S d = proper ? el : ei + el;
  const S ab = detail::hypotenuse(a, b);
  const S cd = detail::hypotenuse(c, d);

  // at lock one of the two arguments is lost: the last turn is 0, the first takes all
  using Value = decltype(unit_roundoff<S>());
  const Value rounding = Value(4) * unit_roundoff<S>() * (value_of(ab) + value_of(cd));
  if (value_of(cd) <= rounding || value_of(ab) <= rounding) {
    const bool sum_known = value_of(ab) > value_of(cd);
    const S half = sum_known ? math::atan2(b, a) : math::atan2(d, c);
    S theta1 = S(2) * half;
    if (value_of(theta1) > value_of(math::pi<S>())) { theta1 = theta1 - S(2) * math::pi<S>(); }
    if (value_of(theta1) < -value_of(math::pi<S>())) { theta1 = theta1 + S(2) * math::pi<S>(); }
    const S theta2 = proper ? S(2) * math::atan2(cd, ab) : math::atan2(S(2) * (e.e0 * ej + ei * el), ab * cd);
    return in_order(Vec3<S>{theta1, theta2, S(0)});
  }

  if (proper) {
    return in_order(Vec3<S>{math::atan2(b * c + a * d, a * c - b * d), S(2) * math::atan2(cd, ab),
                            math::atan2(b * c - a * d, a * c + b * d)});
  }
  const S cosine = ab * cd;
  const S theta2 = math::atan2(S(2) * (e.e0 * ej + ei * el), cosine);
  if (value_of(cosine) < value_of(S(0.25) * norm_squared(e))) {
    return in_order(Vec3<S>{math::atan2(b * c + a * d, a * c - b * d), theta2,
                            epsilon * math::atan2(a * d - b * c, a * c + b * d)});
  }
  // the same products with the terms that cancel left out
  const S s0 = e.e0 * e.e0;
  const S si = ei * ei;
  const S sj = ej * ej;
  const S sl = el * el;
  return in_order(Vec3<S>{math::atan2(S(2) * (e.e0 * ei - ej * el), (s0 - sj) + (sl - si)), theta2,
                          epsilon * math::atan2(S(2) * (e.e0 * el - ei * ej), (s0 - sj) + (si - sl))});
}

template <class S>
Vec3<S> EulerAngles::from_euler_parameters(const EulerParameters<S>& e, const Vec3<S>& previous) const {
  const EulerSequence s = intrinsic();
  const S two_pi = S(2) * math::pi<S>();
  const auto nearest_turn = [&](const S& angle, const S& target) {
    using std::nearbyint;
    using Value = decltype(unit_roundoff<S>());
    const Value turns = Value(value_of(target) - value_of(angle)) / Value(value_of(two_pi));
    return S(angle + two_pi * S(Value(nearbyint(turns))));
  };
  const Vec3<S> before = in_order(previous);
  Vec3<S> found = in_order(from_euler_parameters(e));

  // at lock: θ3 stays, θ1 ± θ3 is what the attitude says
  const math::SinCos<S> middle = math::sincos(found.y);
  const S det = sequence::determinant(s, middle);
  if (value_of(det * det) <= 256 * unit_roundoff<S>() * unit_roundoff<S>()) {
    const S c = s.proper() ? middle.cos : S(S(sequence::sign(s)) * middle.sin);  // b1·b3 = ±1
    const S side = value_of(c) < 0 ? S(-1) : S(1);
    found.x = found.x + side * found.z - side * before.z;
    found.z = before.z;
  }
  // the two solutions of a sequence: (θ1, θ2, θ3) and (θ1 + π, −θ2 or π − θ2, θ3 + π)
  const Vec3<S> other{found.x + math::pi<S>(), s.proper() ? S(-found.y) : S(math::pi<S>() - found.y),
                      found.z + math::pi<S>()};
  const auto continued = [&](const Vec3<S>& angles) {
    return Vec3<S>{nearest_turn(angles.x, before.x), nearest_turn(angles.y, before.y),
                   nearest_turn(angles.z, before.z)};
  };
  const Vec3<S> first = continued(found);
  const Vec3<S> second = continued(other);
  const bool first_nearer = value_of(norm_squared(first - before)) <= value_of(norm_squared(second - before));
  return in_order(first_nearer ? first : second);
}

static_assert(Chart<EulerAngles>);

}  // namespace polhode
