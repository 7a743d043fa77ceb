#pragma once

#include "polhode/body.h"
#include "polhode/core/error.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace polhode::test {

template <class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const Error& error) { return error.what(); }
  return "no error";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The largest difference of two bodies: mass relative, centre in units of `length`, inertia relative to its norm.
inline double difference(const MassProperties& a, const MassProperties& b, double length = 1) {
  return std::max({std::fabs(a.mass - b.mass) / b.mass, norm(a.center_B - b.center_B) / length,
                   frobenius_norm(a.J_B - b.J_B) / frobenius_norm(b.J_B)});
}

struct Mesh {
  std::vector<Vec3<double>> points;
  std::vector<shape::Triangle> triangles;

  MassProperties body(Amount amount) const { return shape::mesh(amount, points, triangles); }
};

/// The box between two opposite corners, outside out.
inline Mesh box_mesh(const Vec3<double>& low, const Vec3<double>& high) {
  Mesh mesh;
  for (int n = 0; n < 8; ++n) {
    mesh.points.push_back(
        {(n & 1) != 0 ? high.x : low.x, (n & 2) != 0 ? high.y : low.y, (n & 4) != 0 ? high.z : low.z});
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

inline Mesh inside_out(Mesh mesh) {
  for (auto& triangle : mesh.triangles) { std::swap(triangle[1], triangle[2]); }
  return mesh;
}

inline Mesh together(Mesh a, const Mesh& b) {
  const auto shift = static_cast<std::uint32_t>(a.points.size());
  a.points.insert(a.points.end(), b.points.begin(), b.points.end());
  for (const auto& t : b.triangles) { a.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift}); }
  return a;
}

}  // namespace polhode::test
