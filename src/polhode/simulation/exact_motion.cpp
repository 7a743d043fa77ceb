#include "polhode/math/pi.h"
#include "polhode/motion/forced.h"
#include "polhode/motion/free_motion.h"
#include "polhode/motion/lagrange_top.h"
#include "polhode/simulation/one_body.h"

#include <algorithm>
#include <cmath>

namespace polhode::simulation {
namespace {

bool is_diagonal(const Mat3<double>& J) {
  return J(0, 1) == 0 && J(0, 2) == 0 && J(1, 2) == 0 && J(1, 0) == 0 && J(2, 0) == 0 && J(2, 1) == 0;
}

bool changes_anything(const OneBodyPlan& plan) {
  return std::any_of(plan.events.begin(), plan.events.end(),
                     [](const OneBodyEvent& event) { return event.action == Action::change; });
}

/// Constant forces at the reference point alone, if anything.
bool has_no_torque(const Load<double>& load) {
  const auto at_reference = [](const auto& force) { return norm_squared(force.u_B) == 0; };
  return load.constant() && load.moments_body.empty() && load.moments_space.empty() &&
         std::all_of(load.forces_space.begin(), load.forces_space.end(), at_reference) &&
         std::all_of(load.forces_body.begin(), load.forces_body.end(), at_reference);
}

/// A held body with one constant weight: symmetric about a body axis that carries the mass centre?
std::optional<ExactMotion> as_top(const OneBodyPlan& plan) {
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
std::optional<ExactMotion> as_forced_spin(const OneBodyPlan& plan) {
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

}  // namespace

std::optional<ExactMotion> OneBodyPlan::exact_motion() const {
  if (body.inertia_law || changes_anything(*this)) { return {}; }
  if (has_no_torque(body.load)) {
    auto motion = std::make_shared<FreeMotion<double>>(body.J_B, start.e_NB, start.w_B);
    ExactMotion exact{"free body", [motion](double t) { return motion->at(t); }};
    if (!is_diagonal(body.J_B)) {
      exact.uncertainty = [motion](double t) { return phase_uncertainty(*motion, t); };
    }
    return exact;
  }
  if (auto top = as_top(*this)) { return top; }
  return as_forced_spin(*this);
}

}  // namespace polhode::simulation
