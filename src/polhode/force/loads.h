#pragma once

#include "polhode/math/matrix.h"
#include "polhode/rotation/euler_parameters.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
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

/// What a load law looks at: one that looks at rates too has no exact kick.
enum class LawOf { time_and_pose, rates_too };

/// A balanced wheel inside a body, what its motor can give, and its friction; who asks the motor for a torque stands
/// apart. J' of the body includes the wheel.
///
/// The motor gives what it is asked for, up to its largest torque; what would make the wheel faster goes to zero,
/// evenly, over the last hundredth of the largest speed.
template <class S>
struct BalancedWheel {
  std::string name{};
  Vec3<S> axis_B{};               ///< s', of unit length
  S inertia{};                    ///< I about the axis, kg m²
  S speed_at_start{};             ///< Ω(0), relative to the body, rad/s
  std::optional<S> max_torque{};  ///< N m
  std::optional<S> max_speed{};   ///< rad/s
  S friction{};                   ///< c, N m s

  static constexpr double kBand = 0.01;  ///< of the largest speed

  /// τ_motor, where the motor is asked for `torque` at the speed Ω.
  S limited(const S& torque, const S& speed) const { return limited_for<S>(torque, speed); }
  /// The same where torque and speed are numbers of another type.
  template <class T>
  T limited_for(T torque, const T& speed) const {
    if (max_torque && value_of(torque) > value_of(*max_torque)) { torque = T(*max_torque); }
    if (max_torque && value_of(torque) < -value_of(*max_torque)) { torque = T(-*max_torque); }
    if (!max_speed || !(value_of(torque) * value_of(speed) > 0)) { return torque; }
    const T room = (T(*max_speed) - (value_of(speed) > 0 ? speed : -speed)) / T(S(kBand) * *max_speed);
    return value_of(room) > 1 ? torque : value_of(room) > 0 ? room * torque : T(0);
  }
  /// I (Ω + s'·ω'): its momentum about its axis, seen from space.
  S momentum(const Vec3<S>& w_B, const S& speed) const { return inertia * (speed + dot(axis_B, w_B)); }
};

/// A wheel with a motor inside one body. Its speed Ω relative to the body is part of the state. J' of the body includes
/// the wheel, I is its inertia about its axis s', and n' all other torque:
///
///   h' = J' ω' + I Ω s'
///   I (Ω̇ + s'·ω̇') = τ,   τ = τ_motor − c Ω                  (DYN-37) [Hughes1986, chapter 3]
///   (J' − I s' s'ᵀ) ω̇' = n' − ω' × (J' ω' + I Ω s') − τ s'
template <class S>
struct MotorWheel : BalancedWheel<S> {
  /// The torque that the motor is asked for, N m; `speeds` are those of all wheels.
  std::function<S(const BodyState<S>& state, std::span<const S> speeds)> command;

  /// τ_motor of wheel `own`.
  S motor_torque(const BodyState<S>& state, std::span<const S> speeds, std::size_t own) const {
    return this->limited(command(state, speeds), speeds[own]);
  }
  /// τ, friction included.
  S torque(const BodyState<S>& state, std::span<const S> speeds, std::size_t own) const {
    return motor_torque(state, speeds, own) - this->friction * speeds[own];
  }
};

/// What is left of the inertia of a body when its wheels turn on their own: J' − Σ I s' s'ᵀ.
template <class S, class Wheels>
Mat3<S> carrier_inertia(Mat3<S> J_B, const Wheels& wheels) {
  for (const BalancedWheel<S>& wheel : wheels) {
    for (std::size_t i = 0; i < 9; ++i) {
      J_B(i / 3, i % 3) = J_B(i / 3, i % 3) - wheel.inertia * wheel.axis_B[i / 3] * wheel.axis_B[i % 3];
    }
  }
  return J_B;
}

/// All that acts on one body: any number of forces at points and of pure moments, constant in either frame or given by
/// laws of time and state. Evaluating does not allocate.
template <class S>
class Load {
 public:
  using ForceLaw = std::function<PointForce<S>(const BodyState<S>&)>;
  using MomentLaw = std::function<Vec3<S>(const BodyState<S>&)>;  ///< body components
  struct BodyForce {
    Vec3<S> f_B{};
    Vec3<S> u_B{};
  };

  void add_force_space(const Vec3<S>& f_N, const Vec3<S>& u_B) { forces_space.push_back({f_N, u_B}); }
  void add_force_body(const Vec3<S>& f_B, const Vec3<S>& u_B) { forces_body.push_back({f_B, u_B}); }
  void add_moment_body(const Vec3<S>& m_B) { moments_body.push_back(m_B); }
  void add_moment_space(const Vec3<S>& m_N) { moments_space.push_back(m_N); }
  void add_force(ForceLaw law, LawOf looks_at = LawOf::rates_too) {
    force_laws.push_back(std::move(law));
    looks_at_rates = looks_at_rates || looks_at == LawOf::rates_too;
  }
  void add_moment(MomentLaw law, LawOf looks_at = LawOf::rates_too) {
    moment_laws.push_back(std::move(law));
    looks_at_rates = looks_at_rates || looks_at == LawOf::rates_too;
  }
  void add_wheel(MotorWheel<S> wheel) {
    wheels.push_back(std::move(wheel));
    looks_at_rates = true;
  }
  /// Weight of `mass` at the mass centre, which lies at c_B from the reference point (0 for a free body).
  void add_gravity(const S& mass, const Vec3<S>& g_N, const Vec3<S>& c_B) { add_force_space(mass * g_N, c_B); }

  /// Only constants: a polynomial in e.
  bool constant() const { return force_laws.empty() && moment_laws.empty() && wheels.empty(); }
  bool empty() const {
    return constant() && forces_space.empty() && forces_body.empty() && moments_body.empty() && moments_space.empty();
  }

  std::vector<PointForce<S>> forces_space;
  std::vector<BodyForce> forces_body;
  std::vector<Vec3<S>> moments_body;
  std::vector<Vec3<S>> moments_space;
  std::vector<ForceLaw> force_laws;
  std::vector<MomentLaw> moment_laws;
  std::vector<MotorWheel<S>>
      wheels;  ///< act on the body from inside; the system that holds their speeds adds their moment
  bool looks_at_rates = false;
};

/// A load at one state. The rotation forms of table C2 differ in what they make of each force, so the forces stay
/// apart.
template <class S>
class LoadNow {
 public:
  /// `inside_B`: a moment besides, that of wheels.
  LoadNow(const Load<S>& load, const BodyState<S>& state, const Vec3<S>* inside_B = nullptr)
      : load_(&load), state_(&state), inside_B_(inside_B) {}

  template <class Visit>
  void each_force(Visit&& visit) const {
    for (const PointForce<S>& p : load_->forces_space) { visit(p); }
    for (const auto& p : load_->forces_body) { visit(PointForce<S>{rotate(state_->e_NB, p.f_B), p.u_B}); }
    for (const auto& law : load_->force_laws) { visit(law(*state_)); }
  }
  /// Sum of the pure moments, m'.
  Vec3<S> moment_B() const {
    Vec3<S> sum{S(0), S(0), S(0)};
    for (const Vec3<S>& m_B : load_->moments_body) { sum = sum + m_B; }
    for (const Vec3<S>& m_N : load_->moments_space) { sum = sum + rotate_back(state_->e_NB, m_N); }
    for (const auto& law : load_->moment_laws) { sum = sum + law(*state_); }
    if (inside_B_ != nullptr) { sum = sum + *inside_B_; }
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
  /// The same at another state.
  LoadNow at(const BodyState<S>& other) const { return LoadNow(*load_, other, inside_B_); }
  const Load<S>& load() const { return *load_; }
  const BodyState<S>& state() const { return *state_; }

 private:
  const Load<S>* load_;
  const BodyState<S>* state_;
  const Vec3<S>* inside_B_;
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
