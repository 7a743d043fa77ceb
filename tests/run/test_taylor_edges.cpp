// Edges of the motion that hide in roots and angles, across which a Taylor series goes on and the motion does not.
#include "polhode/polhode.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;

namespace {

Scenario thrown(const char* integrator, double tolerance) {
  Scenario s;
  s.title = "thrown";
  s.body.emplace().inertia.principal_moments = NumberVector{0.3, 0.5, 0.7};
  s.body->inertia.shape.mass = 2.0;
  scenario::Initial& initial = s.initial.emplace();
  initial.rate.w_body = NumberVector{0.5, 0.2, 0.5};
  initial.position = NumberVector{0.0, 0.0, 0.0};
  initial.velocity = NumberVector{0.0, 0.0, 12.0};
  s.load.push_back({.what = force::Gravity{.g_space = NumberVector{0.0, 0.0, -9.81}}});
  s.run.emplace().duration = 3.0;
  s.run->integrator = integrator;
  s.run->tolerance = tolerance;
  return s;
}

}  // namespace

TEST_CASE("taylor passes edges that hide in roots and angles, to its tolerance") {
  for (const int load : {0, 1, 2}) {
    CAPTURE(load);
    const auto height = [&](const char* integrator, double tolerance) {
      Scenario s = thrown(integrator, tolerance);
      if (load == 0) { s.load.push_back({.what = force::Drag{.quadratic = 0.05}}); }  // |v| at the top
      if (load == 1) {
        s.load.push_back({.what = force::Force{.force_space = ExpressionVector{0.0, 0.0, "sqrt((t - 1.1)^2)"}}});
      }
      if (load == 2) {
        s.load.push_back(
            {.what = force::Force{.force_space = ExpressionVector{0.0, 0.0, "atan2(sin(3*t), cos(3*t))"}}});
      }
      return simulate(s).column("rz_space_m").back();
    };
    const double truth = height("dop853", 1e-12);
    CHECK(std::fabs(height("taylor", 1e-9) - truth) < 1e-6);  // without a look at the edge 1e-3 to 1
  }
}
