#include "polhode/run/compare.h"

#include "polhode/comparison/table.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/core/version.h"
#include "polhode/io/files.h"
#include "polhode/io/viewer_page.h"
#include "polhode/report/compare_page.h"
#include "polhode/report/pictures.h"
#include "polhode/run/unfinished.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

namespace polhode::run {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using comparison::Choice;
using comparison::Comparison;
using comparison::FormComparison;
using comparison::FormRow;
using comparison::Row;
using comparison::Standing;

/// JSON knows no infinity.
Json finite_number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
std::string as_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

/// The folder of a comparison, and the table in it or where else it was wanted.
class Files {
 public:
  Files(const CompareOptions& options, const std::string& file, const catalog::ScenarioHead& scenario,
        std::vector<std::string> names)
      : options_(options) {
    if (!options.report) { return; }
    const std::string path = options.folder.empty() ? fs::path(file).stem().string() + ".compare" : options.folder;
    folder_.emplace(path);
    const io::FolderOrigin origin{"compare", std::string(version()), io::way_to(file, path), scenario.sha256};
    if (!options.overwrite) { require_nothing_unfinished(*folder_, origin); }
    folder_->start({.origin = origin,
                    .names = std::move(names),
                    .kept = {},
                    .same_scenario = options.folder.empty(),
                    .overwrite = options.overwrite});
  }
  void write_table(std::string_view csv) {
    if (options_.csv == "-") { return; }
    if (!options_.csv.empty()) {
      io::write_file(options_.csv, csv);
      written_.push_back(options_.csv);
    } else if (folder_) {
      io::write_into(*folder_, named("compare.csv"), csv);
    }
  }
  io::OutputFolder* folder() { return folder_ ? &*folder_ : nullptr; }
  std::string named(const std::string& name) {
    written_.push_back(folder_->path_of(name));
    return name;
  }
  std::vector<std::string> finish() {
    if (folder_) { folder_->finish(); }
    return written_;
  }

 private:
  const CompareOptions& options_;
  std::optional<io::OutputFolder> folder_;
  std::vector<std::string> written_;
};

comparison::Origin origin_of(const catalog::ScenarioHead& scenario) {
  return {scenario.title, fs::path(scenario.file).filename().string(), scenario.text, scenario.sha256,
          std::string(version())};
}

// ---- one body -------------------------------------------------------------------------------------------------------

/// Time of a step of the mean length of the run, without output and ledger: the best of a few rounds of the clock.
std::optional<double> ns_per_step(const simulation::OneBodyPlan& plan, const Row& row) {
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

Json json_of_row(const Row& row) {
  Json json{{"formulation", row.choice.formulation},
            {"integrator", row.choice.integrator},
            {"standing", comparison::to_text(row.standing)},
            {"reason", row.reason}};
  if (!row.has_run()) { return json; }
  json["ending"] = simulation::to_text(row.ending);
  json["t_end_s"] = row.t_end;
  json["attitude_difference_rad"] = finite_number(row.attitude_difference);
  json["attitude_difference_end_rad"] = finite_number(row.attitude_difference_end);
  json["finer_difference_rad"] = row.finer_difference ? finite_number(*row.finer_difference) : Json(nullptr);
  json["rate_difference_rad_s"] = finite_number(row.rate_difference);
  json["norm_error"] = finite_number(row.norm_error);
  json["energy_drift"] = finite_number(row.energy_drift);
  json["momentum_drift"] = finite_number(row.momentum_drift);
  json["multiplier"] = nullptr;
  if (const auto& m = row.multiplier) {
    json["multiplier"] = {{"row_scale", m->row_scale},
                          {"closed_form", m->closed_form},
                          {"least_J", finite_number(m->least)},
                          {"most_J", finite_number(m->most)},
                          {"closed_form_least_J", finite_number(m->closed_least)},
                          {"closed_form_most_J", finite_number(m->closed_most)},
                          {"error", finite_number(m->error)}};
  }
  json["steps"] = row.statistics.steps;
  json["rejected"] = row.statistics.rejected;
  json["evaluations"] = row.statistics.evaluations;
  json["flops_per_evaluation"] = row.flops;
  json["chart_switches"] = row.statistics.chart_switches;
  json["chart_condition"] = finite_number(row.chart_condition);
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

class OneBodyComparison {
 public:
  OneBodyComparison(const CompareOptions& options, catalog::OneBodyScenario scenario)
      : options_(options), scenario_(std::move(scenario)) {
    if (options.step && !(*options.step > 0)) {
      fail(Error(Problem{.what = fmt::format("--step {:g}", *options.step),
                         .allowed = "wanted: more than 0, in seconds",
                         .cure = {}}));
    }
    std::vector<std::string> methods = options.integrators;
    if (methods.empty()) { methods.push_back(scenario_.plan.integrator); }
    for (const std::string& method : methods) { static_cast<void>(integrator<double>(method)); }  // fails by name
    if (options.step && options.warn) { warn_of_step(methods); }
    for (const std::string& method : methods) {
      for (const std::string& form : comparison::forms_named(options.formulations)) {
        if (std::find(choices_.begin(), choices_.end(), Choice{form, method}) == choices_.end()) {
          choices_.push_back({form, method});
        }
      }
    }
  }

  Compared operator()() {
    Files files(options_, scenario_.file, scenario_, {"compare.csv", "compare.html"});
    comparison::Options how;
    how.step = options_.step.value_or(0);
    how.threads = options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
    how.keep_going = options_.keep_going;
    how.on_progress = options_.on_progress;
    const Comparison result = comparison::compare([this](const Choice&) { return scenario_.plan; }, choices_, how);
    measure_times(result);
    Compared compared;
    compared.csv = comparison::to_csv(result, origin_of(scenario_));
    files.write_table(compared.csv);
    if (files.folder() != nullptr) { write_page(files, result); }
    compared.files = files.finish();
    compared.json = json_of(result, compared.files);
    compared.text = text_of(result, compared.files);
    compared.interrupted = result.interrupted;
    compared.off = result.any_off();
    return compared;
  }

 private:
  void warn_of_step(const std::vector<std::string>& methods) const {
    const bool any_fixed = std::any_of(methods.begin(), methods.end(), [](const std::string& method) {
      return !integrator<double>(method).description().adaptive;
    });
    if (scenario_.plan.step > 0) {
      options_.warn(
          fmt::format("--step {:g} is not used: the scenario has step = {:g}", *options_.step, scenario_.plan.step));
    } else if (!any_fixed) {
      options_.warn(fmt::format("--step {:g} is not used: {} by the tolerance of the scenario", *options_.step,
                                methods.size() == 1 ? methods[0] + " goes" : "all methods go"));
    }
  }

  void measure_times(const Comparison& result) {
    for (const Row& row : result.rows) {
      times_.emplace_back();
      if ((options_.keep_going && !options_.keep_going()) || !options_.times) { continue; }
      simulation::OneBodyPlan plan = scenario_.plan;
      if (plan.step == 0 && !integrator<double>(row.choice.integrator).description().adaptive) {
        plan.step = options_.step.value_or(0);
      }
      times_.back() = ns_per_step(plan, row);
    }
  }

  void write_page(Files& files, const Comparison& result) const {
    const comparison::Origin origin = origin_of(scenario_);
    if (!io::has_viewer()) {
      io::write_into(*files.folder(), files.named("compare.html"),
                     report::compare_page(result, origin, report::plots_of_comparison(result)));
      return;
    }
    io::write_into(*files.folder(), files.named("compare.html"), [&](io::OutputFile& file) {
      report::write_compare_viewer(result, origin, report::pictured_body(scenario_), scenario_.scene,
                                   [&](std::string_view text) { file.write(text); });
    });
  }

  std::string json_of(const Comparison& result, const std::vector<std::string>& files) const {
    Json json{{"what", "compare"},
              {"title", scenario_.title},
              {"version", version()},
              {"scenario_sha256", scenario_.sha256},
              {"accuracy_asked_rad", result.accuracy},
              {"reference",
               {{"exact", result.reference.exact},
                {"name", result.reference.name},
                {"uncertainty_rad", finite_number(result.reference.uncertainty)},
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
      json["rows"].push_back(json_of_row(row));
      json["timing"].push_back({{"formulation", row.choice.formulation},
                                {"integrator", row.choice.integrator},
                                {"ns_per_step", times_[i] ? finite_number(*times_[i]) : Json(nullptr)}});
    }
    return as_text(json);
  }

  std::string text_of(const Comparison& result, const std::vector<std::string>& files) const {
    comparison::PrintedTable table = comparison::printed(result);
    if (options_.times) { table.heads.insert(table.heads.end() - 1, "ns/step"); }
    for (std::size_t i = 0; i < table.rows.size() && options_.times; ++i) {
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
    return text;
  }

  const CompareOptions& options_;
  catalog::OneBodyScenario scenario_;
  std::vector<Choice> choices_;
  std::vector<std::optional<double>> times_;
};

// ---- mechanisms -----------------------------------------------------------------------------------------------------

/// All forms, or those that were asked for, each once.
std::vector<EulerForm> forms_asked_for(const std::vector<std::string>& names) {
  if (names.empty()) { return {euler_forms().begin(), euler_forms().end()}; }
  std::vector<EulerForm> chosen;
  for (const std::string& name : names) {
    const EulerForm& form = euler_form(name);
    if (std::none_of(chosen.begin(), chosen.end(), [&](const EulerForm& one) { return one.name == form.name; })) {
      chosen.push_back(form);
    }
  }
  return chosen;
}

/// What is for one body only is not passed over.
void refuse_for_mechanism(const CompareOptions& options) {
  const auto fail_for = [](const char* option) {
    fail(Error(Problem{.what = fmt::format("{} is for one body", option),
                       .allowed = "the forms of a mechanism are compared at the states of one run",
                       .cure = "integrator, step and tolerance of that run stand in [run] of the scenario"}));
  };
  if (!options.integrators.empty()) { fail_for("--integrator"); }
  if (options.step) { fail_for("--step"); }
}

std::string text_of_forms(const FormComparison& result, const std::string& title,
                          const std::vector<std::string>& files) {
  std::string text = fmt::format("{}\nreference: {}\n\n", title, in_words(result));
  text += fmt::format("{:<6} {:<8} {:>13} {:>10} {:>12} {:>12} {:>9}  verdict\n", "form", "jacobian", "acceleration",
                      "reactions", "lambda from", "to", "off");
  for (const FormRow& row : result.rows) {
    text += fmt::format(
        "{:<6} {:<8} {:>13.1e} {:>10} {:>12.4g} {:>12.4g} {:>9.1e}  {}\n", row.form, row.raw ? "raw" : "rate",
        row.acceleration, row.reaction ? fmt::format("{:.1e}", *row.reaction) : "-", row.multiplier_least,
        row.multiplier_most, row.multiplier_off, to_text(row.agrees() ? Standing::agrees : Standing::off));
  }
  const std::size_t off = result.count_off();
  text += fmt::format("\n{} agree", result.rows.size() - off);
  if (off > 0) { text += fmt::format(", {} off", off); }
  text += fmt::format(" of {}\n", counted(result.rows.size(), "row"));
  if (!result.reached_end()) { text += "the run did not reach its end: nothing is said of what comes after it\n"; }
  if (!files.empty()) { text += fmt::format("files: {}\n", fmt::join(files, ", ")); }
  return text;
}

Json json_of_forms(const FormComparison& result, const catalog::MechanismScenario& scenario,
                   const std::vector<std::string>& files) {
  Json rows = Json::array();
  for (const FormRow& row : result.rows) {
    rows.push_back({{"form", row.form},
                    {"jacobian", row.raw ? "raw" : "rate"},
                    {"acceleration_difference", finite_number(row.acceleration)},
                    {"reaction_difference", row.reaction ? finite_number(*row.reaction) : Json(nullptr)},
                    {"multiplier_least_J", finite_number(row.multiplier_least)},
                    {"multiplier_most_J", finite_number(row.multiplier_most)},
                    {"multiplier_off", finite_number(row.multiplier_off)},
                    {"standing", to_text(row.agrees() ? Standing::agrees : Standing::off)},
                    {"agrees", row.agrees()}});
  }
  const std::size_t off = result.count_off();
  return {{"what", "compare"},
          {"title", scenario.title},
          {"version", version()},
          {"scenario_sha256", scenario.sha256},
          {"states", result.states},
          {"end",
           {{"ending", simulation::to_text(result.end.ending)},
            {"message", result.end.message},
            {"t_s", finite_number(result.end.t)}}},
          {"rows", rows},
          {"all_agree", result.all_agree()},
          {"counts", {{"agrees", result.rows.size() - off}, {"off", off}}},
          {"agree", result.all_agree()},
          {"files", files}};
}

Compared compare_forms(const CompareOptions& options, const catalog::MechanismScenario& scenario) {
  constexpr std::size_t kStates = 20;
  const std::vector<EulerForm> forms = forms_asked_for(options.formulations);
  Files files(options, scenario.file, scenario, {"compare.csv"});
  const FormComparison result = comparison::compare_mechanism_forms(scenario.plan, kStates, forms, options.keep_going);
  Compared compared;
  compared.mechanism = true;
  compared.csv = to_csv(result, origin_of(scenario));
  files.write_table(compared.csv);
  compared.files = files.finish();
  compared.json = as_text(json_of_forms(result, scenario, compared.files));
  compared.text = text_of_forms(result, scenario.title, compared.files);
  compared.interrupted = result.end.ending == simulation::Ending::interrupted;
  compared.off = !result.all_agree();
  return compared;
}

}  // namespace

Compared compare(const std::string& text, const std::string& file, const Source& source,
                 const CompareOptions& options) {
  if (catalog::is_mechanism(text, file)) {
    refuse_for_mechanism(options);
    return compare_forms(options, catalog::read_mechanism(text, file, source.meshes, source.parameters));
  }
  return OneBodyComparison(options, catalog::read_scenario(text, file, source.meshes, source.parameters))();
}

}  // namespace polhode::run
