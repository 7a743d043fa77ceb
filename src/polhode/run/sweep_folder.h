#pragma once

#include "polhode/run/run.h"
#include "polhode/run/sweep.h"

#include <algorithm>
#include <cstdio>

/// A sweep of a scenario file into a folder: tables and a page.
namespace polhode::run {

/// What is wanted of a sweep.
struct SweepFolderOptions {
  std::vector<std::string> over;  ///< "NAME=FROM:TO:COUNT", see SweepAxis::read
  std::vector<std::string> columns{};
  std::vector<std::string> formats{"csv"};  ///< of the table in the folder: csv, hdf5
  std::string folder{};                     ///< "": FILE without its ending, and ".sweep"
  std::string csv{};                        ///< the table to this file instead
  std::FILE* standard_output = nullptr;     ///< where `csv` is "-"
  unsigned threads = 0;                     ///< 0: as many as the machine has; the numbers do not depend on it
  bool certify = false;
  bool resume = false;  ///< goes on with the rows that an interrupted sweep left in the folder
  bool overwrite = false;
  bool report = true;  ///< false: no page, and no folder
  bool json = false;   ///< keeps rows for the JSON object

  std::function<bool()> keep_going{};
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress{};
  std::function<void(const std::string& line)> say{};

  bool has_format(std::string_view name) const {
    return std::find(formats.begin(), formats.end(), name) != formats.end();
  }
};

/// What a sweep has left.
struct Swept {
  std::string text;                ///< for people
  std::string json;                ///< one object, where it was wanted
  std::vector<std::string> files;  ///< written
  std::size_t points = 0;
  std::size_t rows = 0;
  bool interrupted = false;
  bool good = true;  ///< every run reached its end, and no certificate says no
};

Swept sweep_into_folder(const std::string& text, const std::string& file, const Source& source,
                        const SweepFolderOptions& options);

}  // namespace polhode::run
