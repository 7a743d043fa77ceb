#include "polhode/io/row_reader.h"

#include "polhode/io/blanks.h"
#include "polhode/io/file_kind.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace polhode::io {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

bool ends_field(char c) { return is_blank(c) || c == ',' || c == ';' || c == '#'; }

const char* skip_blanks(const char* p, const char* end) {
  while (p != end && is_blank(*p)) { ++p; }
  return p;
}
const char* end_of_field(const char* p, const char* end) {
  while (p != end && !ends_field(*p)) { ++p; }
  return p;
}

/// A field for a message: quoted, and not longer than a line can bear.
std::string quoted(const char* p, const char* end) {
  constexpr std::ptrdiff_t kMost = 40;
  std::string text = "'";
  for (const char* c = p; c != end && c - p < kMost; ++c) {
    text += *c < 0x20 || *c > 0x7e ? '?' : *c;  // nothing that a terminal might obey
  }
  return text + (end - p > kMost ? "...'" : "'");
}

std::string lower(std::string_view text) {
  std::string word(text);
  for (char& c : word) { c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
  return word;
}

/// The fields of a line as names, in small letters and without their quotes: commas or semicolons part them where there
/// are any, blanks otherwise.
std::vector<std::string> names_in(std::string_view line) {
  const char separator = line.find(',') != std::string_view::npos   ? ','
                         : line.find(';') != std::string_view::npos ? ';'
                                                                    : ' ';
  std::vector<std::string> names;
  for (line = trimmed(line); !line.empty();) {
    std::size_t end = separator == ' ' ? line.find_first_of(" \t") : line.find(separator);
    std::string_view name = trimmed(line.substr(0, end));
    if (name.size() > 1 && name.front() == '"' && name.back() == '"') {
      name = trimmed(name.substr(1, name.size() - 2));
    }
    names.push_back(lower(name));
    if (end == std::string_view::npos) { break; }
    line = trimmed(line.substr(end + 1));
  }
  return names;
}

/// Whether someone may have meant a number: it begins like one, or is one of the words for what is not finite.
bool looks_like_a_number(const std::string& name) {
  const std::size_t sign = name.starts_with('+') || name.starts_with('-') ? 1 : 0;
  const std::string_view rest = std::string_view(name).substr(sign);
  return rest.empty() || (rest.front() >= '0' && rest.front() <= '9') || rest.front() == '.' || rest == "nan" ||
         rest.starts_with("nan(") || rest == "inf" || rest == "infty" || rest == "infinity";
}

/// " a b c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) { text += ' ' + name; }
  return text;
}

}  // namespace

RowReader::RowReader(std::string file, std::vector<std::string> columns, Fill fill)
    : file_(std::move(file)),
      columns_(std::move(columns)),
      fill_(std::move(fill)),
      block_(kBlockBytes),
      header_allowed_(!file_.empty()) {}

bool RowReader::next_line() {
  std::size_t searched = begin_;
  while (true) {
    const char* from = block_.data() + searched;
    const auto* newline = static_cast<const char*>(std::memchr(from, '\n', end_ - searched));
    if (newline != nullptr || (at_end_ && begin_ < end_)) {
      line_begin_ = block_.data() + begin_;
      line_complete_ = newline != nullptr;
      line_end_ = newline != nullptr ? newline : block_.data() + end_;
      begin_ = static_cast<std::size_t>(line_end_ - block_.data()) + (newline != nullptr ? 1 : 0);
      ++line_;
      return true;
    }
    if (at_end_) { return false; }
    // keep the piece of a line, fill up behind it
    std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    searched = end_;
    if (end_ == block_.size()) { block_.resize(2 * block_.size()); }
    const std::size_t got = fill_(block_.data() + end_, block_.size() - end_);
    if (line_ == 0 && end_ == 0) { refuse_other_files({block_.data(), got}); }
    at_end_ = got == 0;
    end_ += got;
  }
}

void RowReader::refuse_other_files(std::string_view beginning) const {
  const std::optional<FileKind> kind = file_kind_of(beginning);
  if (file_.empty() || !kind || kind->form == FileKind::Form::rows) { return; }
  fail(Error(wrong_kind(*kind, "text with rows of numbers", file_)));
}

bool RowReader::is_header(const char* p, std::vector<std::string>& names) const {
  std::string_view line(p, static_cast<std::size_t>(line_end_ - p));
  line = line.substr(0, line.find('#'));
  names = names_in(line);
  return std::none_of(names.begin(), names.end(), looks_like_a_number);
}

bool RowReader::fits(const std::vector<std::string>& names, Problem& problem) const {
  if (names.size() != columns_.size()) {
    mistake(problem, line_begin_,
            "a header of " + std::to_string(names.size()) + (names.size() == 1 ? " name" : " names"),
            std::to_string(columns_.size()) + " columns needed:" + listed(columns_));
    return false;
  }
  std::vector<std::string> ours;
  ours.reserve(columns_.size());
  for (const std::string& column : columns_) { ours.push_back(lower(column)); }
  if (names == ours || !std::is_permutation(names.begin(), names.end(), ours.begin())) { return true; }
  mistake(problem, line_begin_, "the header says" + listed(names), "here the columns are" + listed(columns_));
  problem.cure = "choose the representation that has the order of the file, or reorder its columns";
  return false;
}

RowReader::Found RowReader::mistake(Problem& problem, const char* at, std::string what, std::string allowed) const {
  problem = {.what = std::move(what),
             .allowed = std::move(allowed),
             .cure = {},
             .where = {file_, line_, static_cast<int>(at - line_begin_) + 1}};
  return Found::mistake;
}

RowReader::Found RowReader::mixed(Problem& problem, const char* at, char separator, char first) const {
  const auto kind = [](char c) { return c == ',' ? "comma" : c == ';' ? "semicolon" : "blank"; };
  mistake(problem, at, std::string("a ") + kind(separator) + " between numbers, after a " + kind(first),
          "one kind of separator in a row");
  problem.cure = "decimal commas are not read: write points";
  return Found::mistake;
}

const char* RowReader::first_in_line() {
  if (line_ == 1 && line_end_ - line_begin_ >= 3 && std::memcmp(line_begin_, "\xEF\xBB\xBF", 3) == 0) {
    line_begin_ += 3;  // byte order mark
  }
  return skip_blanks(line_begin_, line_end_);
}

bool RowReader::is_nothing_to_read(const char* p) const {
  if (p == line_end_) { return true; }
  if (*p != '#') { return false; }
  if (on_comment) { on_comment({p + 1, static_cast<std::size_t>(line_end_ - p - 1)}); }
  return true;
}

bool RowReader::take_header(std::vector<std::string>& names) {
  while (next_line()) {
    const char* p = first_in_line();
    if (is_nothing_to_read(p)) { continue; }
    header_allowed_ = false;
    if (is_header(p, names)) {
      columns_ = names;
      header_line_.assign(p, line_end_);
      return true;
    }
    // a row of numbers: to be read again
    begin_ = static_cast<std::size_t>(line_begin_ - block_.data());
    --line_;
    break;
  }
  names.clear();
  return false;
}

RowReader::Found RowReader::next(std::span<double> row, Problem& problem) {
  const char* p = nullptr;
  do {
    if (given_up_ || !next_line()) { return Found::end; }
    p = first_in_line();
    if (p != line_end_ && *p != '#' && header_allowed_) {
      header_allowed_ = false;
      if (std::vector<std::string> names; is_header(p, names)) {
        if (!fits(names, problem)) {
          given_up_ = true;  // its rows would all be told to be wrong for the same reason
          return Found::mistake;
        }
        p = line_end_;
      }
    }
  } while (is_nothing_to_read(p));

  std::size_t count = 0;
  char first = '\0';  // separator of this row
  while (true) {
    const char* field = p;
    const char* field_end = end_of_field(p, line_end_);
    if (field == field_end) {
      mistake(problem, field, "an empty field", "a number must stand here");
      if (field == line_end_ && count > 0) { problem.cure = "no separator at the end of a line"; }
      return Found::mistake;
    }
    if (count < row.size()) {
      if (*p == '+' && p + 1 != field_end && p[1] != '-') { ++p; }
      const auto [rest, error] = std::from_chars(p, field_end, row[count]);
      if (error == std::errc::result_out_of_range) {
        return mistake(problem, field, quoted(field, field_end) + " is beyond the range of numbers",
                       "between 4.9e-324 and 1.8e308 in size, or 0");
      }
      if (error != std::errc{} || rest != field_end) {
        mistake(problem, field, quoted(field, field_end) + " is not a number", "a number is written like -1.5e-3");
        const std::string_view rest_of_line(field, static_cast<std::size_t>(line_end_ - field));
        if (*field == '"') { problem.cure = "numbers stand without quotes"; }
        if (const std::size_t at = rest_of_line.find('\r'); at < rest_of_line.size() && at + 1 != rest_of_line.size()) {
          problem.cure = "the lines end with CR alone: save the file with LF or CR LF";
        }
        return Found::mistake;
      }
      if (!std::isfinite(row[count])) {
        return mistake(problem, field, quoted(field, field_end) + " is not finite", "all numbers must be finite");
      }
    }
    ++count;
    p = skip_blanks(field_end, line_end_);
    if (p == line_end_ || *p == '#') { break; }
    char separator = ' ';
    const char* at = p;
    if (*p == ',' || *p == ';') {
      separator = *p;
      p = skip_blanks(p + 1, line_end_);
    }
    if (separator != first) {
      if (first != '\0') { return mixed(problem, separator == ' ' ? field_end : at, separator, first); }
      first = separator;
      if (separator_ == '\0') { separator_ = separator; }
    }
  }
  if (count != row.size()) {
    mistake(problem, line_begin_, std::to_string(count) + (count == 1 ? " number" : " numbers"),
            std::to_string(row.size()) + " needed:" + listed(columns_));
    if (first == ',' && count > row.size() && count <= 2 * row.size()) {
      problem.cure = "decimal commas are not read: write points";
    }
    return Found::mistake;
  }
  return Found::row;
}

}  // namespace polhode::io
