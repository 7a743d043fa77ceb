#pragma once

#include "polhode/math/scalar.h"

#include "polhode/math/elementary.h"
#include "polhode/math/piecewise.h"

namespace polhode {

/// Dual number a + b ε with ε² = 0: carries one directional derivative exactly. Nest it,
/// Dual<Dual<double>>, for second derivatives.
template <class S>
struct Dual {
  S value{};
  S derivative{};

  constexpr Dual() = default;
  constexpr Dual(const S& v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant is a dual number
  constexpr Dual(const S& v, const S& d) : value(v), derivative(d) {}
  template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, S>)
  constexpr Dual(T v) : value(S(v)) {}  // NOLINT(google-explicit-constructor)

  constexpr Dual& operator+=(const Dual& b) { return *this = *this + b; }
  constexpr Dual& operator-=(const Dual& b) { return *this = *this - b; }
  constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }
  constexpr Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend constexpr Dual operator+(const Dual& a) { return a; }
  friend constexpr Dual operator-(const Dual& a) { return {-a.value, -a.derivative}; }
  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.derivative + b.derivative};
  }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.derivative - b.derivative};
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.derivative * b.value + a.value * b.derivative};
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const S quotient = a.value / b.value;
    return {quotient, (a.derivative - quotient * b.derivative) / b.value};
  }
  friend bool operator==(const Dual&, const Dual&) = default;
};

template <class S>
constexpr auto value_of(const Dual<S>& x) {
  return value_of(x.value);
}

// f(a + bε) = f(a) + f'(a) b ε

template <class S>
constexpr Dual<S> sqrt(const Dual<S>& x) {
  const S root = math::sqrt(x.value);
  return {root, x.derivative / (S(2) * root)};
}
template <class S>
constexpr Dual<S> sin(const Dual<S>& x) {
  return {math::sin(x.value), math::cos(x.value) * x.derivative};
}
template <class S>
constexpr Dual<S> cos(const Dual<S>& x) {
  return {math::cos(x.value), -math::sin(x.value) * x.derivative};
}
template <class S>
constexpr Dual<S> tan(const Dual<S>& x) {
  const S t = math::tan(x.value);
  return {t, (S(1) + t * t) * x.derivative};
}
template <class S>
constexpr Dual<S> asin(const Dual<S>& x) {
  return {math::asin(x.value), x.derivative / math::sqrt((S(1) - x.value) * (S(1) + x.value))};
}
template <class S>
constexpr Dual<S> acos(const Dual<S>& x) {
  return {math::acos(x.value), -x.derivative / math::sqrt((S(1) - x.value) * (S(1) + x.value))};
}
template <class S>
constexpr Dual<S> atan(const Dual<S>& x) {
  return {math::atan(x.value), x.derivative / (S(1) + x.value * x.value)};
}
template <class S>
constexpr Dual<S> atan2(const Dual<S>& y, const Dual<S>& x) {
  return {math::atan2(y.value, x.value),
          (x.value * y.derivative - y.value * x.derivative) / (x.value * x.value + y.value * y.value)};
}

template <class S>
constexpr Dual<S> exp(const Dual<S>& x) {
  const S e = math::exp(x.value);
  return {e, e * x.derivative};
}
template <class S>
constexpr Dual<S> expm1(const Dual<S>& x) {
  return {math::expm1(x.value), math::exp(x.value) * x.derivative};
}
template <class S>
constexpr Dual<S> log(const Dual<S>& x) {
  return {math::log(x.value), x.derivative / x.value};
}
template <class S>
constexpr Dual<S> log1p(const Dual<S>& x) {
  return {math::log1p(x.value), x.derivative / (S(1) + x.value)};
}
template <class S>
constexpr Dual<S> log2(const Dual<S>& x) {
  return {math::log2(x.value), x.derivative / (x.value * math::log(S(2)))};
}
template <class S>
constexpr Dual<S> log10(const Dual<S>& x) {
  return {math::log10(x.value), x.derivative / (x.value * math::log(S(10)))};
}
template <class S>
constexpr Dual<S> sinh(const Dual<S>& x) {
  return {math::sinh(x.value), math::cosh(x.value) * x.derivative};
}
template <class S>
constexpr Dual<S> cosh(const Dual<S>& x) {
  return {math::cosh(x.value), math::sinh(x.value) * x.derivative};
}
template <class S>
constexpr Dual<S> tanh(const Dual<S>& x) {
  const S t = math::tanh(x.value);
  return {t, (S(1) - t * t) * x.derivative};
}
template <class S>
constexpr Dual<S> asinh(const Dual<S>& x) {
  return {math::asinh(x.value), x.derivative / math::sqrt(S(1) + x.value * x.value)};
}
template <class S>
constexpr Dual<S> acosh(const Dual<S>& x) {
  return {math::acosh(x.value), x.derivative / math::sqrt((x.value - S(1)) * (x.value + S(1)))};
}
template <class S>
constexpr Dual<S> atanh(const Dual<S>& x) {
  return {math::atanh(x.value), x.derivative / ((S(1) - x.value) * (S(1) + x.value))};
}
template <class S>
constexpr Dual<S> cbrt(const Dual<S>& x) {
  const S root = math::cbrt(x.value);
  return {root, x.derivative / (S(3) * root * root)};
}
template <class S>
constexpr Dual<S> hypot(const Dual<S>& x, const Dual<S>& y) {
  const S length = math::hypot(x.value, y.value);
  return {length, (x.value * x.derivative + y.value * y.derivative) / length};
}

/// d(x^y) = y x^(y-1) dx + x^y log x dy; the second term is left out where y is constant, so that x may be ≤ 0, and the
/// first where y is 0, so that x may be 0.
template <class S>
constexpr Dual<S> pow(const Dual<S>& x, const Dual<S>& y) {
  const S power = math::pow(x.value, y.value);
  const S by_base = y.value == S(0) ? S(0) : y.value * math::pow(x.value, y.value - S(1)) * x.derivative;
  if (y.derivative == S(0)) { return {power, by_base}; }
  return {power, by_base + power * math::log(x.value) * y.derivative};
}

namespace math {
template <class S>
inline constexpr Dual<S> kPi<Dual<S>>{kPi<S>};
}  // namespace math

// Pieces of dual numbers whose values are lanes or intervals; for those with one value see piecewise.h.

template <class S>
inline constexpr bool kHoldsOneValue<Dual<S>> = kHoldsOneValue<S>;

template <class S>
concept ManyValues = !kHoldsOneValue<S>;

template <ManyValues S>
Dual<S> less(const Dual<S>& a, const Dual<S>& b) {
  return {less(a.value, b.value)};
}
template <ManyValues S>
Dual<S> less_or_equal(const Dual<S>& a, const Dual<S>& b) {
  return {less_or_equal(a.value, b.value)};
}
template <ManyValues S>
Dual<S> equal(const Dual<S>& a, const Dual<S>& b) {
  return {equal(a.value, b.value)};
}
template <ManyValues S>
Dual<S> both(const Dual<S>& a, const Dual<S>& b) {
  return {both(a.value, b.value)};
}
template <ManyValues S>
Dual<S> either(const Dual<S>& a, const Dual<S>& b) {
  return {either(a.value, b.value)};
}
template <ManyValues S>
Dual<S> negation(const Dual<S>& a) {
  return {negation(a.value)};
}
template <ManyValues S>
Dual<S> choose(const Dual<S>& truth, const Dual<S>& then, const Dual<S>& otherwise) {
  return {choose(truth.value, then.value, otherwise.value),
          choose_slope(truth.value, then.derivative, otherwise.derivative)};
}
template <ManyValues S>
Dual<S> absolute(const Dual<S>& x) {
  return {absolute(x.value), choose(less(x.value, S(0)), -x.derivative, x.derivative)};
}
template <ManyValues S>
Dual<S> floor_of(const Dual<S>& x) {
  const S steps = floor_of(x.value);
  return {steps, slope_of_steps(steps)};
}
template <ManyValues S>
Dual<S> sign_of(const Dual<S>& x) {
  const S steps = sign_of(x.value);
  return {steps, slope_of_steps(steps)};
}
template <ManyValues S>
Dual<S> step_of(const Dual<S>& x) {
  const S steps = step_of(x.value);
  return {steps, slope_of_steps(steps)};
}
template <ManyValues S>
Dual<S> least(const Dual<S>& a, const Dual<S>& b) {
  return {least(a.value, b.value), choose(less(b.value, a.value), b.derivative, a.derivative)};
}
template <ManyValues S>
Dual<S> largest(const Dual<S>& a, const Dual<S>& b) {
  return {largest(a.value, b.value), choose(less(a.value, b.value), b.derivative, a.derivative)};
}
template <ManyValues S>
Dual<S> modulo(const Dual<S>& x, const Dual<S>& y) {
  const Dual<S> turns = floor_of(x / y);
  return {modulo(x.value, y.value), (x - y * turns).derivative};
}

}  // namespace polhode
