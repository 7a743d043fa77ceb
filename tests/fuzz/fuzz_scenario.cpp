// Any bytes as a scenario file, of one body or of a mechanism: read, made into a run, and its first rates taken.
#include "fuzz/fuzz.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/catalog/scenario.h"

using namespace polhode;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return test::must_not_break(data, size, [](std::string_view bytes) {
    if (catalog::is_mechanism(bytes, "fuzz.toml")) {
      const catalog::MechanismScenario scenario = catalog::read_mechanism(bytes, "fuzz.toml");
      const MechanismSystem system(*scenario.plan.model);
      std::vector<double> ydot(system.size());
      system.rhs(0, scenario.plan.start, ydot);
      return;
    }
    const catalog::OneBodyScenario scenario = catalog::read_scenario(bytes, "fuzz.toml");
    const BodySystem<double> system(scenario.plan.form(), scenario.plan.body);
    std::vector<double> y(system.size());
    system.set_state(scenario.plan.start, y);
    std::vector<double> ydot(system.size());
    system.rhs(0, y, ydot);
  });
}
