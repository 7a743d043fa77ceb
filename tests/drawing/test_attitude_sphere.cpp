#include "polhode/drawing/attitude_sphere.h"

#include "support/xml.h"

#include <doctest/doctest.h>

#include <vector>

using namespace polhode;
using namespace polhode::drawing;

namespace {

/// A turn about z by `step` rad from one attitude to the next.
std::vector<EulerParameters<double>> turning(int count, double step) {
  std::vector<EulerParameters<double>> list;
  for (int i = 0; i < count; ++i) {
    const auto [sin, cos] = math::sincos(0.5 * step * i);
    list.push_back({cos, {0, 0, sin}});
  }
  return list;
}

}  // namespace

TEST_CASE("the picture of a turn is sound XML with three ways, what is text in it stays text") {
  const std::string svg = attitude_sphere(turning(50, 0.1), "<script>", "a & b");
  CHECK(test::why_not_xml(svg).empty());
  CHECK(svg.find("&lt;script&gt;") != std::string::npos);
  CHECK(polhode::test::count(svg, "<circle") == 4);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(attitude_sphere(turning(50, 0.1), "<script>", "a & b") == svg);
  CHECK(test::why_not_xml(attitude_sphere({}, "", "")).empty());
}

TEST_CASE("rows more than a quarter turn apart are not joined by lines") {
  const auto lines = [](double step) { return polhode::test::count(attitude_sphere(turning(40, step), "", ""), "L"); };
  CHECK(lines(0.1) > 72 + 60);  // the equator, and x and y
  CHECK(lines(2.5) < 72 + 60);  // z stays where it is, and only that is joined
}
