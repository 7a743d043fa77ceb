// A scenario that its caller carries forward: inputs that stay constant between steps, events, states kept and
// restored.
#include "polhode/core/error.h"
#include "polhode/polhode.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;

namespace {

/// A body that turns about its z axis, 2 kg m², under a moment that is an input.
Scenario spinner() {
  Scenario s;
  s.title = "spinner";
  s.parameters["torque"] = 0.0;
  s.parameters["moment_of_inertia"] = 2.0;
  s.parameters["twice"] = "2*torque";
  s.body.emplace().inertia.principal_moments = NumberVector{1.5, 1.5, "moment_of_inertia"};
  s.initial.emplace().rate.w_body = NumberVector{0.0, 0.0, 1.0};
  s.load.push_back({.what = force::Moment{.moment_body = ExpressionVector{0.0, 0.0, "torque"}}});
  s.run.emplace().duration = 1.0;
  return s;
}

/// A rod on a hinge with a motor whose torque is an input, under gravity.
Scenario motor_rod() {
  return io::ScenarioFile(R"(
title = "rod"
[gravity]
g_space = [0, -9.81, 0]
[parameters]
torque = 0.0
[[bodies]]
name = "rod"
mass = 1
principal_moments = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]
[[joints]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 0, 1]
[[forces]]
kind = "joint_force"
joint = "hinge"
force = "torque"
[[event]]
name = "top"
formula = "hinge_turn - 1"
[run]
duration = 1
)",
                          "rod.toml")
      .scenario();
}

}  // namespace

TEST_CASE("inputs are constant between steps: a spin under steps of torque is the exact one") {
  Simulator plant(spinner());
  CHECK(plant.inputs() == std::vector<std::string>{"torque"});
  CHECK(plant.t() == 0);
  CHECK(plant["wz_body_rad_s"] == 1);
  double w = 1;
  double turned = 0;
  for (int i = 0; i < 40; ++i) {
    const double torque = 0.3 * std::sin(i);
    plant.set("torque", torque);
    CHECK(plant.input("torque") == torque);
    REQUIRE(plant.step(0.25));
    turned += 0.25 * w + 0.5 * 0.0625 * torque / 2;
    w += 0.25 * torque / 2;
  }
  CHECK(plant.t() == doctest::Approx(10).epsilon(1e-14));
  // constant torque over a step: a polynomial in time, which dop853 follows to rounding; the attitude to its tolerance
  CHECK(std::fabs(plant["wz_body_rad_s"] - w) < 1e-13);
  CHECK(std::fabs(2 * std::atan2(plant["e3"], plant["e0"]) - std::remainder(turned, 2 * 3.141592653589793)) < 1e-8);
  // the work of the torquer is in the balance; the wrong twin forgets that the torque changed
  CHECK(std::fabs(plant["energy_balance_J"]) < 1e-8);
  Simulator twin(spinner());
  for (int i = 0; i < 40; ++i) { twin.step(0.25); }
  CHECK(std::fabs(twin["wz_body_rad_s"] - w) > 1e-2);
}

TEST_CASE("steps without changed inputs follow the run that simulate() makes") {
  Scenario s = motor_rod();
  s.run->output_interval = 0.05;
  const Trajectory whole = simulate(s);
  Simulator plant(s);
  for (std::size_t row = 1; row < whole.rows(); ++row) {
    REQUIRE(plant.step(0.05));
    CHECK(plant["hinge.turn_rad"] == doctest::Approx(whole.column("hinge.turn_rad")[row]).epsilon(1e-9));
  }
  CHECK(std::fabs(plant["energy_balance_J"]) < 1e-9);
}

TEST_CASE("a state that was kept is gone on from with the same bits, and reset() begins again") {
  for (const Scenario& scenario : {spinner(), motor_rod()}) {
    Simulator plant(scenario);
    const auto drive = [](Simulator& one, int from, int to) {
      for (int i = from; i < to; ++i) {
        one.set("torque", 3 * std::cos(i));
        REQUIRE(one.step(0.1));
      }
    };
    drive(plant, 0, 10);
    const Simulator::State middle = plant.state();
    const std::vector<double> row_then(plant.row().begin(), plant.row().end());
    drive(plant, 10, 20);
    const std::vector<double> last(plant.row().begin(), plant.row().end());
    Simulator other(scenario);
    other.restore(middle);
    CHECK(other.t() == middle.t);
    CHECK(std::vector<double>(other.row().begin(), other.row().end()) == row_then);
    drive(other, 10, 20);
    CHECK(std::vector<double>(other.row().begin(), other.row().end()) == last);
    plant.reset();
    CHECK(plant.t() == 0);
    CHECK(plant.input("torque") == 0);
    drive(plant, 0, 20);
    CHECK(std::vector<double>(plant.row().begin(), plant.row().end()) == last);
  }
}

TEST_CASE("events act inside a step and are told with it; one that stops ends the run") {
  Scenario s = motor_rod();
  Simulator plant(s);
  plant.set("torque", 20);
  std::size_t seen = 0;
  for (int i = 0; i < 10; ++i) {
    REQUIRE(plant.step(0.1));
    for (const EventRecord& event : plant.events()) {
      ++seen;
      CHECK(event.name == "top");
      CHECK(event.t > plant.t() - 0.1);
      CHECK(event.t <= plant.t());
    }
  }
  CHECK(seen == 1);
  s.event[0].action = "stop";
  Simulator stopped(s);
  stopped.set("torque", 20);
  int steps = 0;
  while (stopped.step(0.1)) { ++steps; }
  CHECK(steps < 10);
  CHECK(stopped.end().ending == simulation::Ending::stopped_by_event);
  CHECK(!stopped.step(0.1));
  stopped.reset();
  CHECK(stopped.step(0.1));
}

TEST_CASE("what cannot be an input, a value or a step is refused, and nothing has changed then") {
  Simulator plant(spinner());
  plant.set("torque", 0.5);
  const auto message = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) { return error.what(); }
    return "no error";
  };
  CHECK(message([&] { plant.set("torqe", 1); }).find("torque") != std::string::npos);
  CHECK(message([&] { plant.set("moment_of_inertia", 1); }).find("body.principal_moments") != std::string::npos);
  CHECK(message([&] { plant.set("twice", 1); }).find("set those that it is made of") != std::string::npos);
  CHECK(message([&] { plant.set("torque", std::nan("")); }).find("finite") != std::string::npos);
  CHECK(message([&] { plant.step(0); }).find("above 0") != std::string::npos);
  CHECK(message([&] { plant.step(-1); }).find("above 0") != std::string::npos);
  CHECK(message([&] { static_cast<void>(plant["wz_body"]); }).find("wz_body_rad_s") != std::string::npos);
  CHECK(plant.input("torque") == 0.5);
  REQUIRE(plant.step(1));
  CHECK(plant["wz_body_rad_s"] == doctest::Approx(1.25).epsilon(1e-12));
  Simulator rod(motor_rod());
  CHECK(message([&] { rod.restore(plant.state()); }).find("the checkpoint is none of this run") != std::string::npos);
}

TEST_CASE("a step that an event stops ends with the row of its instant") {
  Scenario s = spinner();
  s.event.push_back({.name = "fast", .formula = Expression("wz_body - 2"), .action = "stop"});
  Simulator plant(s);
  plant.set("torque", 2);
  CHECK(!plant.step(5));
  CHECK(plant.t() == doctest::Approx(1).epsilon(1e-12));
  CHECK(plant["t_s"] == plant.t());
  CHECK(plant["wz_body_rad_s"] == doctest::Approx(2).epsilon(1e-12));
}

TEST_CASE("a state of another scenario is refused, and nothing has changed then") {
  Scenario many = spinner();
  for (int i = 0; i < 50; ++i) {
    many.event.push_back({.name = "e" + std::to_string(i), .formula = Expression("t - 1")});
  }
  Simulator other(many);
  REQUIRE(other.step(1));
  Simulator plant(spinner());
  plant.set("torque", 0.5);
  REQUIRE(plant.step(1));
  const std::vector<double> row(plant.row().begin(), plant.row().end());
  CHECK_THROWS_AS(plant.restore(other.state()), Error);  // with events that happened and that are none here
  Simulator::State cut = plant.state();
  cut.ledger.pop_back();
  CHECK_THROWS_AS(plant.restore(cut), Error);
  CHECK(plant.t() == 1);
  CHECK(std::vector<double>(plant.row().begin(), plant.row().end()) == row);
  REQUIRE(plant.step(1));
  CHECK(plant["wz_body_rad_s"] == doctest::Approx(1.5).epsilon(1e-12));
}
