#include "polhode/simulation/one_body_ledger.h"

#include <cmath>
#include <limits>

namespace polhode::simulation {

OneBodyLedger::OneBodyLedger(const OneBodyPlan& plan, const BodySystem<double>& system)
    : plan_(&plan), system_(&system), y_(system.size()) {}

double OneBodyLedger::kinetic(const BodyState<double>& state, std::span<const double> wheel_speeds) const {
  double turning = 0.5 * dot(state.w_B, system_->inertia_at(state.t).J_B * state.w_B);
  for (std::size_t i = 0; i < wheel_speeds.size(); ++i) {
    const MotorWheel<double>& wheel = plan_->body.load.wheels[i];
    const double h = wheel.momentum(state.w_B, wheel_speeds[i]);
    turning += 0.5 * h * h / wheel.inertia;
  }
  return plan_->body.mass ? turning + 0.5 * *plan_->body.mass * norm_squared(state.v_N) : turning;
}

Vec3<double> OneBodyLedger::momentum_N(const BodyState<double>& state, std::span<const double> wheel_speeds) const {
  Vec3<double> h_B = system_->inertia_at(state.t).J_B * state.w_B;
  if (plan_->wheel_momentum_B) { h_B = h_B + plan_->wheel_momentum_B(state); }
  for (std::size_t i = 0; i < wheel_speeds.size(); ++i) {
    const MotorWheel<double>& wheel = plan_->body.load.wheels[i];
    h_B = h_B + wheel.momentum(state.w_B, wheel_speeds[i]) * wheel.axis_B;
  }
  // rotate scales with |e|², momentum does not
  return rotate(state.e_NB, h_B) / norm_squared(state.e_NB);
}

void OneBodyLedger::open(const BodyState<double>& state, std::span<const double> wheel_speeds,
                         LedgerState& ledger) const {
  ledger = {};
  ledger.kinetic_start = kinetic(state, wheel_speeds);
  ledger.potential_start = potential(state);
  ledger.h_N_start = momentum_N(state, wheel_speeds);
  ledger.multiplier_least = std::numeric_limits<double>::infinity();
  ledger.multiplier_most = -std::numeric_limits<double>::infinity();
}

void OneBodyLedger::add(const Piece<double>& piece, LedgerState& ledger) {
  if (plan_->body.load.empty() && !plan_->body.inertia_law) { return; }
  // Gauss' nodes and weights on (0, 1)
  constexpr double kNodes[] = {0.11270166537925831, 0.5, 0.88729833462074169};
  constexpr double kWeights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  const double dt = piece.t_end() - piece.t_begin();
  for (std::size_t i = 0; i < 3; ++i) {
    piece.at(kNodes[i], y_);
    const double t = piece.t_begin() + kNodes[i] * dt;
    const BodyState<double> state = system_->body_state(t, y_);
    const LoadNow<double> load(plan_->body.load, state);
    const Vec3<double> n_B = load.torque_B();
    double power = dot(n_B, state.w_B) - 0.5 * dot(state.w_B, system_->inertia_at(t).Jdot_B * state.w_B);
    if (plan_->body.mass) { power += dot(load.force_N(), state.v_N); }
    const std::span<const double> speeds = system_->wheel_speeds(y_);
    if (!speeds.empty() && plan_->potential) { power = 0; }
    for (std::size_t w = 0; w < speeds.size(); ++w) {
      power += plan_->body.load.wheels[w].torque(state, speeds, w) * speeds[w];
    }
    Vec3<double> external_B = n_B;
    // what wheels do to the body is inside: h of both together does not see it
    if (plan_->wheel_momentum_B) { external_B = external_B + cross(state.w_B, plan_->wheel_momentum_B(state)); }
    ledger.supplied += kWeights[i] * dt * power;
    ledger.impulse_N =
        ledger.impulse_N + (kWeights[i] * dt / norm_squared(state.e_NB)) * rotate(state.e_NB, external_B);
  }
}

void OneBodyLedger::jump(const BodyState<double>& before, const BodyState<double>& after, double potential_before,
                         std::span<const double> speeds_before, std::span<const double> speeds_after,
                         LedgerState& ledger) const {
  ledger.kinetic_start += kinetic(after, speeds_after) - kinetic(before, speeds_before);
  ledger.potential_start += potential(after) - potential_before;
  ledger.h_N_start = ledger.h_N_start + (momentum_N(after, speeds_after) - momentum_N(before, speeds_before));
}

Account OneBodyLedger::enter(double t, std::span<const double> y, LedgerState& ledger) const {
  const BodyState<double> state = system_->body_state(t, y);
  Account account;
  const std::span<const double> speeds = system_->wheel_speeds(y);
  account.kinetic = kinetic(state, speeds);
  account.potential = potential(state);
  account.energy_balance = plan_->potential
                               ? account.kinetic - ledger.kinetic_start + (account.potential - ledger.potential_start)
                               : account.kinetic - ledger.kinetic_start - ledger.supplied;
  if (plan_->potential && !speeds.empty()) { account.energy_balance -= ledger.supplied; }
  account.h_N = momentum_N(state, speeds);
  account.momentum_balance_N = account.h_N - ledger.h_N_start;
  switch (plan_->momentum) {
    case OneBodyPlan::Momentum::whole:
      break;
    case OneBodyPlan::Momentum::along_axis:
      account.momentum_balance_N = dot(account.momentum_balance_N, plan_->momentum_axis_N) * plan_->momentum_axis_N;
      break;
    case OneBodyPlan::Momentum::balance:
      account.momentum_balance_N = account.momentum_balance_N - ledger.impulse_N;
      break;
  }
  account.norm_error = norm(state.e_NB) - 1;
  account.multiplier = system_->result(t, y).multiplier;

  LedgerState& s = ledger;
  s.energy_scale = std::fmax(s.energy_scale, account.kinetic + std::fabs(account.potential - s.potential_start));
  s.energy_terms = std::fmax(s.energy_terms, account.kinetic + std::fabs(account.potential));
  // body and wheels may have much, and together nothing
  double momentum = norm(account.h_N);
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    momentum += std::fabs(plan_->body.load.wheels[i].momentum(state.w_B, speeds[i]));
  }
  s.momentum_scale = std::fmax(s.momentum_scale, momentum);
  s.energy_error = std::fmax(s.energy_error, std::fabs(account.energy_balance));
  s.momentum_error = std::fmax(s.momentum_error, norm(account.momentum_balance_N));
  s.norm_error = std::fmax(s.norm_error, std::fabs(account.norm_error));
  s.chart_condition = std::fmax(s.chart_condition, system_->form().chart_condition(y.first(system_->form().size())));
  if (account.multiplier) {
    const LoadNow<double> load(plan_->body.load, state);
    account.multiplier_closed_form =
        system_->form().expected_multiplier(system_->inertia_at(t), load, state.e_NB, state.w_B);
    const double expected = account.multiplier_closed_form.value_or(0);
    s.multiplier_least = std::fmin(s.multiplier_least, *account.multiplier);
    s.multiplier_most = std::fmax(s.multiplier_most, *account.multiplier);
    s.multiplier_error = std::fmax(s.multiplier_error, std::fabs(*account.multiplier - expected));
    s.multiplier_scale = std::fmax(s.multiplier_scale, std::fabs(expected) + 4 * account.kinetic);
  }
  return account;
}

}  // namespace polhode::simulation
