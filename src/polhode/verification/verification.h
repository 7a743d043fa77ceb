#pragma once

#include "polhode/verification/report.h"

#include <functional>
#include <string_view>
#include <vector>

namespace polhode::verification {

/// How a verification that takes its time is run.
struct VerifyOptions {
  double turns = 1e5;                                   ///< of long runs
  std::function<void(std::string_view line)> progress;  ///< called now and then, never from two threads at once
  std::function<bool()> stop;                           ///< asked now and then, from any thread; true ends the run
};

/// One thing that `polhode verify` can verify.
struct Verification {
  std::string name;
  std::string summary;
  Report (*run)(const VerifyOptions& options);
  /// The same items, described but not evaluated.
  Report (*describe)();
};

const std::vector<Verification>& verifications();

/// Every numbered relation of rotation kinematics, exactly where it is rational, else in 50 digits.
Report verify_identities();
Report describe_identities();

/// Every numbered equation of motion of one body, every form in fractions, and a sweep over random states in double.
Report verify_forms(std::size_t states = 10000);
Report describe_forms();

/// Golden values of the exact motions, and each of them against an integration in 50 digits.
Report verify_motions();
Report describe_motions();

/// Every joint and every force of a mechanism at random states: Jacobians by dual numbers, no work, balance,
/// accelerations.
Report verify_joints();
Report describe_joints();

/// Every integrator on a free body, a heavy top and under a gravity gradient: its order, or its error against the
/// tolerance; time reversal; energy and momentum of long runs. A run that is stopped reports what was finished.
Report verify_integrators(const VerifyOptions& options = {});
Report describe_integrators();

}  // namespace polhode::verification
