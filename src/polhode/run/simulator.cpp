#include "polhode/run/simulator.h"

#include "polhode/core/error.h"
#include "polhode/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode {

struct Simulator::Parts final : simulation::Sink {
  Parts(const CompiledScenario& scenario, const SimulateOptions& options)
      : compiled(scenario),
        run(run::prepare(compiled, options.parameters)),
        keep_going(options.keep_going),
        inputs(compiled.inputs()) {}

  bool row(std::span<const double> row) override {
    last.assign(row.begin(), row.end());
    return true;
  }
  bool event(const simulation::EventOccurrence& occurrence) override {
    events.push_back({run->head().events[occurrence.event], occurrence.t, occurrence.state});
    return true;
  }
  bool go_on() override { return !keep_going || keep_going(); }
  bool checkpoint(const simulation::Snapshot&) override { return true; }

  simulation::Simulation& simulation() const { return run->simulation(); }
  void begin() {
    events.clear();
    simulation().begin(*this);
  }
  std::size_t parameter(std::string_view name) const {
    const auto& parameters = compiled.scenario().parameters;
    std::size_t i = 0;
    for (const auto& [known, number] : parameters) {
      if (known == name) { return i; }
      ++i;
    }
    std::vector<std::string_view> known(inputs.begin(), inputs.end());
    fail(Error(unknown_name("input", name, known)));
  }

  CompiledScenario compiled;
  std::unique_ptr<run::Run> run;
  std::function<bool()> keep_going;
  std::vector<std::string> inputs;
  std::vector<double> last;
  std::vector<EventRecord> events;
};

Simulator::Simulator(const Scenario& scenario, const SimulateOptions& options)
    : Simulator(CompiledScenario(scenario, options.folder, options.laws), options) {}

Simulator::Simulator(const CompiledScenario& scenario, const SimulateOptions& options)
    : parts_(std::make_unique<Parts>(scenario, options)) {
  parts_->begin();
}

Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const std::vector<std::string>& Simulator::inputs() const { return parts_->inputs; }

double Simulator::input(std::string_view name) const {
  return parts_->simulation().parameters()[parts_->parameter(name)];
}

void Simulator::set(std::string_view name, double value) {
  const std::size_t i = parts_->parameter(name);
  if (std::find(parts_->inputs.begin(), parts_->inputs.end(), name) == parts_->inputs.end()) {
    fail(Error(*parts_->compiled.why_no_input(name)));
  }
  if (!std::isfinite(value)) {
    fail(Error(fmt::format("input '{}' cannot be {}: wanted is a finite number", name,
                           std::isnan(value) ? "NaN" : "infinite")));
  }
  std::vector<double> values = parts_->simulation().parameters();
  values[i] = value;
  parts_->simulation().set_parameters(values);
}

bool Simulator::step(double dt) {
  if (!(dt > 0) || !std::isfinite(dt)) { fail(Error(fmt::format("a step of {:g} s: wanted is one above 0", dt))); }
  parts_->events.clear();
  return parts_->simulation().advance(t() + dt);
}

double Simulator::t() const { return parts_->simulation().t(); }
const std::vector<simulation::Column>& Simulator::columns() const { return parts_->run->head().columns; }
std::span<const double> Simulator::row() const { return parts_->last; }

double Simulator::operator[](std::string_view column) const {
  const std::vector<simulation::Column>& all = columns();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == column) { return parts_->last[i]; }
  }
  std::vector<std::string_view> known;
  known.reserve(all.size());
  for (const simulation::Column& one : all) { known.push_back(one.name); }
  fail(Error(unknown_name("column", column, known)));
}

const std::vector<EventRecord>& Simulator::events() const { return parts_->events; }
simulation::Outcome Simulator::end() const { return parts_->simulation().standing(); }

void Simulator::reset() { parts_->begin(); }
Simulator::State Simulator::state() const { return parts_->simulation().snapshot(); }

void Simulator::restore(const State& state) {
  parts_->events.clear();
  parts_->simulation().begin(state, *parts_);
  parts_->simulation().show();
}

}  // namespace polhode
