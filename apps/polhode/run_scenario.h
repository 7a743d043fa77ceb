#pragma once

#include "command.h"

#include <string>

namespace polhode::app {

/// What `polhode run FILE -o FOLDER --certify` does, without tables and summary; a run of the same file that did not
/// come to its end is begun anew. Returns its exit code.
int run_scenario(const Session& session, const std::string& file, const std::string& folder, bool overwrite);

}  // namespace polhode::app
