#include "polhode/io/row_reader.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace polhode {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
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
    text += static_cast<unsigned char>(*c) < 0x20 || *c == 0x7f ? '?' : *c;
  }
  return text + (end - p > kMost ? "...'" : "'");
}

}  // namespace

RowReader::RowReader(std::string file, std::vector<std::string> columns, Fill fill)
    : file_(std::move(file)), columns_(std::move(columns)), fill_(std::move(fill)), block_(kBlock) {}

bool RowReader::next_line() {
  std::size_t searched = begin_;
  while (true) {
    const char* from = block_.data() + searched;
    const auto* newline = static_cast<const char*>(std::memchr(from, '\n', end_ - searched));
    if (newline != nullptr || (at_end_ && begin_ < end_)) {
      line_begin_ = block_.data() + begin_;
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
    at_end_ = got == 0;
    end_ += got;
  }
}

bool RowReader::is_header(const char* p) const {
  // names start with a letter or a quote; a number that is not finite is a mistake, not a name
  const bool letter = (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z') || *p == '_' || *p == '"';
  if (!letter) { return false; }
  std::string word(p, end_of_field(p, line_end_));
  for (char& c : word) { c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
  return word != "nan" && word != "inf" && word != "infinity";
}

RowReader::Found RowReader::mistake(Problem& problem, const char* at, std::string what, std::string allowed) const {
  problem = {.what = std::move(what),
             .allowed = std::move(allowed),
             .cure = {},
             .where = {file_, line_, static_cast<int>(at - line_begin_) + 1}};
  return Found::mistake;
}

RowReader::Found RowReader::next(std::span<double> row, Problem& problem) {
  const char* p = nullptr;
  do {
    if (!next_line()) { return Found::end; }
    if (line_ == 1 && line_end_ - line_begin_ >= 3 && std::memcmp(line_begin_, "\xEF\xBB\xBF", 3) == 0) {
      line_begin_ += 3;  // byte order mark
    }
    p = skip_blanks(line_begin_, line_end_);
    if (p != line_end_ && *p != '#' && header_allowed_) {
      header_allowed_ = false;
      if (is_header(p)) { p = line_end_; }
    }
  } while (p == line_end_ || *p == '#');

  std::size_t count = 0;
  while (true) {
    const char* field = p;
    const char* field_end = end_of_field(p, line_end_);
    if (field == field_end) { return mistake(problem, field, "an empty field", "a number must stand here"); }
    if (count < row.size()) {
      if (*p == '+' && p + 1 != field_end && p[1] != '-') { ++p; }
      const auto [rest, error] = std::from_chars(p, field_end, row[count]);
      if (error == std::errc::result_out_of_range) {
        return mistake(problem, field, quoted(field, field_end) + " is beyond the range of numbers",
                       "finite and not below 1e-308 in size");
      }
      if (error != std::errc{} || rest != field_end) {
        return mistake(problem, field, quoted(field, field_end) + " is not a number", {});
      }
      if (!std::isfinite(row[count])) {
        return mistake(problem, field, quoted(field, field_end) + " is not finite", "all numbers must be finite");
      }
    }
    ++count;
    p = skip_blanks(field_end, line_end_);
    if (p == line_end_ || *p == '#') { break; }
    char separator = ' ';
    if (*p == ',' || *p == ';') {
      separator = *p;
      p = skip_blanks(p + 1, line_end_);
    }
    if (separator_ == '\0') { separator_ = separator; }
  }
  if (count != row.size()) {
    std::string names;
    for (const std::string& name : columns_) { names += ' ' + name; }
    return mistake(problem, line_begin_, std::to_string(count) + (count == 1 ? " number" : " numbers"),
                   std::to_string(row.size()) + " needed:" + names);
  }
  return Found::row;
}

}  // namespace polhode
