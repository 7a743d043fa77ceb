// Steps for stiff mechanisms: their order, what they keep, and where explicit methods end.
#include "multibody/mechanisms.h"
#include "multibody/random_mechanism.h"
#include "polhode/core/error.h"
#include "polhode/integrator/generalised_alpha.h"

#include <cmath>

using namespace polhode;

namespace {

/// The flyball governor of the literature: a shaft, two arms with 5 kg at their ends, a slider held by two springs.
Model governor() {
  ModelBuilder builder;
  builder.gravity({0, 0, -9.81});
  const double spin = 2 * math::kPi<double>;
  const auto box = [](double mass, double x, double y, double z) {
    return from_principal_moments(
        mass, {mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y)});
  };
  const auto turning = [&](const Vec3<double>& r, const EulerParameters<double>& e) {
    BodyStart start;
    start.r_N = r;
    start.e_NB = e;
    start.w_B = rotate_back(e, Vec3<double>{0, 0, spin});
    start.v_N = cross(Vec3<double>{0, 0, spin}, r);
    return start;
  };
  const EulerParameters<double> one = EulerParameters<double>::identity();
  const BodyId shaft = builder.body("shaft", box(0.3, 0.01, 0.01, 1), turning({0, 0, 0.5}, one));
  const BodyId slider = builder.body("slider", box(3, 0.1, 0.1, 0.1), turning({0, 0, 0.5}, one));
  builder.joint_at("revolute", "foot", kGround, shaft, {0, 0, 0}, {0, 0, 1});
  builder.joint_at("prismatic", "guide", shaft, slider, {0, 0, 0.5}, {0, 0, 1});
  // an arm of 1 m along its x axis with 5 kg at its end; frame in the middle of the rod
  const double mass = 5.3;
  const double center = 5 * 0.5 / mass;
  const double across = 0.3 / 12 * (1 + 1e-4) + 0.3 * center * center + 5 * (0.5 - center) * (0.5 - center);
  const MassProperties arm = from_principal_moments(mass, {0.3 / 12 * 2e-4, across, across}, {center, 0, 0});
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "right" : "left";
    // x of the arm points out and 30 degrees down
    const double down = math::kPi<double> / 6;
    const EulerParameters<double> e = side > 0
                                          ? exp(Vec3<double>{0, down, 0})
                                          : exp(Vec3<double>{0, 0, math::kPi<double>}) * exp(Vec3<double>{0, down, 0});
    const Vec3<double> top{side * 0.05, 0, 1};
    const Vec3<double> middle = top + rotate(e, Vec3<double>{0.5, 0, 0});
    const BodyId b = builder.body(name, arm, turning(middle, e));
    builder.joint_at("revolute", name + " hinge", shaft, b, top, {0, 1, 0});
    builder.add(Spring{slider, {side * 0.05, 0, 0}, b, {0, 0, 0}, 8e5, 4e4, 0.5, 0});
  }
  return builder.build();
}

/// Momentum about the z axis of space.
double momentum_z(const Model& model, std::span<const double> y) {
  double sum = 0;
  for (BodyId b = 0; b < static_cast<BodyId>(model.body_count()); ++b) {
    const BodyView body = Model::view(y, b);
    const MassProperties& mass = model.bodies()[static_cast<std::size_t>(b)].mass;
    sum += (mass.mass * cross(body.r_N, body.v_N) + rotate(body.e_NB, mass.J_B * body.w_B)).z;
  }
  return sum;
}

struct StiffEnd {
  std::vector<double> y;
  double open = 0;
  double slipping = 0;
  bool converged = true;
};
StiffEnd run_stiff(const Model& model, const std::vector<double>& start, double end, int steps,
                   const ConstrainedAlphaOptions& options) {
  const MechanismSystem system(model);
  const auto method = constrained_alpha(options);
  const auto stepper = method->bind(system);
  StiffEnd result;
  result.y = start;
  Scratch scratch(model);
  const double dt = end / steps;
  for (int k = 0; k < steps && result.converged; ++k) {
    result.converged = stepper->step(k * dt, dt, result.y) == StepStatus::ok;
    const Residuals left = residuals(model, (k + 1) * dt, result.y, scratch);
    result.open = std::max(result.open, left.position);
    result.slipping = std::max(result.slipping, left.velocity);
  }
  return result;
}

double position_difference(const Model& model, std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (BodyId k = 0; k < static_cast<BodyId>(model.body_count()); ++k) {
    most = std::max(most, norm(Model::view(a, k).r_N - Model::view(b, k).r_N));
  }
  return most;
}

std::vector<double> tight_run(const Model& model, std::vector<double> y, double end, double tolerance) {
  const MechanismSystem system(model);
  test::run(system, y, {end}, tolerance, [](std::size_t, std::span<const double>) {});
  return y;
}

}  // namespace

TEST_CASE("stiff steps are of order 2, with index 3 and with index 2, in trees and loops") {
  test::Random random(51);
  const Model loop = test::random_mechanism(random, {3, 1, false, {"revolute", "spherical"}, {"distance"}}).build();
  ModelBuilder plain;
  plain.gravity({0, -9.81, 0});
  BodyStart at;
  at.r_N = {0.5, 0, 0};
  const BodyId first = plain.body("first", from_principal_moments(1, {0.02, 0.1, 0.1}), at);
  at.r_N = {1.5, 0, 0};
  const BodyId second = plain.body("second", from_principal_moments(1, {0.02, 0.1, 0.1}), at);
  const int hinge = plain.joint_at("revolute", "hinge", kGround, first, {0, 0, 0}, {0, 0, 1});
  plain.joint_at("universal", "cross", first, second, {1, 0, 0}, {0, 0, 1});
  plain.add(JointSpring{hinge, Coordinate::turn, 5, 1, 0, 2});
  for (const Model& model : {plain.build(), loop}) {
    const std::vector<double> start = test::consistent_start(model);
    const std::vector<double> right = tight_run(model, start, 0.5, 1e-12);
    for (const ConstrainedIndex index : {ConstrainedIndex::three, ConstrainedIndex::two}) {
      const ConstrainedAlphaOptions options{.index = index, .rho_inf = 0.7};
      const StiffEnd coarse = run_stiff(model, start, 0.5, 100, options);
      const StiffEnd fine = run_stiff(model, start, 0.5, 200, options);
      CHECK(coarse.converged);
      CHECK(fine.converged);
      const double order =
          std::log2(position_difference(model, coarse.y, right) / position_difference(model, fine.y, right));
      CAPTURE(position_difference(model, fine.y, right));
      CHECK(order > 1.9);
      CHECK(order < 2.1);
      // Newton's method ends where its last change is below 1e-11 of the typical length; ten such changes in a row of a
      // loop
      CHECK(fine.open < 1e-9);
      // velocities: held by index 2 alone
      CHECK((fine.slipping < 1e-7) == (index == ConstrainedIndex::two));
    }
  }
}

TEST_CASE("the flyball governor: steps far longer than explicit ones can be, of order 2") {
  const Model model = governor();
  const std::vector<double> start = test::consistent_start(model);
  CHECK(norm(model.point_N(start, 0, {}) - Vec3<double>{0, 0, 0.5}) < 1e-12);
  const double end = 0.2;
  const std::vector<double> right = tight_run(model, start, end, 1e-9);
  const double slider = Model::view(right, 1).r_N.z;
  CHECK(std::fabs(slider - 0.5) > 1e-3);  // it has moved
  for (const ConstrainedIndex index : {ConstrainedIndex::three, ConstrainedIndex::two}) {
    const ConstrainedAlphaOptions options{.index = index, .rho_inf = 0.6};
    const StiffEnd coarse = run_stiff(model, start, end, 50, options);
    const StiffEnd fine = run_stiff(model, start, end, 100, options);
    REQUIRE(coarse.converged);
    REQUIRE(fine.converged);
    const double off = position_difference(model, fine.y, right);
    CAPTURE(off);
    CHECK(off < 1e-4);
    const double order = std::log2(position_difference(model, coarse.y, right) / off);
    CHECK(order > 1.8);
    CHECK(order < 2.2);
    // kept to the error of the method: 2e-5 of 6.3 rad/s and 10 kg at 1 m
    CHECK(std::fabs(momentum_z(model, fine.y) - momentum_z(model, start)) < 1e-3);
    CHECK(energy(model, fine.y).total() < energy(model, start).total());
  }
  // the wrong tool: the same step by RK4
  const MechanismSystem system(model);
  std::vector<double> y = start;
  RunOptions<double> options;
  options.step = end / 100;
  options.projection = ProjectionUse::every_step;
  const auto stepper = integrator<double>("rk4").bind(system);
  const RunResult<double> explicit_run = integrate<double>(system, *stepper, options, 0, end, y);
  CHECK((explicit_run.status != RunStatus::done || !(position_difference(model, y, right) < 1)));
}

TEST_CASE("stiff steps take redundant constraints, drivers and rolling") {
  SUBCASE("a door on two hinges") {
    ModelBuilder builder;
    builder.gravity({1, -9.81, 0});
    BodyStart start;
    start.r_N = {0, 0, 0.5};
    const BodyId door = builder.body("door", from_principal_moments(2, {0.2, 0.2, 0.1}), start);
    builder.joint_at("revolute", "upper", kGround, door, {0, 1, 0}, {0, 1, 0});
    builder.joint_at("revolute", "lower", kGround, door, {0, -1, 0}, {0, 1, 0});
    const Model model = builder.build();
    const std::vector<double> right = tight_run(model, model.start(), 1, 1e-11);
    for (const ConstrainedIndex index : {ConstrainedIndex::three, ConstrainedIndex::two}) {
      const StiffEnd end = run_stiff(model, model.start(), 1, 400, {.index = index});
      CHECK(end.converged);
      CHECK(position_difference(model, end.y, right) < 1e-5);
      CHECK(end.open < 1e-10);
    }
  }
  SUBCASE("a driven hinge") {
    ModelBuilder builder;
    const BodyId wheel = builder.body("wheel", from_principal_moments(1, {0.1, 0.1, 0.2}), {});
    const int hinge = builder.joint_at("revolute", "axle", kGround, wheel, {0, 0, 0}, {0, 0, 1});
    builder.add(Driver{"motor", hinge, Coordinate::turn,
                       [](double t) { return std::array<double, 3>{math::sin(t), math::cos(t), -math::sin(t)}; }});
    const Model model = builder.build();
    const StiffEnd end = run_stiff(model, test::consistent_start(model), 2, 100, {});
    CHECK(end.converged);
    CHECK(std::fabs(model.coordinates(end.y, hinge)[0].value - std::sin(2.0)) < 1e-10);
  }
  SUBCASE("a rolling disc") {
    ModelBuilder builder;
    builder.gravity({0, 0, -9.81});
    BodyStart start;
    start.r_N = {0, 0, 0.3};
    start.e_NB = exp(Vec3<double>{1.4, 0, 0});
    start.w_B = {0, 0.5, 8};
    const BodyId disc = builder.body("disc", from_principal_moments(1, {0.0225, 0.0225, 0.045}), start);
    builder.add(Rolling{"edge", disc, {}, {0, 0, 1}, 0.3, 0, {}, {0, 0, 1}});
    const Model model = builder.build();
    const std::vector<double> from = test::consistent_start(model);
    const std::vector<double> right = tight_run(model, from, 0.5, 1e-11);
    for (const ConstrainedIndex index : {ConstrainedIndex::three, ConstrainedIndex::two}) {
      const StiffEnd coarse = run_stiff(model, from, 0.5, 100, {.index = index});
      const StiffEnd fine = run_stiff(model, from, 0.5, 200, {.index = index});
      CHECK(fine.converged);
      const double order =
          std::log2(position_difference(model, coarse.y, right) / position_difference(model, fine.y, right));
      CHECK(order > 1.8);
      CHECK(order < 2.2);
    }
  }
}

TEST_CASE("a stiff step that cannot converge says when, and which element is open") {
  ModelBuilder builder;
  BodyStart start;
  start.r_N = {1, 0, 0};
  const BodyId bob = builder.body("bob", from_principal_moments(1, {0.1, 0.1, 0.1}), start);
  builder.rod_at("string", kGround, {0, 0, 0}, bob, {1, 0, 0});
  const int rail = builder.joint_at("prismatic", "rail", kGround, bob, {1, 0, 0}, {1, 0, 0});
  // from 0.5 s on it pulls farther than the string is long
  builder.add(Driver{"winch", rail, Coordinate::slide_z, [](double t) {
                       return t <= 0.5 ? std::array<double, 3>{} : std::array<double, 3>{t - 0.5, 1, 0};
                     }});
  const Model model = builder.build();
  const MechanismSystem system(model);
  std::vector<double> y = model.start();
  RunOptions<double> options;
  options.step = 0.125;
  const auto stepper = integrator<double>("generalised-alpha-index2").bind(system);
  const RunResult<double> result = integrate<double>(system, *stepper, options, 0, 1, y);
  CHECK(result.status == RunStatus::no_convergence);
  CHECK(result.t == 0.5);
  CAPTURE(result.message);
  CHECK(result.message.find("in the step from t = 0.5 the implicit equations of 'generalised-alpha-index2' were not "
                            "solved: ") == 0);
  CHECK(result.message.find(" is open by ") != std::string::npos);
  CHECK(std::fabs(Model::view(y, bob).r_N.x - 1) < 1e-12);
}

TEST_CASE("stiff steps want a spectral radius below 1") {
  CHECK_THROWS_WITH_AS(constrained_alpha({.rho_inf = 1}), doctest::Contains("up to, but not including, 1"), Error);
}

TEST_CASE("IDA, where it is installed, agrees with explicit steps on the governor") {
  const Model model = governor();
  const MechanismSystem system(model);
  if (!absent_integrators().empty()) {
    CHECK_THROWS_WITH_AS(integrator<double>("ida"), doctest::Contains("libsundials-dev"), Error);
    return;
  }
  const std::vector<double> start = test::consistent_start(model);
  const std::vector<double> right = tight_run(model, start, 0.2, 1e-9);
  CHECK(position_difference(model, start, right) > 1e-2);
  Scratch scratch(model);
  double off_before = 1;
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    CAPTURE(tolerance);
    std::vector<double> y = start;
    RunOptions<double> options;
    options.relative_tolerance = tolerance;
    options.absolute_tolerance = tolerance;
    options.output_times = {0.05, 0.1, 0.2};
    std::size_t rows = 0;
    Observer<double> observer;
    observer.output = [&](const double& t, std::span<const double> at) {
      ++rows;
      CHECK(residuals(model, t, at, scratch).position < 100 * tolerance);
      return true;
    };
    const auto stepper = integrator<double>("ida").bind(system);
    const RunResult<double> result = integrate<double>(system, *stepper, options, 0, 0.2, y, observer);
    CAPTURE(result.message);
    CHECK(result.status == RunStatus::done);
    CHECK(rows == 3);
    CAPTURE(result.statistics.steps);
    CHECK(result.statistics.steps < 3000);
    const double off = position_difference(model, y, right);
    CAPTURE(off);
    CHECK(off < 100 * tolerance);
    CHECK(off < off_before);
    off_before = off;
  }
}

TEST_CASE("a system that counts its work is no case for methods that hold joints, and says so") {
  const Model model = governor();
  const MechanismSystem counting(model, {.count_work = true});
  CHECK_THROWS_WITH_AS(integrator<double>("generalised-alpha-index3").bind(counting),
                       doctest::Contains("needs second order, which this system (mechanism) does not offer"), Error);
}
