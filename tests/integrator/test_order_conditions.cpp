// The coefficients themselves: order conditions over all rooted trees, in long double, not only slopes.
#include "polhode/integrator/splitting.h"
#include "polhode/math/tableaux.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace polhode;

namespace {

using Real = long double;

/// A rooted tree: its branches as indices of smaller trees, with what the order condition needs.
struct Tree {
  std::vector<std::size_t> branches;
  int order = 1;
  Real gamma = 1;  ///< density: order times the densities of the branches
};

/// All rooted trees with at most `order` vertices: 1, 1, 2, 4, 9, 20, 48, 115 of orders 1 to 8.
std::vector<Tree> trees_up_to(int order) {
  std::vector<Tree> trees{Tree{}};
  for (int n = 2; n <= order; ++n) {
    const std::size_t known = trees.size();
    // multisets of smaller trees with n − 1 vertices together, indices not increasing
    std::vector<std::size_t> chosen;
    const std::function<void(int, std::size_t)> choose = [&](int left, std::size_t most) {
      if (left == 0) {
        Tree tree{chosen, n, static_cast<Real>(n)};
        for (const std::size_t branch : chosen) { tree.gamma *= trees[branch].gamma; }
        trees.push_back(tree);
        return;
      }
      for (std::size_t i = 0; i <= most && i < known; ++i) {
        if (trees[i].order > left) { continue; }
        chosen.push_back(i);
        choose(left - trees[i].order, i);
        chosen.pop_back();
      }
    };
    choose(n - 1, known - 1);
  }
  return trees;
}

using Column = std::vector<Real>;

/// Φ_i(tree) for every stage i: Π over branches of Σ_j a_ij Φ_j(branch)
template <std::size_t Rows, std::size_t Columns>
std::vector<Column> elementary_weights(const std::vector<Tree>& trees, const Real (&a)[Rows][Columns]) {
  std::vector<Column> weights;
  for (const Tree& tree : trees) {
    Column weight(Rows, 1.0L);
    for (const std::size_t branch : tree.branches) {
      for (std::size_t i = 0; i < Rows; ++i) {
        Real sum = 0;
        for (std::size_t j = 0; j < Columns; ++j) { sum += a[i][j] * weights[branch][j]; }
        weight[i] *= sum;
      }
    }
    weights.push_back(weight);
  }
  return weights;
}

/// Largest |Σ_i b_i Φ_i − θ^order/γ| over the trees up to `order`.
template <std::size_t Rows, std::size_t Columns>
Real worst_residual(const Real (&a)[Rows][Columns], const Column& b, int order, Real theta = 1) {
  const std::vector<Tree> trees = trees_up_to(order);
  const std::vector<Column> weights = elementary_weights(trees, a);
  Real worst = 0;
  for (std::size_t k = 0; k < trees.size(); ++k) {
    Real sum = 0;
    for (std::size_t i = 0; i < b.size(); ++i) { sum += b[i] * weights[k][i]; }
    worst = std::max(worst, std::fabs(sum - std::pow(theta, static_cast<Real>(trees[k].order)) / trees[k].gamma));
  }
  return worst;
}

template <std::size_t N>
Column column(const Real (&row)[N]) {
  return Column(row, row + N);
}

template <std::size_t Rows, std::size_t Columns, std::size_t N>
Real worst_row_sum(const Real (&a)[Rows][Columns], const Real (&c)[N]) {
  Real worst = 0;
  for (std::size_t i = 0; i < Rows; ++i) {
    Real sum = 0;
    for (const Real entry : a[i]) { sum += entry; }
    worst = std::max(worst, std::fabs(sum - c[i]));
  }
  return worst;
}

/// Sums of about a hundred products of numbers up to 50, each rounded by 2^-64.
constexpr Real kRounding = 1e-16L;

/// Weights b(θ) of the nested form y0 + θ(Δ + (1−θ)(r3 + θ(r4 + (1−θ) inner))), Δ = b, r3 = k1 − Δ, r4 = Δ − k_end −
/// r3.
Column nested(Column b, std::size_t end, const Column& inner, Real theta) {
  b.resize(inner.size(), 0.0L);
  Column result(inner.size());
  for (std::size_t j = 0; j < inner.size(); ++j) {
    const Real first = j == 0 ? 1 : 0;
    const Real last = j == end ? 1 : 0;
    const Real r3 = first - b[j];
    const Real r4 = b[j] - last - r3;
    result[j] = theta * (b[j] + (1 - theta) * (r3 + theta * (r4 + (1 - theta) * inner[j])));
  }
  return result;
}

}  // namespace

TEST_CASE("there are as many rooted trees as there should be") {
  const std::array<std::size_t, 8> counts{1, 1, 2, 4, 9, 20, 48, 115};
  std::array<std::size_t, 8> found{};
  for (const Tree& tree : trees_up_to(8)) { ++found[static_cast<std::size_t>(tree.order - 1)]; }
  CHECK(found == counts);
}

TEST_CASE("explicit tableaux satisfy the order conditions of their order and no more") {
  CHECK(worst_residual(ExplicitEulerTableau::a, column(ExplicitEulerTableau::b), 1) < kRounding);
  CHECK(worst_residual(Rk4Tableau::a, column(Rk4Tableau::b), 4) < kRounding);
  CHECK(worst_residual(Rk4Tableau::a, column(Rk4Tableau::b), 5) > 1e-4L);
  CHECK(worst_row_sum(Rk4Tableau::a, Rk4Tableau::c) < kRounding);

  CHECK(worst_residual(Dopri5Tableau::a, column(Dopri5Tableau::b), 5) < kRounding);
  CHECK(worst_residual(Dopri5Tableau::a, column(Dopri5Tableau::b), 6) > 1e-5L);
  CHECK(worst_row_sum(Dopri5Tableau::a, Dopri5Tableau::c) < kRounding);

  CHECK(worst_residual(Dop853Tableau::a, column(Dop853Tableau::b), 8) < kRounding);
  CHECK(worst_residual(Dop853Tableau::a, column(Dop853Tableau::b), 9) > 1e-8L);
  CHECK(worst_row_sum(Dop853Tableau::a, Dop853Tableau::c) < kRounding);
}

TEST_CASE("error estimates are differences to methods of the order they claim") {
  Column low = column(Dopri5Tableau::b);
  for (std::size_t j = 0; j < low.size(); ++j) { low[j] -= Dopri5Tableau::error[j]; }
  CHECK(worst_residual(Dopri5Tableau::a, low, 4) < kRounding);
  CHECK(worst_residual(Dopri5Tableau::a, low, 5) > 1e-5L);

  Column five = column(Dop853Tableau::b);
  for (std::size_t j = 0; j < five.size(); ++j) { five[j] -= Dop853Tableau::error5[j]; }
  CHECK(worst_residual(Dop853Tableau::a, five, 5) < kRounding);
  CHECK(worst_residual(Dop853Tableau::a, five, 6) > 1e-7L);
  CHECK(worst_residual(Dop853Tableau::a, column(Dop853Tableau::low3), 3) < kRounding);
  CHECK(worst_residual(Dop853Tableau::a, column(Dop853Tableau::low3), 4) > 1e-5L);
}

TEST_CASE("continuous extensions satisfy the order conditions all along the step") {
  for (const Real theta : {0.1L, 0.37L, 0.5L, 0.9L}) {
    const Column dopri5 = nested(column(Dopri5Tableau::b), 6, column(Dopri5Tableau::dense), theta);
    CHECK(worst_residual(Dopri5Tableau::a, dopri5, 4, theta) < kRounding);
    CHECK(worst_residual(Dopri5Tableau::a, dopri5, 5, theta) > 1e-6L);

    Column inner(16);
    for (std::size_t j = 0; j < 16; ++j) {
      const auto& d = Dop853Tableau::dense;
      inner[j] = d[0][j] + theta * (d[1][j] + (1 - theta) * (d[2][j] + theta * d[3][j]));
    }
    const Column dop853 = nested(column(Dop853Tableau::b), 12, inner, theta);
    CHECK(worst_residual(Dop853Tableau::a, dop853, 7, theta) < 1e-15L);  // weights up to 400 cancel
    CHECK(worst_residual(Dop853Tableau::a, dop853, 8, theta) > 1e-8L);
  }
}

TEST_CASE("Gauss tableaux satisfy their order conditions and are symplectic") {
  const auto check = []<std::size_t Stages>(std::integral_constant<std::size_t, Stages>) {
    using T = GaussTableau<Stages>;
    const int order = static_cast<int>(2 * Stages);
    CHECK(worst_residual(T::a, column(T::b), order) < kRounding);
    CHECK(worst_residual(T::a, column(T::b), order + 1) > 1e-5L);
    for (std::size_t i = 0; i < Stages; ++i) {
      for (std::size_t j = 0; j < Stages; ++j) {
        CHECK(std::fabs(T::b[i] * T::a[i][j] + T::b[j] * T::a[j][i] - T::b[i] * T::b[j]) < kRounding);
      }
    }
  };
  check(std::integral_constant<std::size_t, 1>{});
  check(std::integral_constant<std::size_t, 2>{});
  check(std::integral_constant<std::size_t, 3>{});
}

namespace {

/// Polynomials in letters that do not commute, cut off after `degree`: products of exponentials of A, B, C.
class Words {
 public:
  explicit Words(std::size_t degree) : degree_(degree) { terms_[""] = 1; }
  /// this ← this · exp(x letter)
  void times_exp(char letter, Real x) {
    std::map<std::string, Real> product;
    for (const auto& [word, factor] : terms_) {
      std::string longer = word;
      Real term = factor;
      for (std::size_t k = 1;; ++k) {
        product[longer] += term;
        longer += letter;
        if (longer.size() > degree_) { break; }
        term *= x / static_cast<Real>(k);
      }
    }
    terms_ = product;
  }
  /// Largest difference to exp(A + B + C): every word of length n has 1/n!.
  Real distance_to_sum(const std::string& letters) const {
    Real worst = 0;
    std::vector<std::string> words{""};
    Real factorial = 1;
    for (std::size_t n = 1; n <= degree_; ++n) {
      factorial *= static_cast<Real>(n);
      std::vector<std::string> longer;
      for (const std::string& word : words) {
        for (const char letter : letters) { longer.push_back(word + letter); }
      }
      words = longer;
      for (const std::string& word : words) {
        const auto found = terms_.find(word);
        worst = std::max(worst, std::fabs((found == terms_.end() ? 0 : found->second) - 1 / factorial));
      }
    }
    return worst;
  }

 private:
  std::size_t degree_;
  std::map<std::string, Real> terms_;
};

Real splitting_residual(std::span<const Real> half, std::size_t degree, const std::string& letters) {
  Words words(degree);
  for (std::size_t map = 0; map < 2 * half.size(); ++map) {
    const Real alpha = half[map < half.size() ? map : 2 * half.size() - 1 - map];
    for (std::size_t k = 0; k < letters.size(); ++k) {
      words.times_exp(letters[map % 2 == 0 ? k : letters.size() - 1 - k], alpha);
    }
  }
  return words.distance_to_sum(letters);
}

}  // namespace

TEST_CASE("splittings agree with the sum of their parts up to their order, for two parts and for three") {
  for (const std::string letters : {"AB", "ABC"}) {
    CHECK(splitting_residual(kSplitting2, 2, letters) < kRounding);
    CHECK(splitting_residual(kSplitting2, 3, letters) > 1e-2L);
    CHECK(splitting_residual(kSplitting4, 4, letters) < kRounding);
    CHECK(splitting_residual(kSplitting4, 5, letters) > 1e-5L);
    CHECK(splitting_residual(kSplitting6, 6, letters) < kRounding);
    CHECK(splitting_residual(kSplitting6, 7, letters) > 1e-6L);
  }
}
