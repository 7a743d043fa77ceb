#include "polhode/drawing/euler_cans.h"

#include "polhode/core/error.h"
#include "polhode/drawing/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode::drawing {
namespace {

constexpr double kRod = 0.085;      // radius
constexpr double kBaseStub = 1.2;   // from the base to the first can
constexpr double kElbowStub = 0.6;  // from a can to the bend of the connector
constexpr double kBodyStub = 0.45;  // from the last can to the body
constexpr double kMainArm = 0.9;    // of the base and body triads; shorter than the stub it lies on
constexpr double kSmallArm = 0.52;
const Vector kBodyHalfEdges{0.42, 0.3, 0.2};

/// "x″": the axis of a frame after `turns` turns.
std::string axis_name(int axis, int turns) {
  static constexpr std::array<const char*, 3> kPrimes{"", "′", "″"};
  return std::string(1, "xyz"[axis]) + kPrimes[static_cast<std::size_t>(turns)];
}

std::array<std::string, 3> frame_names(int turns) {
  std::array<std::string, 3> names;
  for (int axis = 0; axis < 3; ++axis) {
    names[static_cast<std::size_t>(axis)] = turns == 3 ? std::string(1, "xyz"[axis]) + "_B" : axis_name(axis, turns);
  }
  return names;
}

std::string list_of(const Vector& v) {
  return fmt::format("({}, {}, {})", svg::readable(v.x, 3), svg::readable(v.y, 3), svg::readable(v.z, 3));
}

/// A sum of rates; what is no more than the rounding of the largest of them is 0.
std::string list_of_rates(const Vector& w, const Vec3<double>& rates) {
  const double largest = std::max({std::fabs(rates.x), std::fabs(rates.y), std::fabs(rates.z)});
  const auto entry = [&](double x) { return svg::stated(std::fabs(x) < 1e-14 * largest ? 0 : x, 3); };
  return fmt::format("({}, {}, {})", entry(w.x), entry(w.y), entry(w.z));
}

/// Corners of the rectangle along u and v (unit, at right angles) that holds all points, with some rim.
std::array<Vector, 4> rectangle(const std::vector<Vector>& points, const Vector& u, const Vector& v, double rim) {
  Point low{1e300, 1e300};
  Point high{-1e300, -1e300};
  for (const Vector& p : points) {
    low = {std::min(low.x, dot(p, u)), std::min(low.y, dot(p, v))};
    high = {std::max(high.x, dot(p, u)), std::max(high.y, dot(p, v))};
  }
  const Vector n = cross(u, v);
  const Vector level = dot(points.front(), n) * n;
  const auto corner = [&](double a, double b) { return level + a * u + b * v; };
  return {corner(low.x - rim, low.y - rim), corner(high.x + rim, low.y - rim), corner(high.x + rim, high.y + rim),
          corner(low.x - rim, high.y + rim)};
}

void require_drawable(const EulerCans& cans) {
  const auto require = [](const Vec3<double>& values, double largest, const char* what, const char* unit,
                          const char* range) {
    for (std::size_t n = 0; n < 3; ++n) {
      if (std::fabs(values[n]) <= largest) { continue; }
      fail(Error(Problem{.what = fmt::format("{} {} is {:g} {}", what, n + 1, values[n], unit),
                         .allowed = fmt::format("allowed in a drawing: {}", range),
                         .cure = {}}));
    }
  };
  require(cans.angles, kLargestAngle, "angle", "rad", "-1e9 to 1e9");
  if (cans.rates) { require(*cans.rates, kLargestRate, "rate", "rad/s", "-1e30 to 1e30"); }
}

}  // namespace

Vec3<double> pleasant_angles(const EulerSequence& sequence) {
  // the pair at the base stands upright or lies; where it lies a larger turn keeps the pairs clear of each other
  const int base_axis = sequence.extrinsic ? sequence.axes[2] : sequence.axes[0];
  const bool upright = base_axis == 2;
  Vec3<double> angles_deg{40, sequence.proper() ? 65.0 : 30.0, 50};
  if (!upright) { (sequence.extrinsic ? angles_deg.z : angles_deg.x) = sequence.proper() ? -80 : 110; }
  return kDegree * angles_deg;
}

std::array<std::string, 3> angle_symbols(const EulerSequence& sequence) {
  if (sequence.proper()) { return {"φ", "θ", "ψ"}; }
  static constexpr std::array<const char*, 3> kByAxis{"φ", "θ", "ψ"};
  std::array<std::string, 3> symbols;
  for (std::size_t n = 0; n < 3; ++n) { symbols[n] = kByAxis[static_cast<std::size_t>(sequence.axes[n])]; }
  return symbols;
}

Linkage to_linkage(const EulerCans& cans) {
  require_drawable(cans);
  const bool extrinsic = cans.sequence.extrinsic;
  const EulerSequence drawn = extrinsic ? sequence::reversed(cans.sequence) : cans.sequence;
  // pair n of the picture shows turn given[n] of the sequence
  const std::array<std::size_t, 3> given =
      extrinsic ? std::array<std::size_t, 3>{2, 1, 0} : std::array<std::size_t, 3>{0, 1, 2};
  const Vec3<double> angles{cans.angles[given[0]], cans.angles[given[1]], cans.angles[given[2]]};
  const std::array<std::string, 3> symbols = angle_symbols(cans.sequence);

  // frames 0 (space), 1, 2, 3 (body): the same sequence with the later turns left at zero
  const Turns<double> turns = turns_of(angles);
  const math::SinCos<double> none{0, 1};
  const std::array<Mat3<double>, 4> R_N{
      identity<double, 3>(), sequence::matrix(drawn, Turns<double>{turns[0], none, none}),
      sequence::matrix(drawn, Turns<double>{turns[0], turns[1], none}), sequence::matrix(drawn, turns)};
  const Mat3<double> axes = sequence::space_rate_matrix(drawn, turns);  // (KIN-32)

  Linkage linkage;
  linkage.name = "cans-" + drawn.name() + (extrinsic ? "-extrinsic" : "");
  const double half = linkage.half_pair();

  // walk from the base to the body, along one axis after the other
  std::vector<Vector> corners{{0, 0, 0}};
  linkage.triads.push_back({{0, 0, 0}, R_N[0], frame_names(0), kMainArm, true, "space N"});
  linkage.plates.push_back({{0, 0, 0}, column(axes, 0), 0.62});
  for (std::size_t n = 0; n < 3; ++n) {
    const Vector axis = column(axes, n);
    const double before = n == 0 ? kBaseStub : kElbowStub;
    const double after = n == 2 ? kBodyStub + kBodyHalfEdges[static_cast<std::size_t>(drawn.axes[2])] : kElbowStub;
    Turn turn{.symbol = symbols[given[n]],
              .axis_name = axis_name(drawn.axes[n], static_cast<int>(n)),
              .angle = angles[n],
              .axis = axis,
              .center = corners.back() + (before + half) * axis,
              .fixed_link = n,
              .turned_link = n + 1};
    if (cans.rates) {
      turn.rate = (*cans.rates)[given[n]];
      turn.rate_text =
          turn.symbol + "\u0307 = " +
          (cans.rates_in_degrees ? svg::degrees(*turn.rate) + "/s" : svg::stated(*turn.rate, 3) + " rad/s");
    }
    const Vector corner = turn.center + (half + after) * axis;
    // the connector of link n ends at this pair's fixed can; that of link n + 1 starts at its turned can
    if (n == 0) {
      linkage.rods.push_back({{corners.back(), turn.center - half * axis}, 0, kRod});
    } else {
      linkage.rods.back().points.push_back(turn.center - half * axis);
    }
    linkage.rods.push_back(
        {{turn.center + half * axis, turn.center + (half + (n == 2 ? kBodyStub : after)) * axis}, n + 1, kRod});
    corners.push_back(corner);
    const bool body = n == 2;
    linkage.triads.push_back({corner, R_N[n + 1], frame_names(static_cast<int>(n) + 1), body ? kMainArm : kSmallArm,
                              body, body ? "body B" : "", body ? kBodyHalfEdges : Vector{}});
    linkage.turns.push_back(std::move(turn));
  }
  linkage.boxes.push_back({corners.back(), kBodyHalfEdges, R_N[3], 3});

  // how far from lock
  const EulerAngles chart{cans.sequence};
  const Conditioning<double> conditioning = chart.conditioning(cans.angles);
  const bool lock = std::fabs(conditioning.determinant) < kLockDeterminant;
  const std::string axes_text =
      fmt::format("{}, {}, {}", linkage.turns[0].axis_name, linkage.turns[1].axis_name, linkage.turns[2].axis_name);
  linkage.title =
      fmt::format("Euler angles {}{} as cans in series",
                  (extrinsic ? sequence::reversed(drawn) : drawn).name().substr(0, 5), extrinsic ? " (extrinsic)" : "");
  linkage.heading = {
      {.text = linkage.title, .size = 25, .bold = true},
      {.text = fmt::format("R_{{NB}} = R_{}({}) R_{}({}) R_{}({})", "xyz"[drawn.axes[0]], symbols[given[0]],
                           "xyz"[drawn.axes[1]], symbols[given[1]], "xyz"[drawn.axes[2]], symbols[given[2]]),
       .size = 18,
       .colour = "#444444"}};
  if (extrinsic) {
    linkage.caption.push_back(
        {.text = fmt::format("Extrinsic: turns {}, {}, {} about the space axes {}, {}, {} in this order; the same as "
                             "the intrinsic {} drawn here, last turn first.",
                             symbols[0], symbols[1], symbols[2], "xyz"[cans.sequence.axes[0]],
                             "xyz"[cans.sequence.axes[1]], "xyz"[cans.sequence.axes[2]], drawn.name()),
         .size = 15,
         .colour = "#444444"});
  }
  std::string lock_text;
  if (lock) {
    const Vector u = column(axes, 0);
    const Vector v = column(axes, 1);
    const Vector normal = cross(u, v);
    const bool exact = std::fabs(conditioning.determinant) < kLockRounding;
    linkage.lock = LockPlane{rectangle(corners, u, v, 0.8), normal,
                             exact ? "no turn about n" : "about n only at very large rates"};
    lock_text =
        exact ? fmt::format(
                    "Gimbal lock: the three can axes lie in one plane (det = 0). No angle rates turn the body about "
                    "its normal n = {}.",
                    list_of(normal))
              : fmt::format(
                    "Gimbal lock is near: the three can axes lie nearly in one plane (det = {}{:.2g}). Only very large "
                    "angle rates turn the body about n = {}.",
                    conditioning.determinant < 0 ? "−" : "", std::fabs(conditioning.determinant), list_of(normal));
  } else {
    lock_text = fmt::format("Determinant of the rate matrix {}, condition number {}, {} from gimbal lock.",
                            svg::readable(conditioning.determinant, 3), svg::readable(conditioning.condition_number, 2),
                            svg::degrees(conditioning.distance));
  }
  linkage.caption.push_back({.text = lock_text, .size = 15, .colour = lock ? "#B34700" : "#444444", .bold = lock});
  if (cans.rates) {
    const double unit = cans.rates_in_degrees ? kDegree : 1;
    const Vector w_N = angular_velocity<Space>(chart, cans.angles, *cans.rates).raw();
    const Vector w_B = angular_velocity<Body>(chart, cans.angles, *cans.rates).raw();
    const Vec3<double> rates = *cans.rates / unit;
    linkage.caption.push_back(
        {.text = fmt::format("Sum of the three: ω_N = {}, ω_B = {} {}", list_of_rates(w_N / unit, rates),
                             list_of_rates(w_B / unit, rates), cans.rates_in_degrees ? "°/s" : "rad/s"),
         .size = 15,
         .colour = "#8A2D6B"});
  }
  linkage.description = fmt::format(
      "Three pairs of cans in series between the space frame N and the body frame B. Axes {}; angles {} = {}, {} = {}, "
      "{} = {}. {}",
      axes_text, symbols[given[0]], svg::degrees(angles.x), symbols[given[1]], svg::degrees(angles.y),
      symbols[given[2]], svg::degrees(angles.z), lock_text);
  return linkage;
}

}  // namespace polhode::drawing
