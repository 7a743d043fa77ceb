#include "polhode/formula/compiler.h"
#include "polhode/math/dual.h"
#include "polhode/math/jet.h"
#include "polhode/math/pack.h"

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>

// Time per evaluation of a formula: written in C++, from its tape on one double, on 1024 states in packs of 64 lanes,
// and with derivatives (a dual number, a jet of order 2). The machine's limit for one operation of a tape is a
// predicted branch, two loads and a store, some 2 ns; of a batch the arithmetic itself. Elementary functions of a batch
// use the widest instructions that the processor has (math/lanes.h). Where lanes of a pack choose differently, each
// side is computed in a narrower pack that holds the lanes that take it; of a batch is asked at least four times the
// speed of one by one, whatever its states choose.

namespace {

using namespace polhode;

constexpr std::size_t kStates = 1024;
constexpr std::size_t kLanes = 64;

/// t, k, x, w.
struct FourNames final : formula::Scope {
  std::optional<formula::Input> find(std::string_view name) const override {
    constexpr std::array<std::string_view, 4> kNames{"t", "k", "x", "w"};
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (kNames[i] == name) { return formula::Input{i, i == 1 ? formula::Pace::parameter : formula::Pace::state}; }
    }
    return {};
  }
  std::vector<std::string_view> names() const override { return {"t", "k", "x", "w"}; }
};

formula::Tape tape_of(const char* text) {
  const FourNames names;
  formula::Compiler compiler(names);
  compiler.add(text);
  return compiler.finish();
}
double state(std::size_t i, std::uint32_t id) {
  return id == 1 ? 1.25 : 0.001 * static_cast<double>(i) + 0.3 * static_cast<double>(id);
}

void per_state(benchmark::State& bench) {
  bench.counters["per_state"] =
      benchmark::Counter(kStates, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void by_hand(benchmark::State& bench, double (*f)(double, double, double, double)) {
  double out[kStates];
  for (auto _ : bench) {
    for (std::size_t i = 0; i < kStates; ++i) { out[i] = f(state(i, 0), state(i, 1), state(i, 2), state(i, 3)); }
    benchmark::DoNotOptimize(out);
  }
  per_state(bench);
}

template <class S>
void one_by_one(benchmark::State& bench, const char* text) {
  const formula::Tape tape = tape_of(text);
  formula::Evaluation<S> evaluation(tape);
  const std::span<S> in = evaluation.inputs();
  for (std::size_t k = 0; k < in.size(); ++k) { in[k] = S(state(0, tape.inputs()[k].id)); }
  evaluation.parameters_changed();
  std::vector<S> out(kStates);
  for (auto _ : bench) {
    for (std::size_t i = 0; i < kStates; ++i) {
      for (std::size_t k = 0; k < in.size(); ++k) { in[k] = S(state(i, tape.inputs()[k].id)); }
      evaluation.update();
      out[i] = evaluation[0];
    }
    benchmark::DoNotOptimize(out.data());
  }
  per_state(bench);
}

void batch(benchmark::State& bench, const char* text) {
  const formula::Tape tape = tape_of(text);
  formula::Evaluation<Pack<kLanes>> evaluation(tape);
  const std::span<Pack<kLanes>> in = evaluation.inputs();
  for (std::size_t k = 0; k < in.size(); ++k) { in[k] = Pack<kLanes>(state(0, tape.inputs()[k].id)); }
  evaluation.parameters_changed();
  double out[kStates];
  for (auto _ : bench) {
    for (std::size_t first = 0; first < kStates; first += kLanes) {
      for (std::size_t k = 0; k < in.size(); ++k) {
        for (std::size_t l = 0; l < kLanes; ++l) { in[k][l] = state(first + l, tape.inputs()[k].id); }
      }
      evaluation.update();
      for (std::size_t l = 0; l < kLanes; ++l) { out[first + l] = evaluation[0][l]; }
    }
    benchmark::DoNotOptimize(out);
  }
  per_state(bench);
}

void alone(benchmark::State& bench, const char* text) { one_by_one<double>(bench, text); }
void dual(benchmark::State& bench, const char* text) { one_by_one<Dual<double>>(bench, text); }
void jet(benchmark::State& bench, const char* text) { one_by_one<Jet<double, 2>>(bench, text); }

#define POLHODE_FORMULA(name, text, expression)                                           \
  BENCHMARK_CAPTURE(by_hand, name, [](double t, double k, double x, double w) -> double { \
    static_cast<void>(t + k + x + w);                                                     \
    return expression;                                                                    \
  });                                                                                     \
  BENCHMARK_CAPTURE(alone, name, text);                                                   \
  BENCHMARK_CAPTURE(batch, name, text);                                                   \
  BENCHMARK_CAPTURE(dual, name, text);                                                    \
  BENCHMARK_CAPTURE(jet, name, text)

POLHODE_FORMULA(brake, "-k*w - 0.5*w*abs(w)", -k* w - 0.5 * w * std::fabs(w));
POLHODE_FORMULA(pulse, "t >= 5 && t < 6 ? 20 : 0", t >= 5 && t < 6 ? 20 : 0);
POLHODE_FORMULA(shaker, "0.1*sin(2*t)", 0.1 * math::sin(2 * t));
POLHODE_FORMULA(air, "1.225*exp(-x/8500)*w*w*0.5*k", 1.225 * math::exp(-x / 8500) * w * w * 0.5 * k);
POLHODE_FORMULA(cubic, "-(k*x + 0.3*w) + 0.1*x^3", -(k* x + 0.3 * w) + 0.1 * math::pow(x, 3.0));
POLHODE_FORMULA(choice, "x > 0.9 ? sin(t)*exp(-x)*cos(w) : x^1.5*log(w)*atan(x)",
                x > 0.9 ? math::sin(t) * math::exp(-x) * math::cos(w)
                        : math::pow(x, 1.5) * math::log(w) * math::atan(x));
// every other state on the other side: one by one does half of the work
POLHODE_FORMULA(mixed_choice, "mod(t*1000, 2) < 0.5 ? sin(t)*exp(-x)*cos(w) : x^1.5*log(w)*atan(x)",
                std::fmod(t * 1000, 2) < 0.5 ? math::sin(t) * math::exp(-x) * math::cos(w)
                                             : math::pow(x, 1.5) * math::log(w) * math::atan(x));
// a third of the states on the other side, here and there
POLHODE_FORMULA(scattered_choice, "mod(t*377, 1) < 0.33 ? sin(t)*exp(-x)*cos(w) : x^1.5*log(w)*atan(x)",
                t * 377 - std::floor(t * 377) < 0.33 ? math::sin(t) * math::exp(-x) * math::cos(w)
                                                     : math::pow(x, 1.5) * math::log(w) * math::atan(x));

}  // namespace

BENCHMARK_MAIN();
