#pragma once

#include "polhode/core/system.h"
#include "polhode/multibody/model.h"

#include <memory>
#include <span>

namespace polhode {

/// C of a model with zeros: six entries a body of each row.
SparseRows<double> empty_constraint_rows(const Model& model);

/// The equations of motion and constraints of a mechanism differentiated element by element (MEC-43): the derivative of
/// a force reaches the bodies that it acts on and looks at. A law that may look at everything has a full row. `turns`
/// and the model must outlive it.
std::unique_ptr<LinearisedConstraints<double>> linearised_mechanism(const Model& model, std::span<const double> turns);

}  // namespace polhode
