#pragma once

#include "polhode/drawing/view.h"

#include <functional>
#include <string>
#include <vector>

namespace polhode::drawing {

/// All points within `radius` of a line from a to b.
struct Capsule {
  Vector a;
  Vector b;
  double radius = 0;
};

/// Something solid in space that can draw itself.
struct Piece {
  std::vector<Capsule> hull;  ///< roughly what it fills: for the order of drawing, and for labels to keep clear of
  std::vector<Capsule> rims;  ///< outlines that the hull leaves out and labels keep clear of: edges of a box
  double lift = 0;            ///< of two pieces at one depth, that with the larger lift is drawn later
  bool keep_clear = false;    ///< a label that covered part of it would hide what it says: an arrow of a rate
  /// SVG of the piece; `id` is a name that no other piece has.
  std::function<std::string(const Projection&, const std::string& id)> draw;
};

/// One line of a label: "θ_R = 30°".
struct TextLine {
  std::string text;
  double size = 17;
  std::string colour = "#222222";
  bool bold = false;
  bool italic = false;
  bool literal = false;  ///< an underscore is an underscore
};

/// Text beside a point, moved to where it covers nothing.
struct Label {
  std::vector<TextLine> lines;
  Vector anchor;
  Vector direction;      ///< where it would best stand, seen from the anchor
  double clearance = 0;  ///< least distance from the anchor, in units of space
};

/// What is drawn: pieces in any order, labels the most important first.
struct Scene {
  std::vector<Piece> backdrop;  ///< drawn first, as they come
  std::vector<Piece> pieces;
  std::vector<Label> labels;

  std::string name;               ///< word that makes the ids of this picture its own
  std::string title;              ///< of the whole
  std::vector<TextLine> heading;  ///< lines above
  std::vector<TextLine> caption;  ///< lines below
  std::string description;        ///< for readers who cannot see the picture
  double width = 960;             ///< of the paper
  double height = 640;
};

/// Indices of the pieces from the farthest to the nearest: of two that overlap on paper the one behind comes
/// first (painter's algorithm, on overlaps rather than on mean depth).
std::vector<std::size_t> back_to_front(const std::vector<Piece>& pieces, const Projection& projection);

/// A complete SVG document.
std::string to_svg(const Scene& scene, const View& view);

}  // namespace polhode::drawing
