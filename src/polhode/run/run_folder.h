#pragma once

#include "polhode/run/peaks.h"
#include "polhode/run/run.h"

/// A run into a folder: log, resuming, tables, certificate, report.
namespace polhode::run {

/// What is wanted of a run into a folder.
struct FolderOptions {
  std::string folder;                       ///< "": the scenario's file without its ending, and ".run"
  std::vector<std::string> formats{"csv"};  ///< of tables
  bool report = true;                       ///< report.html
  bool svg = false;                         ///< each plot as a file
  bool certify = false;                     ///< measures the error
  bool resume = false;                      ///< goes on from the last checkpoint of the log that is there
  bool overwrite = false;                   ///< discards what is there
  bool restart = false;                     ///< begins an unfinished run of the same file anew

  /// Asked after every step; false interrupts.
  std::function<bool()> keep_going{};
  /// Rows done, of how many.
  std::function<void(std::uint64_t rows, std::uint64_t total)> on_row{};
  /// A line to the user; `warning`: one that the user should not miss.
  std::function<void(const std::string& line)> say{};
};

/// What a run has left.
struct Record {
  simulation::RunEnd end;
  simulation::Certificate certificate;
  std::vector<std::vector<double>> event_times;  ///< a list for each event of the head
  Peaks peaks;                                   ///< of all columns
  std::string folder;
  std::string log;                 ///< "": no files were written
  std::vector<std::string> files;  ///< besides the log

  bool interrupted() const { return end.ending == simulation::Ending::interrupted; }
  /// It reached its duration, or an event stopped it.
  bool done() const {
    return end.ending == simulation::Ending::done || end.ending == simulation::Ending::stopped_by_event;
  }
};

/// Carries a run out into a folder. An interrupted one leaves a log that can be resumed, and no other file. Where the
/// plan wants no files (OutputPlan::files) there are none.
Record run_into_folder(Run& run, const std::string& scenario_file, const FolderOptions& options);

/// One row after another and the events between them, as a run gave them out.
struct Rows {
  std::vector<double> numbers;  ///< row by row
  struct Event {
    std::size_t rows_before = 0;
    simulation::EventOccurrence occurrence;
  };
  std::vector<Event> events;
  struct Checkpoint {
    std::size_t rows_before = 0;
    std::size_t events_before = 0;
    simulation::Snapshot snapshot;
  };
  std::vector<Checkpoint> checkpoints;
};
/// Writes a run that is in memory into a folder: the same files.
Record save_into_folder(const Run& run, const Rows& rows, const simulation::Certificate& certificate,
                        const FolderOptions& options);

// ---- in words -------------------------------------------------------------------------------------------------------

/// One screen about a run, and one JSON object.
std::string summary_text(const Run& run, const Record& record);
std::string summary_json(const Run& run, const Record& record);

/// The certificate for people, and as JSON.
std::string to_text(const simulation::Certificate& certificate);
std::string to_json(const simulation::Certificate& certificate, int indent = -1);

/// "12 times, every 5.033 s"
std::string how_often(const std::vector<double>& times);

/// What to change in [run] after a run whose error is too large, or that broke down: "step = 0.001", or a tolerance,
/// that is expected to do; "" where nothing finer is left.
std::string finer_run(const simulation::Plan& plan, const simulation::Certificate& certificate);

}  // namespace polhode::run
