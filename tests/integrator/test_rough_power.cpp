#include "polhode/integrator/rough_power.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace polhode;

TEST_CASE("powers for step lengths are good to three digits") {
  // what the polynomials leave out: 7.3e-4 of log2 and 1.1e-4 of 2^x
  constexpr double kLog2 = 7.3e-4;
  constexpr double kExp2 = 1.1e-4;
  test::Random random;
  double worst = 0;
  for (int n = 0; n < 20000; ++n) {
    const double log10 = random.between(-30, 30);
    const double x = std::pow(10.0, log10);
    const double p = random.between(-1, 1);
    CHECK(std::fabs(rough_log2(x) - std::log2(x)) < kLog2);
    const double off = std::fabs(rough_power(x, p) / std::pow(x, p) - 1);
    CHECK(off < 1.01 * (kExp2 + std::fabs(p) * kLog2 * std::log(2.0)));
    worst = std::fmax(worst, off);
  }
  CHECK(worst > 1e-4);  // three digits, no more: the bounds above are close
}

TEST_CASE("powers for step lengths stay finite and positive whatever the number") {
  for (const double x : {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::min(), 1.0,
                         std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()}) {
    for (const double p : {-1.0, -0.1, 0.0, 0.1, 1.0}) {
      const double power = rough_power(x, p);
      CHECK(std::isfinite(power));
      CHECK(power > 0);
    }
  }
}
