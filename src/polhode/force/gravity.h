#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// Uniform gravity at the mass centre, c' from the reference point. Of a mechanism: on one of its bodies, or on all.
///
///   f = m g,   n' = c' × Aᵀ m g,   V = −m g·(r + A c')
struct Gravity {
  static constexpr Kind kind{"gravity", "uniform gravity at the mass centre", "f = m g, n' = c' x A^T m g", true, true};
  std::string body{};      ///< of a mechanism; "": all bodies
  NumberVector g_space{};  ///< m/s²
  friend bool operator==(const Gravity&, const Gravity&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("body", self.body);
    keys.must("g_space", self.g_space);
  }
  void check(Complaints& complaints, Where where) const {
    if (where == Where::one_body) { check_body(complaints, where, body); }
    if (!(norm_squared(values(g_space)) > 0)) {
      complaints.problem("g_space", "g_space is zero", "wanted: such as [0, 0, -9.81] in m/s2");
    }
  }

  template <class S>
  struct Law {
    S mass;
    Vec3<S> g_N;
    Vec3<S> c_B;
    S potential(const BodyState<S>& s) const { return -mass * dot(g_N, s.r_N + rotate(s.e_NB, c_B)); }
  };
  template <class S>
  Law<S> law(const BodyFacts<S>& facts) const {
    return {facts.mass, values<S>(g_space), facts.center_B - facts.reference_B};
  }
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>& facts, const Binder<S>&) const {
    const Law<S> here = law(facts);
    load.add_gravity(here.mass, here.g_N, here.c_B);
    Effects<S> effects;
    effects.potential = [here](const BodyState<S>& s) { return here.potential(s); };
    effects.torque = facts.held ? Effects<S>::Torque::not_about_axis : Effects<S>::Torque::none;
    effects.axis_N = here.g_N / norm(here.g_N);
    effects.turns = norm(here.c_B) > S(0);
    effects.gravity_N = here.g_N;
    return effects;
  }
};

}  // namespace polhode::force
