#include "polhode/catalog/mechanism_scenario.h"

namespace polhode::catalog {
namespace {

/// Three numbers or formulas under a key.
std::vector<ScalarLaw> laws(io::TomlTable& table, std::string_view key, const std::shared_ptr<MechanismScope>& scope) {
  std::vector<ScalarLaw> list;
  for (const io::TomlValue& value : table.values(key, 3)) { list.emplace_back(table, value, key, scope); }
  return list;
}

void read_force_element(io::TomlTable& table, ElementContext& context) {
  const std::vector<const char*> keys{"force_space", "force_body", "moment_space", "moment_body"};
  const Vec3<double> point_B = table.optional_vector("at_body").value_or(Vec3<double>{});
  const bool at_centre = !table.has("at_body");
  const std::optional<BodyId> body = context.body(table, "body");
  bool any = false;
  for (const char* key : keys) {
    if (!table.has(key)) { continue; }
    any = true;
    const std::vector<ScalarLaw> three = laws(table, key, context.scope);
    if (!body || three.size() != 3) { continue; }
    const bool in_body = std::string_view(key).ends_with("_body");
    const bool is_force = std::string_view(key).starts_with("force");
    context.builder->add([=, model = context.model, scope = context.scope, b = *body](
                             double t, std::span<const double> y, std::span<Pair> moment_and_force_N) {
      scope->set(**model, t, y);
      const BodyView view = Model::view(y, b);
      Vec3<double> v{three[0](), three[1](), three[2]()};
      if (in_body) { v = rotate(view.e_NB, v); }
      Pair& sum = moment_and_force_N[static_cast<std::size_t>(b)];
      if (!is_force) {
        sum.ang += v;
        return;
      }
      sum.lin += v;
      if (!at_centre) {
        const Vec3<double>& centre_B = (*model)->bodies()[static_cast<std::size_t>(b)].mass.center_B;
        sum.ang += cross(rotate(view.e_NB, point_B - centre_B), v);
      }
    });
  }
  if (!any) {
    table.problem("", "a force without force and moment",
                  "wanted: one or more of force_space, force_body, moment_space, moment_body");
  }
}

}  // namespace

extern const ForceKind kForce_force{"force", "force at a point of a body, and moment, by numbers or formulas",
                                    "f = force(t, state) at a point, n = moment(t, state)", read_force_element};

}  // namespace polhode::catalog
