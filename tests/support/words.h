#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace polhode::test {

inline bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// With blanks between.
inline std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) { text += (text.empty() ? "" : " ") + word; }
  return text;
}

}  // namespace polhode::test
