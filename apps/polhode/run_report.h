#pragma once

#include "polhode/catalog/scenario.h"
#include "polhode/io/output_folder.h"
#include "polhode/report/run_page.h"

namespace polhode::app {

/// The Euler angles that come to mind with a scenario: those of its start, or of its form; "" for none.
std::string angles_to_draw(const catalog::OneBodyScenario& scenario);

/// The one body of a scenario, for pictures.
io::PicturedBody pictured_body(const catalog::OneBodyScenario& scenario);

/// The files that plots of these names become.
std::vector<std::string> svg_files(std::vector<std::string> plots);

/// Writes report.html (with `page`; plots without script where there is no viewer) and each plot as a file (with `svg`)
/// into the folder; says which.
std::vector<std::string> write_run_report(io::OutputFolder& folder, const std::string& log,
                                          const report::RunStory& story, bool page, bool svg);

}  // namespace polhode::app
