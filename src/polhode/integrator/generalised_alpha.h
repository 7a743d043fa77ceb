#pragma once

#include "polhode/integrator/integrator.h"

#include <cstdint>

namespace polhode {

/// The generalised-α method with spectral radius rho_inf in [0, 1] at infinite frequency: 1 keeps them all, 0 removes
/// them in one step. "generalised-alpha" of the list has 0.9. Instantiated for double and long double.
template <class S>
std::shared_ptr<const Integrator<S>> generalised_alpha(const S& rho_inf);

/// Which constraints hold at the end of each step.
enum class ConstrainedIndex : std::uint8_t {
  three,  ///< Φ = 0
  two     ///< Φ = 0 and C v = rate, with a second set of multipliers [GearLeimkuhlerGupta1985]
};

struct ConstrainedAlphaOptions {
  ConstrainedIndex index = ConstrainedIndex::two;
  /// Spectral radius at infinite frequency, in [0, 1): 0 removes in one step what is too fast for the step.
  double rho_inf = 0.7;
  /// Newton's method ends when a position changes by less, relative to the typical length, and is open by less.
  double tolerance = 1e-11;
  int most_iterations = 25;
};

/// The generalised-α method for stiff systems with constraints: "generalised-alpha-index2" and "-index3" of the list
/// have these options.
std::shared_ptr<const Integrator<double>> constrained_alpha(const ConstrainedAlphaOptions& options);

}  // namespace polhode
