#pragma once

#include "polhode/integrator/integrator.h"

namespace polhode {

/// The generalised-α method with spectral radius rho_inf in [0, 1] at infinite frequency: 1 keeps them all, 0 removes
/// them in one step. "generalised-alpha" of the list has 0.9. Instantiated for double and long double.
template <class S>
std::shared_ptr<const Integrator<S>> generalised_alpha(const S& rho_inf);

}  // namespace polhode
