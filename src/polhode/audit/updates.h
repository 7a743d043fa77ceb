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
  double residual = 0;       ///< rms of logged minus predicted over the log, relative to one step's turn (attitude) or to |ω'| (rates)
};

/// Ways to take the attitude through a step h, judged from the logged rates; best first.
///
///   exact              the rates' own turn over the interval (AUD-3)
///   exponential-new    e ← e ∘ exp(h ω'_{n+1}),   -old with ω'_n,   -mean with their mean,   -space-new: exp(h ω_{n+1}) ∘ e
///   first-order-new    e ← e + ½ h e ∘ (0; ω'_{n+1}), normalised;   -old;   -space-new: e + ½ h (0; ω_{n+1}) ∘ e   (AUD-6)
std::vector<UpdateFit> attitude_updates(std::span<const double> t, std::span<const EulerParameters<double>> e_NB,
                                        std::span<const Vec3<double>> w_B);

/// Ways to take the body rate through a step h; best first.
///
///   exact              Euler's equations
///   constant           ω'_{n+1} = ω'_n: no gyroscopic term
///   explicit           ω'_n − h J⁻¹(ω'_n × Jω'_n);   -space: the same, kept in space components over the step
///   implicit           ω'_{n+1} with the gyroscopic term at n + 1;   -space;   newton: one step of Newton's method
///   momentum           A J ω' is kept: ω'_{n+1} = J⁻¹ A_{n+1}ᵀ A_n J ω'_n                                          (AUD-7)
std::vector<UpdateFit> rate_updates(std::span<const double> t, std::span<const EulerParameters<double>> e_NB,
                                    std::span<const Vec3<double>> w_B, const Mat3<double>& J_B);

}  // namespace polhode::audit
