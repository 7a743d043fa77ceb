#pragma once

#include "polhode/multibody/spatial.h"
#include "polhode/rotation/euler_parameters.h"

/// Primitive parts of constraints: one scalar constraint each between two bodies, derived once. A joint is a list of
/// parts. Every part gives its value Φ, its Jacobian and γ of the constraint on accelerations. Labels (MEC-n):
/// docs/theory/mechanisms.md, after [Nikravesh1988, chapter 7; Haug1989, chapter 9].
namespace polhode {

/// The number of a body; ground is a body that never moves.
using BodyId = int;
inline constexpr BodyId kGround = -1;

/// A frame on a body, seen from the body's own frame B (any reference point); on ground, seen from space.
struct FrameOnBody {
  Vec3<double> r_BF_B{};
  EulerParameters<double> e_BF = EulerParameters<double>::identity();
};

/// A vector or matrix of given numbers, for any number type.
template <class S>
Vec3<S> as(const Vec3<double>& v) {
  return {S(v.x), S(v.y), S(v.z)};
}
template <class S>
Mat3<S> as(const Mat3<double>& a) {
  Mat3<S> result;
  for (std::size_t i = 0; i < 9; ++i) { result(i / 3, i % 3) = S(a(i / 3, i % 3)); }
  return result;
}

/// One joint end seen in space: where its body is and how it moves, and the joint frame on it.
template <class S>
struct End {
  Vec3<S> r{};      ///< mass centre
  Vec3<S> v{};      ///< its velocity
  Vec3<S> w{};      ///< angular velocity, space components
  Vec3<S> lever{};  ///< from the mass centre to the joint point
  Mat3<S> axes{};   ///< columns: axes of the joint frame, space components

  Vec3<S> point() const { return r + lever; }
  Vec3<S> point_velocity() const { return v + cross(w, lever); }
  /// acceleration of the joint point, but for what v̇ and ω̇ bring: ω × (ω × lever)
  Vec3<S> centripetal() const { return cross(w, cross(w, lever)); }
  Vec3<S> axis(std::size_t i) const { return column(axes, i); }
};

/// One scalar constraint on two bodies.
///
///   Φ̇ = first·(ω₁; v₁) + second·(ω₂; v₂) − rate = 0,   first·(α₁; a₁) + second·(α₂; a₂) = γ      (MEC-1)
///
/// α, a, ω, v in space components, of the mass centres.
template <class S>
struct RowOf {
  PairOf<S> first{};
  PairOf<S> second{};
  S value{};  ///< Φ
  S gamma{};
  S rate{};  ///< prescribed by drivers; 0 for everything that stands still

  RowOf& operator+=(const RowOf& b) {
    first += b.first;
    second += b.second;
    value += b.value;
    gamma += b.gamma;
    rate += b.rate;
    return *this;
  }
  friend RowOf operator*(const S& s, const RowOf& a) {
    return {s * a.first, s * a.second, s * a.value, s * a.gamma, s * a.rate};
  }
};
using Row = RowOf<double>;

/// A row in body components: Φ̇ = … + ang'·ω', with ang' = Rᵀ ang; and for Euler parameters as velocities.
///
///   ∂Φ̇/∂ė = 2 Lᵀ ang' = 2 Gᵀ ang                            (MEC-2)
///
/// The part of ∂Φ/∂e along e is left out: it scales with what is written for R off |e| = 1, and turns nothing.
template <class S>
EulerParameters<S> jacobian_for_edot(const EulerParameters<S>& e_NB, const Vec3<S>& ang_N) {
  return S(2.0) * (pure(ang_N) * e_NB);
}

/// Points P1, P2 meet: the component along axis k of space.
///
///   Φ = nₖ·(P₂ − P₁)                                         (MEC-3)
struct Coincide {
  std::size_t k;

  template <class S>
  S value(const End<S>& first, const End<S>& second) const {
    return second.point()[k] - first.point()[k];
  }
  template <class S>
  RowOf<S> row(const End<S>& first, const End<S>& second) const {
    const Vec3<S> n = axis_vector<S>(k);
    return {{-cross(first.lever, n), -n},
            {cross(second.lever, n), n},
            value(first, second),
            first.centripetal()[k] - second.centripetal()[k],
            S(0)};
  }
};

/// Axis i of the second frame stands across axis j of the first.
///
///   Φ = a₂·b₁,   Φ̇ = (a × b)·(ω₂ − ω₁)                       (MEC-4)
struct Across {
  std::size_t second_axis;
  std::size_t first_axis;

  template <class S>
  S value(const End<S>& first, const End<S>& second) const {
    return dot(second.axis(second_axis), first.axis(first_axis));
  }
  template <class S>
  RowOf<S> row(const End<S>& first, const End<S>& second) const {
    const Vec3<S> a = second.axis(second_axis);
    const Vec3<S> b = first.axis(first_axis);
    const Vec3<S> g = cross(a, b);
    const Vec3<S> gdot = cross(cross(second.w, a), b) + cross(a, cross(first.w, b));
    return {{-g, {}}, {g, {}}, dot(a, b), -dot(gdot, second.w - first.w), S(0)};
  }
};

/// How far P2 lies along axis j of the first frame, from P1. Zero: P2 in a plane; two such parts: on a line.
///
///   Φ = b₁·(P₂ − P₁)                                         (MEC-5)
struct Along {
  std::size_t first_axis;

  template <class S>
  S value(const End<S>& first, const End<S>& second) const {
    return dot(first.axis(first_axis), second.point() - first.point());
  }
  template <class S>
  RowOf<S> row(const End<S>& first, const End<S>& second) const {
    const Vec3<S> b = first.axis(first_axis);
    const Vec3<S> d = second.point() - first.point();
    const Vec3<S> ddot = second.point_velocity() - first.point_velocity();
    const Vec3<S> bdot = cross(first.w, b);
    const S gamma =
        -(dot(b, second.centripetal() - first.centripetal()) + S(2) * dot(bdot, ddot) + dot(cross(first.w, bdot), d));
    return {{-cross(first.lever + d, b), -b}, {cross(second.lever, b), b}, dot(b, d), gamma, S(0)};
  }
};

/// P1 and P2 stay at the distance L.
///
///   Φ = (|P₂ − P₁|² − L²)/(2L)                               (MEC-6)
struct Distance {
  double length;

  template <class S>
  S value(const End<S>& first, const End<S>& second) const {
    const Vec3<S> d = second.point() - first.point();
    return (dot(d, d) - S(length * length)) / S(2 * length);
  }
  template <class S>
  RowOf<S> row(const End<S>& first, const End<S>& second) const {
    const Vec3<S> d = second.point() - first.point();
    const Vec3<S> ddot = second.point_velocity() - first.point_velocity();
    const Vec3<S> n = d / S(length);
    const S gamma = -(dot(n, second.centripetal() - first.centripetal()) + dot(ddot, ddot) / S(length));
    return {{-cross(first.lever, n), -n}, {cross(second.lever, n), n}, value(first, second), gamma, S(0)};
  }
};

/// No twist about the common axis of the frames: what a joint of constant velocity keeps.
///
///   Φ = x₂·y₁ − y₂·x₁ = 4 e0 e3 of the relative Euler parameters      (MEC-7)
struct NoTwist {
  template <class S>
  S value(const End<S>& first, const End<S>& second) const {
    return Across{0, 1}.value(first, second) - Across{1, 0}.value(first, second);
  }
  template <class S>
  RowOf<S> row(const End<S>& first, const End<S>& second) const {
    RowOf<S> r = Across{0, 1}.row(first, second);
    r += S(-1.0) * Across{1, 0}.row(first, second);
    return r;
  }
};

/// The angle of a vector (D, N) whose components are parts that turn alone.
///
///   θ = atan2(N, D),   θ̇ = (D Ṅ − N Ḋ)/(N² + D²)
template <class S>
RowOf<S> angle_row(const RowOf<S>& N, const RowOf<S>& D, const Vec3<S>& w) {
  const S rho = N.value * N.value + D.value * D.value;
  const S Ndot = dot(N.second.ang, w);
  const S Ddot = dot(D.second.ang, w);
  const S turning = (D.value * Ndot - N.value * Ddot) / rho;
  const Vec3<S> g = (D.value / rho) * N.second.ang - (N.value / rho) * D.second.ang;
  const S gamma = (D.value * N.gamma - N.value * D.gamma + S(2) * turning * (N.value * Ndot + D.value * Ddot)) / rho;
  return {{-g, {}}, {g, {}}, math::atan2(N.value, D.value), gamma, S(0)};
}

/// The angle by which the second frame is turned about the common z axis, in (−π, π].
///
///   θ = atan2(N, D),   N = x₂·y₁ − y₂·x₁,   D = x₂·x₁ + y₂·y₁      (MEC-8)
///
/// For frames whose z axes do not agree it is the twist of the decomposition into swing and twist.
struct Turn {
  template <class S>
  S value(const End<S>& first, const End<S>& second) const {
    const S D = Across{0, 0}.value(first, second) + Across{1, 1}.value(first, second);
    return math::atan2(NoTwist{}.value(first, second), D);
  }
  template <class S>
  RowOf<S> row(const End<S>& first, const End<S>& second) const {
    RowOf<S> D = Across{0, 0}.row(first, second);
    D += Across{1, 1}.row(first, second);
    return angle_row(NoTwist{}.row(first, second), D, second.w - first.w);
  }
};

/// The angles of a cross: about x of the first frame, and about y of the second.
///
///   θ_x = atan2(y₂·z₁, y₂·y₁),   θ_y = atan2(z₂·x₁, x₂·x₁)         (MEC-31)
///
/// Where y₂ stands across x₁, as a cross has it, ω₂ − ω₁ = θ̇_x x₁ + θ̇_y y₂.
struct CrossAngle {
  bool about_second;  ///< θ_y

  template <class S>
  S value(const End<S>& first, const End<S>& second) const {
    return about_second ? math::atan2(Across{2, 0}.value(first, second), Across{0, 0}.value(first, second))
                        : math::atan2(Across{1, 2}.value(first, second), Across{1, 1}.value(first, second));
  }
  template <class S>
  RowOf<S> row(const End<S>& first, const End<S>& second) const {
    const Across N = about_second ? Across{2, 0} : Across{1, 2};
    const Across D = about_second ? Across{0, 0} : Across{1, 1};
    return angle_row(N.row(first, second), D.row(first, second), second.w - first.w);
  }
};

/// The angle between both z axes.
///
///   θ = atan2(|z₁ × z₂|, z₁·z₂),   θ̇ = n·(ω₂ − ω₁),   n = z₁ × z₂/|z₁ × z₂|      (MEC-36)
///   γ = −ṅ·(ω₂ − ω₁)
///
/// Where the axes are in line n is no direction, and the row is zero.
struct Swing {
  template <class S>
  S value(const End<S>& first, const End<S>& second) const {
    const Vec3<S> across = cross(first.axis(2), second.axis(2));
    return math::atan2(math::sqrt(dot(across, across)), dot(first.axis(2), second.axis(2)));
  }
  template <class S>
  RowOf<S> row(const End<S>& first, const End<S>& second) const {
    constexpr auto kInLine = static_cast<ValueType<S>>(1e-12L);
    const Vec3<S> z1 = first.axis(2);
    const Vec3<S> z2 = second.axis(2);
    const Vec3<S> across = cross(z1, z2);
    const S size = norm(across);
    RowOf<S> row;
    row.value = math::atan2(size, dot(z1, z2));
    if (!(value_of(size) > kInLine)) { return row; }
    const Vec3<S> n = across / size;
    const Vec3<S> change = cross(cross(first.w, z1), z2) + cross(z1, cross(second.w, z2));
    row.first.ang = -n;
    row.second.ang = n;
    row.gamma = -dot(change - dot(n, change) * n, second.w - first.w) / size;
    return row;
  }
};

}  // namespace polhode
