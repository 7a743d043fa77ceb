#include "compare_mechanism.h"

#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/comparison/mechanism_forms.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace polhode::app {

int compare_mechanism(const Session& session, const std::string& text, const std::string& file) {
  constexpr std::size_t kStates = 20;
  const catalog::MechanismScenario scenario = catalog::read_mechanism(text, file, session.mesh_places());
  const std::vector<comparison::FormRow> rows = comparison::compare_mechanism_forms(scenario.plan, kStates);
  bool all = true;
  std::string table =
      fmt::format("{}\nreference: Newton-Euler velocities, at {} states along the run\n\n", scenario.title, kStates);
  table += fmt::format("{:<6} {:<8} {:>13} {:>10} {:>12} {:>12} {:>9}  verdict\n", "form", "jacobian", "acceleration",
                       "reactions", "lambda from", "to", "off");
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const comparison::FormRow& row : rows) {
    const bool agrees = row.acceleration <= comparison::kFormsAgree && row.reaction <= comparison::kFormsAgree &&
                        row.multiplier_off <= comparison::kFormsAgree;
    all = all && agrees;
    const char* jacobian = row.raw ? "raw" : "rate";
    table += fmt::format("{:<6} {:<8} {:>13.1e} {:>10.1e} {:>12.4g} {:>12.4g} {:>9.1e}  {}\n", row.form, jacobian,
                         row.acceleration, row.reaction, row.multiplier_least, row.multiplier_most, row.multiplier_off,
                         agrees ? "agrees" : "differs");
    list.push_back({{"form", row.form},
                    {"jacobian", jacobian},
                    {"acceleration_difference", row.acceleration},
                    {"reaction_difference", row.reaction},
                    {"multiplier_least_J", row.multiplier_least},
                    {"multiplier_most_J", row.multiplier_most},
                    {"multiplier_off", row.multiplier_off},
                    {"agrees", agrees}});
  }
  if (session.json) {
    write_json({{"title", scenario.title}, {"states", kStates}, {"rows", list}, {"agree", all}});
  } else {
    write_out(table + (all ? "\nall agree\n" : "\nsome differ\n"));
  }
  return all ? kDone : kCheckFailed;
}

}  // namespace polhode::app
