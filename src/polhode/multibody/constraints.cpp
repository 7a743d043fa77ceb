#include "polhode/multibody/constraints.h"

#include "polhode/core/error.h"
#include "polhode/formula/compiler.h"
#include "polhode/rotation/rotation_matrix.h"

#include <fmt/format.h>

#include <algorithm>

namespace polhode {
namespace {

bool are_finite(std::initializer_list<double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}
bool is_direction(const Vec3<double>& v) { return std::fabs(norm(v) - 1) < 1e-9; }
bool is_body(const ConstraintReview& review, BodyId body) { return body != kGround && review.exists(body); }

/// x, y, z, and parameters behind them.
class PointScope final : public formula::Scope {
 public:
  explicit PointScope(const Named<double>& parameters) : parameters_(&parameters) {}
  std::optional<formula::Input> find(std::string_view name) const override {
    std::uint32_t id = 0;
    for (const std::string_view one : names()) {
      if (one == name) { return formula::Input{id, id < 3 ? formula::Pace::state : formula::Pace::parameter}; }
      ++id;
    }
    return {};
  }
  std::vector<std::string_view> names() const override {
    std::vector<std::string_view> all{"x", "y", "z"};
    for (const auto& [name, value] : *parameters_) { all.emplace_back(name); }
    return all;
  }

 private:
  const Named<double>* parameters_;
};

}  // namespace

PointFunction point_function(const std::vector<std::string>& formulas, const Named<double>& parameters) {
  const PointScope scope(parameters);
  formula::Compiler compiler(scope);
  for (const std::string& text : formulas) { compiler.add(text); }
  Problems problems;
  for (const formula::Mistake& mistake : compiler.mistakes()) { problems.add(mistake.problem); }
  std::move(problems).fail_if_any();
  std::vector<double> values(3);
  for (const auto& [name, value] : parameters) { values.push_back(value); }
  formula::Function function(compiler.finish(), values);
  std::vector<std::size_t> axes;
  for (const formula::Input& input : function.inputs()) { axes.push_back(input.id); }
  return {std::move(function), std::move(axes)};
}

Hold Hold::frame(BodyId body, const FrameOnBody& frame) {
  return {-1, body, frame.r_BF_B, rotation_matrix(frame.e_BF)};
}

void Coupling::check(ConstraintReview& review) const {
  const std::string who = "coupling '" + name + "'";
  review.offers(first_joint, first_coordinate, who);
  review.offers(second_joint, second_coordinate, who);
  if (!are_finite({first_factor, second_factor, constant})) {
    review.problem(fmt::format("{}: factors {} and {}, constant {}", who, first_factor, second_factor, constant),
                   "give finite numbers");
  }
  const bool whole = std::nearbyint(first_factor) == first_factor && std::nearbyint(second_factor) == second_factor;
  if (is_angle(first_coordinate) && is_angle(second_coordinate) && !whole) {
    review.problem(fmt::format("{}: factors {} and {} of two angles", who, first_factor, second_factor),
                   "give numbers of teeth, whole numbers");
  }
  if (first_factor == 0 || second_factor == 0) {
    review.problem(who + ": a factor is 0", "give two factors that are not 0");
  }
}

void Driver::check(ConstraintReview& review) const {
  const std::string who = "driver '" + name + "'";
  review.offers(joint, coordinate, who);
  if (!law) {
    review.problem(who + " has no law", "give value, rate and acceleration as a function of time");
  } else if (const auto [value, rate, acceleration] = law(0); !are_finite({value, rate, acceleration})) {
    review.problem(fmt::format("{}: its law gives {}, {}, {} at t = 0", who, value, rate, acceleration),
                   "give finite numbers");
  }
}

std::string Driver::trouble(double t) const {
  static constexpr std::array<const char*, 3> kWhat{"value", "rate", "acceleration"};
  const std::array<double, 3> q = law(t);
  const auto bad = std::find_if(q.begin(), q.end(), [](double x) { return !std::isfinite(x); });
  if (bad == q.end()) { return {}; }
  // the sign of a NaN means nothing
  return fmt::format(
      "driver '{}'{} is not finite at t = {:.6g}: its {} is {}; end the run before, or give it a formula that holds "
      "to the end of the run",
      name, formula.empty() ? "" : ", \"" + formula + "\",", t, kWhat[static_cast<std::size_t>(bad - q.begin())],
      std::isnan(*bad) ? std::fabs(*bad) : *bad);
}

std::vector<ConstraintQuantity> Driver::quantities() const {
  const bool slide = to_text(coordinate).starts_with("slide");
  return {{"forces", slide ? "force_N" : "torque_Nm", slide ? "N" : "N m", "",
           "what driver " + name + " exerts on its coordinate", false,
           [](const ConstraintNow& now) { return Vec3<double>{-now.lambda[0], 0, 0}; }}};
}

void Rolling::check(ConstraintReview& review) const {
  const std::string who = "rolling '" + name + "'";
  if (!is_body(review, body)) { review.problem(fmt::format("{}: no body {}", who, body), "give the number of a body"); }
  if (!is_direction(axis_B) || !is_direction(normal_N)) {
    review.problem(who + ": axis or normal is no unit vector", "give unit vectors");
  }
  if (!(radius >= 0 && edge_radius >= 0 && radius + edge_radius > 0)) {
    review.problem(fmt::format("{}: radius {} m, edge radius {} m", who, radius, edge_radius),
                   "give radii that are not negative, and not both 0");
  }
  if (!is_finite(center_B) || !is_finite(point_N) || !are_finite({radius, edge_radius})) {
    review.problem(who + ": a number is not finite", "give finite numbers");
  }
}

std::vector<ConstraintQuantity> Rolling::quantities() const {
  return {{"contacts", "r", "m", "m", "point of contact of " + name, true,
           [own = *this](const ConstraintNow& now) { return now.ends[1].r + own.contact_lever(now.ends[1]); }},
          {"contacts", "f", "N", "N", "force of the plane on the body of " + name, true,
           [](const ConstraintNow& now) { return now.on(1).lin; }}};
}

void Blade::check(ConstraintReview& review) const {
  if (!is_body(review, body) || !is_direction(across_B) || !is_finite(point_B)) {
    review.problem(fmt::format("blade '{}': no body {}, no finite point, or no unit vector across", name, body),
                   "give the number of a body, a point and a unit vector");
  }
}

void VelocityConstraint::check(ConstraintReview& review) const {
  if (!review.exists(first) || !review.exists(second) || first == second || !row) {
    review.problem(fmt::format("constraint '{}' between bodies {} and {}, or without a row", name, first, second),
                   "give two different bodies, or one and ground, and a function");
  }
}

}  // namespace polhode
