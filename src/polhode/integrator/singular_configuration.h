#pragma once

#include "polhode/core/system.h"

#include <optional>
#include <span>

namespace polhode {

/// When the constraints of a system lose rank near (t, y).
///
///   t* = t − σ / σ̇,   σ the least singular value of C that is not zero, rows scaled to 1              (MEC-35's C)
///
/// C is that of Constraints, with angular velocities times the typical length; σ̇ by differences along the motion,
/// projected where the system has a projection. Nothing where t* lies more than 0.3 rad (or 0.3 lengths) of motion
/// away, or where the system has no constraints, or more than 600 rows of them.
std::optional<double> time_of_singular_configuration(const System<double>& system, double t, std::span<const double> y);

}  // namespace polhode
