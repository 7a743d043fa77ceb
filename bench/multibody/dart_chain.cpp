#include "multibody/chain.h"

#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <array>
#include <cmath>

namespace polhode::bench {

Evaluation dart_chain(std::size_t n) {
  using namespace dart::dynamics;
  struct Kept {
    SkeletonPtr skeleton = Skeleton::create("chain");
    std::array<Eigen::VectorXd, 2> positions;
    std::size_t next = 0;
    // positions that it has already are not taken anew, so two take turns
    void evaluate() {
      next = 1 - next;
      skeleton->setPositions(positions[next]);
      skeleton->computeForwardDynamics();
    }
  };
  const auto kept = std::make_shared<Kept>();
  kept->skeleton->setGravity({0, 0, -9.81});
  BodyNode* parent = nullptr;
  for (std::size_t i = 0; i < n; ++i) {
    RevoluteJoint::Properties joint;
    joint.mName = "hinge " + std::to_string(i);
    joint.mAxis = i % 2 == 0 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitX();
    joint.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(0, 0, i == 0 ? 0 : -0.5);
    joint.mT_ChildBodyToJoint.translation() = Eigen::Vector3d(0, 0, 0.5);
    BodyNode::Properties rod;
    rod.mName = "rod " + std::to_string(i);
    rod.mInertia = Inertia(1, Eigen::Vector3d::Zero(), Eigen::Vector3d(1.01 / 12, 1.01 / 12, 0.02 / 12).asDiagonal());
    parent = kept->skeleton->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, rod).second;
  }
  kept->positions.fill(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n)));
  kept->positions[0](0) = std::atan(1.0);
  kept->positions[1](0) = std::nextafter(std::atan(1.0), 1.0);
  kept->evaluate();
  return {[kept] { kept->evaluate(); },
          [kept] {
            kept->evaluate();
            return std::fabs(kept->skeleton->getAcceleration(0));
          }};
}

}  // namespace polhode::bench
