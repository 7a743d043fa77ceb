#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

namespace polhode::app {

Progress::Progress(const Session& session, std::string what, std::string unit, std::uint64_t total)
    : session_(&session),
      what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) != 0),
      begin_(Clock::now()),
      last_(begin_) {}

void Progress::set(std::uint64_t done) {
  if (session_->quiet) { return; }
  if (!started_) {
    first_ = done;  // a resumed job starts here
    started_ = true;
  }
  // looking at the clock for every row would cost more than the row
  constexpr unsigned kLookEvery = 16;
  if (++calls_ % kLookEvery != 0) { return; }
  const Clock::time_point now = Clock::now();
  const double since_last = std::chrono::duration<double>(now - last_).count();
  if (since_last < (terminal_ ? 0.1 : 5.0) && (shown_ || !terminal_)) { return; }
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  if (seconds < 0.4) { return; }
  last_ = now;
  draw(done, seconds);
}

void Progress::draw(std::uint64_t done, double seconds) {
  const double part = total_ > 0 ? static_cast<double>(done) / static_cast<double>(total_) : 1;
  const double rate = static_cast<double>(done - first_) / seconds;
  const double left = rate > 0 ? static_cast<double>(total_ - done) / rate : 0;
  const std::string numbers = fmt::format("{:3.0f} %  {:.3g} {}/s  {:.0f} s left", 100 * part, rate, unit_, left);
  if (!terminal_) {
    session_->say(what_ + ": " + numbers);
    return;
  }
  constexpr int kWidth = 30;
  const int full = static_cast<int>(part * kWidth);
  talk(fmt::format("\r{} [{}{}] {}\x1b[K", what_, std::string(static_cast<std::size_t>(full), '='),
                   std::string(static_cast<std::size_t>(kWidth - full), ' '), numbers));
  shown_ = true;
}

void Progress::clear() {
  if (!shown_ || !terminal_) { return; }
  talk("\r\x1b[K");
  shown_ = false;
}

}  // namespace polhode::app
