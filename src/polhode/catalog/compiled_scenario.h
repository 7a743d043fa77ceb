#pragma once

#include "polhode/catalog/mechanism_scenario.h"

#include <memory>

namespace polhode::catalog {

struct CompiledParts;

/// A scenario compiled once, made into models often: for sweeps, ensembles and searches.
///
///   const CompiledScenario compiled(scenario);
///   for (const double spin : spins) { ... compiled.one_body({{"spin", spin}}).plan ... }
///
/// Formulas are parsed, meshes read, text and meshes hashed once, when they are first needed; what is left for each set
/// of values is arithmetic. Constant: any number of threads may make models of it at once. Copies share what they have.
/// What an instance is made of are files as they were when they were first read.
class CompiledScenario {
 public:
  /// Meshes are found from `folder`, and lie below it unless `locations` allows more. What is wrong with the scenario
  /// is told by its first instance, all at once.
  explicit CompiledScenario(const polhode::Scenario& scenario, const std::string& folder = "", force::Laws laws = {},
                            MeshLocations locations = MeshLocations::below_scenario);

  const polhode::Scenario& scenario() const;
  const force::Laws& laws() const;

  /// The parameters that may change during a run: those that are numbers and shape nothing but what acts, and events.
  std::vector<std::string> inputs() const;
  /// Why a parameter cannot change during a run; nothing where it can.
  std::optional<Problem> why_no_input(std::string_view parameter) const;

  /// A constant model for these values of the parameters; those not given are what the scenario says. Fails with
  /// everything that is wrong, each at its path.
  OneBodyScenario one_body(const ParameterValues& values = {}) const;
  MechanismScenario mechanism(const ParameterValues& values = {}) const;

 private:
  std::shared_ptr<const CompiledParts> parts_;
};

}  // namespace polhode::catalog
