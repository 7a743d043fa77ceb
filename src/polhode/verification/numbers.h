#pragma once

#include "polhode/math/dual.h"

#include <limits>
#include <memory>
#include <type_traits>

/// The two number types of the checks: exact fractions and 50-digit reals, both Boost.Multiprecision underneath. Their
/// arithmetic is compiled once, in numbers.cpp, so that a file full of formulas stays quick to build.
namespace polhode::verification {

struct Fraction;  ///< a cpp_rational
struct LongReal;  ///< a cpp_bin_float of 50 decimal digits

template <class Value>
class Number {
 public:
  Number() = default;  ///< zero
  template <class T>
    requires std::is_arithmetic_v<T>
  Number(T x) : Number(converted(static_cast<long double>(x))) {}  // NOLINT(google-explicit-constructor): 2 is a number
  explicit Number(std::shared_ptr<const Value> value) : value_(std::move(value)) {}

  friend Number operator+(const Number& a, const Number& b) { return a.plus(b); }
  friend Number operator-(const Number& a, const Number& b) { return a.minus(b); }
  friend Number operator*(const Number& a, const Number& b) { return a.times(b); }
  friend Number operator/(const Number& a, const Number& b) { return a.over(b); }
  friend Number operator-(const Number& a) { return Number(0).minus(a); }
  friend bool operator==(const Number& a, const Number& b) { return a.compare(b) == 0; }
  friend bool operator<(const Number& a, const Number& b) { return a.compare(b) < 0; }
  friend bool operator>(const Number& a, const Number& b) { return a.compare(b) == 1; }
  friend bool operator<=(const Number& a, const Number& b) { return a.compare(b) <= 0; }
  friend bool operator>=(const Number& a, const Number& b) { return b <= a; }

  double rounded() const;  ///< the nearest double
  const Value& value() const;

 private:
  static Number converted(long double x);
  Number plus(const Number& b) const;
  Number minus(const Number& b) const;
  Number times(const Number& b) const;
  Number over(const Number& b) const;
  int compare(const Number& b) const;  // -1, 0, 1; kUnordered with a NaN
  static constexpr int kUnordered = 2;

  std::shared_ptr<const Value> value_;  // numbers do not change: copies share; none: zero
};

using Exact = Number<Fraction>;
using Fine = Number<LongReal>;
extern template class Number<Fraction>;
extern template class Number<LongReal>;

/// The root of a fraction that is a square: at rational points of the sphere the roots of our formulas are rational.
/// Any other fraction throws std::domain_error.
Exact sqrt(const Exact& x);

Fine sqrt(const Fine& x);
Fine sin(const Fine& x);
Fine cos(const Fine& x);
Fine tan(const Fine& x);
Fine asin(const Fine& x);
Fine acos(const Fine& x);
Fine atan(const Fine& x);
Fine atan2(const Fine& y, const Fine& x);
Fine epsilon();

}  // namespace polhode::verification

template <>
struct std::numeric_limits<polhode::verification::Fine> {
  static constexpr bool is_specialized = true;
  static constexpr bool is_exact = false;
  static polhode::verification::Fine epsilon() { return polhode::verification::epsilon(); }
};
