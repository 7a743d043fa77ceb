#pragma once

#include "command.h"

#include <string>
#include <vector>

namespace polhode::app {

/// What `polhode run FILE -o FOLDER --format FORMATS` does, without its summary. Returns its exit code.
int run_scenario(const Session& session, const std::string& file, const std::string& folder,
                 const std::vector<std::string>& formats, bool certify);

}  // namespace polhode::app
