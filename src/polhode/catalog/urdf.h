#pragma once

#include "polhode/catalog/scenario.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Robots in URDF, to scenarios of mechanisms and back: docs/urdf.md says what becomes of what.
namespace polhode::catalog {

/// Something that a user of a robot should know: what was left out, came over changed, or had to be chosen.
struct RobotNote {
  enum class Kind { left_out, changed, chosen };
  Kind kind = Kind::left_out;
  std::string text;
  int line = 0;  ///< of the file that was read; 0: of none in particular
};
/// "left out", "changed", "chosen".
std::string_view to_text(RobotNote::Kind kind);
/// By kind, and otherwise as they were.
std::vector<RobotNote> in_order_of_kind(const std::vector<RobotNote>& notes);

/// How a robot is read.
struct UrdfReading {
  std::vector<std::string> packages{};  ///< folders in which package://NAME/... is looked for
  std::string scenario_folder{};        ///< where the scenario will be: it names its meshes from there
  bool floating = false;                ///< the root link is free; otherwise ground holds it
  bool meshes = true;                   ///< false: none is looked for
  bool allow_outside = false;           ///< meshes may lie outside the folders of the robot, its packages, the scenario
  bool allow_impossible_inertia = false;   ///< positive moments are enough, even if no body has them
  std::optional<double> stop_stiffness{};  ///< of all stops, N m/rad or N/m; 0: no stops. None: by the joints' efforts
};

/// A robot, read.
struct ImportedRobot {
  std::string name;
  Scenario scenario;
  std::vector<RobotNote> notes;
  std::string root;        ///< its root link, as the file calls it
  bool root_free = false;  ///< false: ground holds it
  std::size_t links = 0;   ///< in the file
};

/// Larger files are refused.
inline constexpr std::size_t kMostUrdfBytes = std::size_t{4} << 20U;

/// Reads a robot; meshes are found from the folder of `file`. Fails with everything that is wrong, each with its line.
ImportedRobot read_urdf(std::string_view text, const std::string& file, const UrdfReading& how = {});
/// The scenario as a file, with a comment at its head: where it comes from, and what of it was not taken over.
std::string to_toml(const ImportedRobot& robot, const std::string& from);
/// One JSON object.
std::string to_json(const ImportedRobot& robot, const std::string& input, const std::string& output);

/// How a robot is written.
struct UrdfWriting {
  std::string scenario_folder{};  ///< where the scenario is: it names its meshes from there
  std::string urdf_folder{};      ///< where the robot will be
  MeshLocations meshes = MeshLocations::below_scenario;
  ParameterValues parameters{};
};

/// A robot, written.
struct WrittenUrdf {
  std::string text;
  std::vector<RobotNote> notes;
  std::string root;        ///< its root link
  bool root_free = false;  ///< false: it does not move
  std::size_t links = 0;
  std::size_t joints = 0;
};

/// A mechanism as URDF, with the numbers that it has for these values of the parameters. Fails where it is no tree, or
/// has a joint that URDF does not know.
WrittenUrdf to_urdf(const Scenario& scenario, const UrdfWriting& how = {});
/// One JSON object.
std::string to_json(const WrittenUrdf& robot, const std::string& input, const std::string& output);

}  // namespace polhode::catalog
