#pragma once

#include "polhode/multibody/least_reactions.h"
#include "polhode/multibody/mechanism_system.h"
#include "polhode/simulation/mechanism_columns.h"
#include "polhode/simulation/runner.h"

#include <type_traits>

/// Runs of mechanisms: the same rows, checkpoints and events as for one body, with a ledger of energy and residuals.
namespace polhode::simulation {

struct MechanismEvent : EventHead {
  std::function<double(const MechanismView& now)> function;  ///< its sign changes are the event
  std::function<bool(const MechanismView& now)> counts;      ///< may be empty
  /// For Action::change: new velocities; may be empty. Velocities are put back on the joints after it.
  std::function<void(const Model& model, double t, std::span<double> y)> change;
};

inline constexpr std::string_view kNewtonEuler = "newton-euler";

/// Everything that a run of a mechanism depends on.
struct MechanismPlan : RunPlan {
  MechanismPlan() { projection = ProjectionUse::every_step; }

  std::shared_ptr<const Model> model;
  /// Accelerations by "newton-euler", or by one of euler_forms(). Rows, reactions and powers are those of Newton-Euler.
  std::string formulation = std::string(kNewtonEuler);
  JointJacobian jacobian = JointJacobian::through_rate;
  std::vector<double> start;  ///< y at t = 0, joints closed, wheels at their speeds
  /// By Model::counted(): the angle at the start, whole turns included, up to half a turn; empty: all in (−π, π].
  std::vector<double> start_turns;
  std::vector<MechanismEvent> events;
  /// The same for other values of the parameters: forces, drivers and events differ. Empty where there are none. Fails
  /// where something cannot have these values.
  std::function<std::shared_ptr<const MechanismPlan>(std::span<const double> parameters)> with;
};

/// Sums and extremes along a run: plain numbers, so that a checkpoint can hold them.
struct MechanismLedgerState {
  double energy_start = 0;
  double supplied = 0;      ///< work of motors, drivers, wrenches and laws, J
  double dissipated = 0;    ///< by dampers, friction and drag, J
  double energy_scale = 0;  ///< largest T + |V − V0| + |work| seen
  double potential_start = 0;
  double energy_error = 0;    ///< largest |balance|, J
  double position_error = 0;  ///< largest residuals: m, m/s, m/s²
  double velocity_error = 0;
  double acceleration_error = 0;
  double speed_scale = 0;         ///< largest |v| and |ω| times the length of the model seen, m/s
  double acceleration_scale = 0;  ///< likewise, m/s²
  double norm_error = 0;          ///< largest ||e| − 1|
  double rank_at_start = 0;       ///< rows of loops that carry force
  double least_rank = 0;
  double most_rank = 0;
  double rank_changes = 0;  ///< from row to row
  double last_rank = 0;
  double least_pivot = 1;  ///< of those that were kept, relative to its row
};
static_assert(std::is_trivially_copyable_v<MechanismLedgerState> && sizeof(MechanismLedgerState) % sizeof(double) == 0);

struct MechanismOutcome : RunEnd {
  std::vector<double> y;
  MechanismLedgerState ledger;
};

/// One run of a mechanism. Energy, with the work integrated over each piece of the dense output by Gauss' formula with
/// four nodes:
///
///   T + V − W_supplied + W_dissipated = const               (SIM-3)
class MechanismSimulation final : public Runner {
 public:
  /// The plan must outlive it. Fails with one line where method and mechanism do not fit.
  explicit MechanismSimulation(const MechanismPlan& plan);
  MechanismSimulation(const MechanismSimulation&) = delete;
  MechanismSimulation& operator=(const MechanismSimulation&) = delete;

  MechanismOutcome run(Sink& sink) { return outcome_of(run_from_start(sink)); }
  MechanismOutcome resume(const Snapshot& snapshot, Sink& sink) { return outcome_of(resume_from(snapshot, sink)); }

  /// Whole turns counted so far (Model::counted()): when a sink sees a row, those of the row.
  std::span<const double> turns() const { return system_.turns(); }

 private:
  const System<double>& carried() const override { return system_; }
  void begin(std::span<double> y) override;
  std::vector<double> ledger_numbers() const override;
  void set_ledger(std::span<const double> numbers) override;
  std::vector<double> discrete() const override { return {turns().begin(), turns().end()}; }
  void set_discrete(std::span<const double> numbers) override;
  void use_parameters(std::span<const double> values) override;
  StepLimit<double> step_limit() const override;
  void add(const Piece<double>& piece) override;
  void add_work(const Piece<double>& piece);
  std::string objection(const Piece<double>& piece) override;
  std::string too_fast_for_step(const Piece<double>& piece);
  void fill(double t, std::span<const double> y, std::span<double> row) override;
  std::size_t event_count() const override { return now_->events.size(); }
  const EventHead& event(std::size_t i) const override { return now_->events[i]; }
  double event_value(std::size_t i, double t, std::span<const double> y) const override {
    return now_->events[i].function({*model_, t, y, turns()});
  }
  bool event_counts(std::size_t i, double t, std::span<const double> y) const override {
    return !now_->events[i].counts || now_->events[i].counts({*model_, t, y, turns()});
  }
  std::string change(std::size_t i, double t, std::span<double> y) override;
  BodyState<double> seen(double t, std::span<const double> y) const override;
  MechanismOutcome outcome_of(Ended ended) const;
  /// Fails where an angle with its whole turns is asked for, and nobody counts them.
  void require_counted() const;

  const MechanismPlan* plan_;
  const MechanismPlan* now_;  ///< the plan with the parameters as they now are
  std::shared_ptr<const MechanismPlan> changed_;
  const Model* model_;
  MechanismSystem system_;
  bool does_work_ = false;  ///< anything that may supply or dissipate
  MechanismLedgerState ledger_;
  mutable Scratch scratch_;
  std::vector<double> y_;  ///< scratch
  std::vector<double> ydot_;
  std::vector<Reaction> reactions_;
  std::optional<LeastReactionSolver> least_reactions_;
  std::vector<ColumnGroup<MechanismNow>> further_;  ///< behind the columns by default
  std::size_t default_count_ = 0;                   ///< of these
};

/// The columns that a run of the plan can have.
std::vector<OfferedColumn> offered_columns(const MechanismPlan& plan);

/// How far joint j is open: a length, angles times Model::length().
double joint_gap(const Model& model, std::span<const double> y, int joint);

/// The joint, coupling or driver that is open most, in words: "joint 'a' (revolute) is open by 0.1 m".
std::string widest_gap(const Model& model, double t, std::span<const double> y);

/// Residual of the conditions on accelerations, after evaluate(): m/s², angles times Model::length().
double acceleration_residual(const Model& model, double t, std::span<const double> y, const Scratch& scratch);

}  // namespace polhode::simulation
