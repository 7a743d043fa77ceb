#pragma once

#include "polhode/integrator/method.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace polhode {

/// Dense output of a step by the extrapolated midpoint rule, from both its ends and the middle
/// [HairerNorsettWanner1993, section II.9; HairerOstermann1990]. Rows j = 1, 2, ... of n_j = 2, 6, 10, ... substeps h
/// give derivatives in the middle of the step by central differences of their slopes,
///
///   y⁽ᵏ⁾(t + dt/2) ≈ δᵏ⁻¹ f_{n/2} / (2h)ᵏ⁻¹,   δ f_i = f_{i+1} − f_{i−1},   y(t + dt/2) ≈ z_{n/2}          (INT-23)
///
/// which are extrapolated in h² (INT-20): z at odd substeps has an expansion of its own, so that n_j/2 must be odd in
/// all rows. With X = 2θ − 1, r rows and m = 2r − 2:
///
///   y(t + θ dt) = Σ_{k<m} α_k Xᵏ + Xᵐ (c0 + c1 X + c2 X² + c3 X³),   α_k = (dt/2)ᵏ y⁽ᵏ⁾/k!                  (INT-24)
///
/// where the c are such that values and slopes at both ends are those of the step. Its error is of order dt²ʳ. Rows are
/// added until the polynomials of r and r − 1 rows differ by less than the tolerance.
///
/// `Apart`: n_{j+1} − n_j. Anything that is no multiple of 4 has no order: for tests.
template <class S, std::size_t Apart = 4>
class MidpointDense {
 public:
  static constexpr std::size_t kMostRows = 10;

  explicit MidpointDense(std::size_t n)
      : n_(n),
        before_(n),
        z_(n),
        end_slope_(n),
        slopes_((substeps(kMostRows) + 1) * n),
        table_(kTableRows * n),
        value_(kMostTerms * n),
        other_(kMostTerms * n),
        difference_(n) {}

  /// The polynomial of the step from y0, with the slope f0, to y1, for f(t, y, ydot) with spans. `rows`: as many,
  /// whatever the tolerance; 0: as many as it takes.
  template <class F>
  void prepare(const F& f, const S& t, const S& dt, std::span<const S> y0, std::span<const S> f0, std::span<const S> y1,
               const S& relative, const S& absolute, std::size_t rows = 0) {
    f(t + dt, y1, std::span<S>(end_slope_));
    terms_ = 4;
    reached_ = true;
    finish(0, dt, y0, f0, y1);
    // high differences magnify rounding, by less than this
    constexpr S kRounding = 1000 * std::numeric_limits<S>::epsilon();
    const S least = relative < kRounding ? kRounding : relative;
    const std::size_t most = rows > 0 ? rows : kMostRows;
    for (std::size_t r = 1; r <= most; ++r) {
      add_row(f, r, t, dt, y0, f0);
      if (r == 1) { continue; }
      value_.swap(other_);
      const std::size_t terms_before = terms_;
      const std::size_t m = 2 * r - 2;
      for (std::size_t k = 0; k < m; ++k) {
        const std::span<const S> best = entry(k, r - first_row(k));
        std::copy(best.begin(), best.end(), value_.begin() + static_cast<std::ptrdiff_t>(k * n_));
      }
      terms_ = m + 4;
      finish(m, dt, y0, f0, y1);
      if (rows > 0) { continue; }
      // with two rows the order is that of the cubic polynomial of one: their difference says nothing
      if (r > 2 && distance(m, terms_before, y0, y1, least, absolute) <= S(1)) { return; }
    }
    reached_ = rows > 0;
  }

  /// Whether the tolerance was reached with the rows there are.
  bool reached() const { return reached_; }
  /// y in the middle of the step, by all rows.
  std::span<const S> middle() const { return std::span<const S>(table_).subspan((kMostRows - 1) * n_, n_); }
  void at(const S& theta, std::span<S> y) const { polynomial(value_, terms_, theta, y); }

 private:
  static constexpr std::size_t kMostTerms = 2 * kMostRows + 2;
  static constexpr std::size_t kMostDerivatives = 2 * kMostRows - 2;  ///< α_0 ... α_{m−1}

  static constexpr std::size_t substeps(std::size_t row) { return 2 + Apart * (row - 1); }
  /// The row that is the first to have derivative k.
  static constexpr std::size_t first_row(std::size_t k) { return k < 2 ? 1 : (k + 1) / 2; }
  /// Where the columns of derivative k begin in the table.
  static constexpr std::size_t table_row(std::size_t k) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < k; ++i) { sum += kMostRows - first_row(i) + 1; }
    return sum;
  }
  static constexpr std::size_t kTableRows = table_row(kMostDerivatives);

  /// Derivative k of the newest row, extrapolated `column` times.
  std::span<S> entry(std::size_t k, std::size_t column) {
    return std::span<S>(table_).subspan((table_row(k) + column) * n_, n_);
  }
  std::span<S> slope(std::size_t i) { return std::span<S>(slopes_).subspan(i * n_, n_); }

  template <class F>
  void add_row(const F& f, std::size_t row, const S& t, const S& dt, std::span<const S> y0, std::span<const S> f0) {
    const std::size_t count = substeps(row);
    const std::size_t middle = count / 2;
    const std::size_t derivatives = std::min(2 * row + 1, kMostDerivatives);  // k < derivatives
    const std::size_t needed = std::min(count, middle + derivatives - 2);     // slopes 0 ... needed
    const S h = dt / S(static_cast<double>(count));
    copy_row(f0, slope(0));
    for (std::size_t i = 0; i < n_; ++i) {
      before_[i] = y0[i];
      z_[i] = y0[i] + h * f0[i];
    }
    for (std::size_t m = 1; m <= needed; ++m) {
      f(t + S(static_cast<double>(m)) * h, std::span<const S>(z_), slope(m));
      if (m == middle) { extrapolate(row, 0, z_); }
      for (std::size_t i = 0; i < n_; ++i) {
        const S next = before_[i] + 2 * h * slope(m)[i];
        before_[i] = z_[i];
        z_[i] = next;
      }
    }
    // δᵏ⁻¹ at substep i lies at i − (k − 1); only those are kept that differences in the middle are made of
    S factor = dt / 2;
    for (std::size_t k = 1; k < derivatives; ++k) {
      if (k > 1) {
        for (std::size_t i = 0; i + 2 * (k - 1) <= needed; ++i) {
          for (std::size_t e = 0; e < n_; ++e) { slope(i)[e] = slope(i + 2)[e] - slope(i)[e]; }
        }
        // (dt/2)ᵏ/k! / (2h)ᵏ⁻¹
        factor = factor * S(static_cast<double>(count)) / S(static_cast<double>(4 * k));
      }
      const std::span<const S> middle_difference = slope(middle - (k - 1));
      for (std::size_t e = 0; e < n_; ++e) { before_[e] = factor * middle_difference[e]; }
      extrapolate(row, k, before_);
    }
  }

  /// Derivative k of a row joins the table; `value` is used up.
  void extrapolate(std::size_t row, std::size_t k, std::vector<S>& value) {
    const std::size_t first = first_row(k);
    const bool in_use = k == 0;  // the midpoint rule goes on from it
    std::vector<S>& z = in_use ? difference_ : value;
    if (in_use) { copy_row(value, z); }
    for (std::size_t column = 0; column < row - first; ++column) {
      const S ratio = S(static_cast<double>(substeps(row))) / S(static_cast<double>(substeps(row - 1 - column)));
      const S divisor = ratio * ratio - 1;
      const std::span<S> kept = entry(k, column);
      for (std::size_t i = 0; i < n_; ++i) {
        const S old = kept[i];
        kept[i] = z[i];
        z[i] = z[i] + (z[i] - old) / divisor;
      }
    }
    copy_row(z, entry(k, row - first));
  }

  /// c0 ... c3 behind m terms, m even, from what these leave open at both ends.
  void finish(std::size_t m, const S& dt, std::span<const S> y0, std::span<const S> f0, std::span<const S> y1) {
    const auto term = [&](std::size_t k) { return std::span<S>(value_).subspan(k * n_, n_); };
    const S lowest = S(static_cast<double>(m));
    for (std::size_t i = 0; i < n_; ++i) {
      S value_at_end = y1[i];
      S value_at_start = y0[i];
      S slope_at_end = dt / 2 * end_slope_[i];
      S slope_at_start = dt / 2 * f0[i];
      for (std::size_t k = 0; k < m; ++k) {
        const S a = term(k)[i];
        const S ka = S(static_cast<double>(k)) * a;
        const bool even = k % 2 == 0;
        value_at_end -= a;
        value_at_start -= even ? a : -a;
        slope_at_end -= ka;
        slope_at_start -= even ? -ka : ka;
      }
      const S even = (value_at_end + value_at_start) / 2;        // c0 + c2
      const S odd = (value_at_end - value_at_start) / 2;         // c1 + c3
      const S even_slope = (slope_at_end - slope_at_start) / 2;  // m c0 + (m + 2) c2
      const S odd_slope = (slope_at_end + slope_at_start) / 2;   // (m + 1) c1 + (m + 3) c3
      term(m + 2)[i] = (even_slope - lowest * even) / 2;
      term(m)[i] = even - term(m + 2)[i];
      term(m + 3)[i] = (odd_slope - (lowest + 1) * odd) / 2;
      term(m + 1)[i] = odd - term(m + 3)[i];
    }
  }

  void polynomial(const std::vector<S>& terms, std::size_t count, const S& theta, std::span<S> y) const {
    const S X = 2 * theta - 1;
    const std::span<const S> all(terms);
    copy_row(all.subspan((count - 1) * n_, n_), y);
    for (std::size_t k = count - 1; k-- > 0;) {
      const std::span<const S> term = all.subspan(k * n_, n_);
      for (std::size_t i = 0; i < n_; ++i) { y[i] = y[i] * X + term[i]; }
    }
  }

  /// Between the newest polynomial and the one before, in units of what is allowed, where Xᵐ (1 − X²)² is largest.
  S distance(std::size_t m, std::size_t terms_before, std::span<const S> y0, std::span<const S> y1, const S& relative,
             const S& absolute) {
    const S lowest = S(static_cast<double>(m));
    const S X = std::sqrt(lowest / (lowest + 4));
    S largest(0);
    for (const S& side : {-X, X}) {
      const S theta = (1 + side) / 2;
      polynomial(value_, terms_, theta, before_);
      polynomial(other_, terms_before, theta, z_);
      for (std::size_t i = 0; i < n_; ++i) { difference_[i] = before_[i] - z_[i]; }
      const S apart = error_norm<S>(difference_, y0, y1, relative, absolute);
      largest = largest < apart ? apart : largest;
    }
    return largest;
  }

  std::size_t n_;
  std::vector<S> before_;
  std::vector<S> z_;
  std::vector<S> end_slope_;
  std::vector<S> slopes_;
  std::vector<S> table_;
  std::vector<S> value_;  ///< terms of the polynomial
  std::vector<S> other_;  ///< of the one with a row less
  std::vector<S> difference_;
  std::size_t terms_ = 0;
  bool reached_ = false;
};

}  // namespace polhode
