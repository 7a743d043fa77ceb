#pragma once

#include "polhode/multibody/mechanism_system.h"
#include "polhode/simulation/plan.h"

/// Runs of mechanisms: energy and residuals of constraints are balanced.
namespace polhode::simulation {

/// Writes what a formula looks at.
using MechanismLook = std::function<void(const MechanismView& now, std::span<double> inputs)>;

struct MechanismEvent : EventHead {
  std::function<double(const MechanismView& now)> function;  ///< its sign changes are the event
  std::function<bool(const MechanismView& now)> counts;      ///< may be empty
  /// For Action::change: new velocities; may be empty. Velocities are put back on the joints after it.
  std::function<void(const Model& model, double t, std::span<double> y)> change;
  MechanismLook look{};  ///< where there is in_state
};

inline constexpr std::string_view kNewtonEuler = "newton-euler";

/// Everything that a run of a mechanism depends on.
struct MechanismPlan final : Plan {
  MechanismPlan() { projection = ProjectionUse::every_step; }

  std::shared_ptr<const Model> model;
  /// Accelerations by "newton-euler", or by one of euler_forms(). Rows, reactions and powers are those of Newton-Euler.
  std::string formulation = std::string(kNewtonEuler);
  JointJacobian jacobian = JointJacobian::through_rate;
  std::vector<double> start;  ///< y at t = 0, joints closed, wheels at their speeds
  /// By Model::counted(): the angle at the start, whole turns included, up to half a turn; empty: all in (−π, π].
  std::vector<double> start_turns;
  std::vector<MechanismEvent> events;
  std::vector<MechanismLook> looks{};  ///< of laws_of_state
  /// The same for other values of the parameters: forces, drivers and events differ. Empty where there are none. Fails
  /// where something cannot have these values.
  std::function<std::shared_ptr<const MechanismPlan>(std::span<const double> parameters)> with;

  /// Energy, with the work integrated over each piece of the dense output by Gauss' formula with four nodes:
  ///
  ///   T + V − W_supplied + W_dissipated = const               (SIM-3)
  std::unique_ptr<Subject> subject() const override;
  std::unique_ptr<Plan> copy() const override { return std::make_unique<MechanismPlan>(*this); }
  std::vector<OfferedColumn> offered_columns() const override;
  std::vector<std::string> column_prefixes() const override;
  double length() const override { return model->length(); }
  bool judges_positions() const override { return true; }
  ProjectionUse usual_projection() const override { return ProjectionUse::every_step; }
  std::vector<Evidence> evidence(const LedgerState& ledger, std::vector<std::string>& notes) const override;
};

/// How far joint j is open: a length, angles times Model::length().
double joint_gap(const Model& model, std::span<const double> y, int joint);

/// The joint, coupling or driver that is open most, in words: "joint 'a' (revolute) is open by 0.1 m".
std::string widest_gap(const Model& model, double t, std::span<const double> y);

/// Residual of the constraints on accelerations, after evaluate(): m/s², angles times Model::length().
double acceleration_residual(const Model& model, double t, std::span<const double> y, const Scratch& scratch);

}  // namespace polhode::simulation
