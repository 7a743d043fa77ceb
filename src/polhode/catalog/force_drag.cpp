#include "polhode/catalog/mechanism_scenario.h"

namespace polhode::catalog {
namespace {

void read_drag_force(io::TomlTable& table, ElementContext& context) {
  Drag drag;
  drag.linear = not_negative(table, "linear", 0);
  drag.quadratic = not_negative(table, "quadratic", 0);
  drag.r_BP_B = table.optional_vector("at_body").value_or(Vec3<double>{});
  drag.medium_N = table.optional_vector("medium_space").value_or(Vec3<double>{});
  const std::optional<BodyId> body = context.body(table, "body");
  if (!body) { return; }
  drag.body = *body;
  context.builder->add(drag);
}

}  // namespace

extern const ForceKind kForce_drag{"drag", "drag at a point of a body in a medium that may move",
                                   "f = -(c1 + c2 |v - u|) (v - u)", read_drag_force};

}  // namespace polhode::catalog
