#pragma once

#include "polhode/catalog/compiled_scenario.h"

namespace polhode::analysis {

/// The same body as a mechanism of one body, "body", with what acts on it: held by a ball joint "pivot" at its fixed
/// point, or at its mass centre where it does not travel. Formulas see what they saw. Its initial state is that of
/// `values`; events and outputs are left out.
Scenario as_mechanism(const catalog::CompiledScenario& one_body, const Named<double>& values);

}  // namespace polhode::analysis
