#include "polhode/math/elementary.h"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace polhode;
namespace portable = polhode::math::portable;

namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;
/// Enough digits to subtract multiples of π from 1e308.
using Huge = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<380>>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kMax = std::numeric_limits<double>::max();

/// |got - exact| in units of the last place of a double of the size of `exact`.
double ulp_error(double got, const Wide& exact) {
  if (!std::isfinite(got)) { return kInf; }
  int exponent = 0;
  frexp(exact, &exponent);
  const Wide error = abs(Wide(got) - exact);
  return static_cast<double>(ldexp(error, -std::max(exponent - 53, -1074)));
}

/// Where arguments are drawn from: evenly in [low, high), or 1 or 0 plus or minus 2^(low...high).
struct Domain {
  enum Kind : std::uint8_t { kEven, kAroundZero, kAboveZero, kAroundOne, kAboveOne } kind;
  double low;
  double high;
};

class Arguments {
 public:
  double next(const Domain& domain) {
    if (domain.kind == Domain::kEven) { return even(domain.low, domain.high); }
    const double size = std::exp2(even(domain.low, domain.high)) * even(1, 1.001);
    const double sign = (random_() & 1) != 0 ? 1 : -1;
    switch (domain.kind) {
      case Domain::kAroundZero:
        return sign * size;
      case Domain::kAboveZero:
        return size;
      case Domain::kAroundOne:
        return 1 + sign * size;
      default:
        return 1 + size;
    }
  }

 private:
  double even(double low, double high) { return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53); }
  std::mt19937_64 random_{20240229};
};

/// Arguments a function: 20 000, and 1 000 000 with POLHODE_LONG=1 in the environment.
int count_per_function() {
  const char* wish = std::getenv("POLHODE_LONG");
  return wish != nullptr && std::string(wish) == "1" ? 1'000'000 : 20'000;
}

struct Unary {
  const char* name;
  double (*ours)(double);
  Wide (*exact)(const Wide&);
  double bound;  ///< worst error in ulp: measured over 1e6 arguments, plus a margin of 0.04 to 0.15
  std::vector<Domain> domains;
};
struct Binary {
  const char* name;
  double (*ours)(double, double);
  Wide (*exact)(const Wide&, const Wide&);
  double bound;
  std::vector<std::pair<Domain, Domain>> domains;
};

#define UNARY(function, bound, ...)                                                                               \
  Unary {                                                                                                         \
    #function, [](double x) { return portable::function(x); }, [](const Wide& x) -> Wide { return function(x); }, \
        bound, {                                                                                                  \
      __VA_ARGS__                                                                                                 \
    }                                                                                                             \
  }
#define BINARY(function, bound, ...)                                                  \
  Binary {                                                                            \
    #function, [](double x, double y) { return portable::function(x, y); },           \
        [](const Wide& x, const Wide& y) -> Wide { return function(x, y); }, bound, { \
      __VA_ARGS__                                                                     \
    }                                                                                 \
  }

using D = Domain;

/// The accuracy that the functions promise, over their whole domains.
const std::vector<Unary>& unary_functions() {
  static const std::vector<Unary> functions = {
      UNARY(sin, 0.9, {D::kEven, -7, 7}, {D::kAroundZero, -1074, 17}, {D::kEven, 0.6, 1.0}),
      UNARY(cos, 0.9, {D::kEven, -7, 7}, {D::kAroundZero, -1074, 17}, {D::kEven, 0.6, 1.0}),
      UNARY(tan, 1.1, {D::kEven, -7, 7}, {D::kAroundZero, -1074, 17}, {D::kEven, 0.6, 1.0}),
      UNARY(asin, 0.65, {D::kEven, -1, 1}, {D::kAroundZero, -1074, 0 - 0.01}, {D::kEven, 0.999, 1}),
      UNARY(acos, 0.65, {D::kEven, -1, 1}, {D::kAroundZero, -1074, 0 - 0.01}, {D::kEven, 0.999, 1}),
      UNARY(atan, 0.65, {D::kEven, -3, 3}, {D::kAroundZero, -1074, 1023}, {D::kAroundZero, -4, 4}),
      UNARY(exp, 0.85, {D::kEven, -745, 709.7}, {D::kAroundZero, -1074, 9}, {D::kEven, -1, 1}),
      UNARY(expm1, 0.95, {D::kEven, -40, 709.7}, {D::kAroundZero, -1074, 9}, {D::kEven, -1, 1}),
      UNARY(log, 0.55, {D::kAboveZero, -1074, 1023}, {D::kAroundOne, -52, -1}, {D::kEven, 0.3, 3}),
      UNARY(log1p, 0.75, {D::kAboveZero, -1074, 1023}, {D::kAroundZero, -60, -0.01}, {D::kEven, -1, 1}),
      UNARY(log2, 0.55, {D::kAboveZero, -1074, 1023}, {D::kAroundOne, -52, -1}, {D::kEven, 0.3, 3}),
      UNARY(log10, 0.55, {D::kAboveZero, -1074, 1023}, {D::kAroundOne, -52, -1}, {D::kEven, 0.3, 3}),
      UNARY(sinh, 0.85, {D::kEven, -710.4, 710.4}, {D::kAroundZero, -1074, 9}, {D::kEven, -2, 2}),
      UNARY(cosh, 0.75, {D::kEven, -710.4, 710.4}, {D::kAroundZero, -1074, 9}, {D::kEven, -2, 2}),
      UNARY(tanh, 0.85, {D::kEven, -25, 25}, {D::kAroundZero, -1074, 9}, {D::kEven, -2, 2}),
      UNARY(asinh, 1.1, {D::kEven, -3, 3}, {D::kAroundZero, -1074, 1023}, {D::kAroundZero, -4, 32}),
      UNARY(acosh, 0.65, {D::kEven, 1, 10}, {D::kAboveOne, -52, 1023}, {D::kAboveOne, -8, 32}),
      UNARY(atanh, 0.65, {D::kEven, -1, 1}, {D::kAroundZero, -1074, -0.01}, {D::kEven, 0.999, 1}),
      UNARY(cbrt, 0.6, {D::kEven, -9, 9}, {D::kAroundZero, -1074, 1023}),
  };
  return functions;
}
Wide wide_hypot(const Wide& x, const Wide& y) { return sqrt(x * x + y * y); }
const std::vector<Binary>& binary_functions() {
  static const std::vector<Binary> functions = {
      BINARY(atan2, 0.65, {{D::kEven, -1, 1}, {D::kEven, -1, 1}},
             {{D::kAroundZero, -1074, 1023}, {D::kAroundZero, -1074, 1023}},
             {{D::kAroundZero, -4, 4}, {D::kAroundZero, -4, 4}}),
      BINARY(pow, 0.85, {{D::kAboveZero, -1074, 1023}, {D::kAroundZero, -10, 10}},
             {{D::kEven, 0, 3}, {D::kEven, -640, 640}}, {{D::kAroundOne, -50, -1}, {D::kAroundZero, 0, 60}}),
      Binary{"hypot",
             [](double x, double y) { return portable::hypot(x, y); },
             wide_hypot,
             1.25,
             {{{D::kEven, -1, 1}, {D::kEven, -1, 1}},
              {{D::kAroundZero, -1074, 1022}, {D::kAroundZero, -1074, 1022}},
              {{D::kAroundZero, -1074, -1020}, {D::kAroundZero, -1074, -1020}}}},
  };
  return functions;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Doubles nearest to multiples of π/2, found by continued fractions of (π/2)/2^e for every exponent e; the first
/// eight below 102 944, where the quick reduction ends, the others above. Distances 2^-52.9 to 2^-60.9.
constexpr double kNearQuarterTurns[] = {0x1.6c6cbc45dc8dep+5,   0x1.6c6cbc45dc8dep+6,   0x1.6c6cbc45dc8dep+9,
                                        0x1.6c6cbc45dc8dep+11,  0x1.921fb54442d18p+0,   0x1.6c6cbc45dc8dep+12,
                                        0x1.921fb54442d18p+1,   0x1.6c6cbc45dc8dep+15,  0x1.6ac5b262ca1ffp+849,
                                        0x1.6ac5b262ca1ffp+850, 0x1.b951f1572eba5p+23,  0x1.504cac51f1eafp+131,
                                        0x1.e009c53148be1p+991, 0x1.4c96c11134d36p+577, 0x1.cfe482285f8edp+860,
                                        0x1.db41f3cb71d7bp+680, 0x1.e7e44a78ac18cp+197, 0x1.c45cd11154dfdp+295};

}  // namespace

TEST_CASE("functions of one number keep their error bound over all exponents") {
  for (const Unary& function : unary_functions()) {
    Arguments arguments;
    double worst = 0;
    double worst_x = 0;
    for (const Domain& domain : function.domains) {
      const int count = count_per_function() / static_cast<int>(function.domains.size());
      for (int i = 0; i < count; ++i) {
        const double x = arguments.next(domain);
        const double error = ulp_error(function.ours(x), function.exact(Wide(x)));
        if (!(error <= worst)) {
          worst = error;
          worst_x = x;
        }
      }
    }
    MESSAGE(std::string(function.name), ": worst error ", worst, " ulp, bound ", function.bound);
    CAPTURE(std::string(function.name));
    CAPTURE(worst_x);
    CHECK(worst <= function.bound);
  }
}

TEST_CASE("functions of two numbers keep their error bound over all exponents") {
  for (const Binary& function : binary_functions()) {
    Arguments arguments;
    double worst = 0;
    double worst_x = 0;
    double worst_y = 0;
    for (const auto& [x_domain, y_domain] : function.domains) {
      const int count = count_per_function() / static_cast<int>(function.domains.size());
      for (int i = 0; i < count; ++i) {
        const double x = arguments.next(x_domain);
        const double y = arguments.next(y_domain);
        const Wide exact = function.exact(Wide(x), Wide(y));
        // what is not a double is checked with the special values
        if (abs(exact) > Wide(kMax) || abs(exact) < Wide(kTiny)) { continue; }
        const double error = ulp_error(function.ours(x, y), exact);
        if (!(error <= worst)) {
          worst = error;
          worst_x = x;
          worst_y = y;
        }
      }
    }
    MESSAGE(std::string(function.name), ": worst error ", worst, " ulp, bound ", function.bound);
    CAPTURE(std::string(function.name));
    CAPTURE(worst_x);
    CAPTURE(worst_y);
    CHECK(worst <= function.bound);
  }
}

TEST_CASE("sine, cosine and tangent keep their error bound for angles up to 1e308") {
  Arguments arguments;
  double worst_sin_cos = 0;
  double worst_tan = 0;
  for (int i = 0; i < count_per_function() / 20; ++i) {
    const double x = arguments.next({D::kAroundZero, 16, 1023.9});
    const Huge s = sin(Huge(x));
    const Huge c = cos(Huge(x));
    worst_sin_cos = std::max(worst_sin_cos, ulp_error(portable::sin(x), Wide(s)));
    worst_sin_cos = std::max(worst_sin_cos, ulp_error(portable::cos(x), Wide(c)));
    worst_tan = std::max(worst_tan, ulp_error(portable::tan(x), Wide(s / c)));
  }
  CHECK(worst_sin_cos <= 0.9);  // the bounds of the table above
  CHECK(worst_tan <= 1.1);
}

TEST_CASE("sine, cosine and tangent keep their error bound at the doubles nearest to multiples of a quarter turn") {
  for (const double near : kNearQuarterTurns) {
    for (const double x : {near, std::nextafter(near, 0), std::nextafter(near, kInf), -near}) {
      CAPTURE(x);
      const Huge s = sin(Huge(x));
      const Huge c = cos(Huge(x));
      CHECK(ulp_error(portable::sin(x), Wide(s)) <= 0.9);
      CHECK(ulp_error(portable::cos(x), Wide(c)) <= 0.9);
      CHECK(ulp_error(portable::tan(x), Wide(s / c)) <= 1.1);
    }
  }
}

TEST_CASE("nothing happens at the points where a method changes") {
  const double points[] = {
      portable::kModerateAngle, 0.25, 1 / 1.375, 0x1p-30,    0x1p-28,   0x1p30, 0x1p60,    0.346574,
      std::log(2.0) / 2,        20,   40,        0.70703125, 1.4140625, 1,      0x1p-1022, 0.78539816339744831};
  for (const Unary& function : unary_functions()) {
    for (const double point : points) {
      double x = point;
      for (int step = 0; step < 8; ++step) { x = std::nextafter(x, 0); }
      for (int step = 0; step < 16; ++step, x = std::nextafter(x, kInf)) {
        const double ours = function.ours(x);
        if (std::isnan(ours) || std::isinf(ours)) { continue; }  // outside the domain: the special values
        CAPTURE(std::string(function.name));
        CAPTURE(x);
        const double error = ulp_error(ours, function.exact(Wide(x)));
        if (!(error <= function.bound)) { CHECK(error <= function.bound); }
      }
    }
  }
}

TEST_CASE("odd functions are odd and even functions even, to the bit") {
  Arguments arguments;
  for (int i = 0; i < 20000; ++i) {
    const double x = arguments.next({D::kAroundZero, -1074, 1023});
    const double y = arguments.next({D::kAroundZero, -1074, 1023});
    bool ok = same(portable::cos(-x), portable::cos(x)) && same(portable::cosh(-x), portable::cosh(x)) &&
              same(portable::hypot(-x, y), portable::hypot(x, y)) &&
              same(portable::atan2(-y, x), -portable::atan2(y, x));
    for (const auto odd : {portable::sin, portable::tan, portable::atan, portable::asin, portable::sinh, portable::tanh,
                           portable::asinh, portable::atanh, portable::cbrt}) {
      ok = ok && same(odd(-x), -odd(x));
    }
    CAPTURE(x);
    if (!ok) { CHECK(ok); }
  }
}

TEST_CASE("functions of one number have the special values of C99 Annex F") {
  struct Row {
    double (*function)(double);
    double x;
    double value;
  };
  const double half_pi = 0x1.921fb54442d18p+0;
  const Row rows[] = {
      {portable::sin, 0.0, 0.0},
      {portable::sin, -0.0, -0.0},
      {portable::sin, kInf, kNaN},
      {portable::sin, kTiny, kTiny},
      {portable::cos, 0.0, 1.0},
      {portable::cos, -0.0, 1.0},
      {portable::cos, -kInf, kNaN},
      {portable::cos, kTiny, 1},
      {portable::tan, 0.0, 0.0},
      {portable::tan, -0.0, -0.0},
      {portable::tan, kInf, kNaN},
      {portable::tan, -kTiny, -kTiny},
      {portable::asin, -0.0, -0.0},
      {portable::asin, 1, half_pi},
      {portable::asin, -1, -half_pi},
      {portable::asin, 1.0000001, kNaN},
      {portable::asin, kTiny, kTiny},
      {portable::asin, -kInf, kNaN},
      {portable::acos, 1, 0.0},
      {portable::acos, -1, 2 * half_pi},
      {portable::acos, 0.0, half_pi},
      {portable::acos, -0.0, half_pi},
      {portable::acos, -1.5, kNaN},
      {portable::acos, kInf, kNaN},
      {portable::atan, -0.0, -0.0},
      {portable::atan, kInf, half_pi},
      {portable::atan, -kInf, -half_pi},
      {portable::atan, kTiny, kTiny},
      {portable::atan, kMax, half_pi},
      {portable::exp, 0.0, 1},
      {portable::exp, -0.0, 1},
      {portable::exp, kInf, kInf},
      {portable::exp, -kInf, 0.0},
      {portable::exp, 709.79, kInf},
      {portable::exp, -745.2, 0.0},
      {portable::exp, kMax, kInf},
      {portable::exp, -kMax, 0.0},
      {portable::expm1, 0.0, 0.0},
      {portable::expm1, -0.0, -0.0},
      {portable::expm1, kInf, kInf},
      {portable::expm1, -kInf, -1},
      {portable::expm1, -50, -1},
      {portable::expm1, 709.79, kInf},
      {portable::expm1, -kTiny, -kTiny},
      {portable::log, 0.0, -kInf},
      {portable::log, -0.0, -kInf},
      {portable::log, 1, 0.0},
      {portable::log, -1, kNaN},
      {portable::log, kInf, kInf},
      {portable::log, -kInf, kNaN},
      {portable::log2, 8, 3},
      {portable::log2, kTiny, -1074},
      {portable::log2, 0x1p1023, 1023},
      {portable::log2, 1, 0.0},
      {portable::log2, -0.0, -kInf},
      {portable::log10, 1000, 3},
      {portable::log10, 1e22, 22},
      {portable::log10, 0.0, -kInf},
      {portable::log10, -2, kNaN},
      {portable::log1p, -0.0, -0.0},
      {portable::log1p, 0.0, 0.0},
      {portable::log1p, -1, -kInf},
      {portable::log1p, -1.5, kNaN},
      {portable::log1p, kInf, kInf},
      {portable::log1p, kTiny, kTiny},
      {portable::sinh, -0.0, -0.0},
      {portable::sinh, kInf, kInf},
      {portable::sinh, -kInf, -kInf},
      {portable::sinh, 711, kInf},
      {portable::sinh, -kTiny, -kTiny},
      {portable::cosh, -0.0, 1},
      {portable::cosh, -kInf, kInf},
      {portable::cosh, 711, kInf},
      {portable::tanh, -0.0, -0.0},
      {portable::tanh, kInf, 1},
      {portable::tanh, -kInf, -1},
      {portable::asinh, -0.0, -0.0},
      {portable::asinh, -kInf, -kInf},
      {portable::asinh, kTiny, kTiny},
      {portable::acosh, 1, 0.0},
      {portable::acosh, 0.999, kNaN},
      {portable::acosh, kInf, kInf},
      {portable::acosh, -kInf, kNaN},
      {portable::atanh, -0.0, -0.0},
      {portable::atanh, 1, kInf},
      {portable::atanh, -1, -kInf},
      {portable::atanh, 1.5, kNaN},
      {portable::atanh, kInf, kNaN},
      {portable::cbrt, -0.0, -0.0},
      {portable::cbrt, -kInf, -kInf},
      {portable::cbrt, -27, -3},
      {portable::cbrt, 0x1p-1074, 0x1p-358},
  };
  for (const Row& row : rows) {
    CAPTURE(&row - rows);
    CAPTURE(row.x);
    const double got = row.function(row.x);
    CAPTURE(got);
    CHECK(same(got, row.value));
  }
  for (const Unary& function : unary_functions()) {
    CAPTURE(std::string(function.name));
    CHECK(std::isnan(function.ours(kNaN)));
    CHECK(std::isnan(function.ours(-kNaN)));
  }
}

TEST_CASE("functions of two numbers have the special values of C99 Annex F") {
  struct Row {
    double (*function)(double, double);
    double x;
    double y;
    double value;
  };
  const double pi = 0x1.921fb54442d18p+1;
  const double below_one = std::nextafter(1.0, 0.0);
  const Row rows[] = {
      {portable::atan2, 0.0, -0.0, pi},
      {portable::atan2, -0.0, -0.0, -pi},
      {portable::atan2, 0.0, 0.0, 0.0},
      {portable::atan2, -0.0, 0.0, -0.0},
      {portable::atan2, -0.0, -1, -pi},
      {portable::atan2, 0.0, 1, 0.0},
      {portable::atan2, -1, 0.0, -pi / 2},
      {portable::atan2, 1, -0.0, pi / 2},
      {portable::atan2, 1, -kInf, pi},
      {portable::atan2, -1, kInf, -0.0},
      {portable::atan2, kInf, 1, pi / 2},
      {portable::atan2, -kInf, -1, -pi / 2},
      {portable::atan2, kInf, kInf, pi / 4},
      {portable::atan2, -kInf, -kInf, -0x1.2d97c7f3321d2p+1},
      {portable::atan2, kNaN, 1, kNaN},
      {portable::atan2, 1, kNaN, kNaN},
      {portable::atan2, kInf, kNaN, kNaN},
      {portable::atan2, kTiny, kTiny, pi / 4},
      {portable::atan2, kMax, -kTiny, pi / 2},
      {portable::atan2, kTiny, kMax, 0.0},
      {portable::hypot, kInf, kNaN, kInf},
      {portable::hypot, kNaN, -kInf, kInf},
      {portable::hypot, kNaN, 1, kNaN},
      {portable::hypot, -0.0, -0.0, 0.0},
      {portable::hypot, -3, 4, 5},
      {portable::hypot, kMax, kMax, kInf},
      {portable::hypot, kTiny, 0.0, kTiny},
      {portable::hypot, 3e300, 4e300, 5e300},
      {portable::hypot, kMax, 1, kMax},
      {portable::pow, kNaN, 0.0, 1},
      {portable::pow, 1, kNaN, 1},
      {portable::pow, kNaN, 1, kNaN},
      {portable::pow, 2, kNaN, kNaN},
      {portable::pow, -1, kInf, 1},
      {portable::pow, -1, -kInf, 1},
      {portable::pow, 0.5, kInf, 0.0},
      {portable::pow, 0.5, -kInf, kInf},
      {portable::pow, -2, kInf, kInf},
      {portable::pow, 2, -kInf, 0.0},
      {portable::pow, 0.0, -3, kInf},
      {portable::pow, -0.0, -3, -kInf},
      {portable::pow, -0.0, -2, kInf},
      {portable::pow, -0.0, 3, -0.0},
      {portable::pow, -0.0, 0.5, 0.0},
      {portable::pow, kInf, -1, 0.0},
      {portable::pow, kInf, 0.1, kInf},
      {portable::pow, -kInf, 3, -kInf},
      {portable::pow, -kInf, -3, -0.0},
      {portable::pow, -kInf, 2, kInf},
      {portable::pow, -8, 1.0 / 3, kNaN},
      {portable::pow, -2, 3, -8},
      {portable::pow, -2, 2, 4},
      {portable::pow, 2, -1074, kTiny},
      {portable::pow, 10, 308, 1e308},
      {portable::pow, 2, 1024, kInf},
      {portable::pow, -2, 1025, -kInf},
      {portable::pow, -2, -1077, -0.0},
      {portable::pow, 2, 1e300, kInf},
      {portable::pow, 2, -1e300, 0.0},
      {portable::pow, below_one, 1e300, 0.0},
      {portable::pow, 7, 1, 7},
      {portable::pow, -3, 0x1p53, kInf},
      {portable::pow, -1, 0x1p53 - 1, -1},
      {portable::pow, -1, 0x1p53, 1},
      {portable::pow, 2, kTiny, 1},
  };
  for (const Row& row : rows) {
    CAPTURE(&row - rows);
    CAPTURE(row.x);
    CAPTURE(row.y);
    const double got = row.function(row.x, row.y);
    CAPTURE(got);
    CHECK(same(got, row.value));
  }
}

TEST_CASE("the functions without a branch give the bits of the others") {
  Arguments arguments;
  for (int i = 0; i < 20000; ++i) {
    const double x = arguments.next({D::kAroundZero, -900, 16});
    const double y = arguments.next({D::kAroundZero, -900, 16});
    const portable::SinCosValues a = portable::sincos(x);
    const portable::SinCosValues b = portable::sincos_moderate(x);
    CAPTURE(x);
    CAPTURE(y);
    const bool ok = same(a.sin, b.sin) && same(a.cos, b.cos) && same(a.sin, portable::sin(x)) &&
                    same(a.cos, portable::cos(x)) && same(portable::atan2(y, x), portable::atan2_moderate(y, x));
    if (!ok) { CHECK(ok); }
  }
  for (const double y : {0.0, -0.0}) {
    for (const double x : {0.0, -0.0}) { CHECK(same(portable::atan2(y, x), portable::atan2_moderate(y, x))); }
  }
}

TEST_CASE("float functions are the double functions rounded once") {
  Arguments arguments;
  for (int i = 0; i < 10000; ++i) {
    const auto x = static_cast<float>(arguments.next({D::kAroundZero, -140, 120}));
    const auto y = static_cast<float>(arguments.next({D::kEven, -1, 1}));
    // rounding the correct result to float: double is so much finer that ½ ulp becomes 0.5000001 ulp
    const bool ok =
        math::sin(x) == static_cast<float>(portable::sin(static_cast<double>(x))) &&
        math::sincos(x).cos == math::cos(x) &&
        math::acos(y) == static_cast<float>(portable::acos(static_cast<double>(y))) &&
        math::atan2(x, y) == static_cast<float>(portable::atan2(static_cast<double>(x), static_cast<double>(y)));
    CAPTURE(x);
    if (!ok) { CHECK(ok); }
  }
  static_assert(std::is_same_v<decltype(math::exp(1.0F)), float>);
  CHECK(math::exp(1.0F) == 2.71828183F);
}

TEST_CASE("every other number type uses its own functions under the same spelling") {
  CHECK(math::sin(1.0L) == std::sin(1.0L));
  CHECK(math::pow(2.0L, 0.5L) == std::pow(2.0L, 0.5L));
  CHECK(math::tanh(std::complex<double>(0.3, 0.4)) == std::tanh(std::complex<double>(0.3, 0.4)));
  CHECK(math::log1p(Wide(1) / 3) == Wide(log1p(Wide(1) / 3)));
  CHECK(math::cbrt(Wide(2)) == Wide(cbrt(Wide(2))));
  // a complex step through atan2 and hypot: d/dy atan2(y, x) = x/(x² + y²), d/dy hypot = y/hypot; rounding 4 ulp
  const std::complex<double> y(3, 1e-40);
  const std::complex<double> x(4, 0);
  CHECK(math::atan2(y, x).imag() / 1e-40 == doctest::Approx(4.0 / 25).epsilon(1e-15));
  CHECK(math::hypot(x, y).imag() / 1e-40 == doctest::Approx(3.0 / 5).epsilon(1e-15));
}
