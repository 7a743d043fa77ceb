// Formulas in Euler parameters: one sign of e, whatever the form carries.
#include "polhode/catalog/scenario.h"
#include "polhode/simulation/certificate.h"
#include "polhode/simulation/simulation.h"
#include "support/files.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;

namespace {

class SignRows final : public simulation::Sink {
 public:
  bool row(std::span<const double> row) override {
    rows.emplace_back(row.begin(), row.end());
    return true;
  }
  bool event(const simulation::EventOccurrence&) override { return true; }
  bool go_on() override { return true; }
  bool checkpoint(const simulation::Snapshot& s) override {
    snapshots.push_back(s);
    return true;
  }
  std::vector<std::vector<double>> rows;
  std::vector<simulation::Snapshot> snapshots;
};

}  // namespace

TEST_CASE("a formula in Euler parameters means the same in every form, also where charts are switched") {
  const std::string file = std::string(POLHODE_SOURCE_DIR) + "/tests/cases/attack/qfeedback.toml";
  catalog::OneBodyScenario scenario = catalog::read_scenario(test::text_of(file), file);
  simulation::OneBodyPlan& plan = scenario.plan;
  plan.rows_per_checkpoint = 100;
  for (const double faster : {1.0, 8.0}) {
    CAPTURE(faster);
    plan.start.w_B = Vec3<double>{0.3 * faster, 0.2 * faster, -0.4 * faster};
    plan.body.least_chart_distance = 0;
    plan.formulation = "euler-body";
    SignRows reference;
    simulation::Simulation(plan).run(reference);
    // e and −e turn the body to either end: where the sign counts
    CHECK(std::fabs(std::fabs(reference.rows.back()[1]) - 1) < 1e-2);
    std::size_t compared = 0;
    std::size_t switches = 0;
    for (const auto& form : formulations<double>()) {
      CAPTURE(form->description().name);
      plan.formulation = form->description().name;
      plan.body.least_chart_distance = form->description().singularity.empty() ? 0 : 0.5;
      SignRows own;
      simulation::Outcome outcome;
      try {
        outcome = simulation::Simulation(plan).run(own);
      } catch (const Error&) { continue; }  // the start is at a chart's singularity
      switches += outcome.statistics.chart_switches;
      REQUIRE(own.rows.size() == reference.rows.size());
      for (std::size_t i = 0; i < own.rows.size(); i += 10) {
        // the very e, not −e: the sign of the start is kept, and e is continuous
        for (std::size_t k = 1; k <= 4; ++k) { CHECK(std::fabs(own.rows[i][k] - reference.rows[i][k]) < 1e-6); }
      }
      const simulation::Snapshot& middle = own.snapshots[own.snapshots.size() / 2];
      SignRows rest;
      simulation::Simulation(plan).resume(middle, rest);
      CHECK(rest.rows.back() == own.rows.back());
      ++compared;
    }
    CHECK(compared > 40);
    if (faster > 1) { CHECK(switches > 20); }
  }
}
