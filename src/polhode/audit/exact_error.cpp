#include "polhode/audit/exact_error.h"

#include "polhode/math/small_solve.h"
#include "polhode/motion/free_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace polhode::audit {
namespace {

constexpr std::size_t kUnknowns = 6;  // a turn of e(0) and a change of ω'(0)/|ω'|
using Start = MotionState<double>;
using Step = std::array<double, kUnknowns>;

Start moved(const Start& start, const Step& step, double w_unit) {
  return {normalized(start.e_NB * exp(Vec3<double>{step[0], step[1], step[2]})),
          start.w_B + w_unit * Vec3<double>{step[3], step[4], step[5]}};
}

/// The first rows of a log, thinned out where they are many.
struct Rows {
  std::vector<double> t;
  std::vector<EulerParameters<double>> e_NB;
  std::vector<Vec3<double>> w_B;

  Rows(std::size_t count, std::span<const double> times, std::span<const EulerParameters<double>> attitudes,
       std::span<const Vec3<double>> rates) {
    constexpr std::size_t kMost = 200;
    const std::size_t stride = (count + kMost - 1) / kMost;
    for (std::size_t k = 0; k < count; k += stride) {
      t.push_back(times[k]);
      e_NB.push_back(attitudes[k]);
      w_B.push_back(rates[k]);
    }
  }
};

/// How many rows it takes to turn by `angle`.
std::size_t rows_within(double angle, std::span<const double> t, std::span<const Vec3<double>> w_B) {
  std::size_t count = 1;
  for (double turned = 0; count < t.size() && turned < angle; ++count) {
    turned += norm(w_B[count - 1]) * (t[count] - t[count - 1]);
  }
  return count;
}

/// Fits the start to some rows of a log.
class StartFit {
 public:
  StartFit(const Rows& rows, const Mat3<double>& J_B)
      : t_(rows.t), e_NB_(rows.e_NB), w_B_(rows.w_B), J_B_(J_B), start_{rows.e_NB[0], rows.w_B[0]} {
    for (const Vec3<double>& w : w_B_) { w_unit_ = std::max(w_unit_, norm(w)); }
  }

  /// False where the equations have no unique solution.
  bool run() {
    constexpr int kRounds = 6;
    for (int round = 0; round < kRounds; ++round) {
      if (!linearise()) { return false; }
      Matrix<double, kUnknowns, kUnknowns> A = normal_;
      Step step = right_;
      if (!solve_in_place(A, step)) { return false; }
      const Start next = moved(start_, step, w_unit_);
      if (!(norm(next.w_B) > 0) || !std::isfinite(norm(next.w_B))) { return false; }
      const double before = sum_;
      const Start old = start_;
      start_ = next;
      if (sum_of(residuals(start_)) > before) {  // no more to gain
        start_ = old;
        break;
      }
    }
    return linearise();
  }
  const Start& start() const { return start_; }
  double w_unit() const { return w_unit_; }
  /// Of what is left, a freedom.
  double variance() const { return sum_ / static_cast<double>(6 * t_.size() - kUnknowns); }

  /// Column i of a root of the covariance matrix: independent steps of one standard error each.
  bool deviations(std::array<Step, kUnknowns>& steps) const {
    const SymmetricEigen<double, kUnknowns> eigen = symmetric_eigen(normal_);
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      if (!(eigen.values[i] > 0)) { return false; }
      const double size = std::sqrt(variance() / eigen.values[i]);
      for (std::size_t k = 0; k < kUnknowns; ++k) { steps[i][k] = size * eigen.vectors(k, i); }
    }
    return true;
  }

 private:
  using Residuals = std::vector<Step>;

  Residuals residuals(const Start& start) const {
    const QuickFreeMotion motion(J_B_, start.e_NB, start.w_B);
    Residuals all(t_.size());
    for (std::size_t k = 0; k < t_.size(); ++k) {
      const MotionState<double> exact = motion.at(t_[k] - t_[0]);
      const Vec3<double> turn = rotation_vector(relative_rotation(exact.e_NB, e_NB_[k]));
      const Vec3<double> rate = (w_B_[k] - exact.w_B) / w_unit_;
      all[k] = {turn.x, turn.y, turn.z, rate.x, rate.y, rate.z};
    }
    return all;
  }
  static double sum_of(const Residuals& all) {
    double sum = 0;
    for (const Step& row : all) {
      for (const double x : row) { sum += x * x; }
    }
    return sum;
  }
  /// Normal equations at the present start; slopes by differences.
  bool linearise() {
    constexpr double kDifference = 1e-6;
    const Residuals here = residuals(start_);
    sum_ = sum_of(here);
    std::array<Residuals, kUnknowns> slopes;
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      Step step{};
      step[i] = kDifference;
      slopes[i] = residuals(moved(start_, step, w_unit_));
    }
    normal_ = {};
    right_ = {};
    for (std::size_t k = 0; k < here.size(); ++k) {
      for (std::size_t c = 0; c < kUnknowns; ++c) {
        std::array<double, kUnknowns> slope{};
        for (std::size_t i = 0; i < kUnknowns; ++i) { slope[i] = (slopes[i][k][c] - here[k][c]) / kDifference; }
        for (std::size_t i = 0; i < kUnknowns; ++i) {
          right_[i] -= slope[i] * here[k][c];
          for (std::size_t j = 0; j < kUnknowns; ++j) { normal_(i, j) += slope[i] * slope[j]; }
        }
      }
    }
    return std::isfinite(sum_);
  }

  std::vector<double> t_;
  std::vector<EulerParameters<double>> e_NB_;
  std::vector<Vec3<double>> w_B_;
  Mat3<double> J_B_;
  Start start_;
  double w_unit_ = 0;
  double sum_ = 0;
  Matrix<double, kUnknowns, kUnknowns> normal_;
  Step right_{};
};

}  // namespace

ExactError exact_error(std::span<const double> t, std::span<const EulerParameters<double>> e_NB,
                       std::span<const Vec3<double>> w_B, const Mat3<double>& J_B, double limit, double roughness) {
  constexpr std::size_t kFewest = 3;
  constexpr double kRounding = 1e-9;     // rad: logs are written with ten digits at most
  constexpr std::size_t kLooked = 4000;  // rows at which the error is computed, before its time is narrowed down
  ExactError error;
  const std::size_t n = t.size();

  // as much of the first turn as the exact motion explains no worse than the first few rows
  std::array<Step, kUnknowns> steps{};
  std::optional<StartFit> fit;
  double noise = 0;
  for (const double part : {0.0, 0.05, 0.125, 0.25, 0.5, 1.0}) {
    const std::size_t head = std::max(rows_within(part * 2 * math::kPi<double>, t, w_B), std::min(kFewest, n));
    StartFit next(Rows(head, t, e_NB, w_B), J_B);
    std::array<Step, kUnknowns> next_steps{};
    if (!next.run() || !next.deviations(next_steps)) { break; }
    if (!fit) { noise = next.variance(); }
    if (next.variance() > 4 * noise + kRounding * kRounding) { break; }
    fit = next;
    steps = next_steps;
  }
  if (!fit) { return error; }

  const FreeMotion<double> exact(J_B, fit->start().e_NB, fit->start().w_B);
  std::vector<QuickFreeMotion> neighbours;
  const auto add_neighbour = [&](const Step& step) {
    const Start start = moved(fit->start(), step, fit->w_unit());
    neighbours.emplace_back(J_B, start.e_NB, start.w_B);
  };
  for (const Step& step : steps) { add_neighbour(step); }
  for (std::size_t i = 3; roughness > 0 && i < kUnknowns; ++i) {
    Step step{};
    step[i] = roughness;
    add_neighbour(step);
  }
  const auto error_at = [&](std::size_t k) {
    return rotation_angle(relative_rotation(exact.at(t[k] - t[0]).e_NB, e_NB[k]));
  };
  const auto uncertainty_at = [&](std::size_t k) {
    const EulerParameters<double> e = exact.at(t[k] - t[0]).e_NB;
    double sum = 0;
    for (const QuickFreeMotion& neighbour : neighbours) {
      const double away = rotation_angle(relative_rotation(e, neighbour.at(t[k] - t[0]).e_NB));
      sum += away * away;
    }
    return std::sqrt(sum);
  };

  error.known = true;
  error.start = fit->start();
  error.start_off = 2 * math::kPi<double> * norm(fit->start().w_B - w_B[0]) / fit->w_unit();
  error.certain_until = t[n - 1] - t[0];
  const std::size_t stride = std::max<std::size_t>(1, n / kLooked);
  bool certain = true;
  for (std::size_t k = 0; k < n; k = k + 1 == n ? n : std::min(k + stride, n - 1)) {
    error.at_end = error_at(k);
    error.largest = std::max(error.largest, error.at_end);
    error.uncertainty = uncertainty_at(k);
    if (certain && 3 * error.uncertainty > limit) {
      certain = false;
      error.certain_until = t[k] - t[0];
    }
    if (error.passes_at < 0 && error.at_end > limit) {
      std::size_t first = k < stride ? 0 : k - stride;
      while (first < k && !(error_at(first) > limit)) { ++first; }
      error.passes_at = t[first] - t[0];
      error.passes_uncertainty = uncertainty_at(first);
    }
  }
  return error;
}

}  // namespace polhode::audit
