#pragma once

#include "polhode/math/elementary_double.h"
#include "polhode/math/scalar.h"

#include <cmath>
#include <complex>
#include <type_traits>

/// Elementary functions for every number type of the library, by one spelling: math::sin(x).
///
/// double uses our own functions, made of + - * / sqrt alone: the same bits on every machine and compiler;
/// float uses the same, rounded once. Other types use their own by argument-dependent lookup (std for long double and
/// complex; Boost.Multiprecision; Dual): these are as portable as their library is.
namespace polhode::math {

template <class S>
S sqrt(const S& x) {
  using std::sqrt;
  return sqrt(x);
}

#define POLHODE_ELEMENTARY(function)                                       \
  template <class S>                                                       \
  S function(const S& x) {                                                 \
    if constexpr (std::is_same_v<S, double> || std::is_same_v<S, float>) { \
      return static_cast<S>(portable::function(static_cast<double>(x)));   \
    } else {                                                               \
      using std::function;                                                 \
      return function(x);                                                  \
    }                                                                      \
  }
POLHODE_ELEMENTARY(sin)
POLHODE_ELEMENTARY(cos)
POLHODE_ELEMENTARY(tan)
POLHODE_ELEMENTARY(asin)
POLHODE_ELEMENTARY(acos)
POLHODE_ELEMENTARY(atan)
POLHODE_ELEMENTARY(exp)
POLHODE_ELEMENTARY(expm1)
POLHODE_ELEMENTARY(log)
POLHODE_ELEMENTARY(log1p)
POLHODE_ELEMENTARY(log2)
POLHODE_ELEMENTARY(log10)
POLHODE_ELEMENTARY(sinh)
POLHODE_ELEMENTARY(cosh)
POLHODE_ELEMENTARY(tanh)
POLHODE_ELEMENTARY(asinh)
POLHODE_ELEMENTARY(acosh)
POLHODE_ELEMENTARY(atanh)
POLHODE_ELEMENTARY(cbrt)
#undef POLHODE_ELEMENTARY

#define POLHODE_ELEMENTARY(function)                                                             \
  template <class S>                                                                             \
  S function(const S& x, const S& y) {                                                           \
    if constexpr (std::is_same_v<S, double> || std::is_same_v<S, float>) {                       \
      return static_cast<S>(portable::function(static_cast<double>(x), static_cast<double>(y))); \
    } else {                                                                                     \
      using std::function;                                                                       \
      return function(x, y);                                                                     \
    }                                                                                            \
  }
POLHODE_ELEMENTARY(atan2)  // arguments (y, x), as everywhere
POLHODE_ELEMENTARY(pow)
POLHODE_ELEMENTARY(hypot)
#undef POLHODE_ELEMENTARY

template <class S>
inline constexpr S kPi = S(3.141592653589793238462643383279502884L);
template <class S>
inline constexpr std::complex<S> kPi<std::complex<S>>{kPi<S>};

/// π − kPi<S>: what rounding took away, by the digits of the plain real S.
template <PlainReal S>
inline constexpr S kPiRest = std::numeric_limits<S>::digits == 24   ? S(-8.74227800037248566167205e-8L)
                             : std::numeric_limits<S>::digits == 53 ? S(1.224646799147353177226066e-16L)
                             : std::numeric_limits<S>::digits == 64 ? S(-5.016557612668332023557327e-20L)
                                                                    : S(8.671810130123781024797044e-35L);

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

/// √(x² + y²), analytic in both.
template <class S>
std::complex<S> hypot(const std::complex<S>& x, const std::complex<S>& y) {
  return std::sqrt(x * x + y * y);
}

/// ∛x near the real axis, on the branch of the real root.
template <class S>
std::complex<S> cbrt(const std::complex<S>& x) {
  return x.real() < S(0) ? -std::pow(-x, S(1) / S(3)) : std::pow(x, S(1) / S(3));
}
/// x^y. Near the real axis by the derivatives of the real power, so that a complex step through a negative base with a
/// whole exponent keeps its digits: d(x^y) = y x^(y−1) dx + x^y log x dy.
template <class S>
std::complex<S> pow(const std::complex<S>& x, const std::complex<S>& y) {
  const S tiny = std::numeric_limits<S>::epsilon() / S(1024);
  if (std::fabs(x.imag()) > tiny * std::fabs(x.real()) || std::fabs(y.imag()) > tiny) { return std::pow(x, y); }
  const S power = math::pow(x.real(), y.real());
  S slope = y.real() == S(0) || x.imag() == S(0) ? S(0) : y.real() * math::pow(x.real(), y.real() - S(1)) * x.imag();
  if (y.imag() != S(0)) { slope += power * math::log(x.real()) * y.imag(); }
  return {power, slope};
}

/// Sine and cosine of one angle.
template <class S>
struct SinCos {
  S sin;
  S cos;
};
template <class S>
SinCos<S> sincos(const S& x) {
  if constexpr (std::is_same_v<S, double> || std::is_same_v<S, float>) {
    const portable::SinCosValues values = portable::sincos(static_cast<double>(x));
    return {static_cast<S>(values.sin), static_cast<S>(values.cos)};
  } else {
    return {math::sin(x), math::cos(x)};
  }
}

}  // namespace polhode::math
