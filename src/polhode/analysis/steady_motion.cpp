#include "polhode/analysis/steady_motion.h"

#include "polhode/analysis/coordinates.h"
#include "polhode/math/dual.h"
#include "polhode/math/symmetric_eigen.h"

#include <fmt/format.h>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

namespace polhode::analysis {
namespace {

constexpr std::array<std::string_view, 3> kAxisNames{"x", "y", "z"};

/// Numbers of equal meaning, the same in every run: a linear congruence [Knuth1997, section 3.2.1], in (−1, 1).
class Stir {
 public:
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1;
  }

 private:
  std::uint64_t state_ = 20260101;
};

template <class S>
void add(std::span<S> y, BodyId body, const Vec3<S>& r, const Vec3<S>& w_N, const Vec3<S>& v, const Vec3<S>& wdot_B,
         std::span<const S> from) {
  S* to = y.data() + 13 * at(body);
  const EulerParameters<S> de = S(0.5) * (pure(w_N) * Model::view(from, body).e_NB);
  to[3] += de.e0;
  for (std::size_t c = 0; c < 3; ++c) {
    to[c] += r[c];
    to[4 + c] += de.ev[c];
    to[7 + c] += v[c];
    to[10 + c] += wdot_B[c];
  }
}

std::vector<bool> below_node(const EliminationOrder& elimination, std::size_t node) {
  std::vector<bool> below(elimination.nodes.size());
  for (std::size_t i = node; i < below.size(); ++i) { below[i] = i == node || below[at(elimination.nodes[i].parent)]; }
  return below;
}

/// Unit axes about which a body's inertia is the same for every turn.
std::vector<Vec3<double>> axes_of_symmetry(const Mat3<double>& J_B) {
  const SymmetricEigen<double, 3> principal = symmetric_eigen(J_B);
  const auto& [first, second, third] = principal.values;  // largest first
  const auto same = [&](double a, double b) { return a - b <= 1e-9 * first; };
  if (same(first, third)) { return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; }
  if (same(first, second)) { return {column(principal.vectors, 2)}; }
  if (same(second, third)) { return {column(principal.vectors, 0)}; }
  return {};
}

/// Whether a body's turn about its own axis is that of the hinge on which it hangs, alone: one name is enough.
bool is_turn_of_its_joint(const Model& model, const StateNow<double>& now, std::size_t node,
                          const Vec3<double>& axis_B) {
  const TreeNode& tree = model.elimination().nodes[node];
  if (tree.joint < 0 || tree.has_children) { return false; }
  if (model.joints()[at(tree.joint)].kind->turns != FreeTurns::about_z) { return false; }
  const Vec3<double> axis_N = now.body(tree.body).R * axis_B;
  return norm(cross(axis_N, now.ends(tree.joint).second.axis(2))) < 1e-9;
}

/// Everything that may be a symmetry of a motion with these velocities.
std::vector<Generator> candidates(const Model& model, std::span<const double> y) {
  using Kind = Generator::Kind;
  std::vector<Generator> all;
  const EliminationOrder& elimination = model.elimination();
  const StateNow<double> now(model, y);
  for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
    const TreeNode& node = elimination.nodes[i];
    if (node.joint < 0) { continue; }
    const JointDescription& joint = model.joints()[at(node.joint)];
    const auto [first, second] = now.ends(node.joint);
    for (const Coordinate coordinate : joint.kind->coordinates) {
      const bool turns = coordinate == Coordinate::turn && joint.kind->turns == FreeTurns::about_z;
      const bool slides = coordinate == Coordinate::slide_z && joint.kind->slides == FreeSlides::along_z;
      if ((!turns && !slides) || joint.kind->slides == FreeSlides::screw) { continue; }
      if (joint_coordinate(coordinate, first, second).rate == 0) { continue; }
      Generator one;
      one.kind = turns ? Kind::joint_turn : Kind::joint_slide;
      one.node = i;
      one.name = fmt::format("{} of joint '{}'", turns ? "turn" : "slide", joint.name);
      all.push_back(std::move(one));
    }
  }
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    const std::size_t node = at(elimination.node_of_body[b]);
    for (const Vec3<double>& axis_B : axes_of_symmetry(model.bodies()[b].mass.J_B)) {
      if (is_turn_of_its_joint(model, now, node, axis_B)) { continue; }
      Generator one;
      one.kind = Kind::spin;
      one.body = static_cast<BodyId>(b);
      one.axis_B = axis_B;
      one.name = fmt::format("spin of body '{}' about [{:.4g}, {:.4g}, {:.4g}]", model.bodies()[b].name, axis_B.x,
                             axis_B.y, axis_B.z);
      all.push_back(std::move(one));
    }
  }
  for (const Kind kind : {Kind::shift, Kind::turn}) {
    for (std::size_t k = 0; k < 3; ++k) {
      Generator one;
      one.kind = kind;
      one.axis = k;
      one.name = fmt::format("{} {}", kind == Kind::shift ? "shift along" : "turn about", kAxisNames[k]);
      all.push_back(std::move(one));
    }
  }
  return all;
}

/// Sizes of the two halves of a change of state, lengths: angles times Model::length().
class Scales {
 public:
  explicit Scales(const Model& model) : length_(model.length()), bodies_(model.body_count()) {}
  /// (r, L θ) or (v, L ω) of all bodies, from a change of y; θ and ω seen from the body.
  void pose(std::span<const double> y, std::span<const double> dy, double* to) const {
    for (std::size_t b = 0; b < bodies_; ++b) {
      const EulerParameters<double> e = Model::view(y, static_cast<BodyId>(b)).e_NB;
      const double* d = dy.data() + 13 * b;
      const Vec3<double> turn = 2.0 * (conjugate(e) * EulerParameters<double>{d[3], {d[4], d[5], d[6]}}).ev;
      for (std::size_t c = 0; c < 3; ++c) {
        to[6 * b + c] = d[c];
        to[6 * b + 3 + c] = length_ * turn[c];
      }
    }
  }
  void velocity(std::span<const double> dy, double* to) const {
    for (std::size_t b = 0; b < bodies_; ++b) {
      const double* d = dy.data() + 13 * b;
      for (std::size_t c = 0; c < 3; ++c) {
        to[6 * b + c] = d[7 + c];
        to[6 * b + 3 + c] = length_ * d[10 + c];
      }
    }
  }
  std::size_t size() const { return 6 * bodies_; }

 private:
  double length_;
  std::size_t bodies_;
};

/// Central difference in time of fourth order: f(t ± h), f(t ± 2h).
template <class F>
std::vector<double> time_derivative(double t, double h, const F& f) {
  const std::vector<double> a = f(t + h);
  const std::vector<double> b = f(t - h);
  const std::vector<double> c = f(t + 2 * h);
  const std::vector<double> d = f(t - 2 * h);
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) { result[i] = (8 * (a[i] - b[i]) - (c[i] - d[i])) / (12 * h); }
  return result;
}

/// What a body's accelerations and speeds are compared with: its own forces and turning; where it is at rest, the speed
/// of a fall over the length of the model. One fast or heavily loaded body must not hide what another one does.
struct OwnScales {
  std::vector<double> force;  ///< by body, m/s²
  std::vector<double> speed;  ///< m/s

  OwnScales(const Model& model, std::span<const double> y, const Scratch& scratch) {
    const double L = model.length();
    const StateNow<double> now(model, y);
    double most = norm(model.gravity_N());
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      const StateNow<double>::Body& body = now.body(static_cast<int>(b));
      const Pair& applied = scratch.applied[at(model.elimination().node_of_body[b])];
      const double mass = model.bodies()[b].mass.mass;
      const Mat3<double>& J = model.carrier_J_B(static_cast<BodyId>(b));
      const double least = std::fmin(J(0, 0), std::fmin(J(1, 1), J(2, 2)));
      double own = std::fmax(norm(model.gravity_N()), L * dot(body.w, body.w));
      if (model.has_forces()) {
        own = std::fmax(own, norm(applied.lin) / mass);
        own = std::fmax(own, std::fmin(L * norm(applied.ang) / least, norm(applied.ang) / (mass * L)));
      }
      force.push_back(own);
      most = std::fmax(most, own);
    }
    // a body on which nothing acts is moved by others: rounding of theirs reaches it
    for (double& own : force) { own = std::fmax(own, most > 0 ? 1e-9 * most : 1e-300); }
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      const StateNow<double>::Body& body = now.body(static_cast<int>(b));
      speed.push_back(std::fmax(std::fmax(norm(body.v), L * norm(body.w)), std::sqrt(L * force[b])));
    }
  }
  /// Divides entries of six a body.
  static void divide(double* entries, const std::vector<double>& by) {
    for (std::size_t i = 0; i < 6 * by.size(); ++i) { entries[i] /= by[i / 6]; }
  }
  double largest_force() const { return force.empty() ? 0 : *std::max_element(force.begin(), force.end()); }
  double largest_speed() const { return speed.empty() ? 0 : *std::max_element(speed.begin(), speed.end()); }
};

}  // namespace

template <class S>
void Generator::at(const Model& model, std::span<const S> y, std::span<S> sigma) const {
  for (S& x : sigma) { x = S(0); }
  if (kind == Kind::spin) {
    // R ← R exp(s φ), ω stays in space: ė = ½ e ∘ s, ω̇' = −s × ω'
    const BodyViewOf<S> view = Model::view(y, body);
    const Vec3<S> s = as<S>(axis_B);
    add<S>(sigma, body, {}, rotate(view.e_NB, s), {}, -cross(s, view.w_B), y);
    return;
  }
  const StateNow<S> now(model, y);
  const EliminationOrder& elimination = model.elimination();
  if (kind == Kind::shift || kind == Kind::turn) {
    const Vec3<S> a = axis_vector<S>(axis);
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      const auto id = static_cast<BodyId>(b);
      if (kind == Kind::shift) {
        add<S>(sigma, id, a, {}, {}, {}, y);
      } else {
        add<S>(sigma, id, cross(a, now.body(id).r), a, cross(a, now.body(id).v), {}, y);
      }
    }
    return;
  }
  // what hangs on the joint is carried along, as tree_directions() does
  const TreeNode& own = elimination.nodes[node];
  const auto [first, second] = now.ends(own.joint);
  const S sign(own.is_second ? 1 : -1);
  const Vec3<S> z = sign * second.axis(2);
  const Vec3<S> turn = kind == Kind::joint_turn ? z : Vec3<S>{};
  const Vec3<S> shift = kind == Kind::joint_turn ? Vec3<S>{} : sign * first.axis(2);
  const Vec3<S> point = second.point();
  typename StateNow<S>::Body parent{};
  if (own.parent != 0) { parent = now.body(elimination.nodes[polhode::at(own.parent)].body); }
  const std::vector<bool> below = below_node(elimination, node);
  for (std::size_t i = node; i < below.size(); ++i) {
    if (!below[i]) { continue; }
    const BodyId id = elimination.nodes[i].body;
    const typename StateNow<S>::Body& b = now.body(id);
    const Vec3<S> moved = cross(turn, b.r - point) + shift;
    const Vec3<S> seen = b.v - parent.v - cross(parent.w, b.r - parent.r);
    const Vec3<S> dv = cross(parent.w, moved) + cross(turn, seen);
    const Vec3<S> dw = cross(turn, b.w - parent.w);
    add<S>(sigma, id, moved, turn, dv, transpose_times(b.R, dw - cross(turn, b.w)), y);
  }
  for (std::size_t w = 0; w < model.wheel_count(); ++w) {
    const ReactionWheel& wheel = model.wheels()[w];
    const S* d = sigma.data() + 13 * polhode::at(wheel.body) + 10;
    sigma[model.bodies_size() + w] = dot(as<S>(wheel.axis_B), Vec3<S>{d[0], d[1], d[2]});
  }
}
template void Generator::at(const Model&, std::span<const double>, std::span<double>) const;
template void Generator::at(const Model&, std::span<const Dual<double>>, std::span<Dual<double>>) const;

std::vector<double> SteadyMotion::at(const Model& model, std::span<const double> y) const {
  std::vector<double> sum(y.size());
  std::vector<double> one(y.size());
  for (std::size_t k = 0; k < generators.size(); ++k) {
    generators[k].at<double>(model, y, one);
    for (std::size_t i = 0; i < y.size(); ++i) { sum[i] += rates[k] * one[i]; }
  }
  return sum;
}

void SteadyMotion::along(const Model& model, std::span<const double> y, std::span<const double> dy,
                         std::span<double> result) const {
  std::fill(result.begin(), result.end(), 0.0);
  if (generators.empty()) { return; }
  std::vector<Dual<double>> state(y.size());
  std::vector<Dual<double>> one(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) { state[i] = {y[i], dy[i]}; }
  for (std::size_t k = 0; k < generators.size(); ++k) {
    generators[k].at<Dual<double>>(model, state, one);
    for (std::size_t i = 0; i < y.size(); ++i) { result[i] += rates[k] * one[i].derivative; }
  }
}

void SteadyMotion::step(const Model& model, std::span<double> y, double dt) const {
  // the classical method of order 4; |e| stays as generators are linear in e
  const std::vector<double> start(y.begin(), y.end());
  std::vector<double> moved(y.size());
  std::vector<double> sum(y.size());
  std::vector<double> slope = at(model, start);
  for (int stage = 0; stage < 4; ++stage) {
    const double weight = stage == 0 || stage == 3 ? 1 : 2;
    for (std::size_t i = 0; i < y.size(); ++i) { sum[i] += weight * slope[i]; }
    if (stage == 3) { break; }
    const double ahead = stage == 2 ? dt : dt / 2;
    for (std::size_t i = 0; i < y.size(); ++i) { moved[i] = start[i] + ahead * slope[i]; }
    slope = at(model, moved);
  }
  for (std::size_t i = 0; i < y.size(); ++i) { y[i] = start[i] + dt / 6 * sum[i]; }
}

MotionFound find_motion(const Model& model, double t, std::span<const double> y, std::span<const double> turns,
                        std::span<const double> later_times) {
  MotionFound found;
  Directional directional(model);
  directional.at(t, y, turns);
  const std::vector<double> f(directional.rates().begin(), directional.rates().end());
  const OwnScales own_scales(model, y, directional.scratch());
  found.forces = own_scales.largest_force();
  found.speed = own_scales.largest_speed();
  const Scales scales(model);
  const double L = model.length();
  const std::size_t n = scales.size();
  Eigen::VectorXd speed(n);
  Eigen::VectorXd acceleration(n);
  scales.pose(y, f, speed.data());
  scales.velocity(f, acceleration.data());
  const auto largest = [](const Eigen::VectorXd& x) { return x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff(); };
  const double time = std::sqrt(L / std::fmax(found.forces, 1e-300));  // how long a fall over L takes, or a turn
  const double h = 1e-3 * std::fmin(time, 1e6);
  OwnScales::divide(speed.data(), own_scales.speed);
  OwnScales::divide(acceleration.data(), own_scales.force);
  // What acts may change with time: looked at here and at states nearby, at these moments.
  std::vector<std::vector<double>> nearby{std::vector<double>(y.begin(), y.end())};
  const TreeDirections tree = tree_directions(model, y);
  Scratch scratch(model);
  scratch.turns = turns;
  Stir stir;
  constexpr std::size_t kSamples = 3;
  while (nearby.size() < kSamples) {
    std::vector<double> state(y.begin(), y.end());
    for (std::size_t d = 0; d < tree.count; ++d) {
      const double pose = 0.05 * stir.next();
      const double rate = 0.05 * stir.next() / time;
      for (std::size_t i = 0; i < state.size(); ++i) {
        state[i] += pose * tree.poses[d * y.size() + i] + rate * tree.rates[d * y.size() + i];
      }
    }
    project(model, t, state, scratch);
    if (std::all_of(state.begin(), state.end(), [](double x) { return std::isfinite(x); })) {
      nearby.push_back(std::move(state));
    } else {
      nearby.emplace_back(y.begin(), y.end());
    }
  }
  const auto changes_with_time = [&] {
    for (const std::vector<double>& state : nearby) {
      Eigen::VectorXd before(n);
      directional.at(t, state, turns);
      scales.velocity(directional.rates(), before.data());
      for (const double later : later_times) {
        Eigen::VectorXd after(n);
        directional.at(later, state, turns);
        scales.velocity(directional.rates(), after.data());
        after -= before;
        OwnScales::divide(after.data(), own_scales.force);
        if (!(largest(after) <= 1e-9)) { return true; }
      }
    }
    return false;
  };
  // An equilibrium: nothing moves, nothing is accelerated, and that does not change.
  if (largest(speed) <= kSteadyTolerance) {
    found.residual = largest(acceleration);
    found.drift = largest(speed);
    found.by_time = changes_with_time();
    found.kind =
        found.residual <= kSteadyTolerance && !found.by_time ? MotionFound::Kind::equilibrium : MotionFound::Kind::none;
    return found;
  }

  std::vector<Generator> all = candidates(model, y);
  const std::size_t count = all.size();
  // σ_k at the state, as lengths
  Eigen::MatrixXd moves(2 * n, count);
  std::vector<double> sigma(y.size());
  for (std::size_t k = 0; k < count; ++k) {
    all[k].at<double>(model, y, sigma);
    scales.pose(y, sigma, moves.col(static_cast<Eigen::Index>(k)).data());
    scales.velocity(sigma, moves.col(static_cast<Eigen::Index>(k)).data() + n);
  }
  for (Eigen::Index k = 0; k < moves.cols(); ++k) {
    OwnScales::divide(moves.col(k).data(), own_scales.speed);
    OwnScales::divide(moves.col(k).data() + n, own_scales.force);
  }

  // Which of them are symmetries: the commutator with the motion vanishes near the state, and constraints stay.
  const std::size_t rows_each = n + 2 * model.row_count();
  Eigen::MatrixXd commutators =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(kSamples * rows_each), static_cast<Eigen::Index>(count));
  Eigen::VectorXd by_time = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(kSamples * rows_each));
  for (std::size_t s = 0; s < kSamples; ++s) {
    const std::vector<double>& state = nearby[s];
    directional.at(t, state, turns);
    const std::vector<double> now(directional.rates().begin(), directional.rates().end());
    const auto first_row = static_cast<Eigen::Index>(s * rows_each);
    std::vector<Dual<double>> dual(y.size());
    std::vector<Dual<double>> dual_sigma(y.size());
    std::vector<double> jacobian(y.size());
    std::vector<double> difference(y.size());
    std::vector<Dual<double>> values;
    std::vector<Dual<double>> speeds;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < y.size(); ++i) { dual[i] = {state[i], now[i]}; }
      all[k].at<Dual<double>>(model, dual, dual_sigma);
      for (std::size_t i = 0; i < y.size(); ++i) { sigma[i] = dual_sigma[i].value; }
      directional.along(sigma, jacobian);
      for (std::size_t i = 0; i < y.size(); ++i) { difference[i] = jacobian[i] - dual_sigma[i].derivative; }
      double* to = commutators.col(static_cast<Eigen::Index>(k)).data() + first_row;
      scales.velocity(difference, to);
      OwnScales::divide(to, own_scales.force);
      for (std::size_t i = 0; i < y.size(); ++i) { dual[i] = {state[i], sigma[i]}; }
      constraint_values(model, t, StateNow<Dual<double>>(model, dual), values, speeds);
      for (std::size_t r = 0; r < values.size(); ++r) {
        to[n + 2 * r] = values[r].derivative / L;
        to[n + 2 * r + 1] = speeds[r].derivative * time / L;
      }
    }
    const auto at_time = [&](double when) {
      std::vector<double> result(rows_each);
      directional.at(when, state, turns);
      scales.velocity(directional.rates(), result.data());
      OwnScales::divide(result.data(), own_scales.force);
      std::vector<double> row_values;
      std::vector<double> row_speeds;
      constraint_values(model, when, StateNow<double>(model, state), row_values, row_speeds);
      for (std::size_t r = 0; r < row_values.size(); ++r) {
        result[n + 2 * r] = row_values[r] / L;
        result[n + 2 * r + 1] = row_speeds[r] * time / L;
      }
      return result;
    };
    const std::vector<double> explicitly = time_derivative(t, h, at_time);
    by_time.segment(first_row, static_cast<Eigen::Index>(rows_each)) =
        Eigen::Map<const Eigen::VectorXd>(explicitly.data(), static_cast<Eigen::Index>(rows_each));
  }
  // each by the same length
  for (std::size_t k = 0; k < count; ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    const double length = std::fmax(moves.col(c).norm(), 1e-300);
    commutators.col(c) /= length;
  }
  Eigen::VectorXd lengths(count);
  for (std::size_t k = 0; k < count; ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    lengths(c) = std::fmax(moves.col(c).norm(), 1e-300);
    moves.col(c) /= lengths(c);
  }
  Eigen::VectorXd wanted(2 * n);
  wanted << speed, acceleration;
  const auto look = [&](const Eigen::VectorXd& c) {
    const Eigen::VectorXd left = wanted - moves * c;
    found.drift = largest(left.head(static_cast<Eigen::Index>(n)));
    found.residual = largest(left.tail(static_cast<Eigen::Index>(n)));
    return found.drift <= kSteadyTolerance && found.residual <= kSteadyTolerance;
  };
  // What is a symmetry by itself, turns in space last: a body that turns in itself is told as such.
  constexpr double kSymmetric = 1e-7;
  const auto indices = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
  Eigen::VectorXd c = Eigen::VectorXd::Zero(indices(count));
  bool fits = false;
  const bool by_itself = largest(by_time) <= kSymmetric;
  for (const bool with_turns : {false, true}) {
    if (fits || !by_itself) { break; }
    std::vector<std::size_t> some;
    for (std::size_t k = 0; k < count; ++k) {
      const bool is_turn = all[k].kind == Generator::Kind::turn;
      if ((with_turns || !is_turn) && largest(commutators.col(indices(k))) <= kSymmetric) { some.push_back(k); }
    }
    if (some.empty()) { continue; }
    Eigen::MatrixXd reach(2 * n, some.size());
    for (std::size_t i = 0; i < some.size(); ++i) { reach.col(indices(i)) = moves.col(indices(some[i])); }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(reach);
    solver.setThreshold(1e-10);
    const Eigen::VectorXd rates = solver.solve(wanted);
    c.setZero();
    for (std::size_t i = 0; i < some.size(); ++i) { c(indices(some[i])) = rates(indices(i)); }
    fits = look(c);
  }
  if (!fits) {  // what is one together, and keeps step with laws that change with time
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(commutators, Eigen::ComputeThinU | Eigen::ComputeFullV);
    Eigen::Index rank = 0;
    while (rank < svd.singularValues().size() && svd.singularValues()(rank) > kSymmetric) { ++rank; }
    const Eigen::VectorXd along_u = svd.matrixU().leftCols(rank).transpose() * by_time;
    c = -svd.matrixV().leftCols(rank) * (along_u.array() / svd.singularValues().head(rank).array()).matrix();
    const bool keeps_step = largest(commutators * c + by_time) <= kSteadyTolerance;
    const Eigen::MatrixXd free = svd.matrixV().rightCols(indices(count) - rank);
    // the least rates that come nearest; what moves nothing, as a turn of a joint and back about the same axis, is left
    // out
    const auto fit = [&](const Eigen::MatrixXd& reach) -> Eigen::VectorXd {
      const Eigen::BDCSVD<Eigen::MatrixXd> parts(reach, Eigen::ComputeThinU | Eigen::ComputeThinV);
      Eigen::VectorXd along = parts.matrixU().transpose() * (wanted - moves * c);
      for (Eigen::Index i = 0; i < along.size(); ++i) {
        const double size = parts.singularValues()(i);
        along(i) = size > 1e-9 ? along(i) / size : 0;
      }
      return parts.matrixV() * along;
    };
    if (free.cols() > 0) { c += free * fit(moves * free); }
    fits = look(c) && keeps_step;
    if (!fits) {  // would any motion do, if it were a symmetry?
      const double drift = found.drift;
      const double residual = found.residual;
      found.changes = look(c + fit(moves));
      if (!found.changes) {
        found.drift = drift;
        found.residual = residual;
      }
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    const double rate = c(static_cast<Eigen::Index>(k)) / lengths(static_cast<Eigen::Index>(k));
    if (std::fabs(c(static_cast<Eigen::Index>(k))) < 1e-12) { continue; }
    found.motion.generators.push_back(std::move(all[k]));
    found.motion.rates.push_back(rate);
  }
  // Laws that change with time must go on keeping step: the state is carried along σ, and looked at there.
  if (fits && changes_with_time()) {
    std::vector<double> carried(y.begin(), y.end());
    double now = t;
    for (const double later : later_times) {
      const double fastest = found.speed / L;
      const auto steps = static_cast<int>(std::ceil(std::fmin(2000, 200 * (later - now) * fastest + 20)));
      for (int i = 0; i < steps; ++i) { found.motion.step(model, carried, (later - now) / steps); }
      now = later;
      directional.at(now, carried, turns);
      const std::vector<double> sigma_now = found.motion.at(model, carried);
      std::vector<double> left_now(y.size());
      for (std::size_t i = 0; i < y.size(); ++i) { left_now[i] = directional.rates()[i] - sigma_now[i]; }
      Eigen::VectorXd lacking(n);
      scales.velocity(left_now, lacking.data());
      OwnScales::divide(lacking.data(), own_scales.force);
      if (!(largest(lacking) <= 1e-4)) {
        fits = false;
        found.by_time = true;
        break;
      }
    }
  }
  found.kind = fits ? MotionFound::Kind::steady : MotionFound::Kind::none;
  if (!fits) { found.motion = {}; }
  return found;
}

std::string to_text(const MotionFound& found) {
  if (found.kind == MotionFound::Kind::equilibrium) { return "equilibrium"; }
  if (found.kind == MotionFound::Kind::none) { return "a moment of a motion that is not steady"; }
  std::string text = "steady motion: ";
  for (std::size_t k = 0; k < found.motion.generators.size(); ++k) {
    const Generator& one = found.motion.generators[k];
    const bool slides = one.kind == Generator::Kind::shift || one.kind == Generator::Kind::joint_slide;
    text +=
        fmt::format("{}{} at {:.6g} {}", k == 0 ? "" : ", ", one.name, found.motion.rates[k], slides ? "m/s" : "rad/s");
  }
  return text;
}

}  // namespace polhode::analysis
