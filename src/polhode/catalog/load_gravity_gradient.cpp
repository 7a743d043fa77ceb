#include "polhode/catalog/scenario_parts.h"
#include "polhode/formulation/gravity_gradient.h"

#include <cmath>

namespace polhode::catalog {
namespace {

/// A direction as a unit vector; nothing, and a problem noted, where it has none.
std::optional<Vec3<double>> direction(io::TomlTable& table, std::string_view key) {
  const std::optional<Vec3<double>> v = wanted_vector(table, key);
  if (!v) { return {}; }
  const double size = norm(*v);
  if (size > 1e-9) { return *v / size; }
  table.problem(key, std::string(key) + " has no direction");
  return {};
}

void read_gravity_gradient_load(io::TomlTable& table, LoadContext& context) {
  const std::optional<double> given =
      table.has("orbit_rate") ? table.optional_number("orbit_rate") : std::optional(table.number("orbit_rate"));
  const double n = given.value_or(0);
  if (table.has("orbit_rate") && given && !(n > 0)) {
    table.problem("orbit_rate", "orbit_rate is not positive", "wanted: rad/s");
  }
  const std::optional<Vec3<double>> p_N = direction(table, "orbit_normal_space");
  const std::optional<Vec3<double>> u_N = direction(table, "centre_space");
  if (!(n > 0) || !p_N || !u_N) { return; }
  if (std::fabs(dot(*p_N, *u_N)) > 1e-9) {
    table.problem("centre_space", "the direction to the centre is not across the normal of the orbit");
    return;
  }
  // across to rounding
  const Vec3<double> across_N = *u_N - dot(*p_N, *u_N) * *p_N;
  context.plan->body.load.add_moment(
      GravityGradient<double>::circular_orbit(context.plan->body.J_B, n, across_N / norm(across_N), *p_N),
      LawOf::time_and_place);
}

}  // namespace

extern const LoadKind kLoad_gravity_gradient{"gravity_gradient", "torque of the Earth on a satellite, circular orbit",
                                             "n' = 3 n^2 u' x J u', u' the direction to the centre",
                                             read_gravity_gradient_load};

}  // namespace polhode::catalog
