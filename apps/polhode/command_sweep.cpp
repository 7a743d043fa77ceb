#include "command.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/run/sweep_folder.h"
#include "progress.h"

#include <fmt/format.h>

#include <memory>

namespace polhode::app {
namespace {

struct SweepChoice : run::SweepFolderOptions {
  std::string file;
  bool no_report = false;
};

/// The command that goes on with what `again` began.
std::string resumed(std::string again, const SweepChoice& choice) {
  if (!choice.columns.empty()) { again += " --columns " + in_shell(fmt::format("{}", fmt::join(choice.columns, ","))); }
  if (choice.formats != run::SweepFolderOptions{}.formats) {
    again += fmt::format(" --format {}", fmt::join(choice.formats, ","));
  }
  if (!choice.csv.empty()) { again += " --csv " + in_shell(choice.csv); }
  if (!choice.folder.empty()) { again += " -o " + in_shell(choice.folder); }
  return again + (choice.certify ? " --certify" : "") + " --resume";
}

int sweep(const Session& session, SweepChoice choice) {
  if (choice.csv == "-" && session.json) {
    fail(Error("--json and '--csv -' both want standard output; give the table a file name"));
  }
  if (choice.over.empty()) {
    fail(Error(Problem{.what = "nothing to sweep over",
                       .allowed = "wanted: --over NAME=FROM:TO:COUNT, once or more",
                       .cure = "NAME is one of [parameters] of the scenario"}));
  }
  choice.report = !choice.no_report;
  choice.json = session.json;
  choice.standard_output = stdout;
  const std::string text = read_file(choice.file);
  catch_interrupt();
  Progress progress(session, "sweeping", "runs", 1);
  choice.keep_going = goes_on;
  choice.say = [&](const std::string& line) { session.say(line); };
  choice.on_progress = [&](std::uint64_t done, std::uint64_t total) { progress.set(done, total); };
  const run::Swept swept = run::sweep_into_folder(text, choice.file, session.source(), choice);
  progress.clear();
  if (session.json) {
    write_out(swept.json + '\n');
  } else if (choice.csv == "-") {
    if (swept.interrupted) {
      session.warn(fmt::format("interrupted after {} of {}", swept.rows, counted(swept.points, "point")));
    }
  } else {
    write_out(swept.text);
    std::string again = "polhode sweep " + session.scenario_arguments(choice.file);
    for (const std::string& one : choice.over) { again += " --over " + in_shell(one); }
    if (swept.interrupted && choice.report) {
      session.suggest(resumed(again, choice));
    } else if (!choice.certify) {
      session.suggest(again + " --certify");
    }
  }
  if (swept.interrupted) { return interrupted_status(); }
  return swept.good ? kDone : kCheckFailed;
}

}  // namespace

void add_sweep(CLI::App& program, Session& session) {
  auto choice = std::make_shared<SweepChoice>();
  Command command = add_command(
      program, session, "sweep",
      "  polhode sweep top.toml --over spin=100:400:7            a table and a page of plots, a run a value\n"
      "  polhode sweep top.toml --over spin=1:1e3:13:log --over tilt_deg=10:60:6 --certify\n"
      "  polhode sweep arm.toml --over k=0:5:100 --columns elbow.turn_rad,kinetic_J --csv -\n"
      "  polhode sweep arm.toml --over k=0:5:100 --resume        go on after an interruption",
      "a grid over parameters of a scenario: finals, extremes and events of every run, plots over each other",
      [choice, &session] { return sweep(session, *choice); });
  command.add_option("FILE", choice->file, "the scenario, TOML (docs/scenario.md)").required();
  command.add_scenario_flags(session);
  command
      .add_option("--over", choice->over, "a parameter and its values: NAME=FROM:TO:COUNT, or ...:log; may be repeated")
      .one_word();
  command
      .add_option("--columns", choice->columns,
                  "columns of the runs, separated by commas (rates, or joint coordinates)")
      .delimiter(',')
      .one_word();
  command.add_flag("--certify", choice->certify, "a certificate for every run");
  command.add_option("-o,--output", choice->folder, "folder for table and page; FILE without ending + .sweep");
  command.add_option("--csv", choice->csv, "the table as CSV to this file ('-': standard output)");
  command.add_option("--format", choice->formats, "formats of the table in the folder: csv, hdf5; separated by commas")
      .delimiter(',')
      .one_word();
  command.add_option("--threads", choice->threads, "how many; the numbers do not depend on it");
  command.add_flag("--resume", choice->resume, "go on with the rows that an interrupted sweep left in the folder");
  command.add_flag("--overwrite", choice->overwrite,
                   "discard what is in the folder: an unfinished sweep, files of the same names");
  command.add_flag("--no-report", choice->no_report, "no page, and no folder");
}

}  // namespace polhode::app
