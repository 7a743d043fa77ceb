#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace polhode {

/// "1 body", "3 bodies": a number with the word for what it counts; `many` is `one` with an s where it is left out.
inline std::string counted(std::uint64_t n, std::string_view one, std::string_view many = {}) {
  std::string text = std::to_string(n) + ' ';
  if (n == 1) { return text.append(one); }
  return many.empty() ? text.append(one) + 's' : text.append(many);
}

}  // namespace polhode
