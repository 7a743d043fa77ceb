#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// Drag at a point of a body in a medium that may move.
///
///   f = −(c₁ + c₂ |v − u|) (v − u)                          (MEC-28)
struct Drag {
  static constexpr Kind kind{"drag", "drag at a point of a body in a medium that may move",
                             "f = -(c1 + c2 |v - u|) (v - u)", false, true};
  std::string body{};
  NumberVector at_body{};       ///< m; the origin of the body's axes if not given
  Number linear{};              ///< c₁, N s/m
  Number quadratic{};           ///< c₂, N s²/m²
  NumberVector medium_space{};  ///< u, m/s
  friend bool operator==(const Drag&, const Drag&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("body", self.body);
    keys.may("at_body", self.at_body);
    keys.may("linear", self.linear);
    keys.may("quadratic", self.quadratic);
    keys.may("medium_space", self.medium_space);
  }
};

}  // namespace polhode::force
