#pragma once

#include "polhode/multibody/elimination_order.h"

namespace polhode {

/// Finds which rows of a joint that closes a loop can act: `acts`, `acting`, and what chooses among rows of points that
/// meet. The other rows are identities by the structure of the loop: the kinds of its joints and how their frames sit
/// on the bodies, whatever the state.
///
///   g: the least Lie algebra with the screws of all joints of the tree that the loop passes     (MEC-41)
void find_acting_rows(const Model& model, const EliminationOrder& elimination, Closure& closure);

/// The rows of a closure in the order of the elimination: those that act, then the others. `R`: the attitude of the
/// node of its first side.
std::array<int, 6> row_order(const Closure& closure, const Mat3<double>& R);

/// Brings rows into this order.
template <class Row>
void put_acting_first(const Closure& closure, const Mat3<double>& R, Row* rows) {
  if (closure.acting == closure.rows) { return; }
  const std::array<int, 6> order = row_order(closure, R);
  std::array<Row, 6> as_they_stood;
  bool moves = false;
  for (std::size_t r = 0; r < static_cast<std::size_t>(closure.rows); ++r) {
    moves = moves || order[r] != static_cast<int>(r);
  }
  if (!moves) { return; }
  for (std::size_t r = 0; r < static_cast<std::size_t>(closure.rows); ++r) { as_they_stood[r] = rows[r]; }
  for (std::size_t r = 0; r < static_cast<std::size_t>(closure.rows); ++r) {
    rows[r] = as_they_stood[static_cast<std::size_t>(order[r])];
  }
}

}  // namespace polhode
