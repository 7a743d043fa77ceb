#pragma once

#include <cstddef>

namespace polhode {

/// A number that is never negative, as the standard library counts places.
constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

}  // namespace polhode
