#pragma once

#include "polhode/rotation/euler_parameters.h"

namespace polhode {

/// Attitude and body rate at one time.
template <class S>
struct MotionState {
  EulerParameters<S> e_NB{};
  Vec3<S> w_B{};
};

}  // namespace polhode
