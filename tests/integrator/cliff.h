#pragma once

#include "polhode/core/system.h"

#include <limits>

namespace polhode::test {

/// ẏ = √(1 − y) style trouble: NaN beyond y = 1.
class Cliff final : public System<double> {
 public:
  std::string name() const override { return "cliff"; }
  std::size_t size() const override { return 2; }
  void rhs(const double&, std::span<const double> y, std::span<double> ydot) const override {
    ydot[0] = 0;
    ydot[1] = y[1] > 1 ? std::numeric_limits<double>::quiet_NaN() : 1;
  }
};

}  // namespace polhode::test
