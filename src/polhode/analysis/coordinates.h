#pragma once

#include "polhode/core/index.h"
#include "polhode/multibody/joint_motion.h"
#include "polhode/multibody/model.h"

#include <span>
#include <string>
#include <vector>

/// Coordinates near one state of a mechanism, by name, and the directions in which its bodies can move there. Labels
/// (ANA-n): docs/theory/analysis.md.
namespace polhode::analysis {

/// A number by which the pose of a mechanism can be told near one state, with its rate: a coordinate of a joint of the
/// spanning tree, or of a body without a joint to its parent.
struct LocalCoordinate {
  enum class Of : std::uint8_t {
    joint,          ///< Coordinate of a joint
    joint_turn,     ///< of a joint with three turns: small turn from the state, about an axis of the second frame
    body_position,  ///< of a mass centre, space components
    body_turn,      ///< small turn from the state, about an axis of the body
  };
  Of of = Of::joint;
  int index = 0;  ///< of the joint, or the body
  Coordinate coordinate = Coordinate::turn;
  std::size_t axis = 0;
  bool is_angle = false;
  std::string name;       ///< as formulas call it: "knee_turn", "hub_x"
  std::string rate_name;  ///< "knee_turn_rate", "hub_vx"
};

/// All of them, in the order of the spanning tree. More than there are freedoms where joints say more than that (a rod
/// has three slides for two freedoms), or loops close.
std::vector<LocalCoordinate> local_coordinates(const Model& model);

/// A state on numbers S, and what is computed of it once for all joints.
template <class S>
class StateNow {
 public:
  StateNow(const Model& model, std::span<const S> y) : model_(&model), y_(y), bodies_(model.body_count()) {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const BodyViewOf<S> view = Model::view(y, static_cast<BodyId>(b));
      const Mat3<S> R = rotation_matrix(view.e_NB);
      bodies_[b] = {view.r_N, view.v_N, R * view.w_B, R};
    }
  }
  struct Body {
    Vec3<S> r{}, v{}, w{};
    Mat3<S> R{};
  };
  const Body& body(int b) const { return bodies_[at(b)]; }
  std::span<const S> y() const { return y_; }
  const Model& model() const { return *model_; }
  End<S> end(BodyId body, const Vec3<double>& lever_B, const Mat3<double>& axes_B) const {
    if (body == kGround) { return {{}, {}, {}, as<S>(lever_B), as<S>(axes_B)}; }
    const Body& b = bodies_[at(body)];
    return {b.r, b.v, b.w, b.R * as<S>(lever_B), b.R * as<S>(axes_B)};
  }
  std::pair<End<S>, End<S>> ends(int joint) const {
    const JointEnds& e = model_->elimination().ends[at(joint)];
    const JointDescription& one = model_->joints()[at(joint)];
    return {end(one.first, e.lever1_B, e.axes1_B), end(one.second, e.lever2_B, e.axes2_B)};
  }

 private:
  const Model* model_;
  std::span<const S> y_;
  std::vector<Body> bodies_;
};

/// A local coordinate and its rate. `reference`: the state that small turns count from.
///
///   θ = 2 vec(e_ref* ∘ e)                                   (ANA-2)
template <class S>
CoordinateValueOf<S> local_coordinate(const LocalCoordinate& one, const StateNow<S>& now,
                                      std::span<const double> reference) {
  using Of = LocalCoordinate::Of;
  const auto attitude = [&](auto y, BodyId body) {
    using T = std::remove_cvref_t<decltype(y[0])>;
    return body == kGround ? EulerParameters<T>::identity() : Model::view(y, body).e_NB;
  };
  const auto small_turn = [&](const EulerParameters<double>& from, const EulerParameters<S>& to) {
    const EulerParameters<S> away = conjugate(EulerParameters<S>{S(from.e0), as<S>(from.ev)}) * to;
    return S(2) * away.ev[one.axis];
  };
  switch (one.of) {
    case Of::joint: {
      const auto [first, second] = now.ends(one.index);
      return joint_coordinate(one.coordinate, first, second);
    }
    case Of::joint_turn: {
      const JointDescription& joint = now.model().joints()[at(one.index)];
      const auto relative = [&](auto y) {
        using T = std::remove_cvref_t<decltype(y[0])>;
        const auto fixed = [](const EulerParameters<double>& e) { return EulerParameters<T>{T(e.e0), as<T>(e.ev)}; };
        return conjugate(attitude(y, joint.first) * fixed(joint.on_first.e_BF)) *
               (attitude(y, joint.second) * fixed(joint.on_second.e_BF));
      };
      const auto [first, second] = now.ends(one.index);
      return {small_turn(relative(reference), relative(now.y())), dot(second.axis(one.axis), second.w - first.w)};
    }
    case Of::body_position:
      return {now.body(one.index).r[one.axis], now.body(one.index).v[one.axis]};
    case Of::body_turn:
      break;
  }
  const BodyViewOf<S> body = Model::view(now.y(), one.index);
  return {small_turn(Model::view(reference, one.index).e_NB, body.e_NB), body.w_B[one.axis]};
}

/// Changes of a state that the joints of the spanning tree allow, to first order: a coordinate of a joint moves what
/// hangs on it, all other poses and all rates relative to each other as they are; then a rate of it changes. A column
/// of state_size() numbers each, in the order of the tree. What closes loops is not looked at.
struct TreeDirections {
  std::size_t count = 0;      ///< of either kind
  std::vector<double> poses;  ///< columns
  std::vector<double> rates;
};
TreeDirections tree_directions(const Model& model, std::span<const double> y);

/// Rows of all constraints at a state: values of those on positions (zero for others), and speeds C v − rate of all.
template <class S>
void constraint_values(const Model& model, double t, const StateNow<S>& now, std::vector<S>& values,
                       std::vector<S>& speeds) {
  values.clear();
  speeds.clear();
  std::array<ConstraintRow<S>, 8> rows;
  for (const ModelConstraint& constraint : model.constraints()) {
    const auto end = [&](std::size_t s) {
      const ConstraintEnd& e = constraint.ends[s];
      return now.end(e.body, e.lever_B, e.axes_B);
    };
    model.rows(constraint.id, t, end, rows.data());
    for (std::size_t r = 0; r < at(constraint.rows); ++r) {
      const bool on_positions = model.with(constraint.id, [&](const auto& one) {
        if constexpr (requires { one.on_positions(r); }) { return static_cast<bool>(one.on_positions(r)); }
        return true;
      });
      values.push_back(on_positions ? rows[r].value : S(0));
      S speed = -rows[r].rate;
      for (std::size_t s = 0; s < constraint.ends.size(); ++s) {
        const BodyId body = constraint.ends[s].body;
        if (body != kGround) { speed += dot(rows[r].sides[s], {now.body(body).w, now.body(body).v}); }
      }
      speeds.push_back(speed);
    }
  }
}

}  // namespace polhode::analysis
