#include "polhode/rotation/rotation_matrix.h"
#include "polhode/verification/identity.h"

/// [MultibodyNotes]: Euler parameters and angular velocity components. Its ε = (ε1, ε2, ε3, ε4) is our (e1, e2, e3,
/// e0), its R is our Aᵀ.
namespace polhode::verification {
namespace {

using Column = Matrix<Exact, 4, 1>;

Column scalar_last(const EulerParameters<Exact>& e) { return {{{e.ev.x}, {e.ev.y}, {e.ev.z}, {e.e0}}}; }
/// {ω} = (ω1, ω2, ω3, 0).
Column four(const Vec3<Exact>& w) { return {{{w.x}, {w.y}, {w.z}, {Exact(0)}}}; }

/// [E] of (4) and, with ε1 ε2 ε3 crossing the other way, [E'] of (10), from our 3×4 maps: columns 1, 2, 3, 0, and {ε}
/// as the last row.
Mat4<Exact> reordered(const Mat34<Exact>& map, const EulerParameters<Exact>& e) {
  Mat34<Exact> three;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) { three(i, j) = map(i, (j + 1) % 4); }
  }
  return above(three, tr(scalar_last(e)));
}
/// The matrix of (4), written out; that of (10) for sign −1.
Mat4<Exact> written(const EulerParameters<Exact>& e, const Exact& sign) {
  const Exact& e4 = e.e0;
  const auto& [e1, e2, e3] = e.ev;
  return {{{e4, -sign * e3, sign * e2, -e1},
           {sign * e3, e4, -sign * e1, -e2},
           {-sign * e2, sign * e1, e4, -e3},
           {e1, e2, e3, e4}}};
}

/// A motion with R = Aᵀ.
struct TransposedMotion : Motion<Exact> {
  Mat3<Exact> R, RTdot;
  explicit TransposedMotion(X& t) : Motion<Exact>(motion(t)), R(tr(rotation_matrix(e))), RTdot(Adot) {}
  Vec3<Exact> space() const { return space_rate(e, edot); }
  Vec3<Exact> body() const { return body_rate(e, edot); }
};

/// The expanded line of the derivation of ω1: x stands where the print has a false dot.
Exact worked_space(const EulerParameters<Exact>& e, const EulerParameters<Exact>& d, const Exact& x) {
  const Exact& e4 = e.e0;
  const auto& [e1, e2, e3] = e.ev;
  const Exact& d4 = d.e0;
  const auto& [d1, d2, d3] = d.ev;
  return 4 * ((e1 * e2 * e3 + e3 * e3 * e4) * d1 - (e1 * e2 * e4 + e3 * e4 * e4) * d2 +
              (e1 * e1 * e2 + e1 * e3 * e4) * d3 - (e1 * e2 * e2 + e2 * e3 * e4) * d4) +
         2 * (d2 * e3 + e2 * d3 + d1 * e4 + e1 * d4) * (e2 * e2 - e1 * e1 - e3 * e3 + e4 * e4) +
         4 * ((e1 * e1 * e4 - e1 * e2 * x) * d1 + (e1 * e2 * e4 - e2 * e2 * e3) * d2 +
              (e3 * e3 * e2 - e1 * e3 * e4) * d3 + (e2 * e3 * e4 - e1 * e4 * e4) * d4);
}
/// The same for ω1'; s is the sign of the first term of ε̇2.
Exact worked_body(const EulerParameters<Exact>& e, const EulerParameters<Exact>& d, const Exact& s) {
  const Exact& e4 = e.e0;
  const auto& [e1, e2, e3] = e.ev;
  const Exact& d4 = d.e0;
  const auto& [d1, d2, d3] = d.ev;
  return 4 * ((e1 * e2 * e3 + e2 * e2 * e4) * d1 + (s * e1 * e1 * e3 + e1 * e2 * e4) * d2 -
              (e1 * e3 * e4 + e2 * e4 * e4) * d3 - (e1 * e3 * e3 + e2 * e3 * e4) * d4) +
         4 * ((e1 * e1 * e4 - e1 * e2 * e3) * d1 + (e2 * e2 * e3 - e1 * e2 * e4) * d2 +
              (e1 * e3 * e4 - e2 * e3 * e3) * d3 + (e2 * e3 * e4 - e1 * e4 * e4) * d4) +
         2 * (d2 * e3 + e2 * d3 + d1 * e4 + e1 * d4) * (e3 * e3 + e4 * e4 - e1 * e1 - e2 * e2);
}

}  // namespace

std::vector<Identity> identities_multibody_notes() {
  return {
      {"1", "KIN-21", "matrix_rate (space)", "Ṙᵀ = ω̃ Rᵀ", "Rᵀ ω̃", exact([](X& t) {
         const TransposedMotion m(t);
         const Mat3<Exact> right = matrix_rate(tr(m.R), SpaceVector<Exact>(m.space()));
         return size(m.RTdot - right, m.RTdot - t.pick(skew(m.w_N) * tr(m.R), tr(m.R) * skew(m.w_N)));
       })},
      {"2", "KIN-15 KIN-21", "space_rate, angular_velocity<Space>(A, Ȧ)", "ω̃ = Ṙᵀ R", "Ṙᵀ Rᵀ", exact([](X& t) {
         const TransposedMotion m(t);
         const Mat3<Exact> W = m.RTdot * t.pick(m.R, tr(m.R));
         return size(W - skew(m.space()), angular_velocity<Space>(tr(m.R), m.RTdot).raw() - axial(W));
       })},
      {"3", "KIN-15", "space_rate", "ω1 = Σ Ṙᵀ3i Ri2,  ω2 = Σ Ṙᵀ1i Ri3,  ω3 = Σ Ṙᵀ2i Ri1", "ω1 = Σ Ṙᵀ2i Ri3",
       exact([](X& t) {
         const TransposedMotion m(t);
         const Mat3<Exact> W = m.RTdot * m.R;
         return size(Vec3<Exact>{t.pick(W(2, 1), W(1, 2)), W(0, 2), W(1, 0)} - m.space());
       })},
      {"4", "KIN-8 KIN-15", "E_space, space_rate", "(ω1, ω2, ω3, 0) = 2 [ε4 −ε3 ε2 −ε1; …] ε̇", "[ε4 ε3 −ε2 −ε1; …]",
       exact([](X& t) {
         const TransposedMotion m(t);
         const Mat4<Exact> E = written(m.e, t.sign);
         return size(2 * (E * scalar_last(m.edot)) - four(m.space()), E - reordered(E_space(m.e), m.e));
       })},
      {"5", "KIN-8 KIN-15", "E_space, space_rate", "{ω} = 2 [E] {ε̇},  [E] orthogonal", "{ω} = 2 [E]ᵀ {ε̇}",
       exact([](X& t) {
         const TransposedMotion m(t);
         const Mat4<Exact> E = reordered(E_space(m.e), m.e);
         return size(2 * (t.pick(E, tr(E)) * scalar_last(m.edot)) - four(m.w_N), E * tr(E) - identity<Exact, 4>());
       }),
       "{ω} looks like a 3-vector: it is (ω, 0)"},
      {"6", "KIN-13", "rate_from_space", "{ε̇} = ½ [E]ᵀ {ω}", "½ [E] {ω}", exact([](X& t) {
         const TransposedMotion m(t);
         const Mat4<Exact> E = written(m.e, Exact(1));
         const Column rate = (Exact(1) / 2) * (t.pick(tr(E), E) * four(m.w_N));
         return size(rate - scalar_last(m.edot), rate - scalar_last(rate_from_space(m.e, m.w_N)));
       }),
       "missing in the text; this is what it must say"},
      {"7", "KIN-21", "matrix_rate (body)", "Ṙᵀ = Rᵀ ω̃'", "ω̃' Rᵀ", exact([](X& t) {
         const TransposedMotion m(t);
         const Mat3<Exact> right = matrix_rate(tr(m.R), BodyVector<Exact>(m.body()));
         return size(m.RTdot - right, m.RTdot - t.pick(tr(m.R) * skew(m.w_B), skew(m.w_B) * tr(m.R)));
       })},
      {"8", "KIN-14 KIN-21", "body_rate, angular_velocity<Body>(A, Ȧ)", "ω̃' = R Ṙᵀ", "Rᵀ Ṙᵀ", exact([](X& t) {
         const TransposedMotion m(t);
         const Mat3<Exact> W = t.pick(m.R, tr(m.R)) * m.RTdot;
         return size(W - skew(m.body()), angular_velocity<Body>(tr(m.R), m.RTdot).raw() - axial(W));
       })},
      {"9", "KIN-14", "body_rate", "ω1' = ω̃'32 = Σ R3i Ṙᵀi2,  ω2' = ω̃'13,  ω3' = ω̃'21",
       "as printed, ω1' = ω̃32, ω2' = ω̃13, ω3' = ω̃21 of (2)", exact([](X& t) {
         const TransposedMotion m(t);
         return size(axial(t.pick(m.R * m.RTdot, m.RTdot * m.R)) - m.body());
       }),
       "ω̃32, ω̃13, ω̃21: the primes are missing"},
      {"10", "KIN-7 KIN-14", "E_body, body_rate", "(ω1', ω2', ω3', 0) = 2 [ε4 ε3 −ε2 −ε1; …] ε̇", "[ε4 −ε3 ε2 −ε1; …]",
       exact([](X& t) {
         const TransposedMotion m(t);
         const Mat4<Exact> E = written(m.e, -t.sign);
         return size(2 * (E * scalar_last(m.edot)) - four(m.body()), E - reordered(E_body(m.e), m.e));
       })},
      {"11", "KIN-7 KIN-14", "E_body, body_rate", "{ω'} = 2 [E'] {ε̇},  [E'] orthogonal", "{ω'} = 2 [E']ᵀ {ε̇}",
       exact([](X& t) {
         const TransposedMotion m(t);
         const Mat4<Exact> E = reordered(E_body(m.e), m.e);
         return size(2 * (t.pick(E, tr(E)) * scalar_last(m.edot)) - four(m.w_B), E * tr(E) - identity<Exact, 4>());
       }),
       "{ω'} looks like a 3-vector: it is (ω', 0)"},
      {"12", "KIN-12", "rate_from_body", "{ε̇} = ½ [E']ᵀ {ω'}", "½ [E'] {ω'}", exact([](X& t) {
         const TransposedMotion m(t);
         const Mat4<Exact> E = written(m.e, Exact(-1));
         const Column rate = (Exact(1) / 2) * (t.pick(tr(E), E) * four(m.w_B));
         return size(rate - scalar_last(m.edot), rate - scalar_last(rate_from_body(m.e, m.w_B)));
       }),
       "{ω'} looks like a 3-vector: it is (ω', 0)"},
      {"worked ω1", "KIN-15", "space_rate",
       "ω1 expanded: … + 4 [(ε1²ε4 − ε1ε2ε3) ε̇1 + …] = 2 (ε4ε̇1 − ε3ε̇2 + ε2ε̇3 − ε1ε̇4)",
       "as printed, (ε1²ε4 − ε1ε2ε̇3) ε̇1", exact([](X& t) {
         const TransposedMotion m(t);
         const Exact last =
             2 * (m.e.e0 * m.edot.ev.x - m.e.ev.z * m.edot.ev.y + m.e.ev.y * m.edot.ev.z - m.e.ev.x * m.edot.e0);
         return size(worked_space(m.e, m.edot, t.pick(m.e.ev.z, m.edot.ev.z)) - m.space().x, last - m.space().x);
       }),
       "a cancelling stroke read as a dot"},
      {"worked ω1'", "KIN-14", "body_rate",
       "ω1' expanded: 4 [… + (ε1²ε3 + ε1ε2ε4) ε̇2 …] + … = 2 (ε4ε̇1 + ε3ε̇2 − ε2ε̇3 − ε1ε̇4)", "(−ε1²ε3 + ε1ε2ε4) ε̇2",
       exact([](X& t) {
         const TransposedMotion m(t);
         const Exact last =
             2 * (m.e.e0 * m.edot.ev.x + m.e.ev.z * m.edot.ev.y - m.e.ev.y * m.edot.ev.z - m.e.ev.x * m.edot.e0);
         return size(worked_body(m.e, m.edot, t.sign) - m.body().x, last - m.body().x);
       }),
       "ε̇1ε2ε4 and ε̇2ε3ε4, twice each: the false dots cancel in pairs; read ε1ε2ε4 and ε2ε3ε4"},
  };
}

}  // namespace polhode::verification
