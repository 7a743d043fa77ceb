#pragma once

#include "polhode/integrator/integrator.h"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// Carries a system from t0 to t1 by a stepper: fixed or adaptive steps, output, events, projection, charts.
namespace polhode {

/// When the state is put back on its manifold (unit norm, constraints); a choice, never silent.
enum class ProjectionUse { none, every_step, at_output };

/// By name: none, every_step, at_output; fails with the nearest name.
ProjectionUse projection_use(std::string_view name);

/// Two neighbouring times between which something jumps.
template <class S>
struct Jump {
  S before{};
  S after{};
};

template <class S>
class Piece;

/// A function whose sign changes are looked for.
template <class S>
struct Event {
  std::string name;
  std::function<S(const S& t, std::span<const S> y)> function;
  int direction = 0;  ///< +1: only from below to above zero in the direction of the run, −1: only downwards, 0: both
  bool terminal = false;
  /// May be empty; a crossing where it returns false is not an event. For functions with unwanted zeros.
  std::function<bool(const S& t, std::span<const S> y)> counts{};
  /// For a function of time alone: the first change of its sign in (t, until]; then nothing is looked at in between.
  /// May be empty.
  std::function<std::optional<Jump<S>>(const S& t, const S& until)> next_change{};
  /// All changes of its sign in a step, by parts of it, in their order; nothing where they cannot be told: then the
  /// step is looked at as if this were empty.
  std::function<std::optional<std::vector<Jump<S>>>(const Piece<S>& step)> changes{};
};

template <class S>
struct EventHit {
  std::size_t event = 0;  ///< index in RunOptions::events
  S t{};
  std::vector<S> y;
};

/// How long a step may be that begins or ends at a state: for systems that must not be carried too far at once.
template <class S>
struct StepLimit {
  std::function<S(const S& t, std::span<const S> y)> longest;  ///< empty: no limit
  std::string reason;                                          ///< in words, for fixed steps that are longer
};

/// What is known beforehand of what acts, for runs forward in time by steps of a method's own. Each may be empty.
template <class S>
struct Foresight {
  /// The first jump in (t, until] of what acts, by time alone. A step ends before it, the next begins behind it with
  /// the same y and a method that starts anew: no evaluation sees the wrong side (INT-36).
  std::function<std::optional<Jump<S>>(const S& t, const S& until)> next_jump;
  /// Of a step from t to `until`: a time that it must not go beyond.
  std::function<S(const S& t, const S& until)> shown_until;
};

/// What a look at a step by tolerance shows, by its dense output, before the step is taken. Each may be empty.
template <class S>
struct Hindsight {
  /// The first jump of what acts in the step, by parts of it. The step is taken again to end before the jump, and the
  /// next one is as short as times allow and leads over it; then the method starts anew.
  std::function<std::optional<Jump<S>>(const Piece<S>& step)> first_switch;
  /// Asked behind it: the part of the step after which it must end.
  std::function<S(const Piece<S>& step)> shown_until;
};

template <class S>
struct RunOptions {
  /// Fixed steps of this length (the last one lands on t1); 0: adaptive by the tolerances. Always positive: the
  /// direction follows from t0 and t1.
  S step{0};
  S relative_tolerance{0};
  S absolute_tolerance{0};
  S first_step{0};    ///< adaptive: 0 for an estimate
  S largest_step{0};  ///< adaptive: 0 for no limit
  StepLimit<S> step_limit{};
  Foresight<S> foresight{};
  Hindsight<S> hindsight{};
  std::size_t most_steps = 0;  ///< 0 for no limit
  ProjectionUse projection = ProjectionUse::none;
  /// Where the observer sees the state, in the direction of the run, by dense output; empty: t0 and after every step.
  std::vector<S> output_times;
  std::vector<Event<S>> events;
  /// Events with zeros no farther apart than this, in time, happen at one instant.
  S instant = S(1e-12L);
  /// Events, by index, that have just happened at t0: their zero there is not found again.
  std::vector<std::size_t> just_happened;
  /// Whether RunResult keeps the events, besides showing them to the observer.
  bool keep_events = true;
  /// Points inside a step at which the sign of events is looked at, so that a pair of changes is not overlooked.
  int event_checks = 3;
};

/// A stretch of the solution inside one step: between two outputs, or between an output and an end of the step.
template <class S>
class Piece {
 public:
  virtual ~Piece() = default;
  virtual S t_begin() const = 0;
  virtual S t_end() const = 0;
  /// y at t_begin + theta (t_end − t_begin), 0 ≤ theta ≤ 1, by dense output; on its manifold unless projection is none
  virtual void at(const S& theta, std::span<S> y) const = 0;
  /// The same as dense output leaves it, whatever the projection: for sums where that costs more than it is worth.
  virtual void unprojected(const S& theta, std::span<S> y) const = 0;
};

/// Each may be empty. Returning false interrupts the run.
template <class S>
struct Observer {
  std::function<bool(const S& t, std::span<const S> y)> output;
  std::function<bool(const EventHit<S>& hit)> event;
  /// Pieces follow each other without gap from t0 to where the run ends; each comes before the output at its end. For
  /// integrals along the solution.
  std::function<bool(const Piece<S>& piece)> piece;
};

enum class RunStatus {
  done,
  not_finite,
  no_convergence,
  step_too_small,
  too_many_steps,
  stopped_by_event,
  interrupted
};

/// In words: "not finite".
std::string_view to_text(RunStatus status);

struct RunStatistics {
  std::size_t steps = 0;
  std::size_t rejected = 0;
  std::size_t evaluations = 0;  ///< of the right-hand side or of what stands for it
  std::size_t chart_switches = 0;
  std::size_t events = 0;
};

/// What landing on jumps has come to.
struct JumpStatistics {
  std::size_t landed = 0;
  std::size_t crossed = 0;    ///< found by hindsight
  bool has_given_up = false;  ///< there are so many that they are no longer looked for
};

template <class S>
struct RunResult {
  RunStatus status = RunStatus::done;
  S t{};                      ///< where y is
  std::size_t bad_index = 0;  ///< not_finite: the entry of y; its size: the function of an event
  std::string message;        ///< one line; empty when done
  RunStatistics statistics;
  JumpStatistics jumps;
  std::vector<EventHit<S>> events;
};

/// How far apart zeros at t may be and are one instant: what is asked for, or what times near t can tell apart.
template <class S>
S one_instant(const S& asked, const S& t) {
  return std::fmax(asked, 64 * std::numeric_limits<S>::epsilon() * std::fabs(t));
}

/// Integrates y from t0 to t1 (either may be the later). y ends where the run ended: at t1, at a terminal event, or at
/// the last good state. Events that happen at one instant, one of them terminal, are all shown before the run ends
/// there, in their order in the options and with the same t and y. A caller's mistake fails with one line; what
/// numerics do on a bad day is the status. Instantiated for double and long double.
template <class S>
RunResult<S> integrate(const System<S>& system, Stepper<S>& stepper, const RunOptions<S>& options, const S& t0,
                       const S& t1, std::span<S> y, const Observer<S>& observer = {});

}  // namespace polhode
