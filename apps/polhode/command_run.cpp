#include "command.h"
#include "polhode/catalog/scenario.h"
#include "polhode/core/error.h"
#include "polhode/core/sha256.h"
#include "polhode/core/version.h"
#include "polhode/io/result.h"
#include "polhode/motion/free_motion.h"
#include "polhode/simulation/certificate.h"
#include "progress.h"
#include "run_report.h"
#include "run_scenario.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

namespace polhode::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using catalog::Scenario;
using simulation::AttitudeRow;
using simulation::Certificate;
using simulation::Outcome;
using simulation::Simulation;

struct Choice {
  std::string file;
  std::string folder;
  std::vector<std::string> formats{"csv"};
  bool certify = false;
  bool resume = false;
  bool no_report = false;
  bool svg = false;
  bool silent = false;  ///< no summary
};

/// Attitudes that the certificate looks at: no more than this, spread evenly over the rows.
constexpr std::uint64_t kLookedAt = 1000;

/// What is gathered along a run besides the log.
struct Gathered {
  std::vector<AttitudeRow> attitudes;
  std::vector<std::vector<double>> event_times;  ///< one list an event
};

io::ResultHead head_of(const Scenario& scenario, const Simulation& simulation) {
  io::ResultHead head;
  head.title = scenario.title;
  head.scenario_file = fs::path(scenario.file).filename().string();
  head.scenario_text = scenario.text;
  head.scenario_sha256 = sha256(scenario.text);
  head.version = std::string(version());
  head.formulation = scenario.plan.formulation;
  head.integrator = scenario.plan.integrator;
  head.portable = integrator<double>(scenario.plan.integrator).description().portable &&
                  simulation.system().form().description().portable;
  head.epoch = scenario.epoch;
  head.message = scenario.message;
  head.columns = simulation.columns();
  for (const simulation::PlannedEvent& event : scenario.plan.events) { head.events.push_back(event.name); }
  head.bodies.push_back({.name = "body",
                         .mass = scenario.mass_properties.mass,
                         .reference_B = scenario.reference_B,
                         .held = scenario.held,
                         .J_B = scenario.plan.body.J_B,
                         .outlines = scenario.outlines});
  return head;
}

/// The last checkpoint of a log and where it ends.
struct Replay {
  std::optional<simulation::Snapshot> snapshot;
  std::uint64_t size = 0;
};
/// Goes through a log from its start and gathers what a run from its last checkpoint does not give out again.
Replay replay(const std::string& path, const io::ResultHead& head, std::uint64_t every, Gathered& gathered) {
  io::LogReader log(path);
  const io::ResultHead old = io::head_from_json(log.header_json(), path);
  if (old.scenario_sha256 != head.scenario_sha256 || old.version != head.version) {
    fail(Error(Problem{
        .what = fmt::format("{} is the log of another {}", path, old.version != head.version ? "version" : "scenario"),
        .allowed = {},
        .cure = "run without --resume to start anew"}));
  }
  Replay result;
  Gathered seen;
  seen.event_times.resize(head.events.size());
  std::uint64_t row_number = 0;
  while (const std::optional<io::LogReader::Frame> frame = log.next()) {
    if (frame->kind == io::FrameKind::rows) {
      io::each_row(frame->content, head.columns.size(), [&](std::span<const double> row) {
        if (row_number++ % every == 0) { seen.attitudes.push_back({row[0], {row[1], {row[2], row[3], row[4]}}}); }
      });
    } else if (frame->kind == io::FrameKind::event) {
      const simulation::Happening h = io::read_event(frame->content);
      if (h.event < seen.event_times.size()) { seen.event_times[h.event].push_back(h.t); }
    } else if (frame->kind == io::FrameKind::checkpoint) {
      result.snapshot = io::read_checkpoint(frame->content);
      result.size = frame->end_at;
      gathered = seen;
    }
  }
  return result;
}

Json to_json(const Certificate& certificate) {
  Json json;
  json["verdict"] = simulation::to_text(certificate.verdict);
  json["reason"] = certificate.reason;
  json["accuracy_asked_rad"] = certificate.accuracy;
  json["attitude_error_rad"] = certificate.attitude_error ? number_or_null(*certificate.attitude_error) : Json(nullptr);
  json["error_found_by"] = certificate.method;
  if (certificate.declared_order) { json["declared_order"] = *certificate.declared_order; }
  if (certificate.observed_order) { json["observed_order"] = number_or_null(*certificate.observed_order); }
  for (const simulation::Evidence& one : certificate.evidence) {
    json["evidence"].push_back({{"name", one.name},
                                {"value", number_or_null(one.value)},
                                {"allowed", one.bound},
                                {"holds", one.holds()},
                                {"meaning", one.meaning}});
  }
  json["notes"] = certificate.notes;
  return json;
}

std::string to_text(const Certificate& certificate) {
  std::string text = fmt::format("certificate: {}: {}\n", simulation::to_text(certificate.verdict), certificate.reason);
  if (certificate.attitude_error) {
    text += fmt::format("  attitude error      {:.3g} rad, by {}; asked for {:g} rad\n", *certificate.attitude_error,
                        certificate.method, certificate.accuracy);
  }
  if (certificate.observed_order) {
    text += fmt::format("  order               {:.2f} observed, {} declared\n", *certificate.observed_order,
                        certificate.declared_order.value_or(0));
  }
  for (const simulation::Evidence& one : certificate.evidence) {
    text += fmt::format("  {:<19} {:.3g}, allowed {:g}: {}\n", one.name, one.value, one.bound, one.meaning);
  }
  for (const std::string& note : certificate.notes) { text += "  note: " + note + "\n"; }
  return text;
}

/// "12 times, every 5.033 s"
std::string how_often(const std::vector<double>& times) {
  if (times.empty()) { return "never"; }
  if (times.size() == 1) { return fmt::format("once, at {:.6g} s", times[0]); }
  return fmt::format("{} times, the first at {:.6g} s, every {:.6g} s on average", times.size(), times[0],
                     (times.back() - times[0]) / static_cast<double>(times.size() - 1));
}

Json vector_json(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

/// The half period of the free body's rate: from one flip to the next.
std::optional<double> theory_of_flips(const Scenario& scenario) {
  if (!scenario.plan.body.load.empty() || scenario.plan.body.inertia_law) { return {}; }
  const FreeMotion<double> motion(scenario.plan.body.J_B, scenario.plan.start.e_NB, scenario.plan.start.w_B);
  const bool flips = motion.branch() == FreeBranch::about_largest || motion.branch() == FreeBranch::about_smallest;
  if (!flips || !std::isfinite(motion.period())) { return {}; }
  return motion.period() / 2;
}

class RunCommand {
 public:
  RunCommand(const Session& session, const Choice& choice)
      : session_(session),
        choice_(choice),
        scenario_(catalog::read_scenario(read_file(choice.file), choice.file)),
        simulation_(scenario_.plan),
        head_(head_of(scenario_, simulation_)) {
    for (const std::string& format : choice.formats) {
      if (const auto check = io::result_writer(format).check) { check(head_); }
    }
    folder_ = choice.folder.empty() ? fs::path(choice.file).stem().string() + ".run" : choice.folder;
    log_ = (fs::path(folder_) / "run.plog").string();
    every_ = std::max<std::uint64_t>(1, simulation_.rows() / kLookedAt);
  }

  int operator()() {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) { fail(Error(fmt::format("cannot make the folder '{}': {}", folder_, error.message()))); }
    for (const io::ResultWriter* writer : io::result_writers()) {
      remove_left_over((fs::path(folder_) / writer->file_name).string());
    }
    catch_interrupt();
    const Outcome outcome = simulate();
    if (outcome.ending == simulation::Ending::interrupted) {
      session_.say(fmt::format("Stopped at t = {:.6g} s of {:g} s; {} rows are in {}.", outcome.t,
                               scenario_.plan.duration, outcome.rows, log_));
      session_.suggest(fmt::format("polhode run {} --resume{}", choice_.file,
                                   choice_.folder.empty() ? "" : " -o " + choice_.folder));
      return interrupted_status();
    }
    Certificate certificate = simulation::certificate_of(scenario_.plan, outcome);
    if (choice_.certify) {
      if (!choice_.silent) { session_.say("Certifying ..."); }
      simulation::certify(certificate, scenario_.plan, gathered_.attitudes, [] { return !interrupted(); });
      if (interrupted()) { return interrupted_status(); }
    }
    const std::vector<std::string> files = write_files(outcome, certificate);
    if (!choice_.silent) { show(outcome, certificate, files); }
    const bool ended =
        outcome.ending == simulation::Ending::done || outcome.ending == simulation::Ending::stopped_by_event;
    return ended && certificate.verdict != simulation::Verdict::no ? kDone : kCheckFailed;
  }

 private:
  Outcome simulate() {
    gathered_.event_times.resize(head_.events.size());
    Replay old;
    if (fs::exists(log_) && choice_.resume) { old = replay(log_, head_, every_, gathered_); }
    io::LogWriter log =
        old.snapshot ? io::LogWriter::go_on_at(log_, old.size) : io::LogWriter::create(log_, io::to_json(head_));
    Progress progress(session_, "running", "rows", simulation_.rows());
    std::uint64_t rows = old.snapshot ? old.snapshot->rows : 0;
    log.keep_going = [] { return !interrupted(); };
    log.on_row = [&](std::span<const double> row) {
      if (rows++ % every_ == 0) { gathered_.attitudes.push_back({row[0], {row[1], {row[2], row[3], row[4]}}}); }
      progress.set(rows);
    };
    log.on_event = [&](const simulation::Happening& h) { gathered_.event_times[h.event].push_back(h.t); };
    Outcome outcome = old.snapshot ? simulation_.resume(*old.snapshot, log) : simulation_.run(log);
    progress.clear();
    if (outcome.ending == simulation::Ending::interrupted) {
      log.flush();
    } else {
      log.end(end_json(outcome).dump());
    }
    return outcome;
  }

  Json end_json(const Outcome& outcome) const {
    return {{"ending", simulation::to_text(outcome.ending)},
            {"message", outcome.message},
            {"t_s", outcome.t},
            {"rows", outcome.rows}};
  }

  std::vector<std::string> write_files(const Outcome& outcome, const Certificate& certificate) const {
    std::vector<std::string> files;
    bool page = !choice_.no_report;
    for (const std::string& format : choice_.formats) {
      if (format == "html") {  // the report is that page, and says more
        page = true;
        continue;
      }
      const io::ResultWriter& writer = io::result_writer(format);
      const std::string path = (fs::path(folder_) / writer.file_name).string();
      OutputFile file(path);
      writer.write([&] { return io::open_result(log_); },
                   {[&](std::string_view text) { file.write(text); }, file.writing_to()});
      file.commit();
      files.push_back(path);
    }
    const std::string path = (fs::path(folder_) / "certificate.json").string();
    write_file(path, to_json(certificate).dump(2) + '\n');
    files.push_back(path);
    if (page || choice_.svg) {
      io::ResultHead head = head_;
      head.certificate_json = to_json(certificate).dump();
      report::RunStory story{&head, &scenario_.plan, &outcome, &certificate, angles_to_draw(scenario_)};
      for (std::size_t i = 0; i < head.events.size(); ++i) {
        story.events.emplace_back(head.events[i], how_often(gathered_.event_times[i]));
      }
      if (const std::optional<double> flips = theory_of_flips(scenario_)) {
        story.more.emplace_back("half period of the exact motion", fmt::format("{:.6g} s", *flips));
      }
      const std::vector<std::string> more = write_run_report(folder_, log_, story, page, choice_.svg);
      files.insert(files.end(), more.begin(), more.end());
    }
    return files;
  }

  void show(const Outcome& outcome, const Certificate& certificate, const std::vector<std::string>& files) const {
    const std::optional<double> flips = theory_of_flips(scenario_);
    if (session_.json) {
      Json json;
      json["title"] = scenario_.title;
      json["scenario_sha256"] = head_.scenario_sha256;
      json["formulation"] = head_.formulation;
      json["integrator"] = head_.integrator;
      json["portable"] = head_.portable;
      json["end"] = end_json(outcome);
      json["final"] = {
          {"e", {outcome.state.e_NB.e0, outcome.state.e_NB.ev.x, outcome.state.e_NB.ev.y, outcome.state.e_NB.ev.z}},
          {"w_body_rad_s", vector_json(outcome.state.w_B)}};
      json["steps"] = outcome.statistics.steps;
      json["rejected"] = outcome.statistics.rejected;
      json["evaluations"] = outcome.statistics.evaluations;
      json["chart_switches"] = outcome.statistics.chart_switches;
      json["events"] = Json::object();
      for (std::size_t i = 0; i < head_.events.size(); ++i) {
        json["events"][head_.events[i]] = gathered_.event_times[i];
      }
      if (flips) { json["half_period_of_exact_motion_s"] = *flips; }
      json["certificate"] = to_json(certificate);
      json["files"] = files;
      write_json(json);
      return;
    }
    std::string text = scenario_.title + "\n";
    text +=
        fmt::format("{} with {}: {} at t = {:g} s, {} rows, {} steps ({} rejected), {} evaluations\n",
                    head_.formulation, head_.integrator, simulation::to_text(outcome.ending), outcome.t, outcome.rows,
                    outcome.statistics.steps, outcome.statistics.rejected, outcome.statistics.evaluations);
    if (!outcome.message.empty()) { text += outcome.message + "\n"; }
    if (outcome.statistics.chart_switches > 0) {
      text += fmt::format("charts were switched {} times\n", outcome.statistics.chart_switches);
    }
    const EulerParameters<double>& e = outcome.state.e_NB;
    const Vec3<double>& w = outcome.state.w_B;
    text += fmt::format("final attitude        {:.9f} {:.9f} {:.9f} {:.9f}  (scalar first, body to space)\n", e.e0,
                        e.ev.x, e.ev.y, e.ev.z);
    text += fmt::format("final rate            {:.9g} {:.9g} {:.9g} rad/s  (body)\n", w.x, w.y, w.z);
    for (std::size_t i = 0; i < head_.events.size(); ++i) {
      text += fmt::format("event '{}': {}\n", head_.events[i], how_often(gathered_.event_times[i]));
    }
    if (flips) { text += fmt::format("half period of the exact motion: {:.6g} s\n", *flips); }
    text += to_text(certificate);
    text += "files: " + log_;
    for (const std::string& file : files) { text += ", " + file; }
    write_out(text + "\n");
    session_.suggest(choice_.certify ? fmt::format("polhode compare {}", choice_.file)
                                     : fmt::format("polhode run {} --certify", choice_.file));
  }

  const Session& session_;
  const Choice& choice_;
  Scenario scenario_;
  Simulation simulation_;
  io::ResultHead head_;
  std::string folder_;
  std::string log_;
  std::uint64_t every_ = 1;
  Gathered gathered_;
};

}  // namespace

int run_scenario(const Session& session, const std::string& file, const std::string& folder) {
  Choice choice;
  choice.file = file;
  choice.folder = folder;
  choice.formats.clear();
  choice.certify = true;
  choice.silent = true;
  Session quiet = session;
  quiet.quiet = true;
  return RunCommand(quiet, choice)();
}

void add_run(CLI::App& program, Session& session) {
  auto choice = std::make_shared<Choice>();
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
  command.add_option("--format", choice->formats, known).delimiter(',');
  command.add_flag("--certify", choice->certify, "find the attitude error: by the exact motion, or by finer steps");
  command.add_flag("--resume", choice->resume, "go on from the last checkpoint of an interrupted run");
  command.add_flag("--no-report", choice->no_report, "no report.html");
  command.add_flag("--svg", choice->svg, "each plot of the report as a file of its own too");
}

}  // namespace polhode::app
