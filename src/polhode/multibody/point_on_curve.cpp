#include "polhode/multibody/point_on_curve.h"

#include <fmt/format.h>

namespace polhode {

void PointOnCurve::check(ConstraintReview& review) const {
  const std::string who = fmt::format("{} '{}'", kWord, name);
  if (body == kGround || !review.exists(body) || !review.exists(carrier) || body == carrier) {
    review.problem(fmt::format("{} of body {} on a curve of body {}", who, body, carrier),
                   "give the numbers of two different bodies, or of one and ground");
  }
  if (!is_finite(point_B)) { review.problem(who + ": its point is not finite", "give finite numbers"); }
  if (zero_on_it.size() < 1 || zero_on_it.size() > kMostSurfaces) {
    review.problem(fmt::format("{} has {} formulas", who, zero_on_it.size()),
                   "give one for a surface, two for a curve");
  }
}

std::vector<ConstraintQuantity> PointOnCurve::quantities() const {
  return {{"contacts", "r", "m", "m", "point of " + name, true,
           [](const ConstraintNow& now) { return now.ends[1].point(); }},
          {"contacts", "f", "N", "N", "force of the curve on the body of " + name, true,
           [](const ConstraintNow& now) { return now.on(1).lin; }}};
}

std::optional<PointOnCurve> PointOnCurve::Given::build(ConstraintBinder& binder) const {
  force::Complaints& complaints = binder.complaints();
  PointOnCurve made;
  made.point_B = force::values(point_body);
  std::optional<BodyId> found;
  if (!body.empty()) { found = binder.body("body", body); }
  const std::optional<BodyId> found_carrier = binder.body_or_ground("on", on);
  if (found && found_carrier && *found == *found_carrier) {
    complaints.problem("on", fmt::format("the curve is fixed to '{}', as its own point is", on), {},
                       "name another body, or leave it out: ground");
  }
  if (curve.has_value() == surface.has_value()) {
    complaints.problem(curve ? "surface" : "", curve ? "both curve and surface" : "neither curve nor surface",
                       "wanted: curve = [two formulas of x, y, z], or surface = \"one of them\"");
    return {};
  }
  const std::span<const Expression> formulas_of_it =
      curve ? std::span<const Expression>(*curve) : std::span<const Expression>(&*surface, 1);
  for (const Expression& one : formulas_of_it) {
    made.formulas += (made.formulas.empty() ? "" : ", ") + fmt::format("\"{}\"", one.formula);
  }
  const char* key = curve ? "curve" : "surface";
  const std::optional<PointFunction> function = binder.of_point(key, formulas_of_it, curve.has_value());
  if (!found || !found_carrier || !function) { return {}; }
  made.body = found.value_or(kGround);
  made.carrier = *found_carrier;
  made.zero_on_it = *function;
  return made;
}

}  // namespace polhode
