#pragma once

#include "polhode/math/small_solve.h"
#include "polhode/math/symmetric_eigen.h"
#include "polhode/rotation/euler_parameters.h"

#include <array>
#include <concepts>
#include <type_traits>
#include <utility>

namespace polhode {

/// Euler parameters of a rotation matrix R_NB, by the largest of the four components, so that no
/// small number is divided by. [Shepperd1978]
///
///   t = tr A largest:  e ∝ (1 + t, A32 − A23, A13 − A31, A21 − A12)
///   Aᵢᵢ largest (i j l cyclic):  e0 ∝ Alj − Ajl,  eᵢ ∝ 1 + Aᵢᵢ − Ajj − All,
///                                ej ∝ Aij + Aji,  el ∝ Ail + Ali           (KIN-20)
///
/// The result is a unit quaternion for an orthogonal A with det A = +1; the caller sees to that
/// (require_rotation), or takes nearest_rotation. The sign is the one with the largest component positive.
template <class S>
EulerParameters<S> from_matrix(const Mat3<S>& A) {
  const S t = trace(A);
  std::size_t i = 3;  // 3 stands for the trace
  auto largest = value_of(t);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (value_of(A(axis, axis)) > largest) {
      largest = value_of(A(axis, axis));
      i = axis;
    }
  }
  if (i == 3) {
    return normalized(EulerParameters<S>{S(1) + t, {A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1)}});
  }
  const std::size_t j = (i + 1) % 3;
  const std::size_t l = (i + 2) % 3;
  EulerParameters<S> e{A(l, j) - A(j, l), {}};
  e.ev[i] = S(1) + A(i, i) - A(j, j) - A(l, l);
  e.ev[j] = A(i, j) + A(j, i);
  e.ev[l] = A(i, l) + A(l, i);
  return normalized(e);
}

/// How far a matrix is from a rotation: the largest entry of |AᵀA − I|, and det A.
template <class S>
struct Orthogonality {
  S defect;
  S determinant;
};
template <class S>
Orthogonality<S> orthogonality(const Mat3<S>& A) {
  const Mat3<S> gram = transpose(A) * A - identity<S, 3>();
  S defect(0);
  for (const auto& gram_row : gram.m) {
    for (const S& entry : gram_row) {
      const S size = value_of(entry) < 0 ? S(-entry) : entry;
      if (!(value_of(size) <= value_of(defect))) { defect = size; }  // a NaN too
    }
  }
  return {defect, determinant(A)};
}

/// The rotation nearest to a noisy matrix, and how far away it is.
template <class S>
struct NearestRotation {
  EulerParameters<S> e_NB;
  S distance;               ///< ‖A − R‖ in the Frobenius norm; where it is 0 it has no derivative
  ValueType<S> uniqueness;  ///< gap to the second-best attitude, 0 (not unique: no answer) to 4 (A is a rotation)
};

namespace detail {
/// The numbers that decide branches, of a whole matrix.
template <class S>
constexpr auto values_of(const Mat4<S>& a) {
  Mat4<ValueType<S>> values;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) { values(i, j) = value_of(a(i, j)); }
  }
  return values;
}

/// Gives the eigenvector of the values of K what a dual or complex number carries beside them, by Newton's iteration on
/// K v = λ v, v·v = 1: each step doubles the number of derivatives that are right, and three are more than any nest of
/// dual numbers in use needs.
///
///   [K − λ I, −v; vᵀ, 0] (δv; δλ) = (λ v − K v; ½ (1 − v·v))
template <class S>
void follow_eigenvector(const Mat4<S>& K, S lambda, std::array<S, 4>& v) {
  for (int step = 0; step < 3; ++step) {
    Matrix<S, 5, 5> bordered;
    std::array<S, 5> change;
    change[4] = S(0.5);
    for (std::size_t i = 0; i < 4; ++i) {
      S residual = lambda * v[i];
      for (std::size_t j = 0; j < 4; ++j) {
        bordered(i, j) = i == j ? S(K(i, j) - lambda) : K(i, j);
        residual = residual - K(i, j) * v[j];
      }
      bordered(i, 4) = -v[i];
      bordered(4, i) = v[i];
      change[i] = residual;
      change[4] = change[4] - S(0.5) * v[i] * v[i];
    }
    bordered(4, 4) = S(0);
    if (!solve_in_place(bordered, change)) { return; }  // two best attitudes: `uniqueness` says so
    for (std::size_t i = 0; i < 4; ++i) { v[i] = v[i] + change[i]; }
    lambda = lambda + change[4];
  }
}
}  // namespace detail

/// Nearest in the Frobenius norm, for any matrix, left-handed and singular ones included.
///
///   ‖A − R(e)‖² = ‖A‖² + 3 − 2 eᵀ K e,  |e| = 1:  e is the eigenvector of the largest eigenvalue of
///   K = [t  vᵀ; v  A + Aᵀ − t I],  t = tr A,  v = (A32 − A23, A13 − A31, A21 − A12)
///                                                           (KIN-23) [Horn1987]
template <class S>
NearestRotation<S> nearest_rotation(const Mat3<S>& A) {
  const S t = trace(A);
  const Vec3<S> v{A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1)};
  Mat4<S> K;
  K(0, 0) = t;
  for (std::size_t i = 0; i < 3; ++i) {
    K(0, i + 1) = K(i + 1, 0) = v[i];
    for (std::size_t j = 0; j < 3; ++j) { K(i + 1, j + 1) = A(i, j) + A(j, i) - (i == j ? t : S(0)); }
  }
  const auto eigen = symmetric_eigen(detail::values_of(K));
  std::array<S, 4> best{S(eigen.vectors(0, 0)), S(eigen.vectors(1, 0)), S(eigen.vectors(2, 0)), S(eigen.vectors(3, 0))};
  if constexpr (!std::same_as<S, std::remove_cvref_t<decltype(eigen.values[0])>>) {
    detail::follow_eigenvector(K, S(eigen.values[0]), best);
  }
  const EulerParameters<S> e = canonical(normalized(EulerParameters<S>{best[0], {best[1], best[2], best[3]}}));
  return {e, frobenius_norm(A - rotation_matrix(e)), eigen.values[0] - eigen.values[1]};
}

///   Ȧ = A ω̃'                                               (KIN-21) [Sherif2015, eq. 15]
template <class S>
constexpr Mat3<S> matrix_rate(const Mat3<S>& R_NB, const BodyVector<S>& w) {
  return R_NB * skew(w.raw());
}
///   Ȧ = ω̃ A                                                (KIN-21) [MultibodyNotes, eq. 1]
template <class S>
constexpr Mat3<S> matrix_rate(const Mat3<S>& R_NB, const SpaceVector<S>& w) {
  return skew(w.raw()) * R_NB;
}

/// ω' or ω from Ȧ: the axial vector of Aᵀ Ȧ or Ȧ Aᵀ, the symmetric part (drift of a matrix that is not quite a
/// rotation) left out.
template <Frame F, class S>
constexpr FrameVector<F, S> angular_velocity(const Mat3<S>& R_NB, const Mat3<S>& Rdot) {
  const Mat3<S> W = std::same_as<F, Body> ? transpose(R_NB) * Rdot : Rdot * transpose(R_NB);
  return {S(0.5) * (W(2, 1) - W(1, 2)), S(0.5) * (W(0, 2) - W(2, 0)), S(0.5) * (W(1, 0) - W(0, 1))};
}

///   Ä = A (ω̃̇' + ω̃' ω̃') = (ω̃̇ + ω̃ ω̃) A                    (KIN-22)
template <class S>
constexpr Mat3<S> matrix_acceleration(const Mat3<S>& R_NB, const BodyVector<S>& w, const BodyVector<S>& wdot) {
  const Mat3<S> W = skew(w.raw());
  return R_NB * (skew(wdot.raw()) + W * W);
}
template <class S>
constexpr Mat3<S> matrix_acceleration(const Mat3<S>& R_NB, const SpaceVector<S>& w, const SpaceVector<S>& wdot) {
  const Mat3<S> W = skew(w.raw());
  return (skew(wdot.raw()) + W * W) * R_NB;
}

/// ω̇' or ω̇ from Ä: the axial vector of Aᵀ Ä or Ä Aᵀ (ω̃ ω̃ is symmetric and drops out).
template <Frame F, class S>
constexpr FrameVector<F, S> angular_acceleration(const Mat3<S>& R_NB, const Mat3<S>& Rddot) {
  return angular_velocity<F>(R_NB, Rddot);
}

}  // namespace polhode
