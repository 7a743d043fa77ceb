#pragma once

#include "polhode/math/scalar.h"

#include <limits>

/// Sums and products of plain reals without any error: result and rounding error as two numbers, without fused
/// multiply-add, so the same bits everywhere; quotients to twice the digits. Valid while nothing over- or underflows:
/// for doubles |a b| in 1e-290 to 1e290.
namespace polhode::math {

/// A number as an unevaluated sum, |low| ≤ half an ulp of high.
template <PlainReal S>
struct TwoParts {
  S high;
  S low;
};
using TwoDoubles = TwoParts<double>;

/// a + b = high + low exactly [Knuth1997, section 4.2.2].
template <PlainReal S>
constexpr TwoParts<S> two_sum(S a, S b) {
  const S sum = a + b;
  const S part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// The same for |a| ≥ |b| or a = 0 [Dekker1971].
template <PlainReal S>
constexpr TwoParts<S> fast_two_sum(S a, S b) {
  const S sum = a + b;
  return {sum, b - (sum - a)};
}

/// sum + rest ← sum + rest + change, where rest is what earlier sums have rounded away: a long sum without drift.
/// rest is not added to change first, whose last place may be larger than it: the smallest changes would be lost. While
/// sum is smaller than rest, on its way through zero, rest is good to its own rounding only.
template <PlainReal S>
constexpr void add_carrying(S& sum, S& rest, const S& change) {
  const TwoParts<S> next = two_sum(sum, change);
  const TwoParts<S> whole = fast_two_sum(next.high, next.low + rest);
  sum = whole.high;
  rest = whole.low;
}

/// a = high + low with at most half the bits each: 26 of a double [Dekker1971].
template <PlainReal S>
constexpr TwoParts<S> split(S a) {
  constexpr S kFactor = static_cast<S>((1LL << ((std::numeric_limits<S>::digits + 1) / 2)) + 1);  // double: 2^27 + 1
  const S scaled = kFactor * a;
  const S high = scaled - (scaled - a);
  return {high, a - high};
}

/// a b = high + low exactly [Dekker1971].
template <PlainReal S>
constexpr TwoParts<S> two_prod(S a, S b) {
  const S product = a * b;
  const TwoParts<S> x = split(a);
  const TwoParts<S> y = split(b);
  return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

/// a/b = high + low, low to its own rounding [Dekker1971].
template <PlainReal S>
constexpr TwoParts<S> two_quotient(S a, S b) {
  const S quotient = a / b;
  const TwoParts<S> back = two_prod(quotient, b);
  return {quotient, ((a - back.high) - back.low) / b};
}

}  // namespace polhode::math
