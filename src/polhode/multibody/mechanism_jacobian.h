#pragma once

#include "polhode/core/system.h"

#include <memory>
#include <span>

namespace polhode {

class Model;

/// ∂f/∂y of a mechanism of index 1: products along directions by the factors of the elimination (MEC-40), solutions by
/// the sparse equations of motion (MEC-45). `turns`, the model and the constraints must outlive it.
std::unique_ptr<Linearisation<double>> mechanism_linearisation(const Model& model,
                                                               const Constraints<double>& constraints,
                                                               std::span<const double> turns, double baumgarte_rate);

}  // namespace polhode
