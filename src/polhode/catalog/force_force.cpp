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
  const std::optional<Vec3<double>> point_B = table.optional_vector("at_body");
  const std::optional<BodyId> body = context.body(table, "body");
  bool any = false;
  for (const char* key : keys) {
    if (!table.has(key)) { continue; }
    any = true;
    const std::vector<ScalarLaw> three = laws(table, key, context.scope);
    if (!body || three.size() != 3) { continue; }
    const bool in_body = std::string_view(key).ends_with("_body");
    const bool is_force = std::string_view(key).starts_with("force");
    WrenchLaw law{.body = *body, .r_BP_B = {}, .in_body = in_body, .law = {}};
    if (is_force) { law.r_BP_B = point_B; }
    law.law = [three, is_force, model = context.model, scope = context.scope](const MechanismView& now) {
      scope->set(**model, now);
      const Vec3<double> v{three[0](), three[1](), three[2]()};
      return is_force ? Pair{{}, v} : Pair{v, {}};
    };
    context.builder->add(std::move(law));
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
