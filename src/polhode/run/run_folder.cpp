#include "polhode/run/run_folder.h"

#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/io/files.h"
#include "polhode/io/write_error.h"
#include "polhode/run/unfinished.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace polhode::run {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using simulation::Certificate;
using simulation::RunEnd;

constexpr const char* kLogName = "run.plog";
constexpr const char* kCertificateName = "certificate.json";

/// What is gathered along a run besides the log.
struct Gathered {
  std::vector<std::vector<double>> samples;      ///< what the certificate looks at
  std::vector<std::vector<double>> event_times;  ///< one list an event
  Peaks peaks;
};

/// Hands rows and events on, and keeps nothing.
class PassingSink final : public simulation::Sink {
 public:
  std::function<bool()> keep_going;  ///< may be empty
  std::function<void(std::span<const double>)> on_row;
  std::function<void(const simulation::EventOccurrence&)> on_event;

  bool row(std::span<const double> row) override {
    on_row(row);
    return go_on();
  }
  bool event(const simulation::EventOccurrence& occurrence) override {
    on_event(occurrence);
    return go_on();
  }
  bool go_on() override { return !keep_going || keep_going(); }
  bool checkpoint(const simulation::Snapshot&) override { return go_on(); }
};

/// The last checkpoint of a log and where it ends.
struct Replay {
  std::optional<simulation::Snapshot> snapshot;
  std::uint64_t size = 0;
};
/// Goes through a log from its start and gathers what a run from its last checkpoint does not give out again.
Replay replay(const std::string& path, const Run& run, Gathered& gathered) {
  const io::ResultHead& head = run.head();
  io::LogReader log(path);
  const io::ResultHead old = io::head_from_json(log.header_json(), path);
  const char* const other = old.version != head.version                   ? "version"
                            : old.scenario_sha256 != head.scenario_sha256 ? "scenario"
                            : !(old.parameters == head.parameters)        ? "choice of parameters (--set)"
                            : old.laws != head.laws                       ? "choice of code"
                                                                          : nullptr;
  if (other != nullptr) {
    fail(Error(Problem{.what = fmt::format("{} is the log of another {}", path, other),
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
        if (run.is_sample(row_number++)) { seen.samples.push_back(run.sample(row)); }
        seen.peaks.row(row);
      });
    } else if (frame->kind == io::FrameKind::event) {
      const simulation::EventOccurrence h = io::read_event(frame->content);
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

/// JSON knows no infinity.
Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json json_of(const Certificate& certificate) {
  Json json;
  json["verdict"] = simulation::to_text(certificate.verdict);
  json["reason"] = certificate.reason;
  json["accuracy_asked_rad"] = certificate.accuracy;
  json["attitude_error_rad"] = certificate.attitude_error ? finite_or_null(*certificate.attitude_error) : Json(nullptr);
  if (certificate.position_error) { json["position_error_m"] = finite_or_null(*certificate.position_error); }
  if (certificate.position_allowed) {
    json["position_error_allowed_m"] = finite_or_null(*certificate.position_allowed);
  }
  json["error_found_by"] = certificate.method;
  if (certificate.declared_order) { json["declared_order"] = *certificate.declared_order; }
  if (certificate.observed_order) { json["observed_order"] = finite_or_null(*certificate.observed_order); }
  for (const simulation::Evidence& one : certificate.evidence) {
    json["evidence"].push_back({{"name", one.name},
                                {"value", finite_or_null(one.value)},
                                {"allowed", one.bound},
                                {"holds", one.holds()},
                                {"meaning", one.meaning}});
  }
  json["notes"] = certificate.notes;
  return json;
}

/// Of a file beside a log: says which scenario it belongs to.
Json certificate_file(const Certificate& certificate, const io::ResultHead& head) {
  Json json{
      {"scenario_file", head.scenario_file}, {"scenario_sha256", head.scenario_sha256}, {"version", head.version}};
  for (const auto& [name, value] : head.parameters) { json["set"][name] = value; }
  if (!head.laws.empty()) { json["laws"] = head.laws; }
  json.update(json_of(certificate));
  return json;
}

/// Two digits of x, rounded down: a number to write into a scenario.
double two_digits_below(double x) {
  const double unit = std::pow(10.0, std::floor(std::log10(x)) - 1);
  return std::floor(x / unit * (1 + 1e-12)) * unit;
}

Json end_json(const RunEnd& end) {
  return {{"ending", simulation::to_text(end.ending)}, {"message", end.message}, {"t_s", end.t}, {"rows", end.rows}};
}

/// A run and the folder that it goes into.
class FolderRun {
 public:
  FolderRun(const Run& run, const std::string& scenario_file, const FolderOptions& options)
      : run_(run), options_(options), scenario_file_(scenario_file), head_(run.head()) {
    for (const std::string& format : options.formats) {
      if (const auto check = io::result_writer(format).check) { check(head_); }
    }
    record_.folder = options.folder.empty() ? fs::path(scenario_file).stem().string() + ".run" : options.folder;
    record_.log = (fs::path(record_.folder) / kLogName).string();
    gathered_.event_times.resize(head_.events.size());
    gathered_.peaks = Peaks(head_.columns);
  }

  Record carry_out(Run& run) {
    if (!run.plan().output.files) { return carry_out_without_files(run); }
    io::OutputFolder folder(record_.folder);
    const Replay old = prepare_folder(folder);
    for (const std::string& remark : run.presentation().remarks()) { say(remark); }
    simulate_into(folder, old, run);
    if (record_.interrupted()) { return std::move(record_); }
    certify(run);
    finish(folder);
    return std::move(record_);
  }

  Record save(const Rows& rows, const Certificate& certificate) {
    io::OutputFolder folder(record_.folder);
    prepare_folder(folder);
    record_.end = static_cast<const simulation::RunEnd&>(run_.end());
    record_.certificate = certificate;
    write_log(folder, rows);
    finish(folder);
    return std::move(record_);
  }

 private:
  Record carry_out_without_files(Run& run) {
    if (options_.resume) { fail(Error("--resume needs files, and the scenario says files = false in [output]")); }
    record_.folder.clear();
    record_.log.clear();
    for (const std::string& remark : run.presentation().remarks()) { say(remark); }
    std::uint64_t rows = 0;
    PassingSink sink;
    sink.keep_going = options_.keep_going;
    sink.on_row = [&](std::span<const double> row) { take(row, rows++); };
    sink.on_event = [&](const simulation::EventOccurrence& h) { gathered_.event_times[h.event].push_back(h.t); };
    record_.end = static_cast<const simulation::RunEnd&>(run.go(sink));
    if (!record_.interrupted()) { certify(run); }
    record_.event_times = gathered_.event_times;
    record_.peaks = gathered_.peaks;
    return std::move(record_);
  }

  /// A row of the run, by its number from 0.
  void take(std::span<const double> row, std::uint64_t number) {
    if (run_.is_sample(number)) { gathered_.samples.push_back(run_.sample(row)); }
    gathered_.peaks.row(row);
    if (options_.on_row) { options_.on_row(number + 1, run_.simulation().rows()); }
  }

  void certify(const Run& run) {
    record_.certificate = run.certificate();
    if (!options_.certify) { return; }
    say("Certifying ...");
    run.certify(record_.certificate, gathered_.samples, gathered_.event_times, options_.keep_going);
  }

  void say(const std::string& line) const {
    if (options_.say) { options_.say(line); }
  }
  void finish(io::OutputFolder& folder) {
    record_.event_times = gathered_.event_times;
    record_.peaks = gathered_.peaks;
    record_.files = write_files(folder, record_.certificate, record_.end);
    folder.finish();
  }

  /// Settles what becomes of what is in the folder; returns what of it the run goes on from.
  Replay prepare_folder(io::OutputFolder& folder) {
    const io::FolderOrigin origin{"run", head_.version,
                                  scenario_file_.empty() ? "" : io::way_to(scenario_file_, record_.folder),
                                  head_.scenario_sha256};
    const auto& last = folder.last();
    if (options_.resume && options_.overwrite) {
      fail(Error("--resume goes on with what is in the folder and --overwrite discards it; give one of them"));
    }
    Replay old;
    std::error_code none;
    const bool resumed = options_.resume && fs::exists(record_.log, none);
    if (resumed) { old = replay(record_.log, run_, gathered_); }
    const bool restarted = options_.restart && last && last->origin.scenario == origin.scenario;
    if (!resumed && !restarted && !options_.overwrite) { require_nothing_unfinished(folder, origin); }
    io::OutputFolder::Start start{.origin = origin,
                                  .names = {kLogName, kCertificateName},
                                  .kept = old.snapshot ? kLogName : "",
                                  .same_scenario = options_.folder.empty(),
                                  .overwrite = options_.overwrite};
    for (const io::ResultWriter* writer : io::result_writers()) { start.names.emplace_back(writer->file_name); }
    for (std::string& name : options_.svg ? run_.presentation().svg_names(run_.head()) : std::vector<std::string>{}) {
      start.names.push_back(std::move(name));
    }
    folder.start(start);
    return old;
  }

  void simulate_into(io::OutputFolder& folder, const Replay& old, Run& run) {
    if (!old.snapshot) { folder.add_growing(kLogName); }
    io::LogWriter log = old.snapshot ? io::LogWriter::go_on_at(record_.log, old.size)
                                     : io::LogWriter::create(record_.log, io::to_json(head_));
    std::uint64_t rows = old.snapshot ? old.snapshot->rows : 0;
    log.keep_going = options_.keep_going;
    log.on_row = [&](std::span<const double> row) { take(row, rows++); };
    log.on_event = [&](const simulation::EventOccurrence& h) { gathered_.event_times[h.event].push_back(h.t); };
    record_.end = static_cast<const simulation::RunEnd&>(run.go(log, old.snapshot ? &*old.snapshot : nullptr));
    if (record_.interrupted()) {
      log.flush();
    } else {
      log.end(in_utf8(end_json(record_.end)));
    }
  }

  void write_log(io::OutputFolder& folder, const Rows& rows) {
    folder.add_growing(kLogName);
    io::LogWriter log = io::LogWriter::create(record_.log, io::to_json(head_));
    const std::size_t width = head_.columns.size();
    const std::size_t count = rows.numbers.size() / width;
    auto event = rows.events.begin();
    auto checkpoint = rows.checkpoints.begin();
    for (std::size_t row = 0; row <= count; ++row) {
      while (true) {
        const auto events_before = static_cast<std::size_t>(event - rows.events.begin());
        if (checkpoint != rows.checkpoints.end() && checkpoint->rows_before == row &&
            checkpoint->events_before == events_before) {
          log.checkpoint((checkpoint++)->snapshot);
        } else if (event != rows.events.end() && event->rows_before == row) {
          gathered_.event_times[event->occurrence.event].push_back(event->occurrence.t);
          log.event((event++)->occurrence);
        } else {
          break;
        }
      }
      if (row == count) { continue; }
      const std::span<const double> numbers = std::span(rows.numbers).subspan(row * width, width);
      gathered_.peaks.row(numbers);
      log.row(numbers);
    }
    log.end(in_utf8(end_json(record_.end)));
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
    bool page = options_.report;
    for (const std::string& format : options_.formats) {
      if (format == "html") {  // the report is that page, and says more
        page = true;
        continue;
      }
      const io::ResultWriter& writer = io::result_writer(format);
      const std::string name(writer.file_name);
      files.push_back(folder.path_of(name));
      io::write_into(folder, name, [&](io::OutputFile& file) {
        const std::uint64_t rows = writer.write([&] { return io::open_result(record_.log); },
                                                {[&](std::string_view text) { file.write(text); }, file.writing_to()});
        require_rows(files.back(), rows, outcome);
      });
    }
    // a table holds as many rows as the log that it is made from
    if (files.empty()) { require_rows(record_.log, io::rows_in_log(record_.log, head_.columns.size()), outcome); }
    files.push_back(folder.path_of(kCertificateName));
    io::write_into(folder, kCertificateName, in_utf8(certificate_file(certificate, head_), 2) + '\n');
    if (page || options_.svg) {
      ReportParts parts{.folder = &folder,
                        .log = record_.log,
                        .head = head_,
                        .certificate = &certificate,
                        .events = {},
                        .page = page,
                        .svg = options_.svg};
      parts.head.certificate_json = in_utf8(json_of(certificate));
      for (std::size_t i = 0; i < head_.events.size(); ++i) {
        parts.events.emplace_back(head_.events[i], how_often(gathered_.event_times[i]));
      }
      const std::vector<std::string> more = run_.presentation().write_report(parts, run_.end());
      files.insert(files.end(), more.begin(), more.end());
    }
    return files;
  }

  const Run& run_;
  const FolderOptions& options_;
  std::string scenario_file_;
  const io::ResultHead& head_;
  Gathered gathered_;
  Record record_;
};

}  // namespace

Record run_into_folder(Run& run, const std::string& scenario_file, const FolderOptions& options) {
  return FolderRun(run, scenario_file, options).carry_out(run);
}

Record save_into_folder(const Run& run, const Rows& rows, const Certificate& certificate,
                        const FolderOptions& options) {
  return FolderRun(run, "", options).save(rows, certificate);
}

std::string to_json(const Certificate& certificate, int indent) { return in_utf8(json_of(certificate), indent); }

std::string to_text(const Certificate& certificate) {
  std::string text = fmt::format("certificate: {}: {}\n", simulation::to_text(certificate.verdict), certificate.reason);
  if (certificate.attitude_error) {
    text += fmt::format("  attitude error      {:.3g} rad, by {}; asked for {:g} rad\n", *certificate.attitude_error,
                        certificate.method, certificate.accuracy);
  }
  if (certificate.position_error) {
    text += fmt::format("  position error      {:.3g} m; allowed {:.3g} m\n", *certificate.position_error,
                        certificate.position_allowed.value_or(0));
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

std::string finer_run(const simulation::Plan& plan, const Certificate& certificate) {
  const double most = plan.step > 0 ? 0.5 : 0.1;  // no coarser than this part of what it was
  const MethodDescription& method = integrator<double>(plan.integrator).description();
  const double error = certificate.attitude_error.value_or(0);
  const double part = error > 0 ? 0.5 * certificate.accuracy / error : most;
  if (plan.step > 0) {
    const double factor = std::clamp(std::pow(part, 1.0 / std::max(method.order, 1)), 1e-3, most);
    return fmt::format("step = {:.2g}", two_digits_below(factor * plan.step));
  }
  // certifying takes a run at a tenth of it or less
  const double tolerance =
      std::max(two_digits_below(std::clamp(part, 1e-4, most) * plan.relative_tolerance), 10 * method.least_tolerance);
  return tolerance < 0.99 * plan.relative_tolerance ? fmt::format("tolerance = {:.2g}", tolerance) : "";
}

std::string how_often(const std::vector<double>& times) {
  if (times.empty()) { return "never"; }
  if (times.size() == 1) { return fmt::format("once, at {:.6g} s", times[0]); }
  if (times.front() == times.back()) { return fmt::format("{} times, all at {:.6g} s", times.size(), times[0]); }
  return fmt::format("{} times, the first at {:.6g} s, every {:.6g} s on average", times.size(), times[0],
                     (times.back() - times[0]) / static_cast<double>(times.size() - 1));
}

std::string summary_json(const Run& run, const Record& record) {
  const io::ResultHead& head = run.head();
  const RunEnd& end = record.end;
  Json json;
  json["title"] = head.title;
  json["scenario_sha256"] = head.scenario_sha256;
  json["formulation"] = head.formulation;
  json["integrator"] = head.integrator;
  json["portable"] = head.portable;
  json["end"] = end_json(end);
  json.update(Json::parse(run.presentation().final_json(run.end())));
  for (const catalog::MeshFacts& mesh : run.presentation().meshes()) {
    const Vec3<double>& centre = mesh.body.center_B;
    json["meshes"].push_back({{"file", mesh.file},
                              {"triangles", mesh.triangles},
                              {"triangles_drawn", mesh.drawn},
                              {"mass_kg", mesh.body.mass},
                              {"mass_centre_m", {centre.x, centre.y, centre.z}}});
  }
  json["steps"] = end.statistics.steps;
  json["rejected"] = end.statistics.rejected;
  json["evaluations"] = end.statistics.evaluations;
  json["chart_switches"] = end.statistics.chart_switches;
  json["events"] = Json::object();
  // events of one name have one list
  std::map<std::string, std::vector<double>> times;
  for (std::size_t i = 0; i < head.events.size(); ++i) {
    std::vector<double>& all = times[head.events[i]];
    all.insert(all.end(), record.event_times[i].begin(), record.event_times[i].end());
    std::sort(all.begin(), all.end());
  }
  for (const std::string& name : head.events) { json["events"][name] = times[name]; }
  json["peaks"] = Json::parse(polhode::to_json(record.peaks));
  json["certificate"] = json_of(record.certificate);
  json["files"] = Json::array();
  if (!record.log.empty()) { json["files"].push_back(record.log); }
  for (const std::string& file : record.files) { json["files"].push_back(file); }
  return in_utf8(json, 2);
}

std::string summary_text(const Run& run, const Record& record) {
  const io::ResultHead& head = run.head();
  const RunEnd& end = record.end;
  std::string text = head.title + "\n";
  text += fmt::format("{} with {}: {} at t = {:g} s, {}, {} ({} rejected), {}\n", head.formulation, head.integrator,
                      simulation::to_text(end.ending), end.t, counted(end.rows, "row"),
                      counted(end.statistics.steps, "step"), end.statistics.rejected,
                      counted(end.statistics.evaluations, "evaluation"));
  if (!end.message.empty()) { text += end.message + "\n"; }
  if (end.statistics.chart_switches > 0) {
    text += fmt::format("charts were switched {}\n", counted(end.statistics.chart_switches, "time"));
  }
  text += run.presentation().final_text(run.end());
  for (std::size_t i = 0; i < head.events.size(); ++i) {
    text += fmt::format("event '{}': {}\n", head.events[i], how_often(record.event_times[i]));
  }
  for (const catalog::MeshFacts& mesh : run.presentation().meshes()) {
    text += fmt::format("mesh {}: {}\n", mesh.file, catalog::to_text(mesh));
  }
  for (const auto& [what, value] : run.presentation().facts()) { text += fmt::format("{}: {}\n", what, value); }
  for (const auto& [what, value] : record.peaks.in_words()) { text += fmt::format("{}: {}\n", what, value); }
  text += to_text(record.certificate);
  text += "files: " + (record.log.empty() ? "none" : record.log);
  for (const std::string& file : record.files) { text += ", " + file; }
  return text + "\n";
}

}  // namespace polhode::run
