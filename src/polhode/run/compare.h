#pragma once

#include "polhode/run/run.h"

#include <optional>

/// A scenario under every form of the equations of motion, into a folder: table and page.
namespace polhode::run {

/// What is wanted of a comparison.
struct CompareOptions {
  std::vector<std::string> formulations{};  ///< by name or family; none: all
  std::vector<std::string> integrators{};   ///< of one body; none: that of the scenario
  std::optional<double> step{};             ///< of one body, s: for methods that need one where the scenario has none
  unsigned threads = 0;                     ///< 0: as many as the machine has; the numbers do not depend on it
  bool times = true;                        ///< measures what a step takes, by the clock
  std::string folder{};                     ///< for table and page; "": FILE without its ending, and ".compare"
  std::string csv{};                        ///< the table to this file instead; "-": nowhere, it is returned
  bool report = true;                       ///< false: no page, and no folder
  bool overwrite = false;                   ///< also over files there that are not of a comparison

  std::function<bool()> keep_going{};
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress{};
  /// A line that the user should not miss.
  std::function<void(const std::string& line)> warn{};
};

/// What a comparison has found.
struct Compared {
  std::string text;  ///< for people
  std::string json;  ///< one object
  std::string csv;
  std::vector<std::string> files;  ///< written
  bool mechanism = false;
  bool interrupted = false;
  bool off = false;  ///< some row is off
};

/// The forms of one body each on a run of its own; those of a mechanism at the states of one run.
Compared compare(const std::string& text, const std::string& file, const Source& source, const CompareOptions& options);

}  // namespace polhode::run
