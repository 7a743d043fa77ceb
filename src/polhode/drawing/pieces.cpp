#include "polhode/drawing/pieces.h"

#include "polhode/drawing/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode::drawing {
namespace {

using svg::number;
using svg::point;

/// A circle on paper: an ellipse whose long half-axis lies across the projected axis of the circle.
struct Ellipse {
  double major = 0;
  double minor = 0;
  Point across;  // unit vector along the long axis
  double turn_deg = 0;

  std::string arc_to(Point to, bool clockwise) const {
    return fmt::format("A{} {} {} 0 {} {}", number(major), number(minor), number(turn_deg), clockwise ? 1 : 0,
                       point(to));
  }
};

/// Exact image of a circle of `radius` about the unit vector `axis`.
Ellipse image_of_circle(const Projection& projection, const Vector& axis, double radius) {
  const Point along = projection.direction(axis);
  const double size = length(along);
  // seen end-on, any direction will do
  const Point across = size < 1e-9 * projection.scale() ? Point{1, 0} : quarter_turn((1 / size) * along);
  const double major = radius * projection.scale();
  return {major, major * std::fabs(dot(axis, projection.toward())), across, math::atan2(across.y, across.x) / kDegree};
}

std::string head(Point tip, Point back, double half_width, const std::string& colour) {
  const Point along = tip - back;
  const double size = length(along);
  if (size < 1e-6) { return ""; }
  const Point across = (half_width / size) * quarter_turn(along);
  return fmt::format("<path d=\"M{} L{} L{} Z\" fill=\"{}\"/>", point(tip), point(back + across), point(back - across),
                     colour);
}

/// The least angle of an arc that is worth a head.
constexpr double kLeastSweep = 1e-4;

}  // namespace

Piece can(const Vector& a, const Vector& b, double radius, const std::string& colour, const std::optional<Vector>& mark,
          const std::string& about) {
  Piece piece;
  const double height = norm(b - a);
  if (height > 0.5 * radius) {
    piece.hull = {{a, b, radius}};
  } else {
    // a plate: a star of thin bars fills it better
    const Vector middle = 0.5 * (a + b);
    const Vector axis = unit(b - a);
    const Arc rim{middle, axis, across(axis), 0, radius};
    for (int n = 0; n < 6; ++n) {
      piece.hull.push_back({rim.at(n * 30 * kDegree), rim.at((n + 6) * 30 * kDegree), 0.5 * height});
    }
    for (int n = 0; n < 24; ++n) {
      piece.rims.push_back({rim.at(n * 15 * kDegree), rim.at((n + 1) * 15 * kDegree), 0.5 * height});
    }
  }
  piece.draw = [=](const Projection& projection, const std::string& id) {
    const Vector axis = unit(b - a);
    const Ellipse rim = image_of_circle(projection, axis, radius);
    const Point p = projection(a);
    const Point q = projection(b);
    const Point side = rim.major * rim.across;
    const bool b_faces_us = dot(axis, projection.toward()) > 0;
    const std::string line = svg::shade(colour, 0.42);

    // light falls from the upper left: the gradient runs across the can from its lit side
    const Point light{-0.6, -0.8};
    const Point lit = dot(side, light) > 0 ? side : -1.0 * side;
    std::string text = "<g";
    if (!about.empty()) {
      text += fmt::format(" data-can=\"{}\" data-axis=\"{:.9f} {:.9f} {:.9f}\"", svg::escape(about), axis.x, axis.y,
                          axis.z);
    }
    text += fmt::format(
        "><linearGradient id=\"{}\" gradientUnits=\"userSpaceOnUse\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\">"
        "<stop offset=\"0\" stop-color=\"{}\"/><stop offset=\"0.3\" stop-color=\"{}\"/>"
        "<stop offset=\"1\" stop-color=\"{}\"/></linearGradient>",
        id, number(p.x + lit.x), number(p.y + lit.y), number(p.x - lit.x), number(p.y - lit.y),
        svg::shade(colour, 0.94), svg::shade(colour, 1.5), svg::shade(colour, 0.72));
    // outline: straight sides and the outer halves of both rims; quarter_turn put `across` such that
    // the way over the far end is counter-clockwise on paper
    text += fmt::format("<path d=\"M{} L{} {} L{} {} Z\" fill=\"url(#{})\" stroke=\"{}\" stroke-width=\"1.3\"/>",
                        point(p + side), point(q + side), rim.arc_to(q - side, false), point(p - side),
                        rim.arc_to(p + side, false), id, line);
    const Point face = b_faces_us ? q : p;
    text += fmt::format("<path d=\"M{} {} {} Z\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.3\"/>", point(face + side),
                        rim.arc_to(face - side, false), rim.arc_to(face + side, false), svg::shade(colour, 1.35), line);
    if (mark) {
      const Vector& m = *mark;
      std::string path;
      if (dot(m, projection.toward()) > 0) {
        path += fmt::format("M{} L{}", point(projection(a + radius * m)), point(projection(b + radius * m)));
      }
      const Vector& end = b_faces_us ? b : a;
      path += fmt::format("M{} L{}", point(projection(end + radius * m)), point(projection(end + 0.55 * radius * m)));
      text += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#222222\" stroke-width=\"2.6\"/>", path);
    }
    return text + "</g>\n";
  };
  return piece;
}

Piece rod(const std::vector<Vector>& points, double radius, const std::string& colour) {
  Piece piece;
  for (std::size_t i = 1; i < points.size(); ++i) { piece.hull.push_back({points[i - 1], points[i], radius}); }
  piece.draw = [=](const Projection& projection, const std::string&) {
    std::string path;
    for (const Vector& p : points) { path += (path.empty() ? "M" : " L") + point(projection(p)); }
    const double width = 2 * radius * projection.scale();
    const auto stroke = [&](double wide, const std::string& paint) {
      return fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>", path, paint, number(wide));
    };
    return "<g fill=\"none\" stroke-linejoin=\"round\">" + stroke(width + 1.3, svg::shade(colour, 0.42)) +
           stroke(std::max(width - 1.3, 1.0), svg::shade(colour, 0.86)) +
           stroke(0.35 * width, svg::shade(colour, 1.4)) + "</g>\n";
  };
  return piece;
}

Piece arrow(const Vector& from, const Vector& to, const ArrowStyle& style) {
  Piece piece;
  piece.hull = {{from, to, 0.04}};
  piece.lift = 1;
  piece.draw = [=](const Projection& projection, const std::string&) {
    const Point tail = projection(from);
    const Point tip = projection(to);
    const double size = length(tip - tail);
    if (size < 1e-6) {
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", number(tip.x), number(tip.y),
                         number(style.width), style.colour);
    }
    const Point along = (1 / size) * (tip - tail);
    const double head_length = std::min(4.2 * style.width, 0.8 * size / style.heads);
    const double half_width = head_length * 0.42;
    const Point neck = tip - (0.7 * head_length + (style.heads - 1) * 0.8 * head_length) * along;
    std::string text = fmt::format(
        "<g><path d=\"M{} L{}\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\"{}/>", point(tail),
        point(neck), style.colour, number(style.width), style.dashed ? " stroke-dasharray=\"2 7\"" : "");
    for (int n = 0; n < style.heads; ++n) {
      const Point at = tip - (0.8 * n * head_length) * along;
      text += head(at, at - head_length * along, half_width, style.colour);
    }
    return text + "</g>\n";
  };
  return piece;
}

Vector across(const Vector& axis) {
  const Vector other = std::fabs(axis.z) < 0.9 ? Vector{0, 0, 1} : Vector{1, 0, 0};
  return unit(cross(other, axis));
}

Vector Arc::direction(double angle) const {
  const auto [sine, cosine] = math::sincos(angle);
  return cosine * start + sine * cross(axis, start);
}

std::vector<Piece> angle_arc(const Arc& arc, const Vector& toward, const std::string& colour) {
  std::vector<Piece> pieces;
  // radial lines where the marks are
  for (const double angle : {0.0, arc.sweep}) {
    const Vector inner = arc.center + 0.8 * arc.radius * arc.direction(angle);
    const Vector outer = arc.center + 1.08 * arc.radius * arc.direction(angle);
    Piece tick;
    tick.hull = {{inner, outer, 0.01}};
    tick.draw = [=](const Projection& projection, const std::string&) {
      return fmt::format("<path d=\"M{} L{}\" stroke=\"{}\" stroke-width=\"1.6\"/>\n", point(projection(inner)),
                         point(projection(outer)), "#222222");
    };
    pieces.push_back(tick);
  }
  if (std::fabs(arc.sweep) < kLeastSweep) { return pieces; }

  // cut where the circle passes from front to back: direction(angle)·toward = A cos(angle − peak) = 0
  const double peak = math::atan2(dot(cross(arc.axis, arc.start), toward), dot(arc.start, toward));
  std::vector<double> cuts{0, arc.sweep};
  const double low = std::min(0.0, arc.sweep);
  const double high = std::max(0.0, arc.sweep);
  for (int n = -9; n <= 9; n += 2) {
    const double cut = peak + n * math::kPi<double> / 2;
    if (cut > low + 1e-6 && cut < high - 1e-6) { cuts.push_back(cut); }
  }
  std::sort(cuts.begin(), cuts.end());
  if (arc.sweep < 0) { std::reverse(cuts.begin(), cuts.end()); }

  for (std::size_t i = 1; i < cuts.size(); ++i) {
    const double from = cuts[i - 1];
    const double to = cuts[i];
    const bool last = i + 1 == cuts.size();
    Piece piece;
    const int parts = std::max(1, static_cast<int>(std::ceil(std::fabs(to - from) / (20 * kDegree))));
    for (int n = 0; n < parts; ++n) {
      piece.hull.push_back(
          {arc.at(from + (to - from) * n / parts), arc.at(from + (to - from) * (n + 1) / parts), 0.02});
    }
    piece.draw = [=](const Projection& projection, const std::string&) {
      // the head takes at most 60 % of the arc
      const double pixels_per_rad = arc.radius * projection.scale();
      const double head_angle = std::min(12 / pixels_per_rad, 0.6 * std::fabs(arc.sweep));
      const double sign = arc.sweep < 0 ? -1 : 1;
      const double neck = arc.sweep - sign * head_angle;
      const double end = last && (neck - from) * sign > 0 ? neck + 0.2 * sign * head_angle : to;
      const Ellipse ellipse = image_of_circle(projection, arc.axis, arc.radius);
      const bool clockwise = (dot(arc.axis, projection.toward()) > 0) == (sign < 0);
      std::string path = "M" + point(projection(arc.at(from)));
      const int pieces_of_path = std::max(1, static_cast<int>(std::ceil(std::fabs(end - from) / (60 * kDegree))));
      for (int n = 1; n <= pieces_of_path; ++n) {
        path += ' ' + ellipse.arc_to(projection(arc.at(from + (end - from) * n / pieces_of_path)), clockwise);
      }
      std::string text = fmt::format(
          "<g fill=\"none\"><path d=\"{0}\" stroke=\"#ffffff\" stroke-width=\"5\" stroke-opacity=\"0.85\"/>"
          "<path d=\"{0}\" stroke=\"{1}\" stroke-width=\"2.4\"/>",
          path, colour);
      if (last) {
        const double half_width = std::max(2.0, 0.42 * head_angle * pixels_per_rad);
        text += head(projection(arc.at(arc.sweep)), projection(arc.at(neck)), half_width, colour);
      }
      return text + "</g>\n";
    };
    pieces.push_back(piece);
  }
  return pieces;
}

Piece box(const Vector& center, const Vector& half_edges, const Mat3<double>& R_NL, const std::string& colour) {
  Piece piece;
  // hull: along the longest edge, as thick as the second
  std::array<std::size_t, 3> by_size{0, 1, 2};
  std::sort(by_size.begin(), by_size.end(),
            [&](std::size_t i, std::size_t j) { return half_edges[i] > half_edges[j]; });
  const double thickness = half_edges[by_size[1]];
  const Vector reach = std::max(half_edges[by_size[0]] - thickness, 0.0) * column(R_NL, by_size[0]);
  piece.hull = {{center - reach, center + reach, thickness}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Vector along = half_edges[axis] * column(R_NL, axis);
    const Vector u = half_edges[(axis + 1) % 3] * column(R_NL, (axis + 1) % 3);
    const Vector v = half_edges[(axis + 2) % 3] * column(R_NL, (axis + 2) % 3);
    for (const Vector& corner : {center + u + v, center + u - v, center - u + v, center - u - v}) {
      piece.rims.push_back({corner - along, corner + along, 0});
    }
  }
  piece.draw = [=](const Projection& projection, const std::string&) {
    std::string text =
        fmt::format("<g stroke=\"{}\" stroke-width=\"1.2\" stroke-linejoin=\"round\">", svg::shade(colour, 0.42));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t j = (axis + 1) % 3;
      const std::size_t k = (axis + 2) % 3;
      const double side = dot(column(R_NL, axis), projection.toward()) > 0 ? 1 : -1;
      const Vector normal = side * column(R_NL, axis);
      const Vector middle = center + half_edges[axis] * normal;
      const Vector u = half_edges[j] * column(R_NL, j);
      const Vector v = half_edges[k] * column(R_NL, k);
      const Point tilt = (1 / projection.scale()) * projection.direction(normal);
      const double brightness =
          0.72 + 0.5 * std::max(0.0, -0.4 * tilt.x - 0.8 * tilt.y + 0.45 * projection.depth(normal));
      text += fmt::format("<path d=\"M{} L{} L{} L{} Z\" fill=\"{}\"/>", point(projection(middle + u + v)),
                          point(projection(middle - u + v)), point(projection(middle - u - v)),
                          point(projection(middle + u - v)), svg::shade(colour, std::min(brightness, 1.4)));
    }
    return text + "</g>\n";
  };
  return piece;
}

std::vector<Piece> wheel(const Vector& center, const Vector& axis, const Vector& first_spoke, double radius,
                         const std::string& colour) {
  std::vector<Piece> pieces;
  constexpr int kParts = 24;
  constexpr int kSpokes = 8;
  const double tube = 0.05 * radius;
  const Arc rim{center, axis, first_spoke, 2 * math::kPi<double>, radius - tube};
  const double step = rim.sweep / kParts;
  for (int n = 0; n < kParts; ++n) {
    Piece part;
    part.hull = {{rim.at(n * step), rim.at((n + 1) * step), tube}};
    part.draw = [=](const Projection& projection, const std::string&) {
      const Ellipse ellipse = image_of_circle(projection, rim.axis, rim.radius);
      const bool clockwise = dot(rim.axis, projection.toward()) < 0;
      // neighbours overlap a little, so that no seam shows
      return fmt::format("<path d=\"M{} {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
                         point(projection(rim.at((n - 0.04) * step))),
                         ellipse.arc_to(projection(rim.at((n + 1.04) * step)), clockwise), svg::shade(colour, 0.5),
                         number(2 * tube * projection.scale()));
    };
    pieces.push_back(part);
  }
  for (int n = 0; n < kSpokes; ++n) {
    const Vector end = rim.at(n * rim.sweep / kSpokes);
    Piece spoke;
    spoke.hull = {{center, end, 0.01 * radius}};
    spoke.draw = [=](const Projection& projection, const std::string&) {
      return fmt::format("<path d=\"M{} L{}\" stroke=\"{}\" stroke-width=\"{}\"/>\n", point(projection(center)),
                         point(projection(end)), svg::shade(colour, 0.5), n == 0 ? "4" : "1.3");
    };
    pieces.push_back(spoke);
  }
  return pieces;
}

Piece sheet(const std::array<Vector, 4>& corners, const std::string& colour) {
  Piece piece;
  for (std::size_t i = 0; i < 4; ++i) { piece.hull.push_back({corners[i], corners[(i + 1) % 4], 0}); }
  piece.rims = piece.hull;
  piece.draw = [=](const Projection& projection, const std::string&) {
    return fmt::format(
        "<path data-lock-plane=\"\" d=\"M{} L{} L{} L{} Z\" fill=\"{}\" fill-opacity=\"0.13\" stroke=\"{}\" "
        "stroke-width=\"1.6\" stroke-dasharray=\"8 5\"/>\n",
        point(projection(corners[0])), point(projection(corners[1])), point(projection(corners[2])),
        point(projection(corners[3])), colour, colour);
  };
  return piece;
}

}  // namespace polhode::drawing
