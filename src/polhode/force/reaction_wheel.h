#pragma once

#include "polhode/force/kind.h"
#include "polhode/math/degree.h"

#include <cmath>

namespace polhode::force {

/// A wheel with a motor; its speed relative to the body is part of the state: MotorWheel of one body, ReactionWheel of
/// room multibody in a mechanism.
struct ReactionWheel {
  static constexpr Kind kind{"reaction_wheel", "a wheel with a motor; its speed is part of the state",
                             "I (dW/dt + s'.dw'/dt) = T, T = motor torque - c W; -T s' on the body", true, true};
  std::string body{};             ///< of a mechanism
  NumberVector axis_body{};       ///< any length
  Number inertia{};               ///< I about the axis, kg m²; part of the body's inertia
  std::optional<Number> speed{};  ///< at the start, relative to the body, rad/s; 0 if not given
  std::optional<Number> speed_rpm{};
  Expression motor_torque{};  ///< on the wheel, N m
  std::optional<Number> max_torque{};
  std::optional<Number> max_speed{};
  std::optional<Number> max_speed_rpm{};
  Number friction{};  ///< c, N m s
  friend bool operator==(const ReactionWheel&, const ReactionWheel&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("body", self.body);
    keys.must("axis_body", self.axis_body);
    keys.must("inertia", self.inertia);
    keys.may("speed", self.speed);
    keys.may("speed_rpm", self.speed_rpm);
    keys.may("motor_torque", self.motor_torque);
    keys.may("max_torque", self.max_torque);
    keys.may("max_speed", self.max_speed);
    keys.may("max_speed_rpm", self.max_speed_rpm);
    keys.may("friction", self.friction);
  }
  void check(Complaints& complaints, Where where) const {
    check_body(complaints, where, body);
    if (!(norm(values(axis_body)) > 1e-9)) { complaints.problem("axis_body", "axis_body has no direction"); }
    if (!(inertia.value > 0)) { complaints.problem("inertia", "inertia is not positive", "wanted: kg m2, above 0"); }
    if (speed && speed_rpm) { complaints.problem("speed_rpm", "both speed and speed_rpm"); }
    if (max_speed && max_speed_rpm) { complaints.problem("max_speed_rpm", "both max_speed and max_speed_rpm"); }
    for (const auto& [key, number] : {std::pair{"max_torque", &max_torque}, std::pair{"max_speed", &max_speed},
                                      std::pair{"max_speed_rpm", &max_speed_rpm}}) {
      if (!*number || (*number)->value > 0) { continue; }
      complaints.problem(key, std::string(key) + " is not positive", "wanted: a number above 0");
    }
    check_not_negative(complaints, "friction", friction, "negative friction adds energy", "wanted: N m s, 0 or more");
    const std::optional<double> most = in_rad_s(max_speed, max_speed_rpm);
    if (complaints.at_start() && most && *most > 0 && std::fabs(in_rad_s(speed, speed_rpm).value_or(0)) > *most) {
      complaints.problem(speed ? "speed" : "speed_rpm", "the wheel starts faster than its largest speed");
    }
  }

  /// All but what the motor is asked for.
  template <class S>
  void describe(BalancedWheel<S>& wheel) const {
    const Vec3<double> axis = values(axis_body);
    const Vec3<double> s_B = axis / norm(axis);
    wheel.axis_B = {S(s_B.x), S(s_B.y), S(s_B.z)};
    wheel.inertia = S(inertia.value);
    wheel.speed_at_start = S(in_rad_s(speed, speed_rpm).value_or(0));
    wheel.friction = S(friction.value);
    if (max_torque) { wheel.max_torque = S(max_torque->value); }
    if (const std::optional<double> most = in_rad_s(max_speed, max_speed_rpm)) { wheel.max_speed = S(*most); }
  }
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>&, const Binder<S>& binder) const {
    MotorWheel<S> wheel;
    describe(wheel);
    const ScalarFunction<S> torque = binder.scalar(motor_torque);
    wheel.command = torque.law;
    if (!torque.law) {
      wheel.command = [constant = torque.constant](const BodyState<S>&, std::span<const S>) { return constant; };
    }
    load.add_wheel(std::move(wheel));
    Effects<S> effects;
    effects.potential = [](const BodyState<S>&) { return S(0); };  // the ledger counts the work of motors apart
    effects.torque = Effects<S>::Torque::none;                     // inside
    return effects;
  }

 private:
  static std::optional<double> in_rad_s(const std::optional<Number>& plain, const std::optional<Number>& rpm) {
    if (plain) { return plain->value; }
    if (rpm) { return math::kRpm * rpm->value; }
    return {};
  }
};

}  // namespace polhode::force
