#pragma once

#include "polhode/formulation/augmented.h"

namespace polhode {

/// The multiplier projected out: three equations and the constraint as the fourth.
///
///   4 J' L ë + 4 J̇' L ė + 8 L L̇ᵀ J' L ė = 2 n',   eᵀ ë = −ė·ė      (DYN-18) [Sherif2015, eqs. 25, 31]
///
/// State (e | ė). Gyroscopic term of degree 4.
struct F9 : EulerParameterState {
  FormDescription describe() const {
    return {.name = "f9",
            .equation = "4 J' L e.. + 8 L L.^T J' L e. = 2 n', e^T e.. = -e..e.",
            .unknowns = "e0 e1 e2 e3 e0. e1. e2. e3.",
            .reference = "Sherif2015 (25) (31)",
            .size = 8,
            .row_scale = {},
            .multiplier = {},
            .singularity = {},
            .gyroscopic_term = "8 L L.^T J' L e.",
            .gyroscopic_unknowns = "e and e.",
            .gyroscopic_degree = 4,
            .force_jacobian_degree = 2};
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const EulerParameters<S> e_NB = take_euler_parameters(y);
    const EulerParameters<S> edot = take_euler_parameters(y + 4);
    const Mat34<S> L = E_body(e_NB);
    const Vec3<S> gyroscopic = S(8) * (L * transpose_times(E_body(edot), inertia.J_B * (L * edot)));
    const Vec3<S> right = S(2) * load.torque_B() - S(4) * (inertia.Jdot_B * (L * edot)) - gyroscopic;
    const Mat34<S> rows = S(4) * (inertia.J_B * L);
    Mat4<S> K;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 4; ++j) { K(i, j) = rows(i, j); }
    }
    const S size = trace(inertia.J_B);  // of the other rows: pivots do not depend on units
    K(3, 0) = size * e_NB.e0;
    for (std::size_t j = 0; j < 3; ++j) { K(3, j + 1) = size * e_NB.ev[j]; }
    std::array<S, 4> b{right.x, right.y, right.z, -size * dot(edot, edot)};
    const bool solvable = solve_in_place(K, b);  // (DYN-18)
    FormResult<S> result = finish(augmented::Solution<S>{{b[0], {b[1], b[2], b[3]}}, S(0), solvable}, y, ydot);
    result.multiplier.reset();
    return result;
  }
};

template <class Visit>
void visit_f9(Visit& visit) {
  visit(F9{});
}

}  // namespace polhode
