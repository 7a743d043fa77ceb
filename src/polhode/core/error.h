#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace polhode {

/// A location in a user's input: lines and columns count from 1, 0 means unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One thing that is wrong. Only `what` is required; the rest makes the message worth reading.
struct Problem {
  std::string what;     ///< what is wrong, with the value that is: "axes 3-3-1: neighbouring axes must differ"
  std::string allowed;  ///< what would be right: "known sequences: 1-2-1 1-2-3 ..."
  std::string cure;     ///< what to do: "did you mean '3-1-3'?"
  Location where{};
};

/// A caller's mistake. One type for the whole library; carries every problem found in one go, so
/// that a file with five mistakes is mended in one round. `what()` is at most 12 lines long.
class Error : public std::exception {
 public:
  explicit Error(std::string what);
  explicit Error(Problem problem);
  /// All problems of one input together; the list must not be empty.
  explicit Error(std::vector<Problem> problems);

  const char* what() const noexcept override { return message_.c_str(); }
  const std::vector<Problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<Problem> problems_;
  std::string message_;
};

/// One problem as one line: `file:line:col: what; allowed; cure`, the parts that are there.
std::string to_line(const Problem& problem);

/// The way out for every room below io: declared here, defined once above (where it throws `error`;
/// a shell without exceptions may trap instead).
[[noreturn]] void fail(Error error);

/// Collects the problems of one input and fails with all of them at once.
class Problems {
 public:
  void add(Problem problem) { list_.push_back(std::move(problem)); }
  bool empty() const { return list_.empty(); }
  /// Fails with everything collected; returns if there is nothing.
  void fail_if_any() &&;

 private:
  std::vector<Problem> list_;
};

/// The known name nearest to `name` (edit distance at most a third of its length, at least 1), or "".
std::string nearest_name(std::string_view name, const std::vector<std::string_view>& known);

/// "unknown KIND 'NAME'; did you mean 'X'?; known: ...": the message for every name that is not in a list.
Problem unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string_view>& known);

}  // namespace polhode

/// Guards our own reasoning in debug builds; a user's mistake is an Error instead.
#ifdef NDEBUG
#define POLHODE_ASSERT(condition) static_cast<void>(0)
#else
#include <cassert>
#define POLHODE_ASSERT(condition) assert(condition)
#endif
