#include "polhode/core/error.h"
#include "polhode/drawing/chain.h"
#include "polhode/drawing/euler_cans.h"
#include "polhode/drawing/pieces.h"
#include "polhode/drawing/svg.h"
#include "support/xml.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

using namespace polhode;
using namespace polhode::drawing;

namespace {

std::string read(const std::string& path) {
  std::ifstream file(std::string(POLHODE_SOURCE_DIR) + "/" + path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

std::string picture(const Linkage& linkage) { return draw(linkage, best_view(linkage)); }

Linkage cans(const std::string& sequence, const Vec3<double>& angles_deg) {
  return to_linkage(EulerCans{.sequence = EulerSequence::parse(sequence), .angles = kDegree * angles_deg});
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// No number of the picture is nan or inf: looked for where numbers stand, in attributes.
bool has_only_numbers(const std::string& svg) {
  for (const char* word :
       {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf", " nan", " -nan", " inf", " -inf", "Mnan", "Lnan"}) {
    if (contains(svg, word)) { return false; }
  }
  return true;
}

/// The axes that the SVG itself states, one a can.
std::vector<Vector> axes_in(const std::string& svg) {
  std::vector<Vector> axes;
  for (int n = 1; n <= 3; ++n) {
    for (const char* which : {"fixed", "turned"}) {
      const std::string key = "data-can=\"" + std::to_string(n) + ' ' + which + "\" data-axis=\"";
      const std::size_t at = svg.find(key);
      REQUIRE(at != std::string::npos);
      std::istringstream numbers(svg.substr(at + key.size(), 60));
      Vector axis;
      numbers >> axis.x >> axis.y >> axis.z;
      axes.push_back(axis);
    }
  }
  return axes;
}

/// What the SVG says of a label, as a rectangle that its letters fill.
struct TextBox {
  std::string text;
  Point low;
  Point high;
};

double attribute(const std::string& element, const std::string& name) {
  const std::size_t at = element.find(" " + name + "=\"");
  REQUIRE(at != std::string::npos);
  return std::stod(element.substr(at + name.size() + 3));
}

std::vector<TextBox> labels_in(const std::string& svg) {
  std::vector<TextBox> boxes;
  for (std::size_t at = svg.find("<text "); at != std::string::npos; at = svg.find("<text ", at + 1)) {
    const std::string element = svg.substr(at, svg.find("</text>", at) - at);
    if (!contains(element, "class=\"label\"")) { continue; }
    const std::string text = element.substr(element.find('>') + 1);
    const double x = attribute(element, "x");
    const double y = attribute(element, "y");
    const double size = attribute(element, "font-size");
    const double half = (contains(element, "bold") ? 0.55 : 0.5) * svg::text_width(text, size);
    if (!contains(text, "<")) { boxes.push_back({text, {x - half, y - 0.75 * size}, {x + half, y + 0.1 * size}}); }
  }
  return boxes;
}

/// Points along the shafts and heads of the arrows of this colour.
std::vector<Point> arrow_points(const std::string& svg, const std::string& colour) {
  std::vector<Point> points;
  for (std::size_t at = svg.find("<path d=\"M"); at != std::string::npos; at = svg.find("<path d=\"M", at + 1)) {
    const std::string element = svg.substr(at, svg.find("/>", at) - at);
    if (!contains(element, colour)) { continue; }
    std::istringstream numbers(element.substr(10));
    Point from;
    Point to;
    char letter = 0;
    numbers >> from.x >> from.y >> letter >> to.x >> to.y;
    for (int n = 0; n <= 20; ++n) { points.push_back(from + (n / 20.0) * (to - from)); }
  }
  return points;
}

/// Points along the sides of the polygons that stand between these two words.
std::vector<Point> path_points(const std::string& svg, const std::string& from, const std::string& to) {
  std::vector<Point> points;
  const std::size_t start = svg.find(from);
  REQUIRE(start != std::string::npos);
  const std::string part = svg.substr(start, svg.find(to, start) - start);
  for (std::size_t at = part.find(" d=\"M"); at != std::string::npos; at = part.find(" d=\"M", at + 1)) {
    std::istringstream numbers(part.substr(at + 5));
    std::vector<Point> corners(4);
    char letter = 0;
    for (Point& p : corners) { numbers >> p.x >> p.y >> letter; }
    for (std::size_t i = 0; i < 4; ++i) {
      for (int n = 0; n <= 40; ++n) { points.push_back(corners[i] + (n / 40.0) * (corners[(i + 1) % 4] - corners[i])); }
    }
  }
  return points;
}

bool any_inside(const std::vector<Point>& points, const TextBox& box) {
  return std::any_of(points.begin(), points.end(), [&](Point p) {
    return p.x > box.low.x && p.x < box.high.x && p.y > box.low.y && p.y < box.high.y;
  });
}

bool is_inside(const Vector& p, const BoxShape& box) {
  const Vector p_L = transpose(box.R_NL) * (p - box.center);
  return std::fabs(p_L.x) < box.half_edges.x && std::fabs(p_L.y) < box.half_edges.y &&
         std::fabs(p_L.z) < box.half_edges.z;
}

bool is_inside(const Vector& p, const Plate& plate) {
  const double height = dot(p - plate.center, plate.normal);
  const Vector across_plate = p - plate.center - height * plate.normal;
  return height < 0 && height > -0.09 && norm(across_plate) < plate.radius;
}

/// Whether the body or the base plate stands between this point and the viewer: by walking there.
bool is_hidden(const Vector& p, const Linkage& linkage, const View& view) {
  for (double far = 0.005; far < 2; far += 0.01) {
    const Vector q = p + far * view.toward();
    for (const BoxShape& box : linkage.boxes) {
      if (is_inside(q, box)) { return true; }
    }
    for (const Plate& plate : linkage.plates) {
      if (is_inside(q, plate)) { return true; }
    }
  }
  return false;
}

}  // namespace

TEST_CASE("the judge of XML tells good from bad") {
  CHECK(test::why_not_xml("<a b=\"1\"><c/>x &amp; y</a>\n") == "");
  for (const char* bad : {"", "<a>", "<a></b>", "<a/><b/>", "<a>&</a>", "<a b=1/>", "<a b=\"<\"/>",
                          "<a b=\"1\" b=\"2\"/>", "<a>\x01</a>", "x<a/>"}) {
    CHECK(test::why_not_xml(bad) != "");
  }
}

TEST_CASE("every sequence draws as well-formed SVG of finite numbers, at lock and away from it, the same each time") {
  for (const EulerSequence& intrinsic : all_sequences()) {
    for (const bool extrinsic : {false, true}) {
      const EulerSequence sequence{intrinsic.axes, extrinsic};
      const double lock_deg = sequence.proper() ? 0 : 90;
      for (const Vec3<double>& angles : {pleasant_angles(sequence), kDegree * Vec3<double>{30, lock_deg, -50},
                                         kDegree * Vec3<double>{-170, 200, 1e7}, Vec3<double>{0, 0, 0}}) {
        CAPTURE(sequence.name());
        CAPTURE(angles.y);
        const EulerCans what{.sequence = sequence, .angles = angles, .rates = Vec3<double>{0.1, 0, -2}};
        const std::string svg = picture(to_linkage(what));
        CHECK(test::why_not_xml(svg) == "");
        CHECK(has_only_numbers(svg));
        CHECK(svg == picture(to_linkage(what)));
      }
    }
  }
}

TEST_CASE("the cans of the picture turn about the columns of the space rate matrix") {
  for (const EulerSequence& sequence : all_sequences()) {
    const Vec3<double> angles = pleasant_angles(sequence);
    const Linkage linkage = to_linkage({.sequence = sequence, .angles = angles});
    const Mat3<double> C = sequence::space_rate_matrix(sequence, turns_of(angles));
    const std::vector<Vector> drawn = axes_in(picture(linkage));
    for (std::size_t n = 0; n < 3; ++n) {
      CHECK(linkage.turns[n].axis == column(C, n));
      // the SVG has nine decimals
      CHECK(norm(drawn[2 * n] - column(C, n)) < 2e-9);
      CHECK(norm(drawn[2 * n + 1] - column(C, n)) < 2e-9);
    }
  }
}

TEST_CASE("the frames at the ends are space and body, and neighbouring pairs stand at right angles") {
  const Vec3<double> angles{0.3, 0.7, -1.1};
  for (const EulerSequence& sequence : all_sequences()) {
    const Linkage linkage = to_linkage({.sequence = sequence, .angles = angles});
    REQUIRE(linkage.triads.size() == 4);
    CHECK(linkage.triads.front().R_NL == identity<double, 3>());
    CHECK(linkage.triads.back().R_NL == EulerAngles{sequence}.matrix(angles));
    // rounding of two unit vectors
    CHECK(std::fabs(dot(linkage.turns[0].axis, linkage.turns[1].axis)) < 1e-15);
    CHECK(std::fabs(dot(linkage.turns[1].axis, linkage.turns[2].axis)) < 1e-15);
  }
}

TEST_CASE("an extrinsic sequence is drawn as the intrinsic one it equals, its first turn next to the body") {
  const Vec3<double> angles{0.2, 0.4, 0.9};
  const Linkage extrinsic = to_linkage({.sequence = EulerSequence::parse("1-2-3:extrinsic"), .angles = angles});
  const Linkage intrinsic = to_linkage({.sequence = EulerSequence::parse("3-2-1"), .angles = {0.9, 0.4, 0.2}});
  for (std::size_t n = 0; n < 3; ++n) {
    CHECK(extrinsic.turns[n].axis == intrinsic.turns[n].axis);
    CHECK(extrinsic.turns[n].symbol == intrinsic.turns[n].symbol);
  }
  CHECK(extrinsic.turns[2].angle == 0.2);
  CHECK(contains(picture(extrinsic), "Extrinsic"));
}

TEST_CASE("gimbal lock is marked if and only if the determinant is small") {
  for (const EulerSequence& sequence : all_sequences()) {
    const double locked = sequence.proper() ? 180 : -90;
    for (const double off_deg : {0.0, 0.4, 0.8, 30.0}) {
      const EulerCans what{.sequence = sequence, .angles = kDegree * Vec3<double>{25, locked + off_deg, 70}};
      const std::string svg = picture(to_linkage(what));
      const bool small = std::fabs(EulerAngles{sequence}.conditioning(what.angles).determinant) < kLockDeterminant;
      CHECK(small == (off_deg < 0.5));
      CHECK(contains(svg, "data-lock-plane") == small);
      CHECK(contains(svg, "Gimbal lock") == small);
      CHECK(contains(svg, "condition number") == !small);
    }
  }
}

TEST_CASE("near lock the caption claims no more than is so") {
  const std::string at_lock = picture(cans("3-2-3", {30, 0, 40}));
  CHECK(contains(at_lock, "lie in one plane"));
  CHECK(contains(at_lock, "No angle rates turn the body about its normal"));
  CHECK(contains(at_lock, "no turn about n"));
  const std::string near_lock = picture(cans("3-2-3", {30, 0.4, 40}));
  CHECK(contains(near_lock, "lie nearly in one plane (det = −0.007)"));
  CHECK(contains(near_lock, "Only very large angle rates turn the body about"));
  CHECK_FALSE(contains(near_lock, "No angle rates"));
  CHECK_FALSE(contains(near_lock, "no turn about n"));
  // 90° is not a double: rounding is not a distance from lock, but what rounding cannot explain is
  CHECK(contains(picture(cans("3-2-1", {20, -90, 40})), "lie in one plane"));
  CHECK(contains(picture(cans("3-2-1", {20, 90.000001, 40})), "det = 1.7e-08"));
}

TEST_CASE("angles and rates that a drawing cannot show are refused") {
  const EulerSequence sequence = EulerSequence::parse("3-1-3");
  const auto refusal = [&](const Vec3<double>& angles, const Vec3<double>& rates) -> std::string {
    try {
      to_linkage({.sequence = sequence, .angles = angles, .rates = rates});
    } catch (const Error& error) { return error.what(); }
    return "";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal({1, 2, 1e9}, {1e30, 0, -1e30}) == "");
  CHECK(refusal({1, -1e308, 3}, {0, 0, 0}) == "angle 2 is -1e+308 rad; allowed in a drawing: -1e9 to 1e9");
  CHECK(refusal({nan, 2, 3}, {0, 0, 0}) == "angle 1 is nan rad; allowed in a drawing: -1e9 to 1e9");
  CHECK(refusal({1, 2, 3}, {0, 0, 1e308}) == "rate 3 is 1e+308 rad/s; allowed in a drawing: -1e30 to 1e30");
  const EulerCans largest{.sequence = sequence, .angles = {1e9, -1e9, 1e9}, .rates = Vec3<double>{1e30, -1e30, 1e30}};
  CHECK(has_only_numbers(picture(to_linkage(largest))));
}

TEST_CASE("no label covers a rate arrow") {
  struct Example {
    const char* sequence;
    Vec3<double> angles_deg;
    Vec3<double> rates_deg;
  };
  std::vector<Example> examples{{"1-2-3:extrinsic", {400, -75, 1000}, {20, -30, 45}},
                                {"2-1-3", {100, -80, 170}, {100, -200, 50}}};
  for (const char* name :
       {"1-2-1", "1-2-3", "1-3-1", "1-3-2", "2-1-2", "2-1-3", "2-3-1", "2-3-2", "3-1-2", "3-1-3", "3-2-1", "3-2-3"}) {
    examples.push_back({name, {40, 65, 50}, {20, -30, 45}});
  }
  for (const Example& example : examples) {
    CAPTURE(std::string(example.sequence));
    const std::string svg = picture(to_linkage({.sequence = EulerSequence::parse(example.sequence),
                                                .angles = kDegree * example.angles_deg,
                                                .rates = kDegree * example.rates_deg}));
    const std::vector<Point> arrows = arrow_points(svg, "#8A2D6B");
    CHECK(arrows.size() == 3 * 3 * 21);  // a shaft and two heads each
    for (const TextBox& box : labels_in(svg)) {
      CAPTURE(box.text);
      CHECK(std::none_of(arrows.begin(), arrows.end(), [&](Point p) {
        return p.x > box.low.x && p.x < box.high.x && p.y > box.low.y && p.y < box.high.y;
      }));
    }
  }
}

TEST_CASE("the arms of the space and body frames are not hidden in a default picture") {
  for (const EulerSequence& sequence : all_sequences()) {
    CAPTURE(sequence.name());
    const Linkage linkage = to_linkage({.sequence = sequence, .angles = pleasant_angles(sequence)});
    const View view = best_view(linkage);
    for (const Triad& triad : linkage.triads) {
      if (!triad.main) { continue; }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        CAPTURE(triad.names[axis]);
        int hidden = 0;
        for (int n = 0; n <= 20; ++n) {
          const double reach = triad.inner[axis] + (triad.arm - triad.inner[axis]) * n / 20;
          hidden += is_hidden(triad.origin + reach * column(triad.R_NL, axis), linkage, view) ? 1 : 0;
        }
        CHECK(hidden <= 10);  // at least half is seen
      }
    }
  }
}

TEST_CASE("angles, axes and frames are labelled") {
  const std::string svg = picture(cans("3-1-3", {30, 40, 52.5}));
  for (const char* text : {"φ = 30°", "θ = 40°", "ψ = 52.5°", "about z<", "about x′", "about z″", "space N", "body B",
                           "<title", "<desc", "viewBox", ">y′<", ">x″<"}) {
    CAPTURE(text);
    CHECK(contains(svg, text));
  }
  const std::string yaw_pitch_roll = picture(cans("3-2-1", {10, 20, -30}));
  for (const char* text : {"ψ = 10°", "θ = 20°", "φ = −30°"}) { CHECK(contains(yaw_pitch_roll, text)); }
}

TEST_CASE("rates are drawn with the angular velocity in both frames") {
  const EulerCans what{.sequence = EulerSequence::parse("3-1-3"),
                       .angles = kDegree * Vec3<double>{0, 90, 0},
                       .rates = kDegree * Vec3<double>{10, 20, 30}};
  // axes z, x, -y: the sum is (20, -30, 10) in space; in the body, whose y is z and whose z is -y, (20, 10, 30)
  const std::string svg = picture(to_linkage(what));
  CHECK(contains(svg, "= (20, −30, 10)"));
  CHECK(contains(svg, "= (20, 10, 30)"));
  CHECK(contains(svg, "φ\u0307 = 10°/s"));
}

TEST_CASE("small rates are written as they are, and rounding beside them as 0") {
  const Vec3<double> angles = kDegree * Vec3<double>{0, 90, 0};
  const auto drawn = [&](double size, bool degrees) {
    return picture(to_linkage({.sequence = EulerSequence::parse("3-1-3"),
                               .angles = angles,
                               .rates = (degrees ? kDegree : 1) * size * Vec3<double>{1, 0, 3},
                               .rates_in_degrees = degrees}));
  };
  for (const bool degrees : {true, false}) {
    const std::string small = drawn(1e-10, degrees);
    CHECK(contains(small, degrees ? "φ\u0307 = 1e-10°/s" : "φ\u0307 = 1e-10 rad/s"));
    CHECK(contains(small, degrees ? "ψ\u0307 = 3e-10°/s" : "ψ\u0307 = 3e-10 rad/s"));
    CHECK(contains(small, "= (0, −3e-10, 1e-10)"));
    CHECK(contains(small, "= (0, 1e-10, 3e-10)"));
    CHECK(contains(drawn(1, degrees), "= (0, −3, 1)"));
  }
}

TEST_CASE("no label of a default picture runs into the body") {
  for (const EulerSequence& sequence : all_sequences()) {
    CAPTURE(sequence.name());
    const Linkage linkage = to_linkage({.sequence = sequence, .angles = pleasant_angles(sequence)});
    const View view = best_view(linkage);
    const std::string svg = draw(linkage, view);
    const std::vector<Point> lines = path_points(svg, "stroke-width=\"1.2\" stroke-linejoin=\"round\">", "</g>");
    CHECK(lines.size() == 3 * 4 * 41);  // three faces
    for (const TextBox& box : labels_in(svg)) {
      CAPTURE(box.text);
      CHECK_FALSE(any_inside(lines, box));
    }
  }
}

TEST_CASE("the border of the marked plane runs through no label") {
  for (const EulerSequence& sequence : all_sequences()) {
    CAPTURE(sequence.name());
    const std::string svg = picture(
        to_linkage({.sequence = sequence,
                    .angles = kDegree * (sequence.proper() ? Vec3<double>{30, 0, 40} : Vec3<double>{20, 90, -40})}));
    const std::vector<Point> border = path_points(svg, "<path data-lock-plane=\"\"", "/>");
    CHECK(border.size() == 4 * 41);
    for (const TextBox& box : labels_in(svg)) {
      CAPTURE(box.text);
      CHECK_FALSE(any_inside(border, box));
    }
  }
}

TEST_CASE("text is escaped, and bytes that XML cannot hold are replaced") {
  CHECK(svg::escape("a<b>&\"c\"") == "a&lt;b&gt;&amp;&quot;c&quot;");
  CHECK(svg::escape("\x01") == "\xEF\xBF\xBD");
  CHECK(svg::escape("\xFF\xC0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(svg::escape("\xEF\xBF\xBF") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(svg::escape("θ") == "θ");
  const Chain chain = read_chain(
      "title = '<script>&\"'\n[[joint]]\nname = 'a'\nlabel = '<&>_{<}'\nparent = 'base'\naxis = 'z'\nangle_deg = 5\n"
      "position = [0, 0, 0]\n",
      "x.toml");
  const std::string svg = picture(to_linkage(chain));
  CHECK(test::why_not_xml(svg) == "");
  CHECK_FALSE(contains(svg, "<script"));
}

TEST_CASE("numbers are written for people") {
  CHECK(svg::degrees(-kDegree * 32.5) == "−32.5°");
  CHECK(svg::degrees(0) == "0°");
  CHECK(svg::degrees(-kDegree * 1e-10) == "−1e-10°");
  CHECK(svg::degrees(kDegree * 0.0567) == "0.0567°");
  CHECK(svg::stated(0.0001234567, 3) == "0.000123");
  CHECK(svg::stated(57.29577951, 2) == "57.3");
  CHECK(svg::stated(0.5, 2) == "0.5");
  CHECK(svg::stated(-0.0, 2) == "0");
  CHECK(svg::readable(1e-10, 3) == "0");  // of a tick, a computed number
  CHECK(svg::readable(57.29577951, 2) == "57.3");
  CHECK(svg::readable(2e9, 2) == "2e+09");
  CHECK(svg::number(-0.001) == "0");
  CHECK(svg::number(12.5) == "12.5");
  CHECK(svg::number(100) == "100");
  CHECK(contains(svg::with_subscripts("θ_R = 1", 20), ">R</tspan>"));
}

TEST_CASE("of two pieces that overlap on paper the one behind is drawn first") {
  const Projection from_x({0, 0}, 1, {});  // the viewer looks along -x
  const auto order = [&](const Piece& a, const Piece& b) { return back_to_front({a, b}, from_x); };
  using Order = std::vector<std::size_t>;
  // a long rod whose middle is nearer than the can, but which passes behind it where they cross
  const Piece can_at_origin = can({0, 0, -1}, {0, 0, 1}, 0.5, "#808080");
  const Piece slanting = rod({{-2, 0, 0}, {9, 9, 0}}, 0.1, "#808080");
  CHECK(order(can_at_origin, slanting) == Order{1, 0});
  CHECK(order(slanting, can_at_origin) == Order{0, 1});
  // a stub on the face of a can: behind the can when the face looks away
  CHECK(order(can({0, 0, 0}, {1, 0, 0}, 0.5, "#808080"), rod({{0, 0, 0}, {-1, 0, 0}}, 0.1, "#808080")) == Order{1, 0});
  CHECK(order(can({0, 0, 0}, {1, 0, 0}, 0.5, "#808080"), rod({{1, 0, 0}, {2, 0, 0}}, 0.1, "#808080")) == Order{0, 1});
}

TEST_CASE("an arrow that lies on the face of a plate is drawn over it, though it points away from the viewer") {
  const Piece plate = can({-0.1, 0, 0}, {0, 0, 0}, 0.6, "#808080");
  for (int azimuth = -80; azimuth <= 80; azimuth += 10) {
    const Projection projection({azimuth * kDegree, 20 * kDegree}, 100, {});
    for (const Vector& direction : {Vector{0, 1, 0}, Vector{0, -1, 0}, Vector{0, 0, 1}, Vector{0, 0, -1}}) {
      const Piece arm = arrow({0, 0, 0}, 0.9 * direction, {});
      CHECK(back_to_front({arm, plate}, projection) == std::vector<std::size_t>{1, 0});
    }
  }
}

TEST_CASE("a can seen from the side and from its end is drawn exactly") {
  const Piece piece = can({0, 0, 0}, {0, 0, 1}, 0.5, "#808080");
  // elevation 30°: the rims are ellipses with half axes 50 and 50 sin 30° = 25
  CHECK(contains(piece.draw(Projection({0, 30 * kDegree}, 100, {}), "id"), "A50 25 0 0 0"));
  CHECK(contains(piece.draw(Projection({0, 90 * kDegree}, 100, {}), "id"), "A50 50 0 0 0"));
  CHECK(contains(piece.draw(Projection({0, 0}, 100, {}), "id"), "A50 0 0 0 0"));
}

TEST_CASE("no axis of a default picture is seen end-on") {
  for (const EulerSequence& sequence : all_sequences()) {
    const Linkage linkage = to_linkage({.sequence = sequence, .angles = pleasant_angles(sequence)});
    const View view = best_view(linkage);
    // at least 35 % of each axis' length shows
    for (const Turn& turn : linkage.turns) { CHECK(norm(cross(turn.axis, view.toward())) > 0.35); }
  }
}

TEST_CASE("a chain's links follow their joints") {
  const Chain chain = read_chain(read("examples/chain-arm.toml"), "chain-arm.toml");
  REQUIRE(chain.joints.size() == 4);
  const Linkage linkage = to_linkage(chain);
  // β's axis is y turned by α about z
  const double alpha = chain.joints[0].angle;
  const Vector expected{-std::sin(alpha), std::cos(alpha), 0};
  CHECK(norm(linkage.turns[1].axis - expected) < 1e-15);  // rounding
  CHECK(linkage.turns[3].fixed_link == 3);
  CHECK(linkage.turns[3].turned_link == 4);
}

TEST_CASE("the pictures in the documentation are what the commands under them draw") {
  const auto sequence = [](const char* name, std::optional<Vec3<double>> angles_deg,
                           std::optional<Vec3<double>> rates_deg) {
    EulerCans what{.sequence = EulerSequence::parse(name), .angles = {}};
    what.angles = angles_deg ? kDegree * *angles_deg : pleasant_angles(what.sequence);
    if (rates_deg) { what.rates = kDegree * *rates_deg; }
    return picture(to_linkage(what));
  };
  const auto chain = [](const std::string& name) {
    const Chain read_in = read_chain(read("examples/" + name + ".toml"), name);
    const Linkage linkage = to_linkage(read_in);
    return draw(linkage, read_in.view ? *read_in.view : best_view(linkage));
  };
  CHECK(sequence("3-1-3", {}, {}) == read("docs/images/cans-3-1-3.svg"));
  CHECK(sequence("3-2-1", Vec3<double>{20, 90, -40}, {}) == read("docs/images/cans-lock.svg"));
  CHECK(sequence("3-1-3", Vec3<double>{40, 65, 50}, Vec3<double>{20, -30, 45}) == read("docs/images/cans-rates.svg"));
  CHECK(chain("chain-arm") == read("docs/images/chain-arm.svg"));
  CHECK(chain("chain-bicycle") == read("docs/images/chain-bicycle.svg"));
}
