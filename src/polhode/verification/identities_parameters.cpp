#include "polhode/rotation/attitude_motion.h"
#include "polhode/rotation/axis_angle.h"
#include "polhode/rotation/rotation_matrix.h"
#include "polhode/verification/identity.h"

/// Relations of our own: Euler parameters of any norm, exponential and logarithm, rotation matrix, axis and angle.
namespace polhode::verification {
namespace {

using Q = EulerParameters<Exact>;

/// A unit axis n(t) and an angle μ(t) with their derivatives, and what they do to the body.
struct TurningAxis {
  AxisAngle<Dual<Dual<Fine>>> along_path;
  AxisAngle<Fine> at;
  AxisAngleRate<Fine> rate, second;
  Turning<Fine> turning;

  explicit TurningAxis(F& t)
      : along_path(moving(t)),
        at{value(value(along_path.axis)), value(value(along_path.angle))},
        rate{derivative(value(along_path.axis)), derivative(value(along_path.angle))},
        second{derivative(derivative(along_path.axis)), derivative(derivative(along_path.angle))},
        turning(rotation_matrix(to_euler_parameters(along_path))) {}

  static AxisAngle<Dual<Dual<Fine>>> moving(F& t) {
    const Vec3<Fine> v = t.vector();
    const Vec3<Fine> vdot = t.vector();
    const Vec3<Dual<Dual<Fine>>> n = path(v, vdot, t.vector());
    const Vec3<Fine> mu = t.vector();  // μ, μ̇, μ̈
    return {n / norm(n), {{mu.x, mu.y}, {mu.y, mu.z}}};
  }
};

AttitudeMotion<Exact> body_side(const Motion<Exact>& m) {
  return {m.e, BodyVector<Exact>(m.w_B), BodyVector<Exact>(m.wdot_B)};
}
Exact gap(const AttitudeMotion<Exact>& a, const Turning<Exact>& b) {
  return size(rotation_matrix(a.e_NB) - b.A, a.w.raw() - b.w_B, a.wdot.raw() - b.wdot_B);
}

Mat4<Fine> horn_matrix(const Mat3<Fine>& A, const Fine& sign) {
  const Matrix<Fine, 1, 3> v{{{sign * (A(2, 1) - A(1, 2)), sign * (A(0, 2) - A(2, 0)), sign * (A(1, 0) - A(0, 1))}}};
  return above(beside(Matrix<Fine, 1, 1>{{{trace(A)}}}, v), beside(tr(v), A + tr(A) - trace(A) * unit3<Fine>()));
}

}  // namespace

std::vector<Identity> identities_parameters() {
  return {
      {"KIN-2", "KIN-2", "inverse", "e ∘ e⁻¹ = e⁻¹ ∘ e = 1 for any e ≠ 0", "e* for e⁻¹", exact([](X& t) {
         const Q e = t.quaternion();
         const Q back = t.pick(inverse(e), conjugate(e));
         return size(e * back - Q::identity(), back * e - Q::identity());
       })},
      {"KIN-3 off the sphere", "KIN-3 KIN-4", "rotate, rotation_matrix", "|A r'|² = |e|⁴ |r'|²,  AᵀA = |e|⁴ I", "|e|²",
       exact([](X& t) {
         const Q e = t.quaternion();
         const Vec3<Exact> r = t.vector();
         const Exact s = norm_squared(e);
         const Mat3<Exact> A = rotation_matrix(e);
         const Exact scale = t.pick(s * s, s);
         return size(norm_squared(rotate(e, r)) - scale * norm_squared(r), tr(A) * A - scale * unit3<Exact>());
       })},
      {"KIN-5 and KIN-7", "KIN-5 KIN-6 KIN-7 KIN-8", "left_matrix, right_matrix, E_body, E_space",
       "Q = [e, Lᵀ],  Q̄ = [e, Gᵀ]", "Q = [e, Gᵀ]", exact([](X& t) {
         const Q e = t.quaternion();
         return size(left_matrix(e) - beside(col(e), tr(t.pick(E_body(e), E_space(e)))),
                     right_matrix(e) - beside(col(e), tr(E_space(e))));
       })},
      {"KIN-7 bilinear", "KIN-7 KIN-8", "E_body, E_space",
       "L(x) y = −L(y) x,  G(x) y = −G(y) x,  G(x) L(y)ᵀ = G(y) L(x)ᵀ", "L(x) y = L(y) x", exact([](X& t) {
         const Q x = t.quaternion();
         const Q y = t.quaternion();
         return size(E_body(x) * y + t.sign * (E_body(y) * x), E_space(x) * y + E_space(y) * x,
                     E_space(x) * tr(E_body(y)) - E_space(y) * tr(E_body(x)));
       })},
      {"KIN-7 transposed", "KIN-7 KIN-8", "E_body, E_space, transpose_times", "Lᵀ v = e ∘ (0; v),  Gᵀ v = (0; v) ∘ e",
       "Lᵀ v = (0; v) ∘ e", exact([](X& t) {
         const Q e = t.quaternion();
         const Vec3<Exact> v = t.vector();
         return size(transpose_times(E_body(e), v) - t.pick(e * pure(v), pure(v) * e),
                     transpose_times(E_space(e), v) - pure(v) * e);
       })},
      {"KIN-7 off the sphere", "KIN-7 KIN-8", "E_body, E_space", "L Lᵀ = |e|² I,  LᵀL = |e|² I₄ − e eᵀ,  G likewise",
       "I for |e|² I", exact([](X& t) {
         const Q e = t.quaternion();
         const Exact s = norm_squared(e);
         const Mat34<Exact> L = E_body(e);
         const Mat34<Exact> G = E_space(e);
         const Mat3<Exact> right = t.pick(s, Exact(1)) * unit3<Exact>();
         const Mat4<Exact> right4 = s * identity<Exact, 4>() - col(e) * tr(col(e));
         return size(L * tr(L) - right, G * tr(G) - right, tr(L) * L - right4, tr(G) * G - right4);
       })},
      {"KIN-8 from KIN-7", "KIN-4 KIN-7 KIN-8", "E_body, E_space, rotation_matrix", "G = A L for |e| = 1", "L = A G",
       exact([](X& t) {
         const Q e = t.unit();
         const Mat34<Exact> L = E_body(e);
         const Mat34<Exact> G = E_space(e);
         return size(t.pick(G, L) - rotation_matrix(e) * t.pick(L, G));
       })},
      {"KIN-21 by E", "KIN-7 KIN-8 KIN-21", "E_body, E_space, matrix_rate",
       "Ȧ = A ω̃' = ω̃ A = 2 G L̇ᵀ = 2 Ġ Lᵀ,  ω̃ = 2 Ġ Gᵀ", "2 G Ġᵀ", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         return size(m.Adot - 2 * (m.G * tr(m.Ldot)), m.Adot - 2 * (m.Gdot * tr(m.L)),
                     skew(m.w_N) - 2 * t.pick(m.Gdot * tr(m.G), m.G * tr(m.Gdot)),
                     m.Adot - matrix_rate(m.A, BodyVector<Exact>(m.w_B)),
                     m.Adot - matrix_rate(m.A, SpaceVector<Exact>(m.w_N)));
       })},
      {"KIN-7 rate", "KIN-7", "E_body", "L̇ = L(ė),  L̇ ė = 0,  L̇ e = −L ė", "L̇ e = L ė", exact([](X& t) {
         const Motion<Exact> m = motion_off_sphere(t);
         const Mat34<Exact> Ldot = derivative(E_body(along(m.e, m.edot)));
         return size(Ldot - m.Ldot, Ldot * m.edot, Ldot * m.e + t.sign * (m.L * m.edot));
       })},
      {"KIN-9", "KIN-9", "exp", "exp(x) = (cos |x|/2; sin(|x|/2) x/|x|)", "cos |x|", digits50([](F& t) {
         const Vec3<Fine> far = t.vector();
         Fine worst(0);
         for (const Vec3<Fine>& x : {far, far / Fine(8), far / Fine(1e12)}) {  // beyond, within the series, tiny
           const Fine angle = norm(x);
           const math::SinCos<Fine> half = math::sincos(t.pick(angle / Fine(2), angle));
           worst = larger(worst, size(exp(x) - EulerParameters<Fine>{half.cos, (half.sin / angle) * x}));
         }
         return worst;
       })},
      {"KIN-10", "KIN-10", "log, exp, rotation_vector",
       "exp(log e) = e/|e|;  log(exp x) = x, |x| < 2π;  exp(rotation_vector(e)) = ±e/|e|", "log(exp x) = 2x",
       digits50([](F& t) {
         const EulerParameters<Fine> e = t.quaternion();
         const EulerParameters<Fine> unit = normalized(e);
         Fine worst = size(exp(log(e)) - unit);
         worst = larger(worst, size(nearest_sign(exp(rotation_vector(e)), unit) - unit));
         const Vec3<Fine> v = t.vector() / Fine(3);  // shorter than 2π
         for (const Vec3<Fine>& x : {v, v / Fine(1000), v / Fine(1e12)}) {
           worst = larger(worst, size(log(exp(x)) - t.pick(Fine(1), Fine(2)) * x) / norm(x));
         }
         return worst;
       })},
      {"KIN-11", "KIN-11", "slerp, relative_rotation",
       "slerp(a, b, s) = (sin((1 − s)Ω) a ± sin(sΩ) b)/sin Ω, cos Ω = |a·b|", "a and b exchanged", digits50([](F& t) {
         const EulerParameters<Fine> a = t.unit();
         const EulerParameters<Fine> b = t.unit();
         const EulerParameters<Fine> near = nearest_sign(b, a);
         const Fine s = size(t.number()) / Fine(10);
         const Fine angle = math::acos(dot(a, near));
         const EulerParameters<Fine> arc = (math::sin((Fine(1) - s) * angle) / math::sin(angle)) * t.pick(a, near) +
                                           (math::sin(s * angle) / math::sin(angle)) * t.pick(near, a);
         return size(slerp(a, b, s) - arc, slerp(a, b, Fine(0)) - a, slerp(a, b, Fine(1)) - near);
       })},
      {"KIN-12 off the sphere", "KIN-12 KIN-13", "rate_from_body, rate_from_space",
       "ė of (KIN-12), (KIN-13) keeps |e| and gives back ω', ω for any |e|", "ω' and ω exchanged", exact([](X& t) {
         const Q e = t.quaternion();
         const Vec3<Exact> w = t.vector();
         const Q from_body = rate_from_body(e, w);
         const Q from_space = rate_from_space(e, w);
         const Motion<Exact> body(e, from_body, Q{0, {}});
         const Motion<Exact> space(e, from_space, Q{0, {}});
         return size(dot(e, from_body), dot(e, from_space), t.pick(body.w_B, body.w_N) - w, space.w_N - w);
       })},
      {"KIN-14 off the sphere", "KIN-14 KIN-15", "body_rate, space_rate, angular_velocity<F>",
       "ω' = 2 L ė/|e|²,  ω = 2 G ė/|e|² for any e, ė", "2 L ė", exact([](X& t) {
         const Motion<Exact> m = motion_off_sphere(t);
         const Exact scale = 2 / t.pick(norm_squared(m.e), Exact(1));
         return size(m.w_B - scale * (m.L * m.edot), m.w_B - body_rate(m.e, m.edot), m.w_N - space_rate(m.e, m.edot),
                     m.w_B - angular_velocity<Body>(m.e, m.edot).raw(),
                     m.w_N - angular_velocity<Space>(m.e, m.edot).raw());
       })},
      {"KIN-16 off the sphere", "KIN-16 KIN-17", "body_acceleration, space_acceleration, angular_acceleration<F>",
       "ω̇' = (2 L ë − 2 (e·ė) ω')/|e|², ω̇ likewise, for any e, ė, ë", "+ 2 (e·ė) ω'", exact([](X& t) {
         const Motion<Exact> m = motion_off_sphere(t);
         const Exact s = norm_squared(m.e);
         const Vec3<Exact> right = (2 / s) * (m.L * m.eddot - (t.sign * dot(m.e, m.edot)) * m.w_B);
         return size(m.wdot_B - right, m.wdot_B - body_acceleration(m.e, m.edot, m.eddot),
                     m.wdot_N - space_acceleration(m.e, m.edot, m.eddot),
                     m.wdot_B - angular_acceleration<Body>(m.e, m.edot, m.eddot).raw(),
                     m.wdot_N - angular_acceleration<Space>(m.e, m.edot, m.eddot).raw());
       })},
      {"KIN-18", "KIN-18 KIN-19", "acceleration_from_body, acceleration_from_space",
       "ë = ½ e ∘ (0; ω̇') − ¼ |ω'|² e = d/dt (KIN-12), any |e|", "+ ¼ |ω'|² e", exact([](X& t) {
         const Q e = t.quaternion();
         const Vec3<Exact> w = t.vector();
         const Vec3<Exact> wdot = t.vector();
         const Q second = acceleration_from_body(e, w, wdot);
         const Q flipped = second + (norm_squared(w) / 2) * e;
         return size(
             t.pick(second, flipped) - derivative(rate_from_body(along(e, rate_from_body(e, w)), along(w, wdot))),
             acceleration_from_space(e, w, wdot) -
                 derivative(rate_from_space(along(e, rate_from_space(e, w)), along(w, wdot))),
             second - acceleration(e, BodyVector<Exact>(w), BodyVector<Exact>(wdot)));
       })},
      {"KIN-20", "KIN-20", "from_matrix", "from_matrix(A(e)) = ±e, whichever component is largest", "from_matrix(Aᵀ)",
       exact([](X& t) {
         const Q e = t.unit();
         // the same four numbers in four orders: each of trace, A11, A22, A33 is the largest once
         const Q orders[] = {
             e, {e.ev.x, {e.e0, e.ev.y, e.ev.z}}, {e.ev.y, {e.ev.x, e.e0, e.ev.z}}, {e.ev.z, {e.ev.x, e.ev.y, e.e0}}};
         Exact worst(0);
         for (const Q& p : orders) {
           const Mat3<Exact> A = rotation_matrix(p);
           const Q found = from_matrix(t.pick(A, tr(A)));
           worst = larger(worst, size(nearest_sign(found, p) - p));
         }
         return worst;
       })},
      {"KIN-22", "KIN-22", "matrix_acceleration, angular_acceleration<F>(A, Ä)", "Ä = A (ω̃̇' + ω̃'ω̃') = (ω̃̇ + ω̃ω̃) A",
       "ω̃̇' − ω̃'ω̃'", exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Mat3<Exact> W = skew(m.w_B);
         return size(m.Addot - m.A * (skew(m.wdot_B) + t.sign * (W * W)),
                     m.Addot - matrix_acceleration(m.A, BodyVector<Exact>(m.w_B), BodyVector<Exact>(m.wdot_B)),
                     m.Addot - matrix_acceleration(m.A, SpaceVector<Exact>(m.w_N), SpaceVector<Exact>(m.wdot_N)),
                     m.wdot_B - angular_acceleration<Body>(m.A, m.Addot).raw(),
                     m.wdot_N - angular_acceleration<Space>(m.A, m.Addot).raw());
       })},
      {"KIN-23", "KIN-23", "nearest_rotation", "‖M − R(e)‖² = ‖M‖² + 3 − 2 eᵀK e,  K e = λ e", "−v in K",
       digits50([](F& t) {
         const Mat3<Fine> M = t.matrix();
         const NearestRotation<Fine> found = nearest_rotation(M);
         const Mat4<Fine> K = horn_matrix(M, t.sign);
         const Fine lambda = dot(found.e_NB, K * found.e_NB);
         const Fine square = frobenius_norm(M) * frobenius_norm(M) + Fine(3) - Fine(2) * lambda;
         return size(found.distance * found.distance - square, K * found.e_NB - lambda * found.e_NB);
       })},
      {"KIN-23 polar", "KIN-23", "nearest_rotation",
       "M = R(e) P, P symmetric positive definite: nearest_rotation(M) = ±e", "M = P R(e)ᵀ", digits50([](F& t) {
         const EulerParameters<Fine> e = t.unit();
         const Mat3<Fine> P = t.inertia();
         const Mat3<Fine> M = rotation_matrix(e) * P;
         return size(nearest_sign(nearest_rotation(t.pick(M, tr(M))).e_NB, e) - e);
       })},
      {"KIN-51", "KIN-51", "angular_velocity<F>(AxisAngle)", "ω', ω = μ̇ n + sin μ ṅ ∓ (1 − cos μ) n × ṅ",
       "signs exchanged", digits50([](F& t) {
         const TurningAxis a(t);
         const Vec3<Fine> body = angular_velocity<Body>(a.at, a.rate).raw();
         const Vec3<Fine> space = angular_velocity<Space>(a.at, a.rate).raw();
         return size(a.turning.w_B - t.pick(body, space), a.turning.w_N - t.pick(space, body));
       })},
      {"KIN-52", "KIN-52", "axis_angle_rate<F>", "μ̇ = n·ω,  ṅ = ½ (± n × ω + cot(μ/2) (ω − (n·ω) n))",
       "signs exchanged", digits50([](F& t) {
         const TurningAxis a(t);
         const AxisAngleRate<Fine> body = axis_angle_rate(a.at, BodyVector<Fine>(t.pick(a.turning.w_B, a.turning.w_N)));
         const AxisAngleRate<Fine> space = axis_angle_rate(a.at, SpaceVector<Fine>(a.turning.w_N));
         return size(body.axis_rate - a.rate.axis_rate, body.angle_rate - a.rate.angle_rate,
                     space.axis_rate - a.rate.axis_rate, space.angle_rate - a.rate.angle_rate);
       })},
      {"KIN-53", "KIN-53", "angular_acceleration<F>(AxisAngle)", "ω̇', ω̇: d/dt of (KIN-51)", "without the terms in μ̇ ṅ",
       digits50([](F& t) {
         const TurningAxis a(t);
         const AxisAngleRate<Fine> rate{t.pick(Fine(1), Fine(0)) * a.rate.axis_rate, a.rate.angle_rate};
         return size(a.turning.wdot_B - angular_acceleration<Body>(a.at, rate, a.second).raw(),
                     a.turning.wdot_N - angular_acceleration<Space>(a.at, rate, a.second).raw());
       })},
      {"KIN-52 rate", "KIN-52", "axis_angle_acceleration<F>", "n̈, μ̈ from ω̇', ω̇: d/dt of (KIN-52)", "ω̇ = 0",
       digits50([](F& t) {
         const TurningAxis a(t);
         const Fine keep = t.pick(Fine(1), Fine(0));
         const AxisAngleRate<Fine> body = axis_angle_acceleration(a.at, a.rate, BodyVector<Fine>(a.turning.w_B),
                                                                  BodyVector<Fine>(keep * a.turning.wdot_B));
         const AxisAngleRate<Fine> space = axis_angle_acceleration(a.at, a.rate, SpaceVector<Fine>(a.turning.w_N),
                                                                   SpaceVector<Fine>(a.turning.wdot_N));
         return size(body.axis_rate - a.second.axis_rate, body.angle_rate - a.second.angle_rate,
                     space.axis_rate - a.second.axis_rate, space.angle_rate - a.second.angle_rate);
       })},
      {"KIN-68", "KIN-68", "operator*(AttitudeMotion, AttitudeMotion)",
       "e = e_NA ∘ e_AB,  ω' = ω'_AB + A_ABᵀ ω'_NA,  ω̇' = ω̇'_AB + A_ABᵀ ω̇'_NA + (A_ABᵀ ω'_NA) × ω'_AB",
       "without the last product", exact([](X& t) {
         const Motion<Exact> first = motion(t);
         const Motion<Exact> second = motion(t);
         const Turning<Exact> both(attitude(path(first.e, first.edot, first.eddot)) *
                                   attitude(path(second.e, second.edot, second.eddot)));
         AttitudeMotion<Exact> product = body_side(first) * body_side(second);
         const Vec3<Exact> last = written_cross(tr(second.A) * first.w_B, second.w_B);
         product.wdot = BodyVector<Exact>(product.wdot.raw() - t.pick(Exact(0), Exact(1)) * last);
         return gap(product, both);
       })},
      {"KIN-69", "KIN-69", "inverse(AttitudeMotion)", "e_BN = e*,  ω'_BN = −A ω',  ω̇'_BN = −A ω̇'", "ω'_BN = −ω'",
       exact([](X& t) {
         const Motion<Exact> m = motion(t);
         const Turning<Exact> back(tr(attitude(path(m.e, m.edot, m.eddot))));
         AttitudeMotion<Exact> turned = inverse(body_side(m));
         turned.w = t.pick(turned.w, BodyVector<Exact>(-m.w_B));
         return gap(turned, back);
       })},
  };
}

}  // namespace polhode::verification
