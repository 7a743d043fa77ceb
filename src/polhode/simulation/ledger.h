#pragma once

#include "polhode/simulation/plan.h"

#include <array>
#include <type_traits>

namespace polhode::simulation {

/// Sums and extremes along a run: plain numbers, so that a checkpoint can hold them.
struct LedgerState {
  double kinetic_start = 0;
  double potential_start = 0;
  /// Of all loads, of wheels' motors and friction, and of the change of inertia, J; where all loads have potentials and
  /// there are wheels with motors, of the wheels alone.
  double work = 0;
  Vec3<double> h_N_start{};
  Vec3<double> impulse_N{};   ///< ∫ τ dt and jumps at events, N m s
  double energy_scale = 0;    ///< largest T + |V − V0| seen
  double momentum_scale = 0;  ///< largest |h| seen, those of wheels with motors added
  double energy_error = 0;    ///< largest |energy balance|, J
  double momentum_error = 0;  ///< largest |momentum balance|, N m s
  double norm_error = 0;      ///< largest ||e| − 1|
  double multiplier_least = 0;
  double multiplier_most = 0;
  double multiplier_error = 0;  ///< largest difference from its closed form, J
  double multiplier_scale = 0;  ///< largest |closed form| + 4 T, J: what the difference is small against
  double chart_condition = 1;   ///< largest
};
static_assert(std::is_trivially_copyable_v<LedgerState> && sizeof(LedgerState) % sizeof(double) == 0);
/// The same as a row of numbers.
using LedgerNumbers = std::array<double, sizeof(LedgerState) / sizeof(double)>;

/// What one moment of a run amounts to.
struct Account {
  double kinetic = 0;                 ///< T, J
  double potential = 0;               ///< V, J; 0 where there is none
  double energy_balance = 0;          ///< should be 0: T + V − (T + V)(0), or T − T(0) − work
  Vec3<double> h_N{};                 ///< about the mass centre, or the fixed point of a held body; wheels included
  Vec3<double> momentum_balance_N{};  ///< should be 0: h − h(0) − ∫ τ dt; only the part that is kept, where one is
  double norm_error = 0;              ///< |e| − 1
  std::optional<double> multiplier;
};

/// Energy, momentum and norm along a run.
///
///   T = ½ ω'·J ω' + ½ m v·v,   Ṫ = n'·ω' + f·v − ½ ω'·J̇ ω'                (SIM-1)
///   h = A (J ω' + h_w'),   ḣ = A n' (+ A ḣ_w' of wheels, zero at constant speed)        (SIM-2)
///
/// Wheels with motors (DYN-37) add ½ I (Ω + s'·ω')² to T, τ Ω to the power and I (Ω + s'·ω') s' to h', J being that of
/// the body without them.
///
/// Work and impulse are integrated over each piece of the dense output by Gauss' formula with three nodes.
class Ledger {
 public:
  Ledger(const Plan& plan, const BodySystem<double>& system);

  /// At the start of a run.
  void open(const BodyState<double>& state, std::span<const double> wheel_speeds = {});
  /// Goes on where another ledger was.
  void resume(const LedgerState& state) { state_ = state; }
  const LedgerState& state() const { return state_; }
  /// The same body under the loads of another plan.
  void use(const Plan& plan) { plan_ = &plan; }

  void add(const Piece<double>& piece);
  /// An event changed the state or the loads at once: energy and momentum jump, and that is no error.
  void jump(const BodyState<double>& before, const BodyState<double>& after, double potential_before,
            std::span<const double> speeds_before = {}, std::span<const double> speeds_after = {});
  double potential(const BodyState<double>& state) const { return plan_->potential ? plan_->potential(state) : 0; }
  /// The account at a row; extremes are kept.
  Account enter(double t, std::span<const double> y);

 private:
  double kinetic(const BodyState<double>& state, std::span<const double> wheel_speeds) const;
  Vec3<double> momentum_N(const BodyState<double>& state, std::span<const double> wheel_speeds) const;

  const Plan* plan_;
  const BodySystem<double>* system_;
  LedgerState state_;
  std::vector<double> y_;  ///< scratch
};

}  // namespace polhode::simulation
