#pragma once

#include "polhode/simulation/plan.h"

namespace polhode::simulation {

/// What a run carries: one body under a form of the equations of motion, or a mechanism. It holds the system that the
/// integrator sees, and all that changes during the run besides y and the ledger. One a run.
class Subject {
 public:
  virtual ~Subject() = default;

  virtual const System<double>& system() const = 0;
  /// The plan with the parameters as they now are.
  virtual const Plan& now() const = 0;
  /// The columns of its rows, and which of them the plan asks for.
  virtual const ColumnChoice& columns() const = 0;
  /// Sets y to the initial state and opens the ledger.
  virtual void begin(std::span<double> y, LedgerState& ledger) = 0;
  /// Discrete state: what the run carries along besides y, changed only between accepted steps; and back.
  virtual std::vector<double> discrete() const { return {}; }
  virtual void set_discrete(std::span<const double> numbers) { static_cast<void>(numbers); }
  /// Values of the parameters from here on. Fails where something cannot have these values.
  virtual void use_parameters(std::span<const double> values) = 0;
  /// Values of all parameters as they now are: those that are formulas of others have followed.
  virtual const std::vector<double>& parameters() const = 0;
  /// Limit of steps; without a function: none.
  virtual StepLimit<double> step_limit() const { return {}; }
  /// Enters a piece of the dense output in the ledger.
  virtual void add(const Piece<double>& piece, LedgerState& ledger) = 0;
  /// Why the state at the end of a piece is none to go on from, in one line; "": go on.
  virtual std::string objection(const Piece<double>& piece) {
    static_cast<void>(piece);
    return {};
  }
  /// A row as columns() describes it; its balances are entered in the ledger.
  virtual void fill(double t, std::span<const double> y, std::span<double> row, LedgerState& ledger) = 0;

  virtual std::size_t event_count() const = 0;
  virtual const EventHead& event(std::size_t i) const = 0;
  virtual double event_value(std::size_t i, double t, std::span<const double> y) const = 0;
  virtual bool event_counts(std::size_t i, double t, std::span<const double> y) const = 0;
  /// What law i of now().laws_of_state looks at, and what the formula of event i does, where that is one of the state.
  virtual void look_of_law(std::size_t i, double t, std::span<const double> y, std::span<double> inputs) const = 0;
  virtual void look_of_event(std::size_t i, double t, std::span<const double> y, std::span<double> inputs) const = 0;
  /// What a change of parameters (`set`, which says what cannot be), and event i if there is one, do to y; the jump is
  /// entered in the ledger, for it is no error. Says what cannot be, and the run ends there; "" otherwise.
  virtual std::string change(std::optional<std::size_t> i, double t, std::span<double> y, LedgerState& ledger,
                             const std::function<std::string()>& set) = 0;
  /// The body, or the first body of a mechanism.
  virtual BodyState<double> seen(double t, std::span<const double> y) const = 0;
  /// Of event i, found at t: the derivatives of its time along the directions of a SensitivityPlan; else none.
  virtual std::vector<double> event_time_by(std::size_t i, double t, std::span<const double> y) const {
    static_cast<void>(i);
    static_cast<void>(t);
    static_cast<void>(y);
    return {};
  }
};

}  // namespace polhode::simulation
