// Positions of rest against closed forms.
#include "polhode/analysis/equilibrium.h"

#include "polhode/analysis/freedoms.h"
#include "polhode/math/elementary.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;
using namespace polhode::analysis;

namespace {

constexpr double kG = 9.81;

/// A body of 2 kg, with its mass centre `out` along x from a hinge about y in the origin, turned up by `angle`.
struct Hinged {
  ModelBuilder builder;
  BodyId body = 0;
  int hinge = 0;

  explicit Hinged(double out = 0.5) {
    BodyStart start;
    start.r_N = {out, 0, 0};
    body = builder.body("arm", from_principal_moments(2, {0.1, 0.2, 0.2}), start);
    hinge = builder.joint_at("revolute", "hinge", kGround, body, {}, {0, 1, 0});
    builder.gravity({0, 0, -kG});
  }
};

Position start_of(const Model& model) { return {model.start(), {}}; }

/// A turn of a joint from the drawing.
double turn_of(const Model& model, const Position& position, int joint) {
  return coordinate_at(model, position.y, position.turns, joint, Coordinate::turn);
}

}  // namespace

TEST_CASE("a pendulum let go level comes to hang: stable, with its frequency and reaction in closed form") {
  const Hinged arm;
  const Model model = arm.builder.build();
  const Equilibrium found = find_equilibrium(model, start_of(model));
  CAPTURE(found.reason);
  REQUIRE(found.found());
  // positive turns about y take x down; rounding of a Newton step
  CHECK(std::fabs(turn_of(model, found.position, 0) - math::kPi<double> / 2) < 1e-14);
  CHECK(found.freedoms == 1);
  CHECK(found.stability.kind == Stability::Kind::stable);
  // ω² = m g l/(J + m l²)
  const double squared = 2 * kG * 0.5 / (0.2 + 2 * 0.25);
  CHECK(std::fabs(found.stability.eigenvalues[0].real() / squared - 1) < 1e-13);
  CHECK(std::fabs(found.stability.eigenvalues[0].real() / (2 * kG * 0.5 / 0.2) - 1) > 0.1);  // the twin: without m l²
  CHECK(norm(found.reactions[0].force_N - Vec3<double>{0, 0, 2 * kG}) < 1e-12);
  CHECK(norm(found.reactions[0].moment_N) < 1e-12);
  CHECK(found.residual < 1e-13);
}

TEST_CASE("nearest finds the pendulum that stands, and says that it is unstable; the search for a minimum leaves it") {
  Hinged arm;
  const Model model = arm.builder.build();
  Position start = start_of(model);
  Balance balance(model);
  REQUIRE(balance.at(start));
  // turned up to 0.3 rad from the top: −(π/2 − 0.3) about y
  const double up = -(math::kPi<double> / 2 - 0.3);
  BodyView body = Model::view(start.y, 0);
  body.e_NB = {math::cos(up / 2), {0, math::sin(up / 2), 0}};
  body.r_N = rotate(body.e_NB, Vec3<double>{0.5, 0, 0});
  Model::set(start.y, 0, body);
  SearchOptions nearest;
  nearest.nearest = true;
  const Equilibrium top = find_equilibrium(model, start, nearest);
  REQUIRE(top.found());
  CHECK(std::fabs(turn_of(model, top.position, 0) + math::kPi<double> / 2) < 1e-14);
  CHECK(top.stability.kind == Stability::Kind::unstable);
  CHECK(top.stability.negative == 1);
  // from the top itself, where nothing pushes
  const Equilibrium bottom = find_equilibrium(model, top.position);
  REQUIRE(bottom.found());
  CHECK(std::fabs(std::fabs(turn_of(model, bottom.position, 0)) - math::kPi<double> / 2) < 1e-14);
  CHECK(bottom.stability.kind == Stability::Kind::stable);
}

TEST_CASE("a body in free fall has no equilibrium: what nothing holds is told with the force") {
  ModelBuilder builder;
  builder.body("ball", from_principal_moments(3, {0.1, 0.1, 0.1}), {});
  builder.gravity({0, 0, -kG});
  const Model model = builder.build();
  const Equilibrium none = find_equilibrium(model, start_of(model));
  CHECK(none.end == SearchEnd::nothing_holds);
  REQUIRE(none.unheld);
  CHECK(none.unheld->text == "body 'ball' along (0, 0, -1)");
  CHECK(std::fabs(none.unheld->force - 3 * kG) < 1e-9);
  CHECK(none.reason == "nothing holds the body 'ball' along (0, 0, -1): 29.43 N push it on and on");
}

TEST_CASE("a motor without a spring turns a hinge on and on, and that is told") {
  Hinged arm(0);
  arm.builder.add(JointSpring{.joint = 0, .force = 0.7, .name = "motor"});
  const Model model = arm.builder.build();
  const Equilibrium none = find_equilibrium(model, start_of(model));
  CHECK(none.end == SearchEnd::nothing_holds);
  REQUIRE(none.unheld);
  CHECK(none.unheld->text == "turn of joint 'hinge'");
  CHECK(std::fabs(none.unheld->force - 0.7) < 1e-12);
}

TEST_CASE("a torsion spring is wound up by several turns, which are counted") {
  Hinged arm(0);
  arm.builder.add(JointSpring{.joint = 0, .stiffness = 0.1, .force = 2.3});
  const Model model = arm.builder.build();
  const Equilibrium found = find_equilibrium(model, start_of(model));
  CAPTURE(found.reason);
  REQUIRE(found.found());
  CHECK(std::fabs(turn_of(model, found.position, 0) - 23) < 1e-12);
}

TEST_CASE("a chain of rods between two nails hangs as its force polygon says") {
  // n rods of length l and mass m; loads at the pins m g inside. With the horizontal pull H, rod k leans by
  // tan θ_k = (k − (n − 1)/2) m g/H; H follows from Σ l cos θ_k = span: bisection, independent of the program.
  constexpr int n = 9;
  constexpr double l = 0.2, m = 0.3, span = 1.2;
  const auto width = [&](double H) {
    double sum = 0;
    for (int k = 0; k < n; ++k) {
      const double slope = (k - 0.5 * (n - 1)) * m * kG / H;
      sum += l / std::sqrt(1 + slope * slope);
    }
    return sum;
  };
  double low = 1e-3, high = 1e3;
  for (int i = 0; i < 200; ++i) { (width(0.5 * (low + high)) < span ? low : high) = 0.5 * (low + high); }
  // drawn as an arch, four rods up, one level, four down: far from where the chain comes to hang
  ModelBuilder builder;
  const double c = (span - l) / (8 * l);
  const double s = std::sqrt(1 - c * c);
  Vec3<double> from{};
  BodyId last = kGround;
  for (int k = 0; k < n; ++k) {
    const Vec3<double> d = k < 4 ? Vec3<double>{c, 0, s} : k == 4 ? Vec3<double>{1, 0, 0} : Vec3<double>{c, 0, -s};
    BodyStart start;
    start.r_N = from + 0.5 * l * d;
    const BodyId rod = builder.body("rod" + std::to_string(k), from_principal_moments(m, {1e-3, 1e-3, 1e-3}), start);
    builder.joint_at("revolute", "pin" + std::to_string(k), last, rod, from, {0, 1, 0});
    from += l * d;
    last = rod;
  }
  builder.joint_at("revolute", "end", last, kGround, from, {0, 1, 0});
  builder.gravity({0, 0, -kG});
  const Model model = builder.build();
  const Equilibrium found = find_equilibrium(model, start_of(model));
  CAPTURE(found.reason);
  CAPTURE(found.steps);
  REQUIRE(found.found());
  CHECK(found.freedoms == n - 2);
  CHECK(found.stability.kind == Stability::Kind::stable);
  double height = 0;
  for (int k = 0; k < n; ++k) {
    // the chain hangs, and is symmetric: rod k leans down by slope (k − 4)
    const double slope = (k - 0.5 * (n - 1)) * m * kG / low;
    const double dz = l * slope / std::sqrt(1 + slope * slope);
    const double z = Model::view(found.position.y, k).r_N.z;
    // of 1e-12: the horizontal pull by bisection in double, and closing of nine joints
    CHECK(std::fabs(z - (height + 0.5 * dz)) < 1e-12);
    height += dz;
  }
  // H at the nail; the twin loads all pins by half a rod more
  CHECK(std::fabs(std::fabs(found.reactions[0].force_N.x) - low) < 1e-10);
  CHECK(std::fabs(found.reactions[0].force_N.z - 0.5 * n * m * kG) < 1e-10);
  CHECK(std::fabs(found.reactions[0].force_N.z - 0.5 * (n + 1) * m * kG) > 0.1);
}

TEST_CASE("redundant loops: a four-bar of hinges with a torsion spring finds the balance of its closed form") {
  // parallelogram of uprights a and coupler: V = g h (m_u a + m_c a) cos q + k q²/2 with q from upright
  constexpr double a = 0.4, b = 0.7, upright = 1.5, coupler = 2.5, k = 12;
  ModelBuilder builder;
  BodyStart at;
  at.r_N = {0, 0, a / 2};
  const BodyId left = builder.body("left", from_principal_moments(upright, {0.01, 0.01, 0.001}), at);
  at.r_N = {b / 2, 0, a};
  const BodyId top = builder.body("top", from_principal_moments(coupler, {0.01, 0.02, 0.02}), at);
  at.r_N = {b, 0, a / 2};
  const BodyId right = builder.body("right", from_principal_moments(upright, {0.01, 0.01, 0.001}), at);
  builder.joint_at("revolute", "a", kGround, left, {0, 0, 0}, {0, 1, 0});
  builder.joint_at("revolute", "b", left, top, {0, 0, a}, {0, 1, 0});
  builder.joint_at("revolute", "c", top, right, {b, 0, a}, {0, 1, 0});
  builder.joint_at("revolute", "d", kGround, right, {b, 0, 0}, {0, 1, 0});
  builder.gravity({0, 0, -kG});
  builder.add(JointSpring{.joint = 0, .stiffness = k});
  const Model model = builder.build();
  const double w = kG * a * (upright + coupler);
  double low = 0.1, high = 3;  // k q = w sin q
  for (int i = 0; i < 200; ++i) {
    const double q = 0.5 * (low + high);
    (w * math::sin(q) > k * q ? low : high) = q;
  }
  const Equilibrium found = find_equilibrium(model, start_of(model));
  CAPTURE(found.reason);
  REQUIRE(found.found());
  CHECK(std::fabs(std::fabs(turn_of(model, found.position, 0)) - low) < 1e-12);
  CHECK(found.freedoms == 1);
  CHECK(found.stability.kind == Stability::Kind::stable);
  // κ = (k − w cos q)/I, I = Σ of both uprights about their feet and of the coupler that does not turn
  const double inertia = 2 * (0.01 + upright * a * a / 4) + coupler * a * a;
  const double kappa = (k - w * math::cos(low)) / inertia;
  CHECK(std::fabs(found.stability.eigenvalues[0].real() / kappa - 1) < 1e-11);
  CHECK(std::fabs(found.stability.eigenvalues[0].real() / (k / inertia) - 1) > 0.1);  // the twin: no geometric part
  SearchOptions nearest;
  nearest.nearest = true;
  const Equilibrium straight = find_equilibrium(model, start_of(model), nearest);
  REQUIRE(straight.found());
  CHECK(std::fabs(turn_of(model, straight.position, 0)) < 1e-12);
  CHECK(straight.stability.negative == 1);
}

TEST_CASE("a loaded ball rolls until its weight is below, without slip") {
  // ball of radius R, mass centre off by d: rolling by φ moves the contact by R φ
  constexpr double R = 0.1, d = 0.03;
  ModelBuilder builder;
  MassProperties mass = from_principal_moments(1, {0.004, 0.004, 0.004});
  mass.center_B = {d, 0, 0};
  BodyStart start;
  start.r_N = {0, 0, R};
  const BodyId ball = builder.body("ball", mass, start);
  Rolling rolling;
  rolling.name = "floor";
  rolling.body = ball;
  rolling.edge_radius = R;
  builder.add(rolling);
  builder.gravity({0, 0, -kG});
  const Model model = builder.build();
  const Equilibrium found = find_equilibrium(model, start_of(model));
  CAPTURE(found.reason);
  REQUIRE(found.found());
  const BodyView body = Model::view(found.position.y, ball);
  CHECK(std::fabs(body.r_N.z - (R - d)) < 1e-13);
  // a quarter of a turn rolls R π/2: the way of no slip is followed by the midpoint rule, in pieces of 0.01 rad
  CHECK(std::fabs(body.r_N.x - R * math::kPi<double> / 2) < 1e-3 * R);
  CHECK(std::fabs(body.r_N.x) > 0.1 * R);  // where a ball that slips without friction would stay
  // it may spin about the vertical, which nothing holds
  CHECK(found.stability.kind == Stability::Kind::neutral);
  CHECK(found.stability.neutral == 1);
}

TEST_CASE("drivers stand still: they hold where they are at the start, and their forces are told") {
  Hinged arm;
  arm.builder.add(
      Driver{.name = "servo", .joint = 0, .law = [](double t) { return std::array<double, 3>{0.3 * t, 0.3, 0}; }});
  const Model driven = arm.builder.build();
  const Model model = at_rest(driven, 0, driven.start(), {});
  const Equilibrium found = find_equilibrium(model, start_of(model));
  REQUIRE(found.found());
  CHECK(found.freedoms == 0);
  REQUIRE(found.driver_forces.size() == 1);
  // gravity turns the level arm down, along positive turns: the servo holds against it
  CHECK(std::fabs(found.driver_forces[0] + 2 * kG * 0.5) < 1e-12);
}
