#pragma once

#include "polhode/drawing/view.h"
#include "polhode/io/result.h"

#include <string>
#include <vector>

namespace polhode::drawing {

/// Where a body is at a moment.
struct Stance {
  Vector r_N;  ///< its mass centre (PicturedBody::reference_B)
  EulerParameters<double> e_NB = EulerParameters<double>::identity();
};

/// A mechanism as a person would draw it: bodies as their shapes, or as rods from the mass centre to the joints where
/// they have none; joints with their axes; what stands on the ground; the way it came. A floor is drawn where up is
/// known, on large pictures: each plane that something rolls on, or below everything.
struct MechanismPicture : io::PicturedScene {
  std::string name = "mechanism";  ///< word that makes the ids of this picture its own
  std::string title;
  std::vector<io::PicturedBody> bodies;
  std::vector<io::PicturedJoint> joints;
  /// By moment in the order of time, by body. The last is drawn; of those before it some, pale, and the ways of the
  /// mass centres.
  std::vector<std::vector<Stance>> moments;
  /// Title and names; without them it is a small picture for a page that has its own words.
  bool words = true;
};

/// The view that shows the mechanism best, of a fixed list: long sides not end-on, bodies beside each other. Azimuth
/// and elevation count from the up of the picture.
View best_view(const MechanismPicture& given);

/// As an SVG document. Fails where there is no body, a moment lacks one, or a number is not finite.
std::string draw(const MechanismPicture& given, const View& view);

/// The same in words.
std::string describe(const MechanismPicture& picture);

}  // namespace polhode::drawing
