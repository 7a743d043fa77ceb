// Intervals enclose: the exact value, known to 50 digits, lies inside, and the bounds are near.
#include "polhode/math/interval.h"

#include "polhode/math/dual.h"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <random>
#include <string>
#include <vector>

using namespace polhode;

namespace {

using Exact = boost::multiprecision::cpp_bin_float_50;

struct EnclosedUnary {
  const char* name;
  Interval (*range)(const Interval&);
  Exact (*exact)(const Exact&);
  double from, to;
};
#define ENCLOSED(function, from, to)                                            \
  EnclosedUnary {                                                               \
    #function, [](const Interval& x) -> Interval { return math::function(x); }, \
        [](const Exact& x) -> Exact { return math::function(x); }, from, to     \
  }
struct EnclosedBinary {
  const char* name;
  Interval (*range)(const Interval&, const Interval&);
  Exact (*exact)(const Exact&, const Exact&);
  double from, to;
};

const std::vector<EnclosedUnary>& enclosed_functions() {
  static const std::vector<EnclosedUnary> all{
      ENCLOSED(sin, -50, 50), ENCLOSED(cos, -50, 50),   ENCLOSED(tan, -4, 4),    ENCLOSED(asin, -1, 1),
      ENCLOSED(acos, -1, 1),  ENCLOSED(atan, -20, 20),  ENCLOSED(sinh, -20, 20), ENCLOSED(cosh, -20, 20),
      ENCLOSED(tanh, -9, 9),  ENCLOSED(exp, -700, 700), ENCLOSED(log, 1e-9, 9),  ENCLOSED(log10, 1e-9, 9),
      ENCLOSED(sqrt, 0, 9),   ENCLOSED(cbrt, -9, 9),
  };
  return all;
}

bool holds(const Interval& range, const Exact& value) {
  return Exact(range.low) <= value && value <= Exact(range.high);
}

}  // namespace

TEST_CASE("an interval encloses what its functions give at every point of its argument") {
  std::mt19937_64 random(1);
  for (const EnclosedUnary& f : enclosed_functions()) {
    CAPTURE(std::string(f.name));
    std::uniform_real_distribution<double> any(f.from, f.to);
    std::uniform_real_distribution<double> exponent(-50, 3);
    bool all_inside = true;
    double widest = 0;
    for (int trial = 0; trial < 300; ++trial) {
      const double start = any(random);
      const double end = std::fmin(f.to, start + std::exp2(exponent(random)));
      const Interval x{start, end};
      const Interval y = f.range(x);
      for (const double part : {0.0, 0.25, 0.618, 1.0}) {
        const double inside = std::fmin(end, start + part * (end - start));
        all_inside = all_inside && holds(y, f.exact(Exact(inside)));
      }
      // at a point the range is as wide as seven doubles, a NaN or the whole line would not be
      const Interval at_point = f.range(Interval(start));
      const double value = std::fabs(at_point.middle());
      if (std::isfinite(at_point.width()) && value > 1e-3) { widest = std::fmax(widest, at_point.width() / value); }
    }
    CHECK(all_inside);
    CHECK(widest > 0);
    CHECK(widest <= 8 * std::numeric_limits<double>::epsilon());
  }
}

TEST_CASE("an interval of a sine knows the extremes that lie inside, and no others") {
  const double half_pi = 1.5707963267948966;
  CHECK(math::sin(Interval{1, 2}).high == 1);
  CHECK(math::sin(Interval{1, 1.5}).high < 0.998);
  CHECK(math::sin(Interval{4, 5}).low == -1);
  CHECK(math::sin(Interval{-2, -1}).low == -1);
  CHECK(math::sin(Interval{-2, -1}).high < -0.84);
  CHECK(math::cos(Interval{-0.1, 0.1}).high == 1);
  CHECK(math::cos(Interval{-0.1, 0.1}).low > 0.995);
  CHECK(math::cos(Interval{3, 3.2}).low == -1);
  CHECK(math::sin(Interval{0, 7}) == Interval{-1, 1});
  CHECK(math::sin(Interval{0.1, 5}) == Interval{-1, 1});
  // far out, where the reduction takes all bits of pi
  CHECK(math::sin(Interval{1e22, 1e22}).width() < 1e-15);
  CHECK(math::sin(Interval{1e22, 1e22}).contains(-0.8522008497671888));
  CHECK(is_whole(math::tan(Interval{1.5, 1.6})));
  CHECK(math::tan(Interval{-half_pi + 1e-3, half_pi - 1e-3}).high < 1001);
  CHECK(math::tan(Interval{-4, -3}).contains(std::tan(-3.5)));
}

TEST_CASE("arithmetic of intervals encloses, for every combination of signs and through infinity") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> any(-3, 3);
  int inside = 0;
  int tried = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const double a = any(random);
    const double b = any(random);
    const Interval x{std::fmin(a, b), std::fmax(a, b)};
    const double c = any(random);
    const double d = any(random);
    const Interval y{std::fmin(c, d), std::fmax(c, d)};
    const double u = x.low + 0.3 * x.width();
    const double v = y.low + 0.7 * y.width();
    const Exact U(u);
    const Exact V(v);
    for (const bool ok :
         {holds(x + y, U + V), holds(x - y, U - V), holds(x * y, U * V), holds(x / y, U / V),
          holds(absolute(x), abs(U)), holds(math::hypot(x, y), sqrt(U * U + V * V)),
          holds(math::atan2(y, x), atan2(V, U)), holds(floor_of(x), floor(U)), holds(least(x, y), u < v ? U : V),
          holds(math::pow(x, Interval(3.0)), U * U * U), holds(math::pow(x, Interval(-2.0)), 1 / (U * U)),
          holds(math::pow(absolute(x), y), pow(abs(U), V)),
          holds(modulo(x, Interval(0.7)), U - Exact(0.7) * floor(U / Exact(0.7)))}) {
      inside += ok ? 1 : 0;
      ++tried;
    }
  }
  CHECK(inside == tried);
  CHECK(is_whole(Interval{1, 2} / Interval{-1, 1}));
  CHECK(is_whole(math::sqrt(Interval{-1, 4})));
  CHECK(is_whole(math::log(Interval{-1, 4})));
  CHECK(is_whole(math::pow(Interval{-1, 4}, Interval{0.5})));
  CHECK((Interval{1e308, 1e308} * Interval{10.0}).high == std::numeric_limits<double>::infinity());
  CHECK((Interval(0.0) * Interval::whole()).contains(0));
  CHECK((Interval{1, 2} * Interval::whole()) == Interval::whole());
  // the wrong twin: bounds that are rounded to nearest do not enclose a third
  CHECK_FALSE(holds(Interval{1.0 / 3.0, 1.0 / 3.0}, Exact(1) / 3));
  CHECK(holds(Interval(1.0) / Interval(3.0), Exact(1) / 3));
  CHECK(holds(math::kPi<Interval>, boost::multiprecision::default_ops::get_constant_pi<Exact::backend_type>()));
}

TEST_CASE("a comparison of intervals is certain, impossible or open, and a choice by an open one holds both") {
  CHECK(less(Interval{0, 1}, Interval{2, 3}) == Interval(1.0));
  CHECK(less(Interval{2, 3}, Interval{0, 2}) == Interval(0.0));
  CHECK(less(Interval{0, 2}, Interval{1, 3}) == Interval{0, 1});
  CHECK(choose(Interval{0, 1}, Interval(5.0), Interval(7.0)) == Interval{5, 7});
  CHECK(step_of(Interval{-1, 1}) == Interval{0, 1});
  CHECK(sign_of(Interval{-1, 0}) == Interval{-1, 0});
  // slopes: a jump has none that is bounded, a kink has both
  using Sloped = Dual<Interval>;
  CHECK(is_whole(step_of(Sloped{Interval{-1, 1}, 1.0}).derivative));
  CHECK(step_of(Sloped{Interval{1, 2}, 1.0}).derivative == Interval(0.0));
  CHECK(absolute(Sloped{Interval{-1, 1}, 1.0}).derivative == Interval{-1, 1});
  CHECK(is_whole(choose(Sloped{Interval{0, 1}}, Sloped{Interval(5.0)}, Sloped{Interval(7.0)}).derivative));
}

TEST_CASE("what may have no value stays the whole line under every function, and comparisons with it are open") {
  const Interval undefined = asin(Interval{1.5, 1.6});
  REQUIRE(is_whole(undefined));
  const Interval one{1.0, 2.0};
  for (const Interval& result : {sin(undefined),
                                 cos(undefined),
                                 tan(undefined),
                                 atan(undefined),
                                 sinh(undefined),
                                 cosh(undefined),
                                 tanh(undefined),
                                 exp(undefined),
                                 log(undefined),
                                 sqrt(undefined),
                                 cbrt(undefined),
                                 absolute(undefined),
                                 hypot(undefined, one),
                                 hypot(one, undefined),
                                 atan2(undefined, one),
                                 atan2(one, undefined),
                                 pow(one, undefined),
                                 pow(undefined, one),
                                 pow(undefined, Interval(2.0)),
                                 pow(undefined, Interval(0.0)),
                                 least(undefined, one),
                                 largest(one, undefined),
                                 undefined + one,
                                 undefined - one,
                                 Interval(0.0) * undefined,
                                 undefined * Interval(0.0),
                                 undefined / one,
                                 one / undefined,
                                 modulo(undefined, one),
                                 modulo(one, undefined)}) {
    CHECK(is_whole(result));
  }
  // 1.5^asin(1.5) is no number: that it is at least -1 must not be certain
  const Interval open = less_or_equal(Interval(-1.0), pow(Interval{1.5, 1.6}, undefined));
  CHECK(open == Interval{0, 1});
  // the twin with a value is certain
  CHECK(less_or_equal(Interval(-1.0), pow(Interval{1.5, 1.6}, atan(Interval{1.5, 1.6}))) == Interval(1.0));
}
