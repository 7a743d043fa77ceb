#pragma once

#include "polhode/audit/log.h"

#include <vector>

namespace polhode::audit {

/// Rad between rows that can be followed: about five rows a turn.
inline constexpr double kCoarsestStep = 1.2;

/// Steps between rates and attitudes that are looked for.
inline constexpr double kLongestLag = 2;

/// The attitude of a row when its four numbers are read as `convention` says; of unit length.
EulerParameters<double> attitude_as(const Convention& convention, const std::array<double, 4>& q);

/// How well attitudes and rates belong together when both are read in one way.
struct ConventionFit {
  Convention convention;
  double residual = 1;     ///< rms of what is left of the turns, as a part of them; 1: nothing explained
  double scale = 1;        ///< the attitude turns this many times as fast as the rates say
  double scale_error = 0;  ///< its standard error
  double lag = 0;          ///< the rates are those of this many steps earlier, -kLongestLag to kLongestLag
};

/// Turns between rows, compared with what the rates add up to over the same time.
struct Kinematics {
  double step = 0;          ///< median time between rows
  double step_angle = 0;    ///< median turn between rows by the attitudes, rad
  double logged_angle = 0;  ///< the same by the rates
  double largest_turn = 0;  ///< farthest from the first attitude, rad
  double rate_turn = 0;     ///< the same for a body that is turned by the rates, whichever frame they are in
  double rate_sum = 0;      ///< largest |∫ω dt| from the first row on: for steady turning it grows without end, rad
  double rate_walk = 0;     ///< standard deviation of ∫ω dt at the end if changes from row to row were noise alone, rad
  std::vector<ConventionFit>
      fits;  ///< every way to read, best first; the way that was assumed comes first among equals
};

/// Over windows of about 0.3 rad, in each of the eight ways to read order, direction and frame:
///
///   a = log(q_k* ∘ q_{k+m}),   b = log(q_{k+m} ∘ q_k*)
///   body to space: body rates give a, space rates b;   space to body: body rates −b, space rates −a (AUD-2) Ω = s W ±
///   s² W × M/H,   W = ∫ω dt,  M = ∫(t − t_middle) ω dt,  + for body rates, − for space rates            (AUD-3)
///
/// AUD-3 is the exponent of the turn to fourth order in the window H [Iserles2000]; s is fitted, so that rates in
/// degrees or times in milliseconds do not hide the rest, and so is a lag between rates and attitudes: many engines
/// turn the body by the rate of the step's end, which is half a step. To first order it adds lag (ω_{k+m} − ω_k); the
/// rates are then taken at t_k + lag, by interpolation, and the rest of the lag is fitted until it vanishes. (AUD-9)
Kinematics compare_conventions(const RotationLog& log);

/// The rows of a log whose rates lag by `lag`, in seconds, with the rates of their own times; a few rows are lost at
/// one end. Rates in space components stay in space components.
RotationLog without_lag(const RotationLog& log, double lag);

}  // namespace polhode::audit
