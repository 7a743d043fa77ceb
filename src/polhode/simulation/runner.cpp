#include "polhode/simulation/runner.h"

#include "polhode/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace polhode::simulation {
namespace {

/// A zero-length end of a run gives no step.
constexpr double kSame = 1e-12;

}  // namespace

std::string_view to_text(Ending ending) {
  switch (ending) {
    case Ending::done:
      return "done";
    case Ending::stopped_by_event:
      return "stopped-by-event";
    case Ending::interrupted:
      return "interrupted";
    case Ending::not_finite:
      return "not-finite";
    case Ending::no_convergence:
      return "no-convergence";
    case Ending::step_too_small:
      return "step-too-small";
  }
  return "unknown";
}

Runner::Runner(const RunPlan& plan) : run_plan_(&plan), method_(&polhode::integrator<double>(plan.integrator)) {
  const double intervals = plan.duration / plan.output_interval;
  last_row_ = static_cast<std::uint64_t>(std::ceil(intervals * (1 - kSame)));
  if (!plan.output.times.empty()) { last_row_ = plan.output.times.size() - 1; }
}

void Runner::get_ready(ColumnChoice choice) {
  static_cast<void>(method_->bind(carried()));  // says now what would not fit
  row_columns_ = std::move(choice.columns);
  given_ = std::move(choice.given);
  columns_.clear();
  for (const std::size_t i : given_) { columns_.push_back(row_columns_[i]); }
  if (given_.empty()) { columns_ = row_columns_; }
}

double Runner::instant() const { return std::fmin(RunOptions<double>().instant, 1e-6 * run_plan_->duration); }

double Runner::time_of_row(std::uint64_t row) const {
  if (const std::vector<double>& times = run_plan_->output.times; !times.empty()) {
    return times[std::min(row, last_row_)];
  }
  return row >= last_row_ ? run_plan_->duration : static_cast<double>(row) * run_plan_->output_interval;
}

struct Runner::Progress {
  Progress(const Runner& runner, Sink& to)
      : sink(&to), y(runner.carried().size()), row(runner.row_columns_.size()), given(runner.given_.size()) {}

  Snapshot at;
  Sink* sink;
  std::vector<double> y;
  std::vector<double> row;
  std::vector<double> given;  ///< of it, where not all is
  RunEnd end;
  bool sink_stopped = false;
  std::string objection;
  std::string not_finite;                  ///< what was, and why
  std::vector<std::size_t> hits;           ///< events that ended the last stretch, in the order of the plan
  std::vector<std::size_t> just_happened;  ///< events of the last instant at which there were any
  double t_of_events = -std::numeric_limits<double>::infinity();  ///< that instant
  std::size_t changes_since_row = 0;                              ///< by events

  /// Forgets what has happened earlier than at the instant t.
  void come_to(double t, double instant) {
    if (t - t_of_events > one_instant(instant, t)) { just_happened.clear(); }
  }
  void happens(std::size_t event) {
    if (std::find(just_happened.begin(), just_happened.end(), event) == just_happened.end()) {
      just_happened.push_back(event);
    }
  }
};

/// A hidden row is looked at, and not given out.
bool Runner::give_row(Progress& progress, double t, std::span<const double> y, bool hidden) {
  fill(t, y, progress.row);
  for (std::size_t i = 0; i < progress.row.size(); ++i) {
    if (std::isfinite(progress.row[i])) { continue; }
    // the sign of a NaN means nothing
    const double number = std::isnan(progress.row[i]) ? std::fabs(progress.row[i]) : progress.row[i];
    std::string cause = carried().trouble(t, y);
    if (cause.empty()) {
      const auto largest =
          std::max_element(y.begin(), y.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
      cause = fmt::format("the motion has grown too large to compute with: {} is {:.3g}; {}",
                          carried().entry_name(static_cast<std::size_t>(largest - y.begin())), *largest,
                          run_plan_->step > 0 ? fmt::format("a step shorter than {:g} may help", run_plan_->step)
                                              : "look at what makes it so fast");
    }
    progress.not_finite = fmt::format("at t = {:.6g} {} is {:.9g}; {}", t, row_columns_[i].name, number, cause);
    return false;
  }
  if (hidden) { return true; }
  ++progress.at.rows;
  progress.changes_since_row = 0;
  for (std::size_t i = 0; i < given_.size(); ++i) { progress.given[i] = progress.row[given_[i]]; }
  if (!progress.sink->row(given_.empty() ? progress.row : progress.given)) { progress.sink_stopped = true; }
  return !progress.sink_stopped;
}

Runner::Ended Runner::run_from_start(Sink& sink) {
  Progress progress(*this, sink);
  progress.at.t = 0;
  parameters_ = run_plan_->parameters;
  use_parameters(parameters_);
  begin(progress.y);
  const bool go_on = give_row(progress, 0, progress.y, time_of_row(0) > 0);
  if (!progress.not_finite.empty()) { return go(progress); }
  progress.at.y = progress.y;
  progress.at.parameters = parameters_;
  progress.at.ledger = ledger_numbers();
  progress.at.discrete = discrete();
  if (!go_on || !sink.checkpoint(progress.at)) { progress.sink_stopped = true; }
  return go(progress);
}

Runner::Ended Runner::resume_from(const Snapshot& snapshot, Sink& sink) {
  Progress progress(*this, sink);
  progress.at = snapshot;
  progress.y = snapshot.y;
  progress.t_of_events = snapshot.t;
  for (const double event : snapshot.just_happened) { progress.happens(static_cast<std::size_t>(event)); }
  parameters_ = snapshot.parameters;
  use_parameters(parameters_);
  set_ledger(snapshot.ledger);
  set_discrete(snapshot.discrete);
  return go(progress);
}

std::string Runner::set_parameters(const EventHead& event) {
  if (event.set.empty()) { return {}; }
  for (const auto& [i, value] : event.set) { parameters_[i] = value; }
  try {
    use_parameters(parameters_);
  } catch (const Error& error) { return fmt::format("event '{}' sets what cannot be: {}", event.name, error.what()); }
  return {};
}

/// Rows are left, or a stretch behind the last of them.
bool Runner::goes_on(const Snapshot& at) const {
  return at.rows <= last_row_ || (!run_plan_->output.times.empty() && at.t < run_plan_->duration);
}

Runner::Ended Runner::go(Progress& progress) {
  progress.end.ending = Ending::done;
  while (!progress.sink_stopped && progress.not_finite.empty() && goes_on(progress.at)) {
    if (!segment(progress)) { break; }
  }
  RunEnd& end = progress.end;
  if (!progress.not_finite.empty()) {
    end.ending = Ending::not_finite;
    end.message = progress.not_finite;
  }
  if (progress.sink_stopped) {
    end.ending = Ending::interrupted;
    end.message = "interrupted";
  }
  end.t = progress.at.t;
  end.statistics = progress.at.statistics;
  end.rows = progress.at.rows;
  return {end, progress.y};
}

/// What the events of one instant do, in the order of the plan; and what this brings about at the same instant: an
/// event whose function jumps through zero when others act. False ends the run.
bool Runner::act(Progress& progress) {
  constexpr std::size_t kMostChanges = 10'000;
  const double t = progress.at.t;
  std::vector<double> before(event_count());
  for (std::size_t i = 0; i < before.size(); ++i) { before[i] = event_value(i, t, progress.y); }
  std::vector<std::size_t> acting = progress.hits;
  for (const std::size_t i : acting) { before[i] = 0; }  // its own zero: to leave it is no crossing
  // so is a zero that is passed in the direction that is not looked for: on which side of it the instant was found is
  // chance
  std::vector<double> rate(progress.y.size());
  carried().rhs(t, progress.y, rate);
  const double earlier = t - 2 * one_instant(instant(), t);
  std::vector<double> y_earlier = progress.y;
  for (std::size_t k = 0; k < rate.size(); ++k) { y_earlier[k] -= (t - earlier) * rate[k]; }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] * event_value(i, earlier, y_earlier) < 0) { before[i] = 0; }
  }
  std::string stopped_by;
  while (!acting.empty()) {
    bool changed = false;
    for (const std::size_t i : acting) {
      if (event(i).action == Action::stop && stopped_by.empty()) { stopped_by = event(i).name; }
      if (event(i).action != Action::change) { continue; }
      if (std::string wrong = change(i, t, progress.y); !wrong.empty()) {
        progress.end.ending = Ending::no_convergence;
        progress.end.message = std::move(wrong);
        return false;
      }
      changed = true;
      if (++progress.changes_since_row <= kMostChanges) { continue; }
      progress.end.ending = Ending::step_too_small;
      progress.end.message = fmt::format(
          "event '{}' brings itself about without end: at t = {:.6g} s events have acted {} times since the row "
          "before; "
          "let what it changes lead away from its own zero, or ask for rows more often (output_interval)",
          event(i).name, t, kMostChanges);
      return false;
    }
    acting.clear();
    for (std::size_t i = 0; changed && i < before.size(); ++i) {
      const double now = event_value(i, t, progress.y);
      const bool up = before[i] < 0 && now >= 0 && event(i).direction >= 0;
      const bool down = before[i] > 0 && now <= 0 && event(i).direction <= 0;
      before[i] = now;
      if ((up || down) && event_counts(i, t, progress.y)) { acting.push_back(i); }
    }
    for (const std::size_t i : acting) {
      ++progress.at.statistics.events;
      if (!progress.sink->event({i, t, seen(t, progress.y)})) { progress.sink_stopped = true; }
      progress.happens(i);
    }
  }
  if (stopped_by.empty()) { return true; }
  progress.end.ending = Ending::stopped_by_event;
  progress.end.message = fmt::format("at t = {:.6g} event '{}'", t, stopped_by);
  return false;
}

/// From one checkpoint to the next; false ends the run.
bool Runner::segment(Progress& progress) {
  const std::uint64_t first = progress.at.rows;
  const std::uint64_t last = std::min(last_row_, first + run_plan_->rows_per_checkpoint - 1);
  const double t_end = last == last_row_ ? run_plan_->duration : time_of_row(last);

  RunOptions<double> options;
  options.step = run_plan_->step;
  options.relative_tolerance = run_plan_->relative_tolerance;
  options.absolute_tolerance = run_plan_->absolute_tolerance;
  options.projection = run_plan_->projection;
  options.step_limit = step_limit();
  options.instant = instant();
  options.keep_events = false;  // the sink has them
  for (std::size_t i = 0; i < event_count(); ++i) {
    const EventHead& head = event(i);
    options.events.push_back({head.name,
                              [this, i](const double& t, std::span<const double> y) { return event_value(i, t, y); },
                              head.direction, head.action != Action::record,
                              [this, i](const double& t, std::span<const double> y) { return event_counts(i, t, y); }});
  }
  Observer<double> observer;
  observer.output = [&](const double& t, std::span<const double> y) {
    if (progress.at.rows > last_row_) { return true; }  // behind the last row steps are shown, and nobody wants them
    return give_row(progress, t, y);
  };
  observer.event = [&](const EventHit<double>& hit) {
    progress.come_to(hit.t, options.instant);
    if (hit.t != progress.t_of_events) { progress.hits.clear(); }
    progress.t_of_events = hit.t;
    progress.hits.push_back(hit.event);
    progress.happens(hit.event);
    if (!progress.sink->event({hit.event, hit.t, seen(hit.t, hit.y)})) { progress.sink_stopped = true; }
    return true;
  };
  observer.piece = [&](const Piece<double>& piece) {
    add(piece);
    progress.objection = objection(piece);
    if (!progress.sink->go_on()) { progress.sink_stopped = true; }
    return !progress.sink_stopped && progress.objection.empty();
  };

  // an event that changes the state ends one stretch and begins the next
  for (;;) {
    progress.hits.clear();
    progress.come_to(progress.at.t, options.instant);
    options.just_happened = progress.just_happened;
    options.output_times.clear();
    for (std::uint64_t row = progress.at.rows; row <= last; ++row) { options.output_times.push_back(time_of_row(row)); }
    // a method that remembers nothing: a resumed run cannot differ
    const std::unique_ptr<Stepper<double>> stepper = method_->bind(carried());
    const RunResult<double> result =
        integrate<double>(carried(), *stepper, options, progress.at.t, t_end, progress.y, observer);
    progress.at.t = result.t;
    RunStatistics& sum = progress.at.statistics;
    sum.steps += result.statistics.steps;
    sum.rejected += result.statistics.rejected;
    sum.evaluations += result.statistics.evaluations;
    sum.chart_switches += result.statistics.chart_switches;
    sum.events += result.statistics.events;
    if (progress.sink_stopped || !progress.not_finite.empty()) { return false; }
    if (!progress.objection.empty() && result.status != RunStatus::not_finite) {
      progress.end.ending = Ending::no_convergence;
      progress.end.message = progress.objection;
      return false;
    }
    if (result.status == RunStatus::stopped_by_event) {
      if (!act(progress) || progress.sink_stopped) { return false; }
      if (progress.at.t < t_end) { continue; }
      break;
    }
    if (result.status != RunStatus::done) {
      progress.end.ending = result.status == RunStatus::not_finite       ? Ending::not_finite
                            : result.status == RunStatus::no_convergence ? Ending::no_convergence
                                                                         : Ending::step_too_small;
      progress.end.message = result.message;
      if (result.status == RunStatus::too_many_steps) {
        progress.end.message += "; if it is meant, ask for rows more often (output_interval)";
      }
      return false;
    }
    break;
  }
  ++progress.at.segment;
  // the method starts anew here, from the row that was given
  if (run_plan_->projection == ProjectionUse::at_output) {
    carried().projection()->project_at(progress.at.t, progress.y);
  }
  progress.at.y = progress.y;
  progress.at.parameters = parameters_;
  progress.at.ledger = ledger_numbers();
  progress.at.discrete = discrete();
  progress.come_to(progress.at.t, options.instant);
  progress.at.just_happened.assign(progress.just_happened.begin(), progress.just_happened.end());
  progress.t_of_events = progress.at.t;  // as a run that goes on from here sees it
  progress.changes_since_row = 0;
  if (!progress.sink->checkpoint(progress.at)) { progress.sink_stopped = true; }
  return !progress.sink_stopped;
}

}  // namespace polhode::simulation
