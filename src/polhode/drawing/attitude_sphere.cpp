#include "polhode/drawing/attitude_sphere.h"

#include "polhode/drawing/svg.h"

#include <fmt/format.h>

#include <array>

namespace polhode::drawing {
namespace {

constexpr double kRadius = 130;  // on paper
constexpr double kMiddle = 150;
/// Two tips further apart than this are not joined.
constexpr double kLongest = 1.4;

/// One way, near or far half: "M..L..L..M..".
struct Way {
  std::string path;
  bool pen_down = false;
  void move(Point p) {
    path += (pen_down ? "L" : "M") + svg::point(p);
    pen_down = true;
  }
};

std::string stroke(const std::string& path, const std::string& colour, double width, double opacity) {
  if (path.empty()) { return {}; }
  return fmt::format(
      R"(<path d="{}" fill="none" stroke="{}" stroke-width="{}" stroke-opacity="{}" stroke-linejoin="round"/>)", path,
      colour, svg::number(width), svg::number(opacity));
}

}  // namespace

std::string attitude_sphere(std::span<const EulerParameters<double>> e_NB, const std::string& title,
                            const std::string& description) {
  const Projection paper({-35 * kDegree, 24 * kDegree}, kRadius, {kMiddle, kMiddle});
  std::string far;
  std::string near;
  const std::array<const char*, 3> colours{"#D55E00", "#009E73", "#0072B2"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Vector unit{};
    unit[axis] = 1;
    std::array<Way, 2> ways;  // far, near
    Vector last{};
    for (std::size_t i = 0; i < e_NB.size(); ++i) {
      const Vector tip = rotate(e_NB[i], unit);
      const bool joined = i > 0 && norm(tip - last) < kLongest;
      const std::size_t side = paper.depth(tip) < 0 ? 0 : 1;
      if (!joined || !ways[side].pen_down) {
        ways[side].pen_down = false;
        if (joined) { ways[side].move(paper(last)); }
      }
      ways[1 - side].pen_down = false;
      ways[side].move(paper(tip));
      last = tip;
    }
    far += stroke(ways[0].path, colours[axis], 1.2, 0.28);
    near += stroke(ways[1].path, colours[axis], 1.9, 1);
    if (e_NB.empty()) { continue; }
    const Point tip = paper(last);
    near += fmt::format(R"(<circle cx="{}" cy="{}" r="5" fill="{}"/>)", svg::number(tip.x), svg::number(tip.y),
                        colours[axis]);
  }
  // the equator of space
  std::string equator;
  for (int i = 0; i <= 72; ++i) {
    const auto [sin, cos] = math::sincos(5.0 * i * kDegree);
    equator += (i == 0 ? "M" : "L") + svg::point(paper({cos, sin, 0}));
  }
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300" role="img"><title>{}</title><desc>{}</desc>)"
      R"(<circle cx="150" cy="150" r="130" fill="#8fa3b8" fill-opacity="0.16" stroke="#8fa3b8"/>{}{}{}</svg>)",
      svg::escape(title), svg::escape(description), far, stroke(equator, "#8fa3b8", 1, 0.6), near);
}

}  // namespace polhode::drawing
