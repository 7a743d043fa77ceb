#pragma once

#include "polhode/body/outline.h"
#include "polhode/catalog/kept.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/catalog/mesh_shelf.h"
#include "polhode/catalog/representations.h"
#include "polhode/catalog/scenario.h"
#include "polhode/core/error.h"
#include "polhode/scenario/review.h"

#include <optional>
#include <set>

/// What one body and mechanisms make of a scenario in common. Every Number has its value here.
namespace polhode::catalog {

using scenario::Desk;

/// What the instances of a scenario have in common: read, parsed and hashed once.
struct CompiledParts {
  CompiledParts(const polhode::Scenario& scenario, ScenarioHead scenario_head, MeshLocations locations,
                force::Laws scenario_laws);

  scenario::Review mistakes;  ///< of formulas of parameters; every instance begins with them
  scenario::Blueprint blueprint;
  ScenarioHead head;
  force::Laws laws;
  MeshFiles meshes;
  BodyNames body_names;
  /// Formulas of the state by their texts, behind what their names depend on.
  Kept<formula::Tape> tapes;
  /// Of mechanisms, by the numbers of copies.
  Kept<std::shared_ptr<const MechanismNames>, 16> mechanism_names;
};

/// One body or a mechanism for some values of the parameters. What is wrong is noted.
OneBodyScenario body_of(const std::shared_ptr<const CompiledParts>& parts, const ParameterValues& values,
                        scenario::Review& review);
MechanismScenario mechanism_of(const std::shared_ptr<const CompiledParts>& parts, const ParameterValues& values,
                               scenario::Review& review);

/// A key, and whether it is given.
using GivenKey = std::pair<std::string_view, bool>;
/// Exactly one of `keys` must be given; which one, or "".
std::string one_of(Desk& desk, const std::vector<GivenKey>& keys, std::string_view thing);

/// Letters, digits, _ and -, a letter first: names become names of columns.
bool is_name(std::string_view text);
/// Notes a name that cannot be one, or that another element has.
void take_name(Desk& desk, const std::string& name, std::set<std::string>& taken);

/// The number, if it is above 0; a problem noted and the fallback otherwise.
double positive(Desk& desk, std::string_view key, const std::optional<Number>& number, double fallback);
/// The number, if it is not below 0; a problem noted and 0 otherwise.
double not_negative(Desk& desk, std::string_view key, const Number& number);

/// An angle under `key` in radians, or under `key`_deg in degrees; one must be given.
double angle_of(Desk& desk, std::string_view key, const std::optional<Number>& radians,
                const std::optional<Number>& degrees);

/// An attitude in one of its ways; none: the identity. `representation` and `values` tell which numbers it was.
EulerParameters<double> attitude_of(Desk& desk, const scenario::Attitude& attitude,
                                    RepresentationPtr* representation = nullptr, std::vector<double>* values = nullptr);
/// An angular velocity as a scenario gives it.
struct GivenRate {
  std::string key;        ///< "w_body_deg"; "euler" where rates of Euler angles stand beside the angles
  Vec3<double> w{};       ///< rad/s
  bool in_space = false;  ///< components of w
  double unit = 1;        ///< of the numbers under the key, rad/s
};
/// The rate that belongs to an attitude; one must be given.
GivenRate rate_of(Desk& desk, const scenario::Rate& rate, const scenario::Attitude& attitude,
                  const EulerParameters<double>& e_NB, const RepresentationPtr& representation,
                  const std::vector<double>& values);
/// Whether there is one.
bool has_rate(const scenario::Rate& rate, const scenario::Attitude& attitude);

/// Mass and inertia by moments, matrix, shape or parts, and how they look. `others`: keys of the table that are not
/// about inertia.
MassProperties mass_properties_of(Desk& desk, const scenario::Inertia& inertia, std::vector<Outline>& outlines,
                                  MeshShelf& meshes);

/// How a body looks, where a scenario says it apart from its inertia: the shapes weigh nothing.
std::vector<Outline> outlines_of(Desk& desk, const std::vector<scenario::Part>& parts, MeshShelf& meshes);

/// title, epoch, [aem].
void check_head(Desk& root, const polhode::Scenario& scenario, ScenarioHead& head);
/// [run], but for what only one body or only mechanisms have.
void plan_run(Desk& desk, const scenario::Run& run, simulation::Plan& plan);

/// [output], but for its points.
void plan_output(Desk& desk, const scenario::Output& output, const std::optional<scenario::Run>& run,
                 simulation::Plan& plan);
/// Notes columns, groups and times that the run cannot have.
void check_output(Desk& desk, const simulation::Plan& plan, std::span<const simulation::OfferedColumn> offered);

/// Notes more events than allowed: none is to be looked at then.
bool too_many_events(Desk& root, const polhode::Scenario& scenario);
/// Name and direction of an event.
void plan_event_head(Desk& desk, const scenario::Event& event, simulation::EventHead& head);
/// Momentum of the wheels at constant speed in a body, relative to it; `body`: "" where it is alone.
Vec3<double> constant_wheels_B(const polhode::Scenario& scenario, std::string_view body);
/// Notes an energy sink in a body with wheels whose speed changes: it does not know their momentum.
void check_sink(Desk& desk, const polhode::Scenario& scenario, const force::EnergySink& sink);
/// Why a parameter cannot change during a run; `consequence` ends the sentence. Nothing where it can.
std::optional<Problem> why_fixed(const scenario::Blueprint& blueprint, std::string_view parameter,
                                 std::string_view consequence);
/// Action "set": new values of parameters, by their index. Notes what cannot be set.
std::vector<std::pair<std::size_t, double>> changes_of(Desk& desk, const scenario::Event& event,
                                                       const scenario::Blueprint& blueprint);

}  // namespace polhode::catalog
