#pragma once

#include "polhode/multibody/dynamics.h"

#include <memory>
#include <string>

/// Steps for stiff mechanisms: conditions on places (and velocities) are solved for at the end of each step, and stiff
/// springs and dampers with them. Dense matrices: for mechanisms of up to some hundred bodies. Labels (MEC-n):
/// docs/theory/mechanisms.md.
namespace polhode {

/// What holds at the end of each step.
enum class StiffIndex : std::uint8_t {
  three,  ///< Φ = 0
  two     ///< Φ = 0 and C v = rate, with a second set of multipliers [GearLeimkuhlerGupta1985]
};

struct StiffOptions {
  StiffIndex index = StiffIndex::two;
  /// Spectral radius at infinite frequency, in [0, 1): 0 removes in one step what a step cannot see.
  double rho_infinity = 0.7;
  /// Newton's method ends when a place changes by less, relative to Model::length(), and is open by less.
  double tolerance = 1e-11;
  int most_iterations = 25;
};

/// How a step ended.
struct StiffReport {
  bool converged = false;
  int iterations = 0;
  int factorisations = 0;
  double residual = 0;  ///< m: what conditions are still open by, angles times Model::length()
  std::string trouble;  ///< where it did not converge: time, element and residual
};

/// The generalised-α method on the group of places and attitudes, for index 3 and stabilised index 2
/// [BrulsCardonaArnold2012; ArnoldBrulsCardona2015]. Second order, for constant steps.
///
///   x₁ = x₀ · exp(h Δ),   Δ = v₀ + (½ − β) h a₀ + β h a₁   (− M⁻¹ Cᵀ η/h, index 2)      (MEC-34)
///   v₁ = v₀ + (1 − γ) h a₀ + γ h a₁
///   (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀
///   M v̇₁ + Cᵀ λ = f(x₁, v₁),   Φ(x₁) = 0   (and C v₁ = rate, index 2)
///
/// v holds ω' and the velocity of the mass centre; v̇ is the acceleration, a a helper of the method. Rows that repeat
/// each other are allowed. Conditions on velocities alone stand as C v₁ = 0 with index 3 too.
class StiffStepper {
 public:
  StiffStepper(const Model& model, const StiffOptions& options = {});
  ~StiffStepper();
  StiffStepper(const StiffStepper&) = delete;
  StiffStepper& operator=(const StiffStepper&) = delete;

  /// From a consistent state (project() makes it one); accelerations by evaluate().
  void start(double t, std::span<const double> y);
  /// One step. If it did not converge, the state is the one before.
  StiffReport step(double dt);

  double t() const;
  std::span<const double> y() const;
  /// Multipliers of all conditions, in the order of condition_rows().
  std::span<const double> lambda() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace polhode
