#pragma once

#include "polhode/formulation/chart_forms.h"

namespace polhode {

/// Euler's equation as Lagrange's equations write it: the bracket is ω' × J' ω'.
///
///   J' ω̇' + J̇' ω' + S⁻ᵀ (Ṡᵀ J' S ẋ − r) = n',   ẍ = S⁻¹ (ω̇' − Ṡ ẋ)      (DYN-23) [Bernstein2023, eqs. 10, 12]
template <Chart C>
struct A3 : CoordinateState<C> {
  FormDescription describe() const {
    return this->description("a3", "J' w'. + S^-T (S.^T J' S x. - r) = n'", "x1 x2 x3 x1. x2. x3.",
                             "Bernstein2023 (10) (12)", "S^-T (S.^T J' S x. - r)", "x.");
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const Vec3<S> x = take_vector(y);
    if (!this->inside(x)) { return this->nowhere(ydot); }
    const Vec3<S> xdot = take_vector(y + 3);
    const Mat3<S> rate = rate_matrix<Body>(this->chart, x);
    const Mat3<S> rate_inverse = inverse_rate_matrix<Body>(this->chart, x);
    const std::array<Mat3<S>, 3> partials = rate_partials<Body>(this->chart, x);
    const Mat3<S> rate_dot = rate_matrix_rate<Body>(this->chart, x, xdot);
    const Vec3<S> w_B = rate * xdot;
    const Vec3<S> h_B = inertia.J_B * w_B;
    const Vec3<S> r{dot(partials[0] * xdot, h_B), dot(partials[1] * xdot, h_B), dot(partials[2] * xdot, h_B)};
    const Vec3<S> gyroscopic = transpose_times(rate_inverse, transpose_times(rate_dot, h_B) - r);
    const Vec3<S> wdot_B = inertia.J_inverse_B * (load.torque_B() - inertia.Jdot_B * w_B - gyroscopic);  // (DYN-23)
    return this->finish(rate_inverse * (wdot_B - rate_dot * xdot), true, y, ydot);
  }
};

template <class Visit>
void visit_a3(Visit& visit) {
  visit_all_charts<A3>(visit);
}

}  // namespace polhode
