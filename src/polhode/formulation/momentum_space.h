#pragma once

#include "polhode/formulation/describe.h"

namespace polhode {

/// Angular momentum in the space frame: free motion keeps h to the last bit.
///
///   ḣ = τ,   ω = A J'⁻¹ Aᵀ h,   ė = ½ (0; ω) ∘ e            (DYN-5)
///
/// State (e0 e1 e2 e3 | h1 h2 h3), space components. Form H1.
struct MomentumSpace {
  FormDescription describe() const {
    return {.name = "momentum-space",
            .equation = "h. = tau, w = A J'^-1 A^T h;  e. = 1/2 (0, w) o e",
            .unknowns = "e0 e1 e2 e3 h1 h2 h3 (space)",
            .reference = "world columns of the update schemes",
            .size = 7,
            .row_scale = {},
            .multiplier = {},
            .singularity = {}};
  }
  template <class S>
  void to_state(const InertiaNow<S>& inertia, const EulerParameters<S>& e_NB, const Vec3<S>& w_B, S* y) const {
    put(y, e_NB);
    put(y + 4, rotate(e_NB, inertia.J_B * w_B));
  }
  template <class S>
  void from_state(const InertiaNow<S>& inertia, const S* y, EulerParameters<S>& e_NB, Vec3<S>& w_B) const {
    e_NB = take_euler_parameters(y);
    w_B = inertia.J_inverse_B * rotate_back(e_NB, take_vector(y + 4));
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const EulerParameters<S> e_NB = take_euler_parameters(y);
    const Vec3<S> h_N = take_vector(y + 4);
    const Vec3<S> h_B = rotate_back(e_NB, h_N);
    const Vec3<S> w_B = inertia.J_inverse_B * h_B;
    const Vec3<S> tau_B = load.torque_B();
    put(ydot, rate_from_space(e_NB, rotate(e_NB, w_B)));
    put(ydot + 4, rotate(e_NB, tau_B));  // (DYN-5)
    return {inertia.J_inverse_B * (tau_B - inertia.Jdot_B * w_B - cross(w_B, h_B)), std::nullopt};
  }
  template <class S>
  void project(S* y) const {
    put(y, normalized(take_euler_parameters(y)));
  }
};

template <class Visit>
void visit_momentum_space(Visit& visit) {
  visit(MomentumSpace{});
}

}  // namespace polhode
