#pragma once

#include "polhode/simulation/state_watch.h"
#include "polhode/simulation/subject.h"

#include <cstdint>

namespace polhode::simulation {

/// Where a run stands at the end of a segment: enough to go on from, bit for bit.
struct Snapshot {
  std::uint64_t segment = 0;  ///< segments done
  std::uint64_t rows = 0;     ///< rows given out
  double t = 0;
  std::vector<double> y;
  std::vector<double> parameters;
  std::vector<double> ledger;         ///< LedgerState::numbers()
  std::vector<double> discrete;       ///< discrete state: whole turns counted; empty where there is none
  std::vector<double> just_happened;  ///< events, by index, that happened at t
  RunStatistics statistics;
};

/// An occurrence of an event of the plan.
struct EventOccurrence {
  std::size_t event = 0;  ///< index in the plan's events
  double t = 0;
  BodyState<double> state;        ///< before what it changes; of a mechanism, of its first body
  std::vector<double> time_by{};  ///< derivatives of t, one a direction, in a run of a SensitivityPlan
};

/// What a run hands out, in the order of time. False stops the run.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual bool row(std::span<const double> row) = 0;
  virtual bool event(const EventOccurrence& occurrence) = 0;
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

/// What became of switches and of events by time alone, since the simulation began or went on.
struct SwitchesSeen {
  std::size_t landed = 0;          ///< steps that ended at one
  std::size_t undecided = 0;       ///< places where none could be shown and none excluded
  bool too_many = false;           ///< they were no longer looked for
  std::vector<std::string> names;  ///< of the formulas that have something undecided
  // of the state, where the plan watches it
  std::size_t steps_undecided = 0;  ///< steps in which it is not known whether something switches or varies unseen
  std::vector<std::string> names_of_state;  ///< of the formulas and events
};

struct Outcome : RunEnd {
  std::vector<double> y;
  BodyState<double> state;  ///< of a mechanism, of its first body
  LedgerState ledger;
  SwitchesSeen switches;
};

/// One run of a plan, of one body or of a mechanism: from checkpoint to checkpoint through the rows of the plan, or,
/// with begin() and advance(), as far as the caller wants at a time.
class Simulation {
 public:
  /// The plan must outlive it. Fails with one line where method and system do not fit.
  explicit Simulation(const Plan& plan);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

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
  /// Discrete state, likewise: of a mechanism, whole turns by Model::counted().
  std::vector<double> discrete() const { return subject_->discrete(); }

  /// From the start of the plan.
  Outcome run(Sink& sink);
  /// From a snapshot that an equal plan has given out.
  Outcome resume(const Snapshot& snapshot, Sink& sink);

  /// Stands at the start of the plan; the sink must stay until the next begin(). Gives out the first row. False where
  /// the run ends there.
  bool begin(Sink& sink);
  /// Stands where an equal plan has given out a snapshot.
  void begin(const Snapshot& snapshot, Sink& sink);
  /// After begin(): goes on to the time t and gives out one row, there; events act on the way. The duration, the
  /// intervals and the checkpoints of the plan do not count. False where the run ends: standing() tells why.
  bool advance(double t);
  /// After begin(): new values of the parameters from here on; energy jumps, and that is no error. Fails where
  /// something cannot have these values; nothing has changed then.
  void set_parameters(std::span<const double> values);
  double t() const;
  /// After begin(): gives out the row of where it stands again; nothing is entered in the ledger.
  void show();
  /// After begin(): where it stands, to go on from.
  const Snapshot& snapshot();
  Outcome standing() const;

 private:
  struct Progress;
  void start(Sink& sink, bool hidden);
  void carry_on();
  void finish();
  bool segment();
  bool stretch(double t_end, std::span<const double> times);
  void settle();
  void note_state();
  bool act();
  std::string change(std::size_t i);
  std::string use(const std::vector<double>& values);
  bool give_row(double t, std::span<const double> y, bool hidden = false);
  bool goes_on(const Snapshot& at) const;
  using Laws = std::shared_ptr<const std::vector<formula::LawInTime>>;
  formula::TimeSearch& search_of(const Laws& laws);
  StateWatch& state_watch();
  void forget_searches();
  SwitchesSeen switches_seen() const;

  const Plan* plan_;
  std::unique_ptr<Subject> subject_;
  LedgerState ledger_;
  std::vector<double> parameters_;
  const Integrator<double>* method_;
  std::uint64_t last_row_ = 0;
  std::vector<Column> columns_;
  std::unique_ptr<Progress> progress_;
  const Plan* searched_ = nullptr;  ///< the plan whose laws the searches are of
  std::vector<std::pair<Laws, std::unique_ptr<formula::TimeSearch>>> searches_;
  std::unique_ptr<StateWatch> watch_;  ///< likewise; nullptr before the first step
  SwitchesSeen switches_;              ///< besides what the searches have noted
};

}  // namespace polhode::simulation
