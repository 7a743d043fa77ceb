#include "polhode/core/error.h"
#include "polhode/drawing/chain.h"
#include "polhode/drawing/euler_cans.h"
#include "polhode/drawing/pieces.h"
#include "polhode/drawing/svg.h"
#include "support/xml.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
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
  CHECK(svg::degrees(-1e-9) == "0°");
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
