#pragma once

#include "polhode/catalog/representations.h"
#include "polhode/rotation/checks.h"

#include <algorithm>
#include <cmath>

/// What the files that describe representations share.
namespace polhode::catalog {

template <class... Names>
std::vector<Column> columns_named(Names... names) {
  return {Column{names, false}...};
}
template <class... Names>
std::vector<Column> angles_named(Names... names) {
  return {Column{names, true}...};
}

inline Vec3<double> vec3(std::span<const double> x) { return {x[0], x[1], x[2]}; }
inline void put(const Vec3<double>& v, std::span<double> x) {
  x[0] = v.x;
  x[1] = v.y;
  x[2] = v.z;
}

/// v/|v| for any v ≠ 0, from the smallest numbers to the largest: the first quotient may be rough, or |v| infinite.
template <class V>
V unit(const V& v) {
  const double size = norm(v);
  const V near = std::isfinite(size) ? v / size : (0.25 * v) / norm(0.25 * v);
  return near / norm(near);
}

/// How far rates may be from those of a rotation, in parts of their size. Values that just pass, with rates that are
/// theirs, must pass too: for a matrix with AᵀA = I + E and Ȧ = A ω̃' the symmetric part of AᵀȦ is ½ (E ω̃' − ω̃' E), up
/// to ‖E‖ ‖Ȧ‖ ≤ 3 kUnitTolerance ‖Ȧ‖. One more for rates that are written with as few digits as the values.
inline constexpr double kRateTolerance = 4 * kUnitTolerance;

/// And second derivatives, in parts of their size and of the rates squared: |e| = 1 leaves e·ë = −ė·ė, where the left
/// side has the error of the values and the right side twice that of the rates.
inline constexpr double kAccelerationTolerance = kUnitTolerance + 2 * kRateTolerance;

/// The largest of |xᵢ|: rates over it can be squared, whatever their size.
inline double largest_of(std::span<const double> x) {
  double largest = 0;
  for (const double number : x) { largest = std::max(largest, std::fabs(number)); }
  return largest;
}

/// `rep` turned round: the numbers that it has for the inverse rotation.
RepresentationPtr inverse_of(std::string name, RepresentationPtr rep);

/// v/|of|, also where |of| is beyond the range of numbers.
template <class U, class V>
U over_norm(const U& v, const V& of) {
  const double size = norm(of);
  return std::isfinite(size) ? v / size : (0.25 * v) / norm(0.25 * of);
}

/// For families without a parameter: fails when one is given.
void refuse_parameter(std::string_view family, std::string_view parameter);

/// Fails when a number of `v` is not finite: "what at singularity".
void require_regular(const Vec3<double>& v, std::string_view what, std::string_view cure);

}  // namespace polhode::catalog
