// Runs of mechanisms: rows, ledger, events, checkpoints, certificate; and where they start.
#include "multibody/random_mechanism.h"
#include "polhode/core/error.h"
#include "polhode/simulation/assembly.h"
#include "polhode/simulation/certificate.h"
#include "polhode/simulation/mechanism.h"
#include "support/sinks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace polhode;
using simulation::Assembly;
using simulation::MechanismPlan;
using simulation::Simulation;
using simulation::StartValue;

namespace {

constexpr double kG = 9.81;

using test::Keeper;

BodyStart at_position(const Vec3<double>& r_N) {
  BodyStart start;
  start.r_N = r_N;
  return start;
}

/// Rods of 1 m hanging from each other, hinges about y.
ModelBuilder pendulum(int rods) {
  ModelBuilder builder;
  builder.gravity({0, 0, -kG});
  BodyId last = kGround;
  for (int i = 0; i < rods; ++i) {
    const BodyId next = builder.body("rod" + std::to_string(i), from_principal_moments(1, {1.0 / 12, 1.0 / 12, 1e-3}),
                                     at_position({0, 0, -0.5 - i}));
    builder.joint_at("revolute", "hinge" + std::to_string(i), last, next, {0, 0, -1.0 * i}, {0, 1, 0});
    last = next;
  }
  return builder;
}

/// A crank of 1 m, a coupler of 3 m, a rocker of 2 m: a loop in the plane across y.
ModelBuilder four_bar() {
  ModelBuilder builder;
  builder.gravity({0, 0, -kG});
  const MassProperties bar = from_principal_moments(1, {0.1, 0.1, 0.1});
  const BodyId crank = builder.body("crank", bar, at_position({0, 0, 0.5}));
  const BodyId coupler = builder.body("coupler", bar, at_position({1.5, 0, 1.5}));
  const BodyId rocker = builder.body("rocker", bar, at_position({3, 0, 1}));
  builder.joint_at("revolute", "a", kGround, crank, {0, 0, 0}, {0, 1, 0});
  builder.joint_at("revolute", "b", crank, coupler, {0, 0, 1}, {0, 1, 0});
  builder.joint_at("revolute", "c", coupler, rocker, {3, 0, 2}, {0, 1, 0});
  builder.joint_at("revolute", "d", kGround, rocker, {3, 0, 0}, {0, 1, 0});
  return builder;
}

std::vector<simulation::GivenVelocity> nothing_given(const ModelBuilder& builder) {
  return std::vector<simulation::GivenVelocity>(builder.build().body_count());
}

MechanismPlan plan_of(const ModelBuilder& builder, const std::vector<StartValue>& starts, double duration) {
  MechanismPlan plan;
  const Assembly start = simulation::assemble(builder, starts, {}, nothing_given(builder));
  REQUIRE(start.failure == "");
  plan.model = std::make_shared<const Model>(builder.build());
  plan.start = start.y;
  plan.duration = duration;
  plan.output_interval = duration / 50;
  return plan;
}

double turn_of(const Model& model, std::span<const double> y, int joint) {
  return model.coordinates(y, joint)[0].value;
}

StartValue turn(int joint, std::optional<double> value, std::optional<double> rate = {}) {
  return {joint, Coordinate::turn, value, rate};
}

}  // namespace

TEST_CASE("at the start, joints have the coordinates and rates asked for, and what hangs on them follows") {
  const ModelBuilder builder = pendulum(3);
  const Assembly start = simulation::assemble(builder, {turn(0, 2.5, 1.0), turn(1, -0.7)}, {}, nothing_given(builder));
  const Model model = builder.build();
  CHECK(turn_of(model, start.y, 0) == doctest::Approx(2.5).epsilon(1e-12));
  CHECK(turn_of(model, start.y, 1) == doctest::Approx(-0.7).epsilon(1e-12));
  CHECK(std::fabs(turn_of(model, start.y, 2)) < 1e-12);  // not asked for: as drawn
  for (int j = 0; j < 3; ++j) {
    CHECK(model.coordinates(start.y, j)[0].rate == doctest::Approx(j == 0 ? 1.0 : 0.0).epsilon(1e-12));
  }
  Scratch scratch(model);
  CHECK(residuals(model, 0, start.y, scratch).position < 1e-12);
  CHECK(residuals(model, 0, start.y, scratch).velocity < 1e-12);
  for (const Assembly::Move& move : start.closing) { CHECK(move.distance < 1e-12); }
}

TEST_CASE("a loop follows one of its joints to where that is asked to be, half a turn away") {
  const ModelBuilder builder = four_bar();
  const Assembly start = simulation::assemble(builder, {turn(0, 3.0, 2.0)}, {}, nothing_given(builder));
  REQUIRE(start.failure == "");
  const Model model = builder.build();
  CHECK(turn_of(model, start.y, 0) == doctest::Approx(3.0).epsilon(1e-12));
  CHECK(model.coordinates(start.y, 0)[0].rate == doctest::Approx(2.0).epsilon(1e-12));
  Scratch scratch(model);
  CHECK(residuals(model, 0, start.y, scratch).position < 1e-11);
  CHECK(residuals(model, 0, start.y, scratch).velocity < 1e-11);
}

TEST_CASE("a loop that cannot close is told with the joint that is left open") {
  ModelBuilder builder = four_bar();
  const BodyId far = builder.body("far", from_principal_moments(1, {0.1, 0.1, 0.1}), at_position({0, 0, 9}));
  // a bar of 1 m between points that are 7 m apart
  builder.joint("revolute", "e", kGround, {{0, 0, 9}, {1, {0, 0, 0}}}, far, {{-0.5, 0, 0}, {1, {0, 0, 0}}});
  builder.joint("revolute", "f", kGround, {{7, 0, 9}, {1, {0, 0, 0}}}, far, {{0.5, 0, 0}, {1, {0, 0, 0}}});
  const Assembly start = simulation::assemble(builder, {}, {}, nothing_given(builder));
  CHECK((start.failure.find("joint 'e'") != std::string::npos || start.failure.find("joint 'f'") != std::string::npos));
  CHECK(start.open_joint >= 4);
}

TEST_CASE("what floats is put where its start says, with all that hangs on it") {
  ModelBuilder builder;
  const MassProperties ball = from_principal_moments(1, {1, 1, 1}, {0, 0, 0.1});
  const BodyId a = builder.body("a", ball, at_position({0, 0, 0}));
  const BodyId b = builder.body("b", ball, at_position({2, 0, 0}));
  builder.joint_at("revolute", "j", a, b, {1, 0, 0}, {0, 0, 1});
  const EulerParameters<double> quarter{std::sqrt(0.5), {0, 0, std::sqrt(0.5)}};
  const Assembly start =
      simulation::assemble(builder, {}, {{a, Vec3<double>{5, 0, 0}, quarter}}, nothing_given(builder));
  const Model model = builder.build();
  CHECK(norm(model.point_N(start.y, a, {}) - Vec3<double>{5, 0, 0}) < 1e-14);
  CHECK(norm(model.point_N(start.y, b, {}) - Vec3<double>{5, 2, 0}) < 1e-14);
  CHECK(simulation::FloatingGroups(model).with(b).size() == 2);
  CHECK(simulation::FloatingGroups(pendulum(2).build()).with(1).empty());
}

TEST_CASE("whatever part of an allowed motion is given is kept, and the rest is an allowed motion too") {
  test::Random random(41);
  int moving = 0;
  for (int n = 0; n < 60; ++n) {
    CAPTURE(n);
    test::RandomOptions options;
    options.bodies = 5;
    options.loops = n % 4;
    options.floating = n % 3 == 0;
    const ModelBuilder builder = test::random_mechanism(random, options);
    const Model model = builder.build();
    const std::vector<double> y = test::consistent_start(model);
    Scratch scratch(model);
    double fastest = 0;
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      fastest = std::fmax(fastest, norm(Model::view(y, static_cast<BodyId>(b)).v_N));
    }
    if (fastest < 1e-6) { continue; }  // it cannot move: what is left of velocities is rounding
    ++moving;
    std::vector<simulation::GivenVelocity> given(model.body_count());
    for (std::size_t b = 0; b < given.size(); ++b) {
      const BodyView body = Model::view(y, static_cast<BodyId>(b));
      if (random.between(0, 1) < 0.4) { given[b].v_N = body.v_N; }
      given[b].w_in_space = random.between(0, 1) < 0.5;
      if (random.between(0, 1) < 0.4) { given[b].w = given[b].w_in_space ? rotate(body.e_NB, body.w_B) : body.w_B; }
    }
    const Assembly start = simulation::assemble(builder, {}, {}, given);
    REQUIRE(start.failure == "");
    if (start.largest_speed > 1e-9) { CHECK(start.changes.empty()); }  // less is rounding: what moves was not given
    const double enough = 1e-10 * (start.largest_speed + 1e-3);  // rounding, through joints at small angles to others
    for (std::size_t b = 0; b < given.size(); ++b) {
      const BodyView body = Model::view(start.y, static_cast<BodyId>(b));
      if (given[b].v_N) { CHECK(norm(body.v_N - *given[b].v_N) < enough); }
      if (given[b].w) {
        CHECK(norm((given[b].w_in_space ? rotate(body.e_NB, body.w_B) : body.w_B) - *given[b].w) < enough);
      }
    }
    CHECK(residuals(model, 0, start.y, scratch).velocity < enough);
  }
  CHECK(moving > 40);
}

TEST_CASE("given velocities that no motion has become those of a motion, and each change is told") {
  test::Random random(42);
  int changed = 0;
  for (int n = 0; n < 40; ++n) {
    CAPTURE(n);
    test::RandomOptions options;
    options.bodies = 4;
    options.loops = n % 3;
    const ModelBuilder builder = test::random_mechanism(random, options);
    const Model model = builder.build();
    std::vector<simulation::GivenVelocity> given(model.body_count());
    for (simulation::GivenVelocity& one : given) {
      one.v_N = random.vector(1);
      if (n % 2 == 0) { one.w = random.vector(1); }
    }
    const Assembly start = simulation::assemble(builder, {}, {}, given);
    Scratch scratch(model);
    CHECK(residuals(model, 0, start.y, scratch).velocity < 1e-10 * (start.largest_speed + 1e-3));
    for (const Assembly::Change& change : start.changes) {
      const BodyView body = Model::view(start.y, static_cast<BodyId>(change.index));
      CHECK((change.used == (change.of == Assembly::Change::Of::velocity ? body.v_N : body.w_B)));
      CHECK(change.speed > 0);
      ++changed;
    }
  }
  CHECK(changed > 40);
}

TEST_CASE("assemble refuses what does not fit its bodies and joints") {
  const ModelBuilder builder = pendulum(2);
  const auto given = nothing_given(builder);
  CHECK_THROWS_WITH_AS(simulation::assemble(builder, {}, {}, {}),
                       "velocities of 0 bodies are given for 2; wanted: one entry a body, empty where nothing is given",
                       Error);
  CHECK_THROWS_AS(simulation::assemble(builder, {turn(7, {})}, {}, given), Error);
  CHECK_THROWS_AS(simulation::assemble(builder, {}, {{5, Vec3<double>{}, {}}}, given), Error);
  CHECK_THROWS_AS(simulation::assemble(builder, {}, {{1, Vec3<double>{}, {}}}, given), Error);  // hangs on ground
  auto not_finite = given;
  not_finite[1].v_N = Vec3<double>{0, std::nan(""), 0};
  CHECK_THROWS_AS(simulation::assemble(builder, {}, {}, not_finite), Error);
}

TEST_CASE("energy supplied, lost and kept balance: motor, driver, damper and spring") {
  // a damped elbow, a driven shoulder
  ModelBuilder builder = pendulum(2);
  const ModelBuilder bare = builder;
  builder.add(JointSpring{.joint = 1, .stiffness = 3, .damping = 0.4});
  builder.add(Driver{"drive", 0, Coordinate::turn, [](double t) {
                       return std::array<double, 3>{0.5 * std::sin(2 * t), std::cos(2 * t), -2 * std::sin(2 * t)};
                     }});
  MechanismPlan plan = plan_of(bare, {turn(0, 0.0, 1.0)}, 3);
  plan.model = std::make_shared<const Model>(builder.build());
  Simulation simulation(plan);
  Keeper keeper;
  const simulation::Outcome outcome = simulation.run(keeper);
  CHECK(outcome.ending == simulation::Ending::done);
  CHECK(outcome.ledger.dissipated > 0.01);
  CHECK(std::fabs(outcome.ledger.supplied) > 0.01);
  CHECK(outcome.ledger.energy_error < 1e-8);  // tolerance 1e-10, and Gauss' formula between rows
  CHECK(outcome.ledger.position_error < 1e-9);
  CHECK(outcome.ledger.velocity_error < 1e-8);
  CHECK(outcome.ledger.acceleration_error < 1e-9);
  CHECK(keeper.rows.size() == simulation.rows());
  CHECK(keeper.rows[0].size() == simulation.columns().size());
  // the wrong twin: without the driver's work there is no balance
  CHECK(std::fabs(energy(*plan.model, outcome.y).total() + outcome.ledger.dissipated - outcome.ledger.energy_start) >
        0.01);
  CHECK(simulation::certificate_of(plan, outcome).verdict == simulation::Verdict::not_established);
}

namespace {

/// Two wheels on ground, geared 2 : teeth with the constant 0.1, and a slide; a driver holds wheel or slide.
Model geared(double teeth, const std::function<void(ModelBuilder&)>& add = {}) {
  ModelBuilder builder;
  const MassProperties mass = from_principal_moments(1, {0.1, 0.1, 0.2});
  const BodyId first = builder.body("first", mass, at_position({0, 0, 0}));
  const BodyId second = builder.body("second", mass, at_position({3, 0, 0}));
  const BodyId third = builder.body("third", mass, at_position({0, 5, 0}));
  builder.joint_at("revolute", "a", kGround, first, {0, 0.2, 0}, {0, 0, 1});
  builder.joint_at("revolute", "b", kGround, second, {3, 0.4, 0}, {0, 0, 1});
  builder.joint_at("prismatic", "c", kGround, third, {0, 5, 0}, {0, 0, 1});
  builder.add(Coupling{"gears", 0, Coordinate::turn, 2, 1, Coordinate::turn, teeth, 0.1});
  builder.add(Wrench{first, {}, {0.3, 0.2, 0.1}, {0.1, 0.2, 0.7}, false, {}});
  builder.add(Wrench{third, {}, {0.3, 0.2, 0.6}, {}, false, {}});
  if (add) { add(builder); }
  return builder.build();
}

}  // namespace

TEST_CASE(
    "gaps of drivers and couplings are lengths: the error of the coordinate, angles times the length of the model") {
  const Model gears = geared(3);
  const std::vector<double> y = gears.start();  // all coordinates zero, and 2 q1 + 3 q2 should be 0.1
  REQUIRE(gears.length() == doctest::Approx(0.4));
  CHECK(simulation::widest_gap(gears, 0, y) == "coupling 'gears' has an error of 0.0133 m");  // 0.1/3 · 0.4
  const auto with_driver = [](int joint, Coordinate coordinate) {
    return geared(3, [=](ModelBuilder& builder) {
      builder.add(Driver{"motor", joint, coordinate, [](double t) { return std::array<double, 3>{0.7 * t, 0.7, 0}; }});
    });
  };
  const Model turned = with_driver(0, Coordinate::turn);
  CHECK(simulation::widest_gap(turned, 1, y) == "driver 'motor' of joint 'a' has an error of 0.28 m");  // 0.7 · 0.4
  CHECK(simulation::widest_gap(turned, 0, y) == "coupling 'gears' has an error of 0.0133 m");
  const Model slid = with_driver(2, Coordinate::slide_z);
  CHECK(simulation::widest_gap(slid, -1, y) == "driver 'motor' of joint 'c' has an error of 0.7 m");
  // a joint that is open, beside them
  std::vector<double> open = y;
  open[1] += 0.25;
  CHECK(simulation::widest_gap(slid, 0, open) == "joint 'a' (revolute) is open by 0.25 m");
}

TEST_CASE("the residual of accelerations is what a driver or a coupling asks for and does not get, as a length") {
  const auto coordinate = [](std::span<const double> ydot, int joint) {
    // all at rest along z: the rate of the rate is that of the body
    return joint < 2 ? ydot[13 * static_cast<std::size_t>(joint) + 12] : ydot[13 * 2 + 9];
  };
  for (const int joint : {0, 2}) {
    const Model model = geared(3, [joint](ModelBuilder& builder) {
      builder.add(Driver{"motor", joint, joint == 2 ? Coordinate::slide_z : Coordinate::turn,
                         [](double t) { return std::array<double, 3>{0, 0, t}; }});
    });
    std::vector<double> y = model.start();
    std::vector<double> ydot(y.size());
    Scratch scratch(model);
    evaluate(model, 0.5, y, ydot, scratch);
    CHECK(coordinate(ydot, joint) == doctest::Approx(0.5));
    CHECK(simulation::acceleration_residual(model, 0.5, y, scratch) < 1e-13);
    // evaluated for the law at 0.5, asked for that at 2
    const double unit = joint == 2 ? 1 : 0.4;
    CHECK(simulation::acceleration_residual(model, 2, y, scratch) == doctest::Approx(1.5 * unit));
  }
  // evaluated with 3 teeth, asked for 4: 2 q̈1 + 4 q̈2 is q̈2, over the larger number of teeth
  const Model three = geared(3);
  const std::vector<double> y = three.start();
  std::vector<double> ydot(y.size());
  Scratch scratch(three);
  evaluate(three, 0, y, ydot, scratch);
  const double second = coordinate(ydot, 1);
  CHECK(std::fabs(second) > 0.1);
  CHECK(2 * coordinate(ydot, 0) == doctest::Approx(-3 * second));
  CHECK(simulation::acceleration_residual(geared(4), 0, y, scratch) == doctest::Approx(std::fabs(second) * 0.4 / 4));
}

TEST_CASE("a small pendulum has the period that its inertia says") {
  MechanismPlan plan = plan_of(pendulum(1), {turn(0, 1e-3)}, 10);
  simulation::MechanismEvent event;
  event.name = "lowest";
  event.direction = 1;
  event.function = [&](const MechanismView& now) { return turn_of(*plan.model, now.y, 0); };
  plan.events.push_back(event);
  Keeper keeper;
  Simulation(plan).run(keeper);
  REQUIRE(keeper.times.size() >= 3);
  const double period = 2 * math::kPi<double> * std::sqrt((1.0 / 12 + 0.25) / (kG * 0.5));
  // the amplitude of 1e-3 lengthens it by a part 1e-6/16; tolerance 1e-10 lets some 2e-9 through
  CHECK(std::fabs((keeper.times[2] - keeper.times[1]) / period - 1) < 1e-6 / 16 * 1.1);
  CHECK(std::fabs((keeper.times[2] - keeper.times[1]) / period - 1) > 1e-6 / 16 * 0.9);
}

TEST_CASE("a run that goes on from a checkpoint gives the same bits") {
  MechanismPlan plan = plan_of(four_bar(), {turn(0, 1.0, 3.0)}, 2);
  plan.rows_per_checkpoint = 10;
  Keeper whole;
  const simulation::Outcome at_once = Simulation(plan).run(whole);
  REQUIRE(whole.snapshots.size() > 3);
  Keeper rest;
  const simulation::Outcome resumed = Simulation(plan).resume(whole.snapshots[2], rest);
  CHECK(resumed.y == at_once.y);
  CHECK(resumed.ledger.energy_error == at_once.ledger.energy_error);
  CHECK(rest.rows.back() == whole.rows.back());
  CHECK(rest.rows.front() == whole.rows[whole.rows.size() - rest.rows.size()]);
}

TEST_CASE("a driver that the loop cannot follow stops the run, with the time and what is open") {
  // with equal crank and rocker and a short coupler the crank cannot go round
  ModelBuilder builder;
  const MassProperties bar = from_principal_moments(1, {0.1, 0.1, 0.1});
  const BodyId crank = builder.body("crank", bar, at_position({0, 0, 0.5}));
  builder.joint_at("revolute", "a", kGround, crank, {0, 0, 0}, {0, 1, 0});
  builder.rod_at("rod", kGround, {1.5, 0, 1}, crank, {0, 0, 1});
  const ModelBuilder bare = builder;
  builder.add(Driver{"drive", 0, Coordinate::turn, [](double t) { return std::array<double, 3>{t, 1, 0}; }});
  // the rod alone holds the crank: there is no freedom to drive
  MechanismPlan plan;
  plan.model = std::make_shared<const Model>(builder.build());
  plan.start = plan.model->start();
  plan.duration = 1;
  plan.output_interval = 0.1;
  Keeper keeper;
  const simulation::Outcome outcome = Simulation(plan).run(keeper);
  CHECK(outcome.ending == simulation::Ending::no_convergence);
  CHECK(outcome.message.find("cannot be closed at t = ") != std::string::npos);
  CHECK((outcome.message.find("'rod'") != std::string::npos || outcome.message.find("'drive'") != std::string::npos));
  CHECK(simulation::certificate_of(plan, outcome).verdict == simulation::Verdict::no);
}

TEST_CASE("a driver or a force that is not finite is named where it ends the run") {
  const auto message = [](bool drives) {
    ModelBuilder builder = pendulum(2);
    const auto law = [](double t) { return t < 0.5 ? 0.1 * t : std::nan(""); };
    if (drives) {
      builder.add(Driver{"drive", 0, Coordinate::turn,
                         [law](double t) { return std::array<double, 3>{law(t), t < 0.5 ? 0.1 : std::nan(""), 0}; }});
    } else {
      builder.add(
          WrenchLaw{.body = 1, .law = [law](const MechanismView& now) { return Pair{{}, {law(now.t), 0, 0}}; }});
    }
    Keeper keeper;
    const simulation::Outcome outcome = Simulation(plan_of(builder, {}, 1)).run(keeper);
    CHECK(outcome.ending == simulation::Ending::not_finite);
    return outcome.message;
  };
  CHECK(message(true).find("driver 'drive' is not finite at t = 0.5: its value is nan; end the run before") !=
        std::string::npos);
  CHECK(message(false).find("a force or moment on body '") != std::string::npos);
}

TEST_CASE("an event that makes a driver jump ends the run; one that changes its rate, or adds whole turns, does not") {
  const auto run = [](double jump, double faster) {
    ModelBuilder builder = pendulum(2);
    const auto add = std::make_shared<std::array<double, 2>>();
    builder.add(Driver{"drive", 0, Coordinate::turn, [add](double t) {
                         return std::array<double, 3>{t + (*add)[0] + (*add)[1] * (t - 0.5), 1 + (*add)[1], 0};
                       }});
    MechanismPlan plan = plan_of(builder, {}, 1);
    simulation::MechanismEvent event;
    event.name = "set";
    event.action = simulation::Action::change;
    event.function = [](const MechanismView& now) { return now.t - 0.5; };
    event.change = [=](const Model&, double, std::span<double>) { *add = {jump, faster}; };
    plan.events.push_back(event);
    Keeper keeper;
    return Simulation(plan).run(keeper);
  };
  CHECK(run(0, 0).ending == simulation::Ending::done);
  CHECK(run(0, 3).ending == simulation::Ending::done);
  CHECK(run(2 * math::kPi<double>, 0).ending == simulation::Ending::done);
  const simulation::Outcome jumped = run(0.3, 0);
  CHECK(jumped.ending == simulation::Ending::no_convergence);
  CHECK(jumped.t == doctest::Approx(0.5));
  CHECK(jumped.message.find("event 'set' makes driver 'drive' of joint") != std::string::npos);
  CHECK(jumped.message.find("jump by 0.3 rad") != std::string::npos);
}

TEST_CASE("an event changes velocities by what the joints let through of an impulse") {
  MechanismPlan plan = plan_of(pendulum(1), {turn(0, 0.0, 1.0)}, 2);
  simulation::MechanismEvent event;
  event.name = "kick";
  event.action = simulation::Action::change;
  event.function = [](const MechanismView& now) { return now.t - 0.5; };
  event.change = [](const Model&, double, std::span<double> y) { y[11] += 12.0; };  // 1 N m s about y, on 1/12 kg m²
  plan.events.push_back(event);
  Keeper keeper;
  const simulation::Outcome outcome = Simulation(plan).run(keeper);
  REQUIRE(keeper.times.size() == 1);
  CHECK(outcome.ledger.energy_error < 1e-8);  // the jump is no error
  // about the hinge: δω = 1/(1/12 + 1/4) = 3 rad/s; energy ½ (1/3) ω² afterwards says so
  const double inertia = 1.0 / 3;
  const double at_event = std::sqrt(2 / inertia * (0.5 * inertia - kG * 0.5 * (1 - std::cos(0))));
  CHECK(at_event == doctest::Approx(1));
  const double gained = outcome.ledger.energy_start - (energy(*plan.model, plan.start).total());
  // ½ J ((ω + 3)² − ω²) with ω of the moment before: between the extremes of the swing
  CHECK(gained > 0.5 * inertia * (9 - 6 * 1.0));
  CHECK(gained < 0.5 * inertia * (9 + 6 * 1.0));
}

TEST_CASE("a mechanism: impulses at one instant both act, and one that throws it back is not met again at once") {
  const auto run = [](const std::vector<double>& kicks, Keeper& keeper) {
    MechanismPlan plan = plan_of(pendulum(2), {turn(0, 0.3, 1.0)}, 2);
    for (const double kick : kicks) {
      simulation::MechanismEvent event;
      event.name = "kick";
      event.action = simulation::Action::change;
      event.function = [](const MechanismView& now) { return now.t - 0.5; };
      event.change = [kick](const Model&, double, std::span<double> y) { y[11] += kick; };
      plan.events.push_back(event);
    }
    return Simulation(plan).run(keeper);
  };
  Keeper by_one;
  Keeper by_two;
  const simulation::Outcome one = run({3.0}, by_one);
  const simulation::Outcome two = run({1.0, 2.0}, by_two);
  CHECK(by_one.times.size() == 1);
  REQUIRE(by_two.times.size() == 2);
  CHECK(by_two.times[0] == by_two.times[1]);
  for (std::size_t i = 0; i < one.y.size(); ++i) { CHECK(std::fabs(one.y[i] - two.y[i]) < 1e-8); }

  // thrown back at the lowest point, by a projection that moves positions by rounding
  MechanismPlan plan = plan_of(pendulum(1), {turn(0, 0.3)}, 4);
  simulation::MechanismEvent wall;
  wall.name = "wall";
  wall.action = simulation::Action::change;
  wall.function = [model = plan.model](const MechanismView& now) { return turn_of(*model, now.y, 0); };
  wall.change = [](const Model&, double, std::span<double> y) {
    for (std::size_t i = 7; i < 13; ++i) { y[i] = -y[i]; }
  };
  plan.events.push_back(wall);
  Keeper keeper;
  CHECK(Simulation(plan).run(keeper).ending == simulation::Ending::done);
  // half a period from wall to wall: 2π √(1/3/(0.5·9.81)) = 1.638 s, a little more at 0.3 rad
  REQUIRE(keeper.times.size() == 5);
  for (std::size_t i = 1; i < 5; ++i) {
    CHECK(keeper.times[i] - keeper.times[i - 1] == doctest::Approx(0.8237).epsilon(1e-3));
  }
}

TEST_CASE("the certificate of a mechanism measures positions and attitudes by finer steps") {
  MechanismPlan plan = plan_of(pendulum(2), {turn(0, 1.0)}, 1);
  plan.integrator = "rk4";
  plan.step = 0.002;
  Simulation simulation(plan);
  Keeper keeper;
  const simulation::Outcome outcome = simulation.run(keeper);
  simulation::Certificate certificate = simulation::certificate_of(plan, outcome);
  const std::vector<std::vector<double>> poses = keeper.poses(plan);
  simulation::certify(certificate, plan, poses);
  REQUIRE(certificate.attitude_error);
  REQUIRE(certificate.position_error);
  CHECK(certificate.method == "step halving");
  CHECK(*certificate.observed_order == doctest::Approx(4).epsilon(0.1));
  CHECK(certificate.verdict == simulation::Verdict::yes);
  // the wrong twin: an accuracy beyond this step
  plan.accuracy = 1e-12;
  simulation::Certificate strict = simulation::certificate_of(plan, outcome);
  simulation::certify(strict, plan, poses);
  CHECK(strict.verdict == simulation::Verdict::no);
}

TEST_CASE("IDA starts anew at checkpoints at any tolerance; where no finer run is finer, nothing is established") {
  const auto& known = integrators<double>();
  if (std::none_of(known.begin(), known.end(), [](const auto& m) { return m->description().name == "ida"; })) {
    return;
  }
  for (const double tolerance : {1e-10, 1e-11, 1e-12}) {
    CAPTURE(tolerance);
    MechanismPlan plan = plan_of(pendulum(2), {turn(0, 2.0)}, 1);
    plan.integrator = "ida";
    plan.projection = ProjectionUse::none;
    plan.relative_tolerance = plan.absolute_tolerance = tolerance;
    plan.rows_per_checkpoint = 1;  // fifty starts
    Keeper keeper;
    const simulation::Outcome outcome = Simulation(plan).run(keeper);
    REQUIRE(outcome.ending == simulation::Ending::done);
    simulation::Certificate certificate = simulation::certificate_of(plan, outcome);
    simulation::certify(certificate, plan, keeper.poses(plan));
    if (tolerance < 5e-11) {
      CHECK(certificate.verdict == simulation::Verdict::not_established);
      CHECK(certificate.reason.find("'ida' follows tolerances down to 5e-12") != std::string::npos);
    } else {
      CHECK(certificate.method == "a run with a tolerance 20 times finer");
      CHECK(certificate.attitude_error.value_or(0) > 0);
    }
  }
}

TEST_CASE("under a fixed step nothing is established of methods that follow a tolerance of their own inside it") {
  const auto& known = integrators<double>();
  for (const std::string method : {"ida", "cvode-adams", "cvode-bdf", "extrapolation"}) {
    if (std::none_of(known.begin(), known.end(), [&](const auto& m) { return m->description().name == method; })) {
      continue;
    }
    CAPTURE(method);
    MechanismPlan plan = plan_of(pendulum(2), {turn(0, 2.0)}, 1);
    plan.integrator = method;
    if (method == "ida") { plan.projection = ProjectionUse::none; }
    plan.step = 0.005;
    plan.accuracy = 1e-3;
    Keeper keeper;
    const simulation::Outcome outcome = Simulation(plan).run(keeper);
    REQUIRE(outcome.ending == simulation::Ending::done);
    simulation::Certificate certificate = simulation::certificate_of(plan, outcome);
    simulation::certify(certificate, plan, keeper.poses(plan));
    CHECK(certificate.verdict == simulation::Verdict::not_established);
    CHECK(!certificate.attitude_error);  // halved steps had said 1e-14, with 1e-6 and more being right for ida
    CHECK(certificate.reason.find("give tolerance in place of step") != std::string::npos);
  }
}
