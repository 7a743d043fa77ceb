#pragma once

#include "polhode/math/degree.h"
#include "polhode/math/vec3.h"

/// Drawings of turns: pairs of cans in series, as SVG. Vectors here are in the space frame N unless the name says
/// otherwise; paper coordinates count x to the right and y down.
namespace polhode::drawing {

using Vector = Vec3<double>;
inline Vector unit(const Vector& v) { return v / norm(v); }

using math::kDegree;
/// Of azimuth and elevation where a user gives them, in degrees.
inline constexpr double kLargestViewAngle = 360;

/// A point on paper.
struct Point {
  double x = 0;
  double y = 0;

  friend constexpr Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend constexpr Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
  friend constexpr Point operator*(double s, Point a) { return {s * a.x, s * a.y}; }
};
constexpr double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
inline double length(Point a) { return math::sqrt(dot(a, a)); }
constexpr Point quarter_turn(Point a) { return {-a.y, a.x}; }

/// Where the viewer stands, infinitely far away: parallel lines stay parallel, z points up on paper.
struct View {
  double azimuth = 0;    ///< rad, of the viewer about z from x towards y
  double elevation = 0;  ///< rad, of the viewer above the x-y plane

  Vector toward() const {
    const auto [sin_a, cos_a] = math::sincos(azimuth);
    const auto [sin_e, cos_e] = math::sincos(elevation);
    return {cos_e * cos_a, cos_e * sin_a, sin_e};
  }
  Vector right() const {
    const auto [sin_a, cos_a] = math::sincos(azimuth);
    return {-sin_a, cos_a, 0};
  }
  Vector up() const { return cross(toward(), right()); }
};

/// From space to paper: a view, a scale and where the origin falls.
class Projection {
 public:
  Projection(const View& view, double scale, Point origin)
      : right_(view.right()), up_(view.up()), toward_(view.toward()), scale_(scale), origin_(origin) {}

  Point operator()(const Vector& p) const { return origin_ + direction(p); }
  /// A difference of two points.
  Point direction(const Vector& d) const { return {scale_ * dot(right_, d), -scale_ * dot(up_, d)}; }
  /// Larger is nearer to the viewer; in units of space.
  double depth(const Vector& p) const { return dot(toward_, p); }
  const Vector& toward() const { return toward_; }
  double scale() const { return scale_; }

 private:
  Vector right_;
  Vector up_;
  Vector toward_;
  double scale_;
  Point origin_;
};

}  // namespace polhode::drawing
