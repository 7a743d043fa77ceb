#pragma once

#include "polhode/math/elementary.h"
#include "polhode/math/lanes.h"
#include "polhode/math/piecewise.h"

#include <array>
#include <cmath>
#include <cstddef>

/// Several doubles that go the same way, lane by lane: each lane has the bits that a double alone would have. Loops
/// over the lanes have a fixed length and no branches, so that compilers make vector code of them; elementary functions
/// are those of math/lanes.h, as wide as the processor can.
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
#undef POLHODE_LANES

#define POLHODE_LANES(function)                                                                   \
  template <std::size_t N> Pack<N> function(const Pack<N>& a) {                                   \
    Pack<N> result;                                                                               \
    math::lanes::function(a.lane.data(), result.lane.data(), N);                                  \
    return result;                                                                                \
  }
POLHODE_LANES(sin)
POLHODE_LANES(cos)
POLHODE_LANES(tan)
POLHODE_LANES(asin)
POLHODE_LANES(acos)
POLHODE_LANES(atan)
POLHODE_LANES(sinh)
POLHODE_LANES(cosh)
POLHODE_LANES(tanh)
POLHODE_LANES(exp)
POLHODE_LANES(log)
POLHODE_LANES(log10)
POLHODE_LANES(cbrt)
#undef POLHODE_LANES

#define POLHODE_LANES(function)                                                                   \
  template <std::size_t N> Pack<N> function(const Pack<N>& a, const Pack<N>& b) {                 \
    Pack<N> result;                                                                               \
    math::lanes::function(a.lane.data(), b.lane.data(), result.lane.data(), N);                   \
    return result;                                                                                \
  }
POLHODE_LANES(atan2)
POLHODE_LANES(pow)
POLHODE_LANES(hypot)
#undef POLHODE_LANES
// clang-format on

template <std::size_t N>
Pack<N> choose(const Pack<N>& truth, const Pack<N>& then, const Pack<N>& otherwise) {
  Pack<N> result;
  for (std::size_t i = 0; i < N; ++i) { result.lane[i] = truth.lane[i] != 0 ? then.lane[i] : otherwise.lane[i]; }
  return result;
}
/// Whether a truth is the same in all lanes, and is `wanted`.
template <std::size_t N>
bool is_settled(const Pack<N>& truth, bool wanted) {
  bool same = true;
  for (std::size_t i = 0; i < N; ++i) { same = same & ((truth.lane[i] != 0) == wanted); }
  return same;
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
