#include "polhode/catalog/varied.h"

#include "polhode/core/error.h"

#include <fmt/format.h>

#include <cmath>

namespace polhode::catalog {

std::shared_ptr<simulation::Plan> plan_of(const CompiledScenario& scenario, const ParameterValues& values) {
  if (scenario.scenario().is_mechanism()) {
    return std::make_shared<simulation::MechanismPlan>(scenario.mechanism(values).plan);
  }
  return std::make_shared<simulation::OneBodyPlan>(scenario.one_body(values).plan);
}

double value_of_parameter(const CompiledScenario& scenario, const simulation::Plan& plan,
                          const std::string& parameter) {
  std::vector<std::string_view> known;
  for (const auto& [name, number] : scenario.scenario().parameters) {
    if (name == parameter) { return plan.parameters[known.size()]; }
    known.push_back(name);
  }
  fail(Error(unknown_name("parameter", parameter, known)));
}

simulation::SensitivityDirection direction_along(const CompiledScenario& scenario, const std::string& name, double unit,
                                                 double least, const ValuesAlong& values, simulation::Stencil stencil,
                                                 const EditPlan& edit) {
  simulation::SensitivityDirection direction{name, unit, {}};
  for (;; direction.unit /= 10) {
    try {
      for (const double at : stencil.at) {
        std::shared_ptr<simulation::Plan> plan = plan_of(scenario, values(at * direction.unit));
        if (edit) { edit(*plan); }
        direction.plans.push_back(std::move(plan));
      }
      return direction;
    } catch (const Error& error) {
      direction.plans.clear();
      if (direction.unit > 1e-3 * least) { continue; }
      fail(Error(Problem{.what = fmt::format("'{}' has no derivative: its neighbours cannot be ({})", name,
                                             error.problems().front().what),
                         .allowed = {},
                         .cure = "choose a value that may become a little larger and a little smaller"}));
    }
  }
}

std::shared_ptr<simulation::SensitivityPlan> sensitivity_plan(const CompiledScenario& scenario,
                                                              const ParameterValues& values,
                                                              const std::vector<std::string>& parameters) {
  const std::shared_ptr<const simulation::Plan> plan = plan_of(scenario, values);
  std::vector<simulation::SensitivityDirection> directions;
  for (const std::string& parameter : parameters) {
    const double value = value_of_parameter(scenario, *plan, parameter);
    const auto along = [&](double by) {
      ParameterValues there = values;
      there[parameter] = value + by;
      return there;
    };
    const double unit = value != 0 ? std::fabs(value) : 1;  // relative, or of 1
    const double least = value != 0 ? unit : 1e-9;
    directions.push_back(direction_along(scenario, parameter, unit, least, along, simulation::fine_stencil()));
  }
  return std::make_shared<simulation::SensitivityPlan>(plan, std::move(directions));
}

}  // namespace polhode::catalog
