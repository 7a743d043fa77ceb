#include "multibody/chain.h"
#include "one_body/clock.h"
#include "polhode/integrator/driver.h"
#include "polhode/multibody/mechanism_system.h"

#include <algorithm>
#include <cmath>

namespace polhode::bench {
namespace {

Model four_bars(int windows) {
  ModelBuilder builder;
  builder.gravity({0, -9.81, 0});
  const MassProperties rod = from_principal_moments(1, {1.0 / 12, 1e-3, 1.0 / 12});
  const MassProperties bar = from_principal_moments(1, {1e-3, 1.0 / 12, 1.0 / 12});
  const auto x_of = [](int i) { return static_cast<double>(i); };
  std::vector<BodyId> uprights;
  for (int i = 0; i <= windows; ++i) {
    BodyStart start;
    start.r_N = {x_of(i), 0.5, 0};
    start.v_N = {0.5, 0, 0};
    start.w_B = {0, 0, -1};
    uprights.push_back(builder.body("upright " + std::to_string(i), rod, start));
    builder.joint_at("revolute", "foot " + std::to_string(i), kGround, uprights.back(), {x_of(i), 0, 0}, {0, 0, 1});
  }
  for (int i = 0; i < windows; ++i) {
    BodyStart start;
    start.r_N = {x_of(i) + 0.5, 1, 0};
    start.v_N = {1, 0, 0};
    const BodyId b = builder.body("bar " + std::to_string(i), bar, start);
    const auto k = static_cast<std::size_t>(i);
    builder.joint_at("revolute", "left " + std::to_string(i), uprights[k], b, {x_of(i), 1, 0}, {0, 0, 1});
    builder.joint_at("revolute", "right " + std::to_string(i), b, uprights[k + 1], {x_of(i + 1), 1, 0}, {0, 0, 1});
  }
  return builder.build();
}

}  // namespace

FourBarRun polhode_four_bar(int windows) {
  const Model model = four_bars(windows);
  const MechanismSystem system(model);
  Scratch scratch(model);
  FourBarRun run;
  run.method = "dop853, tolerance 1e-8";
  RunOptions<double> options;
  options.relative_tolerance = 1e-8;
  options.absolute_tolerance = 1e-8;
  options.projection = ProjectionUse::every_step;
  const auto once = [&](const Observer<double>& observer) {
    std::vector<double> y = model.start();
    const auto stepper = integrator<double>("dop853").bind(system);
    integrate<double>(system, *stepper, options, 0, 10, y, observer);
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
  run.cpu_seconds = quick_cpu_seconds([&] { once({}); }, 1) / 10;
  return run;
}

}  // namespace polhode::bench
