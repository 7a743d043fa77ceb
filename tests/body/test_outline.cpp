#include "polhode/body/outline.h"

#include "polhode/body/shapes.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;

namespace {

MassProperties body_of(const Outline& outline, double mass) {
  const Vec3<double> lengths{outline.lengths.at(0), outline.lengths.at(1), outline.lengths.at(2)};
  const MassProperties body_C =
      outline.shape == "box" ? shape::box(Amount::mass(mass), lengths) : shape::ellipsoid(Amount::mass(mass), lengths);
  return in_frame(outline.e_BC, outline.r_BC_B, body_C);
}

}  // namespace

TEST_CASE("the equivalent shape has the mass centre and the inertia it was made from, in any axes") {
  const EulerParameters<double> turned{0.5, {0.5, -0.5, 0.5}};
  for (const Vec3<double>& moments : {Vec3<double>{2, 3, 4}, Vec3<double>{4, 4, 2}, Vec3<double>{1, 1, 1}}) {
    const MassProperties body = in_frame(turned, {0.1, 0.2, 0.3}, from_principal_moments(2.5, moments, {0, 0, 0.7}));
    const Outline outline = equivalent_outline(body);
    const MassProperties again = body_of(outline, body.mass);
    CHECK(norm(again.center_B - body.center_B) < 1e-14);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        CHECK(std::abs(again.J_B(i, j) - body.J_B(i, j)) < 1e-13);  // rounding of moments up to 4
      }
    }
  }
  CHECK(equivalent_outline(from_principal_moments(1, {2, 3, 4})).shape == "box");
  CHECK(equivalent_outline(from_principal_moments(1, {4, 4, 2})).shape == "ellipsoid");
}

TEST_CASE("the equivalent shape of another body has another inertia") {
  const Outline outline = equivalent_outline(from_principal_moments(1, {2, 3, 4}));
  CHECK(std::abs(body_of(outline, 1).J_B(0, 0) - 2) < 1e-14);
  CHECK(std::abs(body_of(outline, 2).J_B(0, 0) - 2) > 1);
}

TEST_CASE("moments that no body has give a flat shape, not a NaN") {
  const Outline outline = equivalent_outline(from_principal_moments(1, {1, 1, 3}, {}, Physical::allow_any_positive));
  for (const double length : outline.lengths) { CHECK(length >= 0); }
  CHECK(outline.lengths[2] == 0);
}
