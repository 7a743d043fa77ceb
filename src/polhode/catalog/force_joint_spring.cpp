#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/math/degree.h"

namespace polhode::catalog {
namespace {

void read_joint_spring_force(io::TomlTable& table, ElementContext& context) {
  JointSpring spring;
  spring.stiffness = not_negative(table, "stiffness", 0);
  spring.damping = not_negative(table, "damping", 0);
  spring.zero =
      table.has("zero_deg") ? math::kDegree * table.number("zero_deg") : table.optional_number("zero").value_or(0);
  if (table.has("zero_deg") && table.has("zero")) { table.problem("zero", "both zero and zero_deg"); }
  const std::optional<JointPlace> place = context.joint_place(table);
  spring.wrap = read_wrap(table, place);
  if (!place) { return; }
  spring.joint = place->joint;
  spring.coordinate = place->coordinate;
  context.builder->add(spring);
}

}  // namespace

extern const ForceKind kForce_joint_spring{"joint_spring", "spring and damper on a turn or slide of a joint",
                                           "Q = -k (q - q0) - c dq/dt", read_joint_spring_force};

}  // namespace polhode::catalog
