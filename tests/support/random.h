#pragma once

#include "polhode/rotation/euler_parameters.h"

#include <cmath>
#include <cstdint>
#include <random>

namespace polhode::test {

/// Repeatable random numbers: the raw engine only, since library distributions differ between machines.
class Random {
 public:
  explicit Random(std::uint64_t seed = 20240217) : engine_(seed) {}

  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11U) * 0x1p-53);
  }
  Vec3<double> vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }
  Vec3<double> direction() {
    for (;;) {
      const Vec3<double> v = vector(1);
      const double length = norm(v);
      if (length > 0.1 && length < 1) { return v / length; }
    }
  }
  EulerParameters<double> attitude() {
    for (;;) {
      const EulerParameters<double> e{between(-1, 1), vector(1)};
      const double length = norm(e);
      if (length > 0.1 && length < 1) { return e / length; }
    }
  }
  /// Sizes spread evenly over the exponents.
  double logarithmic(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace polhode::test
