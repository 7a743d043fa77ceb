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

void add_vector(std::vector<Column>& columns, const std::string& symbol, const std::string& frame,
                const std::string& unit, const std::string& unit_name, const std::string& meaning) {
  for (const char* axis : {"x", "y", "z"}) {
    columns.push_back({symbol + axis + "_" + frame + "_" + unit_name, unit, meaning + ", " + axis + " of " + frame});
  }
}

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
}

void Runner::get_ready(std::vector<Column> columns) {
  static_cast<void>(method_->bind(carried()));  // says now what would not fit
  columns_ = std::move(columns);
}

double Runner::time_of_row(std::uint64_t row) const {
  return row >= last_row_ ? run_plan_->duration : static_cast<double>(row) * run_plan_->output_interval;
}

struct Runner::Progress {
  Progress(const Runner& runner, Sink& to) : sink(&to), y(runner.carried().size()), row(runner.columns_.size()) {}

  Snapshot at;
  Sink* sink;
  std::vector<double> y;
  std::vector<double> row;
  RunEnd end;
  bool sink_stopped = false;
  std::string objection;
  std::string not_finite;  ///< what was, and why
};

bool Runner::give_row(Progress& progress, double t, std::span<const double> y) {
  fill(t, y, progress.row);
  for (std::size_t i = 0; i < progress.row.size(); ++i) {
    if (std::isfinite(progress.row[i])) { continue; }
    // the sign of a NaN means nothing
    const double number = std::isnan(progress.row[i]) ? std::fabs(progress.row[i]) : progress.row[i];
    const std::string cause = carried().trouble(t, y);
    progress.not_finite = fmt::format("at t = {:.6g} {} is {:.9g}; {}", t, columns_[i].name, number,
                                      cause.empty() ? "look at what the loads give since the row before" : cause);
    return false;
  }
  ++progress.at.rows;
  if (!progress.sink->row(progress.row)) { progress.sink_stopped = true; }
  return !progress.sink_stopped;
}

Runner::Ended Runner::run_from_start(Sink& sink) {
  Progress progress(*this, sink);
  progress.at.t = 0;
  *run_plan_->parameters = run_plan_->start_parameters;
  begin(progress.y);
  const bool go_on = give_row(progress, 0, progress.y);
  if (!progress.not_finite.empty()) { return go(progress); }
  progress.at.y = progress.y;
  progress.at.parameters = *run_plan_->parameters;
  progress.at.ledger = ledger_numbers();
  progress.at.discrete = discrete();
  if (!go_on || !sink.checkpoint(progress.at)) { progress.sink_stopped = true; }
  return go(progress);
}

Runner::Ended Runner::resume_from(const Snapshot& snapshot, Sink& sink) {
  Progress progress(*this, sink);
  progress.at = snapshot;
  progress.y = snapshot.y;
  *run_plan_->parameters = snapshot.parameters;
  set_ledger(snapshot.ledger);
  set_discrete(snapshot.discrete);
  return go(progress);
}

Runner::Ended Runner::go(Progress& progress) {
  progress.end.ending = Ending::done;
  while (!progress.sink_stopped && progress.not_finite.empty() && progress.at.rows <= last_row_) {
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

/// From one checkpoint to the next; false ends the run.
bool Runner::segment(Progress& progress) {
  const std::uint64_t first = progress.at.rows;
  const std::uint64_t last = std::min(last_row_, first + run_plan_->rows_per_checkpoint - 1);
  const double t_end = time_of_row(last);

  RunOptions<double> options;
  options.step = run_plan_->step;
  options.relative_tolerance = run_plan_->relative_tolerance;
  options.absolute_tolerance = run_plan_->absolute_tolerance;
  options.projection = run_plan_->projection;
  options.step_limit = step_limit();
  for (std::size_t i = 0; i < event_count(); ++i) {
    const EventHead& head = event(i);
    options.events.push_back({head.name,
                              [this, i](const double& t, std::span<const double> y) { return event_value(i, t, y); },
                              head.direction, head.action != Action::record,
                              [this, i](const double& t, std::span<const double> y) { return event_counts(i, t, y); }});
  }
  Observer<double> observer;
  observer.output = [&](const double& t, std::span<const double> y) { return give_row(progress, t, y); };
  observer.event = [&](const EventHit<double>& hit) {
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
  constexpr int kMostAtOnce = 100;
  const double together = 1e-12 * run_plan_->duration;
  int at_once = 0;
  double t_of_last = -std::numeric_limits<double>::infinity();
  for (;;) {
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
      const EventHit<double>& hit = result.events.back();
      if (event(hit.event).action == Action::change) {
        progress.y = hit.y;
        change(hit.event, hit.t, progress.y);
        at_once = hit.t - t_of_last <= together ? at_once + 1 : 0;
        t_of_last = hit.t;
        if (at_once > kMostAtOnce) {
          progress.end.ending = Ending::step_too_small;
          progress.end.message =
              "event '" + event(hit.event).name + "' brings itself about without end: " + result.message;
          return false;
        }
        if (progress.at.t < t_end) { continue; }
        break;
      }
      progress.end.ending = Ending::stopped_by_event;
      progress.end.message = result.message;
      return false;
    }
    if (result.status != RunStatus::done) {
      progress.end.ending = result.status == RunStatus::not_finite       ? Ending::not_finite
                            : result.status == RunStatus::no_convergence ? Ending::no_convergence
                                                                         : Ending::step_too_small;
      progress.end.message = result.message;
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
  progress.at.parameters = *run_plan_->parameters;
  progress.at.ledger = ledger_numbers();
  progress.at.discrete = discrete();
  if (!progress.sink->checkpoint(progress.at)) { progress.sink_stopped = true; }
  return !progress.sink_stopped;
}

}  // namespace polhode::simulation
