// A mechanism that can be closed is not told to be torn apart, whatever the tolerance or the step.
#include "polhode/catalog/examples.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "support/files.h"
#include "support/sinks.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace polhode;

TEST_CASE("every mechanism among the examples runs at every tolerance, and by fixed steps") {
  struct Way {
    const char* integrator;
    double tolerance;
    double step;
  };
  std::vector<Way> ways;
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12}) { ways.push_back({"dop853", tolerance, 0}); }
  ways.push_back({"dopri5", 1e-4, 0});
  ways.push_back({"extrapolation", 1e-5, 0});
  for (const char* method : {"rk4", "gauss4", "gauss6", "lie-midpoint"}) { ways.push_back({method, 1e-10, 0.01}); }
  std::size_t mechanisms = 0;
  for (const catalog::Example& example : catalog::examples()) {
    if (!catalog::is_mechanism(example.text, std::string(example.name))) { continue; }
    ++mechanisms;
    CAPTURE(std::string(example.name));
    catalog::MechanismScenario scenario = catalog::read_mechanism(example.text, std::string(example.name));
    simulation::MechanismPlan& plan = scenario.plan;
    plan.duration = std::min(plan.duration, 0.5);
    plan.output_interval = plan.duration / 5;
    for (const Way& way : ways) {
      CAPTURE(way.integrator);
      CAPTURE(way.tolerance);
      plan.integrator = way.integrator;
      plan.step = way.step;
      plan.relative_tolerance = plan.absolute_tolerance = way.tolerance;
      test::EventTimes sink;
      const simulation::MechanismOutcome outcome = simulation::MechanismSimulation(plan).run(sink);
      CHECK_MESSAGE(outcome.ending == simulation::Ending::done, outcome.message);
    }
  }
  CHECK(mechanisms > 10);
}

TEST_CASE("a double pendulum at tolerance 1e-6 runs to its end") {
  const std::string file = std::string(POLHODE_SOURCE_DIR) + "/tests/cases/attack/dp-1e-6.toml";
  const catalog::MechanismScenario scenario = catalog::read_mechanism(test::text_of(file), file);
  test::EventTimes sink;
  const simulation::MechanismOutcome outcome = simulation::MechanismSimulation(scenario.plan).run(sink);
  CHECK_MESSAGE(outcome.ending == simulation::Ending::done, outcome.message);
  CHECK(outcome.ledger.position_error < 1e-10);
}
