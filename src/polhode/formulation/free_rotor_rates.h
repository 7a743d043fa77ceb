#pragma once

#include "polhode/math/explicit_kernels.h"
#include "polhode/math/vec3.h"

namespace polhode {

/// Euler's equations of a free body in principal axes, y = (e0 e1 e2 e3 | w1 w2 w3): the right-hand side that steps are
/// compiled with, for numbers and for packs of them. 30 operations.
///
///   ω̇1 = (J2 − J3)/J1 ω2 ω3 and so on in turn,   ė = ½ e ∘ (0; ω')          (DYN-3), (KIN-12)
template <class S>
struct FreeRotorRates {
  Vec3<S> gyration{};  ///< (J2 − J3)/J1 and its like

  template <class T>
  POLHODE_KERNEL void operator()(const T&, const T* y, T* ydot) const {
    const T e0 = y[0], e1 = y[1], e2 = y[2], e3 = y[3];
    const T w1 = y[4], w2 = y[5], w3 = y[6];
    const T h1 = T(0.5) * w1, h2 = T(0.5) * w2, h3 = T(0.5) * w3;
    ydot[0] = -(e1 * h1) - e2 * h2 - e3 * h3;
    ydot[1] = e0 * h1 + e2 * h3 - e3 * h2;
    ydot[2] = e0 * h2 + e3 * h1 - e1 * h3;
    ydot[3] = e0 * h3 + e1 * h2 - e2 * h1;
    ydot[4] = gyration.x * w2 * w3;
    ydot[5] = gyration.y * w3 * w1;
    ydot[6] = gyration.z * w1 * w2;
  }
};

}  // namespace polhode
