#pragma once

#include "polhode/multibody/constraint.h"

namespace polhode {

/// A blade that does not move across itself.
///
///   b·(v + ω × ℓ) = 0,   b fixed in the body                (MEC-22)
struct Blade {
  static constexpr std::string_view kWord = "blade";
  static constexpr std::size_t kEnds = 2;

  std::string name;
  BodyId body = kGround;
  Vec3<double> point_B{};
  Vec3<double> across_B{0, 1, 0};  ///< a unit vector

  std::vector<Hold> holds() const { return {Hold::ground(), Hold::axis(body, point_B, across_B)}; }
  std::size_t row_count() const { return 1; }
  bool on_positions(std::size_t) const { return false; }

  template <class S>
  void rows(double, const std::array<End<S>, 2>& ends, ConstraintRow<S>* rows) const {
    const End<S>& end = ends[1];
    const Vec3<S> b = end.axis(2);
    rows[0] = {};
    rows[0].sides[1] = {cross(end.lever, b), b};
    rows[0].gamma = -(dot(cross(end.w, b), end.point_velocity()) + dot(b, end.centripetal()));
  }

  void check(ConstraintReview& review) const;
};

}  // namespace polhode
