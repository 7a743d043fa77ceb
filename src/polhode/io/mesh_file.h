#pragma once

#include "polhode/body/surface.h"

#include <string>
#include <string_view>

namespace polhode::io {

/// A surface as a file of triangles has it, in the file's unit of length. Points at the same position are one;
/// triangles with two corners at the same position bound nothing and are left out.
struct MeshFile {
  Surface surface;
  std::vector<int> lines;  ///< of the triangles; in a binary file their number, from 1
  bool binary = false;

  /// "the triangle in line 12", "triangle 7": for messages.
  std::string triangle_name(std::size_t n) const;
};

/// Larger files are refused.
inline constexpr std::size_t kMostMeshBytes = std::size_t{512} << 20U;

/// Reads Wavefront OBJ or STL, text or binary, by the ending of the name. Of OBJ: v and f; faces with more than three
/// corners are cut into triangles from their first corner; all else (normals, textures, groups, lines, curves) is left
/// out. Fails with the location: file, line and column, or the byte.
MeshFile read_mesh(std::string_view bytes, const std::string& file);

}  // namespace polhode::io
