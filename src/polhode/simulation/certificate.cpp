#include "polhode/simulation/certificate.h"

#include "polhode/core/counted.h"
#include "polhode/math/elementary.h"
#include "polhode/math/pi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

/// Keeps poses of some rows and nothing else.
class PoseSink final : public Sink {
 public:
  /// `wanted` says whether the row of that number and time is kept.
  PoseSink(PoseColumns columns, std::function<bool(std::uint64_t number, double t)> wanted,
           const std::function<bool()>& keep_going)
      : columns_(std::move(columns)), wanted_(std::move(wanted)), keep_going_(&keep_going) {}
  bool row(std::span<const double> row) override {
    if (wanted_(count_++, row[0])) { poses.push_back(columns_.of(row)); }
    return go_on();
  }
  bool event(const EventOccurrence&) override { return true; }
  bool go_on() override { return !*keep_going_ || (*keep_going_)(); }
  bool checkpoint(const Snapshot&) override { return go_on(); }

  PoseRows poses;

 private:
  PoseColumns columns_;
  std::function<bool(std::uint64_t number, double t)> wanted_;
  const std::function<bool()>* keep_going_;
  std::uint64_t count_ = 0;
};

/// Poses of another run, and its steps.
struct Rerun {
  PoseRows poses;
  std::size_t steps = 0;
};

/// Poses of the plan with other steps, at the times of `poses`; fewer where the run did not get there.
Rerun rerun(const Plan& plan, double finer, std::span<const std::vector<double>> poses,
            const std::function<bool()>& keep_going) {
  const std::unique_ptr<Plan> other = finer_plan(plan, finer);
  Simulation simulation(*other);
  std::size_t found = 0;
  const auto wanted = [&](std::uint64_t, double t) {
    if (found >= poses.size() || t != poses[found][0]) { return false; }
    ++found;
    return true;
  };
  PoseSink sink(PoseColumns(simulation.columns(), *other), wanted, keep_going);
  const Outcome outcome = simulation.run(sink);
  return {std::move(sink.poses), outcome.statistics.steps};
}

/// Poses of the same run, of rows spread over it.
struct SameRun {
  PoseRows poses;
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
  return {std::move(sink.poses), std::move(outcome)};
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

Apart apart(const PoseRows& a, const PoseRows& b, bool positions) {
  Apart most;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    for (std::size_t k = 1; k < a[i].size(); k += positions ? 7 : 4) {
      most.angle = std::fmax(most.angle, attitude_difference(attitude(a[i], k), attitude(b[i], k)));
      if (!positions) { continue; }
      const double* x = a[i].data() + k + 4;
      const double* z = b[i].data() + k + 4;
      most.length = std::fmax(most.length, norm(Vec3<double>{x[0] - z[0], x[1] - z[1], x[2] - z[2]}));
    }
  }
  return most;
}

/// What of the equations of motion the integrator of a plan leaves out, in words, or "".
const std::string& left_out(const Plan& plan) {
  return polhode::integrator<double>(plan.integrator).description().leaves_out;
}

/// The error by runs with finer steps.
void halve_steps(Certificate& certificate, const Plan& plan, const PoseRows& coarse,
                 const std::function<bool()>& keep_going) {
  const bool positions = plan.length() > 0;
  const double unit = positions ? plan.length() : 1;  // the length that counts as much as a radian
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

void judge(Certificate& certificate, const Plan& plan) {
  if (!certificate.attitude_error || certificate.verdict == Verdict::no) { return; }
  const bool turned = *certificate.attitude_error <= certificate.accuracy;
  const bool positioned = certificate.position_error.value_or(0) <= plan.length() * certificate.accuracy;
  certificate.verdict = turned && positioned ? Verdict::yes : Verdict::no;
  const std::string what = turned && !positioned ? "the position error" : "the attitude error";
  certificate.reason = turned && positioned ? "the attitude error found is within the accuracy asked for"
                                            : what + " found is larger than the accuracy asked for";
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
  judge_balances(certificate, outcome);
  return certificate;
}

PoseColumns::PoseColumns(const std::vector<Column>& columns, const Plan& plan) {
  find(columns, "t_s");
  for (const std::string& prefix : plan.column_prefixes()) {
    for (const char* name : {"e0", "e1", "e2", "e3"}) { find(columns, prefix + name); }
    if (!(plan.length() > 0)) { continue; }
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
             const std::function<bool()>& keep_going) {
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
    if (!same.poses.empty()) { certify(certificate, *by_default, same.poses, keep_going); }
    return;
  }
  if (poses.size() < 2) { return; }  // the start shows no error
  double uncertainty = 0;
  if (const std::optional<ExactMotion> exact = plan.exact_motion()) {
    certificate.method = "exact motion (" + exact->name + ")";
    double most = 0;
    for (const std::vector<double>& pose : poses) {
      most = std::fmax(most, attitude_difference(exact->at(pose[0]).e_NB, attitude(pose, 1)));
    }
    certificate.attitude_error = most;
    uncertainty = add_uncertainty(certificate, *exact, poses.back()[0]);
  } else {
    halve_steps(certificate, plan, PoseRows(poses.begin(), poses.end()), keep_going);
  }
  judge(certificate, plan);
  if (certificate.verdict == Verdict::yes && uncertainty > certificate.accuracy) {
    certificate.verdict = Verdict::not_established;
    certificate.reason =
        "the run follows the exact motion, which is not known to the accuracy asked for: the last digit of the inertia "
        "matrix decides";
  }
}

}  // namespace polhode::simulation
