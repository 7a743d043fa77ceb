#include "polhode/catalog/scenario_parts.h"

namespace polhode::catalog {
namespace {

/// A balanced wheel that a motor keeps at constant speed relative to the body: J of the body includes it, and its own
/// momentum h_w' = I Ω s' adds −ω' × h_w'.
void read_wheel_load(io::TomlTable& table, LoadContext& context) {
  const std::optional<Vec3<double>> axis = wanted_vector(table, "axis_body");
  const double h = table.number("momentum");
  if (!axis) { return; }
  const double size = norm(*axis);
  if (!(size > 1e-9)) {
    table.problem("axis_body", "axis_body has no direction");
    return;
  }
  const Vec3<double> h_B = (h / size) * *axis;
  context.plan->body.load.add_moment([h_B](const BodyState<double>& s) { return -cross(s.w_B, h_B); });
  const auto others = context.plan->wheel_momentum_B;
  context.plan->wheel_momentum_B = [h_B, others](const BodyState<double>& s) { return others ? others(s) + h_B : h_B; };
  context.potential = [](const BodyState<double>&) { return 0.0; };  // it does no work
  context.torque = LoadContext::Torque::none;                        // inside
}

}  // namespace

extern const LoadKind kLoad_wheel{"wheel", "a wheel at constant speed in the body (momentum wheel, dual spin)",
                                  "n' = -w' x h_w'", read_wheel_load};

}  // namespace polhode::catalog
