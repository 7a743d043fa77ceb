#include "multibody/chain.h"

#include <ode/ode.h>

#include <cmath>

namespace polhode::bench {

namespace {
constexpr double kStep = 1e-9;
}  // namespace

/// ODE knows no accelerations apart: a step of 1e-9 s by its direct solver, dense in all rows.
Evaluation ode_chain(std::size_t n) {
  struct Kept {
    dWorldID world = nullptr;
    dBodyID first = nullptr;
    Kept() {
      dInitODE2(0);
      world = dWorldCreate();
    }
    ~Kept() {
      dWorldDestroy(world);
      dCloseODE();
    }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    void evaluate() const { dWorldStep(world, kStep); }
  };
  const auto kept = std::make_shared<Kept>();
  dWorldSetGravity(kept->world, 0, 0, -9.81);
  dWorldSetCFM(kept->world, 0);
  dWorldSetERP(kept->world, 0);
  const double s = std::sqrt(0.5);
  // all rods lie along (−1, 0, −1), turned by 45 degrees about y
  dMatrix3 turned;
  dRFromAxisAndAngle(turned, 0, 1, 0, std::atan(1.0));
  dBodyID before = nullptr;
  for (std::size_t i = 0; i < n; ++i) {
    dxBody* const body = dBodyCreate(kept->world);
    dMass mass;
    dMassSetParameters(&mass, 1, 0, 0, 0, 1.01 / 12, 1.01 / 12, 0.02 / 12, 0, 0, 0);
    dBodySetMass(body, &mass);
    const double along = static_cast<double>(i) + 0.5;
    dBodySetPosition(body, -s * along, 0, -s * along);
    dBodySetRotation(body, turned);
    dxJoint* const hinge = dJointCreateHinge(kept->world, nullptr);
    dJointAttach(hinge, body, before);
    dJointSetHingeAnchor(hinge, -s * (along - 0.5), 0, -s * (along - 0.5));
    if (i % 2 == 0) {
      dJointSetHingeAxis(hinge, 0, 1, 0);
    } else {
      dJointSetHingeAxis(hinge, s, 0, -s);
    }
    if (before == nullptr) { kept->first = body; }
    before = body;
  }
  return {[kept] { kept->evaluate(); },
          [kept] {
            const double earlier = dBodyGetAngularVel(kept->first)[1];
            kept->evaluate();
            return std::fabs(dBodyGetAngularVel(kept->first)[1] - earlier) / kStep;
          }};
}

}  // namespace polhode::bench
