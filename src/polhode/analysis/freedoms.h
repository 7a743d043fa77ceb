#pragma once

#include "polhode/multibody/dynamics.h"

#include <span>
#include <string>
#include <vector>

/// What solvers that move a mechanism without its dynamics have in common. The freedoms themselves: analysis/eigen.h.
namespace polhode::analysis {

/// The same mechanism with these drivers in the place of its own; `y` and the counted angles keep their meaning.
Model with_drivers(const Model& model, std::vector<Driver> drivers);

/// Whether some constraints, drivers left aside, are on velocities alone.
bool holds_velocities(const Model& model);

/// A combination of freedoms, told by what moves most in it.
struct FreedomInWords {
  std::string text;   ///< "turn of joint 'hinge'", "body 'ball' along (0, 0, 1)"
  double rate = 1;    ///< of what is told, at unit size of the combination
  bool turns = true;  ///< an angle; else a length
};

/// "turn of joint 'hinge'"
std::string coordinate_in_words(const Model& model, int joint, Coordinate coordinate);

/// A coordinate of a joint: turns with the whole turns counted, where they are.
double coordinate_at(const Model& model, std::span<const double> y, std::span<const double> turns, int joint,
                     Coordinate coordinate);

/// All velocities zero, wheels at the speeds relative to their bodies that they had.
void come_to_rest(const Model& model, std::span<double> y);

}  // namespace polhode::analysis
