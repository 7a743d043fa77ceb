#pragma once

#include "polhode/multibody/joint.h"
#include "polhode/rotation/axis_angle.h"
#include "polhode/rotation/rotation_matrix.h"

/// Motions, corrections and coordinates of joints for any number type. Their double versions are compiled in joint.cpp.
namespace polhode {
namespace detail {

/// Two unit vectors across n and each other; which ones does not matter.
template <class S>
void two_across(const Vec3<S>& n, Vec3<S>& a, Vec3<S>& b) {
  using std::fabs;
  const auto x = fabs(value_of(n.x));
  const auto y = fabs(value_of(n.y));
  const auto z = fabs(value_of(n.z));
  const Vec3<S> other = axis_vector<S>(x <= y && x <= z ? 0 : y <= z ? 1 : 2);
  a = cross(n, other);
  a = a / norm(a);
  b = cross(n, a);
  b = b / norm(b);
}

}  // namespace detail

template <class S>
void joint_motion(const JointKind& kind, double parameter, const End<S>& first, const End<S>& second,
                  JointMotionOf<S>& motion) {
  std::size_t n = 0;
  const auto add = [&](const Vec3<S>& ang, const Vec3<S>& lin) { motion.columns[n++] = {ang, lin}; };
  const auto axis1 = [&](std::size_t i) { return first.axis(i); };
  const Vec3<S> w = second.w - first.w;
  motion.bias = {};
  motion.lever2 = second.lever;

  // where P is on the first body, and how P moves there
  const bool slides = kind.slides != FreeSlides::none;
  motion.lever1 = slides ? second.point() - first.r : first.lever;
  Vec3<S> sliding{};
  if (slides) {
    sliding = second.point_velocity() - (first.v + cross(first.w, motion.lever1));
    motion.bias.lin = S(2) * cross(first.w, sliding);
  }

  switch (kind.turns) {
    case FreeTurns::none:
      break;
    case FreeTurns::about_z: {
      const Vec3<S> z = second.axis(2);
      add(z, kind.slides == FreeSlides::screw ? S(parameter) * axis1(2) : Vec3<S>{});
      motion.bias.ang = cross(first.w, second.w);  // ω₂ × z q̇ with z q̇ = ω₂ − ω₁
      break;
    }
    case FreeTurns::about_x1_y2: {
      const Vec3<S> x = axis1(0);
      const Vec3<S> y = second.axis(1);
      add(x, {});
      add(y, {});
      motion.bias.ang = dot(w, x) * cross(first.w, x) + dot(w, y) * cross(second.w, y);
      break;
    }
    case FreeTurns::no_twist: {
      const RowOf<S> row = NoTwist{}.row(first, second);
      const Vec3<S>& g = row.second.ang;
      Vec3<S> a{};
      Vec3<S> b{};
      detail::two_across(g, a, b);
      add(a, {});
      add(b, {});
      motion.bias.ang = (row.gamma / dot(g, g)) * g;
      break;
    }
    case FreeTurns::all:
      for (std::size_t k = 0; k < 3; ++k) { add(axis_vector<S>(k), {}); }
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
      const Vec3<S> d = second.point() - first.point();
      const S length = norm(d);
      const Vec3<S> n1 = d / length;
      motion.bias.lin -= (dot(sliding, sliding) / length) * n1;
      if (kind.slides == FreeSlides::circle) {
        const Vec3<S> t = cross(axis1(2), n1);
        add({}, t / norm(t));
      } else {
        Vec3<S> a{};
        Vec3<S> b{};
        detail::two_across(n1, a, b);
        add({}, a);
        add({}, b);
      }
      break;
    }
    case FreeSlides::all:
      for (std::size_t k = 0; k < 3; ++k) { add({}, axis_vector<S>(k)); }
      break;
  }
  motion.freedoms = n;
}

namespace detail {

/// Both corrections follow one pattern: `turn` is what is wrong with the attitude or ω, `shift` with the position or v.
template <class S>
PairOf<S> correction(const JointKind& kind, double parameter, const End<S>& first, const End<S>& second,
                     const Vec3<S>& turn, const Vec3<S>& shift, const S& twist, const S& cross_angle,
                     const S& stretch) {
  PairOf<S> b{};
  switch (kind.turns) {
    case FreeTurns::none:
      b.ang = -turn;
      break;
    case FreeTurns::about_z: {
      const Vec3<S> z = second.axis(2);
      b.ang = dot(turn, z) * z - turn;
      break;
    }
    case FreeTurns::about_x1_y2: {
      const Vec3<S> g = cross(second.axis(1), first.axis(0));
      b.ang = (-cross_angle / dot(g, g)) * g;
      break;
    }
    case FreeTurns::no_twist: {
      const Vec3<S> g = NoTwist{}.row(first, second).second.ang;
      b.ang = (-twist / dot(g, g)) * g;
      break;
    }
    case FreeTurns::all:
      break;
  }
  const Vec3<S> z = first.axis(2);
  switch (kind.slides) {
    case FreeSlides::none:
      b.lin = -shift;
      break;
    case FreeSlides::along_z:
      b.lin = dot(shift, z) * z - shift;
      break;
    case FreeSlides::screw:
      b.lin = (S(parameter) * dot(turn, z)) * z - shift;
      break;
    case FreeSlides::in_plane:
      b.lin = -dot(shift, z) * z;
      break;
    case FreeSlides::circle:
    case FreeSlides::sphere: {
      const Vec3<S> d = second.point() - first.point();
      b.lin = (-stretch / norm(d)) * d;
      if (kind.slides == FreeSlides::circle) { b.lin -= dot(shift, z) * z; }
      break;
    }
    case FreeSlides::all:
      break;
  }
  return b;
}

}  // namespace detail

template <class S>
PairOf<S> position_correction(const JointKind& kind, double parameter, const End<S>& first, const End<S>& second) {
  const Vec3<S> d = second.point() - first.point();
  // the small turn that takes the second frame away from where it may be
  Vec3<S> turn{};
  if (kind.turns == FreeTurns::none) {
    for (std::size_t k = 0; k < 3; ++k) { turn += S(0.5) * cross(first.axis(k), second.axis(k)); }
  } else if (kind.turns == FreeTurns::about_z) {
    turn = cross(first.axis(2), second.axis(2));
  }
  Vec3<S> shift = d;
  if (kind.slides == FreeSlides::screw) {
    shift = d + (screw_row(parameter, first, second).value - dot(d, first.axis(2))) * first.axis(2);
  }
  return detail::correction<S>(kind, parameter, first, second, turn, shift, NoTwist{}.value(first, second),
                               Across{1, 0}.value(first, second), norm(d) - S(parameter));
}

template <class S>
PairOf<S> velocity_correction(const JointKind& kind, double parameter, const End<S>& first, const End<S>& second) {
  const Vec3<S> w = second.w - first.w;
  const bool slides = kind.slides != FreeSlides::none;
  const Vec3<S> lever1 = slides ? second.point() - first.r : first.lever;
  const Vec3<S> v = second.point_velocity() - (first.v + cross(first.w, lever1));
  const Vec3<S> d = second.point() - first.point();
  const S length = norm(d);
  return detail::correction<S>(kind, parameter, first, second, w, v, dot(NoTwist{}.row(first, second).second.ang, w),
                               dot(cross(second.axis(1), first.axis(0)), w),
                               value_of(length) > 0 ? dot(d, v) / length : S(0));
}

template <class S>
CoordinateValueOf<S> joint_coordinate(Coordinate coordinate, const End<S>& first, const End<S>& second) {
  const Vec3<S> w = second.w - first.w;
  if (has_row(coordinate)) {
    const RowOf<S> row = coordinate_row(coordinate, first, second);
    return {row.value, dot(row.first, {first.w, first.v}) + dot(row.second, {second.w, second.v})};
  }
  const std::size_t i = coordinate == Coordinate::rotation_x ? 0 : coordinate == Coordinate::rotation_y ? 1 : 2;
  const Mat3<S> R = transpose(first.axes) * second.axes;
  return {rotation_vector(from_matrix(R))[i], dot(w, first.axis(i))};
}

extern template void joint_motion(const JointKind&, double, const End<double>&, const End<double>&, JointMotion&);
extern template Pair position_correction(const JointKind&, double, const End<double>&, const End<double>&);
extern template Pair velocity_correction(const JointKind&, double, const End<double>&, const End<double>&);
extern template CoordinateValue joint_coordinate(Coordinate, const End<double>&, const End<double>&);

}  // namespace polhode
