#pragma once

#include "polhode/core/index.h"
#include "polhode/multibody/joint_motion.h"
#include "polhode/multibody/model.h"

/// What acts in a mechanism, element by element, for any number type: act(view, element) adds what the element does to
/// the bodies. A view holds the state and takes the sums:
///
///   using Number = S;
///   const Model& model;  double t;  std::span<const S> y;  std::span<const double> turns;
///   const Mat3<S>& R(node), const Vec3<S>& w(node)         // of a node of the elimination order, ground included
///   PairOf<S>& applied(node)                               // moment about the mass centre, and force
///   PairOf<S>& supplied(body)                              // the same for laws whose work is supplied
///   void at_point(node, lever_N, force_N)                  // told apart for those who ask, see ForceAtPoint
///   PowerOf<S> power;
///   S& wheel_rate(wheel)                                   // σ̇
namespace polhode::acting {

template <class View>
using NumberOf = typename std::remove_cvref_t<View>::Number;

inline std::size_t node_of(const Model& model, BodyId body) {
  return body < 0 ? 0 : at(model.elimination().node_of_body[at(body)]);
}
template <class View>
Vec3<NumberOf<View>> position_of(const View& view, BodyId body) {
  const auto* s = view.y.data() + 13 * at(body);
  return {s[0], s[1], s[2]};
}
template <class View>
Vec3<NumberOf<View>> velocity_of(const View& view, BodyId body) {
  const auto* s = view.y.data() + 13 * at(body);
  return {s[7], s[8], s[9]};
}
template <class View>
MechanismViewOf<NumberOf<View>> as_laws_see(const View& view) {
  return {view.model, view.t, view.y, view.turns};
}

/// A point of a body, for forces that act there.
template <class S>
struct PointOf {
  std::size_t node;
  Vec3<S> lever, r, v;
};
template <class View, class S = NumberOf<View>>
PointOf<S> point_of(const View& view, BodyId body, const Vec3<double>& r_BP_B) {
  if (body < 0) { return {0, as<S>(r_BP_B), as<S>(r_BP_B), {}}; }
  const std::size_t node = node_of(view.model, body);
  const Vec3<S> lever = view.R(node) * as<S>(r_BP_B - view.model.bodies()[at(body)].mass.center_B);
  return {node, lever, position_of(view, body) + lever, velocity_of(view, body) + cross(view.w(node), lever)};
}

/// A frame on a body, or on ground, whose lever begins at the mass centre.
template <class View, class S = NumberOf<View>>
End<S> end_of(const View& view, BodyId body, const Vec3<double>& lever_B, const Mat3<double>& axes_B) {
  if (body < 0) { return {{}, {}, {}, as<S>(lever_B), as<S>(axes_B)}; }
  const std::size_t node = node_of(view.model, body);
  const Mat3<S>& R = view.R(node);
  return {position_of(view, body), velocity_of(view, body), view.w(node), R * as<S>(lever_B), R * as<S>(axes_B)};
}
template <class View, class S = NumberOf<View>>
End<S> end_on(const View& view, BodyId body, const FrameOnBody& frame) {
  const Vec3<double> center = body < 0 ? Vec3<double>{} : view.model.bodies()[at(body)].mass.center_B;
  return end_of(view, body, frame.r_BF_B - center, rotation_matrix(frame.e_BF));
}
template <class View, class S = NumberOf<View>>
std::pair<End<S>, End<S>> ends_of(const View& view, int joint) {
  const JointEnds& e = view.model.elimination().ends[at(joint)];
  const JointDescription& one = view.model.joints()[at(joint)];
  return {end_of(view, one.first, e.lever1_B, e.axes1_B), end_of(view, one.second, e.lever2_B, e.axes2_B)};
}

template <class View, class S = NumberOf<View>>
void push(View& view, const PointOf<S>& p, const Vec3<S>& force) {
  view.applied(p.node) += PairOf<S>{cross(p.lever, force), force};
  view.at_point(p.node, p.lever, force);
}

template <class View>
void act(View& view, const Wrench& wrench) {
  using S = NumberOf<View>;
  const PointOf<S> p = point_of(view, wrench.body, wrench.r_BP_B);
  const Mat3<S>& R = view.R(p.node);
  const Vec3<S> force = wrench.in_body ? R * as<S>(wrench.force) : as<S>(wrench.force);
  const Vec3<S> moment = wrench.in_body ? R * as<S>(wrench.moment) : as<S>(wrench.moment);
  push(view, p, force);
  view.applied(p.node).ang += moment;
  view.power.supplied += dot(force, p.v) + (p.node == 0 ? S(0) : dot(moment, view.w(p.node)));
}

template <class View>
void act(View& view, const Spring& spring) {
  using S = NumberOf<View>;
  const PointOf<S> first = point_of(view, spring.first, spring.on_first_B);
  const PointOf<S> second = point_of(view, spring.second, spring.on_second_B);
  const Vec3<S> d = second.r - first.r;
  if constexpr (!PlainReal<S>) {
    // without length there is no direction; a spring that is free at no length is smooth there
    if (!(value_of(dot(d, d)) > 0)) {
      if (spring.free_length == 0) {
        push(view, first, S(spring.stiffness) * d);
        push(view, second, S(-spring.stiffness) * d);
      }
      return;
    }
  }
  const S length = norm(d);
  const Vec3<S> n = value_of(length) > 0 ? d / length : Vec3<S>{};
  const S rate = dot(n, second.v - first.v);
  const S f = S(spring.stiffness) * (length - S(spring.free_length)) + S(spring.damping) * rate + S(spring.force);
  view.power.dissipated += S(spring.damping) * rate * rate;
  push(view, first, f * n);
  push(view, second, -f * n);
}

/// Springs, stops and friction on a coordinate of a joint.
template <class View, class Force>
  requires requires(const Force& force) { force_on(force, 0.0, 0.0); }
void act(View& view, const Force& force) {
  using S = NumberOf<View>;
  const auto [first, second] = ends_of(view, force.joint);
  const RowOf<S> row = coordinate_row(force.coordinate, first, second);
  const S rate = dot(row.first, {first.w, first.v}) + dot(row.second, {second.w, second.v});
  const S q = view.model.unwrapped(view.turns, force.joint, force.coordinate, row.value);
  const CoordinateForceOf<S> now = force_on(force, q, rate);
  view.power += now.power;
  const JointEnds& e = view.model.elimination().ends[at(force.joint)];
  view.applied(at(e.node1)) += now.Q * row.first;
  view.applied(at(e.node2)) += now.Q * row.second;
}

template <class View>
void act(View& view, const Bushing& bushing) {
  using S = NumberOf<View>;
  const End<S> first = end_on(view, bushing.first, bushing.on_first);
  const End<S> second = end_on(view, bushing.second, bushing.on_second);
  const std::array<RowOf<S>, 6> rows = bushing_rows(first, second);
  std::array<S, 6> rate;
  for (std::size_t i = 0; i < 6; ++i) {
    rate[i] = dot(rows[i].first, {first.w, first.v}) + dot(rows[i].second, {second.w, second.v});
  }
  for (std::size_t i = 0; i < 6; ++i) {
    S elastic(0);
    S damping(0);
    for (std::size_t j = 0; j < 6; ++j) {
      elastic += S(bushing.stiffness(i, j)) * rows[j].value;
      damping += S(bushing.damping(i, j)) * rate[j];
    }
    view.power.dissipated += damping * rate[i];
    view.applied(node_of(view.model, bushing.first)) += -(elastic + damping) * rows[i].first;
    view.applied(node_of(view.model, bushing.second)) += -(elastic + damping) * rows[i].second;
  }
}

template <class View>
void act(View& view, const Drag& drag) {
  using S = NumberOf<View>;
  const PointOf<S> p = point_of(view, drag.body, drag.r_BP_B);
  const Vec3<S> through = p.v - as<S>(drag.medium_N);
  // |v − u| at rest has no derivative; its product with v − u has, zero
  const S speed = value_of(dot(through, through)) > 0 ? norm(through) : S(0);
  const Vec3<S> force = -(S(drag.linear) + S(drag.quadratic) * speed) * through;
  view.power += PowerOf<S>{dot(force, as<S>(drag.medium_N)), -dot(force, through)};
  push(view, p, force);
}

/// A far centre, on one body.
template <class View>
void act(View& view, const CentralGravity& gravity, BodyId body) {
  const std::size_t node = node_of(view.model, body);
  view.applied(node) += attraction(gravity, view.model.bodies()[at(body)].mass, position_of(view, body), view.R(node));
}

/// What a law says about a coordinate, added to what laws have said before.
template <class View>
void act(View& view, const JointLaw& law) {
  using S = NumberOf<View>;
  const JointDescription& joint = view.model.joints()[at(law.joint)];
  const auto [first, second] = view.model.ends(view.y, law.joint);
  const RowOf<S> row = coordinate_row(law.coordinate, first, second);
  const S rate = dot(row.first, {first.w, first.v}) + dot(row.second, {second.w, second.v});
  const S q = view.model.unwrapped(view.turns, law.joint, law.coordinate, row.value);
  const S Q = law.law(as_laws_see(view), CoordinateValueOf<S>{q, rate});
  if (joint.first >= 0) { view.supplied(joint.first) += Q * row.first; }
  if (joint.second >= 0) { view.supplied(joint.second) += Q * row.second; }
}

/// What a law says about a body, added to what laws have said before.
template <class View>
void act(View& view, const WrenchLaw& law) {
  using S = NumberOf<View>;
  PairOf<S> f = law.law(as_laws_see(view));
  const EulerParameters<S> e_NB = Model::view(view.y, law.body).e_NB;
  if (law.in_body) { f = {rotate(e_NB, f.ang), rotate(e_NB, f.lin)}; }
  const std::size_t node = node_of(view.model, law.body);
  // what supplies work is summed up first, and its power taken of the sum
  PairOf<S>& sum = law.work == WorkOf::supplied ? view.supplied(law.body) : view.applied(node);
  sum += f;
  if (law.r_BP_B) {
    const Vec3<S> lever = rotate(e_NB, as<S>(*law.r_BP_B - view.model.bodies()[at(law.body)].mass.center_B));
    const Vec3<S> moment = cross(lever, f.lin);
    sum.ang += moment;
    f.ang += moment;
    view.at_point(node, lever, f.lin);
  }
  if (law.work == WorkOf::dissipated) { view.power.dissipated -= dot(f, {view.w(node), velocity_of(view, law.body)}); }
}

/// τ_motor of a wheel, by its limits, N m (MEC-38).
template <class S>
S motor_torque_of(const MechanismViewOf<S>& now, std::size_t wheel) {
  const ReactionWheel& own = now.model.wheels()[wheel];
  return own.command ? own.limited_for<S>(own.command(now), now.model.wheel_speed(now.y, wheel)) : S(0);
}
/// What a wheel does to the rest of its body, body components: −ω' × I σ s' − τ s' (MEC-38). `torque`: τ.
template <class S>
Vec3<S> wheel_moment_of(const MechanismViewOf<S>& now, std::size_t wheel, const S& torque) {
  const ReactionWheel& own = now.model.wheels()[wheel];
  const S momentum = S(own.inertia) * now.y[now.model.bodies_size() + wheel];
  const Vec3<S> axis_B = as<S>(own.axis_B);
  return -cross(Model::view(now.y, own.body).w_B, momentum * axis_B) - torque * axis_B;
}

/// A wheel with its motor, and how fast the wheel speeds up (MEC-38).
template <class View>
void act(View& view, std::size_t wheel) {
  using S = NumberOf<View>;
  const ReactionWheel& own = view.model.wheels()[wheel];
  const MechanismViewOf<S> now = as_laws_see(view);
  const S speed = view.model.wheel_speed(now.y, wheel);
  const S motor = motor_torque_of(now, wheel);
  const S torque = motor - S(own.friction) * speed;
  view.wheel_rate(wheel) = torque / S(own.inertia);
  view.power += PowerOf<S>{motor * speed, S(own.friction) * speed * speed};
  const std::size_t node = node_of(view.model, own.body);
  view.applied(node).ang += view.R(node) * wheel_moment_of(now, wheel, torque);
}

/// Calls `use(elements...)` for every element, in the order in which sums are taken; laws by `law(law)`.
template <class Use>
void each_element(const Model& model, const Use& use) {
  for (const Wrench& one : model.wrenches()) { use(one); }
  for (const Spring& one : model.springs()) { use(one); }
  for (const JointSpring& one : model.joint_springs()) { use(one); }
  for (const JointLimit& one : model.joint_limits()) { use(one); }
  for (const JointFriction& one : model.joint_frictions()) { use(one); }
  for (const Bushing& one : model.bushings()) { use(one); }
  for (const Drag& one : model.drags()) { use(one); }
  for (const CentralGravity& one : model.central_gravities()) {
    for (std::size_t b = 0; b < model.body_count(); ++b) { use(one, static_cast<BodyId>(b)); }
  }
}

}  // namespace polhode::acting
