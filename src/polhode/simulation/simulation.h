#pragma once

#include "polhode/simulation/ledger.h"
#include "polhode/simulation/runner.h"

namespace polhode::simulation {

struct Outcome : RunEnd {
  BodyState<double> state;
  LedgerState ledger;
};

/// What further columns of one body are made of.
struct BodyNow {
  const Plan& plan;  ///< with the parameters as they now are
  BodyState<double> state;
  Vec3<double> wdot_B;
  Vec3<double> vdot_N;  ///< of the mass centre; zero where the body does not travel
};

/// The columns that a run of the plan can have. Groups besides those by default: rates, accelerations, loads, and
/// points. Fails as Simulation does.
std::vector<OfferedColumn> offered_columns(const Plan& plan);

/// One run of a plan.
class Simulation final : public Runner {
 public:
  /// The plan must outlive it. Fails with one line where formulation, method and body do not fit.
  explicit Simulation(const Plan& plan);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  const BodySystem<double>& system() const { return system_; }

  /// From the start of the plan.
  Outcome run(Sink& sink) { return outcome_of(run_from_start(sink)); }
  /// From a snapshot that an equal plan has given out.
  Outcome resume(const Snapshot& snapshot, Sink& sink) { return outcome_of(resume_from(snapshot, sink)); }

 private:
  const System<double>& carried() const override { return system_; }
  void begin(std::span<double> y) override;
  std::vector<double> ledger_numbers() const override;
  void set_ledger(std::span<const double> numbers) override;
  void use_parameters(std::span<const double> values) override;
  void add(const Piece<double>& piece) override { ledger_.add(piece); }
  void fill(double t, std::span<const double> y, std::span<double> row) override;
  std::size_t event_count() const override { return now_->events.size(); }
  const EventHead& event(std::size_t i) const override { return now_->events[i]; }
  double event_value(std::size_t i, double t, std::span<const double> y) const override;
  bool event_counts(std::size_t i, double t, std::span<const double> y) const override;
  std::string change(std::size_t i, double t, std::span<double> y) override;
  BodyState<double> seen(double t, std::span<const double> y) const override { return system_.body_state(t, y); }
  Outcome outcome_of(Ended ended) const;

  const Plan* plan_;
  const Plan* now_;  ///< the plan with the parameters as they now are
  std::shared_ptr<const Plan> changed_;
  BodySystem<double> system_;
  Ledger ledger_;
  bool has_multiplier_ = false;
  std::vector<ColumnGroup<BodyNow>> further_;  ///< behind the columns by default
  std::size_t default_count_ = 0;              ///< of these
  std::vector<double> ydot_;                   ///< scratch
};

}  // namespace polhode::simulation
