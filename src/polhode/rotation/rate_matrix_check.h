#pragma once

#include "polhode/math/dual.h"
#include "polhode/rotation/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

/// Whether a matrix S(q) of one's own, ω' = S(q) q̇, can be that of a rotating body: Proposition 1 of [Bernstein2023].
namespace polhode {

/// Partial derivatives of a matrix of three coordinates, by dual numbers: exact to rounding. `rate_matrix` takes a
/// Vec3 of any number type.
template <class RateMatrix, class S>
std::array<Mat3<S>, 3> rate_partials_of(const RateMatrix& rate_matrix, const Vec3<S>& q) {
  std::array<Mat3<S>, 3> partials{};
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3<Dual<S>> along_k{Dual<S>(q.x), Dual<S>(q.y), Dual<S>(q.z)};
    along_k[k].derivative = S(1);
    const Mat3<Dual<S>> moved = rate_matrix(along_k);
    for (std::size_t i = 0; i < 9; ++i) { partials[k](i / 3, i % 3) = moved(i / 3, i % 3).derivative; }
  }
  return partials;
}

/// Largest entries of what Proposition 1 says vanishes, as shares of the largest of its terms; infinite where a number
/// is not finite. The first three are equivalent; the fourth joins them where S is regular.
struct Proposition1 {
  double equation_15 = 0;      ///< Ṡ + [S q̇]~ S − [∂1S q̇, ∂2S q̇, ∂3S q̇], for q̇ along each axis
  double equation_16 = 0;      ///< Σ q̇ᵢ ∂ᵢS + [S2×S3, S3×S1, S1×S2] q̇~ − [∂1S q̇, ∂2S q̇, ∂3S q̇]
  double equations_17_19 = 0;  ///< ∂ⱼSᵢ − ∂ᵢSⱼ − Sᵢ × Sⱼ
  double equation_20 = 0;      ///< Sᵀ [∂3S2 − ∂2S3, ∂1S3 − ∂3S1, ∂2S1 − ∂1S2] − det(S) I

  double largest() const { return std::max({equation_15, equation_16, equations_17_19, equation_20}); }
};

/// Frame whose angular velocity S q̇ is said to be. In space components the cross products change sign.
enum class RateFrame { body, space };

///   ∂2S1 − ∂1S2 = S1 × S2,   ∂3S1 − ∂1S3 = S1 × S3,   ∂3S2 − ∂2S3 = S2 × S3      (KIN-61) [Bernstein2023, Prop. 1]
///
/// and what it is equivalent to, at one point, from S there and its partial derivatives.
inline Proposition1 proposition_1(const Mat3<double>& S, const std::array<Mat3<double>, 3>& partials,
                                  RateFrame frame = RateFrame::body) {
  const double sign = frame == RateFrame::body ? 1 : -1;
  const auto largest_entry = [](const Mat3<double>& m) {
    double most = 0;
    for (std::size_t i = 0; i < 9; ++i) {
      const double entry = std::fabs(m(i / 3, i % 3));
      if (!std::isfinite(entry)) { return std::numeric_limits<double>::infinity(); }
      most = std::max(most, entry);
    }
    return most;
  };
  const auto s = [&](std::size_t j) { return column(S, j); };
  const auto d = [&](std::size_t i, std::size_t j) { return column(partials[i], j); };
  const Mat3<double> cross_products = from_columns(cross(s(1), s(2)), cross(s(2), s(0)), cross(s(0), s(1)));
  const Mat3<double> curl = from_columns(d(2, 1) - d(1, 2), d(0, 2) - d(2, 0), d(1, 0) - d(0, 1));
  const double terms = std::max({largest_entry(cross_products), largest_entry(partials[0]), largest_entry(partials[1]),
                                 largest_entry(partials[2])});
  const auto share = [](double size, double of) {
    if (!std::isfinite(size) || !std::isfinite(of)) { return std::numeric_limits<double>::infinity(); }
    return size > 0 ? size / of : 0.0;  // without terms there is nothing left of them
  };
  Proposition1 found;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3<double> qdot = axis_vector<double>(k);
    const Mat3<double> right = from_columns(partials[0] * qdot, partials[1] * qdot, partials[2] * qdot);
    found.equation_15 =
        std::max(found.equation_15, share(largest_entry(partials[k] + sign * (skew(S * qdot) * S) - right), terms));
    found.equation_16 = std::max(
        found.equation_16, share(largest_entry(partials[k] + sign * (cross_products * skew(qdot)) - right), terms));
  }
  found.equations_17_19 = share(largest_entry(curl - sign * cross_products), terms);
  found.equation_20 = share(largest_entry(transpose(S) * curl - (sign * determinant(S)) * identity<double, 3>()),
                            largest_entry(S) * terms);
  return found;
}

enum class RateMatrixVerdict {
  body,       ///< there are attitudes with ω' = S(q) q̇
  space,      ///< there are attitudes with ω = S(q) q̇: S is a space rate matrix
  neither,    ///< no attitudes have these rates, or S is not finite
  undecided,  ///< both sets of equations hold: all cross products of columns vanish, S is nowhere regular
};

/// Of all points that were looked at, the worst.
struct RateMatrixCheck {
  RateMatrixVerdict verdict = RateMatrixVerdict::neither;
  double residual = 0;  ///< of Proposition 1 for a body rate matrix
  Vec3<double> at{};    ///< where it is largest
  double residual_in_space = 0;
};

/// Proposition 1 at every point. Derivatives by dual numbers and some dozen products: what holds leaves some roundings
/// of the largest term, and what does not, a share of it; `tolerance` lies between.
///
/// The equations are those of integrability: around every regular point where they hold there are attitudes A(q) with
/// Aᵀ Ȧ = [S q̇]~, unique but for a constant turn of the space frame.
template <class RateMatrix>
RateMatrixCheck check_rate_matrix(const RateMatrix& rate_matrix, std::span<const Vec3<double>> points,
                                  double tolerance = 1e-10) {
  RateMatrixCheck check;
  for (const Vec3<double>& q : points) {
    const Mat3<double> S = rate_matrix(q);
    const std::array<Mat3<double>, 3> partials = rate_partials_of(rate_matrix, q);
    const double body = proposition_1(S, partials, RateFrame::body).largest();
    if (body > check.residual) { check.at = q; }
    check.residual = std::max(check.residual, body);
    check.residual_in_space = std::max(check.residual_in_space, proposition_1(S, partials, RateFrame::space).largest());
  }
  if (points.empty()) { check.residual = check.residual_in_space = std::numeric_limits<double>::infinity(); }
  const bool of_body = check.residual <= tolerance;
  const bool of_space = check.residual_in_space <= tolerance;
  check.verdict = of_body && of_space ? RateMatrixVerdict::undecided
                  : of_body           ? RateMatrixVerdict::body
                  : of_space          ? RateMatrixVerdict::space
                                      : RateMatrixVerdict::neither;
  return check;
}

}  // namespace polhode
