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

TEST_CASE("Rodrigues and modified Rodrigues parameters are good to a few ulp at every size") {
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

TEST_CASE(
    "modified Rodrigues and reduced Euler parameters next to a half turn keep all digits of the small scalar part") {
  test::Random random;
  double worst_reduced = 0;
  double worst_modified = 0;
  for (int n = 0; n < 5000; ++n) {
    const double off = random.logarithmic(1e-15, 1);  // of the length from 1
    const Vec3<double> inside = (1 - off) * random.direction();
    const Precise left = 1 - norm_squared(precise(inside));
    if (left > 0) {  // a direction is a little longer or shorter than 1
      worst_reduced =
          std::max(worst_reduced, ulps(ReducedEulerParameters{}.to_euler_parameters(inside).e0, sqrt(left)));
      const double distance = ReducedEulerParameters{}.conditioning(inside).distance;
      CHECK(ulps(distance, 2 * atan2(sqrt(left), sqrt(1 - left))) <= 6);
    }
    const Vec3<double> around = (n % 2 == 0 ? 1 - off : 1 / (1 - off)) * random.direction();
    const EulerParameters<double> e = ModifiedRodrigues{}.to_euler_parameters(around);
    const EulerParameters<Precise> exact = ModifiedRodrigues{}.to_euler_parameters(precise(around));
    worst_modified = std::max(worst_modified, ulps(e.e0, exact.e0));
    for (std::size_t i = 0; i < 3; ++i) { CHECK(ulps(e.ev[i], exact.ev[i]) <= 6); }
  }
  CHECK(worst_reduced <= 2);        // a root of a rounded difference
  for (int n = 0; n < 1000; ++n) {  // half turns, rounded: never beyond the end of the chart
    const Vec3<double> x = random.direction();
    CHECK(ReducedEulerParameters{}.to_euler_parameters(x).e0 < 3e-8);
  }
  CHECK(worst_modified <= 5);  // 1 + ρ, its inverse, and a product
}

TEST_CASE("the rotation vector next to a whole turn keeps all digits of the little turn that is left") {
  test::Random random;
  const Precise turn = 2 * math::pi<Precise>();
  for (int n = 0; n < 2000; ++n) {
    const double off = (n % 2 == 0 ? 1 : -1) * random.logarithmic(1e-15, 3);
    const Vec3<double> x = (2 * math::kPi<double> - off) * random.direction();
    const Precise left = turn - sqrt(norm_squared(precise(x)));
    CHECK(ulps(RotationVector{}.conditioning(x).distance, abs(left)) <= 4);
    const Vec3<double> shadow = RotationVector::shadow(x);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(ulps(shadow[i], -left / sqrt(norm_squared(precise(x))) * Precise(x[i])) <= 6);
    }
  }
}

TEST_CASE("the inverse rate matrix of the rotation vector is good to rounding up to the whole turn") {
  test::Random random;
  for (int n = 0; n < 500; ++n) {
    const double off = random.logarithmic(1e-6, 6);
    const Vec3<double> x = (2 * math::kPi<double> - off) * random.direction();
    const Mat3<double> found = RotationVector{}.inverse_body_rate_matrix(x);
    const Mat3<Precise> exact = RotationVector{}.inverse_body_rate_matrix(precise(x));
    // x is known to an ulp, the inverse grows as 2π/off: what that leaves, entry by entry of S⁻¹ − ½ x̃ (symmetric) and
    // ½ x̃
    const double tolerance = 3e-15 * (1 + 40 / (off * off));
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        CHECK(std::fabs(static_cast<double>(Precise(found(i, j)) - exact(i, j))) < tolerance);
      }
    }
    const Vec3<double> half{0.5 * (found(2, 1) - found(1, 2)), 0.5 * (found(0, 2) - found(2, 0)),
                            0.5 * (found(1, 0) - found(0, 1))};
    CHECK(norm(half - 0.5 * x) < 1e-15 * (1 + 10 / off));  // rounding of the symmetric part that it is read from
  }
}

TEST_CASE("the rest of pi is what rounding took from it") {
  const Precise pi = math::pi<Precise>();
  const auto check = [&](auto one) {
    using S = decltype(one);
    const Precise rest = pi - Precise(math::kPi<S>);
    CHECK(abs(Precise(math::kPiRest<S>) / rest - 1) < Precise(std::numeric_limits<S>::epsilon()));
  };
  check(1.0F);
  check(1.0);
  check(1.0L);
}

TEST_CASE("rate matrices of the rotation vector are good to rounding where closed forms would cancel") {
  test::Random random;
  for (int n = 0; n < 2000; ++n) {
    const Vec3<double> x =
        (n % 4 == 0 ? 2 * math::kPi<double> - random.logarithmic(1e-6, 1) : random.logarithmic(1e-12, 6)) *
        random.direction();
    const Stumpff<double> c = stumpff(norm_squared(x));
    const Stumpff<Precise> exact = stumpff(norm_squared(precise(x)));
    // relative to their size at 0; c0 and c1 pass through zero
    CHECK(std::fabs(static_cast<double>(Precise(c.c0) - exact.c0)) < 4e-15);  // sin, cos of √ρ ≤ 6, ρ rounded
    CHECK(std::fabs(static_cast<double>(Precise(c.c1) - exact.c1)) < 4e-15);
    // of the size c2 has where it vanishes with the square of the distance to 2π, and ρ is rounded
    const double left = 2 * math::kPi<double> - norm(x);
    CHECK(ulps(c.c2, exact.c2) < 30 + 30 / std::max(left, 1e-6));
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
