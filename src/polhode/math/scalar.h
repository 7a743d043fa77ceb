#pragma once

#include <complex>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

/// What our templates ask of a number type S. The formulas run on float, double, long double, dual
/// numbers, complex numbers (complex step), multiprecision floats and, where they are rational, on
/// exact fractions. They never use conj, abs or < on S itself: a branch looks at `value_of(x)` only.
namespace polhode {

template <class S>
concept PlainReal = std::is_floating_point_v<S>;

/// The real number that decides a branch: x itself, the real part, or the value of a dual number
/// (dual.h adds its overload, found by argument-dependent lookup).
template <class S>
constexpr const S& value_of(const S& x) {
  return x;
}
template <class S>
constexpr S value_of(const std::complex<S>& x) {
  return x.real();
}

/// The type of that number.
template <class S>
using ValueType = std::remove_cvref_t<decltype(value_of(std::declval<const S&>()))>;

/// Rounding unit of the number that decides branches: 2^-53 for double. 0 for exact fractions.
template <class S>
constexpr auto unit_roundoff() {
  using V = ValueType<S>;
  if constexpr (std::numeric_limits<V>::is_exact) {
    return V(0);
  } else {
    return V(std::numeric_limits<V>::epsilon() / V(2));
  }
}

}  // namespace polhode
