#pragma once

#include "polhode/io/output_folder.h"

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

/// Files as commands read and write them: whole or not at all, and never over what was read.
namespace polhode::io {

/// Plain files that must not be written over, by device and number, whatever their names: an OutputFile refuses them. A
/// program that wants this sets `on_opened` to it.
void remember_input(int descriptor);

/// Thrown when the pipe that output goes to is no longer read.
struct ClosedPipe {};

/// Output in pieces that appears whole or not at all: it goes under a temporary name first and takes its own in
/// commit(); without it nothing is left. The temporary name is always PATH and io::kPartEnding: what a kill left of it
/// is written over by the next write to PATH, and a lock keeps two simultaneous writers apart. A link stays a link
/// and a file keeps its permissions. "-" is `standard_output`; this, a pipe or a device is
/// written straight to, and cannot take back what it was given. Fails naming the path and the cause, also where the
/// path leads to a file that was remembered as an input.
class OutputFile {
 public:
  explicit OutputFile(std::string path, std::FILE* standard_output = nullptr);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  void write(std::string_view text);
  /// `when_whole` is told where the bytes are, just before they get their name.
  void commit(const std::function<void(const std::string&)>& when_whole = {});
  /// The file that the bytes go to, for writers that seek in it; "" for "-".
  const std::string& writing_to() const { return temporary_.empty() ? target_ : temporary_; }

 private:
  void open_temporary();
  void abandon();

  [[noreturn]] void fail_writing() const;

  std::string path_;
  std::string target_;     ///< what path_ leads to, links followed
  std::string temporary_;  ///< "" when written straight
  std::FILE* file_ = nullptr;
  std::FILE* standard_output_ = nullptr;  ///< where path_ is "-"
};

/// Writes all of `text` to `path`, whole or not at all.
void write_file(const std::string& path, std::string_view text, std::FILE* standard_output = nullptr);

/// Writes a file of a folder that has one manifest for all.
void write_into(OutputFolder& folder, const std::string& name, const std::function<void(OutputFile&)>& write);
void write_into(OutputFolder& folder, const std::string& name, std::string_view text);

/// A file ("-": stdin) read in pieces; fails naming the path and the cause.
class InputFile {
 public:
  /// `keep_going` is asked before every piece; false ends the reading.
  explicit InputFile(std::string path, std::function<bool()> keep_going = {});
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  /// Up to `size` bytes into `to`; 0 at the end.
  std::size_t read(char* to, std::size_t size);

 private:
  bool goes_on() const { return !keep_going_ || keep_going_(); }

  std::string path_;
  std::function<bool()> keep_going_;
  std::FILE* file_ = nullptr;
};

/// All of a file ("-": stdin), 64 MiB at most; fails naming the path and the cause.
std::string read_file(const std::string& path, std::function<bool()> keep_going = {});

}  // namespace polhode::io
