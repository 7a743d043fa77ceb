#pragma once

#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/drawing/mechanism.h"

namespace polhode::report {

/// The one body of a scenario as pictures show it.
io::PicturedBody pictured_body(const catalog::OneBodyScenario& scenario);
/// The Euler angles that come to mind with a scenario: those of its start, or of its form; "" for none.
std::string angles_to_draw(const catalog::OneBodyScenario& scenario);

/// Bodies, joints and what is around them as pictures show them.
std::vector<io::PicturedBody> pictured_bodies(const catalog::MechanismScenario& scenario);
std::vector<io::PicturedJoint> pictured_joints(const catalog::MechanismScenario& scenario);
io::PicturedScene pictured_scene(const catalog::MechanismScenario& scenario);

/// The mechanism at its start; `name` is a word of its own in a page of several pictures.
drawing::MechanismPicture start_picture(const catalog::MechanismScenario& scenario, const std::string& name);

/// The mechanism at the end of a run, with the way it came. The log must be one of a mechanism; its meshes are
/// found from the current folder.
drawing::MechanismPicture run_picture(const std::string& log_path, const std::string& name,
                                      catalog::MeshLocations meshes = catalog::MeshLocations::below_scenario);

}  // namespace polhode::report
