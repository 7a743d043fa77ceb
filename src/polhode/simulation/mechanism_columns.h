#pragma once

#include "polhode/multibody/dynamics.h"
#include "polhode/multibody/euler_forms.h"
#include "polhode/simulation/output.h"

#include <span>
#include <string>
#include <vector>

/// What a row of a mechanism's run can hold.
namespace polhode::simulation {

/// What further columns of a mechanism are made of, after evaluate() at the state.
struct MechanismNow {
  const Model& model;
  double t;
  std::span<const double> y;
  std::span<const double> turns;
  const Scratch& scratch;

  MechanismView view() const { return {model, t, y, turns}; }
};

/// The columns of a row of a mechanism's run that are there by default.
std::vector<Column> mechanism_columns(const Model& model);

/// All the others: rates, accelerations, turns, forces, contacts, multipliers, and points.
std::vector<ColumnGroup<MechanismNow>> further_columns(const Model& model, const std::vector<TrackedPoint>& points,
                                                       JointJacobian jacobian);

/// "hinge.turn_unwrapped_rad": of an angle with its whole turns.
std::string unwrapped_column(const std::string& joint, Coordinate coordinate);

/// The second derivative of what a joint reports, after evaluate() at the state: rad/s², m/s².
double coordinate_acceleration(const Model& model, std::span<const double> y, const Scratch& scratch, int joint,
                               Coordinate coordinate);

}  // namespace polhode::simulation
