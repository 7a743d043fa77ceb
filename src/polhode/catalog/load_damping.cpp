#include "polhode/catalog/scenario.h"

namespace polhode::catalog {
namespace {

void read_damping_load(io::TomlTable& table, LoadContext& context) {
  const double linear = table.optional_number("linear").value_or(0);
  const double quadratic = table.optional_number("quadratic").value_or(0);
  if (!table.has("linear") && !table.has("quadratic")) {
    table.problem("", "damping without a coefficient", "wanted: linear (N m s) or quadratic (N m s2), or both");
  }
  if (linear < 0) {
    table.problem("linear", "negative damping adds energy", "wanted: 0 or more", "use a moment by formulas");
  }
  if (quadratic < 0) {
    table.problem("quadratic", "negative damping adds energy", "wanted: 0 or more", "use a moment by formulas");
  }
  context.plan->body.load.add_moment(
      [=](const BodyState<double>& s) { return -(linear + quadratic * norm(s.w_B)) * s.w_B; });
}

}  // namespace

extern const LoadKind kLoad_damping{"damping",
                                    "a moment against the angular velocity: linear, quadratic (drag), or both",
                                    "n' = -(c1 + c2 |w'|) w'", read_damping_load};

}  // namespace polhode::catalog
