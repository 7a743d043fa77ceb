#include "polhode/analysis/linearize.h"
#include "polhode/catalog/compiled_scenario.h"
#include "polhode/catalog/examples.h"
#include "polhode/run/simulator.h"

#include <benchmark/benchmark.h>

// Time from a scenario to a model that can be run: reading its file, from its data, and for other values of the
// parameters from the scenario compiled once, which is what sweeps and ensembles do. T-handle: one body of two parts,
// an event. Windows: n-four-bar with N = 40, a number of copies that is a formula; 81 bodies, 121 joints, 40 loops that
// are closed by Newton's method, start rates that follow from one joint. Braked: formulas of parameters and of the
// state, which are not parsed again.

namespace {

using namespace polhode;

std::string text_of(std::string_view name) {
  for (const catalog::Example& example : catalog::examples()) {
    if (example.name == name) { return std::string(example.text); }
  }
  fail(Error("no such example"));
}

/// Its spin as a parameter.
Scenario t_handle() {
  Scenario s = io::ScenarioFile(text_of("t-handle"), "").scenario();
  s.parameters["spin"] = 15.0;
  s.initial->rate.w_body = NumberVector{"spin", 0.01, 0.02};
  return s;
}

Scenario windows() {
  Scenario s = io::ScenarioFile(text_of("n-four-bar"), "").scenario();
  s.parameters["n"] = 40.0;
  s.bodies[0].copies.copies = "n + 1";
  s.bodies[1].copies.copies = "n";
  for (std::size_t i = 1; i < 4; ++i) { s.joints[i].copies.copies = "n"; }
  return s;
}

Scenario braked() {
  Scenario s = t_handle();
  s.definitions["speed"] = "sqrt(wx_body^2 + wy_body^2 + wz_body^2)";
  s.parameters["k"] = 1e-5;
  s.load.push_back({.what = force::Moment{
                        .moment_body = ExpressionVector{"-k*speed*wx_body", "-k*speed*wy_body", "-k*speed*wz_body"}}});
  s.event.push_back({.name = "slow", .formula = Expression("speed - spin/2")});
  return s;
}

void reading(benchmark::State& bench, Scenario (*made)()) {
  const std::string text = io::to_toml(made());
  const bool mechanism = made().is_mechanism();
  for (auto _ : bench) {
    if (mechanism) {
      benchmark::DoNotOptimize(catalog::read_mechanism(text, ""));
    } else {
      benchmark::DoNotOptimize(catalog::read_scenario(text, ""));
    }
  }
}

void from_data(benchmark::State& bench, Scenario (*made)()) {
  const Scenario scenario = made();
  for (auto _ : bench) {
    if (scenario.is_mechanism()) {
      benchmark::DoNotOptimize(catalog::understand_mechanism(scenario));
    } else {
      benchmark::DoNotOptimize(catalog::understand(scenario));
    }
  }
}

void compiled(benchmark::State& bench, Scenario (*made)(), const char* parameter, double value) {
  const catalog::CompiledScenario once(made());
  const bool mechanism = once.scenario().is_mechanism();
  for (auto _ : bench) {
    if (mechanism) {
      benchmark::DoNotOptimize(once.mechanism({{parameter, value}}));
    } else {
      benchmark::DoNotOptimize(once.one_body({{parameter, value}}));
    }
  }
}

/// One body whose torque is an input; and a rod on a hinge.
Scenario torqued() {
  Scenario s = t_handle();
  s.parameters["torque"] = 0.0;
  s.load.push_back({.what = force::Moment{.moment_body = ExpressionVector{"torque", 0.0, 0.0}}});
  return s;
}
Scenario driven_rod() {
  Scenario s;
  s.parameters["torque"] = 0.0;
  scenario::Body rod{.name = "rod"};
  rod.inertia.principal_moments = NumberVector{1.0, 1.0, 1.0};
  rod.inertia.shape.mass = 1.0;
  s.bodies.push_back(rod);
  s.joints.push_back({.name = "hinge",
                      .kind = "revolute",
                      .bodies = {"ground", "rod"},
                      .point = NumberVector{0.0, 0.0, 0.0},
                      .axis = NumberVector{1.0, 0.0, 0.0}});
  force::JointForce push;
  push.on.joint = "hinge";
  push.force = Expression("torque");
  s.forces.push_back({.what = push});
  s.run.emplace().duration = 1.0;
  return s;
}

/// A step of 1 ms by rk4, as control loops take them: with the input that was, or a new one.
void controlled_step(benchmark::State& bench, Scenario (*made)(), bool new_input) {
  Scenario scenario = made();
  scenario.run->integrator = "rk4";
  scenario.run->tolerance.reset();
  scenario.run->step = 1e-3;
  Simulator plant(scenario);
  double torque = 0;
  for (auto _ : bench) {
    if (new_input) { plant.set("torque", torque = 1e-6 - torque); }
    if (!plant.step(1e-3)) { bench.SkipWithError("the run has ended"); }
  }
}

/// A hanging chain of hinged rods, its states being turns and rates; `eigenvalues`: with all of them.
void linear(benchmark::State& bench, bool eigenvalues) {
  Scenario s;
  s.title = "chain";
  s.gravity.emplace().g_space = NumberVector{0.0, 0.0, -9.81};
  scenario::Body rod{.name = "rod",
                     .copies = {.copies = static_cast<double>(bench.range(0)), .copy_offset = {0.0, 0.0, -0.1}}};
  rod.inertia.shape = {.shape = "box", .mass = 0.3, .edges = NumberVector{0.01, 0.01, 0.1}};
  rod.position = {0.0, 0.0, -0.05};
  s.bodies.push_back(rod);
  scenario::Joint hinge{.name = "first", .kind = "revolute", .bodies = {"ground", "rod1"}};
  hinge.point = NumberVector{0.0, 0.0, 0.0};
  hinge.axis = NumberVector{0.0, 1.0, 0.0};
  s.joints.push_back(hinge);
  hinge.name = "hinge{i}";
  hinge.copies = {.copies = static_cast<double>(bench.range(0) - 1), .copy_offset = {0.0, 0.0, -0.1}};
  hinge.bodies = {"rod{i}", "rod{i+1}"};
  hinge.point = NumberVector{0.0, 0.0, -0.1};
  s.joints.push_back(hinge);
  s.run.emplace().duration = 1.0;
  const catalog::MechanismScenario made = catalog::CompiledScenario(s).mechanism();
  for (auto _ : bench) {
    const analysis::LinearModel model(*made.plan.model, 0, made.plan.start, made.plan.start_turns, About::steady);
    benchmark::DoNotOptimize(model.A().entries.data());
    if (eigenvalues) { benchmark::DoNotOptimize(analysis::eigenvalues(model.A())); }
  }
}

BENCHMARK_CAPTURE(linear, matrix, false)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(linear, with_eigenvalues, true)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(controlled_step, one_body_same_input, torqued, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(controlled_step, one_body_new_input, torqued, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(controlled_step, rod_same_input, driven_rod, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(controlled_step, rod_new_input, driven_rod, true)->Unit(benchmark::kMicrosecond);

BENCHMARK_CAPTURE(reading, t_handle, t_handle)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(from_data, t_handle, t_handle)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(compiled, t_handle, t_handle, "spin", 16.0)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(reading, braked, braked)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(from_data, braked, braked)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(compiled, braked, braked, "k", 2e-5)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(reading, windows, windows)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(from_data, windows, windows)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(compiled, windows, windows, "n", 40.0)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
