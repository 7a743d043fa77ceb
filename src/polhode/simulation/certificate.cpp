#include "polhode/simulation/certificate.h"

#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/math/elementary.h"
#include "polhode/math/pi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace polhode::simulation {
namespace {

/// What rounding of the input costs, told where it is not small against the accuracy asked for.
double add_uncertainty(Certificate& certificate, const ExactMotion& exact, double t_end) {
  constexpr double kSmall = 0.1;
  const double value = exact.uncertainty ? exact.uncertainty(t_end) : 0;
  if (value > kSmall * certificate.accuracy) {
    certificate.evidence.push_back(
        {"rounding of the input", value, certificate.accuracy,
         "what the last digit of the inertia matrix and of the start turns the exact motion by until the end, rad"});
  }
  return value;
}

using PoseRows = std::vector<std::vector<double>>;

/// The plan with finer steps or tolerances, and with the columns and rows that are there by default.
std::unique_ptr<Plan> finer_plan(const Plan& plan, double finer) {
  std::unique_ptr<Plan> other = plan.copy();
  other->output = plan.output.with_default_columns();
  other->output.times.clear();
  if (other->step > 0) {
    other->step /= finer;
  } else {
    other->relative_tolerance /= finer;
    other->absolute_tolerance /= finer;
  }
  return other;
}

/// Keeps poses of some rows, and when events happened.
class PoseSink final : public Sink {
 public:
  /// `wanted` says whether the row of that number and time is kept.
  /// `most_steps`: then the run ends; 0: any number.
  PoseSink(PoseColumns columns, std::function<bool(std::uint64_t number, double t)> wanted,
           const std::function<bool()>& keep_going, std::size_t most_steps = 0)
      : columns_(std::move(columns)), wanted_(std::move(wanted)), keep_going_(&keep_going), most_steps_(most_steps) {}
  bool row(std::span<const double> row) override {
    if (wanted_(count_++, row[0])) { poses.push_back(columns_.of(row)); }
    return go_on();
  }
  bool event(const EventOccurrence& occurrence) override {
    if (events.size() <= occurrence.event) { events.resize(occurrence.event + 1); }
    events[occurrence.event].push_back(occurrence.t);
    return true;
  }
  bool go_on() override {
    if (most_steps_ > 0 && ++asked_ > most_steps_) { return false; }
    return !*keep_going_ || (*keep_going_)();
  }
  bool checkpoint(const Snapshot&) override { return go_on(); }

  PoseRows poses;
  EventTimes events;

 private:
  PoseColumns columns_;
  std::function<bool(std::uint64_t number, double t)> wanted_;
  const std::function<bool()>* keep_going_;
  std::size_t most_steps_;
  std::size_t asked_ = 0;
  std::uint64_t count_ = 0;
};

/// Poses of another run, and its steps.
struct Rerun {
  PoseRows poses;
  std::size_t steps = 0;
  SwitchesSeen switches{};
  std::string message{};
  EventTimes events{};
  double t_end = 0;
};

/// Poses of a plan at the times of `poses`; fewer where the run did not get there.
Rerun run_of(const Plan& other, std::span<const std::vector<double>> poses, const std::function<bool()>& keep_going,
             std::size_t most_steps = 0) {
  Simulation simulation(other);
  std::size_t found = 0;
  const auto wanted = [&](std::uint64_t, double t) {
    if (found >= poses.size() || t != poses[found][0]) { return false; }
    ++found;
    return true;
  };
  PoseSink sink(PoseColumns(simulation.columns(), other), wanted, keep_going, most_steps);
  const Outcome outcome = simulation.run(sink);
  return {std::move(sink.poses), outcome.statistics.steps, outcome.switches,
          outcome.message,       std::move(sink.events),   outcome.t};
}
/// The same with other steps.
Rerun rerun(const Plan& plan, double finer, std::span<const std::vector<double>> poses,
            const std::function<bool()>& keep_going) {
  return run_of(*finer_plan(plan, finer), poses, keep_going);
}

/// Poses of the same run, of rows spread over it.
struct SameRun {
  PoseRows poses;
  EventTimes events;
  Outcome outcome;
};
SameRun same_run(const Plan& plan, const std::function<bool()>& keep_going) {
  constexpr std::uint64_t kLookedAt = 1000;
  const std::unique_ptr<Plan> same = finer_plan(plan, 1);
  Simulation simulation(*same);
  const std::uint64_t every = std::max<std::uint64_t>(1, simulation.rows() / kLookedAt);
  PoseSink sink(
      PoseColumns(simulation.columns(), *same), [every](std::uint64_t number, double) { return number % every == 0; },
      keep_going);
  Outcome outcome = simulation.run(sink);
  return {std::move(sink.poses), std::move(sink.events), std::move(outcome)};
}

/// Of a row of poses.
EulerParameters<double> attitude(const std::vector<double>& pose, std::size_t first) {
  return {pose[first], {pose[first + 1], pose[first + 2], pose[first + 3]}};
}

/// How far two runs are apart: as angles, and as lengths.
struct Apart {
  double angle = 0;
  double length = 0;
  /// One number to judge order by.
  double both(double unit) const { return std::fmax(angle, length / unit); }
};

/// The larger of two lengths; a NaN, as of ∞ − ∞, is larger than any.
double farther(double most, double length) {
  return std::isnan(length) ? std::numeric_limits<double>::infinity() : std::fmax(most, length);
}

Apart apart(const PoseRows& a, const PoseRows& b, bool positions) {
  Apart most;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    for (std::size_t k = 1; k < a[i].size(); k += positions ? 7 : 4) {
      most.angle = std::fmax(most.angle, attitude_difference(attitude(a[i], k), attitude(b[i], k)));
      if (!positions) { continue; }
      const double* x = a[i].data() + k + 4;
      const double* z = b[i].data() + k + 4;
      most.length = farther(most.length, norm(Vec3<double>{x[0] - z[0], x[1] - z[1], x[2] - z[2]}));
    }
  }
  return most;
}

/// The distance that errors of positions are held against: the length of the model, or how far a mass centre comes from
/// its start, if that is more.
double scale_of(const Plan& plan, const PoseRows& poses) {
  double scale = plan.length();
  for (const std::vector<double>& pose : poses) {
    for (std::size_t k = 5; k + 2 < pose.size(); k += 7) {
      const double* x = pose.data() + k;
      const double* start = poses.front().data() + k;
      scale = std::fmax(scale, norm(Vec3<double>{x[0] - start[0], x[1] - start[1], x[2] - start[2]}));
    }
  }
  return scale;
}

/// What positions may be off by: what was asked for, or the accuracy times the scale of the motion; and what the
/// rounding of coordinates costs.
double position_allowed(const Plan& plan, const PoseRows& poses) {
  constexpr double kRoundings = 64 * 2.220446049250313e-16;
  double farthest = 0;
  for (const std::vector<double>& pose : poses) {
    for (std::size_t k = 5; k + 2 < pose.size(); k += 7) {
      for (std::size_t i = 0; i < 3; ++i) { farthest = std::fmax(farthest, std::fabs(pose[k + i])); }
    }
  }
  return plan.position_accuracy.value_or(plan.accuracy * scale_of(plan, poses)) + kRoundings * farthest;
}

/// What of the equations of motion the integrator of a plan leaves out, in words, or "".
const std::string& left_out(const Plan& plan) {
  return polhode::integrator<double>(plan.integrator).description().leaves_out;
}

/// The error by runs with finer steps.
void halve_steps(Certificate& certificate, const Plan& plan, const PoseRows& coarse,
                 const std::function<bool()>& keep_going) {
  const bool positions = plan.judges_positions();
  // the length that counts as much as a radian
  const double scale = positions ? (plan.length() > 0 ? plan.length() : scale_of(plan, coarse)) : 1;
  const double unit = scale > 0 ? scale : 1;
  // errors this small are rounding, and say nothing about order
  constexpr double kRounding = 1e-12;
  const auto enter = [&](const Apart& d, double factor) {
    certificate.attitude_error = std::fmax(certificate.attitude_error.value_or(0), factor * d.angle);
    if (positions) {
      certificate.position_error = std::fmax(certificate.position_error.value_or(0), factor * d.length);
    }
  };
  const auto not_measured = [&](std::string reason) {
    if (certificate.verdict == Verdict::not_established) { certificate.reason = std::move(reason); }
  };
  if (const std::string& missing = left_out(plan); !missing.empty()) {
    return not_measured(
        fmt::format("no finer run can show the error: '{}' leaves out {}, so that its runs agree on another motion",
                    plan.integrator, missing));
  }
  if (plan.step > 0 && polhode::integrator<double>(plan.integrator).description().order == 0) {
    return not_measured(fmt::format(
        "no finer run can show the error: inside a step of any length '{}' follows a tolerance of its own; give "
        "tolerance in place of step",
        plan.integrator));
  }
  if (plan.step > 0) {
    const Rerun halved = rerun(plan, 2, coarse, keep_going);
    const Rerun quartered = rerun(plan, 4, coarse, keep_going);
    const PoseRows& half = halved.poses;
    const PoseRows& quarter = quartered.poses;
    if (half.size() < coarse.size() || quarter.size() < coarse.size()) {
      certificate.notes.emplace_back("the runs with finer steps did not reach the end");
      return;
    }
    // steps that checkpoints or the end cut short are not finer for being asked to be
    constexpr double kFiner = 1.5;
    if (static_cast<double>(halved.steps) < kFiner * static_cast<double>(certificate.steps) ||
        static_cast<double>(quartered.steps) < kFiner * static_cast<double>(halved.steps)) {
      return not_measured(
          fmt::format("no finer run can show the error: with half the step it takes {} steps in place of {}, for "
                      "checkpoints or the end cut steps of {:g} s short; ask for a shorter step",
                      halved.steps, certificate.steps, plan.step));
    }
    certificate.method = "step halving";
    const Apart first = apart(coarse, half, positions);
    const Apart second = apart(half, quarter, positions);
    const double d1 = first.both(unit);
    const double d2 = second.both(unit);
    const int declared = polhode::integrator<double>(plan.integrator).description().order;
    certificate.declared_order = declared;
    // the difference to half the step holds all of the error but a part 2^-p
    enter(first, 2);
    if (d2 > kRounding) {
      certificate.observed_order = math::log2(d1 / d2);
      if (*certificate.observed_order < declared - 0.5 || d1 > 0.1) {
        certificate.notes.emplace_back(
            "halving the step does not shrink the error as the order of the method says: the "
            "step is too large for an estimate, or the equations are wrong");
        enter(second, 4);
        if (certificate.verdict != Verdict::no && d1 > certificate.accuracy / 4) {
          certificate.verdict = Verdict::no;
          certificate.reason = "the error does not follow the order of the method";
        }
      }
    }
    return;
  }
  // a tolerance that is not clearly finer shows nothing of the error
  constexpr double kWanted = 100;
  constexpr double kEnough = 10;
  const double least = polhode::integrator<double>(plan.integrator).description().least_tolerance;
  const double factor = std::fmin(kWanted, plan.relative_tolerance / least);
  if (factor < kEnough * (1 - 1e-9)) {
    return not_measured(
        fmt::format("no finer run can show the error: '{}' follows tolerances down to {:g}, and {:g} was asked for; "
                    "ask for {:g} or "
                    "more, or for another integrator",
                    plan.integrator, least, plan.relative_tolerance, kEnough * least));
  }
  const Rerun finer = rerun(plan, factor, coarse, keep_going);
  if (finer.poses.size() < coarse.size()) {
    certificate.notes.emplace_back("the run with a finer tolerance did not reach the end");
    return;
  }
  const Apart found = apart(coarse, finer.poses, positions);
  if (finer.steps == certificate.steps && found.both(unit) == 0) {
    return not_measured("the run with a finer tolerance took the same steps: it cannot show the error of this one");
  }
  certificate.method = factor == kWanted ? "a run with a hundredth of the tolerance"
                                         : fmt::format("a run with a tolerance {:.3g} times finer", factor);
  enter(found, 2);
}

/// What another method says of the same plan, and whether it spoke.
struct SecondOpinion {
  std::string integrator{};
  std::string method{};   ///< with its tolerance; "" where it did not speak
  std::string silence{};  ///< why not
  std::string cure{};     ///< of that
  Apart apart{};
  SwitchesSeen switches{};
  EventTimes events{};
  double t_end = 0;  ///< as far as its events go
};

/// A run of the plan by a method of another kind, whose steps follow another pattern: extrapolation, or dop853 for what
/// was itself extrapolated. It follows a tolerance and lands on switches, whatever the run did.
SecondOpinion second_opinion(const Plan& plan, const PoseRows& coarse, std::size_t steps,
                             const std::function<bool()>& keep_going) {
  constexpr double kFiner = 100;
  constexpr double kOfAccuracy = 1e-4;  // of runs by fixed steps
  constexpr double kLeast = 1e-13;
  constexpr std::size_t kMoreSteps = 20;
  constexpr std::size_t kSomeSteps = 20'000;
  SecondOpinion opinion;
  const std::unique_ptr<Plan> other = finer_plan(plan, 1);
  const MethodDescription& own = polhode::integrator<double>(plan.integrator).description();
  other->integrator = plan.integrator == "extrapolation" ? "dop853" : "extrapolation";
  if (own.holds_constraints || own.keeps_history) { other->projection = plan.usual_projection(); }
  const double tolerance = plan.step > 0 ? kOfAccuracy * plan.accuracy : plan.relative_tolerance / kFiner;
  other->step = 0;
  other->relative_tolerance = std::fmin(std::fmax(tolerance, kLeast), 1e-8);
  other->absolute_tolerance = other->relative_tolerance;
  other->max_step = plan.max_step / 2;
  // what the motion is known to: what is shallower for a switch is undecided
  other->watch_blur = std::fmax(plan.step > 0 ? kFiner * tolerance : plan.relative_tolerance, kLeast);
  opinion.integrator = other->integrator;
  try {
    Rerun run = run_of(*other, coarse, keep_going, kMoreSteps * steps + kSomeSteps);
    opinion.switches = run.switches;
    opinion.events = std::move(run.events);
    opinion.t_end = run.t_end;
    if (run.poses.size() < coarse.size()) {
      const bool too_many_steps = run.message.empty() || run.message == "interrupted";
      opinion.silence = fmt::format(
          "'{}' did not reach the end{}", other->integrator,
          too_many_steps ? fmt::format(" within {} steps", kMoreSteps * steps + kSomeSteps) : ": " + run.message);
      opinion.cure = too_many_steps ? "certify a shorter duration, or a motion less stiff, that it can follow"
                                    : "certify a duration that ends before that, or change what stops it";
      return opinion;
    }
    opinion.apart = apart(coarse, run.poses, plan.judges_positions());
    opinion.method = fmt::format("'{}' with tolerance {:.3g}", other->integrator, other->relative_tolerance);
  } catch (const Error& error) {
    opinion.silence = error.what();
    opinion.cure = "change what it cannot run";
  }
  return opinion;
}

/// How far apart two times of an event may be: the time in which the fastest body turns by `angle`, and no more than
/// that part of the run.
double allowed_of_times(const Plan& plan, const PoseRows& rows, double angle, double t) {
  const auto behind = std::upper_bound(rows.begin() + 1, rows.end() - 1, t,
                                       [](double time, const std::vector<double>& row) { return time < row[0]; });
  const std::vector<double>& a = *(behind - 1);
  const std::vector<double>& b = *behind;
  double speed = 1 / plan.duration;
  const std::size_t width = plan.judges_positions() ? 7 : 4;
  for (std::size_t k = 1; k < a.size(); k += width) {
    speed = std::fmax(speed, attitude_difference(attitude(a, k), attitude(b, k)) / (b[0] - a[0]));
  }
  return angle / speed;
}

/// An event that two runs tell differently.
struct EventDifference {
  bool acts = false;  ///< it changes the motion, or ends it
  std::string what;
};

/// The first event that is not the same in the run and in that of a second method: how often, when, and, where it acts,
/// in which order. Times may differ as far as attitudes may, by `angle`.
std::optional<EventDifference> difference_of_events(const Plan& plan, const PoseRows& rows, const EventTimes& events,
                                                    const SecondOpinion& opinion, double angle) {
  const std::unique_ptr<Subject> subject = plan.subject();
  struct Met {
    double t;
    std::size_t event;
  };
  std::vector<Met> by_run;
  std::vector<Met> by_other;
  std::optional<EventDifference> first;
  double first_at = 0;
  const auto note = [&](std::size_t i, double t, std::string what) {
    if (first && first_at <= t) { return; }
    first_at = t;
    first = {subject->event(i).action != Action::record, std::move(what)};
  };
  for (std::size_t i = 0; i < subject->event_count(); ++i) {
    const EventHead& event = subject->event(i);
    const auto times = [&](const EventTimes& lists) {
      std::vector<double> list = i < lists.size() ? lists[i] : std::vector<double>();
      return list;
    };
    const std::vector<double> a = times(events);
    const std::vector<double> b = times(opinion.events);
    for (const double t : a) { by_run.push_back({t, i}); }
    for (const double t : b) { by_other.push_back({t, i}); }
    for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
      const bool in_run = k < a.size() && (k >= b.size() || a[k] <= b[k]);
      const double t = in_run ? a[k] : b[k];
      const double allowed = allowed_of_times(plan, rows, angle, t);
      if (k < a.size() && k < b.size() && std::fabs(a[k] - b[k]) <= allowed) { continue; }
      // what is met at the end may lie behind that of the other, and the second method may not have come so far
      const bool missing = k >= a.size() || k >= b.size();
      if (missing && (t > plan.duration - allowed || (in_run && t > opinion.t_end))) { break; }
      note(i, t,
           a.size() == b.size()
               ? fmt::format("event '{}' is met at {:.9g} s, by '{}' at {:.9g} s", event.name, a[k], opinion.integrator,
                             b[k])
               : fmt::format("event '{}' is met {}, by '{}' {}: first apart at {:.9g} s", event.name,
                             counted(a.size(), "time"), opinion.integrator, counted(b.size(), "time"), t));
      break;
    }
  }
  if (first) { return first; }
  const auto in_order = [](const Met& x, const Met& y) { return x.t < y.t || (x.t == y.t && x.event < y.event); };
  std::sort(by_run.begin(), by_run.end(), in_order);
  std::sort(by_other.begin(), by_other.end(), in_order);
  for (std::size_t k = 0; k < std::min(by_run.size(), by_other.size()); ++k) {
    const EventHead& one = subject->event(by_run[k].event);
    const EventHead& other = subject->event(by_other[k].event);
    if (by_run[k].event == by_other[k].event) { continue; }
    if (one.action == Action::record && other.action == Action::record) { continue; }
    return EventDifference{true, fmt::format("event '{}' comes before '{}' at {:.9g} s, by '{}' behind it", one.name,
                                             other.name, by_run[k].t, opinion.integrator)};
  }
  return {};
}

/// Events of the run against those of a second method; both know attitudes to `angle`.
void judge_events(Certificate& certificate, const Plan& plan, const PoseRows& rows, const EventTimes* events,
                  const SecondOpinion& opinion, double angle) {
  if (events == nullptr || opinion.integrator.empty()) { return; }
  const std::optional<EventDifference> found = difference_of_events(plan, rows, *events, opinion, angle);
  if (!found) { return; }
  certificate.notes.push_back(found->what + "; a shorter max_step, or a tighter tolerance, shows which is right");
  if (certificate.verdict == Verdict::no || (certificate.verdict == Verdict::not_established && !found->acts)) {
    return;
  }
  certificate.verdict = found->acts ? Verdict::no : Verdict::not_established;
  certificate.reason = found->what;
}

void not_established(Certificate& certificate, std::string reason) {
  if (certificate.verdict == Verdict::no) { return; }
  certificate.verdict = Verdict::not_established;
  certificate.reason = std::move(reason);
}

/// How switches of the state and events were looked for.
void note_events(Certificate& certificate, const Plan& plan, const SecondOpinion& opinion) {
  constexpr std::size_t kMostNamed = 8;
  const bool spoke = !opinion.method.empty();
  const auto undecided = [&](const std::string& name) {
    const std::vector<std::string>& names = opinion.switches.names_of_state;
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (const std::size_t laws = plan.switches_of_state.size(); laws > 0) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(laws, kMostNamed); ++i) { names.push_back(plan.switches_of_state[i].law); }
    if (laws > kMostNamed) { names.push_back(fmt::format("{} more", laws - kMostNamed)); }
    certificate.notes.push_back(fmt::format(
        "switches that look at the state, in {}: {}", fmt::join(names, ", "),
        spoke ? "the second method looked for them on all of each step and ended steps there, the run itself did not"
              : "no second method looked for them, and what switches back within a step may be missed"));
  }
  const std::unique_ptr<Subject> subject = plan.subject();
  for (std::size_t i = 0; i < subject->event_count(); ++i) {
    const EventHead& event = subject->event(i);
    certificate.notes.push_back(
        event.in_time ? fmt::format("event '{}' goes by time alone: no zero of it is missed", event.name)
        : spoke && !undecided(fmt::format("event '{}'", event.name))
            ? fmt::format("event '{}' was looked for by the second method on all of each step", event.name)
            : fmt::format("event '{}' is looked at {} times a step, and where it turns between two looks: what comes "
                          "and goes beside these is not seen; max_step shortens steps",
                          event.name, RunOptions<double>().event_checks + 1));
  }
}

bool has_events_of_state(const Plan& plan) {
  const std::unique_ptr<Subject> subject = plan.subject();
  for (std::size_t i = 0; i < subject->event_count(); ++i) {
    if (!subject->event(i).in_time) { return true; }
  }
  return false;
}

void judge(Certificate& certificate) {
  if (!certificate.attitude_error || certificate.verdict == Verdict::no) { return; }
  const bool turned = *certificate.attitude_error <= certificate.accuracy;
  const bool positioned = certificate.position_error.value_or(0) <= certificate.position_allowed.value_or(0);
  certificate.verdict = turned && positioned ? Verdict::yes : Verdict::no;
  const std::string what = turned && !positioned ? "the position error" : "the attitude error";
  certificate.reason = turned && positioned ? "the attitude error found is within the accuracy asked for"
                                            : what + " found is larger than the accuracy asked for";
}

/// Enters the second opinion before the error is judged. Attitudes that were held against an exact motion are known
/// better than the second method knows them.
void enter(Certificate& certificate, const SecondOpinion& opinion, bool exact) {
  if (opinion.method.empty()) { return; }
  if (!exact) { certificate.attitude_error = std::fmax(certificate.attitude_error.value_or(0), opinion.apart.angle); }
  if (certificate.position_allowed) {
    certificate.position_error = std::fmax(certificate.position_error.value_or(0), opinion.apart.length);
  }
}

/// What the second opinion and what it has met leave of a "yes". Where nothing else has measured the error, it can
/// still say no.
void weigh(Certificate& certificate, const Plan& plan, const SecondOpinion& opinion, bool exact) {
  constexpr double kSafety = 2;
  const auto doubt = [&](std::string reason) {
    if (certificate.verdict == Verdict::yes) { not_established(certificate, std::move(reason)); }
  };
  if (opinion.method.empty()) {
    certificate.notes.push_back(fmt::format("no second method spoke: {}; {}", opinion.silence, opinion.cure));
    doubt("no second method could tell whether the run has seen all that acts: " + opinion.silence + "; " +
          opinion.cure);
  } else {
    certificate.notes.push_back(certificate.position_allowed
                                    ? fmt::format("{} differs by {:.3g} rad and {:.3g} m", opinion.method,
                                                  opinion.apart.angle, opinion.apart.length)
                                    : fmt::format("{} differs by {:.3g} rad", opinion.method, opinion.apart.angle));
    const auto within = [&](double safety) {
      return (exact || safety * opinion.apart.angle <= certificate.accuracy) &&
             (!certificate.position_allowed || safety * opinion.apart.length <= *certificate.position_allowed);
    };
    if (!certificate.attitude_error && !within(1) && certificate.verdict != Verdict::no) {
      certificate.verdict = Verdict::no;
      certificate.reason = "a second method differs by more than the accuracy asked for";
    }
    if (!within(kSafety)) { doubt("a second method does not agree within half of the accuracy asked for"); }
  }
  if (opinion.switches.landed > 0) {
    certificate.notes.push_back(fmt::format("steps ended at {} by time alone, and there is no other",
                                            counted(opinion.switches.landed, "switch", "switches")));
  }
  if (opinion.switches.too_many || opinion.switches.undecided > 0) {
    const std::string what =
        opinion.switches.too_many
            ? std::string("there are too many switches to land on all of them")
            : fmt::format("whether {} switches, passes zero or varies unseen cannot be decided at {}",
                          fmt::join(opinion.switches.names, ", "), counted(opinion.switches.undecided, "time"));
    certificate.notes.push_back(what);
    doubt(what);
  }
  // the longest step is the user's word that nothing shorter is in the law
  const bool vouched = plan.max_step > 0 || plan.step > 0;
  if (opinion.switches.steps_undecided > 0) {
    const std::string what = fmt::format(
        "whether {} switches, passes zero or varies unseen with the state cannot be decided in {}",
        fmt::join(opinion.switches.names_of_state, ", "), counted(opinion.switches.steps_undecided, "step"));
    certificate.notes.push_back(vouched ? what + ": the longest step stands for it" : what);
    if (!vouched) { doubt(what + "; give max_step, which no step is longer than"); }
  }
  if (!plan.opaque_laws.empty() && !vouched) {
    doubt(
        fmt::format("law '{}' is code, which nothing can look into: between two evaluations it "
                    "may do anything; give max_step, which no step is longer than",
                    plan.opaque_laws.front()));
  }
}

/// The verdict that balances allow.
void judge_balances(Certificate& certificate, const RunEnd& end) {
  if (end.ending != Ending::done && end.ending != Ending::stopped_by_event) {
    certificate.verdict = end.ending == Ending::interrupted ? Verdict::not_established : Verdict::no;
    certificate.reason = "the run did not reach its end: " + end.message;
    return;
  }
  for (const Evidence& one : certificate.evidence) {
    if (!one.holds()) {
      certificate.verdict = Verdict::no;
      certificate.reason = "the error of " + one.name + " is larger than the accuracy allows";
      return;
    }
  }
  certificate.reason = "balances hold; they cannot show how late the motion is along its path";
}

}  // namespace

std::string_view to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::yes:
      return "yes";
    case Verdict::no:
      return "no";
    case Verdict::not_established:
      return "not established";
  }
  return "unknown";
}

double attitude_difference(const EulerParameters<double>& a, const EulerParameters<double>& b) {
  const EulerParameters<double> d = conjugate(a) * b;
  const double angle = 2 * math::atan2(norm(d.ev), std::fabs(d.e0));
  return std::isnan(angle) ? math::kPi<double> : angle;  // of numbers too large to multiply
}

Certificate certificate_of(const Plan& plan, const Outcome& outcome) {
  Certificate certificate;
  certificate.accuracy = plan.accuracy;
  certificate.steps = outcome.statistics.steps;
  certificate.evidence = plan.evidence(outcome.ledger, certificate.notes);
  if (const std::string& missing = left_out(plan); !missing.empty()) {
    certificate.notes.push_back(fmt::format(
        "integrator '{}' leaves out {}: where it acts, this is not the motion of the body", plan.integrator, missing));
  }
  for (const Evidence& one : certificate.evidence) {
    if (one.name != "energy" || !(one.bound > certificate.accuracy)) { continue; }
    certificate.notes.push_back(fmt::format(
        "the energy turned over is little against what it is the difference of: rounding alone may be {:.3g} "
        "of it",
        one.bound));
  }
  judge_balances(certificate, outcome);
  return certificate;
}

PoseColumns::PoseColumns(const std::vector<Column>& columns, const Plan& plan) {
  find(columns, "t_s");
  for (const std::string& prefix : plan.column_prefixes()) {
    for (const char* name : {"e0", "e1", "e2", "e3"}) { find(columns, prefix + name); }
    if (!plan.judges_positions()) { continue; }
    for (const char* name : {"rx_space_m", "ry_space_m", "rz_space_m"}) { find(columns, prefix + name); }
  }
}

void PoseColumns::find(const std::vector<Column>& columns, const std::string& name) {
  // in the order of the columns: from the last one found on
  const std::size_t first = indices_.empty() ? 0 : indices_.back();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t index = (first + i) % columns.size();
    if (columns[index].name == name) {
      indices_.push_back(index);
      return;
    }
  }
  complete_ = false;
}

std::vector<double> PoseColumns::of(std::span<const double> row) const {
  if (!complete_) { return {}; }
  std::vector<double> pose;
  pose.reserve(indices_.size());
  for (const std::size_t index : indices_) { pose.push_back(row[index]); }
  return pose;
}

void certify(Certificate& certificate, const Plan& plan, std::span<const std::vector<double>> poses,
             const EventTimes* events, const std::function<bool()>& keep_going) {
  // rows at times of the user's choice may leave out where the error is
  if (poses.empty() || poses.front().empty() || !plan.output.times.empty()) {
    const SameRun same = same_run(plan, keep_going);
    if (same.outcome.ending == Ending::interrupted) { return; }
    const std::unique_ptr<Plan> by_default = finer_plan(plan, 1);
    if (!plan.output.times.empty()) {
      const Certificate balances = certificate_of(*by_default, same.outcome);
      certificate.evidence = balances.evidence;
      certificate.verdict = balances.verdict;
      certificate.reason = balances.reason;
      certificate.steps = balances.steps;
    }
    if (!same.poses.empty()) { certify(certificate, *by_default, same.poses, &same.events, keep_going); }
    return;
  }
  if (poses.size() < 2) { return; }  // the start shows no error
  const PoseRows rows(poses.begin(), poses.end());
  if (plan.judges_positions()) { certificate.position_allowed = position_allowed(plan, rows); }
  double uncertainty = 0;
  const std::optional<ExactMotion> exact = plan.exact_motion();
  if (exact) {
    certificate.method = "exact motion (" + exact->name + ")";
    double most = 0;
    for (const std::vector<double>& pose : poses) {
      most = std::fmax(most, attitude_difference(exact->at(pose[0]).e_NB, attitude(pose, 1)));
    }
    certificate.attitude_error = most;
    uncertainty = add_uncertainty(certificate, *exact, poses.back()[0]);
  } else {
    halve_steps(certificate, plan, rows, keep_going);
  }
  // the exact motion needs no second opinion, but it says nothing of positions and of events
  const bool needs_second = left_out(plan).empty() && (!exact || plan.judges_positions() || has_events_of_state(plan));
  SecondOpinion opinion;
  if (needs_second) {
    opinion = second_opinion(plan, rows, certificate.steps, keep_going);
    if (certificate.attitude_error) { enter(certificate, opinion, exact.has_value()); }
  }
  judge(certificate);
  if (needs_second) {
    weigh(certificate, plan, opinion, exact.has_value());
    // of exact motions the second method alone errs; a rate that is off shifts times by more than attitudes show
    constexpr double kOfRates = 4;
    const double known = exact ? plan.accuracy + kOfRates * opinion.apart.angle : plan.accuracy;
    judge_events(certificate, plan, rows, events, opinion, known);
  }
  note_events(certificate, plan, opinion);
  if (certificate.verdict == Verdict::yes && uncertainty > certificate.accuracy) {
    certificate.verdict = Verdict::not_established;
    certificate.reason =
        "the run follows the exact motion, which is not known to the accuracy asked for: the last digit of the inertia "
        "matrix decides";
  }
}

}  // namespace polhode::simulation
