#include "polhode/verification/verification.h"

namespace polhode::verification {

const std::vector<Verification>& verifications() {
  static const std::vector<Verification> kAll{
      {"identities", "every numbered relation of rotation kinematics and its wrong twin", verify_identities,
       describe_identities},
      {"forms", "every form of the equations of motion, in fractions and at 10000 random states",
       [] { return verify_forms(); }, describe_forms},
  };
  return kAll;
}

}  // namespace polhode::verification
