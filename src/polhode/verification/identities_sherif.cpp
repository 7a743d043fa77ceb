#include "polhode/rotation/rotation_matrix.h"
#include "polhode/rotation/vector_charts.h"
#include "polhode/verification/identity.h"

/// [Sherif2015]: kinematics (1)-(17) and the matrices B1, B2 of the external force (47)-(75). Its p is our e.
namespace polhode::verification {
namespace {

/// (5): not homogeneous, so it is a rotation matrix on the unit sphere only.
template <class S>
Mat3<S> A5(const EulerParameters<S>& p) {
  return (S(2) * p.e0 * p.e0 - S(1)) * unit3<S>() + S(2) * (outer(p.ev, p.ev) + p.e0 * skew(p.ev));
}

/// A force f (space) at the point u' (body) of a moving body, and all that section 4 makes of it.
struct Loaded : Motion<Exact> {
  Vec3<Exact> u, f, R, Rdot;
  EulerParameters<Exact> dp;  ///< a variation, p·δp = 0
  Mat4<Exact> H;

  explicit Loaded(X& t)
      : Motion<Exact>(motion(t)),
        u(t.vector()),
        f(t.vector()),
        R(t.vector()),
        Rdot(t.vector()),
        dp(t.tangent(e)),
        H(right_matrix(pure(u))) {}

  Mat34<Exact> B1() const { return -2 * (A * skew(u) * L); }
  auto turned_by_A5() const {
    return [this](const EulerParameters<Dual<Exact>>& p) { return A5(p) * constant(u); };
  }
  auto turned_by_GL() const {
    return [this](const EulerParameters<Dual<Exact>>& p) { return rotation_matrix(p) * constant(u); };
  }
  /// ∂(A u')/∂p, A of (5), by differentiation; written out it is the B of (KIN-67).
  Mat34<Exact> B2() const { return jacobian(turned_by_A5(), e); }
  /// d/dt of r = R + A u along the motion, and its variation along d.
  Vec3<Exact> rdot() const { return Rdot + varied(edot); }
  Vec3<Exact> varied(const EulerParameters<Exact>& d) const { return derivative(attitude(along(e, d)) * constant(u)); }
  Vec3<Exact> moment() const { return cross(u, transpose_times(A, f)); }  ///< n' = u' × Aᵀ f
  static Vec3<Dual<Exact>> constant(const Vec3<Exact>& v) { return along(v, Vec3<Exact>{}); }
};

Matrix<Exact, 3, 1> times(const Mat34<Exact>& a, const EulerParameters<Exact>& p) { return a * col(p); }

}  // namespace

std::vector<Identity> identities_sherif() {
  return {
      {"1", "KIN-3 KIN-4", "rotate, rotation_matrix", "r = R + A u',  A u' = vector part of p ∘ (0, u') ∘ p*",
       "Aᵀ for A", exact([](X& t) {
         const Loaded b(t);
         const Vec3<Exact> r = b.R + (b.e * pure(b.u) * conjugate(b.e)).ev;
         const Mat3<Exact> A = rotation_matrix(b.e);
         return size(r - b.R - rotate(b.e, b.u), r - b.R - t.pick(A, tr(A)) * b.u);
       })},
      {"2", "KIN-66", "EulerParameters", "pᵀ = [e0 eᵀ]: scalar first", "scalar last", exact([](X& t) {
         const EulerParameters<Exact> p = t.unit();
         const Matrix<Exact, 4, 1> c = left_matrix(p) * col(EulerParameters<Exact>::identity());
         const Exact first = t.pick(c(0, 0), c(3, 0));
         return size(first - p.e0, c - col(p));
       })},
      {"3", "KIN-47", "ModifiedRodrigues::to_euler_parameters", "e0² + eᵀe = 1", "e0² − eᵀe = 1", exact([](X& t) {
         const EulerParameters<Exact> p = ModifiedRodrigues{}.to_euler_parameters(t.vector());
         return size(p.e0 * p.e0 + t.sign * dot(p.ev, p.ev) - 1);
       })},
      {"4", "KIN-1", "operator*, norm_squared", "pᵀp − 1 = 0, also for the product of two rotations", "p*ᵀp − 1 = 0",
       exact([](X& t) {
         const EulerParameters<Exact> p = t.unit() * t.unit();
         return size(norm_squared(p) - 1, dot(t.pick(p, conjugate(p)), p) - 1);
       })},
      {"5", "KIN-4", "rotation_matrix", "A = (2e0² − 1) I + 2 (e eᵀ + e0 ẽ)", "− e0 ẽ", exact([](X& t) {
         const EulerParameters<Exact> p = t.unit();
         const Mat3<Exact> A =
             (2 * p.e0 * p.e0 - 1) * unit3<Exact>() + Exact(2) * (outer(p.ev, p.ev) + (t.sign * p.e0) * skew(p.ev));
         return size(rotation_matrix(p) - A);
       })},
      {"6", "KIN-62", "skew, cross", "ẽ v = e × v", "v × e", exact([](X& t) {
         const Vec3<Exact> e = t.vector();
         const Vec3<Exact> v = t.vector();
         return size(skew(e) * v - t.sign * written_cross(e, v), cross(e, v) - written_cross(e, v));
       })},
      {"7", "KIN-4", "rotation_matrix, E_space, E_body", "A = G Lᵀ (any |p|)", "A = L Gᵀ", exact([](X& t) {
         const EulerParameters<Exact> p = t.quaternion();
         const Mat3<Exact> GL = E_space(p) * tr(E_body(p));
         return size(rotation_matrix(p) - t.pick(GL, tr(GL)));
       })},
      {"8", "KIN-8", "E_space", "G = [−e, ẽ + e0 I]", "[−e, −ẽ + e0 I]", exact([](X& t) {
         const EulerParameters<Exact> p = t.quaternion();
         return size(E_space(p) - beside(-col(p.ev), t.sign * skew(p.ev) + p.e0 * unit3<Exact>()));
       })},
      {"9", "KIN-7", "E_body", "L = [−e, −ẽ + e0 I]", "[−e, ẽ + e0 I]", exact([](X& t) {
         const EulerParameters<Exact> p = t.quaternion();
         return size(E_body(p) - beside(-col(p.ev), -t.sign * skew(p.ev) + p.e0 * unit3<Exact>()));
       })},
      {"10", "KIN-7 KIN-8", "E_space, E_body", "G Gᵀ = L Lᵀ = I", "G Lᵀ = I", exact([](X& t) {
         const EulerParameters<Exact> p = t.unit();
         const Mat34<Exact> G = E_space(p);
         const Mat34<Exact> L = E_body(p);
         return size(G * tr(t.pick(G, L)) - unit3<Exact>(), L * tr(L) - unit3<Exact>());
       })},
      {"11", "KIN-7 KIN-8", "E_space, E_body", "Gᵀ G = Lᵀ L = I₄ − p pᵀ", "I₄ + p pᵀ", exact([](X& t) {
         const EulerParameters<Exact> p = t.unit();
         const Mat34<Exact> G = E_space(p);
         const Mat34<Exact> L = E_body(p);
         const Mat4<Exact> right = identity<Exact, 4>() - t.sign * (col(p) * tr(col(p)));
         return size(tr(G) * G - right, tr(L) * L - right);
       })},
      {"12", "KIN-7 KIN-8", "E_space, E_body", "G p = L p = 0, Ġ ṗ = L̇ ṗ = 0", "L ṗ = 0", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         return size(m.G * m.e, m.L * t.pick(m.e, m.edot), m.Gdot * m.edot, m.Ldot * m.edot);
       })},
      {"13", "KIN-4", "rotation_matrix", "Aᵀ A = I", "A A = I", exact([](X& t) {
         const Mat3<Exact> A = rotation_matrix(t.unit());
         return size(t.pick(tr(A), A) * A - unit3<Exact>());
       })},
      {"14", "KIN-21", "matrix_rate", "d/dt (AᵀA) = Aᵀ Ȧ + Ȧᵀ A = 0", "Aᵀ Ȧ − Ȧᵀ A", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Mat3<Exact> Adot = matrix_rate(m.A, BodyVector<Exact>(m.w_B));
         return size(Adot - m.Adot, tr(m.A) * Adot + t.sign * (tr(Adot) * m.A));
       })},
      {"15", "KIN-14 KIN-21", "body_rate, angular_velocity<Body>(A, Ȧ)", "ω̃' = Aᵀ Ȧ", "ω̃' = Ȧ Aᵀ", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Mat3<Exact> W = t.pick(tr(m.A) * m.Adot, m.Adot * tr(m.A));
         return size(skew(body_rate(m.e, m.edot)) - W, angular_velocity<Body>(m.A, m.Adot).raw() - axial(W));
       }),
       "overbars lost: ω, ω̃ are the body quantities ω', ω̃'"},
      {"16", "KIN-7", "E_body", "ω̃' = 2 L L̇ᵀ where p·ṗ = 0", "as printed, without the condition", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const EulerParameters<Exact> pdot = t.pick(m.edot, m.edot + m.e);
         return size(skew(body_rate(m.e, pdot)) - 2 * (m.L * tr(E_body(pdot))), skew(m.w_B) - 2 * (m.L * tr(m.Ldot)));
       }),
       "no condition stated: needs p·ṗ = 0"},
      {"17", "KIN-14", "E_body, body_rate", "ω' = 2 L ṗ", "ω' = 2 G ṗ", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Vec3<Exact> w = Exact(2) * (t.pick(m.L, m.G) * m.edot);
         return size(m.w_B - w, body_rate(m.e, m.edot) - w);
       })},
      {"47", "KIN-21", "matrix_rate", "ṙ = Ṙ + Ȧ u'", "Ȧᵀ u'", exact([](X& t) {
         const Loaded b(t);
         const Mat3<Exact> Adot = matrix_rate(b.A, BodyVector<Exact>(b.w_B));
         return size(b.rdot() - b.Rdot - t.pick(Adot, tr(Adot)) * b.u);
       })},
      {"48", "KIN-21", "rotation_matrix, body_rate", "ṙ = Ṙ − A ũ' ω'", "+ A ũ' ω'", exact([](X& t) {
         const Loaded b(t);
         return size(b.rdot() - b.Rdot + t.sign * (rotation_matrix(b.e) * skew(b.u) * body_rate(b.e, b.edot)));
       })},
      {"49", "KIN-62", "skew", "ỹ z = −z̃ y", "ỹ z = z̃ y", exact([](X& t) {
         const Vec3<Exact> y = t.vector();
         const Vec3<Exact> z = t.vector();
         return size(skew(y) * z + t.sign * (skew(z) * y));
       })},
      {"50", "KIN-7", "E_body", "ṙ = Ṙ + B1 ṗ", "G for L in B1", exact([](X& t) {
         const Loaded b(t);
         const Mat34<Exact> B1 = -2 * (b.A * skew(b.u) * t.pick(b.L, b.G));
         return size(col(b.rdot() - b.Rdot) - times(B1, b.edot));
       })},
      {"51", "KIN-7", "E_body, rotation_matrix", "B1 = −2 A ũ' L = ∂(A u')/∂p (I₄ − p pᵀ)", "+2 A ũ' L",
       exact([](X& t) {
         const Loaded b(t);
         const Mat34<Exact> tangential =
             jacobian(b.turned_by_GL(), b.e) * (identity<Exact, 4>() - col(b.e) * tr(col(b.e)));
         return size(tangential - t.sign * b.B1());
       })},
      {"52", "KIN-7", "E_body", "δr = δR + B1 δp", "Aᵀ for A in B1", exact([](X& t) {
         const Loaded b(t);
         const Mat34<Exact> B1 = -2 * (t.pick(b.A, tr(b.A)) * skew(b.u) * b.L);
         return size(col(b.varied(b.dp)) - times(B1, b.dp));
       })},
      {"53", "KIN-4", "rotation_matrix", "Ȧ u' = ∂(A u')/∂p ṗ", "∂(Aᵀu')/∂p", exact([](X& t) {
         const Loaded b(t);
         const Mat34<Exact> J = t.pick(jacobian(b.turned_by_GL(), b.e), jacobian(b.turned_by_GL(), conjugate(b.e)));
         return size(col(b.Adot * b.u) - times(J, b.edot));
       })},
      {"54", "KIN-8 KIN-67", "E_space", "B2 = ∂(A u')/∂p with A of (5)", "as it reads with A = G Lᵀ of (7)",
       exact([](X& t) {
         const Loaded b(t);
         const Mat34<Exact> B2 = 2 * (E_space(b.e) * b.H) + 2 * (col(b.u) * tr(col(b.e)));
         return size(B2 - t.pick(jacobian(b.turned_by_A5(), b.e), jacobian(b.turned_by_GL(), b.e)));
       }),
       "true for A of (5); differentiating A = G Lᵀ gives 2 G H"},
      {"55", "KIN-4", "rotation_matrix", "ṙ = Ṙ + B2 ṗ", "− B2 ṗ", exact([](X& t) {
         const Loaded b(t);
         return size(col(b.rdot() - b.Rdot) - t.sign * times(b.B2(), b.edot));
       })},
      {"56", "KIN-4", "rotation_matrix", "δr = δR + B2 δp for p·δp = 0", "δp with a part along p", exact([](X& t) {
         const Loaded b(t);
         const EulerParameters<Exact> dp = t.pick(b.dp, b.dp + b.e);
         return size(col(b.varied(dp)) - times(b.B2(), dp));
       })},
      {"57", "KIN-4", "rotation_matrix", "B1 ≠ B2:  B2 − B1 = 2 (I + A) u' pᵀ", "B2 = B1", exact([](X& t) {
         const Loaded b(t);
         const Mat34<Exact> gap = 2 * (col((unit3<Exact>() + rotation_matrix(b.e)) * b.u) * tr(col(b.e)));
         return size(b.B2() - b.B1() - t.pick(gap, Mat34<Exact>{}));
       }),
       "says that they differ, not by what"},
      {"58", "KIN-7", "E_body", "Qp1 = B1ᵀ f:  Qp1·δp = f·δr", "−B1ᵀ f", exact([](X& t) {
         const Loaded b(t);
         const Matrix<Exact, 4, 1> Q = t.sign * (tr(b.B1()) * col(b.f));
         return size(dot(b.f, b.varied(b.dp)) - (tr(Q) * col(b.dp))(0, 0));
       })},
      {"59", "KIN-7", "E_body, rotation_matrix", "Qp1 = 2 Lᵀ ũ' Aᵀ f", "A for Aᵀ", exact([](X& t) {
         const Loaded b(t);
         const Mat3<Exact> A = rotation_matrix(b.e);
         return size(tr(b.B1()) * col(b.f) - 2 * (tr(E_body(b.e)) * skew(b.u) * t.pick(tr(A), A) * col(b.f)));
       })},
      {"60", "KIN-7", "E_body, operator*", "Qp1 = 2 Lᵀ n' = 2 p ∘ (0, n'),  n' = u' × Aᵀf", "n' = Aᵀf × u'",
       exact([](X& t) {
         const Loaded b(t);
         const Vec3<Exact> n = t.sign * b.moment();
         const EulerParameters<Exact> Q = Exact(2) * transpose_times(E_body(b.e), n);
         return size(tr(b.B1()) * col(b.f) - col(Q), Q - Exact(2) * (b.e * pure(n)));
       })},
      {"61", "KIN-4", "rotation_matrix", "δW = fᵀ B2 δp = Qp2ᵀ δp = f·δr", "2 Qp2ᵀ δp", exact([](X& t) {
         const Loaded b(t);
         const Exact work = (tr(tr(b.B2()) * col(b.f)) * col(b.dp))(0, 0);
         return size(dot(b.f, b.varied(b.dp)) - t.pick(work, 2 * work));
       })},
      {"62", "KIN-4", "rotation_matrix", "Qp2 = B2ᵀ f = Qp1 + 2 p f·(I + A) u'", "2 p f·(I − A) u'", exact([](X& t) {
         const Loaded b(t);
         const Exact along_p = dot(b.f, b.u) + t.sign * dot(b.f, rotate(b.e, b.u));
         return size(tr(b.B2()) * col(b.f) - tr(b.B1()) * col(b.f) - col((2 * along_p) * b.e));
       })},
      {"63", "KIN-7", "E_body", "Qp1 ≠ Qp2:  only Qp1 is orthogonal to p", "p·Qp2 = 0", exact([](X& t) {
         const Loaded b(t);
         return size(tr(col(b.e)) * tr(t.pick(b.B1(), b.B2())) * col(b.f));
       }),
       "follows from A of (5), as (54)"},
      {"64", "KIN-67", "skew, outer", "B2 = 2 [2e0 u' + ẽ u', (eᵀu') I + e u'ᵀ − e0 ũ']", "+ e0 ũ'", exact([](X& t) {
         const Loaded b(t);
         const auto& [e0, e] = b.e;
         const Mat34<Exact> B2 = 2 * beside(col(2 * e0 * b.u + skew(e) * b.u),
                                            dot(e, b.u) * unit3<Exact>() + outer(e, b.u) - t.sign * e0 * skew(b.u));
         return size(B2 - b.B2());
       })},
      {"65", "KIN-63", "skew, outer", "ỹ z̃ = z yᵀ − (yᵀz) I", "y zᵀ − (yᵀz) I", exact([](X& t) {
         const Vec3<Exact> y = t.vector();
         const Vec3<Exact> z = t.vector();
         return size(skew(y) * skew(z) - t.pick(outer(z, y), outer(y, z)) + dot(y, z) * unit3<Exact>());
       })},
      {"66", "KIN-8", "E_space, right_matrix",
       "B2 = 2 [2e0 u' + ẽ u', u' eᵀ − ẽ ũ' + e u'ᵀ − e0 ũ'] = 2 [−e, ẽ + e0 I] [0 −u'ᵀ; u' −ũ'] + 2 [e0 u', u' eᵀ]",
       "+ ẽ ũ'", exact([](X& t) {
         const Loaded b(t);
         const auto& [e0, e] = b.e;
         const Mat34<Exact> first =
             2 * beside(col(2 * e0 * b.u + skew(e) * b.u),
                        outer(b.u, e) - t.sign * (skew(e) * skew(b.u)) + outer(e, b.u) - e0 * skew(b.u));
         const Mat34<Exact> second = 2 * (E_space(b.e) * b.H) + 2 * beside(col(e0 * b.u), outer(b.u, e));
         return size(first - b.B2(), second - b.B2());
       })},
      {"67", "KIN-6", "right_matrix, E_body", "H = [0 −u'ᵀ; u' −ũ'] = Q̄(0, u') = −Hᵀ,  H p = Lᵀ u'", "+ũ'",
       exact([](X& t) {
         const Loaded b(t);
         const Mat4<Exact> H =
             above(beside(Matrix<Exact, 1, 1>{}, -tr(col(b.u))), beside(col(b.u), -t.sign * skew(b.u)));
         return size(H - right_matrix(pure(b.u)), H + tr(H), H * col(b.e) - tr(E_body(b.e)) * col(b.u));
       })},
      {"68", "KIN-8 KIN-67", "E_space, right_matrix", "B2 = 2 G H + 2 u' pᵀ;  ∂(G Lᵀ u')/∂p = 2 G H", "2 G H − 2 u' pᵀ",
       exact([](X& t) {
         const Loaded b(t);
         const Mat34<Exact> GH = 2 * (E_space(b.e) * right_matrix(pure(b.u)));
         return size(GH + (2 * t.sign) * (col(b.u) * tr(col(b.e))) - b.B2(), GH - jacobian(b.turned_by_GL(), b.e));
       })},
      {"69", "KIN-8", "E_space, right_matrix", "Qp2 = 2 Hᵀ Gᵀ f + 2 p (u'ᵀ f)", "− 2 p (u'ᵀ f)", exact([](X& t) {
         const Loaded b(t);
         const Matrix<Exact, 4, 1> Q =
             2 * (tr(b.H) * tr(E_space(b.e)) * col(b.f)) + col((2 * t.sign * dot(b.u, b.f)) * b.e);
         return size(Q - tr(b.B2()) * col(b.f));
       })},
      {"70", "KIN-8", "E_space, right_matrix", "δW = 2 fᵀ G H δp + 2 fᵀu' pᵀδp = f·δr", "L H for G H", exact([](X& t) {
         const Loaded b(t);
         const Vec3<Exact> GHdp = t.pick(E_space(b.e), E_body(b.e)) * (b.H * b.dp);
         return size(2 * dot(b.f, GHdp) + 2 * dot(b.f, b.u) * dot(b.e, b.dp) - dot(b.f, b.varied(b.dp)));
       })},
      {"71", "KIN-7", "E_body, right_matrix", "L H = [−ẽ u' + e0 u', e u'ᵀ + ẽ ũ' − e0 ũ'] = −ũ' L + [e0 u', u' eᵀ]",
       "e u'ᵀ − ẽ ũ'", exact([](X& t) {
         const Loaded b(t);
         const auto& [e0, e] = b.e;
         const Mat34<Exact> LH = E_body(b.e) * b.H;
         const Mat34<Exact> first =
             beside(col(e0 * b.u - skew(e) * b.u), outer(e, b.u) + t.sign * (skew(e) * skew(b.u)) - e0 * skew(b.u));
         return size(LH - first, LH + skew(b.u) * b.L - beside(col(e0 * b.u), outer(b.u, e)));
       })},
      {"72", "KIN-7", "E_body, right_matrix", "L H = −ũ' L + u' pᵀ", "+ũ' L", exact([](X& t) {
         const Loaded b(t);
         return size(E_body(b.e) * b.H + t.sign * (skew(b.u) * E_body(b.e)) - col(b.u) * tr(col(b.e)));
       })},
      {"73", "KIN-7 KIN-8", "E_space, E_body, right_matrix", "B1 = 2 G Lᵀ L H − 2 G Lᵀ u' pᵀ", "+ 2 G Lᵀ u' pᵀ",
       exact([](X& t) {
         const Loaded b(t);
         const Mat3<Exact> GL = b.G * tr(b.L);
         return size(b.B1() - 2 * (GL * b.L * b.H) + (2 * t.sign) * (GL * col(b.u) * tr(col(b.e))));
       })},
      {"74", "KIN-7 KIN-8", "E_space, E_body, right_matrix", "B1 = 2 G H − 2 G Lᵀ u' pᵀ", "L Gᵀ for G Lᵀ",
       exact([](X& t) {
         const Loaded b(t);
         const Mat3<Exact> GL = t.pick(b.G * tr(b.L), b.L * tr(b.G));
         return size(b.B1() - 2 * (b.G * b.H) + 2 * (GL * col(b.u) * tr(col(b.e))));
       })},
      {"75", "KIN-7 KIN-8", "E_space, E_body, right_matrix", "Qp1 = 2 Hᵀ Gᵀ f − 2 p (u'ᵀ L Gᵀ f)", "+ 2 p (u'ᵀ L Gᵀ f)",
       exact([](X& t) {
         const Loaded b(t);
         const Exact part = (tr(col(b.u)) * b.L * tr(b.G) * col(b.f))(0, 0);
         return size(tr(b.B1()) * col(b.f) - 2 * (tr(b.H) * tr(b.G) * col(b.f)) + col((2 * t.sign * part) * b.e));
       })},
  };
}

}  // namespace polhode::verification
