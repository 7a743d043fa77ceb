#pragma once

#include "polhode/rotation/euler_parameters.h"

#include <array>
#include <concepts>

namespace polhode {

/// How well a chart works at a point.
template <class S>
struct Conditioning {
  S determinant;       ///< of the rate matrix
  S condition_number;  ///< largest over smallest singular value of the rate matrix; infinite at a singularity
  S distance;          ///< smallest further turn, rad, after which the coordinates reach a singularity of the chart
};

/// A chart describes attitudes by three numbers x: Euler angles, rotation vector, Rodrigues and modified
/// Rodrigues parameters, reduced Euler parameters. It states, for ω' = S(x) ẋ, the body rate matrix
/// S, its inverse and its partial derivatives; everything below follows from these for all charts and both frames.
template <class C>
concept Chart = requires(const C& chart, const Vec3<double>& x, const EulerParameters<double>& e) {
  { chart.to_euler_parameters(x) } -> std::same_as<EulerParameters<double>>;
  { chart.from_euler_parameters(e) } -> std::same_as<Vec3<double>>;
  { chart.body_rate_matrix(x) } -> std::same_as<Mat3<double>>;
  { chart.inverse_body_rate_matrix(x) } -> std::same_as<Mat3<double>>;
  { chart.body_rate_partials(x) } -> std::same_as<std::array<Mat3<double>, 3>>;
  { chart.conditioning(x) } -> std::same_as<Conditioning<double>>;
};

/// The matrix with ω' = S ẋ (Body) or ω = C ẋ (Space).
///
///   C = A S                                                 (KIN-54)
template <Frame F, Chart C, class S>
Mat3<S> rate_matrix(const C& chart, const Vec3<S>& x) {
  if constexpr (std::same_as<F, Body>) {
    return chart.body_rate_matrix(x);
  } else {
    return rotation_matrix(chart.to_euler_parameters(x)) * chart.body_rate_matrix(x);
  }
}

/// Its inverse, ẋ = S⁻¹ ω' or ẋ = S⁻¹ Aᵀ ω.
template <Frame F, Chart C, class S>
Mat3<S> inverse_rate_matrix(const C& chart, const Vec3<S>& x) {
  if constexpr (std::same_as<F, Body>) {
    return chart.inverse_body_rate_matrix(x);
  } else {
    return chart.inverse_body_rate_matrix(x) * transpose(rotation_matrix(chart.to_euler_parameters(x)));
  }
}

/// Partial derivatives of the rate matrix by x1, x2, x3.
///
///   ∂ᵢA = A s̃ᵢ (sᵢ = column i of S), so  ∂ᵢC = A (s̃ᵢ S + ∂ᵢS)     (KIN-55)
template <Frame F, Chart C, class S>
std::array<Mat3<S>, 3> rate_partials(const C& chart, const Vec3<S>& x) {
  std::array<Mat3<S>, 3> partials = chart.body_rate_partials(x);
  if constexpr (std::same_as<F, Space>) {
    const Mat3<S> R_NB = rotation_matrix(chart.to_euler_parameters(x));
    const Mat3<S> S_body = chart.body_rate_matrix(x);
    for (std::size_t i = 0; i < 3; ++i) { partials[i] = R_NB * (skew(column(S_body, i)) * S_body + partials[i]); }
  }
  return partials;
}

///   Ṡ = Σ ẋᵢ ∂ᵢS                                            (KIN-56) [Bernstein2023, eq. 24]
template <Frame F, Chart C, class S>
Mat3<S> rate_matrix_rate(const C& chart, const Vec3<S>& x, const Vec3<S>& xdot) {
  const std::array<Mat3<S>, 3> partials = rate_partials<F>(chart, x);
  return xdot.x * partials[0] + xdot.y * partials[1] + xdot.z * partials[2];
}

template <Frame F, Chart C, class S>
FrameVector<F, S> angular_velocity(const C& chart, const Vec3<S>& x, const Vec3<S>& xdot) {
  return FrameVector<F, S>(rate_matrix<F>(chart, x) * xdot);
}

/// ẋ from ω' or ω. At a singularity of the chart the inverse does not exist and the result is not finite.
template <Frame F, Chart C, class S>
Vec3<S> coordinate_rate(const C& chart, const Vec3<S>& x, const FrameVector<F, S>& w) {
  return inverse_rate_matrix<F>(chart, x) * w.raw();
}

///   ω̇ = S ẍ + Ṡ ẋ                                          (KIN-57) [Bernstein2023, eq. 11]
template <Frame F, Chart C, class S>
FrameVector<F, S> angular_acceleration(const C& chart, const Vec3<S>& x, const Vec3<S>& xdot, const Vec3<S>& xddot) {
  return FrameVector<F, S>(rate_matrix<F>(chart, x) * xddot + rate_matrix_rate<F>(chart, x, xdot) * xdot);
}

///   ẍ = S⁻¹ (ω̇ − Ṡ ẋ)                                      (KIN-58)
template <Frame F, Chart C, class S>
Vec3<S> coordinate_acceleration(const C& chart, const Vec3<S>& x, const Vec3<S>& xdot, const FrameVector<F, S>& wdot) {
  return inverse_rate_matrix<F>(chart, x) * (wdot.raw() - rate_matrix_rate<F>(chart, x, xdot) * xdot);
}

/// A point of a chart laid around a reference attitude: e_NB = e_NC ∘ chart(x), e_NC constant.
///
/// The body rate map does not see the reference, so every body-frame formula of the chart holds
/// unchanged, and a chart that comes near its singularity is left by moving the reference: one way
/// of switching for all charts.                             (KIN-59)
template <class S>
struct ChartPoint {
  EulerParameters<S> e_NC = EulerParameters<S>::identity();
  Vec3<S> x{};
};

template <Chart C, class S>
EulerParameters<S> to_euler_parameters(const C& chart, const ChartPoint<S>& point) {
  return point.e_NC * chart.to_euler_parameters(point.x);
}

/// The same attitude with its coordinates at the chart's best point (C::center(): x = 0 for vectors, the
/// middle angle farthest from lock for Euler angles).
template <Chart C, class S>
ChartPoint<S> recentered(const C& chart, const ChartPoint<S>& point) {
  const Vec3<S> center = chart.template center<S>();
  return {to_euler_parameters(chart, point) * conjugate(chart.to_euler_parameters(center)), center};
}

/// Recenters when the distance to the singularity is below `least_distance` [rad]; says whether it did.
template <Chart C, class S>
bool switch_chart(const C& chart, ChartPoint<S>& point, const S& least_distance) {
  if (!(value_of(chart.conditioning(point.x).distance) < value_of(least_distance))) { return false; }
  point = recentered(chart, point);
  return true;
}

}  // namespace polhode
