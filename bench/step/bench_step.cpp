// One step of a free body in float: polhode/step.hpp against steps that game engines take, written here by hand from
// their formulas. What counts are the ratios to the first line. `one`: the same body again and again, each step waits
// for the last; `many`: a hundred bodies in turn. The number after the slash is |ω| dt in hundredths of a radian.
#include "polhode/formulation/gyro_steps.h"
#include "polhode/step.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

namespace {

using namespace polhode;

constexpr Vec3<float> kMoments{1, 2, 3};
constexpr Vec3<float> kRate{0.3030F, 0.8081F, 0.5051F};  // |ω| = 1
constexpr std::size_t kMany = 100;

/// Moments that the compiler does not know.
Vec3<float> moments() {
  Vec3<float> J = kMoments;
  benchmark::DoNotOptimize(J);
  return J;
}

/// Explicit gyroscopic term, then the attitude: semi-implicit Euler. It explodes; the rate is put back, so that numbers
/// stay numbers.
void semi_implicit_euler(benchmark::State& state) {
  const Vec3<float> J = moments();
  const Vec3<float> k = detail::gyration(J);
  const float dt = 1e-4F;
  MotionState<float> s{EulerParameters<float>::identity(), kRate};
  for (auto _ : state) {
    const Vec3<float> w = s.w_B;
    s.w_B = {w.x - dt * (k.x * w.y * w.z), w.y - dt * (k.y * w.z * w.x), w.z - dt * (k.z * w.x * w.y)};
    const EulerParameters<float> e = s.e_NB + (0.5F * dt) * (s.e_NB * pure(s.w_B));
    s.e_NB = (1 / std::sqrt(norm_squared(e))) * e;
    benchmark::DoNotOptimize(s);
  }
}
BENCHMARK(semi_implicit_euler);

void newton_gyro_one(benchmark::State& state) {
  const Vec3<float> J = moments();
  const float dt = 1e-4F;
  MotionState<float> s{EulerParameters<float>::identity(), kRate};
  for (auto _ : state) {
    newton_gyro_step(J, dt, s);
    benchmark::DoNotOptimize(s);
  }
}
BENCHMARK(newton_gyro_one);

void midpoint_one(benchmark::State& state) {
  const Vec3<float> J = moments();
  const auto iterations = static_cast<int>(state.range(0));
  MotionState<float> s{EulerParameters<float>::identity(), kRate};
  for (auto _ : state) {
    midpoint_step(J, 0.1F, iterations, s);
    benchmark::DoNotOptimize(s);
  }
}
BENCHMARK(midpoint_one)->Arg(1)->Arg(5);

template <class S>
step::Rotor<S> spinning(const step::Inertia<S>& inertia) {
  return step::start(inertia, step::Quaternion<S>{}, step::Vector<S>{S(kRate.x), S(kRate.y), S(kRate.z)});
}

template <class S>
void step_one(benchmark::State& state) {
  const Vec3<float> J = moments();
  const step::Inertia<S> inertia(S(J.x), S(J.y), S(J.z));
  const S dt = S(0.01) * S(state.range(0));
  step::Rotor<S> rotor = spinning(inertia);
  for (auto _ : state) { step::advance(inertia, rotor, dt); }
  benchmark::DoNotOptimize(rotor);
}
BENCHMARK(step_one<float>)->Arg(5)->Arg(25)->Arg(50)->Arg(100)->Arg(170);
BENCHMARK(step_one<double>)->Arg(25)->Arg(170);

void step_many(benchmark::State& state) {
  const Vec3<float> J = moments();
  const step::Inertia<float> inertia(J.x, J.y, J.z);
  const float dt = 0.01F * static_cast<float>(state.range(0));
  std::vector<step::Rotor<float>> rotors(kMany, spinning(inertia));
  for (auto _ : state) {
    for (step::Rotor<float>& rotor : rotors) { step::advance(inertia, rotor, dt); }
    benchmark::DoNotOptimize(rotors.data());
  }
  state.SetItemsProcessed(static_cast<int64_t>(kMany) * state.iterations());
  state.counters["ns_per_step"] =
      benchmark::Counter(static_cast<double>(kMany) * static_cast<double>(state.iterations()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(step_many)->Arg(25)->Arg(170);

void push_and_step(benchmark::State& state) {
  const Vec3<float> J = moments();
  const step::Inertia<float> inertia(J.x, J.y, J.z);
  step::Rotor<float> rotor = spinning(inertia);
  float impulse = 1e-6F;
  for (auto _ : state) {
    impulse = -impulse;
    step::push(inertia, rotor, {impulse, 0, impulse});
    step::advance(inertia, rotor, 0.25F);
  }
  benchmark::DoNotOptimize(rotor);
}
BENCHMARK(push_and_step);

}  // namespace

BENCHMARK_MAIN();
