#pragma once

#include "polhode/formulation/describe.h"

namespace polhode {

/// Euler's equations in the space frame: the inertia turns with the body.
///
///   ė = ½ (0; ω) ∘ e                                        (KIN-13)
///   J ω̇ = τ − ω × J ω − A J̇' Aᵀ ω,   J = A J' Aᵀ            (DYN-4)
///
/// State (e0 e1 e2 e3 | w1 w2 w3), space components.
struct EulerSpace {
  FormDescription describe() const {
    return {.name = "euler-space",
            .equation = "J w. + w x J w = tau, J = A J' A^T;  e. = 1/2 (0, w) o e",
            .unknowns = "e0 e1 e2 e3 w1 w2 w3 (space)",
            .reference = "world columns of the update schemes",
            .size = 7,
            .row_scale = {},
            .multiplier = {},
            .singularity = {},
            .gyroscopic_term = "w x J w, J = A J' A^T",
            .gyroscopic_unknowns = "e and w",
            .gyroscopic_degree = 6};
  }
  template <class S>
  void to_state(const InertiaNow<S>&, const EulerParameters<S>& e_NB, const Vec3<S>& w_B, S* y) const {
    put(y, e_NB);
    put(y + 4, rotate(e_NB, w_B));
  }
  template <class S>
  void from_state(const InertiaNow<S>&, const S* y, EulerParameters<S>& e_NB, Vec3<S>& w_B) const {
    e_NB = take_euler_parameters(y);
    w_B = rotate_back(e_NB, take_vector(y + 4));
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const EulerParameters<S> e_NB = take_euler_parameters(y);
    const Vec3<S> w_N = take_vector(y + 4);
    const Mat3<S> A = rotation_matrix(e_NB);
    const Vec3<S> tau_N = A * load.torque_B();
    const Vec3<S> h_N = A * (inertia.J_B * transpose_times(A, w_N));
    const Vec3<S> drift_N = A * (inertia.Jdot_B * transpose_times(A, w_N));
    const Vec3<S> wdot_N =
        A * (inertia.J_inverse_B * transpose_times(A, tau_N - cross(w_N, h_N) - drift_N));  // (DYN-4)
    put(ydot, rate_from_space(e_NB, w_N));                                                  // (KIN-13)
    put(ydot + 4, wdot_N);
    return {transpose_times(A, wdot_N), std::nullopt};  // ω̇' = Aᵀ ω̇
  }
  template <class S>
  void project(S* y) const {
    put(y, normalized(take_euler_parameters(y)));
  }
};

template <class Visit>
void visit_euler_space(Visit& visit) {
  visit(EulerSpace{});
}

}  // namespace polhode
