#include "command.h"
#include "numbers.h"
#include "polhode/core/error.h"
#include "polhode/run/compare.h"
#include "progress.h"

#include <fmt/format.h>

#include <memory>

namespace polhode::app {
namespace {

/// What was asked of `polhode compare`.
struct CompareChoice : run::CompareOptions {
  std::string file;
  std::optional<std::string> step_text;
  bool no_report = false;
  bool no_times = false;
};

int compare(const Session& session, CompareChoice choice) {
  if (choice.csv == "-" && session.json) {
    fail(Error("--json and '--csv -' both want standard output; give the table a file name"));
  }
  if (choice.step_text) { choice.step = parse_list("--step", *choice.step_text, 1)[0]; }
  choice.report = !choice.no_report;
  choice.times = !choice.no_times;
  const std::string text = read_file(choice.file);  // once: standard input cannot be read again
  catch_interrupt();
  Progress progress(session, "comparing", "rows", 1);
  choice.keep_going = goes_on;
  choice.on_progress = [&](std::uint64_t done, std::uint64_t total) { progress.set(done, total); };
  choice.warn = [&](const std::string& line) { session.warn(line); };
  const run::Compared compared = run::compare(text, choice.file, session.source(), choice);
  progress.clear();
  if (session.json) {
    write_out(compared.json + '\n');
  } else if (choice.csv == "-") {
    write_out(compared.csv);
  } else {
    write_out(compared.text);
    if (!compared.mechanism) {
      session.suggest(choice.integrators.empty()
                          ? fmt::format("polhode compare {} --integrator dop853,gauss4,rk4 --step 0.001",
                                        session.scenario_arguments(choice.file))
                          : "polhode list integrators");
    }
  }
  if (compared.interrupted) { return interrupted_status(); }
  return compared.off ? kCheckFailed : kDone;
}

}  // namespace

void add_compare(CLI::App& program, Session& session) {
  auto options = std::make_shared<CompareChoice>();
  Command command = add_command(
      program, session, "compare",
      "  polhode compare t-handle.toml                          one motion under every form of the equations\n"
      "  polhode compare top.toml --formulation f5,f12,a1       some of them; a1 is a family\n"
      "  polhode compare top.toml --integrator dop853,rk4 --step 0.001 --csv table.csv",
      "the same scenario under every formulation, and chosen integrators: motion, multiplier, drift, cost",
      [options, &session] { return compare(session, *options); });
  command.add_option("FILE", options->file, "the scenario, TOML (docs/scenario.md)").required();
  command.add_scenario_flags(session);
  command.add_option("--formulation", options->formulations, "forms by name or family, separated by commas (all)")
      .delimiter(',')
      .one_word();
  command.add_option("--integrator", options->integrators, "methods, separated by commas (that of the scenario)")
      .delimiter(',')
      .one_word();
  command.add_option("--step", options->step_text,
                     "fixed step in s for methods that need one where the scenario has none");
  command.add_option("-o,--output", options->folder, "folder for table and page; FILE without ending + .compare");
  command.add_option("--csv", options->csv, "the table as CSV to this file ('-': standard output)");
  command.add_option("--threads", options->threads, "how many; the numbers do not depend on it");
  command.add_flag("--overwrite", options->overwrite, "also over files in the folder that are not of a comparison");
  command.add_flag("--no-report", options->no_report, "no page, and no folder");
  command.add_flag("--no-times", options->no_times, "leave out what the clock says: the same text every time");
}

}  // namespace polhode::app
