#include "polhode/core/error.h"
#include "polhode/io/result.h"
#include "polhode/io/row_reader.h"

#include <charconv>
#include <deque>
#include <optional>

namespace polhode::io {
namespace {

/// Handed on in pieces of this size.
constexpr std::size_t kCsvPiece = 1 << 18;
/// "-1.7976931348623157e+308" and a comma
constexpr std::size_t kLongestNumber = 25;
constexpr std::string_view kNotPortable = " (not portable: last bits may differ elsewhere)";
constexpr std::string_view kCsvHash = ", SHA-256 ";
constexpr std::string_view kCsvAtZero = " at t = 0";
constexpr std::string_view kScenario = "text of the scenario";
constexpr std::string_view kMore = "   ";  // the line goes on with what came before

// ---- writing --------------------------------------------------------------------------------------------------------

/// Comment lines begin with '#'; no line break gets out of one.
std::string comment(std::string_view name, std::string_view text) {
  std::string lines = "# " + std::string(name) + ": ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) { continue; }
    lines += text[i];
    if (text[i] == '\n') { lines += '#' + std::string(kMore); }
  }
  return lines + '\n';
}

void append_list(std::string& to, std::initializer_list<double> numbers) {
  for (const double x : numbers) {
    to += ' ';
    append_number(to, x);
  }
}

std::string event_text(const ResultEvent& event) {
  std::string text = event.name + " at t_s =";
  append_list(text, {event.t});
  text += "; e =";
  append_list(text, {event.e_NB.e0, event.e_NB.ev.x, event.e_NB.ev.y, event.e_NB.ev.z});
  text += "; w_body_rad_s =";
  append_list(text, {event.w_B.x, event.w_B.y, event.w_B.z});
  return text;
}

std::string head_text(const ResultHead& head) {
  std::string text = comment("polhode " + head.version, head.title);
  text += comment("convention", kConvention);
  if (!head.scenario_file.empty() || !head.scenario_sha256.empty()) {
    text += comment("scenario", head.scenario_file + std::string(kCsvHash) + head.scenario_sha256);
  }
  if (!head.parameters.empty()) { text += comment("set", parameters_to_json(head.parameters)); }
  for (const std::string& law : head.laws) { text += comment("law as code", law); }
  if (!head.formulation.empty()) { text += comment("formulation", head.formulation); }
  if (!head.integrator.empty()) {
    text += comment("integrator", head.integrator + (head.portable ? "" : std::string(kNotPortable)));
  }
  if (!head.epoch.empty()) { text += comment("epoch", head.epoch + ' ' + head.time_system + std::string(kCsvAtZero)); }
  for (const auto& [key, value] : head.message) { text += comment("aem " + key, value); }
  for (const std::string& event : head.events) { text += comment("kind of event", event); }
  if (!head.bodies.empty()) { text += comment("bodies", bodies_to_json(head.bodies)); }
  if (!head.joints.empty()) { text += comment("joints", joints_to_json(head.joints)); }
  if (!head.scene.empty()) { text += comment("scene", scene_to_json(head.scene)); }
  for (const simulation::Column& column : head.columns) {
    text += comment("column", column.name + " [" + column.unit + "] " + column.meaning);
  }
  if (!head.scenario_text.empty()) { text += comment(kScenario, "\n" + head.scenario_text); }
  for (std::size_t i = 0; i < head.columns.size(); ++i) { text += (i > 0 ? "," : "") + head.columns[i].name; }
  return text + '\n';
}

void append_row(std::string& text, std::span<const double> row) {
  const std::size_t before = text.size();
  text.resize(before + row.size() * kLongestNumber);
  char* at = text.data() + before;
  char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < row.size(); ++i) {
    at = std::to_chars(at, end, row[i]).ptr;
    *at++ = i + 1 < row.size() ? ',' : '\n';
  }
  text.resize(static_cast<std::size_t>(at - text.data()));
}

std::uint64_t write_csv(const OpenResult& open, const ResultOutput& output) {
  const std::unique_ptr<ResultReader> result = open();
  std::string text = head_text(result->head());
  while (true) {
    const ResultReader::Item item = result->next();
    if (item == ResultReader::Item::end) { break; }
    if (item == ResultReader::Item::event) { text += comment("event", event_text(result->event())); }
    if (item == ResultReader::Item::row) { append_row(text, result->row()); }
    if (text.size() >= kCsvPiece) {
      output.write(text);
      text.clear();
    }
  }
  output.write(text);
  return result->rows();
}

// ---- reading --------------------------------------------------------------------------------------------------------

/// Takes `end` off the end of `text`.
bool take_end(std::string& text, std::string_view end) {
  if (!text.ends_with(end)) { return false; }
  text.resize(text.size() - end.size());
  return true;
}

/// Numbers between blanks; fewer than asked for where something else stands there.
template <std::size_t N>
bool take_numbers(std::string_view text, std::array<double, N>& numbers) {
  const char* p = text.data();
  const char* const end = p + text.size();
  for (double& x : numbers) {
    while (p != end && *p == ' ') { ++p; }
    const auto [rest, error] = std::from_chars(p, end, x);
    if (error != std::errc{}) { return false; }
    p = rest;
  }
  return p == end;
}

/// What event_text wrote.
std::optional<ResultEvent> event_of(std::string_view text) {
  constexpr std::string_view kRate = "; w_body_rad_s =";
  constexpr std::string_view kAttitude = "; e =";
  constexpr std::string_view kTime = " at t_s =";
  const std::size_t rate = text.rfind(kRate);
  const std::size_t attitude = text.rfind(kAttitude, rate);
  const std::size_t time = text.rfind(kTime, attitude);
  if (rate == std::string_view::npos || attitude == std::string_view::npos || time == std::string_view::npos) {
    return {};
  }
  std::array<double, 1> t{};
  std::array<double, 4> e{};
  std::array<double, 3> w{};
  const auto between = [&](std::size_t at, std::string_view name, std::size_t end) {
    return text.substr(at + name.size(), end - at - name.size());
  };
  if (!take_numbers(between(time, kTime, attitude), t) || !take_numbers(between(attitude, kAttitude, rate), e) ||
      !take_numbers(between(rate, kRate, text.size()), w)) {
    return {};
  }
  return ResultEvent{std::string(text.substr(0, time)), t[0], {e[0], {e[1], e[2], e[3]}}, {w[0], w[1], w[2]}};
}

class CsvReader final : public ResultReader {
 public:
  explicit CsvReader(const std::string& path)
      : ResultReader(path),
        source_(path),
        rows_(path, {}, [this](char* to, std::size_t size) { return source_.read(to, size); }) {
    rows_.on_comment = [this](std::string_view text) { see_comment(text); };
    std::vector<std::string> names;
    if (!rows_.take_header(names)) {
      fail(Error(Problem{.what = path + " has no line that names its columns",
                         .allowed = "wanted: t_s,e0,e1,e2,e3 and more",
                         .cure = "rows of bare numbers are for convert --from REP --to REP -i FILE"}));
    }
    finish_comment();
    in_head_ = false;
    take_columns();
    buffer_.resize(head_.columns.size());
    row_.resize(head_.columns.size());
  }
  std::uint64_t done() const override { return source_.position(); }
  std::uint64_t total() const override { return source_.size(); }

 private:
  Item take() override {
    if (!has_row_ && !at_end_) { read_row(); }
    // comments stand before the row that was read with them
    if (!events_.empty()) {
      event_ = std::move(events_.front());
      events_.pop_front();
      return Item::event;
    }
    if (!has_row_) { return Item::end; }
    has_row_ = false;
    std::swap(row_, buffer_);
    return Item::row;
  }
  Location location() const override { return rows_.location(); }

  void read_row() {
    Problem problem;
    const RowReader::Found found = rows_.next(buffer_, problem);
    if (found == RowReader::Found::mistake) { fail(Error(std::move(problem))); }
    has_row_ = found == RowReader::Found::row;
    at_end_ = found == RowReader::Found::end;
    if (has_row_ && !rows_.line_complete()) {
      notes_.push_back(file_ + ": the last line has no line break: its last number may be cut");
    }
  }

  void see_comment(std::string_view text) {
    if (!text.empty() && text.back() == '\r' && name_ != kScenario) { text.remove_suffix(1); }
    if (text.starts_with(kMore)) {
      value_ += '\n';
      value_ += text.substr(kMore.size());
      return;
    }
    finish_comment();
    if (text.starts_with(' ')) { text.remove_prefix(1); }
    const std::size_t colon = text.find(": ");
    name_ = text.substr(0, colon);
    value_ = colon == std::string_view::npos ? "" : text.substr(colon + 2);
    if (!in_head_) { finish_comment(); }
  }

  /// A comment with all its lines.
  void finish_comment() {
    const std::string name = std::exchange(name_, "");
    std::string value = std::exchange(value_, "");
    if (name == "event") {
      std::optional<ResultEvent> event = event_of(value);
      if (!event) {
        fail(Error(Problem{.what = "this comment tells of no event",
                           .allowed = "wanted: NAME at t_s = ...; e = ...; w_body_rad_s = ...",
                           .cure = {},
                           .where = rows_.location()}));
      }
      events_.push_back(std::move(*event));
    } else if (!in_head_) {
      return;
    } else if (name.starts_with("polhode ")) {
      head_.version = name.substr(8);
      head_.title = value;
    } else if (name == "scenario") {
      if (const std::size_t at = value.rfind(kCsvHash); at != std::string::npos) {
        head_.scenario_sha256 = value.substr(at + kCsvHash.size());
        head_.scenario_file = value.substr(0, at);
      }
    } else if (name == "set") {
      head_.parameters = parameters_from_json(value, rows_.location());
    } else if (name == "law as code") {
      head_.laws.push_back(value);
    } else if (name == "formulation") {
      head_.formulation = value;
    } else if (name == "integrator") {
      head_.portable = !take_end(value, kNotPortable);
      head_.integrator = value;
    } else if (name == "epoch") {
      take_end(value, kCsvAtZero);
      const std::size_t blank = value.find(' ');
      head_.epoch = value.substr(0, blank);
      if (blank != std::string::npos) { head_.time_system = value.substr(blank + 1); }
    } else if (name.starts_with("aem ")) {
      head_.message.emplace_back(name.substr(4), value);
    } else if (name == "kind of event") {
      head_.events.push_back(value);
    } else if (name == "bodies") {
      head_.bodies = bodies_from_json(value, rows_.location());
    } else if (name == "joints") {
      head_.joints = joints_from_json(value, rows_.location());
    } else if (name == "scene") {
      head_.scene = scene_from_json(value, rows_.location());
    } else if (name == "column") {
      const std::size_t open = value.find(" [");
      const std::size_t close = value.find("] ", open);
      if (close != std::string::npos) {
        described_.push_back(
            {value.substr(0, open), value.substr(open + 2, close - open - 2), value.substr(close + 2)});
      }
    } else if (name == kScenario && value.starts_with('\n')) {
      head_.scenario_text = value.substr(1);
    }
  }

  /// From the line of names, with what the comments say of each.
  void take_columns() {
    std::string_view line = rows_.header_line();
    while (true) {
      const std::size_t end = line.find_first_of(",;");
      std::string_view name = line.substr(0, end);
      const auto is_edge = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; };
      while (!name.empty() && is_edge(name.front())) { name.remove_prefix(1); }
      while (!name.empty() && is_edge(name.back())) { name.remove_suffix(1); }
      simulation::Column column{std::string(name), unit_of(name), ""};
      for (const simulation::Column& described : described_) {
        if (described.name == name) { column = described; }
      }
      head_.columns.push_back(std::move(column));
      if (end == std::string_view::npos) { return; }
      line.remove_prefix(end + 1);
    }
  }

  SourceFile source_;
  RowReader rows_;
  bool in_head_ = true;
  std::string name_;  ///< of the comment that is being read
  std::string value_;
  std::vector<simulation::Column> described_;
  std::deque<ResultEvent> events_;
  std::vector<double> buffer_;
  bool has_row_ = false;
  bool at_end_ = false;
};

/// Text without control characters, in which something stands: everything that is no other format.
bool begins_csv(std::string_view bytes) {
  bool something = false;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') { return false; }
    something = something || byte > 0x20;
  }
  return something && bytes.front() != '<';
}

}  // namespace

extern const ResultWriter kWriter_csv{
    "csv",     "results.csv", "numbers with commas, shortest form that reads back to the same bits",
    write_csv, nullptr,       nullptr};
extern const ResultFormat kReader_csv{"csv", begins_csv, [](const std::string& path) -> std::unique_ptr<ResultReader> {
                                        return std::make_unique<CsvReader>(path);
                                      }};

}  // namespace polhode::io
