#include "command.h"
#include "numbers.h"
#include "polhode/catalog/urdf.h"
#include "polhode/core/counted.h"
#include "polhode/core/refuse.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace polhode::app {
namespace {

struct ImportChoice {
  std::string input;
  std::string output;
  std::vector<std::string> packages;
  bool floating = false;
  bool no_meshes = false;
  bool allow_outside = false;
  bool allow_impossible_inertia = false;
  std::optional<std::string> stop_stiffness;
  bool force = false;
};

/// ROBOT.toml in the folder where we are.
std::string default_output(const std::string& input) {
  return input == "-" ? "-" : std::filesystem::path(input).stem().string() + ".toml";
}

int import_robot(const Session& session, const ImportChoice& choice) {
  const std::string output = choice.output.empty() ? default_output(choice.input) : choice.output;
  if (session.json && output == "-") {
    refuse("with --json standard output holds the summary", "give the scenario a file: -o FILE");
  }
  std::error_code none;
  if (choice.output.empty() && output != "-" && !choice.force && std::filesystem::exists(output, none)) {
    fail(Error(Problem{.what = fmt::format("'{}' is already there", output),
                       .allowed = {},
                       .cure = "choose another name with -o, or write over it with --force"}));
  }
  catalog::UrdfReading how;
  how.packages = choice.packages;
  how.scenario_folder = output == "-" ? "" : std::filesystem::path(output).parent_path().string();
  how.floating = choice.floating;
  how.meshes = !choice.no_meshes;
  how.allow_outside = choice.allow_outside;
  how.allow_impossible_inertia = choice.allow_impossible_inertia;
  if (choice.stop_stiffness) {
    how.stop_stiffness = parse_list("--stop-stiffness", *choice.stop_stiffness, 1)[0];
    if (*how.stop_stiffness < 0) { refuse("--stop-stiffness is below 0", "0 leaves out the stops"); }
  }
  const std::string text = read_file(choice.input);
  const std::string name = choice.input == "-" ? "stdin" : choice.input;
  const catalog::ImportedRobot robot = catalog::read_urdf(text, name, how);
  write_file(output, catalog::to_toml(robot, std::filesystem::path(name).filename().string()));
  if (session.json) {
    write_out(catalog::to_json(robot, choice.input, output) + '\n');
    return kDone;
  }
  for (const catalog::RobotNote& note : robot.notes) {
    session.say(fmt::format("{}: {}{}", to_text(note.kind), note.text,
                            note.line > 0 ? fmt::format(" (line {})", note.line) : ""));
  }
  session.say(fmt::format("{} of robot '{}' written to {}: {}, {}", counted(robot.links, "link"), robot.name,
                          output == "-" ? "standard output" : output,
                          counted(robot.scenario.bodies.size(), "body", "bodies"),
                          counted(robot.scenario.joints.size(), "joint")));
  if (output != "-") {
    session.suggest("polhode check " + in_shell(output) + (choice.allow_outside ? " --allow-outside" : ""));
  }
  return kDone;
}

}  // namespace

void add_import(CLI::App& program, Session& session) {
  auto choice = std::make_shared<ImportChoice>();
  Command command =
      add_command(program, session, "import",
                  "  polhode import robot.urdf -o robot.toml           a robot that ground holds\n"
                  "  polhode import robot.urdf --floating              one that is free\n"
                  "  polhode import robot.urdf --package-path ~/models meshes named package://NAME/...\n"
                  "  polhode convert robot.toml --to urdf -o back.urdf the way back",
                  "a scenario from a robot in URDF", [choice, &session] { return import_robot(session, *choice); });
  command.footer(
      "What of the robot is left out, changed or had to be chosen is told, and stands in the scenario's first "
      "comment;\n"
      "see docs/urdf.md.\n");
  command.add_option("ROBOT", choice->input, "the robot, URDF; - is standard input").required();
  command.add_option("-o,--output", choice->output, "the scenario to write; ROBOT.toml if not given, - for stdout")
      .type_name("FILE");
  command
      .add_option("--package-path", choice->packages,
                  "a folder in which package://NAME/... is looked for; may be repeated")
      .one_word()
      .type_name("FOLDER");
  command.add_flag("--floating", choice->floating, "the root link is free; otherwise ground holds it");
  command.add_flag("--no-meshes", choice->no_meshes, "look for no meshes");
  command
      .add_option("--stop-stiffness", choice->stop_stiffness,
                  "of all stops, N m/rad or N/m; 0: no stops (by the joints' efforts if not given)")
      .type_name("NUMBER");
  command.add_flag("--allow-impossible-inertia", choice->allow_impossible_inertia,
                   "let inertias through that no body has");
  command.add_flag("--allow-outside", choice->allow_outside,
                   "meshes may lie outside the folders of the robot, its packages and the scenario");
  command.add_flag("--force", choice->force, "write over a file that is there, where no -o names it");
}

}  // namespace polhode::app
