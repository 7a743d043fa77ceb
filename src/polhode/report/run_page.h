#pragma once

#include "polhode/io/result.h"
#include "polhode/report/page.h"
#include "polhode/simulation/certificate.h"
#include "polhode/simulation/one_body.h"

namespace polhode::report {

/// What the page of a run is made of, besides its log.
struct RunStory {
  const io::ResultHead* head;
  const simulation::OneBodyPlan* plan;
  const simulation::Outcome* outcome;
  const simulation::Certificate* certificate;
  std::string sequence;                                       ///< Euler angles to draw, "3-2-1"; "" for none
  std::vector<std::pair<std::string, std::string>> events{};  ///< name, and "28 times, every 2.155 s"
  /// Names and values for the summary, after those that every run has.
  std::vector<std::pair<std::string, std::string>> more{};
};

/// The plots of a run, from one pass over the log; memory does not grow with the rows.
struct RunPlots {
  std::vector<Figure> figures;
  std::vector<Figure> beginning;  ///< the first rows of a run so long that its plots are all ink; else none
};
RunPlots plots_of_run(io::LogReader& log, const RunStory& story);

/// Names of the figures that plots_of_run() makes, known before there is a log: outcome and certificate of the story
/// are not looked at.
std::vector<std::string> plot_names(const RunStory& story);

/// The page where there is no viewer. The same bytes for the same run, however often it was interrupted: nothing
/// depends on the clock.
std::string run_page(const RunStory& story, const RunPlots& plots);

/// The page of the viewer, from one pass over the log: the rows, thinned where they are many.
void write_run_viewer(io::LogReader& log, const RunStory& story, const io::Write& write);

}  // namespace polhode::report
