#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// A balanced wheel that a motor keeps at constant speed relative to the body: J of the body includes it, and its own
/// momentum h_w' = I Ω s' adds
///
///   n' = −ω' × h_w'
struct Wheel {
  static constexpr Kind kind{"wheel", "a wheel at constant speed in the body (momentum wheel, dual spin)",
                             "n' = -w' x h_w'", true, true};
  std::string body{};        ///< of a mechanism
  NumberVector axis_body{};  ///< any length
  Number momentum{};         ///< N m s, relative to the body
  friend bool operator==(const Wheel&, const Wheel&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("body", self.body);
    keys.must("axis_body", self.axis_body);
    keys.must("momentum", self.momentum);
  }
  void check(Complaints& complaints, Where where) const {
    check_body(complaints, where, body);
    if (!(norm(values(axis_body)) > 1e-9)) { complaints.problem("axis_body", "axis_body has no direction"); }
  }

  template <class S>
  struct Law {
    Vec3<S> h_B;
    Vec3<S> operator()(const BodyState<S>& s) const { return -cross(s.w_B, h_B); }
  };
  template <class S>
  Law<S> law() const {
    const Vec3<double> axis = values(axis_body);
    const Vec3<double> h_B = (momentum.value / norm(axis)) * axis;
    return {{S(h_B.x), S(h_B.y), S(h_B.z)}};
  }
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>&, const Binder<S>&) const {
    load.add_moment(law<S>());
    Effects<S> effects;
    effects.potential = [](const BodyState<S>&) { return S(0); };  // it does no work
    effects.torque = Effects<S>::Torque::none;                     // inside
    effects.momentum_B = law<S>().h_B;
    return effects;
  }
};

}  // namespace polhode::force
