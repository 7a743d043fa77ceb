#pragma once

#include "polhode/math/elementary.h"
#include "polhode/math/piecewise.h"

#include <array>
#include <cmath>
#include <cstddef>

/// Several doubles that go the same way, lane by lane: each lane has the bits that a double alone would have. Loops
/// over the lanes have a fixed length and no branches, so that compilers make vector code of them.
namespace polhode {

template <std::size_t N>
struct Pack {
  std::array<double, N> lane{};

  constexpr Pack() = default;
  constexpr Pack(double x) { lane.fill(x); }  // NOLINT(google-explicit-constructor): a number is the same in all lanes

  constexpr double& operator[](std::size_t i) { return lane[i]; }
  constexpr double operator[](std::size_t i) const { return lane[i]; }
  friend bool operator==(const Pack&, const Pack&) = default;
};

template <std::size_t N>
inline constexpr bool kHoldsOneValue<Pack<N>> = false;

namespace math {
template <std::size_t N>
inline constexpr Pack<N> kPi<Pack<N>>{kPi<double>};
}  // namespace math

/// What decides is the pack itself: less(), choose().
template <std::size_t N>
constexpr const Pack<N>& value_of(const Pack<N>& x) {
  return x;
}

namespace detail {

template <std::size_t N, class Function>
[[gnu::always_inline]] inline Pack<N> each(const Pack<N>& a, const Function& f) {
  Pack<N> result;
  for (std::size_t i = 0; i < N; ++i) { result.lane[i] = f(a.lane[i]); }
  return result;
}
template <std::size_t N, class Function>
[[gnu::always_inline]] inline Pack<N> each(const Pack<N>& a, const Pack<N>& b, const Function& f) {
  Pack<N> result;
  for (std::size_t i = 0; i < N; ++i) { result.lane[i] = f(a.lane[i], b.lane[i]); }
  return result;
}
/// Whether all lanes are no larger than `most` in size.
template <std::size_t N>
bool all_within(const Pack<N>& a, double most) {
  bool within = true;
  for (std::size_t i = 0; i < N; ++i) { within = within & (std::fabs(a.lane[i]) <= most); }
  return within;
}

}  // namespace detail

// clang-format off
template <std::size_t N> Pack<N> operator+(const Pack<N>& a) { return a; }
template <std::size_t N> Pack<N> operator-(const Pack<N>& a) { return detail::each(a, [](double x) { return -x; }); }
#define POLHODE_LANES(sign)                                                                       \
  template <std::size_t N> Pack<N> operator sign(const Pack<N>& a, const Pack<N>& b) {            \
    return detail::each(a, b, [](double x, double y) { return x sign y; });                       \
  }                                                                                               \
  template <std::size_t N> Pack<N> operator sign(const Pack<N>& a, double b) {                    \
    return detail::each(a, [b](double x) { return x sign b; });                                   \
  }                                                                                               \
  template <std::size_t N> Pack<N> operator sign(double a, const Pack<N>& b) {                    \
    return detail::each(b, [a](double y) { return a sign y; });                                   \
  }                                                                                               \
  template <std::size_t N> Pack<N>& operator sign##=(Pack<N>& a, const Pack<N>& b) { return a = a sign b; }
POLHODE_LANES(+)
POLHODE_LANES(-)
POLHODE_LANES(*)
POLHODE_LANES(/)
#undef POLHODE_LANES

#define POLHODE_LANES(function, expression)                                                       \
  template <std::size_t N> Pack<N> function(const Pack<N>& a, const Pack<N>& b) {                 \
    return detail::each(a, b, [](double x, double y) -> double { return expression; });           \
  }
POLHODE_LANES(less, x < y ? 1.0 : 0.0)
POLHODE_LANES(less_or_equal, x <= y ? 1.0 : 0.0)
POLHODE_LANES(equal, x == y ? 1.0 : 0.0)
POLHODE_LANES(both, ((x != 0) & (y != 0)) ? 1.0 : 0.0)
POLHODE_LANES(either, ((x != 0) | (y != 0)) ? 1.0 : 0.0)
POLHODE_LANES(least, ((y < x) | (x != x)) ? y : x)
POLHODE_LANES(largest, ((y > x) | (x != x)) ? y : x)
POLHODE_LANES(modulo, x - y * std::floor(x / y))
POLHODE_LANES(hypot, math::hypot(x, y))
POLHODE_LANES(atan2, math::atan2(x, y))
#undef POLHODE_LANES

#define POLHODE_LANES(function, expression)                                                       \
  template <std::size_t N> Pack<N> function(const Pack<N>& a) {                                   \
    return detail::each(a, [](double x) -> double { return expression; });                        \
  }
POLHODE_LANES(negation, x == 0 ? 1.0 : 0.0)
POLHODE_LANES(absolute, std::fabs(x))
POLHODE_LANES(floor_of, std::floor(x))
POLHODE_LANES(sign_of, x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0)
POLHODE_LANES(step_of, x < 0 ? 0.0 : 1.0)
POLHODE_LANES(sqrt, std::sqrt(x))
POLHODE_LANES(exp, math::portable::exp(x))
POLHODE_LANES(tan, math::tan(x))
POLHODE_LANES(asin, math::asin(x))
POLHODE_LANES(acos, math::acos(x))
POLHODE_LANES(atan, math::atan(x))
POLHODE_LANES(sinh, math::sinh(x))
POLHODE_LANES(cosh, math::cosh(x))
POLHODE_LANES(tanh, math::tanh(x))
POLHODE_LANES(log, math::log(x))
POLHODE_LANES(log10, math::log10(x))
POLHODE_LANES(cbrt, math::cbrt(x))
#undef POLHODE_LANES
// clang-format on

/// Angles up to 2^16 quarter turns go without a branch, the bits are the same.
template <std::size_t N>
Pack<N> sin(const Pack<N>& a) {
  if (!detail::all_within(a, math::portable::kModerateAngle)) {
    return detail::each(a, [](double x) { return math::sin(x); });
  }
  return detail::each(a, [](double x) { return math::portable::sincos_moderate(x).sin; });
}
template <std::size_t N>
Pack<N> cos(const Pack<N>& a) {
  if (!detail::all_within(a, math::portable::kModerateAngle)) {
    return detail::each(a, [](double x) { return math::cos(x); });
  }
  return detail::each(a, [](double x) { return math::portable::sincos_moderate(x).cos; });
}

/// x^y where every base is positive and finite: logarithms one by one (they look into a table), the rest without a
/// branch. The bits are those of math::pow.
template <std::size_t N>
Pack<N> pow(const Pack<N>& x, const Pack<N>& y) {
  namespace portable = math::portable;
  constexpr double kLargest = 0x1p66;  // beyond it math::pow bounds the exponent
  bool plain = true;
  for (std::size_t i = 0; i < N; ++i) {
    const double base = x.lane[i];
    const double exponent = std::fabs(y.lane[i]);
    plain = plain && base > 0 && base < portable::detail::kInfinity && exponent <= kLargest;
  }
  if (!plain) {
    return detail::each(x, y, [](double a, double b) { return math::pow(a, b); });
  }
  Pack<N> high;
  Pack<N> low;
  for (std::size_t i = 0; i < N; ++i) {
    const portable::detail::Pair log_x = portable::detail::log_parts(x.lane[i]);
    high.lane[i] = log_x.high;
    low.lane[i] = log_x.low;
  }
  Pack<N> result;
  for (std::size_t i = 0; i < N; ++i) {
    const portable::detail::Pair product = portable::detail::exact_product(y.lane[i], high.lane[i]);
    result.lane[i] = portable::detail::exp({product.high, product.low + y.lane[i] * low.lane[i]});
  }
  return result;
}

template <std::size_t N>
Pack<N> choose(const Pack<N>& truth, const Pack<N>& then, const Pack<N>& otherwise) {
  Pack<N> result;
  for (std::size_t i = 0; i < N; ++i) { result.lane[i] = truth.lane[i] != 0 ? then.lane[i] : otherwise.lane[i]; }
  return result;
}
/// Derivatives of functions of steps, and of choices, for dual numbers of packs.
template <std::size_t N>
Pack<N> slope_of_steps(const Pack<N>&) {
  return {0.0};
}
template <std::size_t N>
Pack<N> choose_slope(const Pack<N>& truth, const Pack<N>& then, const Pack<N>& otherwise) {
  return choose(truth, then, otherwise);
}

}  // namespace polhode
