#include "polhode/multibody/tree_columns.h"

#include "polhode/core/index.h"
#include "polhode/multibody/node_state.h"

#include <algorithm>

namespace polhode {
namespace {

/// The change of a motion, or of a force, that is carried along by a motion x.
Pair carried_motion(const Pair& x, const Pair& m) {
  return {cross(x.ang, m.ang), cross(x.ang, m.lin) + cross(x.lin, m.ang)};
}
Pair carried_force(const Pair& x, const Pair& f) {
  return {cross(x.ang, f.ang) + cross(x.lin, f.lin), cross(x.ang, f.lin)};
}

Mat3<double> crossing(const Vec3<double>& v) { return {{{0, -v.z, v.y}, {v.z, 0, -v.x}, {-v.y, v.x, 0}}}; }

}  // namespace

TreeColumns::TreeColumns(const Model& model) {
  const EliminationOrder& elimination = model.elimination();
  nodes_.resize(elimination.nodes.size());
  moving_.resize(nodes_.size());
  std::size_t next = 0;
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    nodes_[i].first = next;
    next += at(elimination.nodes[i].freedoms);
    nodes_[i].end = next;
  }
  columns_.resize(next);
  u_.resize(next);
  changes_.resize(2 * next);
}

void TreeColumns::begin(const Model& model, std::span<const double> y, const Scratch& scratch) {
  const EliminationOrder& elimination = model.elimination();
  if (nodes_.size() < 2) { return; }
  const auto v_of = [&](std::size_t i) { return tree_sweep::three(tree_sweep::state_of(elimination.nodes[i], y) + 7); };
  const Vec3<double> v0 = v_of(1);
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    const TreeNode& tree = elimination.nodes[i];
    const Scratch::Node& now = scratch.nodes[i];
    Node& x = nodes_[i];
    const Vec3<double>& w = now.w;
    const Vec3<double> v = v_of(i) - v0;
    const Sym3 J = turned_sym(now.R, tree.J_B);
    const Vec3<double> h = J * w;
    x.shift = now.shift;
    x.V = {w, v};
    x.A = {now.a.ang, (now.a.lin - model.gravity_N()) - cross(w, v)};
    x.F = {J * now.a.ang + cross(w, h), tree.mass * (now.a.lin - model.gravity_N())};
    x.inertia = {};
    x.inertia.A = J;
    x.inertia.C = {tree.mass, 0, 0, tree.mass, 0, tree.mass};
    // a change θ of ω: θ × h + ω × J θ + J (θ × ω), and 2 m θ × v
    const Mat3<double> J_full{{{J.xx, J.xy, J.xz}, {J.xy, J.yy, J.yz}, {J.xz, J.yz, J.zz}}};
    const Mat3<double> turns = crossing(w);
    x.by_w_ang = crossing(-1.0 * h) + turns * J_full - J_full * turns;
    x.by_w_lin = crossing((-2 * tree.mass) * v);
    for (std::size_t c = x.first; c < x.end; ++c) {
      Column& to = columns_[c];
      if (tree.hinge) {
        to.S = now.S;
        to.W = now.inverse_D * now.U;
        to.inverse_D[0] = now.inverse_D;
        continue;
      }
      const std::size_t f = x.end - x.first;
      const std::size_t n = c - x.first;
      const double* inverse_D = scratch.inverse_D.data() + 6 * tree.columns + n * f;
      to.S = scratch.S[at(tree.columns) + n];
      to.W = {};
      for (std::size_t l = 0; l < f; ++l) {
        to.inverse_D[l] = inverse_D[l];
        to.W += inverse_D[l] * scratch.U[at(tree.columns) + l];
      }
    }
  }
  for (std::size_t i = nodes_.size(); i-- > 1;) {
    const Node& x = nodes_[i];
    for (std::size_t c = x.first; c < x.end; ++c) {
      Column& to = columns_[c];
      to.by_a = x.inertia * to.S;
      to.by_w = transpose_times(x.by_w_ang, to.S.ang) + transpose_times(x.by_w_lin, to.S.lin);
    }
    const std::size_t p = at(elimination.nodes[i].parent);
    if (p == 0) { continue; }
    Node& parent = nodes_[p];
    parent.F += Pair{x.F.ang + cross(x.shift, x.F.lin), x.F.lin};
    parent.inertia += shifted(x.inertia, x.shift);
    parent.by_w_ang = parent.by_w_ang + x.by_w_ang + crossing(x.shift) * x.by_w_lin;
    parent.by_w_lin = parent.by_w_lin + x.by_w_lin;
  }
}

void TreeColumns::put_hinge(std::size_t node, std::size_t by_coordinate, std::size_t by_rate, const Pair& column,
                            double force_by_coordinate, double force_by_rate) {
  const Node& x = nodes_[node];
  DirectionChange& q = changes_[by_coordinate];
  q.carried = column;
  q.velocity = {};
  q.acceleration = {};
  q.lack[0] = -force_by_coordinate;
  DirectionChange& u = changes_[by_rate];
  u.carried = {};
  u.velocity = column;
  // the parent's ω carries the column: V_parent × S = V × S
  u.acceleration = carried_motion(x.V, column);
  u.lack[0] = -force_by_rate;
}

/// The motion of subtrees along some directions, and what their equations lack.
void TreeColumns::move(const EliminationOrder& elimination, std::span<const TreeDirection> some, std::size_t first) {
  std::size_t next = 0;
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    const Node& x = nodes_[i];
    Moving& m = moving_[i];
    const Moving& parent = moving_[at(elimination.nodes[i].parent)];
    const bool own = next < some.size() && some[next].node == i;
    m.moves = parent.moves || own;
    m.pushed = m.moves;
    m.begun = own;
    if (!m.moves) { continue; }
    if (parent.moves) {
      const Vec3<double>& d = x.shift;
      for (std::size_t h = 0; h < kTwos; ++h) {
        const Two wx = parent.w[0][h];
        const Two wy = parent.w[1][h];
        const Two wz = parent.w[2][h];
        m.w[0][h] = wx;
        m.w[1][h] = wy;
        m.w[2][h] = wz;
        const Two ax = parent.a[0][h];
        const Two ay = parent.a[1][h];
        const Two az = parent.a[2][h];
        m.a[0][h] = ax;
        m.a[1][h] = ay;
        m.a[2][h] = az;
        const Two lx = parent.a[3][h] - (d.y * az - d.z * ay);
        const Two ly = parent.a[4][h] - (d.z * ax - d.x * az);
        const Two lz = parent.a[5][h] - (d.x * ay - d.y * ax);
        m.a[3][h] = lx;
        m.a[4][h] = ly;
        m.a[5][h] = lz;
        for (std::size_t c = x.first; c < x.end; ++c) {
          const Column& row = columns_[c];
          u_[c][h] = ((row.by_w.x * wx + row.by_w.y * wy) + row.by_w.z * wz) +
                     (((row.by_a.ang.x * ax + row.by_a.ang.y * ay) + row.by_a.ang.z * az) +
                      ((row.by_a.lin.x * lx + row.by_a.lin.y * ly) + row.by_a.lin.z * lz));
        }
      }
    } else {
      m.w = {};
      m.a = {};
      for (std::size_t c = x.first; c < x.end; ++c) { u_[c] = {}; }
    }
    if (!own) { continue; }
    m.p = {};
    for (; next < some.size() && some[next].node == i; ++next) {
      const DirectionChange& change = changes_[first + next];
      const Pair w = change.velocity - carried_motion(change.carried, x.V);
      const Pair a = (change.acceleration - carried_motion(change.carried, x.A)) - carried_motion(w, x.V);
      const Vec3<double> moment = x.by_w_ang * w.ang;
      const Vec3<double> force = x.by_w_lin * w.ang;
      const Pair p = (carried_force(change.carried, x.F) + x.inertia * a) + Pair{moment, force};
      const std::size_t h = next / 2;
      const std::size_t lane = next % 2;
      for (std::size_t c = 0; c < 3; ++c) {
        m.w[c][h][lane] = w.ang[c];
        m.a[c][h][lane] = a.ang[c];
        m.a[c + 3][h][lane] = a.lin[c];
        m.p[c][h][lane] = p.ang[c];
        m.p[c + 3][h][lane] = p.lin[c];
      }
      for (std::size_t c = x.first; c < x.end; ++c) { u_[c][h][lane] = change.lack[c - x.first]; }
    }
  }
}

/// One node toward the root.
void TreeColumns::push(std::size_t i, std::size_t parent_node) {
  const Node& x = nodes_[i];
  Moving& m = moving_[i];
  Moving& parent = moving_[parent_node];
  const Vec3<double>& d = x.shift;
  const bool begun = m.begun;
  const bool parent_begun = parent.begun;
  for (std::size_t h = 0; h < kTwos; ++h) {
    Two p[6] = {};
    if (begun) {
      for (std::size_t k = 0; k < 6; ++k) { p[k] = m.p[k][h]; }
    }
    Two sum[6];
    for (std::size_t k = 0; k < 6; ++k) { sum[k] = p[k]; }
    for (std::size_t c = x.first; c < x.end; ++c) {
      const Column& column = columns_[c];
      const Two given = m.moves ? u_[c][h] : Two{};
      const Two u = -(((column.S.ang.x * p[0] + column.S.ang.y * p[1]) + column.S.ang.z * p[2]) +
                      ((column.S.lin.x * p[3] + column.S.lin.y * p[4]) + column.S.lin.z * p[5])) -
                    given;
      u_[c][h] = u;
      sum[0] += column.W.ang.x * u;
      sum[1] += column.W.ang.y * u;
      sum[2] += column.W.ang.z * u;
      sum[3] += column.W.lin.x * u;
      sum[4] += column.W.lin.y * u;
      sum[5] += column.W.lin.z * u;
    }
    if (parent_node == 0) { continue; }
    sum[0] += d.y * sum[5] - d.z * sum[4];
    sum[1] += d.z * sum[3] - d.x * sum[5];
    sum[2] += d.x * sum[4] - d.y * sum[3];
    for (std::size_t k = 0; k < 6; ++k) { parent.p[k][h] = parent_begun ? parent.p[k][h] + sum[k] : sum[k]; }
  }
  parent.begun = true;
  parent.pushed = true;
}

/// One node away from the root: q̈ in the place of u.
void TreeColumns::follow(std::size_t i, std::size_t parent_node) {
  const Node& x = nodes_[i];
  Moving& m = moving_[i];
  const Moving& parent = moving_[parent_node];
  const Vec3<double>& d = x.shift;
  const std::size_t f = x.end - x.first;
  for (std::size_t h = 0; h < kTwos; ++h) {
    Two b[6] = {};
    if (parent_node != 0) {
      for (std::size_t k = 0; k < 6; ++k) { b[k] = parent.b[k][h]; }
      b[3] -= d.y * b[2] - d.z * b[1];
      b[4] -= d.z * b[0] - d.x * b[2];
      b[5] -= d.x * b[1] - d.y * b[0];
    }
    Two q[6];
    for (std::size_t n = 0; n < f; ++n) {
      const Column& column = columns_[x.first + n];
      q[n] = -(((column.W.ang.x * b[0] + column.W.ang.y * b[1]) + column.W.ang.z * b[2]) +
               ((column.W.lin.x * b[3] + column.W.lin.y * b[4]) + column.W.lin.z * b[5]));
      if (!m.pushed) { continue; }
      for (std::size_t l = 0; l < f; ++l) { q[n] += column.inverse_D[l] * u_[x.first + l][h]; }
    }
    for (std::size_t n = 0; n < f; ++n) {
      const Column& column = columns_[x.first + n];
      u_[x.first + n][h] = q[n];
      b[0] += column.S.ang.x * q[n];
      b[1] += column.S.ang.y * q[n];
      b[2] += column.S.ang.z * q[n];
      b[3] += column.S.lin.x * q[n];
      b[4] += column.S.lin.y * q[n];
      b[5] += column.S.lin.z * q[n];
    }
    for (std::size_t k = 0; k < 6; ++k) { m.b[k][h] = b[k]; }
  }
}

void TreeColumns::solve(const EliminationOrder& elimination, std::span<const TreeDirection> directions,
                        std::span<const FixedColumns> fixed, std::span<double> columns) {
  const std::size_t rows = columns_.size();
  for (std::size_t first = 0; first < directions.size(); first += kWide) {
    const auto some = directions.subspan(first, std::min(kWide, directions.size() - first));
    move(elimination, some, first);
    for (std::size_t i = nodes_.size(); i-- > 1;) {
      if (moving_[i].pushed) { push(i, at(elimination.nodes[i].parent)); }
    }
    for (std::size_t i = 1; i < nodes_.size(); ++i) { follow(i, at(elimination.nodes[i].parent)); }
    for (std::size_t d = 0; d < some.size(); ++d) {
      double* to = columns.data() + some[d].column * rows;
      for (std::size_t r = 0; r < rows; ++r) { to[r] = u_[r][d / 2][d % 2]; }
    }
  }
  if (!fixed.empty()) { mend(elimination, directions, fixed, columns); }
}

/// Columns that stay where bodies turn: the same motion has other rates there, and other q̈.
void TreeColumns::mend(const EliminationOrder& elimination, std::span<const TreeDirection> directions,
                       std::span<const FixedColumns> fixed, std::span<double> columns) {
  const std::size_t rows = columns_.size();
  turned_.resize(3 * rows * nodes_.size());
  std::fill(turned_.begin(), turned_.end(), 0.0);
  // the joint's own equations, in directions of joints nearer to the root
  for (const FixedColumns& joint : fixed) {
    const Node& own = nodes_[joint.node];
    for (std::size_t k = at(elimination.nodes[joint.node].parent); k != 0; k = at(elimination.nodes[k].parent)) {
      // directions of a node: two a freedom
      for (std::size_t d = 2 * nodes_[k].first; d < 2 * nodes_[k].end; ++d) {
        const DirectionChange& change = changes_[d];
        const Vec3<double> w = change.velocity.ang - cross(change.carried.ang, nodes_[k].V.ang);
        double* to = columns.data() + directions[d].column * rows;
        for (std::size_t n = 0; n < own.end - own.first; ++n) {
          for (std::size_t c = 0; c < 3; ++c) {
            to[own.first + n] -=
                joint.acceleration[c][n] * change.carried.ang[c] + joint.acceleration_by_w[c][n] * w[c];
          }
        }
      }
    }
  }
  const auto turned = [&](std::size_t node, std::size_t axis) { return turned_.data() + (3 * node + axis) * rows; };
  for (const FixedColumns& joint : fixed) {
    const Node& own = nodes_[joint.node];
    for (std::size_t n = 0; n < own.end - own.first; ++n) {
      const double* by_rate = columns.data() + directions[2 * (own.first + n) + 1].column * rows;
      for (std::size_t c = 0; c < 3; ++c) {
        double* to = turned(at(elimination.nodes[joint.node].parent), c);
        for (std::size_t r = 0; r < rows; ++r) { to[r] += joint.rate[c][n] * by_rate[r]; }
      }
    }
  }
  for (std::size_t i = nodes_.size(); i-- > 1;) {
    for (std::size_t d = 2 * nodes_[i].first; d < 2 * nodes_[i].end; d += 2) {
      double* to = columns.data() + directions[d].column * rows;
      for (std::size_t c = 0; c < 3; ++c) {
        const double by = changes_[d].carried.ang[c];
        const double* from = turned(i, c);
        for (std::size_t r = 0; r < rows; ++r) { to[r] += by * from[r]; }
      }
    }
    const std::size_t parent = at(elimination.nodes[i].parent);
    if (parent == 0) { continue; }
    for (std::size_t c = 0; c < 3; ++c) {
      const double* from = turned(i, c);
      double* to = turned(parent, c);
      for (std::size_t r = 0; r < rows; ++r) { to[r] += from[r]; }
    }
  }
}

}  // namespace polhode
