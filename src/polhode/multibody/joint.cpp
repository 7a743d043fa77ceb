#include "polhode/multibody/joint.h"

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

/// Two unit vectors across n and each other; which does not matter to anybody.
void two_across(const Vec3<double>& n, Vec3<double>& a, Vec3<double>& b) {
  const bool x_is_least = std::fabs(n.x) <= std::fabs(n.y) && std::fabs(n.x) <= std::fabs(n.z);
  const Vec3<double> other = axis_vector<double>(x_is_least ? 0 : std::fabs(n.y) <= std::fabs(n.z) ? 1 : 2);
  a = cross(n, other);
  a = a / norm(a);
  b = cross(n, a);
  b = b / norm(b);
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

void joint_motion(const JointKind& kind, double parameter, const End<double>& first, const End<double>& second,
                  JointMotion& motion) {
  std::size_t n = 0;
  const auto add = [&](const Vec3<double>& ang, const Vec3<double>& lin) { motion.columns[n++] = {ang, lin}; };
  const auto axis1 = [&](std::size_t i) { return first.axis(i); };
  const Vec3<double> w = second.w - first.w;
  motion.bias = {};
  motion.lever2 = second.lever;

  // where P is on the first body, and how P moves there
  const bool slides = kind.slides != FreeSlides::none;
  motion.lever1 = slides ? second.point() - first.r : first.lever;
  Vec3<double> sliding{};
  if (slides) {
    sliding = second.point_velocity() - (first.v + cross(first.w, motion.lever1));
    motion.bias.lin = 2.0 * cross(first.w, sliding);
  }

  switch (kind.turns) {
    case FreeTurns::none:
      break;
    case FreeTurns::about_z: {
      const Vec3<double> z = second.axis(2);
      add(z, kind.slides == FreeSlides::screw ? parameter * axis1(2) : Vec3<double>{});
      motion.bias.ang = cross(first.w, second.w);  // ω₂ × z q̇ with z q̇ = ω₂ − ω₁
      break;
    }
    case FreeTurns::about_x1_y2: {
      const Vec3<double> x = axis1(0);
      const Vec3<double> y = second.axis(1);
      add(x, {});
      add(y, {});
      motion.bias.ang = dot(w, x) * cross(first.w, x) + dot(w, y) * cross(second.w, y);
      break;
    }
    case FreeTurns::no_twist: {
      const Row row = NoTwist{}.row(first, second);
      const Vec3<double>& g = row.second.ang;
      Vec3<double> a{};
      Vec3<double> b{};
      two_across(g, a, b);
      add(a, {});
      add(b, {});
      motion.bias.ang = (row.gamma / dot(g, g)) * g;
      break;
    }
    case FreeTurns::all:
      for (std::size_t k = 0; k < 3; ++k) { add(axis_vector<double>(k), {}); }
      break;
  }
  switch (kind.slides) {
    case FreeSlides::none:
    case FreeSlides::screw:
      break;
    case FreeSlides::along_z:
      add({}, axis1(2));
      break;
    case FreeSlides::in_plane:
      add({}, axis1(0));
      add({}, axis1(1));
      break;
    case FreeSlides::circle:
    case FreeSlides::sphere: {
      const Vec3<double> d = second.point() - first.point();
      const double length = norm(d);
      const Vec3<double> n1 = d / length;
      motion.bias.lin -= (dot(sliding, sliding) / length) * n1;
      if (kind.slides == FreeSlides::circle) {
        const Vec3<double> t = cross(axis1(2), n1);
        add({}, t / norm(t));
      } else {
        Vec3<double> a{};
        Vec3<double> b{};
        two_across(n1, a, b);
        add({}, a);
        add({}, b);
      }
      break;
    }
    case FreeSlides::all:
      for (std::size_t k = 0; k < 3; ++k) { add({}, axis_vector<double>(k)); }
      break;
  }
  motion.freedoms = n;
}

namespace {

/// Both corrections follow one pattern: `turn` is what is wrong with the attitude or ω, `shift` with the position or v.
Pair correction(const JointKind& kind, double parameter, const End<double>& first, const End<double>& second,
                const Vec3<double>& turn, const Vec3<double>& shift, double twist, double cross_angle, double stretch) {
  Pair b{};
  switch (kind.turns) {
    case FreeTurns::none:
      b.ang = -turn;
      break;
    case FreeTurns::about_z: {
      const Vec3<double> z = second.axis(2);
      b.ang = dot(turn, z) * z - turn;
      break;
    }
    case FreeTurns::about_x1_y2: {
      const Vec3<double> g = cross(second.axis(1), first.axis(0));
      b.ang = (-cross_angle / dot(g, g)) * g;
      break;
    }
    case FreeTurns::no_twist: {
      const Vec3<double> g = NoTwist{}.row(first, second).second.ang;
      b.ang = (-twist / dot(g, g)) * g;
      break;
    }
    case FreeTurns::all:
      break;
  }
  const Vec3<double> z = first.axis(2);
  switch (kind.slides) {
    case FreeSlides::none:
      b.lin = -shift;
      break;
    case FreeSlides::along_z:
      b.lin = dot(shift, z) * z - shift;
      break;
    case FreeSlides::screw:
      b.lin = (parameter * dot(turn, z)) * z - shift;
      break;
    case FreeSlides::in_plane:
      b.lin = -dot(shift, z) * z;
      break;
    case FreeSlides::circle:
    case FreeSlides::sphere: {
      const Vec3<double> d = second.point() - first.point();
      b.lin = (-stretch / norm(d)) * d;
      if (kind.slides == FreeSlides::circle) { b.lin -= dot(shift, z) * z; }
      break;
    }
    case FreeSlides::all:
      break;
  }
  return b;
}

}  // namespace

Pair position_correction(const JointKind& kind, double parameter, const End<double>& first, const End<double>& second) {
  const Vec3<double> d = second.point() - first.point();
  // the small turn that takes the second frame away from where it may be
  Vec3<double> turn{};
  if (kind.turns == FreeTurns::none) {
    for (std::size_t k = 0; k < 3; ++k) { turn += 0.5 * cross(first.axis(k), second.axis(k)); }
  } else if (kind.turns == FreeTurns::about_z) {
    turn = cross(first.axis(2), second.axis(2));
  }
  Vec3<double> shift = d;
  if (kind.slides == FreeSlides::screw) {
    shift = d + (screw_row(parameter, first, second).value - dot(d, first.axis(2))) * first.axis(2);
  }
  return correction(kind, parameter, first, second, turn, shift, NoTwist{}.value(first, second),
                    Across{1, 0}.value(first, second), norm(d) - parameter);
}

Pair velocity_correction(const JointKind& kind, double parameter, const End<double>& first, const End<double>& second) {
  const Vec3<double> w = second.w - first.w;
  const bool slides = kind.slides != FreeSlides::none;
  const Vec3<double> lever1 = slides ? second.point() - first.r : first.lever;
  const Vec3<double> v = second.point_velocity() - (first.v + cross(first.w, lever1));
  const Vec3<double> d = second.point() - first.point();
  const double length = norm(d);
  return correction(kind, parameter, first, second, w, v, dot(NoTwist{}.row(first, second).second.ang, w),
                    dot(cross(second.axis(1), first.axis(0)), w), length > 0 ? dot(d, v) / length : 0);
}

bool has_row(Coordinate coordinate) { return coordinate < Coordinate::rotation_x || coordinate == Coordinate::swing; }

std::vector<Coordinate> JointKind::acted_on() const {
  std::vector<Coordinate> list;
  std::copy_if(coordinates.begin(), coordinates.end(), std::back_inserter(list), has_row);
  if (turns >= FreeTurns::about_x1_y2) { list.push_back(Coordinate::swing); }
  return list;
}

CoordinateValue joint_coordinate(Coordinate coordinate, const End<double>& first, const End<double>& second) {
  const Vec3<double> w = second.w - first.w;
  if (has_row(coordinate)) {
    const Row row = coordinate_row(coordinate, first, second);
    return {row.value, dot(row.first, {first.w, first.v}) + dot(row.second, {second.w, second.v})};
  }
  const std::size_t i = coordinate == Coordinate::rotation_x ? 0 : coordinate == Coordinate::rotation_y ? 1 : 2;
  const Mat3<double> R = transpose(first.axes) * second.axes;
  return {rotation_vector(from_matrix(R))[i], dot(w, first.axis(i))};
}

}  // namespace polhode
