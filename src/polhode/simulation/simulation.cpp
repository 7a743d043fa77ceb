#include "polhode/simulation/simulation.h"

#include "polhode/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

struct Simulation::Progress {
  Progress(const Subject& subject, Sink& to)
      : sink(&to),
        y(subject.system().size()),
        row(subject.columns().columns.size()),
        given(subject.columns().given.size()) {}

  Snapshot at;
  Sink* sink;
  std::vector<double> y;
  std::vector<double> row;
  std::vector<double> given;  ///< of it, where not all is
  RunEnd end;
  bool ended = false;
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

Simulation::Simulation(const Plan& plan)
    : plan_(&plan),
      subject_(plan.subject()),
      parameters_(plan.parameters),
      method_(&polhode::integrator<double>(plan.integrator)) {
  const double intervals = plan.duration / plan.output_interval;
  last_row_ = static_cast<std::uint64_t>(std::ceil(intervals * (1 - kSame)));
  if (!plan.output.times.empty()) { last_row_ = plan.output.times.size() - 1; }
  static_cast<void>(method_->bind(subject_->system()));  // says now what would not fit
  const ColumnChoice& choice = subject_->columns();
  for (const std::size_t i : choice.given) { columns_.push_back(choice.columns[i]); }
  if (choice.given.empty()) { columns_ = choice.columns; }
}

Simulation::~Simulation() = default;

double Simulation::instant() const { return std::fmin(RunOptions<double>().instant, 1e-6 * plan_->duration); }

double Simulation::time_of_row(std::uint64_t row) const {
  if (const std::vector<double>& times = plan_->output.times; !times.empty()) {
    return times[std::min(row, last_row_)];
  }
  return row >= last_row_ ? plan_->duration : static_cast<double>(row) * plan_->output_interval;
}

/// A hidden row is looked at, and not given out.
bool Simulation::give_row(double t, std::span<const double> y, bool hidden) {
  Progress& progress = *progress_;
  const System<double>& system = subject_->system();
  subject_->fill(t, y, progress.row, ledger_);
  for (std::size_t i = 0; i < progress.row.size(); ++i) {
    if (std::isfinite(progress.row[i])) { continue; }
    // the sign of a NaN means nothing
    const double number = std::isnan(progress.row[i]) ? std::fabs(progress.row[i]) : progress.row[i];
    std::string cause = system.trouble(t, y);
    if (cause.empty()) {
      const auto largest =
          std::max_element(y.begin(), y.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
      cause = fmt::format("the motion has grown too large to compute with: {} is {:.3g}; {}",
                          system.entry_name(static_cast<std::size_t>(largest - y.begin())), *largest,
                          plan_->step > 0 ? fmt::format("a step shorter than {:g} may help", plan_->step)
                                          : "look at what makes it so fast");
    }
    progress.not_finite =
        fmt::format("at t = {:.6g} {} is {:.9g}; {}", t, subject_->columns().columns[i].name, number, cause);
    return false;
  }
  if (hidden) { return true; }
  ++progress.at.rows;
  progress.changes_since_row = 0;
  const std::vector<std::size_t>& given = subject_->columns().given;
  for (std::size_t i = 0; i < given.size(); ++i) { progress.given[i] = progress.row[given[i]]; }
  if (!progress.sink->row(given.empty() ? progress.row : progress.given)) { progress.sink_stopped = true; }
  return !progress.sink_stopped;
}

void Simulation::start(Sink& sink, bool hidden) {
  progress_ = std::make_unique<Progress>(*subject_, sink);
  searches_.clear();
  watch_.reset();
  switches_ = {};
  parameters_ = plan_->parameters;
  subject_->use_parameters(parameters_);
  subject_->begin(progress_->y, ledger_);
  give_row(0, progress_->y, hidden);
}

Outcome Simulation::run(Sink& sink) {
  start(sink, time_of_row(0) > 0);
  Progress& progress = *progress_;
  if (progress.not_finite.empty()) {
    note_state();
    if (progress.sink_stopped || !sink.checkpoint(progress.at)) { progress.sink_stopped = true; }
  }
  carry_on();
  return standing();
}

Outcome Simulation::resume(const Snapshot& snapshot, Sink& sink) {
  begin(snapshot, sink);
  carry_on();
  return standing();
}

bool Simulation::begin(Sink& sink) {
  start(sink, false);
  finish();
  return !progress_->ended;
}

void Simulation::begin(const Snapshot& snapshot, Sink& sink) {
  auto next = std::make_unique<Progress>(*subject_, sink);
  Progress& progress = *next;
  const bool known_events =
      std::all_of(snapshot.just_happened.begin(), snapshot.just_happened.end(),
                  [&](double event) { return event >= 0 && event < static_cast<double>(subject_->event_count()); });
  if (!known_events || snapshot.y.size() != progress.y.size() ||
      snapshot.parameters.size() != plan_->parameters.size()) {
    fail(Error(Problem{.what = "the checkpoint is none of this run: it has other numbers, parameters or events",
                       .allowed = "wanted: a checkpoint of this scenario by this version",
                       .cure = "run from the start"}));
  }
  progress.at = snapshot;
  progress.y = snapshot.y;
  progress.t_of_events = snapshot.t;
  for (const double event : snapshot.just_happened) { progress.happens(static_cast<std::size_t>(event)); }
  // what fails here leaves the simulation as it was
  const LedgerState ledger = LedgerState::from(snapshot.ledger);
  const std::vector<double> discrete_before = subject_->discrete();
  subject_->set_discrete(snapshot.discrete);
  try {
    subject_->use_parameters(snapshot.parameters);
  } catch (const Error&) {
    subject_->set_discrete(discrete_before);
    throw;
  }
  parameters_ = snapshot.parameters;
  ledger_ = ledger;
  progress_ = std::move(next);
}

std::string Simulation::use(const std::vector<double>& values) {
  parameters_ = values;
  try {
    subject_->use_parameters(parameters_);
    parameters_ = subject_->parameters();
  } catch (const Error& error) { return error.what(); }
  return {};
}

void Simulation::set_parameters(std::span<const double> values) {
  const std::vector<double> before = parameters_;
  if (std::equal(values.begin(), values.end(), before.begin(), before.end())) { return; }
  POLHODE_ASSERT(values.size() == before.size());
  const std::vector<double> after(values.begin(), values.end());
  const std::string wrong = subject_->change({}, progress_->at.t, progress_->y, ledger_, [&] { return use(after); });
  if (wrong.empty()) { return; }
  static_cast<void>(use(before));
  fail(Error(wrong));
}

bool Simulation::advance(double t) {
  Progress& progress = *progress_;
  if (progress.ended) { return false; }
  if (!(t > progress.at.t) || !std::isfinite(t)) {
    fail(
        Error(fmt::format("the run stands at t = {:.17g} s and cannot go on to t = {:.17g} s: wanted is a later time "
                          "that a number can tell from it",
                          progress.at.t, t)));
  }
  const std::array<double, 1> times{t};
  const std::uint64_t rows = progress.at.rows;
  if (stretch(t, times)) { settle(); }
  if (progress.end.ending == Ending::stopped_by_event && progress.at.rows == rows) {
    give_row(progress.at.t, progress.y);  // where it stopped
  }
  finish();
  return !progress.ended;
}

double Simulation::t() const { return progress_->at.t; }

void Simulation::show() {
  const LedgerState before = ledger_;
  const std::uint64_t rows = progress_->at.rows;
  give_row(progress_->at.t, progress_->y);
  ledger_ = before;
  progress_->at.rows = rows;
}

const Snapshot& Simulation::snapshot() {
  note_state();
  return progress_->at;
}

Outcome Simulation::standing() const {
  const Progress& progress = *progress_;
  Outcome outcome;
  static_cast<RunEnd&>(outcome) = progress.end;
  outcome.t = progress.at.t;
  outcome.statistics = progress.at.statistics;
  outcome.rows = progress.at.rows;
  outcome.y = progress.y;
  outcome.state = subject_->seen(outcome.t, outcome.y);
  outcome.ledger = ledger_;
  outcome.switches = switches_seen();
  return outcome;
}

/// Rows are left, or a stretch behind the last of them.
bool Simulation::goes_on(const Snapshot& at) const {
  return at.rows <= last_row_ || (!plan_->output.times.empty() && at.t < plan_->duration);
}

/// Through the segments that are left.
void Simulation::carry_on() {
  const Progress& progress = *progress_;
  while (!progress.sink_stopped && progress.not_finite.empty() && goes_on(progress.at)) {
    if (!segment()) { break; }
  }
  // balances count to the end, also where rows at given times end before it
  const bool well = progress.end.ending == Ending::done || progress.end.ending == Ending::stopped_by_event;
  if (well && !plan_->output.times.empty() && !progress.sink_stopped && progress.not_finite.empty() &&
      progress.at.t > plan_->output.times.back()) {
    give_row(progress.at.t, progress.y, true);
  }
  finish();
}

/// How a run has ended, where it has.
void Simulation::finish() {
  Progress& progress = *progress_;
  RunEnd& end = progress.end;
  if (!progress.not_finite.empty()) {
    end.ending = Ending::not_finite;
    end.message = progress.not_finite;
  }
  if (progress.sink_stopped) {
    end.ending = Ending::interrupted;
    end.message = "interrupted";
  }
  progress.ended = end.ending != Ending::done;
}

/// The method starts anew from here, as a run that goes on from a snapshot does.
void Simulation::settle() {
  Progress& progress = *progress_;
  if (plan_->projection == ProjectionUse::at_output) {
    subject_->system().projection()->project_at(progress.at.t, progress.y);
  }
  progress.come_to(progress.at.t, instant());
  progress.t_of_events = progress.at.t;  // as a run that goes on from here sees it
  progress.changes_since_row = 0;
}

/// Brings the snapshot up to date.
void Simulation::note_state() {
  Progress& progress = *progress_;
  progress.at.y = progress.y;
  progress.at.parameters = parameters_;
  progress.at.ledger = ledger_.numbers();
  progress.at.discrete = subject_->discrete();
  progress.at.just_happened.assign(progress.just_happened.begin(), progress.just_happened.end());
}

/// What event i does to parameters and state. Says what cannot be; "" otherwise.
std::string Simulation::change(std::size_t i) {
  const EventHead head = subject_->event(i);  // a copy: the list of events may go with the parameters
  return subject_->change(i, progress_->at.t, progress_->y, ledger_, [&]() -> std::string {
    if (head.set.empty()) { return {}; }
    std::vector<double> values = parameters_;
    for (const auto& [parameter, value] : head.set) { values[parameter] = value; }
    const std::string wrong = use(values);
    return wrong.empty() ? "" : fmt::format("event '{}' sets what cannot be: {}", head.name, wrong);
  });
}

/// What the events of one instant do, in the order of the plan; and what this brings about at the same instant: an
/// event whose function jumps through zero when others act. False ends the run.
bool Simulation::act() {
  Progress& progress = *progress_;
  constexpr std::size_t kMostChanges = 10'000;
  const double t = progress.at.t;
  std::vector<double> before(subject_->event_count());
  for (std::size_t i = 0; i < before.size(); ++i) { before[i] = subject_->event_value(i, t, progress.y); }
  std::vector<std::size_t> acting = progress.hits;
  for (const std::size_t i : acting) { before[i] = 0; }  // its own zero: to leave it is no crossing
  // so is a zero that is passed in the direction that is not looked for: on which side of it the instant was found is
  // chance
  std::vector<double> rate(progress.y.size());
  subject_->system().rhs(t, progress.y, rate);
  const double earlier = t - 2 * one_instant(instant(), t);
  std::vector<double> y_earlier = progress.y;
  for (std::size_t k = 0; k < rate.size(); ++k) { y_earlier[k] -= (t - earlier) * rate[k]; }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] * subject_->event_value(i, earlier, y_earlier) < 0) { before[i] = 0; }
  }
  std::string stopped_by;
  while (!acting.empty()) {
    bool changed = false;
    for (const std::size_t i : acting) {
      if (subject_->event(i).action == Action::stop && stopped_by.empty()) { stopped_by = subject_->event(i).name; }
      if (subject_->event(i).action != Action::change) { continue; }
      if (std::string wrong = change(i); !wrong.empty()) {
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
          subject_->event(i).name, t, kMostChanges);
      return false;
    }
    acting.clear();
    for (std::size_t i = 0; changed && i < before.size(); ++i) {
      const double now = subject_->event_value(i, t, progress.y);
      const bool up = before[i] < 0 && now >= 0 && subject_->event(i).direction >= 0;
      const bool down = before[i] > 0 && now <= 0 && subject_->event(i).direction <= 0;
      before[i] = now;
      if ((up || down) && subject_->event_counts(i, t, progress.y)) { acting.push_back(i); }
    }
    for (const std::size_t i : acting) {
      ++progress.at.statistics.events;
      if (!progress.sink->event({i, t, subject_->seen(t, progress.y), subject_->event_time_by(i, t, progress.y)})) {
        progress.sink_stopped = true;
      }
      progress.happens(i);
    }
  }
  if (stopped_by.empty()) { return true; }
  progress.end.ending = Ending::stopped_by_event;
  progress.end.message = fmt::format("at t = {:.6g} event '{}'", t, stopped_by);
  return false;
}

/// From one checkpoint to the next; false ends the run.
bool Simulation::segment() {
  Progress& progress = *progress_;
  const std::uint64_t first = progress.at.rows;
  const std::uint64_t last = std::min(last_row_, first + plan_->rows_per_checkpoint - 1);
  std::vector<double> times;
  for (std::uint64_t row = first; row <= last; ++row) { times.push_back(time_of_row(row)); }
  if (!stretch(last == last_row_ ? plan_->duration : time_of_row(last), times)) { return false; }
  ++progress.at.segment;
  settle();
  note_state();
  if (!progress.sink->checkpoint(progress.at)) { progress.sink_stopped = true; }
  return !progress.sink_stopped;
}

/// The search through laws of the plan as it now is.
formula::TimeSearch& Simulation::search_of(const Laws& laws) {
  if (searched_ != &subject_->now()) { forget_searches(); }
  searched_ = &subject_->now();
  for (const auto& [known, search] : searches_) {
    if (known == laws) { return *search; }
  }
  return *searches_.emplace_back(laws, std::make_unique<formula::TimeSearch>(*laws)).second;
}
void Simulation::forget_searches() {
  switches_ = switches_seen();
  searches_.clear();
  watch_.reset();
}
/// Likewise.
StateWatch& Simulation::state_watch() {
  if (searched_ != &subject_->now()) { forget_searches(); }
  searched_ = &subject_->now();
  if (!watch_) { watch_ = std::make_unique<StateWatch>(*subject_, plan_->watch_blur); }
  return *watch_;
}
SwitchesSeen Simulation::switches_seen() const {
  SwitchesSeen seen = switches_;
  const auto add = [](const std::vector<std::string>& names, std::vector<std::string>& to) {
    for (const std::string& name : names) {
      if (std::find(to.begin(), to.end(), name) == to.end()) { to.push_back(name); }
    }
  };
  for (const auto& [laws, search] : searches_) {
    seen.undecided += search->undecided();
    add(search->undecided_names(), seen.names);
  }
  if (watch_) {
    seen.steps_undecided += watch_->undecided();
    add(watch_->undecided_names(), seen.names_of_state);
  }
  return seen;
}

/// On to t_end, with rows at the times given; false ends the run.
bool Simulation::stretch(double t_end, std::span<const double> times) {
  Progress& progress = *progress_;
  const std::uint64_t first = progress.at.rows;
  const System<double>& system = subject_->system();

  RunOptions<double> options;
  options.step = plan_->step;
  options.relative_tolerance = plan_->relative_tolerance;
  options.absolute_tolerance = plan_->absolute_tolerance;
  options.projection = plan_->projection;
  options.step_limit = subject_->step_limit();
  options.largest_step = plan_->max_step;
  const auto jump_of = [](const std::optional<formula::TimeJump>& found) -> std::optional<Jump<double>> {
    if (!found) { return {}; }
    return Jump<double>{found->before, found->after};
  };
  if (const Laws& laws = subject_->now().laws_in_time) {
    static_cast<void>(search_of(laws));  // its memory is there before the first step
    options.foresight.next_jump = [this, jump_of](const double& t, const double& until) {
      return jump_of(search_of(subject_->now().laws_in_time).first_switch(t, until));
    };
    options.foresight.shown_until = [this](const double& t, const double& until) {
      return search_of(subject_->now().laws_in_time).shown_until(t, until);
    };
  }
  if (plan_->watch_blur > 0) {
    static_cast<void>(state_watch());
    if (subject_->now().laws_of_state) {
      options.hindsight.first_switch = [this](const Piece<double>& step) { return state_watch().first_switch(step); };
      options.hindsight.shown_until = [this](const Piece<double>&) { return state_watch().shown_until(); };
    }
  }
  options.instant = instant();
  options.keep_events = false;  // the sink has them
  for (std::size_t i = 0; i < subject_->event_count(); ++i) {
    const EventHead& head = subject_->event(i);
    options.events.push_back(
        {head.name, [this, i](const double& t, std::span<const double> y) { return subject_->event_value(i, t, y); },
         head.direction, head.action != Action::record,
         [this, i](const double& t, std::span<const double> y) { return subject_->event_counts(i, t, y); }});
    if (!head.in_time && plan_->watch_blur > 0) {
      options.events.back().changes = [this, i](const Piece<double>& step) { return state_watch().changes(i, step); };
    }
    if (!head.in_time) { continue; }
    static_cast<void>(search_of(head.in_time));
    options.events.back().next_change = [this, i, jump_of](const double& t, const double& until) {
      return jump_of(search_of(subject_->event(i).in_time).first_switch(t, until));
    };
  }
  Observer<double> observer;
  observer.output = [&](const double& t, std::span<const double> y) {
    // behind the last row the driver shows every step
    return progress.at.rows - first >= times.size() || give_row(t, y);
  };
  observer.event = [&](const EventHit<double>& hit) {
    progress.come_to(hit.t, options.instant);
    if (hit.t != progress.t_of_events) { progress.hits.clear(); }
    progress.t_of_events = hit.t;
    progress.hits.push_back(hit.event);
    progress.happens(hit.event);
    if (!progress.sink->event(
            {hit.event, hit.t, subject_->seen(hit.t, hit.y), subject_->event_time_by(hit.event, hit.t, hit.y)})) {
      progress.sink_stopped = true;
    }
    return true;
  };
  observer.piece = [&](const Piece<double>& piece) {
    subject_->add(piece, ledger_);
    progress.objection = subject_->objection(piece);
    if (!progress.sink->go_on()) { progress.sink_stopped = true; }
    return !progress.sink_stopped && progress.objection.empty();
  };

  // an event that changes the state ends one stretch and begins the next
  for (;;) {
    progress.hits.clear();
    progress.come_to(progress.at.t, options.instant);
    options.just_happened = progress.just_happened;
    const std::span<const double> left = times.subspan(progress.at.rows - first);
    options.output_times.assign(left.begin(), left.end());
    // a method that remembers nothing: a resumed run cannot differ
    const std::unique_ptr<Stepper<double>> stepper = method_->bind(system);
    const RunResult<double> result =
        integrate<double>(system, *stepper, options, progress.at.t, t_end, progress.y, observer);
    progress.at.t = result.t;
    switches_.landed += result.jumps.landed;
    switches_.too_many = switches_.too_many || result.jumps.has_given_up;
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
      if (!act() || progress.sink_stopped) { return false; }
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
  return true;
}

}  // namespace polhode::simulation
