#include "polhode/catalog/compiled_scenario.h"

#include "polhode/catalog/scenario_parts.h"

namespace polhode::catalog {

CompiledParts::CompiledParts(const polhode::Scenario& scenario, ScenarioHead scenario_head, MeshLocations locations,
                             force::Laws scenario_laws)
    : blueprint(scenario, mistakes),
      head(std::move(scenario_head)),
      laws(std::move(scenario_laws)),
      meshes(head, locations),
      body_names(scenario) {}

CompiledScenario::CompiledScenario(const polhode::Scenario& scenario, const std::string& folder, force::Laws laws,
                                   MeshLocations locations) {
  ScenarioHead head;
  head.file = folder.empty() ? "" : folder + "/scenario";
  head.text = io::to_toml(scenario);
  parts_ = std::make_shared<const CompiledParts>(scenario, std::move(head), locations, std::move(laws));
}

const polhode::Scenario& CompiledScenario::scenario() const { return parts_->blueprint.scenario(); }

const force::Laws& CompiledScenario::laws() const { return parts_->laws; }

std::vector<std::string> CompiledScenario::inputs() const {
  std::vector<std::string> names;
  for (const auto& [name, number] : scenario().parameters) {
    if (!why_no_input(name)) { names.push_back(name); }
  }
  return names;
}

std::optional<Problem> CompiledScenario::why_no_input(std::string_view parameter) const {
  return why_fixed(parts_->blueprint, parameter, "and cannot change during a run");
}

OneBodyScenario CompiledScenario::one_body(const ParameterValues& values) const {
  scenario::Review review = parts_->mistakes;
  OneBodyScenario made = body_of(parts_, values, review);
  review.fail_if_any();
  return made;
}

MechanismScenario CompiledScenario::mechanism(const ParameterValues& values) const {
  scenario::Review review = parts_->mistakes;
  MechanismScenario made = mechanism_of(parts_, values, review);
  review.fail_if_any();
  return made;
}

OneBodyScenario understand(const polhode::Scenario& scenario, const ParameterValues& values, const std::string& folder,
                           const force::Laws& laws) {
  return CompiledScenario(scenario, folder, laws).one_body(values);
}

MechanismScenario understand_mechanism(const polhode::Scenario& scenario, const ParameterValues& values,
                                       const std::string& folder, const force::Laws& laws) {
  return CompiledScenario(scenario, folder, laws).mechanism(values);
}

}  // namespace polhode::catalog
