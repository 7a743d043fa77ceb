// Driven mechanisms and the forces behind a wanted motion, against closed forms.
#include "polhode/analysis/driven.h"

#include "multibody/mechanisms.h"
#include "polhode/math/dual.h"
#include "polhode/math/elementary.h"
#include "polhode/multibody/mechanism_system.h"

#include <doctest/doctest.h>

#include <cmath>
#include <mutex>

using namespace polhode;
using namespace polhode::analysis;

namespace {

constexpr double kGravity9 = 9.81;

/// Crank of radius r about y in the origin, rod of length l, slider along x; drawn with the crank turned by `drawn`
/// (x toward −z for positive turns).
struct SliderCrank {
  static constexpr double r = 0.3, l = 0.8;
  ModelBuilder builder;
  int crank = 0, way = 3;

  explicit SliderCrank(double drawn = 0.7) {
    const Vec3<double> pin{r * math::cos(drawn), 0, -r * math::sin(drawn)};
    const double x = pin.x + std::sqrt(l * l - pin.z * pin.z);
    BodyStart start;
    start.r_N = 0.5 * pin;
    const BodyId a = builder.body("crank", from_principal_moments(1, {0.01, 0.02, 0.02}), start);
    start.r_N = 0.5 * (pin + Vec3<double>{x, 0, 0});
    const BodyId b = builder.body("rod", from_principal_moments(2, {0.01, 0.1, 0.1}), start);
    start.r_N = {x, 0, 0};
    const BodyId c = builder.body("slider", from_principal_moments(3, {0.01, 0.01, 0.01}), start);
    crank = builder.joint_at("revolute", "crank-shaft", kGround, a, {}, {0, 1, 0});
    builder.joint_at("revolute", "pin", a, b, pin, {0, 1, 0});
    builder.joint_at("revolute", "wrist", b, c, {x, 0, 0}, {0, 1, 0});
    way = builder.joint_at("prismatic", "way", kGround, c, {x, 0, 0}, {1, 0, 0});
    builder.gravity({0, 0, -kGravity9});
  }
};

/// A double pendulum of two arms in a vertical plane, hinges about y; drawn straight down.
struct DoublePendulum {
  static constexpr double l1 = 0.7, c1 = 0.3, m1 = 1.5, J1 = 0.06;
  static constexpr double c2 = 0.25, m2 = 0.8, J2 = 0.03;
  ModelBuilder builder;

  DoublePendulum() {
    BodyStart start;
    start.r_N = {0, 0, -c1};
    const BodyId a = builder.body("upper", from_principal_moments(m1, {J1, J1, 0.01}), start);
    start.r_N = {0, 0, -l1 - c2};
    const BodyId b = builder.body("lower", from_principal_moments(m2, {J2, J2, 0.01}), start);
    builder.joint_at("revolute", "shoulder", kGround, a, {}, {0, 1, 0});
    builder.joint_at("revolute", "elbow", a, b, {0, 0, -l1}, {0, 1, 0});
    builder.gravity({0, 0, -kGravity9});
  }
};

std::array<double, 3> wanted_shoulder(double t) {
  return {0.4 + 0.6 * math::sin(2 * t), 1.2 * math::cos(2 * t), -2.4 * math::sin(2 * t)};
}
std::array<double, 3> wanted_elbow(double t) {
  return {0.9 * math::cos(3 * t), -2.7 * math::sin(3 * t), -8.1 * math::cos(3 * t)};
}

}  // namespace

TEST_CASE("a crank drives a slider: position, velocity and acceleration in closed form, all around") {
  const SliderCrank linkage;
  ModelBuilder builder = linkage.builder;
  constexpr double r = SliderCrank::r, l = SliderCrank::l;
  builder.add(Driver{.name = "motor", .joint = 0, .law = [](double t) {
                       return std::array<double, 3>{2 * t + 0.5 * t * t, 2 + t, 1};
                     }});
  const Model model = builder.build();
  CHECK(DrivenMotion::faults(model, 0, model.start()).undriven.empty());
  CHECK(DrivenMotion::faults(model, 0, model.start()).fighting.empty());
  DrivenMotion motion(model);
  std::optional<DrivenState> state = motion.start(0, model.start(), {});
  REQUIRE(state);
  const double drawn = 0.7;
  const auto slide = [&](double q) {
    return r * math::cos(q) + std::sqrt(l * l - r * r * math::sin(q) * math::sin(q));
  };
  for (int k = 1; k <= 40; ++k) {
    REQUIRE(motion.advance(*state, 0.1 * k));
    motion.look(*state);
    const CoordinateMotion found = motion.coordinate(3, Coordinate::slide_z);
    // by the rule of the chain, with derivatives by dual numbers twice over written out
    const double t = 0.1 * k;
    const double q = drawn + 2 * t + 0.5 * t * t, w = 2 + t;
    const double s = r * math::sin(q), c = r * math::cos(q), root = std::sqrt(l * l - s * s);
    const double first = -s - s * c / root;
    const double second = -c - (c * c - s * s) / root - s * s * c * c / (root * root * root);
    // 1e-13: rounding of closing, times the rates
    CHECK(std::fabs(found.value - (slide(q) - slide(drawn))) < 1e-13);
    CHECK(std::fabs(found.rate - first * w) < 1e-12);
    CHECK(std::fabs(found.acceleration - (second * w * w + first)) < 1e-11);
    // the twin: without the rate squared
    if (std::fabs(second) > 0.05) { CHECK(std::fabs(found.acceleration - first) > 0.01); }
  }
}

TEST_CASE("a slider drives a crank over both dead points: told with their times, and passed to the other branch") {
  const SliderCrank linkage;
  ModelBuilder builder = linkage.builder;
  constexpr double r = SliderCrank::r, l = SliderCrank::l;
  // the slide of an even turn of the crank: dead points where sin q = 0, at q = π and 2π
  builder.add(Driver{.name = "piston", .joint = 3, .coordinate = Coordinate::slide_z, .law = [](double t) {
                       const double q = 0.7 + t, s = r * math::sin(q), c = r * math::cos(q);
                       const double root = std::sqrt(l * l - s * s);
                       const double s0 = r * math::sin(0.7), x0 = r * math::cos(0.7) + std::sqrt(l * l - s0 * s0);
                       return std::array<double, 3>{c + root - x0, -s - s * c / root,
                                                    -c - (c * c - s * s) / root - s * s * c * c / (root * root * root)};
                     }});
  const Model model = builder.build();
  DrivenMotion motion(model);
  std::optional<DrivenState> state = motion.start(0, model.start(), {});
  REQUIRE(state);
  std::vector<DrivenState> states{*state};
  for (int k = 1; k <= 60; ++k) {
    REQUIRE(motion.advance(*state, 0.1 * k));
    states.push_back(*state);
  }
  std::vector<DeadPoint> dead;
  for (std::size_t i = 1; i + 1 < states.size(); ++i) {
    if (states[i].least < states[i - 1].least && states[i].least <= states[i + 1].least) {
      if (const auto found = dead_point(motion, states[i - 1], states[i + 1])) { dead.push_back(*found); }
    }
  }
  REQUIRE(dead.size() == 2);
  // a cubic over 4e-4 s: an error of its fourth power
  CHECK(std::fabs(dead[0].t - (math::kPi<double> - 0.7)) < 1e-10);
  CHECK(std::fabs(dead[1].t - (2 * math::kPi<double> - 0.7)) < 1e-10);
  for (const DeadPoint& point : dead) {
    CHECK(point.changes);
    CHECK(point.text.find("of joint '") != std::string::npos);
  }
  // the crank has turned evenly, past both: 6 rad, from there 1e-7 at worst
  motion.look(*state);
  const double turned = std::remainder(motion.coordinate(0, Coordinate::turn).value - 6, 2 * math::kPi<double>);
  CHECK(std::fabs(turned) < 1e-9);
  CHECK(std::fabs(std::remainder(motion.coordinate(0, Coordinate::turn).value + 6, 2 * math::kPi<double>)) > 0.1);
}

TEST_CASE("a piston driven too far: the mechanism does not follow beyond the dead point") {
  const SliderCrank linkage;
  ModelBuilder builder = linkage.builder;
  builder.add(Driver{.name = "piston", .joint = 3, .coordinate = Coordinate::slide_z, .law = [](double t) {
                       return std::array<double, 3>{t, 1, 0};
                     }});
  const Model model = builder.build();
  DrivenMotion motion(model);
  std::optional<DrivenState> state = motion.start(0, model.start(), {});
  REQUIRE(state);
  CHECK_FALSE(motion.advance(*state, 1));
  const double s0 = SliderCrank::r * math::sin(0.7);
  const double reach = SliderCrank::r + SliderCrank::l - SliderCrank::r * math::cos(0.7) -
                       std::sqrt(SliderCrank::l * SliderCrank::l - s0 * s0);
  // Newton's method is quadratic no more: 1e-10 of a length is a gap of 1e-10
  CHECK(std::fabs(state->t - reach) < 1e-8);
  CHECK(state->t <= reach + 1e-9);
}

TEST_CASE("freedoms that nothing drives, and drivers that fight, are told by name") {
  DoublePendulum arms;
  const auto still = [](double) { return std::array<double, 3>{0, 0, 0}; };
  arms.builder.add(Driver{.name = "motor", .joint = 0, .law = still});
  const Model one = arms.builder.build();
  const DrivenFaults lacking = DrivenMotion::faults(one, 0, one.start());
  CHECK(lacking.undriven == std::vector<std::string>{"turn of joint 'elbow'"});
  CHECK(lacking.fighting.empty());
  SliderCrank linkage;
  linkage.builder.add(Driver{.name = "motor", .joint = 0, .law = still});
  linkage.builder.add(Driver{.name = "piston", .joint = 3, .coordinate = Coordinate::slide_z, .law = still});
  const Model two = linkage.builder.build();
  const DrivenFaults fighting = DrivenMotion::faults(two, 0, two.start());
  CHECK(fighting.undriven.empty());
  CHECK(
      fighting.fighting ==
      std::vector<std::string>{"driver 'piston' drives the slide_z of joint 'way', which other drivers move already"});
  // straight: the piston cannot move the crank there
  const double dead = 0;
  SliderCrank straight(dead);
  straight.builder.add(Driver{.name = "piston", .joint = 3, .coordinate = Coordinate::slide_z, .law = still});
  const Model flat = straight.builder.build();
  CHECK(DrivenMotion::faults(flat, 0, flat.start()).singular);
}

TEST_CASE("torques of a double pendulum for a wanted motion are those of the closed form") {
  DoublePendulum arms;
  arms.builder.add(Driver{.name = "shoulder-motor", .joint = 0, .law = wanted_shoulder});
  arms.builder.add(Driver{.name = "elbow-motor", .joint = 1, .law = wanted_elbow});
  const Model model = arms.builder.build();
  DrivenMotion motion(model);
  // the drawing hangs straight; the wanted motion starts elsewhere, near enough for Newton's method
  std::optional<DrivenState> state = motion.start(0, model.start(), {});
  REQUIRE(state);
  using D = DoublePendulum;
  for (int k = 0; k <= 50; ++k) {
    const double t = 0.1 * k;
    REQUIRE(motion.advance(*state, t));
    motion.look(*state);
    const auto [q1, w1, a1] = wanted_shoulder(t);
    const auto [q2, w2, a2] = wanted_elbow(t);
    // Lagrange's equations, angles from hanging, the second relative
    const double h = D::m2 * D::l1 * D::c2;
    const double M11 =
        D::J1 + D::J2 + D::m1 * D::c1 * D::c1 + D::m2 * (D::l1 * D::l1 + D::c2 * D::c2) + 2 * h * math::cos(q2);
    const double M12 = D::J2 + D::m2 * D::c2 * D::c2 + h * math::cos(q2);
    const double M22 = D::J2 + D::m2 * D::c2 * D::c2;
    const double lower = D::m2 * D::c2 * kGravity9 * math::sin(q1 + q2);
    const double tau1 = M11 * a1 + M12 * a2 - h * math::sin(q2) * (2 * w1 * w2 + w2 * w2) +
                        (D::m1 * D::c1 + D::m2 * D::l1) * kGravity9 * math::sin(q1) + lower;
    const double tau2 = M12 * a1 + M22 * a2 + h * math::sin(q2) * w1 * w1 + lower;
    // 1e-12: rounding of torques of some 20 N m
    CHECK(std::fabs(motion.driver(0) - tau1) < 1e-12);
    CHECK(std::fabs(motion.driver(1) - tau2) < 1e-12);
    // the twin: no centrifugal torque on the elbow
    if (std::fabs(h * math::sin(q2) * w1 * w1) > 1e-3) {
      CHECK(std::fabs(motion.driver(1) - (tau2 - h * math::sin(q2) * w1 * w1)) > 1e-4);
    }
  }
}

TEST_CASE("driven by the torques that were found, the double pendulum and a four-bar make the wanted motion") {
  const auto back = [](ModelBuilder builder, const std::vector<Driver>& drivers, double duration, double& error,
                       double factor) {
    ModelBuilder driven = builder;
    for (const Driver& driver : drivers) { driven.add(driver); }
    const Model wanted = driven.build();
    DrivenMotion motion(wanted);
    std::optional<DrivenState> state = motion.start(0, wanted.start(), {});
    REQUIRE(state);
    const std::vector<double> start = state->y;
    // torques at any time: from the state that was asked for last
    struct Asked {
      DrivenMotion& motion;
      DrivenState state;
      std::mutex one;
    };
    const auto asked = std::make_shared<Asked>(motion, *state);
    for (std::size_t d = 0; d < drivers.size(); ++d) {
      JointLaw law;
      law.joint = drivers[d].joint;
      law.coordinate = drivers[d].coordinate;
      law.law = [asked, d, factor](const MechanismView& now, const CoordinateValue&) {
        const std::lock_guard lock(asked->one);
        asked->motion.advance(asked->state, now.t);
        asked->motion.look(asked->state);
        return factor * asked->motion.driver(static_cast<int>(d));
      };
      builder.add(law);
    }
    const Model free = builder.build();
    const MechanismSystem system(free);
    std::vector<double> y = start;
    std::vector<double> times;
    for (int k = 1; k <= 10; ++k) { times.push_back(duration * k / 10); }
    DrivenMotion again(wanted);
    std::optional<DrivenState> truth = again.start(0, start, {});
    error = 0;
    test::run(system, y, times, 1e-13, [&](std::size_t n, std::span<const double> at) {
      REQUIRE(again.advance(*truth, times[n]));
      for (std::size_t i = 0; i < at.size(); ++i) { error = std::fmax(error, std::fabs(at[i] - truth->y[i])); }
    });
  };
  double error = 1;
  back(DoublePendulum().builder,
       {Driver{.name = "a", .joint = 0, .law = wanted_shoulder}, Driver{.name = "b", .joint = 1, .law = wanted_elbow}},
       2, error, 1);
  // the tolerance of the run, 1e-13, and how the motion spreads apart in 2 s
  CHECK(error < 1e-10);
  back(SliderCrank().builder, {Driver{.name = "a", .joint = 0, .law = wanted_shoulder}}, 2, error, 1);
  CHECK(error < 1e-10);
  back(SliderCrank().builder, {Driver{.name = "a", .joint = 0, .law = wanted_shoulder}}, 2, error, 1.001);
  CHECK(error > 1e-5);  // the twin: torques a thousandth too large
}
