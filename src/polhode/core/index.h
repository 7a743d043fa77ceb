#pragma once

#include <cstddef>

namespace polhode {

/// A non-negative index in the type by which the standard library counts.
constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

}  // namespace polhode
