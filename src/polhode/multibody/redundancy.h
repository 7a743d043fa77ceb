#pragma once

#include "polhode/multibody/dynamics.h"

#include <string>
#include <vector>

/// Rows that repeat each other: which joints hold the same direction, in words, and which of the many choices of
/// reactions is the least. Found loop by loop: cubic in the freedoms of the largest group of loops that share joints,
/// and linear in the number of such groups. Labels (MEC-n): docs/theory/mechanisms.md.
namespace polhode {

/// Wrenches that joints can exert against each other while nothing moves: some joints hold one direction twice.
struct Redundancy {
  std::string text;  ///< "joints 'a' and 'c' both fix ..."
  std::vector<int> joints;
  std::vector<Reaction> wrenches;  ///< by joint, largest entry 1 (moments divided by Model::length())
};
/// Every combination of rows that says nothing new at this state.
std::vector<Redundancy> redundancies(const Model& model, double t, std::span<const double> y);

/// Reactions with the least Σ |f|² + |m|²/L² over all joints, L = Model::length() (MEC-17).
struct LeastReactions {
  std::vector<Reaction> reactions;  ///< by joint
  std::vector<bool> determined;     ///< by joint: no other choice does the same
  int redundant_rows = 0;           ///< how many numbers the choice has
};
/// After evaluate() at the same state. Reactions alone, for large mechanisms: LeastReactionSolver.
LeastReactions least_reactions(const Model& model, std::span<const double> y, Scratch& scratch);

}  // namespace polhode
