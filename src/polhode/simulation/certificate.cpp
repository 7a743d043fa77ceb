#include "polhode/simulation/certificate.h"

#include "polhode/core/counted.h"
#include "polhode/math/elementary.h"
#include "polhode/math/pi.h"
#include "polhode/motion/forced.h"
#include "polhode/motion/free_motion.h"
#include "polhode/motion/lagrange_top.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace polhode::simulation {
namespace {

/// Keeps the attitudes at given times and nothing else.
class AttitudeSink final : public Sink {
 public:
  AttitudeSink(std::span<const AttitudeRow> wanted, const std::function<bool()>& keep_going)
      : wanted_(wanted), keep_going_(&keep_going) {}
  bool row(std::span<const double> row) override {
    const std::size_t n = attitudes.size();
    if (n < wanted_.size() && row[0] == wanted_[n].t) { attitudes.push_back({row[1], {row[2], row[3], row[4]}}); }
    return go_on();
  }
  bool event(const Happening&) override { return true; }
  bool go_on() override { return !*keep_going_ || (*keep_going_)(); }
  bool checkpoint(const Snapshot&) override { return go_on(); }

  std::vector<EulerParameters<double>> attitudes;

 private:
  std::span<const AttitudeRow> wanted_;
  const std::function<bool()>* keep_going_;
};

bool is_diagonal(const Mat3<double>& J) {
  return J(0, 1) == 0 && J(0, 2) == 0 && J(1, 2) == 0 && J(1, 0) == 0 && J(2, 0) == 0 && J(2, 1) == 0;
}

bool changes_anything(const Plan& plan) {
  return std::any_of(plan.events.begin(), plan.events.end(),
                     [](const PlannedEvent& event) { return event.action == Action::change; });
}

/// Constant forces at the reference point alone, if anything.
bool has_no_torque(const Load<double>& load) {
  const auto at_reference = [](const auto& force) { return norm_squared(force.u_B) == 0; };
  return load.constant() && load.moments_body.empty() && load.moments_space.empty() &&
         std::all_of(load.forces_space.begin(), load.forces_space.end(), at_reference) &&
         std::all_of(load.forces_body.begin(), load.forces_body.end(), at_reference);
}

/// A held body with one constant weight: symmetric about a body axis that carries the mass centre?
std::optional<ExactMotion> as_top(const Plan& plan) {
  const Load<double>& load = plan.body.load;
  if (!load.constant() || load.forces_space.size() != 1 || !load.forces_body.empty() || !load.moments_body.empty() ||
      !load.moments_space.empty() || plan.body.mass || !is_diagonal(plan.body.J_B)) {
    return {};
  }
  const PointForce<double>& weight = load.forces_space.front();
  if (weight.f_N.x != 0 || weight.f_N.y != 0) { return {}; }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t i = (axis + 1) % 3;
    const std::size_t j = (axis + 2) % 3;
    const Mat3<double>& J = plan.body.J_B;
    if (J(i, i) != J(j, j) || weight.u_B[i] != 0 || weight.u_B[j] != 0) { continue; }
    const double k = -weight.f_N.z * weight.u_B[axis];
    if (k == 0) { return {}; }
    auto top = std::make_shared<LagrangeTop<double>>(TopBody<double>{J(i, i), J(axis, axis), k, axis}, plan.start.e_NB,
                                                     plan.start.w_B);
    return ExactMotion{"Lagrange top", [top](double t) { return top->at(t); }};
  }
  return {};
}

/// Spin about a principal axis under a constant moment about it.
std::optional<ExactMotion> as_forced_spin(const Plan& plan) {
  const Load<double>& load = plan.body.load;
  if (!load.constant() || !load.forces_space.empty() || !load.forces_body.empty() || !load.moments_space.empty() ||
      load.moments_body.empty() || !is_diagonal(plan.body.J_B)) {
    return {};
  }
  Vec3<double> moment{0, 0, 0};
  for (const Vec3<double>& m : load.moments_body) { moment = moment + m; }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t i = (axis + 1) % 3;
    const std::size_t j = (axis + 2) % 3;
    if (moment[i] != 0 || moment[j] != 0 || plan.start.w_B[i] != 0 || plan.start.w_B[j] != 0) { continue; }
    auto spin =
        std::make_shared<ForcedSpin<double>>(plan.body.J_B(axis, axis), axis, plan.start.e_NB, plan.start.w_B[axis]);
    const double torque = moment[axis];
    return ExactMotion{"spin under a constant moment",
                       [spin, torque](double t) { return spin->at(t, std::array<double, 1>{torque}); }};
  }
  return {};
}

/// A relative change δ of m1 shifts the phase by δ/2 in each quarter period (docs/theory/motions.md). At most half a
/// turn; without a period, all of it comes at once.
double phase_uncertainty(const FreeMotion<double>& motion, double t) {
  const double quarters = std::isfinite(motion.period()) ? 4 * std::fabs(t) / motion.period() : 1;
  return std::fmin(0.5 * motion.input_loss() * quarters, math::kPi<double>);
}

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

/// The plan with finer steps, and with the columns that are there by default.
template <class AnyPlan>
AnyPlan finer_plan(const AnyPlan& plan, double finer) {
  AnyPlan other = plan;
  other.output = plan.output.with_default_columns();
  if (other.step > 0) {
    other.step /= finer;
  } else {
    other.relative_tolerance /= finer;
    other.absolute_tolerance /= finer;
  }
  return other;
}

/// Keeps what is to be compared of some rows, spread over the run.
class SpreadSink final : public Sink {
 public:
  /// `bodies`: of a mechanism; 0: one body.
  SpreadSink(std::uint64_t rows, std::size_t bodies, const std::function<bool()>& keep_going)
      : every_(std::max<std::uint64_t>(1, rows / kLookedAt)), bodies_(bodies), keep_going_(&keep_going) {}
  bool row(std::span<const double> row) override {
    if (count_++ % every_ != 0) { return true; }
    if (bodies_ > 0) {
      poses.push_back(pose_row(row, bodies_));
    } else {
      attitudes.push_back({row[0], {row[1], {row[2], row[3], row[4]}}});
    }
    return true;
  }
  bool event(const Happening&) override { return true; }
  bool go_on() override { return !*keep_going_ || (*keep_going_)(); }
  bool checkpoint(const Snapshot&) override { return true; }

  std::vector<AttitudeRow> attitudes;
  std::vector<std::vector<double>> poses;

 private:
  static constexpr std::uint64_t kLookedAt = 1000;
  std::uint64_t every_;
  std::uint64_t count_ = 0;
  std::size_t bodies_;
  const std::function<bool()>* keep_going_;
};

/// Rows of another run, and its steps.
template <class Rows>
struct Rerun {
  Rows rows;
  std::size_t steps = 0;
};

using Attitudes = std::vector<EulerParameters<double>>;
/// Attitudes of the plan with other steps, at the times of `rows`; fewer where the run did not get there.
Rerun<Attitudes> rerun(const Plan& plan, double finer, std::span<const AttitudeRow> rows,
                       const std::function<bool()>& keep_going) {
  const Plan other = finer_plan(plan, finer);
  AttitudeSink sink(rows, keep_going);
  const Outcome outcome = Simulation(other).run(sink);
  return {std::move(sink.attitudes), outcome.statistics.steps};
}

/// How far two runs are apart: as angles, and as lengths.
struct Apart {
  double angle = 0;
  double length = 0;
  /// One number to judge order by.
  double both(double unit) const { return std::fmax(angle, length / unit); }
};

Apart apart(const Attitudes& a, const Attitudes& b) {
  Apart most;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most.angle = std::fmax(most.angle, attitude_difference(a[i], b[i]));
  }
  return most;
}

using PoseRows = std::vector<std::vector<double>>;
Apart apart(const PoseRows& a, const PoseRows& b) {
  Apart most;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    for (std::size_t k = 1; k + 7 <= a[i].size(); k += 7) {
      const double* x = a[i].data() + k;
      const double* z = b[i].data() + k;
      most.angle = std::fmax(most.angle, attitude_difference({x[0], {x[1], x[2], x[3]}}, {z[0], {z[1], z[2], z[3]}}));
      most.length = std::fmax(most.length, norm(Vec3<double>{x[4] - z[4], x[5] - z[5], x[6] - z[6]}));
    }
  }
  return most;
}

/// The error by runs with finer steps: `rerun_finer(f)` gives what the run gave, with steps or tolerances f times
/// finer. `unit`: the length that counts as much as a radian.
template <class Rows>
void halve_steps(Certificate& certificate, const RunPlan& plan, const Rows& coarse, double unit,
                 const std::function<Rerun<Rows>(double finer)>& rerun_finer) {
  // errors this small are rounding, and say nothing about order
  constexpr double kRounding = 1e-12;
  const auto enter = [&](const Apart& d, double factor) {
    certificate.attitude_error = std::fmax(certificate.attitude_error.value_or(0), factor * d.angle);
    if (std::is_same_v<Rows, PoseRows>) {
      certificate.place_error = std::fmax(certificate.place_error.value_or(0), factor * d.length);
    }
  };
  if (plan.step > 0) {
    const Rows half = rerun_finer(2.0).rows;
    const Rows quarter = rerun_finer(4.0).rows;
    if (half.size() < coarse.size() || quarter.size() < coarse.size()) {
      certificate.notes.emplace_back("the runs with finer steps did not reach the end");
      return;
    }
    certificate.method = "step halving";
    const Apart first = apart(coarse, half);
    const Apart second = apart(half, quarter);
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
  const auto not_measured = [&](std::string reason) {
    if (certificate.verdict == Verdict::not_established) { certificate.reason = std::move(reason); }
  };
  const double least = polhode::integrator<double>(plan.integrator).description().least_tolerance;
  const double factor = std::fmin(kWanted, plan.relative_tolerance / least);
  if (factor < kEnough * (1 - 1e-9)) {
    return not_measured(
        fmt::format("no finer run can show the error: '{}' follows tolerances down to {:g}, and {:g} was asked for; "
                    "ask for {:g} or "
                    "more, or for another integrator",
                    plan.integrator, least, plan.relative_tolerance, kEnough * least));
  }
  const Rerun<Rows> finer = rerun_finer(factor);
  if (finer.rows.size() < coarse.size()) {
    certificate.notes.emplace_back("the run with a finer tolerance did not reach the end");
    return;
  }
  const Apart found = apart(coarse, finer.rows);
  if (finer.steps == certificate.steps && found.both(unit) == 0) {
    return not_measured("the run with a finer tolerance took the same steps: it cannot show the error of this one");
  }
  certificate.method = factor == kWanted ? "a run with a hundredth of the tolerance"
                                         : fmt::format("a run with a tolerance {:.3g} times finer", factor);
  enter(found, 2);
}

void judge(Certificate& certificate, double unit) {
  if (!certificate.attitude_error || certificate.verdict == Verdict::no) { return; }
  const bool turned = *certificate.attitude_error <= certificate.accuracy;
  const bool placed = certificate.place_error.value_or(0) <= unit * certificate.accuracy;
  certificate.verdict = turned && placed ? Verdict::yes : Verdict::no;
  const std::string what = turned && !placed ? "the error of places" : "the attitude error";
  certificate.reason = turned && placed ? "the attitude error found is within the accuracy asked for"
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
      certificate.reason = one.name + " is off by more than the accuracy allows";
      return;
    }
  }
  certificate.reason = "balances hold; they cannot show how late the motion is along its path";
}

/// Keeps poses at given times and nothing else.
class PoseSink final : public Sink {
 public:
  PoseSink(std::span<const std::vector<double>> wanted, std::size_t bodies, const std::function<bool()>& keep_going)
      : wanted_(wanted), bodies_(bodies), keep_going_(&keep_going) {}
  bool row(std::span<const double> row) override {
    const std::size_t n = poses.size();
    if (n < wanted_.size() && row[0] == wanted_[n][0]) { poses.push_back(pose_row(row, bodies_)); }
    return go_on();
  }
  bool event(const Happening&) override { return true; }
  bool go_on() override { return !*keep_going_ || (*keep_going_)(); }
  bool checkpoint(const Snapshot&) override { return go_on(); }

  PoseRows poses;

 private:
  std::span<const std::vector<double>> wanted_;
  std::size_t bodies_;
  const std::function<bool()>* keep_going_;
};

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

std::optional<ExactMotion> exact_motion_of(const Plan& plan) {
  if (plan.body.inertia_law || changes_anything(plan)) { return {}; }
  if (has_no_torque(plan.body.load)) {
    auto motion = std::make_shared<FreeMotion<double>>(plan.body.J_B, plan.start.e_NB, plan.start.w_B);
    ExactMotion exact{"free body", [motion](double t) { return motion->at(t); }};
    if (!is_diagonal(plan.body.J_B)) {
      exact.uncertainty = [motion](double t) { return phase_uncertainty(*motion, t); };
    }
    return exact;
  }
  if (auto top = as_top(plan)) { return top; }
  return as_forced_spin(plan);
}

Certificate certificate_of(const Plan& plan, const Outcome& outcome) {
  Certificate certificate;
  certificate.accuracy = plan.accuracy;
  certificate.steps = outcome.statistics.steps;
  const LedgerState& ledger = outcome.ledger;
  // the sign of a NaN means nothing
  const auto relative = [](double error, double scale) { return std::fabs(scale > 0 ? error / scale : error); };
  certificate.evidence.push_back({"energy", relative(ledger.energy_error, ledger.energy_scale), plan.accuracy,
                                  plan.potential ? "largest change of T + V, relative to the largest T + |V - V0|"
                                                 : "largest T - T0 - work, relative to the largest T"});
  certificate.evidence.push_back(
      {"angular momentum", relative(ledger.momentum_error, ledger.momentum_scale), plan.accuracy,
       plan.momentum == Plan::Momentum::whole ? "largest change of h in space, relative to |h|"
       : plan.momentum == Plan::Momentum::along_axis
           ? "largest change of h along the axis of symmetry of the loads, relative to |h|"
           : "largest h - h0 - impulse of the loads, relative to |h|"});
  certificate.evidence.push_back({"norm", ledger.norm_error, plan.accuracy, "largest ||e| - 1|"});
  if (ledger.multiplier_least <= ledger.multiplier_most) {
    certificate.evidence.push_back(
        {"multiplier", relative(ledger.multiplier_error, ledger.multiplier_scale), std::fmax(1e-6, plan.accuracy),
         "largest difference of the multiplier from its closed form, relative to the largest |closed form| + 4 T"});
    certificate.notes.emplace_back(
        "the multiplier is computed from the state at each moment (index 1): its agreement with the closed form shows "
        "rounding of the form, not the error of the run");
  }
  judge_balances(certificate, outcome);
  return certificate;
}

PoseColumns::PoseColumns(const std::vector<Column>& columns) {
  for (const char* name : {"t_s", "e0", "e1", "e2", "e3"}) { find(columns, name); }
}

PoseColumns::PoseColumns(const std::vector<Column>& columns, const Model& model) {
  find(columns, "t_s");
  for (const BodyDescription& body : model.bodies()) {
    for (const char* name : {".e0", ".e1", ".e2", ".e3", ".rx_space_m", ".ry_space_m", ".rz_space_m"}) {
      find(columns, body.name + name);
    }
  }
}

void PoseColumns::find(const std::vector<Column>& columns, const std::string& name) {
  // in the order of the columns: from the last one found on
  const std::size_t first = places_.empty() ? 0 : places_.back();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t place = (first + i) % columns.size();
    if (columns[place].name == name) {
      places_.push_back(place);
      return;
    }
  }
  complete_ = false;
}

std::vector<double> PoseColumns::of(std::span<const double> row) const {
  if (!complete_) { return {}; }
  std::vector<double> pose;
  pose.reserve(places_.size());
  for (const std::size_t place : places_) { pose.push_back(row[place]); }
  return pose;
}

void certify(Certificate& certificate, const Plan& plan, std::span<const AttitudeRow> rows,
             const std::function<bool()>& keep_going) {
  if (rows.empty()) {
    const Plan same = finer_plan(plan, 1);
    Simulation simulation(same);
    SpreadSink sink(simulation.rows(), 0, keep_going);
    simulation.run(sink);
    if (!sink.attitudes.empty()) { certify(certificate, plan, sink.attitudes, keep_going); }
    return;
  }
  if (rows.size() < 2) { return; }  // the start shows no error
  double uncertainty = 0;
  if (const std::optional<ExactMotion> exact = exact_motion_of(plan)) {
    certificate.method = "exact motion (" + exact->name + ")";
    double most = 0;
    for (const AttitudeRow& row : rows) {
      most = std::fmax(most, attitude_difference(exact->at(row.t).e_NB, row.e_NB));
    }
    certificate.attitude_error = most;
    uncertainty = add_uncertainty(certificate, *exact, rows.empty() ? 0 : rows.back().t);
  } else {
    Attitudes coarse;
    for (const AttitudeRow& row : rows) { coarse.push_back(row.e_NB); }
    halve_steps<Attitudes>(certificate, plan, coarse, 1,
                           [&](double finer) { return rerun(plan, finer, rows, keep_going); });
  }
  judge(certificate, 1);
  if (certificate.verdict == Verdict::yes && uncertainty > certificate.accuracy) {
    certificate.verdict = Verdict::not_established;
    certificate.reason =
        "the run follows the exact motion, which is not known to the accuracy asked for: the last digit of the inertia "
        "matrix decides";
  }
}

// ---- mechanisms -----------------------------------------------------------------------------------------------------

std::vector<double> pose_row(std::span<const double> row, std::size_t bodies) {
  // a row: time, then e, w, r, v of every body
  std::vector<double> pose{row[0]};
  for (std::size_t b = 0; b < bodies; ++b) {
    const std::span<const double> of_body = row.subspan(1 + 13 * b, 13);
    pose.insert(pose.end(), of_body.begin(), of_body.begin() + 4);
    pose.insert(pose.end(), of_body.begin() + 7, of_body.begin() + 10);
  }
  return pose;
}

Certificate certificate_of(const MechanismPlan& plan, const MechanismOutcome& outcome) {
  Certificate certificate;
  certificate.accuracy = plan.accuracy;
  certificate.steps = outcome.statistics.steps;
  const MechanismLedgerState& ledger = outcome.ledger;
  // the sign of a NaN means nothing
  const auto relative = [](double error, double scale) { return std::fabs(scale > 0 ? error / scale : error); };
  const auto add = [&](const char* name, double value, const char* meaning) {
    certificate.evidence.push_back({name, value, plan.accuracy, meaning});
  };
  add("energy", relative(ledger.energy_error, ledger.energy_scale),
      "largest T + V - work supplied + work dissipated, less its start, relative to the largest energy turned over");
  add("joint positions", ledger.position_error / plan.model->length(),
      "how far joints are open at most, relative to the length of the model");
  add("joint velocities", relative(ledger.velocity_error, ledger.speed_scale),
      "how fast joints open at most, relative to the largest speed");
  add("joint accelerations", relative(ledger.acceleration_error, ledger.acceleration_scale),
      "what is left of the joints' equations at most, relative to the largest acceleration");
  add("norm", ledger.norm_error, "largest ||e| - 1|");
  if (plan.model->plan().row_count > 0) {
    const int rows = plan.model->plan().row_count;
    const char* close = rows == 1 ? "closes" : "close";
    std::string note = ledger.rank_at_start == rows
                           ? fmt::format("{} {} loops, and none repeats the others at the start",
                                         counted(static_cast<std::uint64_t>(rows), "row"), close)
                           : fmt::format("{} {} loops; {:g} of them carry force at the start, the others repeat them",
                                         counted(static_cast<std::uint64_t>(rows), "row"), close, ledger.rank_at_start);
    note += fmt::format(" (a pivot below {:g} of a free body's counts as none; least one kept: {:.3g})", kRankTolerance,
                        ledger.least_pivot);
    if (ledger.rank_changes > 0) {
      note += fmt::format("; their number changed {} from row to row, between {:g} and {:g}",
                          counted(static_cast<std::uint64_t>(ledger.rank_changes), "time"), ledger.least_rank,
                          ledger.most_rank);
    }
    certificate.notes.push_back(std::move(note));
  }
  judge_balances(certificate, outcome);
  return certificate;
}

void certify(Certificate& certificate, const MechanismPlan& plan, std::span<const std::vector<double>> rows,
             const std::function<bool()>& keep_going) {
  if (rows.empty() || rows.front().empty()) {
    const MechanismPlan same = finer_plan(plan, 1);
    MechanismSimulation simulation(same);
    SpreadSink sink(simulation.rows(), plan.model->body_count(), keep_going);
    simulation.run(sink);
    if (!sink.poses.empty()) { certify(certificate, plan, sink.poses, keep_going); }
    return;
  }
  if (rows.size() < 2) { return; }  // the start shows no error
  const PoseRows coarse(rows.begin(), rows.end());
  halve_steps<PoseRows>(certificate, plan, coarse, plan.model->length(), [&](double finer) {
    const MechanismPlan other = finer_plan(plan, finer);
    PoseSink sink(rows, plan.model->body_count(), keep_going);
    const MechanismOutcome outcome = MechanismSimulation(other).run(sink);
    return Rerun<PoseRows>{std::move(sink.poses), outcome.statistics.steps};
  });
  judge(certificate, plan.model->length());
}

}  // namespace polhode::simulation
