#pragma once

#include "polhode/analysis/equilibrium.h"

#include <functional>
#include <memory>

/// Equilibria along a parameter, by pseudo-arclength: the curve is followed around folds, where it turns back in the
/// parameter. Labels: docs/theory/analysis.md.
namespace polhode::analysis {

/// The mechanism at rest for a value of the parameter. Fails where there is none.
using ModelAt = std::function<std::shared_ptr<const Model>(double parameter)>;

/// An equilibrium of the curve.
struct CurvePoint {
  enum class Mark { between, grid, fold, branching, end };
  double parameter = 0;
  Position position;
  Mark mark = Mark::between;
  double residual = 0;  ///< as Equilibrium
  Stability stability;
};
std::string_view to_text(CurvePoint::Mark mark);

struct CurveOptions {
  double from = 0;
  double to = 1;
  std::size_t count = 11;  ///< values of the parameter, evenly, ends included, at which points are wanted
  int most_points = 5000;
  std::function<bool()> keep_going{};
};

struct Curve {
  std::vector<CurvePoint> points;  ///< in the order of the curve
  std::string end;                 ///< how it ended, one line
  bool complete = false;           ///< it left the range of the parameter, or came back to its start
  bool interrupted = false;
};

/// Follows the curve from an equilibrium at `options.from` on, into the range at first. With ξ, motions of freedoms
/// over √m L (mass and length of the model), and π, the parameter over its range,
///
///   g(ξ, π) = 0,   (ξ − ξ₀)·ξ̇₀ + (π − π₀) π̇₀ = h             (ANA-24) [Keller1977]
///
/// K is exact; ∂g/∂π is a central difference between models of two values of the parameter. A fold is where π̇ changes
/// its sign, a branching one where an eigenvalue of K does so and π̇ does not.
Curve follow(const ModelAt& model_at, const Position& start, const CurveOptions& options);

}  // namespace polhode::analysis
