#pragma once

#include "polhode/math/matrix.h"
#include "polhode/motion/state.h"
#include "polhode/rotation/euler_parameters.h"

#include <span>

namespace polhode::audit {

/// Attitudes of a log against the exact motion of a free body (motion/free_motion.h).
struct ExactError {
  bool known = false;
  MotionState<double> start;  ///< of the exact motion, fitted
  double largest = 0;         ///< rad
  double start_off = 0;       ///< what the rate of the first row, against the fitted one, adds up to over a turn, rad
  double at_end = 0;          ///< rad
  double uncertainty = 0;     ///< of the exact attitude at the end, one standard error, from the scatter of the start
  double passes_at = -1;      ///< time from the first row at which the error passes the limit, or -1
  double passes_uncertainty = 0;  ///< uncertainty there
  double certain_until = 0;       ///< time from the first row up to which three standard errors stay below the limit
};

/// The start of the motion, attitude and body rate, is fitted to the first rows of the log (AUD-5): up to a turn, as
/// long as what is left does not grow, which would be the log's error and not its noise. The standard errors of the
/// start are carried through the motion by neighbouring exact motions, and so is the error of the rates beyond their
/// noise, `roughness` of their size (AUD-8).
///
///   Σ_k |log(e_exact(t_k)* ∘ e_k)|² + |ω'_exact(t_k) − ω'_k|²/|ω'|²  →  min over e(0), ω'(0) (AUD-5)
ExactError exact_error(std::span<const double> t, std::span<const EulerParameters<double>> e_NB,
                       std::span<const Vec3<double>> w_B, const Mat3<double>& J_B, double limit, double roughness = 0);

}  // namespace polhode::audit
