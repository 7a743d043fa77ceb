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
