#pragma once

#include "polhode/multibody/constraint.h"

namespace polhode {

/// Two coordinates that keep a ratio: gears, belts, racks.
///
///   Φ = c₁ q₁ + c₂ q₂ − c                                   (MEC-15)
///
/// Angles know no whole turns, so c₁ and c₂ of two angles must be whole numbers (of teeth), and Φ is known up to 2π;
/// with one angle it is known up to 2π times its coefficient.
struct Coupling {
  static constexpr std::string_view kWord = "coupling";
  static constexpr std::size_t kEnds = 4;

  std::string name;
  int first_joint = 0;
  Coordinate first_coordinate = Coordinate::turn;
  double first_factor = 1;
  int second_joint = 0;
  Coordinate second_coordinate = Coordinate::turn;
  double second_factor = 1;
  double constant = 0;

  std::vector<Hold> holds() const { return {Hold::frames_of(first_joint), Hold::frames_of(second_joint)}; }
  std::size_t row_count() const { return 1; }
  /// Φ is known up to this; 0: altogether.
  double period() const {
    const bool first = is_angle(first_coordinate);
    const bool second = is_angle(second_coordinate);
    if (first && second) { return 2 * math::kPi<double>; }
    return first || second ? 2 * math::kPi<double> * std::fabs(first ? first_factor : second_factor) : 0;
  }
  /// Φ over the larger coefficient is an angle or a length of one of the two.
  double unit(double length) const { return length / std::fmax(std::fabs(first_factor), std::fabs(second_factor)); }

  template <class S>
  void rows(double, const std::array<End<S>, 4>& ends, ConstraintRow<S>* rows) const {
    rows[0] = {};
    rows[0].add(coordinate_row(first_coordinate, ends[0], ends[1]), S(first_factor), 0);
    rows[0].add(coordinate_row(second_coordinate, ends[2], ends[3]), S(second_factor), 2);
    rows[0].value = without_periods(rows[0].value - S(constant), period());
  }

  void check(ConstraintReview& review) const;
};

}  // namespace polhode
