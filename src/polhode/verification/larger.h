#pragma once

#include <cmath>
#include <concepts>

namespace polhode::verification {

/// The larger of two deviations; a NaN stays, whatever it is compared with before or after. It is below no bound, so
/// that the check fails; nor is it above one, so that a twin with a NaN does not count as caught. std::max and
/// std::fmax drop a NaN.
inline double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }
template <std::same_as<double>... Rest>
  requires(sizeof...(Rest) > 0)
double larger(double a, double b, Rest... rest) {
  return larger(larger(a, b), rest...);
}

}  // namespace polhode::verification
