#pragma once

#include "polhode/body/outline.h"
#include "polhode/catalog/catalog.h"
#include "polhode/io/result.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/scenario/blueprint.h"
#include "polhode/simulation/one_body.h"

#include <string>
#include <string_view>
#include <vector>

namespace polhode::catalog {

/// A file with a mesh that a scenario uses.
struct MeshFacts {
  std::string file;  ///< as the scenario names it
  std::size_t triangles = 0;
  std::size_t drawn = 0;  ///< of these, in pictures
  MassProperties body;    ///< in the axes of the file
};
/// In words.
std::string to_text(const MeshFacts& mesh);

/// What every scenario file says.
struct ScenarioHead {
  std::string file;               ///< as the user named it
  std::string text;               ///< all of it
  std::string sha256;             ///< of the text and, behind it, the bytes of the meshes, each once
  Named<double> set;              ///< values of parameters that took the place of the scenario's
  std::vector<std::string> laws;  ///< names of the laws that act as code
  std::vector<MeshFacts> meshes;
  std::string title;
  std::string epoch;                                         ///< "2026-01-01T00:00:00", UTC, or "" where none is given
  std::vector<std::pair<std::string, std::string>> message;  ///< [aem]: keys of io::kMessageKeys
};

/// A scenario of one body, understood: what to run and how.
struct OneBodyScenario : ScenarioHead {
  std::string sequence;  ///< of the Euler angles that the start is given in, "3-2-1", or ""
  MassProperties mass_properties;
  std::vector<Outline> outlines;  ///< how it looks
  Vec3<double> reference_B{};     ///< the point that the plan's J counts from: mass centre, or fixed point
  bool held = false;              ///< at that point
  io::PicturedScene scene;        ///< up and springs, as its loads say
  /// Loads that do nothing, by kind: their force goes through the mass centre of a body that does not travel.
  std::vector<std::string> idle_loads;
  simulation::OneBodyPlan plan;
};

/// Where the meshes of a scenario may lie: below its folder, links followed, or anywhere that can be read.
enum class MeshLocations { below_scenario, anywhere };

/// Values of parameters that take the place of those in a scenario: --set.
using ParameterValues = Named<double>;

/// Reads a scenario; fails with every mistake in it at once, each with its location. Keys: docs/scenario.md.
OneBodyScenario read_scenario(std::string_view bytes, std::string file,
                              MeshLocations meshes = MeshLocations::below_scenario, const ParameterValues& values = {});
/// The same for a scenario that is there as data; meshes are found from `folder`.
OneBodyScenario understand(const polhode::Scenario& scenario, const ParameterValues& values = {},
                           const std::string& folder = "", const force::Laws& laws = {});
/// Notes a law given as code to whose name nothing is bound; whether there is something.
bool check_code(scenario::Desk& desk, const force::Code& code, const force::Laws& laws);

/// What formulas of one body can see besides parameters and definitions: time, attitude, rates, position.
class BodyNames final : public scenario::Names {
 public:
  explicit BodyNames(const polhode::Scenario& scenario);
  std::optional<formula::Input> find(std::string_view name) const override;
  std::vector<std::string_view> names() const override;

  /// The wheels with motors, in the order in which they act: a wheel without a name is called "wheel1" and so on.
  static std::vector<std::string> wheels(const polhode::Scenario& scenario);
  /// Their speeds, as formulas call them, behind those of meanings(): "NAME_speed", with _ for -.
  const std::vector<std::string>& wheel_speeds() const { return wheel_speeds_; }

  /// The names with what they mean, for documents.
  static const std::vector<std::pair<std::string, std::string>>& meanings();

 private:
  std::vector<std::string> wheel_speeds_;
};

/// Fails with what is wrong in form and meaning, in the order of the file; returns where nothing is.
void settle(const io::ScenarioFile& file, const scenario::Review& review);

}  // namespace polhode::catalog
