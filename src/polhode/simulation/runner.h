#pragma once

#include "polhode/simulation/plan.h"

#include <cstdint>

namespace polhode::simulation {

/// Where a run stands at the end of a segment: enough to go on from, bit for bit.
struct Snapshot {
  std::uint64_t segment = 0;  ///< segments done
  std::uint64_t rows = 0;     ///< rows given out
  double t = 0;
  std::vector<double> y;
  std::vector<double> parameters;
  std::vector<double> ledger;         ///< sums and extremes so far
  std::vector<double> discrete;       ///< discrete state: whole turns counted; empty where there is none
  std::vector<double> just_happened;  ///< events, by index, that happened at t
  RunStatistics statistics;
};

/// An event that happened.
struct Happening {
  std::size_t event = 0;  ///< index in the plan's events
  double t = 0;
  BodyState<double> state;  ///< before what it changes; of a mechanism, of its first body
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

/// How a run ended, whatever it carried.
struct RunEnd {
  Ending ending = Ending::done;
  std::string message;  ///< one line; empty when done
  double t = 0;         ///< where the run ended
  RunStatistics statistics;
  std::uint64_t rows = 0;
};

/// Carries a system through the rows of a plan, from checkpoint to checkpoint. Who derives from it says what the system
/// is, what a row holds and what is summed up along the way.
class Runner {
 public:
  virtual ~Runner() = default;

  /// Of the rows that a sink sees.
  const std::vector<Column>& columns() const { return columns_; }
  /// Rows of a whole run without events that end it: t = 0, every output interval, and the end; or the times that the
  /// plan gives.
  std::uint64_t rows() const { return last_row_ + 1; }
  double time_of_row(std::uint64_t row) const;
  /// Events that are no farther apart in time happen at one instant.
  double instant() const;
  /// Values of the parameters, as they now are: when a sink sees a row, those of the row.
  const std::vector<double>& parameters() const { return parameters_; }

 protected:
  /// The plan must outlive it.
  explicit Runner(const RunPlan& plan);
  Runner(const Runner&) = default;
  Runner& operator=(const Runner&) = default;
  /// Fails with one line where method and system do not fit. To be called once, by the constructor of who derives.
  void get_ready(ColumnChoice choice);

  virtual const System<double>& carried() const = 0;
  /// The start, with the ledger opened.
  virtual void begin(std::span<double> y) = 0;
  /// The ledger as numbers, and back.
  virtual std::vector<double> ledger_numbers() const = 0;
  virtual void set_ledger(std::span<const double> numbers) = 0;
  /// Discrete state: what the run carries along besides y, changed only between accepted steps; and back.
  virtual std::vector<double> discrete() const { return {}; }
  virtual void set_discrete(std::span<const double> numbers) { static_cast<void>(numbers); }
  /// Values of the parameters from here on. Fails where something cannot have these values.
  virtual void use_parameters(std::span<const double> values) = 0;
  /// Limit of steps; without a function: none.
  virtual StepLimit<double> step_limit() const { return {}; }
  virtual void add(const Piece<double>& piece) = 0;
  /// Where the state at the end of a piece is none that may be gone on from: why, in one line. "": go on.
  virtual std::string objection(const Piece<double>& piece) {
    static_cast<void>(piece);
    return {};
  }
  virtual void fill(double t, std::span<const double> y, std::span<double> row) = 0;
  virtual std::size_t event_count() const = 0;
  virtual const EventHead& event(std::size_t i) const = 0;
  virtual double event_value(std::size_t i, double t, std::span<const double> y) const = 0;
  virtual bool event_counts(std::size_t i, double t, std::span<const double> y) const = 0;
  /// The values that an event sets, for change(). Says what cannot be; "" otherwise.
  std::string set_parameters(const EventHead& event);
  /// What event i does to y and to parameters, entered in the ledger. Says what cannot be, and the run ends there; ""
  /// otherwise.
  virtual std::string change(std::size_t i, double t, std::span<double> y) = 0;
  virtual BodyState<double> seen(double t, std::span<const double> y) const = 0;

  struct Ended {
    RunEnd end;
    std::vector<double> y;
  };
  Ended run_from_start(Sink& sink);
  Ended resume_from(const Snapshot& snapshot, Sink& sink);

 private:
  struct Progress;
  Ended go(Progress& progress);
  bool segment(Progress& progress);
  bool act(Progress& progress);
  bool give_row(Progress& progress, double t, std::span<const double> y, bool hidden = false);
  bool goes_on(const Snapshot& at) const;

  const RunPlan* run_plan_;
  std::vector<double> parameters_;
  const Integrator<double>* method_;
  std::uint64_t last_row_ = 0;
  std::vector<Column> columns_;
  std::vector<Column> row_columns_;  ///< of a row as fill() makes it
  std::vector<std::size_t> given_;   ///< of these, places of columns_; none: all of them
};

}  // namespace polhode::simulation
