#pragma once

#include "polhode/body/surface.h"

#include <memory>
#include <string>
#include <vector>

/// How a body looks: the shapes that it was made of, or one that has its inertia.
namespace polhode {

/// A shape of shapes.h by name with its lengths in the order of that function's parameters, or its surface, in its own
/// frame C, and where it sits in the body B.
struct Outline {
  std::string shape;  ///< "box", "cylinder", "mesh"
  std::vector<double> lengths;
  EulerParameters<double> e_BC = EulerParameters<double>::identity();
  Vec3<double> r_BC_B{};  ///< from the origin of B to the origin of C
  bool hole = false;
  std::shared_ptr<const Surface> surface = nullptr;  ///< of a mesh; copies of a body share it

  friend bool operator==(const Outline& a, const Outline& b) {
    const bool same_surface = a.surface == b.surface || (a.surface && b.surface && *a.surface == *b.surface);
    return same_surface && a.shape == b.shape && a.lengths == b.lengths && a.e_BC == b.e_BC && a.r_BC_B == b.r_BC_B &&
           a.hole == b.hole;
  }
};

/// A homogeneous box with the mass, the mass centre and the moments of `body`; an ellipsoid where two moments are
/// equal, for a body of revolution should look like one.
///
///   edges       a² = 6 (J2 + J3 − J1)/m, and cyclic         from (INE-11)
///   semi-axes   a² = (5/2) (J2 + J3 − J1)/m, and cyclic     from (INE-12)
///
/// Moments that no body has (J1 + J2 < J3) give a length of zero.
Outline equivalent_outline(const MassProperties& body);

}  // namespace polhode
