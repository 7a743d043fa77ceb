#include "polhode/catalog/mechanism_scenario.h"

namespace polhode::catalog {
namespace {

void read_joint_force(io::TomlTable& table, ElementContext& context) {
  const ScalarLaw law(table, table.value("force"), "force", context.scope);
  const std::optional<JointPlace> place = context.joint_place(table);
  if (!place) { return; }
  add_joint_law(context, place->joint, place->coordinate, [law](double, const CoordinateValue&) { return law(); });
}

}  // namespace

extern const ForceKind kForce_joint_force{"joint_force",
                                          "torque on a turn or force on a slide of a joint, by a formula",
                                          "Q = force(t, state)", read_joint_force};

}  // namespace polhode::catalog
