#include "polhode/math/elementary.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// Time per call of our elementary functions beside the C library's, over 1024 arguments in a loop: what a
// conversion of many attitudes sees. "arrays" are the functions without a branch, which become vector code.

namespace {

namespace portable = polhode::math::portable;

constexpr std::size_t kCount = 1024;

/// Numbers spread evenly over [low, high), in an order without pattern: multiples of the golden ratio, modulo 1.
std::vector<double> arguments(double low, double high, double start) {
  std::vector<double> x(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const double t = start + static_cast<double>(i) * 0.618033988749894848;
    x[i] = low + (high - low) * (t - std::floor(t));
  }
  return x;
}

template <class Function>
void unary(benchmark::State& state, Function function, double low, double high) {
  const std::vector<double> x = arguments(low, high, 0.1);
  std::vector<double> y(kCount);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kCount; ++i) { y[i] = function(x[i]); }
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  state.counters["per_call"] = benchmark::Counter(
      kCount, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert, benchmark::Counter::kIs1000);
}

template <class Function>
void binary(benchmark::State& state, Function function, double low, double high) {
  const std::vector<double> a = arguments(low, high, 0.1);
  const std::vector<double> b = arguments(low, high, 0.7);
  std::vector<double> y(kCount);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kCount; ++i) { y[i] = function(a[i], b[kCount - 1 - i]); }
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  state.counters["per_call"] = benchmark::Counter(
      kCount, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert, benchmark::Counter::kIs1000);
}

// a pair of benchmarks: ours inlined as a user's loop would have it, and the library's
#define POLHODE_BENCH(shape, function, low, high)                                                           \
  BENCHMARK_CAPTURE(shape, function##_ours, [](auto... x) { return portable::function(x...); }, low, high); \
  BENCHMARK_CAPTURE(                                                                                        \
      shape, function##_libm, [](auto... x) { return static_cast<double>(std::function(x...)); }, low, high)

POLHODE_BENCH(unary, sin, -10.0, 10.0);
POLHODE_BENCH(unary, cos, -10.0, 10.0);
POLHODE_BENCH(unary, tan, -10.0, 10.0);
POLHODE_BENCH(unary, asin, -1.0, 1.0);
POLHODE_BENCH(unary, acos, -1.0, 1.0);
POLHODE_BENCH(unary, atan, -5.0, 5.0);
POLHODE_BENCH(binary, atan2, -1.0, 1.0);
POLHODE_BENCH(binary, hypot, -1.0, 1.0);
POLHODE_BENCH(unary, exp, -20.0, 20.0);
POLHODE_BENCH(unary, expm1, -2.0, 2.0);
POLHODE_BENCH(unary, log, 0.001, 20.0);
POLHODE_BENCH(unary, log1p, -0.5, 2.0);
POLHODE_BENCH(unary, log2, 0.001, 20.0);
POLHODE_BENCH(unary, log10, 0.001, 20.0);
POLHODE_BENCH(binary, pow, 0.1, 10.0);
POLHODE_BENCH(unary, sinh, -5.0, 5.0);
POLHODE_BENCH(unary, cosh, -5.0, 5.0);
POLHODE_BENCH(unary, tanh, -2.0, 2.0);
POLHODE_BENCH(unary, asinh, -5.0, 5.0);
POLHODE_BENCH(unary, acosh, 1.0, 10.0);
POLHODE_BENCH(unary, atanh, -0.99, 0.99);
POLHODE_BENCH(unary, cbrt, -5.0, 5.0);

// angles beyond 1e5 take the long way through 2/π
BENCHMARK_CAPTURE(unary, sin_huge_ours, [](double x) { return portable::sin(x); }, 1e15, 1e16);
BENCHMARK_CAPTURE(unary, sin_huge_libm, [](double x) { return std::sin(x); }, 1e15, 1e16);

// both from one angle: sin + cos keeps the two from being dropped
BENCHMARK_CAPTURE(
    unary, sincos_ours,
    [](double x) {
      const auto [s, c] = portable::sincos(x);
      return s + c;
    },
    -10.0, 10.0);
BENCHMARK_CAPTURE(unary, sincos_libm, [](double x) { return std::sin(x) + std::cos(x); }, -10.0, 10.0);
BENCHMARK_CAPTURE(
    unary, sincos_arrays,
    [](double x) {
      const auto [s, c] = portable::sincos_moderate(x);
      return s + c;
    },
    -10.0, 10.0);
BENCHMARK_CAPTURE(binary, atan2_arrays, [](double y, double x) { return portable::atan2_moderate(y, x); }, -1.0, 1.0);

}  // namespace

BENCHMARK_MAIN();
