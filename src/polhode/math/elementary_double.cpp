#include "polhode/math/elementary_double.h"

namespace polhode::math::portable {

using namespace detail;

namespace detail {

/// Payne and Hanek: x = m 2^e with an integer m. Words of 2/π whose product with x is a multiple of 4 turns of
/// a quarter are left out; of the others eight (256 bits) are multiplied with m. Then the two bits before the
/// point are the quadrant, and 190 bits after it remain. No double is nearer than 2^-62 quarter turns to a
/// multiple of a quarter turn, so 2^-70 of r is sure.
ReducedAngle reduce_any(double x) {
  if (!(x < kInfinity)) { return {{kNaN, kNaN}, 0}; }
  const int e = static_cast<int>(bits(x) >> 52) - 1075;
  const std::uint64_t m = (bits(x) & 0x000f'ffff'ffff'ffffU) | 0x0010'0000'0000'0000U;
  const int first_word = e >= 2 ? (e - 2) / 32 : 0;
  constexpr int kWords = 8;

  // product = m · words, least significant 32 bits first
  std::uint32_t product[kWords + 4] = {};
  for (int half = 0; half < 2; ++half) {
    const std::uint64_t factor = half == 0 ? (m & 0xffff'ffffU) : (m >> 32);
    std::uint64_t carry = 0;
    for (int i = 0; i < kWords; ++i) {
      const std::uint64_t sum = factor * kTwoOverPiBits[first_word + kWords - 1 - i] + product[i + half] + carry;
      product[i + half] = static_cast<std::uint32_t>(sum);
      carry = sum >> 32;
    }
    product[kWords + half] = static_cast<std::uint32_t>(carry);
  }
  // 64 bits of the product from bit `position` on
  const auto bits_from = [&product](int position) {
    const int word = position / 32;
    const int shift = position % 32;
    const auto at = [&product](int i) { return i < kWords + 4 ? std::uint64_t{product[i]} : 0; };
    const std::uint64_t low = at(word) | (at(word + 1) << 32);
    return shift == 0 ? low : (low >> shift) | (at(word + 2) << (64 - shift));
  };
  const int point = 32 * (first_word + kWords) - e;  // bits of the product after the point, 222 < point ≤ 292
  std::uint64_t quadrant = bits_from(point);
  std::uint64_t fraction[3] = {bits_from(point - 64), bits_from(point - 128), bits_from(point - 192)};

  // the nearest quarter turn: a fraction of ½ or more becomes fraction - 1
  std::uint64_t sign = 0;
  if (fraction[0] >> 63 != 0) {
    quadrant += 1;
    sign = kSignBit;
    for (std::uint64_t& word : fraction) { word = ~word; }
  }
  double unit = 1;
  if (fraction[0] == 0) {
    unit = 0x1p-64;
    fraction[0] = fraction[1];
    fraction[1] = fraction[2];
  }
  const int zeros = std::countl_zero(fraction[0]);
  if (zeros > 0) {
    fraction[0] = (fraction[0] << zeros) | (fraction[1] >> (64 - zeros));
    fraction[1] <<= zeros;
    unit *= from_bits(static_cast<std::uint64_t>(1023 - zeros) << 52);
  }
  const double high = static_cast<double>(fraction[0] >> 11) * 0x1p-53;
  const double low = static_cast<double>((fraction[0] << 53) | (fraction[1] >> 11)) * 0x1p-117;

  // r = fraction π/2
  const Pair r = exact_product(high, kHalfPiHigh);
  const Pair sum = ordered_sum(r.high, r.low + (high * kHalfPiLow + low * kHalfPiHigh));
  return {{flip(sum.high * unit, sign), flip(sum.low * unit, sign)}, quadrant};
}

double atan2_extreme(double y, double x) {
  if (x != x || y != y) { return kNaN; }
  const double ay = magnitude(y);
  const double ax = magnitude(x);
  const double larger = ay > ax ? ay : ax;
  const std::uint64_t y_sign = bits(y) & kSignBit;
  const std::uint64_t x_sign = bits(x) & kSignBit;
  if (larger == kInfinity) {
    return angle_of<Less>(Single{ay == larger ? 1.0 : 0.0}, Single{ax == larger ? 1.0 : 0.0}, y_sign, x_sign);
  }
  const double factor = larger > 1 ? 0x1p-200 : 0x1p200;
  return angle_of<Less>(Single{ay * factor}, Single{ax * factor}, y_sign, x_sign);
}

namespace {

/// log(1 + x.high + x.low) for x > -1 finite: 1 + x = u + e exactly, log = log u + e/u.
Pair log1p_parts(Pair x) {
  const Pair u = exact_sum(1, x.high);
  const Pair log_u = log_parts(u.high);
  return ordered_sum(log_u.high, log_u.low + (u.low + x.low) / u.high);
}

}  // namespace
}  // namespace detail

double log2(double x) {
  return positive_and_finite(x) ? times(log_parts(x), kInverseLn2High, kInverseLn2Low) : log_special(x);
}

double log10(double x) {
  return positive_and_finite(x) ? times(log_parts(x), kInverseLn10High, kInverseLn10Low) : log_special(x);
}

double log1p(double x) {
  const bool inside = x > -1 && x < kInfinity;
  if (!inside) { return x == -1 ? -kInfinity : (x > 0 ? x : kNaN); }
  return x == 0 ? x : log1p_parts({x, 0}).high;
}

/// 2^k (e^r - 2^-k); for k = 0 the series without its 1, whose leading part is x itself.
double expm1(double x) {
  if (x == 0) { return x; }
  if (magnitude(x) <= kHalfLn2) {
    const double v = x * x;
    return x + (0.5 * v + (x * v * polynomial(kSinh, v) + v * v * polynomial(kCosh, v)));
  }
  const ExpParts parts = exp_parts({x > 710 ? 710 : (x < -45 ? -45 : x), 0});
  const double k = parts.k_shifted - kRounder;
  const double one = k > 1000 ? 0 : power_of_two(kRounder - k);
  const Pair rest = exact_sum(parts.plus.high, -one);
  return scale(rest.high + (rest.low + parts.plus.low), parts.k_shifted);
}

/// e^(y log|x|) with the logarithm and the product as pairs: 2^-65 of an exponent below 745 is 2^-55.
double pow(double x, double y) {
  if (y == 0 || x == 1) { return 1; }
  if (x != x || y != y) { return kNaN; }
  const double ax = magnitude(x);
  const double ay = magnitude(y);
  const bool integer = ay >= 0x1p52 || (ay + 0x1p52) - 0x1p52 == ay;
  const bool odd = integer && ay < 0x1p53 && (static_cast<std::uint64_t>(ay) & 1) != 0;
  const std::uint64_t sign = odd ? bits(x) & kSignBit : 0;
  if (ay == kInfinity) {
    if (ax == 1) { return 1; }
    return (ax > 1) == (y > 0) ? kInfinity : 0;
  }
  if (ax == 0 || ax == kInfinity) { return flip((ax == 0) == (y > 0) ? 0 : kInfinity, sign); }
  if (x < 0 && !integer) { return kNaN; }
  // from |y| = 2^66 on every x but 1 gives 0 or ∞
  const double y_bounded = ay > 0x1p66 ? flip(0x1p66, bits(y) & kSignBit) : y;
  const Pair log_x = log_parts(ax);
  const Pair exponent = exact_product(y_bounded, log_x.high);
  return flip(detail::exp({exponent.high, exponent.low + y_bounded * log_x.low}), sign);
}

double sinh(double x) {
  const double ax = magnitude(x);
  const double s = ax <= kHalfLn2 ? hyperbolic_parts_near_zero(ax).sinh.high
                                  : (ax < 40 ? hyperbolic_parts(ax).sinh.high : half_exp(ax));
  return flip(s, bits(x) & kSignBit);
}

double cosh(double x) {
  const double ax = magnitude(x);
  if (ax <= kHalfLn2) { return hyperbolic_parts_near_zero(x).cosh.high; }
  return ax < 40 ? hyperbolic_parts(ax).cosh.high : half_exp(ax);
}

/// sinh/cosh as a quotient of pairs; from 20 on it rounds to 1.
double tanh(double x) {
  const double ax = magnitude(x);
  if (ax < 0x1p-28) { return x; }  // tanh x = x - x³/3
  if (ax > 20) { return flip(1, bits(x) & kSignBit); }
  const HyperbolicParts parts = ax <= kHalfLn2 ? hyperbolic_parts_near_zero(ax) : hyperbolic_parts(ax);
  return flip(quotient(parts.sinh, parts.cosh), bits(x) & kSignBit);
}

/// log(x + √(1 + x²)) = log1p(x + x²/(1 + √(1 + x²))).
double asinh(double x) {
  const double ax = magnitude(x);
  const std::uint64_t sign = bits(x) & kSignBit;
  if (!(ax < kInfinity)) { return x; }
  if (ax < 0x1p-28) { return x; }  // asinh x = x - x³/6
  if (ax > 0x1p30) {               // log 2x
    const Pair log_x = log_parts(ax);
    return flip(log_x.high + (log_x.low + kLn2Low + kLn2High), sign);
  }
  const Pair x_squared = exact_product(ax, ax);
  const double rest = x_squared.high / (1 + std::sqrt(1 + x_squared.high));
  return flip(log1p_parts(ordered_sum(ax, rest)).high, sign);
}

/// log(x + √(x² - 1)) = log1p(t + √(t (x + 1))), t = x - 1.
double acosh(double x) {
  if (!(x >= 1)) { return kNaN; }
  if (x == kInfinity) { return x; }
  if (x > 0x1p30) {
    const Pair log_x = log_parts(x);
    return log_x.high + (log_x.low + kLn2Low + kLn2High);
  }
  const Pair t = exact_sum(x, -1);
  const Pair above = exact_sum(x, 1);
  const Pair product = exact_product(t.high, above.high);
  const Pair leg = root({product.high, product.low + (t.high * above.low + t.low * above.high)});
  const Pair sum = exact_sum(t.high, leg.high);
  return log1p_parts({sum.high, sum.low + (t.low + leg.low)}).high;
}

/// ½ log1p(2x/(1 - x)).
double atanh(double x) {
  const double ax = magnitude(x);
  if (!(ax < 1)) { return ax == 1 ? flip(kInfinity, bits(x) & kSignBit) : kNaN; }
  if (ax < 0x1p-28) { return x; }  // atanh x = x + x³/3
  const Pair below = ordered_sum(1, -ax);
  const double q = 2 * ax / below.high;
  const double q_low = -(product_minus(q, below.high, 2 * ax) + q * below.low) / below.high;
  return flip(0.5 * log1p_parts({q, q_low}).high, bits(x) & kSignBit);
}

/// |x| = 8^k m, 1 ≤ m < 8: a polynomial (2^-13), one step of Halley's iteration (2^-39), one of Newton's with
/// the residual m - y³ taken to twice the precision.
double cbrt(double x) {
  const double ax = magnitude(x);
  if (ax == 0 || !(ax < kInfinity)) { return x; }
  const bool subnormal = ax < 0x1p-1022;
  const std::uint64_t scaled = bits(subnormal ? ax * 0x1p54 : ax);
  const std::uint64_t exponent = (scaled >> 52) + 2049;  // 2049 + 1023 is a multiple of 3
  const std::uint64_t third = exponent / 3;
  const std::uint64_t left = exponent % 3;
  const double mantissa = from_bits((scaled & 0x000f'ffff'ffff'ffffU) | (std::uint64_t{1023} << 52));
  const double m = mantissa * (left == 0 ? 1 : (left == 1 ? 2 : 4));
  double y = polynomial(kCbrtStart, mantissa) * (left == 0 ? 1 : (left == 1 ? kCbrt2 : kCbrt4));
  const double cube = y * y * y;
  y = y - y * ((cube - m) / (2 * cube + m));
  const Pair square = exact_product(y, y);
  const double rest = -product_minus(square.high, y, m) - square.low * y;
  y = y + rest / (3 * square.high);
  const double unit = from_bits((third - 1) << 52) * (subnormal ? 0x1p-18 : 1);  // (1023 + 2049)/3 = 1024
  return flip(y * unit, bits(x) & kSignBit);
}

}  // namespace polhode::math::portable
