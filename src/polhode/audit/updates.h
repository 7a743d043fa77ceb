#pragma once

#include "polhode/math/matrix.h"
#include "polhode/rotation/euler_parameters.h"

#include <span>
#include <string_view>
#include <vector>

namespace polhode::audit {

/// One way to go from a row to the next, and how far from it the log is.
struct UpdateFit {
  std::string_view name;     ///< "first-order-new"
  std::string_view summary;  ///< in words
  double residual = 0;       ///< rms of logged minus predicted, relative to a step's turn (attitude) or to |ω'| (rates)
  double factor = 1;         ///< of the prediction (rates)
};

/// Ways to take the attitude through a step h, judged from the logged rates; best first.
///
///   exact              the rates' own turn over the interval (AUD-3)
///   exponential-new    e ← e ∘ exp(h ω'_{n+1});   -old with ω'_n;   -mean with the mean of both
///   first-order-new    e ← e + ½ h e ∘ (0; ω'_{n+1}), normalised;   -old with ω'_n (AUD-6)
///
/// A turn by the new rate leaves that rate as it is, so body and space components give the same step.
std::vector<UpdateFit> attitude_updates(std::span<const double> t, std::span<const EulerParameters<double>> e_NB,
                                        std::span<const Vec3<double>> w_B);

/// Ways to take the body rate through a step h; best first. Each prediction may be scaled by one factor for the whole
/// log, so that damping does not hide the rest.
///
///   exact              Euler's equations
///   constant           ω'_{n+1} = ω'_n: no gyroscopic term
///   explicit           J(ω'_{n+1} − ω'_n) = −h ω'_n × Jω'_n
///   linear-implicit    J(ω'_{n+1} − ω'_n) = −h ω'_{n+1} × Jω'_n
///   newton             one Newton step from ω'_n of the next
///   implicit           J(ω'_{n+1} − ω'_n) = −h ω'_{n+1} × Jω'_{n+1}
///   momentum           A J ω' is kept: ω'_{n+1} = J⁻¹ A_{n+1}ᵀ A_n J ω'_n (AUD-7)
std::vector<UpdateFit> rate_updates(std::span<const double> t, std::span<const EulerParameters<double>> e_NB,
                                    std::span<const Vec3<double>> w_B, const Mat3<double>& J_B);

}  // namespace polhode::audit
