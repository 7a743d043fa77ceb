#pragma once

#include "polhode/formulation/chart_forms.h"

namespace polhode {

/// Any three coordinates with body rates as the other unknowns: cheaper than a1. The source has Euler angles.
///
///   J' ω̇' = n' − J̇' ω' − ω' × J' ω',   θ̇ = B⁻¹ ω'           (DYN-24) [SchwabMeijaard2006, eqs. 20, 21]
template <Chart C>
struct S1 : ChartState<C> {
  FormDescription describe() const {
    return this->description("s1", "J' w'. = n' - w' x J' w';  x. = B^-1 w'", "x1 x2 x3 w1 w2 w3 (body)",
                             "SchwabMeijaard2006 (20) (21)", "w' x J' w'", "w'");
  }
  template <class S>
  void to_state(const InertiaNow<S>&, const EulerParameters<S>& e_NB, const Vec3<S>& w_B, S* y) const {
    this->put_point(this->point_at(e_NB), y);
    put(y + 3, w_B);
  }
  template <class S>
  void from_state(const InertiaNow<S>&, const S* y, EulerParameters<S>& e_NB, Vec3<S>& w_B) const {
    const ChartPoint<S> p = this->point(y);
    if (!this->inside(p.x)) { return this->nowhere(e_NB, w_B); }
    e_NB = to_euler_parameters(this->chart, p);
    w_B = take_vector(y + 3);
  }
  template <class S>
  bool switch_chart(S* y, const S& least_distance) const {
    ChartPoint<S> p = this->point(y);
    if (!this->inside(p.x)) { return false; }
    if (!polhode::switch_chart(this->chart, p, least_distance)) { return false; }
    this->put_point(p, y);
    return true;
  }
  template <class S>
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, const S* y, S* ydot) const {
    const Vec3<S> x = take_vector(y);
    if (!this->inside(x)) { return this->nowhere(ydot); }
    const Vec3<S> w_B = take_vector(y + 3);
    const Vec3<S> wdot_B =
        inertia.J_inverse_B * (load.torque_B() - inertia.Jdot_B * w_B - cross(w_B, inertia.J_B * w_B));  // (DYN-24)
    put(ydot, coordinate_rate(this->chart, x, BodyVector<S>(w_B)));
    put(ydot + 3, wdot_B);
    put(ydot + 6, EulerParameters<S>{S(0), {S(0), S(0), S(0)}});
    return {wdot_B, std::nullopt};
  }
};

template <class Visit>
void visit_s1(Visit& visit) {
  visit_all_charts<S1>(visit);
}

}  // namespace polhode
