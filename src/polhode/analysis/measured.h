#pragma once

#include "polhode/io/result.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// Logs of measured numbers, whose columns are named as those of results.
namespace polhode {

/// One run of an experiment.
struct Recording {
  std::string name;             ///< "tosses.csv 3"
  std::vector<double> t;        ///< s, rising
  std::vector<double> numbers;  ///< row by row, as MeasuredLog::columns has them
};

struct MeasuredLog {
  std::vector<std::string> columns;  ///< without time
  std::vector<Recording> recordings;

  std::size_t samples() const;
  /// Row i of a recording.
  std::span<const double> row(const Recording& recording, std::size_t i) const {
    return std::span(recording.numbers).subspan(i * columns.size(), columns.size());
  }
};

/// Opens a result file that is no CSV.
using OpenResultFile = std::function<std::unique_ptr<io::ResultReader>(const std::string& path)>;

/// CSV files with a header, or result files of any format; all with the same columns. Time is t_s, t_ms, t_us or t_ns;
/// columns that end with _deg or _deg_s become _rad and _rad_s. A column `recording` numbers the recordings of a file;
/// without it a file is one. Fails with what is wrong, and where.
MeasuredLog read_measured(const std::vector<std::string>& files, const OpenResultFile& open = io::open_result);

}  // namespace polhode
