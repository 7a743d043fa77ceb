#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// A moment against the angular velocity.
///
///   n' = −(c₁ + c₂ |ω'|) ω'
struct Damping {
  static constexpr Kind kind{"damping", "a moment against the angular velocity: linear, quadratic (drag), or both",
                             "n' = -(c1 + c2 |w'|) w'", true, true};
  std::string body{};                 ///< of a mechanism
  std::optional<Number> linear{};     ///< c₁, N m s
  std::optional<Number> quadratic{};  ///< c₂, N m s²
  friend bool operator==(const Damping&, const Damping&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("body", self.body);
    keys.may("linear", self.linear);
    keys.may("quadratic", self.quadratic);
  }
  void check(Complaints& complaints, Where where) const {
    check_body(complaints, where, body);
    if (!linear && !quadratic) {
      complaints.problem("", "damping without a coefficient", "wanted: linear (N m s) or quadratic (N m s2), or both");
    }
    for (const auto& [key, number] : {std::pair{"linear", &linear}, std::pair{"quadratic", &quadratic}}) {
      check_not_negative(complaints, key, number->value_or(Number()), "negative damping adds energy",
                         "wanted: 0 or more", "use a moment by formulas");
    }
  }

  template <class S>
  struct Law {
    S linear;
    S quadratic;
    Vec3<S> operator()(const BodyState<S>& s) const {
      if constexpr (requires { s.w_B.x.derivative; }) {
        // |ω| at rest has no derivative; its product with ω has, zero
        if (!(value_of(dot(s.w_B, s.w_B)) > 0)) { return -linear * s.w_B; }
      }
      return -(linear + quadratic * norm(s.w_B)) * s.w_B;
    }
  };
  template <class S>
  Law<S> law() const {
    return {S(linear.value_or(0.0).value), S(quadratic.value_or(0.0).value)};
  }
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>&, const Binder<S>&) const {
    load.add_moment(law<S>());
    return {};
  }
};

}  // namespace polhode::force
