#pragma once

#include "polhode/io/output_folder.h"

namespace polhode::run {

/// Fails where a folder holds rows of a run or a sweep that did not come to its end: a command that was not asked to
/// discard them, or to go on with them, calls this before it takes the folder.
void require_nothing_unfinished(const io::OutputFolder& folder, const io::FolderOrigin& origin);

}  // namespace polhode::run
