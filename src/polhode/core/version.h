#pragma once

namespace polhode {

/// "0.1.0"
const char* version();

}  // namespace polhode
