#pragma once

#include "polhode/multibody/parts.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// Kinds of joints: which parts hold two frames together, and which relative motions are left.
///
/// The first frame sits on the first body, the second on the second one; joint axes are axes of these frames. A kind is
/// a row of joints.def: everything else (Jacobians, motion subspace, projection, coordinates, reactions) follows from
/// it.
namespace polhode {

/// One part of a joint, or the three rows of points that meet.
struct PartUse {
  enum class Type : std::uint8_t { meet, across, along, distance, no_twist, screw };
  Type type;
  std::size_t second_axis = 0;
  std::size_t first_axis = 0;
};

/// Rotations that are left.
enum class FreeTurns : std::uint8_t {
  none,
  about_z,      ///< about the common z axis
  about_x1_y2,  ///< about x of the first frame, then about y of the second: a cross
  no_twist,     ///< two, at constant velocity
  all
};

/// Where the second point may be, seen from the first body.
enum class FreeSlides : std::uint8_t {
  none,      ///< the points meet
  along_z,   ///< on the z axis of the first frame
  screw,     ///< on the z axis, as the turn about it says
  in_plane,  ///< in the plane across z
  circle,    ///< in the plane across z, at a distance from the first point
  sphere,    ///< at a distance from the first point
  all
};

/// What a joint reports: angles in radian, lengths in metre.
enum class Coordinate : std::uint8_t {
  turn,     ///< angle about z, (−π, π]
  slide_x,  ///< position of the second point along an axis of the first frame
  slide_y,
  slide_z,
  cross_x,     ///< angle about x of the first frame, of a cross
  cross_y,     ///< angle about y of the second frame, of a cross
  rotation_x,  ///< rotation vector of the second frame in components of the first; its rate is ω₂ − ω₁ in them
  rotation_y,
  rotation_z,
  swing  ///< angle between both z axes, [0, π]; not reported, but for forces and stops: a cone
};
std::string_view to_text(Coordinate coordinate);

struct JointKind {
  std::string_view name;
  std::string_view summary;
  FreeTurns turns;
  FreeSlides slides;
  std::vector<PartUse> parts;
  std::vector<Coordinate> coordinates;
  std::string_view parameter;  ///< what the one number is that the kind needs ("length", "pitch"), or ""

  std::size_t row_count() const;
  std::size_t freedoms() const { return 6 - row_count(); }
  /// Coordinates that can be driven or loaded: those reported that have a row, and the swing of what can swing.
  std::vector<Coordinate> acted_on() const;
};

/// All kinds, in the order of joints.def.
std::span<const JointKind> joint_kinds();
/// By name; fails with the nearest name.
const JointKind& joint_kind(std::string_view name);

inline constexpr std::size_t kMostRows = 6;

/// slide − pitch · turn; one turn more is the same pose of the frames.
template <class S>
RowOf<S> screw_row(double pitch, const End<S>& first, const End<S>& second) {
  RowOf<S> row = Along{2}.row(first, second);
  row += S(-pitch) * Turn{}.row(first, second);
  const auto lead = static_cast<ValueType<S>>(2 * math::kPi<double> * pitch);
  if (lead != 0) { row.value -= S(lead * std::nearbyint(value_of(row.value) / lead)); }
  return row;
}

/// The rows of a joint; returns how many.
template <class S>
std::size_t joint_rows(const JointKind& kind, double parameter, const End<S>& first, const End<S>& second,
                       std::array<RowOf<S>, kMostRows>& rows) {
  std::size_t n = 0;
  for (const PartUse& part : kind.parts) {
    switch (part.type) {
      case PartUse::Type::meet:
        for (std::size_t k = 0; k < 3; ++k) { rows[n++] = Coincide{k}.row(first, second); }
        break;
      case PartUse::Type::across:
        rows[n++] = Across{part.second_axis, part.first_axis}.row(first, second);
        break;
      case PartUse::Type::along:
        rows[n++] = Along{part.first_axis}.row(first, second);
        break;
      case PartUse::Type::distance:
        rows[n++] = Distance{parameter}.row(first, second);
        break;
      case PartUse::Type::no_twist:
        rows[n++] = NoTwist{}.row(first, second);
        break;
      case PartUse::Type::screw:
        rows[n++] = screw_row(parameter, first, second);
        break;
    }
  }
  return n;
}

/// Φ for any number type: the same values as joint_rows, for tests by dual numbers.
template <class S>
std::size_t joint_values(const JointKind& kind, double parameter, const End<S>& first, const End<S>& second,
                         std::array<S, kMostRows>& values) {
  std::size_t n = 0;
  for (const PartUse& part : kind.parts) {
    switch (part.type) {
      case PartUse::Type::meet:
        for (std::size_t k = 0; k < 3; ++k) { values[n++] = Coincide{k}.value(first, second); }
        break;
      case PartUse::Type::across:
        values[n++] = Across{part.second_axis, part.first_axis}.value(first, second);
        break;
      case PartUse::Type::along:
        values[n++] = Along{part.first_axis}.value(first, second);
        break;
      case PartUse::Type::distance:
        values[n++] = Distance{parameter}.value(first, second);
        break;
      case PartUse::Type::no_twist:
        values[n++] = NoTwist{}.value(first, second);
        break;
      case PartUse::Type::screw:
        values[n++] = Along{2}.value(first, second) - S(parameter) * Turn{}.value(first, second);
        break;
    }
  }
  return n;
}

/// The motions that a joint leaves to the second body, seen from the first.
///
///   α₂ = α₁ + Σ angₖ q̈ₖ + b_ang,   a₂(P) = a₁(P) + Σ linₖ q̈ₖ + b_lin      (MEC-9)
///
/// P: the reference points, at lever1 and lever2 from the mass centres. At every state whose velocities are consistent
/// the columns span exactly what the Jacobian of the rows leaves free, and b fulfils the rows.
template <class S>
struct JointMotionOf {
  std::size_t freedoms = 0;
  std::array<PairOf<S>, 6> columns{};
  PairOf<S> bias{};
  Vec3<S> lever1{};
  Vec3<S> lever2{};
};
using JointMotion = JointMotionOf<double>;
/// Of double in joint.cpp; of other number types by joint_motion.h.
template <class S>
void joint_motion(const JointKind& kind, double parameter, const End<S>& first, const End<S>& second,
                  JointMotionOf<S>& motion);

/// What takes the second body, moved against the first about the reference points, back to where the joint allows it to
/// be (a small turn and a small shift), and what takes its velocity back; to first order.
template <class S>
PairOf<S> position_correction(const JointKind& kind, double parameter, const End<S>& first, const End<S>& second);
template <class S>
PairOf<S> velocity_correction(const JointKind& kind, double parameter, const End<S>& first, const End<S>& second);

/// The coordinate and its rate.
template <class S>
struct CoordinateValueOf {
  S value{};
  S rate{};
};
using CoordinateValue = CoordinateValueOf<double>;
template <class S>
CoordinateValueOf<S> joint_coordinate(Coordinate coordinate, const End<S>& first, const End<S>& second);

/// The row of a coordinate that can be driven or loaded: turn, slides, angles of a cross, and swing.
///
///   value: the coordinate;  generalised force Q on it acts on the bodies as Q times the row        (MEC-12)
template <class S>
RowOf<S> coordinate_row(Coordinate coordinate, const End<S>& first, const End<S>& second) {
  switch (coordinate) {
    case Coordinate::slide_x:
      return Along{0}.row(first, second);
    case Coordinate::slide_y:
      return Along{1}.row(first, second);
    case Coordinate::slide_z:
      return Along{2}.row(first, second);
    case Coordinate::cross_x:
      return CrossAngle{false}.row(first, second);
    case Coordinate::cross_y:
      return CrossAngle{true}.row(first, second);
    case Coordinate::swing:
      return Swing{}.row(first, second);
    default:
      return Turn{}.row(first, second);
  }
}
bool has_row(Coordinate coordinate);
/// Known up to whole turns.
inline bool is_angle(Coordinate coordinate) {
  return coordinate == Coordinate::turn || coordinate == Coordinate::cross_x || coordinate == Coordinate::cross_y ||
         coordinate == Coordinate::swing;
}

/// Whether a coordinate goes round: its whole turns can be counted, and are not part of its value.
inline bool counts_turns(Coordinate coordinate) { return is_angle(coordinate) && coordinate != Coordinate::swing; }

/// A coordinate that has a row, for any number type.
template <class S>
S coordinate_value(Coordinate coordinate, const End<S>& first, const End<S>& second) {
  switch (coordinate) {
    case Coordinate::slide_x:
      return Along{0}.value(first, second);
    case Coordinate::slide_y:
      return Along{1}.value(first, second);
    case Coordinate::slide_z:
      return Along{2}.value(first, second);
    case Coordinate::cross_x:
      return CrossAngle{false}.value(first, second);
    case Coordinate::cross_y:
      return CrossAngle{true}.value(first, second);
    case Coordinate::swing:
      return Swing{}.value(first, second);
    default:
      return Turn{}.value(first, second);
  }
}

}  // namespace polhode
