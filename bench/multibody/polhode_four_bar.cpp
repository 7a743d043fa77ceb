#include "multibody/chain.h"
#include "one_body/clock.h"
#include "polhode/integrator/driver.h"
#include "polhode/multibody/mechanism_system.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace polhode::bench {
namespace {

/// All uprights at an angle from the vertical, toward +x, and turning at a rate; the joint that closes each window.
Model four_bars(int windows, double angle, double rate, std::string_view closing) {
  ModelBuilder builder;
  builder.gravity({0, -9.81, 0});
  const MassProperties rod = from_principal_moments(1, {1.0 / 12, 1e-3, 1.0 / 12});
  const MassProperties bar = from_principal_moments(1, {1e-3, 1.0 / 12, 1.0 / 12});
  const auto foot = [](int i) { return Vec3<double>{static_cast<double>(i), 0, 0}; };
  const Vec3<double> up{std::sin(angle), std::cos(angle), 0};
  const Vec3<double> top_velocity = rate * Vec3<double>{up.y, -up.x, 0};
  std::vector<BodyId> uprights;
  for (int i = 0; i <= windows; ++i) {
    BodyStart start;
    start.r_N = foot(i) + 0.5 * up;
    start.e_NB = exp(Vec3<double>{0, 0, -angle});
    start.v_N = 0.5 * top_velocity;
    start.w_B = {0, 0, -rate};
    uprights.push_back(builder.body("upright " + std::to_string(i), rod, start));
    builder.joint_at("revolute", "foot " + std::to_string(i), kGround, uprights.back(), foot(i), {0, 0, 1});
  }
  for (int i = 0; i < windows; ++i) {
    BodyStart start;
    start.r_N = foot(i) + up + Vec3<double>{0.5, 0, 0};
    start.v_N = top_velocity;
    const BodyId b = builder.body("bar " + std::to_string(i), bar, start);
    const auto k = static_cast<std::size_t>(i);
    builder.joint_at("revolute", "left " + std::to_string(i), uprights[k], b, foot(i) + up, {0, 0, 1});
    builder.joint_at(closing, "right " + std::to_string(i), b, uprights[k + 1], foot(i + 1) + up, {0, 0, 1});
  }
  return builder.build();
}

/// Angle of all uprights after 10 s, from the vertical, as long as they stay parallel; by RK4 with small steps.
///
///   ((n + 1)/3 + n) θ̈ = ((n + 1)/2 + n) g sin θ
double pendulum_angle(int windows) {
  const double k = 9.81 * ((windows + 1) / 2.0 + windows) / ((windows + 1) / 3.0 + windows);
  constexpr int kSteps = 200000;
  constexpr double h = 10.0 / kSteps;
  double angle = 0;
  double rate = 1;
  for (int i = 0; i < kSteps; ++i) {
    const double a1 = k * std::sin(angle);
    const double a2 = k * std::sin(angle + 0.5 * h * rate);
    const double a3 = k * std::sin(angle + 0.5 * h * rate + 0.25 * h * h * a1);
    const double a4 = k * std::sin(angle + h * rate + 0.5 * h * h * a2);
    angle += h * rate + h * h / 6 * (a1 + a2 + a3);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return angle;
}

}  // namespace

FourBarRun polhode_four_bar(int windows, double tolerance) {
  const Model model = four_bars(windows, 0, 1, "revolute");
  const MechanismSystem system(model);
  Scratch scratch(model);
  FourBarRun run;
  std::ostringstream method;
  method << "dop853, tolerance " << tolerance;
  run.method = method.str();
  RunOptions<double> options;
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  options.projection = ProjectionUse::every_step;
  const auto once = [&](const Observer<double>& observer) {
    std::vector<double> y = model.start();
    const auto stepper = integrator<double>("dop853").bind(system);
    const RunResult<double> result = integrate<double>(system, *stepper, options, 0, 10, y, observer);
    run.steps = result.statistics.steps;
    run.evaluations = result.statistics.evaluations;
    return y;
  };
  // errors in one run, time in others
  Observer<double> observer;
  const double start = energy(model, model.start()).total();
  observer.output = [&](const double& t, std::span<const double> y) {
    run.gap = std::max(run.gap, residuals(model, t, y, scratch).position);
    run.energy_error = std::max(run.energy_error, std::fabs(energy(model, y).total() - start));
    return true;
  };
  const std::vector<double> y = once(observer);
  const Vec3<double> top = model.point_N(y, 0, {0, 0.5, 0});
  run.angle = std::atan2(top.x, top.y);
  run.angle_error = std::remainder(run.angle - pendulum_angle(windows), 2 * math::kPi<double>);
  run.cpu_seconds = quick_cpu_seconds([&] { once({}); }, 1) / 10;
  return run;
}

EvaluationAtState polhode_tilted_four_bar(int windows, std::string_view closing) {
  struct Kept {
    Model model;
    Scratch scratch;
    std::vector<double> y, ydot;
    explicit Kept(Model m) : model(std::move(m)), scratch(model), y(model.start()), ydot(y.size()) {}
  };
  const auto uprights = static_cast<std::size_t>(windows) + 1;
  EvaluationAtState result;
  result.angles.assign(uprights, 0.5);
  result.rates.assign(uprights, 1.0);
  const auto kept = std::make_shared<Kept>(four_bars(windows, result.angles[0], result.rates[0], closing));
  result.run = [kept] { evaluate(kept->model, 0, kept->y, kept->ydot, kept->scratch); };
  result.accelerations = [kept, uprights] {
    std::vector<double> accelerations;
    for (std::size_t i = 0; i < uprights; ++i) {
      accelerations.push_back(-acceleration_of(kept->model, kept->scratch, static_cast<BodyId>(i)).ang.z);
    }
    return accelerations;
  };
  return result;
}

}  // namespace polhode::bench
