#include "polhode/multibody/forces.h"

namespace polhode {

std::array<Row, 6> bushing_rows(const End<double>& first, const End<double>& second) {
  std::array<Row, 6> rows;
  const std::array<double, 6> strain = bushing_strain(first, second);
  for (std::size_t i = 0; i < 3; ++i) { rows[i] = Along{i}.row(first, second); }
  // θ̇ = S⁻¹ ω' with ω' of the second frame in its own components
  const Mat3<double> inverse = RotationVector{}.inverse_body_rate_matrix(Vec3<double>{strain[3], strain[4], strain[5]});
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3<double> g = second.axes * Vec3<double>{inverse(i, 0), inverse(i, 1), inverse(i, 2)};
    rows[3 + i].first.ang = -g;
    rows[3 + i].second.ang = g;
    rows[3 + i].value = strain[3 + i];
  }
  return rows;
}

Pair attraction(const CentralGravity& gravity, const MassProperties& body, const Vec3<double>& r_N,
                const Mat3<double>& R_NB) {
  const Vec3<double> d = r_N - gravity.center_N;
  const double r = norm(d);
  const Vec3<double> u = d / r;
  const Vec3<double> Ju = R_NB * (body.J_B * transpose_times(R_NB, u));
  const double r2 = r * r;
  const double next = 3 * gravity.mu / (2 * r2 * r2);
  const Vec3<double> force =
      (-gravity.mu * body.mass / r2 - next * (trace(body.J_B) - 5 * dot(u, Ju))) * u - (2 * next) * Ju;
  return {(3 * gravity.mu / (r2 * r)) * cross(u, Ju), force};
}

}  // namespace polhode
