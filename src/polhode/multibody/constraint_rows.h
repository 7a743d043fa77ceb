#pragma once

#include "polhode/multibody/model.h"

#include <vector>

/// All constraints of a mechanism as one list of rows, for solvers that take them as they stand.
namespace polhode {

struct ListedRow : ConstraintRow<double> {
  ConstraintId id;
  std::array<BodyId, kMostSides> bodies{kGround, kGround, kGround, kGround};
  bool on_positions = true;  ///< false: of velocities alone
};

/// In the order of Model::constraints(). How many there are does not change with the state.
void constraint_rows(const Model& model, double t, std::span<const double> y, std::vector<ListedRow>& rows);

}  // namespace polhode
