#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// A body that sloshes or bends inside loses energy and keeps its momentum:
///
///   n' = k h' × (h' × ω'),   so that n'·h' = 0 and n'·ω' = −k |h' × ω'|²
///
/// h' = J' ω' + Σ h_w' is the momentum of the body with all wheels at constant speed in it.
struct EnergySink {
  static constexpr Kind kind{"energy_sink", "what sloshes inside takes energy, and no angular momentum on average",
                             "n' = k h' x (h' x w')", true, true};
  std::string body{};    ///< of a mechanism
  Number coefficient{};  ///< k, 1/(kg m² s)
  friend bool operator==(const EnergySink&, const EnergySink&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("body", self.body);
    keys.must("coefficient", self.coefficient);
  }
  void check(Complaints& complaints, Where where) const {
    check_body(complaints, where, body);
    check_not_negative(complaints, "coefficient", coefficient, "a negative sink adds energy",
                       "wanted: 1/(kg m2 s), 0 or more");
  }

  template <class S>
  struct Law {
    S k;
    Mat3<S> J_B;
    Vec3<S> wheels_B;  ///< Σ h_w'
    Vec3<S> operator()(const BodyState<S>& s) const {
      const Vec3<S> h_B = J_B * s.w_B + wheels_B;
      return k * cross(h_B, cross(h_B, s.w_B));
    }
  };
  template <class S>
  Law<S> law(const Mat3<S>& J_B, const Vec3<S>& wheels_B) const {
    return {S(coefficient.value), J_B, wheels_B};
  }
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>& facts, const Binder<S>&) const {
    load.add_moment(law(facts.J_B, facts.wheels_B));
    return {};
  }
};

}  // namespace polhode::force
