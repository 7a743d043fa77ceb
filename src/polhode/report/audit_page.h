#pragma once

#include "polhode/audit/audit.h"
#include "polhode/report/page.h"

namespace polhode::report {

/// The page of the viewer on which a log and the exact motion of its body lie over each other, with their difference
/// and the verdicts. `file` is the name of the log, `version` that of the program.
void write_audit_viewer(const audit::Report& report, const std::string& file, const std::string& version,
                        const io::Write& write);

}  // namespace polhode::report
