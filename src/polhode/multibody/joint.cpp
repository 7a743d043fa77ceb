#include "polhode/multibody/joint_motion.h"

#include "polhode/core/error.h"
#include "polhode/rotation/axis_angle.h"
#include "polhode/rotation/rotation_matrix.h"

#include <algorithm>
#include <iterator>

namespace polhode {
namespace {

// The vocabulary of joints.def.
constexpr PartUse meet{PartUse::Type::meet};
constexpr PartUse distance{PartUse::Type::distance};
constexpr PartUse no_twist{PartUse::Type::no_twist};
constexpr PartUse screw{PartUse::Type::screw};
constexpr PartUse across(std::size_t second_axis, std::size_t first_axis) {
  return {PartUse::Type::across, second_axis, first_axis};
}
constexpr PartUse along(std::size_t first_axis) { return {PartUse::Type::along, 0, first_axis}; }

std::vector<JointKind> make_kinds() {
  std::vector<JointKind> kinds;
#define POLHODE_LIST(...) {__VA_ARGS__}
#define JOINT(name, summary, turns, slides, parts, coordinates, parameter) \
  kinds.push_back({name, summary, turns, slides, POLHODE_LIST parts, POLHODE_LIST coordinates, parameter});
#include "polhode/multibody/joints.def"
#undef JOINT
#undef POLHODE_LIST
  return kinds;
}

const std::vector<JointKind>& kinds() {
  static const std::vector<JointKind> list = make_kinds();
  return list;
}

}  // namespace

std::string_view to_text(Coordinate coordinate) {
  switch (coordinate) {
    case Coordinate::turn:
      return "turn";
    case Coordinate::slide_x:
      return "slide_x";
    case Coordinate::slide_y:
      return "slide_y";
    case Coordinate::slide_z:
      return "slide_z";
    case Coordinate::cross_x:
      return "cross_x";
    case Coordinate::cross_y:
      return "cross_y";
    case Coordinate::rotation_x:
      return "rotation_x";
    case Coordinate::rotation_y:
      return "rotation_y";
    case Coordinate::rotation_z:
      return "rotation_z";
    case Coordinate::swing:
      return "swing";
  }
  return "";
}

std::size_t JointKind::row_count() const {
  std::size_t n = 0;
  for (const PartUse& part : parts) { n += part.type == PartUse::Type::meet ? 3 : 1; }
  return n;
}

std::span<const JointKind> joint_kinds() { return kinds(); }

const JointKind& joint_kind(std::string_view name) {
  std::vector<std::string_view> known;
  for (const JointKind& kind : kinds()) {
    if (kind.name == name) { return kind; }
    known.push_back(kind.name);
  }
  fail(Error(unknown_name("joint", name, known)));
}

bool has_row(Coordinate coordinate) { return coordinate < Coordinate::rotation_x || coordinate == Coordinate::swing; }

std::vector<Coordinate> JointKind::acted_on() const {
  std::vector<Coordinate> list;
  std::copy_if(coordinates.begin(), coordinates.end(), std::back_inserter(list), has_row);
  if (turns >= FreeTurns::about_x1_y2) { list.push_back(Coordinate::swing); }
  return list;
}

template void joint_motion(const JointKind&, double, const End<double>&, const End<double>&, JointMotion&);
template Pair position_correction(const JointKind&, double, const End<double>&, const End<double>&);
template Pair velocity_correction(const JointKind&, double, const End<double>&, const End<double>&);
template CoordinateValue joint_coordinate(Coordinate, const End<double>&, const End<double>&);

}  // namespace polhode
