#pragma once

#include "polhode/math/explicit_kernels.h"

#include <array>
#include <cstddef>

/// Steps of the explicit methods on a group as templates over the group, anything with
///
///   algebra(t, y, xi)           ξ(t, y)
///   act(y, a)                   y ← y · exp(a)
///   dexp_inverse(a, xi, adot)   the inverse of the differential of exp
///
/// for numbers and for packs of lanes. State and Algebra are rows with size() and []: std::array, or std::vector for
/// sizes that are known late. The scratch memory is the caller's; `y` of it is where the step ends.
namespace polhode {

template <class State, class Algebra>
struct Rkmk4Rows {
  State y;
  Algebra u;
  Algebra xi;
  std::array<Algebra, Rk4Tableau::stages> k;
};

/// Runge-Kutta-Munthe-Kaas: the classical method for a(t) with y(t) = y · exp(a(t)), a(0) = 0,
///
///   k_i = dexp⁻¹_{u_i} ξ(t + c_i dt, y · exp(u_i)),  u_i = dt Σ_j a_ij k_j,   y ← y · exp(dt Σ b_i k_i)   (INT-10)
///
/// [MuntheKaas1999]
template <class S, class Group, class Start, class State, class Algebra>
POLHODE_KERNEL void rkmk4_step(const Group& group, const S& t, const S& dt, const Start& start,
                               Rkmk4Rows<State, Algebra>& rows) {
  constexpr std::size_t kStages = Rk4Tableau::stages;
  const auto move = [&]<class W>(W) POLHODE_INLINED {
    for (std::size_t i = 0; i < rows.u.size(); ++i) {
      S sum(0);
      kernel::unrolled<W::count>([&](auto j) POLHODE_INLINED {
        if constexpr (W::at(j) != 0) {
          constexpr auto kWeight = static_cast<kernel::Constant<S>>(W::at(j));
          sum += S(kWeight) * rows.k[j][i];
        }
      });
      rows.u[i] = dt * sum;
    }
    for (std::size_t i = 0; i < rows.y.size(); ++i) { rows.y[i] = start[i]; }
    group.act(rows.y, rows.u);
  };
  kernel::unrolled<kStages>([&](auto i) POLHODE_INLINED {
    constexpr auto kTime = static_cast<kernel::Constant<S>>(Rk4Tableau::c[i]);
    move(kernel::StageWeights<Rk4Tableau, i>{});
    group.algebra(t + S(kTime) * dt, rows.y, rows.xi);
    group.dexp_inverse(rows.u, rows.xi, rows.k[i]);
  });
  move(kernel::EndWeights<Rk4Tableau>{});
}

template <class State, class Algebra>
struct Cf4Rows {
  State y;
  State y2;
  Algebra a;
  std::array<Algebra, 4> xi;  ///< finite at the start of a step
};

/// Commutator-free method of order 4 with two exponentials at the end, one of them shared by two stages:
///
///   ξ1 = ξ(t, y)
///   ξ2 = ξ(t + dt/2, y2),  y2 = y · exp(dt ξ1/2)
///   ξ3 = ξ(t + dt/2, y · exp(dt ξ2/2))
///   ξ4 = ξ(t + dt, y2 · exp(dt (ξ3 − ξ1/2)))
///   y ← y · exp(dt (3 ξ1 + 2 ξ2 + 2 ξ3 − ξ4)/12) · exp(dt (−ξ1 + 2 ξ2 + 2 ξ3 + 3 ξ4)/12)          (INT-11)
///
/// [CelledoniMarthinsenOwren2003]
template <class S, class Group, class Start, class State, class Algebra>
POLHODE_KERNEL void cf4_step(const Group& group, const S& t, const S& dt, const Start& start,
                             Cf4Rows<State, Algebra>& rows) {
  const S half = dt / S(2);
  const S twelfth = dt / S(12);
  const auto begin = [&](State& y) {
    for (std::size_t i = 0; i < y.size(); ++i) { y[i] = start[i]; }
  };
  const auto move = [&](State& y, const S& h, double w1, double w2, double w3, double w4) {
    for (std::size_t i = 0; i < rows.a.size(); ++i) {
      rows.a[i] = h * (S(w1) * rows.xi[0][i] + S(w2) * rows.xi[1][i] + S(w3) * rows.xi[2][i] + S(w4) * rows.xi[3][i]);
    }
    group.act(y, rows.a);
  };
  begin(rows.y);
  group.algebra(t, rows.y, rows.xi[0]);

  begin(rows.y2);
  move(rows.y2, half, 1, 0, 0, 0);
  group.algebra(t + half, rows.y2, rows.xi[1]);

  move(rows.y, half, 0, 1, 0, 0);
  group.algebra(t + half, rows.y, rows.xi[2]);

  move(rows.y2, half, -1, 0, 2, 0);
  group.algebra(t + dt, rows.y2, rows.xi[3]);

  begin(rows.y);
  move(rows.y, twelfth, 3, 2, 2, -1);
  move(rows.y, twelfth, -1, 2, 2, 3);
}

}  // namespace polhode
