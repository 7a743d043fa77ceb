#include "polhode/drawing/scene.h"

#include "polhode/drawing/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

namespace polhode::drawing {
namespace {

using svg::number;

constexpr double kMargin = 24;        // of the paper
constexpr double kLineHeight = 1.45;  // in units of the font size
constexpr double kSameDepth = 1e-6;   // in units of space
constexpr std::string_view kLabelStyle =
    "<style>.label { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round; }</style>\n";
constexpr double kThin = 8;  // on paper: a label may rather cross a rod than a can

// ---- what hides what ----

struct Flat {
  Point a;
  Point b;
  double depth_a = 0;
  double depth_b = 0;
  double radius = 0;     // on paper
  double thickness = 0;  // radius in space

  Point at(double t) const { return a + t * (b - a); }
  double depth(double t) const { return depth_a + t * (depth_b - depth_a); }
};

Flat flatten(const Capsule& capsule, const Projection& projection) {
  return {projection(capsule.a),
          projection(capsule.b),
          projection.depth(capsule.a),
          projection.depth(capsule.b),
          capsule.radius * projection.scale(),
          capsule.radius};
}

/// Parameter of the point of a segment nearest to p, in [0, 1].
double nearest(const Flat& segment, Point p) {
  const Point along = segment.b - segment.a;
  const double squared = dot(along, along);
  return squared < 1e-12 ? 0.5 : std::clamp(dot(p - segment.a, along) / squared, 0.0, 1.0);
}

/// How much nearer to the viewer f is than g where they overlap on paper; nothing if they do not.
std::optional<double> depth_difference(const Flat& f, const Flat& g) {
  std::optional<double> largest;
  const auto consider = [&](double t, double u) {
    if (length(f.at(t) - g.at(u)) >= f.radius + g.radius) { return; }
    const double difference = f.depth(t) - g.depth(u);
    if (!largest || std::fabs(difference) > std::fabs(*largest)) { largest = difference; }
  };
  consider(0, nearest(g, f.a));
  consider(1, nearest(g, f.b));
  consider(nearest(f, g.a), 0);
  consider(nearest(f, g.b), 1);
  const Point along_f = f.b - f.a;
  const Point along_g = g.b - g.a;
  const double area = dot(quarter_turn(along_f), along_g);
  if (std::fabs(area) > 1e-9) {
    const double t = dot(quarter_turn(g.a - f.a), along_g) / area;
    const double u = dot(quarter_turn(g.a - f.a), along_f) / area;
    if (t > 0 && t < 1 && u > 0 && u < 1) { consider(t, u); }
  }
  return largest;
}

double mean_depth(const std::vector<Flat>& hull) {
  double sum = 0;
  for (const Flat& flat : hull) { sum += flat.depth(0.5); }
  return hull.empty() ? 0 : sum / static_cast<double>(hull.size());
}

/// +1: p is in front of q, −1: behind, 0: they do not meet on paper.
int in_front(const Piece& p, const std::vector<Flat>& p_hull, const Piece& q, const std::vector<Flat>& q_hull) {
  double verdict = 0;
  double tie_breaker = 0;
  double touching = kSameDepth;
  bool meet = false;
  for (const Flat& f : p_hull) {
    for (const Flat& g : q_hull) {
      const std::optional<double> difference = depth_difference(f, g);
      if (!difference) { continue; }
      meet = true;
      if (std::fabs(*difference) > std::fabs(verdict)) { verdict = *difference; }
      tie_breaker += f.depth(0.5) - g.depth(0.5);
      // an arrow on a rod, not an arrow in a can
      const auto [thin, thick] = std::minmax({f.thickness, g.thickness});
      if (thick < 3 * thin) { touching = std::max(touching, 3 * thin); }
    }
  }
  if (!meet) { return 0; }
  if (p.lift != q.lift && std::fabs(verdict) < touching) { return p.lift > q.lift ? 1 : -1; }
  if (std::fabs(verdict) > kSameDepth) { return verdict > 0 ? 1 : -1; }
  return std::fabs(tie_breaker) <= kSameDepth ? 0 : tie_breaker > 0 ? 1 : -1;
}

// ---- where labels go ----

struct Box {
  Point center;
  Point half;  // half width and half height
};

/// Area that two labels share, with a little room between words side by side.
double overlap(const Box& a, const Box& b) {
  constexpr double kBetweenWords = 5;  // px
  const double x = a.half.x + b.half.x + kBetweenWords - std::fabs(a.center.x - b.center.x);
  const double y = a.half.y + b.half.y - std::fabs(a.center.y - b.center.y);
  return x > 0 && y > 0 ? x * y : 0;
}

/// How many points of a grid on the box the segment covers, out of 45.
double overlap(const Box& box, const Flat& flat) {
  constexpr int kAcross = 4;
  constexpr int kDown = 2;
  constexpr double kBreathing = 3;  // px kept free around shapes
  const double away = length(box.center - flat.at(nearest(flat, box.center)));
  if (away > length(box.half) + flat.radius + kBreathing) { return 0; }
  int covered = 0;
  for (int i = -kAcross; i <= kAcross; ++i) {
    for (int j = -kDown; j <= kDown; ++j) {
      const Point p = box.center + Point{box.half.x * i / kAcross, box.half.y * j / kDown};
      if (length(p - flat.at(nearest(flat, p))) < flat.radius + kBreathing) { ++covered; }
    }
  }
  return covered;
}

/// Share of the segment that the box covers, at points along it.
double covered(const Flat& flat, const Box& box) {
  constexpr int kSamples = 16;
  constexpr double kBreathing = 6;  // px kept free: half of an arrow head
  int count = 0;
  for (int n = 0; n <= kSamples; ++n) {
    const Point away = flat.at(static_cast<double>(n) / kSamples) - box.center;
    if (std::fabs(away.x) < box.half.x + kBreathing && std::fabs(away.y) < box.half.y + kBreathing) { ++count; }
  }
  return count / (kSamples + 1.0);
}

/// Length of the part of the segment that runs through the box, which is cut at its two pairs of sides.
double length_inside(const Flat& flat, const Box& box) {
  constexpr double kBreathing = 4;  // px kept free beside a line
  const Point along = flat.b - flat.a;
  double enter = 0;
  double leave = 1;
  const auto cut = [&](double start, double slope, double half) {
    if (std::fabs(slope) < 1e-9) { return std::fabs(start) < half; }
    const auto [first, second] = std::minmax({(-half - start) / slope, (half - start) / slope});
    enter = std::max(enter, first);
    leave = std::min(leave, second);
    return true;
  };
  const Point start = flat.a - box.center;
  const bool between = cut(start.x, along.x, box.half.x + kBreathing) && cut(start.y, along.y, box.half.y + kBreathing);
  return between && leave > enter ? (leave - enter) * length(along) : 0;
}

double width_of(const TextLine& line) { return (line.bold ? 1.1 : 1.0) * svg::text_width(line.text, line.size); }

Point half_size(const Label& label) {
  double width = 0;
  double height = 0;
  for (const TextLine& line : label.lines) {
    width = std::max(width, width_of(line));
    height += 1.2 * line.size;
  }
  return {width / 2, height / 2};
}

/// What labels keep clear of, on paper.
struct Obstacles {
  std::vector<Flat> shapes;
  std::vector<Flat> keep_clear;  // where a label would hide what they say
  std::vector<Flat> rims;        // lines that a label would cross
};

/// The position of a label among shapes and labels that are there already: tries directions and distances around
/// the anchor and takes the cheapest.
Box place(const Label& label, const Projection& projection, const Obstacles& obstacles, const std::vector<Box>& taken,
          const Box& frame) {
  const Point anchor = projection(label.anchor);
  const Point half = half_size(label);
  const Point wanted = projection.direction(label.direction);
  const double start = length(wanted) < 1e-6 ? 0 : math::atan2(wanted.y, wanted.x);

  Box best;
  double best_cost = 0;
  bool found = false;
  for (const double extra : {4.0, 10.0, 18.0, 28.0, 40.0, 56.0, 76.0}) {
    for (int step = 0; step < 24; ++step) {
      const double turn = (step % 2 == 0 ? step / 2 : -(step + 1) / 2) * 15 * kDegree;
      const auto [sine, cosine] = math::sincos(start + turn);
      // the box touches a circle around the anchor from outside
      const double reach =
          std::min(half.x / std::max(std::fabs(cosine), 1e-9), half.y / std::max(std::fabs(sine), 1e-9));
      const double distance = label.clearance * projection.scale() + extra + reach;
      const Box box{anchor + Point{distance * cosine, distance * sine}, half};
      double cost = 0.3 * extra + 1.6 * std::fabs(turn);
      for (const Flat& flat : obstacles.shapes) { cost += (flat.radius < kThin ? 1.1 : 1.5) * overlap(box, flat); }
      for (const Flat& flat : obstacles.keep_clear) {
        cost += (covered(flat, box) > 0 ? 30 : 0) + 30 * covered(flat, box);
      }
      for (const Flat& flat : obstacles.rims) {
        const double crossed = length_inside(flat, box);
        cost += (crossed > 0 ? 14 : 0) + 0.2 * crossed;
      }
      for (const Box& other : taken) { cost += 0.5 * overlap(box, other); }
      const double beyond = std::max(0.0, std::fabs(box.center.x - frame.center.x) + half.x - frame.half.x) +
                            std::max(0.0, std::fabs(box.center.y - frame.center.y) + half.y - frame.half.y);
      cost += 10 * beyond;
      if (!found || cost < best_cost - 1e-6) {
        best = box;
        best_cost = cost;
        found = true;
      }
    }
  }
  return best;
}

std::string text_element(const TextLine& line, Point at, const char* anchor, bool halo) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\" fill=\"{}\"{}{}{}>{}</text>\n",
                     number(at.x), number(at.y), anchor, number(line.size), line.colour,
                     line.bold ? " font-weight=\"bold\"" : "", line.italic ? " font-style=\"italic\"" : "",
                     halo ? " class=\"label\"" : "",
                     line.literal ? svg::escape(line.text) : svg::with_subscripts(line.text, line.size));
}

std::string draw_label(const Label& label, const Box& box) {
  std::string text;
  double y = box.center.y - box.half.y;
  for (const TextLine& line : label.lines) {
    y += 1.2 * line.size;
    text += text_element(line, {box.center.x, y - 0.28 * line.size}, "middle", true);
  }
  return text;
}

/// The same lines, broken between words where they would leave the paper.
std::vector<TextLine> wrapped(const std::vector<TextLine>& lines, double width) {
  std::vector<TextLine> short_lines;
  for (const TextLine& line : lines) {
    short_lines.push_back(line);
    std::string& start = short_lines.back().text;
    start.clear();
    for (std::size_t i = 0; i < line.text.size();) {
      const std::size_t end = std::min(line.text.find(' ', i), line.text.size());
      const std::string word = line.text.substr(i, end - i);
      const std::string& now = short_lines.back().text;
      if (!now.empty() && svg::text_width(now + ' ' + word, line.size) * (line.bold ? 1.1 : 1.0) > width) {
        short_lines.push_back(line);
        short_lines.back().text = word;
      } else {
        short_lines.back().text += (now.empty() ? "" : " ") + word;
      }
      i = end + 1;
    }
  }
  return short_lines;
}

double block_height(const std::vector<TextLine>& lines) {
  double height = 0;
  for (const TextLine& line : lines) { height += kLineHeight * line.size; }
  return height;
}

std::string draw_block(const std::vector<TextLine>& lines, double top) {
  std::string text;
  for (const TextLine& line : lines) {
    top += kLineHeight * line.size;
    text += text_element(line, {kMargin, top - 0.35 * line.size}, "start", false);
  }
  return text;
}

/// Scale and shift that fit everything into the middle of `frame`.
Projection fitted(const Scene& scene, const View& view, const Box& frame) {
  const Projection plain(view, 1, {});
  Point low{1e300, 1e300};
  Point high{-1e300, -1e300};
  for (const std::vector<Piece>* list : {&scene.backdrop, &scene.pieces}) {
    for (const Piece& piece : *list) {
      for (const Capsule& capsule : piece.hull) {
        for (const Point p : {plain(capsule.a), plain(capsule.b)}) {
          low = {std::min(low.x, p.x - capsule.radius), std::min(low.y, p.y - capsule.radius)};
          high = {std::max(high.x, p.x + capsule.radius), std::max(high.y, p.y + capsule.radius)};
        }
      }
    }
  }
  const Point size = high - low;
  const double scale = std::min(2 * frame.half.x / std::max(size.x, 1e-9), 2 * frame.half.y / std::max(size.y, 1e-9));
  return {view, scale, frame.center - (scale / 2) * (low + high)};
}

}  // namespace

std::vector<std::size_t> back_to_front(const std::vector<Piece>& pieces, const Projection& projection) {
  const std::size_t n = pieces.size();
  std::vector<std::vector<Flat>> hulls(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (const Capsule& capsule : pieces[i].hull) { hulls[i].push_back(flatten(capsule, projection)); }
  }
  std::vector<std::vector<std::size_t>> in_front_of(n);
  std::vector<int> waiting_for(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const int side = in_front(pieces[i], hulls[i], pieces[j], hulls[j]);
      if (side == 0) { continue; }
      const std::size_t behind = side > 0 ? j : i;
      const std::size_t before = side > 0 ? i : j;
      in_front_of[behind].push_back(before);
      ++waiting_for[before];
    }
  }
  // take the farthest piece that nothing undrawn lies behind of; a ring of pieces is cut at its farthest
  std::vector<std::size_t> order;
  std::vector<bool> drawn(n, false);
  while (order.size() < n) {
    std::size_t next = n;
    const auto farther = [&](std::size_t a, std::size_t b) {
      if ((waiting_for[a] == 0) != (waiting_for[b] == 0)) { return waiting_for[a] == 0; }
      return mean_depth(hulls[a]) < mean_depth(hulls[b]) - kSameDepth;
    };
    for (std::size_t i = 0; i < n; ++i) {
      if (!drawn[i] && (next == n || farther(i, next))) { next = i; }
    }
    drawn[next] = true;
    order.push_back(next);
    for (const std::size_t before : in_front_of[next]) { --waiting_for[before]; }
  }
  return order;
}

std::string to_svg(const Scene& scene, const View& view) {
  const std::vector<TextLine> heading = wrapped(scene.heading, scene.width - 2 * kMargin);
  const std::vector<TextLine> caption = wrapped(scene.caption, scene.width - 2 * kMargin);
  const double top = kMargin / 2 + block_height(heading);
  const double bottom = scene.height - kMargin / 2 - block_height(caption);
  const Box paper{{scene.width / 2, (top + bottom) / 2}, {scene.width / 2 - kMargin / 2, (bottom - top) / 2}};
  // room for labels at the rim
  const Point rim = scene.labels.empty() ? Point{} : Point{2.5 * kMargin, 1.1 * kMargin};
  const Box frame{paper.center, paper.half - rim};
  const Projection projection = fitted(scene, view, frame);

  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-labelledby=\"{2}-title {2}-desc\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
      "<title id=\"{2}-title\">{3}</title>\n<desc id=\"{2}-desc\">{4}</desc>\n{5}"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      number(scene.width), number(scene.height), svg::escape(scene.name), svg::escape(scene.title),
      svg::escape(scene.description), scene.labels.empty() ? "" : kLabelStyle);

  auto id = [&, count = 0]() mutable { return svg::escape(scene.name) + "-" + std::to_string(++count); };
  for (const Piece& piece : scene.backdrop) { text += piece.draw(projection, id()); }
  for (const std::size_t i : back_to_front(scene.pieces, projection)) {
    text += scene.pieces[i].draw(projection, id());
  }

  Obstacles obstacles;
  for (const Piece& piece : scene.pieces) {
    for (const Capsule& capsule : piece.hull) {
      (piece.keep_clear ? obstacles.keep_clear : obstacles.shapes).push_back(flatten(capsule, projection));
    }
  }
  for (const std::vector<Piece>* list : {&scene.backdrop, &scene.pieces}) {
    for (const Piece& piece : *list) {
      for (const Capsule& line : piece.rims) { obstacles.rims.push_back(flatten(line, projection)); }
    }
  }
  std::vector<Box> taken;
  for (const Label& label : scene.labels) {
    taken.push_back(place(label, projection, obstacles, taken, paper));
    text += draw_label(label, taken.back());
  }
  text += draw_block(heading, kMargin / 2);
  text += draw_block(caption, bottom);
  return text + "</svg>\n";
}

}  // namespace polhode::drawing
