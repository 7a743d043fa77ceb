#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/io/result.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>

namespace polhode::io {
namespace {

using Json = nlohmann::ordered_json;

// ---- writing --------------------------------------------------------------------------------------------------------

void append_list(std::string& to, std::span<const double> numbers) {
  to += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) { to += ','; }
    append_number(to, numbers[i]);
  }
  to += ']';
}

/// "row": how many rows stand before the event.
void append_event(std::string& to, const ResultEvent& event, std::uint64_t row) {
  to += to.empty() ? "\n" : ",\n";
  to += "{\"name\":" + Json(event.name).dump(-1, ' ', false, Json::error_handler_t::replace) +
        ",\"row\":" + std::to_string(row) + ",\"t_s\":";
  append_number(to, event.t);
  to += ",\"e\":";
  append_list(to, std::array{event.e_NB.e0, event.e_NB.ev.x, event.e_NB.ev.y, event.e_NB.ev.z});
  to += ",\"w_body_rad_s\":";
  append_list(to, std::array{event.w_B.x, event.w_B.y, event.w_B.z});
  to += '}';
}

/// {"head": {...}, "rows": [[...], ...], "events": [...]}, a row a line.
std::uint64_t write_json(const OpenResult& open, const ResultOutput& output) {
  constexpr std::size_t kPiece = 1 << 18;
  const std::unique_ptr<ResultReader> result = open();
  std::string text = "{\"head\": " + to_json(result->head()) + ",\n\"rows\": [\n";
  std::string events;
  while (true) {
    const ResultReader::Item item = result->next();
    if (item == ResultReader::Item::end) { break; }
    if (item == ResultReader::Item::event) {
      append_event(events, result->event(), result->rows());
      continue;
    }
    if (result->rows() > 1) { text += ",\n"; }
    append_list(text, result->row());
    if (text.size() >= kPiece) {
      output.write(text);
      text.clear();
    }
  }
  text += "\n],\n\"events\": [" + events + "]}\n";
  output.write(text);
  return result->rows();
}

// ---- reading --------------------------------------------------------------------------------------------------------

/// Goes through JSON byte by byte, in blocks: rows may be more than memory holds.
class JsonScanner {
 public:
  explicit JsonScanner(const std::string& path) : source_(path), location_{path, 1, 1}, block_(1 << 18) {}

  /// '\0' at the end.
  char peek() {
    if (at_ == end_) {
      end_ = source_.read(block_.data(), block_.size());
      at_ = 0;
      if (end_ == 0) { return '\0'; }
    }
    return block_[at_];
  }
  char get() {
    const char c = peek();
    if (at_ == end_) { return c; }
    ++at_;
    if (c == '\n') {
      ++location_.line;
      location_.column = 1;
    } else {
      ++location_.column;
    }
    return c;
  }
  char skip_blanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') { get(); }
    return peek();
  }
  void expect(char c, std::string_view where) {
    if (skip_blanks() != c) { wrong(fmt::format("'{}' {}", c, where)); }
    get();
  }
  /// "," and goes on, or `close` and ends.
  bool goes_on(char close, std::string_view where) {
    const char c = skip_blanks();
    if (c != ',' && c != close) { wrong(fmt::format("',' or '{}' {}", close, where)); }
    get();
    return c == ',';
  }
  [[noreturn]] void wrong(const std::string& wanted) {
    const char c = peek();
    const bool ends = at_ == end_;
    const bool shown = c > ' ' && c < '\x7f';
    fail(Error(Problem{.what = ends    ? "the file ends here"
                               : shown ? fmt::format("'{}' stands here", c)
                                       : std::string("something else stands here"),
                       .allowed = "wanted: " + wanted,
                       .cure = {},
                       .where = location_}));
  }

  /// The text of any value, into `to` unless that is null; brackets and quotes must match, the rest is left to the
  /// caller.
  void value(std::string* to, std::string_view what) {
    int depth = 0;
    skip_blanks();
    while (true) {
      const char c = peek();
      if (at_ == end_) { wrong(std::string(what)); }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) { return; }
      keep(to);
      if (c == '"') {
        while (peek() != '"') {
          if (at_ == end_) { wrong("the end of a text"); }
          if (peek() == '\\') { keep(to); }
          keep(to);
        }
        keep(to);
      }
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }
  }
  double number(std::string_view what) {
    char text[64];
    std::size_t size = 0;
    skip_blanks();
    const Location start = location_;
    while (size < sizeof text && is_of_number(peek())) { text[size++] = get(); }
    double x = 0;
    const auto [rest, error] = std::from_chars(text, text + size, x);
    if (size == 0) { wrong(std::string(what)); }
    if (error != std::errc{} || rest != text + size) {
      fail(Error(Problem{.what = fmt::format("'{}' is not a number", std::string_view(text, size)),
                         .allowed = "a number is written like -1.5e-3",
                         .cure = {},
                         .where = start}));
    }
    return x;
  }

  struct Mark {
    std::uint64_t position;
    Location location;
  };
  Mark mark() const { return {source_.position() - (end_ - at_), location_}; }
  void go_to(const Mark& mark) {
    source_.go_to(mark.position);
    location_ = mark.location;
    at_ = end_ = 0;
  }
  const Location& location() const { return location_; }
  const SourceFile& source() const { return source_; }

 private:
  static bool is_of_number(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
           c == '.';
  }
  void keep(std::string* to) {
    const char c = get();
    if (to != nullptr) { *to += c; }
  }

  SourceFile source_;
  Location location_;
  std::vector<char> block_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

class JsonReader final : public ResultReader {
 public:
  explicit JsonReader(const std::string& path) : ResultReader(path), scanner_(path) {
    std::optional<JsonScanner::Mark> rows;
    bool has_head = false;
    scanner_.expect('{', "at the start of a result");
    if (scanner_.skip_blanks() == '}') { lacks("head"); }
    do {
      std::string key;
      if (scanner_.skip_blanks() != '"') { scanner_.wrong("the name of a part, such as \"rows\""); }
      scanner_.get();
      while (scanner_.peek() != '"' && scanner_.peek() != '\0') { key += scanner_.get(); }
      scanner_.expect('"', "after the name of a part");
      scanner_.expect(':', "after the name of a part");
      std::string text;
      if (key == "rows") {
        scanner_.skip_blanks();
        rows = scanner_.mark();
        scanner_.value(nullptr, "the end of the rows");
      } else {
        scanner_.value(&text, "the end of \"" + key + "\"");
      }
      if (key == "head") {
        head_ = head_from_json(text, path);
        has_head = true;
      }
      if (key == "events") { take_events(text); }
    } while (scanner_.goes_on('}', "after a part"));
    if (scanner_.skip_blanks() != '\0') { scanner_.wrong("the end of the file"); }
    if (!has_head) { lacks("head"); }
    if (!rows) { lacks("rows"); }
    scanner_.go_to(*rows);
    row_.resize(head_.columns.size());
    scanner_.expect('[', "before the rows");
  }
  std::uint64_t done() const override { return scanner_.mark().position; }
  std::uint64_t total() const override { return scanner_.source().size(); }

 private:
  Item take() override {
    if (next_event_ < events_.size() && events_[next_event_].row <= rows_read_) {
      event_ = events_[next_event_++].event;
      return Item::event;
    }
    if (at_end_ || (rows_read_ > 0 && !scanner_.goes_on(']', "after a row")) ||
        (rows_read_ == 0 && scanner_.skip_blanks() == ']')) {
      at_end_ = true;
      if (next_event_ == events_.size()) { return Item::end; }
      event_ = events_[next_event_++].event;
      return Item::event;
    }
    ++rows_read_;
    scanner_.expect('[', "before a row");
    row_location_ = scanner_.location();
    for (std::size_t i = 0; i < row_.size(); ++i) {
      row_[i] = scanner_.number(head_.columns[i].name);
      if (scanner_.goes_on(']', "in a row") != (i + 1 < row_.size())) {
        fail(Error(Problem{
            .what = fmt::format("row {}: {} numbers than columns", rows_read_, i + 1 < row_.size() ? "fewer" : "more"),
            .allowed = counted(row_.size(), "column"),
            .cure = {},
            .where = row_location_}));
      }
    }
    return Item::row;
  }
  Location location() const override { return row_location_; }

  struct EventBeforeRow {
    std::uint64_t row;
    ResultEvent event;
  };
  void take_events(const std::string& text) {
    try {
      for (const Json& json : Json::parse(text)) {
        const auto e = json.at("e").get<std::array<double, 4>>();
        const auto w = json.at("w_body_rad_s").get<std::array<double, 3>>();
        events_.push_back({json.at("row").get<std::uint64_t>(),
                           {json.at("name").get<std::string>(),
                            json.at("t_s").get<double>(),
                            {e[0], {e[1], e[2], e[3]}},
                            {w[0], w[1], w[2]}}});
      }
    } catch (const std::exception&) {
      fail(Error(Problem{.what = file_ + ": the events are not what this version wrote",
                         .allowed = "each has name, row, t_s, e and w_body_rad_s",
                         .cure = {}}));
    }
  }
  [[noreturn]] void lacks(std::string_view part) const {
    fail(Error(Problem{.what = fmt::format("{}: a JSON object without \"{}\"", file_, part),
                       .allowed = "a result has \"head\", \"rows\" and \"events\"",
                       .cure = {}}));
  }

  JsonScanner scanner_;
  std::vector<EventBeforeRow> events_;
  std::size_t next_event_ = 0;
  std::uint64_t rows_read_ = 0;
  bool at_end_ = false;
  Location row_location_;
};

bool begins_json(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{';
}

}  // namespace

extern const ResultWriter kWriter_json{
    "json", "results.json", "head, rows and events as one JSON object, for the viewer", write_json, nullptr, nullptr};
extern const ResultFormat kReader_json{
    "json", begins_json,
    [](const std::string& path) -> std::unique_ptr<ResultReader> { return std::make_unique<JsonReader>(path); }};

}  // namespace polhode::io
