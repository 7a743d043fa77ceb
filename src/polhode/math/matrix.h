#pragma once

#include "polhode/math/vec3.h"

#include <cstddef>

namespace polhode {

/// R × C numbers of fixed size: M(i, j), rows and columns from 0. For the formulas of one body;
/// what has a run-time size uses Eigen.
template <class S, std::size_t R, std::size_t C>
struct Matrix {
  S m[R][C]{};

  constexpr S& operator()(std::size_t i, std::size_t j) { return m[i][j]; }
  constexpr const S& operator()(std::size_t i, std::size_t j) const { return m[i][j]; }

  friend bool operator==(const Matrix&, const Matrix&) = default;

  friend constexpr Matrix operator+(const Matrix& a, const Matrix& b) {
    Matrix c;
    for (std::size_t i = 0; i < R; ++i) {
      for (std::size_t j = 0; j < C; ++j) { c(i, j) = a(i, j) + b(i, j); }
    }
    return c;
  }
  friend constexpr Matrix operator-(const Matrix& a, const Matrix& b) {
    Matrix c;
    for (std::size_t i = 0; i < R; ++i) {
      for (std::size_t j = 0; j < C; ++j) { c(i, j) = a(i, j) - b(i, j); }
    }
    return c;
  }
  friend constexpr Matrix operator*(const S& s, const Matrix& a) {
    Matrix c;
    for (std::size_t i = 0; i < R; ++i) {
      for (std::size_t j = 0; j < C; ++j) { c(i, j) = s * a(i, j); }
    }
    return c;
  }
  friend constexpr Matrix operator-(const Matrix& a) { return S(-1) * a; }
};

template <class S>
using Mat3 = Matrix<S, 3, 3>;
template <class S>
using Mat34 = Matrix<S, 3, 4>;
template <class S>
using Mat4 = Matrix<S, 4, 4>;

template <class S, std::size_t R, std::size_t K, std::size_t C>
constexpr Matrix<S, R, C> operator*(const Matrix<S, R, K>& a, const Matrix<S, K, C>& b) {
  Matrix<S, R, C> c;
  for (std::size_t i = 0; i < R; ++i) {
    for (std::size_t j = 0; j < C; ++j) {
      S sum = a(i, 0) * b(0, j);
      for (std::size_t k = 1; k < K; ++k) { sum = sum + a(i, k) * b(k, j); }
      c(i, j) = sum;
    }
  }
  return c;
}

template <class S>
constexpr Vec3<S> operator*(const Mat3<S>& a, const Vec3<S>& v) {
  return {a(0, 0) * v.x + a(0, 1) * v.y + a(0, 2) * v.z, a(1, 0) * v.x + a(1, 1) * v.y + a(1, 2) * v.z,
          a(2, 0) * v.x + a(2, 1) * v.y + a(2, 2) * v.z};
}

/// aᵀ v without forming aᵀ.
template <class S>
constexpr Vec3<S> transpose_times(const Mat3<S>& a, const Vec3<S>& v) {
  return {a(0, 0) * v.x + a(1, 0) * v.y + a(2, 0) * v.z, a(0, 1) * v.x + a(1, 1) * v.y + a(2, 1) * v.z,
          a(0, 2) * v.x + a(1, 2) * v.y + a(2, 2) * v.z};
}

template <class S, std::size_t R, std::size_t C>
constexpr Matrix<S, C, R> transpose(const Matrix<S, R, C>& a) {
  Matrix<S, C, R> t;
  for (std::size_t i = 0; i < R; ++i) {
    for (std::size_t j = 0; j < C; ++j) { t(j, i) = a(i, j); }
  }
  return t;
}

template <class S, std::size_t N>
constexpr Matrix<S, N, N> identity() {
  Matrix<S, N, N> one;
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < N; ++j) { one(i, j) = S(i == j ? 1 : 0); }
  }
  return one;
}

template <class S>
constexpr Vec3<S> column(const Mat3<S>& a, std::size_t j) {
  return {a(0, j), a(1, j), a(2, j)};
}
template <class S>
constexpr Vec3<S> row(const Mat3<S>& a, std::size_t i) {
  return {a(i, 0), a(i, 1), a(i, 2)};
}

/// [a b c] as columns.
template <class S>
constexpr Mat3<S> from_columns(const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& c) {
  return {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

/// ṽ, the matrix with ṽ x = v × x (KIN-62); ỹ z̃ = z yᵀ − (y·z) I (KIN-63).
template <class S>
constexpr Mat3<S> skew(const Vec3<S>& v) {
  return {{{S(0), -v.z, v.y}, {v.z, S(0), -v.x}, {-v.y, v.x, S(0)}}};
}

/// a bᵀ.
template <class S>
constexpr Mat3<S> outer(const Vec3<S>& a, const Vec3<S>& b) {
  return {{{a.x * b.x, a.x * b.y, a.x * b.z}, {a.y * b.x, a.y * b.y, a.y * b.z}, {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

template <class S>
constexpr Mat3<S> diagonal(const S& a, const S& b, const S& c) {
  return {{{a, S(0), S(0)}, {S(0), b, S(0)}, {S(0), S(0), c}}};
}

/// cof A = [A2×A3, A3×A1, A1×A2] with columns A1 A2 A3;  Aᵀ cof A = det(A) I (KIN-64);  (A v)~ A = cof(A) ṽ (KIN-65).
template <class S>
constexpr Mat3<S> cofactor(const Mat3<S>& a) {
  const Vec3<S> a1 = column(a, 0);
  const Vec3<S> a2 = column(a, 1);
  const Vec3<S> a3 = column(a, 2);
  return from_columns(cross(a2, a3), cross(a3, a1), cross(a1, a2));
}

template <class S>
constexpr S determinant(const Mat3<S>& a) {
  return dot(column(a, 0), cross(column(a, 1), column(a, 2)));
}

/// A⁻¹ = (cof A)ᵀ / det A; the caller sees to det A ≠ 0.
template <class S>
constexpr Mat3<S> inverse(const Mat3<S>& a) {
  return (S(1) / determinant(a)) * transpose(cofactor(a));
}

template <class S>
constexpr S trace(const Mat3<S>& a) {
  return a(0, 0) + a(1, 1) + a(2, 2);
}

/// √(Σ aᵢⱼ²).
template <class S, std::size_t R, std::size_t C>
S frobenius_norm(const Matrix<S, R, C>& a) {
  S sum(0);
  for (std::size_t i = 0; i < R; ++i) {
    for (std::size_t j = 0; j < C; ++j) { sum = sum + a(i, j) * a(i, j); }
  }
  return math::sqrt(sum);
}

}  // namespace polhode
