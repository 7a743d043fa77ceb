#include "polhode/catalog/scenario.h"

namespace polhode::catalog {
namespace {

void read_force_load(io::TomlTable& table, LoadContext& context) {
  const Vec3<double> at_B = table.optional_vector("at_body").value_or(context.body->center_B);
  const bool in_space = table.has("force_space");
  if (in_space == table.has("force_body")) {
    table.problem("", "a force needs its frame", "wanted: one of force_body, force_space = [x, y, z] in N");
    return;
  }
  auto law = std::make_shared<VectorLaw>(table, in_space ? "force_space" : "force_body", context.scope);
  const Vec3<double> u_B = at_B - context.reference_B;
  context.turns = norm(u_B) > 0;
  Load<double>& load = context.plan->body.load;
  if (law->constant()) {
    in_space ? load.add_force_space(law->value(), u_B) : load.add_force_body(law->value(), u_B);
    if (in_space) {
      // V = −f·(r + A u')
      const Vec3<double> f_N = law->value();
      context.potential = [f_N, u_B](const BodyState<double>& s) { return -dot(f_N, s.r_N + rotate(s.e_NB, u_B)); };
    }
    return;
  }
  load.add_force(
      [law, u_B, in_space](const BodyState<double>& s) {
        const Vec3<double> f = (*law)(s);
        return PointForce<double>{in_space ? f : rotate(s.e_NB, f), u_B};
      },
      law->looks_at());
}

}  // namespace

extern const LoadKind kLoad_force{"force",
                                  "a force at a point of the body, body or space components, constant or by formulas",
                                  "n' = u' x A^T f", read_force_load};

}  // namespace polhode::catalog
