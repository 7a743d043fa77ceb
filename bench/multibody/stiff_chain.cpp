// Stiff chains: time of a step of the methods that solve implicit equations, and what derivatives cost in evaluations.
#include "multibody/chain.h"
#include "one_body/clock.h"
#include "polhode/integrator/driver.h"
#include "polhode/multibody/derivatives.h"
#include "polhode/multibody/linearised_mechanism.h"
#include "polhode/multibody/mechanism_system.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace polhode::bench {
namespace {

/// Rods of 1 kg and 1 m that hang, slightly bent, with a spring and a damper in each hinge.
Model stiff_chain(std::size_t n) {
  ModelBuilder builder;
  builder.gravity({0, 0, -9.81});
  const MassProperties rod = from_principal_moments(1, {1.01 / 12, 1.01 / 12, 0.02 / 12});
  Vec3<double> top{};
  BodyId before = kGround;
  for (std::size_t i = 0; i < n; ++i) {
    BodyStart start;
    start.e_NB = exp(Vec3<double>{0, 0.3 * std::sin(0.7 * static_cast<double>(i)), 0});
    const Vec3<double> half = rotate(start.e_NB, Vec3<double>{0, 0, -0.5});
    start.r_N = top + half;
    const BodyId body = builder.body("rod " + std::to_string(i), rod, start);
    const Vec3<double> axis = i % 2 == 0 ? Vec3<double>{0, 1, 0} : Vec3<double>{1, 0, 0};
    const int hinge = builder.joint_at("revolute", "hinge " + std::to_string(i), before, body, top, axis);
    builder.add(JointSpring{hinge, Coordinate::turn, 1e6, 1e3, 0, 0});
    top = start.r_N + half;
    before = body;
  }
  return builder.build();
}

/// CPU microseconds of a step and body, over `steps` steps behind the first; 0: it did not converge.
double fixed_steps(const char* name, const Model& model, double dt, int steps) {
  const MechanismSystem system(model);
  std::vector<double> y = model.start();
  const auto stepper = integrator<double>(name).bind(system);
  if (stepper->step(0, dt, y) != StepStatus::ok) { return 0; }
  bool good = true;
  const double seconds = cpu_seconds_of([&] {
    for (int k = 1; k <= steps && good; ++k) { good = stepper->step(k * dt, dt, y) == StepStatus::ok; }
  });
  return good ? 1e6 * seconds / (steps * static_cast<double>(model.body_count())) : 0;
}

struct OwnStepsTaken {
  double us_a_step_and_body = 0;
  std::size_t steps = 0;
  std::size_t evaluations = 0;
};
OwnStepsTaken steps_by_tolerance(const char* name, const Model& model, double end) {
  const MechanismSystem system(model);
  std::vector<double> y = model.start();
  RunOptions<double> options;
  options.relative_tolerance = 1e-5;
  options.absolute_tolerance = 1e-5;
  const auto stepper = integrator<double>(name).bind(system);
  RunResult<double> result;
  const double seconds = cpu_seconds_of([&] { result = integrate<double>(system, *stepper, options, 0, end, y); });
  if (result.status != RunStatus::done) { return {}; }
  return {1e6 * seconds / (static_cast<double>(result.statistics.steps) * static_cast<double>(model.body_count())),
          result.statistics.steps, stepper->evaluations()};
}

}  // namespace

void stiff_chains(std::size_t longest) {
  std::printf("\nstiff chain of n rods, 1e6 N m and 1e3 N m s in each hinge: CPU microseconds a step and body\n");
  std::printf("%8s %14s %14s %24s %24s\n", "n", "alpha-index3", "alpha-index2", "ida (steps, evals)",
              "cvode-bdf (steps, evals)");
  for (const std::size_t n : {10UL, 100UL, 1000UL, 10000UL}) {
    if (n > longest) { continue; }
    const Model model = stiff_chain(n);
    const int steps = n < 1000 ? 100 : 10;
    std::printf("%8zu %14.2f %14.2f", n, fixed_steps("generalised-alpha-index3", model, 1e-3, steps),
                fixed_steps("generalised-alpha-index2", model, 1e-3, steps));
    std::fflush(stdout);
    for (const char* name : {"ida", "cvode-bdf"}) {
      if (!absent_integrators().empty()) { continue; }
      const OwnStepsTaken taken = steps_by_tolerance(name, model, n < 10000 ? 0.02 : 0.002);
      std::printf(" %10.2f (%5zu, %5zu)", taken.us_a_step_and_body, taken.steps, taken.evaluations);
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  // derivatives, in evaluations
  const Model model = stiff_chain(100);
  const std::vector<double> y = model.start();
  Scratch scratch(model);
  std::vector<double> ydot(y.size());
  Directional directional(model);
  directional.at(0, y);
  std::vector<double> columns(2 * directional.tree_freedoms() * directional.tree_freedoms());
  std::vector<double> dy(y.size(), 0.01);
  const auto linear = linearised_mechanism(model, {});
  const std::vector<double> lambda(model.row_count(), 1.0);
  const std::vector<std::function<void()>> runs{
      [&] { evaluate(model, 0, y, ydot, scratch); }, [&] { directional.along(dy, ydot); },
      [&] {
        directional.at(0, y);
        directional.along(dy, ydot);
      },
      [&] { directional.tree_jacobian(columns); }, [&] { static_cast<void>(linear->at(0, y, lambda, {})); }};
  const std::vector<double> seconds = quick_cpu_seconds_in_turn(runs, 200);
  std::printf(
      "n = 100, in evaluations of %.1f us: J v %.2f (with its evaluation %.2f), Jacobian of the tree %.1f, all "
      "entries of the sparse equations %.1f\n",
      1e6 * seconds[0], seconds[1] / seconds[0], seconds[2] / seconds[0], seconds[3] / seconds[0],
      seconds[4] / seconds[0]);
}

}  // namespace polhode::bench
