#pragma once

#include "command.h"

namespace polhode::app {

/// `polhode compare` for a mechanism: forms with Euler parameters against Newton-Euler velocities. Returns the exit
/// code.
int compare_mechanism(const Session& session, const std::string& text, const std::string& file);

}  // namespace polhode::app
