#pragma once

#include "polhode/drawing/scene.h"
#include "polhode/math/matrix.h"

#include <array>
#include <optional>

/// The solid things drawings are made of.
namespace polhode::drawing {

/// A closed cylinder from a to b. `mark` is a unit vector across the axis: a line is painted there along the side.
/// `about` goes into the SVG as data-can, and the unit axis as data-axis, for programs that read the picture.
Piece can(const Vector& a, const Vector& b, double radius, const std::string& colour,
          const std::optional<Vector>& mark = {}, const std::string& about = "");

/// A round rod through all points.
Piece rod(const std::vector<Vector>& points, double radius, const std::string& colour);

/// An arrow with one head, or with two as for angular velocities.
struct ArrowStyle {
  std::string colour = "#222222";
  double width = 3;  ///< of the shaft, on paper
  int heads = 1;
  bool dashed = false;
};
Piece arrow(const Vector& from, const Vector& to, const ArrowStyle& style);

/// A unit vector across `axis`, the same for the same axis.
Vector across(const Vector& axis);

/// Part of a circle about `axis` (unit), from the direction `start` (unit, across the axis) by `sweep` rad.
struct Arc {
  Vector center;
  Vector axis;
  Vector start;
  double sweep = 0;
  double radius = 1;

  Vector direction(double angle) const;  ///< unit vector at this angle from the start
  Vector at(double angle) const { return center + radius * direction(angle); }
};

/// The arc with an arrow head at its end and a short radial line at either end, in pieces that are behind
/// or in front of what the arc goes around.
std::vector<Piece> angle_arc(const Arc& arc, const Vector& toward, const std::string& colour);

/// Six faces; the columns of R_NL are the directions of the edges.
Piece box(const Vector& center, const Vector& half_edges, const Mat3<double>& R_NL, const std::string& colour);

/// Tyre and spokes; `first_spoke` (unit, across the axis) is the one that is drawn thick.
std::vector<Piece> wheel(const Vector& center, const Vector& axis, const Vector& first_spoke, double radius,
                         const std::string& colour);

/// A translucent parallelogram with a dashed rim.
Piece sheet(const std::array<Vector, 4>& corners, const std::string& colour);

}  // namespace polhode::drawing
