// The Taylor series of a free body, four numbers at a time, against the convolutions written out one number at a time.
#include "polhode/formulation/free_rotor_series.h"

#include "polhode/formulation/free_rotor_series_impl.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

using namespace polhode;

namespace {

/// Rows 1 ... order by DYN-32 as it stands. `skipped`: this term of each sum is left out; -1 for none.
template <class S>
void plain_series(const Vec3<S>& gyration, std::size_t order, std::vector<S>& rows, int skipped = -1) {
  const auto y = [&](std::size_t k, std::size_t i) { return rows[7 * k + i]; };
  for (std::size_t k = 0; k < order; ++k) {
    std::array<S, 7> sum{};
    for (std::size_t j = 0; j <= k; ++j) {
      if (static_cast<int>(j) == skipped) { continue; }
      const std::size_t l = k - j;
      sum[0] += (-y(j, 1) * y(l, 4) - y(j, 2) * y(l, 5) - y(j, 3) * y(l, 6)) / 2;
      sum[1] += (y(j, 0) * y(l, 4) + y(j, 2) * y(l, 6) - y(j, 3) * y(l, 5)) / 2;
      sum[2] += (y(j, 0) * y(l, 5) + y(j, 3) * y(l, 4) - y(j, 1) * y(l, 6)) / 2;
      sum[3] += (y(j, 0) * y(l, 6) + y(j, 1) * y(l, 5) - y(j, 2) * y(l, 4)) / 2;
      sum[4] += gyration.x * y(j, 5) * y(l, 6);
      sum[5] += gyration.y * y(j, 6) * y(l, 4);
      sum[6] += gyration.z * y(j, 4) * y(l, 5);
    }
    for (std::size_t i = 0; i < 7; ++i) { rows[7 * (k + 1) + i] = sum[i] / static_cast<S>(k + 1); }
  }
}

/// Row 0 of a random free body and its gyration.
template <class S>
struct Sample {
  Vec3<S> gyration;
  std::vector<S> rows;
};
template <class S>
Sample<S> sample(test::Random& random, std::size_t order) {
  const Vec3<S> J{S(random.between(1, 2)), S(random.between(1, 2)), S(random.between(1, 2))};
  Sample<S> made{{(J.y - J.z) / J.x, (J.z - J.x) / J.y, (J.x - J.y) / J.z}, std::vector<S>(7 * (order + 1))};
  for (std::size_t i = 0; i < 7; ++i) { made.rows[i] = S(random.between(-2, 2)); }
  return made;
}

/// Largest difference of two series, row by row against the largest number of the row.
template <class S>
S difference(const std::vector<S>& a, const std::vector<S>& b) {
  S worst(0);
  for (std::size_t k = 0; k + 7 <= a.size(); k += 7) {
    S size(0);
    S off(0);
    for (std::size_t i = k; i < k + 7; ++i) {
      size = std::fmax(size, std::fabs(a[i]));
      off = std::fmax(off, std::fabs(a[i] - b[i]));
    }
    worst = std::fmax(worst, off / size);
  }
  return worst;
}

template <class S>
void compare() {
  test::Random random;
  for (const std::size_t order :
       {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{18}, std::size_t{31}, kMostFreeRotorOrder}) {
    CAPTURE(order);
    for (int n = 0; n < 20; ++n) {
      Sample<S> ours = sample<S>(random, order);
      std::vector<S> plain = ours.rows;
      std::vector<S> wrong = ours.rows;
      free_rotor_series(ours.gyration, order, ours.rows.data());
      plain_series(ours.gyration, order, plain);
      // a sum of k products, each a few roundings off, on k rows before it that are as far off as it makes them
      const S rounding = S(static_cast<double>(64 * order)) * std::numeric_limits<S>::epsilon();
      CHECK(difference(plain, ours.rows) < rounding);
      // the wrong twin: the terms with j = 1 left out
      if (order < 2) { continue; }
      plain_series(ours.gyration, order, wrong, 1);
      CHECK(difference(wrong, ours.rows) > S(1e-6));
    }
  }
}

}  // namespace

TEST_CASE("the series of a free body is the convolution of DYN-32, in double") { compare<double>(); }

TEST_CASE("the series of a free body is the convolution of DYN-32, in long double") { compare<long double>(); }

TEST_CASE("the series of a free body has the same bits with and without the processor's wide vectors") {
  test::Random random;
  for (int n = 0; n < 100; ++n) {
    const std::size_t order = 1 + static_cast<std::size_t>(n) % kMostFreeRotorOrder;
    const Sample<double> start = sample<double>(random, order);
    const double gyration[3]{start.gyration.x, start.gyration.y, start.gyration.z};
    std::vector<double> chosen = start.rows;
    std::vector<double> here = start.rows;
    free_rotor_series(start.gyration, order, chosen.data());
    expand_free_rotor<PlainLanes<double>, kMostFreeRotorOrder>(gyration, order, here.data());
    CHECK(chosen == here);
  }
}
