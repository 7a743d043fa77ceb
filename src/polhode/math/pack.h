#pragma once

#include "polhode/math/elementary.h"
#include "polhode/math/lanes.h"
#include "polhode/math/piecewise.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

/// Several doubles that go the same way, lane by lane: each lane has the bits that a double alone would have. Loops
/// over the lanes have a fixed length and no branches, so that compilers make vector code of them; elementary functions
/// are those of math/lanes.h, as wide as the processor can.
namespace polhode {

template <std::size_t N>
struct Pack {
  static constexpr std::size_t kLanes = N;
  std::array<double, N> lane;

  constexpr Pack() : lane{} {}
  /// For results whose lanes are all written next.
  struct ToBeWritten {};
  explicit Pack(ToBeWritten) {}               // NOLINT(cppcoreguidelines-pro-type-member-init)
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

/// Said of loops over lanes: a result is never one of the packs that it is made of. Clang finds out when it runs.
#if defined(__GNUC__) && !defined(__clang__)
#define POLHODE_LANE_BY_LANE _Pragma("GCC ivdep")
#else
#define POLHODE_LANE_BY_LANE
#endif

/// What decides is the pack itself: less(), choose().
template <std::size_t N>
constexpr const Pack<N>& value_of(const Pack<N>& x) {
  return x;
}

namespace detail {

template <std::size_t N, class Function>
[[gnu::always_inline]] inline Pack<N> each(const Pack<N>& a, const Function& f) {
  Pack<N> result(typename Pack<N>::ToBeWritten{});
  POLHODE_LANE_BY_LANE
  for (std::size_t i = 0; i < N; ++i) { result.lane[i] = f(a.lane[i]); }
  return result;
}
template <std::size_t N, class Function>
[[gnu::always_inline]] inline Pack<N> each(const Pack<N>& a, const Pack<N>& b, const Function& f) {
  Pack<N> result(typename Pack<N>::ToBeWritten{});
  POLHODE_LANE_BY_LANE
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
#undef POLHODE_LANES

#define POLHODE_LANES(function, expression)                                                       \
  template <std::size_t N> Pack<N> function(const Pack<N>& a) {                                   \
    return detail::each(a, [](double x) -> double { return expression; });                        \
  }
POLHODE_LANES(negation, x == 0 ? 1.0 : 0.0)
POLHODE_LANES(absolute, std::fabs(x))
POLHODE_LANES(sign_of, x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0)
POLHODE_LANES(step_of, x < 0 ? 0.0 : 1.0)
POLHODE_LANES(sqrt, std::sqrt(x))
#undef POLHODE_LANES

#define OF_ONE(function, how)                                                                     \
  template <std::size_t N> Pack<N> function(const Pack<N>& a) {                                   \
    Pack<N> result(typename Pack<N>::ToBeWritten{});                                              \
    math::lanes::function(a.lane.data(), result.lane.data(), N);                                  \
    return result;                                                                                \
  }
#define OF_TWO(function, how)                                                                     \
  template <std::size_t N> Pack<N> function(const Pack<N>& a, const Pack<N>& b) {                 \
    Pack<N> result(typename Pack<N>::ToBeWritten{});                                              \
    math::lanes::function(a.lane.data(), b.lane.data(), result.lane.data(), N);                   \
    return result;                                                                                \
  }
#include "polhode/math/lanes.def"
#undef OF_ONE
#undef OF_TWO
template <std::size_t N> Pack<N> floor_of(const Pack<N>& x) { return floor(x); }
// clang-format on

/// Some lanes of a pack, a bit each.
template <std::size_t N>
struct SomeLanes {
  static constexpr std::uint64_t kAll = ~std::uint64_t{0} >> (64 - N);
  std::uint64_t which = 0;

  bool none() const { return which == 0; }
  bool all() const { return which == kAll; }
  std::size_t count() const { return static_cast<std::size_t>(std::popcount(which)); }
  /// Between a pack and one that holds these lanes alone.
  template <std::size_t Few>
  void take(const Pack<N>& from, Pack<Few>& to) const {
    math::lanes::take(which, from.lane.data(), N, to.lane.data(), Few);
  }
  template <std::size_t Few>
  void put(const Pack<Few>& from, Pack<N>& to) const {
    math::lanes::put(which, from.lane.data(), to.lane.data(), N);
  }
};
/// The lanes in which a truth is `wanted`.
template <std::size_t N>
  requires(N <= 64)
SomeLanes<N> some_lanes(const Pack<N>& truth, bool wanted) {
  const std::uint64_t are_true = math::lanes::truths(truth.lane.data(), N);
  return {wanted ? are_true : are_true ^ SomeLanes<N>::kAll};
}

/// By masks of all bits: 1 has bits where 0 has none, so that the loop has no comparison.
template <std::size_t N>
Pack<N> choose(const Pack<N>& truth, const Pack<N>& then, const Pack<N>& otherwise) {
  Pack<N> result(typename Pack<N>::ToBeWritten{});
  POLHODE_LANE_BY_LANE
  for (std::size_t i = 0; i < N; ++i) {
    const std::uint64_t mask = 0 - ((std::bit_cast<std::uint64_t>(truth.lane[i]) >> 61U) & 1U);
    result.lane[i] = std::bit_cast<double>((std::bit_cast<std::uint64_t>(then.lane[i]) & mask) |
                                           (std::bit_cast<std::uint64_t>(otherwise.lane[i]) & ~mask));
  }
  return result;
}
/// Whether a truth is the same in all lanes, and is `wanted`.
template <std::size_t N>
  requires(N <= 64)
bool is_settled(const Pack<N>& truth, bool wanted) {
  return some_lanes(truth, !wanted).none();
}

/// What only some lanes need is computed in a pack of fewer lanes: as many as hold them, in eights, which the widest
/// instructions take at once.
template <std::size_t N>
  requires(N > 8 && N <= 64)
struct NarrowerOf<Pack<N>> {
  using type = Pack<N <= 32 ? (N - 1) / 8 * 8 : (N - 1) / 16 * 16>;
};

/// Derivatives of functions of steps, and of choices, for dual numbers of packs.
template <std::size_t N>
Pack<N> slope_of_steps(const Pack<N>&) {
  return {0.0};
}
template <std::size_t N>
Pack<N> choose_slope(const Pack<N>& truth, const Pack<N>& then, const Pack<N>& otherwise) {
  return choose(truth, then, otherwise);
}

#undef POLHODE_LANE_BY_LANE

}  // namespace polhode
