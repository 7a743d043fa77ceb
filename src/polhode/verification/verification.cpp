#include "polhode/verification/verification.h"

namespace polhode::verification {

const std::vector<Verification>& verifications() {
  static const std::vector<Verification> kAll{
      {"identities", "every numbered relation of rotation kinematics and its wrong twin", verify_identities,
       describe_identities},
      {"forms", "every form of the equations of motion, in fractions and at 10000 random states",
       [] { return verify_forms(); }, describe_forms},
      {"motions", "exact motions of one body: golden values, and against integration in 50 digits", verify_motions,
       describe_motions},
  };
  return kAll;
}

}  // namespace polhode::verification
