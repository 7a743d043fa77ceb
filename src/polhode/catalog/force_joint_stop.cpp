#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/math/degree.h"

namespace polhode::catalog {
namespace {

void read_joint_stop_force(io::TomlTable& table, ElementContext& context) {
  JointLimit limit;
  const auto bound = [&](const std::string& key, double& to) {
    if (table.has(key) && table.has(key + "_deg")) { table.problem(key, "both " + key + " and " + key + "_deg"); }
    if (table.has(key)) { to = table.number(key); }
    if (table.has(key + "_deg")) { to = math::kDegree * table.number(key + "_deg"); }
    return table.has(key) || table.has(key + "_deg");
  };
  const bool lower = bound("lower", limit.lower);
  const bool upper = bound("upper", limit.upper);
  limit.stiffness = not_negative(table, "stiffness", 0);
  limit.damping = not_negative(table, "damping", 0);
  limit.softness = table.optional_number("softness").value_or(limit.softness);
  const std::optional<JointPlace> place = context.joint_place(table);
  limit.wrap = read_wrap(table, place);
  if (!lower && !upper) { table.problem("", "a stop without a bound", "wanted: lower, upper, or both"); }
  if (limit.lower >= limit.upper) { table.problem("upper", "upper is not above lower"); }
  if (!(limit.softness > 0)) { table.problem("softness", "softness is not above 0"); }
  if (!place) { return; }
  limit.joint = place->joint;
  limit.coordinate = place->coordinate;
  context.builder->add(limit);
}

}  // namespace

extern const ForceKind kForce_joint_stop{"joint_stop",
                                         "stops of a turn or slide: a stiff push back that sets in smoothly",
                                         "Q = -(k depth + c d depth/dt while it goes deeper)", read_joint_stop_force};

}  // namespace polhode::catalog
