#pragma once

#include "polhode/formulation/chart_forms.h"

namespace polhode {

/// Lagrange's equations of T = ½ ẋᵀ Sᵀ J' S ẋ in any three coordinates.
///
///   SᵀJ'S ẍ + SᵀJ'Ṡẋ + ṠᵀJ'Sẋ + SᵀJ̇'Sẋ − r = Sᵀ n',   rᵢ = ẋᵀ (∂ᵢS)ᵀ J' S ẋ      (DYN-22) [Bernstein2023, eq. 9]
template <Chart C>
struct A2 : CoordinateState<C> {
  FormDescription describe() const {
    return this->description("a2", "S^T J' S x.. + S^T J' S. x. + S.^T J' S x. - r = S^T n'", "x1 x2 x3 x1. x2. x3.",
                             "Bernstein2023 (9)", "S.^T J' S x. - r", "x.");
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const Vec3<S> x = take_vector(y);
    if (!this->inside(x)) { return this->nowhere(ydot); }
    const Vec3<S> xdot = take_vector(y + 3);
    const Mat3<S> rate = rate_matrix<Body>(this->chart, x);
    const std::array<Mat3<S>, 3> partials = rate_partials<Body>(this->chart, x);
    const Mat3<S> rate_dot = rate_matrix_rate<Body>(this->chart, x, xdot);
    const Vec3<S> h_B = inertia.J_B * (rate * xdot);
    const Vec3<S> r{dot(partials[0] * xdot, h_B), dot(partials[1] * xdot, h_B), dot(partials[2] * xdot, h_B)};
    const Vec3<S> right =
        transpose_times(rate, load.torque_B() - inertia.J_B * (rate_dot * xdot) - inertia.Jdot_B * (rate * xdot)) -
        transpose_times(rate_dot, h_B) + r;
    return this->solve(rate, inertia, right, y, ydot);  // (DYN-22)
  }
};

template <class Visit>
void visit_a2(Visit& visit) {
  visit_all_charts<A2>(visit);
}

}  // namespace polhode
