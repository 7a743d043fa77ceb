#include "polhode/core/shell.h"

#include <string_view>

namespace polhode {

std::string in_shell(const std::string& name) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+,:=@%";
  if (!name.empty() && name.find_first_not_of(kPlain) == std::string::npos) { return name; }
  std::string quoted = "'";
  for (const char c : name) { quoted += c == '\'' ? std::string("'\\''") : std::string(1, c); }
  return quoted + "'";
}

}  // namespace polhode
