#pragma once

#include "polhode/formulation/augmented.h"

namespace polhode {

/// The same as f5 written with the 4×4 quaternion matrices and the constraint row 2 eᵀ.
///
///   [4 Q D Qᵀ, 2e; 2eᵀ, 0] [ë; λ] = [2 Q (0; n') + 8 Q̇ D Q̇ᵀ e; −2 |ė|²],  D = diag(0, J')
///   λ = ω'ᵀ J' ω' = 2T                                      (DYN-20) [SchwabMeijaard2006, eqs. 42 corrected, 43]
///
/// Printed with 8 Q̇ D Qᵀ e, which is identically zero. State (e | ė).
struct F12 : EulerParameterState {
  FormDescription describe() const {
    return {.name = "f12",
            .equation = "[4 Q D Q^T, 2e; 2e^T, 0] [e..; lambda] = [2 Q (0, n') + 8 Q. D Q.^T e; -2 |e.|^2]",
            .unknowns = "e0 e1 e2 e3 e0. e1. e2. e3.",
            .reference = "SchwabMeijaard2006 (42) corrected, (43)",
            .size = 8,
            .row_scale = 2,
            .multiplier = "2T",
            .singularity = {},
            .gyroscopic_term = "-8 Q. D Q.^T e",
            .gyroscopic_unknowns = "e and e.",
            .gyroscopic_degree = 3,
            .force_jacobian_degree = 3};
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const EulerParameters<S> e_NB = take_euler_parameters(y);
    const EulerParameters<S> edot = take_euler_parameters(y + 4);
    const Mat4<S> Q = left_matrix(e_NB);
    const Mat4<S> Qdot = left_matrix(edot);
    const Mat4<S> D = padded(inertia.J_B);
    const EulerParameters<S> r = S(2) * (Q * pure(load.torque_B())) + S(8) * (Qdot * (D * (transpose(Qdot) * e_NB))) -
                                 S(4) * (Q * (padded(inertia.Jdot_B) * (transpose(Q) * edot)));
    augmented::Solution<S> solution =
        augmented::eliminate(S(4) * (Q * D * transpose(Q)), trace(inertia.J_B), e_NB, r, dot(edot, edot));
    solution.lambda = solution.lambda / S(2);  // (DYN-20), the row 2eᵀ
    return finish(solution, y, ydot);
  }
  template <class S>
  S expected_multiplier(const InertiaNow<S>& inertia, const LoadNow<S>&, const EulerParameters<S>&,
                        const Vec3<S>& w_B) const {
    return dot(w_B, inertia.J_B * w_B);
  }

 private:
  /// diag(0, J)
  template <class S>
  static Mat4<S> padded(const Mat3<S>& J) {
    Mat4<S> D{};
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) { D(i, j) = i > 0 && j > 0 ? J(i - 1, j - 1) : S(0); }
    }
    return D;
  }
};

template <class Visit>
void visit_f12(Visit& visit) {
  visit(F12{});
}

}  // namespace polhode
