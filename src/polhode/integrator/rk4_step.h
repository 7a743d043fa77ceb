#pragma once

#include <array>
#include <cstddef>

namespace polhode {

/// One step of the classical Runge-Kutta method for anything that can be called as
/// `f(t, const std::array<S, N>& y, std::array<S, N>& ydot)`; inlined, nothing virtual.
///
///   y ← y + dt/6 (k1 + 2 k2 + 2 k3 + k4)                    (INT-3) [HairerNorsettWanner1993, section II.1]
template <std::size_t N, class S, class F>
inline void rk4_step(F&& f, const S& t, const S& dt, std::array<S, N>& y) {
  const S half = dt * S(0.5);
  const S sixth = dt / S(6);
  std::array<S, N> k;
  std::array<S, N> at;
  std::array<S, N> sum;
  f(t, y, k);
  for (std::size_t i = 0; i < N; ++i) {
    sum[i] = k[i];
    at[i] = y[i] + half * k[i];
  }
  f(t + half, at, k);
  for (std::size_t i = 0; i < N; ++i) {
    sum[i] += k[i] + k[i];
    at[i] = y[i] + half * k[i];
  }
  f(t + half, at, k);
  for (std::size_t i = 0; i < N; ++i) {
    sum[i] += k[i] + k[i];
    at[i] = y[i] + dt * k[i];
  }
  f(t + dt, at, k);
  for (std::size_t i = 0; i < N; ++i) { y[i] += sixth * (sum[i] + k[i]); }
}

}  // namespace polhode
