#include "polhode/verification/form_sweep.h"
#include "polhode/verification/identity.h"
#include "polhode/verification/verification.h"

namespace polhode::verification {
namespace {

struct FormSource {
  std::string_view key;
  std::vector<Identity> (*forms)();
};
constexpr FormSource kFormSources[] = {
    {"Sherif2015", forms_sherif},
    {"Bernstein2023", forms_bernstein},
    {"EngineNotes", forms_engine_notes},
    {"SchwabMeijaard2006", forms_schwab_meijaard},
    {"own", forms_own},
};

}  // namespace

Report verify_forms(std::size_t states) {
  Report report{"forms", {}};
  for (const FormSource& source : kFormSources) { check_all(source.forms(), source.key, report); }
  for (Item& item : sweep_forms(states)) { report.items.push_back(std::move(item)); }
  return report;
}

Report describe_forms() {
  Report report{"forms", {}};
  for (const FormSource& source : kFormSources) { describe_all(source.forms(), source.key, report); }
  for (Item& item : sweep_forms(0)) { report.items.push_back(std::move(item)); }
  return report;
}

}  // namespace polhode::verification
