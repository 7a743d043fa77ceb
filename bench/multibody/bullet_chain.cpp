#include "multibody/chain.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <cmath>

namespace polhode::bench {

Evaluation bullet_chain(std::size_t n) {
  struct Kept {
    btMultiBody body;
    btAlignedObjectArray<btScalar> numbers;
    btAlignedObjectArray<btVector3> vectors;
    btAlignedObjectArray<btMatrix3x3> matrices;
    explicit Kept(int links) : body(links, 0, btVector3(0, 0, 0), true, false) {}
    void evaluate(btScalar dt) {
      body.computeAccelerationsArticulatedBodyAlgorithmMultiDof(dt, numbers, vectors, matrices, false, false, false);
    }
  };
  const int links = static_cast<int>(n);
  const auto kept = std::make_shared<Kept>(links);
  btMultiBody& body = kept->body;
  const btVector3 inertia(1.01 / 12, 1.01 / 12, 0.02 / 12);
  for (int i = 0; i < links; ++i) {
    body.setupRevolute(i, 1, inertia, i - 1, btQuaternion(0, 0, 0, 1),
                       i % 2 == 0 ? btVector3(0, 1, 0) : btVector3(1, 0, 0),
                       i == 0 ? btVector3(0, 0, 0) : btVector3(0, 0, -0.5), btVector3(0, 0, -0.5), true);
  }
  body.finalizeMultiDof();
  body.setLinearDamping(0);
  body.setAngularDamping(0);
  body.setMaxCoordinateVelocity(1e30);
  for (int i = 0; i < links; ++i) {
    body.setJointPos(i, i == 0 ? std::atan(1.0) : 0);
    body.setJointVel(i, 0);
    body.addLinkForce(i, btVector3(0, 0, -9.81));
  }
  btAlignedObjectArray<btQuaternion> attitudes;
  btAlignedObjectArray<btVector3> positions;
  body.forwardKinematics(attitudes, positions);
  // a step of no length: the velocities stay as they are
  return {[kept] { kept->evaluate(0); },
          [kept, links] {
            kept->evaluate(1);
            const double a = std::fabs(kept->body.getJointVel(0));
            for (int i = 0; i < links; ++i) { kept->body.setJointVel(i, 0); }
            return a;
          }};
}

}  // namespace polhode::bench
