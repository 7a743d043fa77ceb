#include "command.h"
#include "polhode/analysis/solve.h"
#include "polhode/core/error.h"

#include <fmt/format.h>

#include <memory>

namespace polhode::app {
namespace {

struct SolveChoice : analysis::SolveOptions {
  std::string file;
};

int solve(const Session& session, SolveChoice choice) {
  const int outputs = static_cast<int>(session.json) + static_cast<int>(choice.csv == "-") +
                      static_cast<int>(choice.svg == "-") + static_cast<int>(choice.write == "-");
  if (outputs > 1) { fail(Error("--json, '--csv -', '--svg -' and '--write -' all want standard output; choose one")); }
  choice.json = session.json;
  choice.standard_output = stdout;
  const std::string text = read_file(choice.file);
  catch_interrupt();
  choice.keep_going = goes_on;
  const analysis::Solved solved = analysis::solve(text, choice.file, session.source(), choice);
  if (session.json) {
    write_out(solved.json + '\n');
  } else if (outputs == 0) {
    write_out(solved.text);
  }
  if (solved.interrupted && interrupted()) { return interrupted_status(); }
  return solved.good ? kDone : kCheckFailed;
}

}  // namespace

void add_solve(CLI::App& program, Session& session) {
  auto choice = std::make_shared<SolveChoice>();
  Command command = add_command(
      program, session, "solve",
      "  polhode solve truss.toml statics                         where it comes to rest, and what its joints bear\n"
      "  polhode solve truss.toml statics --over load=0:40:9      that over a parameter, around folds\n"
      "  polhode solve four-bar.toml kinematics --csv motion.csv  positions, velocities, accelerations, dead points\n"
      "  polhode solve arm.toml inverse --along 'elbow.turn=0.5*sin(2*t)' --svg torques.svg",
      "statics, kinematics or inverse dynamics of a mechanism (docs/solve.md)",
      [choice, &session] { return solve(session, *choice); });
  command.add_option("FILE", choice->file, "the scenario, TOML (docs/scenario.md)").required();
  command.add_option("WHAT", choice->what, "statics, kinematics or inverse").required();
  command.add_scenario_flags(session);
  command.add_flag("--nearest", choice->nearest, "statics: the nearest equilibrium, stable or not");
  command.add_option("--over", choice->over, "statics: equilibria along a parameter, NAME=FROM:TO:COUNT").one_word();
  command.add_option("--write", choice->write, "statics: the scenario with the equilibrium as its start, to this file");
  command
      .add_option("--along", choice->along,
                  "kinematics, inverse: JOINT.COORDINATE=FORMULA of t and parameters, a wanted motion; may be repeated")
      .one_word();
  command.add_option("--table", choice->table, "kinematics, inverse: a CSV file of wanted motion, t and coordinates");
  command.add_option("--times", choice->times,
                     "kinematics, inverse: rows at FROM:TO:COUNT, s; those of [run] if not given");
  command.add_option("--csv", choice->csv, "the table as CSV to this file ('-': standard output)");
  command.add_option("--svg", choice->svg, "a plot to this file");
}

}  // namespace polhode::app
