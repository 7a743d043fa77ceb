#pragma once

#include "polhode/core/error.h"
#include "polhode/multibody/constraint.h"

namespace polhode {

/// Any constraint that is linear in the velocities of two bodies, with no constraint on positions behind it: `row`
/// gives its sides, `rate` and `gamma` of MEC-1 at a state, as a speed in m/s. It is code for double alone, and has no
/// exact derivatives.
struct VelocityConstraint {
  static constexpr std::string_view kWord = "constraint";
  static constexpr std::size_t kEnds = 2;

  std::string name;
  BodyId first = kGround;
  FrameOnBody on_first{};
  BodyId second = kGround;
  FrameOnBody on_second{};
  std::function<Row(double t, const End<double>& first, const End<double>& second)> row;

  std::vector<Hold> holds() const { return {Hold::frame(first, on_first), Hold::frame(second, on_second)}; }
  std::size_t row_count() const { return 1; }
  bool on_positions(std::size_t) const { return false; }
  bool does_work() const { return true; }

  template <class S>
  void rows(double t, const std::array<End<S>, 2>& ends, ConstraintRow<S>* rows) const {
    if constexpr (std::is_same_v<S, double>) {
      rows[0] = {};
      rows[0].add(row(t, ends[0], ends[1]), 1, 0);
      rows[0].value = 0;
    } else {
      fail(Error("constraint '" + name + "' is given as code for numbers of type double: it has no exact derivatives"));
    }
  }

  void check(ConstraintReview& review) const;
};

}  // namespace polhode
