#pragma once

#include "polhode/math/vec3.h"

#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

namespace polhode::simulation {

/// Sums and extremes along a run, of one body or of a mechanism: plain numbers, so that a checkpoint can hold them.
/// What a run does not have keeps its initial value.
struct LedgerState {
  // energy, J
  double energy_start = 0;     ///< of a mechanism: T + V, with what events have added at once
  double kinetic_start = 0;    ///< of one body, which counts both apart
  double potential_start = 0;  ///< V
  /// Work supplied: of motors, drivers and forces without a potential. Of one body: net work of all loads, of wheels'
  /// motors and friction, and of the change of inertia; where all loads have potentials and there are wheels with
  /// motors, of the wheels alone.
  double supplied = 0;
  double dissipated = 0;    ///< of a mechanism: by dampers, friction and drag
  double energy_scale = 0;  ///< largest energy turned over
  double energy_error = 0;  ///< largest |energy balance|
  double energy_terms = 0;  ///< largest sum of the sizes of what the balance is made of

  // angular momentum of one body, N m s
  Vec3<double> h_N_start{};
  Vec3<double> impulse_N{};   ///< ∫ τ dt and jumps at events
  double momentum_scale = 0;  ///< largest |h| seen, those of wheels with motors added
  double momentum_error = 0;  ///< largest |momentum balance|

  // Euler parameters
  double norm_error = 0;  ///< largest ||e| − 1|
  double multiplier_least = 0;
  double multiplier_most = 0;
  double multiplier_error = 0;  ///< largest difference from its closed form, J
  double multiplier_scale = 0;  ///< largest |closed form| + 4 T, J: what the difference is small against
  double chart_condition = 1;   ///< largest condition number of a chart

  // constraints of a mechanism
  double position_error = 0;  ///< largest residuals: m, m/s, m/s²
  double velocity_error = 0;
  double acceleration_error = 0;
  double speed_scale = 0;         ///< largest |v| and |ω| times the length of the model seen, m/s
  double acceleration_scale = 0;  ///< likewise, m/s²
  double rank_at_start = 0;       ///< constraints of loops that carry force
  double least_rank = 0;
  double most_rank = 0;
  double rank_changes = 0;  ///< from row to row
  double last_rank = 0;
  double least_pivot = 1;  ///< of those that were kept, relative to its row

  /// The same as a row of numbers, and back. Fails where the row has another length.
  std::vector<double> numbers() const;
  static LedgerState from(std::span<const double> numbers);
};
/// Relative where there is something to relate to. The sign of a NaN means nothing.
inline double relative_error(double error, double scale) { return std::fabs(scale > 0 ? error / scale : error); }
/// What the relative error of energy may be: the accuracy, or what rounding of the terms costs, if that is more.
double energy_bound(double accuracy, const LedgerState& ledger);
static_assert(std::is_trivially_copyable_v<LedgerState> && sizeof(LedgerState) % sizeof(double) == 0);

}  // namespace polhode::simulation
