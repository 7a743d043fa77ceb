#pragma once

#include "polhode/math/matrix.h"
#include "polhode/math/pi.h"
#include "polhode/math/stumpff.h"
#include "polhode/rotation/frames.h"

#include <span>

namespace polhode {

/// Euler parameters e = (e0; e1 e2 e3), scalar first (KIN-66): a quaternion that takes body components to
/// space components. (cos μ/2; n sin μ/2) turns the body by +μ, right-handed, about n; e and −e are
/// the same attitude.
///
/// Nothing here normalises: for |e| ≠ 1 each function does what its equation says. Where the
/// sources name the quaternion p, q, ε or λ it is our e_NB. Label (KIN-n): docs/theory/kinematics.md.
template <class S>
struct EulerParameters {
  S e0{1};
  Vec3<S> ev{};

  static constexpr EulerParameters identity() { return {S(1), {S(0), S(0), S(0)}}; }

  friend constexpr EulerParameters operator+(const EulerParameters& a, const EulerParameters& b) {
    return {a.e0 + b.e0, a.ev + b.ev};
  }
  friend constexpr EulerParameters operator-(const EulerParameters& a, const EulerParameters& b) {
    return {a.e0 - b.e0, a.ev - b.ev};
  }
  friend constexpr EulerParameters operator-(const EulerParameters& a) { return {-a.e0, -a.ev}; }
  friend constexpr EulerParameters operator*(const S& s, const EulerParameters& a) { return {s * a.e0, s * a.ev}; }
  friend constexpr EulerParameters operator/(const EulerParameters& a, const S& s) { return {a.e0 / s, a.ev / s}; }

  /// Hamilton product: e_NC = e_NB * e_BC, the labels meet and cancel.
  ///
  ///   a ∘ b = (a0 b0 − a·b;  a0 b + b0 a + a × b)         (KIN-1) [SchwabMeijaard2006, eq. 23]
  ///
  /// 16 mul, 12 add, summed in pairs so that no sum waits for more than one other.
  friend constexpr EulerParameters operator*(const EulerParameters& a, const EulerParameters& b) {
    return {(a.e0 * b.e0 - a.ev.x * b.ev.x) - (a.ev.y * b.ev.y + a.ev.z * b.ev.z),
            {(a.e0 * b.ev.x + a.ev.x * b.e0) + (a.ev.y * b.ev.z - a.ev.z * b.ev.y),
             (a.e0 * b.ev.y + a.ev.y * b.e0) + (a.ev.z * b.ev.x - a.ev.x * b.ev.z),
             (a.e0 * b.ev.z + a.ev.z * b.e0) + (a.ev.x * b.ev.y - a.ev.y * b.ev.x)}};
  }
  friend bool operator==(const EulerParameters&, const EulerParameters&) = default;
};

/// (0; v): a vector as a quaternion.
template <class S>
constexpr EulerParameters<S> pure(const Vec3<S>& v) {
  return {S(0), v};
}

///   e* = (e0; −e),   e⁻¹ = e*/|e|²                          (KIN-2) [SchwabMeijaard2006, after eq. 23]
template <class S>
constexpr EulerParameters<S> conjugate(const EulerParameters<S>& e) {
  return {e.e0, -e.ev};
}

template <class S>
constexpr S dot(const EulerParameters<S>& a, const EulerParameters<S>& b) {
  return a.e0 * b.e0 + a.ev.x * b.ev.x + a.ev.y * b.ev.y + a.ev.z * b.ev.z;
}
template <class S>
constexpr S norm_squared(const EulerParameters<S>& e) {
  return dot(e, e);
}
template <class S>
S norm(const EulerParameters<S>& e) {
  if constexpr (PlainReal<S>) {
    return safe_norm(norm_squared(e), {e.e0, e.ev.x, e.ev.y, e.ev.z});
  } else {
    return math::sqrt(norm_squared(e));
  }
}
template <class S>
constexpr EulerParameters<S> inverse(const EulerParameters<S>& e) {
  return conjugate(e) / norm_squared(e);
}

/// e/|e|: the projection to the unit sphere, never applied unasked. The caller ensures e ≠ 0.
template <class S>
EulerParameters<S> normalized(const EulerParameters<S>& e) {
  return e / norm(e);
}

/// Body components to space components.
///
///   (0; r) = e ∘ (0; r') ∘ e*
///   r = (e0² − e·e) r' + 2 e0 e × r' + 2 (e·r') e           (KIN-3) [SchwabMeijaard2006, eqs. 25, 26]
///
/// Homogeneous of degree 2: for |e| ≠ 1 the result is scaled by |e|².
template <class S>
constexpr Vec3<S> rotate(const EulerParameters<S>& e_NB, const Vec3<S>& r_B) {
  const Vec3<S> t = cross(e_NB.ev, r_B);
  const S s = S(2) * e_NB.e0;
  const S c = e_NB.e0 * e_NB.e0 - dot(e_NB.ev, e_NB.ev);
  const S d = S(2) * dot(e_NB.ev, r_B);
  return c * r_B + s * t + d * e_NB.ev;
}

/// Space components to body components: (KIN-3) with e*.
template <class S>
constexpr Vec3<S> rotate_back(const EulerParameters<S>& e_NB, const Vec3<S>& r_N) {
  return rotate(conjugate(e_NB), r_N);
}

template <class S>
constexpr SpaceVector<S> to_space(const EulerParameters<S>& e_NB, const BodyVector<S>& v) {
  return SpaceVector<S>(rotate(e_NB, v.raw()));
}
template <class S>
constexpr BodyVector<S> to_body(const EulerParameters<S>& e_NB, const SpaceVector<S>& v) {
  return BodyVector<S>(rotate_back(e_NB, v.raw()));
}

/// Rotation matrix R_NB, v_N = R_NB v_B.
///
///   A = (e0² − e·e) I + 2 e eᵀ + 2 e0 ẽ = E_space E_bodyᵀ   (KIN-4) [SchwabMeijaard2006, eq. 27]
///
/// Homogeneous of degree 2: A/|e|² is orthogonal for every e ≠ 0. [Sherif2015, eq. 5] writes
/// (2 e0² − 1) I instead, which agrees for |e| = 1 only.
template <class S>
constexpr Mat3<S> rotation_matrix(const EulerParameters<S>& e) {
  const auto& [e1, e2, e3] = e.ev;
  const S d1 = S(2) * e1;
  const S d2 = S(2) * e2;
  const S d3 = S(2) * e3;
  const S s12 = d1 * e2;
  const S s13 = d1 * e3;
  const S s23 = d2 * e3;
  const S s01 = d1 * e.e0;
  const S s02 = d2 * e.e0;
  const S s03 = d3 * e.e0;
  const S s00 = e.e0 * e.e0;
  const S s11 = e1 * e1;
  const S s22 = e2 * e2;
  const S s33 = e3 * e3;
  const S p = s00 - s11;
  const S m = s22 - s33;
  // clang-format off
  return {{{(s00 + s11) - (s22 + s33), s12 - s03, s13 + s02},
           {s12 + s03,                 p + m,     s23 - s01},
           {s13 - s02,                 s23 + s01, p - m}}};
  // clang-format on
}

/// Left multiplication: left_matrix(a) b = a ∘ b.
///
///   Q(e) = [e0 −eᵀ; e  e0 I + ẽ]                            (KIN-5) [SchwabMeijaard2006, eq. 24]
template <class S>
constexpr Mat4<S> left_matrix(const EulerParameters<S>& e) {
  const auto& [e1, e2, e3] = e.ev;
  // clang-format off
  return {{{e.e0,  -e1,  -e2,  -e3},
           {  e1, e.e0,  -e3,   e2},
           {  e2,   e3, e.e0,  -e1},
           {  e3,  -e2,   e1, e.e0}}};
  // clang-format on
}

/// Right multiplication: right_matrix(b) a = a ∘ b.
///
///   Q̄(e) = [e0 −eᵀ; e  e0 I − ẽ]                            (KIN-6) [SchwabMeijaard2006, eq. 24]
template <class S>
constexpr Mat4<S> right_matrix(const EulerParameters<S>& e) {
  const auto& [e1, e2, e3] = e.ev;
  // clang-format off
  return {{{e.e0,  -e1,  -e2,  -e3},
           {  e1, e.e0,   e3,  -e2},
           {  e2,  -e3, e.e0,   e1},
           {  e3,   e2,  -e1, e.e0}}};
  // clang-format on
}

/// Body map: ω' = 2 E_body ė for e·ė = 0.
///
///   L = [−e, −ẽ + e0 I],   Lᵀ v = e ∘ (0; v)                (KIN-7) [Sherif2015, eq. 9]
template <class S>
constexpr Mat34<S> E_body(const EulerParameters<S>& e) {
  const auto& [e1, e2, e3] = e.ev;
  return {{{-e1, e.e0, e3, -e2}, {-e2, -e3, e.e0, e1}, {-e3, e2, -e1, e.e0}}};
}

/// Space map: ω = 2 E_space ė for e·ė = 0.
///
///   G = [−e, ẽ + e0 I],   Gᵀ v = (0; v) ∘ e                 (KIN-8) [Sherif2015, eq. 8]
template <class S>
constexpr Mat34<S> E_space(const EulerParameters<S>& e) {
  const auto& [e1, e2, e3] = e.ev;
  return {{{-e1, e.e0, -e3, e2}, {-e2, e3, e.e0, -e1}, {-e3, -e2, e1, e.e0}}};
}

/// A 3×4 map times Euler parameters as a column (e0 e1 e2 e3).
template <class S>
constexpr Vec3<S> operator*(const Mat34<S>& a, const EulerParameters<S>& e) {
  Vec3<S> v{};
  for (std::size_t i = 0; i < 3; ++i) {
    v[i] = a(i, 0) * e.e0 + a(i, 1) * e.ev.x + a(i, 2) * e.ev.y + a(i, 3) * e.ev.z;
  }
  return v;
}
template <class S>
constexpr EulerParameters<S> operator*(const Mat4<S>& a, const EulerParameters<S>& e) {
  const auto entry = [&](std::size_t i) {
    return a(i, 0) * e.e0 + a(i, 1) * e.ev.x + a(i, 2) * e.ev.y + a(i, 3) * e.ev.z;
  };
  return {entry(0), {entry(1), entry(2), entry(3)}};
}
/// aᵀ v for a 3×4 map: E_body(e)ᵀ v = e ∘ (0; v).
template <class S>
constexpr EulerParameters<S> transpose_times(const Mat34<S>& a, const Vec3<S>& v) {
  const auto entry = [&](std::size_t j) { return a(0, j) * v.x + a(1, j) * v.y + a(2, j) * v.z; };
  return {entry(0), {entry(1), entry(2), entry(3)}};
}

// ---- rates -------------------------------------------------------------------------------------

/// Rate of the Euler parameters from the body-frame angular velocity.
///
///   ė = ½ e ∘ (0; ω')                                       (KIN-12) [SchwabMeijaard2006, eq. 36]
///
/// Linear in e: for |e| ≠ 1 the rate scales with |e|, |e| stays constant, and nothing is
/// normalised behind the caller's back.
template <class S>
constexpr EulerParameters<S> rate_from_body(const EulerParameters<S>& e_NB, const Vec3<S>& w_B) {
  return S(0.5) * (e_NB * pure(w_B));
}

///   ė = ½ (0; ω) ∘ e                                        (KIN-13) [SchwabMeijaard2006, eq. 34]
template <class S>
constexpr EulerParameters<S> rate_from_space(const EulerParameters<S>& e_NB, const Vec3<S>& w_N) {
  return S(0.5) * (pure(w_N) * e_NB);
}

/// Body-frame angular velocity from the rate of the Euler parameters, exact for any e ≠ 0 and any ė:
/// the part of ė along e changes the norm, not the attitude.
///
///   ω' = 2 E_body ė / |e|²                                  (KIN-14) [SchwabMeijaard2006, eq. 35]
template <class S>
constexpr Vec3<S> body_rate(const EulerParameters<S>& e_NB, const EulerParameters<S>& edot) {
  return (S(2) / norm_squared(e_NB)) * (conjugate(e_NB) * edot).ev;
}

///   ω = 2 E_space ė / |e|²                                  (KIN-15) [SchwabMeijaard2006, eq. 33]
template <class S>
constexpr Vec3<S> space_rate(const EulerParameters<S>& e_NB, const EulerParameters<S>& edot) {
  return (S(2) / norm_squared(e_NB)) * (edot * conjugate(e_NB)).ev;
}

/// Angular acceleration from ė and ë, exact for any e ≠ 0.
///
///   ω̇' = (2 E_body ë − 2 (e·ė) ω') / |e|²                   (KIN-16) [SchwabMeijaard2006, eq. 38]
///
/// (Ė ė = 0; on the sphere e·ė = 0 and ω̇' = 2 E_body ë.)
template <class S>
constexpr Vec3<S> body_acceleration(const EulerParameters<S>& e_NB, const EulerParameters<S>& edot,
                                    const EulerParameters<S>& eddot) {
  const S s = norm_squared(e_NB);
  return (S(2) / s) * ((conjugate(e_NB) * eddot).ev - dot(e_NB, edot) * body_rate(e_NB, edot));
}

///   ω̇ = (2 E_space ë − 2 (e·ė) ω) / |e|²                    (KIN-17) [SchwabMeijaard2006, eq. 37]
template <class S>
constexpr Vec3<S> space_acceleration(const EulerParameters<S>& e_NB, const EulerParameters<S>& edot,
                                     const EulerParameters<S>& eddot) {
  const S s = norm_squared(e_NB);
  return (S(2) / s) * ((eddot * conjugate(e_NB)).ev - dot(e_NB, edot) * space_rate(e_NB, edot));
}

/// Second derivative of the Euler parameters.
///
///   ë = ½ e ∘ (0; ω̇') − ¼ |ω'|² e                           (KIN-18)
template <class S>
constexpr EulerParameters<S> acceleration_from_body(const EulerParameters<S>& e_NB, const Vec3<S>& w_B,
                                                    const Vec3<S>& wdot_B) {
  return S(0.5) * (e_NB * pure(wdot_B)) - (S(0.25) * dot(w_B, w_B)) * e_NB;
}

///   ë = ½ (0; ω̇) ∘ e − ¼ |ω|² e                             (KIN-19)
template <class S>
constexpr EulerParameters<S> acceleration_from_space(const EulerParameters<S>& e_NB, const Vec3<S>& w_N,
                                                     const Vec3<S>& wdot_N) {
  return S(0.5) * (pure(wdot_N) * e_NB) - (S(0.25) * dot(w_N, w_N)) * e_NB;
}

// The same by the type of the vector: the frame cannot be mistaken.

template <class S>
constexpr EulerParameters<S> rate(const EulerParameters<S>& e_NB, const BodyVector<S>& w) {
  return rate_from_body(e_NB, w.raw());
}
template <class S>
constexpr EulerParameters<S> rate(const EulerParameters<S>& e_NB, const SpaceVector<S>& w) {
  return rate_from_space(e_NB, w.raw());
}
template <Frame F, class S>
constexpr FrameVector<F, S> angular_velocity(const EulerParameters<S>& e_NB, const EulerParameters<S>& edot) {
  if constexpr (std::same_as<F, Body>) {
    return FrameVector<F, S>(body_rate(e_NB, edot));
  } else {
    return FrameVector<F, S>(space_rate(e_NB, edot));
  }
}
template <Frame F, class S>
constexpr FrameVector<F, S> angular_acceleration(const EulerParameters<S>& e_NB, const EulerParameters<S>& edot,
                                                 const EulerParameters<S>& eddot) {
  if constexpr (std::same_as<F, Body>) {
    return FrameVector<F, S>(body_acceleration(e_NB, edot, eddot));
  } else {
    return FrameVector<F, S>(space_acceleration(e_NB, edot, eddot));
  }
}
template <class S>
constexpr EulerParameters<S> acceleration(const EulerParameters<S>& e_NB, const BodyVector<S>& w,
                                          const BodyVector<S>& wdot) {
  return acceleration_from_body(e_NB, w.raw(), wdot.raw());
}
template <class S>
constexpr EulerParameters<S> acceleration(const EulerParameters<S>& e_NB, const SpaceVector<S>& w,
                                          const SpaceVector<S>& wdot) {
  return acceleration_from_space(e_NB, w.raw(), wdot.raw());
}

// ---- exponential, logarithm, interpolation -------------------------------------------------------

/// Unit Euler parameters of the rotation vector x = μ n.
///
///   exp(x) = (cos |x|/2;  ½ sinc(|x|/2) x) = (c0(ρ);  ½ c1(ρ) x),  ρ = |x|²/4      (KIN-9)
///
/// c0, c1: Stumpff functions. |x| may be of any size; x and x − 2π n give e and −e.
template <class S>
EulerParameters<S> exp(const Vec3<S>& x) {
  if constexpr (PlainReal<S>) {
    const S angle = norm(x);
    if (!(angle > S(0))) { return {S(1) + angle, S(0.5) * x}; }  // 0 gives 1; a NaN stays a NaN
    const math::SinCos<S> half = math::sincos(S(0.5) * angle);
    return {half.cos, (half.sin / angle) * x};
  } else {
    const auto c = stumpff(S(0.25) * norm_squared(x));
    return {c.c0, (S(0.5) * c.c1) * x};
  }
}

/// The angle of the rotation, in [0, π]; e and −e give the same, any |e| ≠ 0 will do.
///
///   μ = 2 atan2(|e|, |e0|)                                  (KIN-10)
///
/// Good to 4 ulp from 1e-300 to π: no difference of nearly equal numbers, no squares that vanish.
template <class S>
S rotation_angle(const EulerParameters<S>& e) {
  return S(2) * math::atan2(norm(e.ev), value_of(e.e0) > 0 ? e.e0 : S(S(0) - e.e0));
}

/// Inverse of exp, sign included: exp(log(e)) = e/|e|, |log e| in [0, 2π]. For the shortest rotation
/// take rotation_vector(). log(−1) is a whole turn about any axis; about the first here.  (KIN-10)
template <class S>
Vec3<S> log(const EulerParameters<S>& e) {
  if constexpr (PlainReal<S>) {
    const S sine = norm(e.ev);
    if (sine == S(0)) { return {e.e0 < S(0) ? S(2) * math::pi<S>() : S(0), S(0), S(0)}; }
    return (S(2) * math::atan2(sine, e.e0) / sine) * e.ev;
  } else {
    // 2 atan2(s, e0)/s is a regular function of s² and e0 near s = 0, though s = √s² is not
    const S s_squared = norm_squared(e.ev);
    const S ratio = s_squared / (e.e0 * e.e0);
    if (value_of(e.e0) > 0 && value_of(ratio) < 1e-4) { return (S(2) * atan_over(ratio) / e.e0) * e.ev; }
    const S sine = math::sqrt(s_squared);
    return (S(2) * math::atan2(sine, e.e0) / sine) * e.ev;
  }
}

/// e or −e, the one with e0 ≥ 0; at e0 = 0 the first component that is not 0 is made positive.
template <class S>
constexpr EulerParameters<S> canonical(const EulerParameters<S>& e) {
  for (const S* c : {&e.e0, &e.ev.x, &e.ev.y, &e.ev.z}) {
    if (value_of(*c) > 0) { return e; }
    if (value_of(*c) < 0) { return -e; }
  }
  return e;
}

/// The rotation vector μ n of an attitude, μ in [0, π].
template <class S>
Vec3<S> rotation_vector(const EulerParameters<S>& e) {
  return log(canonical(e));
}

/// e or −e, the one nearer to `reference`: keeps a sequence of attitudes continuous.
template <class S>
constexpr EulerParameters<S> nearest_sign(const EulerParameters<S>& e, const EulerParameters<S>& reference) {
  return value_of(dot(e, reference)) < 0 ? -e : e;
}

/// Flips signs so that neighbours are at most a half turn apart in e; the first stays.
template <class S>
constexpr void make_continuous(std::span<EulerParameters<S>> sequence) {
  for (std::size_t i = 1; i < sequence.size(); ++i) { sequence[i] = nearest_sign(sequence[i], sequence[i - 1]); }
}

/// e_AB from e_NA and e_NB: the rotation still missing, about body axes.
template <class S>
constexpr EulerParameters<S> relative_rotation(const EulerParameters<S>& e_NA, const EulerParameters<S>& e_NB) {
  return conjugate(e_NA) * e_NB;
}

/// From a (s = 0) to b (s = 1) at constant rate along the shortest arc.
///
///   slerp(a, b, s) = a ∘ exp(s log(a* ∘ b))                 (KIN-11)
template <class S>
EulerParameters<S> slerp(const EulerParameters<S>& a, const EulerParameters<S>& b, const S& s) {
  return a * exp(s * log(nearest_sign(relative_rotation(a, b), EulerParameters<S>::identity())));
}

}  // namespace polhode
