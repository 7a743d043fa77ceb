#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// Adds a pure moment to a load, constant or by a law.
template <class S>
void add_moment(Load<S>& load, const VectorFunction<S>& moment, bool in_space) {
  if (!moment.law) {
    in_space ? load.add_moment_space(moment.constant) : load.add_moment_body(moment.constant);
  } else if (in_space) {
    load.add_moment([law = moment.law](const BodyState<S>& s) { return rotate_back(s.e_NB, law(s)); }, moment.looks_at);
  } else {
    load.add_moment(moment.law, moment.looks_at);
  }
}

/// A pure moment.
struct Moment {
  static constexpr Kind kind{"moment", "a pure moment in body or space components, constant or by formulas",
                             "n' = m' or A^T m", true, true};
  std::string body{};                              ///< of a mechanism
  std::optional<ExpressionVector> moment_body{};   ///< N m
  std::optional<ExpressionVector> moment_space{};  ///< N m
  friend bool operator==(const Moment&, const Moment&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("body", self.body);
    keys.may("moment_body", self.moment_body);
    keys.may("moment_space", self.moment_space);
  }
  void check(Complaints& complaints, Where where) const {
    check_body(complaints, where, body);
    if (moment_body.has_value() == moment_space.has_value()) {
      complaints.problem("", "a moment needs its frame", "wanted: one of moment_body, moment_space = [x, y, z] in N m");
    }
  }
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>&, const Binder<S>& binder) const {
    add_moment(load, binder.vector(moment_space ? *moment_space : *moment_body), moment_space.has_value());
    return {};
  }
};

}  // namespace polhode::force
