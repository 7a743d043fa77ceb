#include "command.h"
#include "compare_mechanism.h"
#include "numbers.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/catalog/scenario.h"
#include "polhode/core/error.h"
#include "polhode/core/version.h"
#include "polhode/io/output_folder.h"
#include "polhode/report/compare_page.h"
#include "progress.h"
#include "run_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <thread>

namespace polhode::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using comparison::Choice;
using comparison::Comparison;
using comparison::Row;

/// Time of a step of the mean length of the run, without output and ledger: the best of a few rounds of the clock.
std::optional<double> ns_per_step(const simulation::Plan& plan, const Row& row) {
  using Clock = std::chrono::steady_clock;
  constexpr int kSteps = 100;
  constexpr int kRounds = 7;
  if (!row.has_run() || row.statistics.steps == 0) { return {}; }
  const BodySystem<double> system(formulation<double>(row.choice.formulation), plan.body);
  const std::unique_ptr<Stepper<double>> stepper = integrator<double>(row.choice.integrator).bind(system);
  stepper->set_tolerance(plan.relative_tolerance, plan.absolute_tolerance);
  const double dt = plan.step > 0 ? plan.step : row.t_end / static_cast<double>(row.statistics.steps);
  std::vector<double> y(system.size());
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    system.set_state(plan.start, y);
    stepper->restart();
    const auto begin = Clock::now();
    for (int n = 0; n < kSteps; ++n) {
      if (stepper->step(n * dt, dt, y) != StepStatus::ok) { return {}; }
    }
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kSteps);
  }
  return best;
}

Json to_json(const Row& row) {
  Json json{{"formulation", row.choice.formulation},
            {"integrator", row.choice.integrator},
            {"standing", comparison::to_text(row.standing)},
            {"reason", row.reason}};
  if (!row.has_run()) { return json; }
  json["ending"] = simulation::to_text(row.ending);
  json["t_end_s"] = row.t_end;
  json["attitude_difference_rad"] = number_or_null(row.attitude_difference);
  json["attitude_difference_end_rad"] = number_or_null(row.attitude_difference_end);
  json["finer_difference_rad"] = row.finer_difference ? number_or_null(*row.finer_difference) : Json(nullptr);
  json["rate_difference_rad_s"] = number_or_null(row.rate_difference);
  json["norm_error"] = number_or_null(row.norm_error);
  json["energy_drift"] = number_or_null(row.energy_drift);
  json["momentum_drift"] = number_or_null(row.momentum_drift);
  json["multiplier"] = nullptr;
  if (const auto& m = row.multiplier) {
    json["multiplier"] = {{"row_scale", m->row_scale},
                          {"closed_form", m->closed_form},
                          {"least_J", number_or_null(m->least)},
                          {"most_J", number_or_null(m->most)},
                          {"closed_form_least_J", number_or_null(m->closed_least)},
                          {"closed_form_most_J", number_or_null(m->closed_most)},
                          {"error", number_or_null(m->error)}};
  }
  json["steps"] = row.statistics.steps;
  json["rejected"] = row.statistics.rejected;
  json["evaluations"] = row.statistics.evaluations;
  json["flops_per_evaluation"] = row.flops;
  json["chart_switches"] = row.statistics.chart_switches;
  json["chart_condition"] = number_or_null(row.chart_condition);
  return json;
}

/// How many rows came out how: "agrees", "coarse", "off", "singular", "cannot run", "not run".
Json counts_of(const Comparison& result) {
  Json json = Json::object();
  for (const comparison::Standing standing : comparison::kStandings) {
    json[std::string(comparison::to_text(standing))] = result.count(standing);
  }
  return json;
}

/// Columns as wide as they need, numbers to the right.
std::string aligned(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  widths.reserve(heads.size());
  for (const std::string& head : heads) { widths.push_back(head.size()); }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) { widths[i] = std::max(widths[i], row[i].size()); }
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool words = i == 0 || heads[i] == "integrator" || i + 1 == cells.size();
      line += words ? fmt::format("{:<{}}  ", cells[i], widths[i]) : fmt::format("{:>{}}  ", cells[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  add(heads);
  for (const auto& row : rows) { add(row); }
  return text;
}

class CompareCommand {
 public:
  CompareCommand(const Session& session, const CompareOptions& options, std::string text)
      : session_(session),
        options_(options),
        text_(std::move(text)),
        scenario_(catalog::read_scenario(text_, options.file, session.mesh_places())),
        folder_(options.output_folder()) {
    if (options.step) {
      step_ = parse_list("--step", *options.step, 1)[0];
      if (!(step_ > 0)) {
        fail(Error(
            Problem{.what = "--step " + *options.step, .allowed = "wanted: more than 0, in seconds", .cure = {}}));
      }
    }
    std::vector<std::string> methods = options.integrators;
    if (methods.empty()) { methods.push_back(scenario_.plan.integrator); }
    const bool any_fixed = std::any_of(methods.begin(), methods.end(), [](const std::string& method) {
      return !integrator<double>(method).description().adaptive;
    });
    if (options.step && scenario_.plan.step > 0) {
      session.warn(
          fmt::format("--step {} is not used: the scenario has step = {:g}", *options.step, scenario_.plan.step));
    } else if (options.step && !any_fixed) {
      session.warn(fmt::format("--step {} is not used: {} by the tolerance of the scenario", *options.step,
                               methods.size() == 1 ? methods[0] + " goes" : "all methods go"));
    }
    for (const std::string& method : methods) {
      for (const std::string& form : comparison::forms_named(options.formulations)) {
        if (std::find(choices_.begin(), choices_.end(), Choice{form, method}) == choices_.end()) {
          choices_.push_back({form, method});
        }
      }
    }
  }

  int operator()() {
    std::optional<io::OutputFolder> folder;
    if (!options_.no_report) {
      folder.emplace(folder_);
      folder->start(
          {.origin = {"compare", std::string(version()), io::way_to(options_.file, folder_), scenario_.sha256},
           .names = {"compare.csv", "compare.html"},
           .kept = {},
           .same_scenario = options_.folder.empty(),
           .overwrite = options_.overwrite});
    }
    catch_interrupt();
    Progress progress(session_, "comparing", "rows", 1);
    comparison::Options options;
    options.step = step_;
    options.threads = options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
    options.keep_going = [] { return !interrupted(); };
    options.on_progress = [&](std::uint64_t done, std::uint64_t total) { progress.set(done, total); };
    const Comparison result = comparison::compare([this](const Choice&) { return fresh_plan(); }, choices_, options);
    progress.clear();
    measure_times(result);
    const std::vector<std::string> files = write_files(result, folder ? &*folder : nullptr);
    show(result, files);
    if (result.interrupted) { return interrupted_status(); }
    return result.any_off() ? kCheckFailed : kDone;
  }

 private:
  /// With parameters and formulas of its own, so that it can go to another thread.
  simulation::Plan fresh_plan() const {
    return catalog::read_scenario(text_, options_.file, session_.mesh_places()).plan;
  }

  void measure_times(const Comparison& result) {
    for (const Row& row : result.rows) {
      times_.emplace_back();
      if (interrupted() || options_.no_times) { continue; }
      simulation::Plan plan = fresh_plan();
      if (plan.step == 0 && !integrator<double>(row.choice.integrator).description().adaptive) { plan.step = step_; }
      times_.back() = ns_per_step(plan, row);
    }
  }

  std::vector<std::string> write_files(const Comparison& result, io::OutputFolder* folder) const {
    const comparison::Origin origin{scenario_.title, fs::path(options_.file).filename().string(), text_,
                                    scenario_.sha256, std::string(version())};
    std::vector<std::string> files;
    const std::string csv = comparison::to_csv(result, origin);
    if (!options_.csv.empty()) {
      write_file(options_.csv, csv);
      if (options_.csv != "-") { files.push_back(options_.csv); }
    }
    if (folder == nullptr) { return files; }
    const auto write = [&](const char* name, std::string_view text) {
      files.push_back(folder->path_of(name));
      write_into(*folder, name, text);
    };
    if (options_.csv.empty()) { write("compare.csv", csv); }
    if (io::has_viewer()) {
      files.push_back(folder->path_of("compare.html"));
      write_into(*folder, "compare.html", [&](OutputFile& file) {
        report::write_compare_viewer(result, origin, pictured_body(scenario_), scenario_.scene,
                                     [&](std::string_view text) { file.write(text); });
      });
    } else {
      write("compare.html", report::compare_page(result, origin, report::plots_of_comparison(result)));
    }
    folder->finish();
    return files;
  }

  void show(const Comparison& result, const std::vector<std::string>& files) const {
    if (session_.json) {
      Json json{{"what", "compare"},
                {"title", scenario_.title},
                {"version", version()},
                {"scenario_sha256", scenario_.sha256},
                {"accuracy_asked_rad", result.accuracy},
                {"reference",
                 {{"exact", result.reference.exact},
                  {"name", result.reference.name},
                  {"uncertainty_rad", number_or_null(result.reference.uncertainty)},
                  {"reason", result.reference.reason}}},
                {"rows_looked_at", result.times.size()},
                {"rows_in_all", result.rows_in_all},
                {"all_agree", result.all_agree()},
                {"counts", counts_of(result)},
                {"interrupted", result.interrupted},
                {"rows", Json::array()},
                {"timing", Json::array()},
                {"files", files}};
      for (std::size_t i = 0; i < result.rows.size(); ++i) {
        const Row& row = result.rows[i];
        json["rows"].push_back(to_json(row));
        json["timing"].push_back({{"formulation", row.choice.formulation},
                                  {"integrator", row.choice.integrator},
                                  {"ns_per_step", times_[i] ? number_or_null(*times_[i]) : Json(nullptr)}});
      }
      write_json(json);
      return;
    }
    if (options_.csv == "-") { return; }
    comparison::PrintedTable table = comparison::printed(result);
    if (!options_.no_times) { table.heads.insert(table.heads.end() - 1, "ns/step"); }
    for (std::size_t i = 0; i < table.rows.size() && !options_.no_times; ++i) {
      table.rows[i].insert(table.rows[i].end() - 1, times_[i] ? fmt::format("{:.0f}", *times_[i]) : "-");
    }
    std::string text = scenario_.title + "\n";
    text += fmt::format("reference: {}; accuracy asked for: {:g} rad\n\n", comparison::in_words(result.reference),
                        result.accuracy);
    text += aligned(table.heads, table.rows) + '\n';
    for (const std::string& note : table.notes) { text += note + '\n'; }
    for (const std::string& reason : comparison::reasons(result)) { text += reason + '\n'; }
    text += comparison::in_words(result) + '\n';
    if (!files.empty()) { text += fmt::format("files: {}\n", fmt::join(files, ", ")); }
    write_out(text);
    session_.suggest(options_.integrators.empty()
                         ? fmt::format("polhode compare {} --integrator dop853,gauss4,rk4 --step 0.001",
                                       session_.scenario_arguments(options_.file))
                         : "polhode list integrators");
  }

  const Session& session_;
  const CompareOptions& options_;
  std::string text_;
  catalog::OneBodyScenario scenario_;
  std::string folder_;
  double step_ = 0;
  std::vector<Choice> choices_;
  std::vector<std::optional<double>> times_;
};

}  // namespace

std::string CompareOptions::output_folder() const {
  return folder.empty() ? fs::path(file).stem().string() + ".compare" : folder;
}

void add_compare(CLI::App& program, Session& session) {
  auto options = std::make_shared<CompareOptions>();
  Command command = add_command(
      program, session, "compare",
      "  polhode compare t-handle.toml                          one motion under every form of the equations\n"
      "  polhode compare top.toml --formulation f5,f12,a1       some of them; a1 is a family\n"
      "  polhode compare top.toml --integrator dop853,rk4 --step 0.001 --csv table.csv",
      "the same scenario under every formulation, and chosen integrators: motion, multiplier, drift, cost",
      [options, &session] {
        if (options->csv == "-" && session.json) {
          fail(Error("--json and '--csv -' both want standard output; give the table a file name"));
        }
        std::string text = read_file(options->file);  // once: standard input cannot be read again
        if (catalog::is_mechanism(text, options->file)) { return compare_mechanism(session, text, *options); }
        return CompareCommand(session, *options, std::move(text))();
      });
  command.add_option("FILE", options->file, "the scenario, TOML (docs/scenario.md)").required();
  command.add_scenario_flags(session);
  command.add_option("--formulation", options->formulations, "forms by name or family, separated by commas (all)")
      .delimiter(',');
  command.add_option("--integrator", options->integrators, "methods, separated by commas (that of the scenario)")
      .delimiter(',');
  command.add_option("--step", options->step, "fixed step in s for methods that need one where the scenario has none");
  command.add_option("-o,--output", options->folder, "folder for table and page; FILE without ending + .compare");
  command.add_option("--csv", options->csv, "the table as CSV to this file ('-': standard output)");
  command.add_option("--threads", options->threads, "how many; the numbers do not depend on it");
  command.add_flag("--overwrite", options->overwrite, "also over files in the folder that are not of a comparison");
  command.add_flag("--no-report", options->no_report, "no page, and no folder");
  command.add_flag("--no-times", options->no_times, "leave out what the clock says: the same text every time");
}

}  // namespace polhode::app
