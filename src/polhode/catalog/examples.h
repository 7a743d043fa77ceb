#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace polhode::catalog {

/// A scenario of the folder examples/, as it was when the library was built.
struct Example {
  std::string_view name;   ///< "t-handle"
  std::string_view title;  ///< as it says itself
  std::string_view text;
  std::vector<std::pair<std::string_view, std::string_view>> files;  ///< that it reads, by name: a mesh
};

const std::vector<Example>& examples();

}  // namespace polhode::catalog
