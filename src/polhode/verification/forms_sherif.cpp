#include "polhode/core/error.h"
#include "polhode/formulation/body_system.h"
#include "polhode/verification/driven.h"
#include "polhode/verification/identity.h"

/// [Sherif2015]: equations of motion in Euler parameters, (18)-(46) and (76)-(84). Its p is our e, its row pᵀ is c = 1.
namespace polhode::verification {
namespace {

using Column5 = Matrix<Exact, 5, 1>;

/// [x; last]
Column5 stacked(const EulerParameters<Exact>& x, const Exact& last) {
  return above(col(x), Matrix<Exact, 1, 1>{{{last}}});
}
/// [M, c p; c pᵀ, 0]
Matrix<Exact, 5, 5> bordered(const Mat4<Exact>& M, const EulerParameters<Exact>& border) {
  return above(beside(M, col(border)), beside(tr(col(border)), Matrix<Exact, 1, 1>{}));
}
/// δpᵀ x
Exact work(const Driven& b, const EulerParameters<Exact>& x) { return dot(b.dp, x); }

/// 2 Lᵀ n' with the torque written out here.
EulerParameters<Exact> twice_Ln(const Driven& b) { return transpose_times(b.L, 2 * b.n()); }

/// 8 LᵀL L̇ᵀ J' L ṗ and 8 L̇ᵀ J' L ṗ as printed, with matrices.
EulerParameters<Exact> simple(const Driven& b) { return transpose_times(b.Ldot, 8 * (b.J * (b.L * b.edot))); }
EulerParameters<Exact> full(const Driven& b) { return (tr(b.L) * b.L) * simple(b); }

/// 2 HᵀGᵀ f
EulerParameters<Exact> reduced(const Driven& b) {
  return (2 * tr(right_matrix(pure(b.u)))) * transpose_times(b.G, b.f);
}
/// Qp1 = B1ᵀ f, B1 = −2 A ũ' L
EulerParameters<Exact> B1_f(const Driven& b) { return transpose_times(-2 * (b.A * skew(b.u) * b.L), b.f); }

Vec3<double> rounded(const Vec3<Exact>& v) { return {v.x.rounded(), v.y.rounded(), v.z.rounded()}; }

/// R̈ of a body under b's force, by the right-hand side that runs integrate.
Vec3<double> acceleration_of_body(const Driven& b, const Exact& mass) {
  OneBody<double> body;
  for (std::size_t i = 0; i < 9; ++i) { body.J_B(i / 3, i % 3) = b.J(i / 3, i % 3).rounded(); }
  body.mass = mass.rounded();
  body.physical = Physical::allow_any_positive;
  body.load.add_force_space(rounded(b.f), rounded(b.u));
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  const BodyState<double> state{0, {}, {}, {b.e.e0.rounded(), rounded(b.e.ev)}, rounded(b.w_B)};
  std::vector<double> y(system.size());
  std::vector<double> ydot(system.size());
  system.set_state(state, y);
  system.rhs(0, y, ydot);
  return take_vector(ydot.data() + 10);  // (e | ω' | r | v)
}

/// Whether a form of this name can be had.
bool is_a_form(std::string_view name) {
  try {
    return formulation<double>(name).description().name == name;
  } catch (const Error&) { return false; }
}

constexpr std::string_view kGyroFull = "augmented::gyroscopic_term(Gyro::full)";
constexpr std::string_view kGyroSimple = "augmented::gyroscopic_term(Gyro::simplified)";
constexpr std::string_view kForce = "augmented::generalised_force(ForceForm::qp1)";
constexpr std::string_view kReducedForce = "augmented::generalised_force(ForceForm::qp1_reduced)";
constexpr std::string_view kSolve = "augmented::solve, closed form and elimination";

}  // namespace

std::vector<Identity> forms_sherif() {
  return {
      {"18", "DYN-1 DYN-3", "BodySystem::rhs, EulerBody::rates, LoadNow::torque_B, LoadNow::force_N",
       "δRᵀ (m R̈ − f) + δθ'ᵀ (J'ω̇' + ω̃'J'ω' − n' − m') = 0 for every δR, δθ', R̈ of the body's right-hand side",
       "− ω̃'J'ω', −f", exact([](X& t) {
         Driven b(t);
         const Vec3<Exact> moment = t.vector();
         b.load.add_moment_body(moment);
         const Exact mass = size(t.number());
         const Vec3<Exact> wdot = rates_at(EulerBody{}, b).result.wdot_B;
         const Vec3<Exact> turning = b.J * wdot + t.sign * (skew(b.w_B) * (b.J * b.w_B)) - b.n() - moment;
         const Vec3<Exact> right = t.sign * b.f;
         // a body as a whole is there in double: what it rounds is no error
         const Vec3<double> rest = mass.rounded() * acceleration_of_body(b, mass) - rounded(right);
         return size(turning, b.load_now().force_N() - right,
                     Exact(norm(rest) < 1e-13 * (1 + norm(rounded(b.f))) ? 0 : 1));
       }),
       "overbars lost: ω, ω̃, n, m, J are body quantities"},
      {"19", "KIN-14", "body_rate", "δθ' = 2 L δp:  Aᵀ δA = (δθ')~", "2 G δp", exact([](X& t) {
         const Driven b(t);
         const Mat3<Exact> dA = derivative(rotation_matrix(along(b.e, b.dp)));
         const Vec3<Exact> dtheta = 2 * (t.pick(b.L, b.G) * b.dp);
         return size(tr(b.A) * dA - skew(dtheta), body_rate(b.e, b.dp) - dtheta);
       })},
      {"20", "DYN-10", kGyroFull, "δpᵀ (4 LᵀJ'L p̈ + 8 LᵀL L̇ᵀJ'L ṗ − 2 Lᵀn') = 0", "− 8 LᵀL L̇ᵀJ'L ṗ", exact([](X& t) {
         const Driven b(t);
         return size(work(b, b.inertial() + t.sign * b.gyro(Gyro::full) - twice_Ln(b)), b.gyro(Gyro::full) - full(b));
       })},
      {"21", "KIN-1", "dot", "δpᵀ p = 0 keeps |p| = 1", "δp* for δp", exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> dp = t.pick(b.dp, conjugate(b.dp));
         return size(dot(dp, b.e), derivative(norm_squared(along(b.e, dp))));
       })},
      {"22", "DYN-10 DYN-12", "augmented::gyroscopic_term, augmented::generalised_force",
       "δpᵀ (4 LᵀJ'L p̈ + 8 LᵀL L̇ᵀJ'L ṗ − 2 Lᵀn' + p λ) = 0 for any λ", "δp with a part along p", exact([](X& t) {
         const Driven b(t);
         const Exact lambda = t.number();
         const EulerParameters<Exact> all = b.inertial() + b.gyro(Gyro::full) - b.force(ForceForm::qp1) + lambda * b.e;
         return size(dot(t.pick(b.dp, b.dp + b.e), all));
       })},
      {"23", "DYN-10 DYN-12 DYN-17", "AugmentedForm::rates (f1)", "4 LᵀJ'L p̈ + 8 LᵀL L̇ᵀJ'L ṗ + p λ = 2 Lᵀn'",
       "− 8 LᵀL L̇ᵀJ'L ṗ", exact([](X& t) {
         const Driven b(t);
         const Evaluated f1 = rates_at(augmented_form(Gyro::full, ForceForm::qp1, AugmentedSolver::numeric), b);
         const EulerParameters<Exact> left = b.M4() * f1.parameters(4) + t.sign * full(b) + *f1.result.multiplier * b.e;
         return size(left - twice_Ln(b), f1.parameters(4) - b.eddot, f1.parameters(0) - b.edot);
       })},
      {"24", "DYN-17", "AugmentedForm::rates (f1)", "pᵀp λ = 0", "with the simplified gyroscopic term", exact([](X& t) {
         const Driven b(t);
         const Gyro gyro = t.pick(Gyro::full, Gyro::simplified);
         const Evaluated f1 = rates_at(augmented_form(gyro, ForceForm::qp1, AugmentedSolver::closed_form), b);
         return size(*f1.result.multiplier, dot(b.e, b.force(ForceForm::qp1) - b.inertial() - b.gyro(gyro)));
       })},
      {"25", "DYN-18", "F9::rates", "4 J'L p̈ + 8 L L̇ᵀJ'L ṗ = 2 n'", "4 L L̇ᵀJ'L ṗ", exact([](X& t) {
         const Driven b(t);
         const Evaluated f9 = rates_at(F9{}, b);
         const Vec3<Exact> gyroscopic =
             t.pick(Exact(8), Exact(4)) * (b.L * transpose_times(b.Ldot, b.J * (b.L * b.edot)));
         return size(4 * (b.J * (b.L * f9.parameters(4))) + gyroscopic - 2 * b.n(), f9.parameters(4) - b.eddot);
       }),
       "no condition stated: (16) needs p·ṗ = 0"},
      {"26", "DYN-3", "EulerBody::rates", "J'ω̇' + ω̃'J'ω' − n' = 0,  d(A J'ω')/dt = A n'", "without ω̃'J'ω'",
       exact([](X& t) {
         const Driven b(t);
         const Evaluated at = rates_at(EulerBody{}, b);
         const Vec3<Exact> gyroscopic = t.pick(Exact(1), Exact(0)) * (skew(b.w_B) * (b.J * b.w_B));
         // Newton's law for the momentum in space, from A(t) and ω'(t) by dual numbers
         const Vec3<Exact> hdot = b.Adot * (b.J * b.w_B) + b.A * (b.J * b.wdot_B);
         return size(b.J * at.result.wdot_B + gyroscopic - b.n(), hdot - b.A * b.n(), at.vector(4) - b.wdot_B);
       })},
      {"27", "DYN-11", kGyroSimple, "δpᵀ (4 LᵀJ'L p̈ + 8 L̇ᵀJ'L ṗ − 8 p pᵀL̇ᵀJ'L ṗ − 2 Lᵀn') = 0", "− 8 L̇ᵀJ'L ṗ",
       exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> g = b.gyro(Gyro::simplified);
         const EulerParameters<Exact> bracket = b.inertial() + t.sign * g - dot(b.e, g) * b.e - twice_Ln(b);
         return size(work(b, bracket), g - simple(b), g - dot(b.e, g) * b.e - full(b));
       })},
      {"28", "DYN-11", kGyroSimple, "δpᵀ (4 LᵀJ'L p̈ + 8 L̇ᵀJ'L ṗ − 2 Lᵀn') = 0", "4 L̇ᵀJ'L ṗ", exact([](X& t) {
         const Driven b(t);
         return size(work(b, b.inertial() + t.pick(Exact(1), Exact(1) / 2) * b.gyro(Gyro::simplified) - twice_Ln(b)));
       })},
      {"29", "DYN-11 DYN-17", "AugmentedForm::rates (f5)",
       "4 LᵀJ'L p̈ + 8 L̇ᵀJ'L ṗ + p λ = 2 Lᵀn', its left side without λ is d/dt ∂T/∂ṗ − ∂T/∂p", "λ = 0", exact([](X& t) {
         const Driven b(t);
         const Evaluated f5 = rates_at(augmented_form(Gyro::simplified, ForceForm::qp1, AugmentedSolver::numeric), b);
         const Exact lambda = t.pick(*f5.result.multiplier, Exact(0));
         const EulerParameters<Exact> left = b.M4() * f5.parameters(4) + simple(b);
         // Lagrange's left side of T = 2 ṗᵀLᵀJ'L ṗ: momentum π = 4 LᵀJ'L ṗ along the motion, ∂T/∂p along each axis
         const auto momentum = [&](const EulerParameters<Dual<Exact>>& p, const EulerParameters<Dual<Exact>>& pdot) {
           const Vec3<Dual<Exact>> v = E_body(p) * pdot;
           const Vec3<Dual<Exact>> h = along(b.J * value(v), b.J * derivative(v));
           return transpose_times(Dual<Exact>(4) * E_body(p), h);
         };
         const EulerParameters<Exact> rate = derivative(momentum(along(b.e, b.edot), along(b.edot, b.eddot)));
         const auto slope = [&](const EulerParameters<Exact>& d) {
           return 4 * dot(E_body(d) * b.edot, b.J * (b.L * b.edot));
         };
         const auto axis = [](std::size_t i) { return EulerParameters<Exact>{Exact(0), axis_vector<Exact>(i)}; };
         const EulerParameters<Exact> gradient{slope(EulerParameters<Exact>::identity()),
                                               {slope(axis(0)), slope(axis(1)), slope(axis(2))}};
         return size(left + lambda * b.e - twice_Ln(b), rate - gradient - left);
       })},
      {"30", "DYN-17", "AugmentedForm::rates, AugmentedForm::expected_multiplier (f5)", "λ = −8 pᵀL̇ᵀJ'L ṗ = 4T",
       "as the introduction says, λ = 2T", exact([](X& t) {
         const Driven b(t);
         const AugmentedForm f5 = augmented_form(Gyro::simplified, ForceForm::qp1, AugmentedSolver::closed_form);
         const Exact lambda = *rates_at(f5, b).result.multiplier;
         return size(lambda + dot(b.e, simple(b)), lambda - t.pick(Exact(4), Exact(2)) * b.energy(),
                     f5.expected_multiplier(b.inertia, b.load_now(), b.e, b.w_B) - lambda);
       }),
       "the introduction has twice the kinetic energy: true for the row 2pᵀ of SchwabMeijaard2006, not for its own row "
       "pᵀ"},
      {"31", "DYN-11 DYN-18", "augmented::gyroscopic_term, F9::rates", "L × (29):  4 J'L p̈ + 8 L L̇ᵀJ'L ṗ = 2 n'",
       "without the factor 2 of n'", exact([](X& t) {
         const Driven b(t);
         const Vec3<Exact> left = 4 * (b.J * (b.L * rates_at(F9{}, b).parameters(4))) + b.L * b.gyro(Gyro::simplified);
         return size(left - t.pick(Exact(2), Exact(1)) * b.n());
       })},
      {"32", "DYN-10", "augmented::gyroscopic_term, formulation(\"f11\")",
       "4 LᵀJ'L p̈ + 8 LᵀL L̇ᵀJ'L ṗ = 2 Lᵀn', of rank 3: p is in the kernel, and formulation(\"f11\") refuses",
       "full rank: the kernel is empty", exact([](X& t) {
         const Driven b(t);
         Mat4<Exact> M = b.M4();
         std::array<Exact, 4> right{};
         const bool solvable = solve_in_place(M, right);
         return size(b.inertial() + b.gyro(Gyro::full) - twice_Ln(b), b.M4() * b.e,
                     Exact(solvable == t.pick(false, true) ? 0 : 1),
                     Exact(is_a_form("f11") == t.pick(false, true) ? 0 : 1), Exact(is_a_form("f1") ? 0 : 1));
       })},
      {"33", "DYN-15", kSolve, "pᵀp̈ + ṗᵀṗ = 0", "− ṗᵀṗ", exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> any = t.quaternion();
         const auto gap = [&](AugmentedSolver solver) {
           return dot(b.e, b.solve(solver, 1, any).eddot) + t.sign * dot(b.edot, b.edot);
         };
         return size(gap(AugmentedSolver::closed_form), gap(AugmentedSolver::numeric));
       })},
      {"34", "DYN-15", kSolve, "[4LᵀJ'L, p; pᵀ, 0] [p̈; λ] = [−8 LᵀL L̇ᵀJ'L ṗ + 2 Lᵀn'; −ṗᵀṗ]", "+8 LᵀL L̇ᵀJ'L ṗ",
       exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> r = twice_Ln(b) - t.sign * full(b);
         return size(bordered(b.M4(), b.e) * stacked(b.eddot, Exact(0)) - stacked(r, -dot(b.edot, b.edot)),
                     b.solve_error(1, r, Exact(0)));
       })},
      {"35", "DYN-16", kSolve,
       "inverse [¼ LᵀJ'⁻¹L, p; pᵀ, 0]; for the row c pᵀ and |p|² = s [LᵀJ'⁻¹L/(4s²), p/(cs); pᵀ/(cs), 0]", "½ LᵀJ'⁻¹L",
       exact([](X& t) {
         const Driven b(t);
         const Exact factor = t.pick(Exact(1), Exact(2));
         const auto product = [&](const EulerParameters<Exact>& p, const Exact& c) {
           const Mat34<Exact> L = E_body(p);
           const Exact s = norm_squared(p);
           const Mat4<Exact> block = (factor / (4 * s * s)) * (tr(L) * inverse(b.J) * L);
           return bordered(4 * (tr(L) * b.J * L), c * p) * bordered(block, (1 / (c * s)) * p) - identity<Exact, 5>();
         };
         // the library's inverse applied to K x gives x, off the sphere too
         const EulerParameters<Exact> p = t.quaternion();
         const EulerParameters<Exact> x = t.quaternion();
         const EulerParameters<Exact> v = t.quaternion();
         const Exact lambda = t.number();
         const EulerParameters<Exact> on_row = x - ((dot(p, x) + dot(v, v)) / norm_squared(p)) * p;
         const EulerParameters<Exact> r = (4 * (tr(E_body(p)) * b.J * E_body(p))) * on_row + (2 * lambda) * p;
         const auto solved = augmented::solve(AugmentedSolver::closed_form, b.inertia, 2, p, v, r);
         return size(product(b.e, Exact(1)), product(p, t.number()), solved.eddot - on_row, solved.lambda - lambda);
       })},
      {"36", "DYN-16", kSolve, "[p̈; λ] = [¼ LᵀJ'⁻¹L, p; pᵀ, 0] [−8 LᵀL L̇ᵀJ'L ṗ + 2 Lᵀn'; −ṗᵀṗ]", "+ṗᵀṗ",
       exact([](X& t) {
         const Driven b(t);
         const Mat4<Exact> block = (Exact(1) / 4) * (tr(b.L) * inverse(b.J) * b.L);
         const EulerParameters<Exact> r = twice_Ln(b) - full(b);
         const auto solved = b.solve(AugmentedSolver::closed_form, 1, r);
         return size(bordered(block, b.e) * stacked(r, -t.sign * dot(b.edot, b.edot)) -
                     stacked(solved.eddot, solved.lambda));
       })},
      {"37", "DYN-17", "AugmentedForm::rates (f1, both solvers)", "λ = 0", "with Qp2", exact([](X& t) {
         const Driven b(t);
         const ForceForm force = t.pick(ForceForm::qp1, ForceForm::qp2);
         return size(*rates_at(augmented_form(Gyro::full, force, AugmentedSolver::closed_form), b).result.multiplier,
                     *rates_at(augmented_form(Gyro::full, force, AugmentedSolver::numeric), b).result.multiplier);
       })},
      {"38", "DYN-19", "F10::rates", "p̈ = −2 LᵀJ'⁻¹L L̇ᵀJ'L ṗ + ½ LᵀJ'⁻¹n' − p ṗᵀṗ", "+ p ṗᵀṗ", exact([](X& t) {
         const Driven b(t);
         const Evaluated f10 = rates_at(F10{}, b);
         const Mat34<Exact> JL = inverse(b.J) * b.L;
         const EulerParameters<Exact> written =
             transpose_times(JL, b.n() / 2 - 2 * (b.L * transpose_times(b.Ldot, b.J * (b.L * b.edot)))) -
             (t.sign * dot(b.edot, b.edot)) * b.e;
         return size(written - f10.parameters(4), f10.parameters(4) - b.eddot);
       })},
      {"39", "DYN-11 DYN-15", kSolve, "[4LᵀJ'L, p; pᵀ, 0] [p̈; λ] = [−8 L̇ᵀJ'L ṗ + 2 Lᵀn'; −ṗᵀṗ], λ = 4T", "λ = 0",
       exact([](X& t) {
         const Driven b(t);
         return b.solve_error(1, b.force(ForceForm::qp1) - b.gyro(Gyro::simplified),
                              t.pick(Exact(4), Exact(0)) * b.energy());
       })},
      {"40", "DYN-16 DYN-19", "augmented::solve, F10::rates", "p̈ of (39) is that of (38), λ = −8 pᵀL̇ᵀJ'L ṗ",
       "λ = +8 pᵀL̇ᵀJ'L ṗ", exact([](X& t) {
         const Driven b(t);
         const auto solved = b.solve(AugmentedSolver::closed_form, 1, twice_Ln(b) - simple(b));
         return size(solved.eddot - rates_at(F10{}, b).parameters(4), solved.lambda + t.sign * dot(b.e, simple(b)));
       })},
      {"41", "DYN-1", "LoadNow::torque_B", "n' = ũ' f' = ũ' Aᵀf", "as printed, with the space f in the first form",
       exact([](X& t) {
         const Driven b(t);
         const Vec3<Exact> torque = b.load_now().torque_B();
         return size(torque - skew(b.u) * t.pick(tr(b.A) * b.f, b.f), torque - skew(b.u) * (tr(b.A) * b.f));
       }),
       "the first f lost its overbar: it is the force in body components"},
      {"42", "KIN-3", "rotate", "r = R + A u'", "Aᵀ u'", exact([](X& t) {
         const Driven b(t);
         const Vec3<Exact> r = (b.e * pure(b.u) * conjugate(b.e)).ev;
         return size(r - rotate(t.pick(b.e, conjugate(b.e)), b.u));
       })},
      {"43", "DYN-12", kForce, "Qp = 2 Lᵀn' = 2 p ∘ (0, n')", "2 (0, n') ∘ p", exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> product = t.pick(b.e * pure(b.n()), pure(b.n()) * b.e);
         return size(b.force(ForceForm::qp1) - 2 * product, b.force(ForceForm::qp1) - twice_Ln(b));
       })},
      {"44", "DYN-12", kForce, "Qp = 2 Lᵀ ũ' Aᵀf", "A f for Aᵀf", exact([](X& t) {
         const Driven b(t);
         const Vec3<Exact> torque = skew(b.u) * (t.pick(tr(b.A), b.A) * b.f);
         return size(b.force(ForceForm::qp1) - transpose_times(b.L, 2 * torque));
       })},
      {"45", "DYN-12 DYN-13 DYN-14", "augmented::generalised_force", "δW = fᵀ δr = Qᵀ δp, each of the four Q",
       "r = R + Aᵀu'", exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Dual<Exact>> p = along(b.e, b.dp);
         const Vec3<Exact> dr = derivative(rotation_matrix(t.pick(p, conjugate(p))) * along(b.u, Vec3<Exact>{}));
         Exact gap(0);
         for (const ForceForm form : kForceForms) { gap = larger(gap, size(dot(b.f, dr) - work(b, b.force(form)))); }
         return gap;
       })},
      {"46", "DYN-12", "augmented::generalised_force, LoadNow::force_N", "δW = QRᵀ δR + Qpᵀ δp,  QR = f,  Qp = B1ᵀf",
       "−Qp", exact([](X& t) {
         const Driven b(t);
         const Vec3<Exact> dR = t.vector();
         const Vec3<Exact> dr = dR + derivative(rotation_matrix(along(b.e, b.dp)) * along(b.u, Vec3<Exact>{}));
         const EulerParameters<Exact> Q = b.force(ForceForm::qp1);
         return size(dot(b.f, dr) - dot(b.load_now().force_N(), dR) - t.sign * work(b, Q), Q - B1_f(b));
       })},
      {"section 4.2", "DYN-12 DYN-13 DYN-14", "augmented::generalised_force, AugmentedForm::describe",
       "Qp2 (and what is left of Qp1) depends on p linearly, Qp1 cubically: Q(s p) = s^k Q(p), k = "
       "force_jacobian_degree",
       "k + 1", exact([](X& t) {
         const Driven b(t);
         const Exact s = t.number() + 11;
         Exact gap(0);
         for (const ForceForm form : kForceForms) {
           const FormDescription d = augmented_form(Gyro::full, form, AugmentedSolver::closed_form).describe();
           const EulerParameters<Exact> scaled =
               augmented::generalised_force(form, s * b.e, PointForce<Exact>{b.f, b.u});
           Exact power = t.pick(Exact(1), s);
           for (int k = 0; k < d.force_jacobian_degree; ++k) { power = power * s; }
           gap = larger(gap, size(scaled - power * b.force(form)));
         }
         return gap;
       })},
      {"76", "DYN-10", kGyroFull, "(20) again: δpᵀ (4 LᵀJ'L p̈ + 8 LᵀL L̇ᵀJ'L ṗ − 2 Lᵀn') = 0", "+ 2 Lᵀn'",
       exact([](X& t) {
         const Driven b(t);
         return size(work(b, b.inertial() + b.gyro(Gyro::full) - t.sign * twice_Ln(b)));
       })},
      {"77", "DYN-10 DYN-12", "augmented::gyroscopic_term, augmented::generalised_force",
       "δpᵀ (4 LᵀJ'L p̈ + 8 LᵀL L̇ᵀJ'L ṗ − 2 Lᵀũ'Aᵀf) = 0", "2 Lᵀũ'A f", exact([](X& t) {
         const Driven b(t);
         const auto Q =
             augmented::generalised_force(ForceForm::qp1, b.e, PointForce<Exact>{t.pick(b.f, b.A * (b.A * b.f)), b.u});
         return size(work(b, b.inertial() + b.gyro(Gyro::full) - Q));
       })},
      {"78", "DYN-10 DYN-12", kForce, "δpᵀ (4 LᵀJ'L p̈ + 8 LᵀL L̇ᵀJ'L ṗ − B1ᵀf) = 0", "+ B1ᵀf", exact([](X& t) {
         const Driven b(t);
         return size(work(b, b.inertial() + b.gyro(Gyro::full) - t.sign * B1_f(b)), b.force(ForceForm::qp1) - B1_f(b));
       })},
      {"79", "DYN-17", "AugmentedForm::rates (f1)", "4 LᵀJ'L p̈ + 8 LᵀL L̇ᵀJ'L ṗ + p λ = B1ᵀf, λ = 0", "B2ᵀf for B1ᵀf",
       exact([](X& t) {
         const Driven b(t);
         const Evaluated f1 = rates_at(augmented_form(Gyro::full, ForceForm::qp1, AugmentedSolver::closed_form), b);
         const EulerParameters<Exact> left = b.M4() * f1.parameters(4) + full(b) + *f1.result.multiplier * b.e;
         return size(left - t.pick(B1_f(b), b.force(ForceForm::qp2)), *f1.result.multiplier);
       })},
      {"80", "DYN-13", kReducedForce, "δpᵀ (4 LᵀJ'L p̈ + 8 LᵀL L̇ᵀJ'L ṗ − 2 HᵀGᵀf + 2 p (u'ᵀL Gᵀf)) = 0, as a whole zero",
       "− 2 p (u'ᵀL Gᵀf)", exact([](X& t) {
         const Driven b(t);
         const Exact part = 2 * dot(b.u, b.L * transpose_times(b.G, b.f));
         return size(b.inertial() + b.gyro(Gyro::full) - b.force(ForceForm::qp1_reduced) + (t.sign * part) * b.e);
       })},
      {"81", "DYN-13", kReducedForce, "δpᵀ (4 LᵀJ'L p̈ + 8 LᵀL L̇ᵀJ'L ṗ − 2 HᵀGᵀf) = 0", "+ 2 HᵀGᵀf", exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> Q = b.force(ForceForm::qp1_reduced);
         return size(work(b, b.inertial() + b.gyro(Gyro::full) - t.sign * Q), Q - reduced(b));
       })},
      {"82", "DYN-13 DYN-17", "AugmentedForm::rates (f2)", "4 LᵀJ'L p̈ + 8 LᵀL L̇ᵀJ'L ṗ + p λ = 2 HᵀGᵀf", "λ = 0",
       exact([](X& t) {
         const Driven b(t);
         const Evaluated f2 = rates_at(augmented_form(Gyro::full, ForceForm::qp1_reduced, AugmentedSolver::numeric), b);
         const Exact lambda = t.pick(*f2.result.multiplier, Exact(0));
         return size(b.M4() * f2.parameters(4) + full(b) + lambda * b.e - reduced(b), f2.parameters(4) - b.eddot);
       })},
      {"83", "DYN-13 DYN-15", kSolve, "[4LᵀJ'L, p; pᵀ, 0] [p̈; λ] = [−8 LᵀL L̇ᵀJ'L ṗ + 2 HᵀGᵀf; −ṗᵀṗ]", "+8 LᵀL L̇ᵀJ'L ṗ",
       exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> r = b.force(ForceForm::qp1_reduced) - t.sign * b.gyro(Gyro::full);
         const auto solved = b.solve(AugmentedSolver::numeric, 1, r);
         return size(bordered(b.M4(), b.e) * stacked(solved.eddot, solved.lambda) -
                         stacked(reduced(b) - full(b), -dot(b.edot, b.edot)),
                     solved.eddot - b.eddot);
       })},
      {"84", "DYN-13 DYN-16 DYN-17", "AugmentedForm::rates, AugmentedForm::expected_multiplier (f2)",
       "p̈ = −2 LᵀJ'⁻¹L L̇ᵀJ'L ṗ + ½ LᵀJ'⁻¹L HᵀGᵀf − p ṗᵀṗ,  λ = 2 pᵀHᵀGᵀf = 2 f·(A u'),  L HᵀGᵀf = n'", "λ = pᵀHᵀGᵀf",
       exact([](X& t) {
         const Driven b(t);
         const AugmentedForm form = augmented_form(Gyro::full, ForceForm::qp1_reduced, AugmentedSolver::closed_form);
         const Evaluated f2 = rates_at(form, b);
         const EulerParameters<Exact> HGf = (Exact(1) / 2) * reduced(b);
         const Mat34<Exact> JL = inverse(b.J) * b.L;
         const EulerParameters<Exact> written =
             transpose_times(JL, (b.L * HGf) / 2 - 2 * (b.L * transpose_times(b.Ldot, b.J * (b.L * b.edot)))) -
             dot(b.edot, b.edot) * b.e;
         const Exact lambda = t.pick(Exact(2), Exact(1)) * dot(b.e, HGf);
         return size(written - f2.parameters(4), *f2.result.multiplier - lambda, lambda - 2 * b.f_Au(),
                     b.L * HGf - b.n(), form.expected_multiplier(b.inertia, b.load_now(), b.e, b.w_B) - lambda);
       })},
  };
}

}  // namespace polhode::verification
