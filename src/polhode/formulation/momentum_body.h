#pragma once

#include "polhode/formulation/describe.h"

namespace polhode {

/// Angular momentum in the body frame.
///
///   ḣ' = n' − ω' × h',   ω' = J'⁻¹ h',   ė = ½ e ∘ (0; ω')  (DYN-6)
///
/// State (e0 e1 e2 e3 | h1 h2 h3), body components. J̇' does not appear: h' takes it in. Form H2.
struct MomentumBody {
  FormDescription describe() const {
    return {.name = "momentum-body",
            .equation = "h'. = n' - w' x h', w' = J'^-1 h';  e. = 1/2 e o (0, w')",
            .unknowns = "e0 e1 e2 e3 h1 h2 h3 (body)",
            .reference = "body columns of the update schemes",
            .size = 7,
            .row_scale = {},
            .multiplier = {},
            .singularity = {},
            .gyroscopic_term = "w' x h', w' = J'^-1 h'",
            .gyroscopic_unknowns = "h'",
            .gyroscopic_degree = 2};
  }
  template <class S>
  void to_state(const InertiaNow<S>& inertia, const EulerParameters<S>& e_NB, const Vec3<S>& w_B, S* y) const {
    put(y, e_NB);
    put(y + 4, inertia.J_B * w_B);
  }
  template <class S>
  void from_state(const InertiaNow<S>& inertia, const S* y, EulerParameters<S>& e_NB, Vec3<S>& w_B) const {
    e_NB = take_euler_parameters(y);
    w_B = inertia.J_inverse_B * take_vector(y + 4);
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const EulerParameters<S> e_NB = take_euler_parameters(y);
    const Vec3<S> h_B = take_vector(y + 4);
    const Vec3<S> w_B = inertia.J_inverse_B * h_B;
    const Vec3<S> hdot_B = load.torque_B() - cross(w_B, h_B);  // (DYN-6)
    put(ydot, rate_from_body(e_NB, w_B));
    put(ydot + 4, hdot_B);
    return {inertia.J_inverse_B * (hdot_B - inertia.Jdot_B * w_B), std::nullopt};
  }
  template <class S>
  void project(S* y) const {
    put(y, normalized(take_euler_parameters(y)));
  }
};

template <class Visit>
void visit_momentum_body(Visit& visit) {
  visit(MomentumBody{});
}

}  // namespace polhode
