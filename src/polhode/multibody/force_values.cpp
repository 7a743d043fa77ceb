#include "polhode/multibody/force_values.h"

#include "polhode/multibody/acting.h"

namespace polhode {
namespace {

Vec3<double> point_velocity_N(const Model& model, std::span<const double> y, BodyId body, const Vec3<double>& r_BP_B) {
  if (body == kGround) { return {}; }
  const BodyView b = Model::view(y, body);
  return b.v_N + rotate(b.e_NB, cross(b.w_B, r_BP_B - model.bodies()[at(body)].mass.center_B));
}

Pair in_space(std::span<const double> y, BodyId body, const Pair& wrench, bool in_body) {
  if (!in_body || body == kGround) { return wrench; }
  const EulerParameters<double> e_NB = Model::view(y, body).e_NB;
  return {rotate(e_NB, wrench.ang), rotate(e_NB, wrench.lin)};
}

}  // namespace

double spring_force(const Model& model, std::span<const double> y, const Spring& spring) {
  const Vec3<double> d =
      model.point_N(y, spring.second, spring.on_second_B) - model.point_N(y, spring.first, spring.on_first_B);
  const double s = norm(d);
  const Vec3<double> v = point_velocity_N(model, y, spring.second, spring.on_second_B) -
                         point_velocity_N(model, y, spring.first, spring.on_first_B);
  const double rate = s > 0 ? dot(d, v) / s : 0;
  return spring.stiffness * (s - spring.free_length) + spring.damping * rate + spring.force;
}

double coordinate_force(const MechanismView& now, const JointLaw& law) {
  const auto [first, second] = now.model.ends(now.y, law.joint);
  const CoordinateValue q = joint_coordinate(law.coordinate, first, second);
  return law.law(now, {now.model.unwrapped(now.turns, law.joint, law.coordinate, q.value), q.rate});
}

Pair bushing_force(const Model& model, std::span<const double> y, const Bushing& bushing) {
  const End<double> first = model.end(y, bushing.first, bushing.on_first);
  const End<double> second = model.end(y, bushing.second, bushing.on_second);
  const std::array<Row, 6> rows = bushing_rows(first, second);
  Pair sum{};
  for (std::size_t i = 0; i < 6; ++i) {
    double Q = 0;
    for (std::size_t j = 0; j < 6; ++j) {
      const double rate = dot(rows[j].first, {first.w, first.v}) + dot(rows[j].second, {second.w, second.v});
      Q -= bushing.stiffness(i, j) * rows[j].value + bushing.damping(i, j) * rate;
    }
    sum += Q * rows[i].second;
  }
  return {sum.ang - cross(second.lever, sum.lin), sum.lin};
}

Vec3<double> drag_force_N(const Model& model, std::span<const double> y, const Drag& drag) {
  const Vec3<double> through = point_velocity_N(model, y, drag.body, drag.r_BP_B) - drag.medium_N;
  return -(drag.linear + drag.quadratic * norm(through)) * through;
}

Pair wrench_force(std::span<const double> y, const Wrench& wrench) {
  return in_space(y, wrench.body, {wrench.moment, wrench.force}, wrench.in_body);
}

Pair wrench_force(const MechanismView& now, const WrenchLaw& law) {
  return in_space(now.y, law.body, law.law(now), law.in_body);
}

double motor_torque(const MechanismView& now, std::size_t wheel) { return acting::motor_torque_of(now, wheel); }
double wheel_torque(const MechanismView& now, std::size_t wheel) {
  return motor_torque(now, wheel) - now.model.wheels()[wheel].friction * now.model.wheel_speed(now.y, wheel);
}
Vec3<double> wheel_moment_B(const MechanismView& now, std::size_t wheel, double torque) {
  return acting::wheel_moment_of(now, wheel, torque);
}

}  // namespace polhode
