#include "polhode/catalog/scenario.h"

namespace polhode::catalog {
namespace {

/// Eddy currents, or a magnetic controller that answers to the change of the field: n' = −k b' × (ω' × b').
void read_magnetic_damping_load(io::TomlTable& table, LoadContext& context) {
  const double k = table.number("coefficient");
  if (k < 0) { table.problem("coefficient", "a negative coefficient adds energy", "wanted: N m s/T2, 0 or more"); }
  auto field = std::make_shared<VectorLaw>(table, "field_space", context.scope);
  context.plan->body.load.add_moment([=](const BodyState<double>& s) {
    const Vec3<double> b_B = rotate_back(s.e_NB, (*field)(s));
    return -k * cross(b_B, cross(s.w_B, b_B));
  });
}

}  // namespace

extern const LoadKind kLoad_magnetic_damping{"magnetic_damping", "a magnetic field that brakes what turns across it",
                                             "n' = -k b' x (w' x b')", read_magnetic_damping_load};

}  // namespace polhode::catalog
