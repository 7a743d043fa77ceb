#include "polhode/rotation/axis_angle.h"
#include "polhode/rotation/chart.h"
#include "polhode/rotation/euler_angles.h"
#include "polhode/rotation/rotation_matrix.h"
#include "polhode/verification/coordinates.h"
#include "polhode/verification/identity.h"

/// [SchwabMeijaard2006]: Euler angles 3-1-3 as cans in series (1)-(16), quaternions and Euler parameters (22)-(38). Its
/// q is our e, its q̄ our conjugate, its R our rotation matrix A.
namespace polhode::verification {
namespace {

using Q = EulerParameters<Exact>;

const Vec3<Exact> kNoVector{};
Vec3<Exact> ex() { return axis_vector<Exact>(0); }
Vec3<Exact> ey() { return axis_vector<Exact>(1); }
Vec3<Exact> ez() { return axis_vector<Exact>(2); }

/// R_φ, R_θ, R_ψ of the sequence 3-1-3 at one point, and a motion u̇ through it.
struct Cans {
  Turns<Exact> turns;
  Coordinates c;
  Vec3<Exact> rates;
  Turning<Exact> turning;

  explicit Cans(X& t)
      : turns(t.turns()), c(euler_angles(k313, turns)), rates(t.vector()), turning(c.A_path(rates, kNoVector)) {}

  Mat3<Exact> R_phi() const { return about_z(turns[0], Exact(1)); }
  Mat3<Exact> R_theta() const {
    const math::SinCos<Exact>& a = turns[1];
    return {{{1, 0, 0}, {0, a.cos, -a.sin}, {0, a.sin, a.cos}}};
  }
  Mat3<Exact> R_psi() const { return about_z(turns[2], Exact(1)); }
  static Mat3<Exact> about_z(const math::SinCos<Exact>& a, const Exact& sign) {
    return {{{a.cos, -sign * a.sin, 0}, {sign * a.sin, a.cos, 0}, {0, 0, 1}}};
  }
  /// R with two of the three angles 0, from the library.
  static Mat3<Exact> one_turn(std::size_t n, const math::SinCos<Exact>& a) {
    Turns<Exact> only{{{0, 1}, {0, 1}, {0, 1}}};
    only[n] = a;
    return sequence::matrix(k313, only);
  }
};

/// x(t) = q(t) ∘ x' ∘ q̄(t) of a body-fixed point.
struct Carried : Motion<Exact> {
  Vec3<Exact> x_B, x, xdot;
  explicit Carried(X& t) : Motion<Exact>(motion(t)), x_B(t.vector()), x(A * x_B), xdot(Adot * x_B) {}
};

}  // namespace

std::vector<Identity> identities_schwab_meijaard() {
  return {
      {"1", "KIN-3", "to_space, rotation_matrix", "r = R r'", "r = Rᵀ r'", exact([](X& t) {
         const Q e = t.unit();
         const Vec3<Exact> r_B = t.vector();
         const Mat3<Exact> R = rotation_matrix(e);
         return size(to_space(e, BodyVector<Exact>(r_B)).raw() - t.pick(R, tr(R)) * r_B);
       })},
      {"2", "KIN-30", "sequence::matrix", "R_φ = [cφ −sφ 0; sφ cφ 0; 0 0 1]", "sφ → −sφ", exact([](X& t) {
         const math::SinCos<Exact> a = t.turn();
         return size(Cans::one_turn(0, a) - Cans::about_z(a, t.sign));
       })},
      {"3", "KIN-30", "sequence::matrix", "R_θ = [1 0 0; 0 cθ −sθ; 0 sθ cθ]", "sθ → −sθ", exact([](X& t) {
         const math::SinCos<Exact> a = t.turn();
         const Exact s = t.sign * a.sin;
         return size(Cans::one_turn(1, a) - Mat3<Exact>{{{1, 0, 0}, {0, a.cos, -s}, {0, s, a.cos}}});
       })},
      {"4", "KIN-30", "sequence::matrix", "R_ψ = [cψ −sψ 0; sψ cψ 0; 0 0 1]", "sψ → −sψ", exact([](X& t) {
         const math::SinCos<Exact> a = t.turn();
         return size(Cans::one_turn(2, a) - Cans::about_z(a, t.sign));
       })},
      {"5", "KIN-30", "sequence::matrix", "R = R_φ R_θ R_ψ", "R_ψ R_θ R_φ", exact([](X& t) {
         const Cans c(t);
         const Mat3<Exact> product = t.pick(c.R_phi() * c.R_theta() * c.R_psi(), c.R_psi() * c.R_theta() * c.R_phi());
         return size(sequence::matrix(k313, c.turns) - product);
       })},
      {"6", "KIN-3", "to_body, rotate_back", "r' = R⁻¹ r", "r' = R r", exact([](X& t) {
         const Q e = t.unit();
         const Vec3<Exact> r = t.vector();
         const Mat3<Exact> R = rotation_matrix(e);
         return size(to_body(e, SpaceVector<Exact>(r)).raw() - t.pick(inverse(R), R) * r);
       })},
      {"7", "KIN-30", "sequence::matrix", "R⁻¹ = Rᵀ = R_ψᵀ R_θᵀ R_φᵀ", "R_φᵀ R_θᵀ R_ψᵀ", exact([](X& t) {
         const Cans c(t);
         const Mat3<Exact> right =
             t.pick(tr(c.R_psi()) * tr(c.R_theta()) * tr(c.R_phi()), tr(c.R_phi()) * tr(c.R_theta()) * tr(c.R_psi()));
         return size(inverse(c.c.A) - right, tr(c.c.A) - right);
       })},
      {"8", "KIN-32", "sequence::space_rate_matrix", "ṙ = Ṙ Rᵀ r", "Rᵀ Ṙ r", exact([](X& t) {
         const Cans c(t);
         const Vec3<Exact> r_B = t.vector();
         const Mat3<Exact> Rdot = matrix_rate(c.c.A, SpaceVector<Exact>(c.c.C * c.rates));
         const Mat3<Exact> W = t.pick(Rdot * tr(c.c.A), tr(c.c.A) * Rdot);
         return size(c.turning.Adot * r_B - W * (c.c.A * r_B));
       })},
      {"9", "KIN-32", "sequence::space_rate_matrix", "ṙ = ω̃ r = ω × r, ω in space components",
       "as the text has it, ω in body components", exact([](X& t) {
         const Cans c(t);
         const Vec3<Exact> r_B = t.vector();
         return size(c.turning.Adot * r_B - cross(t.pick(c.c.C, c.c.S) * c.rates, c.c.A * r_B));
       }),
       "the text before (9) says ω is in the body fixed system: ṘRᵀ = ω̃ is space fixed"},
      {"10", "KIN-62", "skew", "ω̃ = [0 −ωz ωy; ωz 0 −ωx; −ωy ωx 0]", "+ωz", exact([](X& t) {
         const Vec3<Exact> w = t.vector();
         return size(skew(w) - Mat3<Exact>{{{0, -t.sign * w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}}});
       })},
      {"11", "KIN-32", "sequence::space_rate_matrix", "ω̃ = ∂R/∂φ Rᵀ φ̇ + ∂R/∂θ Rᵀ θ̇ + ∂R/∂ψ Rᵀ ψ̇", "− ∂R/∂ψ Rᵀ ψ̇",
       exact([](X& t) {
         const Cans c(t);
         const auto part = [&](std::size_t i) {
           return derivative(value(c.c.A_path(axis_vector<Exact>(i), kNoVector)));
         };
         const Mat3<Exact> sum = c.rates.x * part(0) + c.rates.y * part(1) + (t.sign * c.rates.z) * part(2);
         return size(skew(c.c.C * c.rates) - sum * tr(c.c.A));
       })},
      {"12", "KIN-32", "sequence::space_rate_matrix", "ω_φ = φ̇ e_z,  ω_θ = θ̇ e_ξ,  ω_ψ = ψ̇ e_ζ'",
       "as printed, θ̇ e_y, ψ̇ e_x", exact([](X& t) {
         const Cans c(t);
         const Vec3<Exact> e_xi = c.R_phi() * ex();
         const Vec3<Exact> e_zeta = c.R_phi() * c.R_theta() * ez();
         const Vec3<Exact> sum = c.rates.x * ez() + c.rates.y * t.pick(e_xi, ey()) + c.rates.z * t.pick(e_zeta, ex());
         return size(c.c.C * c.rates - sum);
       }),
       "θ̇ e_y, ψ̇ e_x; read θ̇ e_ξ, ψ̇ e_ζ' (= e_z')"},
      {"13", "KIN-32", "sequence::space_rate_matrix", "ω = (0, 0, φ̇) + R_φ (θ̇, 0, 0) + R_φ R_θ (0, 0, ψ̇)",
       "R_θ R_φ (0, 0, ψ̇)", exact([](X& t) {
         const Cans c(t);
         const Mat3<Exact> two = t.pick(c.R_phi() * c.R_theta(), c.R_theta() * c.R_phi());
         return size(c.c.C * c.rates - c.rates.x * ez() - c.R_phi() * (c.rates.y * ex()) - two * (c.rates.z * ez()));
       })},
      {"14", "KIN-32 KIN-33", "sequence::space_rate_matrix, determinant",
       "ω = A u̇,  A = [0 cφ sφ sθ; 0 sφ −cφ sθ; 1 0 cθ],  det A = −sin θ", "as printed, ω = A u (angles, not rates)",
       digits50([](F& t) {
         // angles of the library's chart, so that the print can be taken at its word
         const Vec3<Fine> u{t.number() / Fine(3), Fine(1) + t.number() / Fine(20), t.number() / Fine(3)};
         const Vec3<Fine> udot = t.vector();
         const EulerAngles chart{k313};
         const Vec3<Fine> w = angular_velocity<Space>(chart, u, udot).raw();
         const Mat3<Fine> A{{{Fine(0), cos(u.x), sin(u.x) * sin(u.y)},
                             {Fine(0), sin(u.x), -(cos(u.x) * sin(u.y))},
                             {Fine(1), Fine(0), cos(u.y)}}};
         return size(w - A * t.pick(udot, u), determinant(A) + sin(u.y));
       }),
       "ω = A u and ω' = RᵀA u; read u̇"},
      {"14, matrix", "KIN-32 KIN-33", "sequence::space_rate_matrix, determinant",
       "C = A = [0 cφ sφ sθ; 0 sφ −cφ sθ; 1 0 cθ],  det A = −sin θ", "+cφ sθ", exact([](X& t) {
         const Cans c(t);
         const math::SinCos<Exact>& phi = c.turns[0];
         const math::SinCos<Exact>& theta = c.turns[1];
         const Mat3<Exact> A{
             {{0, phi.cos, phi.sin * theta.sin}, {0, phi.sin, -t.sign * phi.cos * theta.sin}, {1, 0, theta.cos}}};
         return size(c.c.C - A, c.turning.w_N - A * c.rates, c.c.determinant + theta.sin);
       })},
      {"15", "KIN-31", "sequence::body_rate_matrix", "ω' = (0, 0, ψ̇) + R_ψᵀ (θ̇, 0, 0) + R_ψᵀ R_θᵀ (0, 0, φ̇)",
       "R_ψ R_θ (0, 0, φ̇)", exact([](X& t) {
         const Cans c(t);
         const Mat3<Exact> two = t.pick(tr(c.R_psi()) * tr(c.R_theta()), c.R_psi() * c.R_theta());
         return size(c.c.S * c.rates - c.rates.z * ez() - tr(c.R_psi()) * (c.rates.y * ex()) -
                     two * (c.rates.x * ez()));
       })},
      {"16", "KIN-31 KIN-33", "sequence::body_rate_matrix, determinant",
       "ω' = B u̇,  B = [sψ sθ cψ 0; cψ sθ −sψ 0; cθ 0 1] = RᵀA,  det B = −sin θ", "+sψ in the second row",
       exact([](X& t) {
         const Cans c(t);
         const math::SinCos<Exact>& theta = c.turns[1];
         const math::SinCos<Exact>& psi = c.turns[2];
         const Mat3<Exact> B{
             {{psi.sin * theta.sin, psi.cos, 0}, {psi.cos * theta.sin, -t.sign * psi.sin, 0}, {theta.cos, 0, 1}}};
         return size(c.c.S - B, c.turning.w_B - B * c.rates, tr(c.c.A) * c.c.C - B, determinant(c.c.S) + theta.sin);
       })},
      {"22", "KIN-66", "operator+", "q + p = (q0 + p0, q + p)", "q − p in the vector part", exact([](X& t) {
         const Q q = t.quaternion();
         const Q p = t.quaternion();
         return size(q + p - Q{q.e0 + p.e0, q.ev + t.sign * p.ev}, (q + p) - p - q);
       })},
      {"23", "KIN-1", "operator*", "q ∘ p = (q0p0 − q·p, q0 p + p0 q + q × p);  r ∘ (p ∘ q) = (r ∘ p) ∘ q", "p × q",
       exact([](X& t) {
         const Q q = t.quaternion();
         const Q p = t.quaternion();
         const Q r = t.quaternion();
         const Q product{q.e0 * p.e0 - dot(q.ev, p.ev), q.e0 * p.ev + p.e0 * q.ev + t.sign * written_cross(q.ev, p.ev)};
         return size(q * p - product, r * (p * q) - (r * p) * q,
                     norm_squared(q * p) - norm_squared(q) * norm_squared(p));
       })},
      {"24", "KIN-5 KIN-6", "left_matrix, right_matrix", "q ∘ p = Q p,  p ∘ q = Q̄ p;  Q P̄ = P̄ Q;  Q(q̄) = Qᵀ, Q̄(q̄) = Q̄ᵀ",
       "q ∘ p = Q̄ p", exact([](X& t) {
         const Q q = t.quaternion();
         const Q p = t.quaternion();
         const Mat4<Exact> left = left_matrix(q);
         const Mat4<Exact> right = right_matrix(q);
         return size(q * p - t.pick(left, right) * p, p * q - right * p,
                     left * right_matrix(p) - right_matrix(p) * left, left_matrix(conjugate(q)) - tr(left),
                     right_matrix(conjugate(q)) - tr(right));
       })},
      {"25", "KIN-2 KIN-3", "inverse, conjugate, rotate", "x = q ∘ x' ∘ q⁻¹ = q ∘ x' ∘ q̄, |x| = |x'|", "q̄ ∘ x' ∘ q",
       exact([](X& t) {
         const Q q = t.unit();
         const Vec3<Exact> x_B = t.vector();
         const Q used = t.pick(q, conjugate(q));
         const Q x = used * pure(x_B) * conjugate(used);
         return size(x - pure(rotate(q, x_B)), q * pure(x_B) * inverse(q) - pure(rotate(q, x_B)),
                     norm_squared(x.ev) - norm_squared(x_B));
       })},
      {"26", "KIN-3 KIN-4", "rotate, rotation_matrix", "x = (q0² − q·q) x' + 2q0 (q × x') + 2 (q·x') q = R x'",
       "x' × q", exact([](X& t) {
         const Q q = t.quaternion();
         const Vec3<Exact> x_B = t.vector();
         const Vec3<Exact> x = (q.e0 * q.e0 - dot(q.ev, q.ev)) * x_B + (2 * t.sign * q.e0) * written_cross(q.ev, x_B) +
                               (2 * dot(q.ev, x_B)) * q.ev;
         return size(x - rotate(q, x_B), x - rotation_matrix(q) * x_B, pure(x) - q * pure(x_B) * conjugate(q));
       })},
      {"27", "KIN-4", "rotation_matrix", "R = [q0²+q1²−q2²−q3², 2(q1q2 − q0q3), 2(q1q3 + q0q2); …]",
       "2(q1q2 + q0q3) above the diagonal", exact([](X& t) {
         const Q q = t.quaternion();
         const Exact& q0 = q.e0;
         const auto& [q1, q2, q3] = q.ev;
         const Mat3<Exact> R{
             {{q0 * q0 + q1 * q1 - q2 * q2 - q3 * q3, 2 * (q1 * q2 - t.sign * q0 * q3), 2 * (q1 * q3 + q0 * q2)},
              {2 * (q2 * q1 + q0 * q3), q0 * q0 - q1 * q1 + q2 * q2 - q3 * q3, 2 * (q2 * q3 - q0 * q1)},
              {2 * (q3 * q1 - q0 * q2), 2 * (q3 * q2 + q0 * q1), q0 * q0 - q1 * q1 - q2 * q2 + q3 * q3}}};
         return size(rotation_matrix(q) - R);
       })},
      {"28", "KIN-4 KIN-5 KIN-6", "left_matrix, right_matrix, rotation_matrix", "[1 0; 0 R] = Q Q̄ᵀ = Q̄ᵀ Q", "Q̄ Qᵀ",
       exact([](X& t) {
         const Q q = t.unit();
         const Mat4<Exact> left = left_matrix(q);
         const Mat4<Exact> right = right_matrix(q);
         const Mat4<Exact> block = above(beside(Matrix<Exact, 1, 1>{{{1}}}, Matrix<Exact, 1, 3>{}),
                                         beside(Matrix<Exact, 3, 1>{}, rotation_matrix(q)));
         return size(block - t.pick(left * tr(right), right * tr(left)), block - tr(right) * left);
       })},
      {"29", "KIN-50", "to_euler_parameters(AxisAngle), axis_angle",
       "q0 = cos(μ/2), q = sin(μ/2) e_μ: turns by +μ about e_μ", "by −μ", digits50([](F& t) {
         const Vec3<Fine> v = t.vector();
         const Vec3<Fine> n = v / norm(v);
         const Fine mu = size(t.number()) / Fine(3);  // between 0 and 3: in the range that axis_angle gives back
         const EulerParameters<Fine> q = to_euler_parameters(AxisAngle<Fine>{n, mu});
         const AxisAngle<Fine> again = axis_angle(q);
         // a vector across the axis turns by μ in the right-handed sense
         const Vec3<Fine> across = cross(n, t.vector());
         const Vec3<Fine> turned = math::cos(mu) * across + (t.sign * math::sin(mu)) * cross(n, across);
         return size(rotate(q, across) - turned, rotate(q, n) - n, again.axis - n, again.angle - mu);
       })},
      {"30", "KIN-1", "norm_squared", "q0² + q1² + q2² + q3² = 1, kept by q̇ of (36)", "q0² − q1² + q2² + q3²",
       exact([](X& t) {
         const Q q = t.unit();
         const EulerParameters<Dual<Exact>> moving = along(q, rate_from_body(q, t.vector()));
         const Exact sum = q.e0 * q.e0 + t.sign * q.ev.x * q.ev.x + q.ev.y * q.ev.y + q.ev.z * q.ev.z;
         return size(sum - 1, norm_squared(q) - 1, norm_squared(moving).derivative);
       })},
      {"30 (text)", "KIN-1", "operator*, relative_rotation",
       "q = p ∘ r: first p, then r about body axes, R(q) = R(p) R(r);  r = p̄ ∘ q",
       "as the text reads, first r then p about body axes: R(r) R(p)", exact([](X& t) {
         const Q p = t.unit();
         const Q r = t.unit();
         const Mat3<Exact> P = rotation_matrix(p);
         const Mat3<Exact> R = rotation_matrix(r);
         return size(rotation_matrix(p * r) - t.pick(P * R, R * P), relative_rotation(p, p * r) - r);
       }),
       "\"sequence r and p\": first p then r about body axes; r then p is about space axes"},
      {"31", "KIN-3", "rotate", "ẋ = q̇ ∘ x' ∘ q̄ + q ∘ x' ∘ q̄̇", "− q ∘ x' ∘ q̄̇", exact([](X& t) {
         const Carried c(t);
         const Q sum = c.edot * pure(c.x_B) * conjugate(c.e) + t.sign * (c.e * pure(c.x_B) * conjugate(c.edot));
         const Vec3<Dual<Exact>> fixed = along(c.x_B, kNoVector);
         return size(sum - pure(c.xdot), sum.ev - derivative(rotate(along(c.e, c.edot), fixed)));
       })},
      {"32", "KIN-15", "space_rate", "ẋ = q̇ ∘ q̄ ∘ x + x ∘ q ∘ q̄̇ = 2 w × x,  q̇ ∘ q̄ = (0, w),  ω = 2 w",
       "as used in (33), ω = w", exact([](X& t) {
         const Carried c(t);
         const Q w = c.edot * conjugate(c.e);
         const Q sum = w * pure(c.x) + pure(c.x) * c.e * conjugate(c.edot);
         const Vec3<Exact> omega = space_rate(c.e, c.edot);
         return size(sum - pure(c.xdot), w.e0, c.xdot - 2 * cross(w.ev, c.x),
                     omega - t.pick(Exact(2), Exact(1)) * w.ev);
       }),
       "w = 2ẇ, and w then stands for ω in (33), (34); read ω = 2w, w the vector part of q̇ ∘ q̄"},
      {"33", "KIN-15", "space_rate, right_matrix", "ω = 2 q̇ ∘ q̄,  (0, ω) = 2 Q̄ᵀ q̇", "2 Qᵀ q̇", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Mat4<Exact> map = t.pick(right_matrix(m.e), left_matrix(m.e));
         return size(pure(m.w_N) - Exact(2) * (tr(map) * m.edot), pure(m.w_N) - Exact(2) * (m.edot * conjugate(m.e)),
                     m.w_N - space_rate(m.e, m.edot));
       })},
      {"34", "KIN-13", "rate_from_space, right_matrix", "q̇ = ½ ω ∘ q = ½ Q̄ (0, ω)", "½ Q (0, ω)", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Mat4<Exact> map = t.pick(right_matrix(m.e), left_matrix(m.e));
         return size(m.edot - (Exact(1) / 2) * (map * pure(m.w_N)), m.edot - rate(m.e, SpaceVector<Exact>(m.w_N)));
       })},
      {"35", "KIN-14", "body_rate, left_matrix", "ω' = 2 q̄ ∘ q̇,  (0, ω') = 2 Qᵀ q̇", "2 Q̄ᵀ q̇", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Mat4<Exact> map = t.pick(left_matrix(m.e), right_matrix(m.e));
         return size(pure(m.w_B) - Exact(2) * (tr(map) * m.edot), pure(m.w_B) - Exact(2) * (conjugate(m.e) * m.edot),
                     m.w_B - body_rate(m.e, m.edot));
       })},
      {"36", "KIN-12", "rate_from_body, left_matrix", "q̇ = ½ q ∘ ω' = ½ Q (0, ω')", "½ Q̄ (0, ω')", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Mat4<Exact> map = t.pick(left_matrix(m.e), right_matrix(m.e));
         return size(m.edot - (Exact(1) / 2) * (map * pure(m.w_B)), m.edot - rate(m.e, BodyVector<Exact>(m.w_B)));
       })},
      {"37", "KIN-17 KIN-19", "space_acceleration, acceleration_from_space", "(0, ω̇) = 2 Q̄ᵀ q̈ + 2 (|q̇|², 0)",
       "− 2 (|q̇|², 0)", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Q right = Exact(2) * (tr(right_matrix(m.e)) * m.eddot) + Q{2 * t.sign * norm_squared(m.edot), kNoVector};
         return size(pure(m.wdot_N) - right, m.wdot_N - space_acceleration(m.e, m.edot, m.eddot),
                     m.eddot - acceleration_from_space(m.e, m.w_N, m.wdot_N));
       })},
      {"38", "KIN-16 KIN-18", "body_acceleration, acceleration_from_body", "(0, ω̇') = 2 Qᵀ q̈ + 2 (|q̇|², 0)",
       "− 2 (|q̇|², 0)", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Q right = Exact(2) * (tr(left_matrix(m.e)) * m.eddot) + Q{2 * t.sign * norm_squared(m.edot), kNoVector};
         return size(pure(m.wdot_B) - right, m.wdot_B - body_acceleration(m.e, m.edot, m.eddot),
                     m.eddot - acceleration_from_body(m.e, m.w_B, m.wdot_B));
       })},
  };
}

}  // namespace polhode::verification
