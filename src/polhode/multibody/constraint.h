#pragma once

#include "polhode/multibody/joint.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

/// What all kinds of constraints have in common. A kind is one header with a plain struct, and its name in
/// constraints.h; everything that treats constraints loops over that list. A kind C has
///
///   static constexpr std::string_view kWord = "driver";      // for messages: driver 'motor'
///   static constexpr std::size_t kEnds = 2;                  // frames that it takes hold of: bodies its rows act on
///   std::string name;
///   std::vector<Hold> holds() const;                         // these frames, or joints that have two each
///   std::size_t row_count() const;
///   template <class S>                                       // all of every row
///   void rows(double t, const std::array<End<S>, kEnds>& ends, ConstraintRow<S>* rows) const;
///
/// and, where the default of namespace constraint is not right for it, any of the functions named there.
namespace polhode {

/// The most bodies that one constraint equation acts on.
inline constexpr std::size_t kMostSides = 4;

/// One scalar constraint equation.
///
///   Σ sides·(ω; v) = rate,   Σ sides·(α; a) = γ,   and Φ = 0 where it is one on positions      (MEC-1)
///
/// in space components, of the mass centres.
template <class S>
struct ConstraintRow {
  std::array<PairOf<S>, kMostSides> sides{};
  S value{};  ///< Φ; 0 for what holds velocities alone
  S gamma{};
  S rate{};

  /// Adds a multiple of a row on two bodies, to the sides `side` and `side` + 1.
  void add(const RowOf<S>& row, const S& factor, std::size_t side) {
    sides[side] = factor * row.first;
    sides[side + 1] = factor * row.second;
    value += factor * row.value;
    gamma += factor * row.gamma;
    rate += factor * row.rate;
  }
};

/// The value without whole periods; a period of 0 is none.
template <class S>
S without_periods(const S& value, double period) {
  const auto whole = static_cast<ValueType<S>>(period);
  return whole > 0 ? value - S(whole * std::nearbyint(value_of(value) / whole)) : value;
}

/// What a constraint takes hold of: a frame on a body or on ground, or the two frames of a joint.
struct Hold {
  int joint = -1;  ///< −1: a frame of its own
  BodyId body = kGround;
  Vec3<double> point_B{};  ///< from the origin of the body's frame; of ground, in space
  Mat3<double> axes_B{};   ///< columns

  static Hold frames_of(int joint) { return {joint, kGround, {}, {}}; }
  static Hold ground() { return {}; }
  static Hold frame(BodyId body, const FrameOnBody& frame);
  /// A point, and a direction as third axis.
  static Hold axis(BodyId body, const Vec3<double>& point_B, const Vec3<double>& axis_B) {
    return {-1, body, point_B, from_columns({}, {}, axis_B)};
  }
};

/// Takes what is wrong with a constraint of a model.
class ConstraintReview {
 public:
  virtual ~ConstraintReview() = default;
  virtual void problem(std::string what, std::string cure) = 0;
  /// A body of the model, or ground.
  virtual bool exists(BodyId body) const = 0;
  /// Notes where a joint is not there, or has no such coordinate that can be acted on.
  virtual void offers(int joint, Coordinate coordinate, const std::string& who) = 0;
};

/// A constraint at a state, after evaluate().
struct ConstraintNow {
  std::span<const End<double>> ends;
  std::span<const ConstraintRow<double>> rows;
  std::span<const double> lambda;  ///< multipliers of the rows

  /// What the constraint does to one of the bodies it takes hold of: moment about its mass centre, and force.
  Pair on(std::size_t side) const {
    Pair sum{};
    for (std::size_t r = 0; r < rows.size(); ++r) { sum += -lambda[r] * rows[r].sides[side]; }
    return sum;
  }
};

/// What results say of a constraint, on request.
struct ConstraintQuantity {
  std::string group;      ///< "forces", "contacts"
  std::string symbol;     ///< of the column, behind the constraint's name: "f"; of a number with its unit, "torque_Nm"
  std::string unit;       ///< "N m"
  std::string unit_name;  ///< in names of columns of a vector: "Nm"
  std::string meaning;    ///< before the constraint's name
  bool is_vector = true;  ///< in space components; false: a number, the x of what `value` gives
  std::function<Vec3<double>(const ConstraintNow&)> value;
};

/// A plane on which something rolls: for pictures.
struct PlaneInSpace {
  Vec3<double> point_N{};
  Vec3<double> normal_N{};
};

/// What a kind of constraint says of itself, and what holds where it says nothing.
namespace constraint {

/// Whether a row is one on positions; if not, on velocities alone.
template <class C>
bool on_positions(const C& c, std::size_t row) {
  if constexpr (requires { c.on_positions(row); }) { return c.on_positions(row); }
  return true;
}
/// What makes a length of Φ, by the length that angles are weighed with.
template <class C>
double unit(const C& c, double length) {
  if constexpr (requires { c.unit(length); }) { return c.unit(length); }
  return 1;
}
/// Whether the constraint may supply or take energy: it prescribes a rate.
template <class C>
bool does_work(const C& c) {
  if constexpr (requires { c.does_work(); }) { return c.does_work(); }
  return false;
}
/// How far the constraint reaches beyond the points that it takes hold of.
template <class C>
double reach(const C& c) {
  if constexpr (requires { c.reach(); }) { return c.reach(); }
  return 0;
}
/// Notes what is wrong with its numbers.
template <class C>
void check(const C& c, ConstraintReview& review) {
  if constexpr (requires { c.check(review); }) { c.check(review); }
}
/// Why the rows are not finite at a time; "": that is not known.
template <class C>
std::string trouble(const C& c, double t) {
  if constexpr (requires { c.trouble(t); }) { return c.trouble(t); }
  return {};
}
/// "driver 'motor' has an error of", before a length.
template <class C>
std::string gap_in_words(const C& c, const std::string& who) {
  if constexpr (requires { c.gap_in_words(); }) { return c.gap_in_words(); }
  return who + " has an error of";
}
template <class C>
std::vector<ConstraintQuantity> quantities(const C& c) {
  if constexpr (requires { c.quantities(); }) { return c.quantities(); }
  return {};
}
template <class C>
std::vector<PlaneInSpace> planes(const C& c) {
  if constexpr (requires { c.planes(); }) { return c.planes(); }
  return {};
}

}  // namespace constraint

}  // namespace polhode
