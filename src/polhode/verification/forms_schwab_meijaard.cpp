#include "polhode/verification/driven.h"
#include "polhode/verification/identity.h"

/// [SchwabMeijaard2006]: Euler's equations with Euler angles (17)-(21) and with Euler parameters (39)-(46). Its q is
/// our e, its row 2qᵀ is c = 2, its M' our n'.
namespace polhode::verification {
namespace {

/// diag(0, J')
Mat4<Exact> padded(const Mat3<Exact>& J) {
  Mat4<Exact> D{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { D(i + 1, j + 1) = J(i, j); }
  }
  return D;
}
/// M' − J'ω̇' − ω' × (J' x)
Vec3<Exact> unbalance(const Driven& b, const Vec3<Exact>& x) { return b.n() - b.J * b.wdot_B - cross(b.w_B, b.J * x); }

}  // namespace

std::vector<Identity> forms_schwab_meijaard() {
  return {
      {"17", "DYN-3", "EulerBody::rates", "J'ω̇' = M' − ω' × (J'ω')", "+ ω' × (J'ω')", exact([](X& t) {
         const Driven b(t);
         const Vec3<Exact> right = b.n() - t.sign * cross(b.w_B, b.J * b.w_B);
         return size(b.J * rates_at(EulerBody{}, b).result.wdot_B - right, b.J * b.wdot_B - right);
       })},
      {"18", "DYN-21", "A1::rates", "(M' − J'ω̇' − ω' × (J'ω'))ᵀ δω' = 0 for δω' = B δu̇", "+ ω' × (J'ω')",
       exact([](X& t) {
         const CoordinateMotion m(euler_angles(k313, t.turns()), t);
         const Vec3<Exact> wdot = chart_rates<A1>(m, m.qdot, m.torque()).result.wdot_B;
         const Vec3<Exact> gap = m.torque() - m.J * wdot - t.sign * cross(m.w(), m.J * m.w());
         return size(dot(gap, m.S * t.vector()));
       })},
      {"19", "DYN-21", "A1::rates", "BᵀJ'B ü = Bᵀ [M' − (B u̇) × (J'B u̇) − J'Ḃ u̇]", "+ J'Ḃ u̇", exact([](X& t) {
         return on_all_charts(t, [&](const CoordinateMotion& m) {
           const Evaluated a1 = chart_rates<A1>(m, m.qdot, m.torque());
           const Vec3<Exact> w = m.S * m.qdot;
           const Vec3<Exact> bracket = m.torque() - cross(w, m.J * w) - t.sign * (m.J * (m.Sdot * m.qdot));
           return size(transpose_times(m.S, m.J * (m.S * a1.vector(3)) - bracket), a1.vector(3) - m.qddot,
                       a1.result.wdot_B - m.wdot());
         });
       })},
      {"20", "DYN-24", "S1::rates", "ω̇' = J'⁻¹ [M' − ω' × (J'ω')]", "M' + ω' × (J'ω')", exact([](X& t) {
         return on_all_charts(t, [&](const CoordinateMotion& m) {
           const Evaluated s1 = chart_rates<S1>(m, m.w(), m.torque());
           const Vec3<Exact> right = inverse(m.J) * (m.torque() - t.sign * cross(m.w(), m.J * m.w()));
           return size(s1.vector(3) - right, s1.vector(3) - m.wdot());
         });
       })},
      {"21", "DYN-24", "S1::rates", "u̇ = B⁻¹ω'", "Bᵀω'", exact([](X& t) {
         return on_all_charts(t, [&](const CoordinateMotion& m) {
           const Evaluated s1 = chart_rates<S1>(m, m.w(), m.torque());
           return size(s1.vector(0) - t.pick(inverse(m.S), tr(m.S)) * m.w(), s1.vector(0) - m.qdot);
         });
       })},
      {"39", "KIN-1", "norm_squared", "Φ = q0² + q1² + q2² + q3² − 1 = 0", "− q0²", exact([](X& t) {
         const EulerParameters<Exact> q = t.unit();
         const Exact rest = q.ev.x * q.ev.x + q.ev.y * q.ev.y + q.ev.z * q.ev.z;
         return size(t.sign * q.e0 * q.e0 + rest - 1, norm_squared(q) - 1);
       })},
      {"40", "DYN-3 DYN-17", "AugmentedForm::rates (f1, row 2eᵀ)",
       "(M' − J'ω̇' − ω' × (J'ω'))ᵀ δω' = λ δΦ̇ for every δq̇, with λ = 0", "as printed, ω' × (J'ω̇')", exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> dq = t.quaternion();
         const Vec3<Exact> dw = (2 * tr(left_matrix(b.e)) * dq).ev;
         const Evaluated f1 = rates_at(augmented_form(Gyro::full, ForceForm::qp1, AugmentedSolver::numeric, 2), b);
         const Exact constraint = *f1.result.multiplier * (2 * dot(b.e, dq));
         return size(dot(unbalance(b, t.pick(b.w_B, b.wdot_B)), dw) - constraint, f1.parameters(4) - b.eddot);
       }),
       "ω̇' in the last term should be ω', δΦ should be δΦ̇; substituting gives f1 with λ = 0, not (42)"},
      {"41", "DYN-15", "dot", "δΦ̇ = 2 q0 δq̇0 + 2 qᵀδq̇", "without the factor 2", exact([](X& t) {
         const EulerParameters<Exact> q = t.unit();
         const EulerParameters<Exact> dq = t.quaternion();
         return size(derivative(norm_squared(along(q, dq))) - t.pick(Exact(2), Exact(1)) * dot(q, dq));
       })},
      {"42", "DYN-20", "F12::rates", "[4 Q D Qᵀ, 2q; 2qᵀ, 0] [q̈; λ] = [2 Q (0, M') + 8 Q̇ D Q̇ᵀq; −2|q̇|²]",
       "as printed, 8 Q̇ D Qᵀq, which is zero", exact([](X& t) {
         const Driven b(t);
         const Evaluated f12 = rates_at(F12{}, b);
         const Mat4<Exact> Q = left_matrix(b.e);
         const Mat4<Exact> Qdot = left_matrix(b.edot);
         const Mat4<Exact> D = padded(b.J);
         const EulerParameters<Exact> gyroscopic = (8 * (Qdot * D * tr(t.pick(Qdot, Q)))) * b.e;
         const EulerParameters<Exact> left =
             (4 * (Q * D * tr(Q))) * f12.parameters(4) + (2 * *f12.result.multiplier) * b.e;
         return size(left - 2 * (Q * pure(b.n())) - gyroscopic, dot(b.e, f12.parameters(4)) + dot(b.edot, b.edot),
                     f12.parameters(4) - b.eddot, (Qdot * D * tr(Q)) * b.e);
       }),
       "unknowns (q̇, λ) should be (q̈, λ), 8 Q̇ D Qᵀq should be 8 Q̇ D Q̇ᵀq: as printed the gyroscopic moment is lost"},
      {"43", "DYN-20", "F12::rates, F12::expected_multiplier", "λ = 4 qᵀQ̇ D Q̇ᵀq = ω'ᵀJ'ω' = 2T", "λ = 4T",
       exact([](X& t) {
         const Driven b(t);
         const Mat4<Exact> Qdot = left_matrix(b.edot);
         const Exact lambda = *rates_at(F12{}, b).result.multiplier;
         return size(lambda - 4 * dot(b.e, (Qdot * padded(b.J) * tr(Qdot)) * b.e),
                     lambda - t.pick(Exact(2), Exact(4)) * b.energy(),
                     F12{}.expected_multiplier(b.inertia, b.load_now(), b.e, b.w_B) - lambda);
       })},
      {"44", "DYN-12", "augmented::generalised_force(ForceForm::qp1)", "(f0, f) = 2 Q (0, M') = 2 Q̄ (0, M)",
       "2 Q̄ (0, M')", exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> Q = b.force(ForceForm::qp1);
         return size(Q - 2 * (left_matrix(b.e) * pure(b.n())),
                     Q - 2 * (right_matrix(b.e) * pure(t.pick(b.A * b.n(), b.n()))));
       })},
      {"45", "DYN-3", "EulerBody::rates", "ω̇' = J'⁻¹ [M' − ω' × (J'ω')]", "as printed, ω' × (J'ω̇')", exact([](X& t) {
         const Driven b(t);
         const Vec3<Exact> wdot = rates_at(EulerBody{}, b).vector(4);
         return size(wdot - inverse(b.J) * (b.n() - cross(b.w_B, b.J * t.pick(b.w_B, b.wdot_B))));
       }),
       "ω̇' in the last term should be ω'"},
      {"46", "KIN-12", "EulerBody::rates", "(q̇0, q̇) = ½ Q (0, ω')", "½ Q̄ (0, ω')", exact([](X& t) {
         const Driven b(t);
         const Mat4<Exact> Q = t.pick(left_matrix(b.e), right_matrix(b.e));
         return size(rates_at(EulerBody{}, b).parameters(0) - (Exact(1) / 2) * (Q * pure(b.w_B)),
                     rates_at(EulerBody{}, b).parameters(0) - b.edot);
       })},
  };
}

}  // namespace polhode::verification
