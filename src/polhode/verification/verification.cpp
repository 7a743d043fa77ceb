#include "polhode/verification/verification.h"

namespace polhode::verification {

const std::vector<Verification>& verifications() {
  static const std::vector<Verification> kAll{
      {"identities", "every numbered relation of rotation kinematics and its wrong twin",
       [](const VerifyOptions&) { return verify_identities(); }, describe_identities},
      {"forms", "every form of the equations of motion, in fractions and at 10000 random states",
       [](const VerifyOptions&) { return verify_forms(); }, describe_forms},
      {"motions", "exact motions of one body: golden values, and against integration in 50 digits",
       [](const VerifyOptions&) { return verify_motions(); }, describe_motions},
      {"joints", "every joint and every force of mechanisms: derivatives, work, balance, accelerations",
       [](const VerifyOptions&) { return verify_joints(); }, describe_joints},
      {"integrators", "order, tolerance, reversal and long runs of every integrator", verify_integrators,
       describe_integrators},
  };
  return kAll;
}

}  // namespace polhode::verification
