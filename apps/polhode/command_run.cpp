#include "command.h"
#include "polhode/core/counted.h"
#include "polhode/run/run_folder.h"
#include "progress.h"

#include <fmt/format.h>

#include <memory>

namespace polhode::app {
namespace {

struct RunChoice : run::FolderOptions {
  std::string file;
  bool no_report = false;
  std::vector<std::string> sensitivity;
};

run::Source source_of(const Session& session, const RunChoice& choice) {
  run::Source source = session.source();
  source.sensitivities = choice.sensitivity;
  return source;
}

class RunCommand {
 public:
  RunCommand(const Session& session, const RunChoice& choice)
      : session_(session),
        choice_(choice),
        run_(run::read(read_file(choice.file), choice.file, source_of(session, choice))) {
    choice_.report = !choice.no_report;
  }

  int operator()() {
    catch_interrupt();
    if (choice_.svg && run_->head().is_mechanism()) {
      session_.say("--svg: plots as files are made for one body; see report.html.");
    }
    Progress progress(session_, "running", "rows", run_->simulation().rows());
    choice_.keep_going = goes_on;
    choice_.on_row = [&](std::uint64_t rows, std::uint64_t) { progress.set(rows); };
    choice_.say = [&](const std::string& line) {
      progress.clear();
      session_.say(line);
    };
    const run::Record record = run::run_into_folder(*run_, choice_.file, choice_);
    progress.clear();
    if (record.interrupted() && record.log.empty()) {
      session_.say(fmt::format("Stopped at t = {:.6g} s of {:g} s.", record.end.t, run_->plan().duration));
      return interrupted_status();
    }
    if (record.interrupted()) {
      session_.say(fmt::format("Stopped at t = {:.6g} s of {:g} s; {} {} in {}.", record.end.t, run_->plan().duration,
                               counted(record.end.rows, "row"), record.end.rows == 1 ? "is" : "are", record.log));
      session_.suggest(again() + (choice_.certify ? " --certify" : "") + " --resume");
      return interrupted_status();
    }
    if (session_.json) {
      write_out(run::summary_json(*run_, record) + '\n');
    } else {
      write_out(run::summary_text(*run_, record));
      session_.suggest(next(record));
    }
    if (interrupted()) { return interrupted_status(); }
    return record.done() && record.certificate.verdict != simulation::Verdict::no ? kDone : kCheckFailed;
  }

 private:
  /// The command that leaves the same files in the same folder.
  std::string again() const {
    std::string text = "polhode run " + session_.scenario_arguments(choice_.file);
    if (!choice_.folder.empty()) { text += " -o " + in_shell(choice_.folder); }
    if (choice_.formats != run::FolderOptions{}.formats) {
      text += fmt::format(" --format {}", fmt::join(choice_.formats, ","));
    }
    if (!choice_.report) { text += " --no-report"; }
    if (choice_.svg) { text += " --svg"; }
    if (!choice_.sensitivity.empty()) { text += fmt::format(" --sensitivity {}", fmt::join(choice_.sensitivity, ",")); }
    return text;
  }

  /// What helps where the run was not good, else what there is to see.
  std::string next(const run::Record& record) const {
    const simulation::Plan& plan = run_->plan();
    const std::string run = again();
    const std::string scenario = session_.scenario_arguments(choice_.file);
    std::string look = fmt::format("polhode {} {}", run_->head().is_mechanism() ? "check" : "compare", scenario);
    if (!record.done() && plan.step == 0) { return "polhode check " + scenario; }
    if (!record.done() || record.certificate.verdict == simulation::Verdict::no) {
      const std::string finer = run::finer_run(plan, record.certificate);
      if (finer.empty() && plan.integrator != "dop853") {
        return fmt::format(
            "integrator = \"dop853\" in [run] of {} (it is \"{}\", at its least tolerance), then {} --certify",
            choice_.file, plan.integrator, run);
      }
      if (finer.empty()) { return look; }
      const std::string now =
          plan.step > 0 ? fmt::format("{:g}", plan.step) : fmt::format("{:g}", plan.relative_tolerance);
      return fmt::format("{} in [run] of {} (it is {}), then {} --certify", finer, choice_.file, now, run);
    }
    return choice_.certify ? look : run + " --certify";
  }

  const Session& session_;
  RunChoice choice_;
  std::unique_ptr<run::Run> run_;
};

}  // namespace

void add_run(CLI::App& program, Session& session) {
  auto choice = std::make_shared<RunChoice>();
  Command command =
      add_command(program, session, "run",
                  "  polhode run t-handle.toml                       simulate, results into t-handle.run/\n"
                  "  polhode run top.toml --certify --format csv,json   and find the attitude error\n"
                  "  polhode run t-handle.toml --resume              go on after an interruption",
                  "simulate a scenario: summary, certificate, result files and a report to look at",
                  [choice, &session] { return RunCommand(session, *choice)(); });
  command.add_option("FILE", choice->file, "the scenario, TOML (docs/scenario.md)").required();
  command.add_option("-o,--output", choice->folder, "folder for the results; FILE without ending + .run if not given");
  std::string known = "formats of the results, separated by commas:";
  for (const io::ResultWriter* writer : io::result_writers()) { known += fmt::format(" {}", writer->name); }
  command.add_option("--format", choice->formats, known).delimiter(',').one_word();
  command.add_scenario_flags(session);
  command
      .add_option("--sensitivity", choice->sensitivity,
                  "parameters, separated by commas: columns for the derivatives of every column with respect to them")
      .delimiter(',')
      .one_word();
  command.add_flag("--certify", choice->certify, "find the attitude error: by the exact motion, or by finer steps");
  command.add_flag("--resume", choice->resume, "go on from the last checkpoint of an interrupted run");
  command.add_flag("--overwrite", choice->overwrite,
                   "discard what is in the folder: an unfinished run, files of the same names");
  command.add_flag("--no-report", choice->no_report, "no report.html");
  command.add_flag("--svg", choice->svg, "each plot of the report as a file of its own too");
}

}  // namespace polhode::app
