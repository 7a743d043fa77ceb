#include "command.h"
#include "numbers.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/core/version.h"
#include "polhode/io/output_folder.h"
#include "polhode/io/write_error.h"
#include "polhode/run/peaks.h"
#include "progress.h"
#include "run_scenario.h"
#include "run_subject.h"

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
using simulation::Certificate;
using simulation::RunEnd;

struct RunChoice {
  std::string file;
  std::string folder;
  std::vector<std::string> formats{"csv"};
  bool certify = false;
  bool resume = false;
  bool overwrite = false;
  bool restart = false;  ///< an unfinished run of the same file is begun anew
  bool no_report = false;
  bool svg = false;
  bool silent = false;  ///< no summary
};

/// Rows that the certificate looks at: no more than this, spread evenly over the rows.
constexpr std::uint64_t kLookedAt = 1000;

constexpr const char* kLogName = "run.plog";
constexpr const char* kCertificateName = "certificate.json";

/// What is gathered along a run besides the log.
struct Gathered {
  std::vector<std::vector<double>> samples;      ///< what the certificate looks at
  std::vector<std::vector<double>> event_times;  ///< one list an event
  Peaks peaks;
};

/// A run that leaves no files.
class NoFiles final : public simulation::Sink {
 public:
  std::function<void(std::span<const double>)> on_row;
  std::function<void(const simulation::Happening&)> on_event;

  bool row(std::span<const double> row) override {
    on_row(row);
    return go_on();
  }
  bool event(const simulation::Happening& happening) override {
    on_event(happening);
    return go_on();
  }
  bool go_on() override { return !interrupted(); }
  bool checkpoint(const simulation::Snapshot&) override { return go_on(); }
};

/// The last checkpoint of a log and where it ends.
struct Replay {
  std::optional<simulation::Snapshot> snapshot;
  std::uint64_t size = 0;
};
/// Goes through a log from its start and gathers what a run from its last checkpoint does not give out again.
Replay replay(const std::string& path, const Subject& subject, std::uint64_t every, Gathered& gathered) {
  const io::ResultHead& head = subject.head();
  io::LogReader log(path);
  const io::ResultHead old = io::head_from_json(log.header_json(), path);
  if (old.scenario_sha256 != head.scenario_sha256 || old.version != head.version) {
    fail(Error(Problem{
        .what = fmt::format("{} is the log of another {}", path, old.version != head.version ? "version" : "scenario"),
        .allowed = {},
        .cure = "start anew with --overwrite in place of --resume, or choose another folder with -o"}));
  }
  Replay result;
  Gathered seen;
  seen.event_times.resize(head.events.size());
  seen.peaks = Peaks(head.columns);
  std::uint64_t row_number = 0;
  while (const std::optional<io::LogReader::Frame> frame = log.next()) {
    if (frame->kind == io::FrameKind::rows) {
      io::each_row(frame->content, head.columns.size(), [&](std::span<const double> row) {
        if (row_number++ % every == 0) { seen.samples.push_back(subject.sample(row)); }
        seen.peaks.row(row);
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

/// Names of files may hold bytes that are not UTF-8: they are replaced.
std::string in_utf8(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const Certificate& certificate) {
  Json json;
  json["verdict"] = simulation::to_text(certificate.verdict);
  json["reason"] = certificate.reason;
  json["accuracy_asked_rad"] = certificate.accuracy;
  json["attitude_error_rad"] = certificate.attitude_error ? number_or_null(*certificate.attitude_error) : Json(nullptr);
  if (certificate.place_error) { json["place_error_m"] = number_or_null(*certificate.place_error); }
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
  if (certificate.place_error) { text += fmt::format("  error of places     {:.3g} m\n", *certificate.place_error); }
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

/// Of a file beside a log: says which scenario it belongs to.
Json certificate_file(const Certificate& certificate, const io::ResultHead& head) {
  Json json{
      {"scenario_file", head.scenario_file}, {"scenario_sha256", head.scenario_sha256}, {"version", head.version}};
  json.update(to_json(certificate));
  return json;
}

/// Whether there is more in the log than its header.
bool holds_rows(const std::string& path) {
  std::error_code none;
  if (!fs::exists(path, none)) { return false; }
  io::LogReader log(path);
  while (const std::optional<io::LogReader::Frame> frame = log.next()) {
    if (frame->kind == io::FrameKind::rows) { return true; }
  }
  return false;
}

/// Two digits of x, rounded down: a number to write into a scenario.
double two_digits_below(double x) {
  const double unit = std::pow(10.0, std::floor(std::log10(x)) - 1);
  return std::floor(x / unit * (1 + 1e-12)) * unit;
}

/// What to change after a run whose error is too large, or that broke down: a step or tolerance that is expected to do.
/// `most`: no coarser than this part of what it was. Empty where nothing finer is left.
std::string finer_run(const simulation::RunPlan& plan, const Certificate& certificate, double most) {
  const MethodDescription& method = integrator<double>(plan.integrator).description();
  const double error = certificate.attitude_error.value_or(0);
  const double part = error > 0 ? 0.5 * certificate.accuracy / error : most;
  if (plan.step > 0) {
    const double factor = std::clamp(std::pow(part, 1.0 / std::max(method.order, 1)), 1e-3, most);
    return fmt::format("step = {:.2g}", two_digits_below(factor * plan.step));
  }
  const double tolerance =
      std::max(two_digits_below(std::clamp(part, 1e-4, most) * plan.relative_tolerance), method.least_tolerance);
  return tolerance < plan.relative_tolerance ? fmt::format("tolerance = {:.2g}", tolerance) : "";
}

/// "12 times, every 5.033 s"
std::string how_often(const std::vector<double>& times) {
  if (times.empty()) { return "never"; }
  if (times.size() == 1) { return fmt::format("once, at {:.6g} s", times[0]); }
  if (times.front() == times.back()) { return fmt::format("{} times, all at {:.6g} s", times.size(), times[0]); }
  return fmt::format("{} times, the first at {:.6g} s, every {:.6g} s on average", times.size(), times[0],
                     (times.back() - times[0]) / static_cast<double>(times.size() - 1));
}

class RunCommand {
 public:
  RunCommand(const Session& session, const RunChoice& choice)
      : session_(session),
        choice_(choice),
        subject_(read_subject(choice.file, session.mesh_places())),
        head_(subject_->head()) {
    for (const std::string& format : choice.formats) {
      if (const auto check = io::result_writer(format).check) { check(head_); }
    }
    folder_ = choice.folder.empty() ? fs::path(choice.file).stem().string() + ".run" : choice.folder;
    log_ = (fs::path(folder_) / kLogName).string();
    every_ = std::max<std::uint64_t>(1, subject_->runner().rows() / kLookedAt);
  }

  int operator()() {
    gathered_.event_times.resize(head_.events.size());
    gathered_.peaks = Peaks(head_.columns);
    if (!subject_->plan().output.files) { return run_without_files(); }
    io::OutputFolder folder(folder_);
    const Replay old = prepare(folder);
    catch_interrupt();
    if (choice_.svg && head_.is_mechanism()) {
      session_.say("--svg: plots as files are made for one body; see report.html.");
    }
    for (const std::string& remark : subject_->remarks()) { session_.say(remark); }
    const RunEnd& outcome = simulate(folder, old);
    if (outcome.ending == simulation::Ending::interrupted) {
      session_.say(fmt::format("Stopped at t = {:.6g} s of {:g} s; {} {} in {}.", outcome.t, subject_->plan().duration,
                               counted(outcome.rows, "row"), outcome.rows == 1 ? "is" : "are", log_));
      session_.suggest(again() + (choice_.certify ? " --certify" : "") + " --resume");
      return interrupted_status();
    }
    const Certificate certificate = certified();
    std::vector<std::string> files = write_files(folder, certificate, outcome);
    folder.finish();
    files.insert(files.begin(), log_);
    if (!choice_.silent) { show(outcome, certificate, files); }
    return status_of(outcome, certificate);
  }

 private:
  /// [output] says files = false.
  int run_without_files() {
    if (choice_.resume) { fail(Error("--resume needs files, and the scenario says files = false in [output]")); }
    catch_interrupt();
    for (const std::string& remark : subject_->remarks()) { session_.say(remark); }
    Progress progress(session_, "running", "rows", subject_->runner().rows());
    std::uint64_t rows = 0;
    NoFiles sink;
    sink.on_row = [&](std::span<const double> row) {
      take(row, rows++);
      progress.set(rows);
    };
    sink.on_event = [&](const simulation::Happening& h) { gathered_.event_times[h.event].push_back(h.t); };
    const RunEnd& outcome = subject_->run(sink, nullptr);
    progress.clear();
    const Certificate certificate = certified();
    if (!choice_.silent) { show(outcome, certificate, {}); }
    return status_of(outcome, certificate);
  }

  /// A row of the run.
  void take(std::span<const double> row, std::uint64_t number) {
    if (number % every_ == 0) { gathered_.samples.push_back(subject_->sample(row)); }
    gathered_.peaks.row(row);
  }

  /// Of the run that has ended, with the error measured if that was asked for.
  Certificate certified() const {
    Certificate certificate = subject_->certificate();
    if (!choice_.certify || interrupted()) { return certificate; }
    if (!choice_.silent) { session_.say("Certifying ..."); }
    try {
      subject_->certify(certificate, gathered_.samples, [] { return !interrupted(); });
    } catch (const Error& problem) {  // the results are there, whatever a finer run meets
      certificate.notes.push_back(fmt::format("the error could not be measured: {}", problem.what()));
    }
    if (interrupted()) { certificate.notes.emplace_back("certifying was interrupted"); }
    return certificate;
  }

  static int status_of(const RunEnd& outcome, const Certificate& certificate) {
    const bool ended =
        outcome.ending == simulation::Ending::done || outcome.ending == simulation::Ending::stopped_by_event;
    if (interrupted()) { return interrupted_status(); }
    return ended && certificate.verdict != simulation::Verdict::no ? kDone : kCheckFailed;
  }

  /// Settles what becomes of what is in the folder; returns what of it the run goes on from.
  Replay prepare(io::OutputFolder& folder) {
    const io::FolderOrigin origin{"run", head_.version, io::way_to(choice_.file, folder_), head_.scenario_sha256};
    const auto& last = folder.last();
    if (choice_.resume && choice_.overwrite) {
      fail(Error("--resume goes on with what is in the folder and --overwrite discards it; give one of them"));
    }
    Replay old;
    std::error_code none;
    if (choice_.resume && fs::exists(log_, none)) { old = replay(log_, *subject_, every_, gathered_); }
    const bool asked = choice_.resume || choice_.overwrite;
    const bool same = last && last->origin.scenario == origin.scenario;
    const bool changed = same && last->origin.scenario_sha256 != origin.scenario_sha256;
    if (last && !last->finished && !asked && !(choice_.restart && same) && holds_rows(log_)) {
      fail(Error(
          Problem{.what = fmt::format("'{}' holds a run{} that did not come to its end{}", folder_,
                                      same ? "" : fmt::format(" of '{}'", last->origin.scenario),
                                      changed ? ", and the scenario has changed since" : ""),
                  .allowed = {},
                  .cure = fmt::format("go on with it by --resume{}, choose another folder with -o, or discard it with "
                                      "--overwrite",
                                      changed ? " and the scenario as it was"
                                      : same  ? ""
                                              : " and its own scenario")}));
    }
    io::OutputFolder::Start start{.origin = origin,
                                  .names = {kLogName, kCertificateName},
                                  .kept = old.snapshot ? kLogName : "",
                                  .same_scenario = choice_.folder.empty(),
                                  .overwrite = choice_.overwrite};
    for (const io::ResultWriter* writer : io::result_writers()) { start.names.emplace_back(writer->file_name); }
    for (std::string& name : choice_.svg ? subject_->svg_names() : std::vector<std::string>{}) {
      start.names.push_back(std::move(name));
    }
    folder.start(start);
    return old;
  }

  const RunEnd& simulate(io::OutputFolder& folder, const Replay& old) {
    if (!old.snapshot) { folder.add_growing(kLogName); }
    io::LogWriter log =
        old.snapshot ? io::LogWriter::go_on_at(log_, old.size) : io::LogWriter::create(log_, io::to_json(head_));
    Progress progress(session_, "running", "rows", subject_->runner().rows());
    std::uint64_t rows = old.snapshot ? old.snapshot->rows : 0;
    log.keep_going = [] { return !interrupted(); };
    log.on_row = [&](std::span<const double> row) {
      take(row, rows++);
      progress.set(rows);
    };
    log.on_event = [&](const simulation::Happening& h) { gathered_.event_times[h.event].push_back(h.t); };
    const RunEnd& outcome = subject_->run(log, old.snapshot ? &*old.snapshot : nullptr);
    progress.clear();
    if (outcome.ending == simulation::Ending::interrupted) {
      log.flush();
    } else {
      log.end(in_utf8(end_json(outcome)));
    }
    return outcome;
  }

  static Json end_json(const RunEnd& outcome) {
    return {{"ending", simulation::to_text(outcome.ending)},
            {"message", outcome.message},
            {"t_s", outcome.t},
            {"rows", outcome.rows}};
  }

  /// Fails where a file does not hold the rows that the run gave out.
  void require_rows(const std::string& path, std::uint64_t found, const RunEnd& outcome) const {
    if (found == outcome.rows) { return; }
    throw io::WriteError(
        Problem{.what = fmt::format("{} holds {}, and the run gave out {}", path, counted(found, "row"), outcome.rows),
                .allowed = {},
                .cure = "something else has written to the folder; run again with --overwrite"});
  }

  std::vector<std::string> write_files(io::OutputFolder& folder, const Certificate& certificate,
                                       const RunEnd& outcome) const {
    std::vector<std::string> files;
    bool page = !choice_.no_report;
    for (const std::string& format : choice_.formats) {
      if (format == "html") {  // the report is that page, and says more
        page = true;
        continue;
      }
      const io::ResultWriter& writer = io::result_writer(format);
      const std::string name(writer.file_name);
      files.push_back(folder.path_of(name));
      write_into(folder, name, [&](OutputFile& file) {
        const std::uint64_t rows = writer.write([&] { return io::open_result(log_); },
                                                {[&](std::string_view text) { file.write(text); }, file.writing_to()});
        require_rows(files.back(), rows, outcome);
      });
    }
    // a table holds as many rows as the log that it is made from
    if (files.empty()) { require_rows(log_, io::rows_in_log(log_, head_.columns.size()), outcome); }
    files.push_back(folder.path_of(kCertificateName));
    write_into(folder, kCertificateName, in_utf8(certificate_file(certificate, head_), 2) + '\n');
    if (page || choice_.svg) {
      ReportParts parts{.folder = &folder,
                        .log = log_,
                        .head = head_,
                        .certificate = &certificate,
                        .events = {},
                        .page = page,
                        .svg = choice_.svg};
      parts.head.certificate_json = in_utf8(to_json(certificate));
      for (std::size_t i = 0; i < head_.events.size(); ++i) {
        parts.events.emplace_back(head_.events[i], how_often(gathered_.event_times[i]));
      }
      const std::vector<std::string> more = subject_->write_report(parts);
      files.insert(files.end(), more.begin(), more.end());
    }
    return files;
  }

  void show(const RunEnd& outcome, const Certificate& certificate, const std::vector<std::string>& files) const {
    if (session_.json) {
      Json json;
      json["title"] = head_.title;
      json["scenario_sha256"] = head_.scenario_sha256;
      json["formulation"] = head_.formulation;
      json["integrator"] = head_.integrator;
      json["portable"] = head_.portable;
      json["end"] = end_json(outcome);
      subject_->add_final(json);
      for (const catalog::MeshFacts& mesh : subject_->meshes()) {
        const Vec3<double>& centre = mesh.body.center_B;
        json["meshes"].push_back({{"file", mesh.file},
                                  {"triangles", mesh.triangles},
                                  {"triangles_drawn", mesh.drawn},
                                  {"mass_kg", mesh.body.mass},
                                  {"mass_centre_m", {centre.x, centre.y, centre.z}}});
      }
      json["steps"] = outcome.statistics.steps;
      json["rejected"] = outcome.statistics.rejected;
      json["evaluations"] = outcome.statistics.evaluations;
      json["chart_switches"] = outcome.statistics.chart_switches;
      json["events"] = Json::object();
      for (std::size_t i = 0; i < head_.events.size(); ++i) {
        json["events"][head_.events[i]] = gathered_.event_times[i];
      }
      json["peaks"] = Json::parse(polhode::to_json(gathered_.peaks));
      json["certificate"] = to_json(certificate);
      json["files"] = Json::array();
      for (const std::string& file : files) { json["files"].push_back(file); }
      write_json(json);
      return;
    }
    std::string text = head_.title + "\n";
    text += fmt::format("{} with {}: {} at t = {:g} s, {}, {} ({} rejected), {}\n", head_.formulation, head_.integrator,
                        simulation::to_text(outcome.ending), outcome.t, counted(outcome.rows, "row"),
                        counted(outcome.statistics.steps, "step"), outcome.statistics.rejected,
                        counted(outcome.statistics.evaluations, "evaluation"));
    if (!outcome.message.empty()) { text += outcome.message + "\n"; }
    if (outcome.statistics.chart_switches > 0) {
      text += fmt::format("charts were switched {}\n", counted(outcome.statistics.chart_switches, "time"));
    }
    text += subject_->final_text();
    for (std::size_t i = 0; i < head_.events.size(); ++i) {
      text += fmt::format("event '{}': {}\n", head_.events[i], how_often(gathered_.event_times[i]));
    }
    for (const catalog::MeshFacts& mesh : subject_->meshes()) {
      text += fmt::format("mesh {}: {}\n", mesh.file, catalog::to_text(mesh));
    }
    for (const auto& [what, value] : subject_->facts()) { text += fmt::format("{}: {}\n", what, value); }
    for (const auto& [what, value] : gathered_.peaks.in_words()) { text += fmt::format("{}: {}\n", what, value); }
    text += to_text(certificate);
    text += fmt::format("files: {}\n", files.empty() ? "none" : fmt::format("{}", fmt::join(files, ", ")));
    write_out(text);
    session_.suggest(next(outcome, certificate));
  }

  /// The command that leaves the same files in the same folder.
  std::string again() const {
    std::string text = "polhode run " + session_.scenario_arguments(choice_.file);
    if (!choice_.folder.empty()) { text += " -o " + in_shell(choice_.folder); }
    if (choice_.formats != RunChoice{}.formats) {
      text += fmt::format(" --format {}", fmt::join(choice_.formats, ","));
    }
    if (choice_.no_report) { text += " --no-report"; }
    if (choice_.svg) { text += " --svg"; }
    return text;
  }

  /// What helps where the run was not good, else what there is to see.
  std::string next(const RunEnd& outcome, const Certificate& certificate) const {
    using simulation::Ending;
    const simulation::RunPlan& plan = subject_->plan();
    const std::string run = again();
    const std::string scenario = session_.scenario_arguments(choice_.file);
    std::string look = fmt::format("polhode {} {}", head_.is_mechanism() ? "check" : "compare", scenario);
    const bool ended = outcome.ending == Ending::done || outcome.ending == Ending::stopped_by_event;
    if (!ended && plan.step == 0) { return "polhode check " + scenario; }
    if (!ended || certificate.verdict == simulation::Verdict::no) {
      const std::string finer = finer_run(plan, certificate, plan.step > 0 ? 0.5 : 0.1);
      if (finer.empty()) { return look; }
      const std::string now =
          plan.step > 0 ? fmt::format("{:g}", plan.step) : fmt::format("{:g}", plan.relative_tolerance);
      return fmt::format("{} in [run] of {} (it is {}), then {} --certify", finer, choice_.file, now, run);
    }
    return choice_.certify ? look : run + " --certify";
  }

  const Session& session_;
  const RunChoice& choice_;
  std::unique_ptr<Subject> subject_;
  const io::ResultHead& head_;
  std::string folder_;
  std::string log_;
  std::uint64_t every_ = 1;
  Gathered gathered_;
};

}  // namespace

void fill_head(const catalog::ScenarioHead& scenario, const simulation::RunPlan& plan, io::ResultHead& head) {
  head.title = scenario.title;
  head.scenario_file = fs::path(scenario.file).filename().string();
  head.scenario_text = scenario.text;
  head.scenario_sha256 = scenario.sha256;
  head.version = std::string(version());
  head.integrator = plan.integrator;
  head.portable = integrator<double>(plan.integrator).description().portable;
  head.epoch = scenario.epoch;
  head.message = scenario.message;
}

std::unique_ptr<Subject> read_subject(const std::string& file, catalog::MeshPlaces meshes) {
  const std::string text = read_file(file);
  return catalog::is_mechanism(text, file) ? mechanism_subject(text, file, meshes)
                                           : one_body_subject(text, file, meshes);
}

int run_scenario(const Session& session, const std::string& file, const std::string& folder, bool overwrite) {
  RunChoice choice;
  choice.file = file;
  choice.folder = folder;
  choice.formats.clear();
  choice.restart = true;
  choice.overwrite = overwrite;
  choice.certify = true;
  choice.silent = true;
  Session quiet = session;
  quiet.quiet = true;
  return RunCommand(quiet, choice)();
}

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
  command.add_option("--format", choice->formats, known).delimiter(',');
  command.add_scenario_flags(session);
  command.add_flag("--certify", choice->certify, "find the attitude error: by the exact motion, or by finer steps");
  command.add_flag("--resume", choice->resume, "go on from the last checkpoint of an interrupted run");
  command.add_flag("--overwrite", choice->overwrite,
                   "discard what is in the folder: an unfinished run, files of the same names");
  command.add_flag("--no-report", choice->no_report, "no report.html");
  command.add_flag("--svg", choice->svg, "each plot of the report as a file of its own too");
}

}  // namespace polhode::app
