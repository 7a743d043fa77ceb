#include "polhode/body/surface.h"

#include <algorithm>
#include <limits>
#include <map>

namespace polhode {
namespace {

/// Cells along the longest side of the finest net that is tried, and how much coarser the next one is.
constexpr double kFinest = 512;
constexpr double kCoarser = 0.8;

constexpr auto kLargestFloat = static_cast<double>(std::numeric_limits<float>::max());

/// Points of one cell in their middle.
Surface clustered(const Surface& surface, double cells) {
  Vec3<double> low = surface.points[surface.triangles[0][0]];
  Vec3<double> high = low;
  for (const shape::Triangle& triangle : surface.triangles) {
    for (const std::uint32_t corner : triangle) {
      for (std::size_t i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], surface.points[corner][i]);
        high[i] = std::max(high[i], surface.points[corner][i]);
      }
    }
  }
  const Vec3<double> sides = high - low;
  const double size = std::max({sides.x, sides.y, sides.z}) / cells;
  std::map<std::array<int, 3>, std::uint32_t> cell_numbers;
  std::vector<double> counts;
  std::vector<std::uint32_t> cell_of(surface.points.size(), UINT32_MAX);
  Surface result;
  const auto cell = [&](std::uint32_t corner) {
    if (cell_of[corner] == UINT32_MAX) {
      const Vec3<double>& p = surface.points[corner];
      std::array<int, 3> index{};
      for (std::size_t i = 0; i < 3; ++i) {
        const double x = (p[i] - low[i]) / size;
        index[i] = x <= cells ? static_cast<int>(x) : 0;  // not where sizes overflow
      }
      const auto [found, is_new] = cell_numbers.try_emplace(index, static_cast<std::uint32_t>(counts.size()));
      if (is_new) {
        counts.push_back(0);
        result.points.push_back({});
      }
      cell_of[corner] = found->second;
      counts[found->second] += 1;
      result.points[found->second] = result.points[found->second] + p;
    }
    return cell_of[corner];
  };
  for (const auto& [a, b, c] : surface.triangles) {
    const shape::Triangle triangle{cell(a), cell(b), cell(c)};
    if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0]) {
      result.triangles.push_back(triangle);
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) { result.points[i] = result.points[i] / counts[i]; }
  return result;
}

/// Points in the order in which triangles use them, each in single precision.
Surface tidied(const Surface& surface) {
  Surface result;
  std::vector<std::uint32_t> number(surface.points.size(), UINT32_MAX);
  for (const shape::Triangle& triangle : surface.triangles) {
    shape::Triangle& made = result.triangles.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      std::uint32_t& n = number[triangle[i]];
      if (n == UINT32_MAX) {
        n = static_cast<std::uint32_t>(result.points.size());
        Vec3<double> p = surface.points[triangle[i]];
        for (std::size_t k = 0; k < 3; ++k) {
          p[k] = static_cast<double>(static_cast<float>(std::clamp(p[k], -kLargestFloat, kLargestFloat)));
        }
        result.points.push_back(p);
      }
      made[i] = n;
    }
  }
  return result;
}

}  // namespace

Surface pictured(const Surface& surface, std::size_t most) {
  if (surface.triangles.size() <= most) { return tidied(surface); }
  double cells = kFinest;
  Surface thin = clustered(surface, cells);
  while (thin.triangles.size() > most) {
    cells *= kCoarser;
    thin = clustered(surface, cells);
  }
  return tidied(thin);
}

}  // namespace polhode
