#include "polhode/drawing/chart.h"
#include "polhode/drawing/thinned_line.h"
#include "support/xml.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

using namespace polhode::drawing;

namespace {

Chart one_panel(const ChartLine& line, Scale scale = Scale::logarithmic) {
  const bool fixed = scale == Scale::logarithmic;
  return {
      "Title & more", "a note", {{"panel", {"x", scale}, {"y < 1", scale, fixed ? 1e-4 : 0, fixed ? 1.0 : 0}, {line}}}};
}

/// The d of the last path that is a line of a chart.
std::string path_of(const std::string& svg) {
  const std::size_t at = svg.find("d=\"", svg.find("<g><title>")) + 3;
  return svg.substr(at, svg.find('"', at) - at);
}

}  // namespace

TEST_CASE("a chart is valid XML, with its words escaped, and the same every time") {
  const Chart chart = one_panel({"line <1>", {{0.1, 1e-3}, {1, 1e-2}}});
  const std::string svg = draw(chart);
  CHECK(polhode::test::why_not_xml(svg) == "");
  CHECK(svg.find("Title &amp; more") != std::string::npos);
  CHECK(svg.find("line &lt;1&gt;") != std::string::npos);
  CHECK(draw(chart) == svg);
}

TEST_CASE("a straight line between powers is straight on logarithmic axes, and between numbers on linear ones") {
  // y = x²/100 from (0.1, 1e-4) to (10, 1): corners and the middle of a panel of 360 by 250 at (74, 90)
  CHECK(path_of(draw(one_panel({"square", {{0.1, 1e-4}, {1, 1e-2}, {10, 1}}}))) == "M74 340L254 215L434 90");
  // linear: a twentieth of the range is left free above and below, so 250/1.1 = 227.27 between the ends
  CHECK(path_of(draw(one_panel({"line", {{-1, -4}, {0, -2}, {1, 0}}}, Scale::linear))) ==
        "M74 328.64L254 215L434 101.36");
}

TEST_CASE("points that are no numbers break a line, infinite ones lie on the edge") {
  const double none = std::nan("");
  const double infinite = std::numeric_limits<double>::infinity();
  const std::string svg = draw(one_panel({"broken", {{0.1, 1e-4}, {0.2, none}, {1, 1e-2}, {5, 0.0}, {10, infinite}}}));
  CHECK(polhode::test::why_not_xml(svg) == "");
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
  CHECK(path_of(svg) == "M74 340M254 215M434 90");
  CHECK(path_of(draw(one_panel({"zero", {{-1, 0.0}, {0, none}, {1, 1.0}}}, Scale::linear))) == "M74 328.64M434 101.36");
  for (const Scale scale : {Scale::linear, Scale::logarithmic}) {
    CHECK(polhode::test::why_not_xml(draw(one_panel({"empty", {}}, scale))) == "");
    CHECK(polhode::test::why_not_xml(draw(one_panel({"point", {{1, 0.1}}}, scale))) == "");
    CHECK(polhode::test::why_not_xml(draw(one_panel({"constant", {{1, 0.1}, {2, 0.1}}}, scale))) == "");
    for (const double far : {1e300, 1.7e308}) {
      for (const double near : {1e-300, 5e-324, scale == Scale::linear ? -far : 1e-310}) {
        Chart wide = one_panel({"wide", {{1, near}, {2, far}}}, scale);
        wide.panels[0].y = {"", scale};
        CHECK(polhode::test::why_not_xml(draw(wide)) == "");
        CHECK(path_of(draw(wide)).find_first_not_of("0123456789.ML ") == std::string::npos);
        wide.panels[0].lines[0].points[1].second = near;
        CHECK(path_of(draw(wide)).find_first_not_of("0123456789.ML ") == std::string::npos);
      }
    }
  }
  CHECK(polhode::test::why_not_xml(draw(Chart{"nothing", "", {}})) == "");
}

TEST_CASE("points beyond a fixed x axis are left out, values beyond a fixed y axis lie on its edge") {
  Chart chart = one_panel({"line", {{0.001, 1}, {0.1, 1e-9}, {1, 1e-2}, {10, 1e9}, {100, 1}}});
  chart.panels[0].x.low = 0.1;
  chart.panels[0].x.high = 10;
  CHECK(path_of(draw(chart)) == "M74 340L254 215L434 90");
}

TEST_CASE("a line that appears in two panels has one line in the legend, wherever the legend stands") {
  Chart chart = one_panel({"shared", {{0.1, 1e-3}, {1, 1e-2}}, 3});
  chart.panels.push_back(chart.panels[0]);
  chart.panels[1].lines.push_back({"alone", {{0.1, 1e-3}, {1, 1e-2}}, 30, true});
  chart.panels[1].lines.push_back({"peer", {{0.1, 1e-3}, {1, 1e-2}}, 0, true, true});
  for (const Chart::Legend legend : {Chart::Legend::right, Chart::Legend::above}) {
    chart.legend = legend;
    const std::string svg = draw(chart);
    CHECK(polhode::test::why_not_xml(svg) == "");
    for (const char* name : {">shared</text>", ">alone</text>", ">peer</text>"}) {
      CHECK(polhode::test::count(svg, name) == 1);
    }
  }
}

TEST_CASE("shades go from blue to orange, each its own, in the panel and in the legend") {
  Chart chart = one_panel({}, Scale::linear);
  chart.panels[0].lines.clear();
  for (const double shade : {0.0, 0.5, 0.6, 1.0, 7.0}) {  // beyond the last: the last
    ChartLine line{"shade " + std::to_string(shade), {{0, shade}, {1, shade}}};
    line.shade = shade;
    chart.panels[0].lines.push_back(line);
  }
  const std::string svg = draw(chart);
  const auto count = [&](const std::string& colour) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(colour); at != std::string::npos; at = svg.find(colour, at + 1)) { ++found; }
    return found;
  };
  CHECK(count("stroke=\"#1f6fc4\"") == 2);
  CHECK(count("stroke=\"#a8669c\"") == 2);
  CHECK(count("stroke=\"#b7648a\"") == 2);  // two fifths of the way to the next, (206, 98, 110)
  CHECK(count("stroke=\"#de7a2a\"") == 4);
}

TEST_CASE("ticks of a linear axis are 1, 2 or 5 times a power of ten, with the power told apart where it is far") {
  const auto labels = [](double low, double high) {
    const std::string svg = draw(one_panel({"line", {{0, low}, {1, high}}}, Scale::linear));
    std::vector<std::string> found;
    const std::string end = "text-anchor=\"end\">";
    for (std::size_t at = svg.find(end); at != std::string::npos; at = svg.find(end, at + 1)) {
      found.push_back(svg.substr(at + end.size(), svg.find('<', at) - at - end.size()));
    }
    return found;
  };
  CHECK(labels(-1, 1) == std::vector<std::string>{"\u22121", "\u22120.5", "0", "0.5", "1"});
  CHECK(labels(0, 2e-9) == std::vector<std::string>{"0", "0.5", "1", "1.5", "2"});
  CHECK(draw(one_panel({"line", {{0, 0}, {1, 2e-9}}}, Scale::linear)).find("×10<tspan") != std::string::npos);
  // what differs by rounding alone is a constant, not a mountain range
  const std::string flat = draw(one_panel({"line", {{0, 1}, {0.5, 1 + 1e-15}, {1, 1}}}, Scale::linear));
  CHECK(path_of(flat) == "M74 215L254 215L434 215");
}

TEST_CASE("the text alternative tells the range of every line, and the number of moments") {
  Chart chart = one_panel({"height", {{0, -1.5}, {4, 2.5}}}, Scale::linear);
  chart.panels[0].moments = {{1, "flip"}, {1.0001, "flip"}, {3, "flip"}};
  CHECK(description(chart) == "panel: x from 0 to 4; height between -1.5 and 2.5; 3 moments are marked.");
  const std::string svg = draw(chart);
  CHECK(svg.find("<desc>panel: x from 0 to 4;") != std::string::npos);
  CHECK(svg.find("role=\"img\"") != std::string::npos);
  // two moments at one place on paper are one line
  const std::size_t at = svg.find("<title>flip</title>");
  REQUIRE(at != std::string::npos);
  const std::string path = svg.substr(at, svg.find("/>", at) - at);
  CHECK(polhode::test::count(path, "V340") == 2);
  // many are ticks at the upper edge, lest they hide the lines
  chart.panels[0].moments.assign(100, {1, "flip"});
  CHECK(draw(chart).find("V96\" class=\"moment\"") != std::string::npos);
}

TEST_CASE("a spike of one point among a million survives, in memory and on paper that do not grow") {
  ThinnedLine line;
  ThinnedLine without;
  const int n = 1'000'000;
  for (int i = 0; i < n; ++i) {
    const double y = std::sin(1e-4 * i);
    line.add(i, i == 654'321 ? 50 : i == 123'456 ? -50 : y);
    without.add(i, y);
  }
  const auto points = line.points();
  CHECK(points.size() <= 4 * 1024);
  CHECK(std::is_sorted(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.first < b.first; }));
  CHECK(std::count(points.begin(), points.end(), std::pair{654'321.0, 50.0}) == 1);
  CHECK(std::count(points.begin(), points.end(), std::pair{123'456.0, -50.0}) == 1);
  CHECK(points.front() == std::pair{0.0, 0.0});
  CHECK(points.back().first == n - 1);
  const std::string svg = draw(one_panel({"line", points}, Scale::linear));
  CHECK(svg.size() < 40'000);
  CHECK(svg.find("between -50 and 50") != std::string::npos);
  // on paper: 100/1.1 of 250 units below the upper edge of the panel
  CHECK(path_of(svg).find(" 101.4") != std::string::npos);
  CHECK(path_of(svg).find(" 328.6") != std::string::npos);
  CHECK(draw(one_panel({"line", without.points()}, Scale::linear)).find("between -1 and 1") != std::string::npos);
}

TEST_CASE("a short line is kept as it is, with its breaks") {
  ThinnedLine line(4);
  line.add(0, 1);
  line.add(1, std::nan(""));
  line.add(2, 3);
  const auto points = line.points();
  REQUIRE(points.size() == 3);
  CHECK(points[0] == std::pair{0.0, 1.0});
  CHECK(std::isnan(points[1].second));
  CHECK(points[2] == std::pair{2.0, 3.0});
}
