#include "polhode/formulation/schemes.h"
#include "polhode/verification/driven.h"
#include "polhode/verification/identity.h"

/// [EngineNotes]: Euler's equation in both frames, and the four update schemes of its table. Its L is our h.
namespace polhode::verification {
namespace {

const Scheme& W1() { return kSchemes[0]; }
const Scheme& W2() { return kSchemes[1]; }
const Scheme& B1() { return kSchemes[2]; }
const Scheme& B2() { return kSchemes[3]; }

template <class S>
Vec3<Dual<S>> constant(const Vec3<S>& v) {
  return along(v, Vec3<S>{});
}

/// A turning body with angular momentum, and a torque in space components.
template <class S>
struct TurnedBody {
  EulerParameters<S> e;
  Mat3<S> A, J, J_inverse;
  Vec3<S> w_B, L_B, w_N, L_N, tau_N, tau_B;

  explicit TurnedBody(Trial<S>& t) : TurnedBody(t, t.unit(), t.inertia(), t.vector()) {}
  TurnedBody(Trial<S>& t, const EulerParameters<S>& e_, const Mat3<S>& J_, const Vec3<S>& w)
      : e(e_),
        A(rotation_matrix(e)),
        J(J_),
        J_inverse(inverse(J)),
        w_B(w),
        L_B(J * w_B),
        w_N(A * w_B),
        L_N(A * L_B),
        tau_N(t.vector()),
        tau_B(tr(A) * tau_N) {}

  SchemeState<S> state(const Scheme& scheme) const { return {e, scheme.world ? L_N : L_B, {}, {}}; }
  /// One step, with torque or free.
  SchemeState<S> step(const Scheme& scheme, const S& h, bool free, SchemeIndex index = SchemeIndex::lagged) const {
    SchemeState<S> moved = state(scheme);
    if (!scheme_step(scheme, index, J_inverse, free ? Vec3<S>{} : tau_N, h, moved)) { moved.e_NB.e0 = S(1) / S(0); }
    return moved;
  }
  /// d/dh of the step at h = 0: the law that the scheme follows.
  SchemeState<Dual<S>> rate(const Scheme& scheme) const {
    Mat3<Dual<S>> J_dual;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) { J_dual(i, j) = Dual<S>(J_inverse(i, j)); }
    }
    const SchemeState<S> now = state(scheme);
    SchemeState<Dual<S>> moved{along(e, EulerParameters<S>{S(0), {}}), constant(now.L), {}, {}};
    scheme_step(scheme, SchemeIndex::lagged, J_dual, constant(tau_N), Dual<S>(S(0), S(1)), moved);
    return moved;
  }
  /// d(A L')/dt in space for L̇' as given.
  Vec3<S> space_rate_of(const Vec3<S>& Ldot_B) const { return A * (Ldot_B + cross(w_B, L_B)); }
  S energy(const Vec3<S>& L) const { return dot(L, J_inverse * L) / S(2); }
};

/// Mass and velocity of the same body's mass centre.
template <class S>
struct MovingBody {
  S mass;
  Vec3<S> v;

  explicit MovingBody(Trial<S>& t) : mass(t.number()), v(t.vector()) {}
  S linear_energy() const { return mass * norm_squared(v) / S(2); }
  /// By the scheme's own function, from momenta.
  S energy(const Scheme& scheme, const TurnedBody<S>& b) const {
    SchemeState<S> state = b.state(scheme);
    state.p_N = mass * v;
    return scheme_energy(scheme, mass, b.J_inverse, state);
  }
};

/// A body whose |ω| is a fraction, and a step for which √(1 + h²|ω|²/4) is one.
struct RationalStep : TurnedBody<Exact> {
  Exact speed, h, tangent;

  explicit RationalStep(X& t) : RationalStep(t, t.number()) {}

 private:
  RationalStep(X& t, const Exact& speed_)
      : TurnedBody<Exact>(t, t.unit(), t.inertia(), speed_ * rotate(t.unit(), axis_vector<Exact>(0))),
        speed(speed_),
        h(0),
        tangent(0) {
    const math::SinCos<Exact> half = t.turn();
    tangent = half.sin / half.cos;  // h|ω|/2, of which 1 + tangent² = 1/cos² is a square
    h = 2 * tangent / speed;
  }
};

constexpr std::string_view kStep = "scheme_step";

}  // namespace

std::vector<Identity> forms_engine_notes() {
  return {
      {"7.56", "DYN-3", "EulerBody::rates", "L̇' = I'ω̇' + ω' × (I'ω') = τ', all in body components", "− ω' × (I'ω')",
       exact([](X& t) {
         const Driven b(t);
         const Vec3<Exact> wdot = rates_at(EulerBody{}, b).result.wdot_B;
         const Vec3<Exact> hdot = b.Adot * (b.J * b.w_B) + b.A * (b.J * wdot);
         return size(b.J * wdot + t.sign * cross(b.w_B, b.J * b.w_B) - b.n(), tr(b.A) * hdot - b.n());
       })},
      {"7.56, meaning", "DYN-5 DYN-6", "MomentumSpace::rates, MomentumBody::rates",
       "L̇_world = τ_world;  L̇_body + ω' × L_body = τ_body", "as printed, L̇_body + ω' × L_body = τ_world",
       exact([](X& t) {
         const Driven b(t);
         const Vec3<Exact> tau_N = b.A * b.n();
         const Vec3<Exact> space = rates_at(MomentumSpace{}, b).vector(4);
         const Vec3<Exact> body = rates_at(MomentumBody{}, b).vector(4);
         return size(space - tau_N, body + cross(b.w_B, b.J * b.w_B) - t.pick(b.n(), tau_N));
       }),
       "the middle is in body components, so it equals τ_body; only L̇_world equals τ_world"},
      {"next line", "DYN-6", "MomentumBody::rates", "L̇_body = τ_body − ω' × (I'ω')", "as printed, τ_world",
       exact([](X& t) {
         const Driven b(t);
         const Vec3<Exact> tau = t.pick(b.n(), b.A * b.n());
         return size(rates_at(MomentumBody{}, b).vector(4) - tau + cross(b.w_B, b.J * b.w_B),
                     b.J * b.wdot_B - tau + cross(b.w_B, b.J * b.w_B));
       }),
       "τ_world should be τ_body; the table has it right"},
      {"table, linear part", "SCH-3", "scheme_translate", "p ← p + h f,  x ← x + h p/m with the new p",
       "with the old p", exact([](X& t) {
         SchemeState<Exact> s{EulerParameters<Exact>::identity(), {}, t.vector(), t.vector()};
         const SchemeState<Exact> before = s;
         const Exact mass = t.number();
         const Exact h = t.number();
         const Vec3<Exact> f = t.vector();
         scheme_translate(mass, f, h, s);
         const Vec3<Exact> p = before.p_N + h * f;
         return size(s.p_N - p, s.r_N - before.r_N - (h / mass) * t.pick(p, before.p_N));
       })},
      {"table, W1", "SCH-1", kStep, "h → 0:  L̇ = τ,  q̇ = ½ (0, ω) ∘ q", "L̇ = τ + ω × L", exact([](X& t) {
         const TurnedBody<Exact> b(t);
         const SchemeState<Dual<Exact>> s = b.rate(W1());
         const Vec3<Exact> law = b.tau_N + t.pick(Exact(0), Exact(1)) * cross(b.w_N, b.L_N);
         return size(derivative(s.L) - law, derivative(s.e_NB) - (Exact(1) / 2) * (pure(b.w_N) * b.e));
       })},
      {"table, W2", "SCH-1", kStep, "h → 0:  L̇ = τ + ω × L, which is L̇' = τ': the law of B2", "L̇ = τ − ω × L",
       exact([](X& t) {
         const TurnedBody<Exact> b(t);
         const SchemeState<Dual<Exact>> s = b.rate(W2());
         return size(derivative(s.L) - b.tau_N - t.sign * cross(b.w_N, b.L_N),
                     derivative(s.L) - b.space_rate_of(derivative(b.rate(B2()).L)),
                     derivative(s.e_NB) - derivative(b.rate(B2()).e_NB));
       })},
      {"table, B1", "SCH-2", kStep, "h → 0:  L̇' = τ' − ω' × L', which is L̇ = τ: the law of W1", "L̇' = τ' + ω' × L'",
       exact([](X& t) {
         const TurnedBody<Exact> b(t);
         const SchemeState<Dual<Exact>> s = b.rate(B1());
         return size(derivative(s.L) - b.tau_B + t.sign * cross(b.w_B, b.L_B),
                     derivative(b.rate(W1()).L) - b.space_rate_of(derivative(s.L)));
       })},
      {"table, B2", "SCH-2", kStep, "h → 0:  L̇' = τ',  q̇ = ½ q ∘ (0, ω')", "½ (0, ω') ∘ q", exact([](X& t) {
         const TurnedBody<Exact> b(t);
         const SchemeState<Dual<Exact>> s = b.rate(B2());
         const EulerParameters<Exact> product = t.pick(b.e * pure(b.w_B), pure(b.w_B) * b.e);
         return size(derivative(s.L) - b.tau_B, derivative(s.e_NB) - (Exact(1) / 2) * product);
       })},
      {"table, L", "SCH-1 SCH-2", kStep, "L of the four columns after a step h, τ' = q* ∘ τ ∘ q", "τ' = q ∘ τ ∘ q*",
       digits50([](F& t) {
         const TurnedBody<Fine> b(t);
         const Fine h = t.number() / Fine(20);
         const Vec3<Fine> tau_B = t.pick(conjugate(b.e) * pure(b.tau_N) * b.e, b.e * pure(b.tau_N) * conjugate(b.e)).ev;
         return size(b.step(W1(), h, false).L - b.L_N - h * b.tau_N,
                     b.step(W2(), h, false).L - b.L_N - h * (b.tau_N + cross(b.w_N, b.L_N)),
                     b.step(B1(), h, false).L - b.L_B - h * (tau_B - cross(b.w_B, b.L_B)),
                     b.step(B2(), h, false).L - b.L_B - h * tau_B);
       })},
      {"table, q update", "SCH-1 SCH-2", kStep, "q_{n+1} = (q + h q̇)/|q + h q̇|,  |q + h q̇|² = 1 + h²|ω|²/4",
       "as printed, without the division", exact([](X& t) {
         const RationalStep b(t);
         const EulerParameters<Exact> moved = b.e + (b.h / 2) * (b.e * pure(b.w_B));
         const Exact length = sqrt(Exact(1) + b.tangent * b.tangent);
         return size(norm_squared(moved) - 1 - b.h * b.h * b.speed * b.speed / 4,
                     b.step(B2(), b.h, true).e_NB - moved / t.pick(length, Exact(1)));
       }),
       "the normalisation is missing"},
      {"table, q angle", "SCH-1 SCH-2", kStep, "the normalised step turns by 2 atan(h|ω|/2)", "by h|ω|",
       digits50([](F& t) {
         const TurnedBody<Fine> b(t);
         const Fine h = t.number() / Fine(20);
         const Vec3<Fine> w = b.J_inverse * b.step(B1(), h, true).L;
         const Fine half = t.pick(atan(h * norm(w) / 2), h * norm(w) / 2);
         const EulerParameters<Fine> turn{cos(half), (sin(half) / norm(w)) * w};
         return size(b.step(B1(), h, true).e_NB - b.e * turn);
       })},
      {"table, ω and I", "SCH-4", "scheme_momentum_B", "I⁻¹ = R I'⁻¹ Rᵀ,  ω = I⁻¹ L,  ω' = I'⁻¹ L'", "I⁻¹ = Rᵀ I'⁻¹ R",
       exact([](X& t) {
         const TurnedBody<Exact> b(t);
         const Mat3<Exact> R = t.pick(b.A, tr(b.A));
         return size(R * (b.J_inverse * (tr(R) * b.L_N)) - b.w_N,
                     b.J_inverse * scheme_momentum_B(W1(), b.state(W1())) - b.w_B,
                     b.J_inverse * scheme_momentum_B(B1(), b.state(B1())) - b.w_B);
       })},
      {"table, E", "SCH-4", "scheme_energy", "E = ½ p·p/m + ½ Lᵀ I⁻¹ L = ½ p·p/m + ½ ω'ᵀI'ω'",
       "½ Lᵀ I'⁻¹ L with L in space", exact([](X& t) {
         const TurnedBody<Exact> b(t);
         const MovingBody<Exact> moving(t);
         const Exact T = moving.linear_energy() + dot(b.w_B, b.J * b.w_B) / 2;
         return size(moving.energy(W1(), b) - T, moving.energy(B1(), b) - T,
                     moving.linear_energy() + b.energy(t.pick(b.L_B, b.L_N)) - T);
       }),
       "½ I⁻¹L² is no number where I is a matrix: ½ LᵀI⁻¹L"},
      {"table, E, linear part", "SCH-4", "scheme_energy", "E of a body that moves and turns: ½ m v·v is part of it",
       "E without ½ p·p/m", exact([](X& t) {
         const TurnedBody<Exact> b(t);
         const MovingBody<Exact> moving(t);
         const Exact linear = t.pick(Exact(1), Exact(0)) * moving.mass * norm_squared(moving.v) / 2;
         const Exact turning = dot(b.w_B, b.L_B) / 2;
         Exact gap(0);
         for (const Scheme& scheme : kSchemes) { gap = larger(gap, size(moving.energy(scheme, b) - linear - turning)); }
         return gap;
       })},
      {"table, index n + 1", "SCH-1 SCH-2", "scheme_step(SchemeIndex::implicit)",
       "world: ω_{n+1} = I_{n+1}⁻¹ L_{n+1} at the new attitude;  body: L'_{n+1} = L'_n + h (τ' − ω'_{n+1} × L'_{n+1})",
       "lagged for implicit", digits50([](F& t) {
         const TurnedBody<Fine> b(t);
         const SchemeIndex index = t.pick(SchemeIndex::implicit, SchemeIndex::lagged);
         Fine gap(0);
         // short against the turn rate: the iteration contracts
         const Fine h = Fine(1) / (Fine(1000) * (Fine(1) + norm(b.w_B) + norm(b.tau_N)));
         for (const Scheme* scheme : {&W1(), &W2()}) {
           const SchemeState<Fine> s = b.step(*scheme, h, false, index);
           const Mat3<Fine> A = rotation_matrix(s.e_NB);
           const EulerParameters<Fine> q = b.e + (h / 2) * (pure(A * (b.J_inverse * (tr(A) * s.L))) * b.e);
           gap = larger(gap, size(s.e_NB - q / norm(q)));
         }
         const SchemeState<Fine> s = b.step(B1(), h, false, index);
         return larger(gap, size(s.L - b.L_B - h * (b.tau_B - cross(b.J_inverse * s.L, s.L))));
       }),
       "circular in the world columns: ω_{n+1} needs q_{n+1}, which needs ω_{n+1}"},
      {"free step, W1", "SCH-1", kStep, "L stays", "|L|² grows by h²|ω × L|²", exact([](X& t) {
         const RationalStep b(t);
         const Vec3<Exact> L = b.step(W1(), b.h, true).L;
         const Exact growth = t.pick(Exact(0), b.h * b.h * norm_squared(cross(b.w_N, b.L_N)));
         return size(L - b.L_N, norm_squared(L) - norm_squared(b.L_N) - growth);
       })},
      {"free step, W2", "SCH-1", kStep, "|L|² grows by h²|ω × L|²", "L stays", digits50([](F& t) {
         const TurnedBody<Fine> b(t);
         const Fine h = t.number() / Fine(20);
         const Fine growth = h * h * norm_squared(cross(b.w_N, b.L_N));
         return size(norm_squared(b.step(W2(), h, true).L) - norm_squared(b.L_N) - t.pick(growth, Fine(0)));
       })},
      {"free step, B1", "SCH-2 SCH-4", "scheme_step, scheme_energy",
       "|L'|² grows by h²|ω' × L'|², T by ½h² (ω' × L')ᵀI'⁻¹(ω' × L'): never falls", "T stays", digits50([](F& t) {
         const TurnedBody<Fine> b(t);
         const Fine h = t.number() / Fine(20);
         const SchemeState<Fine> s = b.step(B1(), h, true);
         const Vec3<Fine> g = cross(b.w_B, b.L_B);
         const Fine gain = t.pick(h * h * b.energy(g), Fine(0));
         return size(norm_squared(s.L) - norm_squared(b.L_B) - h * h * norm_squared(g),
                     scheme_energy(B1(), Fine(1), b.J_inverse, s) - b.energy(b.L_B) - gain,
                     Fine(h * h * b.energy(g) >= Fine(0) ? 0 : 1));
       })},
      {"free step, B2", "SCH-2", kStep, "L', ω', T stay, L in space does not", "L in space stays", exact([](X& t) {
         const RationalStep b(t);
         const SchemeState<Exact> s = b.step(B2(), b.h, true);
         const bool moved = size(rotate(s.e_NB, s.L) - b.L_N) > Exact(0);
         return size(s.L - b.L_B, Exact(moved == t.pick(true, false) ? 0 : 1));
       })},
      {"free step, first", "SCH-1 SCH-2", kStep, "W1 and B2 take q to the same attitude", "W1 and B1",
       digits50([](F& t) {
         const TurnedBody<Fine> b(t);
         const Fine h = t.number() / Fine(20);
         return size(b.step(W1(), h, true).e_NB - b.step(t.pick(B2(), B1()), h, true).e_NB);
       })},
  };
}

}  // namespace polhode::verification
