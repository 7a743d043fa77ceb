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
  const force::CentralGravity::Pull<double> pull = gravity.on<double>(body)(r_N, R_NB);
  return {pull.moment_N, pull.force_N};
}

}  // namespace polhode
