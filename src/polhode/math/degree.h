#pragma once

#include "polhode/math/elementary.h"

namespace polhode::math {

/// One degree, in radian.
inline constexpr double kDegree = kPi<double> / 180;

}  // namespace polhode::math
