#include "polhode/catalog/mechanism_scenario.h"

namespace polhode::catalog {
namespace {

void read_joint_friction_force(io::TomlTable& table, ElementContext& context) {
  JointFriction friction;
  friction.dry = not_negative(table, "dry", 0);
  friction.viscous = not_negative(table, "viscous", 0);
  friction.velocity = table.optional_number("velocity").value_or(friction.velocity);
  const std::optional<JointPlace> place = context.joint_place(table);
  if (!(friction.velocity > 0)) { table.problem("velocity", "velocity is not above 0"); }
  if (!place) { return; }
  friction.joint = place->joint;
  friction.coordinate = place->coordinate;
  context.builder->add(friction);
}

}  // namespace

extern const ForceKind kForce_joint_friction{"joint_friction", "dry and viscous friction on a turn or slide of a joint",
                                             "Q = -(F x/sqrt(1 + x^2) + c dq/dt), x = (dq/dt)/velocity",
                                             read_joint_friction_force};

}  // namespace polhode::catalog
