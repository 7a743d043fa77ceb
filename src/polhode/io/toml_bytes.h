#pragma once

#include "polhode/core/error.h"

#include <optional>
#include <string>
#include <string_view>

namespace polhode::io {

/// The first thing in `bytes` that cannot be TOML whatever it means: control characters, broken UTF-8, letters beyond
/// ASCII outside strings and comments or after a backslash, strings without an end or in the middle of a number or
/// word, keys of absurd depth. What passes is fit for the TOML library, which trusts such input too far.
std::optional<Problem> find_bad_bytes(std::string_view bytes, const std::string& file);

}  // namespace polhode::io
