#pragma once

#include "polhode/rotation/chart.h"

namespace polhode {

/// A turn by `angle` about the unit vector `axis` (the same components in both frames).
template <class S>
struct AxisAngle {
  Vec3<S> axis{S(0), S(0), S(1)};
  S angle{};
};

/// Rates of both; axis·axis_rate = 0.
template <class S>
struct AxisAngleRate {
  Vec3<S> axis_rate{};
  S angle_rate{};
};

///   e = (cos μ/2; n sin μ/2)                                (KIN-50) [SchwabMeijaard2006, eq. 29]
template <class S>
EulerParameters<S> to_euler_parameters(const AxisAngle<S>& a) {
  const math::SinCos<S> half = math::sincos(S(0.5) * a.angle);
  return {half.cos, half.sin * a.axis};
}

/// Angle in [0, π]. No rotation has no axis: then the third is returned, and the angle 0.
template <class S>
AxisAngle<S> axis_angle(const EulerParameters<S>& e) {
  const EulerParameters<S> shortest = canonical(e);
  const S sine = norm(shortest.ev);
  if (value_of(sine) == 0) { return {}; }
  return {shortest.ev / sine, S(2) * math::atan2(sine, shortest.e0)};
}

namespace detail {
/// [left, right].
template <class S>
constexpr Mat34<S> beside(const Mat3<S>& left, const Vec3<S>& right) {
  Mat34<S> both;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { both(i, j) = left(i, j); }
    both(i, 3) = right[i];
  }
  return both;
}
}  // namespace detail

/// Angular velocity from the rates of axis and angle; body with the minus sign, space with the plus.
///
///   ω', ω = μ̇ n + sin μ ṅ ∓ (1 − cos μ) n × ṅ              (KIN-51) [Shuster1993]
template <Frame F, class S>
FrameVector<F, S> angular_velocity(const AxisAngle<S>& a, const AxisAngleRate<S>& rate) {
  const S sign(std::same_as<F, Body> ? -1 : 1);
  const math::SinCos<S> half = math::sincos(S(0.5) * a.angle);
  const S sine = S(2) * half.sin * half.cos;
  const S versine = S(2) * half.sin * half.sin;
  return FrameVector<F, S>(rate.angle_rate * a.axis + sine * rate.axis_rate +
                           (sign * versine) * cross(a.axis, rate.axis_rate));
}

/// And back. Singular at μ = 0 and at whole turns, where the axis is not defined.
///
///   μ̇ = n·ω,   ṅ = ½ (± n × ω + cot(μ/2) (ω − (n·ω) n)),  + for body, − for space      (KIN-52)
template <Frame F, class S>
AxisAngleRate<S> axis_angle_rate(const AxisAngle<S>& a, const FrameVector<F, S>& w) {
  const S sign(std::same_as<F, Body> ? 1 : -1);
  const math::SinCos<S> half = math::sincos(S(0.5) * a.angle);
  const S along = dot(a.axis, w.raw());
  const Vec3<S> across = w.raw() - along * a.axis;
  return {S(0.5) * (sign * cross(a.axis, w.raw()) + (half.cos / half.sin) * across), along};
}

/// The 3×4 matrix of (KIN-51), for the rates in the order (ṅ; μ̇).
///
///   W = [sin μ I ∓ (1 − cos μ) ñ,  n],  − for body, + for space
template <Frame F, class S>
Mat34<S> rate_matrix(const AxisAngle<S>& a) {
  const S sign(std::same_as<F, Body> ? -1 : 1);
  const math::SinCos<S> half = math::sincos(S(0.5) * a.angle);
  return detail::beside(
      (S(2) * half.sin * half.cos) * identity<S, 3>() + (sign * S(2) * half.sin * half.sin) * skew(a.axis), a.axis);
}

/// The 4×3 matrix of (KIN-52): W W⁺ = I, and W⁺ W = I on the rates that an axis of length 1 can have, n·ṅ = 0.
///
///   W⁺ = [½ (cot(μ/2) (I − n nᵀ) ± ñ);  nᵀ],  + for body, − for space
template <Frame F, class S>
Matrix<S, 4, 3> inverse_rate_matrix(const AxisAngle<S>& a) {
  const S sign(std::same_as<F, Body> ? 1 : -1);
  const math::SinCos<S> half = math::sincos(S(0.5) * a.angle);
  const Mat3<S> across = identity<S, 3>() - outer(a.axis, a.axis);
  const Mat3<S> top = S(0.5) * ((half.cos / half.sin) * across + sign * skew(a.axis));
  return transpose(detail::beside(transpose(top), a.axis));
}

///   Ẇ = [μ̇ cos μ I ∓ (μ̇ sin μ ñ + (1 − cos μ) ṅ̃),  ṅ]
template <Frame F, class S>
Mat34<S> rate_matrix_rate(const AxisAngle<S>& a, const AxisAngleRate<S>& rate) {
  const S sign(std::same_as<F, Body> ? -1 : 1);
  const math::SinCos<S> half = math::sincos(S(0.5) * a.angle);
  const S cosine = (half.cos - half.sin) * (half.cos + half.sin);
  const S sine = S(2) * half.sin * half.cos;
  const S versine = S(2) * half.sin * half.sin;
  return detail::beside((rate.angle_rate * cosine) * identity<S, 3>() +
                            sign * ((rate.angle_rate * sine) * skew(a.axis) + versine * skew(rate.axis_rate)),
                        rate.axis_rate);
}

/// Of the map from (ṅ; μ̇), n·ṅ = 0, to ω: singular values 1 along n, 2 |sin(μ/2)| twice across. Singular at whole
/// turns.
template <class S>
Conditioning<S> conditioning(const AxisAngle<S>& a) {
  const math::SinCos<S> half = math::sincos(S(0.5) * a.angle);
  const S sine = value_of(half.sin) > 0 ? half.sin : S(S(0) - half.sin);
  const S cosine = value_of(half.cos) > 0 ? half.cos : S(S(0) - half.cos);
  const S across = S(2) * sine;
  return {across * across, value_of(across) < 1 ? S(1) / across : across, S(2) * math::atan2(sine, cosine)};
}

/// Axis and angle around a reference attitude, e_NB = e_NC ∘ e(n, μ): body-frame formulas hold unchanged, and whole
/// turns are left by moving the reference.                        (KIN-59)
template <class S>
struct AxisAnglePoint {
  EulerParameters<S> e_NC = EulerParameters<S>::identity();
  AxisAngle<S> at{};
};

template <class S>
EulerParameters<S> to_euler_parameters(const AxisAnglePoint<S>& point) {
  return point.e_NC * to_euler_parameters(point.at);
}

/// The same attitude and axis at half a turn, farthest from the whole ones.
template <class S>
AxisAnglePoint<S> recentered(const AxisAnglePoint<S>& point) {
  const AxisAngle<S> half_turn{point.at.axis, math::pi<S>()};
  return {to_euler_parameters(point) * conjugate(to_euler_parameters(half_turn)), half_turn};
}

/// Recenters when the distance to a whole turn is below `least_distance` [rad]; says whether it did.
template <class S>
bool switch_chart(AxisAnglePoint<S>& point, const S& least_distance) {
  if (!(value_of(conditioning(point.at).distance) < value_of(least_distance))) { return false; }
  point = recentered(point);
  return true;
}

/// Angular acceleration: the time derivative of (KIN-51), with n̈ and μ̈ in `second`.
///
///   ω̇ = μ̈ n + μ̇ ṅ + μ̇ cos μ ṅ + sin μ n̈ ∓ (μ̇ sin μ n × ṅ + (1 − cos μ) n × n̈)       (KIN-53)
template <Frame F, class S>
FrameVector<F, S> angular_acceleration(const AxisAngle<S>& a, const AxisAngleRate<S>& rate,
                                       const AxisAngleRate<S>& second) {
  const S sign(std::same_as<F, Body> ? -1 : 1);
  const math::SinCos<S> half = math::sincos(S(0.5) * a.angle);
  const S sine = S(2) * half.sin * half.cos;
  const S versine = S(2) * half.sin * half.sin;
  return FrameVector<F, S>(
      second.angle_rate * a.axis + (rate.angle_rate * (S(2) - versine)) * rate.axis_rate + sine * second.axis_rate +
      sign * ((rate.angle_rate * sine) * cross(a.axis, rate.axis_rate) + versine * cross(a.axis, second.axis_rate)));
}

/// μ̈ and n̈ from ω̇: the time derivative of (KIN-52).
template <Frame F, class S>
AxisAngleRate<S> axis_angle_acceleration(const AxisAngle<S>& a, const AxisAngleRate<S>& rate,
                                         const FrameVector<F, S>& w, const FrameVector<F, S>& wdot) {
  const S sign(std::same_as<F, Body> ? 1 : -1);
  const math::SinCos<S> half = math::sincos(S(0.5) * a.angle);
  const S cot = half.cos / half.sin;
  const S cot_rate = S(-0.5) * rate.angle_rate / (half.sin * half.sin);
  const S along = dot(a.axis, w.raw());
  const S along_rate = dot(rate.axis_rate, w.raw()) + dot(a.axis, wdot.raw());
  const Vec3<S> across = w.raw() - along * a.axis;
  const Vec3<S> across_rate = wdot.raw() - along_rate * a.axis - along * rate.axis_rate;
  return {S(0.5) * (sign * (cross(rate.axis_rate, w.raw()) + cross(a.axis, wdot.raw())) + cot_rate * across +
                    cot * across_rate),
          along_rate};
}

}  // namespace polhode
