#pragma once

#include "polhode/formulation/body_system.h"
#include "polhode/simulation/plan.h"

/// Runs of one body, under any form of the equations of motion.
namespace polhode::simulation {

/// Writes what a formula looks at.
using OneBodyLook =
    std::function<void(const BodyState<double>&, std::span<const double> wheel_speeds, std::span<double> inputs)>;

struct OneBodyEvent : EventHead {
  std::function<double(const BodyState<double>&)> function;  ///< its sign changes are the event
  std::function<bool(const BodyState<double>&)> counts;      ///< may be empty; zeros where it says false are not meant
  /// For Action::change: a new rate or velocity; may be empty.
  std::function<void(BodyState<double>&)> change;
  /// In place of `function`, for what looks at speeds of wheels; may be empty.
  std::function<double(const BodyState<double>&, std::span<const double> wheel_speeds)> function_of_wheels{};
  OneBodyLook look{};  ///< where there is in_state
};

/// Everything that a run of one body depends on.
struct OneBodyPlan final : Plan {
  OneBody<double> body;
  BodyState<double> start;
  /// Sum of the potential energies of all loads; empty where a load has none: then the energy balance is T less work.
  std::function<double(const BodyState<double>&)> potential;
  /// Direction along which the angular momentum about the fixed point is kept by symmetry; all of it, or none.
  enum class Momentum { balance, along_axis, whole } momentum = Momentum::balance;
  Vec3<double> momentum_axis_N{0, 0, 1};
  /// Momentum of wheels inside the body, body components: part of the angular momentum, no part of J ω'.
  std::function<Vec3<double>(const BodyState<double>&)> wheel_momentum_B;

  /// Each load by itself, by its name: for runs that hand out what each does. Empty where it is not asked for.
  std::vector<std::pair<std::string, Load<double>>> each_load{};

  std::vector<OneBodyLook> looks{};  ///< of laws_of_state

  std::string formulation = "euler-body";
  /// A form of one's own in place of the one of that name; empty for those of the catalog.
  std::shared_ptr<const Formulation<double>> own_form{};
  std::vector<OneBodyEvent> events;
  /// The same for other values of the parameters: loads, potential and events differ. Empty where there are none. Fails
  /// where something cannot have these values.
  std::function<std::shared_ptr<const OneBodyPlan>(std::span<const double> parameters)> with;

  /// The form of the equations of motion. Fails where there is none of that name.
  const Formulation<double>& form() const;

  /// Fails with one line where formulation and body do not fit.
  std::unique_ptr<Subject> subject() const override;
  std::unique_ptr<Plan> copy() const override { return std::make_unique<OneBodyPlan>(*this); }
  /// Groups besides those by default: rates, accelerations, forces, and points.
  std::vector<OfferedColumn> offered_columns() const override;
  std::vector<std::string> column_prefixes() const override { return {""}; }
  double length() const override { return 0; }
  bool judges_positions() const override { return body.mass.has_value(); }
  std::vector<Evidence> evidence(const LedgerState& ledger, std::vector<std::string>& notes) const override;
  /// Of a free body, a Lagrange top, and a body that spins about a principal axis under a constant moment.
  std::optional<ExactMotion> exact_motion() const override;
};

}  // namespace polhode::simulation
