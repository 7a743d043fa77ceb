#include "polhode/multibody/loop_group.h"
#include "polhode/multibody/node_state.h"

#include <algorithm>
#include <cmath>

namespace polhode {
namespace {

using Node = Scratch::Node;
using tree_sweep::end_of;
using tree_sweep::ends_of;
using tree_sweep::read_bodies;
using tree_sweep::state_of;
using tree_sweep::three;

/// Pivots below this part of the rank tolerance are no pivots: the filter would leave 10⁻¹² of their inverse.
constexpr double kNoPivot = 1e-4;
/// Pivots above this multiple of it are taken as they are.
constexpr double kSurePivot = 4;

/// Numbers of a pair.
constexpr std::ptrdiff_t kPair = 6;

/// What is solved for: accelerations, small displacements, or changes of velocity. Matrices are the same.
enum class Level { acceleration, position, velocity };

void evaluate_closures(const Model& model, double t, std::span<const double> y, Scratch& scratch) {
  const EliminationOrder& elimination = model.elimination();
  for (const Closure& closure : elimination.closures) {
    const ModelConstraint& constraint = model.constraints()[at(closure.constraint)];
    const auto end = [&](std::size_t s) {
      return end_of(elimination, y, scratch, closure.sides[s], constraint.ends[s].lever_B, constraint.ends[s].axes_B);
    };
    model.rows(constraint.id, t, end, scratch.rows.data() + closure.first_row);
    put_acting_first(closure, scratch.nodes[at(closure.sides[0])].R, scratch.rows.data() + closure.first_row);
  }
}

void write_pair(double* to, const Pair& p) {
  to[0] += p.ang.x, to[1] += p.ang.y, to[2] += p.ang.z, to[3] += p.lin.x, to[4] += p.lin.y, to[5] += p.lin.z;
}
Pair read_pair(const double* from) { return {three(from), three(from + 3)}; }

/// Rows of closures into the nodes they act on: K at every side, k once, at the top.
void enter_closures(const EliminationOrder& elimination, std::span<const double> y, Level level, Scratch& scratch) {
  double* numbers = scratch.loop_numbers.data();
  const double beta = level == Level::acceleration ? scratch.baumgarte_rate : 0;
  for (const NodeLoops& loops : elimination.loops) { std::fill(numbers + loops.begin, numbers + loops.end, 0.0); }
  const auto item_of = [&](int node, int closure) -> const NodeLoops::Item& {
    const std::vector<NodeLoops::Item>& items = elimination.loops[at(elimination.nodes[at(node)].loops)].items;
    return *std::lower_bound(items.begin(), items.end(), closure,
                             [](const NodeLoops::Item& item, int c) { return item.closure < c; });
  };
  for (int c = 0; c < static_cast<int>(elimination.closures.size()); ++c) {
    const Closure& closure = elimination.closures[at(c)];
    if (closure.acting == 0) { continue; }
    const NodeLoops::Item& top = item_of(closure.top, c);
    for (int r = 0; r < closure.acting; ++r) {
      const ConstraintRow<double>& row = scratch.rows[at(closure.first_row + r)];
      double speed = -row.rate;
      double scale = 0;
      for (std::size_t s = 0; s < closure.sides.size(); ++s) {
        const int node = closure.sides[s];
        if (node == 0) { continue; }
        const TreeNode& body = elimination.nodes[at(node)];
        scale += dot(row.sides[s].lin, row.sides[s].lin) / body.mass +
                 3 * dot(row.sides[s].ang, row.sides[s].ang) / trace(body.J_B);
        write_pair(numbers + item_of(node, c).K + kPair * r, row.sides[s]);
        if (level == Level::velocity || beta != 0) {
          speed += dot(row.sides[s], {scratch.nodes[at(node)].w, three(state_of(elimination.nodes[at(node)], y) + 7)});
        }
      }
      numbers[top.scale + r] = scale;
      numbers[top.k + r] = level == Level::position   ? row.value
                           : level == Level::velocity ? speed
                           : beta == 0                ? -row.gamma
                                                      : -row.gamma + beta * (2 * speed + beta * row.value);
    }
  }
}

/// The inverse of a positive semidefinite L of n rows on rows that are independent, zero on those that repeat them; by
/// sweeping, [Goodnight1979]. Pivots are chosen by their size l relative to `scale`, and let go smoothly about the
/// tolerance τ:
///
///   1/l → (10 u³ − 15 u⁴ + 6 u⁵)/l,   u = l/4τ < 1          (MEC-42)
///
/// With none of that size, P L P = P and L P L = L. Not `smooth`: pivots below τ are none, others are taken as they
/// are. Returns the rank, as a threshold at τ counts it.
int generalised_inverse(int n, double* L, const double* scale, double tolerance, bool smooth, double* P,
                        double& least) {
  bool swept[6] = {};
  int rank = 0;
  for (int step = 0; step < n; ++step) {
    int pivot = -1;
    double best = smooth ? kNoPivot * tolerance : tolerance;
    for (int i = 0; i < n; ++i) {
      if (swept[i] || !(scale[i] > 0)) { continue; }
      const double size = L[i * n + i] / scale[i];
      if (size > best) {
        best = size;
        pivot = i;
      }
    }
    if (pivot < 0) { break; }
    swept[pivot] = true;
    double inverse = 1 / L[pivot * n + pivot];
    if (best > tolerance) {
      least = std::min(least, best);
      ++rank;
    }
    if (smooth && best < kSurePivot * tolerance) {
      const double u = best / (kSurePivot * tolerance);
      inverse *= u * u * u * (10 - u * (15 - 6 * u));
    }
    for (int i = 0; i < n; ++i) {
      if (i == pivot) { continue; }
      const double factor = L[i * n + pivot] * inverse;
      for (int j = 0; j < n; ++j) {
        if (j != pivot) { L[i * n + j] -= factor * L[pivot * n + j]; }
      }
    }
    for (int i = 0; i < n; ++i) {
      if (i == pivot) { continue; }
      // swept columns change sign, so that what is swept stays symmetric
      L[i * n + pivot] *= inverse;
      L[pivot * n + i] *= inverse;
    }
    L[pivot * n + pivot] = -inverse;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) { P[i * n + j] = swept[i] && swept[j] ? -L[i * n + j] : 0; }
  }
  return rank;
}

/// Eliminates the multipliers of what closes at a node.
///
///   λ_t = L_tt⁺ (K_t a + k_t − Σ L_ty λ_y)                  (MEC-18)
void close_loops(const NodeLoops& loops, bool is_ground, Scratch& scratch, ArticulatedInertia& M, Pair& p) {
  double* x = scratch.loop_numbers.data();
  for (int t = 0; t < loops.closing; ++t) {
    const NodeLoops::Item& item = loops.items[at(t)];
    const int n = item.rows;
    double* P = x + item.inverse;
    scratch.loop_rank += generalised_inverse(n, x + item.diagonal, x + item.scale, kRankTolerance, scratch.fades_out, P,
                                             scratch.least_pivot);
    const double* K = x + item.K;
    const double* k = x + item.k;

    if (!is_ground) {
      // M + Kᵀ P K,  p + Kᵀ P k
      for (int r = 0; r < n; ++r) {
        Pair W{};
        double w = 0;
        for (int s = 0; s < n; ++s) {
          W += P[r * n + s] * read_pair(K + kPair * s);
          w += P[r * n + s] * k[s];
        }
        const Pair row = read_pair(K + kPair * r);
        // the sum over rows is symmetric: six numbers of the nine
        const auto add = [](auto& to, const Vec3<double>& left, const Vec3<double>& right) {
          to.xx += left.x * right.x;
          to.xy += left.x * right.y;
          to.xz += left.x * right.z;
          to.yy += left.y * right.y;
          to.yz += left.y * right.z;
          to.zz += left.z * right.z;
        };
        add(M.A, row.ang, W.ang);
        M.B = M.B + outer(row.ang, W.lin);
        add(M.C, row.lin, W.lin);
        p += w * row;
      }
    }
    // what it leaves on those that come later: with X = L_ty, Y = L_tz
    const int* target = item.targets.data();
    for (std::size_t a = 0; a < item.later.size(); ++a) {
      const NodeLoops::Item& y = loops.items[at(item.later[a].item)];
      const double* X = x + item.later[a].offset;  // n × rows(y)
      double XP[6][6];                             // Xᵀ P: rows(y) × n
      for (int i = 0; i < y.rows; ++i) {
        for (int s = 0; s < n; ++s) {
          double sum = 0;
          for (int r = 0; r < n; ++r) { sum += X[r * y.rows + i] * P[r * n + s]; }
          XP[i][s] = sum;
        }
        double change = 0;
        for (int s = 0; s < n; ++s) { change += XP[i][s] * k[s]; }
        x[y.k + i] -= change;
        if (!is_ground) {
          for (int j = 0; j < 6; ++j) {
            double sum = 0;
            for (int s = 0; s < n; ++s) { sum += XP[i][s] * K[6 * s + j]; }
            x[y.K + 6 * i + j] -= sum;
          }
        }
      }
      for (std::size_t b = a; b < item.later.size(); ++b) {
        const NodeLoops::Item& z = loops.items[at(item.later[b].item)];
        const double* Z = x + item.later[b].offset;
        double* to = x + *target++;
        for (int i = 0; i < y.rows; ++i) {
          for (int j = 0; j < z.rows; ++j) {
            double sum = 0;
            for (int s = 0; s < n; ++s) { sum += XP[i][s] * Z[s * z.rows + j]; }
            to[i * z.rows + j] -= sum;
          }
        }
      }
    }
  }
}

/// The multipliers of what closed at a node, from its acceleration and those that closed nearer to the root.
void open_again(const EliminationOrder& elimination, const NodeLoops& loops, const Pair& a, Scratch& scratch) {
  const double* x = scratch.loop_numbers.data();
  for (int t = loops.closing; t-- > 0;) {
    const NodeLoops::Item& item = loops.items[at(t)];
    const int n = item.rows;
    double right[6];
    for (int r = 0; r < n; ++r) {
      right[r] = x[item.k + r] + dot(read_pair(x + item.K + kPair * r), a);
      for (const NodeLoops::Link& link : item.later) {
        const NodeLoops::Item& y = loops.items[at(link.item)];
        const double* lambda = scratch.lambda.data() + elimination.closures[at(y.closure)].first_row;
        for (int j = 0; j < y.rows; ++j) { right[r] -= x[link.offset + r * y.rows + j] * lambda[j]; }
      }
    }
    double* lambda = scratch.lambda.data() + elimination.closures[at(item.closure)].first_row;
    for (int r = 0; r < n; ++r) {
      lambda[r] = 0;
      for (int s = 0; s < n; ++s) { lambda[r] += x[item.inverse + r * n + s] * right[s]; }
    }
  }
}

/// Takes the freedoms of a node's joint out of the rows that stay open, and hands these to the parent.
///
///   K' = K − K S D⁻¹ Uᵀ,   L' = L + K S D⁻¹ (K S)ᵀ,   k' = k + K S D⁻¹ u + K' c      (MEC-19)
void pass_loops_to_parent(const EliminationOrder& elimination, const TreeNode& tree, const NodeLoops& loops, int f,
                          const Pair* S, const Pair* U, const double* inverse_D, const double* u, const Pair& c,
                          const Vec3<double>& shift, Scratch& scratch) {
  double* x = scratch.loop_numbers.data();
  const std::size_t open = at(loops.closing);
  for (std::size_t t = open; t < loops.items.size(); ++t) {
    const NodeLoops::Item& item = loops.items[t];
    double* G = x + item.inverse;  // K S D⁻¹
    for (int r = 0; r < item.rows; ++r) {
      const Pair K = read_pair(x + item.K + kPair * r);
      double KS[6];
      for (int j = 0; j < f; ++j) { KS[j] = dot(K, S[j]); }
      for (int j = 0; j < f; ++j) {
        double sum = 0;
        for (int l = 0; l < f; ++l) { sum += KS[l] * inverse_D[l * f + j]; }
        G[r * f + j] = sum;
      }
    }
  }
  for (std::size_t t = open; t < loops.items.size(); ++t) {
    const NodeLoops::Item& item = loops.items[t];
    const double* G = x + item.inverse;
    const auto fill = [&](const NodeLoops::Item& y, int block) {
      double KS[6][6];
      for (int s = 0; s < y.rows; ++s) {
        const Pair K = read_pair(x + y.K + kPair * s);
        for (int j = 0; j < f; ++j) { KS[s][j] = dot(K, S[j]); }
      }
      for (int r = 0; r < item.rows; ++r) {
        for (int s = 0; s < y.rows; ++s) {
          double sum = 0;
          for (int j = 0; j < f; ++j) { sum += G[r * f + j] * KS[s][j]; }
          x[block + r * y.rows + s] += sum;
        }
      }
    };
    fill(item, item.diagonal);
    for (const NodeLoops::Link& link : item.later) { fill(loops.items[at(link.item)], link.offset); }
  }
  const NodeLoops& parent_loops = elimination.loops[at(elimination.nodes[at(tree.parent)].loops)];
  for (std::size_t t = open; t < loops.items.size(); ++t) {
    const NodeLoops::Item& item = loops.items[t];
    const NodeLoops::Item& parent_item = parent_loops.items[at(item.parent_item)];
    const double* G = x + item.inverse;
    for (int r = 0; r < item.rows; ++r) {
      Pair K = read_pair(x + item.K + kPair * r);
      double k = x[item.k + r];
      for (int j = 0; j < f; ++j) {
        K = K - G[r * f + j] * U[j];
        k += G[r * f + j] * u[j];
      }
      x[parent_item.k + r] += k + dot(K, c);
      if (tree.parent != 0) { write_pair(x + parent_item.K + kPair * r, {K.ang + cross(shift, K.lin), K.lin}); }
    }
  }
  for (const NodeLoops::Message& m : loops.blocks_to_parent) {
    for (int i = 0; i < m.size; ++i) { x[m.to + i] += x[m.from + i]; }
  }
}

Sym3 inertia_in_space(const TreeNode& tree, const Mat3<double>& R) {
  if (!tree.diagonal) { return turned_sym(R, tree.J_B); }
  // J3 I + (J1 − J3) x xᵀ + (J2 − J3) y yᵀ
  const double J3 = tree.J_B(2, 2);
  const double a = tree.J_B(0, 0) - J3;
  const double b = tree.J_B(1, 1) - J3;
  const Vec3<double> x = column(R, 0);
  const Vec3<double> y = column(R, 1);
  const Vec3<double> ax = a * x;
  const Vec3<double> by = b * y;
  return {J3 + (ax.x * x.x + by.x * y.x), ax.x * x.y + by.x * y.y, ax.x * x.z + by.x * y.z,
          J3 + (ax.y * x.y + by.y * y.y), ax.y * x.z + by.y * y.z, J3 + (ax.z * x.z + by.z * y.z)};
}

/// M − Σ Wₖ Uₖᵀ, which is symmetric as a whole.
void take_away_sum(ArticulatedInertia& M, const Pair* W, const Pair* U, int f) {
  for (int k = 0; k < f; ++k) {
    const Pair& a = W[k];
    const Pair& b = U[k];
    M.A.xx -= a.ang.x * b.ang.x;
    M.A.xy -= a.ang.x * b.ang.y;
    M.A.xz -= a.ang.x * b.ang.z;
    M.A.yy -= a.ang.y * b.ang.y;
    M.A.yz -= a.ang.y * b.ang.z;
    M.A.zz -= a.ang.z * b.ang.z;
    M.B = M.B - outer(a.ang, b.lin);
    M.C.xx -= a.lin.x * b.lin.x;
    M.C.xy -= a.lin.x * b.lin.y;
    M.C.xz -= a.lin.x * b.lin.z;
    M.C.yy -= a.lin.y * b.lin.y;
    M.C.yz -= a.lin.y * b.lin.z;
    M.C.zz -= a.lin.z * b.lin.z;
  }
}

/// What brings a joint's second body back, at the level of accelerations (MEC-32).
Pair baumgarte(const JointDescription& joint, const End<double>& first, const End<double>& second, double beta) {
  return beta * (2.0 * velocity_correction(*joint.kind, joint.parameter, first, second) +
                 beta * position_correction(*joint.kind, joint.parameter, first, second));
}

/// Adds the articulated inertia and bias force of a node's subtree to those of its parent.
void pass_to_parent(const TreeNode& tree, const ArticulatedInertia& M, const Pair& p, const Vec3<double>& shift,
                    Node& parent) {
  const ArticulatedInertia felt = shifted(M, shift);
  const Pair force{p.ang + cross(shift, p.lin), p.lin};
  if (tree.is_first_eliminated) {
    parent.sum = felt;
    parent.force_sum = force;
  } else {
    parent.sum += felt;
    parent.force_sum += force;
  }
}

template <Level level>
void eliminate_hinge(const Model& model, std::span<const double> y, Scratch& scratch, const TreeNode& tree, Node& x,
                     ArticulatedInertia& M, Pair& p) {
  const EliminationOrder& elimination = model.elimination();
  Node& parent = scratch.nodes[at(tree.parent)];
  const Vec3<double> lever = x.R * tree.lever_B;
  const Vec3<double> lever_parent = parent.R * tree.lever_parent_B;
  x.shift = lever_parent - lever;
  x.S.ang = x.R * tree.axis_B;
  x.S.lin = cross(lever, x.S.ang);
  if constexpr (level == Level::acceleration) {
    x.c.ang = cross(parent.w, x.w);
    x.c.lin = (cross(parent.w, cross(parent.w, lever_parent)) - cross(x.w, cross(x.w, lever))) - cross(x.c.ang, lever);
    if (scratch.baumgarte_rate != 0) {
      const auto [first, second] = ends_of(elimination, y, scratch, tree.joint);
      const Pair b = (tree.is_second ? 1.0 : -1.0) *
                     baumgarte(model.joints()[at(tree.joint)], first, second, scratch.baumgarte_rate);
      x.c += Pair{b.ang, b.lin - cross(b.ang, lever)};
    }
  } else {
    const JointDescription& joint = model.joints()[at(tree.joint)];
    const auto [first, second] = ends_of(elimination, y, scratch, tree.joint);
    const Pair b = level == Level::position ? position_correction(*joint.kind, joint.parameter, first, second)
                                            : velocity_correction(*joint.kind, joint.parameter, first, second);
    const Pair signed_b = tree.is_second ? b : -1.0 * b;
    x.c = {signed_b.ang, signed_b.lin - cross(signed_b.ang, lever)};
  }
  x.U = M * x.S;
  x.inverse_D = 1 / dot(x.S, x.U);
  x.u = -dot(x.S, p);
  if (tree.loops >= 0) {
    const NodeLoops& loops = elimination.loops[at(tree.loops)];
    if (at(loops.closing) < loops.items.size()) {
      pass_loops_to_parent(elimination, tree, loops, 1, &x.S, &x.U, &x.inverse_D, &x.u, x.c, x.shift, scratch);
    }
  }
  if (tree.parent == 0) { return; }
  take_away(M, x.U, x.inverse_D);
  p += (x.inverse_D * x.u) * x.U + M * x.c;
  pass_to_parent(tree, M, p, x.shift, parent);
}

template <Level level>
void eliminate_joint(const Model& model, std::span<const double> y, Scratch& scratch, const TreeNode& tree, Node& x,
                     ArticulatedInertia& M, Pair& p) {
  const EliminationOrder& elimination = model.elimination();
  Node& parent = scratch.nodes[at(tree.parent)];
  const int f = tree.freedoms;
  Pair* S = scratch.S.data() + tree.columns;
  Pair* U = scratch.U.data() + tree.columns;
  double* u = scratch.u.data() + tree.columns;
  double* inverse_D = scratch.inverse_D.data() + kPair * tree.columns;

  x.c = {};
  x.shift = {};
  if (tree.joint < 0) {
    for (std::size_t k = 0; k < 3; ++k) {
      S[k] = {axis_vector<double>(k), {}};
      S[k + 3] = {{}, axis_vector<double>(k)};
    }
  } else {
    const JointDescription& joint = model.joints()[at(tree.joint)];
    const auto [first, second] = ends_of(elimination, y, scratch, tree.joint);
    JointMotion motion;
    joint_motion(*joint.kind, joint.parameter, first, second, motion);
    const double sign = tree.is_second ? 1 : -1;
    const Vec3<double>& lever = tree.is_second ? motion.lever2 : motion.lever1;
    const Vec3<double>& lever_parent = tree.is_second ? motion.lever1 : motion.lever2;
    x.shift = lever_parent - lever;
    for (int k = 0; k < f; ++k) {
      const Pair column = sign * motion.columns[at(k)];
      S[k] = {column.ang, column.lin + cross(lever, column.ang)};
    }
    Pair b{};
    if constexpr (level == Level::acceleration) {
      b = sign * motion.bias;
      if (scratch.baumgarte_rate != 0) { b += sign * baumgarte(joint, first, second, scratch.baumgarte_rate); }
    } else if constexpr (level == Level::position) {
      b = sign * position_correction(*joint.kind, joint.parameter, first, second);
    } else {
      b = sign * velocity_correction(*joint.kind, joint.parameter, first, second);
    }
    x.c = {b.ang, b.lin - cross(b.ang, lever)};
    if constexpr (level == Level::acceleration) {
      x.c.lin += cross(parent.w, cross(parent.w, lever_parent)) - cross(x.w, cross(x.w, lever));
    }
  }
  double D[36];
  double scale[6];
  for (int k = 0; k < f; ++k) {
    U[k] = M * S[k];
    u[k] = -dot(S[k], p);
  }
  for (int k = 0; k < f; ++k) {
    for (int l = 0; l < f; ++l) { D[k * f + l] = dot(S[k], U[l]); }
    scale[k] = D[k * f + k];
  }
  double least = 1;
  generalised_inverse(f, D, scale, 0, false, inverse_D, least);
  if (tree.loops >= 0) {
    const NodeLoops& loops = elimination.loops[at(tree.loops)];
    if (at(loops.closing) < loops.items.size()) {
      pass_loops_to_parent(elimination, tree, loops, f, S, U, inverse_D, u, x.c, x.shift, scratch);
    }
  }
  if (tree.parent == 0) { return; }
  Pair W[6];
  for (int k = 0; k < f; ++k) {
    W[k] = {};
    for (int l = 0; l < f; ++l) { W[k] += inverse_D[k * f + l] * U[l]; }
    p += u[k] * W[k];
  }
  take_away_sum(M, W, U, f);
  p += M * x.c;
  pass_to_parent(tree, M, p, x.shift, parent);
}

/// From the leaves toward the root (ground).
template <Level level>
void sweep_toward_root(const Model& model, std::span<const double> y, bool loaded, Scratch& scratch) {
  const EliminationOrder& elimination = model.elimination();
  scratch.loop_rank = 0;
  scratch.least_pivot = 1;
  const Vec3<double> g = model.gravity_N();
  for (std::size_t i = elimination.nodes.size(); i-- > 1;) {
    const TreeNode& tree = elimination.nodes[i];
    Node& x = scratch.nodes[i];
    const Sym3 J = inertia_in_space(tree, x.R);
    ArticulatedInertia M;
    Pair p;
    if (tree.has_children) {
      M = x.sum;
      p = x.force_sum;
    }
    M.A += J;
    M.C.xx += tree.mass;
    M.C.yy += tree.mass;
    M.C.zz += tree.mass;
    if constexpr (level == Level::acceleration) {
      p.ang += cross(x.w, J * x.w);
      p.lin -= tree.mass * g;
      if (loaded) { p = p - scratch.applied[i]; }
    }
    if (tree.loops >= 0) { close_loops(elimination.loops[at(tree.loops)], false, scratch, M, p); }
    if (tree.hinge) {
      eliminate_hinge<level>(model, y, scratch, tree, x, M, p);
    } else {
      eliminate_joint<level>(model, y, scratch, tree, x, M, p);
    }
  }
  if (elimination.nodes[0].loops >= 0) {
    ArticulatedInertia M;
    Pair p;
    close_loops(elimination.loops[at(elimination.nodes[0].loops)], true, scratch, M, p);
  }
}

/// From the root (ground) toward the leaves: `a` of every node, and the multipliers. `visit(i)` sees each node when its
/// `a` is known.
template <class Visit>
void sweep_toward_leaves(const EliminationOrder& elimination, Scratch& scratch, const Visit& visit) {
  if (elimination.nodes[0].loops >= 0) {
    open_again(elimination, elimination.loops[at(elimination.nodes[0].loops)], {}, scratch);
  }
  for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
    const TreeNode& tree = elimination.nodes[i];
    Node& x = scratch.nodes[i];
    const Pair& parent_a = scratch.nodes[at(tree.parent)].a;
    const Pair a{parent_a.ang + x.c.ang, parent_a.lin + cross(parent_a.ang, x.shift) + x.c.lin};
    const NodeLoops* loops = tree.loops >= 0 ? &elimination.loops[at(tree.loops)] : nullptr;
    // − (K S D⁻¹)ᵀ λ of the rows that are open here
    const auto held_back = [&](int j) {
      double sum = 0;
      if (loops == nullptr) { return sum; }
      for (std::size_t t = at(loops->closing); t < loops->items.size(); ++t) {
        const NodeLoops::Item& item = loops->items[t];
        const double* lambda = scratch.lambda.data() + elimination.closures[at(item.closure)].first_row;
        for (int r = 0; r < item.rows; ++r) {
          sum += scratch.loop_numbers[at(item.inverse + r * tree.freedoms + j)] * lambda[r];
        }
      }
      return sum;
    };
    if (tree.hinge) {
      x.q = x.inverse_D * (x.u - dot(x.U, a)) - held_back(0);
      x.a = {a.ang + x.q * x.S.ang, a.lin + x.q * x.S.lin};
    } else {
      const int f = tree.freedoms;
      const Pair* S = scratch.S.data() + tree.columns;
      const Pair* U = scratch.U.data() + tree.columns;
      const double* inverse_D = scratch.inverse_D.data() + kPair * tree.columns;
      double right[6];
      for (int k = 0; k < f; ++k) { right[k] = scratch.u[at(tree.columns + k)] - dot(U[k], a); }
      x.a = a;
      for (int k = 0; k < f; ++k) {
        double q = -held_back(k);
        for (int l = 0; l < f; ++l) { q += inverse_D[k * f + l] * right[l]; }
        x.a += q * S[k];
        scratch.q[at(tree.columns + k)] = q;
      }
    }
    if (loops != nullptr) { open_again(elimination, *loops, x.a, scratch); }
    visit(i);
  }
}

}  // namespace

Scratch::Scratch(const Model& model)
    : nodes(model.elimination().nodes.size()),
      applied(nodes.size()),
      S(at(model.elimination().column_count)),
      U(S.size()),
      inverse_D(6 * S.size()),
      u(S.size()),
      q(S.size()),
      rows(at(model.elimination().row_count)),
      lambda(rows.size()),
      loop_numbers(at(model.elimination().loop_numbers)),
      wrench(nodes.size()),
      wheel_rates(model.wheel_count()) {
  nodes[0].R = identity<double, 3>();
}

void evaluate(const Model& model, double t, std::span<const double> y, std::span<double> ydot, Scratch& scratch,
              double baumgarte_rate) {
  const EliminationOrder& elimination = model.elimination();
  scratch.baumgarte_rate = baumgarte_rate;
  read_bodies(elimination, y, scratch.nodes);
  const bool loaded = tree_sweep::apply_forces(model, t, y, scratch);
  if (!elimination.closures.empty()) {
    evaluate_closures(model, t, y, scratch);
    enter_closures(elimination, y, Level::acceleration, scratch);
  }
  sweep_toward_root<Level::acceleration>(model, y, loaded, scratch);
  sweep_toward_leaves(elimination, scratch, [&](std::size_t i) {
    const Node& x = scratch.nodes[i];
    const double* s = state_of(elimination.nodes[i], y);
    double* d = ydot.data() + 13 * at(elimination.nodes[i].body);
    const Vec3<double> wdot_B = transpose_times(x.R, x.a.ang);
    const EulerParameters<double> edot =
        rate_from_body(EulerParameters<double>{s[3], {s[4], s[5], s[6]}}, three(s + 10));
    d[0] = s[7], d[1] = s[8], d[2] = s[9];
    d[3] = edot.e0, d[4] = edot.ev.x, d[5] = edot.ev.y, d[6] = edot.ev.z;
    d[7] = x.a.lin.x, d[8] = x.a.lin.y, d[9] = x.a.lin.z;
    d[10] = wdot_B.x, d[11] = wdot_B.y, d[12] = wdot_B.z;
  });
  std::copy(scratch.wheel_rates.begin(), scratch.wheel_rates.end(), ydot.data() + model.bodies_size());
}

Pair acceleration_of(const Model& model, const Scratch& scratch, BodyId body) {
  return scratch.nodes[at(model.elimination().node_of_body[at(body)])].a;
}

void reactions(const Model& model, std::span<const double> y, Scratch& scratch, std::span<Reaction> result) {
  const EliminationOrder& elimination = model.elimination();
  std::fill(scratch.wrench.begin(), scratch.wrench.end(), Pair{});
  for (const Closure& closure : elimination.closures) {
    for (int r = 0; r < closure.rows; ++r) {
      const double lambda = scratch.lambda[at(closure.first_row + r)];
      const ConstraintRow<double>& row = scratch.rows[at(closure.first_row + r)];
      for (std::size_t s = 0; s < closure.sides.size(); ++s) {
        scratch.wrench[at(closure.sides[s])] += lambda * row.sides[s];
      }
    }
    if (closure.joint < 0) { continue; }
    Pair on_second{};
    for (int r = 0; r < closure.rows; ++r) {
      on_second += -scratch.lambda[at(closure.first_row + r)] * scratch.rows[at(closure.first_row + r)].sides[1];
    }
    const auto [first, second] = ends_of(elimination, y, scratch, closure.joint);
    result[at(closure.joint)] = {on_second.lin, on_second.ang - cross(second.lever, on_second.lin)};
  }
  const bool loaded = model.has_forces();
  for (std::size_t i = elimination.nodes.size(); i-- > 1;) {
    const TreeNode& tree = elimination.nodes[i];
    const Node& x = scratch.nodes[i];
    const Sym3 J = inertia_in_space(tree, x.R);
    Pair f = scratch.wrench[i];
    f += Pair{J * x.a.ang + cross(x.w, J * x.w), tree.mass * (x.a.lin - model.gravity_N())};
    if (loaded) { f = f - scratch.applied[i]; }
    scratch.wrench[at(tree.parent)] += Pair{f.ang + cross(x.shift, f.lin), f.lin};
    if (tree.joint < 0) { continue; }
    const auto [first, second] = ends_of(elimination, y, scratch, tree.joint);
    // about the joint point of the second body
    const Vec3<double> from_centre = second.point() - (tree.is_second ? second.r : first.r);
    const double sign = tree.is_second ? 1 : -1;
    result[at(tree.joint)] = {sign * f.lin, sign * (f.ang - cross(from_centre, f.lin))};
  }
}

Residuals residuals(const Model& model, double t, std::span<const double> y, Scratch& scratch) {
  const EliminationOrder& elimination = model.elimination();
  read_bodies(elimination, y, scratch.nodes);
  Residuals most;
  // a NaN stays
  const auto enter = [](double& to, double value) { to = value > to || std::isnan(value) ? value : to; };
  const auto size = [&](const Pair& b) { return std::max(norm(b.lin), model.length() * norm(b.ang)); };
  for (std::size_t j = 0; j < model.joint_count(); ++j) {
    const JointDescription& joint = model.joints()[j];
    const auto [first, second] = ends_of(elimination, y, scratch, static_cast<int>(j));
    enter(most.position, size(position_correction(*joint.kind, joint.parameter, first, second)));
    enter(most.velocity, size(velocity_correction(*joint.kind, joint.parameter, first, second)));
  }
  evaluate_closures(model, t, y, scratch);
  for (const Closure& closure : elimination.closures) {
    if (closure.joint >= 0) { continue; }
    const double unit = model.with(model.constraints()[at(closure.constraint)].id,
                                   [&](const auto& one) { return constraint::unit(one, model.length()); });
    for (int r = 0; r < closure.rows; ++r) {
      const ConstraintRow<double>& row = scratch.rows[at(closure.first_row + r)];
      double speed = -row.rate;
      for (std::size_t s = 0; s < closure.sides.size(); ++s) {
        const int node = closure.sides[s];
        if (node == 0) { continue; }
        speed += dot(row.sides[s], {scratch.nodes[at(node)].w, three(state_of(elimination.nodes[at(node)], y) + 7)});
      }
      enter(most.position, std::fabs(row.value) * unit);
      enter(most.velocity, std::fabs(speed) * unit);
    }
  }
  return most;
}

ProjectionReport project(const Model& model, double t, std::span<double> y, Scratch& scratch) {
  const EliminationOrder& elimination = model.elimination();
  ProjectionReport report;
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    BodyView body = Model::view(y, static_cast<BodyId>(b));
    body.e_NB = normalized(body.e_NB);
    Model::set(y, static_cast<BodyId>(b), body);
  }
  const double enough = 4e-15 * model.length();
  constexpr int kMostIterations = 50;
  report.residual = residuals(model, t, y, scratch).position;
  while (report.residual > enough && report.iterations < kMostIterations) {
    enter_closures(elimination, y, Level::position, scratch);
    sweep_toward_root<Level::position>(model, y, false, scratch);
    double change = 0;
    sweep_toward_leaves(elimination, scratch, [&](std::size_t i) {
      const Pair& step = scratch.nodes[i].a;
      BodyView body = Model::view(y, elimination.nodes[i].body);
      body.r_N += step.lin;
      body.e_NB = normalized(body.e_NB + 0.5 * (pure(step.ang) * body.e_NB));
      Model::set(y, elimination.nodes[i].body, body);
      change = std::max({change, norm(step.lin), model.length() * norm(step.ang)});
    });
    report.moved += change;
    ++report.iterations;
    const double before = report.residual;
    report.residual = residuals(model, t, y, scratch).position;
    if (before < 1e-12 * model.length() && report.residual >= 0.5 * before) { break; }  // rounding
  }
  enter_closures(elimination, y, Level::velocity, scratch);
  sweep_toward_root<Level::velocity>(model, y, false, scratch);
  sweep_toward_leaves(elimination, scratch, [&](std::size_t i) {
    const Pair& step = scratch.nodes[i].a;
    BodyView body = Model::view(y, elimination.nodes[i].body);
    body.v_N += step.lin;
    body.w_B += transpose_times(scratch.nodes[i].R, step.ang);
    Model::set(y, elimination.nodes[i].body, body);
  });
  return report;
}

Mobility mobility(const Model& model, double t, std::span<const double> y, Scratch& scratch) {
  std::vector<double> ydot(y.size());
  evaluate(model, t, y, ydot, scratch);
  return {model.elimination().tree_freedoms - scratch.loop_rank, model.elimination().row_count - scratch.loop_rank};
}

}  // namespace polhode
