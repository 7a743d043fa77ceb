// A scenario, from any bytes: read as a file where they are one, and filled key by key with what they say; written as
// TOML it reads back equal, with the same hash.
#include "fuzz/fuzz.h"
#include "polhode/io/scenario_toml.h"
#include "support/any_scenario.h"

#include <cstdlib>

using namespace polhode;

namespace {

void must_read_back(const Scenario& scenario) {
  const std::string text = io::to_toml(scenario);
  const io::ScenarioFile again(text, "fuzz.toml");
  if (!again.problems().empty() || !(again.scenario() == scenario) || io::to_toml(again.scenario()) != text ||
      io::hash_of(again.scenario()) != io::hash_of(scenario)) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::size_t at = 0;
  const auto choose = [&](std::size_t n) {
    std::size_t number = 0;
    for (std::size_t reach = 1; reach < n && at < size; reach *= 256) { number = 256 * number + data[at++]; }
    return number % n;
  };
  must_read_back(test::AnyScenario(choose)());
  return test::must_not_break(data, size, [](std::string_view bytes) {
    const io::ScenarioFile file(bytes, "fuzz.toml");
    if (file.problems().empty()) { must_read_back(file.scenario()); }
  });
}
