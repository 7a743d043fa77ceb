#include "body/helpers.h"
#include "polhode/rotation.h"
#include "support/precise.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <limits>

using namespace polhode;
using test::contains;
using test::difference;
using test::message_of;
using test::Rational;

namespace {

MassProperties random_cloud(test::Random& random, int count) {
  std::vector<shape::PointMass> points;
  const Vec3<double> stretch{random.logarithmic(0.1, 10), random.logarithmic(0.1, 10), random.logarithmic(0.1, 10)};
  for (int n = 0; n < count; ++n) {
    const Vec3<double> r = random.vector(1);
    points.push_back({random.logarithmic(0.01, 1), {stretch.x * r.x, stretch.y * r.y, stretch.z * r.z}});
  }
  return shape::point_masses(points);
}

double orthogonality_defect(const EulerParameters<double>& e) { return orthogonality(rotation_matrix(e)).defect; }

/// J again from its principal axes, relative to its norm.
double rebuilt(const PrincipalAxes& axes, const Mat3<double>& J) {
  const auto [a, b, c] = axes.moments;
  return frobenius_norm(turned(rotation_matrix(axes.e_BP), diagonal(a, b, c)) - J) / frobenius_norm(J);
}

}  // namespace

TEST_CASE("second moment and inertia turn into each other exactly, on fractions") {
  const Mat3<Rational> J{{{Rational(5), Rational(-1, 3), Rational(2, 7)},
                          {Rational(-1, 3), Rational(4), Rational(1, 9)},
                          {Rational(2, 7), Rational(1, 9), Rational(3)}}};
  CHECK(inertia_from_second_moment(second_moment_from_inertia(J)) == J);
  const Vec3<Rational> r{Rational(1, 2), -3, Rational(5, 3)};
  CHECK(point_inertia(Rational(7), r) == inertia_from_second_moment(Rational(7) * outer(r, r)));
}

TEST_CASE("products of inertia: both sign conventions, and the matrix, describe the same body") {
  // two masses on the line x = y: ∫ x y dm = +2
  const shape::PointMass points[] = {{1, {1, 1, 0}}, {1, {-1, -1, 0}}, {1, {0, 0, 1}}, {1, {0, 0, -1}}};
  const MassProperties body = shape::point_masses(points);
  CHECK(body.J_B(0, 1) == -2);
  const Vec3<double> moments{4, 4, 4};
  CHECK(from_moments_and_products(4, moments, {.xy = -2}, ProductSign::minus) == body);
  CHECK(from_moments_and_products(4, moments, {.xy = 2}, ProductSign::plus) == body);
  CHECK(from_inertia_matrix(4, body.J_B) == body);
  const MassProperties other =
      from_moments_and_products(1, {3, 4, 5}, {.xy = 0.1, .xz = 0.2, .yz = 0.3}, ProductSign::plus);
  CHECK(other.J_B == Mat3<double>{{{3, -0.1, -0.2}, {-0.1, 4, -0.3}, {-0.2, -0.3, 5}}});
}

TEST_CASE("two half boxes welded together are the box") {
  const Amount density = Amount::density(2.5);
  const MassProperties half = shape::box(density, {1, 2, 1.5});
  const Part side_by_side[] = {{.body_C = half, .r_BC_B = {0, 0, 0.75}}, {.body_C = half, .r_BC_B = {0, 0, -0.75}}};
  CHECK(composed(side_by_side) == shape::box(density, {1, 2, 3}));
  // again, each half given in a frame of its own and the whole shifted and turned
  test::Random random;
  for (int n = 0; n < 20; ++n) {
    const EulerParameters<double> e_BA = random.attitude();
    const Vec3<double> r_BA_B = random.vector(3);
    std::vector<Part> parts;
    for (const double z : {0.75, -0.75}) {
      const EulerParameters<double> e_AC = random.attitude();
      const Vec3<double> r_CA_C = random.vector(1);
      // the half in frame C, whose origin lies somewhere else and whose axes are turned
      const MassProperties half_C = in_frame(conjugate(e_AC), r_CA_C, half);
      const Vec3<double> r_AC_A = Vec3<double>{0, 0, z} - rotate(e_AC, r_CA_C);
      parts.push_back({.body_C = half_C, .e_BC = e_BA * e_AC, .r_BC_B = r_BA_B + rotate(e_BA, r_AC_A)});
    }
    const MassProperties box_B = in_frame(e_BA, r_BA_B, shape::box(density, {1, 2, 3}));
    CHECK(difference(composed(parts), box_B) < 5e-15);  // four rotations, each a few units of rounding: measured 1e-15
  }
}

TEST_CASE("a hole that is not in the material, or takes all of it, is refused") {
  const MassProperties box = shape::box(Amount::density(1), {1, 1, 1});
  const Part outside[] = {{.body_C = box},
                          {.body_C = shape::sphere(Amount::mass(0.5), 0.1), .r_BC_B = {5, 0, 0}, .hole = true}};
  const std::string message = message_of([&] { composed(outside); });
  CHECK(contains(message, "what the holes leave (a hole must lie inside the material): "));
  CHECK(contains(message, "missing"));
  const Part all[] = {{.body_C = box}, {.body_C = box, .hole = true}};
  CHECK(contains(message_of([&] { composed(all); }), "the holes leave no mass: 0 kg"));
  CHECK(contains(message_of([] { composed({}); }), "a body of no parts"));
  const Part bad[] = {{.body_C = box}, {.body_C = {-1, {}, box.J_B}}};
  CHECK(message_of([&] { composed(bad); }) ==
        "parts[1]: mass -1 kg is not positive; a mass is positive, in kg; material that is missing is a part with hole "
        "= true");
  const Part unturned[] = {{.body_C = box, .e_BC = {2, {0, 0, 0}}}};
  CHECK(contains(message_of([&] { composed(unturned); }), "has norm 2, not 1"));
}

TEST_CASE("inertia about any point and back to the mass centre is the inertia that it was") {
  test::Random random;
  for (int n = 0; n < 200; ++n) {
    const MassProperties body = random_cloud(random, 6);
    const Vec3<double> r_BP_B = random.vector(3);
    const Mat3<double> J_P = inertia_about(body, r_BP_B);
    // the shift cancels: rounding of the larger matrix
    const MassProperties again = from_inertia_about(r_BP_B, body.mass, J_P, body.center_B);
    CHECK(frobenius_norm(again.J_B - body.J_B) < 2e-15 * frobenius_norm(J_P));
    CHECK(again.J_B(0, 1) == again.J_B(1, 0));
  }
  // a rod about its end: m l²/3
  const MassProperties rod = shape::cylinder(Amount::mass(3), 0, 2);
  CHECK(inertia_about(rod, {0, 0, 1})(0, 0) == doctest::Approx(4).epsilon(1e-15));
  CHECK(contains(message_of([&] { from_inertia_about({0, 0, 1}, 3, diagonal(2.0, 4.0, 1.0), {}); }),
                 "inertia taken to the mass centre: inertia is not positive definite: J1 = -1 kg m², 1 missing"));
}

TEST_CASE("turning changes neither moments nor symmetry, and describing a body in a frame and back is the body") {
  test::Random random;
  for (int n = 0; n < 200; ++n) {
    const MassProperties body = random_cloud(random, 6);
    const EulerParameters<double> e_AB = random.attitude();
    const Vec3<double> r_AB_A = random.vector(2);
    const MassProperties body_A = in_frame(e_AB, r_AB_A, body);
    const double J3 = principal_axes(body.J_B).moments.z;
    CHECK(norm(principal_axes(body_A.J_B).moments - principal_axes(body.J_B).moments) < 4e-15 * J3);  // measured 1e-15
    CHECK(body_A.J_B == transpose(body_A.J_B));
    // r_BA_B = −R_BA r_AB_A
    const MassProperties back = in_frame(conjugate(e_AB), -rotate_back(e_AB, r_AB_A), body_A);
    CHECK(difference(back, body, 10) < 4e-15);
    // an e that is off the sphere by what typed digits allow turns, and does not scale
    const MassProperties off = in_frame((1 + 5e-7) * e_AB, r_AB_A, body);
    CHECK(difference(off, body_A, 10) < 4e-15);
  }
}

TEST_CASE("principal axes: ascending moments, right-handed, orthogonal, and J again when put together") {
  test::Random random;
  for (int n = 0; n < 500; ++n) {
    const MassProperties body = random_cloud(random, 6);
    const PrincipalAxes axes = principal_axes(body.J_B);
    CHECK(axes.lower_gap() >= 0);
    CHECK(axes.upper_gap() >= 0);
    CHECK(determinant(rotation_matrix(axes.e_BP)) > 0);
    CHECK(orthogonality_defect(axes.e_BP) < 2e-15);
    CHECK(rebuilt(axes, body.J_B) < 4e-15);
    // the nearest of the four frames: a turn of at most 120 degrees is always to be had
    CHECK(axes.e_BP.e0 > 0.5 - 1e-15);
  }
}

TEST_CASE("principal axes of a diagonal matrix are exact: identity when ascending, half or third turns otherwise") {
  const auto e = [](double a, double b, double c) { return principal_axes(diagonal(a, b, c)).e_BP; };
  const EulerParameters<double> one = EulerParameters<double>::identity();
  CHECK(e(1, 2, 3) == one);
  CHECK(e(2, 2, 2) == one);
  CHECK(e(1, 1, 2) == one);
  CHECK(e(1, 2, 2) == one);
  CHECK(e(0, 0, 0) == one);
  // moments 3 1 2 in x y z: axis 1 of P is y, 2 is z, 3 is x
  const EulerParameters<double> third = e(3, 1, 2);
  CHECK(rotate(third, Vec3<double>{1, 0, 0}) == Vec3<double>{0, 1, 0});
  CHECK(rotate(third, Vec3<double>{0, 0, 1}) == Vec3<double>{1, 0, 0});
  CHECK(principal_axes(diagonal(3.0, 1.0, 2.0)).moments == Vec3<double>{1, 2, 3});
}

TEST_CASE("nearly equal moments: axes stay orthogonal, J is rebuilt, and the gap is found to rounding") {
  test::Random random;
  for (const double gap : {1e-3, 1e-8, 1e-13, 1e-16, 0.0}) {
    for (int n = 0; n < 50; ++n) {
      const Mat3<double> J = turned(rotation_matrix(random.attitude()), diagonal(1.0, 1 + gap, 1.5));
      const PrincipalAxes axes = principal_axes(J);
      CHECK(std::fabs(axes.lower_gap() - gap) < 4e-15);
      CHECK(axes.upper_gap() == doctest::Approx(0.5).epsilon(1e-2));
      CHECK(orthogonality_defect(axes.e_BP) < 2e-15);
      CHECK(rebuilt(axes, J) < 4e-15);
    }
  }
}

TEST_CASE("every random cloud is physical, by eigenvalues and without them") {
  test::Random random;
  for (int n = 0; n < 2000; ++n) {
    const MassProperties body = random_cloud(random, 4 + n % 5);
    CHECK(message_of([&] { require_physical(body); }) == "no error");
    CHECK(missing_moment(body.J_B) < 0);
    CHECK(second_moment_is_positive(body.J_B, kFlatTolerance));
  }
}

TEST_CASE("a cloud whose largest moment is raised past the sum of the others is refused by both tests") {
  test::Random random;
  for (int n = 0; n < 1000; ++n) {
    const MassProperties body = random_cloud(random, 6);
    const PrincipalAxes axes = principal_axes(body.J_B);
    const Mat3<double> R = rotation_matrix(axes.e_BP);
    const auto [J1, J2, J3] = axes.moments;
    // missing: just less and just more than the tolerance, and plainly too much
    for (const double missing : {0.9 * kFlatTolerance, 1.1 * kFlatTolerance, 1e-3, 1.0}) {
      MassProperties raised = body;
      raised.J_B = turned(R, diagonal(J1, J2, (J1 + J2) * (1 + missing)));  // ½ tr J = (J1 + J2)(1 + missing/2)
      const bool refused = contains(message_of([&] { require_physical(raised); }), "no rigid body has these moments");
      CHECK(refused == (missing > kFlatTolerance));
      CHECK(second_moment_is_positive(raised.J_B, kFlatTolerance) != refused);
      CHECK(missing_moment(raised.J_B) == doctest::Approx(missing * (J1 + J2)).epsilon(1e-8));
      CHECK(message_of([&] { require_physical(raised, Physical::allow_any_positive); }) == "no error");
    }
    // the other side of the cone: a negative moment
    MassProperties negative = body;
    negative.J_B = turned(R, diagonal(-0.1 * J1, J2, J3));
    CHECK(contains(message_of([&] { require_physical(negative); }), "inertia is not positive definite"));
    CHECK(contains(message_of([&] { require_physical(negative, Physical::allow_any_positive); }),
                   "inertia is not positive definite"));
    CHECK(contains(message_of([&] { require_physical(negative, Physical::allow_lines_and_points); }),
                   "inertia is not positive definite"));
  }
}

TEST_CASE("the test without eigenvalues decides exactly on fractions") {
  const auto test = [](int a, int b, int c) {
    return second_moment_is_positive(diagonal(Rational(a), Rational(b), Rational(c)), Rational(0));
  };
  CHECK(test(2, 3, 4));
  CHECK_FALSE(test(1, 2, 3));  // flat: on the border, where no factors exist
  CHECK_FALSE(test(1, 2, 4));
  CHECK(second_moment_is_positive(diagonal(Rational(1), Rational(2), Rational(3)), Rational(1, 1000000)));
}

TEST_CASE("flat bodies pass, exact, turned, or written with six digits") {
  CHECK(message_of([] { from_principal_moments(1, {1, 2, 3}); }) == "no error");
  CHECK(message_of([] { from_principal_moments(1, {0.1, 0.2, 0.3}); }) == "no error");  // 0.1 + 0.2 > 0.3 in doubles
  CHECK(message_of([] { from_principal_moments(1, {0.0333333, 0.0333333, 0.0666667}); }) == "no error");
  CHECK(message_of([] { from_principal_moments(1, {0.0333, 0.0333, 0.0667}); }) != "no error");  // 0.0001 missing
  test::Random random;
  const MassProperties plate = shape::box(Amount::mass(1), {1, 3, 0});
  for (int n = 0; n < 200; ++n) {
    CHECK(message_of([&] { require_physical(in_frame(random.attitude(), {}, plate)); }) == "no error");
  }
}

TEST_CASE("lines and points are parts, not bodies that turn") {
  test::Random random;
  const MassProperties rod = shape::cylinder(Amount::mass(1), 0, 1);
  for (int n = 0; n < 200; ++n) {
    const MassProperties turned_rod = in_frame(random.attitude(), random.vector(1), rod);
    CHECK(contains(message_of([&] { require_physical(turned_rod); }), "the smallest principal moment is zero"));
    CHECK(message_of([&] { require_physical(turned_rod, Physical::allow_lines_and_points); }) == "no error");
  }
  const shape::PointMass one[] = {{2, {1, 2, 3}}};
  const MassProperties point = shape::point_masses(one);
  CHECK(contains(message_of([&] { require_physical(point); }), "give it a thickness"));
  CHECK(message_of([&] { require_physical(point, Physical::allow_lines_and_points); }) == "no error");
  // three rods along the axes make a body
  const EulerParameters<double> about_x = exp(Vec3<double>{math::pi<double>() / 2, 0, 0});
  const EulerParameters<double> about_y = exp(Vec3<double>{0, math::pi<double>() / 2, 0});
  const Part cross[] = {{.body_C = rod}, {.body_C = rod, .e_BC = about_x}, {.body_C = rod, .e_BC = about_y}};
  CHECK(message_of([&] { require_physical(composed(cross)); }) == "no error");
}

TEST_CASE("an inertia that no body has is refused with its eigenvalues and what is missing") {
  CHECK(
      message_of([] { from_principal_moments(1, {0.2, 0.4, 0.1}); }) ==
      "no rigid body has these moments: J1 + J2 = 0.3 < J3 = 0.4 kg m², 0.1 missing; principal moments 0.1 0.2 0.4 kg "
      "m²; two of them add up to at least the third (a flat body: exactly); check units and signs of products; a "
      "scenario with any positive moments can be computed with allow_impossible_inertia = true (in C++ "
      "Physical::allow_any_positive)");
  CHECK(message_of([] { from_principal_moments(1, {0.2, 0.4, 0.1}, {}, Physical::allow_any_positive); }) == "no error");
  CHECK(
      message_of([] { from_moments_and_products(1, {2, 2, 2}, {.xy = 3}, ProductSign::plus); }) ==
      "inertia is not positive definite: J1 = -1 kg m², 1 missing; principal moments -1 2 5 kg m²; check the products "
      "of inertia: some programs write them with the other sign");
  CHECK(message_of([] { from_inertia_matrix(1, {{{1, 0.5, 0}, {0.25, 1, 0}, {0, 0, 1}}}); }) ==
        "inertia is not symmetric: Jxy = 0.5 but Jyx = 0.25 kg m²; they may differ by 1e-06 of the largest entry; give "
        "both the same value, −∫ products dm");
}

TEST_CASE("what differs in the seventh digit is symmetric: the mean is taken") {
  const Mat3<double> J = from_inertia_matrix(1, {{{1, 0.1 + 4e-7, 0}, {0.1, 1, 0}, {0, 0, 1}}}).J_B;
  CHECK(J(0, 1) == J(1, 0));
  CHECK(J(0, 1) == doctest::Approx(0.1 + 2e-7).epsilon(1e-14));
}

TEST_CASE("mass, centre and inertia that are no numbers are refused, all in one message") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const MassProperties bad{nan, {0, inf, 0}, diagonal(1.0, nan, 1.0)};
  CHECK(message_of([&] { require_physical(bad, Physical::require, "body 'rotor': "); }) ==
        "body 'rotor': mass nan is not a number; a mass is finite and positive, in kg\n"
        "body 'rotor': mass centre (0 inf 0) is not finite; all three components must be finite numbers, in m\n"
        "body 'rotor': inertia is not finite; all entries must be finite numbers");
  CHECK(contains(message_of([&] { from_principal_moments(inf, {1, 1, 1}); }), "mass inf is not a number"));
  CHECK(contains(message_of([&] { from_principal_moments(0, {1, 1, 1}); }), "mass 0 kg is not positive"));
  CHECK(contains(message_of([&] { from_inertia_about({nan, 0, 0}, 1, identity<double, 3>(), {}); }), "not finite"));
  CHECK(contains(message_of([&] { principal_axes(diagonal(1.0, nan, 1.0)); }), "not finite"));
}

TEST_CASE("units do not matter: moments of molecules and of moons pass and fail alike") {
  for (const double unit : {1e-46, 1e-9, 1.0, 1e9, 1e35}) {
    CHECK(message_of([&] { from_principal_moments(unit, {unit, 2 * unit, 3 * unit}); }) == "no error");
    CHECK(contains(message_of([&] { from_principal_moments(unit, {unit, 2 * unit, 3.1 * unit}); }), "no rigid body"));
    CHECK(contains(message_of([&] { from_principal_moments(unit, {0, 2 * unit, 2 * unit}); }), "is zero"));
  }
}

TEST_CASE("moments that nothing can be computed with are refused with the limits") {
  for (const double scale : {1e300, 1e308, 1e-300, 1e-320, 1e101, 1e-102}) {
    CAPTURE(scale);
    const std::string message =
        message_of([&] { from_principal_moments(1, {scale, 1.2 * scale, 1.5 * scale}, Vec3<double>{}); });
    CHECK(contains(message, "the largest entry of the inertia is "));
    CHECK(contains(message, "allowed: 1e-100 to 1e100, which is as far as numbers go; check the units"));
  }
  CHECK_NOTHROW(from_principal_moments(1, {1e99, 1.2e99, 1.5e99}, Vec3<double>{}));
  CHECK_NOTHROW(from_principal_moments(1, {1e-99, 1.2e-99, 1.5e-99}, Vec3<double>{}));
}
