#include "polhode/io/toml_bytes.h"

#include <fmt/format.h>

namespace polhode::io {
namespace {

constexpr int kDeepestKey = 32;               // a.b.c... in one key
constexpr std::size_t kDeepestBrackets = 64;  // [[[... and {a={a=...
constexpr std::size_t kLargest = 16U << 20U;

/// Length of the well-formed UTF-8 character at bytes[i]: 1 to 4, or 0.
std::size_t utf8_length(std::string_view bytes, std::size_t i) {
  const auto at = [&](std::size_t n) -> unsigned {
    return n < bytes.size() ? static_cast<unsigned char>(bytes[n]) : 0;
  };
  const auto tail = [&](std::size_t n) { return (at(n) & 0xC0U) == 0x80; };
  const unsigned first = at(i);
  const unsigned second = at(i + 1);
  if (first < 0x80) { return 1; }
  if (first >= 0xC2 && first <= 0xDF) { return tail(i + 1) ? 2 : 0; }
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second > 0x9F;
    return tail(i + 1) && tail(i + 2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90;
    const bool too_large = first == 0xF4 && second > 0x8F;
    return tail(i + 1) && tail(i + 2) && tail(i + 3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

enum class State { bare, comment, text, literal, long_text, long_literal };

class TomlScanner {
 public:
  TomlScanner(std::string_view bytes, const std::string& file) : bytes_(bytes), where_{file, 1, 1} {}

  std::optional<Problem> scan() {
    if (bytes_.size() > kLargest) { return problem("the file is larger than 16 MiB", "a scenario is a page or two"); }
    if (bytes_.starts_with("\xEF\xBB\xBF")) { i_ = 3; }
    while (i_ < bytes_.size()) {
      const std::size_t size = utf8_length(bytes_, i_);
      const auto c = static_cast<unsigned char>(bytes_[i_]);
      if (size == 0) { return problem(fmt::format("byte 0x{:02X} is not UTF-8", c), "save the file as UTF-8"); }
      const bool line_end = c == '\n' || (c == '\r' && i_ + 1 < bytes_.size() && bytes_[i_ + 1] == '\n');
      if ((c < 0x20 && c != '\t' && !line_end) || c == 0x7F) {
        return problem(fmt::format("control character 0x{:02X}", c), "allowed: printable text, tabs and line ends");
      }
      std::optional<Problem> found = step(size);
      if (found) { return found; }
    }
    if (state_ != State::bare && state_ != State::comment) { return unclosed(); }
    return {};
  }

 private:
  std::optional<Problem> step(std::size_t size) {
    const char c = bytes_[i_];
    switch (state_) {
      case State::bare:
        return bare(size);
      case State::comment:
        if (c == '\n') {
          state_ = State::bare;
          follow(c);
        }
        break;
      case State::text:
      case State::literal:
        if (c == '\n') { return unclosed(); }
        if (unknown_escape()) { return bad_escape(); }
        if (state_ == State::text && c == '\\' && i_ + 1 < bytes_.size() &&
            (bytes_[i_ + 1] == '"' || bytes_[i_ + 1] == '\\')) {
          advance(1);
        } else if (c == quote_) {
          state_ = State::bare;
        }
        break;
      case State::long_text:
      case State::long_literal:
        if (unknown_escape()) { return bad_escape(); }
        if (state_ == State::long_text && c == '\\' && i_ + 1 < bytes_.size() &&
            (bytes_[i_ + 1] == '"' || bytes_[i_ + 1] == '\\')) {
          advance(1);
        } else if (c == quote_) {
          // three quotes close; one or two more belong to the text
          const std::size_t quotes = run_of(quote_);
          if (quotes > 5) {
            return problem("more than five quotes in a row", "a string of many lines ends with three");
          }
          if (quotes >= 3) { state_ = State::bare; }
          advance(quotes - 1);
        }
        break;
    }
    advance(size);
    return {};
  }

  std::optional<Problem> bare(std::size_t size) {
    const char c = bytes_[i_];
    if (size > 1) {
      return problem(fmt::format("'{}' outside a string", bytes_.substr(i_, size)),
                     "put letters beyond ASCII in quotes");
    }
    if (c == '#') { state_ = State::comment; }
    if (c == '"' || c == '\'') {
      // the library would take the text for more of the number or word
      if (in_value_ && in_word_) {
        return problem("a string that starts in the middle of something else",
                       "a string stands alone; a quote inside one is \\\"");
      }
      in_word_ = true;  // for what follows it without a blank
      quote_ = c;
      opened_ = where_;
      const bool is_long = run_of(c) >= 3;
      state_ = c == '"' ? (is_long ? State::long_text : State::text) : (is_long ? State::long_literal : State::literal);
      advance(is_long ? 3 : 1);
      return {};
    }
    if (c == '.') {
      if (++dots_ >= kDeepestKey) { return problem(fmt::format("a key of more than {} parts", kDeepestKey)); }
    } else if (c == '=' || c == ',' || c == '\n' || c == '[' || c == ']' || c == '{' || c == '}') {
      dots_ = 0;
    }
    follow(c);
    if (brackets_.size() > kDeepestBrackets) {
      return problem(fmt::format("more than {} brackets inside one another", kDeepestBrackets));
    }
    advance(1);
    return {};
  }

  /// Whether a value is read here or a key, and whether something of it stands before the next character.
  void follow(char c) {
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
        in_word_ = false;
        break;
      case '\n':
        in_word_ = false;
        in_value_ = in_value_ && !brackets_.empty();
        break;
      case ',':
        in_word_ = false;
        if (!brackets_.empty()) { in_value_ = brackets_.back() == '['; }
        break;
      case '=':
        in_word_ = in_value_;
        in_value_ = true;
        break;
      case '[':
      case '{':
        brackets_.push_back(c);
        if (c == '{' && !in_word_) { in_value_ = false; }
        break;
      case ']':
      case '}':
        if (!brackets_.empty()) { brackets_.pop_back(); }
        in_word_ = true;
        in_value_ = in_value_ || c == '}';
        break;
      default:
        in_word_ = true;
    }
  }

  /// A backslash before a letter beyond ASCII, in a string with escapes.
  bool unknown_escape() const {
    return (state_ == State::text || state_ == State::long_text) && bytes_[i_] == '\\' && i_ + 1 < bytes_.size() &&
           static_cast<unsigned char>(bytes_[i_ + 1]) >= 0x80;
  }
  Problem bad_escape() const {
    return problem("a backslash before a letter beyond ASCII", "a backslash itself is written \\\\");
  }

  std::size_t run_of(char c) const {
    std::size_t n = 0;
    while (i_ + n < bytes_.size() && bytes_[i_ + n] == c) { ++n; }
    return n;
  }

  /// Past the next `size` bytes: one character, or several of one byte each.
  void advance(std::size_t size) {
    const bool one_character = static_cast<unsigned char>(bytes_[i_]) >= 0x80;
    if (bytes_[i_] == '\n') {
      ++where_.line;
      where_.column = 1;
    } else {
      where_.column += one_character ? 1 : static_cast<int>(size);
    }
    i_ += size;
  }

  Problem problem(std::string what, std::string allowed = {}) const {
    return {.what = std::move(what), .allowed = std::move(allowed), .cure = {}, .where = where_};
  }
  Problem unclosed() const {
    return {.what = "a string that starts here has no end",
            .allowed = "close it with the same quotes",
            .cure = {},
            .where = opened_};
  }

  std::string_view bytes_;
  std::size_t i_ = 0;
  State state_ = State::bare;
  char quote_ = '"';
  Location where_;
  Location opened_{};
  int dots_ = 0;
  std::string brackets_;  ///< that are open
  bool in_value_ = false;
  bool in_word_ = false;
};

}  // namespace

std::optional<Problem> find_bad_bytes(std::string_view bytes, const std::string& file) {
  return TomlScanner(bytes, file).scan();
}

}  // namespace polhode::io
