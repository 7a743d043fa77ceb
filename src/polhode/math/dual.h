#pragma once

#include "polhode/math/scalar.h"

#include "polhode/math/elementary.h"
#include "polhode/math/piecewise.h"

#include <array>
#include <cstddef>

namespace polhode {

/// Directional derivatives side by side: what may be added, and multiplied by numbers S. Each has the bits that it
/// would have alone.
template <class S, std::size_t N>
struct Directions {
  std::array<S, N> along{};

  constexpr S& operator[](std::size_t i) { return along[i]; }
  constexpr const S& operator[](std::size_t i) const { return along[i]; }

  friend constexpr Directions operator-(const Directions& a) {
    Directions result;
    for (std::size_t i = 0; i < N; ++i) { result.along[i] = -a.along[i]; }
    return result;
  }
  friend constexpr Directions operator+(const Directions& a, const Directions& b) {
    Directions result;
    for (std::size_t i = 0; i < N; ++i) { result.along[i] = a.along[i] + b.along[i]; }
    return result;
  }
  friend constexpr Directions operator-(const Directions& a, const Directions& b) {
    Directions result;
    for (std::size_t i = 0; i < N; ++i) { result.along[i] = a.along[i] - b.along[i]; }
    return result;
  }
  friend constexpr Directions operator*(const Directions& a, const S& b) {
    Directions result;
    for (std::size_t i = 0; i < N; ++i) { result.along[i] = a.along[i] * b; }
    return result;
  }
  friend constexpr Directions operator*(const S& a, const Directions& b) { return b * a; }
  friend constexpr Directions operator/(const Directions& a, const S& b) {
    Directions result;
    for (std::size_t i = 0; i < N; ++i) { result.along[i] = a.along[i] / b; }
    return result;
  }
  friend bool operator==(const Directions&, const Directions&) = default;
};

/// Dual number a + b ε with ε² = 0: carries one directional derivative exactly, or several side by side (DualPack).
/// Nest it, Dual<Dual<double>>, for second derivatives. The value has the bits that S alone would have.
template <class S, class D = S>
struct Dual {
  S value{};
  D derivative{};

  constexpr Dual() = default;
  constexpr Dual(const S& v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant is a dual number
  constexpr Dual(const S& v, const D& d) : value(v), derivative(d) {}
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

  // Numbers that stand still, with several directions: their products with zero are left out. The derivatives are the
  // same but for signs of zeros, and but for 0 in place of infinity times 0.
  template <class T>
  static constexpr bool kStandsStill = std::is_arithmetic_v<T> && !std::is_same_v<S, D>;
  template <class T>
    requires kStandsStill<T>
  friend constexpr Dual operator+(const Dual& a, const T& b) {
    return {a.value + S(b), a.derivative};
  }
  template <class T>
    requires kStandsStill<T>
  friend constexpr Dual operator+(const T& a, const Dual& b) {
    return {S(a) + b.value, b.derivative};
  }
  template <class T>
    requires kStandsStill<T>
  friend constexpr Dual operator-(const Dual& a, const T& b) {
    return {a.value - S(b), a.derivative};
  }
  template <class T>
    requires kStandsStill<T>
  friend constexpr Dual operator-(const T& a, const Dual& b) {
    return {S(a) - b.value, -b.derivative};
  }
  template <class T>
    requires kStandsStill<T>
  friend constexpr Dual operator*(const Dual& a, const T& b) {
    return {a.value * S(b), a.derivative * S(b)};
  }
  template <class T>
    requires kStandsStill<T>
  friend constexpr Dual operator*(const T& a, const Dual& b) {
    return {S(a) * b.value, S(a) * b.derivative};
  }
  template <class T>
    requires kStandsStill<T>
  friend constexpr Dual operator/(const Dual& a, const T& b) {
    return {a.value / S(b), a.derivative / S(b)};
  }
  template <class T>
    requires kStandsStill<T>
  friend constexpr Dual operator/(const T& a, const Dual& b) {
    const S quotient = S(a) / b.value;
    return {quotient, -(quotient * b.derivative) / b.value};
  }
};

/// A number with N directional derivatives.
template <class S, std::size_t N>
using DualPack = Dual<S, Directions<S, N>>;

template <class S, class D>
constexpr auto value_of(const Dual<S, D>& x) {
  return value_of(x.value);
}

// f(a + bε) = f(a) + f'(a) b ε

template <class S, class D>
constexpr Dual<S, D> sqrt(const Dual<S, D>& x) {
  const S root = math::sqrt(x.value);
  return {root, x.derivative / (S(2) * root)};
}
template <class S, class D>
constexpr Dual<S, D> sin(const Dual<S, D>& x) {
  return {math::sin(x.value), math::cos(x.value) * x.derivative};
}
template <class S, class D>
constexpr Dual<S, D> cos(const Dual<S, D>& x) {
  return {math::cos(x.value), -math::sin(x.value) * x.derivative};
}
template <class S, class D>
constexpr Dual<S, D> tan(const Dual<S, D>& x) {
  const S t = math::tan(x.value);
  return {t, (S(1) + t * t) * x.derivative};
}
template <class S, class D>
constexpr Dual<S, D> asin(const Dual<S, D>& x) {
  return {math::asin(x.value), x.derivative / math::sqrt((S(1) - x.value) * (S(1) + x.value))};
}
template <class S, class D>
constexpr Dual<S, D> acos(const Dual<S, D>& x) {
  return {math::acos(x.value), -x.derivative / math::sqrt((S(1) - x.value) * (S(1) + x.value))};
}
template <class S, class D>
constexpr Dual<S, D> atan(const Dual<S, D>& x) {
  return {math::atan(x.value), x.derivative / (S(1) + x.value * x.value)};
}
template <class S, class D>
constexpr Dual<S, D> atan2(const Dual<S, D>& y, const Dual<S, D>& x) {
  return {math::atan2(y.value, x.value),
          (x.value * y.derivative - y.value * x.derivative) / (x.value * x.value + y.value * y.value)};
}

template <class S, class D>
constexpr Dual<S, D> exp(const Dual<S, D>& x) {
  const S e = math::exp(x.value);
  return {e, e * x.derivative};
}
template <class S, class D>
constexpr Dual<S, D> expm1(const Dual<S, D>& x) {
  return {math::expm1(x.value), math::exp(x.value) * x.derivative};
}
template <class S, class D>
constexpr Dual<S, D> log(const Dual<S, D>& x) {
  return {math::log(x.value), x.derivative / x.value};
}
template <class S, class D>
constexpr Dual<S, D> log1p(const Dual<S, D>& x) {
  return {math::log1p(x.value), x.derivative / (S(1) + x.value)};
}
template <class S, class D>
constexpr Dual<S, D> log2(const Dual<S, D>& x) {
  return {math::log2(x.value), x.derivative / (x.value * math::log(S(2)))};
}
template <class S, class D>
constexpr Dual<S, D> log10(const Dual<S, D>& x) {
  return {math::log10(x.value), x.derivative / (x.value * math::log(S(10)))};
}
template <class S, class D>
constexpr Dual<S, D> sinh(const Dual<S, D>& x) {
  return {math::sinh(x.value), math::cosh(x.value) * x.derivative};
}
template <class S, class D>
constexpr Dual<S, D> cosh(const Dual<S, D>& x) {
  return {math::cosh(x.value), math::sinh(x.value) * x.derivative};
}
template <class S, class D>
constexpr Dual<S, D> tanh(const Dual<S, D>& x) {
  const S t = math::tanh(x.value);
  return {t, (S(1) - t * t) * x.derivative};
}
template <class S, class D>
constexpr Dual<S, D> asinh(const Dual<S, D>& x) {
  return {math::asinh(x.value), x.derivative / math::sqrt(S(1) + x.value * x.value)};
}
template <class S, class D>
constexpr Dual<S, D> acosh(const Dual<S, D>& x) {
  return {math::acosh(x.value), x.derivative / math::sqrt((x.value - S(1)) * (x.value + S(1)))};
}
template <class S, class D>
constexpr Dual<S, D> atanh(const Dual<S, D>& x) {
  return {math::atanh(x.value), x.derivative / ((S(1) - x.value) * (S(1) + x.value))};
}
template <class S, class D>
constexpr Dual<S, D> cbrt(const Dual<S, D>& x) {
  const S root = math::cbrt(x.value);
  return {root, x.derivative / (S(3) * root * root)};
}
template <class S, class D>
constexpr Dual<S, D> hypot(const Dual<S, D>& x, const Dual<S, D>& y) {
  const S length = math::hypot(x.value, y.value);
  return {length, (x.value * x.derivative + y.value * y.derivative) / length};
}

namespace detail {
/// a + f b, and a where b is 0, whatever f is: along each direction.
template <class S>
constexpr S plus_where_moving(const S& a, const S& f, const S& b) {
  return b == S(0) ? a : a + f * b;
}
template <class S, std::size_t N>
constexpr Directions<S, N> plus_where_moving(const Directions<S, N>& a, const S& f, const Directions<S, N>& b) {
  Directions<S, N> result;
  for (std::size_t i = 0; i < N; ++i) { result.along[i] = plus_where_moving(a.along[i], f, b.along[i]); }
  return result;
}
}  // namespace detail

/// d(x^y) = y x^(y-1) dx + x^y log x dy; the second term is left out where y is constant, so that x may be ≤ 0, and the
/// first where y is 0, so that x may be 0.
template <class S, class D>
constexpr Dual<S, D> pow(const Dual<S, D>& x, const Dual<S, D>& y) {
  const S power = math::pow(x.value, y.value);
  const D by_base = y.value == S(0) ? D{} : y.value * math::pow(x.value, y.value - S(1)) * x.derivative;
  if (y.derivative == D{}) { return {power, by_base}; }
  return {power, detail::plus_where_moving(by_base, S(power * math::log(x.value)), y.derivative)};
}

namespace math {
template <class S, class D>
inline constexpr Dual<S, D> kPi<Dual<S, D>>{kPi<S>};
}  // namespace math

// Pieces of dual numbers whose values are lanes or intervals; for those with one value see piecewise.h.

template <class S, class D>
inline constexpr bool kHoldsOneValue<Dual<S, D>> = kHoldsOneValue<S>;

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
