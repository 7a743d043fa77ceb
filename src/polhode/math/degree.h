#pragma once

#include "polhode/math/elementary.h"

namespace polhode::math {

/// One degree, in radian.
inline constexpr double kDegree = kPi<double> / 180;
inline constexpr double kRpm = kPi<double> / 30;  ///< a turn a minute, in rad/s

}  // namespace polhode::math
