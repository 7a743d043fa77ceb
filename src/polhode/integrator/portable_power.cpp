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
  double series = 0;
  for (int k = 15; k >= 1; k -= 2) { series = 1.0 / k + z2 * series; }
  return exponent + 2.8853900817779268 * z * series;
}

/// 2^x = 2^n e^(r ln 2), |r| ≤ ½
double exp2_of(double x) {
  const double n = std::floor(x + 0.5);
  const double r = (x - n) * 0.69314718055994531;
  double series = 1;
  for (int k = 12; k >= 1; --k) { series = 1 + series * r / k; }
  return std::ldexp(series, static_cast<int>(n));
}

}  // namespace

double portable_power(double x, double p) {
  constexpr double kLargest = 1000;  // exponents beyond do not occur in step sizes
  const double exponent = p * log2_of(x);
  return exp2_of(std::fmin(std::fmax(exponent, -kLargest), kLargest));
}

}  // namespace polhode
