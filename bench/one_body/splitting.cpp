// Cost of a step of the two kinds of splitting under a heavy top's load: about principal axes, and exact free motion
// with kicks, which is a set-up and an evaluation of the closed form for each free flow.
#include "polhode/formulation/body_system.h"
#include "polhode/integrator/integrator.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using namespace polhode;

void step(benchmark::State& state, const char* method) {
  OneBody<double> body;
  body.J_B = diagonal(1.0, 1.5, 0.6);
  body.load.add_gravity(1, {0, 0, -2}, {0.1, 0, 0.5});
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  std::vector<double> y{0.5, 0.5, -0.5, 0.5, 0.3, 1, -0.4};
  const auto stepper = integrator<double>(method).bind(system);
  for (auto _ : state) { benchmark::DoNotOptimize(stepper->step(0, 0.01, y)); }
}
BENCHMARK_CAPTURE(step, splitting2, "splitting2");
BENCHMARK_CAPTURE(step, splitting4, "splitting4");
BENCHMARK_CAPTURE(step, splitting6, "splitting6");
BENCHMARK_CAPTURE(step, free_kick2, "free-kick2");
BENCHMARK_CAPTURE(step, free_kick4, "free-kick4");
BENCHMARK_CAPTURE(step, free_kick6, "free-kick6");

}  // namespace
