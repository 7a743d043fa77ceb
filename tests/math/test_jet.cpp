// Power series in time, against derivatives in 50 digits; packs of lanes, against single numbers.
#include "polhode/math/jet.h"

#include "polhode/math/dual.h"
#include "polhode/math/pack.h"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <bit>
#include <random>
#include <string>
#include <vector>

using namespace polhode;

namespace {

using Digits = boost::multiprecision::cpp_bin_float_100;
constexpr std::size_t kOrder = 6;
using Series = Jet<double, kOrder>;

/// Coefficients of f around t by interpolation: divided differences over points h apart, h so small that the rest of
/// the series is below 1e-20, in 100 digits.
template <class F>
std::array<double, kOrder + 1> coefficients(const F& f, double t) {
  const Digits h("1e-12");
  std::vector<Digits> d;
  for (std::size_t i = 0; i <= kOrder; ++i) { d.push_back(f(Digits(t) + h * (static_cast<double>(i) - kOrder / 2.0))); }
  // Newton's form, then multiplied out around the middle
  for (std::size_t level = 1; level <= kOrder; ++level) {
    for (std::size_t i = kOrder; i >= level; --i) { d[i] = (d[i] - d[i - 1]) / (h * static_cast<double>(level)); }
  }
  std::vector<Digits> c(kOrder + 1, Digits(0));
  for (std::size_t i = kOrder + 1; i-- > 0;) {
    const Digits x = h * (static_cast<double>(i) - kOrder / 2.0);
    for (std::size_t k = kOrder; k > 0; --k) { c[k] = c[k - 1] - x * c[k]; }
    c[0] = d[i] - x * c[0];
  }
  std::array<double, kOrder + 1> result{};
  for (std::size_t k = 0; k <= kOrder; ++k) { result[k] = static_cast<double>(c[k]); }
  return result;
}

#define CHECK_SERIES(expression, at)                                                    \
  do {                                                                                  \
    const auto f = [](const auto& t) {                                                  \
      using S = std::remove_cvref_t<decltype(t)>;                                       \
      static_cast<void>(sizeof(S));                                                     \
      return S(expression);                                                             \
    };                                                                                  \
    const Series got = f(Series::time(at));                                             \
    const std::array<double, kOrder + 1> expected = coefficients(f, at);                \
    CAPTURE(#expression);                                                               \
    CHECK(got.c[0] == f(double(at)));                                                   \
    for (std::size_t k = 0; k <= kOrder; ++k) {                                         \
      CAPTURE(k);                                                                       \
      /* some tens of roundings of terms of the size of the largest coefficient */      \
      CHECK(std::fabs(got.c[k] - expected[k]) <= 4e-14 * (1 + std::fabs(expected[k]))); \
    }                                                                                   \
  } while (false)

}  // namespace

TEST_CASE("a jet holds the power series of every elementary function, its first coefficient to the bit") {
  CHECK_SERIES(t * t * t - S(2.0) * t + S(1.0) / t, 1.3);
  CHECK_SERIES(math::sin(S(2.0) * t) + math::cos(t * t), 0.7);
  CHECK_SERIES(math::tan(t), 0.6);
  CHECK_SERIES(math::asin(t * S(0.5)), 0.9);
  CHECK_SERIES(math::acos(t * S(0.5)), 0.9);
  CHECK_SERIES(math::atan(t), 1.7);
  CHECK_SERIES(math::sinh(t) * math::cosh(S(0.5) * t), 0.8);
  CHECK_SERIES(math::tanh(t), 0.4);
  CHECK_SERIES(math::exp(-t * t), 0.5);
  CHECK_SERIES(math::log(t + S(2.0)), 0.3);
  CHECK_SERIES(math::log10(t), 2.5);
  CHECK_SERIES(math::sqrt(t + S(1.0)), 0.2);
  CHECK_SERIES(math::cbrt(t), 1.9);
  CHECK_SERIES(math::pow(t, S(2.5)), 1.2);
  CHECK_SERIES(math::pow(t, t), 1.4);
  CHECK_SERIES(math::pow(t, S(-3.0)), 1.1);
  CHECK_SERIES(math::hypot(t, S(2.0)), 0.9);
  CHECK_SERIES(math::atan2(t, S(2.0) - t), 0.9);
  // whole powers where the base is zero or negative
  const Series at_zero = math::pow(Series::time(0.0), Series(3.0));
  CHECK(at_zero.c[3] == 1);
  CHECK(at_zero.c[1] == 0);
  CHECK(math::pow(Series::time(-2.0), Series(2.0)).c[1] == -4);
  CHECK(math::pow(Series::time(0.0), Series(1.0)).c[1] == 1);
}

TEST_CASE("a jet stays on the piece that its value lies on") {
  const Series t = Series::time(2.5);
  CHECK(absolute(-t).c[1] == 1);
  CHECK(floor_of(t).c[0] == 2);
  CHECK(floor_of(t).c[1] == 0);
  CHECK(modulo(t, Series(2.0)).c[0] == 0.5);
  CHECK(modulo(t, Series(2.0)).c[1] == 1);
  CHECK(least(t, t * t).c[1] == 1);
  CHECK(largest(t, t * t).c[1] == 5);
  CHECK(choose(less(t, Series(3.0)), t, t * t).c[2] == 0);
}

TEST_CASE("each lane of a pack has the bits of the number alone") {
  constexpr std::size_t kLanes = 8;
  using Lanes = Pack<kLanes>;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> any(-3, 3);
  Lanes a;
  Lanes b;
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      a[i] = any(random);
      b[i] = any(random);
    }
    if (round == 7) { a[3] = 1e9; }   // beyond the angles that go without a branch
    if (round == 8) { a[2] = b[2]; }  // equal ones
    if (round == 9) { a[1] = std::numeric_limits<double>::quiet_NaN(); }
    const auto check = [&](const char* name, const auto& f) {
      const Lanes got = f(a, b);
      bool same = true;
      for (std::size_t i = 0; i < kLanes; ++i) {
        const double expected = f(a[i], b[i]);
        same = same && (std::bit_cast<std::uint64_t>(got[i]) == std::bit_cast<std::uint64_t>(expected) ||
                        (std::isnan(got[i]) && std::isnan(expected)));
      }
      CAPTURE(std::string(name));
      CHECK(same);
    };
#define LANES(expression)                               \
  check(#expression, [](const auto& x, const auto& y) { \
    using S = std::remove_cvref_t<decltype(x)>;         \
    static_cast<void>(y);                               \
    return S(expression);                               \
  })
    LANES(x + y);
    LANES(x - y * S(2.0));
    LANES(x / y);
    LANES(-x);
    LANES(math::sin(x));
    LANES(math::cos(x));
    LANES(math::tan(x));
    LANES(math::exp(x));
    LANES(math::log(x));
    LANES(math::log10(x));
    LANES(math::sqrt(x));
    LANES(math::cbrt(x));
    LANES(math::asin(x));
    LANES(math::acos(x));
    LANES(math::atan(x));
    LANES(math::sinh(x));
    LANES(math::cosh(x));
    LANES(math::tanh(x));
    LANES(math::pow(x, y));
    LANES(math::pow(absolute(x), y));
    LANES(math::pow(absolute(x), S(0.0)));
    LANES(math::pow(absolute(x), S(-300.0)));
    LANES(math::atan2(x, y));
    LANES(math::hypot(x, y));
    LANES(less(x, y));
    LANES(less_or_equal(x, y));
    LANES(equal(x, y));
    LANES(both(x, y));
    LANES(either(x, y));
    LANES(negation(x));
    LANES(choose(less(x, y), x, y));
    LANES(absolute(x));
    LANES(floor_of(x));
    LANES(sign_of(x));
    LANES(step_of(x));
    LANES(least(x, y));
    LANES(largest(x, y));
    LANES(modulo(x, y));
#undef LANES
  }
  // derivatives lane by lane
  using Sloped = Dual<Lanes>;
  const Sloped x{a, Lanes(1.0)};
  const Sloped y = math::sin(x) * absolute(x);
  for (std::size_t i = 0; i < kLanes; ++i) {
    const Dual<double> alone = math::sin(Dual<double>{a[i], 1.0}) * absolute(Dual<double>{a[i], 1.0});
    if (!std::isnan(a[i])) { CHECK(y.derivative[i] == alone.derivative); }
  }
}

TEST_CASE("a complex step goes through powers of negative numbers and cube roots") {
  using Complex = std::complex<double>;
  const double h = 1e-30;
  const auto slope = [&](const Complex& value) { return value.imag() / h; };
  CHECK(slope(math::pow(Complex(-2, h), Complex(2.0))) == -4);
  CHECK(slope(math::pow(Complex(-2, h), Complex(3.0))) == 12);
  CHECK(slope(math::pow(Complex(2, h), Complex(0.0))) == 0);
  CHECK(slope(math::pow(Complex(2.0), Complex(3, h))) == doctest::Approx(8 * std::log(2.0)).epsilon(1e-15));
  CHECK(slope(math::cbrt(Complex(-8, h))) == doctest::Approx(1.0 / 12).epsilon(1e-15));
  CHECK(std::abs(math::pow(Complex(1, 1), Complex(2.0)) - Complex(0, 2)) < 1e-15);
}
