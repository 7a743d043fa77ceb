#include "polhode/catalog/mechanism_scenario.h"

namespace polhode::catalog {
namespace {

/// Six numbers for the diagonal, or none.
Matrix<double, 6, 6> diagonal_of(io::TomlTable& table, std::string_view key, bool required) {
  Matrix<double, 6, 6> m{};
  if (!required && !table.has(key)) { return m; }
  const std::vector<double> values = table.numbers(key, 6);
  for (std::size_t i = 0; i < 6; ++i) {
    m(i, i) = values[i];
    if (values[i] < 0) { table.problem(key, "a negative entry", "wanted: 0 or more"); }
  }
  return m;
}

void read_bushing_force(io::TomlTable& table, ElementContext& context) {
  Bushing bushing;
  bushing.stiffness = diagonal_of(table, "stiffness", true);
  bushing.damping = diagonal_of(table, "damping", false);
  const std::vector<std::string> bodies = table.texts("bodies", 2);
  bushing.on_first.r_BF_B = table.vector("first_point");
  bushing.on_second.r_BF_B = table.vector("second_point");
  if (bodies.size() != 2) { return; }
  const std::optional<BodyId> first = context.body_called(table, "bodies", bodies[0], true);
  const std::optional<BodyId> second = context.body_called(table, "bodies", bodies[1], true);
  if (!first || !second) { return; }
  if (*first == *second) {
    table.problem("bodies", "a bushing between '" + bodies[0] + "' and itself", "wanted: two different bodies");
    return;
  }
  bushing.first = *first;
  bushing.second = *second;
  context.builder->add(bushing);
}

}  // namespace

extern const ForceKind kForce_bushing{"bushing", "elastic block between two points, axes of the bodies' frames",
                                      "(f; n) = -K (shift; rotation vector) - C d/dt of them", read_bushing_force};

}  // namespace polhode::catalog
