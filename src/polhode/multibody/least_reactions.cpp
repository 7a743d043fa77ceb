#include "polhode/multibody/least_reactions.h"

#include "polhode/multibody/node_state.h"

#include <Eigen/QR>
#include <Eigen/SparseCholesky>

namespace polhode {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;
using Wrenches = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;
using SixBySix = Eigen::Matrix<double, 6, 6>;

/// The rows of a joint, made orthonormal as weighed wrenches.
struct JointRows {
  BodyId first = kGround;
  BodyId second = kGround;
  Wrenches wrench;  ///< columns: force and moment/L of the rows on the second body, about the second joint point
  Wrenches on_first, on_second;  ///< columns: the same as (moment/L, force) on the mass centres
};

Eigen::Matrix<double, 6, 1> column_of(const Pair& p, double length) {
  Eigen::Matrix<double, 6, 1> c;
  c << p.ang.x / length, p.ang.y / length, p.ang.z / length, p.lin.x, p.lin.y, p.lin.z;
  return c;
}

}  // namespace

class LeastReactionSolver::Work {
 public:
  explicit Work(const Model& model) : model_(model), joints_(model.joint_count()) {}

  void solve(std::span<const double> y, Scratch& scratch, std::span<Reaction> result) {
    reactions(model_, y, scratch, result);
    const double L = model_.length();
    const auto bodies = static_cast<Index>(model_.body_count());
    entries_.clear();
    Index size = 6 * bodies;
    for (std::size_t j = 0; j < joints_.size(); ++j) { read_joint(y, static_cast<int>(j)); }
    for (const JointRows& joint : joints_) {
      put_block(joint.first, joint.first, joint.on_first * joint.on_first.transpose());
      put_block(joint.second, joint.second, joint.on_second * joint.on_second.transpose());
      // the lower triangle alone
      if (joint.first > joint.second) {
        put_block(joint.first, joint.second, joint.on_first * joint.on_second.transpose());
      }
      if (joint.first < joint.second) {
        put_block(joint.second, joint.first, joint.on_second * joint.on_first.transpose());
      }
    }
    for (const Closure& closure : model_.elimination().closures) {
      if (closure.joint >= 0) { continue; }
      for (int r = 0; r < closure.rows; ++r, ++size) {
        put_row(closure, scratch.rows[at(closure.first_row + r)], size);
      }
    }
    for (Index i = 0; i < size; ++i) { entries_.emplace_back(i, i, i < 6 * bodies ? kFree : -kFree); }
    matrix_.resize(size, size);
    matrix_.setFromTriplets(entries_.begin(), entries_.end());
    if (!analysed_) {
      factor_.analyzePattern(matrix_);
      analysed_ = true;
    }
    factor_.factorize(matrix_);
    if (factor_.info() != Eigen::Success) { return; }  // those of the elimination stand

    right_ = Vector::Zero(size);
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const JointRows& joint = joints_[j];
      Eigen::Matrix<double, 6, 1> w;
      w << result[j].force_N.x, result[j].force_N.y, result[j].force_N.z, result[j].moment_N.x / L,
          result[j].moment_N.y / L, result[j].moment_N.z / L;
      const Vector mu = joint.wrench.transpose() * w;
      if (joint.first >= 0) { right_.segment<6>(Index{6} * joint.first) += joint.on_first * mu; }
      if (joint.second >= 0) { right_.segment<6>(Index{6} * joint.second) += joint.on_second * mu; }
    }
    Vector z = factor_.solve(right_);
    for (int k = 0; k < kRefinements; ++k) {
      Vector left = right_ - matrix_.selfadjointView<Eigen::Lower>() * z;
      left.head(6 * bodies) += kFree * z.head(6 * bodies);
      left.tail(size - 6 * bodies) -= kFree * z.tail(size - 6 * bodies);
      z += factor_.solve(left);
    }
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const JointRows& joint = joints_[j];
      Vector mu = Vector::Zero(joint.wrench.cols());
      if (joint.first >= 0) { mu += joint.on_first.transpose() * z.segment<6>(Index{6} * joint.first); }
      if (joint.second >= 0) { mu += joint.on_second.transpose() * z.segment<6>(Index{6} * joint.second); }
      const Eigen::Matrix<double, 6, 1> w = joint.wrench * mu;
      result[j] = {{w(0), w(1), w(2)}, {L * w(3), L * w(4), L * w(5)}};
    }
  }
  std::size_t factor_size() const {
    return analysed_ ? static_cast<std::size_t>(factor_.matrixL().nestedExpression().nonZeros()) : 0;
  }

 private:
  static constexpr double kFree = kRankTolerance;
  static constexpr int kRefinements = 3;

  void read_joint(std::span<const double> y, int j) {
    const JointDescription& description = model_.joints()[at(j)];
    const auto [first, second] = model_.ends(y, j);
    std::array<Row, kMostRows> parts;
    const auto rows = static_cast<Index>(joint_rows(*description.kind, description.parameter, first, second, parts));
    JointRows& joint = joints_[at(j)];
    joint.first = description.first;
    joint.second = description.second;
    joint.wrench.resize(6, rows);
    joint.on_first.resize(6, rows);
    joint.on_second.resize(6, rows);
    const double L = model_.length();
    for (Index r = 0; r < rows; ++r) {
      const Row& part = parts[static_cast<std::size_t>(r)];
      const Vec3<double> moment = part.second.ang - cross(second.lever, part.second.lin);
      joint.wrench.col(r) << part.second.lin.x, part.second.lin.y, part.second.lin.z, moment.x / L, moment.y / L,
          moment.z / L;
      joint.on_first.col(r) = column_of(part.first, L);
      joint.on_second.col(r) = column_of(part.second, L);
    }
    // orthonormal columns: W = Q R, and the same combinations on the bodies
    for (Index r = 0; r < rows; ++r) {
      for (const bool again : {false, true}) {
        static_cast<void>(again);  // twice is enough
        for (Index k = 0; k < r; ++k) {
          const double share = joint.wrench.col(k).dot(joint.wrench.col(r));
          for (Wrenches* m : {&joint.wrench, &joint.on_first, &joint.on_second}) { m->col(r) -= share * m->col(k); }
        }
      }
      const double size = joint.wrench.col(r).norm();
      for (Wrenches* m : {&joint.wrench, &joint.on_first, &joint.on_second}) { m->col(r) /= size; }
    }
  }
  void put_block(BodyId row, BodyId column, const SixBySix& block) {
    if (row < 0 || column < 0) { return; }
    for (Index i = 0; i < 6; ++i) {
      for (Index k = 0; k < (row == column ? i + 1 : 6); ++k) {
        entries_.emplace_back(Index{6} * row + i, Index{6} * column + k, block(i, k));
      }
    }
  }
  void put_row(const Closure& closure, const ConstraintRow<double>& row, Index at_row) {
    double size = 0;
    for (const Pair& side : row.sides) { size = std::fmax(size, column_of(side, model_.length()).norm()); }
    for (std::size_t s = 0; s < closure.sides.size(); ++s) {
      const int node = closure.sides[s];
      if (node == 0) { continue; }
      const Eigen::Matrix<double, 6, 1> c = column_of(row.sides[s], model_.length()) / (size > 0 ? size : 1);
      for (Index i = 0; i < 6; ++i) {
        entries_.emplace_back(at_row, Index{6} * model_.elimination().nodes[at(node)].body + i, c(i));
      }
    }
  }

  const Model& model_;
  std::vector<JointRows> joints_;
  std::vector<Eigen::Triplet<double, Index>> entries_;
  Sparse matrix_;
  Eigen::SimplicialLDLT<Sparse, Eigen::Lower> factor_;
  Vector right_;
  bool analysed_ = false;
};

LeastReactionSolver::LeastReactionSolver(const Model& model) : work_(std::make_unique<Work>(model)) {}
LeastReactionSolver::~LeastReactionSolver() = default;
void LeastReactionSolver::solve(std::span<const double> y, Scratch& scratch, std::span<Reaction> result) {
  work_->solve(y, scratch, result);
}
std::size_t LeastReactionSolver::factor_size() const { return work_->factor_size(); }

}  // namespace polhode
