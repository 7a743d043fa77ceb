#include "polhode/drawing/solid.h"

#include "polhode/drawing/pieces.h"
#include "polhode/drawing/svg.h"
#include "polhode/math/pi.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

namespace polhode::drawing {
namespace {

/// Edges between faces that turn by more than this are drawn.
constexpr double kCrease = 0.8;  // cosine
/// Of a circle.
constexpr int kSides = 40;
/// Of a mesh: on paper more are not told apart.
constexpr std::size_t kMostTriangles = 800;
/// Splitting planes that are tried at each node of the tree.
constexpr std::size_t kTried = 20;

Vector normal_of(const std::vector<Vector>& corners) {
  // Newell: also right where three corners are in line
  Vector sum{};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    sum += cross(corners[i] - corners[0], corners[(i + 1) % corners.size()] - corners[0]);
  }
  const double size = norm(sum);
  return size > 0 ? sum / size : Vector{};
}

std::vector<Vector> corners_of(const Solid& solid, std::size_t face) {
  std::vector<Vector> corners;
  for (const std::size_t i : solid.faces[face]) { corners.push_back(solid.points[i]); }
  return corners;
}

/// A face on its way to paper.
struct Facet {
  std::vector<Vector> corners;
  std::vector<bool> drawn;  ///< by corner: the edge from it to the next
  Vector normal;
  double height = 0;  ///< of its plane along the normal
  std::string fill;
  std::string line;
  double opacity = 1;
};

double brightness(const Vector& normal, const Projection& projection) {
  // light falls from the upper left
  const Point tilt = (1 / projection.scale()) * projection.direction(normal);
  return std::min(1.4, 0.74 + 0.5 * std::max(0.0, -0.4 * tilt.x - 0.8 * tilt.y + 0.45 * projection.depth(normal)));
}

void add_facets(std::vector<Facet>& facets, const Painted& painted, const Projection& projection) {
  const Solid& solid = painted.solid;
  std::vector<Vector> normals;
  // by edge: the two faces beside it
  std::map<std::pair<std::size_t, std::size_t>, std::array<std::size_t, 2>> beside;
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  for (std::size_t f = 0; f < solid.faces.size(); ++f) {
    normals.push_back(normal_of(corners_of(solid, f)));
    const std::vector<std::size_t>& face = solid.faces[f];
    for (std::size_t i = 0; i < face.size(); ++i) {
      const auto edge = std::minmax(face[i], face[(i + 1) % face.size()]);
      const auto [at, fresh] = beside.try_emplace({edge.first, edge.second}, std::array{f, kNone});
      if (!fresh) { at->second[1] = f; }
    }
  }
  const auto faces_us = [&](std::size_t f) { return dot(normals[f], projection.toward()) > 1e-9; };
  for (std::size_t f = 0; f < solid.faces.size(); ++f) {
    if (norm_squared(normals[f]) == 0 || (!faces_us(f) && !painted.glass)) { continue; }
    Facet facet;
    facet.corners = corners_of(solid, f);
    facet.normal = normals[f];
    facet.height = dot(facet.normal, facet.corners[0]);
    facet.fill = svg::shade(painted.colour, faces_us(f) ? brightness(normals[f], projection) : 1);
    facet.line = svg::shade(painted.colour, 0.42);
    facet.opacity = painted.glass ? 0.16 : 1;
    const std::vector<std::size_t>& face = solid.faces[f];
    for (std::size_t i = 0; i < face.size(); ++i) {
      const auto edge = std::minmax(face[i], face[(i + 1) % face.size()]);
      const std::array<std::size_t, 2>& two = beside.at({edge.first, edge.second});
      facet.drawn.push_back(two[1] == kNone || dot(normals[two[0]], normals[two[1]]) < kCrease ||
                            faces_us(two[0]) != faces_us(two[1]));
    }
    facets.push_back(std::move(facet));
  }
}

/// Adds a corner to one half of a face that is being cut.
void add_corner(Facet& half, const Vector& p, bool drawn) {
  half.corners.push_back(p);
  half.drawn.push_back(drawn);
}

enum class Side { on, front, back, both };

Side side_of(const Facet& facet, const Facet& plane, double near) {
  bool front = false;
  bool back = false;
  for (const Vector& p : facet.corners) {
    const double height = dot(plane.normal, p) - plane.height;
    front |= height > near;
    back |= height < -near;
  }
  return front && back ? Side::both : front ? Side::front : back ? Side::back : Side::on;
}

/// Both halves of a face that a plane cuts; the cut itself is not drawn.
std::array<Facet, 2> cut(const Facet& facet, const Facet& plane, double near) {
  Facet front = facet;
  front.corners.clear();
  front.drawn.clear();
  Facet back = front;
  const std::size_t n = facet.corners.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vector& a = facet.corners[i];
    const Vector& b = facet.corners[(i + 1) % n];
    const double height_a = dot(plane.normal, a) - plane.height;
    const double height_b = dot(plane.normal, b) - plane.height;
    const bool drawn = facet.drawn[i];
    // a corner in the plane belongs to both halves; between two such the cut has no edge
    if (height_a >= -near) { add_corner(front, a, drawn && (height_a > near || height_b > near)); }
    if (height_a <= near) { add_corner(back, a, drawn && (height_a < -near || height_b < -near)); }
    if ((height_a > near && height_b < -near) || (height_a < -near && height_b > near)) {
      const Vector p = a + (height_a / (height_a - height_b)) * (b - a);
      add_corner(front, p, drawn && height_b > near);
      add_corner(back, p, drawn && height_b < -near);
    }
  }
  return {std::move(front), std::move(back)};
}

/// Draws `facets` back to front into `order`.
void sort_facets(std::vector<Facet> facets, const Vector& toward, double near, std::vector<Facet>& order) {
  while (!facets.empty()) {
    // the plane that cuts least, of a few spread over the list
    std::size_t best = 0;
    double best_cost = 1e300;
    const std::size_t step = std::max<std::size_t>(1, facets.size() / kTried);
    for (std::size_t k = 0; k < facets.size(); k += step) {
      double cuts = 0;
      double balance = 0;
      for (const Facet& other : facets) {
        const Side side = side_of(other, facets[k], near);
        cuts += side == Side::both ? 1 : 0;
        balance += side == Side::front ? 1 : side == Side::back ? -1 : 0;
      }
      const double cost = 4 * cuts + 0.3 * std::fabs(balance);
      if (cost < best_cost) {
        best_cost = cost;
        best = k;
      }
    }
    const Facet plane = facets[best];
    std::vector<Facet> front;
    std::vector<Facet> back;
    std::vector<Facet> on;
    for (std::size_t k = 0; k < facets.size(); ++k) {
      switch (k == best ? Side::on : side_of(facets[k], plane, near)) {
        case Side::on:
          on.push_back(std::move(facets[k]));
          break;
        case Side::front:
          front.push_back(std::move(facets[k]));
          break;
        case Side::back:
          back.push_back(std::move(facets[k]));
          break;
        case Side::both: {
          auto [first, second] = cut(facets[k], plane, near);
          if (first.corners.size() > 2) { front.push_back(std::move(first)); }
          if (second.corners.size() > 2) { back.push_back(std::move(second)); }
          break;
        }
      }
    }
    const bool seen_from_front = dot(plane.normal, toward) > 0;
    std::vector<Facet>& far = seen_from_front ? back : front;
    std::vector<Facet>& close = seen_from_front ? front : back;
    sort_facets(std::move(far), toward, near, order);
    for (Facet& facet : on) { order.push_back(std::move(facet)); }
    facets = std::move(close);
  }
}

}  // namespace

Solid lathe(std::span<const Point> profile, bool closed, int sides) {
  Solid solid;
  solid.convex = !closed;
  const auto n = static_cast<std::size_t>(sides);
  std::vector<std::size_t> first;  // of each ring; a ring of no radius is one point
  for (const Point& p : profile) {
    first.push_back(solid.points.size());
    if (p.x == 0) {
      solid.points.push_back({0, 0, p.y});
      continue;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto [sine, cosine] = math::sincos(2 * math::kPi<double> * static_cast<double>(i) / sides);
      solid.points.push_back({p.x * cosine, p.x * sine, p.y});
    }
  }
  const std::size_t bands = closed ? profile.size() : profile.size() - 1;
  for (std::size_t k = 0; k < bands; ++k) {
    const std::size_t next = (k + 1) % profile.size();
    const std::size_t a = first[k];
    const std::size_t b = first[next];
    const bool flat = profile[k].y == profile[next].y;
    if (flat && (profile[k].x == 0 || profile[next].x == 0)) {
      // a whole disc at an end
      std::vector<std::size_t> disc;
      disc.reserve(n);
      for (std::size_t i = 0; i < n; ++i) { disc.push_back(profile[k].x == 0 ? b + n - 1 - i : a + i); }
      solid.faces.push_back(std::move(disc));
      continue;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = (i + 1) % n;
      if (profile[k].x == 0) {
        solid.faces.push_back({a, b + j, b + i});
      } else if (profile[next].x == 0) {
        solid.faces.push_back({a + i, a + j, b});
      } else {
        solid.faces.push_back({a + i, a + j, b + j, b + i});
      }
    }
  }
  return solid;
}

Solid box_solid(const Vector& half_edges) {
  Solid solid;
  for (int i = 0; i < 8; ++i) {
    solid.points.push_back({(i % 2 == 0 ? -1 : 1) * half_edges.x, (i / 2 % 2 == 0 ? -1 : 1) * half_edges.y,
                            (i / 4 == 0 ? -1 : 1) * half_edges.z});
  }
  solid.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return solid;
}

Solid rod_solid(const Vector& a, const Vector& b, double radius, int sides) {
  const double half = norm(b - a) / 2;
  const std::array<Point, 4> profile{Point{0, -half}, {radius, -half}, {radius, half}, {0, half}};
  Solid solid = lathe(profile, false, sides);
  if (half == 0) { return {}; }
  const Vector z = (b - a) / (2 * half);
  const Vector x = across(z);
  const Vector y = cross(z, x);
  for (Vector& p : solid.points) { p = 0.5 * (a + b) + p.x * x + p.y * y + p.z * z; }
  return solid;
}

Solid ball_solid(const Vector& center, double radius, int sides) {
  std::vector<Point> profile;
  const int bands = sides / 2;
  for (int k = 0; k <= bands; ++k) {
    const auto [sine, cosine] = math::sincos(math::kPi<double> * k / bands);
    profile.push_back({k == 0 || k == bands ? 0 : radius * sine, -radius * cosine});
  }
  return moved(lathe(profile, false, sides), EulerParameters<double>::identity(), center);
}

Solid solid_of(const Outline& outline, double least) {
  const auto length = [&](std::size_t n) {
    return std::max(n < outline.lengths.size() ? outline.lengths[n] : 0.0, least);
  };
  Solid solid;
  if (outline.surface) {
    const bool large = outline.surface->triangles.size() > kMostTriangles;
    const Surface surface = large ? pictured(*outline.surface, kMostTriangles) : *outline.surface;
    solid.convex = false;
    solid.points = surface.points;
    for (const auto& [a, b, c] : surface.triangles) { solid.faces.push_back({a, b, c}); }
  } else if (outline.shape == "cylinder") {
    const double half = length(1) / 2;
    const std::array<Point, 4> profile{Point{0, -half}, {length(0), -half}, {length(0), half}, {0, half}};
    solid = lathe(profile, false, kSides);
  } else if (outline.shape == "tube") {
    const double half = length(2) / 2;
    const double outer = length(0);
    const double inner = std::min(outline.lengths.size() > 1 ? outline.lengths[1] : 0.0, 0.98 * outer);
    if (inner <= 0) {
      const std::array<Point, 4> profile{Point{0, -half}, {outer, -half}, {outer, half}, {0, half}};
      solid = lathe(profile, false, kSides);
    } else {
      const std::array<Point, 4> profile{Point{outer, -half}, {outer, half}, {inner, half}, {inner, -half}};
      solid = lathe(profile, true, kSides);
    }
  } else if (outline.shape == "cone") {
    const std::array<Point, 3> profile{Point{0, 0}, {length(0), 0}, {0, length(1)}};
    solid = lathe(profile, false, kSides);
  } else if (outline.shape == "capsule") {
    const double half = outline.lengths.size() > 1 ? outline.lengths[1] / 2 : 0;
    solid = ball_solid({}, length(0), 24);
    for (Vector& p : solid.points) { p.z += p.z > 1e-9 * length(0) ? half : -half; }
  } else if (outline.shape == "sphere" || outline.shape == "ellipsoid") {
    const bool round = outline.shape == "sphere";
    solid = ball_solid({}, 1, 24);
    for (Vector& p : solid.points) { p = {length(0) * p.x, length(round ? 0 : 1) * p.y, length(round ? 0 : 2) * p.z}; }
  } else {
    solid = box_solid({length(0) / 2, length(1) / 2, length(2) / 2});
  }
  return moved(std::move(solid), outline.e_BC, outline.r_BC_B);
}

Solid moved(Solid solid, const EulerParameters<double>& e, const Vector& r) {
  for (Vector& p : solid.points) { p = r + rotate(e, p); }
  return solid;
}

std::vector<Stretch> inside(const Solid& solid, const Vector& start, const Vector& direction) {
  std::vector<double> crossings;
  for (std::size_t f = 0; f < solid.faces.size(); ++f) {
    const std::vector<Vector> corners = corners_of(solid, f);
    const Vector normal = normal_of(corners);
    const double slope = dot(normal, direction);
    if (std::fabs(slope) < 1e-12) { continue; }
    const double t = dot(normal, corners[0] - start) / slope;
    const Vector p = start + t * direction;
    bool within = true;
    for (std::size_t i = 0; i < corners.size() && within; ++i) {
      const Vector& a = corners[i];
      const Vector& b = corners[(i + 1) % corners.size()];
      within = dot(cross(b - a, p - a), normal) >= 0;
    }
    if (within) { crossings.push_back(t); }
  }
  std::sort(crossings.begin(), crossings.end());
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) { stretches.push_back({crossings[i], crossings[i + 1]}); }
  return stretches;
}

bool is_inside(const Solid& solid, const Vector& p) {
  // no direction that shapes have: an edge is not met
  const std::vector<Stretch> stretches = inside(solid, p, {0.5377, 0.3188, 0.7805});
  return std::any_of(stretches.begin(), stretches.end(), [](const Stretch& s) { return s.from < 0 && s.to > 0; });
}

std::vector<Point> convex_rim(std::vector<Point> points) {
  std::sort(points.begin(), points.end(), [](Point a, Point b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  std::vector<Point> rim;
  // lower chain, then the upper one back (Andrew)
  for (int chain = 0; chain < 2; ++chain) {
    const std::size_t base = rim.size();
    for (const Point& p : points) {
      while (rim.size() >= base + 2 && dot(quarter_turn(rim.back() - rim[rim.size() - 2]), p - rim.back()) <= 1e-9) {
        rim.pop_back();
      }
      rim.push_back(p);
    }
    rim.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return rim;
}

std::string draw_solids(const std::vector<Painted>& solids, const Projection& projection, double line_width) {
  std::vector<Facet> facets;
  double size = 0;
  for (const Painted& painted : solids) {
    add_facets(facets, painted, projection);
    for (const Vector& p : painted.solid.points) { size = std::max(size, norm(p - solids[0].solid.points[0])); }
  }
  std::vector<Facet> order;
  sort_facets(std::move(facets), projection.toward(), 1e-7 * size, order);

  std::string text = fmt::format("<g stroke-linejoin=\"round\" stroke-linecap=\"round\" stroke-width=\"{}\">\n",
                                 svg::number(line_width));
  // neighbours of one colour in one path; a hair of the same colour covers the seams between faces
  std::string path;
  std::string fill;
  const auto flush = [&] {
    if (path.empty()) { return; }
    text += fmt::format("<path d=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"0.7\"/>\n", path, fill, fill);
    path.clear();
  };
  for (const Facet& facet : order) {
    std::string outline;
    std::string edges;
    const std::size_t n = facet.corners.size();
    for (std::size_t i = 0; i < n; ++i) {
      const std::string p = svg::point(projection(facet.corners[i]));
      outline += (i == 0 ? "M" : "L") + p;
      if (!facet.drawn[i]) { continue; }
      if (i == 0 || !facet.drawn[i - 1]) { edges += "M" + p; }
      edges += "L" + svg::point(projection(facet.corners[(i + 1) % n]));
    }
    outline += "Z";
    if (facet.opacity < 1) {
      flush();
      text += fmt::format("<path d=\"{}\" fill=\"{}\" fill-opacity=\"{}\"/>\n", outline, facet.fill,
                          svg::number(facet.opacity));
    } else {
      if (facet.fill != fill) { flush(); }
      fill = facet.fill;
      path += outline;
    }
    if (!edges.empty()) {
      flush();
      text += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\"{}/>\n", edges, facet.line,
                          facet.opacity < 1 ? " stroke-opacity=\"0.55\"" : "");
    }
  }
  flush();
  return text + "</g>\n";
}

}  // namespace polhode::drawing
