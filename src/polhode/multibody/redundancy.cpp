#include "polhode/multibody/redundancy.h"

#include "polhode/multibody/node_state.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

namespace polhode {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

/// Closures that pass the same joints of the tree, and the nodes of these joints.
struct Group {
  std::vector<int> closures;
  std::vector<int> nodes;
};

/// Nodes between the sides of a closure and its top, leaves first.
std::vector<int> nodes_of(const EliminationOrder& elimination, const Closure& closure) {
  std::vector<int> nodes;
  for (int node : closure.sides) {
    for (; node != closure.top; node = elimination.nodes[at(node)].parent) { nodes.push_back(node); }
  }
  std::sort(nodes.rbegin(), nodes.rend());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::vector<Group> groups_of(const EliminationOrder& elimination) {
  const int count = static_cast<int>(elimination.closures.size());
  std::vector<int> leader(at(count));
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](int c) {
    while (leader[at(c)] != c) { c = leader[at(c)] = leader[at(leader[at(c)])]; }
    return c;
  };
  std::map<int, int> passed_by;  // node → a closure
  for (int c = 0; c < count; ++c) {
    for (const int node : nodes_of(elimination, elimination.closures[at(c)])) {
      const auto [other, is_new] = passed_by.emplace(node, c);
      if (!is_new) { leader[at(find(c))] = find(other->second); }
    }
  }
  std::map<int, Group> groups;
  for (int c = 0; c < count; ++c) { groups[find(c)].closures.push_back(c); }
  for (const auto& [node, c] : passed_by) { groups[find(c)].nodes.push_back(node); }
  std::vector<Group> list;
  list.reserve(groups.size());
  for (auto& [key, group] : groups) { list.push_back(std::move(group)); }
  return list;
}

/// What a multiplier of 1 of a closure's row makes the parent exert on the nodes that it passes.
using Carried = std::vector<std::pair<int, Pair>>;
Carried carry(const EliminationOrder& elimination, const Scratch& scratch, const Closure& closure, int row) {
  std::map<int, Pair, std::greater<>> felt;
  const ConstraintRow<double>& r = scratch.rows[at(closure.first_row + row)];
  for (std::size_t s = 0; s < closure.sides.size(); ++s) { felt[closure.sides[s]] += r.sides[s]; }
  Carried list;
  for (const int node : nodes_of(elimination, closure)) {
    const Pair f = felt[node];
    list.emplace_back(node, f);
    felt[elimination.nodes[at(node)].parent] += Pair{f.ang + cross(scratch.nodes[at(node)].shift, f.lin), f.lin};
  }
  return list;
}

/// Self-stress of a group of loops: multipliers of its rows that the joints of the tree bear without moving.
///
///   Sᵀ W ν = 0 for the freedoms S of every joint that the loops pass            (MEC-33)
///
/// W ν: what goes through that joint. Rows and freedoms are scaled to size 1, with L for angles; singular values below
/// the root of kRankTolerance, the angle at which the elimination lets go of a row, count as zero.
struct SelfStress {
  std::vector<Carried> carried;   ///< by row of the group
  std::vector<int> row;           ///< number of the row among all closures
  std::vector<double> row_scale;  ///< of ν
  Dense null;                     ///< columns: ν
};
SelfStress self_stress(const Model& model, const Scratch& scratch, const Group& group) {
  const EliminationOrder& elimination = model.elimination();
  const double L = model.length();
  SelfStress stress;
  std::map<int, Index> first_freedom;
  Index freedoms = 0;
  for (const int node : group.nodes) {
    first_freedom[node] = freedoms;
    freedoms += elimination.nodes[at(node)].freedoms;
  }
  for (const int c : group.closures) {
    const Closure& closure = elimination.closures[at(c)];
    for (int r = 0; r < closure.rows; ++r) {
      double size = 0;
      for (const Pair& side : scratch.rows[at(closure.first_row + r)].sides) {
        size = std::max(size, dot(side.lin, side.lin) + dot(side.ang, side.ang) / (L * L));
      }
      stress.row_scale.push_back(size > 0 ? 1 / std::sqrt(size) : 1);
      stress.row.push_back(closure.first_row + r);
      stress.carried.push_back(carry(elimination, scratch, closure, r));
    }
  }
  const Index rows = static_cast<Index>(stress.row.size());
  Dense F = Dense::Zero(std::max(freedoms, rows), rows);
  for (Index k = 0; k < rows; ++k) {
    for (const auto& [node, f] : stress.carried[static_cast<std::size_t>(k)]) {
      const TreeNode& tree = elimination.nodes[at(node)];
      for (int j = 0; j < tree.freedoms; ++j) {
        const Pair& S = tree.hinge ? scratch.nodes[at(node)].S : scratch.S[at(tree.columns + j)];
        const double size = std::sqrt(L * L * dot(S.ang, S.ang) + dot(S.lin, S.lin));
        F(first_freedom[node] + j, k) = stress.row_scale[static_cast<std::size_t>(k)] * dot(S, f) / size;
      }
    }
  }
  const Eigen::JacobiSVD<Dense> svd(F, Eigen::ComputeThinV);
  const Vector& sizes = svd.singularValues();
  Index rank = 0;
  while (rank < rows && sizes(rank) > std::sqrt(kRankTolerance) * std::max(sizes(0), 1e-300)) { ++rank; }
  stress.null = svd.matrixV().rightCols(rows - rank);
  return stress;
}

/// Rows of a matrix over all joints: force, moment about the second joint point divided by the length.
void add_wrench(Vector& to, int joint, const Reaction& r, double factor, double length) {
  for (std::size_t k = 0; k < 3; ++k) {
    to(Index{6} * joint + static_cast<Index>(k)) += factor * r.force_N[k];
    to(Index{6} * joint + 3 + static_cast<Index>(k)) += factor * r.moment_N[k] / length;
  }
}

/// What a joint of the tree does to its second body, where the parent exerts f on the node.
Reaction through_joint(const Model& model, std::span<const double> y, const Scratch& scratch, const TreeNode& tree,
                       const Pair& f) {
  const auto [first, second] = tree_sweep::ends_of(model.elimination(), y, scratch, tree.joint);
  const Vec3<double> from_centre = second.point() - (tree.is_second ? second.r : first.r);
  const double sign = tree.is_second ? 1 : -1;
  return {sign * f.lin, sign * (f.ang - cross(from_centre, f.lin))};
}

/// Whether a group is too large for the dense matrices below.
bool is_too_large(const EliminationOrder& elimination, const Group& group) {
  int rows = 0;
  for (const int c : group.closures) { rows += elimination.closures[at(c)].rows; }
  constexpr double kMostProducts = 2e8;
  return rows > kMostRowsTold || static_cast<double>(group.nodes.size()) * rows * rows > kMostProducts;
}

/// The joints that the loops of a group pass, in order.
std::vector<int> joints_of(const EliminationOrder& elimination, const Group& group) {
  std::vector<int> joints;
  for (const int node : group.nodes) {
    if (elimination.nodes[at(node)].joint >= 0) { joints.push_back(elimination.nodes[at(node)].joint); }
  }
  for (const int c : group.closures) {
    if (elimination.closures[at(c)].joint >= 0) { joints.push_back(elimination.closures[at(c)].joint); }
  }
  std::sort(joints.begin(), joints.end());
  return joints;
}

/// The wrenches of a group's joints in every self-stress, one a column: six rows a joint.
struct JointWrenches {
  std::vector<int> joints;
  Dense B;
};
JointWrenches joint_wrenches(const Model& model, std::span<const double> y, const Scratch& scratch, const Group& group,
                             const SelfStress& stress) {
  const EliminationOrder& elimination = model.elimination();
  const double L = model.length();
  JointWrenches found{joints_of(elimination, group), {}};
  std::map<int, int> joint_index;
  for (std::size_t i = 0; i < found.joints.size(); ++i) { joint_index[found.joints[i]] = static_cast<int>(i); }
  Dense& B = found.B;
  B = Dense::Zero(6 * static_cast<Index>(found.joints.size()), stress.null.cols());
  for (Index c = 0; c < B.cols(); ++c) {
    Vector column = Vector::Zero(B.rows());
    std::map<int, Pair> through;
    for (std::size_t k = 0; k < stress.row.size(); ++k) {
      const double nu = stress.row_scale[k] * stress.null(static_cast<Index>(k), c);
      for (const auto& [node, f] : stress.carried[k]) { through[node] += nu * f; }
    }
    for (const auto& [node, f] : through) {
      const TreeNode& tree = elimination.nodes[at(node)];
      if (tree.joint >= 0) {
        add_wrench(column, joint_index[tree.joint], through_joint(model, y, scratch, tree, f), 1, L);
      }
    }
    std::size_t k = 0;
    for (const int id : group.closures) {
      const Closure& closure = elimination.closures[at(id)];
      for (int r = 0; r < closure.rows; ++r, ++k) {
        if (closure.joint < 0) { continue; }
        const Pair& side = scratch.rows[at(closure.first_row + r)].sides[1];
        const auto [first, second] = tree_sweep::ends_of(elimination, y, scratch, closure.joint);
        add_wrench(column, joint_index[closure.joint], {side.lin, side.ang - cross(second.lever, side.lin)},
                   -stress.row_scale[k] * stress.null(static_cast<Index>(k), c), L);
      }
    }
    B.col(c) = column;
  }
  return found;
}

std::string direction_text(const Vec3<double>& d) {
  const Vec3<double> n = d / norm(d);
  const char* names[3] = {"x", "y", "z"};
  for (std::size_t k = 0; k < 3; ++k) {
    if (std::fabs(n[k]) > 1 - 1e-9) { return names[k]; }
  }
  const double sign = n.x < -1e-9 || (std::fabs(n.x) < 1e-9 && n.y < 0) ? -1 : 1;
  return fmt::format("({:.3g}, {:.3g}, {:.3g})", sign * n.x + 0.0, sign * n.y + 0.0, sign * n.z + 0.0);
}

/// "'a', 'b' and 'c'"; of many the first ones.
std::string names_of(const Model& model, const std::vector<int>& joints) {
  constexpr std::size_t kMostNames = 8;
  const std::size_t shown = joints.size() > kMostNames ? kMostNames - 1 : joints.size();
  std::string names;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == joints.size();
    names += (i == 0 ? "" : last ? " and " : ", ") + fmt::format("'{}'", model.joints()[at(joints[i])].name);
  }
  return shown == joints.size() ? names : names + fmt::format(" and {} more", joints.size() - shown);
}

/// "the rotation about x"
std::string held_direction(const Redundancy& found) {
  const Reaction& w = found.wrenches.front();
  return norm(w.moment_N) >= norm(w.force_N) ? "the rotation about " + direction_text(w.moment_N)
                                             : "the motion along " + direction_text(w.force_N);
}

const std::string& body_of(const Model& model, const std::vector<int>& joints) {
  const JointDescription& joint = model.joints()[at(joints.front())];
  return model.bodies()[at(joint.second >= 0 ? joint.second : joint.first)].name;
}

/// "joints 'a' and 'c' both fix the rotation about x of body 'b'"
std::string in_words(const Model& model, const Redundancy& found) {
  if (found.joints.empty()) { return "constraints of couplings or drivers are redundant"; }
  return fmt::format("{} {} {} {} of body '{}'", found.joints.size() == 1 ? "joint" : "joints",
                     names_of(model, found.joints),
                     found.joints.size() == 1   ? "redundantly constrains"
                     : found.joints.size() == 2 ? "both fix"
                                                : "together fix twice",
                     held_direction(found), body_of(model, found.joints));
}

/// What to change, for directions that the same joints hold.
std::string cure_of(const std::vector<std::string>& directions, std::size_t joints) {
  const auto is_rotation = [](const std::string& one) { return one.starts_with("the rotation"); };
  const bool turns = std::any_of(directions.begin(), directions.end(), is_rotation);
  const bool slides = !std::all_of(directions.begin(), directions.end(), is_rotation);
  const std::string what = directions.size() == 1 ? "it" : "them";
  if (joints == 1) { return fmt::format("let the joint leave {} free, or remove what else holds {}", what, what); }
  return fmt::format("let one of these joints leave {} free: {}", what,
                     turns && slides ? "a spherical one turns about every axis, a cylindrical one slides along its own"
                     : turns         ? "a spherical one turns about every axis"
                                     : "a cylindrical one slides along its axis");
}

std::string cause_in_words(const Model& model, const std::vector<int>& joints,
                           const std::vector<std::string>& directions, int count) {
  if (joints.empty()) { return "constraints of couplings or drivers are redundant: remove one of them"; }
  constexpr std::size_t kMostDirections = 6;
  std::string held;
  for (std::size_t i = 0; i < std::min(directions.size(), kMostDirections); ++i) {
    held += (i == 0 ? "" : i + 1 == directions.size() ? " and " : ", ") + directions[i];
  }
  if (directions.size() > kMostDirections) { held += " and others"; }
  const std::string what =
      count > static_cast<int>(directions.size()) ? fmt::format("{}, in all {} constraints,", held, count) : held;
  return fmt::format("{} {} {} {} of body '{}'; {}", joints.size() == 1 ? "joint" : "joints", names_of(model, joints),
                     joints.size() == 1   ? "redundantly constrains"
                     : joints.size() == 2 ? "both fix"
                                          : "together fix more than once",
                     what, body_of(model, joints), cure_of(directions, joints.size()));
}

/// A basis of the same space with many zeros: each vector gets a row of its own, the largest that is left.
void make_sparse(Dense& B) {
  for (Index k = 0; k < B.cols(); ++k) {
    Index row = 0;
    Index column = 0;
    const double most = B.rightCols(B.cols() - k).cwiseAbs().maxCoeff(&row, &column);
    if (most < 1e-12) { return; }
    B.col(k).swap(B.col(k + column));
    B.col(k) /= B(row, k);
    for (Index other = 0; other < B.cols(); ++other) {
      if (other != k) { B.col(other) -= B(row, other) * B.col(k); }
    }
  }
}

}  // namespace

std::vector<Redundancy> redundancies(const Model& model, double t, std::span<const double> y) {
  Scratch scratch(model);
  std::vector<double> ydot(y.size());
  evaluate(model, t, y, ydot, scratch);
  std::vector<Redundancy> list;
  for (const Group& group : groups_of(model.elimination())) {
    if (is_too_large(model.elimination(), group)) { continue; }
    auto [joints, B] = joint_wrenches(model, y, scratch, group, self_stress(model, scratch, group));
    if (B.cols() == 0) { continue; }
    if (B.rows() > 0) { make_sparse(B); }
    for (Index c = 0; c < B.cols(); ++c) {
      Redundancy found;
      const double most = B.rows() > 0 ? B.col(c).cwiseAbs().maxCoeff() : 0;
      for (std::size_t i = 0; most > 1e-9 && i < joints.size(); ++i) {
        const auto w = B.col(c).segment<6>(6 * static_cast<Index>(i)) / most;
        if (w.norm() < 1e-6) { continue; }
        found.joints.push_back(joints[i]);
        found.wrenches.push_back({{w(0), w(1), w(2)}, {w(3), w(4), w(5)}});
      }
      found.text = in_words(model, found);
      list.push_back(std::move(found));
    }
  }
  return list;
}

std::vector<RedundancyCause> causes_of(const Model& model, const std::vector<Redundancy>& redundancies) {
  // redundancies that have more than half of their joints in common are of one loop
  std::vector<std::size_t> leader(redundancies.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (leader[i] != i) { i = leader[i] = leader[leader[i]]; }
    return i;
  };
  std::map<int, std::vector<std::size_t>> with_joint;
  std::optional<std::size_t> without_joints;
  for (std::size_t i = 0; i < redundancies.size(); ++i) {
    const std::vector<int>& joints = redundancies[i].joints;
    if (joints.empty()) { leader[i] = find(*(without_joints = without_joints.value_or(i))); }
    std::map<std::size_t, std::size_t> in_common;
    for (const int joint : joints) {
      for (const std::size_t other : with_joint[joint]) { ++in_common[other]; }
      with_joint[joint].push_back(i);
    }
    for (const auto& [other, count] : in_common) {
      if (2 * count > std::min(joints.size(), redundancies[other].joints.size())) { leader[find(i)] = find(other); }
    }
  }
  std::map<std::size_t, RedundancyCause> causes;
  std::map<std::size_t, std::vector<std::string>> directions;
  for (std::size_t i = 0; i < redundancies.size(); ++i) {
    RedundancyCause& cause = causes[find(i)];
    ++cause.directions;
    cause.joints.insert(cause.joints.end(), redundancies[i].joints.begin(), redundancies[i].joints.end());
    if (redundancies[i].joints.empty()) { continue; }
    std::vector<std::string>& words = directions[find(i)];
    std::string direction = held_direction(redundancies[i]);
    if (std::find(words.begin(), words.end(), direction) == words.end()) { words.push_back(std::move(direction)); }
  }
  std::vector<RedundancyCause> list;
  list.reserve(causes.size());
  for (auto& [key, cause] : causes) {
    std::sort(cause.joints.begin(), cause.joints.end());
    cause.joints.erase(std::unique(cause.joints.begin(), cause.joints.end()), cause.joints.end());
    cause.text = cause_in_words(model, cause.joints, directions[key], cause.directions);
    list.push_back(std::move(cause));
  }
  return list;
}

LeastReactions least_reactions(const Model& model, std::span<const double> y, Scratch& scratch) {
  const double L = model.length();
  LeastReactions least;
  least.reactions.resize(model.joint_count());
  least.determined.assign(model.joint_count(), true);
  reactions(model, y, scratch, least.reactions);
  for (const Group& group : groups_of(model.elimination())) {
    if (is_too_large(model.elimination(), group)) {
      for (const int j : joints_of(model.elimination(), group)) { least.determined[at(j)] = false; }
      continue;
    }
    const auto [joints, B] = joint_wrenches(model, y, scratch, group, self_stress(model, scratch, group));
    if (B.cols() == 0) { continue; }
    least.redundant_rows += static_cast<int>(B.cols());
    if (B.rows() == 0) { continue; }
    Vector any = Vector::Zero(B.rows());
    for (std::size_t i = 0; i < joints.size(); ++i) {
      add_wrench(any, static_cast<int>(i), least.reactions[at(joints[i])], 1, L);
    }
    const Eigen::ColPivHouseholderQR<Dense> qr(B);
    const Dense Q = Dense(qr.householderQ() * Dense::Identity(B.rows(), qr.rank()));
    const Vector change = -(Q * (Q.transpose() * any));
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const Index first = 6 * static_cast<Index>(i);
      if (Q.middleRows(first, 6).norm() < 1e-7) { continue; }
      least.determined[at(joints[i])] = false;
      const auto w = change.segment<6>(first);
      Reaction& r = least.reactions[at(joints[i])];
      r.force_N += Vec3<double>{w(0), w(1), w(2)};
      r.moment_N += L * Vec3<double>{w(3), w(4), w(5)};
    }
  }
  return least;
}

}  // namespace polhode
