// Taylor series of solutions by recorded operations: against series that are known, and against power series (Jet),
// which share nothing with them, in double and in 50 digits.
#include "polhode/math/series.h"

#include "polhode/math/jet.h"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace polhode;

namespace {

using SeriesDigits = boost::multiprecision::cpp_bin_float_50;
constexpr std::size_t kSeriesOrder = 20;

/// The coefficients of the solution of ẏ = f(t, y) through (t, start), order by order: row k is y_k.
template <class S, class F>
std::vector<S> series_of(const F& f, const S& t, const std::vector<S>& start, std::size_t order = kSeriesOrder) {
  SeriesRecorder<S> recorder(start.size());
  std::vector<SeriesTerm<S>> y;
  for (std::size_t i = 0; i < start.size(); ++i) { y.push_back(recorder.state(i)); }
  const std::vector<SeriesTerm<S>> rates = f(recorder.time(), y);
  REQUIRE(recorder.obstacle() == "");
  const SeriesProgram<S> program = recorder.finish(rates);
  std::vector<S> rows((order + 1) * start.size());
  std::vector<S> memory((order + 1) * program.memory_size());
  program.expand(t, start, order, start.size(), rows.data(), memory.data());
  return rows;
}

/// Two functions of time, y0 and y1, that go through (0.7, 0.4) at t = 0.3, the first driven by a function of all
/// three. Largest of |(k + 1) y_{k+1} − f_k| against the largest coefficient of the order, f_k by power series.
template <class S, class F, class G>
double mismatch(const F& f, const G& twin) {
  const auto rates = [](const auto& function) {
    return [&function](const auto& t, const auto& y) {
      using T = std::remove_cvref_t<decltype(t)>;
      return std::vector<T>{function(t, y[0], y[1]), y[0] * y[1] - T(S(1)) / S(4) * t};
    };
  };
  const S t = S(3) / S(10);
  const std::vector<S> rows = series_of<S>(rates(f), t, {S(7) / S(10), S(2) / S(5)});
  using Power = Jet<S, kSeriesOrder>;
  std::vector<Power> y(2);
  for (std::size_t k = 0; k <= kSeriesOrder; ++k) {
    for (std::size_t i = 0; i < 2; ++i) { y[i].c[k] = rows[2 * k + i]; }
  }
  const Power now = twin(Power::time(t), y[0], y[1]);
  double worst = 0;
  for (std::size_t k = 0; k < kSeriesOrder; ++k) {
    using std::fabs;
    const S due = S(static_cast<double>(k + 1)) * rows[2 * (k + 1)];
    worst = std::max(worst, static_cast<double>(fabs(due - now.c[k]) / (S(1) + fabs(due))));
  }
  return worst;
}

/// A rate by an expression in t, x and y: the same by both, in double and in 50 digits; and not that of a wrong twin.
#define CHECK_RATE(expression)                                                                                  \
  do {                                                                                                          \
    const auto f = [](const auto& t, const auto& x, const auto& y) {                                            \
      using T = std::remove_cvref_t<decltype(t)>;                                                               \
      static_cast<void>(t), static_cast<void>(x), static_cast<void>(y);                                         \
      return T(expression);                                                                                     \
    };                                                                                                          \
    const auto wrong = [&f](const auto& t, const auto& x, const auto& y) {                                      \
      using T = std::remove_cvref_t<decltype(t)>;                                                               \
      return T(f(t, x, y) + T(1e-3) * x * x);                                                                   \
    };                                                                                                          \
    CAPTURE(#expression);                                                                                       \
    /* sums of up to 20 products, a few deep, of numbers that grow no faster than what they are held against */ \
    CHECK(mismatch<double>(f, f) < 1e-12);                                                                      \
    CHECK(mismatch<SeriesDigits>(f, f) < 1e-44);                                                                \
    CHECK(mismatch<double>(f, wrong) > 1e-6);                                                                   \
  } while (false)

}  // namespace

TEST_CASE("series of solutions that are known: exponential, pole, tangent, pendulum of time") {
  using Term = SeriesTerm<double>;
  using Terms = std::vector<Term>;
  const auto growth = [](const Term&, const Terms& y) { return Terms{y[0]}; };
  const auto pole = [](const Term&, const Terms& y) { return Terms{y[0] * y[0]}; };
  const std::vector<double> exponential = series_of<double>(growth, 0, {1});
  const std::vector<double> geometric = series_of<double>(pole, 0, {1});
  double factorial = 1;
  for (std::size_t k = 0; k <= kSeriesOrder; ++k) {
    factorial = k == 0 ? 1 : factorial * static_cast<double>(k);
    CHECK(std::fabs(exponential[k] * factorial - 1) < 1e-14);  // a rounding an order
    CHECK(std::fabs(geometric[k] - 1) < 1e-14);                // y = 1/(1 − t)
  }
  // tan t: 1, 1/3, 2/15, 17/315 at odd orders
  const std::vector<double> tangent =
      series_of<double>([](const Term&, const Terms& y) { return Terms{1.0 + y[0] * y[0]}; }, 0, {0});
  CHECK(std::fabs(tangent[1] - 1) < 1e-15);
  CHECK(std::fabs(tangent[3] - 1.0 / 3) < 1e-15);
  CHECK(std::fabs(tangent[5] - 2.0 / 15) < 1e-15);
  CHECK(std::fabs(tangent[7] - 17.0 / 315) < 1e-15);
  // ẏ = 2 t: y = t², at t = 3: 9 + 6 τ + τ²
  const std::vector<double> square =
      series_of<double>([](const Term& t, const Terms&) { return Terms{2.0 * t}; }, 3, {9});
  CHECK(std::vector<double>(square.begin(), square.begin() + 5) == std::vector<double>{9, 6, 1, 0, 0});
  // a constant rate, and none
  const std::vector<double> even =
      series_of<double>([](const Term&, const Terms&) { return Terms{Term(2.0), Term(0.0)}; }, 3, {9, 7});
  CHECK(std::vector<double>(even.begin(), even.begin() + 6) == std::vector<double>{9, 7, 2, 0, 0, 0});
}

TEST_CASE("every operation and function has the series that power series give it, in double and in 50 digits") {
  CHECK_RATE(x * y + T(0.5) * t - x);
  CHECK_RATE(-x * (T(2.0) * y) * (t - T(3.0) * x));
  CHECK_RATE((x + t) / (y + T(1.0)));
  CHECK_RATE(T(2.0) / x - y / T(4.0));
  CHECK_RATE(sqrt(x + t * y));
  CHECK_RATE(exp(-x) * y);
  CHECK_RATE(log(x + y) + log10(t + x));
  CHECK_RATE(sin(x * t) * cos(x * t) + sin(y));
  CHECK_RATE(tan(x) - tanh(y * t));
  CHECK_RATE(sinh(x) * cosh(y));
  CHECK_RATE(asin(x * y) + acos(y));
  CHECK_RATE(atan(x / y));
  CHECK_RATE(atan2(x, y) - atan2(y, x - T(3.0)));
  CHECK_RATE(atan2(T(0.3), x) + atan2(y, T(-0.6)));
  CHECK_RATE(hypot(x, y));
  CHECK_RATE(cbrt(x) - cbrt(y - T(2.0)));
  CHECK_RATE(pow(x, T(3.0)) + pow(y, T(-2.0)) + pow(x, T(7.0)));
  CHECK_RATE(pow(x, T(2.5)) - pow(y, T(-0.3)));
  CHECK_RATE(pow(x, y) + pow(T(2.0), t));
}

TEST_CASE("what is multiplied by zero is not computed: a root of zero does no harm there") {
  using Term = SeriesTerm<double>;
  const auto f = [](const Term&, const std::vector<Term>& y) {
    return std::vector<Term>{Term(0.0) * sqrt(y[0] - y[0]) - y[0]};
  };
  const std::vector<double> rows = series_of<double>(f, 0, {1});
  CHECK(std::fabs(rows[3] + 1.0 / 6) < 1e-15);
}

TEST_CASE("what is computed twice is recorded once, and sums of products are one operation") {
  SeriesRecorder<double> recorder(3);
  using Term = SeriesTerm<double>;
  const Term x = recorder.state(0);
  const Term y = recorder.state(1);
  const Term z = recorder.state(2);
  const Term once = sin(x * y);
  const Term again = sin(y * x);
  CHECK(once.node() == again.node());
  // x y, its slope, sine and cosine; three sums
  const std::vector<Term> rates{x * y - 2.0 * (y * z) + z, once * once, cos(x * y) - 1.0};
  CHECK(recorder.finish(rates).operation_count() == 7);
}

TEST_CASE("functions with an edge are told, with where they were met; of constants they are what they are") {
  using Term = SeriesTerm<double>;
  const auto told = [](const auto& function) {
    SeriesRecorder<double> recorder(2);
    recorder.set_place("load 'brake'");
    function(recorder.state(0), recorder.state(1));
    return recorder.obstacle();
  };
  const auto edge = [](const std::string& name) {
    return "load 'brake': '" + name + "' has an edge, across which there is no series";
  };
  CHECK(told([](const Term& x, const Term&) { return absolute(x); }) == edge("abs"));
  CHECK(told([](const Term& x, const Term&) { return floor_of(x); }) == edge("floor"));
  CHECK(told([](const Term& x, const Term&) { return sign_of(x); }) == edge("sign"));
  CHECK(told([](const Term& x, const Term&) { return step_of(x); }) == edge("step"));
  CHECK(told([](const Term& x, const Term& y) { return least(x, y); }) == edge("min"));
  CHECK(told([](const Term& x, const Term& y) { return largest(x, y); }) == edge("max"));
  CHECK(told([](const Term& x, const Term& y) { return modulo(x, y); }) == edge("mod"));
  CHECK(told([](const Term& x, const Term& y) { return less(x, y); }) == edge("<"));
  CHECK(told([](const Term& x, const Term& y) { return choose(x, y, x); }) == edge("? :"));
  CHECK(told([](const Term& x, const Term& y) { return x < y; }) == edge("<"));
  // no edge: constants, and what only guards a division
  CHECK(told([](const Term& x, const Term&) { return x * absolute(Term(-2.0)); }) == "");
  CHECK(told([](const Term& x, const Term&) { return x == Term(0.0); }) == "");
  CHECK(absolute(Term(-2.0)).number() == 2);
  CHECK(choose(less(Term(1.0), Term(2.0)), Term(3.0), Term(4.0)).number() == 3);
}

TEST_CASE("a sum of products has the bits of its four parts, whatever the processor does at once") {
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 23; ++i) {
    a.push_back(std::sin(1.0 + i));
    b.push_back(std::cos(3.0 * i) * 1e3);
  }
  for (std::size_t n = 0; n <= a.size(); ++n) {
    SumOfProducts<double> wide;
    wide.add(a.data(), b.data(), n);
    wide.add(0.1);
    double parts[4]{};
    double rest = 0;
    for (std::size_t i = 0; i < n; ++i) { (i < n / 4 * 4 ? parts[i % 4] : rest) += a[i] * b[i]; }
    rest += 0.1;
    CHECK(wide.total() == ((parts[0] + parts[1]) + (parts[2] + parts[3])) + rest);
  }
}
