// Surfaces for pictures.
#include "body/helpers.h"
#include "polhode/body/surface.h"

#include <doctest/doctest.h>

using namespace polhode;

namespace {

/// A sphere with n bands of 2n corners, closed.
Surface ball(std::uint32_t n) {
  Surface surface;
  for (std::uint32_t i = 0; i <= n; ++i) {
    for (std::uint32_t j = 0; j < 2 * n; ++j) {
      const double a = math::pi<double>() * i / n;
      const double b = math::pi<double>() * j / n;
      surface.points.push_back({std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)});
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < 2 * n; ++j) {
      const std::uint32_t k = (j + 1) % (2 * n);
      const std::uint32_t row = 2 * n * i;
      surface.triangles.push_back({row + j, row + 2 * n + j, row + 2 * n + k});
      surface.triangles.push_back({row + j, row + 2 * n + k, row + k});
    }
  }
  return surface;
}

double signed_volume(const Surface& surface) {
  double sum = 0;
  for (const auto& [a, b, c] : surface.triangles) {
    sum += dot(surface.points[a], cross(surface.points[b], surface.points[c])) / 6;
  }
  return sum;
}

}  // namespace

TEST_CASE("the picture of a small surface is the surface, without points that no triangle uses") {
  Surface surface{{{9, 9, 9}, {0, 0, 0.1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                  {{1, 3, 2}, {1, 2, 4}, {2, 3, 4}, {1, 4, 3}}};
  const Surface picture = pictured(surface, 4);
  CHECK(picture.points.size() == 4);
  CHECK(picture.triangles.size() == 4);
  CHECK(picture.points[0].z == static_cast<double>(0.1F));
  CHECK(signed_volume(picture) == doctest::Approx(signed_volume(surface)).epsilon(1e-7));  // single precision
  CHECK(pictured(picture, 4) == picture);
}

TEST_CASE("a large surface is thinned for its picture and keeps its shape") {
  const Surface surface = ball(100);
  CHECK(surface.triangles.size() == 40'000);
  for (const std::size_t most : {20'000U, 5'000U, 500U}) {
    const Surface picture = pictured(surface, most);
    CHECK(picture.triangles.size() <= most);
    CHECK(picture.triangles.size() > most / 3);
    // cells as wide as some 7/√most of the ball's size move its points inwards: some percent at 500 triangles
    CHECK(signed_volume(picture) ==
          doctest::Approx(4 * math::pi<double>() / 3).epsilon(50.0 / static_cast<double>(most)));
    for (const Vec3<double>& p : picture.points) { CHECK(norm(p) < 1 + 1e-6); }
  }
  // a wrong twin: with most of the triangles cut off, the volume goes
  Surface cut = surface;
  cut.triangles.resize(20'000);
  CHECK(signed_volume(pictured(cut, 20'000)) < 0.6 * 4 * math::pi<double>() / 3);
}
