#include "polhode/drawing/linkage.h"

#include "polhode/drawing/palette.h"
#include "polhode/drawing/pieces.h"
#include "polhode/drawing/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace polhode::drawing {
namespace {

constexpr const char* kLockColour = "#D55E00";

/// The direction across `axis` that faces the viewer most; to the right when the axis is seen end-on.
Vector facing(const Vector& axis, const View& view) {
  const Vector across = view.toward() - dot(view.toward(), axis) * axis;
  return norm(across) > 1e-6 ? unit(across) : view.right();
}

/// Across the axis and across the line of sight: the pair's side as seen on paper, pointing away from `middle`.
Vector outer_side(const Turn& turn, const Vector& middle, const View& view) {
  const Vector side = cross(turn.axis, facing(turn.axis, view));
  return dot(side, turn.center - middle) < 0 ? -side : side;
}

Vector middle_of(const Linkage& linkage) {
  Vector sum{};
  for (const Turn& turn : linkage.turns) { sum += turn.center; }
  return linkage.turns.empty() ? sum : sum / static_cast<double>(linkage.turns.size());
}

void add_turn(Scene& scene, const Linkage& linkage, std::size_t n, const View& view) {
  const Turn& turn = linkage.turns[n];
  const double r = linkage.can_radius;
  const Vector near_end = 0.5 * linkage.gap() * turn.axis;
  const Vector far_end = linkage.half_pair() * turn.axis;

  // the arc faces the viewer: its middle for angles up to 150°, its beginning for larger ones
  const double sweep = std::fmod(turn.angle, 2 * math::kPi<double>);
  const double lead = std::min(0.5 * std::fabs(sweep), 75 * kDegree);
  const Arc around_facing{turn.center, turn.axis, facing(turn.axis, view), 0, 1.32 * r};
  Arc arc = around_facing;
  arc.start = around_facing.direction(sweep < 0 ? lead : -lead);
  arc.sweep = sweep;

  const std::string number = std::to_string(n + 1);
  scene.pieces.push_back(
      can(turn.center - far_end, turn.center - near_end, r, colour_of(turn.fixed_link), arc.start, number + " fixed"));
  scene.pieces.push_back(can(turn.center + near_end, turn.center + far_end, r, colour_of(turn.turned_link),
                             arc.direction(sweep), number + " turned"));
  for (Piece& piece : angle_arc(arc, view.toward(), kInk)) { scene.pieces.push_back(std::move(piece)); }

  const Vector side = outer_side(turn, middle_of(linkage), view);
  Label label{{{.text = turn.symbol + " = " + svg::degrees(turn.angle), .size = 20, .colour = kInk, .bold = true}},
              turn.center,
              side,
              1.3 * r};
  if (!turn.axis_name.empty()) {
    label.lines.push_back({.text = "about " + turn.axis_name, .size = 15, .colour = kFaint});
  }
  scene.labels.push_back(label);
}

void add_triad(Scene& scene, const Triad& triad) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Vector direction = column(triad.R_NL, axis);
    const Vector tip = triad.origin + triad.arm * direction;
    scene.pieces.push_back(arrow(triad.origin + triad.inner[axis] * direction, tip,
                                 {.colour = kAxisColours[axis], .width = triad.main ? 3.6 : 2.4}));
    scene.labels.push_back({{{.text = triad.names[axis],
                              .size = triad.main ? 19.0 : 15.0,
                              .colour = svg::shade(kAxisColours[axis], 0.85),
                              .bold = triad.main,
                              .italic = true}},
                            tip,
                            direction,
                            0.02});
  }
}

void add_lock(Scene& scene, const Linkage& linkage) {
  if (!linkage.lock) { return; }
  const LockPlane& lock = *linkage.lock;
  scene.backdrop.push_back(sheet(lock.corners, kLockColour));
  // the lost direction stands where the plane is emptiest
  const Vector middle = 0.25 * (lock.corners[0] + lock.corners[1] + lock.corners[2] + lock.corners[3]);
  Vector foot = middle;
  double clearance = -1;
  for (const Vector& corner : lock.corners) {
    const Vector candidate = corner + 0.2 * (middle - corner);
    double least = 1e300;
    for (const Turn& turn : linkage.turns) { least = std::min(least, norm(turn.center - candidate)); }
    for (const Triad& triad : linkage.triads) { least = std::min(least, norm(triad.origin - candidate)); }
    if (least > clearance + 1e-9) {
      clearance = least;
      foot = candidate;
    }
  }
  const Vector tip = foot + 3 * linkage.can_length * lock.normal;
  scene.pieces.push_back(arrow(foot, tip, {.colour = kLockColour, .width = 3.2, .heads = 2, .dashed = true}));
  scene.pieces.back().keep_clear = true;
  scene.labels.push_back(
      {{{.text = lock.label, .size = 15, .colour = kLockColour, .bold = true}}, tip, lock.normal, 0.05});
}

/// Solid lines of the linkage, for judging views.
std::vector<Capsule> skeleton(const Linkage& linkage) {
  std::vector<Capsule> lines;
  for (const Turn& turn : linkage.turns) {
    const Vector reach = linkage.half_pair() * turn.axis;
    lines.push_back({turn.center - reach, turn.center + reach, 1.4 * linkage.can_radius});
  }
  for (const Triad& triad : linkage.triads) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lines.push_back({triad.origin, triad.origin + triad.arm * column(triad.R_NL, axis), 0.2 * linkage.can_radius});
    }
  }
  for (const RodShape& rod : linkage.rods) {
    for (std::size_t i = 1; i < rod.points.size(); ++i) { lines.push_back({rod.points[i - 1], rod.points[i], 0}); }
  }
  return lines;
}

/// A capsule on paper.
struct PaperLine {
  Point a;
  Point b;
  double radius = 0;
};

std::vector<PaperLine> on_paper(const std::vector<Capsule>& lines, const Projection& projection) {
  std::vector<PaperLine> flat;
  flat.reserve(lines.size());
  for (const Capsule& line : lines) { flat.push_back({projection(line.a), projection(line.b), line.radius}); }
  return flat;
}

/// Share of one line that is covered by another, roughly: sampled.
double covered(const PaperLine& line, const PaperLine& other) {
  constexpr int kSamples = 6;
  const Point along = other.b - other.a;
  const double squared = std::max(dot(along, along), 1e-12);
  const double reach = line.radius + other.radius;
  double count = 0;
  for (int n = 0; n <= kSamples; ++n) {
    const Point q = line.a + (static_cast<double>(n) / kSamples) * (line.b - line.a);
    const double t = std::clamp(dot(q - other.a, along) / squared, 0.0, 1.0);
    const Point apart = q - (other.a + t * along);
    if (dot(apart, apart) < reach * reach) { count += 1 - length(apart) / reach; }
  }
  return count / (kSamples + 1);
}

void add_rates(Scene& scene, const Linkage& linkage, const View& view) {
  double largest = 0;
  for (const Turn& turn : linkage.turns) { largest = std::max(largest, std::fabs(turn.rate.value_or(0))); }
  if (largest == 0) { return; }
  const Projection plain(view, 1, {});
  std::vector<PaperLine> lines = on_paper(skeleton(linkage), plain);
  for (const Turn& turn : linkage.turns) {
    if (!turn.rate || *turn.rate == 0) { continue; }
    const double size = 2.8 * linkage.can_length * *turn.rate / largest;
    const Vector reach = 0.5 * size * turn.axis;
    const Vector side = 1.85 * linkage.can_radius * outer_side(turn, middle_of(linkage), view);
    // beside the pair, on the emptier side
    const auto arrow_at = [&](const Vector& at) {
      return PaperLine{plain(at - reach), plain(at + reach), 0.5 * linkage.can_radius};
    };
    const auto crowd = [&](const Vector& at) {
      double sum = 0;
      for (const PaperLine& line : lines) { sum += covered(arrow_at(at), line); }
      return sum;
    };
    const Vector foot = turn.center + (crowd(turn.center + side) < crowd(turn.center - side) - 1e-6 ? side : -side);
    lines.push_back(arrow_at(foot));
    scene.pieces.push_back(arrow(foot - reach, foot + reach, {.colour = "#8A2D6B", .width = 3.4, .heads = 2}));
    scene.pieces.back().keep_clear = true;
    scene.labels.push_back(
        {{{.text = turn.rate_text, .size = 16, .colour = "#8A2D6B", .bold = true}}, foot, foot - turn.center, 0.05});
  }
}

bool touch_in_space(const Capsule& f, const Capsule& g) {
  for (const Vector& p : {f.a, f.b}) {
    for (const Vector& q : {g.a, g.b}) {
      if (norm_squared(p - q) < 1e-12) { return true; }
    }
  }
  return false;
}

/// Pairs of lines that do not touch in space: they should not seem to on paper.
std::vector<std::pair<std::size_t, std::size_t>> strangers(const std::vector<Capsule>& lines) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = 0; j < lines.size(); ++j) {
      if (i != j && !touch_in_space(lines[i], lines[j])) { pairs.emplace_back(i, j); }
    }
  }
  return pairs;
}

/// Whether the box is met on the way from p to the viewer: the way is cut at the three pairs of faces.
bool hides(const BoxShape& box, const Vector& p, const Vector& toward) {
  double enter = 1e-6;
  double leave = 1e300;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double height = dot(p - box.center, column(box.R_NL, axis));
    const double slope = dot(toward, column(box.R_NL, axis));
    const double half = box.half_edges[axis];
    if (std::fabs(slope) < 1e-9) {
      if (std::fabs(height) >= half) { return false; }
      continue;
    }
    const auto [first, second] = std::minmax({(-half - height) / slope, (half - height) / slope});
    enter = std::max(enter, first);
    leave = std::min(leave, second);
  }
  return leave > enter + 1e-6;
}

/// The same for a plate: met at the face by which the way enters, the lower one on the way up.
bool hides(const Plate& plate, double thickness, const Vector& p, const Vector& toward) {
  const double slope = dot(toward, plate.normal);
  if (std::fabs(slope) < 1e-9) { return false; }
  const Vector to_face = plate.center - p - (slope > 0 ? thickness : 0) * plate.normal;
  const double way = dot(to_face, plate.normal) / slope;
  return way > -1e-6 && norm(way * toward - to_face) < plate.radius;
}

/// Share of an arm, from where it comes out of its body, that boxes and plates hide.
double hidden_share(const Linkage& linkage, const Triad& triad, std::size_t axis, const View& view) {
  constexpr int kSamples = 10;
  const Vector toward = view.toward();
  int hidden = 0;
  for (int n = 1; n <= kSamples; ++n) {
    const double reach = triad.inner[axis] + (triad.arm - triad.inner[axis]) * n / kSamples;
    const Vector p = triad.origin + reach * column(triad.R_NL, axis);
    const bool is_hidden = std::any_of(linkage.boxes.begin(), linkage.boxes.end(),
                                       [&](const BoxShape& box) { return hides(box, p, toward); }) ||
                           std::any_of(linkage.plates.begin(), linkage.plates.end(), [&](const Plate& plate) {
                             return hides(plate, linkage.plate_thickness(), p, toward);
                           });
    hidden += is_hidden ? 1 : 0;
  }
  return static_cast<double>(hidden) / kSamples;
}

/// Larger is better.
double merit(const Linkage& linkage, const std::vector<Capsule>& lines,
             const std::vector<std::pair<std::size_t, std::size_t>>& apart, const View& view) {
  const Projection plain(view, 1, {});
  double merit = 0;
  for (const Turn& turn : linkage.turns) {
    // an axis seen end-on is no axis; one seen exactly from the side hides the arc
    const double end_on = std::fabs(dot(turn.axis, view.toward()));
    merit -= 5 * std::max(0.0, end_on - 0.62) + 1.5 * std::max(0.0, 0.22 - end_on);
  }
  for (const Plate& plate : linkage.plates) { merit -= dot(plate.normal, view.toward()) < 0 ? 0.5 : 0; }
  if (linkage.lock) {
    // the plane neither from its edge nor from above: the normal is to be seen too
    const double tilt = std::fabs(dot(linkage.lock->normal, view.toward()));
    merit -= 8 * (std::max(0.0, 0.5 - tilt) + std::max(0.0, tilt - 0.72));
  }

  for (const Triad& triad : linkage.triads) {
    // three arms that can be seen and told apart
    for (std::size_t i = 0; i < 3; ++i) {
      const Point d = plain.direction(column(triad.R_NL, i));
      const Point e = plain.direction(column(triad.R_NL, (i + 1) % 3));
      const double cosine = dot(d, e) / std::max(length(d) * length(e), 1e-9);
      const double weight = triad.main ? 1 : 0.4;
      merit -= weight * (1.2 * std::max(0.0, 0.35 - length(d)) + 7 * std::max(0.0, cosine - 0.85) +
                         12 * std::max(0.0, hidden_share(linkage, triad, i, view) - 0.4));
    }
  }

  Point low{1e300, 1e300};
  Point high{-1e300, -1e300};
  double total = 0;
  for (const Capsule& line : lines) {
    total += norm(line.b - line.a);
    for (const Point p : {plain(line.a), plain(line.b)}) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
  }
  const Point size = high - low;
  merit += 0.9 * total / 3 / std::max({size.x / 1.8, size.y, 1e-9});

  const std::vector<PaperLine> flat = on_paper(lines, plain);
  for (const auto& [i, j] : apart) {
    const bool cans = i < linkage.turns.size() || j < linkage.turns.size();
    merit -= (cans ? 0.9 : 0.3) * covered(flat[i], flat[j]);
  }
  // among equals, the view of the textbooks: x to the lower left, y to the right
  const double away = std::remainder(view.azimuth - 35 * kDegree, 2 * math::kPi<double>);
  return merit - 0.12 * std::fabs(away) - 0.3 * std::fabs(view.elevation - 24 * kDegree);
}

}  // namespace

View best_view(const Linkage& linkage) {
  const std::vector<Capsule> lines = skeleton(linkage);
  const std::vector<std::pair<std::size_t, std::size_t>> apart = strangers(lines);
  View best;
  double best_merit = -1e300;
  for (int elevation = 14; elevation <= 44; elevation += 6) {
    for (int azimuth = -175; azimuth <= 180; azimuth += 10) {
      const View view{azimuth * kDegree, elevation * kDegree};
      const double found = merit(linkage, lines, apart, view);
      if (found > best_merit + 1e-9) {
        best = view;
        best_merit = found;
      }
    }
  }
  return best;
}

std::string draw(const Linkage& linkage, const View& view) {
  Scene scene;
  scene.name = linkage.name;
  scene.title = linkage.title;
  scene.heading = linkage.heading;
  scene.caption = linkage.caption;
  scene.description = linkage.description;

  add_lock(scene, linkage);
  for (std::size_t n = 0; n < linkage.turns.size(); ++n) { add_turn(scene, linkage, n, view); }
  for (const RodShape& shape : linkage.rods) {
    scene.pieces.push_back(rod(shape.points, shape.radius, colour_of(shape.link)));
  }
  for (const BoxShape& shape : linkage.boxes) {
    scene.pieces.push_back(box(shape.center, shape.half_edges, shape.R_NL, colour_of(shape.link)));
  }
  for (const WheelShape& shape : linkage.wheels) {
    for (Piece& piece : wheel(shape.center, shape.axis, shape.first_spoke, shape.radius, colour_of(shape.link))) {
      scene.pieces.push_back(std::move(piece));
    }
  }
  for (const Plate& plate : linkage.plates) {
    const Vector thickness = linkage.plate_thickness() * plate.normal;
    scene.pieces.push_back(can(plate.center - thickness, plate.center, plate.radius, colour_of(0)));
  }
  for (const Triad& triad : linkage.triads) { add_triad(scene, triad); }
  add_rates(scene, linkage, view);
  for (const Triad& triad : linkage.triads) {
    if (triad.frame_name.empty()) { continue; }
    const Vector arms = column(triad.R_NL, 0) + column(triad.R_NL, 1) + column(triad.R_NL, 2);
    scene.labels.push_back(
        {{{.text = triad.frame_name, .size = 16, .colour = kFaint, .bold = true}}, triad.origin, -arms, 0.5});
  }
  return to_svg(scene, view);
}

}  // namespace polhode::drawing
