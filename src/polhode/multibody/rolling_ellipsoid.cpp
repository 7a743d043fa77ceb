#include "polhode/multibody/rolling_ellipsoid.h"

#include <fmt/format.h>

namespace polhode {

void RollingEllipsoid::check(ConstraintReview& review) const {
  const std::string who = fmt::format("{} '{}'", kWord, name);
  if (body == kGround || !review.exists(body)) {
    review.problem(fmt::format("{}: no body {}", who, body), "give the number of a body");
  }
  for (const Vec3<double>& v : {center_B, semi_axes, point_N, normal_N}) {
    if (is_finite(v)) { continue; }
    review.problem(who + ": a number is not finite", "give finite numbers");
    return;
  }
  if (!(semi_axes.x > 0 && semi_axes.y > 0 && semi_axes.z > 0)) {
    review.problem(fmt::format("{}: semi-axes {} {} {} m", who, semi_axes.x, semi_axes.y, semi_axes.z),
                   "give lengths above 0");
  }
  if (!(std::fabs(norm(normal_N) - 1) < 1e-9)) {
    review.problem(who + ": the normal is no unit vector", "give a unit vector");
  }
}

std::vector<ConstraintQuantity> RollingEllipsoid::quantities() const {
  return {{"contacts", "r", "m", "m", "point of contact of " + name, true,
           [own = *this](const ConstraintNow& now) { return now.ends[1].r + own.contact_lever(now.ends[1]); }},
          {"contacts", "f", "N", "N", "force of the plane on the body of " + name, true,
           [](const ConstraintNow& now) { return now.on(1).lin; }}};
}

std::optional<RollingEllipsoid> RollingEllipsoid::Given::build(ConstraintBinder& binder) const {
  force::Complaints& complaints = binder.complaints();
  RollingEllipsoid made;
  std::optional<BodyId> found;
  if (!body.empty()) { found = binder.body("body", body); }
  made.semi_axes = force::values(semi_axes);
  if (!(made.semi_axes.x > 0 && made.semi_axes.y > 0 && made.semi_axes.z > 0)) {
    complaints.problem("semi_axes",
                       fmt::format("semi-axes {} {} {}", made.semi_axes.x, made.semi_axes.y, made.semi_axes.z),
                       "wanted: three lengths above 0, in m");
    return {};
  }
  made.center_B = force::values(centre_body);
  made.point_N = force::values(plane_point);
  if (plane_normal) {
    const Vec3<double> n = force::values(*plane_normal);
    if (!(norm(n) > 0)) {
      complaints.problem("plane_normal", "plane_normal is zero", "wanted: a direction, such as [0, 0, 1]");
      return {};
    }
    made.normal_N = n / norm(n);
  }
  if (!found) { return {}; }
  made.body = *found;
  return made;
}

}  // namespace polhode
