#pragma once

#include "polhode/math/vec3.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace polhode::app {

/// "30, 40, +50" as exactly `count` finite numbers; fails naming `option`.
std::vector<double> parse_list(const char* option, const std::string& text, std::size_t count);
Vec3<double> parse_vector(const char* option, const std::string& text);

/// "1 row", "2 rows"
std::string counted(std::uint64_t number, std::string_view what);

}  // namespace polhode::app
