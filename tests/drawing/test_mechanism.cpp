#include "polhode/core/error.h"
#include "polhode/drawing/mechanism.h"
#include "polhode/drawing/solid.h"
#include "polhode/drawing/svg.h"
#include "support/xml.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace polhode;
using namespace polhode::drawing;

namespace {

/// A crank of a shape and a rod without one, as every kind of joint may hold them.
MechanismPicture two_bodies(const std::string& kind) {
  MechanismPicture picture;
  picture.title = "Two bodies";
  picture.bodies = {
      {.name = "crank", .mass = 1, .J_B = diagonal(0.1, 0.1, 0.01), .outlines = {{"box", {0.1, 0.1, 1}}}},
      {.name = "rod", .mass = 1, .J_B = diagonal(0.1, 0.1, 0.01), .outlines = {}},
  };
  picture.joints = {
      {.name = "foot", .kind = kind, .first = -1, .second = 0, .r_first = {0, 0, 0}, .r_second = {0, 0, -0.5}},
      {.name = "elbow", .kind = "revolute", .first = 0, .second = 1, .r_first = {0, 0, 0.5}, .r_second = {-0.5, 0, 0}},
  };
  for (const double turn : {0.0, 0.4, 0.8}) {
    const auto [sine, cosine] = math::sincos(turn / 2);
    picture.moments.push_back({{{0, 0, 0.5}}, {{0.5, 0, 1}, {cosine, {0, sine, 0}}}});
  }
  picture.up_N = Vector{0, 0, 9.81};
  return picture;
}

std::string drawn(const MechanismPicture& picture) { return draw(picture, best_view(picture)); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Numbers of paths and attributes are all finite: no word that a broken one leaves.
bool is_finite_svg(const std::string& svg) { return !has(svg, "nan") && !has(svg, "inf"); }

double signed_volume(const Solid& solid) {
  double sum = 0;
  for (const auto& face : solid.faces) {
    for (std::size_t i = 2; i < face.size(); ++i) {
      sum += dot(solid.points[face[0]], cross(solid.points[face[i - 1]], solid.points[face[i]])) / 6;
    }
  }
  return sum;
}

}  // namespace

TEST_CASE(
    "a picture of a mechanism is XML of finite numbers that names every body and joint, whatever its joints are") {
  for (const char* kind : {"weld", "revolute", "prismatic", "cylindrical", "screw", "spherical", "universal",
                           "constant-velocity", "planar", "point-on-line", "point-on-plane", "distance",
                           "spherical-spherical", "revolute-spherical", "something new"}) {
    CAPTURE(kind);
    for (const bool words : {true, false}) {
      MechanismPicture picture = two_bodies(kind);
      picture.words = words;
      const std::string svg = drawn(picture);
      CHECK(test::why_not_xml(svg) == "");
      CHECK(is_finite_svg(svg));
      for (const char* name : {"crank", "rod", "foot", "elbow"}) {
        CHECK(has(svg, std::string(words ? ">" : " ") + name));
      }
      CHECK(has(svg, "<title id=\"mechanism-title\">Two bodies</title>"));
      CHECK(has(svg, "1 joint") == false);
      CHECK(has(svg, "2 joints: foot (" + std::string(kind) + ") between the ground and crank"));
    }
  }
}

TEST_CASE("without words a picture of a mechanism has no text and no style, so that a strict page may hold it") {
  MechanismPicture picture = two_bodies("revolute");
  CHECK(has(drawn(picture), "<text"));
  picture.words = false;
  CHECK_FALSE(has(drawn(picture), "<text"));
  CHECK_FALSE(has(drawn(picture), "<style"));
}

TEST_CASE("names that try to be markup are shown as they are written") {
  MechanismPicture picture = two_bodies("revolute");
  const std::string hostile = "\"><script>alert(1)</script>&_x";
  const std::string escaped = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;_x";
  for (const int which : {0, 1, 2, 3}) {
    CAPTURE(which);
    MechanismPicture attacked = picture;
    (which == 0   ? attacked.title
     : which == 1 ? attacked.bodies[1].name
     : which == 2 ? attacked.joints[0].name
                  : attacked.joints[1].kind) = hostile;
    const std::string svg = drawn(attacked);
    CHECK(test::why_not_xml(svg) == "");
    CHECK_FALSE(has(svg, "<script"));
    CHECK(has(svg, escaped));
  }
}

TEST_CASE("what cannot be drawn is refused with its name") {
  const auto message = [](const MechanismPicture& picture) -> std::string {
    try {
      drawn(picture);
    } catch (const Error& error) { return error.what(); }
    return "";
  };
  MechanismPicture picture = two_bodies("revolute");
  CHECK(message(picture) == "");
  picture.moments[1].pop_back();
  CHECK(has(message(picture), "a moment without one of the bodies"));
  picture = two_bodies("revolute");
  picture.moments[0][0].r_N.y = std::numeric_limits<double>::quiet_NaN();
  CHECK(has(message(picture), "a position that is not finite"));
  picture = two_bodies("revolute");
  picture.joints[0].second = 7;
  CHECK(has(message(picture), "joint 'foot' is on a body that is not there"));
  picture = two_bodies("revolute");
  picture.bodies[0].outlines[0].lengths.clear();
  CHECK(has(message(picture), "body 'crank' has a shape without lengths"));
  picture = two_bodies("revolute");
  picture.springs = {{"spring", -1, {}, 7, {}}};
  CHECK(has(message(picture), "a spring is on a body that is not there"));
  picture.bodies.clear();
  picture.moments = {{}};
  CHECK(has(message(picture), "no body or no moment"));
}

TEST_CASE("a body that is a mesh is drawn with its faces, and one without faces is refused") {
  MechanismPicture picture = two_bodies("revolute");
  // a wedge that no box looks like
  const Surface wedge{{{0, -0.2, -0.5}, {0, 0.2, -0.5}, {0.3, 0, -0.5}, {0, 0, 0.5}},
                      {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}};
  picture.bodies[0].outlines = {{.shape = "mesh", .lengths = {}, .surface = std::make_shared<const Surface>(wedge)}};
  const std::string svg = drawn(picture);
  CHECK(test::why_not_xml(svg) == "");
  CHECK(is_finite_svg(svg));
  CHECK(solid_of(picture.bodies[0].outlines[0], 0).faces.size() == 4);
  // a third of base times height, with the sign of faces that are seen from outside
  CHECK(signed_volume(solid_of(picture.bodies[0].outlines[0], 0)) == doctest::Approx(0.02).epsilon(1e-12));
  picture.bodies[0].outlines[0].surface = std::make_shared<const Surface>();
  CHECK_THROWS_AS(drawn(picture), Error);
}

TEST_CASE("a spring is drawn as a zigzag and a bushing as a block, between bodies or to the ground") {
  const std::string without = drawn(two_bodies("revolute"));
  std::vector<std::string> pictures{without};
  for (const char* kind : {"spring", "bushing"}) {
    for (const int first : {-1, 0}) {
      MechanismPicture picture = two_bodies("revolute");
      picture.springs = {{kind, first, {0.1, 0, 0.3}, 1, {0.2, 0, 0}}};
      pictures.push_back(drawn(picture));
      CHECK(test::why_not_xml(pictures.back()) == "");
      CHECK(is_finite_svg(pictures.back()));
      CHECK(pictures.back().size() > without.size());
    }
  }
  std::sort(pictures.begin(), pictures.end());
  CHECK(std::unique(pictures.begin(), pictures.end()) == pictures.end());
}

TEST_CASE("a mechanism that stands still has no ghosts and no trail; one that moves has them") {
  MechanismPicture picture = two_bodies("revolute");
  CHECK(has(drawn(picture), "fill-opacity"));
  picture.moments.resize(1);
  CHECK_FALSE(has(drawn(picture), "fill-opacity"));
}

TEST_CASE("a joint told from the body to the ground looks like the same joint told from the ground") {
  for (const char* kind : {"revolute", "universal", "prismatic", "spherical"}) {
    CAPTURE(kind);
    MechanismPicture there = two_bodies(kind);
    MechanismPicture back = there;
    io::PicturedJoint& joint = back.joints[0];
    std::swap(joint.first, joint.second);
    std::swap(joint.r_first, joint.r_second);
    // x of the first frame is a cross's first axis, y of the second its other: a quarter turn about z tells them apart
    const double half = math::sqrt(0.5);
    joint.e_first = EulerParameters<double>{half, {0, 0, half}};
    joint.e_second = EulerParameters<double>{half, {0, 0, -half}};
    const View view = best_view(there);
    const auto solids_of = [&](const MechanismPicture& picture) {
      const std::string svg = draw(picture, view);
      return svg.substr(svg.find("<g stroke-linejoin"));
    };
    CHECK(solids_of(there) == solids_of(back));
  }
}

TEST_CASE("the same picture gives the same bytes, and turning space with gravity changes none of the bodies' faces") {
  const MechanismPicture picture = two_bodies("revolute");
  CHECK(drawn(picture) == drawn(picture));
  // no gravity: no floor
  MechanismPicture free = picture;
  free.up_N.reset();
  CHECK(has(drawn(picture), "#D5DAE0"));
  CHECK_FALSE(has(drawn(free), "#D5DAE0"));
}

TEST_CASE("the net of a floor that is tilted against gravity is tilted, too") {
  MechanismPicture picture = two_bodies("revolute");
  for (const double slope : {0.0, 0.5}) {
    CAPTURE(slope);
    picture.floor = io::PicturedPlane{{0, 0, -1}, {slope, 0, 1}};
    // seen along the floor: its net is a line across the picture, z falling with x; y of the picture points down
    const std::string svg = draw(picture, {-math::kPi<double> / 2, 0});
    double longest = 0;
    for (std::size_t at = svg.find("#D5DAE0"); at != std::string::npos; at = svg.find("#D5DAE0", at + 1)) {
      const std::size_t path = svg.rfind("d=\"M", at) + 4;
      std::array<double, 4> p{};
      REQUIRE(std::sscanf(svg.c_str() + path, "%lf %lfL%lf %lf", &p[0], &p[1], &p[2], &p[3]) == 4);
      const double across = p[2] - p[0];
      longest = std::fmax(longest, std::fabs(across));
      // numbers of a picture have two places after the point
      CHECK(std::fabs((p[3] - p[1]) - slope * across) < 0.05);
    }
    CHECK(longest > 100);
  }
}

TEST_CASE("every plane that something rolls on has its net") {
  MechanismPicture picture = two_bodies("revolute");
  const auto lines = [&] {
    const std::string svg = drawn(picture);
    std::size_t count = 0;
    for (std::size_t at = svg.find("#D5DAE0"); at != std::string::npos; at = svg.find("#D5DAE0", at + 1)) { ++count; }
    return count;
  };
  picture.floor = io::PicturedPlane{{0, 0, -1}, {0, 0, 1}};
  const std::size_t of_one = lines();
  CHECK(of_one > 4);
  picture.other_floors.push_back({{0, 0, -2}, {0, 0, 2}});
  CHECK(lines() == 2 * of_one);
  picture.other_floors.push_back({{3, 0, 0}, {1, 0, 0}});
  CHECK(lines() > 2 * of_one + 4);
}

TEST_CASE("solids are closed, face outwards, and hold the volume of their shape") {
  struct Shape {
    Outline outline;
    double volume;
  };
  const double pi = math::kPi<double>;
  const std::array shapes{Shape{{"box", {1, 2, 3}}, 6},
                          Shape{{"cylinder", {1, 2}}, 2 * pi},
                          Shape{{"tube", {1, 0.5, 2}}, 2 * pi * 0.75},
                          Shape{{"cone", {1, 3}}, pi},
                          Shape{{"capsule", {1, 2}}, 2 * pi + 4 * pi / 3},
                          Shape{{"sphere", {2}}, 32 * pi / 3},
                          Shape{{"ellipsoid", {1, 2, 3}}, 8 * pi}};
  for (const Shape& shape : shapes) {
    CAPTURE(shape.outline.shape);
    const Solid solid = solid_of(shape.outline, 0);
    // polygons of 24 to 40 corners lie inside the circle: a few percent less
    CHECK(signed_volume(solid) <= shape.volume * (1 + 1e-12));
    CHECK(signed_volume(solid) > 0.95 * shape.volume);
    Solid reversed = solid;
    for (auto& face : reversed.faces) { std::reverse(face.begin(), face.end()); }
    CHECK(signed_volume(reversed) < 0);
  }
}

TEST_CASE("a line meets a tube twice and its empty middle not at all") {
  const Solid tube = solid_of({"tube", {1, 0.5, 2}}, 0);
  const std::vector<Stretch> met = inside(tube, {-3, 0.01, 0.02}, {1, 0, 0});
  REQUIRE(met.size() == 2);
  // 40 sides: the polygon is at most 1 − cos(π/40) = 0.3 % inside its circle
  CHECK(met[0].from == doctest::Approx(2).epsilon(0.0035));
  CHECK(met[0].to == doctest::Approx(2.5).epsilon(0.0035));
  CHECK(met[1].to == doctest::Approx(4).epsilon(0.0035));
  CHECK(inside(tube, {0.1, 0.1, -3}, {0, 0, 1}).empty());
  CHECK(is_inside(tube, {0.75, 0, 0}));
  CHECK_FALSE(is_inside(tube, {0.1, 0, 0}));
}

TEST_CASE("of two solids that run into each other each hides the part of the other that is behind it") {
  // seen along −x, the second bar goes from behind the first to before it: painting whole bars cannot be right
  Solid second = box_solid({0.1, 0.1, 1});
  for (Vector& p : second.points) { p = {p.x + p.z, p.y, p.z}; }
  const std::vector<Painted> solids{{box_solid({0.1, 1, 0.1}), "#ff0000"}, {second, "#0000ff"}};
  const drawing::Projection projection({0, 0}, 100, {0, 0});
  const std::string svg = draw_solids(solids, projection, 1);
  const auto paint_at = [&](Point p) {
    // the last path that covers p
    std::string top;
    for (std::size_t at = svg.find("<path d=\""); at != std::string::npos; at = svg.find("<path d=\"", at + 1)) {
      const std::string element = svg.substr(at, svg.find("/>", at) - at);
      if (has(element, "fill=\"none\"")) { continue; }
      const std::string fill = element.substr(element.find("fill=\"") + 6, 7);
      const std::string path = element.substr(9, element.find('"', 9) - 9);
      for (std::size_t from = 0; from < path.size();) {
        const std::size_t end = path.find('Z', from);
        std::vector<Point> corners;
        for (std::size_t i = from; i < end;) {
          std::size_t used = 0;
          const double x = std::stod(path.substr(i + 1), &used);
          const std::size_t gap = path.find(' ', i);
          const double y = std::stod(path.substr(gap + 1), &used);
          corners.push_back({x, y});
          i = gap + 1 + used;
        }
        bool left = true;
        bool right = true;
        for (std::size_t i = 0; i < corners.size(); ++i) {
          const Point along = corners[(i + 1) % corners.size()] - corners[i];
          const double side = dot(quarter_turn(along), p - corners[i]);
          left = left && side >= 0;
          right = right && side <= 0;
        }
        if (left || right) { top = fill; }
        from = end + 1;
      }
    }
    return top;
  };
  // above the crossing the slanting bar is nearer, below it is behind: y of paper counts down
  CHECK(paint_at({0, -50}).ends_with("00") == false);
  CHECK(paint_at({50, 0}).substr(5) == "00");
  CHECK(paint_at({0, -8}).substr(1, 2) == "00");
  CHECK(paint_at({0, 8}).substr(5) == "00");
}
