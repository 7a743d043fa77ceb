#pragma once

#include "polhode/math/dual.h"
#include "polhode/math/interval.h"

#include <array>
#include <functional>
#include <span>
#include <vector>

/// What formulas look at, along a step of a run.
namespace polhode::formula {

/// Some numbers along a step, 0 ≤ θ ≤ 1, as polynomials with a bound of what these miss (INT-37): on each piece of the
/// step
///
///   x(θ) ∈ Σ c_k s^k + [−δ, δ],  −1 ≤ s ≤ 1
///
/// through eleven Chebyshev points; δ is twice the largest difference at twelve points between them and at the ends,
/// and a blur that the caller gives. A piece that is not followed to a ten millionth of its range, or to the blur, is
/// halved.
class Path {
 public:
  /// Writes the numbers at θ.
  using Look = std::function<void(double theta, std::span<double> numbers)>;

  explicit Path(std::size_t count) : seen_(count) {}

  /// `sharp`: which numbers have no blur; of the others it is absolute + relative |x|, but nothing where x stands
  /// still. False where polynomials do not follow: a kink, a jump, or a number that is not finite.
  bool follow(Look look, const std::vector<bool>& sharp, double relative, double absolute);

  /// Without polynomials: for numbers at single θ alone.
  void look_at(Look look);

  /// Number i: as look() gives it; enclosed over a stretch; with an enclosure of its derivative by θ.
  double value(std::size_t i, double theta) const;
  Interval value(std::size_t i, const Interval& theta) const;
  Dual<Interval> value(std::size_t i, const Dual<Interval>& theta) const;

 private:
  static constexpr std::size_t kDegree = 10;
  static constexpr std::size_t kTerms = kDegree + 1;
  struct Polynomial {
    std::array<double, kTerms> c{};
    double miss = 0;   ///< of it, at most
    double delta = 0;  ///< with the blur
  };
  struct Piece {
    double begin = 0;
    double end = 1;
    std::vector<Polynomial> numbers;
  };
  struct Range {
    Interval value;
    Interval slope;
  };
  bool fit(Piece& piece, const std::vector<bool>& sharp, double relative, double absolute) const;
  Range range(std::size_t i, const Interval& theta) const;

  Look look_;
  std::vector<Piece> pieces_;
  mutable std::vector<double> seen_;  ///< what look() gave last
  mutable double seen_at_ = -1;
};

}  // namespace polhode::formula
