#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// Drag at a point of a body in a medium that may move.
///
///   f = −(c₁ + c₂ |v − u|) (v − u)                          (MEC-28)
struct Drag {
  static constexpr Kind kind{"drag", "drag at a point of a body in a medium that may move",
                             "f = -(c1 + c2 |v - u|) (v - u)", true, true};
  std::string body{};           ///< of a mechanism
  NumberVector at_body{};       ///< m; the origin of the body's axes if not given
  Number linear{};              ///< c₁, N s/m
  Number quadratic{};           ///< c₂, N s²/m²
  NumberVector medium_space{};  ///< u, m/s
  friend bool operator==(const Drag&, const Drag&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("body", self.body);
    keys.may("at_body", self.at_body);
    keys.may("linear", self.linear);
    keys.may("quadratic", self.quadratic);
    keys.may("medium_space", self.medium_space);
  }
  void check(Complaints& complaints, Where where) const {
    check_body(complaints, where, body);
    check_not_negative(complaints, "linear", linear, "a negative linear", "wanted: N s/m, 0 or more");
    check_not_negative(complaints, "quadratic", quadratic, "a negative quadratic", "wanted: N s2/m2, 0 or more");
  }

  /// At u' from the reference point of a body that is alone.
  template <class S>
  struct Law {
    S linear;
    S quadratic;
    Vec3<S> medium_N;
    Vec3<S> u_B;
    PointForce<S> operator()(const BodyState<S>& s) const {
      const Vec3<S> through_N = s.v_N + rotate(s.e_NB, cross(s.w_B, u_B)) - medium_N;
      return {-(linear + quadratic * norm(through_N)) * through_N, u_B};
    }
  };
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>& facts, const Binder<S>&) const {
    const Law<S> law{S(linear.value), S(quadratic.value), values<S>(medium_space),
                     values<S>(at_body) - facts.reference_B};
    load.add_force(law);
    Effects<S> effects;
    effects.turns = norm(law.u_B) > S(0);
    return effects;
  }
};

}  // namespace polhode::force
