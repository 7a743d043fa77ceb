#pragma once

#include "polhode/multibody/redundancy.h"

#include <vector>

namespace polhode {

/// Everything about the constrained equations at one state, by dense matrices and a rank-revealing factorisation: the
/// oracle of the fast elimination, and the one that detects redundant constraints. Cubic in the number of
/// bodies.
///
///   M a + Cᵀλ = f,   C a = γ                                (MEC-16)
struct DenseSolution {
  std::vector<Pair> a;              ///< (α, a) by body, space components
  std::vector<double> lambda;       ///< of all joints in order, couplings, drivers, rollings, blades,
                                    ///< constraints on velocities; of least norm
  std::vector<Reaction> reactions;  ///< by joint: those with the least Σ |f|² + |m|²/L², L = Model::length()
  std::vector<bool> determined;     ///< by joint: no other choice of reactions does the same
  int rows = 0;
  int rank = 0;
  int freedoms = 0;            ///< 6 bodies − rank
  double least_kept = 0;       ///< smallest singular value that counts, relative to the largest
  double largest_dropped = 0;  ///< largest that does not, relative to the largest
};
DenseSolution dense_solution(const Model& model, double t, std::span<const double> y,
                             std::span<const double> turns = {});

}  // namespace polhode
