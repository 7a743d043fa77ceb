#include "polhode/integrator/singular_configuration.h"

#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <vector>

namespace polhode {
namespace {

using Dense = Eigen::MatrixXd;
using Index = Eigen::Index;

/// Singular values of the scaled C at (t, y), the largest first.
Eigen::VectorXd singular_values(const Constraints<double>& constraints, std::size_t velocities, double t,
                                std::span<const double> y) {
  std::vector<double> phi(constraints.row_count());
  std::vector<double> speed(constraints.row_count());
  SparseRows<double> rows = constraints.empty_rows();
  constraints.rows(t, y, phi, speed, rows);
  Dense C = Dense::Zero(static_cast<Index>(constraints.row_count()), static_cast<Index>(velocities));
  for (std::size_t r = 0; r < rows.row_count(); ++r) {
    rows.each(r, [&](std::size_t c, double value) { C(static_cast<Index>(r), static_cast<Index>(c)) = value; });
  }
  // velocities are (ω, v) body by body
  const double length = constraints.typical_length();
  for (Index i = 0; i < C.cols(); ++i) {
    if (i % 6 < 3) { C.col(i) /= length; }
  }
  for (Index r = 0; r < C.rows(); ++r) {
    const double size = C.row(r).norm();
    if (size > 0) { C.row(r) /= size; }
  }
  if (!C.allFinite()) { return {}; }
  return Eigen::BDCSVD<Dense>(C).singularValues();
}

/// How many are not zero but for rounding.
Index rank_of(const Eigen::VectorXd& values) {
  constexpr double kZero = 1e-9;
  Index rank = 0;
  while (rank < values.size() && values(rank) > kZero * values(0)) { ++rank; }
  return rank;
}

}  // namespace

std::optional<double> time_of_singular_configuration(const System<double>& system, double t,
                                                     std::span<const double> y) {
  constexpr double kNear = 0.3;    // rad of motion
  constexpr double kSmall = 1e-4;  // rad of motion, for differences
  // Dense work, the cube of this number: of larger models the cause stays untold.
  constexpr std::size_t kMostRows = 600;
  const Constraints<double>* constraints = system.constraints();
  const SecondOrder<double>* second = system.second_order();
  if (constraints == nullptr || second == nullptr || constraints->row_count() == 0) { return {}; }
  if (constraints->row_count() > kMostRows) { return {}; }
  const std::size_t velocities = second->velocity_size();
  std::vector<double> v(velocities);
  second->velocity(y, v);
  double fastest = 0;
  for (std::size_t i = 0; i < velocities; ++i) {
    fastest = std::max(fastest, std::fabs(v[i]) / (i % 6 < 3 ? 1 : constraints->typical_length()));
  }
  if (!(fastest > 0) || !std::isfinite(fastest)) { return {}; }
  const double dt = kSmall / fastest;
  std::vector<double> ydot(y.size(), 0.0);
  constraints->coordinate_rate(y, v, ydot);
  const auto values_at = [&](double later) {
    std::vector<double> moved(y.begin(), y.end());
    for (std::size_t i = 0; i < moved.size(); ++i) { moved[i] += later * ydot[i]; }
    if (system.projection() != nullptr) { system.projection()->project_at(t + later, moved); }
    return singular_values(*constraints, velocities, t + later, moved);
  };
  const Eigen::VectorXd before = values_at(-dt);
  const Eigen::VectorXd now = values_at(0);
  const Eigen::VectorXd after = values_at(dt);
  if (before.size() == 0 || now.size() == 0 || after.size() == 0) { return {}; }
  const Index rank = std::max(rank_of(before), rank_of(after));
  if (rank == 0) { return {}; }
  if (rank_of(now) < rank) { return t; }
  const double slope = (after(rank - 1) - before(rank - 1)) / (2 * dt);
  const double away = -now(rank - 1) / slope;
  if (!(std::fabs(away) < kNear / fastest)) { return {}; }
  return t + away;
}

}  // namespace polhode
