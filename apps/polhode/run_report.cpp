#include "run_report.h"

#include "command.h"
#include "polhode/rotation/euler_sequence.h"

namespace polhode::app {

std::string angles_to_draw(const catalog::OneBodyScenario& scenario) {
  if (!scenario.sequence.empty()) { return scenario.sequence; }
  for (const EulerSequence& sequence : all_sequences()) {
    if (scenario.plan.formulation.find(":" + sequence.name()) != std::string::npos) { return sequence.name(); }
  }
  return {};
}

io::PicturedBody pictured_body(const catalog::OneBodyScenario& scenario) {
  return {.name = "body",
          .mass = scenario.mass_properties.mass,
          .reference_B = scenario.reference_B,
          .held = scenario.held,
          .J_B = scenario.plan.body.J_B,
          .outlines = scenario.outlines};
}

std::vector<std::string> svg_files(std::vector<std::string> plots) {
  for (std::string& name : plots) { name += ".svg"; }
  return plots;
}

std::vector<std::string> write_run_report(io::OutputFolder& folder, const std::string& log,
                                          const report::RunStory& story, bool page, bool svg) {
  std::vector<std::string> files;
  const auto named = [&](const std::string& name) {
    files.push_back(folder.path_of(name));
    return name;
  };
  if (page && io::has_viewer()) {
    write_into(folder, named("report.html"), [&](OutputFile& file) {
      io::LogReader reader(log);
      report::write_run_viewer(reader, story, [&](std::string_view text) { file.write(text); });
    });
    page = false;
  }
  if (!page && !svg) { return files; }
  io::LogReader reader(log);
  const report::RunPlots plots = report::plots_of_run(reader, story);
  if (page) { write_into(folder, named("report.html"), report::run_page(story, plots)); }
  if (svg) {
    for (const report::Figure& figure : plots.figures) {
      write_into(folder, named(figure.name + ".svg"), drawing::draw(figure.chart));
    }
  }
  return files;
}

}  // namespace polhode::app
