#pragma once

#include "polhode/motion/state.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Fixed-step schemes, run on a free body and judged by the exact motion.
namespace polhode::comparison {

/// A free body that spins next to its middle axis, so that it flips.
struct FreeSpin {
  Vec3<double> moments;  ///< J1 ≤ J2 ≤ J3
  double rate = 0;       ///< |ω|, rad/s

  /// ω' = rate (ε, 1, ε)/√(1 + 2ε²), ε = 0.01; e = 1.
  MotionState<double> start() const;
  /// Time after which the body rate is the same again, two flips; infinite where it never changes.
  double period() const;
};

/// A body under one scheme.
class SchemeRun {
 public:
  SchemeRun() = default;
  virtual ~SchemeRun() = default;
  SchemeRun(const SchemeRun&) = delete;
  SchemeRun& operator=(const SchemeRun&) = delete;
  /// False if an implicit equation was not solved.
  virtual bool advance(int steps) = 0;
  virtual MotionState<double> state() const = 0;
};

struct SchemeEntry {
  std::string name;
  std::string precision;  ///< "float" or "double"
  std::string summary;
  bool right_physics = true;
  std::function<std::unique_ptr<SchemeRun>(const FreeSpin&, double step)> make;
};

/// All of them: the four schemes lagged and implicit, two implicit steps of physics engines and polhode/step.hpp, in
/// float and double; every integrator with fixed steps that a free body in Euler parameters can use, in double.
std::vector<SchemeEntry> scheme_entries();

/// What one scheme did. Errors are relative; the first step at which it failed counts as infinite error.
struct Trial {
  bool finished = true;   ///< all numbers finite, all equations solved
  bool exploded = false;  ///< more energy than the momentum at the start allows: T > h²/2J1, and 1 %
  double turns = 0;       ///< how far it ran, in turns of the rate at the start
  double energy_drift_per_turn = 0;
  double energy_worst = 0;
  double momentum_worst = 0;  ///< |h − h0|/|h0| in space
  int flips = 0;
  std::optional<double> period_error;  ///< mean period against the exact one, with its sign; none: fewer than 2 flips

  bool stable() const { return finished && !exploded; }
  /// Energy and momentum within 1 %.
  bool holds() const;
};

/// Runs for `turns`, or for two and a half periods if they are longer; at most kMostSchemeSteps.
Trial try_scheme(const SchemeEntry& scheme, const FreeSpin& body, double step, double turns);
inline constexpr int kMostSchemeSteps = 400'000;

/// Nanoseconds a step: the best of several measurements, by the clock; none if it cannot run.
std::optional<double> cost_ns(const SchemeEntry& scheme, const FreeSpin& body, double step);

}  // namespace polhode::comparison
