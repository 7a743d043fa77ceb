// Elliptic functions against Boost.Math in 50 digits and against each other; two-double arithmetic against 50 digits.
#include "polhode/math/elliptic.h"
#include "polhode/math/theta.h"
#include "support/precise.h"
#include "support/random.h"

#include <doctest/doctest.h>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/ellint_3.hpp>
#include <boost/math/special_functions/ellint_rf.hpp>
#include <boost/math/special_functions/ellint_rj.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>

#include <algorithm>

using namespace polhode;
using test::Precise;

namespace {

double relative(const Precise& computed, const Precise& exact) {
  return static_cast<double>(boost::multiprecision::abs(computed - exact) / boost::multiprecision::abs(exact));
}
Precise wide(const DoubleDouble& x) { return Precise(x.high) + Precise(x.low); }
/// The modulus k that Boost asks for.
Precise modulus(double m1) { return sqrt(1 - Precise(m1)); }

}  // namespace

TEST_CASE("sums and products of two doubles are exact") {
  test::Random random;
  for (int n = 0; n < 2000; ++n) {
    const double a = random.logarithmic(1e-8, 1e8) * (n % 2 == 0 ? 1 : -1);
    const double b = random.logarithmic(1e-8, 1e8);
    const math::TwoDoubles sum = math::two_sum(a, b);
    const math::TwoDoubles product = math::two_prod(a, b);
    CHECK(wide(DoubleDouble(sum)) == Precise(a) + Precise(b));
    CHECK(wide(DoubleDouble(product)) == Precise(a) * Precise(b));
  }
}

TEST_CASE("two-double arithmetic is good to 2^-102, exponential and sines to 2^-98") {
  test::Random random;
  double worst = 0;
  double worst_function = 0;
  for (int n = 0; n < 2000; ++n) {
    const DoubleDouble a = DoubleDouble(random.between(-9, 9)) / DoubleDouble(7);
    const DoubleDouble b = DoubleDouble(random.between(1, 9)) / DoubleDouble(3);
    for (const auto& [computed, exact] : {std::pair{a + b, wide(a) + wide(b)}, std::pair{a * b, wide(a) * wide(b)},
                                          std::pair{a / b, wide(a) / wide(b)}, std::pair{sqrt(b), sqrt(wide(b))}}) {
      const Precise size = boost::multiprecision::abs(wide(a)) + wide(b);  // sums may cancel
      worst = std::max(worst, static_cast<double>(boost::multiprecision::abs(wide(computed) - exact) / size));
    }
    const DoubleDouble x = a * DoubleDouble(10);
    worst_function = std::max(worst_function, relative(wide(exp(x)), exp(wide(x))));
    for (const auto& [computed, exact] : {std::pair{sin(x), sin(wide(x))}, std::pair{cos(x), cos(wide(x))}}) {
      worst_function =
          std::max(worst_function, static_cast<double>(boost::multiprecision::abs(wide(computed) - exact)));
    }
  }
  CHECK(worst < 0x1p-102);
  CHECK(worst_function < 0x1p-98);
  CHECK(wide(round(DoubleDouble(4503599627370497.0) + DoubleDouble(0.25))) == Precise(4503599627370497.0));
}

TEST_CASE("Carlson's integrals agree with Boost in 50 digits and keep 15 of them in double") {
  test::Random random;
  double worst50 = 0;
  double worst = 0;
  for (int n = 0; n < 60; ++n) {
    const double x = n % 5 == 0 ? 0 : random.logarithmic(1e-12, 10);
    const double y = random.logarithmic(1e-12, 10);
    const double z = random.logarithmic(1e-3, 10);
    const double p = random.logarithmic(1e-6, 1e3);
    const Precise rf = boost::math::ellint_rf(Precise(x), Precise(y), Precise(z));
    const Precise rj = boost::math::ellint_rj(Precise(x), Precise(y), Precise(z), Precise(p));
    worst50 = std::max({worst50, relative(elliptic::R_F(Precise(x), Precise(y), Precise(z)), rf),
                        relative(elliptic::R_J(Precise(x), Precise(y), Precise(z), Precise(p)), rj)});
    worst = std::max({worst, relative(elliptic::R_F(x, y, z), rf), relative(elliptic::R_J(x, y, z, p), rj)});
  }
  CHECK(worst50 < 1e-47);  // 20 to 40 steps with a few roundings of 1e-50 each
  CHECK(worst < 3e-15);
}

TEST_CASE("F, K and Pi agree with Boost, for every m1 from 1e-16 to 1, and keep all digits near m = 1") {
  test::Random random;
  double worst50 = 0;
  double worst = 0;
  for (int n = 0; n < 60; ++n) {
    const double m1 = n % 6 == 0 ? 1 - random.logarithmic(1e-16, 1) : random.logarithmic(1e-16, 1);
    const double phi = random.between(-7, 7);
    const double characteristic = -random.logarithmic(1e-3, 1e3);
    const Precise k = modulus(m1);
    const Precise first = boost::math::ellint_1(k, Precise(phi));
    const Precise complete = boost::math::ellint_1(k);
    const Precise third = boost::math::ellint_3(k, Precise(characteristic), Precise(phi));
    worst50 = std::max({worst50, relative(elliptic::F(Precise(phi), Precise(m1)), first),
                        relative(elliptic::complete_K(Precise(m1)), complete),
                        relative(elliptic::Pi(Precise(characteristic), Precise(phi), Precise(m1)), third)});
    // φ itself is rounded at ±7, and dF/dφ is up to 1/√m1 there, so double is compared inside one quarter turn
    const double small = random.between(-1.5, 1.5);
    const Precise small_first = boost::math::ellint_1(k, Precise(small));
    const Precise small_third = boost::math::ellint_3(k, Precise(characteristic), Precise(small));
    worst =
        std::max({worst, relative(elliptic::F(small, m1), small_first), relative(elliptic::complete_K(m1), complete),
                  // relative to F, the larger of the two terms it is made of
                  static_cast<double>(boost::multiprecision::abs(
                      (elliptic::Pi(characteristic, small, m1) - small_third) / small_first))});
  }
  CHECK(worst50 < 1e-32);  // k = √(1 − m1) loses 1e-50/1e-16, the loss that m1 is there to avoid
  CHECK(worst < 3e-15);
}

TEST_CASE("the Jacobi functions agree with Boost, and the amplitude is the inverse of F") {
  test::Random random;
  double worst50 = 0;
  double worst = 0;
  double worst_table = 0;
  double worst_inverse = 0;
  for (int n = 0; n < 60; ++n) {
    const double m1 = n % 6 == 0 ? 1 - random.logarithmic(1e-16, 1) : random.logarithmic(1e-16, 1);
    const double K = elliptic::complete_K(m1);
    const double tau = random.between(-1, 1) * K;
    Precise cn;
    Precise dn;
    const Precise sn = boost::math::jacobi_elliptic(modulus(m1), Precise(tau), &cn, &dn);
    const elliptic::Jacobi<Precise> fine = elliptic::jacobi(Precise(tau), Precise(m1));
    const elliptic::Jacobi<double> plain = elliptic::jacobi(tau, m1);
    const double m = 1 - m1;
    const elliptic::JacobiTable<double> table(K, m > 0 ? elliptic::complete_K(m) : elliptic::kNoPeriod);
    const elliptic::Jacobi<double> quick = table.at(tau);
    const auto off = [](const auto& a, const Precise& b) {
      return static_cast<double>(boost::multiprecision::abs(Precise(a) - b));
    };
    worst50 = std::max({worst50, off(fine.sn, sn), off(fine.cn, cn), off(fine.dn, dn)});
    worst = std::max({worst, off(plain.sn, sn), off(plain.cn, cn), off(plain.dn, dn)});
    worst_table = std::max({worst_table, off(quick.sn, sn), off(quick.cn, cn), off(quick.dn, dn)});
    const Precise back = elliptic::F(elliptic::am(Precise(tau) * 5, Precise(m1)), Precise(m1));
    worst_inverse = std::max(worst_inverse, relative(back, Precise(tau) * 5));
  }
  CHECK(worst50 < 1e-31);        // Boost's modulus again
  CHECK(worst_inverse < 1e-33);  // am next to odd multiples of π/2 is as sensitive as 1/√m1
  CHECK(worst < 2e-14);          // the amplitude comes from 2^N a_N τ with 2^N up to 128
  CHECK(worst_table < 3e-15);    // quotients of sums of like terms; K rounded
}

TEST_CASE("theta functions: both series give the same function, and the derivative is that of the function") {
  // the two series meet where K' = K; a step across must not show. Quotients with their phases, 50 digits
  const Precise K("1.7");
  const Precise y("0.6");
  const Precise tau("-0.9");
  const auto ratio = [&](const Precise& Kprime) {
    const elliptic::ThetaLine<Precise> line(K, Kprime, y);
    const elliptic::ThetaLine<Precise> base(K, Kprime, Precise(0));
    const auto value = [&](const Precise& at) {
      const auto wave = line.wave(at);
      const Precise phase = line.phase_slope() * at;
      const elliptic::Complex<Precise> turn{cos(phase), sin(phase)};
      return 1 / base.theta<4>(base.wave(at)).re * (turn * line.theta<1>(wave));
    };
    // ϑ1(τ + iy)/ϑ4(τ) over its value at K: free of the constants left out
    const elliptic::Complex<Precise> a = value(tau);
    const elliptic::Complex<Precise> b = value(K);
    return 1 / norm_squared(b) * (a * conjugate(b));
  };
  const elliptic::Complex<Precise> above = ratio(K + Precise("1e-30"));
  const elliptic::Complex<Precise> below = ratio(K - Precise("1e-30"));
  CHECK(static_cast<double>(sqrt(norm_squared(above - below))) < 1e-28);

  for (const char* text : {"0.7", "3.1"}) {
    const elliptic::ThetaLine<Precise> line(K, Precise(text), y / 2);
    const Precise h("1e-16");
    const auto check = [&]<int I>() {
      const auto turned = [&](const Precise& at) {
        // the scale exp(−|X|) of the hyperbolic series is taken out again
        const auto wave = line.wave(at);
        const Precise scale =
            Precise(text) < K
                ? exp(boost::multiprecision::abs(at) * atan2(Precise(0), Precise(-1)) / (2 * Precise(text)))
                : Precise(1);
        const Precise phase = line.phase_slope() * (at - tau);
        return scale * (elliptic::Complex<Precise>{cos(phase), sin(phase)} * line.theta<I>(wave));
      };
      const elliptic::Complex<Precise> difference = 1 / (2 * h) * (turned(tau + h) - turned(tau - h));
      const Precise scale = sqrt(norm_squared(turned(tau)) / norm_squared(line.theta<I>(line.wave(tau))));
      const elliptic::Complex<Precise> slope = scale * line.slope<I>(line.wave(tau));
      CHECK(static_cast<double>(sqrt(norm_squared(difference - slope))) < 1e-28);  // h² × third derivative
    };
    check.operator()<1>();
    check.operator()<2>();
    check.operator()<3>();
    check.operator()<4>();
  }
}
