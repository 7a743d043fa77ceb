#pragma once

#include "polhode/core/error.h"
#include "polhode/force/loads.h"
#include "polhode/math/matrix.h"

#include <type_traits>

namespace polhode {

/// Torque of a far centre of attraction on a body that is small against its distance R, u the direction between the two
/// (either sign), k = μ/R³:
///
///   n' = 3 k u' × J' u',   u' = Aᵀ u                        (DYN-33) [Hughes1986, chapter 8]
///
/// The centre stands still, or goes around at the constant rate n of a circular orbit, k = n²:
/// u = u(0) cos nt + (p × u(0)) sin nt, p the normal of the orbit. A law of time and pose:
///
///   load.add_moment(GravityGradient<double>::circular_orbit(J_B, n, u_N, p_N), LawOf::time_and_pose);
///
/// Added as it is, not inside another function, it has a Taylor series of its own (DYN-36).
template <class S>
class GravityGradient {
 public:
  /// A centre that does not move: T + V and h·u are kept. u_N is a unit vector.
  static GravityGradient fixed_centre(const Mat3<S>& J_B, const S& k, const Vec3<S>& u_N) {
    return GravityGradient(J_B, k, S(0), u_N, {S(0), S(0), S(0)});
  }
  /// A circular orbit at the rate n: T + V − n p·h is kept. u_N, at t = 0, and the normal p_N are unit vectors, one
  /// across the other.
  static GravityGradient circular_orbit(const Mat3<S>& J_B, const S& n, const Vec3<S>& u_N, const Vec3<S>& p_N) {
    if (!is_small(norm_squared(p_N) - S(1)) || !is_small(dot(u_N, p_N))) {
      fail(Error("normal of the orbit is not a unit vector across the direction to the centre"));
    }
    return GravityGradient(J_B, n * n, n, u_N, p_N);
  }

  Vec3<S> direction_N(const S& t) const {
    if (rate_ == S(0)) { return u_N_; }
    const math::SinCos<S> turn = math::sincos(rate_ * t);
    return turn.cos * u_N_ + turn.sin * ahead_N_;
  }
  /// p × u, across the direction and in the plane of the orbit: u̇ = n p × u. Zero for a fixed centre.
  Vec3<S> ahead_N(const S& t) const {
    if (rate_ == S(0)) { return ahead_N_; }
    const math::SinCos<S> turn = math::sincos(rate_ * t);
    return turn.cos * ahead_N_ - turn.sin * u_N_;
  }
  /// The same law for another number type.
  template <class T>
  GravityGradient<T> as() const {
    Mat3<T> J_B;
    for (std::size_t i = 0; i < 9; ++i) { J_B(i / 3, i % 3) = T(J_B_(i / 3, i % 3)); }
    const auto as_T = [](const Vec3<S>& v) { return Vec3<T>{T(v.x), T(v.y), T(v.z)}; };
    return GravityGradient<T>(J_B, T(k_), T(rate_), as_T(u_N_), as_T(p_N_));
  }
  const S& strength() const { return k_; }
  const S& rate() const { return rate_; }
  const Mat3<S>& inertia_B() const { return J_B_; }
  Vec3<S> operator()(const BodyState<S>& state) const {
    const Vec3<S> u_B = rotate_back(state.e_NB, direction_N(state.t));
    return (S(3) * k_) * cross(u_B, J_B_ * u_B);
  }
  /// What the torque is the derivative of, and what is kept with it:
  ///
  ///   V = 3/2 k u'·J' u',   T + V − n p·h = constant          (DYN-34)
  S potential(const BodyState<S>& state) const {
    const Vec3<S> u_B = rotate_back(state.e_NB, direction_N(state.t));
    return (S(1.5) * k_) * dot(u_B, J_B_ * u_B);
  }
  S conserved_energy(const BodyState<S>& state) const {
    const Vec3<S> h_B = J_B_ * state.w_B;
    return S(0.5) * dot(state.w_B, h_B) + potential(state) - rate_ * dot(p_N_, rotate(state.e_NB, h_B));
  }

 private:
  template <class T>
  friend class GravityGradient;
  static bool is_small(const S& x) {
    const auto value = value_of(x);
    const auto unit = static_cast<std::remove_cvref_t<decltype(value)>>(1e-12L);
    return -unit < value && value < unit;
  }

  GravityGradient(const Mat3<S>& J_B, const S& k, const S& rate, const Vec3<S>& u_N, const Vec3<S>& p_N)
      : J_B_(J_B), k_(k), rate_(rate), u_N_(u_N), ahead_N_(cross(p_N, u_N)), p_N_(p_N) {
    if (!is_small(norm_squared(u_N) - S(1))) { fail(Error("direction to the centre is not a unit vector")); }
  }

  Mat3<S> J_B_;
  S k_;
  S rate_;
  Vec3<S> u_N_;
  Vec3<S> ahead_N_;
  Vec3<S> p_N_;
};

}  // namespace polhode
