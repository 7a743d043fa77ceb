// Wheels beside other loads, names of what acts, copies.
#include "polhode/polhode.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;

namespace {

Scenario one_body() {
  Scenario s;
  s.title = "one";
  s.body.emplace().inertia.principal_moments = NumberVector{1.0, 2.0, 2.5};
  s.initial.emplace().rate.w_body = NumberVector{0.5, 0.2, 0.5};
  s.run.emplace().duration = 20.0;
  return s;
}
Scenario mechanism() {
  Scenario s;
  s.title = "many";
  scenario::Body bus{.name = "bus"};
  bus.inertia.principal_moments = NumberVector{1.0, 2.0, 2.5};
  bus.inertia.shape.mass = 1.0;
  bus.rate.w_body = NumberVector{0.5, 0.2, 0.5};
  s.bodies.push_back(bus);
  s.run.emplace().duration = 20.0;
  return s;
}
force::Wheel wheel(const char* body) {
  return {.body = body, .axis_body = NumberVector{1.0, 1.0, 0.0}, .momentum = 3.0};
}
std::string refused(const Scenario& scenario) {
  try {
    static_cast<void>(simulate(scenario));
  } catch (const Error& error) { return error.what(); }
  return {};
}

}  // namespace

TEST_CASE("an energy sink takes no angular momentum from a body with a wheel at constant speed, and takes energy") {
  const double side = 3 / std::sqrt(2.0);
  for (const bool alone : {true, false}) {
    CAPTURE(alone);
    Scenario s = alone ? one_body() : mechanism();
    const char* body = alone ? "" : "bus";
    std::vector<scenario::Acting>& acting = alone ? s.load : s.forces;
    acting.push_back({.what = wheel(body)});
    acting.push_back({.what = force::EnergySink{.body = body, .coefficient = 0.05}});
    const Trajectory run = simulate(s);
    const std::string of = alone ? "" : "bus.";
    const auto& x = run.column(of + "wx_body_rad_s");
    const auto& y = run.column(of + "wy_body_rad_s");
    const auto& z = run.column(of + "wz_body_rad_s");
    const auto h = [&](std::size_t i) { return std::hypot(x[i] + side, 2 * y[i] + side, 2.5 * z[i]); };
    const auto T = [&](std::size_t i) { return 0.5 * (x[i] * x[i] + 2 * y[i] * y[i] + 2.5 * z[i] * z[i]); };
    const std::size_t last = x.size() - 1;
    CHECK(std::fabs(h(last) - h(0)) < 1e-8);  // tolerance 1e-10 over 20 s
    CHECK(T(last) < T(0) - 1e-2);
  }
}

TEST_CASE("an energy sink beside a wheel whose speed changes is refused") {
  for (const bool alone : {true, false}) {
    Scenario s = alone ? one_body() : mechanism();
    const char* body = alone ? "" : "bus";
    std::vector<scenario::Acting>& acting = alone ? s.load : s.forces;
    acting.push_back(
        {.what = force::ReactionWheel{.body = body, .axis_body = NumberVector{0.0, 0.0, 1.0}, .inertia = 0.1}});
    acting.push_back({.what = force::EnergySink{.body = body, .coefficient = 0.05}});
    CHECK(refused(s).find("energy sink in a body with a reaction wheel") != std::string::npos);
  }
}

TEST_CASE("the momentum of a wheel at constant speed cannot be set during a run") {
  for (const bool alone : {true, false}) {
    CAPTURE(alone);
    Scenario s = alone ? one_body() : mechanism();
    s.parameters["h"] = 1.0;
    force::Wheel own = wheel(alone ? "" : "bus");
    own.momentum = "h";
    (alone ? s.load : s.forces).push_back({.what = own});
    CHECK(refused(s).empty());
    s.event.push_back(
        {.name = "up", .formula = Expression("t - 1"), .action = "set", .set = Named<Number>{{"h", 5.0}}});
    CHECK(refused(s).find("momentum") != std::string::npos);
  }
}

TEST_CASE("what acts without a name is called by its kind and its number among those of its kind") {
  Scenario s = mechanism();
  force::Force both;
  both.body = "bus";
  both.force_space = ExpressionVector{1.0, 0.0, 0.0};
  both.moment_space = ExpressionVector{0.1, 0.0, 0.0};
  force::Force second;
  second.body = "bus";
  second.force_space = ExpressionVector{0.0, 0.0, 7.0};
  s.forces.push_back({.what = both});
  s.forces.push_back({.what = second});
  s.forces.push_back({.what = force::Damping{.body = "bus", .linear = 0.1}});
  s.output.emplace().columns = {"t_s", "force-*", "damping-*"};
  const Trajectory run = simulate(s);
  CHECK(run.column("force-1.fx_space_N").front() == 1);
  CHECK(run.column("force-1.mx_space_Nm").front() == 0.1);
  CHECK(run.column("force-2.fz_space_N").front() == 7);
  CHECK(run.column("damping-1.fx_space_N").front() == 0);
}

TEST_CASE("copies: one copy has its number too, and formulas know the number of the copy") {
  for (const double n : {1.0, 3.0}) {
    Scenario s = mechanism();
    s.parameters["n"] = n;
    s.bodies[0].name = "rod";
    s.bodies[0].copies.copies = "n";
    s.bodies[0].copies.copy_offset = NumberVector{10.0, 0.0, 0.0};
    force::Moment brake;
    brake.body = "rod{i}";
    brake.moment_body = ExpressionVector{0.0, 0.0, "-rod{i}_wz_body"};
    s.forces.push_back({.name = "brake{i}", .copies = {.copies = "n"}, .what = brake});
    const Trajectory run = simulate(s);
    CHECK(std::fabs(run.column("rod1.wz_body_rad_s").back()) < 0.1);
  }
}

TEST_CASE("an input that is a formula of another has followed it") {
  Scenario s = one_body();
  s.parameters["k"] = 1.0;
  s.parameters["c"] = "2*k";
  s.load.push_back({.what = force::Moment{.moment_body = ExpressionVector{"c", 0.0, 0.0}}});
  Simulator simulator(s);
  simulator.set("k", 3);
  CHECK(simulator.input("c") == 6);
}

TEST_CASE("an event whose name has a line break is refused") {
  Scenario s = one_body();
  s.event.push_back({.name = "two\nlines", .formula = Expression("t - 1")});
  CHECK(refused(s).find("line break") != std::string::npos);
}
