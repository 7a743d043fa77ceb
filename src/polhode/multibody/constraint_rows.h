#pragma once

#include "polhode/multibody/model.h"

#include <string>
#include <vector>

/// All constraints of a mechanism as one list of rows, for solvers that take them as they stand.
namespace polhode {

struct ConstraintRow {
  Closure::Type type = Closure::Type::joint;
  int index = 0;  ///< of the joint, coupling, ...
  std::array<BodyId, 4> bodies{kGround, kGround, kGround, kGround};
  std::array<Pair, 4> sides{};
  double value = 0;          ///< Φ
  double rate = 0;           ///< prescribed
  double gamma = 0;          ///< C a = gamma
  bool on_positions = true;  ///< false: of velocities alone
};

/// Joints, couplings, drivers, rollings, blades, constraints on velocities, in order. How many there are does not
/// change with the state.
void constraint_rows(const Model& model, double t, std::span<const double> y, std::vector<ConstraintRow>& rows);

/// "joint 'knee'"
std::string element_of(const Model& model, const ConstraintRow& row);

}  // namespace polhode
