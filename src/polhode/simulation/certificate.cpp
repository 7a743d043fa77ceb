#include "polhode/simulation/certificate.h"

#include "polhode/math/elementary.h"
#include "polhode/motion/forced.h"
#include "polhode/motion/free_motion.h"
#include "polhode/motion/lagrange_top.h"

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

/// Attitudes of the plan with other steps, at the times of `rows`; fewer where the run did not get there.
std::vector<EulerParameters<double>> rerun(const Plan& plan, double finer, std::span<const AttitudeRow> rows,
                                           const std::function<bool()>& keep_going) {
  Plan other = plan;
  if (other.step > 0) {
    other.step /= finer;
  } else {
    other.relative_tolerance /= finer;
    other.absolute_tolerance /= finer;
  }
  AttitudeSink sink(rows, keep_going);
  static_cast<void>(Simulation(other).run(sink));
  return std::move(sink.attitudes);
}

double largest_difference(const std::vector<EulerParameters<double>>& a,
                          const std::vector<EulerParameters<double>>& b) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::fmax(most, attitude_difference(a[i], b[i]));
  }
  return most;
}

void halve_steps(Certificate& certificate, const Plan& plan, std::span<const AttitudeRow> rows,
                 const std::function<bool()>& keep_going) {
  std::vector<EulerParameters<double>> coarse;
  for (const AttitudeRow& row : rows) { coarse.push_back(row.e_NB); }
  // errors this small are rounding, and say nothing about order
  constexpr double kRounding = 1e-12;
  if (plan.step > 0) {
    const auto half = rerun(plan, 2, rows, keep_going);
    const auto quarter = rerun(plan, 4, rows, keep_going);
    if (half.size() < rows.size() || quarter.size() < rows.size()) {
      certificate.notes.emplace_back("the runs with finer steps did not reach the end");
      return;
    }
    certificate.method = "step halving";
    const double d1 = largest_difference(coarse, half);
    const double d2 = largest_difference(half, quarter);
    const int declared = polhode::integrator<double>(plan.integrator).description().order;
    certificate.declared_order = declared;
    // the difference to half the step holds all of the error but a part 2^-p
    certificate.attitude_error = 2 * d1;
    if (d2 > kRounding) {
      certificate.observed_order = math::log2(d1 / d2);
      if (*certificate.observed_order < declared - 0.5 || d1 > 0.1) {
        certificate.notes.emplace_back(
            "halving the step does not shrink the error as the order of the method says: the "
            "step is too large for an estimate, or the equations are wrong");
        certificate.attitude_error = std::fmax(2 * d1, 4 * d2);
        if (certificate.verdict != Verdict::no && d1 > certificate.accuracy / 4) {
          certificate.verdict = Verdict::no;
          certificate.reason = "the error does not follow the order of the method";
        }
      }
    }
    return;
  }
  const auto finer = rerun(plan, 100, rows, keep_going);
  if (finer.size() < rows.size()) {
    certificate.notes.emplace_back("the run with a finer tolerance did not reach the end");
    return;
  }
  certificate.method = "a run with a hundredth of the tolerance";
  certificate.attitude_error = 2 * largest_difference(coarse, finer);
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
  return 2 * math::atan2(norm(d.ev), std::fabs(d.e0));
}

std::optional<ExactMotion> exact_motion_of(const Plan& plan) {
  if (plan.body.inertia_law || changes_anything(plan)) { return {}; }
  if (has_no_torque(plan.body.load)) {
    auto motion = std::make_shared<FreeMotion<double>>(plan.body.J_B, plan.start.e_NB, plan.start.w_B);
    return ExactMotion{"free body", [motion](double t) { return motion->at(t); }};
  }
  if (auto top = as_top(plan)) { return top; }
  return as_forced_spin(plan);
}

Certificate certificate_of(const Plan& plan, const Outcome& outcome) {
  Certificate certificate;
  certificate.accuracy = plan.accuracy;
  const LedgerState& ledger = outcome.ledger;
  const auto relative = [](double error, double scale) { return scale > 0 ? error / scale : error; };
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
  if (outcome.ending != Ending::done && outcome.ending != Ending::stopped_by_event) {
    certificate.verdict = outcome.ending == Ending::interrupted ? Verdict::not_established : Verdict::no;
    certificate.reason = "the run did not reach its end: " + outcome.message;
    return certificate;
  }
  for (const Evidence& one : certificate.evidence) {
    if (!one.holds()) {
      certificate.verdict = Verdict::no;
      certificate.reason = one.name + " is off by more than the accuracy allows";
      return certificate;
    }
  }
  certificate.reason = "balances hold; they cannot show how late the motion is along its path";
  return certificate;
}

void certify(Certificate& certificate, const Plan& plan, std::span<const AttitudeRow> rows,
             const std::function<bool()>& keep_going) {
  if (const std::optional<ExactMotion> exact = exact_motion_of(plan)) {
    certificate.method = "exact motion (" + exact->name + ")";
    double most = 0;
    for (const AttitudeRow& row : rows) {
      most = std::fmax(most, attitude_difference(exact->at(row.t).e_NB, row.e_NB));
    }
    certificate.attitude_error = most;
  } else {
    halve_steps(certificate, plan, rows, keep_going);
  }
  if (!certificate.attitude_error || certificate.verdict == Verdict::no) { return; }
  const bool good = *certificate.attitude_error <= certificate.accuracy;
  certificate.verdict = good ? Verdict::yes : Verdict::no;
  certificate.reason = good ? "the attitude error found is within the accuracy asked for"
                            : "the attitude error found is larger than the accuracy asked for";
}

}  // namespace polhode::simulation
