#pragma once

#include "polhode/catalog/compiled_scenario.h"
#include "polhode/simulation/sensitivity.h"

#include <functional>

namespace polhode::catalog {

/// The plan of a scenario, of one body or of a mechanism, for these values of its parameters.
std::shared_ptr<simulation::Plan> plan_of(const CompiledScenario& scenario, const ParameterValues& values);

/// Changes a plan that was made, before it is run: its rows, say.
using EditPlan = std::function<void(simulation::Plan&)>;

/// Where a direction leads: values of parameters at p + ε.
using ValuesAlong = std::function<ParameterValues(double by)>;
/// The direction of that name, in steps of `unit`. Where a model cannot have the values on both sides, the unit
/// shrinks. Fails where no neighbour can be.
simulation::SensitivityDirection direction_along(const CompiledScenario& scenario, const std::string& name, double unit,
                                                 double least, const ValuesAlong& values, simulation::Stencil stencil,
                                                 const EditPlan& edit = {});

/// A run of the scenario with the derivatives of its columns with respect to parameters. Fails where one is none, or
/// has no neighbours.
std::shared_ptr<simulation::SensitivityPlan> sensitivity_plan(const CompiledScenario& scenario,
                                                              const ParameterValues& values,
                                                              const std::vector<std::string>& parameters);

/// The value that a parameter of the scenario has in its plan. Fails where there is no such parameter.
double value_of_parameter(const CompiledScenario& scenario, const simulation::Plan& plan, const std::string& parameter);

}  // namespace polhode::catalog
