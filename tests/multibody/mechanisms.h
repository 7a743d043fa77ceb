#pragma once

#include "polhode/integrator/driver.h"
#include "polhode/multibody/mechanism_system.h"
#include "polhode/multibody/reference.h"
#include "polhode/rotation/rotation_matrix.h"
#include "support/cases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace polhode::test {

/// A thin rod of 1 kg from a to b, with its frame in the middle and z along it.
inline BodyId add_rod(ModelBuilder& builder, const std::string& name, const Vec3<double>& a, const Vec3<double>& b,
                      double across, double along) {
  const Vec3<double> d = (b - a) / norm(b - a);
  BodyStart start;
  start.r_N = 0.5 * (a + b);
  const Vec3<double> other = std::fabs(d.x) < 0.5 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
  const Vec3<double> x = cross(other, d) / norm(cross(other, d));
  start.e_NB = from_matrix(from_columns(x, cross(d, x), d));
  return builder.body(name, from_principal_moments(1, {across, across, along}), start);
}

/// Runs to the times given, by DOP853 with projection after every step; see(n, y) at each.
template <class See>
RunResult<double> run(const MechanismSystem& system, std::vector<double>& y, const std::vector<double>& times,
                      double tolerance, const See& see) {
  RunOptions<double> options;
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  options.projection = ProjectionUse::every_step;
  options.output_times = times;
  std::size_t n = 0;
  Observer<double> observer;
  observer.output = [&](const double&, std::span<const double> at) {
    see(n++, at);
    return true;
  };
  const auto stepper = integrator<double>("dop853").bind(system);
  const RunResult<double> result = integrate<double>(system, *stepper, options, 0, times.back(), y, observer);
  CAPTURE(result.message);
  CHECK(result.status == RunStatus::done);
  CHECK(n == times.size());
  return result;
}

/// Largest difference of accelerations from the dense solution's.
inline double acceleration_difference(const Model& model, std::span<const double> y, const DenseSolution& dense) {
  Scratch scratch(model);
  std::vector<double> ydot(y.size());
  evaluate(model, 0, y, ydot, scratch);
  double most = 0;
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    const Pair d = acceleration_of(model, scratch, static_cast<BodyId>(b)) - dense.a[b];
    most = std::max({most, norm(d.ang), norm(d.lin)});
  }
  return most;
}

}  // namespace polhode::test
