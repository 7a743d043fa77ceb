#include "compare_mechanism.h"

#include "numbers.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/comparison/table.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/core/version.h"
#include "polhode/io/output_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace polhode::app {
namespace {

namespace fs = std::filesystem;
using comparison::FormComparison;
using comparison::FormRow;
using comparison::Standing;

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

nlohmann::ordered_json json_of_forms(const FormComparison& result, const catalog::MechanismScenario& scenario,
                                     const std::vector<std::string>& files) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const FormRow& row : result.rows) {
    rows.push_back(
        {{"form", row.form},
         {"jacobian", row.raw ? "raw" : "rate"},
         {"acceleration_difference", number_or_null(row.acceleration)},
         {"reaction_difference", row.reaction ? number_or_null(*row.reaction) : nlohmann::ordered_json(nullptr)},
         {"multiplier_least_J", number_or_null(row.multiplier_least)},
         {"multiplier_most_J", number_or_null(row.multiplier_most)},
         {"multiplier_off", number_or_null(row.multiplier_off)},
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
            {"t_s", number_or_null(result.end.t)}}},
          {"rows", rows},
          {"all_agree", result.all_agree()},
          {"counts", {{"agrees", result.rows.size() - off}, {"off", off}}},
          {"agree", result.all_agree()},
          {"files", files}};
}

}  // namespace

int compare_mechanism(const Session& session, const std::string& text, const CompareOptions& options) {
  constexpr std::size_t kStates = 20;
  refuse_for_mechanism(options);
  const std::vector<EulerForm> forms = forms_asked_for(options.formulations);
  const catalog::MechanismScenario scenario = catalog::read_mechanism(text, options.file, session.mesh_places());
  std::optional<io::OutputFolder> folder;
  if (!options.no_report) {
    const std::string path = options.output_folder();
    folder.emplace(path);
    folder->start({.origin = {"compare", std::string(version()), io::way_to(options.file, path), scenario.sha256},
                   .names = {"compare.csv"},
                   .kept = {},
                   .same_scenario = options.folder.empty(),
                   .overwrite = options.overwrite});
  }
  catch_interrupt();
  const FormComparison result =
      comparison::compare_mechanism_forms(scenario.plan, kStates, forms, [] { return !interrupted(); });
  const std::string csv = to_csv(result, {scenario.title, fs::path(options.file).filename().string(), text,
                                          scenario.sha256, std::string(version())});
  std::vector<std::string> files;
  if (!options.csv.empty()) {
    write_file(options.csv, csv);
    if (options.csv != "-") { files.push_back(options.csv); }
  }
  if (folder) {
    if (options.csv.empty()) {
      files.push_back(folder->path_of("compare.csv"));
      write_into(*folder, "compare.csv", csv);
    }
    folder->finish();
  }
  if (session.json) {
    write_json(json_of_forms(result, scenario, files));
  } else if (options.csv != "-") {
    write_out(text_of_forms(result, scenario.title, files));
  }
  if (result.end.ending == simulation::Ending::interrupted) { return interrupted_status(); }
  return result.all_agree() ? kDone : kCheckFailed;
}

}  // namespace polhode::app
