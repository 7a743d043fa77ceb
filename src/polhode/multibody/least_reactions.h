#pragma once

#include "polhode/multibody/dynamics.h"

#include <memory>
#include <span>

namespace polhode {

/// Reactions with the least Σ |f|² + |m|²/L² over all joints, L = Model::length(), where constraints are redundant
/// (MEC-17): the same as least_reactions(), by sparse matrices with the pattern of the mechanism. Symbolic work once;
/// for trees and chains of loops the rest is linear in their number.
///
/// As if every direction that a joint holds were a spring of size 1: the loads that the joints bear together, put on
/// these springs, are shared with the least energy, which is the sum above.
///
///   (ĈᵀĈ + δ) z + Aᵀ ν = Ĉᵀ μ,   A z − δ ν = 0,   μ_least = Ĉ z                 (MEC-37)
///
/// Ĉ: rows of joints, scaled so that μ is the size of wrenches; A: rows of couplings, drivers, rolling and the like,
/// which bear what they must. δ = kRankTolerance stands for what is free to move, and is refined away.
class LeastReactionSolver {
 public:
  /// The model must outlive it.
  explicit LeastReactionSolver(const Model& model);
  ~LeastReactionSolver();
  LeastReactionSolver(const LeastReactionSolver&) = delete;
  LeastReactionSolver& operator=(const LeastReactionSolver&) = delete;

  /// After evaluate() at the same state.
  void solve(std::span<const double> y, Scratch& scratch, std::span<Reaction> result);
  /// Numbers in the factor, after solve().
  std::size_t factor_size() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace polhode
