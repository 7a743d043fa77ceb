#pragma once

#include "polhode/drawing/linkage.h"

#include <string_view>

namespace polhode::drawing {

/// A joint of a chain or tree: a pair of cans that sits on the link of its parent and moves a link of its own, which
/// bears the joint's number. Link 0 is the base. Vectors are in the frame of the parent's link, whose
/// origin is the parent's pair of cans.
struct ChainJoint {
  std::string name;
  std::string label;       ///< "θ_R"
  std::size_t parent = 0;  ///< link it sits on, lower than its own
  Vector axis;             ///< unit
  double angle = 0;        ///< rad
  Vector position;         ///< where the two cans meet
  bool connect = true;     ///< draw a bent rod from the parent's cans
};

/// Something that is drawn on a link, in the frame of that link.
struct ChainShape {
  enum class Kind { rod, wheel, box, plate, frame };
  Kind kind = Kind::rod;
  std::size_t link = 0;
  std::vector<Vector> points;  ///< rod: all its corners; otherwise the centre alone
  Vector axis{0, 0, 1};        ///< of a wheel or plate, unit
  double size = 1;             ///< radius, or length of the arms of a frame
  Vector edges{1, 1, 1};       ///< of a box
  std::string name{};          ///< of a frame
};

struct Chain {
  std::string title;
  double can_radius = 0.2;
  double can_length = 0.2;
  std::optional<View> view{};
  std::vector<ChainJoint> joints;
  std::vector<ChainShape> shapes;
  std::string note{};
};

/// Reads a chain file (docs/drawing.md has its keys); fails with all its mistakes, each with line and column.
Chain read_chain(std::string_view bytes, const std::string& file);

/// The chain as it stands in space.
///
///   e_NL = e_NP ∘ e(axis, angle)      link L after the joint on link P
///
/// [SchwabMeijaard2006, fig. 5]
Linkage to_linkage(const Chain& chain);

}  // namespace polhode::drawing
