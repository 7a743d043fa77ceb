#include "polhode/analysis/as_mechanism.h"

namespace polhode::analysis {
namespace {

constexpr const char* kBody = "body";

NumberVector numbers(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

/// What a formula of one body sees, as one of a mechanism does. Entries of R_NB are made of Euler parameters (KIN-7).
std::string seen_by_mechanisms(const std::string& name) {
  const std::string e = std::string(kBody) + "_e";
  if (name.size() != 3 || name[0] != 'R') { return std::string(kBody) + "_" + name; }
  const int i = name[1] - '0';
  const int j = name[2] - '0';
  if (i == j) { return "2*(" + e + "0^2 + " + e + std::to_string(i) + "^2) - 1"; }
  const bool turns_on = j % 3 + 1 == i;  // 21, 32, 13
  const std::string both = e + std::to_string(i) + "*" + e + std::to_string(j);
  return "2*(" + both + (turns_on ? " + " : " - ") + e + "0*" + e + std::to_string(6 - i - j) + ")";
}

/// Forces that belong to a body are told which.
struct GiveBody {
  template <class Force>
  void operator()(Force& force) const {
    if constexpr (requires { force.body = kBody; }) {
      force.body = kBody;
    } else if constexpr (requires { force.bodies[1] = kBody; }) {
      force.bodies = {"ground", kBody};
    }
  }
};

}  // namespace

Scenario as_mechanism(const catalog::CompiledScenario& one_body, const Named<double>& values) {
  const Scenario& from = one_body.scenario();
  const catalog::OneBodyScenario made = one_body.one_body(values);
  const BodyState<double> start = made.plan.start;
  Scenario to;
  to.title = from.title;
  to.parameters = from.parameters;
  to.definitions = from.definitions;
  for (const auto& [name, meaning] : catalog::BodyNames::meanings()) {
    if (name != "t") { to.definitions[name] = Expression(seen_by_mechanisms(name)); }
  }

  scenario::Body body;
  body.name = kBody;
  body.inertia = from.body->inertia;
  const bool travels = made.plan.body.mass.has_value();
  const Vec3<double> center_B = made.mass_properties.center_B;
  const Vec3<double> held_B = made.held ? made.reference_B : center_B;
  // of the origin of its axes: the mass centre, or the point that is held, is at r_N
  body.position = numbers(start.r_N - rotate(start.e_NB, travels ? center_B : held_B));
  const EulerParameters<double>& e = start.e_NB;
  body.attitude.quaternion_wxyz = {e.e0, e.ev.x, e.ev.y, e.ev.z};
  body.rate.w_body = numbers(start.w_B);
  if (travels) { body.velocity = numbers(start.v_N); }
  if (!body.inertia.shape.mass && !body.inertia.shape.density && body.inertia.part.empty()) {
    body.inertia.shape.mass = made.mass_properties.mass;
  }
  to.bodies.push_back(std::move(body));
  if (!travels) {
    scenario::Joint pivot;
    pivot.name = "pivot";
    pivot.kind = "spherical";
    pivot.bodies = {"ground", kBody};
    pivot.point = numbers(start.r_N);
    to.joints.push_back(std::move(pivot));
  }
  for (const auto* list : {&from.load, &from.forces}) {
    for (scenario::Acting acting : *list) {
      std::visit(GiveBody{}, acting.what);
      to.forces.push_back(std::move(acting));
    }
  }
  to.run = scenario::Run{};
  to.run->duration = 1.0;
  return to;
}

}  // namespace polhode::analysis
