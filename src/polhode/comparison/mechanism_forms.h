#pragma once

#include "polhode/multibody/euler_forms.h"
#include "polhode/simulation/mechanism.h"

/// A mechanism under the forms with Euler parameters, against Newton-Euler velocities, at states along its run.
namespace polhode::comparison {

struct FormRow {
  std::string form;             ///< "f5"
  bool raw = false;             ///< joints through ∂Φ/∂e, not through ω'
  double acceleration = 0;      ///< largest difference of accelerations, relative to the largest acceleration
  double reaction = 0;          ///< of the determined joints' multipliers, relative to the largest
  double multiplier_least = 0;  ///< of the norms of all bodies
  double multiplier_most = 0;
  double multiplier_off = 0;  ///< largest difference from norm_multipliers_by_rule, relative to 1 + its size
};

/// Runs the plan and looks at `states` states along it, spread evenly. Raw Jacobians only where there are joints only.
std::vector<FormRow> compare_mechanism_forms(const simulation::MechanismPlan& plan, std::size_t states,
                                             std::span<const EulerForm> forms = euler_forms());

/// A difference up to this is rounding of dense solutions.
inline constexpr double kFormsAgree = 1e-8;

}  // namespace polhode::comparison
