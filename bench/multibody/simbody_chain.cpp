#include "multibody/chain.h"

#include <Simbody.h>

namespace polhode::bench {

Evaluation simbody_chain(std::size_t n) {
  struct Kept {
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter{system};
    SimTK::GeneralForceSubsystem forces{system};
    SimTK::Force::UniformGravity gravity{forces, matter, SimTK::Vec3(0, 0, -9.81)};
    SimTK::State state;
  };
  const auto kept = std::make_shared<Kept>();
  const SimTK::Body::Rigid rod(
      SimTK::MassProperties(1, SimTK::Vec3(0), SimTK::Inertia(1.01 / 12, 1.01 / 12, 0.02 / 12)));
  SimTK::MobilizedBody parent = kept->matter.Ground();
  const double quarter = SimTK::Pi / 2;
  for (std::size_t i = 0; i < n; ++i) {
    // a pin turns about its own z
    const SimTK::Rotation axis =
        i % 2 == 0 ? SimTK::Rotation(-quarter, SimTK::XAxis) : SimTK::Rotation(quarter, SimTK::YAxis);
    parent = SimTK::MobilizedBody::Pin(parent, SimTK::Transform(axis, SimTK::Vec3(0, 0, i == 0 ? 0 : -0.5)), rod,
                                       SimTK::Transform(axis, SimTK::Vec3(0, 0, 0.5)));
  }
  kept->state = kept->system.realizeTopology();
  kept->state.updQ()[0] = SimTK::Pi / 4;
  return {[kept] {
            kept->state.updQ()[0] = SimTK::Pi / 4;  // a new place, for all it knows
            kept->system.realize(kept->state, SimTK::Stage::Acceleration);
          },
          [kept] {
            kept->system.realize(kept->state, SimTK::Stage::Acceleration);
            return std::fabs(kept->state.getUDot()[0]);
          }};
}

}  // namespace polhode::bench
