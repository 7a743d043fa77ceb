#pragma once

#include <array>
#include <cstddef>
#include <string>

/// Okabe and Ito's colours, which people with every kind of colour vision tell apart.
namespace polhode::drawing {

/// For the axes x, y, z ...
inline constexpr std::array<const char*, 3> kAxisColours{"#D55E00", "#009E73", "#0072B2"};
/// ... and, softened, for the links; link 0, space, is grey.
inline constexpr std::array<const char*, 7> kLinkColours{"#B4B9C0", "#8CCBF0", "#F2BE55", "#DFA6C5",
                                                         "#7CCBB4", "#EFE68A", "#9DB8E0"};
inline constexpr const char* kInk = "#222222";
inline constexpr const char* kFaint = "#5A5F66";

inline std::string colour_of(std::size_t link) {
  return link == 0 ? kLinkColours[0] : kLinkColours[1 + (link - 1) % (kLinkColours.size() - 1)];
}

}  // namespace polhode::drawing
