#pragma once

#include "polhode/drawing/scene.h"
#include "polhode/math/matrix.h"

#include <array>
#include <optional>

namespace polhode::drawing {

/// One turn as a pair of cans on a common axis: the first belongs to the link before the turn, the second to the
/// link after it. All vectors are in space, as the pair stands now.
struct Turn {
  std::string symbol;     ///< of the angle: "φ"
  std::string axis_name;  ///< "x′", or "" if the axis has no name
  double angle = 0;       ///< rad
  Vector axis;            ///< unit
  Vector center;          ///< where the two cans meet
  std::size_t fixed_link = 0;
  std::size_t turned_link = 1;
  std::optional<double> rate{};  ///< rad/s: drawn as an arrow with two heads along the axis
  std::string rate_text{};       ///< "φ̇ = 20°/s"
};

struct RodShape {
  std::vector<Vector> points;
  std::size_t link = 0;
  double radius = 0;
};
struct BoxShape {
  Vector center;
  Vector half_edges;
  Mat3<double> R_NL;
  std::size_t link = 0;
};
struct WheelShape {
  Vector center;
  Vector axis;
  Vector first_spoke;
  double radius = 1;
  std::size_t link = 0;
};
/// A round ground plate on which the space link stands.
struct Plate {
  Vector center;
  Vector normal;
  double radius = 1;
};
/// Three coloured axes of a frame; the columns of R_NL are their directions.
struct Triad {
  Vector origin;
  Mat3<double> R_NL;
  std::array<std::string, 3> names;  ///< "x′", "y′", "z′"
  double arm = 1;
  bool main = true;  ///< base and body: drawn stronger
  std::string frame_name{};
  Vector inner{};  ///< where the arms come out of the body they belong to
};
/// The plane that holds all can axes at gimbal lock.
struct LockPlane {
  std::array<Vector, 4> corners;
  Vector normal;
  std::string label;  ///< what is lost: "no turn about n"
};

/// Links joined by pairs of cans, placed in space: what both the Euler sequences and the chains become. Links are
/// numbered, 0 is space; the number picks the colour of all that belongs to a link.
struct Linkage {
  double can_radius = 0.56;
  double can_length = 0.52;  ///< of one can
  std::vector<Turn> turns;
  std::vector<RodShape> rods;
  std::vector<BoxShape> boxes;
  std::vector<WheelShape> wheels;
  std::vector<Plate> plates;
  std::vector<Triad> triads;
  std::optional<LockPlane> lock{};

  std::string name;
  std::string title;
  std::vector<TextLine> heading;
  std::vector<TextLine> caption;
  std::string description;

  double gap() const { return 0.08 * can_length; }
  /// From the middle of a pair to its outer faces.
  double half_pair() const { return can_length + gap() / 2; }
  double plate_thickness() const { return 0.16 * can_radius; }
};

/// The view that shows the linkage best, of a fixed list: no axis end-on, little overlap, large on paper.
View best_view(const Linkage& linkage);

/// The linkage as an SVG document.
std::string draw(const Linkage& linkage, const View& view);

}  // namespace polhode::drawing
