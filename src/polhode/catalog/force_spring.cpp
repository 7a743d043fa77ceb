#include "polhode/catalog/mechanism_scenario.h"

namespace polhode::catalog {
namespace {

void read_spring_force(io::TomlTable& table, ElementContext& context) {
  Spring spring;
  const std::vector<std::string> bodies = table.texts("bodies", 2);
  spring.on_first_B = table.vector("first_point");
  spring.on_second_B = table.vector("second_point");
  spring.stiffness = not_negative(table, "stiffness", 0);
  spring.damping = not_negative(table, "damping", 0);
  spring.free_length = not_negative(table, "free_length", 0);
  spring.force = table.optional_number("pull").value_or(0);
  if (bodies.size() != 2) { return; }
  const std::optional<BodyId> first = context.body_called(table, "bodies", bodies[0], true);
  const std::optional<BodyId> second = context.body_called(table, "bodies", bodies[1], true);
  if (!first || !second) { return; }
  if (*first == *second) {
    table.problem("bodies", "a spring between '" + bodies[0] + "' and itself", "wanted: two different bodies");
    return;
  }
  spring.first = *first;
  spring.second = *second;
  context.builder->add(spring);
}

}  // namespace

extern const ForceKind kForce_spring{"spring", "spring, damper and constant pull between two points",
                                     "f = k (s - s0) + c ds/dt + f0, pulling the points together", read_spring_force};

}  // namespace polhode::catalog
