#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// An elastic block between two points, three numbers along and three about the axes of the first body.
struct Bushing {
  static constexpr Kind kind{"bushing", "elastic block between two points, axes of the bodies' frames",
                             "(f; n) = -K (shift; rotation vector) - C d/dt of them", false, true};
  std::array<std::string, 2> bodies{};
  NumberVector first_point{};
  NumberVector second_point{};
  std::array<Number, 6> stiffness{};
  std::optional<std::array<Number, 6>> damping{};
  friend bool operator==(const Bushing&, const Bushing&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("bodies", self.bodies);
    keys.must("first_point", self.first_point);
    keys.must("second_point", self.second_point);
    keys.must("stiffness", self.stiffness);
    keys.may("damping", self.damping);
  }
};

}  // namespace polhode::force
