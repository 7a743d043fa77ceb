#pragma once

#include "polhode/formulation/describe.h"
#include "polhode/math/small_solve.h"

namespace polhode {

/// Gyroscopic term of the Euler-parameter forms.
///
///   full:        8 Lᵀ L L̇ᵀ J' L ė = 2 Lᵀ (ω' × J' ω')       (DYN-10) [Sherif2015, eq. 23]
///   simplified:  8 L̇ᵀ J' L ė,  full = simplified + 4T e     (DYN-11) [Sherif2015, eq. 29]
enum class Gyro { full, simplified };

/// Generalised force of a force f at u'. All four do the same work for e·δe = 0; they differ along e. A pure moment has
/// 2 Lᵀ m' in each.
///
///   qp1:          2 Lᵀ ũ' Aᵀ f                              (DYN-12) [Sherif2015, eq. 44]
///   qp1_reduced:  2 Hᵀ Gᵀ f,  H = Q̄(0, u')                  (DYN-13) [Sherif2015, eq. 75 without its last term]
///   qp2:          2 Hᵀ Gᵀ f + 2 e (u'·f)                    (DYN-14) [Sherif2015, eq. 69]
///   qp2_reduced:  the same as qp1_reduced                   [Sherif2015, end of section 4.3]
///
/// u'·f of qp2 mixes body and space components: λ with it changes when the world axes are turned.
enum class ForceForm { qp1, qp1_reduced, qp2, qp2_reduced };

/// How the augmented system is solved: its inverse in closed form, or elimination with pivoting.
enum class AugmentedSolver { closed_form, numeric };

namespace augmented {

template <class S>
EulerParameters<S> gyroscopic_term(Gyro gyro, const EulerParameters<S>& e_NB, const EulerParameters<S>& edot,
                                   const Mat3<S>& J_B) {
  const Mat34<S> L = E_body(e_NB);
  const Mat34<S> Ldot = E_body(edot);
  const EulerParameters<S> simplified = S(8) * transpose_times(Ldot, J_B * (L * edot));  // (DYN-11)
  return gyro == Gyro::simplified ? simplified : transpose_times(L, L * simplified);     // (DYN-10)
}

template <class S>
EulerParameters<S> generalised_force(ForceForm form, const EulerParameters<S>& e_NB, const PointForce<S>& p) {
  if (form == ForceForm::qp1) {
    return S(2) * transpose_times(E_body(e_NB), cross(p.u_B, rotate_back(e_NB, p.f_N)));  // (DYN-12)
  }
  // Gᵀ f = (0; f) ∘ e and Hᵀ x = x ∘ (0; −u')
  const EulerParameters<S> reduced = S(2) * (transpose_times(E_space(e_NB), p.f_N) * pure(-p.u_B));  // (DYN-13)
  return form == ForceForm::qp2 ? reduced + (S(2) * dot(p.u_B, p.f_N)) * e_NB : reduced;             // (DYN-14)
}

template <class S>
EulerParameters<S> generalised_force(ForceForm form, const EulerParameters<S>& e_NB, const LoadNow<S>& load) {
  EulerParameters<S> sum = S(2) * transpose_times(E_body(e_NB), load.moment_B());
  load.each_force([&](const PointForce<S>& p) { sum = sum + generalised_force(form, e_NB, p); });
  return sum;
}

/// ë and λ.
template <class S>
struct Solution {
  EulerParameters<S> eddot;
  S lambda;
  bool solvable = true;
};

/// Solves [M, e; eᵀ, 0] [ë; λ] = [r; −speed] by elimination. The border is scaled to the size of M, of which `size`
/// tells: pivots are then chosen alike in all units, and the last place of ë does not depend on them.
template <class S>
Solution<S> eliminate(const Mat4<S>& M, const S& size, const EulerParameters<S>& e_NB, const EulerParameters<S>& r,
                      const S& speed) {
  const std::array<S, 4> border{size * e_NB.e0, size * e_NB.ev.x, size * e_NB.ev.y, size * e_NB.ev.z};
  Matrix<S, 5, 5> K{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) { K(i, j) = M(i, j); }
    K(i, 4) = K(4, i) = border[i];
  }
  K(4, 4) = S(0);
  std::array<S, 5> b{r.e0, r.ev.x, r.ev.y, r.ev.z, -size * speed};
  const bool solvable = solve_in_place(K, b);
  return {{b[0], {b[1], b[2], b[3]}}, size * b[4], solvable};
}

/// Solves the augmented equations with constraint row c eᵀ for any |e|² = s.
///
///   [4 Lᵀ J' L, c e; c eᵀ, 0] [ë; λ] = [r; −c ė·ė]          (DYN-15) [Sherif2015, eq. 34]
///   inverse: [Lᵀ J'⁻¹ L/(4s²), e/(cs); eᵀ/(cs), 0]          (DYN-16) [Sherif2015, eq. 35]
template <class S>
Solution<S> solve(AugmentedSolver solver, const InertiaNow<S>& inertia, int c, const EulerParameters<S>& e_NB,
                  const EulerParameters<S>& edot, const EulerParameters<S>& r) {
  const S row = S(c);
  const Mat34<S> L = E_body(e_NB);
  const S s = norm_squared(e_NB);
  const S speed = dot(edot, edot);
  if (solver == AugmentedSolver::closed_form) {
    const EulerParameters<S> across = (S(1) / (S(4) * s * s)) * transpose_times(L, inertia.J_inverse_B * (L * r));
    return {across - (speed / s) * e_NB, dot(e_NB, r) / (row * s), true};  // (DYN-16)
  }
  const Solution<S> unscaled = eliminate(S(4) * (transpose(L) * (inertia.J_B * L)), trace(inertia.J_B), e_NB, r, speed);
  return {unscaled.eddot, unscaled.lambda / row, unscaled.solvable};
}

}  // namespace augmented

/// What all forms with unknowns (e, ė) share.
struct EulerParameterState {
  template <class S>
  void to_state(const InertiaNow<S>&, const EulerParameters<S>& e_NB, const Vec3<S>& w_B, S* y) const {
    put(y, e_NB);
    put(y + 4, rate_from_body(e_NB, w_B));
  }
  template <class S>
  void from_state(const InertiaNow<S>&, const S* y, EulerParameters<S>& e_NB, Vec3<S>& w_B) const {
    e_NB = take_euler_parameters(y);
    w_B = body_rate(e_NB, take_euler_parameters(y + 4));
  }
  /// e to the sphere, ė tangent to it, ω' unchanged.
  template <class S>
  void project(S* y) const {
    const EulerParameters<S> e_NB = take_euler_parameters(y);
    const EulerParameters<S> edot = take_euler_parameters(y + 4);
    const S size = norm(e_NB);
    put(y, e_NB / size);
    put(y + 4, (edot - (dot(e_NB, edot) / norm_squared(e_NB)) * e_NB) / size);
  }
  template <class S>
  static FormResult<S> finish(const augmented::Solution<S>& solution, const S* y, S* ydot) {
    const EulerParameters<S> e_NB = take_euler_parameters(y);
    const EulerParameters<S> edot = take_euler_parameters(y + 4);
    put(ydot, edot);
    put(ydot + 4, solution.eddot);
    return {body_acceleration(e_NB, edot, solution.eddot), solution.lambda, solution.solvable};
  }
};

/// The eight forms F1 to F8, and any row scaling:
///
///   4 Lᵀ J' L ë + 4 Lᵀ J̇' L ė + g + c e λ = Q,   c eᵀ ë = −c ė·ė       (DYN-17)
struct AugmentedForm : EulerParameterState {
  std::string name;
  std::string equation;
  std::string reference;
  Gyro gyro = Gyro::full;
  ForceForm force = ForceForm::qp1;
  int row_scale = 1;
  AugmentedSolver solver = AugmentedSolver::closed_form;

  FormDescription describe() const {
    const char* const force_part[] = {"", "2 sum f.(A u')", "2 sum f.(A u') + 2 sum u'.f", "2 sum f.(A u')"};
    std::string lambda = force_part[static_cast<std::size_t>(force)];
    if (gyro == Gyro::simplified) { lambda = lambda.empty() ? "4T" : "4T + " + lambda; }
    if (lambda.empty()) { lambda = "0"; }
    if (row_scale != 1) { lambda = "(" + lambda + ")/" + std::to_string(row_scale); }
    return {.name = solver == AugmentedSolver::numeric ? name + ":numeric" : name,
            .equation = equation,
            .unknowns = "e0 e1 e2 e3 e0. e1. e2. e3.",
            .reference = reference,
            .size = 8,
            .row_scale = row_scale,
            .multiplier = lambda,
            .singularity = {},
            .gyroscopic_term = gyro == Gyro::full ? "8 L^T L L.^T J' L e." : "8 L.^T J' L e.",
            .gyroscopic_unknowns = "e and e.",
            .gyroscopic_degree = gyro == Gyro::full ? 5 : 3,
            .force_jacobian_degree = force == ForceForm::qp1 ? 3 : 1};
  }

  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const EulerParameters<S> e_NB = take_euler_parameters(y);
    const EulerParameters<S> edot = take_euler_parameters(y + 4);
    const Mat34<S> L = E_body(e_NB);
    const EulerParameters<S> drift = S(4) * transpose_times(L, inertia.Jdot_B * (L * edot));
    const EulerParameters<S> r = augmented::generalised_force(force, e_NB, load) - drift -
                                 augmented::gyroscopic_term(gyro, e_NB, edot, inertia.J_B);
    return finish(augmented::solve(solver, inertia, row_scale, e_NB, edot, r), y, ydot);
  }

  /// λ of table C2 on the unit sphere, for the row c eᵀ.
  template <class S>
  S expected_multiplier(const InertiaNow<S>& inertia, const LoadNow<S>& load, const EulerParameters<S>& e_NB,
                        const Vec3<S>& w_B) const {
    S lambda(0);
    if (gyro == Gyro::simplified) { lambda = S(2) * dot(w_B, inertia.J_B * w_B); }
    load.each_force([&](const PointForce<S>& p) {
      if (force != ForceForm::qp1) { lambda = lambda + S(2) * dot(p.f_N, rotate(e_NB, p.u_B)); }
      if (force == ForceForm::qp2) { lambda = lambda + S(2) * dot(p.u_B, p.f_N); }
    });
    return lambda / S(row_scale);
  }
};

/// A form twice: with the closed-form inverse, and as NAME:numeric.
template <class Visit>
void visit_augmented(Visit& visit, AugmentedForm form) {
  for (const AugmentedSolver solver : {AugmentedSolver::closed_form, AugmentedSolver::numeric}) {
    form.solver = solver;
    visit(form);
  }
}

}  // namespace polhode
