#pragma once

#include "polhode/multibody/euler_forms.h"
#include "polhode/simulation/mechanism.h"
#include "polhode/simulation/simulation.h"

#include <functional>
#include <optional>

/// A mechanism under the forms with Euler parameters, against Newton-Euler velocities, at states along its run.
namespace polhode::comparison {

/// A difference up to this is rounding of dense solutions.
inline constexpr double kFormsAgree = 1e-8;

struct FormRow {
  std::string form;                ///< "f5"
  bool raw = false;                ///< joints through ∂Φ/∂e, not through ω'
  double acceleration = 0;         ///< largest difference of accelerations, relative to what they are made of
  std::optional<double> reaction;  ///< of the joints' multipliers, in the same way; none where no joint's is determined
  double multiplier_least = 0;     ///< of the norms of all bodies
  double multiplier_most = 0;
  double multiplier_off = 0;  ///< largest difference from norm_multipliers_by_rule, in the same way

  /// Within kFormsAgree, at one state at least.
  bool agrees() const;
};

/// What was found at the states that were looked at.
struct FormComparison {
  std::vector<FormRow> rows;
  std::size_t states = 0;
  simulation::RunEnd end;  ///< of the run that they belong to

  bool reached_end() const;
  std::size_t count_off() const;
  /// Every row agrees, and the run that they were held against reached its end.
  bool all_agree() const { return reached_end() && count_off() == 0; }
};

/// Runs the plan and looks at about so many states along it, spread evenly: every row where there are fewer. Raw
/// Jacobians only where there are joints only.
FormComparison compare_mechanism_forms(const simulation::MechanismPlan& given, std::size_t states,
                                       std::span<const EulerForm> forms = euler_forms(),
                                       const std::function<bool()>& keep_going = {});

}  // namespace polhode::comparison
