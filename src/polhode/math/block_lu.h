#pragma once

#include "polhode/core/sparse.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace polhode::math {

/// A = L U for sparse matrices whose unknowns come in small blocks with a good order of elimination, by fronts
/// [DuffReid1983]: each block is a small dense matrix together with those later unknowns that it reaches; its own rows
/// and columns are eliminated with full pivoting, and what is left is added to the block that comes next among these.
///
/// Some unknowns may be redundant: of these, what keeps no pivot is left out, x = 0, and so is its equation. The
/// measure of a pivot is what it would be with nothing but its neighbours eliminated:
///
///   p_i = |a_ii| + Σ_j |a_ij a_ji / a_jj|,   left out: |pivot| < tolerance (p_i p_j)^½             (MEC-44)
///
/// The sum is taken where i may be redundant, or a_ii = 0.
///
/// All memory is taken at the start. T: double or std::complex<double>.
template <class T>
class BlockLu {
 public:
  /// Unknown i is in block block_of[i]; blocks are eliminated in the order of their numbers. Equation i belongs to
  /// unknown i.
  template <class S>
  BlockLu(const SparseRows<S>& pattern, std::span<const std::size_t> block_of, std::vector<bool> may_be_redundant,
          double tolerance = 1e-9)
      : n_(pattern.row_count()),
        starts_(pattern.starts),
        columns_(pattern.columns),
        redundant_(std::move(may_be_redundant)),
        tolerance_(tolerance),
        dropped_(n_),
        weight_(n_),
        x_(n_) {
    find_blocks(block_of);
    find_fronts(block_of);
    find_targets(block_of);
  }

  /// From values in the order of the pattern. False: singular, or not finite.
  template <class S>
  bool factor(std::span<const S> values) {
    weigh(values);
    std::fill(numbers_.begin(), numbers_.end(), T(0));
    for (std::size_t k = 0; k < target_.size(); ++k) { numbers_[target_[k]] += values[k]; }
    std::fill(dropped_.begin(), dropped_.end(), false);
    for (Front& front : fronts_) {
      if (!eliminate(front)) { return false; }
      hand_on(front);
    }
    return true;
  }
  /// After factor(): whether equation i was left out.
  bool left_out(std::size_t i) const { return dropped_[i]; }

  /// b ← x
  void solve(std::span<T> b) {
    for (const Front& front : fronts_) {
      const T* F = numbers_.data() + front.numbers;
      const std::size_t size = front.own + front.rest;
      for (std::size_t k = 0; k < front.rank; ++k) {
        const T x = b[index_[front.rows + k]];
        for (std::size_t i = k + 1; i < front.own; ++i) { b[index_[front.rows + i]] -= F[i * size + k] * x; }
        for (std::size_t i = 0; i < front.rest; ++i) {
          b[index_[front.boundary + i]] -= F[(front.own + i) * size + k] * x;
        }
      }
    }
    for (std::size_t f = fronts_.size(); f-- > 0;) {
      const Front& front = fronts_[f];
      const T* F = numbers_.data() + front.numbers;
      const std::size_t size = front.own + front.rest;
      for (std::size_t k = front.rank; k < front.own; ++k) { x_[index_[front.columns + k]] = T(0); }
      for (std::size_t k = front.rank; k-- > 0;) {
        T sum = b[index_[front.rows + k]];
        for (std::size_t j = k + 1; j < front.rank; ++j) { sum -= F[k * size + j] * x_[index_[front.columns + j]]; }
        for (std::size_t j = 0; j < front.rest; ++j) {
          sum -= F[k * size + front.own + j] * x_[index_[front.boundary + j]];
        }
        x_[index_[front.columns + k]] = sum * inverse_[front.rows_of_own + k];
      }
    }
    for (std::size_t i = 0; i < n_; ++i) { b[i] = x_[i]; }
  }

  /// Entries of all fronts together.
  std::size_t fill() const { return numbers_.size(); }

 private:
  struct Front {
    std::size_t block = 0;
    std::size_t own = 0;          ///< unknowns that are eliminated here
    std::size_t rest = 0;         ///< later ones that are reached
    std::size_t rank = 0;         ///< pivots found
    std::size_t rows = 0;         ///< in index_: own rows, in the order of pivots
    std::size_t columns = 0;      ///< in index_: own columns, in the order of pivots
    std::size_t boundary = 0;     ///< in index_: later unknowns
    std::size_t rows_of_own = 0;  ///< in inverse_
    std::size_t numbers = 0;      ///< (own + rest)² of them, row by row
    std::size_t next = 0;         ///< front that takes what is left
    std::size_t places = 0;       ///< in places_: where the boundary lies in the next front
  };

  void find_blocks(std::span<const std::size_t> block_of) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n_; ++i) { count = std::max(count, block_of[i] + 1); }
    members_.resize(count);
    for (std::size_t i = 0; i < n_; ++i) { members_[block_of[i]].push_back(i); }
  }

  void find_fronts(std::span<const std::size_t> block_of) {
    // both of a_ij and a_ji are there if one is
    std::vector<std::vector<std::size_t>> neighbours(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k) {
        neighbours[i].push_back(columns_[k]);
        neighbours[columns_[k]].push_back(i);
      }
    }
    std::vector<std::vector<std::size_t>> children(members_.size());
    std::vector<std::size_t> front_of(members_.size());
    std::vector<std::size_t> seen(n_, members_.size());
    std::vector<std::size_t> local(n_);
    for (std::size_t b = 0; b < members_.size(); ++b) {
      if (members_[b].empty()) { continue; }
      Front front;
      front.block = b;
      front.own = members_[b].size();
      std::vector<std::size_t> boundary;
      const auto meet = [&](std::size_t i) {
        if (block_of[i] <= b || seen[i] == b) { return; }
        seen[i] = b;
        boundary.push_back(i);
      };
      for (const std::size_t i : members_[b]) {
        for (const std::size_t j : neighbours[i]) { meet(j); }
      }
      for (const std::size_t child : children[b]) {
        for (std::size_t k = 0; k < fronts_[child].rest; ++k) { meet(index_[fronts_[child].boundary + k]); }
      }
      std::sort(boundary.begin(), boundary.end(),
                [&](std::size_t i, std::size_t j) { return std::pair(block_of[i], i) < std::pair(block_of[j], j); });
      front.rest = boundary.size();
      front.rows = index_.size();
      index_.insert(index_.end(), members_[b].begin(), members_[b].end());
      front.columns = index_.size();
      index_.insert(index_.end(), members_[b].begin(), members_[b].end());
      front.boundary = index_.size();
      index_.insert(index_.end(), boundary.begin(), boundary.end());
      front.rows_of_own = inverse_.size();
      inverse_.resize(inverse_.size() + front.own);
      front.numbers = numbers_.size();
      numbers_.resize(numbers_.size() + (front.own + front.rest) * (front.own + front.rest));
      front_of[b] = fronts_.size();
      if (!boundary.empty()) { children[block_of[boundary[0]]].push_back(fronts_.size()); }
      fronts_.push_back(front);
    }
    for (std::size_t b = 0; b < members_.size(); ++b) {
      if (members_[b].empty()) { continue; }
      const Front& own = fronts_[front_of[b]];
      for (std::size_t k = 0; k < own.own; ++k) { local[index_[own.rows + k]] = k; }
      for (std::size_t k = 0; k < own.rest; ++k) { local[index_[own.boundary + k]] = own.own + k; }
      for (const std::size_t child : children[b]) {
        Front& from = fronts_[child];
        from.next = front_of[b];
        from.places = places_.size();
        for (std::size_t k = 0; k < from.rest; ++k) { places_.push_back(local[index_[from.boundary + k]]); }
      }
    }
    front_of_ = std::move(front_of);
  }

  void find_targets(std::span<const std::size_t> block_of) {
    target_.resize(columns_.size());
    opposite_.assign(columns_.size(), kNone);
    diagonal_.assign(n_, kNone);
    const auto local = [&](const Front& front, std::size_t i) {
      const auto own = index_.begin() + static_cast<std::ptrdiff_t>(front.rows);
      const auto found = std::find(own, own + static_cast<std::ptrdiff_t>(front.own), i);
      if (found != own + static_cast<std::ptrdiff_t>(front.own)) { return static_cast<std::size_t>(found - own); }
      const auto rest = index_.begin() + static_cast<std::ptrdiff_t>(front.boundary);
      return front.own +
             static_cast<std::size_t>(std::find(rest, rest + static_cast<std::ptrdiff_t>(front.rest), i) - rest);
    };
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k) {
        const std::size_t j = columns_[k];
        const Front& front = fronts_[front_of_[std::min(block_of[i], block_of[j])]];
        target_[k] = front.numbers + local(front, i) * (front.own + front.rest) + local(front, j);
        if (i == j) { diagonal_[i] = k; }
        const auto begin = columns_.begin() + static_cast<std::ptrdiff_t>(starts_[j]);
        const auto end = columns_.begin() + static_cast<std::ptrdiff_t>(starts_[j + 1]);
        const auto back = std::lower_bound(begin, end, i);
        if (back != end && *back == i) { opposite_[k] = static_cast<std::size_t>(back - columns_.begin()); }
      }
    }
  }

  /// weight_ = p^-½
  template <class S>
  void weigh(std::span<const S> values) {
    const auto diagonal = [&](std::size_t i) { return diagonal_[i] == kNone ? 0.0 : std::abs(values[diagonal_[i]]); };
    for (std::size_t i = 0; i < n_; ++i) {
      double p = diagonal(i);
      if (redundant_[i] || p == 0) {
        for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k) {
          const std::size_t j = columns_[k];
          if (redundant_[j] || opposite_[k] == kNone || diagonal(j) == 0) { continue; }
          p += std::abs(values[k]) * std::abs(values[opposite_[k]]) / diagonal(j);
        }
      }
      weight_[i] = p > 0 ? 1 / std::sqrt(p) : 1;
    }
  }

  bool eliminate(Front& front) {
    T* F = numbers_.data() + front.numbers;
    const std::size_t size = front.own + front.rest;
    std::size_t* rows = index_.data() + front.rows;
    std::size_t* columns = index_.data() + front.columns;
    std::copy(members_[front.block].begin(), members_[front.block].end(), rows);
    std::copy(members_[front.block].begin(), members_[front.block].end(), columns);
    std::size_t left = front.own;  // rows and columns that may still have a pivot
    const auto swap_rows = [&](std::size_t i, std::size_t j) {
      if (i == j) { return; }
      std::swap(rows[i], rows[j]);
      std::swap_ranges(F + i * size, F + (i + 1) * size, F + j * size);
    };
    const auto swap_columns = [&](std::size_t i, std::size_t j) {
      if (i == j) { return; }
      std::swap(columns[i], columns[j]);
      for (std::size_t r = 0; r < size; ++r) { std::swap(F[r * size + i], F[r * size + j]); }
    };
    bool has_dropped = false;
    std::size_t k = 0;
    for (; k < left; ++k) {
      std::size_t row = k;
      std::size_t column = k;
      double best = 0;
      for (std::size_t i = k; i < left; ++i) {
        const double by = weight_[rows[i]];
        for (std::size_t j = k; j < left; ++j) {
          const double size_of = std::abs(F[i * size + j]) * by * weight_[columns[j]];
          if (size_of > best) {
            best = size_of;
            row = i;
            column = j;
          }
        }
      }
      if (!(best <= std::numeric_limits<double>::max())) { return false; }
      if (best < tolerance_ && !has_dropped) {
        // all that may be redundant, in pairs of an equation and an unknown
        has_dropped = true;
        std::size_t i = left;
        std::size_t j = left;
        while (true) {
          while (i > k && !redundant_[rows[i - 1]]) { --i; }
          while (j > k && !redundant_[columns[j - 1]]) { --j; }
          if (i == k || j == k) { break; }
          --left;
          swap_rows(--i, left);
          swap_columns(--j, left);
          dropped_[rows[left]] = true;
        }
        --k;  // again, with what is left
        continue;
      }
      if (best == 0) { return false; }
      swap_rows(k, row);
      swap_columns(k, column);
      const T inverse = T(1) / F[k * size + k];
      inverse_[front.rows_of_own + k] = inverse;
      const T* from = F + k * size;
      const auto take_away = [&](std::size_t i) {
        T* to = F + i * size;
        if (to[k] == T(0)) { return; }
        const T factor = to[k] * inverse;
        to[k] = factor;
        for (std::size_t j = k + 1; j < size; ++j) { to[j] -= factor * from[j]; }
      };
      for (std::size_t i = k + 1; i < size; ++i) { take_away(i); }
    }
    front.rank = left;
    return true;
  }

  /// What is left of a front is added to the next one.
  void hand_on(const Front& front) {
    if (front.rest == 0) { return; }
    const Front& next = fronts_[front.next];
    const std::size_t size = front.own + front.rest;
    const std::size_t next_size = next.own + next.rest;
    const T* F = numbers_.data() + front.numbers;
    T* to = numbers_.data() + next.numbers;
    const std::size_t* place = places_.data() + front.places;
    for (std::size_t i = 0; i < front.rest; ++i) {
      for (std::size_t j = 0; j < front.rest; ++j) {
        to[place[i] * next_size + place[j]] += F[(front.own + i) * size + front.own + j];
      }
    }
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::size_t n_;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> columns_;
  std::vector<bool> redundant_;
  double tolerance_;
  std::vector<std::vector<std::size_t>> members_;  ///< by block
  std::vector<Front> fronts_;
  std::vector<std::size_t> front_of_;  ///< by block
  std::vector<std::size_t> index_;
  std::vector<std::size_t> places_;
  std::vector<std::size_t> target_;    ///< by entry of the pattern
  std::vector<std::size_t> opposite_;  ///< the entry (j, i) of (i, j)
  std::vector<std::size_t> diagonal_;
  std::vector<T> numbers_;
  std::vector<T> inverse_;  ///< of pivots
  std::vector<bool> dropped_;
  std::vector<double> weight_;
  std::vector<T> x_;
};

}  // namespace polhode::math
