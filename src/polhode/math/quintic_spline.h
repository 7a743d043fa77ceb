#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace polhode::math {

/// The interpolating spline of degree 5: four times continuously differentiable, and straight in its third and fourth
/// derivative at both ends (natural). Among all functions through the points the one with the least ∫ (f‴)²
/// [deBoor2001, chapter XIII]. In a piece of length h between slopes d and second derivatives c, u = (t − t₀)/h,
///
///   s = f₀ + d₀ h u + ½ c₀ h² u² + a₃ u³ + a₄ u⁴ + a₅ u⁵                       (ANA-40)
///
/// and s‴, s⁗ continuous: two equations a point in d and c, block tridiagonal.
class QuinticSpline {
 public:
  static constexpr std::size_t kLeastPoints = 3;

  /// Times increase; three points at least.
  QuinticSpline(std::span<const double> times, std::span<const double> values)
      : t_(times.begin(), times.end()), f_(values.begin(), values.end()), d_(t_.size()), c_(t_.size()) {
    solve();
  }

  double first() const { return t_.front(); }
  double last() const { return t_.back(); }

  /// Value, first and second derivative; beyond the ends the outermost piece goes on.
  std::array<double, 3> operator()(double t) const {
    const std::size_t i = piece(t);
    const double h = t_[i + 1] - t_[i];
    const std::array<double, 6> a = coefficients(i);
    const double u = (t - t_[i]) / h;
    double s = 0;
    double s1 = 0;
    double s2 = 0;
    for (std::size_t k = 6; k-- > 0;) {
      s2 = s2 * u + 2 * s1;
      s1 = s1 * u + s;
      s = s * u + a[k];
    }
    return {s, s1 / h, s2 / (h * h)};
  }

 private:
  using Pair2 = std::array<double, 2>;
  using Block = std::array<Pair2, 2>;

  std::size_t piece(double t) const {
    const auto after = std::upper_bound(t_.begin() + 1, t_.end() - 1, t);
    return static_cast<std::size_t>(after - t_.begin()) - 1;
  }

  std::array<double, 6> coefficients(std::size_t i) const {
    const double h = t_[i + 1] - t_[i];
    const double F = f_[i + 1] - f_[i];
    const double d0 = h * d_[i];
    const double d1 = h * d_[i + 1];
    const double c0 = h * h * c_[i];
    const double c1 = h * h * c_[i + 1];
    return {f_[i],
            d0,
            0.5 * c0,
            10 * F - 6 * d0 - 1.5 * c0 - 4 * d1 + 0.5 * c1,
            -15 * F + 8 * d0 + 1.5 * c0 + 7 * d1 - c1,
            6 * F - 3 * d0 - 0.5 * c0 - 3 * d1 + 0.5 * c1};
  }

  /// s‴ and s⁗ at an end of a piece are `value` + `left` (d₀, c₀) + `right` (d₁, c₁).
  struct EndTerms {
    Pair2 value;
    Block left;
    Block right;
  };
  EndTerms terms(std::size_t i, bool at_end) const {
    const double h = t_[i + 1] - t_[i];
    const double F = f_[i + 1] - f_[i];
    const double h3 = h * h * h;
    const double h4 = h3 * h;
    // of a₃, a₄, a₅ by F, d₀, c₀, d₁, c₁
    const std::array<std::array<double, 5>, 3> a{{{10 * F, -6 * h, -1.5 * h * h, -4 * h, 0.5 * h * h},
                                                  {-15 * F, 8 * h, 1.5 * h * h, 7 * h, -h * h},
                                                  {6 * F, -3 * h, -0.5 * h * h, -3 * h, 0.5 * h * h}}};
    const auto third = [&](std::size_t k) { return (6 * a[0][k] + (at_end ? 24 * a[1][k] + 60 * a[2][k] : 0)) / h3; };
    const auto fourth = [&](std::size_t k) { return (24 * a[1][k] + (at_end ? 120 * a[2][k] : 0)) / h4; };
    return {{third(0), fourth(0)},
            {Pair2{third(1), third(2)}, Pair2{fourth(1), fourth(2)}},
            {Pair2{third(3), third(4)}, Pair2{fourth(3), fourth(4)}}};
  }

  static Block product(const Block& a, const Block& b) {
    Block r{};
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t k = 0; k < 2; ++k) { r[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k]; }
    }
    return r;
  }
  static Pair2 product(const Block& a, const Pair2& x) {
    return {a[0][0] * x[0] + a[0][1] * x[1], a[1][0] * x[0] + a[1][1] * x[1]};
  }
  static Block inverse(const Block& a) {
    const double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    return {Pair2{a[1][1] / det, -a[0][1] / det}, Pair2{-a[1][0] / det, a[0][0] / det}};
  }

  void solve() {
    const std::size_t n = t_.size();
    // block Gauss elimination from the first point to the last; point i: before (d, c)ᵢ₋₁ + own (d, c)ᵢ + after = right
    std::vector<Block> ratio(n);
    std::vector<Pair2> rest(n);
    for (std::size_t i = 0; i < n; ++i) {
      Block before{};
      Block own{};
      Block after{};
      Pair2 right{};
      const auto subtract = [](Block& to, const Block& x) {
        for (std::size_t r = 0; r < 2; ++r) {
          for (std::size_t k = 0; k < 2; ++k) { to[r][k] -= x[r][k]; }
        }
      };
      if (i + 1 < n) {
        const EndTerms next = terms(i, false);
        own = next.left;
        after = next.right;
        right = {-next.value[0], -next.value[1]};
      }
      if (i > 0) {
        const EndTerms last = terms(i - 1, true);
        subtract(before, last.left);
        subtract(own, last.right);
        right[0] += last.value[0];
        right[1] += last.value[1];
        subtract(own, product(before, ratio[i - 1]));
        const Pair2 known = product(before, rest[i - 1]);
        right[0] -= known[0];
        right[1] -= known[1];
      }
      const Block inverted = inverse(own);
      ratio[i] = product(inverted, after);
      rest[i] = product(inverted, right);
    }
    for (std::size_t i = n; i-- > 0;) {
      Pair2 x = rest[i];
      if (i + 1 < n) {
        const Pair2 next = product(ratio[i], Pair2{d_[i + 1], c_[i + 1]});
        x[0] -= next[0];
        x[1] -= next[1];
      }
      d_[i] = x[0];
      c_[i] = x[1];
    }
  }

  std::vector<double> t_;
  std::vector<double> f_;
  std::vector<double> d_;  ///< first derivatives at the points
  std::vector<double> c_;  ///< second derivatives
};

}  // namespace polhode::math
