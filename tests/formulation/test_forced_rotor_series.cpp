// The Taylor series of a loaded body, four numbers at a time, against the convolutions written out one number at a
// time.
#include "polhode/formulation/forced_rotor_series.h"

#include "polhode/formulation/forced_rotor_series_impl.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

using namespace polhode;

namespace {

constexpr std::size_t kStride = 9;  // 7 numbers, and two that are not touched

/// Rows 1 ... order by DYN-36 as it stands. `skipped`: this term of each sum is left out; -1 for none.
template <class S>
void plain_series(const RotorForcing<S>& forcing, std::size_t order, std::vector<S>& rows, int skipped = -1) {
  const auto y = [&](std::size_t k, std::size_t i) { return rows[kStride * k + i]; };
  std::vector<std::array<std::array<S, 3>, 3>> d(order + 1);  // of order k, direction n, component i
  for (std::size_t n = 0; n < forcing.directions; ++n) {
    for (std::size_t i = 0; i < 3; ++i) { d[0][n][i] = forcing.direction[n].start[i]; }
  }
  for (std::size_t k = 0; k < order; ++k) {
    std::array<S, 7> sum{};
    std::array<std::array<S, 3>, 3> turned{};
    for (std::size_t j = 0; j <= k; ++j) {
      if (static_cast<int>(j) == skipped) { continue; }
      const std::size_t l = k - j;
      sum[0] += (-y(j, 1) * y(l, 4) - y(j, 2) * y(l, 5) - y(j, 3) * y(l, 6)) / 2;
      sum[1] += (y(j, 0) * y(l, 4) + y(j, 2) * y(l, 6) - y(j, 3) * y(l, 5)) / 2;
      sum[2] += (y(j, 0) * y(l, 5) + y(j, 3) * y(l, 4) - y(j, 1) * y(l, 6)) / 2;
      sum[3] += (y(j, 0) * y(l, 6) + y(j, 1) * y(l, 5) - y(j, 2) * y(l, 4)) / 2;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t a = (i + 1) % 3;
        const std::size_t b = (i + 2) % 3;
        sum[4 + i] += forcing.gyration[i] * y(j, 4 + a) * y(l, 4 + b);
        if (forcing.pulls) { sum[4 + i] += forcing.pull[i] * d[j][0][a] * d[l][0][b]; }
        for (std::size_t n = 0; n < forcing.directions; ++n) {
          turned[n][i] += d[j][n][a] * y(l, 4 + b) - d[j][n][b] * y(l, 4 + a);
        }
      }
    }
    for (std::size_t n = 0; n < forcing.directions; ++n) {
      const auto& direction = forcing.direction[n];
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t c = 0; c < 3; ++c) { sum[4 + i] += direction.columns[3 * c + i] * d[k][n][c]; }
        if (direction.rate != S(0)) { turned[n][i] += direction.rate * d[k][direction.partner][i]; }
        d[k + 1][n][i] = turned[n][i] / static_cast<S>(k + 1);
      }
    }
    for (std::size_t i = 0; i < 3 && k == 0; ++i) { sum[4 + i] += forcing.steady[i]; }
    for (std::size_t i = 0; i < 7; ++i) { rows[kStride * (k + 1) + i] = sum[i] / static_cast<S>(k + 1); }
  }
}

template <class S>
struct ForcedSample {
  RotorForcing<S> forcing{};
  std::vector<S> rows;
};
/// A random body and what acts on it.
template <class S>
ForcedSample<S> sample(test::Random& random, std::size_t order, std::size_t directions, bool pulls) {
  ForcedSample<S> made{{}, std::vector<S>(kStride * (order + 1), S(-7))};
  RotorForcing<S>& forcing = made.forcing;
  const auto fill = [&](auto& numbers) {
    for (S& number : numbers) { number = S(random.between(-1, 1)); }
  };
  fill(forcing.gyration);
  fill(forcing.steady);
  forcing.pulls = pulls;
  if (pulls) { fill(forcing.pull); }
  forcing.directions = directions;
  for (std::size_t n = 0; n < directions; ++n) {
    fill(forcing.direction[n].start);
    if (!pulls || n == 2) { fill(forcing.direction[n].columns); }
  }
  if (directions > 1 && pulls) {
    forcing.direction[0].rate = S(0.7);
    forcing.direction[0].partner = 1;
    forcing.direction[1].rate = S(-0.7);
    forcing.direction[1].partner = 0;
  }
  for (std::size_t i = 0; i < 7; ++i) { made.rows[i] = S(random.between(-2, 2)); }
  return made;
}

/// Largest difference of two series, row by row against the largest number of the row.
template <class S>
S forced_difference(const std::vector<S>& a, const std::vector<S>& b) {
  S worst(0);
  for (std::size_t k = 0; k + kStride <= a.size(); k += kStride) {
    S size(0);
    S off(0);
    for (std::size_t i = k; i < k + kStride; ++i) {
      size = std::fmax(size, std::fabs(a[i]));
      off = std::fmax(off, std::fabs(a[i] - b[i]));
    }
    worst = std::fmax(worst, off / size);
  }
  return worst;
}

template <class S>
void compare_forced() {
  test::Random random;
  for (const std::size_t order :
       {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{18}, std::size_t{31}, kMostForcedRotorOrder}) {
    for (const std::size_t directions : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
      for (const bool pulls : {false, true}) {
        CAPTURE(order);
        CAPTURE(directions);
        CAPTURE(pulls);
        for (int n = 0; n < 5; ++n) {
          ForcedSample<S> ours = sample<S>(random, order, directions, pulls);
          std::vector<S> plain = ours.rows;
          std::vector<S> wrong = ours.rows;
          forced_rotor_series(ours.forcing, order, kStride, ours.rows.data());
          plain_series(ours.forcing, order, plain);
          // a sum of k products, each a few roundings off, on k rows before it that are as far off as it makes them
          const S rounding = S(static_cast<double>(256 * order)) * std::numeric_limits<S>::epsilon();
          CHECK(forced_difference(plain, ours.rows) < rounding);
          // the wrong twin: the terms with j = 1 left out
          if (order < 2) { continue; }
          plain_series(ours.forcing, order, wrong, 1);
          CHECK(forced_difference(wrong, ours.rows) > S(1e-6));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("the series of a loaded body is the convolution of DYN-36, in double") { compare_forced<double>(); }

TEST_CASE("the series of a loaded body is the convolution of DYN-36, in long double") { compare_forced<long double>(); }

TEST_CASE("the series of a loaded body has the same bits with and without the processor's wide vectors") {
  test::Random random;
  for (int n = 0; n < 100; ++n) {
    const std::size_t order = 1 + static_cast<std::size_t>(n) % kMostForcedRotorOrder;
    const ForcedSample<double> start = sample<double>(random, order, 1 + static_cast<std::size_t>(n) % 3, n % 2 == 0);
    std::vector<double> chosen = start.rows;
    std::vector<double> here = start.rows;
    forced_rotor_series(start.forcing, order, kStride, chosen.data());
    expand_forced_rotor<PlainLanes<double>, kMostForcedRotorOrder>(start.forcing, order, kStride, here.data());
    CHECK(chosen == here);
  }
}
