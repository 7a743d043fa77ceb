#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// Spring, damper and constant pull along the line between two points: of two bodies, or of space and a body.
///
///   f = k (s − s₀) + c ṡ + f₀, pulling the points together  (MEC-13)
struct Spring {
  static constexpr Kind kind{"spring", "spring, damper and constant pull between two points",
                             "f = k (s - s0) + c ds/dt + f0, pulling the points together", true, true};
  std::optional<std::array<std::string, 2>> bodies{};  ///< "ground" may be one
  std::optional<NumberVector> first_point{};           ///< in the axes of the first, m
  std::optional<NumberVector> second_point{};
  std::string body{};                          ///< of a mechanism, in place of `bodies`: what is held to space
  std::optional<NumberVector> anchor_space{};  ///< of one body: the point in space, m
  std::optional<NumberVector> at_body{};       ///< of one body: the point of it, in its axes, m
  std::optional<Number> stiffness{};           ///< k, N/m
  std::optional<Number> damping{};             ///< c, N s/m
  std::optional<Number> length{};              ///< s₀ of one body, m
  std::optional<Number> free_length{};         ///< s₀, m
  std::optional<Number> pull{};                ///< f₀, N
  friend bool operator==(const Spring&, const Spring&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("bodies", self.bodies);
    keys.may("first_point", self.first_point);
    keys.may("second_point", self.second_point);
    keys.may("body", self.body);
    keys.may("anchor_space", self.anchor_space);
    keys.may("at_body", self.at_body);
    keys.may("stiffness", self.stiffness);
    keys.may("damping", self.damping);
    keys.may("length", self.length);
    keys.may("free_length", self.free_length);
    keys.may("pull", self.pull);
  }
  void check(Complaints& complaints, Where where) const {
    const auto must = [&](const char* key, bool given, const char* wanted) {
      if (!given) { complaints.missing(key, wanted); }
    };
    constexpr const char* kVector = "a list of 3 finite numbers or formulas in quotes";
    if (where == Where::one_body || !body.empty()) {
      if (where == Where::one_body) { check_body(complaints, where, body); }
      const std::vector<std::string_view> known{"stiffness", "damping", "length", "anchor_space", "at_body"};
      if (bodies) { complaints.unknown_key("bodies", known); }
      if (first_point) { complaints.unknown_key("first_point", known); }
      if (second_point) { complaints.unknown_key("second_point", known); }
      if (free_length) { complaints.unknown_key("free_length", known); }
      if (pull) { complaints.unknown_key("pull", known); }
      must("stiffness", stiffness.has_value(), "a finite number or a formula in quotes");
      must("anchor_space", anchor_space.has_value(), kVector);
      must("at_body", at_body.has_value(), kVector);
    } else {
      const std::vector<std::string_view> known{"bodies",  "first_point", "second_point", "stiffness",
                                                "damping", "free_length", "pull"};
      if (anchor_space) { complaints.unknown_key("anchor_space", known); }
      if (at_body) { complaints.unknown_key("at_body", known); }
      if (length) { complaints.unknown_key("length", known); }
      must("bodies", bodies.has_value(), "a list of 2 texts");
      must("first_point", first_point.has_value(), kVector);
      must("second_point", second_point.has_value(), kVector);
    }
    const auto check_number = [&](const char* key, const std::optional<Number>& number, const char* unit) {
      check_not_negative(complaints, key, number.value_or(Number()), std::string("a negative ") + key,
                         std::string("wanted: ") + unit + ", 0 or more");
    };
    check_number("stiffness", stiffness, "N/m");
    check_number("damping", damping, "N s/m");
    check_number("length", length, "m");
    check_number("free_length", free_length, "m");
  }

  /// From a point in space to a point of a body, u' from its reference point; d from anchor to point, v its velocity:
  ///
  ///   f = −(k (|d| − l) + c d·v/|d|) d/|d|,   V = ½ k (|d| − l)²
  ///
  /// A spring of no length has no direction at d = 0.
  template <class S>
  struct Law {
    S k;
    S c;
    S length;
    Vec3<S> anchor_N;
    Vec3<S> u_B;

    PointForce<S> operator()(const BodyState<S>& s) const {
      const Vec3<S> arm_N = rotate(s.e_NB, u_B);
      const Vec3<S> d_N = s.r_N + arm_N - anchor_N;
      const Vec3<S> v_N = s.v_N + cross(rotate(s.e_NB, s.w_B), arm_N);
      const S size = norm(d_N);
      if (size == S(0)) { return {Vec3<S>{S(0), S(0), S(0)}, u_B}; }
      const Vec3<S> along_N = d_N / size;
      return {-(k * (size - length) + c * dot(along_N, v_N)) * along_N, u_B};
    }
    S potential(const BodyState<S>& s) const {
      const S stretch = norm(s.r_N + rotate(s.e_NB, u_B) - anchor_N) - length;
      return S(0.5) * k * stretch * stretch;
    }
  };
  template <class S>
  Law<S> law(const BodyFacts<S>& facts) const {
    const auto number = [](const std::optional<Number>& one) { return S(one.value_or(Number()).value); };
    return {number(stiffness), number(damping), number(length), values<S>(anchor_space),
            values<S>(at_body) - facts.reference_B};
  }
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>& facts, const Binder<S>&) const {
    const Law<S> here = law(facts);
    const bool damps = damping && !is_zero(*damping);
    load.add_force(here, damps ? LawOf::rates_too : LawOf::time_and_pose);
    Effects<S> effects;
    effects.turns = norm(here.u_B) > S(0);
    effects.spring = {here.anchor_N, values<S>(at_body)};
    if (!damps) {
      effects.potential = [here](const BodyState<S>& s) { return here.potential(s); };
    }
    return effects;
  }
};

}  // namespace polhode::force
