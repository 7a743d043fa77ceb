#pragma once

#include "polhode/multibody/model.h"

/// What acts at a state, element by element: for results and pictures. Laws are those of forces.h.
namespace polhode {

/// What pulls the two points of a spring together, N (MEC-13).
double spring_force(const Model& model, std::span<const double> y, const Spring& spring);

/// Q of a spring, stop or friction on a coordinate: N m on an angle, N on a slide. Whole turns as counted by `turns`.
template <class Force>
double coordinate_force(const Model& model, std::span<const double> y, std::span<const double> turns,
                        const Force& force) {
  const auto [first, second] = model.ends(y, force.joint);
  const CoordinateValue q = joint_coordinate(force.coordinate, first, second);
  return force_on(force, model.unwrapped(turns, force.joint, force.coordinate, q.value), q.rate).Q;
}
/// The same by a law: motors and formulas.
double coordinate_force(const MechanismView& now, const JointLaw& law);

/// What a bushing does to its second body: moment about the frame on it, and force; space components (MEC-27).
Pair bushing_force(const Model& model, std::span<const double> y, const Bushing& bushing);

/// Force of drag on its body, space components (MEC-28).
Vec3<double> drag_force_N(const Model& model, std::span<const double> y, const Drag& drag);

/// A moment and a force at its point, in space components.
Pair wrench_force(std::span<const double> y, const Wrench& wrench);
Pair wrench_force(const MechanismView& now, const WrenchLaw& law);

/// τ_motor of a wheel, by its limits, N m (MEC-38).
double motor_torque(const MechanismView& now, std::size_t wheel);
/// What a wheel does to the rest of its body, body components: −ω' × I σ s' − τ s' (MEC-38). `torque`: τ.
Vec3<double> wheel_moment_B(const MechanismView& now, std::size_t wheel, double torque);
/// τ of a wheel, friction included.
double wheel_torque(const MechanismView& now, std::size_t wheel);

}  // namespace polhode
