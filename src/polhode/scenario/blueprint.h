#pragma once

#include "polhode/formula/function.h"
#include "polhode/scenario/review.h"

#include <map>
#include <unordered_map>

namespace polhode::scenario {

/// The names of a scenario's parameters and definitions, for its formulas. Parameter i has the id i; states, for those
/// who add them, have ids from state_id() on.
class Names : public formula::Scope {
 public:
  explicit Names(const Scenario& scenario);

  std::size_t parameter_count() const { return parameters_.size(); }
  std::uint32_t state_id() const { return static_cast<std::uint32_t>(parameters_.size()); }

  std::optional<formula::Input> find(std::string_view name) const override;
  const std::string* definition(std::string_view name) const override;
  std::vector<std::string_view> names() const override;
  /// Of numbers: names of time and state have a meaning in formulas of what acts alone.
  std::string why_unknown(std::string_view name) const override;
  std::string how_to_declare(std::string_view name) const override;

 private:
  std::vector<std::string> elements_;  ///< bodies and joints, as formulas begin their names: "rod_"
  std::vector<std::string> order_;
  std::unordered_map<std::string, std::uint32_t> parameters_;
  std::map<std::string, std::string, std::less<>> definitions_;
};

/// A scenario whose numbers have been compiled: a function of its parameters.
///
///   Review review;
///   const Blueprint blueprint(scenario, review);             // notes what is wrong in formulas
///   const Scenario now = blueprint.at(values, review);       // every Number has its value
///
/// Constant once made: any number of threads may ask it.
class Blueprint {
 public:
  Blueprint(Scenario scenario, Review& review);

  const Scenario& scenario() const { return scenario_; }
  const Names& names() const { return names_; }

  /// Values of all parameters, those that are formulas of others computed. `given` takes the place of what the scenario
  /// says.
  std::vector<double> parameters(const Named<double>& given, Review& review) const;
  /// Values of all parameters where some have changed during a run: those that are formulas of others follow, but for
  /// the ones that were given as numbers. Fails where one comes out infinite or NaN.
  std::vector<double> after_change(std::span<const double> values, const Named<double>& given) const;
  /// The parameters that are formulas of this one, directly or through others.
  std::vector<std::string> made_of(std::string_view parameter) const;
  /// The scenario for these values of the parameters. Notes numbers that come out infinite or NaN.
  Scenario at(std::span<const double> parameters, Review& review) const;
  /// The first number, by its path, that depends on a parameter and cannot change during a run: those outside of what
  /// acts, and axis, momentum, inertia and initial speed of wheels. Nothing where there is none.
  std::optional<Path> shaped_by(std::string_view parameter) const;

 private:
  struct Slot {
    std::size_t number;  ///< among all numbers of the scenario, in the order of its keys
    std::size_t output;  ///< of the tape
  };

  /// Formulas of the parameters, `given` ones being numbers; mistakes are noted.
  formula::Tape parameter_tape(const Named<double>& given, Desk& desk) const;

  Scenario scenario_;
  Names names_;
  formula::Tape tape_;
  std::vector<Slot> slots_;
  std::optional<formula::Tape> parameter_tape_;  ///< as the scenario has them; nothing where one has a mistake
};

}  // namespace polhode::scenario
