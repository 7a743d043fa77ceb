#include "polhode/catalog/mechanism_scenario.h"

namespace polhode::catalog {
namespace {

void add(io::TomlTable& table, ElementContext& context) {
  const ScalarLaw law(table, table.value("force"), "force", context.scope);
  const std::optional<int> joint = context.joint(table, "joint");
  if (!joint) {
    table.has("coordinate");
    return;
  }
  const std::optional<Coordinate> coordinate = context.coordinate(table, *joint);
  if (!coordinate) { return; }
  add_joint_law(context, *joint, *coordinate, [law](double, const CoordinateValue&) { return law(); });
}

}  // namespace

extern const ForceKind kForce_joint_force{
    "joint_force", "torque on a turn or force on a slide of a joint, by a formula", "Q = force(t, state)", add};

}  // namespace polhode::catalog
