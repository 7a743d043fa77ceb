#pragma once

#include "polhode/body/outline.h"
#include "polhode/catalog/mesh_shelf.h"
#include "polhode/catalog/representations.h"
#include "polhode/catalog/scenario.h"
#include "polhode/core/error.h"

#include <optional>

/// Pieces of scenario files that one body and mechanisms have in common.
namespace polhode::catalog {

/// What a library function refuses becomes a problem at `key`.
template <class F>
auto noting(io::TomlTable& table, std::string_view key, const F& f) -> std::optional<decltype(f())> {
  try {
    return f();
  } catch (const Error& error) {
    table.problem(key, error);
    return {};
  }
}

/// Exactly one of `keys` must be there; which one, or "".
std::string one_of(io::TomlTable& table, const std::vector<std::string>& keys, std::string_view thing);

/// Three numbers that must be there; nothing, and a problem noted, where they are not.
std::optional<Vec3<double>> wanted_vector(io::TomlTable& table, std::string_view key);

/// A number above 0, or the fallback.
double positive(io::TomlTable& table, std::string_view key, double fallback);

/// An angle or angles under `key` in radians, or under `key`_deg in degrees.
std::vector<double> angles(io::TomlTable& table, const std::string& key, std::size_t count);

/// An attitude in any of the ways of docs/scenario.md; none: the identity.
EulerParameters<double> read_attitude(io::TomlTable& table, RepresentationPtr* representation = nullptr,
                                      std::vector<double>* values = nullptr);
/// An angular velocity as a file gives it.
struct GivenRate {
  std::string key;        ///< "w_body_deg"; "euler" where rates of Euler angles stand beside the angles
  Vec3<double> w{};       ///< rad/s
  bool in_space = false;  ///< components of w
  double unit = 1;        ///< of the numbers under the key, rad/s
};
/// The rate that belongs to an attitude; one must be given.
GivenRate read_rate(io::TomlTable& table, const EulerParameters<double>& e_NB, const RepresentationPtr& representation,
                    const std::vector<double>& values);
/// Whether there is one.
bool has_rates(io::TomlTable& table);

/// Mass and inertia by moments, matrix, shape or parts, and how they look.
MassProperties read_body(io::TomlTable& table, std::vector<Outline>& outlines, MeshShelf& meshes);

/// title, epoch, [aem].
void read_head(io::TomlTable& root, ScenarioHead& head);
/// [parameters].
void read_parameters(io::TomlTable& root, ParameterSet& parameters);
/// [definitions]: named expressions, for each of the scopes.
void read_definitions(io::TomlTable& root, const std::vector<io::FormulaNames*>& scopes);
/// Notes what is wrong in definitions, used or not; once all names are known.
void check_definitions(io::TomlTable& root, const io::FormulaNames& names);
/// [run], but for what only one body has.
void read_run(io::TomlTable& table, simulation::RunPlan& plan);

/// Tables of events, no more than allowed.
std::vector<io::TomlTable> event_tables(io::TomlTable& root);
/// Name and direction of an event.
void read_event_head(io::TomlTable& table, simulation::EventHead& event);
/// The table of action "set": what makes its changes. Empty where something is wrong with it.
std::function<void()> read_set(io::TomlTable& table, const ParameterSet& parameters);

}  // namespace polhode::catalog
