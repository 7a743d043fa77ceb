#include "polhode/math/dual.h"

#include "polhode/math/elementary.h"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include <string>

using namespace polhode;

namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;
using Fraction = boost::multiprecision::cpp_rational;

/// f'(x) of a 50-digit function by a central difference: truncation h² f'''/6 ~ 1e-30, rounding 1e-50/h = 1e-35.
template <class Function>
double slope(Function f, double x) {
  const Wide h("1e-15");
  return static_cast<double>(Wide((f(Wide(x + h)) - f(Wide(x - h))) / (2 * h)));
}

struct Differentiable {
  const char* name;
  Dual<double> (*dual)(const Dual<double>&);
  Wide (*exact)(const Wide&);
  double x;
};
#define DIFFERENTIABLE(function, x)                                     \
  Differentiable {                                                      \
    #function, [](const Dual<double>& a) { return math::function(a); }, \
        [](const Wide& a) -> Wide { return math::function(a); }, x      \
  }

}  // namespace

TEST_CASE("a dual number carries the derivative of every elementary function") {
  const Differentiable functions[] = {
      DIFFERENTIABLE(sqrt, 2.3),  DIFFERENTIABLE(sin, 0.7),    DIFFERENTIABLE(sin, -40.0),  DIFFERENTIABLE(cos, 0.7),
      DIFFERENTIABLE(tan, 1.2),   DIFFERENTIABLE(asin, 0.8),   DIFFERENTIABLE(acos, -0.9),  DIFFERENTIABLE(atan, 3.0),
      DIFFERENTIABLE(exp, 1.7),   DIFFERENTIABLE(expm1, 0.1),  DIFFERENTIABLE(log, 0.4),    DIFFERENTIABLE(log1p, 0.3),
      DIFFERENTIABLE(log2, 5.0),  DIFFERENTIABLE(log10, 0.02), DIFFERENTIABLE(sinh, -1.1),  DIFFERENTIABLE(cosh, 2.0),
      DIFFERENTIABLE(tanh, 0.6),  DIFFERENTIABLE(asinh, -3.0), DIFFERENTIABLE(acosh, 1.25), DIFFERENTIABLE(atanh, 0.75),
      DIFFERENTIABLE(cbrt, -7.0),
  };
  for (const Differentiable& f : functions) {
    CAPTURE(std::string(f.name));
    const Dual<double> result = f.dual(Dual<double>(f.x, 2.0));
    // the rules use up to four roundings of well-conditioned terms: 1e-15
    CHECK(result.value == doctest::Approx(static_cast<double>(f.exact(Wide(f.x)))).epsilon(1e-15));
    CHECK(result.derivative == doctest::Approx(2 * slope(f.exact, f.x)).epsilon(2e-15));
  }
}

TEST_CASE("a dual number carries the partial derivatives of functions of two numbers") {
  const double x = 0.8;
  const double y = -1.9;
  const auto check = [&](auto f, double a, double b) {
    const double by_a = slope([&](const Wide& t) -> Wide { return f(t, Wide(b)); }, a);
    const double by_b = slope([&](const Wide& t) -> Wide { return f(Wide(a), t); }, b);
    CHECK(f(Dual<double>(a, 1), Dual<double>(b)).derivative == doctest::Approx(by_a).epsilon(2e-15));
    CHECK(f(Dual<double>(a), Dual<double>(b, 1)).derivative == doctest::Approx(by_b).epsilon(2e-15));
    CHECK(f(Dual<double>(a, 3), Dual<double>(b, 5)).derivative == doctest::Approx(3 * by_a + 5 * by_b).epsilon(4e-15));
  };
  check([](const auto& a, const auto& b) { return math::atan2(a, b); }, x, y);
  check([](const auto& a, const auto& b) { return math::hypot(a, b); }, x, y);
  check([](const auto& a, const auto& b) { return math::pow(a, b); }, x, y);
  // a constant exponent needs no logarithm: d(x³) = 3 x² at x = -2
  CHECK(math::pow(Dual<double>(-2, 1), Dual<double>(3)).derivative == doctest::Approx(12).epsilon(1e-15));
}

TEST_CASE("arithmetic of dual numbers is exact on fractions") {
  using D = Dual<Fraction>;
  const D a(Fraction(3, 7), Fraction(2));
  const D b(Fraction(-5, 11), Fraction(1, 3));
  CHECK(a + b - b == a);
  CHECK((a / b) * b == a);
  CHECK(a * b == D(a.value * b.value, a.derivative * b.value + a.value * b.derivative));
  CHECK((a * a * a).derivative == 3 * a.value * a.value * a.derivative);
  CHECK((D(1) / a).derivative == -a.derivative / (a.value * a.value));
  CHECK(-a + a == D(0));
  D c = a;
  c += b;
  c *= b;
  c -= a;
  c /= b;
  CHECK(c == ((a + b) * b - a) / b);
  CHECK(value_of(a) == Fraction(3, 7));
}

TEST_CASE("nested dual numbers carry second derivatives") {
  using DD = Dual<Dual<double>>;
  const DD x(Dual<double>(0.6, 1), Dual<double>(1, 0));
  const DD f = math::sin(x) * math::exp(x);  // f' = (sin + cos) e^x, f'' = 2 cos x e^x
  const double e = math::exp(0.6);
  CHECK(f.value.value == doctest::Approx(math::sin(0.6) * e).epsilon(1e-15));
  CHECK(f.value.derivative == doctest::Approx((math::sin(0.6) + math::cos(0.6)) * e).epsilon(1e-15));
  CHECK(f.derivative.derivative == doctest::Approx(2 * math::cos(0.6) * e).epsilon(2e-15));
  CHECK(value_of(f) == f.value.value);
}

namespace {

/// The same function of two numbers: with several directions, with one direction at a time, and without.
struct OfTwo {
  const char* name;
  DualPack<double, 5> (*pack)(const DualPack<double, 5>&, const DualPack<double, 5>&);
  Dual<double> (*dual)(const Dual<double>&, const Dual<double>&);
  double (*plain)(double, double);
  double x;
  double y;
};
#define SAME_IN_ALL(expression, x, y)                                                                            \
  OfTwo {                                                                                                        \
    #expression,                                                                                                 \
        [](const DualPack<double, 5>& a, [[maybe_unused]] const DualPack<double, 5>& b) -> DualPack<double, 5> { \
          using S = DualPack<double, 5>;                                                                         \
          static_cast<void>(S{});                                                                                \
          return expression;                                                                                     \
        },                                                                                                       \
        [](const Dual<double>& a, [[maybe_unused]] const Dual<double>& b) -> Dual<double> {                      \
          using S = Dual<double>;                                                                                \
          static_cast<void>(S{});                                                                                \
          return expression;                                                                                     \
        },                                                                                                       \
        [](double a, [[maybe_unused]] double b) -> double {                                                      \
          using S = double;                                                                                      \
          static_cast<void>(S{});                                                                                \
          return expression;                                                                                     \
        },                                                                                                       \
        x, y                                                                                                     \
  }

}  // namespace

TEST_CASE("several directions of a dual number have the bits of each alone, and its value those of a plain number") {
  const OfTwo functions[] = {
      SAME_IN_ALL(a + b, 0.3, -1.7),
      SAME_IN_ALL(a - b, 0.3, -1.7),
      SAME_IN_ALL(a * b, 0.3, -1.7),
      SAME_IN_ALL(a / b, 0.3, -1.7),
      SAME_IN_ALL(-a, 0.3, 0),
      SAME_IN_ALL(2.5 + a * 0.1 - 3.0, 0.3, 0),
      SAME_IN_ALL(2.5 - a / 3.0, 0.3, 0),
      SAME_IN_ALL(2.5 / a, 0.3, 0),
      SAME_IN_ALL(2 * a, 0.3, 0),
      SAME_IN_ALL(math::sqrt(a), 2.3, 0),
      SAME_IN_ALL(math::sin(a), -40.0, 0),
      SAME_IN_ALL(math::cos(a), 0.7, 0),
      SAME_IN_ALL(math::sincos(a).sin, 0.7, 0),
      SAME_IN_ALL(math::tan(a), 1.2, 0),
      SAME_IN_ALL(math::asin(a), 0.8, 0),
      SAME_IN_ALL(math::acos(a), -0.9, 0),
      SAME_IN_ALL(math::atan(a), 3.0, 0),
      SAME_IN_ALL(math::atan2(a, b), 0.8, -1.9),
      SAME_IN_ALL(math::exp(a), 1.7, 0),
      SAME_IN_ALL(math::expm1(a), 0.1, 0),
      SAME_IN_ALL(math::log(a), 0.4, 0),
      SAME_IN_ALL(math::log1p(a), 0.3, 0),
      SAME_IN_ALL(math::log2(a), 5.0, 0),
      SAME_IN_ALL(math::log10(a), 0.02, 0),
      SAME_IN_ALL(math::sinh(a), -1.1, 0),
      SAME_IN_ALL(math::cosh(a), 2.0, 0),
      SAME_IN_ALL(math::tanh(a), 0.6, 0),
      SAME_IN_ALL(math::asinh(a), -3.0, 0),
      SAME_IN_ALL(math::acosh(a), 1.25, 0),
      SAME_IN_ALL(math::atanh(a), 0.75, 0),
      SAME_IN_ALL(math::cbrt(a), -7.0, 0),
      SAME_IN_ALL(math::hypot(a, b), 0.8, -1.9),
      SAME_IN_ALL(math::pow(a, b), 0.8, -1.9),
      SAME_IN_ALL(math::pow(a, S(3.0)), -2.0, 0),
      SAME_IN_ALL(math::pow(a, S(0.0)), 0.0, 0),
      SAME_IN_ALL(absolute(a), -2.0, 0),
      SAME_IN_ALL(least(a, b), 0.3, -1.7),
      SAME_IN_ALL(largest(a, b), 0.3, -1.7),
      SAME_IN_ALL(modulo(a, b), 7.3, 1.9),
      SAME_IN_ALL(choose(less(a, b), a, b), 0.3, 1.9),
  };
  // the last direction moves b alone, the one before a alone
  const Directions<double, 5> da{{1.0, -0.3, 7e8, 1e-3, 0.0}};
  const Directions<double, 5> db{{0.7, 2.0, -1e-9, 0.0, 1.0}};
  for (const OfTwo& f : functions) {
    CAPTURE(std::string(f.name));
    const DualPack<double, 5> result = f.pack({f.x, da}, {f.y, db});
    CHECK(result.value == f.plain(f.x, f.y));
    CHECK(value_of(result) == f.plain(f.x, f.y));
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(result.derivative[i] == f.dual({f.x, da[i]}, {f.y, db[i]}).derivative);  // 0 and -0 are equal
    }
  }
  // the wrong twin: another direction's derivative
  const DualPack<double, 5> product = DualPack<double, 5>(0.3, da) * DualPack<double, 5>(-1.7, db);
  CHECK(product.derivative[0] != (Dual<double>(0.3, da[1]) * Dual<double>(-1.7, db[1])).derivative);
}
#undef SAME_IN_ALL

TEST_CASE("a power whose base is negative has derivatives along the directions that leave its exponent alone") {
  const DualPack<double, 2> base(-2.0, {{1.0, 1.0}});
  const DualPack<double, 2> exponent(3.0, {{0.0, 1.0}});
  const DualPack<double, 2> power = math::pow(base, exponent);
  CHECK(power.derivative[0] == 12.0);
  CHECK(power.derivative[1] != power.derivative[1]);  // log(-2)
}
