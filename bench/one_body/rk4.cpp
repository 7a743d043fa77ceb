// One step of the classical Runge-Kutta method on a free body, 7 doubles: written out by hand, by the inlined template,
// and through System and Stepper. What counts is the ratio to the first line.
#include "polhode/formulation/body_system.h"
#include "polhode/integrator/integrator.h"
#include "polhode/integrator/rk4_step.h"

#include <benchmark/benchmark.h>

#include <array>
#include <vector>

namespace {

using namespace polhode;

constexpr double kStep = 1e-3;
constexpr std::array<double, 7> kStart{1, 0, 0, 0, 0.01, 5, 0.01};

/// Principal moments; divisions by them are done once.
struct Moments {
  double c1;
  double c2;
  double c3;
};
constexpr Moments kMoments{(2.0 - 3.0) / 1.0, (3.0 - 1.0) / 2.0, (1.0 - 2.0) / 3.0};

inline void free_body(const double* y, const Moments& J, double* f) {
  f[0] = 0.5 * (-y[1] * y[4] - y[2] * y[5] - y[3] * y[6]);
  f[1] = 0.5 * (y[0] * y[4] + y[2] * y[6] - y[3] * y[5]);
  f[2] = 0.5 * (y[0] * y[5] + y[3] * y[4] - y[1] * y[6]);
  f[3] = 0.5 * (y[0] * y[6] + y[1] * y[5] - y[2] * y[4]);
  f[4] = J.c1 * y[5] * y[6];
  f[5] = J.c2 * y[6] * y[4];
  f[6] = J.c3 * y[4] * y[5];
}

void by_hand(benchmark::State& state) {
  std::array<double, 7> y = kStart;
  Moments J = kMoments;
  benchmark::DoNotOptimize(J);
  const double h = kStep;
  for (auto _ : state) {
    double k1[7];
    double k2[7];
    double k3[7];
    double k4[7];
    double z[7];
    free_body(y.data(), J, k1);
    for (int i = 0; i < 7; ++i) { z[i] = y[static_cast<std::size_t>(i)] + 0.5 * h * k1[i]; }
    free_body(z, J, k2);
    for (int i = 0; i < 7; ++i) { z[i] = y[static_cast<std::size_t>(i)] + 0.5 * h * k2[i]; }
    free_body(z, J, k3);
    for (int i = 0; i < 7; ++i) { z[i] = y[static_cast<std::size_t>(i)] + h * k3[i]; }
    free_body(z, J, k4);
    for (int i = 0; i < 7; ++i) { y[static_cast<std::size_t>(i)] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]); }
    benchmark::DoNotOptimize(y);
  }
}
BENCHMARK(by_hand);

void inlined_template(benchmark::State& state) {
  std::array<double, 7> y = kStart;
  Moments J = kMoments;
  benchmark::DoNotOptimize(J);
  const auto f = [&](double, const std::array<double, 7>& at, std::array<double, 7>& rate) {
    free_body(at.data(), J, rate.data());
  };
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
  std::array<double, 7> y = kStart;
  std::array<double, 7> rate{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(y);
    system.rhs(0.0, y, rate);
    benchmark::DoNotOptimize(rate);
  }
}
BENCHMARK(right_side);

}  // namespace
