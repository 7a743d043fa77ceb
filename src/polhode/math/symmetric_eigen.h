#pragma once

#include "polhode/math/matrix.h"

#include <array>
#include <utility>

namespace polhode {

/// Eigenvalues, largest first, and orthonormal eigenvectors (columns of `vectors`, same order).
template <class S, std::size_t N>
struct SymmetricEigen {
  std::array<S, N> values{};
  Matrix<S, N, N> vectors{};
};

/// Cyclic Jacobi iteration for a small symmetric matrix: unconditionally convergent, and small
/// eigenvalues of well-scaled matrices come out to working accuracy [GolubVanLoan2013, section 8.5].
/// Only the upper triangle of `a` is looked at. For ordered numbers: real or multiprecision ones.
template <class S, std::size_t N>
SymmetricEigen<S, N> symmetric_eigen(Matrix<S, N, N> a) {
  const auto size = [](const S& x) { return x < S(0) ? -x : x; };
  Matrix<S, N, N> v = identity<S, N>();
  constexpr int kMostSweeps = 60;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool rotated = false;
    for (std::size_t p = 0; p + 1 < N; ++p) {
      for (std::size_t q = p + 1; q < N; ++q) {
        // an off-diagonal entry that adding to the diagonal would not change is zero
        const S off = a(p, q);
        if (size(a(p, p)) + size(off) == size(a(p, p)) && size(a(q, q)) + size(off) == size(a(q, q))) { continue; }
        rotated = true;
        // t = tan of the angle that makes the entry zero, the smaller root
        const S theta = (a(q, q) - a(p, p)) / (S(2) * off);
        const S t = (theta < S(0) ? S(-1) : S(1)) / (size(theta) + math::sqrt(S(1) + theta * theta));
        const S c = S(1) / math::sqrt(S(1) + t * t);
        const S s = t * c;
        a(p, p) = a(p, p) - t * off;
        a(q, q) = a(q, q) + t * off;
        a(p, q) = S(0);
        for (std::size_t k = 0; k < N; ++k) {
          if (k == p || k == q) { continue; }
          S& akp = k < p ? a(k, p) : a(p, k);
          S& akq = k < q ? a(k, q) : a(q, k);
          const S old_p = akp;
          akp = c * old_p - s * akq;
          akq = s * old_p + c * akq;
        }
        for (std::size_t k = 0; k < N; ++k) {
          const S old_p = v(k, p);
          v(k, p) = c * old_p - s * v(k, q);
          v(k, q) = s * old_p + c * v(k, q);
        }
      }
    }
    if (!rotated) { break; }
  }
  SymmetricEigen<S, N> result;
  std::array<std::size_t, N> order{};
  for (std::size_t i = 0; i < N; ++i) { order[i] = i; }
  for (std::size_t i = 0; i + 1 < N; ++i) {
    for (std::size_t j = i + 1; j < N; ++j) {
      if (a(order[j], order[j]) > a(order[i], order[i])) { std::swap(order[i], order[j]); }
    }
  }
  for (std::size_t i = 0; i < N; ++i) {
    result.values[i] = a(order[i], order[i]);
    for (std::size_t k = 0; k < N; ++k) { result.vectors(k, i) = v(k, order[i]); }
  }
  return result;
}

}  // namespace polhode
