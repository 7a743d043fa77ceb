#pragma once

#include "polhode/formulation/forms.h"
#include "polhode/verification/coordinates.h"

#include <array>

/// A body that moves under a force by Newton's law, in fractions: what the equations of motion are checked on.
namespace polhode::verification {

/// A force f (space) at the point u' (body) turns the body: e, ė random, ë by J'ω̇' = n' − ω'×J'ω' written out here.
struct Driven : Motion<Exact> {
  Mat3<Exact> J;
  Vec3<Exact> u, f;
  EulerParameters<Exact> dp;  ///< a variation, e·δe = 0
  InertiaNow<Exact> inertia;
  Load<Exact> load;
  BodyState<Exact> state;

  explicit Driven(X& t) : Driven(t, t.unit(), t.inertia(), t.vector(), t.vector()) {}

  Vec3<Exact> n() const { return written_cross(u, tr(A) * f); }  ///< n' = u' × Aᵀ f
  Exact energy() const { return dot(w_B, J * w_B) / 2; }
  LoadNow<Exact> load_now() const { return {load, state}; }

  Mat4<Exact> M4() const { return 4 * (tr(L) * J * L); }
  EulerParameters<Exact> inertial() const { return M4() * eddot; }  ///< 4 LᵀJ'L ë
  EulerParameters<Exact> gyro(Gyro kind) const { return augmented::gyroscopic_term(kind, e, edot, J); }
  EulerParameters<Exact> force(ForceForm form) const { return augmented::generalised_force(form, e, load_now()); }
  Exact f_Au() const { return dot(f, A * u); }
  Exact u_f() const { return dot(u, f); }

  /// ë and λ of the augmented equations with row c eᵀ, by the closed form or by elimination.
  augmented::Solution<Exact> solve(AugmentedSolver solver, int c, const EulerParameters<Exact>& r) const {
    return augmented::solve(solver, inertia, c, e, edot, r);
  }
  /// How far both ways of solving are from (ë, λ).
  Exact solve_error(int c, const EulerParameters<Exact>& r, const Exact& lambda) const {
    const augmented::Solution<Exact> a = solve(AugmentedSolver::closed_form, c, r);
    const augmented::Solution<Exact> b = solve(AugmentedSolver::numeric, c, r);
    return size(a.eddot - eddot, a.lambda - lambda, b.eddot - eddot, b.lambda - lambda, Exact(b.solvable ? 0 : 1));
  }

 private:
  Driven(X& t, const EulerParameters<Exact>& e_, const Mat3<Exact>& J_, const Vec3<Exact>& u_, const Vec3<Exact>& f_)
      : Driven(t, e_, t.tangent(e_), J_, u_, f_) {}
  Driven(X& t, const EulerParameters<Exact>& e_, const EulerParameters<Exact>& edot_, const Mat3<Exact>& J_,
         const Vec3<Exact>& u_, const Vec3<Exact>& f_)
      : Motion<Exact>(e_, edot_, second_derivative(e_, edot_, J_, u_, f_)),
        J(J_),
        u(u_),
        f(f_),
        dp(t.tangent(e)),
        inertia(inertia_now(J)),
        state{Exact(0), {}, {}, e, w_B} {
    load.add_force_space(f, u);
  }
  static EulerParameters<Exact> second_derivative(const EulerParameters<Exact>& e, const EulerParameters<Exact>& edot,
                                                  const Mat3<Exact>& J, const Vec3<Exact>& u, const Vec3<Exact>& f) {
    const Vec3<Exact> w = Exact(2) * (conjugate(e) * edot).ev;
    const Vec3<Exact> torque = written_cross(u, tr(rotation_matrix(e)) * f);
    const Vec3<Exact> wdot = inverse(J) * (torque - written_cross(w, J * w));
    return (Exact(1) / 2) * (e * pure(wdot)) - dot(edot, edot) * e;
  }
};

/// A form's state at a moving body, its rates there and what it says of itself.
struct Evaluated {
  std::vector<Exact> y, ydot;
  FormResult<Exact> result;
  FormDescription description;

  Vec3<Exact> vector(std::size_t at) const { return take_vector(ydot.data() + at); }
  EulerParameters<Exact> parameters(std::size_t at) const { return take_euler_parameters(ydot.data() + at); }
};
template <class Form>
Evaluated rates_at(const Form& form, const Driven& b, std::vector<Exact> y) {
  Evaluated at{std::move(y), {}, {}, form.describe()};
  at.ydot.resize(at.y.size());
  at.result = form.rates(b.inertia, b.load_now(), at.y.data(), at.ydot.data());
  return at;
}
template <class Form>
Evaluated rates_at(const Form& form, const Driven& b) {
  std::vector<Exact> y(form.describe().size);
  form.to_state(b.inertia, b.e, b.w_B, y.data());
  return rates_at(form, b, std::move(y));
}

/// A chart that is known at one rational point only, by the library's matrices there: the angles themselves are not
/// fractions, their sines and cosines are.
struct AtPoint {
  Coordinates c;

  template <class S>
  Mat3<S> body_rate_matrix(const Vec3<S>&) const {
    return c.S;
  }
  template <class S>
  Mat3<S> inverse_body_rate_matrix(const Vec3<S>&) const {
    return c.S_inverse;
  }
  template <class S>
  std::array<Mat3<S>, 3> body_rate_partials(const Vec3<S>&) const {
    return c.D;
  }
  template <class S>
  Conditioning<S> conditioning(const Vec3<S>&) const {
    return {c.determinant, S(0), S(0)};
  }
  template <class S>
  EulerParameters<S> to_euler_parameters(const Vec3<S>&) const;
  template <class S>
  Vec3<S> from_euler_parameters(const EulerParameters<S>&) const;
};
static_assert(Chart<AtPoint>);

/// A form in a chart's coordinates at a motion, under a moment τ' as Euler's equation asks for; `second` is ẋ or ω'.
template <template <class> class Form>
Evaluated chart_rates(const CoordinateMotion& m, const Vec3<Exact>& second, const Vec3<Exact>& torque,
                      const Mat3<Exact>& Jdot = {}) {
  Form<AtPoint> form;
  form.chart = AtPoint{static_cast<const Coordinates&>(m)};
  Load<Exact> load;
  load.add_moment_body(torque);
  const BodyState<Exact> state{Exact(0), {}, {}, EulerParameters<Exact>::identity(), m.w()};
  Evaluated at{std::vector<Exact>(10), std::vector<Exact>(10), {}, form.describe()};
  put(at.y.data() + 3, second);
  at.result = form.rates(inertia_now(m.J, Jdot), LoadNow<Exact>(load, state), at.y.data(), at.ydot.data());
  return at;
}

/// The largest residual over all 12 sequences in both orders, over reduced Euler parameters of both signs, and over
/// both kinds of Rodrigues parameters.
template <class Residual>
Exact on_all_charts(X& t, const Residual& residual) {
  Exact largest(0);
  const auto visit = [&](Coordinates c) { largest = larger(largest, residual(CoordinateMotion(std::move(c), t))); };
  for (const EulerSequence& sequence : all_sequences()) {
    visit(euler_angles(sequence, t.turns()));
    visit(last_turn_first(sequence, t.turns()));
  }
  const EulerParameters<Exact> e = t.unit();
  visit(reduced_parameters(e));
  visit(reduced_parameters(-e));
  visit(rodrigues(e));
  visit(modified_rodrigues(e));
  return largest;
}

/// One of the forms f1 to f8.
inline AugmentedForm augmented_form(Gyro gyro, ForceForm force, AugmentedSolver solver, int row_scale = 1) {
  AugmentedForm form;
  form.gyro = gyro;
  form.force = force;
  form.solver = solver;
  form.row_scale = row_scale;
  return form;
}
inline constexpr std::array kForceForms{ForceForm::qp1, ForceForm::qp1_reduced, ForceForm::qp2, ForceForm::qp2_reduced};

}  // namespace polhode::verification
