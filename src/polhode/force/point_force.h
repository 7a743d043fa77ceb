#pragma once

#include "polhode/force/moment.h"

namespace polhode::force {

/// A force at a point of a body, and a moment.
///
///   n' = u' × Aᵀ f,   V = −f·(r + A u') where f is constant in space
struct Force {
  static constexpr Kind kind{"force", "a force at a point of a body, and a moment, by numbers or formulas",
                             "n' = u' x A^T f", true, true};
  std::string body{};                              ///< of a mechanism
  std::optional<ExpressionVector> force_space{};   ///< N
  std::optional<ExpressionVector> force_body{};    ///< N
  std::optional<NumberVector> at_body{};           ///< m; the mass centre if not given
  std::optional<ExpressionVector> moment_space{};  ///< N m
  std::optional<ExpressionVector> moment_body{};   ///< N m
  friend bool operator==(const Force&, const Force&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("body", self.body);
    keys.may("force_space", self.force_space);
    keys.may("force_body", self.force_body);
    keys.may("at_body", self.at_body);
    keys.may("moment_space", self.moment_space);
    keys.may("moment_body", self.moment_body);
  }
  void check(Complaints& complaints, Where where) const {
    check_body(complaints, where, body);
    if (!force_space && !force_body && !moment_space && !moment_body) {
      complaints.problem("", "a force without force and moment",
                         "wanted: one or more of force_space, force_body, moment_space, moment_body");
    }
  }

  /// A force that is constant in space has a potential.
  template <class S>
  struct Law {
    Vec3<S> f_N;
    Vec3<S> u_B;
    S potential(const BodyState<S>& s) const { return -dot(f_N, s.r_N + rotate(s.e_NB, u_B)); }
  };
  template <class S>
  Vec3<S> lever_B(const BodyFacts<S>& facts) const {
    return (at_body ? values<S>(*at_body) : facts.center_B) - facts.reference_B;
  }
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>& facts, const Binder<S>& binder) const {
    const Vec3<S> u_B = lever_B(facts);
    for (const bool in_space : {true, false}) {
      const std::optional<ExpressionVector>& force = in_space ? force_space : force_body;
      if (!force) { continue; }
      const VectorFunction<S> f = binder.vector(*force);
      if (!f.law) {
        in_space ? load.add_force_space(f.constant, u_B) : load.add_force_body(f.constant, u_B);
        continue;
      }
      load.add_force(
          [law = f.law, u_B, in_space](const BodyState<S>& s) {
            const Vec3<S> now = law(s);
            return PointForce<S>{in_space ? now : rotate(s.e_NB, now), u_B};
          },
          f.looks_at);
    }
    if (moment_space) { add_moment(load, binder.vector(*moment_space), true); }
    if (moment_body) { add_moment(load, binder.vector(*moment_body), false); }
    Effects<S> effects;
    effects.turns = moment_space || moment_body || norm(u_B) > S(0);
    if (force_space && !force_body && !moment_space && !moment_body && is_constant(*force_space)) {
      effects.potential = [law = Law<S>{binder.vector(*force_space).constant, u_B}](const BodyState<S>& s) {
        return law.potential(s);
      };
    }
    return effects;
  }
};

}  // namespace polhode::force
