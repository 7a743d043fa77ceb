#include "polhode/analysis/coordinates.h"

#include "polhode/math/dual.h"

#include <Eigen/QR>

#include <algorithm>
#include <string_view>

namespace polhode::analysis {
namespace {

constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};

std::string as_formulas_call(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Bodies that hang on each node, itself included.
std::vector<std::vector<std::size_t>> subtrees(const EliminationOrder& elimination) {
  std::vector<std::vector<std::size_t>> below(elimination.nodes.size());
  for (std::size_t i = elimination.nodes.size(); i-- > 1;) {
    below[i].push_back(i);
    const auto parent = at(elimination.nodes[i].parent);
    if (parent != 0) { below[parent].insert(below[parent].end(), below[i].begin(), below[i].end()); }
  }
  return below;
}

Vec3<double> derivative(const Vec3<Dual<double>>& v) { return {v.x.derivative, v.y.derivative, v.z.derivative}; }

/// The change of a body's motion, or of that of all that hangs on it.
struct MotionChange {
  Vec3<double> w{}, v{};
};

/// The rates of a joint in terms of its columns.
std::array<double, 6> rates_of(const JointMotion& motion, const End<double>& first, const End<double>& second) {
  const Vec3<double> w = second.w - first.w;
  const Vec3<double> v = second.v + cross(second.w, motion.lever2) - first.v - cross(first.w, motion.lever1);
  Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> columns(6, static_cast<Eigen::Index>(motion.freedoms));
  Eigen::Matrix<double, 6, 1> seen;
  for (Eigen::Index c = 0; c < 3; ++c) {
    seen(c) = w[at(c)];
    seen(3 + c) = v[at(c)];
    for (std::size_t k = 0; k < motion.freedoms; ++k) {
      columns(c, static_cast<Eigen::Index>(k)) = motion.columns[k].ang[at(c)];
      columns(3 + c, static_cast<Eigen::Index>(k)) = motion.columns[k].lin[at(c)];
    }
  }
  std::array<double, 6> rates{};
  if (motion.freedoms == 0) { return rates; }
  const Eigen::VectorXd found = columns.colPivHouseholderQr().solve(seen);
  for (std::size_t k = 0; k < motion.freedoms; ++k) { rates[k] = found(static_cast<Eigen::Index>(k)); }
  return rates;
}

/// How the motion of the body on a joint changes where the body is moved by `turn` about `point` and `shift`, its rates
/// in terms of the joint's columns as they are: the columns change.
MotionChange carried(const JointDescription& joint, const TreeNode& node, const End<double>& first,
                     const End<double>& second, const JointMotion& motion, const Vec3<double>& turn,
                     const Vec3<double>& moved_centre, const Vec3<double>& parent_w) {
  using S = Dual<double>;
  const std::array<double, 6> rates = rates_of(motion, first, second);
  const auto still = [](const End<double>& end) {
    return End<S>{as<S>(end.r), as<S>(end.v), as<S>(end.w), as<S>(end.lever), as<S>(end.axes)};
  };
  const auto put = [](Vec3<S>& to, const Vec3<double>& change) {
    for (std::size_t c = 0; c < 3; ++c) { to[c].derivative = change[c]; }
  };
  End<S> one = still(first);
  End<S> two = still(second);
  End<S>& own = node.is_second ? two : one;
  const End<double>& before = node.is_second ? second : first;
  put(own.r, moved_centre);
  put(own.lever, cross(turn, before.lever));
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3<double> axis = cross(turn, before.axis(k));
    for (std::size_t c = 0; c < 3; ++c) { own.axes(c, k).derivative = axis[c]; }
  }
  JointMotionOf<S> now;
  joint_motion(*joint.kind, joint.parameter, one, two, now);
  Vec3<S> w{};
  Vec3<S> v{};
  for (std::size_t k = 0; k < now.freedoms; ++k) {
    w += S(rates[k]) * now.columns[k].ang;
    v += S(rates[k]) * now.columns[k].lin;
  }
  // second: ω₂ = ω₁ + w, v₂ = v₁ + ω₁ × lever1 + v − ω₂ × lever2; the other way round for the first
  const S sign(node.is_second ? 1 : -1);
  const Vec3<S> parent = as<S>(parent_w);
  const Vec3<S> own_w = parent + sign * w;
  const Vec3<S>& at_parent = node.is_second ? now.lever1 : now.lever2;
  const Vec3<S>& at_own = node.is_second ? now.lever2 : now.lever1;
  const Vec3<S> own_v = cross(parent, at_parent) + sign * v - cross(own_w, at_own);
  return {derivative(own_w), derivative(own_v)};
}

}  // namespace

std::vector<LocalCoordinate> local_coordinates(const Model& model) {
  using Of = LocalCoordinate::Of;
  std::vector<LocalCoordinate> all;
  const EliminationOrder& elimination = model.elimination();
  for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
    const TreeNode& node = elimination.nodes[i];
    if (node.joint < 0) {
      const std::string body = as_formulas_call(model.bodies()[at(node.body)].name);
      for (std::size_t k = 0; k < 3; ++k) {
        all.push_back({Of::body_position,
                       node.body,
                       {},
                       k,
                       false,
                       body + "_" + std::string(kAxes[k]),
                       body + "_v" + std::string(kAxes[k])});
      }
      for (std::size_t k = 0; k < 3; ++k) {
        all.push_back({Of::body_turn,
                       node.body,
                       {},
                       k,
                       true,
                       body + "_turn_" + std::string(kAxes[k]),
                       body + "_w" + std::string(kAxes[k]) + "_body"});
      }
      continue;
    }
    const JointDescription& joint = model.joints()[at(node.joint)];
    const std::string name = as_formulas_call(joint.name);
    for (const Coordinate coordinate : joint.kind->coordinates) {
      if (!has_row(coordinate)) { continue; }
      const std::string own = name + "_" + std::string(to_text(coordinate));
      all.push_back({Of::joint, node.joint, coordinate, 0, polhode::is_angle(coordinate), own, own + "_rate"});
    }
    if (joint.kind->turns != FreeTurns::all && joint.kind->turns != FreeTurns::no_twist) { continue; }
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string own = name + "_turn_" + std::string(kAxes[k]);
      all.push_back({Of::joint_turn, node.joint, {}, k, true, own, own + "_rate"});
    }
  }
  return all;
}

TreeDirections tree_directions(const Model& model, std::span<const double> y) {
  const EliminationOrder& elimination = model.elimination();
  const StateNow<double> now(model, y);
  const std::vector<std::vector<std::size_t>> below = subtrees(elimination);
  const std::size_t size = y.size();
  TreeDirections directions;
  for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
    const TreeNode& node = elimination.nodes[i];
    std::array<Pair, 6> columns{};
    JointMotion motion;
    std::size_t freedoms = 6;
    Vec3<double> point = now.body(node.body).r;
    double sign = 1;
    if (node.joint < 0) {
      for (std::size_t k = 0; k < 3; ++k) {
        columns[k].lin = axis_vector<double>(k);
        columns[3 + k].ang = column(now.body(node.body).R, k);
      }
    } else {
      const JointDescription& joint = model.joints()[at(node.joint)];
      const auto [first, second] = now.ends(node.joint);
      joint_motion(*joint.kind, joint.parameter, first, second, motion);
      columns = motion.columns;
      freedoms = motion.freedoms;
      point = second.point();
      sign = node.is_second ? 1 : -1;
    }
    StateNow<double>::Body parent{};
    if (node.parent != 0) { parent = now.body(elimination.nodes[at(node.parent)].body); }
    for (std::size_t k = 0; k < freedoms; ++k) {
      const Vec3<double> turn = sign * columns[k].ang;
      const Vec3<double> shift = sign * columns[k].lin;
      std::vector<double> pose(size);
      std::vector<double> rate(size);
      const StateNow<double>::Body& own = now.body(node.body);
      const Vec3<double> moved_own = cross(turn, own.r - point) + shift;
      MotionChange change{};
      if (node.joint >= 0) {
        const auto [first, second] = now.ends(node.joint);
        change = carried(model.joints()[at(node.joint)], node, first, second, motion, turn, moved_own, parent.w);
      } else {
        change = {cross(turn, own.w), {}};
      }
      for (const std::size_t n : below[i]) {
        const int b = elimination.nodes[n].body;
        const StateNow<double>::Body& body = now.body(b);
        const Vec3<double> moved = cross(turn, body.r - point) + shift;
        // seen from the body on the joint, the motion of all others turns with it
        const Vec3<double> from = body.r - own.r;
        const Vec3<double> seen = body.v - own.v - cross(own.w, from);
        const Vec3<double> dw = change.w + cross(turn, body.w - own.w);
        const Vec3<double> dv = change.v + cross(change.w, from) + cross(own.w, cross(turn, from)) + cross(turn, seen);
        const EulerParameters<double> de = 0.5 * (pure(turn) * Model::view(y, b).e_NB);
        // ω' = Rᵀ ω, and R turns
        const Vec3<double> dw_B = transpose_times(body.R, dw - cross(turn, body.w));
        const Vec3<double> rate_B = transpose_times(body.R, turn);
        double* to = pose.data() + 13 * at(b);
        double* to_rate = rate.data() + 13 * at(b);
        to[3] = de.e0;
        for (std::size_t c = 0; c < 3; ++c) {
          to[c] = moved[c];
          to[4 + c] = de.ev[c];
          to[7 + c] = dv[c];
          to[10 + c] = dw_B[c];
          to_rate[7 + c] = moved[c];
          to_rate[10 + c] = rate_B[c];
        }
      }
      // wheels keep their speeds relative to their bodies
      for (std::size_t w = 0; w < model.wheel_count(); ++w) {
        const ReactionWheel& wheel = model.wheels()[w];
        const std::size_t first = 13 * at(wheel.body) + 10;
        for (std::vector<double>* one : {&pose, &rate}) {
          (*one)[model.bodies_size() + w] =
              dot(wheel.axis_B, Vec3<double>{(*one)[first], (*one)[first + 1], (*one)[first + 2]});
        }
      }
      directions.poses.insert(directions.poses.end(), pose.begin(), pose.end());
      directions.rates.insert(directions.rates.end(), rate.begin(), rate.end());
      ++directions.count;
    }
  }
  return directions;
}

}  // namespace polhode::analysis
