// What a model says to wrong descriptions, and forces, couplings and drivers.
#include "multibody/mechanisms.h"
#include "polhode/core/error.h"

#include <cmath>
#include <thread>

using namespace polhode;

namespace {

const MassProperties kBall = from_principal_moments(1, {0.1, 0.2, 0.25});

std::string problem_of(const std::function<void(ModelBuilder&)>& describe) {
  ModelBuilder builder;
  try {
    describe(builder);
    builder.build();
  } catch (const Error& error) { return error.what(); }
  return "";
}
bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Two wheels on ground about z, at x = 0 and x = 1.
struct Wheels {
  ModelBuilder builder;
  int first, second;
  Wheels() {
    BodyStart start;
    const BodyId a = builder.body("a", kBall, start);
    start.r_N = {1, 0, 0};
    const BodyId b = builder.body("b", kBall, start);
    first = builder.joint_at("revolute", "first", kGround, a, {0, 0, 0}, {0, 0, 1});
    second = builder.joint_at("revolute", "second", kGround, b, {1, 0, 0}, {0, 0, 1});
  }
};

}  // namespace

TEST_CASE("what cannot be is refused by name, all of it at once") {
  CHECK(says(problem_of([](ModelBuilder&) {}), "without bodies"));
  const std::string itself = problem_of([](ModelBuilder& b) {
    const BodyId a = b.body("arm", kBall, {});
    b.joint_at("revolute", "elbow", a, a, {0, 0, 0}, {0, 0, 1});
    b.joint("revolute", "lost", a, {}, 7, {});
    b.body("arm", kBall, {});
  });
  CHECK(says(itself, "joint 'elbow' (revolute) joins body 'arm' with itself"));
  CHECK(says(itself, "joint 'lost' (revolute): no body 7"));
  CHECK(says(itself, "two bodies are called 'arm'"));
  CHECK(says(problem_of([](ModelBuilder& b) {
               b.joint_at("revolute", "hinge", kGround, b.body("arm", kBall, {}), {0, 0, 0}, {0, 0, 0});
             }),
             "joint 'hinge': axis (0, 0, 0) gives no direction"));
  CHECK(says(problem_of([](ModelBuilder& b) { b.joint("revolut", "hinge", kGround, {}, 0, {}); }),
             "unknown joint 'revolut'"));
  CHECK(says(
      problem_of([](ModelBuilder& b) { b.joint("distance", "rod", kGround, {}, b.body("arm", kBall, {}), {}, 0); }),
      "joint 'rod' (distance): length 0 m"));
  CHECK(says(problem_of([](ModelBuilder& b) {
               Wheels w;
               b = w.builder;
               for (const char* name : {"motor", "engine"}) {
                 b.add(
                     Driver{name, w.first, Coordinate::turn, [](double t) { return std::array<double, 3>{t, 1, 0}; }});
               }
             }),
             "drivers 'motor' and 'engine' drive the same coordinate"));
  CHECK(says(problem_of([](ModelBuilder& b) { b.body("dust", MassProperties{}, {}); }), "body 'dust'"));
  CHECK(says(problem_of([](ModelBuilder& b) {
               Wheels w;
               b = w.builder;
               b.add(Coupling{"gears", w.first, Coordinate::turn, 1.5, w.second, Coordinate::turn, 2, 0});
             }),
             "whole numbers"));
}

TEST_CASE("NaNs and infinities, and things that contradict each other, are refused by name") {
  const double nan = std::nan("");
  const auto with_wheels = [](const std::function<void(ModelBuilder&, const Wheels&)>& add) {
    return problem_of([&](ModelBuilder& b) {
      const Wheels w;
      b = w.builder;
      add(b, w);
    });
  };
  CHECK(with_wheels([](ModelBuilder&, const Wheels&) {}).empty());
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels&) { b.gravity({0, 0, nan}); }), "gravity is not finite"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels&) { b.add(Wrench{0, {}, {nan, 0, 0}, {}, false}); }),
             "wrench: a number is not finite"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels&) { b.add(Spring{0, {}, 1, {}, nan, 0, 0, 0}); }),
             "spring: a number is not finite"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels&) { b.add(Spring{0, {}, 0, {}, 1, 0, 0, 0}); }),
             "spring from body 'a' to itself"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels&) { b.add(Spring{0, {}, 5, {}, 1, 0, 0, 0}); }),
             "spring: no body 5"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels& w) {
               b.add(JointSpring{w.first, Coordinate::turn, 1, nan, 0, 0});
             }),
             "spring at joint 'first': a number is not finite"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels& w) {
               b.add(JointSpring{w.first, Coordinate::slide_z, 1, 0, 0, 0});
             }),
             "spring at joint 'first': joint 'first' (revolute) has no coordinate 'slide_z'"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels& w) {
               b.add(JointLimit{w.first, Coordinate::turn, 1, -1, 10, 0, 1e-3});
             }),
             "limit at joint 'first': from 1 to -1"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels& w) {
               b.add(JointLimit{w.first, Coordinate::turn, -4, 4, 10, 0, 1e-3, true});
             }),
             "a whole turn or more"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels& w) {
               b.add(JointLimit{w.first, Coordinate::turn, -1, 1, 10, 0, 0});
             }),
             "softness 0"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels& w) {
               b.add(JointFriction{w.first, Coordinate::turn, -1, 0, 1e-3});
             }),
             "friction at joint 'first': dry -1"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels&) {
               Bushing bushing{0, {}, 1, {}, {}, {}};
               bushing.stiffness(0, 1) = 3;
               b.add(bushing);
             }),
             "the stiffness matrix is not symmetric"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels&) {
               Bushing bushing{0, {}, 1, {}, {}, {}};
               bushing.damping(0, 0) = bushing.damping(1, 1) = 1;
               bushing.damping(0, 1) = bushing.damping(1, 0) = 2;
               b.add(bushing);
             }),
             "the damping matrix gives energy"));
  CHECK(with_wheels([&](ModelBuilder& b, const Wheels&) {
          Bushing bushing{0, {}, 1, {}, {}, {}};
          bushing.damping(0, 0) = bushing.damping(1, 1) = 2;
          bushing.damping(0, 1) = bushing.damping(1, 0) = 2;
          b.add(bushing);
        }).empty());
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels&) { b.add(Drag{kGround, {}, 1, 0, {}}); }),
             "drag: no body -1"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels&) { b.add(CentralGravity{{0, 0, 0}, nan}); }),
             "central gravity: mu nan"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels& w) {
               b.add(Coupling{"gears", w.first, Coordinate::turn, 1, w.second, Coordinate::turn, 1, nan});
             }),
             "coupling 'gears': factors 1 and 1, constant nan"));
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels& w) {
               b.add(Driver{"motor", w.first, Coordinate::turn,
                            [&](double) { return std::array<double, 3>{0, nan, 0}; }});
             }),
             "driver 'motor': its law gives 0, nan, 0 at t = 0"));
  const auto steady = [](double t) { return std::array<double, 3>{t, 1, 0}; };
  CHECK(says(with_wheels([&](ModelBuilder& b, const Wheels& w) {
               b.add(Coupling{"gears", w.first, Coordinate::turn, 1, w.second, Coordinate::turn, 1, 0});
               b.add(Driver{"motor", w.first, Coordinate::turn, steady});
               b.add(Driver{"brake", w.second, Coordinate::turn, steady});
             }),
             "drivers 'motor' and 'brake' drive two coordinates that coupling 'gears' ties together"));
  CHECK(says(problem_of([&](ModelBuilder& b) {
               const int nut = b.joint("screw", "nut", kGround, {}, b.body("a", kBall, {}), {}, 0.1);
               b.add(Driver{"turning", nut, Coordinate::turn, steady});
               b.add(Driver{"lifting", nut, Coordinate::slide_z, steady});
             }),
             "drive two coordinates that screw 'nut' ties together"));
  CHECK(says(problem_of([](ModelBuilder& b) {
               const BodyId a = b.body("a", kBall, {});
               const BodyId c = b.body("c", kBall, {});
               b.joint("weld", "one", kGround, {}, a, {});
               b.joint("weld", "two", a, {}, c, {});
               b.joint("weld", "three", c, {}, kGround, {});
             }),
             "welds 'one', 'two', 'three' form a ring"));
  BodyStart start;
  start.v_N.x = nan;
  CHECK(says(problem_of([&](ModelBuilder& b) { b.body("a", kBall, start); }), "body 'a': its start is not finite"));
  CHECK(says(problem_of([&](ModelBuilder& b) {
               b.add(Rolling{"wheel", b.body("a", kBall, {}), {}, {0, 0, 0}, 1, 0, {}, {0, 0, 1}});
             }),
             "rolling 'wheel': axis or normal is no unit vector"));
  CHECK(
      says(problem_of([&](ModelBuilder& b) { b.add(Blade{"skate", b.body("a", kBall, {}), {nan, 0, 0}, {0, 1, 0}}); }),
           "blade 'skate': no body 0, no finite point"));
}

TEST_CASE("gears share a torque by their teeth") {
  Wheels w;
  w.builder.add(Coupling{"gears", w.first, Coordinate::turn, 20, w.second, Coordinate::turn, 30, 0});
  JointSpring motor;
  motor.joint = w.first;
  motor.force = 3;
  w.builder.add(motor);
  const Model model = w.builder.build();
  std::vector<double> y = model.start();
  std::vector<double> ydot(y.size());
  Scratch scratch(model);
  evaluate(model, 0, y, ydot, scratch);
  // θ₂ = −⅔ θ₁:  (J + 4/9 J) θ̈₁ = 3
  CHECK(std::fabs(ydot[12] - 3 / (0.25 * 13 / 9)) < 1e-12);
  CHECK(std::fabs(ydot[25] + 2.0 / 3 * ydot[12]) < 1e-12);
  CHECK(mobility(model, 0, y, scratch).freedoms == 1);
  // they stay in mesh through whole turns
  const MechanismSystem system(model);
  test::run(system, y, {4}, 1e-10, [](std::size_t, std::span<const double>) {});
  CHECK(std::fabs(y[12]) > 30);
  CHECK(residuals(model, 0, y, scratch).position < 1e-12);
  CHECK(std::fabs(y[25] + 2.0 / 3 * y[12]) < 1e-10);
}

TEST_CASE("a rack runs as its pinion turns") {
  ModelBuilder builder;
  const BodyId wheel = builder.body("wheel", kBall, {});
  const BodyId rack = builder.body("rack", kBall, {});
  const int turn = builder.joint_at("revolute", "axle", kGround, wheel, {0, 0, 0}, {0, 0, 1});
  const int slide = builder.joint_at("prismatic", "rail", kGround, rack, {0, 0, 0}, {1, 0, 0});
  builder.add(Coupling{"teeth", slide, Coordinate::slide_z, 1, turn, Coordinate::turn, -0.2, 0});
  builder.gravity({5, 0, 0});
  const Model model = builder.build();
  std::vector<double> y = model.start();
  std::vector<double> ydot(y.size());
  Scratch scratch(model);
  evaluate(model, 0, y, ydot, scratch);
  // (m + J/r²) ẍ = m g
  CHECK(std::fabs(ydot[13 + 7] - 5 / (1 + 0.25 / 0.04)) < 1e-12);
  CHECK(std::fabs(ydot[12] - ydot[13 + 7] / 0.2) < 1e-11);
}

TEST_CASE("a driven hinge follows its law, and the driver's multiplier is its torque") {
  Wheels w;
  w.builder.add(Driver{"motor", w.first, Coordinate::turn,
                       [](double t) { return std::array<double, 3>{math::sin(t), math::cos(t), -math::sin(t)}; }});
  const Model model = w.builder.build();
  std::vector<double> y = model.start();
  std::vector<double> ydot(y.size());
  Scratch scratch(model);
  project(model, 0, y, scratch);
  CHECK(std::fabs(y[12] - 1) < 1e-15);
  const double t = 0.7;
  project(model, t, y, scratch);
  CHECK(std::fabs(model.coordinates(y, w.first)[0].value - math::sin(t)) < 1e-14);
  CHECK(std::fabs(y[12] - math::cos(t)) < 1e-14);
  evaluate(model, t, y, ydot, scratch);
  CHECK(std::fabs(ydot[12] + math::sin(t)) < 1e-14);
  CHECK(std::fabs(-scratch.lambda[0] - 0.25 * ydot[12]) < 1e-14);
  CHECK(mobility(model, t, y, scratch).freedoms == 1);
  // and all the way, projection at the time of each step
  y = model.start();
  project(model, 0, y, scratch);
  const MechanismSystem system(model);
  test::run(system, y, {1, 3}, 1e-9, [&](std::size_t i, std::span<const double> at) {
    CHECK(std::fabs(model.coordinates(at, w.first)[0].value - math::sin(i == 0 ? 1.0 : 3.0)) < 1e-14);
  });
}

TEST_CASE("wrenches, springs and laws of the user's act where they should") {
  ModelBuilder builder;
  BodyStart start;
  start.r_N = {1, 2, 3};
  start.e_NB = exp(Vec3<double>{0, 0, math::kPi<double> / 2});
  const BodyId body = builder.body("body", from_principal_moments(2, {0.1, 0.2, 0.25}, {0.5, 0, 0}), start);
  Wrench wrench;
  wrench.body = body;
  wrench.r_BP_B = {0.5, 1, 0};  // one metre from the mass centre along y of the body, −x of space
  wrench.force = {0, 4, 0};
  builder.add(wrench);
  builder.add([](const MechanismView& now, std::span<Pair> on) { on[0].lin += Vec3<double>{0, 0, 6 * now.t}; });
  const Model model = builder.build();
  const std::vector<double> y = model.start();
  CHECK(norm(Model::view(y, body).r_N - Vec3<double>{1, 2.5, 3}) < 1e-15);
  std::vector<double> ydot(y.size());
  Scratch scratch(model);
  evaluate(model, 2, y, ydot, scratch);
  CHECK(std::fabs(ydot[8] - 2) < 1e-15);
  CHECK(std::fabs(ydot[9] - 6) < 1e-15);
  CHECK(std::fabs(ydot[12] + 4 / 0.25) < 1e-13);  // moment −4 about z
}

TEST_CASE("one system serves many threads, to the bit") {
  ModelBuilder builder;
  builder.gravity({0, 0, -9.81});
  BodyId above = kGround;
  for (int i = 0; i < 5; ++i) {
    BodyStart start;
    start.r_N = {i + 0.5, 0, 0};
    const BodyId b = builder.body("b" + std::to_string(i), kBall, start);
    builder.joint_at(i % 2 == 0 ? "revolute" : "spherical", "j" + std::to_string(i), above, b,
                     {static_cast<double>(i), 0, 0}, {0, 1, 0});
    above = b;
  }
  const Model model = builder.build();
  const MechanismSystem system(model);
  const auto run_once = [&] {
    std::vector<double> y = model.start();
    RunOptions<double> options;
    options.step = 0.01;
    options.projection = ProjectionUse::every_step;
    const auto stepper = integrator<double>("rk4").bind(system);
    integrate<double>(system, *stepper, options, 0, 1, y);
    return y;
  };
  const std::vector<double> alone = run_once();
  std::vector<std::vector<double>> together(4);
  std::vector<std::thread> threads;
  for (std::vector<double>& y : together) {
    threads.emplace_back([&] { y = run_once(); });
  }
  for (std::thread& thread : threads) { thread.join(); }
  for (const std::vector<double>& y : together) { CHECK(y == alone); }
  CHECK(norm(Model::view(alone, 4).v_N) > 0.1);
}
