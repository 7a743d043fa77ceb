// Cost of the exact motions: one evaluation, set-up, and the attitude at 1000 output times. Boost.Math's Jacobi
// functions and integral of the third kind, which a closed form would otherwise be made of, stand beside them.
#include "polhode/motion/free_motion.h"
#include "polhode/motion/lagrange_top.h"

#include <benchmark/benchmark.h>
#include <boost/math/special_functions/ellint_3.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>

#include <vector>

namespace {

using namespace polhode;

const EulerParameters<double> kStart{0.5, {0.5, -0.5, 0.5}};
const Vec3<double> kMoments{1, 2, 3};
const Vec3<double> kTumble{1, 2, 3};             // about the largest moment
const Vec3<double> kFlip{0.01, 5, 0.01};         // next to the unstable axis, m1 = 1e-5
const Vec3<double> kNearSeparatrix{1e-7, 5, 0};  // m1 = 1e-15

template <class Motion>
void evaluate(benchmark::State& state, const Motion& motion) {
  double t = 0;
  for (auto _ : state) {
    t += 0.1;
    benchmark::DoNotOptimize(motion.at(t));
  }
}

void evaluate_free(benchmark::State& state, Vec3<double> J, Vec3<double> w) {
  evaluate(state, FreeMotion<double>(J, kStart, w));
}
BENCHMARK_CAPTURE(evaluate_free, tumble, kMoments, kTumble);
BENCHMARK_CAPTURE(evaluate_free, flip, kMoments, kFlip);
BENCHMARK_CAPTURE(evaluate_free, near_separatrix, kMoments, kNearSeparatrix);
BENCHMARK_CAPTURE(evaluate_free, axisymmetric, Vec3<double>{1, 1, 3}, kTumble);
BENCHMARK_CAPTURE(evaluate_free, steady, kMoments, Vec3<double>{0, 0, 3});

void evaluate_top(benchmark::State& state) {
  evaluate(state, LagrangeTop<double>({1.3, 0.4, 2.1}, kStart, {0.3, 0.5, 12}));
}
BENCHMARK(evaluate_top);

void attitude_at_1000_times(benchmark::State& state, Vec3<double> w) {
  std::vector<double> times(1000);
  for (std::size_t i = 0; i < times.size(); ++i) { times[i] = 0.1 * static_cast<double>(i + 1); }
  std::vector<MotionState<double>> states(times.size());
  for (auto _ : state) {
    const FreeMotion<double> motion(kMoments, kStart, w);  // set-up included
    motion.at(times, states);
    benchmark::DoNotOptimize(states.data());
  }
}
BENCHMARK_CAPTURE(attitude_at_1000_times, tumble, kTumble)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(attitude_at_1000_times, flip, kFlip)->Unit(benchmark::kMicrosecond);

void set_up_free(benchmark::State& state) {
  for (auto _ : state) { benchmark::DoNotOptimize(FreeMotion<double>(kMoments, kStart, kFlip)); }
}
BENCHMARK(set_up_free);
void set_up_free_quick(benchmark::State& state) {
  for (auto _ : state) { benchmark::DoNotOptimize(QuickFreeMotion(kMoments, kStart, kFlip)); }
}
BENCHMARK(set_up_free_quick);
void set_up_free_full_matrix(benchmark::State& state) {
  const Mat3<double> J_B{{{2, 0.3, -0.1}, {0.3, 3, 0.2}, {-0.1, 0.2, 4}}};
  for (auto _ : state) { benchmark::DoNotOptimize(FreeMotion<double>(J_B, kStart, kFlip)); }
}
BENCHMARK(set_up_free_full_matrix);
void set_up_top(benchmark::State& state) {
  for (auto _ : state) { benchmark::DoNotOptimize(LagrangeTop<double>({1.3, 0.4, 2.1}, kStart, {0.3, 0.5, 12})); }
}
BENCHMARK(set_up_top);

/// sn, cn, dn and Π once, at one argument: what the textbook form needs for each evaluation.
void boost_functions(benchmark::State& state) {
  double tau = 0;
  for (auto _ : state) {
    tau += 0.01;
    double cn = 0;
    double dn = 0;
    const double sn = boost::math::jacobi_elliptic(0.95, tau, &cn, &dn);
    benchmark::DoNotOptimize(sn);
    benchmark::DoNotOptimize(boost::math::ellint_3(0.95, -1.7, tau));
  }
}
BENCHMARK(boost_functions);

}  // namespace
