#include "polhode/drawing/chart.h"
#include "support/xml.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

using namespace polhode::drawing;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) { ++n; }
  return n;
}

Chart one_panel(const ChartLine& line) {
  return {"Title & more", "a note", {{"panel", "x", "y < 1", 1e-4, 1, {line}}}};
}

}  // namespace

TEST_CASE("a chart is valid XML, with its words escaped, and the same every time") {
  const Chart chart = one_panel({"line <1>", {{0.1, 1e-3}, {1, 1e-2}}, 0});
  const std::string svg = draw(chart);
  CHECK(polhode::test::why_not_xml(svg) == "");
  CHECK(svg.find("Title &amp; more") != std::string::npos);
  CHECK(svg.find("line &lt;1&gt;") != std::string::npos);
  CHECK(draw(chart) == svg);
}

TEST_CASE("a straight line between powers is straight on logarithmic axes") {
  // y = x²/100 from (0.1, 1e-4) to (10, 1): corners and the middle of a panel of 360 by 250 at (74, 96)
  const std::string svg = draw(one_panel({"square", {{0.1, 1e-4}, {1, 1e-2}, {10, 1}}, 0}));
  CHECK(svg.find("M74 346L254 221L434 96\"") != std::string::npos);
}

TEST_CASE("points that are no numbers break a line, infinite ones lie on the upper edge") {
  const double none = std::nan("");
  const double infinite = std::numeric_limits<double>::infinity();
  const std::string svg =
      draw(one_panel({"broken", {{0.1, 1e-4}, {0.2, none}, {1, 1e-2}, {5, 0.0}, {10, infinite}}, 0}));
  CHECK(polhode::test::why_not_xml(svg) == "");
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
  CHECK(svg.find("M74 346M254 221M434 96\"") != std::string::npos);
  CHECK(polhode::test::why_not_xml(draw(one_panel({"empty", {}, 0}))) == "");
  CHECK(polhode::test::why_not_xml(draw(one_panel({"point", {{1, 0.1}}, 0}))) == "");
  CHECK(polhode::test::why_not_xml(draw(Chart{"nothing", "", {}})) == "");
}

TEST_CASE("a line that appears in two panels has one line in the legend") {
  Chart chart = one_panel({"shared", {{0.1, 1e-3}, {1, 1e-2}}, 3});
  chart.panels.push_back(chart.panels[0]);
  chart.panels[1].lines.push_back({"alone", {{0.1, 1e-3}, {1, 1e-2}}, 30});
  const std::string svg = draw(chart);
  CHECK(count(svg, ">shared<") == 1);
  CHECK(count(svg, ">alone<") == 1);
}
