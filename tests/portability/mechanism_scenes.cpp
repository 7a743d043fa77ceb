// Mechanisms: a tree, loops, redundant constraints, rolling, drivers; each by a fixed step and by tolerance. And
// formulas.
#include "polhode/formula/compiler.h"
#include "polhode/integrator/driver.h"
#include "polhode/math/dual.h"
#include "polhode/math/interval.h"
#include "polhode/math/jet.h"
#include "polhode/multibody/mechanism_system.h"
#include "scenes.h"

#include <array>

namespace polhode::portability {
namespace {

BodyId add_brick(ModelBuilder& builder, const std::string& name, const Vec3<double>& r_N, const Vec3<double>& w_B = {},
                 const Vec3<double>& v_N = {}) {
  BodyStart start;
  start.r_N = r_N;
  start.w_B = w_B;
  start.v_N = v_N;
  return builder.body(name, from_principal_moments(1.25, {0.11, 0.13, 0.07}), start);
}

/// A branching tree with hinges along different axes, a ball joint, a slide, springs, friction, drag.
Model tree() {
  ModelBuilder builder;
  builder.gravity({0.3, -9.81, 0.1});
  const BodyId a = add_brick(builder, "a", {0.5, 0, 0});
  const BodyId b = add_brick(builder, "b", {1.5, 0.2, 0});
  const BodyId c = add_brick(builder, "c", {1.0, -1.0, 0.3});
  const BodyId d = add_brick(builder, "d", {1.6, -1.4, 0.3});
  const int hinge = builder.joint_at("revolute", "hinge", kGround, a, {0, 0, 0}, {0, 0.6, 0.8});
  builder.joint_at("universal", "cross", a, b, {1, 0, 0}, {0, 0, 1}, {1, 0, 0});
  builder.joint_at("spherical", "ball", a, c, {1, -0.5, 0}, {0, 0, 1});
  const int slide = builder.joint_at("prismatic", "slide", c, d, {1.3, -1.2, 0.3}, {0.8, -0.6, 0});
  builder.add(JointSpring{.joint = hinge, .coordinate = Coordinate::turn, .stiffness = 3, .damping = 0.1});
  builder.add(JointSpring{.joint = slide, .coordinate = Coordinate::slide_z, .stiffness = 40, .damping = 0.3});
  Spring spring;
  spring.first = kGround;
  spring.on_first_B = {0, 1, 0};
  spring.second = b;
  spring.on_second_B = {0.1, 0, 0.2};
  spring.stiffness = 15;
  spring.damping = 0.2;
  spring.free_length = 0.7;
  builder.add(spring);
  return builder.build();
}

/// Two windows of four hinges each: 6 of their constraints are redundant. With balls in place of the hinges of the bars
/// and gravity across the plane nothing is, and the bars turn about themselves.
Model windows(const char* kind, const Vec3<double>& g_N, double spin) {
  ModelBuilder builder;
  builder.gravity(g_N);
  std::vector<BodyId> uprights;
  for (int i = 0; i < 3; ++i) {
    uprights.push_back(
        add_brick(builder, "upright " + std::to_string(i), {double(i), 0.5, 0}, {0, 0, -1}, {0.5, 0, 0}));
    builder.joint_at("revolute", "foot " + std::to_string(i), kGround, uprights.back(), {double(i), 0, 0}, {0, 0, 1});
  }
  for (int i = 0; i < 2; ++i) {
    const BodyId bar = add_brick(builder, "bar " + std::to_string(i), {i + 0.5, 1, 0}, {spin, 0, 0}, {1, 0, 0});
    builder.joint_at(kind, "left " + std::to_string(i), uprights[std::size_t(i)], bar, {double(i), 1, 0}, {0, 0, 1});
    builder.joint_at(kind, "right " + std::to_string(i), bar, uprights[std::size_t(i) + 1], {i + 1.0, 1, 0}, {0, 0, 1});
  }
  return builder.build();
}

/// A coin that wobbles on a table.
Model coin() {
  ModelBuilder builder;
  builder.gravity({0, 0, -9.81});
  BodyStart start;
  const double tilt = 1.2;
  start.e_NB = {math::cos(tilt / 2), {math::sin(tilt / 2), 0, 0}};
  start.r_N = {0, 0, 0.3 * math::sin(tilt)};
  start.w_B = {0.2, 0.1, 6};
  const BodyId disc = builder.body("disc", from_principal_moments(1, {0.0225, 0.0225, 0.045}), start);
  Rolling rolling;
  rolling.name = "edge";
  rolling.body = disc;
  rolling.radius = 0.3;
  builder.add(rolling);
  return builder.build();
}

/// A crank that follows a function of time, a rod on balls, a slider, and a gear on the crank.
Model driven() {
  ModelBuilder builder;
  builder.gravity({0, 0, -9.81});
  const BodyId crank = add_brick(builder, "crank", {0, 0.05, 0.1});
  const BodyId rod = add_brick(builder, "rod", {0.15, 0.05, 0.1});
  const BodyId slider = add_brick(builder, "slider", {0.3, 0, 0});
  const BodyId gear = add_brick(builder, "gear", {-0.2, 0, 0});
  const int drive = builder.joint_at("revolute", "drive", kGround, crank, {0, 0, 0.12}, {1, 0, 0});
  builder.joint_at("spherical", "pin", crank, rod, {0, 0.1, 0.12}, {0, 0, 1});
  builder.joint_at("universal", "cross", rod, slider, {0.3, 0, 0}, {0, 0, 1}, {0, 1, 0});
  builder.joint_at("prismatic", "guide", kGround, slider, {0.3, 0, 0}, {1, 0, 0});
  const int turn = builder.joint_at("revolute", "axle", kGround, gear, {-0.2, 0, 0}, {1, 0, 0});
  builder.add(
      Coupling{.name = "teeth", .first_joint = drive, .first_factor = 2, .second_joint = turn, .second_factor = 3});
  builder.add(Driver{.name = "motor", .joint = drive, .law = [](double t) {
                       const double w = 3;
                       return std::array<double, 3>{0.4 * math::sin(w * t), 0.4 * w * math::cos(w * t),
                                                    -0.4 * w * w * math::sin(w * t)};
                     }});
  return builder.build();
}

/// A hub that floats, a panel on a hinge, and a wheel with a motor in each.
Model wheels() {
  ModelBuilder builder;
  BodyStart start;
  start.w_B = {0.2, -0.3, 0.4};
  const BodyId hub = builder.body("hub", from_principal_moments(20, {1.0, 1.3, 0.9}), start);
  start.r_N = {1, 0, 0};
  const BodyId panel = builder.body("panel", from_principal_moments(3, {0.2, 0.05, 0.24}), start);
  const int hinge = builder.joint_at("revolute", "hinge", hub, panel, {0.5, 0, 0}, {0, 1, 0});
  builder.add(JointSpring{hinge, Coordinate::turn, 5, 0.1, 0.3, 0});
  for (const BodyId body : {hub, panel}) {
    ReactionWheel wheel;
    wheel.body = body;
    wheel.axis_B = {0.6, 0, 0.8};
    wheel.inertia = 0.01;
    wheel.speed_at_start = 50;
    wheel.friction = 0.002;
    wheel.max_torque = 0.3;
    wheel.command = [body](const MechanismView& now) {
      return 0.4 * math::cos(3 * now.t) + Model::view(now.y, body).w_B.x;
    };
    builder.add(wheel);
  }
  return builder.build();
}

void run_mechanism(Hash& hash, const Model& model, const char* method, double step) {
  const MechanismSystem system(model);
  std::vector<double> y = model.start();
  Scratch scratch(model);
  project(model, 0, y, scratch);
  RunOptions<double> options;
  options.step = step;
  options.relative_tolerance = 1e-9;
  options.absolute_tolerance = 1e-9;
  options.projection = ProjectionUse::every_step;
  options.output_times = {0.1, 0.2, 0.3};
  Observer<double> observer;
  observer.output = [&](const double&, std::span<const double> at) {
    hash << at;
    return true;
  };
  const auto stepper = integrator<double>(method).bind(system);
  const RunResult<double> result = integrate<double>(system, *stepper, options, 0, 0.3, y, observer);
  hash << static_cast<double>(result.statistics.evaluations) << result.t;
}

/// t and x, and nothing else.
struct TwoNames final : formula::Scope {
  std::optional<formula::Input> find(std::string_view name) const override {
    if (name == "t") { return formula::Input{0}; }
    if (name == "x") { return formula::Input{1}; }
    return {};
  }
  std::vector<std::string_view> names() const override { return {"t", "x"}; }
};

template <class S>
S formula_value(const formula::Tape& tape, const S& t, const S& x) {
  formula::Evaluation<S> evaluation(tape);
  for (std::size_t i = 0; i < tape.inputs().size(); ++i) { evaluation.inputs()[i] = tape.inputs()[i].id == 0 ? t : x; }
  evaluation.update();
  return evaluation[0];
}

/// Every operation and function, on numbers, dual numbers, jets and intervals.
void formulas(Hash& hash) {
  const char* texts[] = {"1 + 2*t - t/3 + 2^-t + t^1.5",
                         "sin(t) + cos(2*t) + tan(x/2) + asin(x/4) + acos(x/4) + atan(t)",
                         "sinh(t) + cosh(x) + tanh(t) + exp(-t) + log(t + 1) + log10(t + 2)",
                         "sqrt(t + 1)*cbrt(x) + atan2(x, t) + hypot(t, x)",
                         "abs(x) + floor(3*t) + sign(x) + step(x - 1) + min(t, x) + max(t, x) + mod(5*x, 2)",
                         "t > 1 && x < 0.5 || !(x == t) ? t*x : x >= 1 ? pi : x != 2"};
  const TwoNames names;
  for (const char* text : texts) {
    formula::Compiler compiler(names);
    compiler.add(text);
    const formula::Tape tape = compiler.finish();
    for (int i = 0; i < 200; ++i) {
      const double t = 0.01 + 0.013 * i;
      const double x = -1.9 + 0.017 * i;
      hash << formula_value<double>(tape, t, x);
      const Dual<double> dual = formula_value<Dual<double>>(tape, {t, 1.0}, {x, 0.5});
      hash << dual.value << dual.derivative;
      const auto jet = formula_value<Jet<double, 4>>(tape, Jet<double, 4>::time(t), Jet<double, 4>(x));
      for (const double c : jet.c) { hash << c; }
      const Interval range = formula_value<Interval>(tape, {t, t + 0.01}, {x - 0.02, x});
      hash << range.low << range.high;
    }
  }
}

}  // namespace

void add_mechanism_scenes(std::vector<Scene>& scenes) {
  scenes.push_back({"formulas", formulas});
  const std::pair<const char*, Model (*)()> models[] = {
      {"tree", tree},
      {"loops", [] { return windows("spherical", {0.5, -9.81, 2}, 0.7); }},
      {"redundant", [] { return windows("revolute", {0, -9.81, 0}, 0); }},
      {"rolling", coin},
      {"driven", driven},
      {"wheels", wheels}};
  for (const auto& [name, make] : models) {
    for (const auto& [method, step] : {std::pair{"rk4", 0.005}, std::pair{"dop853", 0.0}}) {
      scenes.push_back({std::string("mechanism:") + name + ":" + method,
                        [model = make, by = method, dt = step](Hash& hash) { run_mechanism(hash, model(), by, dt); }});
    }
  }
}

}  // namespace polhode::portability
