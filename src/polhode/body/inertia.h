#pragma once

#include "polhode/math/matrix.h"

/// Algebra of inertia matrices, for every number type (exact fractions included). A second moment
/// Σ = ∫ r rᵀ dm and an inertia J = ∫ (r·r I − r rᵀ) dm hold the same six numbers; Σ is the one that adds up,
/// shifts and turns in the simplest way, and a body exists for it exactly when it is positive semidefinite.
/// Labels (INE-n): docs/theory/inertia.md.
namespace polhode {

///   J = tr(Σ) I − Σ                                         (INE-2)
template <class S>
constexpr Mat3<S> inertia_from_second_moment(const Mat3<S>& second) {
  return trace(second) * identity<S, 3>() - second;
}

///   Σ = ½ tr(J) I − J                                       (INE-3) [Wensing2018]
template <class S>
constexpr Mat3<S> second_moment_from_inertia(const Mat3<S>& J) {
  return (trace(J) / S(2)) * identity<S, 3>() - J;
}

/// Inertia of a mass at r about the origin; equally what moving the reference point from the mass centre by r adds.
///
///   J = m (r·r I − r rᵀ)                                    (INE-4)
///
/// Symmetric to the bit.
template <class S>
constexpr Mat3<S> point_inertia(const S& mass, const Vec3<S>& r) {
  const S xx = r.x * r.x;
  const S yy = r.y * r.y;
  const S zz = r.z * r.z;
  const S xy = -mass * (r.x * r.y);
  const S xz = -mass * (r.x * r.z);
  const S yz = -mass * (r.y * r.z);
  return {{{mass * (yy + zz), xy, xz}, {xy, mass * (xx + zz), yz}, {xz, yz, mass * (xx + yy)}}};
}

/// The same tensor in components of another frame.
///
///   J_A = R_AB J_B R_ABᵀ                                    (INE-6)
///
/// Symmetric to the bit: the lower triangle is a copy of the upper one.
template <class S>
constexpr Mat3<S> turned(const Mat3<S>& R_AB, const Mat3<S>& J_B) {
  Mat3<S> J_A = R_AB * J_B * transpose(R_AB);
  J_A(1, 0) = J_A(0, 1);
  J_A(2, 0) = J_A(0, 2);
  J_A(2, 1) = J_A(1, 2);
  return J_A;
}

/// Whether some body has the inertia J, without eigenvalues: Cholesky's factors of Σ + ½ τ S I exist, where
/// S = ½ tr(J) is the largest moment of a flat body. The same statement as J1 + J2 − J3 ≥ −τ S.
///
///   Σ = ½ tr(J) I − J ⪰ 0                                   (INE-8) [Wensing2018]
///
/// With τ = 0 a flat body, where Σ is singular, counts as none.
template <class S>
constexpr bool second_moment_is_positive(const Mat3<S>& J, const S& tolerance) {
  Mat3<S> a = second_moment_from_inertia(J);
  const S shift = tolerance * trace(J) / S(4);
  for (std::size_t i = 0; i < 3; ++i) { a(i, i) = a(i, i) + shift; }
  // Schur complements, one pivot after the other
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(a(k, k) > S(0))) { return false; }
    for (std::size_t i = k + 1; i < 3; ++i) {
      for (std::size_t j = k + 1; j < 3; ++j) { a(i, j) = a(i, j) - a(i, k) * a(k, j) / a(k, k); }
    }
  }
  return true;
}

}  // namespace polhode
