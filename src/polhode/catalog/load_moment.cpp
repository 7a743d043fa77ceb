#include "polhode/catalog/scenario.h"

namespace polhode::catalog {
namespace {

void read_moment_load(io::TomlTable& table, LoadContext& context) {
  const bool in_space = table.has("moment_space");
  if (in_space == table.has("moment_body")) {
    table.problem("", "a moment needs its frame", "wanted: one of moment_body, moment_space = [x, y, z] in N m");
    return;
  }
  auto law = std::make_shared<VectorLaw>(table, in_space ? "moment_space" : "moment_body", context.scope);
  Load<double>& load = context.plan->body.load;
  if (law->constant()) {
    in_space ? load.add_moment_space(law->value()) : load.add_moment_body(law->value());
  } else if (in_space) {
    load.add_moment([law](const BodyState<double>& s) { return rotate_back(s.e_NB, (*law)(s)); }, law->looks_at());
  } else {
    load.add_moment([law](const BodyState<double>& s) { return (*law)(s); }, law->looks_at());
  }
}

}  // namespace

extern const LoadKind kLoad_moment{"moment", "a pure moment in body or space components, constant or by formulas",
                                   "n' = m' or A^T m", read_moment_load};

}  // namespace polhode::catalog
