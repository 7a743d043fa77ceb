#include "polhode/rotation/rotation_matrix.h"
#include "polhode/verification/identity.h"

/// [EngineNotes]: which frame the rate of the quaternion refers to. Its q = (w, x, y, z) is our e, its "world" is our
/// space.
namespace polhode::verification {

std::vector<Identity> identities_engine_notes() {
  return {
      {"7.47", "KIN-13", "rate_from_space", "q̇ = T(q) ω = ½ ω ∘ q, ω in world components", "½ q ∘ ω", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const EulerParameters<Exact> product = t.pick(pure(m.w_N) * m.e, m.e * pure(m.w_N));
         return size(m.edot - (Exact(1) / 2) * product, m.edot - rate_from_space(m.e, m.w_N));
       })},
      {"7.48", "KIN-6", "right_matrix, E_space", "T(q) = ½ [w −x −y −z; x w z −y; y −z w x; z y −x w],  2T ω = ω ∘ q",
       "½ [w −x −y −z; x w −z y; …]", exact([](X& t) {
         const EulerParameters<Exact> q = t.quaternion();
         const EulerParameters<Exact> w = t.quaternion();
         const Exact s = t.sign;
         const auto& [x, y, z] = q.ev;
         const Mat4<Exact> twice_T{
             {{q.e0, -x, -y, -z}, {x, q.e0, s * z, -s * y}, {y, -s * z, q.e0, s * x}, {z, s * y, -s * x, q.e0}}};
         return size(twice_T - right_matrix(q), twice_T * w - w * q, twice_T - beside(col(q), tr(E_space(q))));
       })},
      {"body form", "KIN-12", "rate_from_body", "q̇ = ½ ω_world ∘ q = ½ (q ∘ ω_body ∘ q*) ∘ q = ½ q ∘ ω_body",
       "½ (q* ∘ ω_body ∘ q) ∘ q", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const EulerParameters<Exact> q = t.pick(m.e, conjugate(m.e));
         const EulerParameters<Exact> middle = q * pure(m.w_B) * conjugate(q) * m.e;
         return size(m.edot - (Exact(1) / 2) * middle, m.edot - rate_from_body(m.e, m.w_B));
       })},
      {"general proposition", "KIN-21", "rotate_back", "Rᵀ (dA/dt)_world = (dA/dt)_body + ω' × A'",
       "as printed, (dA/dt)_world in world components", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Vec3<Exact> a_B = t.vector();
         const Vec3<Exact> adot_B = t.vector();
         const Vec3<Exact> world = derivative(rotation_matrix(along(m.e, m.edot)) * along(a_B, adot_B));
         return size(t.pick(rotate_back(m.e, world), world) - adot_B - cross(m.w_B, a_B));
       }),
       "the left side must be in body components"},
      {"notes", "KIN-3", "rotate, rotate_back", "x = q ∘ x' ∘ q*,  τ' = q* ∘ τ ∘ q,  q = q ∘ q ∘ q*", "τ' = q ∘ τ ∘ q*",
       exact([](X& t) {
         const EulerParameters<Exact> q = t.unit();
         const Vec3<Exact> x = t.vector();
         const EulerParameters<Exact> p = t.pick(conjugate(q), q);
         return size(pure(rotate(q, x)) - q * pure(x) * conjugate(q),
                     pure(rotate_back(q, x)) - p * pure(x) * conjugate(p), q * q * conjugate(q) - q);
       })},
  };
}

}  // namespace polhode::verification
