#pragma once

#include "polhode/formulation/augmented.h"

namespace polhode {

/// Solved for ë: nothing to factorise.
///
///   ë = −2 Lᵀ J'⁻¹ L L̇ᵀ J' L ė + ½ Lᵀ J'⁻¹ n' − Lᵀ J'⁻¹ J̇' L ė − (ė·ė) e      (DYN-19) [Sherif2015, eqs. 38, 40]
///
/// State (e | ė). As printed, for |e| = 1.
struct F10 : EulerParameterState {
  FormDescription describe() const {
    return {.name = "f10",
            .equation = "e.. = -2 L^T J'^-1 L L.^T J' L e. + 1/2 L^T J'^-1 n' - (e..e.) e",
            .unknowns = "e0 e1 e2 e3 e0. e1. e2. e3.",
            .reference = "Sherif2015 (38) (40)",
            .size = 8,
            .row_scale = {},
            .multiplier = {},
            .singularity = {},
            .gyroscopic_term = "2 L^T J'^-1 L L.^T J' L e.",
            .gyroscopic_unknowns = "e and e.",
            .gyroscopic_degree = 5,
            .force_jacobian_degree = 3};
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const EulerParameters<S> e_NB = take_euler_parameters(y);
    const EulerParameters<S> edot = take_euler_parameters(y + 4);
    const Mat34<S> L = E_body(e_NB);
    const Vec3<S> Ledot = L * edot;
    const Vec3<S> torque = S(0.5) * load.torque_B() - inertia.Jdot_B * Ledot -
                           S(2) * (L * transpose_times(E_body(edot), inertia.J_B * Ledot));
    const EulerParameters<S> eddot =
        transpose_times(L, inertia.J_inverse_B * torque) - dot(edot, edot) * e_NB;  // (DYN-19)
    FormResult<S> result = finish(augmented::Solution<S>{eddot, S(0)}, y, ydot);
    result.multiplier.reset();
    return result;
  }
};

template <class Visit>
void visit_f10(Visit& visit) {
  visit(F10{});
}

}  // namespace polhode
