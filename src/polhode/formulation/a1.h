#pragma once

#include "polhode/formulation/chart_forms.h"

namespace polhode {

/// Virtual power in any three coordinates; the source has Euler angles.
///
///   Bᵀ J' B θ̈ = Bᵀ [n' − (Bθ̇) × (J' Bθ̇) − J' Ḃ θ̇ − J̇' B θ̇]      (DYN-21) [SchwabMeijaard2006, eq. 19]
template <Chart C>
struct A1 : CoordinateState<C> {
  FormDescription describe() const {
    return this->description("a1", "B^T J' B x.. = B^T [n' - (B x.) x (J' B x.) - J' B. x.]", "x1 x2 x3 x1. x2. x3.",
                             "SchwabMeijaard2006 (19)", "B^T [(B x.) x (J' B x.)]", "x.");
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const Vec3<S> x = take_vector(y);
    if (!this->inside(x)) { return this->nowhere(ydot); }
    const Vec3<S> xdot = take_vector(y + 3);
    const Mat3<S> B = rate_matrix<Body>(this->chart, x);
    const Mat3<S> Bdot = rate_matrix_rate<Body>(this->chart, x, xdot);
    const Vec3<S> w_B = B * xdot;
    const Vec3<S> right =
        load.torque_B() - cross(w_B, inertia.J_B * w_B) - inertia.J_B * (Bdot * xdot) - inertia.Jdot_B * w_B;
    return this->solve(B, inertia, transpose_times(B, right), y, ydot);  // (DYN-21)
  }
};

template <class Visit>
void visit_a1(Visit& visit) {
  visit_all_charts<A1>(visit);
}

}  // namespace polhode
