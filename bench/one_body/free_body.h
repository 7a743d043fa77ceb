#pragma once

#include <array>

/// The free body with moments 1, 2, 3, written out by hand: what the peers run.
namespace polhode::bench {

using State = std::array<double, 7>;  ///< e0 e1 e2 e3 | w1 w2 w3

/// Principal moments; divisions by them are done once.
struct Moments {
  double c1;
  double c2;
  double c3;
};
inline constexpr Moments kMoments{(2.0 - 3.0) / 1.0, (3.0 - 1.0) / 2.0, (1.0 - 2.0) / 3.0};

inline void free_body(const double* y, const Moments& J, double* f) {
  f[0] = 0.5 * (-y[1] * y[4] - y[2] * y[5] - y[3] * y[6]);
  f[1] = 0.5 * (y[0] * y[4] + y[2] * y[6] - y[3] * y[5]);
  f[2] = 0.5 * (y[0] * y[5] + y[3] * y[4] - y[1] * y[6]);
  f[3] = 0.5 * (y[0] * y[6] + y[1] * y[5] - y[2] * y[4]);
  f[4] = J.c1 * y[5] * y[6];
  f[5] = J.c2 * y[6] * y[4];
  f[6] = J.c3 * y[4] * y[5];
}

/// One step of the classical Runge-Kutta method.
inline void rk4_by_hand(const Moments& J, double h, State& y) {
  double k1[7];
  double k2[7];
  double k3[7];
  double k4[7];
  double z[7];
  free_body(y.data(), J, k1);
  for (int i = 0; i < 7; ++i) { z[i] = y[static_cast<std::size_t>(i)] + 0.5 * h * k1[i]; }
  free_body(z, J, k2);
  for (int i = 0; i < 7; ++i) { z[i] = y[static_cast<std::size_t>(i)] + 0.5 * h * k2[i]; }
  free_body(z, J, k3);
  for (int i = 0; i < 7; ++i) { z[i] = y[static_cast<std::size_t>(i)] + h * k3[i]; }
  free_body(z, J, k4);
  for (int i = 0; i < 7; ++i) { y[static_cast<std::size_t>(i)] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]); }
}

}  // namespace polhode::bench
