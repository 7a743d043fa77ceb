#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// A law of the user's own, as code: the scenario holds its name, and the program that runs it binds a function to the
/// name.
///
///   f at the mass centre, n' about it: f, n' = law(t, r, v, e, ω')
struct Code {
  static constexpr Kind kind{"code", "a law of your own as a function of a program, by its name",
                             "f, n' = law(t, r, v, e, w')", true, true};
  std::string law{};   ///< its name
  std::string body{};  ///< of a mechanism
  friend bool operator==(const Code&, const Code&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("law", self.law);
    keys.may("body", self.body);
  }
  void check(Complaints& complaints, Where where) const {
    if (law.empty()) { complaints.missing("law", "the name of a function"); }
    check_body(complaints, where, body);
  }
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>& facts, const Binder<S>& binder) const {
    const BodyLaw<S> function = binder.code(law);
    const Vec3<S> u_B = facts.center_B - facts.reference_B;
    load.add_force([function, u_B](const BodyState<S>& s) { return PointForce<S>{function(s).force_N, u_B}; });
    load.add_moment([function](const BodyState<S>& s) { return function(s).moment_B; });
    return {};
  }
};

}  // namespace polhode::force
