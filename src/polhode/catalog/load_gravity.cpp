#include "polhode/catalog/scenario_parts.h"

namespace polhode::catalog {
namespace {

void read_gravity_load(io::TomlTable& table, LoadContext& context) {
  const std::optional<Vec3<double>> given = wanted_vector(table, "g_space");
  if (!given) { return; }
  const Vec3<double> g_N = *given;
  const double mass = context.body->mass;
  const Vec3<double> c_B = context.body->center_B - context.reference_B;
  if (!(norm_squared(g_N) > 0)) {
    table.problem("g_space", "g_space is zero", "wanted: such as [0, 0, -9.81] in m/s2");
    return;
  }
  context.plan->body.load.add_gravity(mass, g_N, c_B);
  context.scene->up_N = context.scene->up_N.value_or(Vec3<double>{}) - g_N;
  context.potential = [mass, g_N, c_B](const BodyState<double>& s) {
    return -mass * dot(g_N, s.r_N + rotate(s.e_NB, c_B));
  };
  context.torque = context.held ? LoadContext::Torque::not_about_axis : LoadContext::Torque::none;
  context.axis_N = g_N / norm(g_N);
  context.turns = norm(c_B) > 0;
}

}  // namespace

extern const LoadKind kLoad_gravity{"gravity", "uniform gravity at the mass centre", "f = m g, n' = c' x A^T m g",
                                    read_gravity_load};

}  // namespace polhode::catalog
