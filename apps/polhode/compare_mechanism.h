#pragma once

#include "command.h"
#include "compare_options.h"

namespace polhode::app {

/// `polhode compare` for a mechanism: forms with Euler parameters against Newton-Euler velocities. Returns the exit
/// code.
int compare_mechanism(const Session& session, const std::string& text, const CompareOptions& options);

}  // namespace polhode::app
