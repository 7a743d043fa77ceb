#pragma once

#include "polhode/io/result.h"

/// Results from one format to another.
namespace polhode::io {

/// What is wanted.
struct ResultConversion {
  std::string input;   ///< a file of any format, told by its content
  std::string format;  ///< of the output
  std::string epoch;   ///< date of t = 0, UTC, for a result that has none
  std::string body;    ///< of a mechanism: this one alone
  /// How a result is opened: by open_result(), or otherwise.
  std::function<std::unique_ptr<ResultReader>(const std::string& path)> open = open_result;
  /// False interrupts.
  std::function<bool()> keep_going{};
  /// Bytes read, of how many.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress{};
};

/// What went through.
struct Converted {
  std::string_view input_format;
  std::string_view output_format;
  std::uint64_t rows = 0;
  std::uint64_t events = 0;
  double first = 0;  ///< s
  double last = 0;
  bool interpolated = false;          ///< the states of events, of another body than the first
  std::vector<std::string> left_out;  ///< columns that the format has no room for
  bool events_left_out = false;
  std::vector<std::string> notes;  ///< what a user should be told
  bool interrupted = false;        ///< what was written is not whole

  /// "csv has no room for ..."; "" where it has.
  std::string lost() const;
};
/// One JSON object.
std::string to_json(const Converted& converted, const std::string& input, const std::string& output);

/// A conversion whose wishes have been checked, before anything is written.
class ResultConverter {
 public:
  explicit ResultConverter(ResultConversion choice);
  Converted write(const ResultOutput& output) const;

 private:
  ResultConversion choice_;
  const ResultWriter* writer_;
  ResultHead head_;  ///< of what is written
};

/// The log in the folder of a run, or the file itself.
std::string result_file_in(const std::string& path);
/// Whether `name` is a format of results.
bool is_result_format(const std::string& name);

}  // namespace polhode::io
