#pragma once

#include "polhode/multibody/constraint.h"

namespace polhode {

/// A joint between two frames of two bodies, or of a body and ground.
struct JointDescription {
  static constexpr std::string_view kWord = "joint";
  static constexpr std::size_t kEnds = 2;

  std::string name;
  const JointKind* kind = nullptr;
  BodyId first = kGround;
  BodyId second = kGround;
  FrameOnBody on_first;
  FrameOnBody on_second;
  double parameter = 0;  ///< pitch or length, for the kinds that have one

  std::vector<Hold> holds() const { return {Hold::frame(first, on_first), Hold::frame(second, on_second)}; }
  std::size_t row_count() const { return kind->row_count(); }

  template <class S>
  void rows(double, const std::array<End<S>, 2>& ends, ConstraintRow<S>* rows) const {
    std::array<RowOf<S>, kMostRows> parts;
    const std::size_t n = joint_rows(*kind, parameter, ends[0], ends[1], parts);
    for (std::size_t r = 0; r < n; ++r) {
      rows[r] = {};
      rows[r].add(parts[r], S(1), 0);
    }
  }
};

}  // namespace polhode
