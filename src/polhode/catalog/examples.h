#pragma once

#include <string_view>
#include <vector>

namespace polhode::catalog {

/// A scenario of the folder examples/, as it was when the library was built.
struct Example {
  std::string_view name;   ///< "t-handle"
  std::string_view title;  ///< as it says itself
  std::string_view text;
};

const std::vector<Example>& examples();

}  // namespace polhode::catalog
