#pragma once

#include "polhode/multibody/dynamics.h"

#include <string>
#include <vector>

/// Redundant constraints: which joints hold the same direction, in words, and which of the many choices of
/// reactions is the least. Found loop by loop: cubic in the freedoms of the largest group of loops that share joints,
/// and linear in the number of such groups. Labels (MEC-n): docs/theory/mechanisms.md.
namespace polhode {

/// Wrenches that joints can exert against each other while nothing moves: some joints hold one direction twice.
struct Redundancy {
  std::string text;  ///< "joints 'a' and 'c' both fix ..."
  std::vector<int> joints;
  std::vector<Reaction> wrenches;  ///< by joint, largest entry 1 (moments divided by Model::length())
};
/// Every combination of rows that says nothing new at this state. Loops that share joints and have more than
/// kMostRowsTold rows together, or very many bodies for their rows, are left out: they would take the cube of that.
std::vector<Redundancy> redundancies(const Model& model, double t, std::span<const double> y);
inline constexpr int kMostRowsTold = 240;

/// Redundancies of the same joints: one thing to mend.
struct RedundancyCause {
  std::string text;  ///< which joints, which directions, and what to change
  std::vector<int> joints;
  int directions = 0;  ///< how many are held more than once
};
std::vector<RedundancyCause> causes_of(const Model& model, const std::vector<Redundancy>& redundancies);

/// Reactions with the least Σ |f|² + |m|²/L² over all joints, L = Model::length() (MEC-17).
struct LeastReactions {
  std::vector<Reaction> reactions;  ///< by joint
  std::vector<bool> determined;     ///< by joint: no other choice does the same; false where that is not known
                                    ///< (kMostRowsTold)
  int redundant_rows = 0;           ///< how many numbers the choice has
};
/// After evaluate() at the same state. Reactions alone, for large mechanisms: LeastReactionSolver.
LeastReactions least_reactions(const Model& model, std::span<const double> y, Scratch& scratch);

}  // namespace polhode
