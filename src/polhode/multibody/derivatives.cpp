#include "polhode/multibody/derivatives.h"

#include "polhode/core/index.h"
#include "polhode/math/dual.h"
#include "polhode/multibody/acting.h"
#include "polhode/multibody/loop_group.h"
#include "polhode/multibody/node_state.h"
#include "polhode/multibody/tree_columns.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace polhode {
namespace {

using tree_sweep::state_of;
using tree_sweep::three;

// Products of numbers and derivatives, which are linear in the derivatives.
template <class D>
[[gnu::always_inline]] inline D inner(const Vec3<double>& a, const Vec3<D>& b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
template <class D>
[[gnu::always_inline]] inline D inner(const Pair& a, const PairOf<D>& b) {
  return inner(a.ang, b.ang) + inner(a.lin, b.lin);
}
template <class D>
[[gnu::always_inline]] inline Vec3<D> outer_product(const Vec3<double>& a, const Vec3<D>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class D>
[[gnu::always_inline]] inline PairOf<D> times(const Pair& a, const D& d) {
  return {{a.ang.x * d, a.ang.y * d, a.ang.z * d}, {a.lin.x * d, a.lin.y * d, a.lin.z * d}};
}
template <class D>
[[gnu::always_inline]] inline void add_to(Vec3<D>& to, const Vec3<D>& x) {
  to.x = to.x + x.x;
  to.y = to.y + x.y;
  to.z = to.z + x.z;
}
template <class D>
[[gnu::always_inline]] inline void add_to(PairOf<D>& to, const PairOf<D>& x) {
  add_to(to.ang, x.ang);
  add_to(to.lin, x.lin);
}
template <class D>
[[gnu::always_inline]] inline Vec3<D> derivative_of(const Vec3<Dual<double, D>>& x) {
  return {x.x.derivative, x.y.derivative, x.z.derivative};
}
template <class D>
[[gnu::always_inline]] inline Vec3<Dual<double, D>> dual(const Vec3<double>& x, const Vec3<D>& d) {
  return {{x.x, d.x}, {x.y, d.y}, {x.z, d.z}};
}
template <class D>
[[gnu::always_inline]] inline PairOf<Dual<double, D>> dual(const Pair& x, const PairOf<D>& d) {
  return {dual(x.ang, d.ang), dual(x.lin, d.lin)};
}
/// R v and Rᵀ v of a v that stands still.
template <class S>
[[gnu::always_inline]] inline Vec3<S> turned_constant(const Mat3<S>& R, const Vec3<double>& v) {
  return {R(0, 0) * v.x + R(0, 1) * v.y + R(0, 2) * v.z, R(1, 0) * v.x + R(1, 1) * v.y + R(1, 2) * v.z,
          R(2, 0) * v.x + R(2, 1) * v.y + R(2, 2) * v.z};
}
template <class S>
[[gnu::always_inline]] inline Vec3<S> constant_times(const Mat3<double>& J, const Vec3<S>& v) {
  return {v.x * J(0, 0) + v.y * J(0, 1) + v.z * J(0, 2), v.x * J(1, 0) + v.y * J(1, 1) + v.z * J(1, 2),
          v.x * J(2, 0) + v.y * J(2, 1) + v.z * J(2, 2)};
}

Pair pair_at(const double* from) { return {three(from), three(from + 3)}; }

/// x with Σ S x = motion: least squares; the columns of a joint are independent.
void in_columns(const Pair* S, std::size_t f, const Pair& motion, double* x) {
  std::array<std::array<double, 7>, 6> m{};
  for (std::size_t k = 0; k < f; ++k) {
    for (std::size_t l = 0; l < f; ++l) { m[k][l] = dot(S[k], S[l]); }
    m[k][6] = dot(S[k], motion);
  }
  for (std::size_t k = 0; k < f; ++k) {
    for (std::size_t l = k + 1; l < f; ++l) {
      const double factor = m[l][k] / m[k][k];
      for (std::size_t c = k; c < 7; ++c) { m[l][c] -= factor * m[k][c]; }
    }
  }
  for (std::size_t k = f; k-- > 0;) {
    double sum = m[k][6];
    for (std::size_t l = k + 1; l < f; ++l) { sum -= m[k][l] * x[l]; }
    x[k] = sum / m[k][k];
  }
}

/// What stays the same for all directions at a state.
struct Base {
  const Model* model;
  double t = 0;
  std::vector<double> y;
  std::vector<double> ydot;
  Scratch scratch;
  std::vector<Pair> force;          ///< by node: what its joint does to it, about its mass centre
  std::vector<double> rates;        ///< u of joints that are not hinges, by column
  std::vector<double> hinge_rates;  ///< by node
  bool rates_known = false;

  explicit Base(const Model& of)
      : model(&of),
        y(of.state_size()),
        ydot(of.state_size()),
        scratch(of),
        force(scratch.nodes.size()),
        rates(scratch.S.size()),
        hinge_rates(scratch.nodes.size()) {}

  void evaluate_at(double time, std::span<const double> state, std::span<const double> turns, double baumgarte_rate) {
    t = time;
    std::copy(state.begin(), state.end(), y.begin());
    scratch.turns = turns;
    evaluate(*model, t, y, ydot, scratch, baumgarte_rate);
    find_forces();
    rates_known = false;
  }

  /// f of every node: M a + p, with what its children hand on and closures do.
  void find_forces() {
    const EliminationOrder& elimination = model->elimination();
    std::fill(force.begin(), force.end(), Pair{});
    for (const Closure& closure : elimination.closures) {
      for (int r = 0; r < closure.rows; ++r) {
        const double lambda = scratch.lambda[at(closure.first_row + r)];
        const ConstraintRow<double>& row = scratch.rows[at(closure.first_row + r)];
        for (std::size_t s = 0; s < closure.sides.size(); ++s) { force[at(closure.sides[s])] += lambda * row.sides[s]; }
      }
    }
    const bool loaded = model->has_forces();
    for (std::size_t i = elimination.nodes.size(); i-- > 1;) {
      const TreeNode& tree = elimination.nodes[i];
      const Scratch::Node& x = scratch.nodes[i];
      const auto turned_J = [&](const Vec3<double>& v) { return x.R * (tree.J_B * transpose_times(x.R, v)); };
      force[i] += Pair{turned_J(x.a.ang) + cross(x.w, turned_J(x.w)), tree.mass * (x.a.lin - model->gravity_N())};
      if (loaded) { force[i] = force[i] - scratch.applied[i]; }
      force[at(tree.parent)] += Pair{force[i].ang + cross(x.shift, force[i].lin), force[i].lin};
    }
  }

  /// The rates of all joints of the tree, in terms of their columns.
  void find_rates() {
    if (rates_known) { return; }
    const EliminationOrder& elimination = model->elimination();
    const auto motion_of = [&](std::size_t i) {
      return i == 0 ? Pair{} : Pair{scratch.nodes[i].w, three(state_of(elimination.nodes[i], y) + 7)};
    };
    for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
      const TreeNode& tree = elimination.nodes[i];
      const Scratch::Node& x = scratch.nodes[i];
      const Pair parent = motion_of(at(tree.parent));
      const Pair own = motion_of(i);
      const Pair relative{own.ang - parent.ang, own.lin - parent.lin - cross(parent.ang, x.shift)};
      if (tree.hinge) {
        hinge_rates[i] = dot(x.S.ang, relative.ang);
        continue;
      }
      in_columns(scratch.S.data() + tree.columns, at(tree.freedoms), relative, rates.data() + tree.columns);
    }
    rates_known = true;
  }
};

/// Derivatives D (one, or several side by side) at a state.
template <class D>
struct Sweep {
  using S = Dual<double, D>;
  struct Node {
    Mat3<S> R{};
    Vec3<S> r{};
    Vec3<S> v{};
    Vec3<S> w{};     ///< space components
    Vec3<S> w_B{};   ///< body components
    Vec3<D> turn{};  ///< small turn, space components, where joints are moved
    PairOf<S> a{};   ///< first with all q̈ as they are, then in the end altogether
    Vec3<S> shift{};
    PairOf<D> p{};
    PairOf<D> b{};  ///< what the change of all q̈ brings
    D u{};
    bool moves = true;  ///< anything of it changes
  };
  /// A joint of the tree, seen in space.
  struct Columns {
    Vec3<S> lever{};
    Vec3<S> lever_parent{};
    std::array<PairOf<S>, 6> of{};
    PairOf<S> bias{};  ///< of joints that are not hinges
  };
  std::vector<Node> nodes;
  std::vector<D> u;  ///< by column
  std::vector<D> k;  ///< as loop_numbers
  std::vector<D> lambda;
  std::vector<D> hinge_q;  ///< by node: derivative of q̈
  std::vector<D> q;        ///< by column
  std::vector<S> y;
  std::vector<PairOf<S>> applied;
  std::vector<S> wheel_rates;
  std::vector<ConstraintRow<S>> rows;
  std::vector<Pair> wrench_before, wrench_after;  ///< for laws without derivatives

  explicit Sweep(const Model& model)
      : nodes(model.elimination().nodes.size()),
        u(static_cast<std::size_t>(model.elimination().column_count)),
        k(static_cast<std::size_t>(model.elimination().loop_numbers)),
        lambda(static_cast<std::size_t>(model.elimination().row_count)),
        hinge_q(nodes.size()),
        q(u.size()),
        y(model.state_size()),
        applied(nodes.size()),
        wheel_rates(model.wheel_count()),
        rows(lambda.size()) {
    for (std::size_t i = 0; i < 3; ++i) { nodes[0].R(i, i) = S(1); }
  }

  /// The state and the sums, as elements see them.
  struct View {
    using Number = S;
    const Model& model;
    double t;
    std::span<const S> y;
    std::span<const double> turns;
    Sweep& sweep;
    PowerOf<S> power{};
    const Mat3<S>& R(std::size_t node) const { return sweep.nodes[node].R; }
    const Vec3<S>& w(std::size_t node) const { return sweep.nodes[node].w; }
    PairOf<S>& applied(std::size_t node) { return sweep.applied[node]; }
    PairOf<S>& supplied(BodyId body) { return sweep.applied[acting::node_of(model, body)]; }
    S& wheel_rate(std::size_t wheel) { return sweep.wheel_rates[wheel]; }
    void at_point(std::size_t, const Vec3<S>&, const Vec3<S>&) {}
  };

  End<S> end_at(std::size_t node, const Vec3<double>& lever_B, const Mat3<double>& axes_B) const {
    if (node == 0) { return {{}, {}, {}, as<S>(lever_B), as<S>(axes_B)}; }
    const Node& x = nodes[node];
    Mat3<S> axes;
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3<S> axis = turned_constant(x.R, column(axes_B, c));
      for (std::size_t r = 0; r < 3; ++r) { axes(r, c) = axis[r]; }
    }
    return {x.r, x.v, x.w, turned_constant(x.R, lever_B), axes};
  }

  /// One node's motion, without any change.
  void stand_still(const Base& base, std::size_t i) {
    const Scratch::Node& now = base.scratch.nodes[i];
    const double* s = state_of(base.model->elimination().nodes[i], base.y);
    Node& x = nodes[i];
    x.R = as<S>(now.R);
    x.r = as<S>(three(s));
    x.v = as<S>(three(s + 7));
    x.w = as<S>(now.w);
    x.w_B = as<S>(three(s + 10));
    x.a = {as<S>(now.a.ang), as<S>(now.a.lin)};
    x.shift = as<S>(now.shift);
    x.turn = {};
    x.moves = false;
  }
  /// One node's motion as y has it, y given with its derivatives.
  void read(const Base& base, std::size_t i) {
    const TreeNode& tree = base.model->elimination().nodes[i];
    Node& x = nodes[i];
    const S* s = y.data() + 13 * at(tree.body);
    x.R = rotation_matrix(EulerParameters<S>{s[3], {s[4], s[5], s[6]}});
    x.r = {s[0], s[1], s[2]};
    x.v = {s[7], s[8], s[9]};
    x.w_B = {s[10], s[11], s[12]};
    x.w = x.R * x.w_B;
  }

  /// The joint of a node to its parent: its columns and the shift, from the positions of both.
  void find_columns(const Base& base, std::size_t i, Columns& columns) {
    const TreeNode& tree = base.model->elimination().nodes[i];
    Node& x = nodes[i];
    const Node& parent = nodes[at(tree.parent)];
    if (tree.hinge) {
      columns.lever = turned_constant(x.R, tree.lever_B);
      columns.lever_parent = turned_constant(parent.R, tree.lever_parent_B);
      columns.of[0].ang = turned_constant(x.R, tree.axis_B);
      columns.of[0].lin = cross(columns.lever, columns.of[0].ang);
    } else if (tree.joint < 0) {
      columns.lever = {};
      columns.lever_parent = {};
      for (std::size_t n = 0; n < 3; ++n) {
        columns.of[n] = {axis_vector<S>(n), {}};
        columns.of[n + 3] = {{}, axis_vector<S>(n)};
      }
    } else {
      const JointDescription& joint = base.model->joints()[at(tree.joint)];
      const auto [first, second] = ends(base, tree.joint);
      JointMotionOf<S> motion;
      joint_motion(*joint.kind, joint.parameter, first, second, motion);
      const S sign(tree.is_second ? 1 : -1);
      columns.lever = tree.is_second ? motion.lever2 : motion.lever1;
      columns.lever_parent = tree.is_second ? motion.lever1 : motion.lever2;
      for (std::size_t n = 0; n < at(tree.freedoms); ++n) {
        const PairOf<S> column = sign * motion.columns[n];
        columns.of[n] = {column.ang, column.lin + cross(columns.lever, column.ang)};
      }
      columns.bias = sign * motion.bias;
    }
    x.shift = columns.lever_parent - columns.lever;
  }
  /// The acceleration that a node has where all q̈ stay.
  void accelerate(const Base& base, std::size_t i, const Columns& columns) {
    const Model& model = *base.model;
    const TreeNode& tree = model.elimination().nodes[i];
    Node& x = nodes[i];
    const Node& parent = nodes[at(tree.parent)];
    const Vec3<S>& lever = columns.lever;
    PairOf<S> c{};
    if (tree.hinge) {
      c.ang = cross(parent.w, x.w);
      c.lin = (cross(parent.w, cross(parent.w, columns.lever_parent)) - cross(x.w, cross(x.w, lever))) -
              cross(c.ang, lever);
    } else if (tree.joint >= 0) {
      c = {columns.bias.ang, columns.bias.lin - cross(columns.bias.ang, lever)};
      c.lin += cross(parent.w, cross(parent.w, columns.lever_parent)) - cross(x.w, cross(x.w, lever));
    }
    if (const double beta = base.scratch.baumgarte_rate; beta != 0 && tree.joint >= 0) {
      const JointDescription& joint = model.joints()[at(tree.joint)];
      const auto [first, second] = ends(base, tree.joint);
      const PairOf<S> velocity = velocity_correction(*joint.kind, joint.parameter, first, second);
      const PairOf<S> position = position_correction(*joint.kind, joint.parameter, first, second);
      const PairOf<S> b = S(tree.is_second ? beta : -beta) * (S(2) * velocity + S(beta) * position);
      c += PairOf<S>{b.ang, b.lin - cross(b.ang, lever)};
    }
    x.a = {parent.a.ang + c.ang, parent.a.lin + cross(parent.a.ang, x.shift) + c.lin};
    if (tree.hinge) {
      add_scaled(x.a, columns.of[0], base.scratch.nodes[i].q);
      return;
    }
    for (std::size_t n = 0; n < at(tree.freedoms); ++n) {
      add_scaled(x.a, columns.of[n], base.scratch.q[at(tree.columns) + n]);
    }
  }
  static void add_scaled(PairOf<S>& to, const PairOf<S>& x, double by) {
    for (std::size_t c = 0; c < 3; ++c) {
      to.ang[c] = to.ang[c] + x.ang[c] * by;
      to.lin[c] = to.lin[c] + x.lin[c] * by;
    }
  }
  std::pair<End<S>, End<S>> ends(const Base& base, int joint) const {
    const JointEnds& e = base.model->elimination().ends[at(joint)];
    return {end_at(at(e.node1), e.lever1_B, e.axes1_B), end_at(at(e.node2), e.lever2_B, e.axes2_B)};
  }

  /// p and u of a node from its motion: what its equation of motion lacks.
  void find_lack(const Base& base, std::size_t i, const Columns& columns) {
    const TreeNode& tree = base.model->elimination().nodes[i];
    Node& x = nodes[i];
    // the values are known: x.a of the state itself, to the last bit
    const Scratch::Node& now = base.scratch.nodes[i];
    const Vec3<S> alpha = dual(now.a.ang, derivative_of(x.a.ang));
    // J v in space components, as the evaluation has it: it differs where |e| is not 1
    const auto times_J = [&](const Vec3<S>& v) {
      if (!tree.diagonal) { return x.R * constant_times(tree.J_B, transpose_times(x.R, v)); }
      const double J3 = tree.J_B(2, 2);
      const Vec3<S> first = column(x.R, 0);
      const Vec3<S> second = column(x.R, 1);
      const S a = dot(first, v) * (tree.J_B(0, 0) - J3);
      const S b = dot(second, v) * (tree.J_B(1, 1) - J3);
      return Vec3<S>{v.x * J3 + (a * first.x + b * second.x), v.y * J3 + (a * first.y + b * second.y),
                     v.z * J3 + (a * first.z + b * second.z)};
    };
    const Vec3<S> moment = times_J(alpha) + cross(x.w, times_J(x.w));
    add_to(x.p.ang, derivative_of(moment));
    const Vec3<D> a_lin = derivative_of(x.a.lin);
    add_to(x.p.lin, Vec3<D>{tree.mass * a_lin.x, tree.mass * a_lin.y, tree.mass * a_lin.z});
    const Pair& f = base.force[i];
    if (tree.hinge) {
      x.u = inner(f.ang, derivative_of(columns.of[0].ang)) + inner(f.lin, derivative_of(columns.of[0].lin));
    } else {
      for (std::size_t n = 0; n < at(tree.freedoms); ++n) {
        u[at(tree.columns) + n] =
            inner(f.ang, derivative_of(columns.of[n].ang)) + inner(f.lin, derivative_of(columns.of[n].lin));
      }
    }
    // the lever by which the parent feels f
    const Vec3<D> moved = derivative_of(x.shift);
    add_to(nodes[at(tree.parent)].p.ang,
           Vec3<D>{moved.y * f.lin.z - moved.z * f.lin.y, moved.z * f.lin.x - moved.x * f.lin.z,
                   moved.x * f.lin.y - moved.y * f.lin.x});
  }

  void clear() {
    for (Node& x : nodes) {
      x.p = {};
      x.u = {};
    }
    std::fill(u.begin(), u.end(), D{});
    std::fill(k.begin(), k.end(), D{});
  }

  /// Closures: what their rows lack, and the change of what they do. The motion of all nodes is known.
  void close(const Base& base) {
    const Model& model = *base.model;
    const EliminationOrder& elimination = model.elimination();
    const double beta = base.scratch.baumgarte_rate;
    for (const Closure& closure : elimination.closures) {
      const ModelConstraint& constraint = model.constraints()[at(closure.constraint)];
      const auto end = [&](std::size_t s) {
        return end_at(at(closure.sides[s]), constraint.ends[s].lever_B, constraint.ends[s].axes_B);
      };
      ConstraintRow<S>* own = rows.data() + closure.first_row;
      model.rows(constraint.id, base.t, end, own);
      put_acting_first(closure, base.scratch.nodes[at(closure.sides[0])].R, own);
      if (closure.acting == 0) { continue; }
      const std::size_t top = top_row(elimination, closure);
      for (std::size_t r = 0; r < at(closure.acting); ++r) {
        const double lambda_now = base.scratch.lambda[at(closure.first_row) + r];
        D lacks = -own[r].gamma.derivative;
        S speed = -own[r].rate;
        for (std::size_t s = 0; s < closure.sides.size(); ++s) {
          const std::size_t node = at(closure.sides[s]);
          if (node == 0) { continue; }
          const PairOf<S>& side = own[r].sides[s];
          const Scratch::Node& now = base.scratch.nodes[node];
          const PairOf<S> a =
              dual(now.a, PairOf<D>{derivative_of(nodes[node].a.ang), derivative_of(nodes[node].a.lin)});
          lacks = lacks + dot(side, a).derivative;
          if (beta != 0) { speed += dot(side, {nodes[node].w, nodes[node].v}); }
          add_to(nodes[node].p, times_derivative(side, lambda_now));
        }
        if (beta != 0) { lacks = lacks + (S(beta) * (S(2) * speed + S(beta) * own[r].value)).derivative; }
        k[top + r] = lacks;
      }
    }
  }
  /// Where the right-hand sides of a closure enter, among loop_numbers: at its top.
  static std::size_t top_row(const EliminationOrder& elimination, const Closure& closure) {
    const auto which = static_cast<int>(&closure - elimination.closures.data());
    const std::vector<NodeLoops::Item>& items = elimination.loops[at(elimination.nodes[at(closure.top)].loops)].items;
    return at(std::lower_bound(items.begin(), items.end(), which, [](const NodeLoops::Item& item, int wanted) {
                return item.closure < wanted;
              })->k);
  }
  static PairOf<D> times_derivative(const PairOf<S>& side, double by) {
    return {{side.ang.x.derivative * by, side.ang.y.derivative * by, side.ang.z.derivative * by},
            {side.lin.x.derivative * by, side.lin.y.derivative * by, side.lin.z.derivative * by}};
  }

  /// p ← p − the derivative of what acts. y is known with its derivatives.
  void load(const Base& base) {
    const Model& model = *base.model;
    if (!model.has_forces()) { return; }
    std::fill(applied.begin(), applied.end(), PairOf<S>{});
    View view{model, base.t, y, base.scratch.turns, *this};
    acting::each_element(model, [&](const auto&... element) { acting::act(view, element...); });
    for (const JointLaw& law : model.joint_laws()) { acting::act(view, law); }
    for (const WrenchLaw& law : model.wrench_laws()) { acting::act(view, law); }
    for (std::size_t w = 0; w < model.wheel_count(); ++w) { acting::act(view, w); }
    add_force_laws(base);
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      PairOf<D>& p = nodes[i].p;
      const Vec3<D> moment = derivative_of(applied[i].ang);
      const Vec3<D> force = derivative_of(applied[i].lin);
      p.ang = {p.ang.x - moment.x, p.ang.y - moment.y, p.ang.z - moment.z};
      p.lin = {p.lin.x - force.x, p.lin.y - force.y, p.lin.z - force.z};
    }
  }
  /// Laws over all bodies are code for double alone: differences.
  void add_force_laws(const Base& base) {
    const Model& model = *base.model;
    if (model.force_laws().empty()) { return; }
    const std::size_t n = model.body_count();
    for (std::size_t lane = 0; lane < law_difference::lanes(D{}); ++lane) {
      const double h = law_difference::step<S>(y, lane);
      if (h == 0) { continue; }
      for (const ForceLaw& law : model.force_laws()) {
        wrench_before.assign(n, Pair{});
        wrench_after.assign(n, Pair{});
        thread_local std::vector<double> shifted;
        law_difference::shift<S>(y, lane, -h, shifted);
        law({model, base.t, shifted, base.scratch.turns}, wrench_before);
        law_difference::shift<S>(y, lane, h, shifted);
        law({model, base.t, shifted, base.scratch.turns}, wrench_after);
        for (std::size_t b = 0; b < n; ++b) {
          PairOf<S>& to = applied[acting::node_of(model, static_cast<BodyId>(b))];
          for (std::size_t c = 0; c < 3; ++c) {
            law_difference::lane_of(to.ang[c].derivative, lane) +=
                (wrench_after[b].ang[c] - wrench_before[b].ang[c]) / (2 * h);
            law_difference::lane_of(to.lin[c].derivative, lane) +=
                (wrench_after[b].lin[c] - wrench_before[b].lin[c]) / (2 * h);
          }
        }
      }
    }
  }

  /// Solves with the factors of the evaluation: u, k and p are given, b, λ and q̈ of all nodes follow.
  void solve(const Base& base) {
    const EliminationOrder& elimination = base.model->elimination();
    const double* x = base.scratch.loop_numbers.data();
    for (std::size_t i = nodes.size(); i-- > 1;) {
      const TreeNode& tree = elimination.nodes[i];
      const Scratch::Node& now = base.scratch.nodes[i];
      Node& node = nodes[i];
      Node& parent = nodes[at(tree.parent)];
      const NodeLoops* loops = tree.loops >= 0 ? &elimination.loops[at(tree.loops)] : nullptr;
      if (loops != nullptr) { close_loops(*loops, x, node.p); }
      if (tree.hinge) {
        node.u = D{} - inner(now.S, node.p) - node.u;
        if (loops != nullptr) { hand_on(elimination, tree, *loops, x, 1, &node.u); }
        const D by = now.inverse_D * node.u;
        add_to(node.p, times(now.U, by));
      } else {
        const Pair* S_now = base.scratch.S.data() + tree.columns;
        const Pair* U = base.scratch.U.data() + tree.columns;
        const double* inverse_D = base.scratch.inverse_D.data() + 6 * tree.columns;
        D* own = u.data() + tree.columns;
        const int f = tree.freedoms;
        for (int n = 0; n < f; ++n) { own[n] = D{} - inner(S_now[n], node.p) - own[n]; }
        if (loops != nullptr) { hand_on(elimination, tree, *loops, x, f, own); }
        if (tree.parent != 0) {
          for (int n = 0; n < f; ++n) {
            D by{};
            for (int l = 0; l < f; ++l) { by = by + inverse_D[n * f + l] * own[l]; }
            add_to(node.p, times(U[n], by));
          }
        }
      }
      if (tree.parent == 0) { continue; }
      add_to(parent.p.ang, node.p.ang);
      add_to(parent.p.ang, outer_product(now.shift, node.p.lin));
      add_to(parent.p.lin, node.p.lin);
    }
    if (elimination.nodes[0].loops >= 0) {
      const NodeLoops& loops = elimination.loops[at(elimination.nodes[0].loops)];
      PairOf<D> unused{};
      close_loops(loops, x, unused);
      open_again(elimination, loops, x, PairOf<D>{});
    }
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const TreeNode& tree = elimination.nodes[i];
      const Scratch::Node& now = base.scratch.nodes[i];
      Node& node = nodes[i];
      const Node& parent = nodes[at(tree.parent)];
      const NodeLoops* loops = tree.loops >= 0 ? &elimination.loops[at(tree.loops)] : nullptr;
      PairOf<D> b{};
      if (tree.parent != 0) {
        b = parent.b;
        const Vec3<D> swung = outer_product(now.shift, parent.b.ang);
        b.lin = {b.lin.x - swung.x, b.lin.y - swung.y, b.lin.z - swung.z};
      }
      if (tree.hinge) {
        D change = now.inverse_D * (node.u - inner(now.U, b));
        if (loops != nullptr) { change = change - held_back(elimination, tree, *loops, x, 0); }
        hinge_q[i] = change;
        add_to(b, times(now.S, change));
      } else {
        const Pair* S_now = base.scratch.S.data() + tree.columns;
        const Pair* U = base.scratch.U.data() + tree.columns;
        const double* inverse_D = base.scratch.inverse_D.data() + 6 * tree.columns;
        const int f = tree.freedoms;
        std::array<D, 6> right;
        for (int n = 0; n < f; ++n) { right[at(n)] = u[at(tree.columns + n)] - inner(U[n], b); }
        for (int n = 0; n < f; ++n) {
          D change{};
          if (loops != nullptr) { change = change - held_back(elimination, tree, *loops, x, n); }
          for (int l = 0; l < f; ++l) { change = change + inverse_D[n * f + l] * right[at(l)]; }
          q[at(tree.columns + n)] = change;
          add_to(b, times(S_now[n], change));
        }
      }
      node.b = b;
      if (loops != nullptr) { open_again(elimination, *loops, x, b); }
    }
  }

 private:
  void close_loops(const NodeLoops& loops, const double* x, PairOf<D>& p) {
    for (int t = 0; t < loops.closing; ++t) {
      const NodeLoops::Item& item = loops.items[at(t)];
      const int n = item.rows;
      const double* P = x + item.inverse;
      std::array<D, 6> weight;
      for (int r = 0; r < n; ++r) {
        weight[at(r)] = D{};
        for (int s = 0; s < n; ++s) { weight[at(r)] = weight[at(r)] + P[r * n + s] * k[at(item.k + s)]; }
        add_to(p, times(pair_at(x + item.K + 6 * r), weight[at(r)]));
      }
      for (const NodeLoops::Link& link : item.later) {
        const NodeLoops::Item& later = loops.items[at(link.item)];
        const double* X = x + link.offset;
        for (int i = 0; i < later.rows; ++i) {
          D& to = k[at(later.k + i)];
          for (int r = 0; r < n; ++r) { to = to - X[r * later.rows + i] * weight[at(r)]; }
        }
      }
    }
  }
  void hand_on(const EliminationOrder& elimination, const TreeNode& tree, const NodeLoops& loops, const double* x,
               int f, const D* own) {
    if (at(loops.closing) >= loops.items.size()) { return; }
    const NodeLoops& parent_loops = elimination.loops[at(elimination.nodes[at(tree.parent)].loops)];
    for (std::size_t t = at(loops.closing); t < loops.items.size(); ++t) {
      const NodeLoops::Item& item = loops.items[t];
      const NodeLoops::Item& parent_item = parent_loops.items[at(item.parent_item)];
      const double* G = x + item.inverse;
      for (int r = 0; r < item.rows; ++r) {
        D sum = k[at(item.k + r)];
        for (int j = 0; j < f; ++j) { sum = sum + G[r * f + j] * own[j]; }
        k[at(parent_item.k + r)] = k[at(parent_item.k + r)] + sum;
      }
    }
  }
  D held_back(const EliminationOrder& elimination, const TreeNode& tree, const NodeLoops& loops, const double* x,
              int j) const {
    D sum{};
    for (std::size_t t = at(loops.closing); t < loops.items.size(); ++t) {
      const NodeLoops::Item& item = loops.items[t];
      const D* own = lambda.data() + elimination.closures[at(item.closure)].first_row;
      for (int r = 0; r < item.rows; ++r) { sum = sum + x[item.inverse + r * tree.freedoms + j] * own[r]; }
    }
    return sum;
  }
  void open_again(const EliminationOrder& elimination, const NodeLoops& loops, const double* x, const PairOf<D>& b) {
    for (int t = loops.closing; t-- > 0;) {
      const NodeLoops::Item& item = loops.items[at(t)];
      const int n = item.rows;
      std::array<D, 6> right;
      for (int r = 0; r < n; ++r) {
        right[at(r)] = k[at(item.k + r)] + inner(pair_at(x + item.K + 6 * r), b);
        for (const NodeLoops::Link& link : item.later) {
          const NodeLoops::Item& later = loops.items[at(link.item)];
          const D* known = lambda.data() + elimination.closures[at(later.closure)].first_row;
          for (int j = 0; j < later.rows; ++j) {
            right[at(r)] = right[at(r)] - x[link.offset + r * later.rows + j] * known[j];
          }
        }
      }
      D* own = lambda.data() + elimination.closures[at(item.closure)].first_row;
      for (int r = 0; r < n; ++r) {
        own[r] = D{};
        for (int s = 0; s < n; ++s) { own[r] = own[r] + x[item.inverse + r * n + s] * right[at(s)]; }
      }
    }
  }
};

/// Directions of the tree that are moved at once.
constexpr std::size_t kAtOnce = 16;
using Many = Directions<double, kAtOnce>;

/// Moves one node by its parent's motion, and along directions of its own joint, which take the places from `first` on.
void move_node(const Base& base, std::size_t i, std::span<const TreeDirection> own, std::size_t first,
               Sweep<Many>& sweep, Sweep<Many>::Columns& columns) {
  using S = Sweep<Many>::S;
  const TreeNode& tree = base.model->elimination().nodes[i];
  Sweep<Many>::Node& x = sweep.nodes[i];
  const Sweep<Many>::Node& parent = sweep.nodes[at(tree.parent)];
  const Scratch::Node& now = base.scratch.nodes[i];
  // positions: (turn; r) = those of the parent, carried along, + Σ S ξ
  const Pair* S_now = tree.hinge ? &now.S : base.scratch.S.data() + tree.columns;
  x.turn = parent.turn;
  const Vec3<Many> swung = outer_product(now.shift, parent.turn);
  Vec3<Many> r = derivative_of(parent.r);
  r = {r.x - swung.x, r.y - swung.y, r.z - swung.z};
  for (std::size_t d = first; d < first + own.size(); ++d) {
    if (own[d - first].is_rate) { continue; }
    const Pair& column = S_now[own[d - first].freedom];
    for (std::size_t c = 0; c < 3; ++c) {
      x.turn[c][d] += column.ang[c];
      r[c][d] += column.lin[c];
    }
  }
  const double* s = state_of(tree, base.y);
  x.r = dual(three(s), r);
  for (std::size_t c = 0; c < 3; ++c) {
    const Vec3<double> axis = column(now.R, c);
    const Vec3<Many> moved = outer_product(axis, x.turn);
    x.R(0, c) = {axis.x, -moved.x};
    x.R(1, c) = {axis.y, -moved.y};
    x.R(2, c) = {axis.z, -moved.z};
  }
  // velocities: those of the parent, carried along, + Σ S u
  sweep.find_columns(base, i, columns);
  Vec3<S> w = parent.w;
  Vec3<S> v = parent.v + cross(parent.w, x.shift);
  for (std::size_t n = 0; n < at(tree.freedoms); ++n) {
    const double rate = tree.hinge ? base.hinge_rates[i] : base.rates[at(tree.columns) + n];
    for (std::size_t c = 0; c < 3; ++c) {
      w[c] = w[c] + columns.of[n].ang[c] * rate;
      v[c] = v[c] + columns.of[n].lin[c] * rate;
    }
  }
  for (std::size_t d = first; d < first + own.size(); ++d) {
    if (!own[d - first].is_rate) { continue; }
    const Pair& column = S_now[own[d - first].freedom];
    for (std::size_t c = 0; c < 3; ++c) {
      w[c].derivative[d] += column.ang[c];
      v[c].derivative[d] += column.lin[c];
    }
  }
  x.w = dual(now.w, derivative_of(w));
  x.v = dual(three(s + 7), derivative_of(v));
  x.w_B = transpose_times(x.R, x.w);
  if (!tree.hinge && tree.joint >= 0) { sweep.find_columns(base, i, columns); }  // the bias, with velocities
  sweep.accelerate(base, i, columns);
}

/// Moves joints along some directions of the tree; the motion of all nodes follows, and what their equations lack.
/// `directions` in the order of their nodes.
void move_tree(const Base& base, std::span<const TreeDirection> directions, bool all_nodes, Sweep<Many>& sweep) {
  const EliminationOrder& elimination = base.model->elimination();
  std::size_t next = 0;
  Sweep<Many>::Columns columns;
  for (std::size_t i = 1; i < sweep.nodes.size(); ++i) {
    const TreeNode& tree = elimination.nodes[i];
    Sweep<Many>::Node& x = sweep.nodes[i];
    const Sweep<Many>::Node& parent = sweep.nodes[at(tree.parent)];
    const std::size_t first = next;
    while (next < directions.size() && directions[next].node == i) { ++next; }
    const bool moves = next > first || parent.moves;
    if (!moves && !all_nodes) {
      if (x.moves) { sweep.stand_still(base, i); }
      continue;
    }
    x.moves = moves;
    move_node(base, i, directions.subspan(first, next - first), first, sweep, columns);
    sweep.find_lack(base, i, columns);
  }
}

/// y with its derivatives, from the motion of the nodes.
void write_state(const Base& base, Sweep<Many>& sweep) {
  using S = Sweep<Many>::S;
  const EliminationOrder& elimination = base.model->elimination();
  for (std::size_t i = 1; i < sweep.nodes.size(); ++i) {
    const Sweep<Many>::Node& x = sweep.nodes[i];
    const double* now = state_of(elimination.nodes[i], base.y);
    S* s = sweep.y.data() + 13 * at(elimination.nodes[i].body);
    // ė = ½ (0; turn) ∘ e
    const EulerParameters<S> e{S(now[3]), {S(now[4]), S(now[5]), S(now[6])}};
    const Vec3<S> half{{0, x.turn.x * 0.5}, {0, x.turn.y * 0.5}, {0, x.turn.z * 0.5}};
    const EulerParameters<S> moved = pure(half) * e;
    s[3] = {now[3], moved.e0.derivative};
    for (std::size_t c = 0; c < 3; ++c) {
      s[c] = x.r[c];
      s[4 + c] = {now[4 + c], moved.ev[c].derivative};
      s[7 + c] = x.v[c];
      s[10 + c] = {now[10 + c], x.w_B[c].derivative};
    }
  }
  for (std::size_t w = base.model->bodies_size(); w < base.y.size(); ++w) { sweep.y[w] = S(base.y[w]); }
}

/// What acts on the coordinate of a joint alone: springs, stops and friction.
struct OnJoint {
  std::size_t node = 0;
  std::size_t list = 0;
  std::size_t index = 0;
};

/// Trees without loops, moved by nothing but gravity and forces on their own coordinates.
struct ByColumns {
  TreeColumns tree;
  std::vector<OnJoint> forces;  ///< by node
  std::vector<FixedColumns> fixed;

  explicit ByColumns(const Model& model) : tree(model) {
    const EliminationOrder& elimination = model.elimination();
    std::vector<std::size_t> node_of(model.joint_count());
    for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
      const TreeNode& node = elimination.nodes[i];
      if (node.joint < 0) { continue; }
      node_of[at(node.joint)] = i;
      const JointKind& kind = *model.joints()[at(node.joint)].kind;
      const bool stand = kind.turns == FreeTurns::all || kind.turns == FreeTurns::no_twist;
      if (stand && node.parent != 0) {
        fixed.emplace_back();
        fixed.back().node = i;
      }
    }
    const auto add = [&](std::size_t list, const auto& all) {
      for (std::size_t k = 0; k < all.size(); ++k) { forces.push_back({node_of[at(all[k].joint)], list, k}); }
    };
    add(0, model.joint_springs());
    add(1, model.joint_limits());
    add(2, model.joint_frictions());
    std::sort(forces.begin(), forces.end(), [](const OnJoint& a, const OnJoint& b) { return a.node < b.node; });
  }
};
template <class Use>
void with_force(const Model& model, const OnJoint& one, const Use& use) {
  if (one.list == 0) {
    use(model.joint_springs()[one.index]);
  } else if (one.list == 1) {
    use(model.joint_limits()[one.index]);
  } else {
    use(model.joint_frictions()[one.index]);
  }
}
bool moves_by_columns(const Model& model) {
  return model.elimination().closures.empty() && model.wrenches().empty() && model.springs().empty() &&
         model.bushings().empty() && model.drags().empty() && model.central_gravities().empty() &&
         model.force_laws().empty() && model.joint_laws().empty() && model.wrench_laws().empty() &&
         model.wheel_count() == 0;
}

/// A hinge by its coordinate and its rate.
void change_hinge(const Base& base, std::size_t i, std::size_t direction, std::span<const OnJoint> forces,
                  TreeColumns& tree) {
  using D = Directions<double, 2>;
  using S = Dual<double, D>;
  const Model& model = *base.model;
  D by{};
  for (const OnJoint& one : forces) {
    with_force(model, one, [&](const auto& force) {
      const auto [first, second] =
          tree_sweep::ends_of(model.elimination(), base.y, base.scratch, model.elimination().nodes[i].joint);
      const RowOf<double> row = coordinate_row(force.coordinate, first, second);
      const double rate = dot(row.first, {first.w, first.v}) + dot(row.second, {second.w, second.v});
      const double q = model.unwrapped(base.scratch.turns, force.joint, force.coordinate, row.value);
      by = by + force_on(force, S(q, D{{1, 0}}), S(rate, D{{0, 1}})).Q.derivative;
    });
  }
  tree.put_hinge(i, direction, direction + 1, base.scratch.nodes[i].S, by[0], by[1]);
}

/// Any joint by its own coordinates and rates: dual numbers, its parent stands still.
void change_joint(const Base& base, std::size_t i, std::span<const TreeDirection> own, std::size_t direction,
                  std::span<const OnJoint> forces, Sweep<Many>& sweep, TreeColumns& tree) {
  using S = Sweep<Many>::S;
  const Model& model = *base.model;
  const TreeNode& node = model.elimination().nodes[i];
  Sweep<Many>::Columns columns;
  move_node(base, i, own, 0, sweep, columns);
  const Sweep<Many>::Node& x = sweep.nodes[i];
  const Pair* S_now = base.scratch.S.data() + node.columns;
  std::array<Many, 6> acts{};
  for (const OnJoint& one : forces) {
    with_force(model, one, [&](const auto& force) {
      const auto [first, second] = sweep.ends(base, node.joint);
      const RowOf<S> row = coordinate_row(force.coordinate, first, second);
      const S rate = dot(row.first, {first.w, first.v}) + dot(row.second, {second.w, second.v});
      const S q = model.unwrapped(base.scratch.turns, force.joint, force.coordinate, row.value);
      const S Q = force_on(force, q, rate).Q;
      for (std::size_t n = 0; n < at(node.freedoms); ++n) {
        acts[n] = acts[n] + (Q * dot(node.is_second ? row.second : row.first, columns.of[n])).derivative;
      }
    });
  }
  const Scratch::Node& now = base.scratch.nodes[i];
  const Vec3<double> v = tree.velocity(i).lin;
  const auto along = [](const Vec3<Many>& many, std::size_t d) {
    return Vec3<double>{many.x[d], many.y[d], many.z[d]};
  };
  for (std::size_t d = 0; d < own.size(); ++d) {
    // from the mass centre, which moves, to where it is now
    const Vec3<double> moved = along(derivative_of(x.r), d);
    const Vec3<double> dw = along(derivative_of(x.w), d);
    const Vec3<double> dv = along(derivative_of(x.v), d);
    DirectionChange change;
    if (!own[d].is_rate) { change.carried = S_now[own[d].freedom]; }
    change.velocity = {dw, dv - cross(now.w, moved)};
    change.acceleration.ang = along(derivative_of(x.a.ang), d);
    change.acceleration.lin =
        ((along(derivative_of(x.a.lin), d) - cross(now.a.ang, moved)) - cross(dw, v)) - cross(now.w, dv);
    for (std::size_t n = 0; n < at(node.freedoms); ++n) {
      const Vec3<double> ang = along(derivative_of(columns.of[n].ang), d);
      const Vec3<double> lin = along(derivative_of(columns.of[n].lin), d) - cross(S_now[n].ang, moved);
      change.lack[n] = dot(tree.force(i), {ang, lin}) - acts[n][d];
    }
    tree.put(direction + d, change);
  }
  sweep.stand_still(base, i);
}

/// What joints with fixed columns take for rates and accelerations, where both bodies turn about the mass centre of the
/// own one (three directions), or turn faster (three more).
void change_fixed(const Base& base, FixedColumns& joint, Sweep<Many>& sweep) {
  const TreeNode& node = base.model->elimination().nodes[joint.node];
  const std::size_t p = at(node.parent);
  const Scratch::Node& now = base.scratch.nodes[joint.node];
  const Scratch::Node& parent_now = base.scratch.nodes[p];
  const Vec3<double> v = three(state_of(node, base.y) + 7);
  const Vec3<double> v_parent = three(state_of(base.model->elimination().nodes[p], base.y) + 7);
  const auto turn = [&](Sweep<Many>::Node& x, const Mat3<double>& R, const Vec3<double>& from_centre,
                        const Vec3<double>& w_now, const Vec3<double>& v_now, const Pair& a_now) {
    const auto put = [](Vec3<Sweep<Many>::S>& to, std::size_t d, const Vec3<double>& by) {
      for (std::size_t c = 0; c < 3; ++c) { to[c].derivative[d] = by[c]; }
    };
    for (std::size_t d = 0; d < 3; ++d) {
      const Vec3<double> axis = axis_vector<double>(d);
      put(x.r, d, cross(axis, from_centre));
      put(x.v, d, cross(axis, v_now));
      put(x.w, d, cross(axis, w_now));
      put(x.a.ang, d, cross(axis, a_now.ang));
      put(x.a.lin, d, cross(axis, a_now.lin));
      for (std::size_t c = 0; c < 3; ++c) {
        const Vec3<double> moved = cross(axis, column(R, c));
        for (std::size_t r = 0; r < 3; ++r) { x.R(r, c).derivative[d] = moved[r]; }
      }
      put(x.v, d + 3, cross(axis, from_centre));
      put(x.w, d + 3, axis);
      put(x.a.ang, d + 3, cross(axis, w_now));
      put(x.a.lin, d + 3, 2.0 * cross(axis, v_now - v));
    }
  };
  turn(sweep.nodes[p], parent_now.R, -1.0 * now.shift, parent_now.w, v_parent, parent_now.a);
  turn(sweep.nodes[joint.node], now.R, {}, now.w, v, now.a);
  Sweep<Many>::Columns columns;
  sweep.find_columns(base, joint.node, columns);
  sweep.accelerate(base, joint.node, columns);
  const Sweep<Many>::Node& x = sweep.nodes[joint.node];
  const Pair* S_now = base.scratch.S.data() + node.columns;
  const double* u = base.rates.data() + node.columns;
  const auto f = at(node.freedoms);
  for (std::size_t d = 0; d < 3; ++d) {
    const Vec3<double> axis = axis_vector<double>(d);
    Pair rate{};
    Pair acceleration{};
    Pair faster{};
    for (std::size_t c = 0; c < 3; ++c) {
      acceleration.ang[c] = x.a.ang[c].derivative[d];
      acceleration.lin[c] = x.a.lin[c].derivative[d];
      faster.ang[c] = x.a.ang[c].derivative[d + 3];
      faster.lin[c] = x.a.lin[c].derivative[d + 3];
    }
    acceleration = acceleration - Pair{cross(axis, now.a.ang), cross(axis, now.a.lin)};
    faster = faster - Pair{cross(axis, now.w), {}};
    for (std::size_t n = 0; n < f; ++n) {
      Pair turned{};
      for (std::size_t c = 0; c < 3; ++c) {
        turned.ang[c] = columns.of[n].ang[c].derivative[d];
        turned.lin[c] = columns.of[n].lin[c].derivative[d];
      }
      rate += u[n] * (turned - Pair{cross(axis, S_now[n].ang), cross(axis, S_now[n].lin)});
    }
    in_columns(S_now, f, rate, joint.rate[d].data());
    in_columns(S_now, f, acceleration, joint.acceleration[d].data());
    in_columns(S_now, f, faster, joint.acceleration_by_w[d].data());
  }
  sweep.stand_still(base, p);
  sweep.stand_still(base, joint.node);
}

void find_by_columns(const Base& base, std::span<const TreeDirection> directions, Sweep<Many>& sweep, ByColumns& by,
                     std::span<double> columns) {
  const EliminationOrder& elimination = base.model->elimination();
  by.tree.begin(*base.model, base.y, base.scratch);
  std::size_t direction = 0;
  std::size_t force = 0;
  for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
    const std::size_t first = force;
    while (force < by.forces.size() && by.forces[force].node == i) { ++force; }
    const auto forces = std::span<const OnJoint>(by.forces).subspan(first, force - first);
    const std::size_t own = 2 * at(elimination.nodes[i].freedoms);
    if (elimination.nodes[i].hinge) {
      change_hinge(base, i, direction, forces, by.tree);
    } else if (own > 0) {
      change_joint(base, i, directions.subspan(direction, own), direction, forces, sweep, by.tree);
    }
    direction += own;
  }
  for (FixedColumns& joint : by.fixed) { change_fixed(base, joint, sweep); }
  by.tree.solve(elimination, directions, by.fixed, columns);
}

}  // namespace

struct Directional::Memory {
  Base base;
  Sweep<double> one;
  std::unique_ptr<Sweep<Many>> many;
  std::vector<TreeDirection> directions;
  std::unique_ptr<ByColumns> by_columns;  ///< where they will do

  explicit Memory(const Model& model) : base(model), one(model) {}
};

Directional::Directional(const Model& model) : memory_(std::make_unique<Memory>(model)) {}
Directional::~Directional() = default;
Directional::Directional(Directional&&) noexcept = default;
Directional& Directional::operator=(Directional&&) noexcept = default;

void Directional::at(double t, std::span<const double> y, std::span<const double> turns, double baumgarte_rate) {
  memory_->base.evaluate_at(t, y, turns, baumgarte_rate);
}
std::span<const double> Directional::rates() const { return memory_->base.ydot; }
const Scratch& Directional::scratch() const { return memory_->base.scratch; }
std::size_t Directional::tree_freedoms() const {
  return static_cast<std::size_t>(memory_->base.model->elimination().tree_freedoms);
}

void Directional::along(std::span<const double> dy, std::span<double> dydot) {
  const Base& base = memory_->base;
  Sweep<double>& sweep = memory_->one;
  const EliminationOrder& elimination = base.model->elimination();
  for (std::size_t i = 0; i < dy.size(); ++i) { sweep.y[i] = {base.y[i], dy[i]}; }
  sweep.clear();
  Sweep<double>::Columns columns;
  for (std::size_t i = 1; i < sweep.nodes.size(); ++i) {
    sweep.read(base, i);
    sweep.find_columns(base, i, columns);
    sweep.accelerate(base, i, columns);
    sweep.find_lack(base, i, columns);
  }
  sweep.close(base);
  sweep.load(base);
  sweep.solve(base);
  for (std::size_t i = 1; i < sweep.nodes.size(); ++i) {
    Sweep<double>::Node& x = sweep.nodes[i];
    const std::size_t first = 13 * polhode::at(elimination.nodes[i].body);
    for (std::size_t c = 0; c < 3; ++c) {
      x.a.ang[c].derivative += x.b.ang[c];
      x.a.lin[c].derivative += x.b.lin[c];
      dydot[first + c] = x.v[c].derivative;
      dydot[first + 7 + c] = x.a.lin[c].derivative;
    }
    const OneDirection* s = sweep.y.data() + first;
    const EulerParameters<OneDirection> edot =
        rate_from_body(EulerParameters<OneDirection>{s[3], {s[4], s[5], s[6]}}, x.w_B);
    const Vec3<OneDirection> alpha = dual(base.scratch.nodes[i].a.ang, derivative_of(x.a.ang));
    const Vec3<OneDirection> wdot_B = transpose_times(x.R, alpha);
    dydot[first + 3] = edot.e0.derivative;
    for (std::size_t c = 0; c < 3; ++c) {
      dydot[first + 4 + c] = edot.ev[c].derivative;
      dydot[first + 10 + c] = wdot_B[c].derivative;
    }
  }
  for (std::size_t w = 0; w < base.model->wheel_count(); ++w) {
    dydot[base.model->bodies_size() + w] = sweep.wheel_rates[w].derivative;
  }
}

std::span<const double> Directional::multipliers_along() const { return memory_->one.lambda; }

void Directional::reactions_along(std::span<Reaction> result) const {
  const Base& base = memory_->base;
  const Sweep<double>& sweep = memory_->one;
  using S = OneDirection;
  const Model& model = *base.model;
  const EliminationOrder& elimination = model.elimination();
  std::vector<PairOf<S>> force(sweep.nodes.size());
  const auto put = [&](int joint, const Vec3<S>& f_N, const Vec3<S>& moment_N) {
    result[polhode::at(joint)] = {derivative_of(f_N), derivative_of(moment_N)};
  };
  for (const Closure& closure : elimination.closures) {
    PairOf<S> on_second{};
    for (std::size_t r = polhode::at(closure.first_row); r < polhode::at(closure.first_row + closure.rows); ++r) {
      const S lambda{base.scratch.lambda[r], sweep.lambda[r]};
      for (std::size_t s = 0; s < closure.sides.size(); ++s) {
        force[polhode::at(closure.sides[s])] += lambda * sweep.rows[r].sides[s];
      }
      on_second += -lambda * sweep.rows[r].sides[1];
    }
    if (closure.joint < 0) { continue; }
    const auto [first, second] = sweep.ends(base, closure.joint);
    put(closure.joint, on_second.lin, on_second.ang - cross(second.lever, on_second.lin));
  }
  for (std::size_t i = elimination.nodes.size(); i-- > 1;) {
    const TreeNode& tree = elimination.nodes[i];
    const Sweep<double>::Node& x = sweep.nodes[i];
    const Vec3<S> alpha = dual(base.scratch.nodes[i].a.ang, derivative_of(x.a.ang));
    const Vec3<S> a = dual(base.scratch.nodes[i].a.lin - model.gravity_N(), derivative_of(x.a.lin));
    const auto turned_J = [&](const Vec3<S>& v) { return x.R * constant_times(tree.J_B, transpose_times(x.R, v)); };
    force[i] += PairOf<S>{turned_J(alpha) + cross(x.w, turned_J(x.w)), S(tree.mass) * a};
    if (model.has_forces()) { force[i] = force[i] - sweep.applied[i]; }
    const PairOf<S>& f = force[i];
    force[polhode::at(tree.parent)] += PairOf<S>{f.ang + cross(x.shift, f.lin), f.lin};
    if (tree.joint < 0) { continue; }
    const auto [first, second] = sweep.ends(base, tree.joint);
    const Vec3<S> from_centre = second.point() - (tree.is_second ? second.r : first.r);
    const S sign(tree.is_second ? 1 : -1);
    put(tree.joint, sign * f.lin, sign * (f.ang - cross(from_centre, f.lin)));
  }
}

void Directional::tree_jacobian(std::span<double> columns) {
  Base& base = memory_->base;
  const Model& model = *base.model;
  const EliminationOrder& elimination = model.elimination();
  if (!memory_->many) {
    memory_->many = std::make_unique<Sweep<Many>>(model);
    const std::size_t freedoms = tree_freedoms();
    std::size_t before = 0;
    for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
      const auto f = polhode::at(elimination.nodes[i].freedoms);
      for (std::size_t n = 0; n < f; ++n) {
        memory_->directions.push_back({i, n, false, before + n});
        memory_->directions.push_back({i, n, true, freedoms + before + n});
      }
      before += f;
    }
    if (moves_by_columns(model)) { memory_->by_columns = std::make_unique<ByColumns>(model); }
  }
  base.find_rates();
  Sweep<Many>& sweep = *memory_->many;
  for (std::size_t i = 1; i < sweep.nodes.size(); ++i) { sweep.stand_still(base, i); }
  sweep.nodes[0].moves = false;
  if (memory_->by_columns && base.scratch.baumgarte_rate == 0) {
    find_by_columns(base, memory_->directions, sweep, *memory_->by_columns, columns);
    return;
  }
  const bool all = model.has_forces() || !elimination.closures.empty();
  const std::span<const TreeDirection> directions = memory_->directions;
  const std::size_t freedoms = tree_freedoms();
  for (std::size_t first = 0; first < directions.size(); first += kAtOnce) {
    const auto some = directions.subspan(first, std::min(kAtOnce, directions.size() - first));
    sweep.clear();
    move_tree(base, some, all, sweep);
    if (model.has_forces()) { write_state(base, sweep); }
    sweep.close(base);
    sweep.load(base);
    sweep.solve(base);
    std::size_t row = 0;
    for (std::size_t i = 1; i < sweep.nodes.size(); ++i) {
      const TreeNode& tree = elimination.nodes[i];
      for (std::size_t n = 0; n < polhode::at(tree.freedoms); ++n, ++row) {
        const Many& change = tree.hinge ? sweep.hinge_q[i] : sweep.q[polhode::at(tree.columns) + n];
        for (std::size_t d = 0; d < some.size(); ++d) { columns[some[d].column * freedoms + row] = change[d]; }
      }
    }
  }
}

void Directional::project_along(std::span<double> dy) {
  Base& base = memory_->base;
  base.find_rates();
  Sweep<double>& sweep = memory_->one;
  const EliminationOrder& elimination = base.model->elimination();
  using S = OneDirection;
  // the nearest field that the joints allow: M b + Cᵀλ = M field, and k of the rows
  const auto weigh = [&](std::size_t i, const Pair& field) {
    const TreeNode& tree = elimination.nodes[i];
    const Mat3<double>& R = base.scratch.nodes[i].R;
    sweep.nodes[i].p = {-(R * (tree.J_B * transpose_times(R, field.ang))), -tree.mass * field.lin};
  };

  // positions: dr, and the turn 2 (de ∘ e*)
  sweep.clear();
  for (std::size_t i = 1; i < sweep.nodes.size(); ++i) {
    const double* s = state_of(elimination.nodes[i], base.y);
    const double* d = dy.data() + 13 * polhode::at(elimination.nodes[i].body);
    const EulerParameters<double> e{s[3], {s[4], s[5], s[6]}};
    const EulerParameters<double> de{d[3], {d[4], d[5], d[6]}};
    weigh(i, {2.0 * (de * conjugate(e)).ev, three(d)});
  }
  sweep.solve(base);

  // velocities: what the joints' rates bring where positions change so, and the rest as near as possible
  std::vector<Pair> carried(sweep.nodes.size());
  Sweep<double>::Columns columns;
  for (std::size_t i = 1; i < sweep.nodes.size(); ++i) {
    const TreeNode& tree = elimination.nodes[i];
    Sweep<double>::Node& x = sweep.nodes[i];
    const Sweep<double>::Node& parent = sweep.nodes[polhode::at(tree.parent)];
    const Scratch::Node& now = base.scratch.nodes[i];
    const double* s = state_of(tree, base.y);
    x.r = dual(three(s), x.b.lin);
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3<double> axis = column(now.R, c);
      const Vec3<double> moved = cross(x.b.ang, axis);
      for (std::size_t r = 0; r < 3; ++r) { x.R(r, c) = {axis[r], moved[r]}; }
    }
    sweep.find_columns(base, i, columns);
    Vec3<S> w = parent.w;
    Vec3<S> v = parent.v + cross(parent.w, x.shift);
    for (std::size_t n = 0; n < polhode::at(tree.freedoms); ++n) {
      const S rate(tree.hinge ? base.hinge_rates[i] : base.rates[polhode::at(tree.columns) + n]);
      w += rate * columns.of[n].ang;
      v += rate * columns.of[n].lin;
    }
    x.w = dual(now.w, derivative_of(w));
    x.v = dual(three(s + 7), derivative_of(v));
    carried[i] = {derivative_of(x.w), derivative_of(x.v)};
  }
  const std::vector<Sweep<double>::Node> moved = sweep.nodes;
  sweep.clear();
  for (const Closure& closure : elimination.closures) {
    const ModelConstraint& constraint = base.model->constraints()[polhode::at(closure.constraint)];
    const auto end = [&](std::size_t n) {
      return sweep.end_at(polhode::at(closure.sides[n]), constraint.ends[n].lever_B, constraint.ends[n].axes_B);
    };
    ConstraintRow<S>* own = sweep.rows.data() + closure.first_row;
    base.model->rows(constraint.id, base.t, end, own);
    put_acting_first(closure, base.scratch.nodes[polhode::at(closure.sides[0])].R, own);
    for (std::size_t r = 0; r < polhode::at(closure.acting); ++r) {
      S speed = -own[r].rate;
      for (std::size_t n = 0; n < closure.sides.size(); ++n) {
        const Sweep<double>::Node& x = sweep.nodes[polhode::at(closure.sides[n])];
        if (closure.sides[n] != 0) { speed += dot(own[r].sides[n], {x.w, x.v}); }
      }
      sweep.k[sweep.top_row(elimination, closure) + r] = speed.derivative;
    }
  }
  for (std::size_t i = 1; i < sweep.nodes.size(); ++i) {
    const TreeNode& tree = elimination.nodes[i];
    const double* s = state_of(tree, base.y);
    const double* d = dy.data() + 13 * polhode::at(tree.body);
    const Mat3<double>& R = base.scratch.nodes[i].R;
    const Pair wanted{cross(moved[i].b.ang, R * three(s + 10)) + R * three(d + 10), three(d + 7)};
    weigh(i, wanted - carried[i]);
  }
  sweep.solve(base);
  for (std::size_t i = 1; i < sweep.nodes.size(); ++i) {
    const TreeNode& tree = elimination.nodes[i];
    const double* s = state_of(tree, base.y);
    double* d = dy.data() + 13 * polhode::at(tree.body);
    const Pair& position = moved[i].b;
    const Pair velocity = carried[i] + sweep.nodes[i].b;
    const EulerParameters<double> e{s[3], {s[4], s[5], s[6]}};
    const EulerParameters<double> de = 0.5 * (pure(position.ang) * e);
    const Vec3<double> w_N = base.scratch.nodes[i].w;
    const Vec3<double> dw_B = transpose_times(base.scratch.nodes[i].R, velocity.ang - cross(position.ang, w_N));
    d[3] = de.e0;
    for (std::size_t c = 0; c < 3; ++c) {
      d[c] = position.lin[c];
      d[4 + c] = de.ev[c];
      d[7 + c] = velocity.lin[c];
      d[10 + c] = dw_B[c];
    }
  }
}

std::vector<std::string> laws_without_derivatives(const Model& model) {
  std::vector<std::string> names;
  const auto name = [](const std::string& given, const char* otherwise) {
    return given.empty() ? std::string(otherwise) : "'" + given + "'";
  };
  for (std::size_t i = 0; i < model.force_laws().size(); ++i) { names.emplace_back("a force law"); }
  for (const JointLaw& law : model.joint_laws()) {
    if (!law.law.has_derivatives()) { names.push_back(name(law.name, "a law of a joint")); }
  }
  for (const WrenchLaw& law : model.wrench_laws()) {
    if (!law.law.has_derivatives()) { names.push_back(name(law.name, "a force or moment")); }
  }
  for (const ReactionWheel& wheel : model.wheels()) {
    if (wheel.command && !wheel.command.has_derivatives()) { names.push_back(name(wheel.name, "a wheel")); }
  }
  for (const VelocityConstraint& one : model.all<VelocityConstraint>()) {
    names.push_back(name(one.name, "a constraint"));
  }
  return names;
}

}  // namespace polhode
