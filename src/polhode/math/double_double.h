#pragma once

#include "polhode/math/error_free.h"
#include "polhode/math/scalar.h"

#include <array>
#include <cmath>
#include <compare>
#include <limits>

namespace polhode {

/// A number of about 31 digits as the sum of two doubles, made of error-free sums and products: the same bits on
/// every machine. For constants that are set up once and multiplied by a long time, and for sums that cancel.
/// + - * / sqrt are good to 2^-102, exp, sin and cos to 2^-98 (absolutely, for arguments up to a few hundred).
struct DoubleDouble {
  double high = 0;
  double low = 0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double x) : high(x) {}                    // NOLINT(google-explicit-constructor): exact
  constexpr DoubleDouble(int x) : high(x) {}                       // NOLINT(google-explicit-constructor): exact
  constexpr DoubleDouble(double h, double l) : high(h), low(l) {}  ///< |l| at most half an ulp of h
  constexpr explicit DoubleDouble(math::TwoDoubles x) : high(x.high), low(x.low) {}
  constexpr explicit operator double() const { return high; }

  friend constexpr DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }
  friend constexpr DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const math::TwoDoubles s = math::two_sum(a.high, b.high);
    const math::TwoDoubles t = math::two_sum(a.low, b.low);
    const math::TwoDoubles v = math::fast_two_sum(s.high, s.low + t.high);
    return DoubleDouble(math::fast_two_sum(v.high, t.low + v.low));
  }
  friend constexpr DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + (-b); }
  friend constexpr DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const math::TwoDoubles p = math::two_prod(a.high, b.high);
    return DoubleDouble(math::fast_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high)));
  }
  friend constexpr DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double q1 = a.high / b.high;
    const DoubleDouble rest = a - b * DoubleDouble(q1);
    const double q2 = rest.high / b.high;
    const double q3 = (rest - b * DoubleDouble(q2)).high / b.high;
    return DoubleDouble(math::fast_two_sum(q1, q2)) + DoubleDouble(q3);
  }
  constexpr DoubleDouble& operator+=(const DoubleDouble& b) { return *this = *this + b; }
  constexpr DoubleDouble& operator-=(const DoubleDouble& b) { return *this = *this - b; }
  constexpr DoubleDouble& operator*=(const DoubleDouble& b) { return *this = *this * b; }

  friend constexpr bool operator==(const DoubleDouble&, const DoubleDouble&) = default;
  friend constexpr std::partial_ordering operator<=>(const DoubleDouble& a, const DoubleDouble& b) {
    const std::partial_ordering first = a.high <=> b.high;
    return first != 0 ? first : a.low <=> b.low;
  }
};

/// π = 3.14159265358979323846264338327950…
inline constexpr DoubleDouble kPiWide{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
/// ln 2 = 0.69314718055994530941723212145817…
inline constexpr DoubleDouble kLn2Wide{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/// One Newton step from the root of the leading part.
inline DoubleDouble sqrt(const DoubleDouble& x) {
  if (!(x.high > 0)) { return x.high == 0 ? DoubleDouble(0) : DoubleDouble(std::numeric_limits<double>::quiet_NaN()); }
  const double root = std::sqrt(x.high);
  const DoubleDouble rest = x - DoubleDouble(math::two_prod(root, root));
  return DoubleDouble(math::fast_two_sum(root, rest.high / (2 * root)));
}

/// The integer nearest to x.
inline DoubleDouble round(const DoubleDouble& x) {
  const double whole = std::rint(x.high);
  if (whole != x.high) { return {std::rint((x - DoubleDouble(whole)).high) + whole}; }
  return DoubleDouble(math::fast_two_sum(whole, std::rint(x.low)));
}

namespace detail {
/// 1/0!, 1/1!, 1/2!, …
inline constexpr auto kInverseFactorial = [] {
  std::array<DoubleDouble, 30> table{};
  DoubleDouble value(1);
  for (int n = 0; n < 30; ++n) {
    if (n > 0) { value = value / DoubleDouble(n); }
    table[static_cast<std::size_t>(n)] = value;
  }
  return table;
}();
}  // namespace detail

/// e^x = (e^{r/16})^16 2^k with |r| ≤ ½ ln 2; 0 below −700.
inline DoubleDouble exp(const DoubleDouble& x) {
  if (x.high < -700) { return 0; }
  const double k = std::rint(x.high / kLn2Wide.high);
  const DoubleDouble r = (x - DoubleDouble(k) * kLn2Wide) * DoubleDouble(0.0625);
  DoubleDouble sum(0);  // e^r − 1 by Horner's rule
  for (std::size_t n = 17; n > 0; --n) { sum = (detail::kInverseFactorial[n] + sum) * r; }
  for (int n = 0; n < 4; ++n) { sum = sum * (sum + DoubleDouble(2)); }
  const DoubleDouble value = DoubleDouble(1) + sum;
  const int exponent = static_cast<int>(k);
  return {std::scalbn(value.high, exponent), std::scalbn(value.low, exponent)};
}

namespace detail {
/// sin (odd) or cos (even) of |x| ≤ π/4 by their series.
inline DoubleDouble sine_series(const DoubleDouble& x, bool odd) {
  const DoubleDouble square = x * x;
  DoubleDouble sum(0);
  for (std::size_t n = odd ? 27 : 28; n > 1; n -= 2) { sum = (kInverseFactorial[n] - sum) * square; }
  sum = DoubleDouble(1) - sum;
  return odd ? x * sum : sum;
}
inline DoubleDouble sine_in_quadrant(const DoubleDouble& x, int shift) {
  const double k = std::rint(x.high / (kPiWide.high / 2));
  const DoubleDouble r = x - DoubleDouble(k) * (kPiWide * DoubleDouble(0.5));
  const int quadrant = (static_cast<int>(std::fmod(k, 4)) + 4 + shift) % 4;
  const DoubleDouble value = sine_series(r, quadrant % 2 == 0);
  return quadrant >= 2 ? -value : value;
}
}  // namespace detail

inline DoubleDouble sin(const DoubleDouble& x) { return detail::sine_in_quadrant(x, 0); }
inline DoubleDouble cos(const DoubleDouble& x) { return detail::sine_in_quadrant(x, 1); }

/// The number type for constants of a motion computed in S: two doubles for double, S itself otherwise.
template <class S>
struct WideOf {
  using type = S;
};
template <>
struct WideOf<double> {
  using type = DoubleDouble;
};
template <class S>
using Wide = typename WideOf<S>::type;

}  // namespace polhode

template <>
class std::numeric_limits<polhode::DoubleDouble> {
 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_exact = false;
  static constexpr bool is_integer = false;
  static constexpr polhode::DoubleDouble epsilon() { return 0x1p-104; }
};
