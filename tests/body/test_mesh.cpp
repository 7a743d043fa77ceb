#include "body/helpers.h"
#include "support/precise.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <limits>

using namespace polhode;
using test::box_mesh;
using test::contains;
using test::difference;
using test::inside_out;
using test::Mesh;
using test::message_of;
using test::Rational;
using test::together;

namespace {

VolumeIntegrals<Rational> exact_integrals(const Mesh& mesh, const Vec3<Rational>& origin) {
  VolumeIntegrals<Rational> sum;
  const auto at = [&](std::uint32_t n) {
    const Vec3<double>& p = mesh.points[n];
    return Vec3<Rational>{Rational(p.x), Rational(p.y), Rational(p.z)} - origin;
  };
  for (const auto& [a, b, c] : mesh.triangles) { add_tetrahedron(sum, at(a), at(b), at(c)); }
  return sum;
}

/// Right prism over a regular polygon with n corners, about z, origin in the middle.
Mesh prism(std::uint32_t n, double radius, double length) {
  Mesh mesh;
  for (std::uint32_t k = 0; k < n; ++k) {
    const double angle = 2 * math::pi<double>() * k / n;
    mesh.points.push_back({radius * std::cos(angle), radius * std::sin(angle), -length / 2});
    mesh.points.push_back({radius * std::cos(angle), radius * std::sin(angle), length / 2});
  }
  mesh.points.push_back({0, 0, -length / 2});
  mesh.points.push_back({0, 0, length / 2});
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t a = 2 * k;
    const std::uint32_t b = 2 * ((k + 1) % n);
    mesh.triangles.insert(mesh.triangles.end(),
                          {{a, b, a + 1}, {b, b + 1, a + 1}, {2 * n, b, a}, {2 * n + 1, a + 1, b + 1}});
  }
  return mesh;
}

const Amount kOne = Amount::density(1);

}  // namespace

TEST_CASE("the unit tetrahedron has its known integrals, exactly, from any reference point") {
  const Mesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 2, 3}, {0, 2, 1}, {0, 3, 2}, {0, 1, 3}}};
  for (const Vec3<Rational>& p : {Vec3<Rational>{0, 0, 0}, Vec3<Rational>{Rational(22, 7), -5, Rational(1, 3)}}) {
    const VolumeIntegrals<Rational> sum = exact_integrals(mesh, p);
    CHECK(sum.volume == Rational(1, 6));
    const Vec3<Rational> first = sum.first + sum.volume * p;
    CHECK(first == Rational(1, 24) * Vec3<Rational>{1, 1, 1});
    // ∫ (r + p)(r + p)ᵀ: back to the origin
    const Mat3<Rational> second = sum.second + outer(sum.first, p) + outer(p, sum.first) + sum.volume * outer(p, p);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) { CHECK(second(i, j) == (i == j ? Rational(1, 60) : Rational(1, 120))); }
    }
  }
  const MassProperties body = mesh.body(Amount::mass(6));
  CHECK(norm(body.center_B - Vec3<double>{0.25, 0.25, 0.25}) < 1e-16);
  // about the centre: m (3/80 · 2 on the diagonal, +1/80 off it)
  CHECK(body.J_B(0, 0) == doctest::Approx(6 * 6.0 / 80).epsilon(1e-15));
  CHECK(body.J_B(0, 1) == doctest::Approx(6 * 1.0 / 80).epsilon(1e-15));
}

TEST_CASE("the mesh of a box is the box: exactly in fractions, to rounding in doubles") {
  const Mesh mesh = box_mesh({-0.5, -1, -1.5}, {0.5, 1, 1.5});
  const VolumeIntegrals<Rational> sum = exact_integrals(mesh, {Rational(1, 3), 7, -2});
  CHECK(sum.volume == 6);
  const Mat3<Rational> central = sum.second - (Rational(1) / sum.volume) * outer(sum.first, sum.first);
  CHECK(central == diagonal(Rational(1, 2), Rational(2), Rational(9, 2)));  // m a²/12
  CHECK(difference(mesh.body(kOne), shape::box(kOne, {1, 2, 3})) < 1e-15);
  CHECK(difference(mesh.body(Amount::mass(2)), shape::box(Amount::mass(2), {1, 2, 3})) < 1e-15);
}

TEST_CASE("a mesh a million sizes away from its origin has the inertia of the mesh at home") {
  const double far = 0x1p20;  // the points stay exact, so only the integrals could lose digits
  const Mesh mesh = box_mesh({far - 0.5, -far - 1, far - 1.5}, {far + 0.5, -far + 1, far + 1.5});
  const MassProperties body = mesh.body(kOne);
  CHECK(difference(body, shape::box(kOne, {1, 2, 3}), 1e30) < 1e-15);
  CHECK(norm(body.center_B - Vec3<double>{far, -far, far}) == 0);
}

TEST_CASE("the mesh of a prism has the closed form of its polygon and tends to the cylinder") {
  double before = 0;
  for (const std::uint32_t n : {3U, 6U, 12U, 24U, 48U, 96U}) {
    const MassProperties body = prism(n, 0.7, 1.1).body(Amount::mass(1));
    // mean x² over a regular polygon with circumradius r: r² (2 + cos 2π/n)/12
    const double mean = 0.49 * (2 + std::cos(2 * math::pi<double>() / n)) / 12;
    const Mat3<double> J = diagonal(mean + 1.21 / 12, mean + 1.21 / 12, 2 * mean);
    CHECK(frobenius_norm(body.J_B - J) < 1e-14 * frobenius_norm(J));  // rounding of 4n terms: measured 1e-15
    const double error = difference(body, shape::cylinder(Amount::mass(1), 0.7, 1.1));
    if (n >= 24) { CHECK(before / error == doctest::Approx(4).epsilon(0.05)); }  // second order in 1/n
    before = error;
  }
}

TEST_CASE("a turned and shifted mesh is the turned and shifted body") {
  test::Random random;
  const Mesh mesh = prism(7, 1, 3);
  const MassProperties body_B = mesh.body(kOne);
  for (int k = 0; k < 10; ++k) {
    const EulerParameters<double> e_AB = random.attitude();
    const Vec3<double> r_AB_A = random.vector(2);
    Mesh moved = mesh;
    for (Vec3<double>& p : moved.points) { p = r_AB_A + rotate(e_AB, p); }
    CHECK(difference(moved.body(kOne), in_frame(e_AB, r_AB_A, body_B)) < 1e-14);  // measured 2e-15
  }
}

TEST_CASE("cavities, bodies in cavities and bodies side by side are what composition makes of them") {
  const Mesh outer_box = box_mesh({-2, -2, -2}, {2, 2, 2});
  const Mesh cavity = inside_out(box_mesh({-1, -1, -1}, {1, 1, 1.5}));
  const Mesh core = box_mesh({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5});
  const Mesh aside = box_mesh({2, -2, -2}, {3, 2, 2});  // touches the large one
  const Mesh all = together(together(together(outer_box, cavity), core), aside);
  const Part parts[] = {{.body_C = shape::box(kOne, {4, 4, 4})},
                        {.body_C = shape::box(kOne, {2, 2, 2.5}), .r_BC_B = {0, 0, 0.25}, .hole = true},
                        {.body_C = shape::box(kOne, {1, 1, 1})},
                        {.body_C = shape::box(kOne, {1, 4, 4}), .r_BC_B = {2.5, 0, 0}}};
  CHECK(difference(all.body(kOne), composed(parts)) < 1e-14);
}

TEST_CASE("an open mesh is refused with the edge that has one triangle only") {
  Mesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
  mesh.triangles.pop_back();
  CHECK(message_of([&] { mesh.body(kOne); }) ==
        "mesh: open at edge 3-5: triangles[10] has no neighbour there; every edge belongs to two triangles; corners at "
        "the same position must be the same point");
}

TEST_CASE("messages call points and triangles by the names they are given") {
  Mesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
  mesh.triangles.pop_back();
  const shape::MeshNames names{.point = [](std::size_t n) { return "p" + std::to_string(n); },
                               .triangle = [](std::size_t n) { return "line " + std::to_string(n + 100); }};
  CHECK(contains(message_of([&] { shape::mesh(kOne, mesh.points, mesh.triangles, names); }),
                 "open at edge p3-p5: line 110 has no neighbour there"));
}

TEST_CASE("one triangle or one whole shell inside out is refused with its name") {
  Mesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
  CHECK(message_of([&] { inside_out(mesh).body(kOne); }) ==
        "mesh: inside out: the shell of triangles[0] has the volume -1 m³; corners run counter-clockwise seen from "
        "outside; swap two corners of each of its triangles: a modelling program calls it flipping normals");
  const Mesh two = together(box_mesh({-3, -3, -3}, {-1, -1, -1}), inside_out(mesh));
  CHECK(contains(message_of([&] { two.body(kOne); }), "inside out: the shell of triangles[12] has the volume -1 m³"));
  const Mesh nested = together(box_mesh({-3, -3, -3}, {3, 3, 3}), mesh);
  CHECK(contains(message_of([&] { nested.body(kOne); }), "the shell of triangles[12] lies in the material of another"));

  std::swap(mesh.triangles[5][0], mesh.triangles[5][1]);
  CHECK(message_of([&] { mesh.body(kOne); }) ==
        "mesh: triangles[4] and triangles[5] run the same way along edge 1-4; neighbours run along their edge in "
        "opposite directions; swap two corners of the one that is inside out");
}

TEST_CASE("other impossible meshes are refused: bad indices, bad numbers, no volume, no material") {
  const Mesh good = box_mesh({0, 0, 0}, {1, 1, 1});
  Mesh mesh = good;
  mesh.triangles[3][1] = 8;
  CHECK(contains(message_of([&] { mesh.body(kOne); }), "triangles[3] has corner 8, but there are 8 points"));
  mesh.triangles[3] = {5, 5, 6};
  CHECK(contains(message_of([&] { mesh.body(kOne); }), "triangles[3] = (5 5 6) uses a point twice"));
  mesh.points[2].y = std::numeric_limits<double>::infinity();
  CHECK(contains(message_of([&] { mesh.body(kOne); }), "points[2] = (0 inf 0) is not finite"));
  mesh.triangles.clear();
  mesh.points.clear();
  CHECK(contains(message_of([&] { mesh.body(kOne); }), "no triangles"));
  CHECK(contains(message_of([&] { box_mesh({0, 0, 0}, {1, 1, 0}).body(kOne); }), "encloses no volume"));
  CHECK(contains(message_of([&] { good.body(Amount::mass(-1)); }), "mass -1 is not positive"));
  CHECK(contains(message_of([&] { good.body(Amount::density(0)); }), "density 0 is not positive"));
}
