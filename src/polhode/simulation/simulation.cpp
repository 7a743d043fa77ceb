#include "polhode/simulation/simulation.h"

#include "polhode/core/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polhode::simulation {
namespace {

void add_vector(std::vector<Column>& columns, const std::string& symbol, const std::string& frame,
                const std::string& unit, const std::string& unit_name, const std::string& meaning) {
  for (const char* axis : {"x", "y", "z"}) {
    columns.push_back({symbol + axis + "_" + frame + "_" + unit_name, unit, meaning + ", " + axis + " of " + frame});
  }
}

std::vector<Column> columns_of(const Plan& plan, bool multiplier) {
  std::vector<Column> columns{{"t_s", "s", "time"}};
  for (const char* name : {"e0", "e1", "e2", "e3"}) {
    columns.push_back({name, "1", "Euler parameter of body to space, scalar first"});
  }
  add_vector(columns, "w", "body", "rad/s", "rad_s", "angular velocity");
  add_vector(columns, "h", "space", "N m s", "Nms",
             plan.body.mass ? "angular momentum about the mass centre" : "angular momentum");
  if (plan.body.mass) {
    add_vector(columns, "r", "space", "m", "m", "position of the mass centre");
    add_vector(columns, "v", "space", "m/s", "m_s", "velocity of the mass centre");
  }
  columns.push_back({"kinetic_J", "J", "kinetic energy"});
  if (plan.potential) { columns.push_back({"potential_J", "J", "potential energy"}); }
  columns.push_back(
      {"energy_balance_J", "J",
       plan.potential ? "total energy less that at the start" : "kinetic energy less that at the start and work done"});
  columns.push_back({"momentum_balance_Nms", "N m s", "size of what the angular momentum is off"});
  columns.push_back({"norm_error", "1", "|e| - 1"});
  if (multiplier) {
    columns.push_back({"multiplier", "J", "multiplier of the norm constraint, scaled as its form has it"});
  }
  return columns;
}

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

Simulation::Simulation(const Plan& plan)
    : plan_(&plan),
      system_(plan.own_form ? *plan.own_form : polhode::formulation<double>(plan.formulation), plan.body),
      method_(&polhode::integrator<double>(plan.integrator)) {
  static_cast<void>(method_->bind(system_));  // says now what would not fit
  const double intervals = plan.duration / plan.output_interval;
  last_row_ = static_cast<std::uint64_t>(std::ceil(intervals * (1 - kSame)));
  std::vector<double> y(system_.size());
  system_.set_state(plan.start, y);
  has_multiplier_ = system_.result(plan.start.t, y).multiplier.has_value();
  columns_ = columns_of(plan, has_multiplier_);
}

double Simulation::time_of_row(std::uint64_t row) const {
  return row >= last_row_ ? plan_->duration : static_cast<double>(row) * plan_->output_interval;
}

struct Simulation::Progress {
  Progress(const Simulation& simulation, Sink& to)
      : ledger(*simulation.plan_, simulation.system_),
        sink(&to),
        y(simulation.system_.size()),
        row(simulation.columns_.size()) {}

  Snapshot at;
  Ledger ledger;
  Sink* sink;
  std::vector<double> y;
  std::vector<double> row;
  Outcome outcome;
  bool sink_stopped = false;
};

bool Simulation::give_row(Progress& progress, double t, std::span<const double> y) {
  const BodyState<double> state = system_.body_state(t, y);
  const Account account = progress.ledger.enter(t, y);
  std::vector<double>& row = progress.row;
  std::size_t i = 0;
  const auto put = [&](double x) { row[i++] = x; };
  const auto put_vector = [&](const Vec3<double>& v) {
    put(v.x);
    put(v.y);
    put(v.z);
  };
  put(t);
  put(state.e_NB.e0);
  put_vector(state.e_NB.ev);
  put_vector(state.w_B);
  put_vector(account.h_N);
  if (plan_->body.mass) {
    put_vector(state.r_N);
    put_vector(state.v_N);
  }
  put(account.kinetic);
  if (plan_->potential) { put(account.potential); }
  put(account.energy_balance);
  put(norm(account.momentum_balance_N));
  put(account.norm_error);
  if (has_multiplier_) { put(account.multiplier.value_or(0)); }
  ++progress.at.rows;
  if (!progress.sink->row(row)) { progress.sink_stopped = true; }
  return !progress.sink_stopped;
}

Outcome Simulation::run(Sink& sink) {
  Progress progress(*this, sink);
  progress.at.t = 0;
  *plan_->parameters = plan_->start_parameters;
  system_.set_state(plan_->start, progress.y);
  progress.ledger.open(plan_->start);
  const bool go_on = give_row(progress, 0, progress.y);
  progress.at.y = progress.y;
  progress.at.parameters = *plan_->parameters;
  progress.at.ledger = progress.ledger.state();
  if (!go_on || !sink.checkpoint(progress.at)) { progress.sink_stopped = true; }
  return go(progress);
}

Outcome Simulation::resume(const Snapshot& snapshot, Sink& sink) {
  Progress progress(*this, sink);
  progress.at = snapshot;
  progress.y = snapshot.y;
  *plan_->parameters = snapshot.parameters;
  progress.ledger.resume(snapshot.ledger);
  return go(progress);
}

Outcome Simulation::go(Progress& progress) {
  progress.outcome.ending = Ending::done;
  while (!progress.sink_stopped && progress.at.rows <= last_row_) {
    if (!segment(progress)) { break; }
  }
  Outcome& outcome = progress.outcome;
  if (progress.sink_stopped) {
    outcome.ending = Ending::interrupted;
    outcome.message = "interrupted";
  }
  outcome.t = progress.at.t;
  outcome.state = system_.body_state(progress.at.t, progress.y);
  outcome.ledger = progress.ledger.state();
  outcome.statistics = progress.at.statistics;
  outcome.rows = progress.at.rows;
  return outcome;
}

void Simulation::change(Progress& progress, const EventHit<double>& hit) {
  const BodyState<double> before = system_.body_state(hit.t, hit.y);
  BodyState<double> after = before;
  plan_->events[hit.event].change(after);
  progress.ledger.jump(before, after);
  system_.set_state(after, progress.y);
}

/// From one checkpoint to the next; false ends the run.
bool Simulation::segment(Progress& progress) {
  const std::uint64_t first = progress.at.rows;
  const std::uint64_t last = std::min(last_row_, first + plan_->rows_per_checkpoint - 1);
  const double t_end = time_of_row(last);

  RunOptions<double> options;
  options.step = plan_->step;
  options.relative_tolerance = plan_->relative_tolerance;
  options.absolute_tolerance = plan_->absolute_tolerance;
  options.projection = plan_->projection;
  for (const PlannedEvent& event : plan_->events) {
    options.events.push_back({event.name,
                              [this, &event](const double& t, std::span<const double> y) {
                                return event.function(system_.body_state(t, y));
                              },
                              event.direction,
                              event.action != Action::record,
                              {}});
    if (event.counts) {
      options.events.back().counts = [this, &event](const double& t, std::span<const double> y) {
        return event.counts(system_.body_state(t, y));
      };
    }
  }
  Observer<double> observer;
  observer.output = [&](const double& t, std::span<const double> y) { return give_row(progress, t, y); };
  observer.event = [&](const EventHit<double>& hit) {
    const Happening happening{hit.event, hit.t, system_.body_state(hit.t, hit.y)};
    if (!progress.sink->event(happening)) { progress.sink_stopped = true; }
    return true;
  };
  observer.piece = [&](const Piece<double>& piece) {
    progress.ledger.add(piece);
    if (!progress.sink->go_on()) { progress.sink_stopped = true; }
    return !progress.sink_stopped;
  };

  // an event that changes the state ends one stretch and begins the next
  constexpr int kMostAtOnce = 100;
  const double together = 1e-12 * plan_->duration;
  int at_once = 0;
  double t_of_last = -std::numeric_limits<double>::infinity();
  for (;;) {
    options.output_times.clear();
    for (std::uint64_t row = progress.at.rows; row <= last; ++row) { options.output_times.push_back(time_of_row(row)); }
    // a method that remembers nothing: a resumed run cannot differ
    const std::unique_ptr<Stepper<double>> stepper = method_->bind(system_);
    const RunResult<double> result =
        integrate<double>(system_, *stepper, options, progress.at.t, t_end, progress.y, observer);
    progress.at.t = result.t;
    RunStatistics& sum = progress.at.statistics;
    sum.steps += result.statistics.steps;
    sum.rejected += result.statistics.rejected;
    sum.evaluations += result.statistics.evaluations;
    sum.chart_switches += result.statistics.chart_switches;
    sum.events += result.statistics.events;
    if (progress.sink_stopped) { return false; }
    if (result.status == RunStatus::stopped_by_event) {
      const EventHit<double>& hit = result.events.back();
      if (plan_->events[hit.event].action == Action::change) {
        change(progress, hit);
        at_once = hit.t - t_of_last <= together ? at_once + 1 : 0;
        t_of_last = hit.t;
        if (at_once > kMostAtOnce) {
          progress.outcome.ending = Ending::step_too_small;
          progress.outcome.message =
              "event '" + plan_->events[hit.event].name + "' brings itself about without end: " + result.message;
          return false;
        }
        if (progress.at.t < t_end) { continue; }
        break;
      }
      progress.outcome.ending = Ending::stopped_by_event;
      progress.outcome.message = result.message;
      return false;
    }
    if (result.status != RunStatus::done) {
      progress.outcome.ending = result.status == RunStatus::not_finite       ? Ending::not_finite
                                : result.status == RunStatus::no_convergence ? Ending::no_convergence
                                                                             : Ending::step_too_small;
      progress.outcome.message = result.message;
      return false;
    }
    break;
  }
  ++progress.at.segment;
  progress.at.y = progress.y;
  progress.at.parameters = *plan_->parameters;
  progress.at.ledger = progress.ledger.state();
  if (!progress.sink->checkpoint(progress.at)) { progress.sink_stopped = true; }
  return !progress.sink_stopped;
}

}  // namespace polhode::simulation
