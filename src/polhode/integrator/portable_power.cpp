#include "polhode/integrator/method.h"

namespace polhode {
namespace {

/// log2 x = exponent + (2/ln 2) artanh((m − 1)/(m + 1)), m in [1/√2, √2)
double log2_of(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double z = (m - 1) / (m + 1);
  const double z2 = z * z;
  constexpr std::array<double, 8> kOdd{1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0};
  double series = 0;
  for (const double coefficient : kOdd) { series = coefficient + z2 * series; }
  return exponent + 2.8853900817779268 * z * series;
}

/// 2^x = 2^n e^(r ln 2), |r| ≤ ½
double exp2_of(double x) {
  const double n = std::floor(x + 0.5);
  const double r = (x - n) * 0.69314718055994531;
  constexpr std::array<double, 11> kFactorials{
      1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0};
  double series = 0;
  for (const double coefficient : kFactorials) { series = coefficient + r * series; }
  return std::ldexp(series, static_cast<int>(n));
}

}  // namespace

double portable_power(double x, double p) {
  constexpr double kLargest = 1000;  // exponents beyond do not occur in step sizes
  const double exponent = p * log2_of(x);
  return exp2_of(std::fmin(std::fmax(exponent, -kLargest), kLargest));
}

}  // namespace polhode
