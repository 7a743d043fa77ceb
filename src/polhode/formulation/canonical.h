#pragma once

#include "polhode/formulation/describe.h"

namespace polhode {

/// Hamilton's equations in Euler parameters and their canonical momenta π = ∂T/∂ė.
///
///   π = 2 e ∘ (0; h'),   h' = ½ E_body π,   H = ⅛ (E_body π)ᵀ J'⁻¹ (E_body π)
///   ė = ¼ E_bodyᵀ J'⁻¹ E_body π = ½ e ∘ (0; ω')
///   π̇ = ½ π ∘ (0; ω') + 2 e ∘ (0; n')/|e|²,  n' at e/|e|    (DYN-7)
///
/// State (e0 e1 e2 e3 | p0 p1 p2 p3). Keeps |e| and e·π. Form H3. Off |e| = 1, too, these are Hamilton's equations,
/// with a potential that depends on e/|e| alone: stages of a symplectic method lie there.
struct Canonical {
  FormDescription describe() const {
    return {.name = "canonical",
            .equation = "pi. = 1/2 pi o (0, w') + 2 e o (0, n');  e. = 1/4 L^T J'^-1 L pi",
            .unknowns = "e0 e1 e2 e3 pi0 pi1 pi2 pi3",
            .reference = "Hamilton's equations for T = 2 e.^T L^T J' L e.",
            .size = 8,
            .row_scale = {},
            .multiplier = {},
            .singularity = {},
            .gyroscopic_term = "-1/2 pi o (0, w'), w' = 1/2 J'^-1 L pi",
            .gyroscopic_unknowns = "e and pi",
            .gyroscopic_degree = 3};
  }
  template <class S>
  void to_state(const InertiaNow<S>& inertia, const EulerParameters<S>& e_NB, const Vec3<S>& w_B, S* y) const {
    put(y, e_NB);
    put(y + 4, S(2) * (e_NB * pure(inertia.J_B * w_B)));
  }
  template <class S>
  void from_state(const InertiaNow<S>& inertia, const S* y, EulerParameters<S>& e_NB, Vec3<S>& w_B) const {
    e_NB = take_euler_parameters(y);
    w_B = inertia.J_inverse_B * momentum_B(e_NB, take_euler_parameters(y + 4));
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const EulerParameters<S> e_NB = take_euler_parameters(y);
    const EulerParameters<S> pi = take_euler_parameters(y + 4);
    const Vec3<S> h_B = momentum_B(e_NB, pi);
    const Vec3<S> w_B = inertia.J_inverse_B * h_B;
    BodyState<S> unit = load.state();
    unit.e_NB = normalized(e_NB);
    const Vec3<S> tau_B = load.at(unit).torque_B();
    put(ydot, rate_from_body(e_NB, w_B));
    put(ydot + 4, S(0.5) * (pi * pure(w_B)) + (S(2) / norm_squared(e_NB)) * (e_NB * pure(tau_B)));  // (DYN-7)
    return {inertia.J_inverse_B * (tau_B - inertia.Jdot_B * w_B - cross(w_B, h_B)), std::nullopt};
  }
  /// e to the sphere, and π tangent to it.
  template <class S>
  void project(S* y) const {
    const EulerParameters<S> e_NB = normalized(take_euler_parameters(y));
    const EulerParameters<S> pi = take_euler_parameters(y + 4);
    put(y, e_NB);
    put(y + 4, pi - dot(e_NB, pi) * e_NB);
  }

 private:
  /// h' = ½ E_body π
  template <class S>
  static Vec3<S> momentum_B(const EulerParameters<S>& e_NB, const EulerParameters<S>& pi) {
    return S(0.5) * (conjugate(e_NB) * pi).ev;
  }
};

template <class Visit>
void visit_canonical(Visit& visit) {
  visit(Canonical{});
}

}  // namespace polhode
