// Formulas of time with their derivatives.
#include "support/bound_formula.h"

#include "polhode/math/elementary.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;
using testing::Formula;
using testing::FormulaNames;
using testing::TimeFormula;

namespace {

struct TimeNames {
  FormulaNames names;
  double t = 0;
  double k = 1.25;
  TimeNames() {
    names.add("t", &t);
    names.add("k", &k);
  }
};

}  // namespace

TEST_CASE("a formula of time has the value that the plain formula has, to the bit") {
  TimeNames n;
  // every function and sign, and how they group
  for (const char* text : {"1 + 2*t - t/3",
                           "-t^2",
                           "2^-t",
                           "2^3^0.5*t",
                           "(t + 1)*(t - k)",

                           "t < 1 ? t*t : 2*t - 1",
                           "!t + !0",
                           "t > 0.5 && t < 2 || t == 7",
                           "t >= 1 ? 1 : t <= 0.2 ? 2 : t != 0.7",
                           "sin(t) + cos(k*t) + tan(t/2)",
                           "asin(t/3)+acos(t/3)+atan(t)",
                           "sinh(t)+cosh(t)+tanh(t)",
                           "exp(-k*t) + log(t+1) + log10(t+2)",
                           "sqrt(t+1)*cbrt(t+2)",
                           "abs(t-1)+floor(3*t)+sign(t-1)+step(t-1)",
                           "atan2(t, k) + hypot(t, 2)",
                           "min(t, k) + max(t, 0.5) + mod(5*t, 2)",
                           "1e-3*t + .5 + 2.",
                           "pi*t",
                           "t^3 - t^-2",
                           "(t+1)^k"}) {
    CAPTURE(text);
    const Formula plain(text, n.names, {});
    const TimeFormula jet(text, n.names, {});
    for (const double t : {0.1, 0.7, 1.3, 2.9}) {
      n.t = t;
      const double expected = plain();
      CHECK(jet(t)[0] == expected);
    }
  }
}

TEST_CASE("rate and acceleration of a formula of time are its derivatives") {
  TimeNames n;
  const auto check = [&](const char* text, double t, double rate, double acceleration) {
    CAPTURE(text);
    const std::array<double, 3> q = TimeFormula(text, n.names, {})(t);
    CHECK(q[1] == doctest::Approx(rate).epsilon(1e-13));
    CHECK(q[2] == doctest::Approx(acceleration).epsilon(1e-13));
  };
  check("3*t^2 - t + 7", 2, 11, 6);
  check("t^2", 0, 0, 2);  // whole powers at zero
  check("t^1", 0, 1, 0);
  check("k*sin(2*t)", 0.3, 2.5 * std::cos(0.6), -5 * std::sin(0.6));
  check("exp(-k*t)", 0.5, -1.25 * std::exp(-0.625), 1.5625 * std::exp(-0.625));
  check("t < 1 ? 4 : t^3", 2, 12, 12);
  check("t < 1 ? 4 : t^3", 0.5, 0, 0);
  check("abs(t - 3)*t", 1, 1, -2);
  check("1/(1 + t)", 1, -0.25, 0.25);
  check("atan2(t, 1)", 1, 0.5, -0.5);
  check("max(t, t^2)", 3, 6, 2);
  check("t^t", 2, 4 * (std::log(2.0) + 1), 4 * (std::log(2.0) + 1) * (std::log(2.0) + 1) + 2);
  // powers at zero that are smooth enough
  check("t^2.5", 0, 0, 0);
  check("t^65 + t", 0, 1, 0);
  check("max(0, t - 0.5)^2.5", 0.25, 0, 0);
  check("(t^2)^1.5", 0, 0, 0);
  // what stands still has no derivative, at the edge of a function's domain either
  n.k = 0;
  for (const char* text : {"acos(-1)*t", "asin(1)/acos(0)*pi*t", "pi*t + sqrt(k)", "pi*t + cbrt(k)", "pi*t + k^0.5",
                           "pi*t + hypot(k, 0)", "pi*t + atan2(k, k)", "acos(2*k - 1)*t"}) {
    check(text, 0, math::kPi<double>, 0);
  }
  // a root of what is zero at an instant alone is not
  CHECK(!std::isfinite(TimeFormula("sqrt(t^4)", n.names, {})(0)[2]));
  CHECK(!std::isfinite(TimeFormula("t^1.5", n.names, {})(0)[2]));
  n.k = 1.25;
  // the wrong twin: a difference quotient of the same formula is not as good
  const TimeFormula f("sin(2*t)", n.names, {});
  const double h = 1e-5;
  const double by_difference = (f(0.3 + h)[0] - 2 * f(0.3)[0] + f(0.3 - h)[0]) / (h * h);
  CHECK(std::fabs(by_difference + 4 * std::sin(0.6)) > 1e-8);
  CHECK(std::fabs(f(0.3)[2] + 4 * std::sin(0.6)) < 1e-14);
}

TEST_CASE("a formula of time refuses what a plain formula refuses, with its location") {
  TimeNames n;
  for (const char* text : {"", "t +", "q*2", "sin t", "sin(t", "1, 2", "t)", "atan2(t)"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(TimeFormula(text, n.names, {"f.toml", 3, 5}), Error);
  }
}
