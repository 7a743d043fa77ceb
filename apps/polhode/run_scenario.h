#pragma once

#include "command.h"

#include <string>

namespace polhode::app {

/// What `polhode run FILE -o FOLDER --certify` does, without tables and summary. Returns its exit code.
int run_scenario(const Session& session, const std::string& file, const std::string& folder);

}  // namespace polhode::app
