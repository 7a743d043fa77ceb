#include "body/helpers.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>

using namespace polhode;
using test::contains;
using test::difference;
using test::message_of;

namespace {

/// One piece of a solid of revolution about z: between two heights and two radii that depend on the height.
struct Piece {
  double from;
  double to;
  std::function<double(double)> inner_radius;
  std::function<double(double)> outer_radius;
};

/// Mass properties for density 1 by quadrature: Gauss's five points in z and in the radius, trapezoids round the
/// axis. The moments of our shapes are polynomials of degree ≤ 5 in these coordinates, for which all three rules are
/// exact, so that what remains is rounding. x and y may be stretched (ellipsoid).
MassProperties integrated(const std::vector<Piece>& pieces, const Vec3<double>& stretch = {1, 1, 1}) {
  const double node[] = {0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640, -0.9061798459386640};
  const double weight[] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                           0.2369268850561891};
  double mass = 0;
  Vec3<double> first{};
  Mat3<double> second{};
  for (const Piece& piece : pieces) {
    for (int i = 0; i < 5; ++i) {
      const double z = 0.5 * (piece.from + piece.to) + 0.5 * (piece.to - piece.from) * node[i];
      const double inner = piece.inner_radius(z);
      const double outer_radius = piece.outer_radius(z);
      for (int j = 0; j < 5; ++j) {
        const double radius = 0.5 * (inner + outer_radius) + 0.5 * (outer_radius - inner) * node[j];
        for (int k = 0; k < 8; ++k) {
          const double angle = 2 * math::pi<double>() * k / 8;
          const Vec3<double> r{stretch.x * radius * std::cos(angle), stretch.y * radius * std::sin(angle),
                               stretch.z * z};
          const double dm = 0.25 * weight[i] * (piece.to - piece.from) * weight[j] * (outer_radius - inner) * radius *
                            (2 * math::pi<double>() / 8) * stretch.x * stretch.y * stretch.z;
          mass += dm;
          first += dm * r;
          second = second + dm * outer(r, r);
        }
      }
    }
  }
  const Vec3<double> center = first / mass;
  return {mass, center, inertia_from_second_moment(second - mass * outer(center, center))};
}

double zero(double) { return 0; }
std::function<double(double)> constant(double r) {
  return [r](double) { return r; };
}
std::function<double(double)> ball(double r, double z0) {
  return [=](double z) { return std::sqrt(r * r - (z - z0) * (z - z0)); };
}

// nodes and weights of 16 digits, sums of 200 to 600 terms and a cancelling shift: measured 1e-14, margin 5
constexpr double kQuadrature = 5e-14;

}  // namespace

TEST_CASE("round shapes with a density have the mass, centre and inertia that quadrature gives") {
  const Amount density = Amount::density(1);
  for (const double scale : {1.0, 1e-9, 1e9}) {
    const double r = 0.7 * scale;
    const double l = 1.9 * scale;
    const double h = l / 2;
    const auto close = [&](const MassProperties& ours, const MassProperties& theirs) {
      CHECK(difference(ours, theirs, scale) < kQuadrature);
    };
    close(shape::cylinder(density, r, l), integrated({{-h, h, zero, constant(r)}}));
    close(shape::tube(density, r, 0.3 * scale, l), integrated({{-h, h, constant(0.3 * scale), constant(r)}}));
    close(shape::cone(density, r, l), integrated({{0, l, zero, [=](double z) { return r * (1 - z / l); }}}));
    close(shape::sphere(density, r), integrated({{-r, r, zero, ball(r, 0)}}));
    close(shape::ellipsoid(density, {0.5 * r, 2 * r, 3 * r}), integrated({{-r, r, zero, ball(r, 0)}}, {0.5, 2, 3}));
    close(shape::capsule(density, r, l),
          integrated({{-h, h, zero, constant(r)}, {h, h + r, zero, ball(r, h)}, {-h - r, -h, zero, ball(r, -h)}}));
  }
}

TEST_CASE("a shape with its mass is the shape with mass over volume as density") {
  const auto same = [](const MassProperties& by_density, const std::function<MassProperties(Amount)>& make) {
    CHECK(difference(make(Amount::mass(by_density.mass)), by_density) < 1e-15);
  };
  const Amount density = Amount::density(3.25);
  same(shape::box(density, {1, 2, 3}), [](Amount a) { return shape::box(a, {1, 2, 3}); });
  same(shape::cone(density, 1, 2), [](Amount a) { return shape::cone(a, 1, 2); });
  same(shape::capsule(density, 1, 2), [](Amount a) { return shape::capsule(a, 1, 2); });
  CHECK(shape::box(density, {1, 2, 3}).mass == 19.5);
}

TEST_CASE("lengths of zero are the thin limits: rod, disc, plate, shell, point, sphere") {
  const Amount two = Amount::mass(2);
  CHECK(shape::cylinder(two, 0, 3).J_B == diagonal(1.5, 1.5, 0.0));             // rod: m l²/12
  CHECK(shape::cylinder(two, 3, 0).J_B == diagonal(4.5, 4.5, 9.0));             // disc: m r²/4, m r²/2
  CHECK(shape::box(two, {3, 6, 0}).J_B == diagonal(6.0, 1.5, 7.5));             // plate
  CHECK(shape::tube(two, 3, 3, 0).J_B == diagonal(9.0, 9.0, 18.0));             // hoop: m r²/2, m r²
  CHECK(shape::sphere(two, 0).J_B == Mat3<double>{});                           // point
  CHECK(shape::capsule(two, 0, 3).J_B == shape::cylinder(two, 0, 3).J_B);       // rod
  CHECK(difference(shape::capsule(two, 3, 0), shape::sphere(two, 3)) < 1e-15);  // no cylinder
  CHECK(shape::capsule(two, 0, 0).J_B == Mat3<double>{});                       // point
  CHECK(shape::cone(two, 0, 4).center_B == Vec3<double>{0, 0, 1});
}

TEST_CASE("a tube is a cylinder with a hole") {
  const Amount density = Amount::density(7800);
  const Part parts[] = {{.body_C = shape::cylinder(density, 0.5, 2)},
                        {.body_C = shape::cylinder(density, 0.3, 2), .hole = true}};
  CHECK(difference(composed(parts), shape::tube(density, 0.5, 0.3, 2)) < 1e-15);
}

TEST_CASE("a capsule is a cylinder and two hemispheres, put together") {
  const double r = 0.4;
  const double l = 1.5;
  const Amount density = Amount::density(2);
  // hemisphere, origin in the centre of its flat side: mean x² = mean z² = r²/5 from there, centre at 3r/8
  const double mass = 0.5 * shape::sphere(density, r).mass;
  const MassProperties half =
      from_inertia_about({0, 0, 0}, mass, 0.4 * mass * r * r * identity<double, 3>(), {0, 0, 3 * r / 8});
  const Part parts[] = {
      {.body_C = shape::cylinder(density, r, l)},
      {.body_C = half, .r_BC_B = {0, 0, l / 2}},
      {.body_C = half, .e_BC = {0, {1, 0, 0}}, .r_BC_B = {0, 0, -l / 2}},  // half a turn about x
  };
  CHECK(difference(composed(parts), shape::capsule(density, r, l)) < 1e-15);
}

TEST_CASE("a small cone cut from the tip of a large one leaves the inertia of the frustum") {
  const Amount density = Amount::density(1);
  const Part parts[] = {{.body_C = shape::cone(density, 1, 2)},
                        {.body_C = shape::cone(density, 0.5, 1), .r_BC_B = {0, 0, 1}, .hole = true}};
  CHECK(difference(composed(parts), integrated({{0, 1, zero, [](double z) { return 1 - z / 2; }}})) < kQuadrature);
}

TEST_CASE("point masses: a dumb-bell and a random cloud agree with the sums by definition") {
  const shape::PointMass dumb_bell[] = {{2, {1, 0, 0}}, {1, {4, 0, 0}}};
  const MassProperties body = shape::point_masses(dumb_bell);
  CHECK(body.mass == 3);
  CHECK(body.center_B == Vec3<double>{2, 0, 0});
  CHECK(body.J_B == diagonal(0.0, 6.0, 6.0));  // reduced mass 2/3 times 3²

  test::Random random;
  std::vector<shape::PointMass> cloud;
  std::vector<Part> parts;
  for (int n = 0; n < 20; ++n) {
    cloud.push_back({random.between(0.1, 1), random.vector(1)});
    parts.push_back({.body_C = {cloud.back().mass, cloud.back().r_B, {}}});
  }
  CHECK(difference(composed(parts), shape::point_masses(cloud)) < 1e-15);
}

TEST_CASE("impossible shapes are refused in one line for each mistake") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Amount one = Amount::mass(1);
  CHECK(message_of([&] { shape::box(one, {1, -2, 1}); }) ==
        "box: edge -2 m is negative; a length is finite and not negative");
  CHECK(message_of([&] { shape::cylinder(Amount::mass(0), -1, nan); }) ==
        "cylinder: radius -1 m is negative; a length is finite and not negative\n"
        "cylinder: length nan m is not finite; a length is finite and not negative\n"
        "cylinder: mass 0 is not positive; a mass is positive, in kg");
  CHECK(message_of([&] { shape::sphere(Amount::density(-1), 1); }) ==
        "sphere: density -1 is not positive; a density is positive, in kg/m³; material that is missing is a part "
        "with hole = true");
  CHECK(message_of([&] { shape::cylinder(Amount::density(1), 0, 1); }) ==
        "cylinder: a density, but no volume; a shape with a length of zero needs its mass");
  CHECK(contains(message_of([&] { shape::tube(one, 1, 2, 3); }),
                 "inner radius 2 m is greater than outer radius 1 m; the outer radius comes first"));
  CHECK(contains(message_of([&] { shape::cone(Amount::mass(nan), 1, 1); }), "cone: mass nan is not finite"));
  CHECK(contains(message_of([&] { shape::capsule(one, 1, -1); }), "capsule: length of its cylinder -1 m"));
  CHECK(contains(message_of([] { shape::point_masses({}); }), "no point masses"));
  const shape::PointMass points[] = {{1, {0, 0, 0}}, {0, {0, 0, 0}}};
  CHECK(contains(message_of([&] { shape::point_masses(points); }), "point_masses[1]: mass 0 kg is not positive"));
  const shape::PointMass far[] = {{1, {0, nan, 0}}};
  CHECK(contains(message_of([&] { shape::point_masses(far); }), "is not finite"));
}
