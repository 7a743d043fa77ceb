#pragma once

#include "polhode/formulation/describe.h"
#include "polhode/math/small_solve.h"
#include "polhode/rotation/euler_angles.h"
#include "polhode/rotation/vector_charts.h"

#include <cmath>
#include <concepts>
#include <limits>

namespace polhode {

/// The same three angles counted from the body: last turn first, as [Bernstein2023, eqs. 41, 46] orders them.
struct ReversedAngles {
  EulerAngles angles;

  template <class S>
  EulerParameters<S> to_euler_parameters(const Vec3<S>& x) const {
    return angles.to_euler_parameters(reversed(x));
  }
  template <class S>
  Vec3<S> from_euler_parameters(const EulerParameters<S>& e) const {
    return reversed(angles.from_euler_parameters(e));
  }
  template <class S>
  Mat3<S> body_rate_matrix(const Vec3<S>& x) const {
    return reversed_columns(angles.body_rate_matrix(reversed(x)));
  }
  template <class S>
  Mat3<S> inverse_body_rate_matrix(const Vec3<S>& x) const {
    return transpose(reversed_columns(transpose(angles.inverse_body_rate_matrix(reversed(x)))));
  }
  template <class S>
  std::array<Mat3<S>, 3> body_rate_partials(const Vec3<S>& x) const {
    const std::array<Mat3<S>, 3> p = angles.body_rate_partials(reversed(x));
    return {reversed_columns(p[2]), reversed_columns(p[1]), reversed_columns(p[0])};
  }
  template <class S>
  Conditioning<S> conditioning(const Vec3<S>& x) const {
    Conditioning<S> c = angles.conditioning(reversed(x));
    c.determinant = -c.determinant;
    return c;
  }
  template <class S>
  Vec3<S> center() const {
    return reversed(angles.center<S>());
  }

 private:
  template <class S>
  static Vec3<S> reversed(const Vec3<S>& x) {
    return {x.z, x.y, x.x};
  }
  template <class S>
  static Mat3<S> reversed_columns(const Mat3<S>& m) {
    return from_columns(column(m, 2), column(m, 1), column(m, 0));
  }
};
static_assert(Chart<ReversedAngles>);

/// What forms in a chart's coordinates share: state (x | ẋ or ω' | e_NC). The last four are the reference attitude of
/// the chart (ChartPoint): constants of the motion that change only when the chart is switched. Their sign is that
/// which x alone would lose: e_NC ∘ e(x) is the e that the state was made from, not −e, and stays continuous.
template <Chart C>
struct ChartState {
  C chart;
  std::string chart_name;
  std::string chart_singularity;

  template <class S>
  static ChartPoint<S> point(const S* y) {
    return {take_euler_parameters(y + 6), take_vector(y)};
  }
  template <class S>
  void put_point(const ChartPoint<S>& p, S* y) const {
    put(y, p.x);
    put(y + 6, p.e_NC);
  }
  /// The coordinates of e_NB; the reference attitude is the identity, with the sign that gives e_NB and not −e_NB back.
  template <class S>
  ChartPoint<S> point_at(const EulerParameters<S>& e_NB) const {
    const Vec3<S> x = chart.from_euler_parameters(e_NB);
    const EulerParameters<S> one = EulerParameters<S>::identity();
    return {value_of(dot(chart.to_euler_parameters(x), e_NB)) < 0 ? S(-1) * one : one, x};
  }
  /// Whether x are coordinates of an attitude at all: reduced Euler parameters are regular only for |x| < 1, and a
  /// trial step may lead out. Asked before a root is taken of what is negative.
  template <class S>
  static bool inside(const Vec3<S>& x) {
    if constexpr (std::same_as<C, ReducedEulerParameters> && PlainReal<S>) {
      return is_finite(x) && std::fabs(x.x) < S(1) && std::fabs(x.y) < S(1) && std::fabs(x.z) < S(1) &&
             square_left(S(1), x) > S(0);
    } else {
      return true;
    }
  }
  /// Of plain reals, the only ones of which inside() may say no.
  template <class S>
  static S no_number() {
    if constexpr (PlainReal<S>) {
      return std::numeric_limits<S>::quiet_NaN();
    } else {
      return S(0);
    }
  }
  /// No attitude, no rates.
  template <class S>
  static FormResult<S> nowhere(S* ydot) {
    const S none = no_number<S>();
    for (std::size_t i = 0; i < 10; ++i) { ydot[i] = none; }
    return {{none, none, none}, std::nullopt, false};
  }
  template <class S>
  static void nowhere(EulerParameters<S>& e_NB, Vec3<S>& w_B) {
    const S none = no_number<S>();
    e_NB = {none, {none, none, none}};
    w_B = {none, none, none};
  }
  template <class S>
  S chart_condition(const S* y) const {
    if (!inside(take_vector(y))) { return std::numeric_limits<S>::infinity(); }
    return chart.conditioning(take_vector(y)).condition_number;
  }
  /// Every gyroscopic term is of degree 2 in the rates, ẋ or ω'; its coefficients are functions of x.
  FormDescription description(std::string family, std::string equation, std::string unknowns, std::string reference,
                              std::string gyroscopic_term, std::string rates) const {
    return {.name = std::move(family) + ":" + chart_name,
            .equation = std::move(equation),
            .unknowns = std::move(unknowns) + " | reference e0 e1 e2 e3",
            .reference = std::move(reference),
            .size = 10,
            .row_scale = {},
            .multiplier = {},
            .singularity = chart_singularity,
            .gyroscopic_term = std::move(gyroscopic_term),
            .gyroscopic_unknowns = std::move(rates),
            .gyroscopic_degree = 2};
  }
};

/// Forms whose unknowns are x and ẋ.
template <Chart C>
struct CoordinateState : ChartState<C> {
  template <class S>
  void to_state(const InertiaNow<S>&, const EulerParameters<S>& e_NB, const Vec3<S>& w_B, S* y) const {
    const ChartPoint<S> p = this->point_at(e_NB);
    this->put_point(p, y);
    put(y + 3, coordinate_rate(this->chart, p.x, BodyVector<S>(w_B)));
  }
  template <class S>
  void from_state(const InertiaNow<S>&, const S* y, EulerParameters<S>& e_NB, Vec3<S>& w_B) const {
    const ChartPoint<S> p = this->point(y);
    if (!this->inside(p.x)) { return this->nowhere(e_NB, w_B); }
    e_NB = to_euler_parameters(this->chart, p);
    w_B = angular_velocity<Body>(this->chart, p.x, take_vector(y + 3)).raw();
  }
  template <class S>
  bool switch_chart(S* y, const S& least_distance) const {
    ChartPoint<S> p = this->point(y);
    if (!this->inside(p.x)) { return false; }
    const BodyVector<S> w = angular_velocity<Body>(this->chart, p.x, take_vector(y + 3));
    if (!polhode::switch_chart(this->chart, p, least_distance)) { return false; }
    this->put_point(p, y);
    put(y + 3, coordinate_rate(this->chart, p.x, w));
    return true;
  }
  /// ẏ from ẍ.
  template <class S>
  FormResult<S> finish(const Vec3<S>& xddot, bool solvable, const S* y, S* ydot) const {
    const Vec3<S> xdot = take_vector(y + 3);
    put(ydot, xdot);
    put(ydot + 3, xddot);
    put(ydot + 6, EulerParameters<S>{S(0), {S(0), S(0), S(0)}});
    return {angular_acceleration<Body>(this->chart, take_vector(y), xdot, xddot).raw(), std::nullopt, solvable};
  }
  /// SᵀJ'S ẍ = right side, one factor after the other: the product would square the condition number of the chart and
  /// multiply it with that of J'.
  template <class S>
  FormResult<S> solve(const Mat3<S>& rate, const InertiaNow<S>& inertia, const Vec3<S>& right, const S* y,
                      S* ydot) const {
    const auto solved = [](Mat3<S> m, Vec3<S>& x) {
      std::array<S, 3> b{x.x, x.y, x.z};
      const bool solvable = solve_in_place(m, b);
      x = {b[0], b[1], b[2]};
      return solvable;
    };
    Vec3<S> x = right;
    bool solvable = solved(transpose(rate), x);
    x = inertia.J_inverse_B * x;
    solvable = solved(rate, x) && solvable;
    return finish(x, solvable, y, ydot);
  }
};

/// One form in one chart.
template <template <class> class Form, class Visit, Chart C>
void visit_chart(Visit& visit, C chart, std::string name, std::string singularity) {
  Form<C> form;
  form.chart = std::move(chart);
  form.chart_name = std::move(name);
  form.chart_singularity = std::move(singularity);
  visit(form);
}

/// A form in every chart that the library has: the 12 Euler sequences, 3-2-1 and 3-1-3 counted from the body as
/// [Bernstein2023] does, and four whose coordinates are a vector along the axis. Their names are those of `convert`.
template <template <class> class Form, class Visit>
void visit_all_charts(Visit& visit) {
  const auto lock = [](const EulerSequence& sequence) {
    return std::string(sequence.proper() ? "middle angle 0 and 180 deg" : "middle angle +-90 deg");
  };
  for (const EulerSequence& sequence : all_sequences()) {
    visit_chart<Form>(visit, EulerAngles{sequence}, sequence.name(), lock(sequence));
  }
  for (const char* name : {"3-2-1", "3-1-3"}) {
    const EulerSequence sequence = EulerSequence::parse(name);
    visit_chart<Form>(visit, ReversedAngles{EulerAngles{sequence}}, std::string(name) + ":last-first", lock(sequence));
  }
  visit_chart<Form>(visit, RotationVector{}, "rotation_vector", "a rotation of 360 deg");
  visit_chart<Form>(visit, Rodrigues{}, "rodrigues", "a rotation of 180 deg");
  visit_chart<Form>(visit, ModifiedRodrigues{}, "mrp", "a rotation of 360 deg");
  visit_chart<Form>(visit, ReducedEulerParameters{}, "reduced", "a rotation of 180 deg");
}

}  // namespace polhode
