#pragma once

#include "polhode/formulation/body_system.h"
#include "polhode/integrator/driver.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/// A free asymmetric body and a heavy top, in the form that a method asks for.
namespace polhode::test {

template <class S>
OneBody<S> free_asymmetric_body() {
  OneBody<S> body;
  body.J_B = diagonal(S(1), S(2), S(3));
  return body;
}
/// Held at a point, weight at c_B: a top without symmetry.
template <class S>
OneBody<S> heavy_top() {
  OneBody<S> body;
  body.J_B = diagonal(S(1), S(1.5), S(0.6));
  body.load.add_gravity(S(1), {S(0), S(0), S(-2)}, {S(0.1), S(0), S(0.5)});
  return body;
}

inline const char* form_for(const std::string& method) { return method == "rattle" ? "canonical" : "euler-body"; }

template <class S>
BodyState<S> start_state() {
  BodyState<S> state;
  state.t = S(0);
  state.e_NB = {S(0.5), {S(0.5), S(-0.5), S(0.5)}};
  state.w_B = {S(0.3), S(1), S(-0.4)};
  return state;
}

template <class S>
std::vector<S> start_of(const BodySystem<S>& system) {
  std::vector<S> y(system.size());
  system.set_state(start_state<S>(), y);
  return y;
}

/// Root of the sum of squares of the differences of attitude (up to sign) and rate.
template <class S>
S difference(const BodyState<S>& a, const BodyState<S>& b) {
  const S sign = a.e_NB.e0 * b.e_NB.e0 + dot(a.e_NB.ev, b.e_NB.ev) < S(0) ? S(-1) : S(1);
  const S d0 = a.e_NB.e0 - sign * b.e_NB.e0;
  return std::sqrt(d0 * d0 + norm_squared(a.e_NB.ev - sign * b.e_NB.ev) + norm_squared(a.w_B - b.w_B));
}

/// The state at t_end by one method with `steps` equal steps.
template <class S>
BodyState<S> state_after(const std::string& method, const OneBody<S>& body, S t_end, int steps) {
  const BodySystem<S> system(formulation<S>(form_for(method)), body);
  std::vector<S> y = start_of(system);
  const auto stepper = integrator<S>(method).bind(system);
  RunOptions<S> options;
  options.step = t_end / S(steps);
  const RunResult<S> result = integrate<S>(system, *stepper, options, S(0), t_end, y);
  if (result.status != RunStatus::done) { y.assign(y.size(), S(1e10)); }
  return system.body_state(t_end, y);
}

/// Taylor series to the last bit of long double.
inline BodyState<long double> reference_after(const OneBody<long double>& body, long double t_end) {
  return state_after<long double>("taylor", body, t_end, 200);
}

}  // namespace polhode::test
