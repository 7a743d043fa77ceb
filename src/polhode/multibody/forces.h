#pragma once

#include "polhode/body/mass_properties.h"
#include "polhode/force/central_gravity.h"
#include "polhode/force/loads.h"
#include "polhode/math/dual.h"
#include "polhode/multibody/joint.h"
#include "polhode/rotation/rotation_matrix.h"
#include "polhode/rotation/vector_charts.h"

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// Forces of a mechanism: what describes each, its law, and its potential for any number type, so that tests can hold
/// one against the other by dual numbers. Labels (MEC-n): docs/theory/mechanisms.md.
namespace polhode {

/// Work that comes in and energy that is lost, a second.
template <class S>
struct PowerOf {
  S supplied{};    ///< by wrenches, motors, laws of the user's, drivers, and the medium of drag
  S dissipated{};  ///< by dampers, friction, stops, bushings and drag; not negative for what loses energy

  PowerOf& operator+=(const PowerOf& b) {
    supplied += b.supplied;
    dissipated += b.dissipated;
    return *this;
  }
};
using Power = PowerOf<double>;

/// A force on a coordinate, and its power.
template <class S>
struct CoordinateForceOf {
  S Q{};
  PowerOf<S> power{};
};
using CoordinateForce = CoordinateForceOf<double>;

/// The angle q (known up to whole turns) as the one of its values that is nearest to `last`.
template <class S>
S nearest_turn(const S& q, double last) {
  using Real = ValueType<S>;
  const Real turn = 2 * math::kPi<Real>;
  return q + S(turn * std::nearbyint((static_cast<Real>(last) - value_of(q)) / turn));
}

/// A force at a point of a body, and a moment; components of space, or of the body.
struct Wrench {
  BodyId body = kGround;
  Vec3<double> r_BP_B{};
  Vec3<double> force{};
  Vec3<double> moment{};
  bool in_body = false;
  std::string name{};  ///< may be empty
};

/// Spring, damper and constant force along the line between two points; a positive force pulls them together.
///
///   f = k (s − s₀) + c ṡ + f₀                               (MEC-13)
struct Spring {
  BodyId first = kGround;
  Vec3<double> on_first_B{};
  BodyId second = kGround;
  Vec3<double> on_second_B{};
  double stiffness = 0;
  double damping = 0;
  double free_length = 0;
  double force = 0;
  std::string name{};  ///< may be empty
};

/// k (s − s₀)²/2 + f₀ s
template <class S>
S potential(const Spring& spring, const S& s) {
  const S d = s - S(spring.free_length);
  return S(0.5 * spring.stiffness) * d * d + S(spring.force) * s;
}

/// Spring, damper and motor on a coordinate of a joint. Whole turns of an angle count, unless `wrap` says otherwise.
///
///   Q = −k (q − q₀) − c q̇ + Q₀                              (MEC-14)
struct JointSpring {
  int joint = 0;
  Coordinate coordinate = Coordinate::turn;
  double stiffness = 0;
  double damping = 0;
  double zero = 0;
  double force = 0;    ///< its work is supplied
  bool wrap = false;   ///< q − q₀ of an angle is taken without whole turns, in [−π, π]
  std::string name{};  ///< may be empty
};

/// q − zero; where `wrap` says so, of an angle without whole turns, in [−π, π].
template <class S>
S deflection(Coordinate coordinate, const S& q, double zero, bool wrap) {
  const S d = q - S(zero);
  if (!wrap || !counts_turns(coordinate)) { return d; }
  const ValueType<S> turn = 2 * math::kPi<ValueType<S>>;
  return d - S(turn * std::nearbyint(value_of(d) / turn));
}

template <class S>
S potential(const JointSpring& spring, const S& q) {
  const S d = deflection(spring.coordinate, q, spring.zero, spring.wrap);
  return S(0.5 * spring.stiffness) * d * d;
}
template <class S>
CoordinateForceOf<S> force_on(const JointSpring& spring, const S& q, const S& rate) {
  const S d = deflection(spring.coordinate, q, spring.zero, spring.wrap);
  return {S(-spring.stiffness) * d - S(spring.damping) * rate + S(spring.force),
          {S(spring.force) * rate, S(spring.damping) * rate * rate}};
}

/// Stops of a coordinate: nothing in between; beyond, a push back that sets in smoothly, and a damper while it goes
/// deeper. With the depth p and the softness δ:
///
///   Q = ∓(k ρ(p) + c ρ'(p) max(0, ṗ)),   ρ = p²/2δ for p < δ, p − δ/2 beyond     (MEC-25)
///
/// Continuous with its first derivative in the coordinate, and never a pull. Whole turns of an angle count; with `wrap`
/// they do not, and the nearer side is told by the middle between the stops, or by half a turn from the only one.
struct JointLimit {
  int joint = 0;
  Coordinate coordinate = Coordinate::turn;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double stiffness = 0;
  double damping = 0;
  double softness = 1e-3;  ///< rad or m
  bool wrap = false;
  std::string name{};  ///< may be empty
};

/// How deep a coordinate is in a stop: side −1 the lower, +1 the upper, 0 in neither.
template <class S>
struct StopDepth {
  int side = 0;
  S depth{};
};
template <class S>
StopDepth<S> stop_depth(const JointLimit& limit, const S& q) {
  const bool has_lower = limit.lower > -std::numeric_limits<double>::infinity();
  const bool has_upper = limit.upper < std::numeric_limits<double>::infinity();
  const double middle = has_lower && has_upper ? 0.5 * (limit.lower + limit.upper)
                        : has_lower            ? limit.lower
                        : has_upper            ? limit.upper
                                               : 0;
  const S d = deflection(limit.coordinate, q, middle, limit.wrap);
  using Real = ValueType<S>;
  if (has_upper && value_of(d) > static_cast<Real>(limit.upper - middle)) { return {1, d - S(limit.upper - middle)}; }
  if (has_lower && value_of(d) < static_cast<Real>(limit.lower - middle)) { return {-1, S(limit.lower - middle) - d}; }
  return {};
}
template <class S>
S potential(const JointLimit& limit, const S& q) {
  const StopDepth<S> stop = stop_depth(limit, q);
  if (stop.side == 0) { return S(0); }
  const S& p = stop.depth;
  const double delta = limit.softness;
  if (value_of(p) < static_cast<ValueType<S>>(delta)) { return S(limit.stiffness / (6 * delta)) * p * p * p; }
  return S(limit.stiffness) * (S(0.5) * p * (p - S(delta)) + S(delta * delta / 6));
}
template <class S>
CoordinateForceOf<S> force_on(const JointLimit& limit, const S& q, const S& rate) {
  const StopDepth<S> stop = stop_depth(limit, q);
  if (stop.side == 0) { return {}; }
  const S& p = stop.depth;
  const double delta = limit.softness;
  const bool soft = value_of(p) < static_cast<ValueType<S>>(delta);
  const S push = S(limit.stiffness) * (soft ? p * p / S(2 * delta) : p - S(0.5 * delta));
  const S speed = S(stop.side) * rate;
  const bool deeper = value_of(speed) > 0;
  const S damp = deeper ? S(limit.damping) * (soft ? p / S(delta) : S(1)) * speed : S(0);
  return {S(-stop.side) * (push + damp), {S(0), damp * (deeper ? speed : S(0))}};
}

/// Friction on a coordinate, dry and viscous; the dry part is smooth about standstill, at 0.7 of its size at the speed
/// v.
///
///   Q = −(F x/√(1 + x²) + c q̇),   x = q̇/v                  (MEC-26)
struct JointFriction {
  int joint = 0;
  Coordinate coordinate = Coordinate::turn;
  double dry = 0;          ///< F: N or N m
  double viscous = 0;      ///< c
  double velocity = 1e-3;  ///< v: m/s or rad/s
  std::string name{};      ///< may be empty
};
template <class S>
CoordinateForceOf<S> force_on(const JointFriction& friction, const S& /*q*/, const S& rate) {
  const S x = rate / S(friction.velocity);
  const S Q = -(S(friction.dry) * x / math::sqrt(S(1) + x * x) + S(friction.viscous) * rate);
  return {Q, {S(0), -Q * rate}};
}

/// An elastic block between two frames: shifts d along the axes of the first frame and the rotation vector θ of the
/// second in it.
///
///   (Q_d; Q_θ) = −K (d; θ) − C (ḋ; θ̇)                       (MEC-27)
///
/// Q_θ acts through θ̇ = S⁻¹(θ) ω', so that K alone keeps energy at any angle below π.
struct Bushing {
  BodyId first = kGround;
  FrameOnBody on_first;
  BodyId second = kGround;
  FrameOnBody on_second;
  Matrix<double, 6, 6> stiffness{};  ///< K, symmetric: N/m, N, N m
  Matrix<double, 6, 6> damping{};    ///< C, its symmetric part not negative
  std::string name{};                ///< may be empty
};

/// (d; θ)
template <class S>
std::array<S, 6> bushing_strain(const End<S>& first, const End<S>& second) {
  const Vec3<S> theta = rotation_vector(from_matrix(transpose(first.axes) * second.axes));
  return {Along{0}.value(first, second),
          Along{1}.value(first, second),
          Along{2}.value(first, second),
          theta.x,
          theta.y,
          theta.z};
}
/// The six rows of (d; θ); γ is left out.
template <class S>
std::array<RowOf<S>, 6> bushing_rows(const End<S>& first, const End<S>& second) {
  std::array<RowOf<S>, 6> rows;
  const std::array<S, 6> strain = bushing_strain(first, second);
  for (std::size_t i = 0; i < 3; ++i) { rows[i] = Along{i}.row(first, second); }
  // θ̇ = S⁻¹ ω' with ω' of the second frame in its own components
  const Mat3<S> inverse = RotationVector{}.inverse_body_rate_matrix(Vec3<S>{strain[3], strain[4], strain[5]});
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3<S> g = second.axes * Vec3<S>{inverse(i, 0), inverse(i, 1), inverse(i, 2)};
    rows[3 + i].first.ang = -g;
    rows[3 + i].second.ang = g;
    rows[3 + i].value = strain[3 + i];
  }
  return rows;
}
template <class S>
S potential(const Bushing& bushing, const std::array<S, 6>& strain) {
  S sum(0);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) { sum += S(0.5 * bushing.stiffness(i, j)) * strain[i] * strain[j]; }
  }
  return sum;
}

/// Drag at a point of a body that moves at v through a medium of velocity u.
///
///   f = −(c₁ + c₂ |v − u|) (v − u)                          (MEC-28)
struct Drag {
  BodyId body = 0;
  Vec3<double> r_BP_B{};
  double linear = 0;     ///< c₁, N s/m
  double quadratic = 0;  ///< c₂, N s²/m²
  Vec3<double> medium_N{};
  std::string name{};  ///< may be empty
};

/// A far centre that attracts all bodies (MEC-29).
struct CentralGravity {
  Vec3<double> center_N{};
  double mu = 0;  ///< m³/s²

  template <class S>
  force::CentralGravity::Law<S> on(const MassProperties& body) const {
    Mat3<S> J_B;
    for (std::size_t i = 0; i < 9; ++i) { J_B(i / 3, i % 3) = S(body.J_B(i / 3, i % 3)); }
    return {S(mu), {S(center_N.x), S(center_N.y), S(center_N.z)}, S(body.mass), J_B};
  }
};
template <class S>
S potential(const CentralGravity& gravity, const MassProperties& body, const Vec3<S>& r_N, const Mat3<S>& R_NB) {
  return gravity.on<S>(body).potential(r_N, R_NB);
}
/// (n, f) in space components.
template <class S>
PairOf<S> attraction(const CentralGravity& gravity, const MassProperties& body, const Vec3<S>& r_N,
                     const Mat3<S>& R_NB) {
  const force::CentralGravity::Pull<S> pull = gravity.on<S>(body)(r_N, R_NB);
  return {pull.moment_N, pull.force_N};
}

/// A body as a force law sees it.
template <class S>
struct BodyViewOf {
  Vec3<S> r_N;  ///< mass centre
  EulerParameters<S> e_NB;
  Vec3<S> v_N;
  Vec3<S> w_B;
};
using BodyView = BodyViewOf<double>;

class Model;

/// What laws see of a mechanism: the model, time, the state y, and the whole turns counted so far (Model::unwrapped).
template <class S>
struct MechanismViewOf {
  using Number = S;
  const Model& model;
  double t = 0;
  std::span<const S> y;
  std::span<const double> turns;
};
using MechanismView = MechanismViewOf<double>;

/// What a law looks at besides time and the body or joint that it acts on: for derivatives.
struct Reads {
  std::vector<BodyId> bodies;
  std::vector<int> joints;
  std::vector<std::size_t> wheels;
};

/// Number types that laws of mechanisms are differentiated with: one direction, and all numbers of one body at once.
using OneDirection = Dual<double>;
inline constexpr std::size_t kBodyDirections = 16;  ///< 13 numbers of a body; a multiple of what processors do at once
using ByBody = DualPack<double, kBodyDirections>;

/// Differences, for laws that are code for double alone.
namespace law_difference {

inline double& lane_of(double& derivative, std::size_t) { return derivative; }
inline double lane_of(const double& derivative, std::size_t) { return derivative; }
template <std::size_t N>
double& lane_of(Directions<double, N>& derivative, std::size_t lane) {
  return derivative[lane];
}
template <std::size_t N>
double lane_of(const Directions<double, N>& derivative, std::size_t lane) {
  return derivative[lane];
}
inline constexpr std::size_t lanes(const double&) { return 1; }
template <std::size_t N>
constexpr std::size_t lanes(const Directions<double, N>&) {
  return N;
}

/// How far to go along a direction for a central difference; 0: the state does not change along it.
template <class S>
double step(std::span<const S> y, std::size_t lane) {
  double largest = 0;
  for (const S& x : y) {
    largest = std::fmax(largest, std::fabs(lane_of(x.derivative, lane)) / (1 + std::fabs(x.value)));
  }
  constexpr double kCubeRootOfRounding = 6e-6;
  return largest > 0 ? kCubeRootOfRounding / largest : 0;
}
/// The state h along a direction.
template <class S>
void shift(std::span<const S> y, std::size_t lane, double h, std::vector<double>& shifted) {
  shifted.resize(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) { shifted[i] = y[i].value + h * lane_of(y[i].derivative, lane); }
}
template <class S>
MechanismView shifted(const MechanismViewOf<S>& now, std::size_t lane, double h) {
  thread_local std::vector<double> y;
  shift(now.y, lane, h, y);
  return {now.model, now.t, y, now.turns};
}
template <class S>
CoordinateValue shifted(const CoordinateValueOf<S>& q, std::size_t lane, double h) {
  return {q.value.value + h * lane_of(q.value.derivative, lane), q.rate.value + h * lane_of(q.rate.derivative, lane)};
}
template <class D>
void set_value(Dual<double, D>& to, double value) {
  to = Dual<double, D>(value);
}
template <class D>
void set_difference(Dual<double, D>& to, std::size_t lane, double before, double after, double h) {
  lane_of(to.derivative, lane) = (after - before) / (2 * h);
}
template <class D>
void set_value(PairOf<Dual<double, D>>& to, const Pair& value) {
  for (std::size_t k = 0; k < 3; ++k) {
    set_value(to.ang[k], value.ang[k]);
    set_value(to.lin[k], value.lin[k]);
  }
}
template <class D>
void set_difference(PairOf<Dual<double, D>>& to, std::size_t lane, const Pair& before, const Pair& after, double h) {
  for (std::size_t k = 0; k < 3; ++k) {
    set_difference(to.ang[k], lane, before.ang[k], after.ang[k], h);
    set_difference(to.lin[k], lane, before.lin[k], after.lin[k], h);
  }
}

}  // namespace law_difference

/// A law as code: for every number type that laws are evaluated with, if its code accepts them (a generic lambda, or a
/// template), else for double alone; then its derivatives are differences.
template <template <class> class Result, template <class> class... Arguments>
class LawFor {
 public:
  LawFor() = default;
  template <class Code>
    requires(!std::is_same_v<std::remove_cvref_t<Code>, LawFor> &&
             std::is_invocable_v<const std::remove_cvref_t<Code>&, const Arguments<double>&...>)
  LawFor(Code code) : in_double_(code) {  // NOLINT(google-explicit-constructor): a law is its code
    if constexpr (std::is_invocable_v<const Code&, const Arguments<OneDirection>&...>) {
      one_direction_ = code;
      by_body_ = code;
    }
  }
  explicit operator bool() const { return static_cast<bool>(in_double_); }
  bool has_derivatives() const { return static_cast<bool>(by_body_); }

  Result<double> operator()(const Arguments<double>&... arguments) const { return in_double_(arguments...); }
  Result<OneDirection> operator()(const Arguments<OneDirection>&... arguments) const {
    return one_direction_ ? one_direction_(arguments...) : differences<OneDirection>(arguments...);
  }
  Result<ByBody> operator()(const Arguments<ByBody>&... arguments) const {
    return by_body_ ? by_body_(arguments...) : differences<ByBody>(arguments...);
  }

 private:
  template <class S>
  Result<S> differences(const MechanismViewOf<S>& now, const auto&... arguments) const {
    using law_difference::shifted;
    Result<S> result{};
    law_difference::set_value(result, in_double_(shifted(now, 0, 0), shifted(arguments, 0, 0)...));
    for (std::size_t lane = 0; lane < law_difference::lanes(now.y[0].derivative); ++lane) {
      const double h = law_difference::step(now.y, lane);
      if (h == 0) { continue; }
      const Result<double> before = in_double_(shifted(now, lane, -h), shifted(arguments, lane, -h)...);
      const Result<double> after = in_double_(shifted(now, lane, h), shifted(arguments, lane, h)...);
      law_difference::set_difference(result, lane, before, after, h);
    }
    return result;
  }

  std::function<Result<double>(const Arguments<double>&...)> in_double_;
  std::function<Result<OneDirection>(const Arguments<OneDirection>&...)> one_direction_;
  std::function<Result<ByBody>(const Arguments<ByBody>&...)> by_body_;
};
template <class S>
using NumberItself = S;

/// A law of the user's: moments about the mass centres and forces, space components, to be added to what is there.
using ForceLaw = std::function<void(const MechanismView& now, std::span<Pair> moment_and_force_N)>;

/// Where the work of a law goes.
enum class WorkOf {
  supplied,    ///< comes in from outside
  dissipated,  ///< is lost
  potential,   ///< is kept: the law has a potential, or does no work
};

/// A force at a point of a body, and a moment, by a law; components of space, or of the body.
struct WrenchLaw {
  BodyId body = 0;
  std::optional<Vec3<double>> r_BP_B{};  ///< the mass centre if not given
  bool in_body = false;
  LawFor<PairOf, MechanismViewOf> law;  ///< (moment, force)
  std::string name{};                   ///< may be empty
  WorkOf work = WorkOf::supplied;
  std::function<double(const MechanismView& now)> potential{};  ///< for WorkOf::potential; empty: zero
  std::string_view kind = "force";                              ///< what results call it where it has no name
  bool goes_on = false;                                         ///< part of the same thing as the law before
  std::optional<Reads> reads{};                                 ///< nothing: it may look at everything
};

/// A force on a coordinate of a joint by a law Q(now, q, q̇), along its row (MEC-12): motors and formulas. Its work is
/// supplied.
struct JointLaw {
  int joint = 0;
  Coordinate coordinate = Coordinate::turn;
  LawFor<NumberItself, MechanismViewOf, CoordinateValueOf> law;
  std::string name{};            ///< may be empty
  std::optional<Reads> reads{};  ///< nothing: it may look at everything
};

/// A wheel with a motor inside a body of a mechanism. J' of the body includes it; I is its inertia about its axis s', Ω
/// its speed relative to the body, n' all other torque on the body, reactions of joints among them:
///
///   σ = Ω + s'·ω',   I σ̇ = τ,   τ = τ_motor − c Ω             (MEC-38) [Hughes1986, chapter 3]
///   J_c' = J' − Σ I s' s'ᵀ,   J_c' ω̇' = n' − ω' × J_c' ω' − Σ (ω' × I σ s' + τ s')
///
/// The state holds σ, the rate of the wheel about its axis seen from space, and not Ω as that of one body does
/// (DYN-37): σ̇ needs no acceleration of the body, so it is the same under every form of the equations; constraints,
/// impulses and projection act on the body and leave I σ as it is; and the mass matrix of (ω', v, σ) is constant, with
/// no block between body and wheel. Results and formulas are given Ω.
struct ReactionWheel : BalancedWheel<double> {
  BodyId body = 0;
  /// The torque that the motor is asked for, N m; empty: none.
  LawFor<NumberItself, MechanismViewOf> command{};
  std::optional<Reads> reads{};  ///< what the command looks at; nothing: it may look at everything
};

}  // namespace polhode
