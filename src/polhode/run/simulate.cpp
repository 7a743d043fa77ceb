#include "polhode/run/simulate.h"

#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace polhode {

// ---- trajectory -----------------------------------------------------------------------------------------------------

bool Trajectory::has(std::string_view column) const {
  return std::any_of(columns_.begin(), columns_.end(), [&](const auto& one) { return one.name == column; });
}

std::size_t Trajectory::index(std::string_view column) const {
  std::vector<std::string_view> known;
  known.reserve(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == column) { return i; }
    known.push_back(columns_[i].name);
  }
  fail(Error(unknown_name("column", column, known)));
}

std::vector<double> Trajectory::column(std::string_view name) const {
  std::vector<double> values;
  values.reserve(rows());
  for (std::size_t i = index(name); i < numbers_.size(); i += columns_.size()) { values.push_back(numbers_[i]); }
  return values;
}

std::span<const double> Trajectory::row(std::size_t i) const {
  if (i >= rows()) { fail(Error(fmt::format("there is no row {}: the last one is row {}", i, rows() - 1))); }
  return std::span(numbers_).subspan(i * columns_.size(), columns_.size());
}

Peak Trajectory::peak(std::string_view column, double sign) const {
  Peak best;
  for (std::size_t i = index(column), first = i; i < numbers_.size(); i += columns_.size()) {
    if (i == first || sign * numbers_[i] > sign * best.value) { best = {numbers_[i - first], numbers_[i]}; }
  }
  return best;
}

Peak Trajectory::largest(std::string_view column) const { return peak(column, 1); }
Peak Trajectory::smallest(std::string_view column) const { return peak(column, -1); }

// ---- simulate -------------------------------------------------------------------------------------------------------

namespace {

/// Keeps rows and events in memory.
class Memory final : public simulation::Sink {
 public:
  explicit Memory(const std::function<bool()>& keep_going) : keep_going_(&keep_going) {}
  bool row(std::span<const double> row) override {
    numbers.insert(numbers.end(), row.begin(), row.end());
    return true;
  }
  bool event(const simulation::Happening& happening) override {
    happenings.push_back(happening);
    return true;
  }
  bool go_on() override { return !*keep_going_ || (*keep_going_)(); }
  bool checkpoint(const simulation::Snapshot&) override { return true; }

  std::vector<double> numbers;
  std::vector<simulation::Happening> happenings;

 private:
  const std::function<bool()>* keep_going_;
};

/// Rows at which the error is measured: all of a short run, every so many of a long one.
constexpr std::size_t kMostSamples = 2000;

template <class Take>
void each_sample(const Memory& memory, std::size_t width, const Take& take) {
  const std::size_t rows = memory.numbers.size() / width;
  const std::size_t every = rows / kMostSamples + 1;
  for (std::size_t i = 0; i < rows; i += every) { take(std::span(memory.numbers).subspan(i * width, width)); }
  if (rows > 0 && (rows - 1) % every != 0) { take(std::span(memory.numbers).last(width)); }
}

template <class Events>
std::vector<EventRecord> records_of(const Memory& memory, const Events& events) {
  std::vector<EventRecord> records;
  records.reserve(memory.happenings.size());
  for (const simulation::Happening& one : memory.happenings) {
    records.push_back({events[one.event].name, one.t, one.state});
  }
  return records;
}

/// Code cannot be looked into: the certificate says that it was used.
void note_code(const Scenario& scenario, simulation::Certificate& certificate) {
  for (const auto* list : {&scenario.load, &scenario.forces}) {
    for (const scenario::Acting& acting : *list) {
      if (const auto* code = std::get_if<force::Code>(&acting.what)) {
        certificate.notes.push_back(fmt::format("law '{}' is code, which nothing can look into", code->law));
      }
    }
  }
}

}  // namespace

Trajectory simulate(const Scenario& scenario, const SimulateOptions& options) {
  Memory memory(options.keep_going);
  if (scenario.is_mechanism()) {
    const catalog::MechanismScenario made =
        catalog::understand_mechanism(scenario, options.parameters, options.folder, options.laws);
    simulation::MechanismSimulation simulation(made.plan);
    const simulation::MechanismOutcome outcome = simulation.run(memory);
    simulation::Certificate certificate = simulation::certificate_of(made.plan, outcome);
    if (options.certify) {
      std::vector<std::vector<double>> samples;
      const simulation::PoseColumns poses(simulation.columns(), *made.plan.model);
      each_sample(memory, simulation.columns().size(), [&](std::span<const double> row) {
        if (poses.complete()) { samples.push_back(poses.of(row)); }
      });
      simulation::certify(certificate, made.plan, samples, options.keep_going);
    }
    note_code(scenario, certificate);
    const simulation::RunEnd& end = outcome;
    std::vector<EventRecord> records = records_of(memory, made.plan.events);
    return {simulation.columns(), std::move(memory.numbers), std::move(records), end, std::move(certificate)};
  }
  const catalog::OneBodyScenario made = catalog::understand(scenario, options.parameters, options.folder, options.laws);
  simulation::Simulation simulation(made.plan);
  const simulation::Outcome outcome = simulation.run(memory);
  simulation::Certificate certificate = simulation::certificate_of(made.plan, outcome);
  if (options.certify) {
    std::vector<simulation::AttitudeRow> samples;
    const simulation::PoseColumns poses(simulation.columns());
    each_sample(memory, simulation.columns().size(), [&](std::span<const double> row) {
      if (!poses.complete()) { return; }
      const std::vector<double> pose = poses.of(row);
      samples.push_back({pose[0], {pose[1], {pose[2], pose[3], pose[4]}}});
    });
    simulation::certify(certificate, made.plan, samples, options.keep_going);
  }
  note_code(scenario, certificate);
  const simulation::RunEnd& end = outcome;
  std::vector<EventRecord> records = records_of(memory, made.plan.events);
  return {simulation.columns(), std::move(memory.numbers), std::move(records), end, std::move(certificate)};
}

}  // namespace polhode
