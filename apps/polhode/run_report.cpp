#include "run_report.h"

#include "command.h"
#include "polhode/rotation/euler_sequence.h"

#include <filesystem>

namespace polhode::app {

std::string angles_to_draw(const catalog::Scenario& scenario) {
  if (!scenario.sequence.empty()) { return scenario.sequence; }
  for (const EulerSequence& sequence : all_sequences()) {
    if (scenario.plan.formulation.find(":" + sequence.name()) != std::string::npos) { return sequence.name(); }
  }
  return {};
}

std::vector<std::string> write_run_report(const std::string& folder, const std::string& log,
                                          const report::RunStory& story, bool page, bool svg) {
  std::vector<std::string> files;
  const auto write = [&](const std::string& name, std::string_view text) {
    files.push_back((std::filesystem::path(folder) / name).string());
    write_file(files.back(), text);
  };
  io::LogReader reader(log);
  const report::RunPlots plots = report::plots_of_run(reader, story);
  if (page) { write("report.html", report::run_page(story, plots)); }
  if (svg) {
    for (const report::Figure& figure : plots.figures) { write(figure.name + ".svg", drawing::draw(figure.chart)); }
  }
  return files;
}

}  // namespace polhode::app
