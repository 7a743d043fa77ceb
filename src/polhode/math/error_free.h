#pragma once

/// Sums and products of doubles without any error: result and rounding error as two doubles, without fused
/// multiply-add, so the same bits everywhere. Valid while nothing over- or underflows: |a b| in 1e-290 to 1e290.
namespace polhode::math {

/// A number as an unevaluated sum, |low| ≤ half an ulp of high.
struct TwoDoubles {
  double high;
  double low;
};

/// a + b = high + low exactly [Knuth1997, section 4.2.2].
constexpr TwoDoubles two_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// The same for |a| ≥ |b| or a = 0 [Dekker1971].
constexpr TwoDoubles fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a = high + low with at most 26 bits each [Dekker1971].
constexpr TwoDoubles split(double a) {
  const double scaled = 134217729.0 * a;  // 2^27 + 1
  const double high = scaled - (scaled - a);
  return {high, a - high};
}

/// a b = high + low exactly [Dekker1971].
constexpr TwoDoubles two_prod(double a, double b) {
  const double product = a * b;
  const TwoDoubles x = split(a);
  const TwoDoubles y = split(b);
  return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

}  // namespace polhode::math
