#pragma once

#include "command.h"

#include <chrono>
#include <cstdint>

namespace polhode::app {

/// How far a long job is, on stderr: a bar that is drawn over itself on a terminal, else a line now and then. Says
/// nothing when quiet, and nothing for jobs that take less than half a second.
class Progress {
 public:
  /// `unit` is what is counted: "rows".
  Progress(const Session& session, std::string what, std::string unit, std::uint64_t total);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void set(std::uint64_t done);
  /// For a total that is known only now.
  void set(std::uint64_t done, std::uint64_t total) {
    total_ = total;
    set(done);
  }
  /// Takes the bar away, so that other text can follow.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(std::uint64_t done, double seconds);

  const Session* session_;
  std::string what_;
  std::string unit_;
  std::uint64_t total_;
  std::uint64_t first_ = 0;
  bool started_ = false;
  bool terminal_;
  bool shown_ = false;
  unsigned calls_ = 0;
  Clock::time_point begin_;
  Clock::time_point last_;
};

}  // namespace polhode::app
