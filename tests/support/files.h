#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace polhode::test {

/// All of a file.
inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace polhode::test
