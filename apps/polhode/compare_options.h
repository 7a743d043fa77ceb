#pragma once

#include <optional>
#include <string>
#include <vector>

namespace polhode::app {

/// What was asked of `polhode compare`.
struct CompareOptions {
  std::string file;
  std::string folder;
  std::vector<std::string> formulations;
  std::vector<std::string> integrators;
  std::optional<std::string> step;
  std::string csv;
  unsigned threads = 0;
  bool overwrite = false;
  bool no_report = false;
  bool no_times = false;

  /// Where table and page go: beside the scenario if nothing else was asked for.
  std::string output_folder() const;
};

}  // namespace polhode::app
