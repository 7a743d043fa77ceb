#pragma once

#include "polhode/core/error.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polhode::io {

/// Rows of numbers out of text, as fast as the numbers can be read: blocks come from `fill`, memory does not grow with
/// the number of rows.
///
/// Numbers stand between blanks (tabs among them), commas or semicolons, one kind in a row, blanks around the others
/// aside: so 0,1;0,2 with decimal commas is a mistake and not four numbers. Empty lines and what follows '#' are left
/// out; the first line may be a header: as many names as columns, not our own names in another order, and nothing that
/// looks like a number. Signs and exponents as usual; nan and inf are refused.
class RowReader {
 public:
  /// Puts up to `size` bytes at `to` and says how many; 0 at the end.
  using Fill = std::function<std::size_t(char* to, std::size_t size)>;

  /// `file` stands in messages, "" for numbers that come from no file and have no header; `columns` names what a row
  /// must hold.
  RowReader(std::string file, std::vector<std::string> columns, Fill fill);

  /// For files that say themselves what their columns are: the names of the header, in small letters, become the
  /// columns. Before the first next(). Without a header, false, and the columns stay as they are.
  bool take_header(std::vector<std::string>& names);
  /// The line that take_header found, as it stands in the file.
  const std::string& header_line() const { return header_line_; }

  /// Told what follows the '#' of every line that holds nothing else. May be empty.
  std::function<void(std::string_view)> on_comment;

  enum class Found { row, mistake, end };
  /// The next row into `row` (one number a column), or what is wrong with it into `problem`, location included.
  Found next(std::span<double> row, Problem& problem);

  /// Whether the line of the row found last came to its end: the last of a text may not, and after an interruption its
  /// last number may be cut.
  bool line_complete() const { return line_complete_; }
  /// Where that row starts.
  Location location() const { return {file_, line_, 1}; }
  /// Between the numbers of the first row: ',' ';' or ' '.
  char separator() const { return separator_; }

 private:
  bool next_line();
  void refuse_other_files(std::string_view beginning) const;
  const char* first_in_line();
  bool is_nothing_to_read(const char* p) const;
  bool is_header(const char* p, std::vector<std::string>& names) const;
  bool fits(const std::vector<std::string>& names, Problem& problem) const;
  Found mistake(Problem& problem, const char* at, std::string what, std::string allowed) const;
  Found mixed(Problem& problem, const char* at, char separator, char first) const;

  std::string file_;
  std::vector<std::string> columns_;
  Fill fill_;
  std::vector<char> block_;
  std::size_t begin_ = 0;  ///< of what is not yet read, in block_
  std::size_t end_ = 0;
  bool at_end_ = false;
  const char* line_begin_ = nullptr;
  const char* line_end_ = nullptr;
  int line_ = 0;
  bool line_complete_ = false;
  bool header_allowed_;
  bool given_up_ = false;  ///< after a header that does not fit
  std::string header_line_;
  char separator_ = '\0';
};

}  // namespace polhode::io
