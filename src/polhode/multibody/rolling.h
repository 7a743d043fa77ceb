#pragma once

#include "polhode/multibody/parts.h"

#include <array>
#include <string>

/// Constraints on velocities that no constraint on positions stands behind: rolling without slip, and edges.
namespace polhode {

/// A wheel on a plane that does not slip and does not leave it: a ring of radius R about an axis of the body, thickened
/// by an edge radius ρ (0: a knife edge). R = 0 is a ball of radius ρ.
///
///   c = −R m/|m| − ρ n,   m = n − (n·a) a,   v + ω × (ℓ + c) = 0      (MEC-21)
///
/// a: the axis, n: the normal of the plane, ℓ: from the mass centre to the centre of the ring. Of the three rows the
/// last, along n, is also one on positions.
struct Rolling {
  std::string name;
  int body = -1;
  Vec3<double> center_B{};       ///< of the ring, from the origin of the body's frame
  Vec3<double> axis_B{0, 0, 1};  ///< a unit vector
  double radius = 0;
  double edge_radius = 0;
  Vec3<double> point_N{};          ///< of the plane
  Vec3<double> normal_N{0, 0, 1};  ///< a unit vector, to the side where the body is
};

/// A blade that does not move across itself.
///
///   b·(v + ω × ℓ) = 0,   b fixed in the body                (MEC-22)
struct Blade {
  std::string name;
  int body = -1;
  Vec3<double> point_B{};
  Vec3<double> across_B{0, 1, 0};  ///< a unit vector
};

/// From the mass centre to the point of contact, space components. `end`: the body, with lever to the centre of the
/// ring and the axis as third axis of its frame.
Vec3<double> contact_lever(const Rolling& rolling, const End<double>& end);

/// Two rows along the plane, then one along its normal. They act on the second body; the first is ground.
std::array<Row, 3> rolling_rows(const Rolling& rolling, const End<double>& end);
/// `end`: lever to the point, b as third axis.
Row blade_row(const End<double>& end);

}  // namespace polhode
