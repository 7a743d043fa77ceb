#pragma once

#include "polhode/math/matrix.h"

#include <array>
#include <utility>

namespace polhode {

/// Solves A x = b in place by elimination with row pivoting; returns false when a pivot is zero (A is singular in this
/// arithmetic: exactly so for fractions). Other number types choose the pivot by the size of value_of().
template <class S, std::size_t N>
bool solve_in_place(Matrix<S, N, N>& A, std::array<S, N>& b) {
  const auto size = [](const S& x) {
    const auto v = value_of(x);
    return v < 0 ? decltype(v)(-v) : v;
  };
  for (std::size_t k = 0; k < N; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < N; ++i) {
      if (size(A(i, k)) > size(A(pivot, k))) { pivot = i; }
    }
    if (size(A(pivot, k)) == 0) { return false; }
    if (pivot != k) {
      for (std::size_t j = k; j < N; ++j) { std::swap(A(k, j), A(pivot, j)); }
      std::swap(b[k], b[pivot]);
    }
    for (std::size_t i = k + 1; i < N; ++i) {
      const S factor = A(i, k) / A(k, k);
      for (std::size_t j = k + 1; j < N; ++j) { A(i, j) = A(i, j) - factor * A(k, j); }
      b[i] = b[i] - factor * b[k];
    }
  }
  for (std::size_t k = N; k-- > 0;) {
    for (std::size_t j = k + 1; j < N; ++j) { b[k] = b[k] - A(k, j) * b[j]; }
    b[k] = b[k] / A(k, k);
  }
  return true;
}

}  // namespace polhode
