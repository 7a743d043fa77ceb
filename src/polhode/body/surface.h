#pragma once

#include "polhode/body/shapes.h"

#include <vector>

namespace polhode {

/// A surface of triangles.
struct Surface {
  std::vector<Vec3<double>> points;
  std::vector<shape::Triangle> triangles;

  friend bool operator==(const Surface&, const Surface&) = default;
};

/// The surface for a picture: no points but those of its triangles, as single precision has them, and no more than
/// about `most` triangles. Where there are more, points that lie in the same cell of a net become one, in their middle,
/// and triangles that keep two corners or one are left out; the net is as fine as it can be.
Surface pictured(const Surface& surface, std::size_t most);

}  // namespace polhode
