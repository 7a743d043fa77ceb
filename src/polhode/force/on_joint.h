#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// The coordinate of a joint that a force acts on.
struct OnJoint {
  std::string joint{};
  std::string coordinate{};  ///< "turn", "slide_z"; "" where the joint has one
  friend bool operator==(const OnJoint&, const OnJoint&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("joint", self.joint);
    keys.may("coordinate", self.coordinate);
  }
};

/// Spring and damper on a coordinate of a joint.
struct JointSpring {
  static constexpr Kind kind{"joint_spring", "spring and damper on a turn or slide of a joint",
                             "Q = -k (q - q0) - c dq/dt", false, true};
  OnJoint on{};
  Number stiffness{};
  Number damping{};
  std::optional<Number> zero{};
  std::optional<Number> zero_deg{};
  bool wrap = false;  ///< whole turns do not count
  friend bool operator==(const JointSpring&, const JointSpring&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.of(self.on);
    keys.may("stiffness", self.stiffness);
    keys.may("damping", self.damping);
    keys.may("zero", self.zero);
    keys.may("zero_deg", self.zero_deg);
    keys.may("wrap", self.wrap);
  }
};

/// A motor that pulls a coordinate of a joint towards a target.
struct Motor {
  static constexpr Kind kind{"motor", "a motor that pulls a turn or slide towards a target, PD, within its limit",
                             "Q = k (target - q) + c (d target/dt - dq/dt), |Q| <= limit", false, true};
  OnJoint on{};
  std::optional<Expression> target{};  ///< of time and parameters
  std::optional<Expression> target_deg{};
  Number stiffness{};
  Number damping{};
  std::optional<Number> limit{};
  bool wrap = false;
  friend bool operator==(const Motor&, const Motor&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.of(self.on);
    keys.may("target", self.target);
    keys.may("target_deg", self.target_deg);
    keys.may("stiffness", self.stiffness);
    keys.may("damping", self.damping);
    keys.may("limit", self.limit);
    keys.may("wrap", self.wrap);
  }
};

/// Torque on a turn or force on a slide, by a formula.
struct JointForce {
  static constexpr Kind kind{"joint_force", "torque on a turn or force on a slide of a joint, by a formula",
                             "Q = force(t, state)", false, true};
  OnJoint on{};
  Expression force{};
  friend bool operator==(const JointForce&, const JointForce&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.of(self.on);
    keys.must("force", self.force);
  }
};

/// Stops of a coordinate.
struct JointStop {
  static constexpr Kind kind{"joint_stop", "stops of a turn or slide: a stiff push back that sets in smoothly",
                             "Q = -(k depth + c d depth/dt while it goes deeper)", false, true};
  OnJoint on{};
  std::optional<Number> lower{};
  std::optional<Number> lower_deg{};
  std::optional<Number> upper{};
  std::optional<Number> upper_deg{};
  Number stiffness{};
  Number damping{};
  Number softness = 1e-3;  ///< rad or m
  bool wrap = false;
  friend bool operator==(const JointStop&, const JointStop&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.of(self.on);
    keys.may("lower", self.lower);
    keys.may("lower_deg", self.lower_deg);
    keys.may("upper", self.upper);
    keys.may("upper_deg", self.upper_deg);
    keys.may("stiffness", self.stiffness);
    keys.may("damping", self.damping);
    keys.may("softness", self.softness);
    keys.may("wrap", self.wrap);
  }
};

/// Friction on a coordinate.
struct JointFriction {
  static constexpr Kind kind{"joint_friction", "dry and viscous friction on a turn or slide of a joint",
                             "Q = -(F x/sqrt(1 + x^2) + c dq/dt), x = (dq/dt)/velocity", false, true};
  OnJoint on{};
  Number dry{};            ///< F, N m or N
  Number viscous{};        ///< c
  Number velocity = 1e-3;  ///< rad/s or m/s
  friend bool operator==(const JointFriction&, const JointFriction&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.of(self.on);
    keys.may("dry", self.dry);
    keys.may("viscous", self.viscous);
    keys.may("velocity", self.velocity);
  }
};

}  // namespace polhode::force
