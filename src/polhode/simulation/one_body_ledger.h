#pragma once

#include "polhode/simulation/one_body.h"

namespace polhode::simulation {

/// What one moment of a run amounts to.
struct Account {
  double kinetic = 0;                 ///< T, J
  double potential = 0;               ///< V, J; 0 where there is none
  double energy_balance = 0;          ///< should be 0: T + V − (T + V)(0), or T − T(0) − work
  Vec3<double> h_N{};                 ///< about the mass centre, or the fixed point of a held body; wheels included
  Vec3<double> momentum_balance_N{};  ///< should be 0: h − h(0) − ∫ τ dt; only the part that is kept, where one is
  double norm_error = 0;              ///< |e| − 1
  std::optional<double> multiplier;
  std::optional<double> multiplier_closed_form;
};

/// Energy, momentum and norm of one body along a run.
///
///   T = ½ ω'·J ω' + ½ m v·v,   Ṫ = n'·ω' + f·v − ½ ω'·J̇ ω'                (SIM-1)
///   h = A (J ω' + h_w'),   ḣ = A n' (+ A ḣ_w' of wheels, zero at constant speed)        (SIM-2)
///
/// Wheels with motors (DYN-37) add ½ I (Ω + s'·ω')² to T, τ Ω to the power and I (Ω + s'·ω') s' to h', J being that of
/// the body without them.
///
/// Work and impulse are integrated over each piece of the dense output by Gauss' formula with three nodes.
class OneBodyLedger {
 public:
  OneBodyLedger(const OneBodyPlan& plan, const BodySystem<double>& system);

  /// At the start of a run.
  void open(const BodyState<double>& state, std::span<const double> wheel_speeds, LedgerState& ledger) const;
  /// The same body under the loads of another plan.
  void use(const OneBodyPlan& plan) { plan_ = &plan; }

  void add(const Piece<double>& piece, LedgerState& ledger);
  /// The state or the loads changed at once: energy and momentum jump, and that is no error.
  void jump(const BodyState<double>& before, const BodyState<double>& after, double potential_before,
            std::span<const double> speeds_before, std::span<const double> speeds_after, LedgerState& ledger) const;
  double potential(const BodyState<double>& state) const { return plan_->potential ? plan_->potential(state) : 0; }
  /// The account at a row; extremes are kept.
  Account enter(double t, std::span<const double> y, LedgerState& ledger) const;

 private:
  double kinetic(const BodyState<double>& state, std::span<const double> wheel_speeds) const;
  Vec3<double> momentum_N(const BodyState<double>& state, std::span<const double> wheel_speeds) const;

  const OneBodyPlan* plan_;
  const BodySystem<double>* system_;
  std::vector<double> y_;  ///< scratch
};

}  // namespace polhode::simulation
