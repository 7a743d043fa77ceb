#include "polhode/body/outline.h"

#include "polhode/math/elementary.h"

namespace polhode {

Outline equivalent_outline(const MassProperties& body) {
  /// Moments this near to each other, in parts of the largest, look equal.
  constexpr double kEqual = 1e-6;
  const PrincipalAxes axes = principal_axes(body.J_B);
  const Vec3<double>& J = axes.moments;
  const bool round = axes.lower_gap() <= kEqual * J.z || axes.upper_gap() <= kEqual * J.z;
  const double factor = (round ? 2.5 : 6.0) / body.mass;
  const auto length_of = [&](double squared) { return squared > 0 ? math::sqrt(factor * squared) : 0.0; };
  return {.shape = round ? "ellipsoid" : "box",
          .lengths = {length_of(J.y + J.z - J.x), length_of(J.z + J.x - J.y), length_of(J.x + J.y - J.z)},
          .e_BC = axes.e_BP,
          .r_BC_B = body.center_B};
}

}  // namespace polhode
