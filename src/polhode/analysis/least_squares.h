#pragma once

#include "polhode/analysis/linear_model.h"

#include <functional>
#include <vector>

/// Nonlinear least squares over many recordings that share some unknowns and have others of their own. Labels (ANA-n):
/// docs/theory/analysis.md.
namespace polhode::analysis {

/// What one recording says at some values of the unknowns: measured less predicted, and how predictions change with
/// the unknowns, a row a measured number, everything divided by its noise.
struct RecordingRows {
  std::vector<double> residuals;
  DenseMatrix by_shared;
  DenseMatrix by_own;
  bool possible = true;  ///< false: there is no prediction at these values
};

/// Values of the unknowns.
struct FitPoint {
  std::vector<double> shared;
  std::vector<std::vector<double>> own;  ///< by recording
};

/// How much a residual r counts.
struct Loss {
  /// Huber's loss: r²/2 up to this many times the noise, and linear beyond; 0: r²/2 everywhere.
  double huber = 0;

  double rho(double r) const;
  /// √(ρ'(r)/r): what a row is multiplied by.
  double weight(double r) const;
};

struct FitProblem {
  /// By recording.
  std::function<std::vector<RecordingRows>(const FitPoint&)> rows;
  Loss loss{};
  /// Sizes of the unknowns, for what is no change at all.
  std::vector<double> shared_scale;
  std::vector<double> own_scale;
  std::function<bool()> keep_going{};
};

struct FitEnd {
  FitPoint point;
  std::vector<RecordingRows> rows;  ///< there
  double cost = 0;                  ///< Σ ρ
  int iterations = 0;
  bool converged = false;
  bool interrupted = false;
};

/// Levenberg and Marquardt's method: every step solves
///
///   min ‖ W (J δ − r) ‖² + λ ‖ D δ ‖²                                     (ANA-61) [More1978]
///
/// by orthogonal transformations, W from the loss, D the largest columns of J so far. Own unknowns are eliminated
/// recording by recording, so the cost is linear in their number. Fails where there is no prediction at the start.
FitEnd fit(const FitProblem& problem, FitPoint start);

/// What all recordings say of the shared unknowns once the own ones have taken what they can: R with RᵀR the normal
/// matrix, weights of the loss included.
DenseMatrix shared_information(const FitEnd& end, const Loss& loss);

}  // namespace polhode::analysis
