#pragma once

#include "polhode/verification/report.h"

#include <vector>

namespace polhode::verification {

/// One thing that `polhode verify` can verify.
struct Verification {
  std::string name;
  std::string summary;
  Report (*run)();
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

}  // namespace polhode::verification
