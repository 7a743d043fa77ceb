#pragma once

#include "polhode/math/scalar.h"

#include <cmath>
#include <complex>

/// Elementary functions for every number type of the library, by one spelling: math::sin(x).
///
/// double and float use our own functions, made of + - * / sqrt alone: the same bits on every machine and
/// compiler. Other types use their own by argument-dependent lookup (std for long double and
/// complex; Boost.Multiprecision; Dual): these are as portable as their library is.
namespace polhode::math {

template <class S>
S sqrt(const S& x) {
  using std::sqrt;
  return sqrt(x);
}

#define POLHODE_ELEMENTARY(function) \
  template <class S>                 \
  S function(const S& x) {           \
    using std::function;             \
    return function(x);              \
  }
POLHODE_ELEMENTARY(sin)
POLHODE_ELEMENTARY(cos)
POLHODE_ELEMENTARY(tan)
POLHODE_ELEMENTARY(asin)
POLHODE_ELEMENTARY(acos)
POLHODE_ELEMENTARY(atan)
#undef POLHODE_ELEMENTARY

template <class S>
S atan2(const S& y, const S& x) {
  using std::atan2;
  return atan2(y, x);
}

template <class S>
inline constexpr S kPi = S(3.141592653589793238462643383279502884L);

/// Complex angle of (x, y), analytic in both: the real parts choose the quadrant, the imaginary
/// parts ride along, which is what a complex step needs.
template <class S>
std::complex<S> atan2(const std::complex<S>& y, const std::complex<S>& x) {
  if (std::fabs(x.real()) >= std::fabs(y.real())) {
    const std::complex<S> angle = std::atan(y / x);
    if (x.real() >= S(0)) { return angle; }
    return std::signbit(y.real()) ? angle - kPi<S> : angle + kPi<S>;
  }
  const std::complex<S> rest = std::atan(x / y);
  return (y.real() > S(0) ? kPi<S> : -kPi<S>) / S(2) - rest;
}

/// Sine and cosine of one angle.
template <class S>
struct SinCos {
  S sin;
  S cos;
};
template <class S>
SinCos<S> sincos(const S& x) {
  return {math::sin(x), math::cos(x)};
}

}  // namespace polhode::math
