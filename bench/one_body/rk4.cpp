// One step of the classical Runge-Kutta method on a free body, 7 doubles: written out by hand, by the inlined template,
// and through System and Stepper. What counts is the ratio to the first line.
#include "one_body/free_body.h"
#include "polhode/formulation/body_system.h"
#include "polhode/integrator/integrator.h"
#include "polhode/integrator/rk4_step.h"

#include <benchmark/benchmark.h>

#include <array>
#include <vector>

namespace {

using namespace polhode;
using namespace polhode::bench;

constexpr double kStep = 1e-3;
constexpr State kStart{1, 0, 0, 0, 0.01, 5, 0.01};

void by_hand(benchmark::State& state) {
  State y = kStart;
  Moments J = kMoments;
  benchmark::DoNotOptimize(J);
  for (auto _ : state) {
    rk4_by_hand(J, kStep, y);
    benchmark::DoNotOptimize(y);
  }
}
BENCHMARK(by_hand);

void inlined_template(benchmark::State& state) {
  State y = kStart;
  Moments J = kMoments;
  benchmark::DoNotOptimize(J);
  const auto f = [J](double, const State& at, State& rate) { free_body(at.data(), J, rate.data()); };
  for (auto _ : state) {
    rk4_step(f, 0.0, kStep, y);
    benchmark::DoNotOptimize(y);
  }
}
BENCHMARK(inlined_template);

void through_stepper(benchmark::State& state, const char* method) {
  OneBody<double> body;
  body.J_B = diagonal(1.0, 2.0, 3.0);
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  const auto stepper = integrator<double>(method).bind(system);
  std::vector<double> y(kStart.begin(), kStart.end());
  for (auto _ : state) {
    benchmark::DoNotOptimize(stepper->step(0.0, kStep, y));
    benchmark::DoNotOptimize(y);
  }
}
BENCHMARK_CAPTURE(through_stepper, rk4, "rk4");
BENCHMARK_CAPTURE(through_stepper, dop853, "dop853");
BENCHMARK_CAPTURE(through_stepper, gauss6, "gauss6");
BENCHMARK_CAPTURE(through_stepper, splitting6, "splitting6");
BENCHMARK_CAPTURE(through_stepper, dmv, "dmv");
BENCHMARK_CAPTURE(through_stepper, taylor, "taylor");

void right_side(benchmark::State& state) {
  OneBody<double> body;
  body.J_B = diagonal(1.0, 2.0, 3.0);
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  State y = kStart;
  State rate{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(y);
    system.rhs(0.0, y, rate);
    benchmark::DoNotOptimize(rate);
  }
}
BENCHMARK(right_side);

}  // namespace
