#include "polhode/multibody/reference.h"

#include "polhode/core/index.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <cmath>

namespace polhode {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

/// A singular value below this part of the largest counts as zero. Rows are scaled to wrenches of size 1 before.
constexpr double kRankOfDense = 1e-10;

void put(Dense& to, Index row, BodyId body, const Pair& p) {
  if (body < 0) { return; }
  const Index c = 6 * static_cast<Index>(body);
  for (std::size_t k = 0; k < 3; ++k) {
    to(row, c + static_cast<Index>(k)) += p.ang[k];
    to(row, c + 3 + static_cast<Index>(k)) += p.lin[k];
  }
}

/// A joint's rows among all rows, and what turns multipliers into wrenches on the second body.
struct JointBlock {
  Index first_row = 0;
  Index rows = 0;
  Dense wrench;  ///< 6 × rows: force, then moment about the second joint point; of −λ = 1
  Dense R;       ///< with wrench (moments divided by the length) = Q R
};

/// The whole system, with rows scaled so that multipliers are sizes of wrenches.
struct Assembled {
  Dense C;  ///< scaled rows
  Vector gamma;
  Dense half;    ///< lower factor of the block diagonal M = half halfᵀ
  Vector force;  ///< f
  std::vector<JointBlock> joints;
  std::vector<double> row_scale;  ///< of rows that are not those of joints
  Eigen::JacobiSVD<Dense> svd;    ///< of C half⁻ᵀ
  Index rank = 0;
};

Assembled assemble(const Model& model, double t, std::span<const double> y, std::span<const double> turns) {
  Assembled s;
  const Index n = static_cast<Index>(model.body_count());
  const Index rows = static_cast<Index>(model.row_count());
  s.C = Dense::Zero(rows, 6 * n);
  s.gamma = Vector::Zero(rows);
  Index row = 0;
  for (std::size_t j = 0; j < model.joint_count(); ++j) {
    const JointDescription& joint = model.joints()[j];
    const auto [first, second] = model.ends(y, static_cast<int>(j));
    std::array<Row, kMostRows> parts;
    JointBlock block;
    block.first_row = row;
    block.rows = static_cast<Index>(joint_rows(*joint.kind, joint.parameter, first, second, parts));
    block.wrench = Dense::Zero(6, block.rows);
    for (Index r = 0; r < block.rows; ++r, ++row) {
      const Row& part = parts[at(r)];
      put(s.C, row, joint.first, part.first);
      put(s.C, row, joint.second, part.second);
      s.gamma(row) = part.gamma;
      const Vec3<double> moment = part.second.ang - cross(second.lever, part.second.lin);
      for (std::size_t k = 0; k < 3; ++k) {
        block.wrench(static_cast<Index>(k), r) = part.second.lin[k];
        block.wrench(3 + static_cast<Index>(k), r) = moment[k];
      }
    }
    if (block.rows > 0) {
      Dense weighed = block.wrench;
      weighed.bottomRows(3) /= model.length();
      const Eigen::HouseholderQR<Dense> qr(weighed);
      block.R = qr.matrixQR().topRows(block.rows).triangularView<Eigen::Upper>();
      const auto Rt = block.R.transpose().triangularView<Eigen::Lower>();
      s.C.middleRows(block.first_row, block.rows) = Rt.solve(s.C.middleRows(block.first_row, block.rows));
      s.gamma.segment(block.first_row, block.rows) = Rt.solve(s.gamma.segment(block.first_row, block.rows));
    }
    s.joints.push_back(std::move(block));
  }
  std::array<ConstraintRow<double>, kMostRows> others;
  for (const ModelConstraint& constraint : model.constraints()) {
    if (constraint.id.is_joint()) { continue; }
    model.rows(constraint, t, y, others.data());
    for (int r = 0; r < constraint.rows; ++r, ++row) {
      for (std::size_t k = 0; k < constraint.ends.size(); ++k) {
        put(s.C, row, constraint.ends[k].body, others[at(r)].sides[k]);
      }
      const double size = s.C.row(row).norm();
      s.C.row(row) /= size;
      s.gamma(row) = others[at(r)].gamma / size;
      s.row_scale.push_back(size);
    }
  }

  // masses, and forces by a model without joints: ẏ of it is f = M a
  s.half = Dense::Zero(6 * n, 6 * n);
  s.force = Vector::Zero(6 * n);
  for (Index b = 0; b < n; ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const Mat3<double> J = turned(rotation_matrix(body.e_NB), model.carrier_J_B(static_cast<BodyId>(b)));
    Eigen::Matrix3d block;
    for (Index i = 0; i < 3; ++i) {
      for (Index k = 0; k < 3; ++k) { block(i, k) = J(at(i), at(k)); }
    }
    s.half.block<3, 3>(6 * b, 6 * b) = block.llt().matrixL();
    s.half.block<3, 3>(6 * b + 3, 6 * b + 3) = std::sqrt(model.bodies()[at(b)].mass.mass) * Eigen::Matrix3d::Identity();
  }
  Scratch scratch(model);
  scratch.turns = turns;
  std::vector<double> ydot(y.size());
  evaluate(model, t, y, ydot, scratch);
  for (Index b = 0; b < n; ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const MassProperties& mass = model.bodies()[at(b)].mass;
    const Mat3<double> R = rotation_matrix(body.e_NB);
    Pair f = scratch.applied[static_cast<std::size_t>(model.elimination().node_of_body[at(b)])];
    f.ang -= R * cross(body.w_B, model.carrier_J_B(static_cast<BodyId>(b)) * body.w_B);
    f.lin += mass.mass * model.gravity_N();
    for (std::size_t k = 0; k < 3; ++k) {
      s.force(6 * b + static_cast<Index>(k)) = f.ang[k];
      s.force(6 * b + 3 + static_cast<Index>(k)) = f.lin[k];
    }
  }
  if (rows > 0) {
    const Dense weighed = s.half.triangularView<Eigen::Lower>().solve(s.C.transpose()).transpose();
    s.svd.compute(weighed, Eigen::ComputeFullU | Eigen::ComputeThinV);
    const Vector& sizes = s.svd.singularValues();
    while (s.rank < sizes.size() && sizes(s.rank) > kRankOfDense * sizes(0)) { ++s.rank; }
  }
  return s;
}

}  // namespace

DenseSolution dense_solution(const Model& model, double t, std::span<const double> y, std::span<const double> turns) {
  const Assembled s = assemble(model, t, y, turns);
  const Index n = static_cast<Index>(model.body_count());
  const Index rows = s.C.rows();
  const auto half = s.half.triangularView<Eigen::Lower>();
  const Vector free = half.solve(s.force);
  Vector x = free;
  Vector mu = Vector::Zero(rows);
  Dense null = Dense::Zero(rows, 0);
  DenseSolution result;
  if (rows > 0) {
    const Index r = s.rank;
    const auto U = s.svd.matrixU().leftCols(r);
    const auto V = s.svd.matrixV().leftCols(r);
    const Vector inverse = s.svd.singularValues().head(r).cwiseInverse();
    const Dense weighed = half.solve(s.C.transpose()).transpose();
    x += V * inverse.cwiseProduct(U.transpose() * (s.gamma - weighed * free));
    mu = U * inverse.cwiseProduct(V.transpose() * (free - x));
    null = s.svd.matrixU().rightCols(rows - r);
    // least over the joints alone: multipliers of other constraints follow
    const Index of_joints = rows - static_cast<Index>(s.row_scale.size());
    if (null.cols() > 0 && of_joints > 0) {
      mu -= null * null.topRows(of_joints).completeOrthogonalDecomposition().solve(mu.head(of_joints));
    }
    const Vector& sizes = s.svd.singularValues();
    result.least_kept = r > 0 ? sizes(r - 1) / sizes(0) : 0;
    result.largest_dropped = r < sizes.size() ? sizes(r) / sizes(0) : 0;
  }
  const Vector a = half.transpose().solve(x);
  for (Index b = 0; b < n; ++b) {
    result.a.push_back({{a(6 * b), a(6 * b + 1), a(6 * b + 2)}, {a(6 * b + 3), a(6 * b + 4), a(6 * b + 5)}});
  }
  for (const JointBlock& block : s.joints) {
    Reaction reaction;
    bool determined = true;
    if (block.rows > 0) {
      const Vector lambda = block.R.triangularView<Eigen::Upper>().solve(mu.segment(block.first_row, block.rows));
      for (Index r = 0; r < block.rows; ++r) { result.lambda.push_back(lambda(r)); }
      const Vector w = -(block.wrench * lambda);
      reaction = {{w(0), w(1), w(2)}, {w(3), w(4), w(5)}};
      determined = null.cols() == 0 || null.middleRows(block.first_row, block.rows).norm() < 1e-7;
    }
    result.reactions.push_back(reaction);
    result.determined.push_back(determined);
  }
  for (std::size_t k = 0; k < s.row_scale.size(); ++k) {
    result.lambda.push_back(mu(rows - static_cast<Index>(s.row_scale.size() - k)) / s.row_scale[k]);
  }
  result.rows = static_cast<int>(rows);
  result.rank = static_cast<int>(s.rank);
  result.freedoms = static_cast<int>(6 * n - s.rank);
  return result;
}

}  // namespace polhode
