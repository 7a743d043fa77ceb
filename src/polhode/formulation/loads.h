#pragma once

#include "polhode/rotation/euler_parameters.h"

#include <functional>
#include <utility>
#include <vector>

namespace polhode {

/// Where a body is and how it moves, as a load law sees it.
template <class S>
struct BodyState {
  S t{};
  Vec3<S> r_N{};  ///< reference point: mass centre of a free body, fixed point of a held one
  Vec3<S> v_N{};
  EulerParameters<S> e_NB{};
  Vec3<S> w_B{};
};

/// A force, space components, at a point of the body, body components from the reference point.
template <class S>
struct PointForce {
  Vec3<S> f_N{};
  Vec3<S> u_B{};
};

/// All that acts on one body: any number of forces at points and of pure moments, each a function of time and
/// state. Constant values are functions too. Evaluating does not allocate.
template <class S>
class Load {
 public:
  using ForceLaw = std::function<PointForce<S>(const BodyState<S>&)>;
  using MomentLaw = std::function<Vec3<S>(const BodyState<S>&)>;  ///< body components

  void add_force(ForceLaw law) { forces_.push_back(std::move(law)); }
  void add_moment(MomentLaw law) { moments_.push_back(std::move(law)); }

  void add_force_space(const Vec3<S>& f_N, const Vec3<S>& u_B) {
    add_force([f_N, u_B](const BodyState<S>&) { return PointForce<S>{f_N, u_B}; });
  }
  void add_force_body(const Vec3<S>& f_B, const Vec3<S>& u_B) {
    add_force([f_B, u_B](const BodyState<S>& s) { return PointForce<S>{rotate(s.e_NB, f_B), u_B}; });
  }
  void add_moment_body(const Vec3<S>& m_B) {
    add_moment([m_B](const BodyState<S>&) { return m_B; });
  }
  void add_moment_space(const Vec3<S>& m_N) {
    add_moment([m_N](const BodyState<S>& s) { return rotate_back(s.e_NB, m_N); });
  }
  /// Weight of `mass` at the mass centre, which lies at c_B from the reference point (0 for a free body).
  void add_gravity(const S& mass, const Vec3<S>& g_N, const Vec3<S>& c_B) { add_force_space(mass * g_N, c_B); }

  const std::vector<ForceLaw>& forces() const { return forces_; }
  const std::vector<MomentLaw>& moments() const { return moments_; }

 private:
  std::vector<ForceLaw> forces_;
  std::vector<MomentLaw> moments_;
};

/// A load at one state. The rotation forms of table C2 differ in what they make of each force, so the forces stay
/// apart.
template <class S>
class LoadNow {
 public:
  LoadNow(const Load<S>& load, const BodyState<S>& state) : load_(&load), state_(&state) {}

  template <class Visit>
  void each_force(Visit&& visit) const {
    for (const auto& law : load_->forces()) { visit(law(*state_)); }
  }
  /// Sum of the pure moments, m'.
  Vec3<S> moment_B() const {
    Vec3<S> sum{S(0), S(0), S(0)};
    for (const auto& law : load_->moments()) { sum = sum + law(*state_); }
    return sum;
  }
  /// Total torque about the reference point.
  ///
  ///   n' = Σ u' × Aᵀ f + Σ m'                               (DYN-1) [Sherif2015, eq. 41]
  Vec3<S> torque_B() const {
    Vec3<S> sum = moment_B();
    each_force([&](const PointForce<S>& p) { sum = sum + cross(p.u_B, rotate_back(state_->e_NB, p.f_N)); });
    return sum;
  }
  Vec3<S> force_N() const {
    Vec3<S> sum{S(0), S(0), S(0)};
    each_force([&](const PointForce<S>& p) { sum = sum + p.f_N; });
    return sum;
  }
  const BodyState<S>& state() const { return *state_; }

 private:
  const Load<S>* load_;
  const BodyState<S>* state_;
};

/// Inertia about the reference point at one time, body components. J_B constant: Jdot_B = 0.
template <class S>
struct InertiaNow {
  Mat3<S> J_B{};
  Mat3<S> J_inverse_B{};
  Mat3<S> Jdot_B{};
};
template <class S>
InertiaNow<S> inertia_now(const Mat3<S>& J_B, const Mat3<S>& Jdot_B = {}) {
  return {J_B, inverse(J_B), Jdot_B};
}

}  // namespace polhode
