#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace polhode {

/// A sparse matrix, row by row: where its entries are, and their values. Entries that are there may be zero.
template <class S>
struct SparseRows {
  std::size_t column_count = 0;
  std::vector<std::size_t> starts{0};  ///< of rows, and the end
  std::vector<std::size_t> columns;    ///< ascending in each row
  std::vector<S> values;

  std::size_t row_count() const { return starts.size() - 1; }
  /// Calls use(column, value) for the entries of a row.
  template <class Use>
  void each(std::size_t row, const Use& use) const {
    for (std::size_t k = starts[row]; k < starts[row + 1]; ++k) { use(columns[k], values[k]); }
  }
  /// result += factor Aᵀ x
  void add_transposed(std::span<const S> x, const S& factor, std::span<S> result) const {
    for (std::size_t r = 0; r < row_count(); ++r) {
      const S by = factor * x[r];
      each(r, [&](std::size_t c, const S& value) { result[c] += by * value; });
    }
  }
};

/// Fills a sparse matrix row by row: add() for one row, then end_row(). The first time finds where entries are; later
/// times, from begin() on, fill the same ones and allocate nothing.
template <class S>
class SparseAssembly {
 public:
  explicit SparseAssembly(std::size_t column_count) : sums_(column_count) { matrix_.column_count = column_count; }
  const SparseRows<S>& matrix() const { return matrix_; }

  void begin() {
    known_ = matrix_.row_count() > 0;
    row_ = 0;
  }
  void add(std::size_t column, const S& value) {
    if (!known_) { touched_.push_back(column); }
    sums_[column] += value;
  }
  void end_row() {
    if (!known_) {
      std::sort(touched_.begin(), touched_.end());
      touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
      matrix_.columns.insert(matrix_.columns.end(), touched_.begin(), touched_.end());
      matrix_.starts.push_back(matrix_.columns.size());
      matrix_.values.resize(matrix_.columns.size());
      touched_.clear();
    }
    for (std::size_t k = matrix_.starts[row_]; k < matrix_.starts[row_ + 1]; ++k) {
      S& sum = sums_[matrix_.columns[k]];
      matrix_.values[k] = sum;
      sum = S(0);
    }
    ++row_;
  }

 private:
  SparseRows<S> matrix_;
  std::vector<S> sums_;  ///< of the row, by column
  std::vector<std::size_t> touched_;
  std::size_t row_ = 0;
  bool known_ = false;
};

}  // namespace polhode
