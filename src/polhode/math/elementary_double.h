#pragma once

#include "polhode/math/elementary_constants.h"

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Elementary functions of double, made of + - * / sqrt, comparisons and integer operations alone. IEEE 754
/// defines each of these to the last bit, so results are the same on every machine and compiler (compile with
/// -ffp-contract=off). The error bounds are those of tests/math/test_elementary.cpp; special values are those
/// of C99 Annex F. The numbers are in elementary_constants.h and come from tools/elementary_coefficients.py.
///
/// One idea carries all of them: the argument is reduced to a small r kept as a sum of two doubles, the
/// function of r is (a leading part known exactly) + (a small correction), and only the last addition rounds
/// at full size. So the error is half an ulp from that addition and a few hundredths from the correction.
///
/// exp and the functions ending in `_moderate` have no branch: loops over arrays of them become vector code.
namespace polhode::math::portable {

static_assert(std::numeric_limits<double>::is_iec559, "the elementary functions need IEEE 754 doubles");
static_assert(FLT_EVAL_METHOD == 0, "the elementary functions need double arithmetic that rounds to double");

namespace detail {

inline std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
inline double from_bits(std::uint64_t x) { return std::bit_cast<double>(x); }

inline constexpr std::uint64_t kSignBit = 0x8000'0000'0000'0000U;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kTiniest = std::numeric_limits<double>::denorm_min();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// x + kRounder - kRounder is the integer nearest to x, |x| < 2^51; its last bits stand in the sum's last bits.
inline constexpr double kRounder = 0x1.8p52;

inline double magnitude(double x) { return from_bits(bits(x) & ~kSignBit); }
/// x with its sign changed where `sign` has its top bit.
inline double flip(double x, std::uint64_t sign) { return from_bits(bits(x) ^ sign); }
/// a where the mask is all ones, b where it is all zeros.
inline double choose(std::uint64_t mask, double a, double b) { return from_bits((bits(a) & mask) | (bits(b) & ~mask)); }

/// a < b, and a choice by it, in two ways that give the same bits: a comparison, quickest for one number...
class Less {
 public:
  Less(double a, double b) : less_(a < b) {}
  double choose(double then, double otherwise) const { return less_ ? then : otherwise; }
  std::uint64_t sign_bit() const { return less_ ? kSignBit : 0; }

 private:
  bool less_;
};
/// ... and the sign of a - b spread over all bits, for a or b finite. A comparison could trap, which keeps compilers
/// from computing both sides of a choice; with this one loops become vector code. False if a or b is an unsigned NaN.
class LessByBits {
 public:
  LessByBits(double a, double b) : mask_(0 - (bits(a - b) >> 63)) {}
  double choose(double then, double otherwise) const { return detail::choose(mask_, then, otherwise); }
  std::uint64_t sign_bit() const { return mask_ & kSignBit; }

 private:
  std::uint64_t mask_;
};

/// c0 + c1 x + c2 x² + ...
template <std::size_t N>
inline double polynomial(const double (&c)[N], double x) {
  double sum = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) { sum = sum * x + c[i]; }
  return sum;
}

/// A number as high + low, |low| at most about an ulp of high.
struct Pair {
  double high;
  double low;
};

/// a + b without error if |a| ≥ |b|, if a = 0, or if the rounded sum is exact.
inline Pair ordered_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b without error.
inline Pair exact_sum(double a, double b) {
  const double sum = a + b;
  const double from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}

/// The first 26 bits of x; the 27 others are x - head(x).
inline double head(double x) { return from_bits(bits(x) & 0xffff'ffff'f800'0000U); }

/// a b - p for p near a b, to 2^-105 |a b|: products of heads and tails are exact.
inline double product_minus(double a, double b, double p) {
  const double a1 = head(a);
  const double a2 = a - a1;
  const double b1 = head(b);
  const double b2 = b - b1;
  return (((a1 * b1 - p) + a1 * b2) + a2 * b1) + a2 * b2;
}
inline Pair exact_product(double a, double b) {
  const double p = a * b;
  return {p, product_minus(a, b, p)};
}

/// 1/x to 5.2 %, for x in 2^±1000: its exponent negated. With x = 2^e (1 + f) it is 2^-e (1 - (f + 0.1)/2).
/// Enough for a correction that is itself below an ulp.
inline double rough_inverse(double x) { return from_bits((0x7fe0'0000'0000'0000U - 0x0001'9999'9999'999aU) - bits(x)); }

/// √(x.high + x.low), the low part to 5.2 % of itself.
inline Pair root(Pair x) {
  const double r = std::sqrt(x.high);
  const double rest = x.low - product_minus(r, r, x.high);
  return {r, rest * rough_inverse(2 * r)};
}

/// n/d with both low parts taken into account, rounded once at full size.
inline double quotient(Pair n, Pair d) {
  const double q = n.high / d.high;
  const double rest = (n.low - product_minus(q, d.high, n.high)) - q * d.low;
  return q + rest / d.high;
}

// ---- sine and cosine -------------------------------------------------------------------------------

/// x = quadrant π/2 + (r.high + r.low), |r| ≤ π/4; of the quadrant only the last two bits count.
struct ReducedAngle {
  Pair r;
  std::uint64_t quadrant;
};

/// The largest angle that reduce_moderate takes: 2^16 quarter turns.
inline constexpr double kModerateAngle = 0x1.92p16;

/// Cody and Waite, for 0 ≤ x ≤ kModerateAngle: k has 17 bits and the first two parts of π/2 have 38 and 36, so
/// k·part is exact, and so is the first difference. The third product is rounded by k 2^-130, while no double in the
/// range is nearer than k 2^-70 to k π/2 (nearest for its size: 45.55..., 2^-60.5 from 29 π/2): r is good to 2^-60.
inline ReducedAngle reduce_moderate(double x) {
  const double shifted = x * kTwoOverPi + kRounder;
  const double k = shifted - kRounder;
  const Pair first = ordered_sum(x - k * kHalfPiPart1, -(k * kHalfPiPart2));
  return {ordered_sum(first.high, first.low - k * kHalfPiPart3), bits(shifted)};
}

/// The same for any 0 ≤ x, with as many bits of 2/π as it takes; NaN for ∞ and NaN.
ReducedAngle reduce_any(double x);

inline ReducedAngle reduce(double x) { return x <= kModerateAngle ? reduce_moderate(x) : reduce_any(x); }

/// sin r and cos r for |r| ≤ π/4, each as leading part and correction:
///   sin r = r + (r³ S(r²) + low cos r),    cos r = w + ((1 - w - r²/2) + r⁴ C(r²) - low r),  w = 1 - r²/2 rounded.
struct SinCosParts {
  Pair sin;
  Pair cos;
};
inline SinCosParts sincos_parts(Pair r) {
  const double v = r.high * r.high;
  const double half = 0.5 * v;
  const double w = 1 - half;
  return {{r.high, r.high * v * polynomial(kSin, v) + r.low * w},
          {w, ((1 - w) - half) + (v * v * polynomial(kCos, v) - r.high * r.low)}};
}

struct SinCosValues {
  double sin;
  double cos;
};
/// Sine and cosine from the reduced |x| and the sign bit of x. Quadrants 0 1 2 3 give
/// sin = s c -s -c and cos = c -s -c s.
inline SinCosValues sincos_in_quadrant(const ReducedAngle& angle, std::uint64_t sign) {
  const SinCosParts parts = sincos_parts(angle.r);
  const double s = parts.sin.high + parts.sin.low;
  const double c = parts.cos.high + parts.cos.low;
  const std::uint64_t odd = 0 - (angle.quadrant & 1);
  const std::uint64_t sin_sign = (angle.quadrant & 2) << 62;
  const std::uint64_t cos_sign = ((angle.quadrant + 1) & 2) << 62;
  return {flip(choose(odd, c, s), sin_sign ^ sign), flip(choose(odd, s, c), cos_sign)};
}

}  // namespace detail

using detail::kModerateAngle;
using SinCosValues = detail::SinCosValues;

inline SinCosValues sincos(double x) {
  return detail::sincos_in_quadrant(detail::reduce(detail::magnitude(x)), detail::bits(x) & detail::kSignBit);
}
inline double sin(double x) { return sincos(x).sin; }
inline double cos(double x) { return sincos(x).cos; }

/// The same bits as sincos, for |x| ≤ kModerateAngle only, without a branch.
inline SinCosValues sincos_moderate(double x) {
  return detail::sincos_in_quadrant(detail::reduce_moderate(detail::magnitude(x)), detail::bits(x) & detail::kSignBit);
}

/// tan r = sin r / cos r, or -cos r / sin r in odd quadrants; the quotient of two pairs.
inline double tan(double x) {
  const detail::ReducedAngle angle = detail::reduce(detail::magnitude(x));
  const detail::SinCosParts parts = detail::sincos_parts(angle.r);
  const std::uint64_t sign = detail::bits(x) & detail::kSignBit;
  const bool odd = (angle.quadrant & 1) != 0;
  if (angle.r.high == 0) { return x; }  // x = ±0 alone: no other double is a multiple of π/2
  const detail::Pair s = detail::ordered_sum(parts.sin.high, parts.sin.low);
  const detail::Pair c = detail::ordered_sum(parts.cos.high, parts.cos.low);
  return detail::flip(odd ? -detail::quotient(c, s) : detail::quotient(s, c), sign);
}

// ---- inverse tangent, sine and cosine ----------------------------------------------------------------

namespace detail {

/// A number without a low part.
struct Single {
  double high;
};

/// The angle of the point (±x, ±y) with x, y ≥ 0 finite and the larger one 0 or in 2^±960; x and y are both
/// Single or both Pair; `If` is Less or LessByBits.
///
/// With t = smaller/larger ≤ 1 and c = 0, ½ or 1 near t: atan t = atan c + atan u, u = (t - c)/(1 + tc), |u| ≤ ¼;
/// the numerator n = smaller - c larger is exact, and the rounding of the denominator d, of the quotient and the
/// low parts of x and y go into a correction of u: (n - u d)/d, where 1/d is wanted to a few per cent only. The
/// angle is then 0, π/2 or π, plus or minus atan t.
template <class If, class Number>
inline double angle_of(Number y, Number x, std::uint64_t y_sign, std::uint64_t x_sign) {
  const If steep(x.high, y.high);
  const double smaller = steep.choose(x.high, y.high);
  const double larger_or_zero = steep.choose(y.high, x.high);
  const double larger = If(larger_or_zero, kTiniest).choose(1, larger_or_zero);

  const If above_quarter(larger, 4 * smaller);
  const If above_middle(larger, 1.375 * smaller);
  const double c = above_middle.choose(1, above_quarter.choose(0.5, 0));
  const double atan_c = above_middle.choose(kAtanOneHigh, above_quarter.choose(kAtanHalfHigh, 0));
  const double atan_c_low = above_middle.choose(kAtanOneLow, above_quarter.choose(kAtanHalfLow, 0));

  const double n = smaller - c * larger;
  const Pair d = ordered_sum(larger, c * smaller);
  const double u = n / d.high;
  const double rest = [&] {
    const double of_rounding = -product_minus(u, d.high, n) - u * d.low;
    if constexpr (std::is_same_v<Number, Pair>) {
      const double smaller_low = steep.choose(x.low, y.low);
      const double larger_low = steep.choose(y.low, x.low);
      return of_rounding + ((smaller_low - c * larger_low) - u * (larger_low + c * smaller_low));
    } else {
      return of_rounding;
    }
  }();
  // below 2^-30 u is the angle to half an ulp already, and the products above may underflow
  const double u_low = If(magnitude(u), 0x1p-30).choose(0, rest * rough_inverse(d.high));

  const std::uint64_t turned = steep.sign_bit() ^ x_sign;
  const double left = from_bits(bits(kPiHigh) & (0 - (x_sign >> 63)));
  const double base = steep.choose(kHalfPiHigh, left);
  const double base_low = base * (kPiLow / kPiHigh);
  const Pair centre = ordered_sum(base, flip(atan_c, turned));
  const Pair angle = ordered_sum(centre.high, flip(u, turned));
  const double v = u * u;
  const double correction = flip((u * v * polynomial(kAtan, v) + u_low) + atan_c_low, turned);
  return flip(angle.high + ((angle.low + (centre.low + base_low)) + correction), y_sign);
}

inline constexpr double kModerateLow = 0x1p-960;
inline constexpr double kModerateHigh = 0x1p960;

/// atan2 where the larger magnitude is outside 2^±960: scaled by a power of two, or ∞, 0, NaN.
double atan2_extreme(double y, double x);

}  // namespace detail

/// The same bits as atan2, without a branch, where the larger of |x|, |y| is 0 or in 2^±960.
inline double atan2_moderate(double y, double x) {
  return detail::angle_of<detail::LessByBits>(detail::Single{detail::magnitude(y)},
                                              detail::Single{detail::magnitude(x)}, detail::bits(y) & detail::kSignBit,
                                              detail::bits(x) & detail::kSignBit);
}

inline double atan2(double y, double x) {
  const double ay = detail::magnitude(y);
  const double ax = detail::magnitude(x);
  const double larger = ay > ax ? ay : ax;
  const bool moderate = larger >= detail::kModerateLow && larger <= detail::kModerateHigh;
  if (!moderate) { return detail::atan2_extreme(y, x); }
  return detail::angle_of<detail::Less>(detail::Single{ay}, detail::Single{ax}, detail::bits(y) & detail::kSignBit,
                                        detail::bits(x) & detail::kSignBit);
}

/// The angle of (1, x); from 2^60 on it rounds to π/2.
inline double atan(double x) {
  const double size = detail::magnitude(x);
  const double y = detail::Less(0x1p60, size).choose(0x1p60, size);
  return detail::angle_of<detail::Less>(detail::Single{y}, detail::Single{1}, detail::bits(x) & detail::kSignBit, 0);
}

namespace detail {
/// √(1 - x²) for |x| ≤ 1 to about 2^-100; NaN beyond.
inline Pair leg(double x) {
  const Pair square = exact_product(x, x);
  const Pair rest = ordered_sum(1, -square.high);
  return root(ordered_sum(rest.high, rest.low - square.low));
}
}  // namespace detail

/// The angle of (√(1 - x²), x).
inline double asin(double x) {
  return detail::angle_of<detail::Less>(detail::Pair{detail::magnitude(x), 0}, detail::leg(x),
                                        detail::bits(x) & detail::kSignBit, 0);
}
/// The angle of (x, √(1 - x²)).
inline double acos(double x) {
  return detail::angle_of<detail::Less>(detail::leg(x), detail::Pair{detail::magnitude(x), 0}, 0,
                                        detail::bits(x) & detail::kSignBit);
}

// ---- exponential -------------------------------------------------------------------------------------

namespace detail {

/// e^x = 2^k e^r, |r| ≤ ln 2 / 2. e^±r = cosh r ± sinh r from one pair of polynomials:
///   e^±r = (1 ± r) + (r²/2 + r⁴ C(r²) ± (r³ S(r²) + r_low)), the first bracket as a pair.
struct ExpParts {
  double k_shifted;  ///< k + kRounder
  Pair plus;         ///< e^r
  Pair minus;        ///< e^-r
};
inline ExpParts exp_parts(Pair x) {
  const double k_shifted = x.high * kInverseLn2High + kRounder;
  const double k = k_shifted - kRounder;
  const Pair r = ordered_sum(x.high - k * kLn2High, x.low - k * kLn2Low);  // first product and difference exact
  const double v = r.high * r.high;
  const double even = 0.5 * v + (v * v * polynomial(kCosh, v) + r.high * r.low);
  const double odd = r.high * v * polynomial(kSinh, v) + r.low;
  const Pair up = ordered_sum(1, r.high);
  const Pair down = ordered_sum(1, -r.high);
  return {k_shifted, {up.high, up.low + (even + odd)}, {down.high, down.low + (even - odd)}};
}

/// 2^k from k + kRounder, -1022 ≤ k ≤ 1023: the last bits of the sum go to the exponent.
inline double power_of_two(double k_shifted) { return from_bits((bits(k_shifted) + 1023) << 52); }

/// x 2^k for |k| ≤ 2000 in two steps, so that only the last one may leave the range.
inline double scale(double x, double k_shifted) {
  const double half_shifted = (k_shifted - kRounder) * 0.5 + kRounder;
  const double other_shifted = (k_shifted - half_shifted) + kRounder;
  return x * power_of_two(half_shifted) * power_of_two(other_shifted);
}

/// e^(x.high + x.low); beyond ±746 it is 0 or ∞.
inline double exp(Pair x) {
  const double size = magnitude(x.high);
  const LessByBits beyond(746, size);
  const double bounded = flip(beyond.choose(746, size), bits(x.high) & kSignBit);
  const ExpParts parts = exp_parts({bounded, beyond.choose(0, x.low)});
  return scale(parts.plus.high + parts.plus.low, parts.k_shifted);
}

}  // namespace detail

/// No branch: loops over arrays become vector code.
inline double exp(double x) { return detail::exp({x, 0}); }

// ---- hyperbolic functions ----------------------------------------------------------------------------

namespace detail {

/// (e^x ± e^-x) / 2 as pairs for ln 2 / 2 < x < 40, where k ≥ 1 in e^x = 2^k e^r.
struct HyperbolicParts {
  Pair sinh;
  Pair cosh;
};
inline HyperbolicParts hyperbolic_parts(double x) {
  const ExpParts parts = exp_parts({x, 0});
  const double k = parts.k_shifted - kRounder;
  const double grows = power_of_two(parts.k_shifted - 1);
  const double falls = power_of_two(kRounder - (k + 1));
  const Pair difference = exact_sum(grows * parts.plus.high, -(falls * parts.minus.high));
  const Pair sum = exact_sum(grows * parts.plus.high, falls * parts.minus.high);
  return {ordered_sum(difference.high, difference.low + (grows * parts.plus.low - falls * parts.minus.low)),
          ordered_sum(sum.high, sum.low + (grows * parts.plus.low + falls * parts.minus.low))};
}

/// The same for |x| ≤ ln 2 / 2: the series from the same polynomials.
inline HyperbolicParts hyperbolic_parts_near_zero(double x) {
  const double v = x * x;
  const Pair start = ordered_sum(1, 0.5 * v);
  return {ordered_sum(x, x * v * polynomial(kSinh, v)),
          ordered_sum(start.high, start.low + v * v * polynomial(kCosh, v))};
}
inline constexpr double kHalfLn2 = 0x1.62e42fefa39efp-2;

/// e^x / 2 for x ≥ 40, where e^-x no longer counts.
inline double half_exp(double x) {
  const ExpParts parts = exp_parts({x > 711 ? 711 : x, 0});
  return scale(parts.plus.high + parts.plus.low, parts.k_shifted - 1);
}

}  // namespace detail

// ---- logarithm ---------------------------------------------------------------------------------------

namespace detail {

/// x = 2^k m with m from kLogFirst to twice that, and the row of the table for m; x > 0, not subnormal.
struct LogSplit {
  double k;
  double m;
  std::uint64_t row;
};
inline LogSplit log_split(double x) {
  const std::uint64_t above_first = bits(x) - bits(kLogFirst);
  // the exponent, a signed number of 12 bits, as a double: what vector instructions can do, too
  const std::uint64_t k_bits = ((above_first >> 52) ^ 0x800U) - 0x800U;
  return {from_bits(bits(kRounder) + k_bits) - kRounder, from_bits(bits(x) - (above_first & 0xfff0'0000'0000'0000U)),
          (above_first >> (52 - kLogTableBits)) & ((1U << kLogTableBits) - 1)};
}

/// log x for 0 < x < ∞ as a pair, to 2^-65 of itself: x = 2^k m, and with c ≈ 1/m from a table
///   log x = k ln 2 - log c + log(1 + r),   r = c m - 1 exact as a pair, |r| < 0.008
///   log(1 + r) = r - r²/2 + r³ P(r).
/// k ln 2 and -log c have first parts with 42 fraction bits: their sum is exact. Around 1 c = 1 and k = 0, so
/// that the leading part is r itself and the relative error stays small through the zero of log. The rounding error
/// of r² matters to pow, but not to log, which does without it: then the error is 2^-60.
template <bool kExactSquare>
inline Pair log_sum(double k, double m, const LogRow& row) {
  const double m1 = head(m);
  const Pair r = ordered_sum(m1 * row.c - 1, (m - m1) * row.c);
  const double rounded_square = r.high * r.high;
  const Pair square{rounded_square, kExactSquare ? product_minus(r.high, r.high, rounded_square) : 0};
  const double cubic = r.high * square.high * polynomial(kLog, r.high);

  const Pair start = ordered_sum(k * kLn2High + row.high, r.high);
  const Pair sum = ordered_sum(start.high, -0.5 * square.high);
  const double low = (k * kLn2Low + row.low) + (r.low - r.high * r.low - 0.5 * square.low);
  return ordered_sum(sum.high, sum.low + (start.low + (low + cubic)));
}
template <bool kExactSquare = true>
inline Pair log_parts(double x) {
  const bool subnormal = x < 0x1p-1022;
  const LogSplit split = log_split(subnormal ? x * 0x1p54 : x);
  return log_sum<kExactSquare>(split.k - (subnormal ? 54 : 0), split.m, kLogTable[split.row]);
}

/// x times the pair c, rounded.
inline double times(Pair x, double c_high, double c_low) {
  const Pair product = exact_product(x.high, c_high);
  return product.high + (product.low + (x.high * c_low + x.low * c_high));
}

/// log of what is not positive and finite: -∞, ∞ or NaN.
inline double log_special(double x) { return x == 0 ? -kInfinity : (x > 0 ? x : kNaN); }
inline bool positive_and_finite(double x) { return x > 0 && x < kInfinity; }

}  // namespace detail

inline double log(double x) {
  return detail::positive_and_finite(x) ? detail::log_parts<false>(x).high : detail::log_special(x);
}

// ---- less frequent ones (elementary_double.cpp) -----------------------------------------------------------

double log2(double x);
double log10(double x);
double log1p(double x);
double expm1(double x);
double pow(double x, double y);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double asinh(double x);
double acosh(double x);
double atanh(double x);
double cbrt(double x);

/// √(x² + y²): two squares, a sum and a root cost 1 ulp at most. Scaled where a square leaves the range.
inline double hypot(double x, double y) {
  const double sum = x * x + y * y;
  if (sum > 0x1p-900 && sum < 0x1p1020) { return std::sqrt(sum); }
  const double ax = detail::magnitude(x);
  const double ay = detail::magnitude(y);
  if (ax == detail::kInfinity || ay == detail::kInfinity) { return detail::kInfinity; }
  const bool large = ax > 1 || ay > 1;
  const double down = large ? 0x1p-600 : 0x1p600;
  const double up = large ? 0x1p600 : 0x1p-600;
  return std::sqrt((ax * down) * (ax * down) + (ay * down) * (ay * down)) * up;
}

}  // namespace polhode::math::portable
