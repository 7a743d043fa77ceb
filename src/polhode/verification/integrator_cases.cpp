#include "polhode/verification/integrator_cases.h"

#include "polhode/force/gravity_gradient_torque.h"
#include "polhode/rotation/rotation_matrix.h"
#include "polhode/verification/taylor.h"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cmath>

namespace polhode::verification {
namespace {

using Precise = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

/// A decimal fraction n/1000 in any number type.
template <class S>
S thousandths(int n) {
  return S(n) / S(1000);
}

template <class S>
Vec3<S> moments_of(Case which) {
  switch (which) {
    case Case::free_body:
      return {S(1), S(2), S(3)};
    case Case::heavy_top:
      return {S(1), thousandths<S>(1500), thousandths<S>(600)};
    case Case::gravity_gradient:
      break;
  }
  return {S(1), thousandths<S>(1400), thousandths<S>(1900)};
}
/// Principal axes P of the body: its own but under the gravity gradient.
template <class S>
EulerParameters<S> axes_of(Case which) {
  if (which != Case::gravity_gradient) { return EulerParameters<S>::identity(); }
  return {thousandths<S>(800), {thousandths<S>(400), thousandths<S>(-200), thousandths<S>(400)}};
}
/// m g c' of the top
template <class S>
Vec3<S> weight_of() {
  return {thousandths<S>(50), S(0), thousandths<S>(200)};
}
template <class S>
S orbit_rate() {
  return thousandths<S>(800);
}

template <class S>
GravityGradient<S> gradient_of(const Mat3<S>& J_B, Centre centre) {
  const Vec3<S> x{S(1), S(0), S(0)};
  const Vec3<S> z{S(0), S(0), S(1)};
  return centre == Centre::fixed ? GravityGradient<S>::fixed_centre(J_B, orbit_rate<S>() * orbit_rate<S>(), x)
                                 : GravityGradient<S>::circular_orbit(J_B, orbit_rate<S>(), x, z);
}

template <class S>
EulerParameters<S> start_attitude() {
  const S half = S(1) / S(2);
  return {half, {half, -half, half}};
}
template <class S>
Vec3<S> start_rate() {
  return {thousandths<S>(300), S(1), thousandths<S>(-400)};
}

double potential(Case which, const OneBody<double>& body, const BodyState<double>& state) {
  switch (which) {
    case Case::free_body:
      return 0;
    case Case::heavy_top: {
      const PointForce<double>& weight = body.load.forces_space.front();
      return -dot(weight.f_N, rotate(state.e_NB, weight.u_B));
    }
    case Case::gravity_gradient:
      break;
  }
  return gradient_of(body.J_B, Centre::fixed).potential(state);
}
double kinetic(const OneBody<double>& body, const BodyState<double>& state) {
  return 0.5 * dot(state.w_B, body.J_B * state.w_B);
}

}  // namespace

std::string name_of(Case which) {
  return which == Case::free_body ? "free body" : which == Case::heavy_top ? "heavy top" : "gravity gradient";
}
std::string momentum_of(Case which) {
  return which == Case::free_body ? "h" : which == Case::heavy_top ? "h_z" : "h·u";
}
std::string labels_of(Case which) {
  return which == Case::free_body ? "" : which == Case::heavy_top ? "DYN-1" : "DYN-33 DYN-34";
}

template <class S>
OneBody<S> body_of(Case which, Centre centre) {
  OneBody<S> body;
  const Vec3<S> J = moments_of<S>(which);
  body.J_B = diagonal(J.x, J.y, J.z);
  if (which == Case::heavy_top) { body.load.add_gravity(S(1), {S(0), S(0), S(-1)}, weight_of<S>()); }
  if (which == Case::gravity_gradient) {
    const Mat3<S> R_BP = rotation_matrix(axes_of<S>(which));
    body.J_B = R_BP * body.J_B * transpose(R_BP);
    body.load.add_moment(gradient_of(body.J_B, centre), LawOf::time_and_pose);
  }
  return body;
}
template OneBody<double> body_of(Case, Centre);
template OneBody<long double> body_of(Case, Centre);

template <class S>
BodyState<S> start_state() {
  BodyState<S> state;
  state.e_NB = start_attitude<S>();
  state.w_B = start_rate<S>();
  return state;
}
template BodyState<double> start_state();
template BodyState<long double> start_state();

Kept kept_at(Case which, const OneBody<double>& body, const BodyState<double>& state) {
  const Vec3<double> h_N = rotate(state.e_NB, body.J_B * state.w_B);
  const double energy = kinetic(body, state) + potential(which, body, state);
  switch (which) {
    case Case::free_body:
      return {energy, h_N};
    case Case::heavy_top:
      return {energy, {h_N.z, 0, 0}};
    case Case::gravity_gradient:
      break;
  }
  return {energy, {h_N.x, 0, 0}};
}

double energy_scale(Case which, const OneBody<double>& body, const BodyState<double>& state) {
  return kinetic(body, state) + std::fabs(potential(which, body, state));
}

Law law_of(const MethodDescription& method) {
  return method.leaves_out.empty() ? Law::whole : Law::without_gyroscopic_term;
}

int order_on(const MethodDescription& method, Case which) {
  return method.order + (method.name == "body-no-gyro" && which == Case::free_body ? 1 : 0);
}

BodyState<long double> reference_state(Case which, Law law, double t_end) {
  using P = Precise;
  const EulerParameters<P> e_BP = axes_of<P>(which);
  TaylorBody<P> body{moments_of<P>(which)};
  body.gyroscopic = law == Law::whole;
  if (which == Case::heavy_top) { body.weight_B = weight_of<P>(); }
  if (which == Case::gravity_gradient) {
    body.gradient = orbit_rate<P>() * orbit_rate<P>();
    body.orbit_rate = orbit_rate<P>();
  }
  Taylor<P> series(body, start_attitude<P>() * e_BP, rotate_back(e_BP, start_rate<P>()));
  series.advance(P(t_end));
  const EulerParameters<P> e_NB = series.e() * conjugate(e_BP);
  const Vec3<P> w_B = rotate(e_BP, series.w());
  const auto number = [](const P& x) { return static_cast<long double>(x); };
  BodyState<long double> state;
  state.t = static_cast<long double>(t_end);
  state.e_NB = {number(e_NB.e0), {number(e_NB.ev.x), number(e_NB.ev.y), number(e_NB.ev.z)}};
  state.w_B = {number(w_B.x), number(w_B.y), number(w_B.z)};
  return state;
}

std::string form_for(const MethodDescription& method, bool long_run) {
  const bool hamiltonian = method.needs == std::vector<std::string>{"constrained Hamiltonian"};
  return hamiltonian || (long_run && method.symplectic && method.needs.empty()) ? "canonical" : "euler-body";
}

}  // namespace polhode::verification
