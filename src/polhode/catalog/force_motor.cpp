#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/math/degree.h"
#include "polhode/math/elementary.h"

#include <algorithm>
#include <cmath>

namespace polhode::catalog {
namespace {

void read_motor_force(io::TomlTable& table, ElementContext& context) {
  const double stiffness = not_negative(table, "stiffness", 0);
  const double damping = not_negative(table, "damping", 0);
  const double limit = table.has("limit") ? not_negative(table, "limit", 0) : HUGE_VAL;
  const bool degrees = table.has("target_deg");
  if (degrees && table.has("target")) { table.problem("target", "both target and target_deg"); }
  const char* key = degrees ? "target_deg" : "target";
  const io::TomlValue value = table.value(key);
  const std::optional<JointPlace> place = context.joint_place(table);
  const bool wrap = read_wrap(table, place);
  if (!place) { return; }
  // the target's own rate is exact: a formula of time is differentiated, a number stands still
  std::shared_ptr<const io::TimeFormula> target;
  if (!value.formula.empty()) {
    try {
      target = std::make_shared<io::TimeFormula>(value.formula, context.scope->time_names, value.where);
    } catch (const Error& error) {
      table.problem(key, error);
      return;
    }
  }
  const double unit = degrees ? math::kDegree : 1;
  if (!wrap && stiffness > 0) { context.builder->count_turns(place->joint, place->coordinate); }
  const bool without_turns = wrap && counts_turns(place->coordinate);
  add_joint_law(context, place->joint, place->coordinate,
                [=, number = value.number](double t, const CoordinateValue& q) {
                  const std::array<double, 3> wanted = target ? (*target)(t) : std::array<double, 3>{number, 0, 0};
                  double off = unit * wanted[0] - q.value;
                  if (without_turns) { off = std::remainder(off, 2 * math::kPi<double>); }
                  return std::clamp(stiffness * off + damping * (unit * wanted[1] - q.rate), -limit, limit);
                });
}

}  // namespace

extern const ForceKind kForce_motor{"motor",
                                    "a motor that pulls a turn or slide towards a target, PD, within its limit",
                                    "Q = k (target - q) + c (d target/dt - dq/dt), |Q| <= limit", read_motor_force};

}  // namespace polhode::catalog
