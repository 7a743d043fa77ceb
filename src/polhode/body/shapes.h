#pragma once

#include "polhode/body/mass_properties.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>

/// Homogeneous bodies of simple shape, in frames that follow their symmetry; axes of revolution are z. A length
/// may be zero where a mass is given: a cylinder of no length is a thin disc, one of no radius a thin rod, a box
/// with one edge zero a plate, a tube with equal radii a thin shell.
namespace polhode {

/// How much material a shape holds.
struct Amount {
  enum class Kind : std::uint8_t { mass, density };
  Kind kind;
  double value;

  static Amount mass(double kg) { return {.kind = Kind::mass, .value = kg}; }
  static Amount density(double kg_per_m3) { return {.kind = Kind::density, .value = kg_per_m3}; }
};

namespace shape {

/// Edges along the axes, origin in the middle.              (INE-11)
MassProperties box(Amount amount, const Vec3<double>& edges);

/// Semi-axes along the axes, origin in the middle.          (INE-12)
MassProperties ellipsoid(Amount amount, const Vec3<double>& semi_axes);
MassProperties sphere(Amount amount, double radius);

/// Axis z, origin in the middle.                            (INE-13)
MassProperties cylinder(Amount amount, double radius, double length);

/// Cylinder with a coaxial bore, axis z, origin in the middle. (INE-14)
MassProperties tube(Amount amount, double outer_radius, double inner_radius, double length);

/// Cylinder of the given length with a hemisphere at each end, so 2 radius + length over all; axis z, origin in
/// the middle.                                              (INE-15)
MassProperties capsule(Amount amount, double radius, double cylinder_length);

/// Origin in the centre of the base, tip at (0, 0, height): the mass centre is at a quarter of the height. (INE-16)
MassProperties cone(Amount amount, double base_radius, double height);

struct PointMass {
  double mass;
  Vec3<double> r_B;
};
/// Masses at points: (INE-9) with Jᵢ = 0. Two or more on a line have no inertia about it.
MassProperties point_masses(std::span<const PointMass> points);

/// Corners of a triangle as indices into the points, counter-clockwise seen from outside.
using Triangle = std::array<std::uint32_t, 3>;

/// What messages call a point and a triangle of a mesh, by its index; where nothing is given, 3 and triangles[5].
struct MeshNames {
  std::function<std::string(std::size_t)> point;
  std::function<std::string(std::size_t)> triangle;
};

/// The solid that a closed surface of triangles encloses, in the frame of its points: exact integrals over signed
/// tetrahedra (mesh_integrals.h), summed about the mass centre so that a mesh far from its origin loses nothing.
///
/// Several shells are allowed: bodies side by side, cavities (outside is then where the cavity is: triangles face
/// away from the material), bodies in cavities. Refused, with the edge or triangle named: an open mesh, neighbours of
/// opposite sense, shells that are inside out, no volume. Triangles that cut through each other are not looked for.
MassProperties mesh(Amount amount, std::span<const Vec3<double>> points_B, std::span<const Triangle> triangles,
                    const MeshNames& names = {});

}  // namespace shape
}  // namespace polhode
