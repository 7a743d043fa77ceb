// Sparse factors by fronts: against the matrix itself, with redundant unknowns, and what they take of memory.
#include "polhode/math/block_lu.h"

#include "support/random.h"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>

using namespace polhode;
using test::Random;

namespace {

/// A chain of blocks of six unknowns with five multipliers between each and the next: the form of a hinged chain.
template <class T>
struct Chain {
  SparseRows<T> A;
  std::vector<std::size_t> blocks;
  std::vector<bool> may_be_redundant;
};
template <class T>
T some(Random& random) {
  if constexpr (std::is_same_v<T, double>) {
    return random.between(-1, 1);
  } else {
    return {random.between(-1, 1), random.between(-1, 1)};
  }
}
/// `twice`: the last row of each joint repeats its first.
template <class T>
Chain<T> chain(Random& random, std::size_t n, bool twice) {
  Chain<T> result;
  SparseAssembly<T> assembly(11 * n);
  std::vector<std::vector<std::pair<std::size_t, T>>> rows(11 * n);
  for (std::size_t b = 0; b < n; ++b) {
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        rows[11 * b + i].emplace_back(11 * b + j, 0.2 * some<T>(random) + (i == j ? T(2) : T(0)));
      }
    }
    std::vector<T> first;
    for (std::size_t r = 0; r < 5; ++r) {
      std::size_t k = 0;
      for (const std::size_t body : {b, b + 1}) {
        for (std::size_t j = 0; body < n && j < 6; ++j, ++k) {
          const T value = twice && r == 4 ? first[k] : some<T>(random);
          if (r == 0) { first.push_back(value); }
          rows[11 * b + 6 + r].emplace_back(11 * body + j, value);
          rows[11 * body + j].emplace_back(11 * b + 6 + r, value);
        }
      }
    }
    result.blocks.insert(result.blocks.end(), 11, b);
    for (std::size_t i = 0; i < 11; ++i) { result.may_be_redundant.push_back(i >= 6); }
  }
  assembly.begin();
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) { assembly.add(column, value); }
    assembly.end_row();
  }
  result.A = assembly.matrix();
  return result;
}
template <class T>
std::vector<T> times(const SparseRows<T>& A, std::span<const T> x) {
  std::vector<T> result(A.row_count());
  for (std::size_t r = 0; r < A.row_count(); ++r) {
    A.each(r, [&](std::size_t c, const T& value) { result[r] += value * x[c]; });
  }
  return result;
}
template <class T>
double largest_difference(std::span<const T> a, std::span<const T> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) { most = std::fmax(most, std::abs(a[i] - b[i])); }
  return most;
}

}  // namespace

TEST_CASE_TEMPLATE("factors by fronts solve what was given, real and complex", T, double, std::complex<double>) {
  Random random(3);
  for (const std::size_t n : {1UL, 2UL, 7UL, 40UL}) {
    const Chain<T> given = chain<T>(random, n, false);
    math::BlockLu<T> lu(given.A, given.blocks, given.may_be_redundant);
    std::vector<T> x(11 * n);
    for (T& one : x) { one = some<T>(random); }
    for (int again = 0; again < 2; ++again) {  // the same memory twice
      REQUIRE(lu.factor(std::span<const T>(given.A.values)));
      std::vector<T> b = times<T>(given.A, x);
      lu.solve(b);
      CAPTURE(n);
      CHECK(largest_difference<T>(b, x) < 1e-10);
    }
    CHECK_FALSE(lu.left_out(0));
  }
}

TEST_CASE("redundant equations are left out, and the others hold") {
  Random random(4);
  const Chain<double> given = chain<double>(random, 12, true);
  math::BlockLu<double> lu(given.A, given.blocks, given.may_be_redundant);
  REQUIRE(lu.factor(std::span<const double>(given.A.values)));
  std::size_t count = 0;
  for (std::size_t i = 0; i < given.A.row_count(); ++i) { count += lu.left_out(i) ? 1U : 0U; }
  CHECK(count == 12);
  std::vector<double> x(given.A.row_count());
  for (double& one : x) { one = some<double>(random); }
  const std::vector<double> b = times<double>(given.A, x);
  std::vector<double> found = b;
  lu.solve(found);
  // another x, and the same A x
  CHECK(largest_difference<double>(found, x) > 1e-3);
  CHECK(largest_difference<double>(times<double>(given.A, found), b) < 1e-9);
  // where nothing may be left out such a matrix is nearly singular: rounding decides
  math::BlockLu<double> strict(given.A, given.blocks, std::vector<bool>(given.A.row_count(), false));
  if (strict.factor(std::span<const double>(given.A.values))) {
    found = b;
    strict.solve(found);
    CHECK_FALSE(largest_difference<double>(found, x) < 1e-3);
  }
}

TEST_CASE("memory grows with the number of blocks, and with its square where all is one block") {
  Random random(5);
  const auto fill_of = [&](std::size_t n, bool apart) {
    Chain<double> given = chain<double>(random, n, false);
    if (!apart) { std::fill(given.blocks.begin(), given.blocks.end(), 0); }
    return math::BlockLu<double>(given.A, given.blocks, given.may_be_redundant).fill();
  };
  // eleven unknowns a block, six of the next
  CHECK(fill_of(100, true) == 99 * 17 * 17 + 11 * 11);
  CHECK(fill_of(400, true) == 399 * 17 * 17 + 11 * 11);
  CHECK(fill_of(20, false) == 220 * 220);
}

TEST_CASE("singular, and not finite: the factors say so") {
  Random random(6);
  Chain<double> given = chain<double>(random, 3, false);
  math::BlockLu<double> lu(given.A, given.blocks, given.may_be_redundant);
  std::vector<double> values = given.A.values;
  values[5] = std::nan("");
  CHECK_FALSE(lu.factor(std::span<const double>(values)));
  std::fill(values.begin(), values.end(), 0.0);
  CHECK_FALSE(lu.factor(std::span<const double>(values)));
  CHECK(lu.factor(std::span<const double>(given.A.values)));
}
