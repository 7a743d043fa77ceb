#pragma once

#include "polhode/run/simulate.h"

namespace polhode {

/// A scenario that its caller carries forward, a piece of time at a time: for controllers, games and learning.
///
///   Simulator plant(Scenario::read("satellite.toml"));   // a moment of "torque" there, a parameter
///   while (plant.t() < 60) {
///     plant.set("torque", -k * plant["wz_body_rad_s"]);
///     if (!plant.step(0.1)) { break; }
///   }
///
/// Inputs are parameters of the scenario that shape nothing but what acts, and events: they stay constant between steps
/// and may have any value at each. Events act inside a step, at their instants. The method starts anew at each step:
/// the same calls give the same bits, from the start or from a state that was kept. Duration and output interval of the
/// scenario do not count.
class Simulator {
 public:
  /// Fails as simulate() does. `options.certify` has no meaning here.
  explicit Simulator(const Scenario& scenario, const SimulateOptions& options = {});
  explicit Simulator(const CompiledScenario& scenario, const SimulateOptions& options = {});
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  /// The parameters that can be set between steps.
  const std::vector<std::string>& inputs() const;
  double input(std::string_view name) const;
  /// From here on. Fails with the nearest name where there is none, with the reason where the parameter shapes the
  /// model, and where something cannot have this value; nothing has changed then.
  void set(std::string_view name, double value);

  /// Goes on by dt > 0, in s. False where the run has ended: an event stopped it, and row() is that of its instant; or
  /// end() tells what went wrong, and row() is the last one that was right.
  bool step(double dt);
  double t() const;
  /// What a row holds, and the row of the last step, or of the start. docs/formats.md names the columns.
  const std::vector<simulation::Column>& columns() const;
  std::span<const double> row() const;
  /// One number of it. Fails with the nearest name where there is no such column.
  double operator[](std::string_view column) const;
  /// Events of the last step.
  const std::vector<EventRecord>& events() const;
  /// Where it stands; where it has ended, why; and what it took.
  simulation::Outcome end() const;

  /// Back to the start, with the inputs that the scenario gives.
  void reset();
  /// Everything that the motion from here on depends on, and back. A state belongs to a Simulator of an equal scenario;
  /// of one that an event has stopped, it goes on behind the event. Fails where a state cannot be one of this scenario;
  /// nothing has changed then.
  using State = simulation::Snapshot;
  State state() const;
  void restore(const State& state);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace polhode
