#pragma once

#include "polhode/math/matrix.h"

#include <array>
#include <span>

namespace polhode::audit {

/// How the body rates of a log change, against Euler's equations integrated over windows of about one turn, with a
/// factor α of the gyroscopic term and two kinds of damping:
///
///   J Δω' + α ∫ω' × Jω' dt + β J ∫ω' dt + d ∫ω' dt = 0                                                         (AUD-4)
///
/// No rate is differentiated, and no attitude is needed. The left side is linear in the six numbers
/// u = (J11, J22, J33, √2 J12, √2 J13, √2 J23), |u|² = |J|²: noise of the rates then adds the same to every direction
/// of u, and the J that fits best is the eigenvector of the smallest eigenvalue.
class RateEquations {
 public:
  /// `w_B` in rad/s on times in s.
  RateEquations(std::span<const double> t, std::span<const Vec3<double>> w_B);

  /// rms of what is left of AUD-4 for this J and α, β and d fitted: relative to |J| and the rms of ω'.
  double residual(const Mat3<double>& J_B, double alpha) const;

  /// The inertia that fits best with α = 1, of Frobenius norm 1.
  struct Fit {
    Mat3<double> J_B;
    Vec3<double> moments;  ///< ascending
    double residual = 0;
    double second = 0;  ///< residual of the direction of J that fits second best: near the first, J is not determined
  };
  const Fit& fit() const { return fit_; }

 private:
  static constexpr std::size_t kParts = 6;
  void find_fit(double duration);

  Matrix<double, 3 * kParts, 3 * kParts> gram_;  ///< of the columns Δω', gyroscopic, ∫ω', six each
  double windows_ = 0;
  double w_rms_ = 0;
  Fit fit_;
};

}  // namespace polhode::audit
