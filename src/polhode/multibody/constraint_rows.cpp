#include "polhode/multibody/constraint_rows.h"

#include "polhode/core/index.h"

#include <cmath>

namespace polhode {
namespace {

/// The value without whole turns.
double wrapped(double value, double period) {
  return period > 0 ? value - period * std::nearbyint(value / period) : value;
}

}  // namespace

void constraint_rows(const Model& model, double t, std::span<const double> y, std::vector<ConstraintRow>& rows) {
  rows.clear();
  const auto add = [&](Closure::Type type, std::size_t index) -> ConstraintRow& {
    rows.emplace_back();
    rows.back().type = type;
    rows.back().index = static_cast<int>(index);
    return rows.back();
  };
  const auto put = [&](ConstraintRow& to, std::size_t side, BodyId first, BodyId second, const Row& row,
                       double factor) {
    to.bodies[side] = first;
    to.bodies[side + 1] = second;
    to.sides[side] = factor * row.first;
    to.sides[side + 1] = factor * row.second;
    to.value += factor * row.value;
    to.gamma += factor * row.gamma;
    to.rate += factor * row.rate;
  };
  const auto put_coordinate = [&](ConstraintRow& to, std::size_t side, int joint, Coordinate coordinate,
                                  double factor) {
    const JointDescription& j = model.joints()[at(joint)];
    const auto [first, second] = model.ends(y, joint);
    put(to, side, j.first, j.second, coordinate_row(coordinate, first, second), factor);
  };
  std::array<Row, kMostRows> parts;
  for (std::size_t j = 0; j < model.joint_count(); ++j) {
    const JointDescription& joint = model.joints()[j];
    const auto [first, second] = model.ends(y, static_cast<int>(j));
    const std::size_t n = joint_rows(*joint.kind, joint.parameter, first, second, parts);
    for (std::size_t r = 0; r < n; ++r) {
      put(add(Closure::Type::joint, j), 0, joint.first, joint.second, parts[r], 1);
    }
  }
  for (std::size_t c = 0; c < model.couplings().size(); ++c) {
    const Coupling& coupling = model.couplings()[c];
    ConstraintRow& row = add(Closure::Type::coupling, c);
    put_coordinate(row, 0, coupling.first_joint, coupling.first_coordinate, coupling.first_factor);
    put_coordinate(row, 2, coupling.second_joint, coupling.second_coordinate, coupling.second_factor);
    row.value = wrapped(row.value - coupling.constant, period_of(coupling));
  }
  for (std::size_t d = 0; d < model.drivers().size(); ++d) {
    const Driver& driver = model.drivers()[d];
    ConstraintRow& row = add(Closure::Type::driver, d);
    put_coordinate(row, 0, driver.joint, driver.coordinate, 1);
    const std::array<double, 3> law = driver.law(t);
    row.value = wrapped(row.value - law[0], is_angle(driver.coordinate) ? 2 * math::kPi<double> : 0);
    row.on_positions = !driver.of_rate;
    row.rate = law[1];
    row.gamma += law[2];
  }
  for (std::size_t k = 0; k < model.rollings().size(); ++k) {
    const Rolling& rolling = model.rollings()[k];
    const std::array<Row, 3> of_wheel = rolling_rows(rolling, model.rolling_end(y, rolling));
    for (std::size_t r = 0; r < 3; ++r) {
      ConstraintRow& row = add(Closure::Type::rolling, k);
      put(row, 0, kGround, rolling.body, of_wheel[r], 1);
      row.on_positions = r == 2;
    }
  }
  for (std::size_t k = 0; k < model.blades().size(); ++k) {
    const Blade& blade = model.blades()[k];
    ConstraintRow& row = add(Closure::Type::blade, k);
    put(row, 0, kGround, blade.body, blade_row(model.blade_end(y, blade)), 1);
    row.on_positions = false;
  }
  for (std::size_t k = 0; k < model.velocity_constraints().size(); ++k) {
    const VelocityConstraint& constraint = model.velocity_constraints()[k];
    ConstraintRow& row = add(Closure::Type::velocity, k);
    put(row, 0, constraint.first, constraint.second, model.velocity_row(t, y, constraint), 1);
    row.on_positions = false;
  }
}

std::string element_of(const Model& model, const ConstraintRow& row) {
  switch (row.type) {
    case Closure::Type::joint:
      return "joint '" + model.joints()[at(row.index)].name + "'";
    case Closure::Type::coupling:
      return "coupling '" + model.couplings()[at(row.index)].name + "'";
    case Closure::Type::driver:
      return "driver '" + model.drivers()[at(row.index)].name + "'";
    case Closure::Type::rolling:
      return "rolling '" + model.rollings()[at(row.index)].name + "'";
    case Closure::Type::blade:
      return "blade '" + model.blades()[at(row.index)].name + "'";
    case Closure::Type::velocity:
      return "constraint '" + model.velocity_constraints()[at(row.index)].name + "'";
  }
  return {};
}

}  // namespace polhode
