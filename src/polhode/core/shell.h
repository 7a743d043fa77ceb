#pragma once

#include <string>

namespace polhode {

/// A name as a shell takes it: in quotes where it needs them.
std::string in_shell(const std::string& name);

}  // namespace polhode
