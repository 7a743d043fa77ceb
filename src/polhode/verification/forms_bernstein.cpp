#include "polhode/verification/driven.h"
#include "polhode/verification/identity.h"

/// [Bernstein2023]: Euler's equation (1) and Lagrange's (2), as forms of the library.
namespace polhode::verification {
namespace {

/// d/dt ∂T/∂q̇ − ∂T/∂q for T = ½ q̇ᵀ SᵀJ'S q̇ at the acceleration q̈, by dual numbers.
Vec3<Exact> lagrange(const CoordinateMotion& c, const Vec3<Exact>& qddot) {
  const Mat3<Dual<Exact>> S = c.S_along(c.qdot);
  const Vec3<Dual<Exact>> w = S * along(c.qdot, qddot);
  const Vec3<Dual<Exact>> momentum = tr(S) * along(c.J * value(w), c.J * derivative(w));
  Vec3<Exact> gradient{};
  for (std::size_t i = 0; i < 3; ++i) {
    gradient[i] = dot(derivative(c.S_along(axis_vector<Exact>(i))) * c.qdot, c.J * value(w));
  }
  return derivative(momentum) - gradient;
}

}  // namespace

std::vector<Identity> forms_bernstein() {
  return {
      {"1", "DYN-3 DYN-23", "EulerBody::rates, A3::rates", "J'ω̇' + ω' × J'ω' = τ'", "− ω' × J'ω'", exact([](X& t) {
         const Driven b(t);
         const Vec3<Exact> wdot = rates_at(EulerBody{}, b).result.wdot_B;
         const Exact in_charts = on_all_charts(t, [&](const CoordinateMotion& m) {
           const Evaluated a3 = chart_rates<A3>(m, m.qdot, m.torque());
           const Vec3<Exact> left = m.J * a3.result.wdot_B + t.sign * cross(m.w(), m.J * m.w());
           return size(left - m.torque(), a3.vector(3) - m.qddot);
         });
         return size(b.J * wdot + t.sign * cross(b.w_B, b.J * b.w_B) - b.n(), in_charts);
       })},
      {"2", "DYN-22", "A2::rates", "d/dt ∂T/∂q̇ − ∂T/∂q = Q, Q = Sᵀτ'", "Q = S τ'", exact([](X& t) {
         return on_all_charts(t, [&](const CoordinateMotion& m) {
           const Evaluated a2 = chart_rates<A2>(m, m.qdot, m.torque());
           const Vec3<Exact> Q = t.pick(tr(m.S), m.S) * m.torque();
           return size(lagrange(m, a2.vector(3)) - Q, a2.vector(3) - m.qddot, a2.result.wdot_B - m.wdot());
         });
       })},
  };
}

}  // namespace polhode::verification
