#pragma once

#include "polhode/rotation/euler_parameters.h"

namespace polhode::catalog {

/// Where a frame of a robot is, seen from another: e_AB and r_AB_A.
struct RobotFrame {
  EulerParameters<double> e = EulerParameters<double>::identity();
  Vec3<double> r{};

  /// A to B, then B to C.
  friend RobotFrame operator*(const RobotFrame& ab, const RobotFrame& bc) {
    return {normalized(ab.e * bc.e), ab.r + rotate(ab.e, bc.r)};
  }
  friend RobotFrame inverse(const RobotFrame& ab) {
    const EulerParameters<double> e_BA = conjugate(ab.e);
    return {e_BA, -rotate(e_BA, ab.r)};
  }
};

}  // namespace polhode::catalog
