#include "polhode/multibody/force_values.h"
#include "polhode/multibody/node_state.h"

#include <algorithm>

namespace polhode {
namespace tree_sweep {
namespace {

/// A point of a body, for forces that act there.
struct Point {
  std::size_t node;
  Vec3<double> lever, r, v;
};

Point point_of(const Model& model, std::span<const double> y, const Scratch& scratch, BodyId body,
               const Vec3<double>& r_BP_B) {
  if (body < 0) { return {0, r_BP_B, r_BP_B, {}}; }
  const int node = model.elimination().node_of_body[at(body)];
  const double* s = state_of(model.elimination().nodes[at(node)], y);
  const Scratch::Node& x = scratch.nodes[at(node)];
  const Vec3<double> lever = x.R * (r_BP_B - model.bodies()[at(body)].mass.center_B);
  return {at(node), lever, three(s) + lever, three(s + 7) + cross(x.w, lever)};
}

End<double> end_on(const Model& model, std::span<const double> y, const Scratch& scratch, BodyId body,
                   const FrameOnBody& frame) {
  const Vec3<double> center = body < 0 ? Vec3<double>{} : model.bodies()[at(body)].mass.center_B;
  return end_of(model.elimination(), y, scratch, body < 0 ? 0 : model.elimination().node_of_body[at(body)],
                frame.r_BF_B - center, rotation_matrix(frame.e_BF));
}

void push(Scratch& scratch, const Point& p, const Vec3<double>& force) {
  scratch.applied[p.node] += Pair{cross(p.lever, force), force};
  if (scratch.at_points != nullptr) { scratch.at_points->push_back({p.node, p.lever, force}); }
}

/// What a law says about a body, added to what laws have said before.
void act(const Model& model, const MechanismView& now, const WrenchLaw& law, Scratch& scratch) {
  Pair f = law.law(now);
  const EulerParameters<double> e_NB = Model::view(now.y, law.body).e_NB;
  if (law.in_body) { f = {rotate(e_NB, f.ang), rotate(e_NB, f.lin)}; }
  const std::size_t node = at(model.elimination().node_of_body[at(law.body)]);
  // what supplies work is summed up first, and its power taken of the sum
  const bool supplies = law.work == WorkOf::supplied;
  Pair& sum = supplies ? scratch.wrench[at(law.body)] : scratch.applied[node];
  sum += f;
  if (law.r_BP_B) {
    const Vec3<double> lever = rotate(e_NB, *law.r_BP_B - model.bodies()[at(law.body)].mass.center_B);
    const Vec3<double> moment = cross(lever, f.lin);
    sum.ang += moment;
    f.ang += moment;
    if (scratch.at_points != nullptr) { scratch.at_points->push_back({node, lever, f.lin}); }
  }
  if (law.work == WorkOf::dissipated) {
    scratch.force_power.dissipated -=
        dot(f, {scratch.nodes[node].w, three(state_of(model.elimination().nodes[node], now.y) + 7)});
  }
}

/// What a law says about a coordinate, added to what laws have said before.
void act(const Model& model, const MechanismView& now, const JointLaw& law, Scratch& scratch) {
  const JointDescription& joint = model.joints()[at(law.joint)];
  const auto [first, second] = model.ends(now.y, law.joint);
  const Row row = coordinate_row(law.coordinate, first, second);
  const double rate = dot(row.first, {first.w, first.v}) + dot(row.second, {second.w, second.v});
  const double q = model.unwrapped(now.turns, law.joint, law.coordinate, row.value);
  const double Q = law.law(now, {q, rate});
  if (joint.first >= 0) { scratch.wrench[at(joint.first)] += Q * row.first; }
  if (joint.second >= 0) { scratch.wrench[at(joint.second)] += Q * row.second; }
}

/// A wheel with its motor, and how fast the wheel speeds up (MEC-38).
void act(const Model& model, const MechanismView& now, std::size_t wheel, Scratch& scratch) {
  const ReactionWheel& own = model.wheels()[wheel];
  const double speed = model.wheel_speed(now.y, wheel);
  const double motor = motor_torque(now, wheel);
  const double torque = motor - own.friction * speed;
  scratch.wheel_rates[wheel] = torque / own.inertia;
  scratch.force_power += Power{motor * speed, own.friction * speed * speed};
  const std::size_t node = at(model.elimination().node_of_body[at(own.body)]);
  scratch.applied[node].ang += scratch.nodes[node].R * wheel_moment_B(now, wheel, torque);
}

/// All forces of one kind that act on coordinates.
template <class Forces>
void act_on_coordinates(const Model& model, std::span<const double> y, const Forces& forces, Scratch& scratch) {
  const EliminationOrder& elimination = model.elimination();
  for (const auto& force : forces) {
    const auto [first, second] = ends_of(elimination, y, scratch, force.joint);
    const Row row = coordinate_row(force.coordinate, first, second);
    const double rate = dot(row.first, {first.w, first.v}) + dot(row.second, {second.w, second.v});
    const double q = model.unwrapped(scratch.turns, force.joint, force.coordinate, row.value);
    const CoordinateForce now = force_on(force, q, rate);
    scratch.force_power += now.power;
    scratch.applied[at(elimination.ends[at(force.joint)].node1)] += now.Q * row.first;
    scratch.applied[at(elimination.ends[at(force.joint)].node2)] += now.Q * row.second;
  }
}

void act(const Model& model, std::span<const double> y, const Bushing& bushing, Scratch& scratch) {
  const End<double> first = end_on(model, y, scratch, bushing.first, bushing.on_first);
  const End<double> second = end_on(model, y, scratch, bushing.second, bushing.on_second);
  const std::array<Row, 6> rows = bushing_rows(first, second);
  double rate[6];
  for (std::size_t i = 0; i < 6; ++i) {
    rate[i] = dot(rows[i].first, {first.w, first.v}) + dot(rows[i].second, {second.w, second.v});
  }
  const auto node = [&](BodyId body) { return body < 0 ? 0 : at(model.elimination().node_of_body[at(body)]); };
  for (std::size_t i = 0; i < 6; ++i) {
    double elastic = 0;
    double damping = 0;
    for (std::size_t j = 0; j < 6; ++j) {
      elastic += bushing.stiffness(i, j) * rows[j].value;
      damping += bushing.damping(i, j) * rate[j];
    }
    scratch.force_power.dissipated += damping * rate[i];
    scratch.applied[node(bushing.first)] += -(elastic + damping) * rows[i].first;
    scratch.applied[node(bushing.second)] += -(elastic + damping) * rows[i].second;
  }
}

}  // namespace

bool apply_forces(const Model& model, double t, std::span<const double> y, Scratch& scratch) {
  const EliminationOrder& elimination = model.elimination();
  scratch.force_power = {};
  if (!model.has_forces()) { return false; }
  std::fill(scratch.applied.begin(), scratch.applied.end(), Pair{});
  for (const Wrench& wrench : model.wrenches()) {
    const Point p = point_of(model, y, scratch, wrench.body, wrench.r_BP_B);
    const Mat3<double>& R = scratch.nodes[p.node].R;
    const Vec3<double> force = wrench.in_body ? R * wrench.force : wrench.force;
    const Vec3<double> moment = wrench.in_body ? R * wrench.moment : wrench.moment;
    push(scratch, p, force);
    scratch.applied[p.node].ang += moment;
    scratch.force_power.supplied += dot(force, p.v) + (p.node == 0 ? 0 : dot(moment, scratch.nodes[p.node].w));
  }
  for (const Spring& spring : model.springs()) {
    const Point first = point_of(model, y, scratch, spring.first, spring.on_first_B);
    const Point second = point_of(model, y, scratch, spring.second, spring.on_second_B);
    const Vec3<double> d = second.r - first.r;
    const double length = norm(d);
    const Vec3<double> n = length > 0 ? d / length : Vec3<double>{};
    const double rate = dot(n, second.v - first.v);
    const double f = spring.stiffness * (length - spring.free_length) + spring.damping * rate + spring.force;
    scratch.force_power.dissipated += spring.damping * rate * rate;
    push(scratch, first, f * n);
    push(scratch, second, -f * n);
  }
  act_on_coordinates(model, y, model.joint_springs(), scratch);
  act_on_coordinates(model, y, model.joint_limits(), scratch);
  act_on_coordinates(model, y, model.joint_frictions(), scratch);
  for (const Bushing& bushing : model.bushings()) { act(model, y, bushing, scratch); }
  for (const Drag& drag : model.drags()) {
    const Point p = point_of(model, y, scratch, drag.body, drag.r_BP_B);
    const Vec3<double> through = p.v - drag.medium_N;
    const Vec3<double> force = -(drag.linear + drag.quadratic * norm(through)) * through;
    scratch.force_power += Power{dot(force, drag.medium_N), -dot(force, through)};
    push(scratch, p, force);
  }
  for (const CentralGravity& gravity : model.central_gravities()) {
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      const std::size_t node = at(elimination.node_of_body[b]);
      scratch.applied[node] += attraction(gravity, model.bodies()[b].mass, three(state_of(elimination.nodes[node], y)),
                                          scratch.nodes[node].R);
    }
  }
  if (!model.force_laws().empty() || !model.joint_laws().empty() || !model.wrench_laws().empty()) {
    std::fill(scratch.wrench.begin(), scratch.wrench.end(), Pair{});
    const MechanismView now{model, t, y, scratch.turns};
    for (const ForceLaw& law : model.force_laws()) { law(now, std::span(scratch.wrench).first(model.body_count())); }
    for (const JointLaw& law : model.joint_laws()) { act(model, now, law, scratch); }
    for (const WrenchLaw& law : model.wrench_laws()) { act(model, now, law, scratch); }
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      const std::size_t node = at(elimination.node_of_body[b]);
      scratch.applied[node] += scratch.wrench[b];
      scratch.force_power.supplied +=
          dot(scratch.wrench[b], {scratch.nodes[node].w, three(state_of(elimination.nodes[node], y) + 7)});
    }
  }
  for (std::size_t w = 0; w < model.wheel_count(); ++w) { act(model, {model, t, y, scratch.turns}, w, scratch); }
  return true;
}

}  // namespace tree_sweep

double driver_force(const Model& model, const Scratch& scratch, int driver) {
  const EliminationOrder& elimination = model.elimination();
  const auto index =
      static_cast<std::size_t>(&model.constraint({kConstraintKind<Driver>, driver}) - model.constraints().data());
  return -scratch.lambda[at(elimination.closures[at(elimination.closure_of[index])].first_row)];
}

Power power(const Model& model, const Scratch& scratch) {
  Power sum = scratch.force_power;
  for (const Closure& closure : model.elimination().closures) {
    for (int r = 0; r < closure.rows; ++r) {
      const std::size_t row = at(closure.first_row + r);
      if (scratch.rows[row].rate != 0) { sum.supplied -= scratch.lambda[row] * scratch.rows[row].rate; }
    }
  }
  return sum;
}

Energy energy(const Model& model, std::span<const double> y, std::span<const double> turns) {
  Energy sum;
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const MassProperties& mass = model.bodies()[b].mass;
    const Mat3<double>& J_B = model.carrier_J_B(static_cast<BodyId>(b));
    sum.kinetic += 0.5 * mass.mass * dot(body.v_N, body.v_N) + 0.5 * dot(body.w_B, J_B * body.w_B);
    sum.potential -= mass.mass * dot(model.gravity_N(), body.r_N);
    for (const CentralGravity& gravity : model.central_gravities()) {
      sum.potential += potential(gravity, mass, body.r_N, rotation_matrix(body.e_NB));
    }
  }
  for (std::size_t w = 0; w < model.wheel_count(); ++w) {
    const double rate = y[model.bodies_size() + w];
    sum.kinetic += 0.5 * model.wheels()[w].inertia * rate * rate;
  }
  for (const Spring& spring : model.springs()) {
    sum.potential += potential(spring, norm(model.point_N(y, spring.second, spring.on_second_B) -
                                            model.point_N(y, spring.first, spring.on_first_B)));
  }
  const auto of_coordinates = [&](const auto& forces) {
    for (const auto& force : forces) {
      const auto [first, second] = model.ends(y, force.joint);
      const double q = joint_coordinate(force.coordinate, first, second).value;
      sum.potential += potential(force, model.unwrapped(turns, force.joint, force.coordinate, q));
    }
  };
  of_coordinates(model.joint_springs());
  of_coordinates(model.joint_limits());
  for (const WrenchLaw& law : model.wrench_laws()) {
    if (law.potential) { sum.potential += law.potential({model, 0, y, turns}); }
  }
  for (const Bushing& bushing : model.bushings()) {
    sum.potential += potential(bushing, bushing_strain(model.end(y, bushing.first, bushing.on_first),
                                                       model.end(y, bushing.second, bushing.on_second)));
  }
  return sum;
}

}  // namespace polhode
