#include "polhode/body/mesh_integrals.h"
#include "polhode/body/shapes.h"
#include "polhode/core/error.h"
#include "polhode/math/pi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

namespace polhode::shape {
namespace {

using Points = std::span<const Vec3<double>>;
using Triangles = std::span<const Triangle>;

std::string point_name(const MeshNames& names, std::size_t n) {
  return names.point ? names.point(n) : fmt::format("{}", n);
}
std::string triangle_name(const MeshNames& names, std::size_t n) {
  return names.triangle ? names.triangle(n) : fmt::format("triangles[{}]", n);
}

/// A shell whose signed tetrahedra cancel to this part of their sizes holds rounding instead of volume.
constexpr double kNoVolume = 1e-12;

[[noreturn]] void refuse(std::string what, std::string allowed, std::string cure) {
  fail(Error(Problem{.what = "mesh: " + std::move(what), .allowed = std::move(allowed), .cure = std::move(cure)}));
}

void check_numbers(Points points, Triangles triangles, const MeshNames& names) {
  for (std::size_t n = 0; n < points.size(); ++n) {
    const auto& [x, y, z] = points[n];
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) {
      refuse(fmt::format("points[{}] = ({} {} {}) is not finite", n, x, y, z), "coordinates are finite numbers", "");
    }
  }
  if (triangles.empty()) { refuse("no triangles", "a closed surface has at least four", ""); }
  for (std::size_t n = 0; n < triangles.size(); ++n) {
    const auto& [a, b, c] = triangles[n];
    if (const std::size_t last = std::max({a, b, c}); last >= points.size()) {
      refuse(fmt::format("{} has corner {}, but there are {} points", triangle_name(names, n), last, points.size()),
             "points count from 0", "");
    }
    if (a == b || b == c || c == a) {
      refuse(fmt::format("{} = ({} {} {}) uses a point twice", triangle_name(names, n), a, b, c), "",
             "leave it out: it bounds nothing");
    }
  }
}

/// An edge of a triangle, smaller end first.
struct Edge {
  std::uint32_t low;
  std::uint32_t high;
  bool upward;  ///< the triangle runs from low to high
  std::size_t triangle;
};

/// Closed and of one sense: along every edge as many triangles run one way as the other.
void check_closed(Triangles triangles, const MeshNames& names) {
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (std::size_t n = 0; n < triangles.size(); ++n) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t from = triangles[n][i];
      const std::uint32_t to = triangles[n][(i + 1) % 3];
      edges.push_back({std::min(from, to), std::max(from, to), from < to, n});
    }
  }
  std::ranges::sort(edges, [](const Edge& a, const Edge& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });
  for (auto first = edges.begin(); first != edges.end();) {
    const auto last = std::find_if(
        first, edges.end(), [&](const Edge& edge) { return edge.low != first->low || edge.high != first->high; });
    const auto upward = std::count_if(first, last, [](const Edge& edge) { return edge.upward; });
    const auto count = last - first;
    if (count == 1) {
      refuse(fmt::format("open at edge {}-{}: {} has no neighbour there", point_name(names, first->low),
                         point_name(names, first->high), triangle_name(names, first->triangle)),
             "every edge belongs to two triangles", "corners at the same position must be the same point");
    }
    if (2 * upward != count) {
      const std::size_t other = std::find_if(first + 1, last, [&](const Edge& edge) {
                                  return edge.upward == (2 * upward > count);
                                })->triangle;
      refuse(fmt::format("{} and {} run the same way along edge {}-{}", triangle_name(names, first->triangle),
                         triangle_name(names, other), point_name(names, first->low), point_name(names, first->high)),
             "neighbours run along their edge in opposite directions",
             "swap two corners of the one that is inside out");
    }
    first = last;
  }
}

/// A connected piece of the surface.
struct Shell {
  std::vector<std::size_t> triangles;
  std::array<Vec3<double>, 6> extremes;  ///< corners with the least and greatest x, y, z
  double volume = 0;                     ///< negative for a cavity

  bool box_holds(const Vec3<double>& p) const {
    return p.x >= extremes[0].x && p.x <= extremes[1].x && p.y >= extremes[2].y && p.y <= extremes[3].y &&
           p.z >= extremes[4].z && p.z <= extremes[5].z;
  }
};

std::vector<Shell> shells_of(Points points, Triangles triangles, const MeshNames& names) {
  // points joined by triangles have one root
  std::vector<std::uint32_t> parent(points.size());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t p) {
    while (parent[p] != p) { p = parent[p] = parent[parent[p]]; }
    return p;
  };
  for (const auto& [a, b, c] : triangles) {
    parent[root(b)] = root(a);
    parent[root(c)] = root(a);
  }
  std::vector<Shell> shells;
  std::vector<std::size_t> shell_of_root(points.size(), triangles.size());
  for (std::size_t n = 0; n < triangles.size(); ++n) {
    std::size_t& index = shell_of_root[root(triangles[n][0])];
    if (index == triangles.size()) {
      index = shells.size();
      shells.emplace_back().extremes.fill(points[triangles[n][0]]);
    }
    shells[index].triangles.push_back(n);
  }
  for (Shell& shell : shells) {
    const Vec3<double> origin = points[triangles[shell.triangles.front()][0]];
    double size = 0;
    for (const std::size_t n : shell.triangles) {
      const auto& [a, b, c] = triangles[n];
      const double volume = dot(points[a] - origin, cross(points[b] - origin, points[c] - origin)) / 6;
      shell.volume += volume;
      size += std::fabs(volume);
      for (const std::uint32_t corner : triangles[n]) {
        for (std::size_t i = 0; i < 3; ++i) {
          if (points[corner][i] < shell.extremes[2 * i][i]) { shell.extremes[2 * i] = points[corner]; }
          if (points[corner][i] > shell.extremes[2 * i + 1][i]) { shell.extremes[2 * i + 1] = points[corner]; }
        }
      }
    }
    if (std::fabs(shell.volume) <= kNoVolume * size) {
      refuse(fmt::format("the shell of {} encloses no volume", triangle_name(names, shell.triangles.front())),
             "a solid has thickness", "");
    }
  }
  return shells;
}

/// How often a shell goes round p: 1 inside, 0 outside, −1 in a cavity; the sum of the solid angles of its triangles.
///
///   tan(Ω/2) = a·(b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|)      (INE-18) [VanOosterom1983]
double winding_number(const Shell& shell, Points points, Triangles triangles, const Vec3<double>& p) {
  double half_angles = 0;
  for (const std::size_t n : shell.triangles) {
    const Vec3<double> a = points[triangles[n][0]] - p;
    const Vec3<double> b = points[triangles[n][1]] - p;
    const Vec3<double> c = points[triangles[n][2]] - p;
    const double A = norm(a);
    const double B = norm(b);
    const double C = norm(c);
    half_angles += math::atan2(dot(a, cross(b, c)), A * B * C + dot(a, b) * C + dot(b, c) * A + dot(c, a) * B);
  }
  return half_angles / (2 * math::kPi<double>);
}

/// Material is where the other shells wind once around; a cavity must lie in it, a body outside.
void check_sense(const std::vector<Shell>& shells, Points points, Triangles triangles, const MeshNames& names) {
  for (const Shell& shell : shells) {
    double least = 1;  // over the extreme corners
    for (const Vec3<double>& p : shell.extremes) {
      double winding = 0;
      for (const Shell& other : shells) {
        if (&other != &shell && other.box_holds(p)) { winding += winding_number(other, points, triangles, p); }
      }
      least = std::min(least, winding);
    }
    const std::string first = triangle_name(names, shell.triangles.front());
    if (shell.volume < 0 && least < 0.1) {
      refuse(fmt::format("inside out: the shell of {} has the volume {:.9g} m³", first, shell.volume),
             "corners run counter-clockwise seen from outside",
             "swap two corners of each of its triangles: a modelling program calls it flipping normals");
    }
    if (shell.volume > 0 && least > 0.9) {
      refuse(fmt::format("the shell of {} lies in the material of another shell, and is no cavity", first),
             "the triangles of a cavity face into it, so that its volume is negative",
             "swap two corners of each of its triangles");
    }
  }
}

VolumeIntegrals<double> integrals_about(const Vec3<double>& origin_B, Points points, Triangles triangles) {
  VolumeIntegrals<double> sum;
  for (const auto& [a, b, c] : triangles) {
    add_tetrahedron(sum, points[a] - origin_B, points[b] - origin_B, points[c] - origin_B);
  }
  return sum;
}

}  // namespace

MassProperties mesh(Amount amount, std::span<const Vec3<double>> points_B, std::span<const Triangle> triangles,
                    const MeshNames& names) {
  if (!std::isfinite(amount.value) || amount.value <= 0) {
    refuse(
        fmt::format("{} {:.9g} is not positive", amount.kind == Amount::Kind::mass ? "mass" : "density", amount.value),
        "finite and positive, in kg or kg/m³", "");
  }
  check_numbers(points_B, triangles, names);
  check_closed(triangles, names);
  check_sense(shells_of(points_B, triangles, names), points_B, triangles, names);

  // first from a corner to find the mass centre, then about it: what cancels is then of the size of rounding
  const Vec3<double> corner_B = points_B[triangles[0][0]];
  const VolumeIntegrals<double> rough = integrals_about(corner_B, points_B, triangles);
  const Vec3<double> origin_B = corner_B + rough.first / rough.volume;
  const VolumeIntegrals<double> sum = integrals_about(origin_B, points_B, triangles);

  const double density = amount.kind == Amount::Kind::density ? amount.value : amount.value / sum.volume;
  const double mass = amount.kind == Amount::Kind::mass ? amount.value : amount.value * sum.volume;
  const Vec3<double> rest_B = sum.first / sum.volume;  // from the origin of the sums to the mass centre
  const Mat3<double> J_B = density * inertia_from_second_moment(sum.second) - point_inertia(mass, rest_B);
  return require_physical({.mass = mass, .center_B = origin_B + rest_B, .J_B = J_B}, Physical::allow_lines_and_points,
                          "mesh: ");
}

}  // namespace polhode::shape
