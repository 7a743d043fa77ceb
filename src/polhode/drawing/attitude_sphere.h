#pragma once

#include "polhode/drawing/view.h"
#include "polhode/rotation/euler_parameters.h"

#include <span>
#include <string>

namespace polhode::drawing {

/// Where the axes of a body point along a run: the ways of their tips on the unit sphere, as an SVG element. What lies
/// on the far half is pale. Lines are drawn between attitudes that are less than a quarter turn apart; of faster ones
/// only points are known. `title` and `description` are read out by programs for the blind.
std::string attitude_sphere(std::span<const EulerParameters<double>> e_NB, const std::string& title,
                            const std::string& description);

}  // namespace polhode::drawing
