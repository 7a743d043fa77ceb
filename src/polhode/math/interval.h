#pragma once

#include "polhode/math/elementary.h"
#include "polhode/math/piecewise.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

/// Intervals that enclose: whatever real numbers lie in the arguments, the exact value lies in the result.
///
/// + − × ÷ √ of doubles are the nearest doubles to the exact values, so a step of one double outward encloses them; our
/// elementary functions are at most kFunctionUlps off (tests/math/test_elementary.cpp measures it), and so many steps
/// enclose them. An argument that is partly outside a function's domain, or a division by what may be zero, gives the
/// whole line: it claims nothing, not even that there is a value, and stays the whole line under every function. Moore,
/// Kearfott, Cloud, Introduction to Interval Analysis [Moore2009].
namespace polhode {

struct Interval {
  double low = 0;
  double high = 0;

  constexpr Interval() = default;
  constexpr Interval(double x) : low(x), high(x) {}  // NOLINT(google-explicit-constructor): a number is an interval
  constexpr Interval(double from, double to) : low(from), high(to) {}

  static constexpr Interval whole() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }

  constexpr bool contains(double x) const { return low <= x && x <= high; }
  constexpr double width() const { return high - low; }
  /// A number inside, for finite bounds.
  constexpr double middle() const { return low + 0.5 * (high - low); }
  friend bool operator==(const Interval&, const Interval&) = default;
};

template <>
inline constexpr bool kHoldsOneValue<Interval> = false;

/// What decides a branch is the interval itself: less(), choose().
constexpr const Interval& value_of(const Interval& x) { return x; }

inline bool is_whole(const Interval& x) {
  return x.low == -std::numeric_limits<double>::infinity() && x.high == std::numeric_limits<double>::infinity();
}

namespace detail {

/// Our elementary functions are within 1.1 ulp of the exact value: three doubles outward enclose it, below a power of
/// two too, where doubles lie twice as close.
inline constexpr int kFunctionUlps = 3;

/// The next double below x; −∞ and NaN stay.
inline double below(double x) {
  if (!(x > -std::numeric_limits<double>::infinity())) { return x; }
  if (x == 0) { return -std::numeric_limits<double>::denorm_min(); }
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits - 1 : bits + 1);
}
inline double above(double x) { return -below(-x); }

/// One double outward, for results of + − × ÷ √. A NaN (∞ − ∞) becomes the whole line.
inline Interval outward(double low, double high) {
  if (std::isnan(low) || std::isnan(high)) { return Interval::whole(); }
  return {below(low), above(high)};
}
inline Interval outward_of_function(double low, double high) {
  if (std::isnan(low) || std::isnan(high)) { return Interval::whole(); }
  for (int i = 0; i < kFunctionUlps; ++i) {
    low = below(low);
    high = above(high);
  }
  return {low, high};
}
/// What encloses the exact values of four results, at least one double outward; the whole line if one is a NaN.
inline Interval outward_hull(const double (&x)[4], int doubles = 1) {
  Interval result{x[0], x[0]};
  for (const double one : x) {
    if (std::isnan(one)) { return Interval::whole(); }
    result = {std::fmin(result.low, one), std::fmax(result.high, one)};
  }
  for (int i = 0; i < doubles; ++i) { result = {below(result.low), above(result.high)}; }
  return result;
}
/// Within [least, most], where the function stays.
inline Interval clamped(const Interval& x, double least, double most) {
  return {std::fmin(std::fmax(x.low, least), most), std::fmax(std::fmin(x.high, most), least)};
}
/// One whole number, small enough that differences of such are exact.
inline bool is_small_whole(const Interval& x) {
  return x.low == x.high && std::fabs(x.low) < 0x1p51 && x.low == std::floor(x.low);
}
/// 0 × ∞ is 0 where ∞ is a bound and no value.
inline double bound_product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

}  // namespace detail

/// The smallest interval that holds both.
inline Interval hull(const Interval& a, const Interval& b) {
  return {std::fmin(a.low, b.low), std::fmax(a.high, b.high)};
}

inline Interval operator+(const Interval& a) { return a; }
inline Interval operator-(const Interval& a) { return {-a.high, -a.low}; }
inline Interval operator+(const Interval& a, const Interval& b) {
  return detail::outward(a.low + b.low, a.high + b.high);
}
inline Interval operator-(const Interval& a, const Interval& b) {
  // exponents stay whole: x^(2 − 1) has a value for x < 0 too
  if (detail::is_small_whole(a) && detail::is_small_whole(b)) { return a.low - b.low; }
  return detail::outward(a.low - b.high, a.high - b.low);
}
inline Interval operator*(const Interval& a, const Interval& b) {
  if (is_whole(a) || is_whole(b)) { return Interval::whole(); }
  const double p[] = {detail::bound_product(a.low, b.low), detail::bound_product(a.low, b.high),
                      detail::bound_product(a.high, b.low), detail::bound_product(a.high, b.high)};
  return detail::outward_hull(p);
}
inline Interval operator/(const Interval& a, const Interval& b) {
  if (b.low > 0 || b.high < 0) {
    const auto quotient = [](double x, double y) {
      return x == 0 || std::isinf(y) ? (std::isinf(x) ? x : 0.0) : x / y;
    };
    const double q[] = {quotient(a.low, b.low), quotient(a.low, b.high), quotient(a.high, b.low),
                        quotient(a.high, b.high)};
    // ∞/∞ takes every size
    if ((std::isinf(b.low) || std::isinf(b.high)) && (std::isinf(a.low) || std::isinf(a.high))) {
      return Interval::whole();
    }
    return detail::outward_hull(q);
  }
  return Interval::whole();
}
inline Interval& operator+=(Interval& a, const Interval& b) { return a = a + b; }
inline Interval& operator-=(Interval& a, const Interval& b) { return a = a - b; }
inline Interval& operator*=(Interval& a, const Interval& b) { return a = a * b; }
inline Interval& operator/=(Interval& a, const Interval& b) { return a = a / b; }

// ---- what is made of pieces ----------------------------------------------------------------------------------

inline Interval truth_of(bool certain, bool impossible) { return certain ? 1.0 : impossible ? 0.0 : Interval{0, 1}; }
inline Interval less(const Interval& a, const Interval& b) { return truth_of(a.high < b.low, a.low >= b.high); }
inline Interval less_or_equal(const Interval& a, const Interval& b) {
  return truth_of(a.high <= b.low, a.low > b.high);
}
inline Interval equal(const Interval& a, const Interval& b) {
  return truth_of(a.low == a.high && a.low == b.low && b.low == b.high, a.high < b.low || b.high < a.low);
}
inline Interval negation(const Interval& a) { return truth_of(a.low == 0 && a.high == 0, !a.contains(0)); }
inline Interval both(const Interval& a, const Interval& b) {
  return truth_of(!a.contains(0) && !b.contains(0), (a.low == 0 && a.high == 0) || (b.low == 0 && b.high == 0));
}
inline Interval either(const Interval& a, const Interval& b) {
  return truth_of(!a.contains(0) || !b.contains(0), a.low == 0 && a.high == 0 && b.low == 0 && b.high == 0);
}
inline Interval choose(const Interval& truth, const Interval& then, const Interval& otherwise) {
  if (!truth.contains(0)) { return then; }
  return truth.low == 0 && truth.high == 0 ? otherwise : hull(then, otherwise);
}
inline Interval absolute(const Interval& x) {
  if (x.low >= 0 || is_whole(x)) { return x; }
  return x.high <= 0 ? -x : Interval{0, std::fmax(-x.low, x.high)};
}
inline Interval floor_of(const Interval& x) { return {std::floor(x.low), std::floor(x.high)}; }
inline Interval sign_of(const Interval& x) {
  const auto sign = [](double s) { return s > 0 ? 1.0 : s < 0 ? -1.0 : 0.0; };
  return {sign(x.low), sign(x.high)};
}
inline Interval step_of(const Interval& x) { return {x.low < 0 ? 0.0 : 1.0, x.high < 0 ? 0.0 : 1.0}; }
inline Interval least(const Interval& a, const Interval& b) {
  if (is_whole(a) || is_whole(b)) { return Interval::whole(); }
  return {std::fmin(a.low, b.low), std::fmin(a.high, b.high)};
}
inline Interval largest(const Interval& a, const Interval& b) {
  if (is_whole(a) || is_whole(b)) { return Interval::whole(); }
  return {std::fmax(a.low, b.low), std::fmax(a.high, b.high)};
}
/// Where ⌊x/y⌋ is one number it is x − y ⌊x/y⌋; otherwise all that a remainder can be, and what rounding of x/y to a
/// whole number makes of it.
inline Interval modulo(const Interval& x, const Interval& y) {
  const Interval turns = floor_of(x / y);
  const Interval value = x - y * turns;
  if (turns.low == turns.high || y.contains(0)) { return y.contains(0) ? Interval::whole() : value; }
  const double rounding = 2 * std::numeric_limits<double>::epsilon() * std::fmax(std::fabs(x.low), std::fabs(x.high));
  return hull(y, Interval(0.0)) + Interval{-rounding, rounding};
}

/// Derivative of a function of steps whose values are `steps`: 0 on one step, unbounded across an edge.
inline Interval slope_of_steps(const Interval& steps) {
  return steps.low == steps.high ? Interval(0.0) : Interval::whole();
}
/// Derivative of choose(): unbounded where the truth is open, for the value may jump.
inline Interval choose_slope(const Interval& truth, const Interval& then, const Interval& otherwise) {
  return truth.low == 0 && truth.high == 0 ? otherwise : truth.contains(0) ? Interval::whole() : then;
}

// ---- elementary functions ----------------------------------------------------------------------------------------

inline Interval sqrt(const Interval& x) {
  if (!(x.low >= 0)) { return Interval::whole(); }
  return detail::clamped(detail::outward(std::sqrt(x.low), std::sqrt(x.high)), 0,
                         std::numeric_limits<double>::infinity());
}

namespace detail {

/// The quarter turn that x lies in: ⌊x/(π/2)⌋ modulo 4. No double but 0 is a multiple of π/2.
inline int quarter(double x) {
  const math::portable::detail::ReducedAngle angle = math::portable::detail::reduce(std::fabs(x));
  const int k = static_cast<int>(angle.quadrant & 3);
  const bool before = angle.r.high < 0;  // |x| < k π/2
  if (x < 0) { return ((angle.r.high > 0 ? -k - 1 : -k) % 4 + 4) % 4; }
  return ((before ? k - 1 : k) % 4 + 4) % 4;
}

/// Sine with its quarters counted from `first`: 0 for sine, 1 for cosine (cos x = sin(x + π/2)).
inline Interval wave(const Interval& x, double at_low, double at_high, int first) {
  // three quarters of a turn and a little: with four marks passed both extremes are inside anyway
  constexpr double kNearlyAll = 4.7;
  if (is_whole(x)) { return x; }
  if (!std::isfinite(x.low) || !std::isfinite(x.high) || !(x.high - x.low < kNearlyAll)) { return {-1, 1}; }
  Interval range = outward_of_function(std::fmin(at_low, at_high), std::fmax(at_low, at_high));
  const int from = quarter(x.low) + first;
  const int to = quarter(x.high) + first;
  const int passed = ((to - from) % 4 + 4) % 4;
  for (int i = 1; i <= passed; ++i) {
    const int mark = (from + i) % 4;  // a multiple of π/2 that is passed: 1 the top, 3 the bottom
    if (mark == 1) { range.high = 1; }
    if (mark == 3) { range.low = -1; }
  }
  return clamped(range, -1, 1);
}

}  // namespace detail

inline Interval sin(const Interval& x) { return detail::wave(x, math::sin(x.low), math::sin(x.high), 0); }
inline Interval cos(const Interval& x) { return detail::wave(x, math::cos(x.low), math::cos(x.high), 1); }
inline Interval tan(const Interval& x) {
  constexpr double kNearlyHalf = 3.14;
  if (!std::isfinite(x.low) || !std::isfinite(x.high) || !(x.high - x.low < kNearlyHalf)) { return Interval::whole(); }
  const int from = detail::quarter(x.low);
  const int passed = ((detail::quarter(x.high) - from) % 4 + 4) % 4;
  for (int i = 1; i <= passed; ++i) {
    if ((from + i) % 2 == 1) { return Interval::whole(); }  // a pole
  }
  return detail::outward_of_function(math::tan(x.low), math::tan(x.high));
}

#define POLHODE_RISING(function, from, to)                                                 \
  inline Interval function(const Interval& x) {                                            \
    if (!(x.low >= (from) && x.high <= (to)) || is_whole(x)) { return Interval::whole(); } \
    return detail::outward_of_function(math::function(x.low), math::function(x.high));     \
  }
POLHODE_RISING(asin, -1.0, 1.0)
POLHODE_RISING(atan, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity())
POLHODE_RISING(sinh, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity())
POLHODE_RISING(log, 0.0, std::numeric_limits<double>::infinity())
POLHODE_RISING(log10, 0.0, std::numeric_limits<double>::infinity())
POLHODE_RISING(cbrt, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity())
#undef POLHODE_RISING

inline Interval acos(const Interval& x) {
  if (!(x.low >= -1 && x.high <= 1)) { return Interval::whole(); }
  return detail::outward_of_function(math::acos(x.high), math::acos(x.low));
}
inline Interval exp(const Interval& x) {
  if (is_whole(x)) { return x; }
  return detail::clamped(detail::outward_of_function(math::exp(x.low), math::exp(x.high)), 0,
                         std::numeric_limits<double>::infinity());
}
inline Interval tanh(const Interval& x) {
  if (is_whole(x)) { return x; }
  return detail::clamped(detail::outward_of_function(math::tanh(x.low), math::tanh(x.high)), -1, 1);
}
inline Interval cosh(const Interval& x) {
  if (is_whole(x)) { return x; }
  const Interval size = absolute(x);
  return detail::clamped(detail::outward_of_function(math::cosh(size.low), math::cosh(size.high)), 1,
                         std::numeric_limits<double>::infinity());
}
inline Interval hypot(const Interval& x, const Interval& y) {
  if (is_whole(x) || is_whole(y)) { return Interval::whole(); }
  const Interval a = absolute(x);
  const Interval b = absolute(y);
  return detail::clamped(detail::outward_of_function(math::hypot(a.low, b.low), math::hypot(a.high, b.high)), 0,
                         std::numeric_limits<double>::infinity());
}
/// The angle of a box that does not meet the cut (y = 0, x ≤ 0) is largest and least at corners; else all angles.
inline Interval atan2(const Interval& y, const Interval& x) {
  if (is_whole(x) || is_whole(y)) { return Interval::whole(); }
  if (x.low <= 0 && y.contains(0)) {
    const double pi = detail::above(math::kPi<double>);
    return {-pi, pi};
  }
  const double corner[] = {math::atan2(y.low, x.low), math::atan2(y.low, x.high), math::atan2(y.high, x.low),
                           math::atan2(y.high, x.high)};
  return detail::outward_hull(corner, detail::kFunctionUlps);
}
/// For x > 0 monotone in each argument, so extremes are at corners. Otherwise whole constant exponents alone.
inline Interval pow(const Interval& x, const Interval& y) {
  if (is_whole(x) || is_whole(y)) { return Interval::whole(); }
  const auto of_corners = [&](const Interval& base) {
    const double corner[] = {math::pow(base.low, y.low), math::pow(base.low, y.high), math::pow(base.high, y.low),
                             math::pow(base.high, y.high)};
    return detail::outward_hull(corner, detail::kFunctionUlps);
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (x.low > 0) { return detail::clamped(of_corners(x), 0, kInfinity); }
  if (y.low != y.high || y.low != std::floor(y.low) || std::fabs(y.low) >= 0x1p52) {
    return x.low == 0 && y.low > 0 ? detail::clamped(of_corners(x), 0, kInfinity) : Interval::whole();
  }
  if (y.low == 0) { return 1.0; }
  if (y.low < 0 && x.contains(0)) { return Interval::whole(); }
  const bool odd = std::fmod(std::fabs(y.low), 2) == 1;
  return odd ? of_corners(x) : detail::clamped(of_corners(absolute(x)), 0, kInfinity);
}

namespace math {
/// π lies between kPi<double> and the double above it.
template <>
inline constexpr Interval kPi<Interval>{3.141592653589793, 3.1415926535897936};
}  // namespace math

}  // namespace polhode
