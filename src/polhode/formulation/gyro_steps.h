#pragma once

#include "polhode/motion/state.h"

/// Implicit steps of a free body as physics engines take them, in principal axes: the gyroscopic term at the end of the
/// step by one Newton iteration, and the midpoint rule by a few. Peers of polhode/step.hpp, written from the formulas.
namespace polhode {

namespace detail {
/// The solution x of (1 + [v×] in J's units) x = r, i.e. of x_i + k_i (v_j x_k + v_k x_j) = r_i, by cofactors.
template <class S>
constexpr Vec3<S> solve_gyro(const Vec3<S>& k, const Vec3<S>& v, const Vec3<S>& r) {
  const S xy = k.x * v.z;
  const S xz = k.x * v.y;
  const S yx = k.y * v.z;
  const S yz = k.y * v.x;
  const S zx = k.z * v.y;
  const S zy = k.z * v.x;
  const Vec3<S> c0{S(1) - yz * zy, yz * zx - yx, yx * zy - zx};
  const Vec3<S> c1{xz * zy - xy, S(1) - xz * zx, xy * zx - zy};
  const Vec3<S> c2{xy * yz - xz, xz * yx - yz, S(1) - xy * yx};
  const S inverse = S(1) / (c0.x + xy * c0.y + xz * c0.z);
  return {inverse * (c0.x * r.x + c1.x * r.y + c2.x * r.z), inverse * (c0.y * r.x + c1.y * r.y + c2.y * r.z),
          inverse * (c0.z * r.x + c1.z * r.y + c2.z * r.z)};
}
/// (J3 − J2)/J1, (J1 − J3)/J2, (J2 − J1)/J3
template <class S>
constexpr Vec3<S> gyration(const Vec3<S>& J_B) {
  return {(J_B.z - J_B.y) / J_B.x, (J_B.x - J_B.z) / J_B.y, (J_B.y - J_B.x) / J_B.z};
}
}  // namespace detail

/// One step h of a free body; the gyroscopic term at the new rate by one Newton iteration from the old one.
///
///   J′(ω′₁ − ω′) + h ω′₁ × J′ω′₁ = 0,   e ← e + ½ h e ∘ (0; ω′₁),   e ← e/|e|      (STP-1) [Catto2015]
///
/// Turns energy into nothing. `J_B`: principal moments.
template <class S>
void newton_gyro_step(const Vec3<S>& J_B, const S& h, MotionState<S>& state) {
  const Vec3<S> k = detail::gyration(J_B);
  const Vec3<S> v = h * state.w_B;
  const Vec3<S> residual{k.x * v.y * state.w_B.z, k.y * v.z * state.w_B.x, k.z * v.x * state.w_B.y};
  state.w_B = state.w_B - detail::solve_gyro(k, v, residual);
  state.e_NB = normalized(state.e_NB + (S(0.5) * h) * (state.e_NB * pure(state.w_B)));
}

/// One step h of a free body by the midpoint rule, `iterations` of Newton's method from g = ½ h ω′.
///
///   J′g + g × J′g = ½ h J′ω′,   J′ω′ ← Fᵀ J′ω′,   e ← e ∘ (1; g)/√(1 + |g|²)         (STP-2)
///
/// F is the matrix of (1; g). Solved to the end it keeps T; |h| and the momentum in space are kept for any g.
template <class S>
void midpoint_step(const Vec3<S>& J_B, const S& h, int iterations, MotionState<S>& state) {
  const Vec3<S> k = detail::gyration(J_B);
  const Vec3<S> a = (S(0.5) * h) * state.w_B;
  Vec3<S> g = a;
  for (int n = 0; n < iterations; ++n) {
    const Vec3<S> residual{g.x + k.x * g.y * g.z - a.x, g.y + k.y * g.z * g.x - a.y, g.z + k.z * g.x * g.y - a.z};
    g = g - detail::solve_gyro(k, g, residual);
  }
  const S factor = S(2) / (S(1) + dot(g, g));
  const Vec3<S> h_B{J_B.x * state.w_B.x, J_B.y * state.w_B.y, J_B.z * state.w_B.z};
  const Vec3<S> across = cross(h_B, g);
  const Vec3<S> turned = h_B + factor * (across + cross(across, g));
  state.w_B = {turned.x / J_B.x, turned.y / J_B.y, turned.z / J_B.z};
  state.e_NB = normalized(state.e_NB * EulerParameters<S>{S(1), g});
}

}  // namespace polhode
