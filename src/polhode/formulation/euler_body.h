#pragma once

#include "polhode/formulation/describe.h"

namespace polhode {

/// Euler's equations in the body frame, attitude in Euler parameters.
///
///   ė = ½ e ∘ (0; ω')                                       (KIN-12)
///   J' ω̇' = n' − J̇' ω' − ω' × J' ω'                         (DYN-3) [SchwabMeijaard2006, eqs. 45 corrected, 46]
///
/// State (e0 e1 e2 e3 | w1 w2 w3). With projection every step this is form S2, the cheapest.
struct EulerBody {
  FormDescription describe() const {
    return {.name = "euler-body",
            .equation = "J' w'. = n' - w' x J' w';  e. = 1/2 e o (0, w')",
            .unknowns = "e0 e1 e2 e3 w1 w2 w3 (body)",
            .reference = "SchwabMeijaard2006 (45) corrected, (46); Sherif2015 (26); Bernstein2023 (1)",
            .size = 7,
            .row_scale = {},
            .multiplier = {},
            .singularity = {},
            .gyroscopic_term = "w' x J' w'",
            .gyroscopic_unknowns = "w'",
            .gyroscopic_degree = 2};
  }
  template <class S>
  void to_state(const InertiaNow<S>&, const EulerParameters<S>& e_NB, const Vec3<S>& w_B, S* y) const {
    put(y, e_NB);
    put(y + 4, w_B);
  }
  template <class S>
  void from_state(const InertiaNow<S>&, const S* y, EulerParameters<S>& e_NB, Vec3<S>& w_B) const {
    e_NB = take_euler_parameters(y);
    w_B = take_vector(y + 4);
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const EulerParameters<S> e_NB = take_euler_parameters(y);
    const Vec3<S> w_B = take_vector(y + 4);
    const Vec3<S> h_B = inertia.J_B * w_B;
    const Vec3<S> wdot_B = inertia.J_inverse_B * (load.torque_B() - inertia.Jdot_B * w_B - cross(w_B, h_B));  // (DYN-3)
    put(ydot, rate_from_body(e_NB, w_B));  // (KIN-12)
    put(ydot + 4, wdot_B);
    return {wdot_B, std::nullopt};
  }
  template <class S>
  void project(S* y) const {
    put(y, normalized(take_euler_parameters(y)));
  }
};

template <class Visit>
void visit_euler_body(Visit& visit) {
  visit(EulerBody{});
}

}  // namespace polhode
