#pragma once

// Planted: std::string without <string>; must not compile on its own.
inline std::string planted() { return "leans on its neighbours"; }
