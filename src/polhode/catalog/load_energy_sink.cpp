#include "polhode/catalog/scenario.h"

namespace polhode::catalog {
namespace {

/// A body that sloshes or bends inside loses energy and keeps its momentum: n' = k h' × (h' × ω'), so that n'·h' = 0
/// and n'·ω' = −k |h' × ω'|².
void read_energy_sink_load(io::TomlTable& table, LoadContext& context) {
  const double k = table.number("coefficient");
  if (k < 0) { table.problem("coefficient", "a negative sink adds energy", "wanted: 1/(kg m2 s), 0 or more"); }
  const Mat3<double> J_B = context.plan->body.J_B;
  context.plan->body.load.add_moment([=](const BodyState<double>& s) {
    const Vec3<double> h_B = J_B * s.w_B;
    return k * cross(h_B, cross(h_B, s.w_B));
  });
}

}  // namespace

extern const LoadKind kLoad_energy_sink{"energy_sink",
                                        "what sloshes inside takes energy, and no angular momentum on average",
                                        "n' = k h' x (h' x w')", read_energy_sink_load};

}  // namespace polhode::catalog
