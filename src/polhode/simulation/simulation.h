#pragma once

#include "polhode/simulation/ledger.h"

#include <cstdint>

namespace polhode::simulation {

/// One number of a row: its name carries frame and unit ("wx_body_rad_s").
struct Column {
  std::string name;
  std::string unit;
  std::string meaning;
};

/// Where a run stands at the end of a segment: enough to go on from, bit for bit.
struct Snapshot {
  std::uint64_t segment = 0;  ///< segments done
  std::uint64_t rows = 0;     ///< rows given out, the one at t = 0 included
  double t = 0;
  std::vector<double> y;
  std::vector<double> parameters;
  LedgerState ledger;
  RunStatistics statistics;
};

/// An event that happened.
struct Happening {
  std::size_t event = 0;  ///< index in Plan::events
  double t = 0;
  BodyState<double> state;  ///< before any change
};

/// What a run hands out, in the order of time. False stops the run.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual bool row(std::span<const double> row) = 0;
  virtual bool event(const Happening& happening) = 0;
  /// Asked after every step.
  virtual bool go_on() = 0;
  /// After every segment, and at the start.
  virtual bool checkpoint(const Snapshot& snapshot) = 0;
};

enum class Ending { done, stopped_by_event, interrupted, not_finite, no_convergence, step_too_small };

/// As written in files: "done", "stopped-by-event".
std::string_view to_text(Ending ending);

struct Outcome {
  Ending ending = Ending::done;
  std::string message;  ///< one line; empty when done
  double t = 0;         ///< where the run ended
  BodyState<double> state;
  LedgerState ledger;
  RunStatistics statistics;
  std::uint64_t rows = 0;
};

/// One run of a plan.
class Simulation {
 public:
  /// The plan must outlive it. Fails with one line where formulation, method and body do not fit.
  explicit Simulation(const Plan& plan);

  const std::vector<Column>& columns() const { return columns_; }
  const BodySystem<double>& system() const { return system_; }
  /// Rows of a whole run without events that end it: t = 0, every output interval, and the end.
  std::uint64_t rows() const { return last_row_ + 1; }
  double time_of_row(std::uint64_t row) const;

  /// From the start of the plan.
  Outcome run(Sink& sink);
  /// From a snapshot that an equal plan has given out.
  Outcome resume(const Snapshot& snapshot, Sink& sink);

 private:
  struct Progress;
  Outcome go(Progress& progress);
  bool segment(Progress& progress);
  bool give_row(Progress& progress, double t, std::span<const double> y);
  void change(Progress& progress, const EventHit<double>& hit);

  const Plan* plan_;
  BodySystem<double> system_;
  const Integrator<double>* method_;
  std::uint64_t last_row_ = 0;
  bool has_multiplier_ = false;
  std::vector<Column> columns_;
};

}  // namespace polhode::simulation
