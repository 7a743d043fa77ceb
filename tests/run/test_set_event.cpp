// Events that set a parameter of which others are made.
#include "polhode/polhode.h"

#include <doctest/doctest.h>

using namespace polhode;

namespace {

/// ω̇ = b = 2k about x, with J = 1; k goes from 1 to 3 at t = 1.
Scenario body() {
  Scenario s;
  s.title = "step";
  s.parameters["k"] = 1.0;
  s.parameters["b"] = "2*k";
  s.body.emplace().inertia.principal_moments = NumberVector{1.0, 1.0, 1.0};
  s.initial.emplace().rate.w_body = NumberVector{0.0, 0.0, 0.0};
  s.load.push_back({.what = force::Moment{.moment_body = ExpressionVector{"b", 0.0, 0.0}}});
  s.event.push_back(
      {.name = "more", .formula = Expression("t - 1"), .action = "set", .set = Named<Number>{{"k", 3.0}}});
  s.run.emplace().duration = 2.0;
  return s;
}

/// The same about a hinge.
Scenario hinge() {
  Scenario s = body();
  s.body.reset();
  s.initial.reset();
  s.load.clear();
  scenario::Body wheel{.name = "wheel"};
  wheel.inertia.principal_moments = NumberVector{1.0, 1.0, 1.0};
  wheel.inertia.shape.mass = 1.0;
  s.bodies.push_back(wheel);
  s.joints.push_back({.name = "hinge",
                      .kind = "revolute",
                      .bodies = {"ground", "wheel"},
                      .point = NumberVector{0.0, 0.0, 0.0},
                      .axis = NumberVector{1.0, 0.0, 0.0}});
  force::JointForce push;
  push.on.joint = "hinge";
  push.force = Expression("b");
  s.forces.push_back({.what = push});
  return s;
}

std::string what_is_wrong_with(const Scenario& scenario) {
  try {
    static_cast<void>(simulate(scenario));
  } catch (const Error& error) { return error.what(); }
  return "nothing";
}

}  // namespace

TEST_CASE("a parameter that is a formula of one that an event sets follows it") {
  // 2 rad/s after the first second, and 6 more after the second; 4 in all if b stayed what it was
  CHECK(simulate(body()).column("wx_body_rad_s").back() == doctest::Approx(8).epsilon(1e-9));
  CHECK(simulate(hinge()).column("hinge.turn_rad_s").back() == doctest::Approx(8).epsilon(1e-9));
}

TEST_CASE("a parameter that was given as a number stays, whatever its formula in the scenario") {
  CHECK(simulate(body(), {.parameters = {{"b", 2.0}}}).column("wx_body_rad_s").back() ==
        doctest::Approx(4).epsilon(1e-9));
  CHECK(simulate(hinge(), {.parameters = {{"b", 2.0}}}).column("hinge.turn_rad_s").back() ==
        doctest::Approx(4).epsilon(1e-9));
}

TEST_CASE("an event cannot set what is a formula, nor what shapes the model through one") {
  Scenario formula = body();
  formula.event[0].set = Named<Number>{{"b", 3.0}};
  CHECK(what_is_wrong_with(formula).find("'b' is the formula \"2*k\" of other parameters") != std::string::npos);
  Scenario shaped = hinge();
  shaped.bodies[0].inertia.principal_moments = NumberVector{"b", "b", "b"};
  const std::string told = what_is_wrong_with(shaped);
  CAPTURE(told);
  CHECK(told.find("'k' is a part of bodies[0].principal_moments[0] (through 'b'), which an event cannot change") !=
        std::string::npos);
}
