#pragma once

#include "polhode/io/result_log.h"
#include "polhode/run/sweep.h"

namespace polhode::run {

/// The rows of a sweep as they are done, in a log of frames (io/result_log.h): a kill cuts off no more than the row
/// that was being written, and a sweep that goes on takes the others from there. The table is made of rows in the order
/// of the grid, the log holds them in the order in which they came.
class SweepLog {
 public:
  /// `head` must live as long. Nothing is read or written yet.
  SweepLog(std::string path, const SweepHead& head, const io::TableHead& table);

  /// Finds the rows of the sweep that was here before. Fails where it was another one.
  void find_rows();
  /// How many were found.
  std::size_t rows_found() const { return found_; }
  /// Begins the log, or goes on behind the rows that were found.
  void open();
  /// Closes it.
  void close() { writer_.reset(); }

  std::optional<SweepRow> recall(std::size_t point) const;
  /// The row outlasts the program from here on.
  void remember(const SweepRow& row);

 private:
  std::string header() const;

  std::string path_;
  const SweepHead& head_;
  const io::TableHead& table_;
  struct Place {
    std::uint64_t at = 0;
    std::uint64_t size = 0;  ///< 0: not found
  };
  std::vector<Place> places_;  ///< of the contents of frames, by point; empty where nothing was found
  std::size_t found_ = 0;
  std::uint64_t end_ = 0;  ///< of the last whole frame
  std::optional<io::LogWriter> writer_;
};

}  // namespace polhode::run
