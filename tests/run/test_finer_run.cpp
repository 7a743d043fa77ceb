// What is suggested after a certificate that says no.
#include "polhode/integrator/integrator.h"
#include "polhode/run/run_folder.h"
#include "polhode/simulation/one_body.h"

#include <doctest/doctest.h>

#include <string>

using namespace polhode;

TEST_CASE("a finer tolerance is suggested only where it can still be certified") {
  simulation::Certificate certificate;
  certificate.accuracy = 1e-6;
  certificate.attitude_error = 1e-3;
  for (const auto& method : integrators<double>()) {
    if (!method->description().adaptive) { continue; }
    CAPTURE(method->description().name);
    simulation::OneBodyPlan plan;
    plan.integrator = method->description().name;
    // as long as something is suggested, follow it
    int rounds = 0;
    for (plan.relative_tolerance = 1e-6; rounds < 20; ++rounds) {
      const std::string next = run::finer_run(plan, certificate);
      if (next.empty()) { break; }
      REQUIRE(next.starts_with("tolerance = "));
      const double tolerance = std::stod(next.substr(12));
      CHECK(tolerance < plan.relative_tolerance);
      CHECK(tolerance >= 9.99 * method->description().least_tolerance);  // two digits are shown
      plan.relative_tolerance = tolerance;
    }
    CHECK(rounds > 0);
    CHECK(rounds < 20);
  }
}
