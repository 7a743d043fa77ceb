#include "compare_mechanism.h"

#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/comparison/comparison.h"
#include "polhode/comparison/mechanism_forms.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace polhode::app {

int compare_mechanism(const Session& session, const std::string& text, const std::string& file) {
  using comparison::Standing;
  constexpr std::size_t kStates = 20;
  const catalog::MechanismScenario scenario = catalog::read_mechanism(text, file, session.mesh_places());
  const std::vector<comparison::FormRow> rows = comparison::compare_mechanism_forms(scenario.plan, kStates);
  std::size_t off = 0;
  std::string table =
      fmt::format("{}\nreference: Newton-Euler velocities, at {} states along the run\n\n", scenario.title, kStates);
  table += fmt::format("{:<6} {:<8} {:>13} {:>10} {:>12} {:>12} {:>9}  verdict\n", "form", "jacobian", "acceleration",
                       "reactions", "lambda from", "to", "off");
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const comparison::FormRow& row : rows) {
    const bool looked = std::isfinite(row.multiplier_least);  // at one state at least
    const bool agrees = looked && row.acceleration <= comparison::kFormsAgree &&
                        row.reaction <= comparison::kFormsAgree && row.multiplier_off <= comparison::kFormsAgree;
    off += agrees ? 0 : 1;
    const char* jacobian = row.raw ? "raw" : "rate";
    table += fmt::format("{:<6} {:<8} {:>13.1e} {:>10.1e} {:>12.4g} {:>12.4g} {:>9.1e}  {}\n", row.form, jacobian,
                         row.acceleration, row.reaction, row.multiplier_least, row.multiplier_most, row.multiplier_off,
                         to_text(agrees ? Standing::agrees : Standing::off));
    list.push_back({{"form", row.form},
                    {"jacobian", jacobian},
                    {"acceleration_difference", row.acceleration},
                    {"reaction_difference", row.reaction},
                    {"multiplier_least_J", row.multiplier_least},
                    {"multiplier_most_J", row.multiplier_most},
                    {"multiplier_off", row.multiplier_off},
                    {"standing", to_text(agrees ? Standing::agrees : Standing::off)},
                    {"agrees", agrees}});
  }
  if (session.json) {
    write_json({{"title", scenario.title},
                {"states", kStates},
                {"rows", list},
                {"all_agree", off == 0},
                {"counts", {{"agrees", rows.size() - off}, {"off", off}}},
                {"agree", off == 0}});
  } else {
    table += fmt::format("\n{} agree", rows.size() - off);
    if (off > 0) { table += fmt::format(", {} off", off); }
    write_out(table + fmt::format(" of {} rows\n", rows.size()));
  }
  return off == 0 ? kDone : kCheckFailed;
}

}  // namespace polhode::app
