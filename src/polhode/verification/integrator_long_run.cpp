#include "polhode/integrator/driver.h"
#include "polhode/math/pi.h"
#include "polhode/verification/integrator_checks.h"
#include "polhode/verification/larger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace polhode::verification {
namespace {

/// Fixed steps by order: the better a method, the longer its step. Methods of variable order take theirs by tolerance.
int steps_per_turn(const MethodDescription& method) {
  switch (method.order) {
    case 1:
      return 2000;
    case 2:
    case 3:
      return 20;
    case 4:
    case 5:
      return 12;
    default:
      return 8;
  }
}

/// Length of a turn of the start, 2π/|ω|.
double turn_time() { return 2 * math::pi<double>() / norm(start_state<double>().w_B); }

/// Straight line through block means at equal distances: slope and its standard error, a unit being the whole length.
///
/// Neighbouring samples of an oscillation are anything but independent, so means over blocks of many turns are taken;
/// what correlation is left between neighbouring blocks, r, widens the error by √((1 + r)/(1 − r)).
struct Line {
  double slope;
  double slope_error;
};
Line fitted_line(const std::vector<double>& means) {
  const double n = static_cast<double>(means.size());
  const auto x = [&](std::size_t i) { return (static_cast<double>(i) + 0.5) / n - 0.5; };
  double mean = 0;
  for (const double y : means) { mean += y / n; }
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    xx += x(i) * x(i);
    xy += x(i) * (means[i] - mean);
  }
  const double slope = xy / xx;
  double square = 0;
  double next = 0;
  double before = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double rest = means[i] - mean - slope * x(i);
    square += rest * rest;
    next += rest * before;
    before = rest;
  }
  const double r = square > 0 ? std::clamp(next / square, 0.0, 0.95) : 0;
  return {slope, std::sqrt(square / (n - 2) / xx * (1 + r) / (1 - r))};
}

/// Rates (or momenta) of a state of form "euler-body" or "canonical" shrink by a share.
void shrink_rates(std::vector<double>& y, double share) {
  for (std::size_t i = 4; i < y.size(); ++i) { y[i] -= share * y[i]; }
}

}  // namespace

LongRun long_run(const MethodDescription& method, Case which, double turns, double loss, const Stop& stop) {
  const OneBody<double> body = body_of<double>(which, Centre::fixed);
  const BodySystem<double> system(formulation<double>(form_for(method, true)), body);
  std::vector<double> y(system.size());
  system.set_state(start_state<double>(), y);
  const auto stepper = integrator<double>(method.name).bind(system);

  const Kept start = kept_at(which, body, system.body_state(0, y));
  const double scale = energy_scale(which, body, system.body_state(0, y));
  const double size = norm(start.momentum);

  // samples at a number of steps that is no whole number of turns
  constexpr std::size_t kBlocks = 64;
  const int per_turn = steps_per_turn(method);
  const double dt = turn_time() / per_turn;
  const auto steps = static_cast<std::size_t>(turns * per_turn);
  const std::size_t samples_in_block = std::clamp<std::size_t>(steps / kBlocks / 7, 1, 251);
  const std::size_t steps_in_sample = std::max<std::size_t>(1, steps / kBlocks / samples_in_block);
  const std::size_t samples = kBlocks * samples_in_block;
  RunOptions<double> by_tolerance;
  by_tolerance.relative_tolerance = 1e-9;
  by_tolerance.absolute_tolerance = 1e-9;

  LongRun run;
  run.steps_per_turn = method.order > 0 ? per_turn : 0;
  std::vector<double> means(kBlocks, 0.0);
  std::size_t step = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    if (stop && stop()) { return run; }
    if (method.order > 0) {
      for (std::size_t n = 0; n < steps_in_sample; ++n, ++step) {
        if (stepper->step(static_cast<double>(step) * dt, dt, y) != StepStatus::ok) { return run; }
      }
    } else {
      const double t = static_cast<double>(step) * dt;
      step += steps_in_sample;
      const double next = static_cast<double>(step) * dt;
      if (integrate<double>(system, *stepper, by_tolerance, t, next, y).status != RunStatus::done) { return run; }
    }
    if (loss > 0) { shrink_rates(y, loss / static_cast<double>(samples)); }
    const Kept now = kept_at(which, body, system.body_state(0, y));
    run.energy_drift = (now.energy - start.energy) / scale;
    run.energy_swing = larger(run.energy_swing, std::fabs(run.energy_drift));
    run.momentum_drift = larger(run.momentum_drift, norm(now.momentum - start.momentum) / size);
    means[sample / samples_in_block] += run.energy_drift / static_cast<double>(samples_in_block);
  }
  const Line line = fitted_line(means);
  run.energy_trend = line.slope;
  run.energy_trend_error = line.slope_error;
  run.finished = std::isfinite(line.slope) && std::isfinite(run.momentum_drift);
  return run;
}

double reversal_error(const MethodDescription& method, Case which, bool twin) {
  const OneBody<double> body = body_of<double>(which);
  const BodySystem<double> system(formulation<double>(form_for(method, false)), body);
  std::vector<double> start(system.size());
  system.set_state(start_state<double>(), start);
  std::vector<double> y = start;
  const auto stepper = integrator<double>(method.name).bind(system);
  constexpr int kSteps = 50;
  const double dt = turn_time() / 40;  // little more than a turn: rounding errors have not yet grown by themselves
  const auto take = [&](double t, double length) {
    if (stepper->step(t, length, y) != StepStatus::ok) { throw std::runtime_error("a step failed"); }
  };
  for (int n = 0; n < kSteps; ++n) { take(n * dt, dt); }
  stepper->restart();
  const double back = twin ? dt * (1 + 1e-9) : dt;
  for (int n = kSteps; n > 0; --n) { take(n * dt, -back); }
  double most = 0;
  for (std::size_t i = 0; i < y.size(); ++i) { most = larger(most, std::fabs(y[i] - start[i])); }
  return most;
}

}  // namespace polhode::verification
