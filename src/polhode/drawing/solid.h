#pragma once

#include "polhode/drawing/view.h"
#include "polhode/io/result.h"

#include <span>
#include <string>
#include <vector>

/// Solids of flat faces, and the order in which their faces are drawn.
namespace polhode::drawing {

/// A closed surface of flat convex faces; corners run counter-clockwise seen from outside.
struct Solid {
  std::vector<Vector> points;
  std::vector<std::vector<std::size_t>> faces;
  bool convex = true;
};

/// A body of revolution about z: `profile` holds (radius, z) from one end to the other with the material to its left
/// (below the axis first); a ring where `closed`.
Solid lathe(std::span<const Point> profile, bool closed, int sides);
Solid box_solid(const Vector& half_edges);
/// The cylinder from a to b.
Solid rod_solid(const Vector& a, const Vector& b, double radius, int sides = 16);
Solid ball_solid(const Vector& center, double radius, int sides = 16);
/// An outline in its own frame C. A length of zero becomes `least`.
Solid solid_of(const Outline& outline, double least);

/// The same elsewhere: p ↦ r + R p.
Solid moved(Solid solid, const EulerParameters<double>& e, const Vector& r);

/// Where a line runs inside a solid: from and to, in units of the direction, in order.
struct Stretch {
  double from = 0;
  double to = 0;
};
std::vector<Stretch> inside(const Solid& solid, const Vector& start, const Vector& direction);
bool is_inside(const Solid& solid, const Vector& p);

/// The rim of the projected points, counter-clockwise on paper with y down reversed: a convex polygon.
std::vector<Point> convex_rim(std::vector<Point> points);

/// A solid with its paint.
struct Painted {
  Solid solid;
  std::string colour;  ///< "#rrggbb"
  bool glass = false;  ///< what is inside is seen
};

/// Faces in the order of drawing, from the farthest to the nearest, as SVG. Solids may run into each other: faces are
/// cut where they must be (a tree of planes, as Fuchs, Kedem and Naylor have it).
std::string draw_solids(const std::vector<Painted>& solids, const Projection& projection, double line_width);

}  // namespace polhode::drawing
