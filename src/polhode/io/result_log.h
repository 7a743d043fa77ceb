#pragma once

#include "polhode/simulation/simulation.h"

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// The log of a run: frames that are only ever added, each with a checksum. What a kill cut off is the tail, and a
/// reader stops before it; every other result file is made from the log.
///
///   frame = "PLHD" | kind, 1 byte | length, 8 bytes | content | CRC-32 of kind, length and content, 4 bytes
///
/// Integers and doubles are little endian. The first frame is the header (JSON), then rows, events and checkpoints in
/// the order of the run, and the end (JSON) when there is one. Two runs of the same scenario have the same bytes.
namespace polhode::io {

/// Called with the descriptor of every result, log and mesh that is opened for reading, from any thread; null where
/// it is not needed. For a program that must not write over what it has read; set before the first file is opened.
inline void (*on_opened)(int descriptor) = nullptr;
inline void tell_opened(int descriptor) {
  if (on_opened != nullptr) { on_opened(descriptor); }
}

/// Opens a file for reading; null, with errno, where that fails. It does not wait for a
/// named pipe without a writer: that reads as empty.
std::FILE* open_to_read(const std::string& path);

/// `point`: a row of a sweep (run/sweep_log.h), whose log has no others behind its header.
enum class FrameKind : unsigned char {
  header = 'H',
  rows = 'R',
  event = 'E',
  checkpoint = 'C',
  point = 'P',
  end = 'Z'
};

/// CRC-32 of IEEE 802.3.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

/// Adds frames to a file, as a sink of a simulation. Fails naming the file and the cause: a full disk leaves every
/// frame before it readable.
class LogWriter final : public simulation::Sink {
 public:
  /// A new log; what was there is lost.
  static LogWriter create(const std::string& path, std::string_view header_json);
  /// Goes on after the first `size` bytes of an old one.
  static LogWriter go_on_at(const std::string& path, std::uint64_t size);
  LogWriter(LogWriter&& other) noexcept;
  LogWriter& operator=(LogWriter&&) = delete;
  ~LogWriter() override;

  /// Asked after every row and step; false stops the run. May be empty.
  std::function<bool()> keep_going;
  /// Told after every row. May be empty.
  std::function<void(std::span<const double>)> on_row;
  std::function<void(const simulation::EventOccurrence&)> on_event;

  bool row(std::span<const double> row) override;
  bool event(const simulation::EventOccurrence& occurrence) override;
  bool go_on() override { return !keep_going || keep_going(); }
  bool checkpoint(const simulation::Snapshot& snapshot) override;
  void end(std::string_view end_json);
  /// Of any kind, behind the rows so far.
  void frame(FrameKind kind, std::string_view content);
  /// Hands everything to the system; an interrupted run calls it before it says how to resume.
  void flush();

 private:
  LogWriter(std::string path, std::FILE* file);
  void flush_rows();
  [[noreturn]] void fail_writing() const;

  std::string path_;
  std::FILE* file_;
  std::string rows_;    ///< of the frame to come
  std::string buffer_;  ///< scratch
  std::size_t row_count_ = 0;
};

/// Reads the frames of a log one after the other.
class LogReader {
 public:
  /// Fails where the file cannot be read or does not begin with a whole header frame.
  explicit LogReader(const std::string& path);
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;
  ~LogReader();

  const std::string& header_json() const { return header_; }

  struct Frame {
    FrameKind kind = FrameKind::end;
    std::string_view content;  ///< valid until the next call
    std::uint64_t end_at = 0;  ///< bytes of the file up to and with this frame
  };
  /// Nothing at the end, be it whole or cut off. Fails where the file cannot be read: what is there then is not known.
  std::optional<Frame> next();
  /// Whether bytes were left over that are no whole frame.
  bool cut_off() const { return cut_off_; }
  /// Bytes of the file up to and with the last whole frame.
  std::uint64_t position() const { return position_; }

 private:
  /// As many bytes as there are, up to `size`.
  std::size_t read(void* to, std::size_t size);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string header_;
  std::string content_;
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> size_;  ///< when it was opened; none for a pipe
  bool cut_off_ = false;
};

/// Rows in the whole frames of a log.
std::uint64_t rows_in_log(const std::string& path, std::size_t columns);

/// Contents of frames.
void each_row(std::string_view content, std::size_t columns, const std::function<void(std::span<const double>)>& use);
simulation::EventOccurrence read_event(std::string_view bytes);
simulation::Snapshot read_checkpoint(std::string_view bytes);

}  // namespace polhode::io
