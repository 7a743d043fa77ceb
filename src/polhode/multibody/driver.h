#pragma once

#include "polhode/multibody/constraint.h"

namespace polhode {

/// A coordinate that follows a given function of time, in its value or only in its rate.
///
///   Φ = q − q(t),   rate q̇(t)                               (MEC-1)
struct Driver {
  static constexpr std::string_view kWord = "driver";
  static constexpr std::size_t kEnds = 2;

  std::string name;
  int joint = 0;
  Coordinate coordinate = Coordinate::turn;
  /// value, rate and acceleration at t
  std::function<std::array<double, 3>(double t)> law;
  bool of_rate = false;   ///< the value of the law counts for nothing
  std::string formula{};  ///< of the law, as the user wrote it, for messages; "": there is none

  std::vector<Hold> holds() const { return {Hold::frames_of(joint)}; }
  std::size_t row_count() const { return 1; }
  bool on_positions(std::size_t) const { return !of_rate; }
  double unit(double length) const { return is_angle(coordinate) ? length : 1; }
  bool does_work() const { return true; }

  template <class S>
  void rows(double t, const std::array<End<S>, 2>& ends, ConstraintRow<S>* rows) const {
    const auto [value, rate, acceleration] = law(t);
    rows[0] = {};
    rows[0].add(coordinate_row(coordinate, ends[0], ends[1]), S(1), 0);
    rows[0].value =
        of_rate ? S(0) : without_periods(rows[0].value - S(value), is_angle(coordinate) ? 2 * math::kPi<double> : 0);
    rows[0].gamma += S(acceleration);
    rows[0].rate = S(rate);
  }

  void check(ConstraintReview& review) const;
  std::string trouble(double t) const;
  std::vector<ConstraintQuantity> quantities() const;
};

}  // namespace polhode
