#include "polhode/multibody/acting.h"
#include "polhode/multibody/node_state.h"

#include <algorithm>
#include <cmath>

namespace polhode {
namespace tree_sweep {
namespace {

/// The state and the sums of an evaluation with double.
struct ScratchView {
  using Number = double;
  const Model& model;
  double t;
  std::span<const double> y;
  std::span<const double> turns;
  Scratch& scratch;
  Power& power;

  const Mat3<double>& R(std::size_t node) const { return scratch.nodes[node].R; }
  const Vec3<double>& w(std::size_t node) const { return scratch.nodes[node].w; }
  Pair& applied(std::size_t node) { return scratch.applied[node]; }
  Pair& supplied(BodyId body) { return scratch.wrench[at(body)]; }
  double& wheel_rate(std::size_t wheel) { return scratch.wheel_rates[wheel]; }
  void at_point(std::size_t node, const Vec3<double>& lever_N, const Vec3<double>& f_N) {
    if (scratch.at_points != nullptr) { scratch.at_points->push_back({node, lever_N, f_N}); }
  }
};

}  // namespace

bool apply_forces(const Model& model, double t, std::span<const double> y, Scratch& scratch) {
  const EliminationOrder& elimination = model.elimination();
  scratch.force_power = {};
  if (!model.has_forces()) { return false; }
  std::fill(scratch.applied.begin(), scratch.applied.end(), Pair{});
  ScratchView view{model, t, y, scratch.turns, scratch, scratch.force_power};
  acting::each_element(model, [&](const auto&... element) { acting::act(view, element...); });
  if (!model.force_laws().empty() || !model.joint_laws().empty() || !model.wrench_laws().empty()) {
    std::fill(scratch.wrench.begin(), scratch.wrench.end(), Pair{});
    const MechanismView now = acting::as_laws_see(view);
    for (const ForceLaw& law : model.force_laws()) { law(now, std::span(scratch.wrench).first(model.body_count())); }
    for (const JointLaw& law : model.joint_laws()) { acting::act(view, law); }
    for (const WrenchLaw& law : model.wrench_laws()) { acting::act(view, law); }
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      const std::size_t node = at(elimination.node_of_body[b]);
      scratch.applied[node] += scratch.wrench[b];
      scratch.force_power.supplied +=
          dot(scratch.wrench[b], {scratch.nodes[node].w, three(state_of(elimination.nodes[node], y) + 7)});
    }
  }
  for (std::size_t w = 0; w < model.wheel_count(); ++w) { acting::act(view, w); }
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
  const double g = norm(model.gravity_N());
  const auto add = [&](double potential) {
    sum.potential += potential;
    sum.terms += std::fabs(potential);
  };
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const MassProperties& mass = model.bodies()[b].mass;
    const Mat3<double>& J_B = model.carrier_J_B(static_cast<BodyId>(b));
    sum.kinetic += 0.5 * mass.mass * dot(body.v_N, body.v_N) + 0.5 * dot(body.w_B, J_B * body.w_B);
    sum.potential -= mass.mass * dot(model.gravity_N(), body.r_N);
    // heights are no better than coordinates
    sum.terms += mass.mass * g * std::fmax(norm(body.r_N), model.length());
    for (const CentralGravity& gravity : model.central_gravities()) {
      add(potential(gravity, mass, body.r_N, rotation_matrix(body.e_NB)));
    }
  }
  for (std::size_t w = 0; w < model.wheel_count(); ++w) {
    const double rate = y[model.bodies_size() + w];
    sum.kinetic += 0.5 * model.wheels()[w].inertia * rate * rate;
  }
  for (const Spring& spring : model.springs()) {
    add(potential(spring, norm(model.point_N(y, spring.second, spring.on_second_B) -
                               model.point_N(y, spring.first, spring.on_first_B))));
  }
  const auto of_coordinates = [&](const auto& forces) {
    for (const auto& force : forces) {
      const auto [first, second] = model.ends(y, force.joint);
      const double q = joint_coordinate(force.coordinate, first, second).value;
      add(potential(force, model.unwrapped(turns, force.joint, force.coordinate, q)));
    }
  };
  of_coordinates(model.joint_springs());
  of_coordinates(model.joint_limits());
  for (const WrenchLaw& law : model.wrench_laws()) {
    if (law.potential) { add(law.potential({model, 0, y, turns})); }
  }
  for (const Bushing& bushing : model.bushings()) {
    add(potential(bushing, bushing_strain(model.end(y, bushing.first, bushing.on_first),
                                          model.end(y, bushing.second, bushing.on_second))));
  }
  sum.terms += sum.kinetic;
  return sum;
}

}  // namespace polhode
