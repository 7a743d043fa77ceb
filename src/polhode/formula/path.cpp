#include "polhode/formula/path.h"

#include "polhode/math/elementary.h"
#include "polhode/math/pi.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polhode::formula {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Of Chebyshev's polynomials T_0 ... T_n−1: where T_n is 0, where it is ±1, and their coefficients.
template <std::size_t n>
struct Chebyshev {
  std::array<double, n> zeros{};
  std::array<double, n + 1> extremes{};
  std::array<std::array<double, n>, n> at_zeros{};      ///< [k][j]: T_k at zero j
  std::array<std::array<double, n>, n> coefficients{};  ///< [k][m]: of x^m in T_k

  Chebyshev() {
    const auto cosine = [](std::size_t part, std::size_t of) {
      return math::cos(math::kPi<double> * static_cast<double>(part) / static_cast<double>(of));
    };
    for (std::size_t j = 0; j < n; ++j) { zeros[j] = cosine(2 * j + 1, 2 * n); }
    for (std::size_t j = 0; j <= n; ++j) { extremes[j] = cosine(j, n); }
    coefficients[0][0] = 1;
    coefficients[1][1] = 1;
    for (std::size_t k = 2; k < n; ++k) {
      for (std::size_t m = 0; m < n; ++m) {
        coefficients[k][m] = (m > 0 ? 2 * coefficients[k - 1][m - 1] : 0) - coefficients[k - 2][m];
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) {
        at_zeros[k][j] = k == 0 ? 1 : k == 1 ? zeros[j] : 2 * zeros[j] * at_zeros[k - 1][j] - at_zeros[k - 2][j];
      }
    }
  }
};

template <std::size_t n>
double horner(const std::array<double, n>& c, double s) {
  double sum = c[n - 1];
  for (std::size_t k = n - 1; k-- > 0;) { sum = sum * s + c[k]; }
  return sum;
}

}  // namespace

bool Path::fit(Piece& piece, const std::vector<bool>& sharp, double relative, double absolute) const {
  constexpr double kFollowed = 1e-7;  // of the range in the piece
  constexpr double kRounding = 64 * kEpsilon;
  constexpr double kSafety = 2;
  static const Chebyshev<kTerms> table;
  const std::size_t count = seen_.size();
  const auto theta_at = [&](double s) {
    return s == -1 ? piece.begin : s == 1 ? piece.end : piece.begin + 0.5 * (1 + s) * (piece.end - piece.begin);
  };
  std::vector<std::array<double, kTerms>> at_nodes(count);
  std::vector<std::array<double, kTerms + 1>> between(count);
  for (std::size_t j = 0; j < kTerms + kTerms + 1; ++j) {
    const bool node = j < kTerms;
    look_(theta_at(node ? table.zeros[j] : table.extremes[j - kTerms]), seen_);
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::isfinite(seen_[i])) { return false; }
      (node ? at_nodes[i][j] : between[i][j - kTerms]) = seen_[i];
    }
  }
  seen_at_ = -1;
  piece.numbers.assign(count, {});
  for (std::size_t i = 0; i < count; ++i) {
    Polynomial& p = piece.numbers[i];
    const double base = at_nodes[i][kTerms / 2];
    double low = base;
    double high = base;
    for (std::size_t k = 0; k < kTerms; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < kTerms; ++j) { sum += (at_nodes[i][j] - base) * table.at_zeros[k][j]; }
      sum *= (k == 0 ? 1.0 : 2.0) / static_cast<double>(kTerms);
      for (std::size_t m = 0; m <= k; ++m) { p.c[m] += sum * table.coefficients[k][m]; }
    }
    p.c[0] += base;
    double off = 0;
    for (std::size_t j = 0; j <= kTerms; ++j) {
      off = std::fmax(off, std::fabs(between[i][j] - horner(p.c, table.extremes[j])));
      low = std::fmin(low, between[i][j]);
      high = std::fmax(high, between[i][j]);
    }
    const double size = std::fmax(std::fabs(low), std::fabs(high));
    if (low == high && off == 0) { continue; }  // it stands still
    const double blur = sharp[i] ? 0 : absolute + relative * size;
    if (!(off <= kFollowed * (high - low) + kRounding * size + blur)) { return false; }
    double sum = 0;
    for (const double c : p.c) { sum += std::fabs(c); }
    p.miss = kSafety * off + 16 * kEpsilon * sum;
    p.delta = p.miss + blur;
  }
  return true;
}

bool Path::follow(Look look, const std::vector<bool>& sharp, double relative, double absolute) {
  constexpr double kLeastPiece = 1.0 / 256;
  look_ = std::move(look);
  seen_at_ = -1;
  pieces_.clear();
  double begin = 0;
  double width = 1;
  while (begin < 1) {
    Piece piece{begin, std::fmin(begin + width, 1), {}};
    if (fit(piece, sharp, relative, absolute)) {
      begin = piece.end;
      pieces_.push_back(std::move(piece));
      continue;
    }
    width /= 2;
    if (width < kLeastPiece) { return false; }
  }
  return true;
}

void Path::look_at(Look look) {
  look_ = std::move(look);
  seen_at_ = -1;
  pieces_.clear();
}

/// p(s) = Σ d_k (s − m)^k about the middle m of [m − r, m + r]: within d_0 ± Σ |d_k| r^k.
Path::Range Path::range(std::size_t i, const Interval& theta) const {
  // a polynomial of degree n that is within δ on [−1, 1] has a derivative within n² δ (Markov)
  constexpr double kMarkov = static_cast<double>(kTerms * kTerms);
  Range all;
  bool first = true;
  for (const Piece& piece : pieces_) {
    if (piece.end < theta.low || piece.begin > theta.high) { continue; }
    const double scale = 2 / (piece.end - piece.begin);
    const double low = std::fmax(scale * (theta.low - piece.begin) - 1, -1);
    const double high = std::fmin(scale * (theta.high - piece.begin) - 1, 1);
    const double middle = 0.5 * (low + high);
    const double radius = 0.5 * (high - low) + kEpsilon;
    const Polynomial& p = piece.numbers[i];
    std::array<double, kTerms> d = p.c;
    for (std::size_t k = 0; k + 1 < kTerms; ++k) {
      for (std::size_t j = kTerms - 1; j-- > k;) { d[j] += middle * d[j + 1]; }
    }
    double reach = 0;
    double bend = 0;
    for (std::size_t k = kTerms - 1; k > 0; --k) {
      reach = (reach + std::fabs(d[k])) * radius;
      if (k > 1) { bend = (bend + static_cast<double>(k) * std::fabs(d[k])) * radius; }
    }
    const Interval value{d[0] - reach - p.delta, d[0] + reach + p.delta};
    const double slip = bend + kMarkov * p.miss;
    const Interval slope{scale * (d[1] - slip), scale * (d[1] + slip)};
    all = first ? Range{value, slope} : Range{hull(all.value, value), hull(all.slope, slope)};
    first = false;
  }
  return all;
}

double Path::value(std::size_t i, double theta) const {
  if (theta != seen_at_) {
    look_(theta, seen_);
    seen_at_ = theta;
  }
  return seen_[i];
}
Interval Path::value(std::size_t i, const Interval& theta) const { return range(i, theta).value; }
Dual<Interval> Path::value(std::size_t i, const Dual<Interval>& theta) const {
  const Range found = range(i, theta.value);
  return {found.value, found.slope * theta.derivative};
}

}  // namespace polhode::formula
