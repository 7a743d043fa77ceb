#include "polhode/verification/driven.h"
#include "polhode/verification/identity.h"

/// Every row of the table of forms that the sources do not number, and what all forms have in common.
namespace polhode::verification {
namespace {

constexpr std::array kSolvers{AugmentedSolver::closed_form, AugmentedSolver::numeric};

Exact power_of(const Exact& s, int degree) {
  Exact power(1);
  for (int k = 0; k < degree; ++k) { power = power * s; }
  return power;
}

/// λ of the table for the row eᵀ.
Exact table_lambda(const Driven& b, Gyro gyro, ForceForm force) {
  Exact lambda = gyro == Gyro::simplified ? 4 * b.energy() : Exact(0);
  if (force != ForceForm::qp1) { lambda = lambda + 2 * b.f_Au(); }
  if (force == ForceForm::qp2) { lambda = lambda + 2 * b.u_f(); }
  return lambda;
}

/// How far an augmented form, both solvers and rows eᵀ and 2eᵀ, is from the motion and from λ as told for the row eᵀ.
Exact augmented_error(const Driven& b, Gyro gyro, ForceForm force, const Exact& told) {
  Exact gap(0);
  for (const AugmentedSolver solver : kSolvers) {
    for (const int c : {1, 2}) {
      const AugmentedForm form = augmented_form(gyro, force, solver, c);
      const Evaluated at = rates_at(form, b);
      const Exact lambda = told / c;
      gap = larger(gap, size(at.parameters(4) - b.eddot, at.result.wdot_B - b.wdot_B, *at.result.multiplier - lambda,
                             form.expected_multiplier(b.inertia, b.load_now(), b.e, b.w_B) - lambda));
    }
  }
  return gap;
}

/// Every form of a family, as it is listed, at a random attitude and motion of its chart in 50 digits: how far ẍ, or
/// (ẋ, ω̇'), is from that motion under the moment J'ω̇' ± ω' × J'ω'.
struct ListedCharts {
  F& t;
  Fine largest{0};
  Fine smallest{1};

  template <class Form>
  void operator()(const Form& form) {
    using C = std::remove_cvref_t<decltype(form.chart)>;
    constexpr bool has_xdot = std::derived_from<Form, CoordinateState<C>>;
    // away from the singularity, so that its condition number costs two digits at most
    Vec3<Fine> x = form.chart.from_euler_parameters(t.unit());
    while (!(form.chart.conditioning(x).condition_number < Fine(5))) { x = form.chart.from_euler_parameters(t.unit()); }
    const Vec3<Fine> xdot = t.vector() / Fine(9);
    const Vec3<Fine> xddot = t.vector() / Fine(9);
    const Turning<Fine> turning(rotation_matrix(form.chart.to_euler_parameters(path(x, xdot, xddot))));
    const Mat3<Fine> J = t.inertia();
    const Vec3<Fine>& w = turning.w_B;
    Load<Fine> load;
    load.add_moment_body(J * turning.wdot_B + t.sign * cross(w, J * w));
    const BodyState<Fine> state{Fine(0), {}, {}, form.chart.to_euler_parameters(x), w};
    std::array<Fine, 10> y{};
    std::array<Fine, 10> ydot{};
    put(y.data(), x);
    put(y.data() + 3, has_xdot ? xdot : w);
    put(y.data() + 6, EulerParameters<Fine>::identity());
    form.rates(inertia_now(J), LoadNow<Fine>(load, state), y.data(), ydot.data());
    const Fine gap =
        size(take_vector(ydot.data()) - xdot, take_vector(ydot.data() + 3) - (has_xdot ? xddot : turning.wdot_B));
    largest = larger(largest, gap);
    if (gap < smallest) { smallest = gap; }
  }
};

/// A load of every kind: its torque is the sum of what each does alone, written out.
struct AllLoads {
  Load<Exact> load;
  Vec3<Exact> torque;

  AllLoads(X& t, const Driven& b) : torque{} {
    const Vec3<Exact> f_N = t.vector();
    const Vec3<Exact> f_B = t.vector();
    const Vec3<Exact> m_N = t.vector();
    const Vec3<Exact> m_B = t.vector();
    const Vec3<Exact> u1 = t.vector();
    const Vec3<Exact> u2 = t.vector();
    load.add_force_space(f_N, u1);
    load.add_force_body(f_B, u2);
    load.add_moment_space(m_N);
    load.add_moment_body(m_B);
    torque = written_cross(u1, tr(b.A) * f_N) + written_cross(u2, f_B) + tr(b.A) * m_N + m_B;
  }
};

/// What a form's equations have on their right side at (e, ė), told by its solution: −g without load.
EulerParameters<Exact> right_side(const AugmentedForm&, const Driven& b, const EulerParameters<Exact>& e,
                                  const EulerParameters<Exact>&, const EulerParameters<Exact>& eddot,
                                  const Exact& lambda) {
  const Mat34<Exact> L = E_body(e);
  return (4 * (tr(L) * b.J * L)) * eddot + lambda * e;
}
EulerParameters<Exact> right_side(const F12&, const Driven& b, const EulerParameters<Exact>& e,
                                  const EulerParameters<Exact>& edot, const EulerParameters<Exact>& eddot,
                                  const Exact& lambda) {
  return right_side(AugmentedForm{}, b, e, edot, eddot, 2 * lambda);
}
EulerParameters<Exact> right_side(const F9&, const Driven& b, const EulerParameters<Exact>& e,
                                  const EulerParameters<Exact>&, const EulerParameters<Exact>& eddot, const Exact&) {
  return pure(4 * (b.J * (E_body(e) * eddot)));
}
EulerParameters<Exact> right_side(const F10&, const Driven&, const EulerParameters<Exact>& e,
                                  const EulerParameters<Exact>& edot, const EulerParameters<Exact>& eddot,
                                  const Exact&) {
  return eddot + dot(edot, edot) * e;
}

/// Gyroscopic term and generalised force of a form at (s e, s ė).
struct Terms {
  EulerParameters<Exact> gyroscopic, force;
};
template <class Form>
Terms terms(const Form& form, const Driven& b, const Exact& s) {
  const EulerParameters<Exact> e = s * b.e;
  const EulerParameters<Exact> edot = s * b.edot;
  const BodyState<Exact> state{Exact(0), {}, {}, e, {}};
  const Load<Exact> none;
  const auto right = [&](const Load<Exact>& load) {
    std::vector<Exact> y(8);
    std::vector<Exact> ydot(8);
    put(y.data(), e);
    put(y.data() + 4, edot);
    const FormResult<Exact> result = form.rates(b.inertia, LoadNow<Exact>(load, state), y.data(), ydot.data());
    return right_side(form, b, e, edot, take_euler_parameters(ydot.data() + 4), result.multiplier.value_or(Exact(0)));
  };
  const EulerParameters<Exact> free = right(none);
  return {-free, right(b.load) - free};
}
/// Both are homogeneous of the degree that the form's description states, `more` added for the twin.
template <class Form>
Exact degree_error(const Form& form, const Driven& b, const Exact& s, int more) {
  const FormDescription d = form.describe();
  const Terms one = terms(form, b, Exact(1));
  const Terms scaled = terms(form, b, s);
  return size(scaled.gyroscopic - power_of(s, d.gyroscopic_degree + more) * one.gyroscopic,
              scaled.force - power_of(s, d.force_jacobian_degree + more) * one.force);
}

/// −g and Q of all eight augmented forms, f9, f10 and f12.
Exact degrees(X& t, int more) {
  const Driven b(t);
  const Exact s = t.number() + 11;
  Exact gap = size(degree_error(F9{}, b, s, more), degree_error(F10{}, b, s, more), degree_error(F12{}, b, s, more));
  for (const Gyro gyro : {Gyro::full, Gyro::simplified}) {
    for (const ForceForm force : kForceForms) {
      for (const AugmentedSolver solver : kSolvers) {
        gap = larger(gap, degree_error(augmented_form(gyro, force, solver), b, s, more));
      }
    }
  }
  return gap;
}

/// The form with a change of inertia J̇' under a load of every kind: ω̇' as Euler's equation has it.
template <class Form>
Exact varying_error(const Form& form, const Driven& b, const AllLoads& loads, const Mat3<Exact>& Jdot,
                    const Exact& sign) {
  const InertiaNow<Exact> inertia = inertia_now(b.J, Jdot);
  std::vector<Exact> y(form.describe().size);
  std::vector<Exact> ydot(y.size());
  form.to_state(inertia, b.e, b.w_B, y.data());
  const FormResult<Exact> result = form.rates(inertia, LoadNow<Exact>(loads.load, b.state), y.data(), ydot.data());
  const Vec3<Exact> right = loads.torque - sign * (Jdot * b.w_B) - written_cross(b.w_B, b.J * b.w_B);
  return size(b.J * result.wdot_B - right);
}

/// One item for each of f1 to f8. The twin has λ of another form.
template <Gyro gyro, ForceForm force, Gyro other_gyro, ForceForm other_force>
Check augmented_check() {
  return exact([](X& t) {
    const Driven b(t);
    return augmented_error(b, gyro, force,
                           t.pick(table_lambda(b, gyro, force), table_lambda(b, other_gyro, other_force)));
  });
}

constexpr std::string_view kAugmented = "AugmentedForm::rates, closed form and elimination, rows eᵀ and 2eᵀ";

}  // namespace

std::vector<Identity> forms_own() {
  return {
      {"form f1", "DYN-15 DYN-16 DYN-17", kAugmented, "g_full, Qp1: ë of the motion, λ = 0", "λ of f5",
       augmented_check<Gyro::full, ForceForm::qp1, Gyro::simplified, ForceForm::qp1>()},
      {"form f2", "DYN-17", kAugmented, "g_full, Qp1 without its part along e: λ = 2 f·(A u')", "λ of f3",
       augmented_check<Gyro::full, ForceForm::qp1_reduced, Gyro::full, ForceForm::qp2>()},
      {"form f3", "DYN-14 DYN-17", kAugmented, "g_full, Qp2: λ = 2 f·(A u') + 2 u'·f", "λ of f4",
       augmented_check<Gyro::full, ForceForm::qp2, Gyro::full, ForceForm::qp2_reduced>()},
      {"form f4", "DYN-17", kAugmented, "g_full, Qp2 without its part along e: λ = 2 f·(A u')", "λ of f3",
       augmented_check<Gyro::full, ForceForm::qp2_reduced, Gyro::full, ForceForm::qp2>()},
      {"form f5", "DYN-17", kAugmented, "g_simp, Qp1: λ = 4T", "λ of f1",
       augmented_check<Gyro::simplified, ForceForm::qp1, Gyro::full, ForceForm::qp1>()},
      {"form f6", "DYN-17", kAugmented, "g_simp, Qp1 without its part along e: λ = 4T + 2 f·(A u')", "λ of f5",
       augmented_check<Gyro::simplified, ForceForm::qp1_reduced, Gyro::simplified, ForceForm::qp1>()},
      {"form f7", "DYN-14 DYN-17", kAugmented, "g_simp, Qp2: λ = 4T + 2 f·(A u') + 2 u'·f", "λ of f8",
       augmented_check<Gyro::simplified, ForceForm::qp2, Gyro::simplified, ForceForm::qp2_reduced>()},
      {"form f8", "DYN-17", kAugmented, "g_simp, Qp2 without its part along e: λ = 4T + 2 f·(A u')", "λ of f7",
       augmented_check<Gyro::simplified, ForceForm::qp2_reduced, Gyro::simplified, ForceForm::qp2>()},
      {"form f9", "DYN-18", "F9::rates", "ë of the motion, no multiplier", "ë without −|ė|² e", exact([](X& t) {
         const Driven b(t);
         const Evaluated at = rates_at(F9{}, b);
         const EulerParameters<Exact> across = b.eddot + dot(b.edot, b.edot) * b.e;
         return size(at.parameters(4) - t.pick(b.eddot, across), Exact(at.result.multiplier ? 1 : 0));
       })},
      {"form f10", "DYN-19", "F10::rates", "ë of the motion, no multiplier", "ë without −|ė|² e", exact([](X& t) {
         const Driven b(t);
         const Evaluated at = rates_at(F10{}, b);
         const EulerParameters<Exact> across = b.eddot + dot(b.edot, b.edot) * b.e;
         return size(at.parameters(4) - t.pick(b.eddot, across), Exact(at.result.multiplier ? 1 : 0));
       })},
      {"form f12", "DYN-20", "F12::rates", "ë of the motion, λ half that of f5", "λ that of f5", exact([](X& t) {
         const Driven b(t);
         const Evaluated at = rates_at(F12{}, b);
         const Evaluated f5 = rates_at(augmented_form(Gyro::simplified, ForceForm::qp1, AugmentedSolver::numeric), b);
         return size(at.parameters(4) - b.eddot,
                     t.pick(Exact(2), Exact(1)) * *at.result.multiplier - *f5.result.multiplier);
       })},
      {"form euler-body", "DYN-3", "EulerBody::rates", "(ė, ω̇') of the motion", "ω̇ for ω̇'", exact([](X& t) {
         const Driven b(t);
         const Evaluated at = rates_at(EulerBody{}, b);
         return size(at.parameters(0) - b.edot, at.vector(4) - t.pick(b.wdot_B, b.wdot_N));
       })},
      {"form euler-space", "DYN-4", "EulerSpace::rates", "J ω̇ + ω × J ω = τ, J = A J'Aᵀ: (ė, ω̇) of the motion",
       "J = AᵀJ'A", exact([](X& t) {
         const Driven b(t);
         const Evaluated at = rates_at(EulerSpace{}, b);
         const Mat3<Exact> A = t.pick(b.A, tr(b.A));
         const Mat3<Exact> J = A * b.J * tr(A);
         return size(at.parameters(0) - b.edot, at.vector(4) - b.wdot_N, at.result.wdot_B - b.wdot_B,
                     J * at.vector(4) + cross(b.w_N, J * b.w_N) - b.A * b.n());
       })},
      {"form momentum-space", "DYN-5", "MomentumSpace::rates", "ḣ = τ, ė of the motion", "ḣ = n'", exact([](X& t) {
         const Driven b(t);
         const Evaluated at = rates_at(MomentumSpace{}, b);
         return size(at.parameters(0) - b.edot, at.vector(4) - t.pick(b.A * b.n(), b.n()), at.result.wdot_B - b.wdot_B);
       })},
      {"form momentum-body", "DYN-6", "MomentumBody::rates", "ḣ' = n' − ω' × h' = J'ω̇', ė of the motion", "+ ω' × h'",
       exact([](X& t) {
         const Driven b(t);
         const Evaluated at = rates_at(MomentumBody{}, b);
         return size(at.parameters(0) - b.edot, at.vector(4) - b.J * b.wdot_B, at.result.wdot_B - b.wdot_B,
                     at.vector(4) - b.n() + t.sign * cross(b.w_B, b.J * b.w_B));
       })},
      {"form canonical", "DYN-7", "Canonical::rates",
       "π = 4 LᵀJ'L ė,  ė = ∂H/∂π,  π̇ = ½ π ∘ (0, ω') + 2 e ∘ (0, n') = dπ/dt along the motion,  e·π = 0",
       "½ (0, ω') ∘ π", exact([](X& t) {
         const Driven b(t);
         const Evaluated at = rates_at(Canonical{}, b);
         const EulerParameters<Exact> pi = take_euler_parameters(at.y.data() + 4);
         const Vec3<Dual<Exact>> h = along(b.J * b.w_B, b.J * b.wdot_B);
         const EulerParameters<Exact> pidot = derivative(Dual<Exact>(2) * (along(b.e, b.edot) * pure(h)));
         const EulerParameters<Exact> product = t.pick(pi * pure(b.w_B), pure(b.w_B) * pi);
         return size(pi - b.M4() * b.edot, dot(b.e, pi), at.parameters(0) - b.edot, at.parameters(4) - pidot,
                     at.parameters(4) - (Exact(1) / 2) * product - 2 * (b.e * pure(b.n())));
       })},
      {"form a1", "DYN-21", "A1::rates",
       "ẍ of the motion: 12 sequences in both orders, reduced parameters of both signs, rodrigues, mrp",
       "sign of ω' × J'ω'", exact([](X& t) {
         return on_all_charts(t, [&](const CoordinateMotion& m) {
           const Vec3<Exact> torque = m.torque() + (t.sign - 1) * cross(m.w(), m.J * m.w());
           return size(chart_rates<A1>(m, m.qdot, torque).vector(3) - m.qddot);
         });
       })},
      {"form a2", "DYN-22", "A2::rates", "ẍ of the motion, in the same charts", "sign of ω' × J'ω'", exact([](X& t) {
         return on_all_charts(t, [&](const CoordinateMotion& m) {
           const Vec3<Exact> torque = m.torque() + (t.sign - 1) * cross(m.w(), m.J * m.w());
           return size(chart_rates<A2>(m, m.qdot, torque).vector(3) - m.qddot);
         });
       })},
      {"form a3", "DYN-23", "A3::rates", "ẍ of the motion, in the same charts; S⁻ᵀ(ṠᵀJ'S ẋ − r) = ω' × J'ω'",
       "sign of ω' × J'ω'", exact([](X& t) {
         return on_all_charts(t, [&](const CoordinateMotion& m) {
           const Vec3<Exact> torque = m.torque() + (t.sign - 1) * cross(m.w(), m.J * m.w());
           return size(chart_rates<A3>(m, m.qdot, torque).vector(3) - m.qddot);
         });
       })},
      {"form s1", "DYN-24", "S1::rates", "(ẋ, ω̇') of the motion, in the same charts", "sign of ω' × J'ω'",
       exact([](X& t) {
         return on_all_charts(t, [&](const CoordinateMotion& m) {
           const Vec3<Exact> torque = m.torque() + (t.sign - 1) * cross(m.w(), m.J * m.w());
           const Evaluated at = chart_rates<S1>(m, m.w(), torque);
           return size(at.vector(0) - m.qdot, at.vector(3) - m.wdot());
         });
       })},
      {"forms in charts, as listed", "DYN-21 DYN-22 DYN-23 DYN-24", "A1::rates, A2::rates, A3::rates, S1::rates",
       "the motion in 18 charts: 12 sequences, two of them last turn first, rotation vector, rodrigues, mrp, reduced",
       "sign of ω' × J'ω'", digits50([](F& t) {
         ListedCharts listed{t};
         visit_a1(listed);
         visit_a2(listed);
         visit_a3(listed);
         visit_s1(listed);
         return t.pick(listed.largest, listed.smallest);  // the twin of every single form must be seen
       })},
      {"gyroscopic terms", "DYN-10 DYN-11", "augmented::gyroscopic_term",
       "g_full = 2 Lᵀ(ω' × J'ω'),  g_simp = −8 Q̇ D Q̇ᵀe,  g_full = g_simp + 4T e", "2T e", exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> across = transpose_times(b.L, 2 * written_cross(b.w_B, b.J * b.w_B));
         const Vec3<Exact> h = b.J * (conjugate(b.edot) * b.e).ev;
         const EulerParameters<Exact> g_simp = -8 * (b.edot * pure(h));
         return size(b.gyro(Gyro::full) - across, b.gyro(Gyro::simplified) - g_simp,
                     b.gyro(Gyro::full) - b.gyro(Gyro::simplified) - (t.pick(Exact(4), Exact(2)) * b.energy()) * b.e);
       })},
      {"degrees of all terms", "DYN-10 DYN-11 DYN-18 DYN-19 DYN-20", "FormDescription of f1 to f10 and f12",
       "g(s e, s ė) = s^k g, Q(s e) = s^j Q: k = gyroscopic_degree (5, 4 or 3), j = force_jacobian_degree (3, 2 or 1)",
       "k + 1, j + 1", exact([](X& t) { return degrees(t, t.pick(0, 1)); })},
      {"multiplier off the sphere", "DYN-16 DYN-17", "AugmentedForm::rates (f1, f5)",
       "any |e|, any ė: λ = 0 for f1, 8 (L ė)ᵀJ'(L ė)/|e|² for f5", "without 1/|e|²", exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> e = t.quaternion();
         const EulerParameters<Exact> edot = t.quaternion();
         const Vec3<Exact> Ledot = E_body(e) * edot;
         const Exact expected = 8 * dot(Ledot, b.J * Ledot) / t.pick(norm_squared(e), Exact(1));
         Exact gap(0);
         for (const AugmentedSolver solver : kSolvers) {
           const auto lambda = [&](Gyro gyro) {
             const EulerParameters<Exact> r = augmented::generalised_force(ForceForm::qp1, e, b.load_now()) -
                                              augmented::gyroscopic_term(gyro, e, edot, b.J);
             return augmented::solve(solver, b.inertia, 1, e, edot, r).lambda;
           };
           gap = larger(gap, size(lambda(Gyro::full), lambda(Gyro::simplified) - expected));
         }
         return gap;
       })},
      {"multiplier and the world", "DYN-14", "augmented::generalised_force(ForceForm::qp2)",
       "turning the world keeps λ of f1, f2, f5, f6 and changes that of f3 and f7 by 2 u'·(f_turned − f)",
       "keeps that of f3 and f7 too", exact([](X& t) {
         const Driven b(t);
         const EulerParameters<Exact> world = t.unit();
         const Vec3<Exact> turned = rotate(world, b.f);
         const auto along_e = [&](ForceForm form) {
           const EulerParameters<Exact> e = world * b.e;
           return dot(e, augmented::generalised_force(form, e, PointForce<Exact>{turned, b.u})) -
                  dot(b.e, b.force(form));
         };
         const Exact change = t.pick(2 * dot(b.u, turned - b.f), Exact(0));
         return size(along_e(ForceForm::qp1), along_e(ForceForm::qp1_reduced), along_e(ForceForm::qp2) - change);
       })},
      {"power", "DYN-1 DYN-12 DYN-13 DYN-14", "LoadNow::torque_B, augmented::generalised_force, Chart rate matrices",
       "n'·ω' = Q·ė = (Sᵀn')·ẋ = dT/dt, all four Q, loads of every kind", "n'·ω' = 2 Q·ė", exact([](X& t) {
         const Driven b(t);
         const AllLoads loads(t, b);
         const LoadNow<Exact> now(loads.load, b.state);
         const Exact power = dot(now.torque_B(), b.w_B);
         Exact gap = size(now.torque_B() - loads.torque, dot(b.n(), b.w_B) - dot(b.w_B, b.J * b.wdot_B));
         for (const ForceForm form : kForceForms) {
           const EulerParameters<Exact> Q = augmented::generalised_force(form, b.e, now);
           gap = larger(gap, size(power - t.pick(Exact(1), Exact(2)) * dot(Q, b.edot)));
         }
         const CoordinateMotion m(euler_angles(k313, t.turns()), t);
         return larger(gap, size(dot(m.torque(), m.w()) - dot(transpose_times(m.S, m.torque()), m.qdot),
                                 dot(m.torque(), m.w()) - dot(m.w(), m.J * m.wdot())));
       })},
      {"a wheel with a motor", "DYN-37", "MotorWheel::momentum, carrier_inertia, EulerBody::rates",
       "with J' − I s's'ᵀ and the wheel's moment: d/dt(J'ω' + I Ω s') + ω' × (J'ω' + I Ω s') = n', Ṫ = n'·ω' + τ Ω",
       "the motor's torque not taken from the body", exact([](X& t) {
         const Driven b(t);
         Load<Exact> wheels;
         MotorWheel<Exact> wheel;
         const Mat3<Exact> R = rotation_matrix(t.unit());
         wheel.axis_B = {R(0, 0), R(1, 0), R(2, 0)};
         wheel.inertia = b.J(0, 0);
         const Vec3<Exact>& s = wheel.axis_B;
         const Vec3<Exact> numbers = t.vector();
         const Exact speed = numbers.x;
         const Exact torque = numbers.y;
         wheels.add_wheel(wheel);
         // b.J is what is left of the body
         Mat3<Exact> J = b.J;
         for (std::size_t i = 0; i < 9; ++i) {
           J(i / 3, i % 3) = J(i / 3, i % 3) + wheel.inertia * s[i / 3] * s[i % 3];
         }
         const Mat3<Exact> carrier = carrier_inertia(J, wheels.wheels);
         const Exact h_a = wheel.momentum(b.w_B, speed);
         const Vec3<Exact> inside_B = -written_cross(b.w_B, h_a * s) - t.pick(torque, Exact(0)) * s;
         std::vector<Exact> y(7);
         std::vector<Exact> ydot(7);
         put(y.data(), b.e);
         put(y.data() + 4, b.w_B);
         const LoadNow<Exact> load(b.load, b.state, &inside_B);
         const Vec3<Exact> wdot_B = EulerBody{}.rates(inertia_now(carrier), load, y.data(), ydot.data()).wdot_B;
         const Exact speed_rate = torque / wheel.inertia - dot(s, wdot_B);
         const Vec3<Exact> h_B = J * b.w_B + (wheel.inertia * speed) * s;
         const Vec3<Exact> hdot_B = J * wdot_B + (wheel.inertia * speed_rate) * s;
         const Exact power = dot(b.w_B, carrier * wdot_B) + h_a * torque / wheel.inertia;
         return size(hdot_B + written_cross(b.w_B, h_B) - b.n(), power - dot(b.n(), b.w_B) - torque * speed);
       })},
      {"inertia that changes", "DYN-3 DYN-4 DYN-5 DYN-6 DYN-7 DYN-17 DYN-18 DYN-19 DYN-20",
       "rates of every form without a chart", "J'ω̇' = n' − J̇'ω' − ω' × J'ω', loads of every kind", "+ J̇'ω'",
       exact([](X& t) {
         const Driven b(t);
         const AllLoads loads(t, b);
         const Mat3<Exact> m = t.matrix();
         const Mat3<Exact> Jdot = m + tr(m);
         Exact gap(0);
         for_each_form([&](const auto& form) {
           if constexpr (!requires { form.chart; }) { gap = larger(gap, varying_error(form, b, loads, Jdot, t.sign)); }
         });
         return gap;
       })},
      {"inertia that changes, charts", "DYN-21 DYN-22 DYN-23 DYN-24", "A1::rates, A2::rates, A3::rates, S1::rates",
       "J'ω̇' = n' − J̇'ω' − ω' × J'ω'", "+ J̇'ω'", exact([](X& t) {
         const Mat3<Exact> a = t.matrix();
         const Mat3<Exact> Jdot = a + tr(a);
         return on_all_charts(t, [&](const CoordinateMotion& m) {
           const Vec3<Exact> torque = m.torque() + t.sign * (Jdot * m.w());
           return size(chart_rates<A1>(m, m.qdot, torque, Jdot).vector(3) - m.qddot,
                       chart_rates<A2>(m, m.qdot, torque, Jdot).vector(3) - m.qddot,
                       chart_rates<A3>(m, m.qdot, torque, Jdot).vector(3) - m.qddot,
                       chart_rates<S1>(m, m.w(), torque, Jdot).vector(3) - m.wdot());
         });
       })},
  };
}

}  // namespace polhode::verification
