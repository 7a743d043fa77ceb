#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// Powers for step lengths, which need three digits, not ten: log2 and 2ˣ by cubic polynomials between powers of two,
/// the same bits on every build. The next step waits for them: few operations in a row.
namespace polhode {

/// log2 x to 7.3e-4, x positive and normal.
inline double rough_log2(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<double>(static_cast<int>(bits >> 52U) - 1023);
  const double m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFU) | 0x3FF0000000000000U) - 1;
  return exponent + ((7.2527e-4 + m * 1.417299) + (m * m) * (-0.5729206 + m * 0.1554459));
}
/// 2ˣ to a relative 1.1e-4, |x| < 1000.
inline double rough_exp2(double x) {
  const int n = static_cast<int>(x + 1023) - 1023;
  const double f = x - n;
  const double power = std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52U);
  return power * ((0.9998967 + f * 0.6963906) + (f * f) * (0.2245163 + f * 0.0790857));
}
/// xᵖ to three digits, x positive; exponents beyond those of double stay at their end.
inline double rough_power(double x, double p) {
  constexpr double kMost = 999;
  return rough_exp2(std::fmin(std::fmax(p * rough_log2(x), -kMost), kMost));
}

}  // namespace polhode
