#include "polhode/analysis/least_squares.h"

#include "polhode/analysis/eigen.h"
#include "polhode/core/error.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>

namespace polhode::analysis {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The triangle of a QR factorisation of rows behind each other: as many rows as columns, zeros where there are fewer.
MatrixXd triangle_of(const MatrixXd& rows) {
  MatrixXd triangle = MatrixXd::Zero(rows.cols(), rows.cols());
  if (rows.rows() == 0 || rows.cols() == 0) { return triangle; }
  const Eigen::HouseholderQR<MatrixXd> qr(rows);
  const Index count = std::min(rows.rows(), rows.cols());
  triangle.topRows(count) = qr.matrixQR().topRows(count).triangularView<Eigen::Upper>();
  return triangle;
}

/// Rows below rows.
MatrixXd stacked(const MatrixXd& first, const MatrixXd& second) {
  MatrixXd all(first.rows() + second.rows(), second.cols());
  all << first, second;
  return all;
}

/// A recording in as many rows as it has unknowns and one: own | shared | residual, triangular.
class Compressed {
 public:
  Compressed(const RecordingRows& rows, const Loss& loss)
      : own_(to_index(rows.by_own.columns)), shared_(to_index(rows.by_shared.columns)) {
    MatrixXd all(to_index(rows.residuals.size()), own_ + shared_ + 1);
    all << as_eigen(rows.by_own), as_eigen(rows.by_shared), as_eigen(rows.residuals);
    for (Index i = 0; i < all.rows(); ++i) { all.row(i) *= loss.weight(rows.residuals[static_cast<std::size_t>(i)]); }
    triangle_ = triangle_of(all);
  }

  Index own() const { return own_; }
  /// With λ D of the own unknowns below; the first rows are for them, those behind speak of the shared ones alone.
  MatrixXd damped(const VectorXd& damping) const {
    MatrixXd more = MatrixXd::Zero(own_, triangle_.cols());
    more.leftCols(own_).diagonal() = damping;
    return triangle_of(stacked(triangle_, more));
  }
  const MatrixXd& triangle() const { return triangle_; }

 private:
  Index own_, shared_;
  MatrixXd triangle_;
};

double cost_of(const std::vector<RecordingRows>& rows, const Loss& loss) {
  double cost = 0;
  for (const RecordingRows& one : rows) {
    if (!one.possible) { return std::numeric_limits<double>::infinity(); }
    for (const double r : one.residuals) { cost += loss.rho(r); }
  }
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::infinity();
}

struct Step {
  VectorXd shared;
  std::vector<VectorXd> own;
  double predicted = 0;  ///< decrease of the cost
};

/// x of R x = b for an upper triangle, 0 where its diagonal is.
VectorXd solve_upper(const MatrixXd& R, VectorXd b) {
  for (Index i = R.cols() - 1; i >= 0; --i) {
    b[i] = R(i, i) != 0 ? b[i] / R(i, i) : 0;
    for (Index r = 0; r < i; ++r) { b[r] -= R(r, i) * b[i]; }
  }
  return b;
}

Step solved_step(const std::vector<Compressed>& recordings, const VectorXd& shared_damping,
                 const std::vector<VectorXd>& own_damping) {
  const Index shared = shared_damping.size();
  std::vector<MatrixXd> damped;
  MatrixXd told = MatrixXd::Zero(shared + 1, shared + 1);
  for (std::size_t r = 0; r < recordings.size(); ++r) {
    damped.push_back(recordings[r].damped(own_damping[r]));
    told = triangle_of(stacked(told, damped.back().bottomRightCorner(shared + 1, shared + 1)));
  }
  MatrixXd more = MatrixXd::Zero(shared, shared + 1);
  more.leftCols(shared).diagonal() = shared_damping;
  told = triangle_of(stacked(told, more));

  Step step;
  step.shared = solve_upper(told.topLeftCorner(shared, shared), told.topRightCorner(shared, 1));
  for (std::size_t r = 0; r < recordings.size(); ++r) {
    const Index own = recordings[r].own();
    const MatrixXd& all = damped[r];
    const VectorXd right = all.topRightCorner(own, 1) - all.block(0, own, own, shared) * step.shared;
    step.own.push_back(solve_upper(all.topLeftCorner(own, own), right));
    // ½ (‖r‖² − ‖J δ − r‖²)
    VectorXd x(own + shared + 1);
    x << step.own.back(), step.shared, -1.0;
    const MatrixXd& plain = recordings[r].triangle();
    step.predicted += (plain.col(own + shared).squaredNorm() - (plain * x).squaredNorm()) / 2;
  }
  return step;
}

FitPoint moved_by(const FitPoint& from, const Step& step) {
  FitPoint to = from;
  const auto add = [](const VectorXd& change, std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) { values[i] += change[to_index(i)]; }
  };
  add(step.shared, to.shared);
  for (std::size_t r = 0; r < to.own.size(); ++r) { add(step.own[r], to.own[r]); }
  return to;
}

}  // namespace

double Loss::rho(double r) const {
  const double size = std::fabs(r);
  return huber > 0 && size > huber ? huber * (size - huber / 2) : r * r / 2;
}

double Loss::weight(double r) const {
  const double size = std::fabs(r);
  return huber > 0 && size > huber ? std::sqrt(huber / size) : 1;
}

FitEnd fit(const FitProblem& problem, FitPoint start) {
  constexpr int kMostIterations = 100;
  constexpr double kNothingLeft = 1e-8;    // of the cost of half a standard deviation
  constexpr double kRoundingOnly = 1e-13;  // of the cost itself
  constexpr double kLeastDamping = 1e-10;  // directions that nothing tells stand still: parts of 10⁻⁵ of the largest
  constexpr double kMostDamping = 1e12;
  FitEnd end;
  end.point = std::move(start);
  end.rows = problem.rows(end.point);
  end.cost = cost_of(end.rows, problem.loss);
  if (!std::isfinite(end.cost)) { fail(Error("there is no prediction at the values that the fit starts from")); }

  const VectorXd shared_scale = as_eigen(problem.shared_scale);
  const VectorXd own_scale = as_eigen(problem.own_scale);
  VectorXd shared_damping = VectorXd::Zero(shared_scale.size());
  std::vector<VectorXd> own_damping(end.rows.size(), VectorXd::Zero(own_scale.size()));
  double lambda = 1e-4;
  while (end.iterations < kMostIterations) {
    if (problem.keep_going && !problem.keep_going()) {
      end.interrupted = true;
      return end;
    }
    std::vector<Compressed> recordings;
    VectorXd shared_columns = VectorXd::Zero(shared_damping.size());
    for (std::size_t r = 0; r < end.rows.size(); ++r) {
      recordings.emplace_back(end.rows[r], problem.loss);
      shared_columns += as_eigen(end.rows[r].by_shared).colwise().squaredNorm().transpose();
      own_damping[r] = own_damping[r].cwiseMax(as_eigen(end.rows[r].by_own).colwise().norm().transpose());
    }
    shared_damping = shared_damping.cwiseMax(shared_columns.cwiseSqrt());
    // what nothing tells stays where it is
    const auto scaled = [&](const VectorXd& columns, const VectorXd& scale) -> VectorXd {
      return std::sqrt(lambda) * columns.cwiseMax(1e-12 * scale.cwiseInverse());
    };
    for (;;) {
      std::vector<VectorXd> own;
      for (const VectorXd& columns : own_damping) { own.push_back(scaled(columns, own_scale)); }
      const Step step = solved_step(recordings, scaled(shared_damping, shared_scale), own);
      FitPoint next = moved_by(end.point, step);
      std::vector<RecordingRows> rows = problem.rows(next);
      const double cost = cost_of(rows, problem.loss);
      const bool little = step.predicted <= kNothingLeft + kRoundingOnly * end.cost;
      const double ratio = (end.cost - cost) / std::fmax(step.predicted, 1e-300);
      if (cost <= end.cost && (ratio > 1e-4 || little)) {
        end.point = std::move(next);
        end.rows = std::move(rows);
        end.cost = cost;
        lambda = ratio > 0.75 ? lambda / 10 : ratio < 0.25 ? lambda * 4 : lambda;
        lambda = std::fmax(lambda, kLeastDamping);
        ++end.iterations;
        end.converged = little;
        break;
      }
      if (little) {
        end.converged = true;
        break;
      }
      lambda *= 10;
      if (lambda > kMostDamping) { return end; }
      if (problem.keep_going && !problem.keep_going()) {
        end.interrupted = true;
        return end;
      }
    }
    if (end.converged) { break; }
  }
  return end;
}

DenseMatrix shared_information(const FitEnd& end, const Loss& loss) {
  const Index shared = to_index(end.point.shared.size());
  MatrixXd told = MatrixXd::Zero(shared, shared);
  for (const RecordingRows& rows : end.rows) {
    const Compressed one(rows, loss);
    const Index own = one.own();
    MatrixXd part = one.triangle().topRows(own + shared).middleCols(own, shared);
    if (own > 0) {
      // columns of own unknowns that nothing tells, or that others tell, take nothing with them
      const MatrixXd columns = one.triangle().topLeftCorner(own + shared, own);
      VectorXd size = columns.colwise().norm();
      const double most = size.maxCoeff();
      for (Index i = 0; i < own; ++i) { size[i] = size[i] > 1e-12 * most ? 1 / size[i] : 0; }
      Eigen::ColPivHouseholderQR<MatrixXd> qr(own + shared, own);
      qr.setThreshold(1e-8);
      qr.compute(columns * size.asDiagonal());
      part.applyOnTheLeft(qr.householderQ().adjoint());
      part = part.bottomRows(own + shared - qr.rank()).eval();
    }
    told = triangle_of(stacked(told, part));
  }
  DenseMatrix result(end.point.shared.size(), end.point.shared.size());
  Eigen::Map<RowMajor>(result.entries.data(), shared, shared) = told;
  return result;
}

}  // namespace polhode::analysis
