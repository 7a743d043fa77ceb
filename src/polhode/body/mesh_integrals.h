#pragma once

#include "polhode/math/matrix.h"

/// Integrals of 1, r and r rᵀ over a solid bounded by triangles, for every number type: exact on fractions.
namespace polhode {

/// ∫ dV, ∫ r dV, ∫ r rᵀ dV, r from a reference point.
template <class S>
struct VolumeIntegrals {
  S volume{};
  Vec3<S> first{};
  Mat3<S> second{};
};

/// Adds the tetrahedron of the reference point and the triangle (a, b, c), seen from it; negative where the triangle
/// shows its outer side to the reference point. Over a closed surface the sum is that of the solid.
///
///   V = a·(b × c)/6,   ∫ r dV = V s/4,   ∫ r rᵀ dV = V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20,   s = a + b + c
///                                                           (INE-17) [Tonon2005]
template <class S>
constexpr void add_tetrahedron(VolumeIntegrals<S>& sum, const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& c) {
  const S volume = dot(a, cross(b, c)) / S(6);
  const Vec3<S> s = a + b + c;
  sum.volume = sum.volume + volume;
  sum.first = sum.first + (volume / S(4)) * s;
  sum.second = sum.second + (volume / S(20)) * (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s));
}

}  // namespace polhode
