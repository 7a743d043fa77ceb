#include "polhode/run/simulate.h"

#include "polhode/core/error.h"
#include "polhode/run/run_folder.h"

#include <fmt/format.h>

#include <algorithm>

namespace polhode {

// ---- trajectory -----------------------------------------------------------------------------------------------------

const std::vector<simulation::Column>& Trajectory::columns() const { return run_->head().columns; }
const std::vector<double>& Trajectory::numbers() const { return rows_->numbers; }
std::size_t Trajectory::rows() const { return numbers().size() / columns().size(); }
const simulation::RunEnd& Trajectory::end() const { return run_->end(); }
bool Trajectory::done() const {
  return end().ending == simulation::Ending::done || end().ending == simulation::Ending::stopped_by_event;
}

bool Trajectory::has(std::string_view column) const {
  return std::any_of(columns().begin(), columns().end(), [&](const auto& one) { return one.name == column; });
}

std::size_t Trajectory::index(std::string_view column) const {
  std::vector<std::string_view> known;
  known.reserve(columns().size());
  for (std::size_t i = 0; i < columns().size(); ++i) {
    if (columns()[i].name == column) { return i; }
    known.push_back(columns()[i].name);
  }
  fail(Error(unknown_name("column", column, known)));
}

std::vector<double> Trajectory::column(std::string_view name) const {
  std::vector<double> values;
  values.reserve(rows());
  for (std::size_t i = index(name); i < numbers().size(); i += columns().size()) { values.push_back(numbers()[i]); }
  return values;
}

std::span<const double> Trajectory::row(std::size_t i) const {
  if (i >= rows()) { fail(Error(fmt::format("there is no row {}: the last one is row {}", i, rows() - 1))); }
  return std::span(numbers()).subspan(i * columns().size(), columns().size());
}

Peak Trajectory::peak(std::string_view column, double sign) const {
  Peak best;
  for (std::size_t i = index(column), first = i; i < numbers().size(); i += columns().size()) {
    if (i == first || sign * numbers()[i] > sign * best.value) { best = {numbers()[i - first], numbers()[i]}; }
  }
  return best;
}

Peak Trajectory::largest(std::string_view column) const { return peak(column, 1); }
Peak Trajectory::smallest(std::string_view column) const { return peak(column, -1); }

// ---- simulate -------------------------------------------------------------------------------------------------------

namespace {

/// Keeps rows, events and checkpoints in memory.
class Memory final : public simulation::Sink {
 public:
  Memory(run::Rows& rows, std::size_t width, const std::function<bool()>& keep_going)
      : rows_(&rows), width_(width), keep_going_(&keep_going) {}
  bool row(std::span<const double> row) override {
    rows_->numbers.insert(rows_->numbers.end(), row.begin(), row.end());
    return true;
  }
  bool event(const simulation::EventOccurrence& occurrence) override {
    rows_->events.push_back({count(), occurrence});
    return true;
  }
  bool go_on() override { return !*keep_going_ || (*keep_going_)(); }
  bool checkpoint(const simulation::Snapshot& snapshot) override {
    rows_->checkpoints.push_back({count(), rows_->events.size(), snapshot});
    return true;
  }

 private:
  std::size_t count() const { return rows_->numbers.size() / width_; }

  run::Rows* rows_;
  std::size_t width_;
  const std::function<bool()>* keep_going_;
};

std::vector<std::vector<double>> samples_of(const run::Run& run, const std::vector<double>& numbers) {
  const std::size_t width = run.head().columns.size();
  std::vector<std::vector<double>> samples;
  for (std::size_t row = 0; row < numbers.size() / width; ++row) {
    if (run.is_sample(row)) { samples.push_back(run.sample(std::span(numbers).subspan(row * width, width))); }
  }
  return samples;
}

}  // namespace

Trajectory::Trajectory(std::shared_ptr<const run::Run> run, std::shared_ptr<const run::Rows> rows,
                       simulation::Certificate certificate)
    : run_(std::move(run)), rows_(std::move(rows)), certificate_(std::move(certificate)) {
  events_.reserve(rows_->events.size());
  for (const run::Rows::Event& one : rows_->events) {
    events_.push_back(
        {run_->head().events[one.occurrence.event], one.occurrence.t, one.occurrence.state, one.occurrence.time_by});
  }
}

Trajectory simulate(std::unique_ptr<run::Run> prepared, const SimulateOptions& options) {
  const std::shared_ptr<run::Run> run = std::move(prepared);
  const auto rows = std::make_shared<run::Rows>();
  Memory memory(*rows, run->head().columns.size(), options.keep_going);
  run->go(memory);
  simulation::Certificate certificate = run->certificate();
  if (options.certify) {
    simulation::EventTimes events(run->head().events.size());
    for (const run::Rows::Event& one : rows->events) { events[one.occurrence.event].push_back(one.occurrence.t); }
    run->certify(certificate, samples_of(*run, rows->numbers), events, options.keep_going);
  }
  return {run, rows, std::move(certificate)};
}

Trajectory simulate(const Scenario& scenario, const SimulateOptions& options) {
  if (!options.sensitivities.empty()) {
    return simulate(CompiledScenario(scenario, options.folder, options.laws), options);
  }
  return simulate(run::prepare(scenario, options.parameters, options.folder, options.laws), options);
}

Trajectory simulate(const CompiledScenario& scenario, const SimulateOptions& options) {
  return simulate(run::prepare(scenario, options.parameters, options.sensitivities), options);
}

std::vector<std::string> save(const Trajectory& trajectory, const std::string& folder, const SaveOptions& options) {
  const run::Record record = run::save_into_folder(trajectory.run(), trajectory.all_rows(), trajectory.certificate(),
                                                   {.folder = folder,
                                                    .formats = options.formats,
                                                    .report = options.report,
                                                    .svg = options.svg,
                                                    .overwrite = options.overwrite});
  std::vector<std::string> files{record.log};
  files.insert(files.end(), record.files.begin(), record.files.end());
  return files;
}

}  // namespace polhode
