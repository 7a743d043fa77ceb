// Accuracy of everything that could cancel, underflow or branch, against 50-digit arithmetic on the same inputs.
#include "polhode/rotation.h"
#include "support/precise.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace polhode;
using test::Precise;
using test::ulps;

namespace {

EulerParameters<Precise> precise(const EulerParameters<double>& e) {
  return {Precise(e.e0), {Precise(e.ev.x), Precise(e.ev.y), Precise(e.ev.z)}};
}
Vec3<Precise> precise(const Vec3<double>& v) { return {Precise(v.x), Precise(v.y), Precise(v.z)}; }

Precise exact_angle(const EulerParameters<Precise>& e) {
  using boost::multiprecision::abs;
  return 2 * atan2(sqrt(norm_squared(e.ev)), abs(e.e0));
}

/// The rotation angle between two attitudes given in 50 digits, any norms.
double angle_between(const EulerParameters<Precise>& a, const EulerParameters<Precise>& b) {
  return static_cast<double>(exact_angle(relative_rotation(a, b)));
}

/// Unit Euler parameters with a rotation angle of about `angle`, from 1e-300 to π.
EulerParameters<double> turned_by(double angle, const Vec3<double>& axis) {
  return {std::cos(angle / 2), std::sin(angle / 2) * axis};
}

}  // namespace

TEST_CASE("angle and logarithm of Euler parameters are good to 4 ulp from 1e-300 to pi") {
  test::Random random;
  double worst_angle = 0;
  double worst_log = 0;
  const auto check = [&](const EulerParameters<double>& e) {
    const EulerParameters<Precise> exact = precise(e);
    worst_angle = std::max(worst_angle, ulps(rotation_angle(e), exact_angle(exact)));
    const Vec3<double> x = log(e);
    const Vec3<Precise> exact_log =
        (2 * atan2(sqrt(norm_squared(exact.ev)), exact.e0) / sqrt(norm_squared(exact.ev))) * exact.ev;
    for (std::size_t i = 0; i < 3; ++i) { worst_log = std::max(worst_log, ulps(x[i], exact_log[i])); }
  };
  for (int n = 0; n < 20000; ++n) {
    check(turned_by(random.logarithmic(1e-300, 3.14), random.direction()));                  // all sizes
    check(turned_by(math::kPi<double> - random.logarithmic(1e-16, 1), random.direction()));  // near π
    check(-turned_by(random.logarithmic(1e-300, 3), random.direction()));                    // the other sign
    check(EulerParameters<double>{random.logarithmic(1e-300, 1), random.direction()});       // e0 → 0
  }
  CHECK(worst_angle <= 4);
  CHECK(worst_log <= 4);
}

TEST_CASE("the exponential of a rotation vector is good to a few ulp of 1, and to a few ulp of itself when small") {
  test::Random random;
  for (int n = 0; n < 5000; ++n) {
    const Vec3<double> x = random.logarithmic(1e-300, 6) * random.direction();
    const EulerParameters<double> e = exp(x);
    const Vec3<Precise> xp = precise(x);
    const Precise angle = sqrt(norm_squared(xp));
    const EulerParameters<Precise> exact{cos(angle / 2), (sin(angle / 2) / angle) * xp};
    CHECK(std::fabs(static_cast<double>(Precise(e.e0) - exact.e0)) < 4e-16);  // rounding of |x|/2 ≤ 3
    if (norm(x) < 3) {
      for (std::size_t i = 0; i < 3; ++i) { CHECK(ulps(e.ev[i], exact.ev[i]) <= 6); }  // norm, sine, quotient, product
    }
  }
}

TEST_CASE("Euler angles give the attitude back to rounding, also at and next to lock") {
  test::Random random;
  double worst = 0;
  for (EulerSequence sequence : all_sequences()) {
    for (const bool extrinsic : {false, true}) {
      sequence.extrinsic = extrinsic;
      const EulerAngles chart{sequence};
      const double lock = sequence.proper() ? 0 : math::kPi<double> / 2;
      for (int n = 0; n < 400; ++n) {
        const double off = n % 4 == 0 ? 0 : random.logarithmic(1e-18, 1);
        const double middle = n % 8 < 4 ? lock + off : (sequence.proper() ? math::kPi<double> : -lock) + off;
        const EulerParameters<double> e =
            chart.to_euler_parameters(Vec3<double>{random.between(-3, 3), middle, random.between(-3, 3)});
        const Vec3<double> angles = chart.from_euler_parameters(e);
        const EulerParameters<Precise> again = chart.to_euler_parameters(precise(angles));
        worst = std::max(worst, angle_between(precise(e), again));
      }
    }
  }
  CHECK(worst < 3e-15);  // three angles of up to π rounded to 4.4e-16 each, and 1.3e-15 dropped where lock is declared
}

TEST_CASE("small Euler angles keep their digits next to large ones") {
  test::Random random;
  for (const EulerSequence& sequence : all_sequences()) {
    if (sequence.proper()) { continue; }
    const EulerAngles chart{sequence};
    for (int n = 0; n < 200; ++n) {
      Vec3<double> angles = random.vector(n % 2 == 0 ? 1 : 1e-10);
      angles[static_cast<std::size_t>(n % 3)] = random.logarithmic(1e-150, 1e-5);
      // Euler parameters of these angles, correctly rounded; the exact angles of the rounded ones
      const EulerParameters<Precise> wide = chart.to_euler_parameters(precise(angles));
      const EulerParameters<double> e{
          static_cast<double>(wide.e0),
          {static_cast<double>(wide.ev.x), static_cast<double>(wide.ev.y), static_cast<double>(wide.ev.z)}};
      const Vec3<double> found = chart.from_euler_parameters(e);
      const Vec3<Precise> exact = chart.from_euler_parameters(precise(e));
      // each angle is as uncertain as the two products that its sine is made of: θ1 of e0 e_i and e_j e_l, and so on
      const Vec3<double> part{std::fabs(e.ev[static_cast<std::size_t>(sequence.axes[0])]),
                              std::fabs(e.ev[static_cast<std::size_t>(sequence.axes[1])]),
                              std::fabs(e.ev[static_cast<std::size_t>(sequence.axes[2])])};
      for (std::size_t i = 0; i < 3; ++i) {
        const double products = 2 * (std::fabs(e.e0) * part[i] + part[(i + 1) % 3] * part[(i + 2) % 3]);
        const double error = std::fabs(static_cast<double>(Precise(found[i]) - exact[i]));
        CAPTURE(sequence.name());
        CHECK(error < 2e-15 * (products + std::fabs(found[i])));  // cosines ≥ 0.29, 4 roundings
      }
    }
  }
}

TEST_CASE("matrix to Euler parameters and back is good to rounding for every angle from 1e-300 to pi") {
  test::Random random;
  for (int n = 0; n < 5000; ++n) {
    const double angle =
        n % 3 == 0 ? math::kPi<double> - random.logarithmic(1e-17, 1) : random.logarithmic(1e-300, 3.1);
    const EulerParameters<double> e = turned_by(angle, random.direction());
    const EulerParameters<double> again = from_matrix(rotation_matrix(e));
    CHECK(norm(nearest_sign(again, e) - e) < 1e-15);
    if (angle < 0.1) {  // a small rotation keeps its relative accuracy: its matrix entries do
      CHECK(norm(again.ev - e.ev) < 1e-15 * norm(e.ev));
    }
  }
}

TEST_CASE("Rodrigues, modified Rodrigues and reduced parameters are good to a few ulp at every size") {
  test::Random random;
  for (int n = 0; n < 5000; ++n) {
    const EulerParameters<double> e = turned_by(random.logarithmic(1e-300, 3.1), random.direction());
    const EulerParameters<Precise> exact = precise(e);
    const Vec3<double> g = Rodrigues{}.from_euler_parameters(e);
    const Vec3<double> m = ModifiedRodrigues{}.from_euler_parameters(e);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(ulps(g[i], exact.ev[i] / exact.e0) <= 1);
      CHECK(ulps(m[i], exact.ev[i] / (sqrt(norm_squared(exact)) + exact.e0)) <= 4);
    }
    // and back
    const auto back = [&](const auto& chart, const Vec3<double>& x) {
      return angle_between(precise(chart.to_euler_parameters(x)), chart.to_euler_parameters(precise(x)));
    };
    CHECK(back(Rodrigues{}, g) < 1e-15);
    CHECK(back(ModifiedRodrigues{}, m) < 1e-15);
  }
}

TEST_CASE("rate matrices of the rotation vector are good to rounding where closed forms would cancel") {
  test::Random random;
  for (int n = 0; n < 2000; ++n) {
    const Vec3<double> x = random.logarithmic(1e-12, 6) * random.direction();
    const Stumpff<double> c = stumpff(norm_squared(x));
    const Stumpff<Precise> exact = stumpff(norm_squared(precise(x)));
    // relative to their size at 0; c0 and c1 pass through zero
    CHECK(std::fabs(static_cast<double>(Precise(c.c0) - exact.c0)) < 4e-15);  // sin, cos of √ρ ≤ 6, ρ rounded
    CHECK(std::fabs(static_cast<double>(Precise(c.c1) - exact.c1)) < 4e-15);
    CHECK(ulps(c.c2, exact.c2) < 100 * std::max(1e-2, 1 / static_cast<double>(exact.c2) / 30));
    CHECK(ulps(c.c3, exact.c3) < 30);
    CHECK(ulps(c.c4, exact.c4) < 30);
    CHECK(ulps(c.c5, exact.c5) < 30);
  }
}

TEST_CASE("the Stumpff functions are what they are named after, in 50 digits on both sides of the switch") {
  for (const char* text : {"0.7", "3.9999", "4.0001", "30"}) {
    const Precise rho(text);
    const Precise phi = sqrt(rho);
    const Stumpff<Precise> c = stumpff(rho);
    const Precise tolerance("1e-46");
    const auto same = [&](const Precise& a, const Precise& b) { return boost::multiprecision::abs(a - b) < tolerance; };
    CHECK(same(c.c0, cos(phi)));
    CHECK(same(c.c1, sin(phi) / phi));
    CHECK(same(c.c2, (1 - cos(phi)) / rho));
    CHECK(same(c.c3, (phi - sin(phi)) / (phi * rho)));
    CHECK(same(c.c4, (rho / 2 - 1 + cos(phi)) / (rho * rho)));
    CHECK(same(c.c5, (phi * rho / 6 - phi + sin(phi)) / (phi * rho * rho)));
  }
}
