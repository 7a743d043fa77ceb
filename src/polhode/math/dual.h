#pragma once

#include "polhode/math/scalar.h"

#include "polhode/math/elementary.h"

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
  friend constexpr bool operator==(const Dual&, const Dual&) = default;
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

}  // namespace polhode
