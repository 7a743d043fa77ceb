#include "polhode/math/error_free.h"

#include "support/random.h"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cmath>

using namespace polhode;

namespace {

using FiftyDigits = boost::multiprecision::cpp_bin_float_50;

template <class S>
FiftyDigits whole(const math::TwoParts<S>& x) {
  return FiftyDigits(x.high) + FiftyDigits(x.low);
}

}  // namespace

TEST_CASE("sums and products in two parts are exact, quotients to twice the digits") {
  test::Random random;
  for (int n = 0; n < 2000; ++n) {
    const double a = random.between(-1, 1);
    const double b = random.between(-1, 1) * std::exp2(random.between(-40, 40));
    CHECK(whole(math::two_sum(a, b)) == FiftyDigits(a) + FiftyDigits(b));
    CHECK(whole(math::two_prod(a, b)) == FiftyDigits(a) * FiftyDigits(b));
    CHECK(whole(math::fast_two_sum(std::fabs(a) < std::fabs(b) ? b : a, std::fabs(a) < std::fabs(b) ? a : b)) ==
          FiftyDigits(a) + FiftyDigits(b));
    // half a place of the quotient is 2^-53 of it, and low is good to that again
    const FiftyDigits exact = FiftyDigits(a) / FiftyDigits(b);
    CHECK(abs(whole(math::two_quotient(a, b)) - exact) <= abs(exact) * ldexp(FiftyDigits(1), -104));
    const long double c = static_cast<long double>(a) / 3;
    CHECK(whole(math::two_prod<long double>(c, static_cast<long double>(b))) == FiftyDigits(c) * FiftyDigits(b));
  }
}

TEST_CASE("a long sum loses nothing, not even changes far below the last place of the sum") {
  test::Random random;
  double sum = 1;
  double rest = 0;
  double plain = 1;
  FiftyDigits changes(1);
  double rest_with_change = 0;
  double compensated = 1;
  FiftyDigits exact(1);
  for (int n = 0; n < 100000; ++n) {
    const double change = random.between(-0.1, 0.1);
    math::add_carrying(sum, rest, change);
    rest += 1e-19;  // what a caller knows beyond the digits of the change
    exact += FiftyDigits(change) + FiftyDigits(1e-19);
    plain += change;
    changes += FiftyDigits(change);
    // the wrong twin: rest and change added up first
    const math::TwoParts<double> next = math::two_sum(compensated, change + rest_with_change);
    compensated = next.high;
    rest_with_change = next.low + 1e-19;
  }
  // 1e5 sums of numbers of the size of rest, 1e-16, each rounded to its own digits
  CHECK(abs(FiftyDigits(sum) + FiftyDigits(rest) - exact) < 1e-26);
  CHECK(abs(FiftyDigits(plain) - changes) > 1e-15);
  CHECK(abs(FiftyDigits(compensated) + FiftyDigits(rest_with_change) - exact) > 1e-15);
}
