#include "polhode/analysis/measured.h"

#include "polhode/core/error.h"
#include "polhode/io/row_reader.h"
#include "polhode/math/degree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

namespace polhode {
namespace {

constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();

/// Names between separators, without blanks and quotes around them.
std::vector<std::string> names_of_header(std::string_view line, char separator) {
  std::vector<std::string> names;
  std::string name;
  const auto finish = [&] {
    if (!name.empty() || separator != ' ') { names.push_back(name); }
    name.clear();
  };
  for (const char c : line) {
    if (c == separator || (separator == ' ' && c == '\t')) {
      finish();
    } else if (c != ' ' && c != '\t' && c != '"' && c != '\r') {
      name += c;
    }
  }
  finish();
  return names;
}

/// What a column of a log is called as a column of a result, and what its numbers are multiplied by.
struct LogColumn {
  std::string name;
  double factor = 1;
};
LogColumn in_si(std::string name) {
  for (const auto& [degrees, radians] : {std::pair{"_deg_s", "_rad_s"}, std::pair{"_deg", "_rad"}}) {
    if (name.ends_with(degrees)) {
      name.replace(name.size() - std::string_view(degrees).size(), std::string::npos, radians);
      return {name, math::kDegree};
    }
  }
  return {std::move(name), 1};
}

/// Seconds in the unit of a time column, or nothing.
std::optional<double> unit_of_time(std::string_view name) {
  if (name == "t_s") { return 1; }
  if (name == "t_ms") { return 1e-3; }
  if (name == "t_us") { return 1e-6; }
  if (name == "t_ns") { return 1e-9; }
  return {};
}

/// Rows of one file, one after the other.
class LogBuilder {
 public:
  LogBuilder(const std::string& file, const std::vector<std::string>& names, MeasuredLog& log) : log_(&log) {
    title_ = std::filesystem::path(file).filename().string();
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (const std::optional<double> unit = unit_of_time(names[i])) {
        if (time_ != kNoColumn) { fail(Error(fmt::format("{}: two columns of time", file))); }
        time_ = i;
        time_unit_ = *unit;
      } else if (names[i] == "recording") {
        recording_ = i;
      } else {
        LogColumn column = in_si(names[i]);
        columns.push_back(column.name);
        from_.push_back(i);
        factor_.push_back(column.factor);
      }
    }
    if (time_ == kNoColumn) {
      fail(Error(Problem{.what = fmt::format("{}: no column of time", file),
                         .allowed = "wanted: a header with t_s, t_ms, t_us or t_ns, and columns named as in results",
                         .cure = "name the columns in the first line (docs/identify.md)"}));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (std::count(columns.begin(), columns.end(), columns[i]) > 1) {
        fail(Error(fmt::format("{}: column '{}' stands there twice", file, columns[i])));
      }
    }
    if (log.recordings.empty()) { log.columns = columns; }
    if (log.columns != columns) {
      fail(Error(Problem{.what = fmt::format("{} has other columns than the files before it", file),
                         .allowed = fmt::format("wanted: {}", fmt::join(log.columns, ", ")),
                         .cure = {}}));
    }
  }

  void add(std::span<const double> row, const Location& where) {
    const double number = recording_ == kNoColumn ? 1 : row[recording_];
    if (!begun_ || number != number_) {
      number_ = number;
      begun_ = true;
      log_->recordings.push_back({recording_ == kNoColumn ? title_ : fmt::format("{} {:g}", title_, number), {}, {}});
    }
    Recording& to = log_->recordings.back();
    const double t = time_unit_ * row[time_];
    if (!to.t.empty() && !(t > to.t.back())) {
      fail(Error(Problem{.what = fmt::format("time {:.9g} s does not rise: before it stands {:.9g} s", t, to.t.back()),
                         .allowed = {},
                         .cure = "of several recordings in one file a column `recording` says which is which",
                         .where = where}));
    }
    to.t.push_back(t);
    for (std::size_t i = 0; i < from_.size(); ++i) { to.numbers.push_back(factor_[i] * row[from_[i]]); }
  }

 private:
  MeasuredLog* log_;
  std::string title_;
  std::size_t time_ = kNoColumn;
  double time_unit_ = 1;
  std::size_t recording_ = kNoColumn;
  std::vector<std::size_t> from_;
  std::vector<double> factor_;
  bool begun_ = false;
  double number_ = 0;
};

void read_text(const std::string& file, MeasuredLog& log) {
  io::SourceFile source(file);
  io::RowReader reader(file, {"t_s"}, [&](char* to, std::size_t size) { return source.read(to, size); });
  std::vector<std::string> lower;
  if (!reader.take_header(lower)) {
    fail(Error(Problem{.what = fmt::format("{}: no header", file),
                       .allowed = "wanted: a first line with t_s and the names of columns of results",
                       .cure = {}}));
  }
  const std::string& header = reader.header_line();
  const char separator = header.find(',') != std::string::npos   ? ','
                         : header.find(';') != std::string::npos ? ';'
                                                                 : ' ';
  LogBuilder builder(file, names_of_header(header, separator), log);
  std::vector<double> row(lower.size());
  for (;;) {
    Problem problem;
    const io::RowReader::Found found = reader.next(row, problem);
    if (found == io::RowReader::Found::end) { return; }
    if (found == io::RowReader::Found::mistake) { fail(Error(problem)); }
    builder.add(row, reader.location());
  }
}

void read_result(io::ResultReader& reader, MeasuredLog& log) {
  std::vector<std::string> names;
  for (const simulation::Column& column : reader.head().columns) { names.push_back(column.name); }
  LogBuilder builder(reader.file(), names, log);
  for (;;) {
    const io::ResultReader::Item item = reader.next();
    if (item == io::ResultReader::Item::end) { return; }
    if (item == io::ResultReader::Item::row) { builder.add(reader.row(), {reader.file(), 0, 0}); }
  }
}

/// Whether a file is a result in another form than text in rows.
bool is_other_result(const std::string& file) {
  io::SourceFile source(file);
  std::string bytes(4096, '\0');
  bytes.resize(source.read(bytes.data(), bytes.size()));
  return std::any_of(io::result_formats().begin(), io::result_formats().end(),
                     [&](const io::ResultFormat* format) { return format->name != "csv" && format->begins(bytes); });
}

}  // namespace

std::size_t MeasuredLog::samples() const {
  std::size_t sum = 0;
  for (const Recording& one : recordings) { sum += one.t.size(); }
  return sum;
}

MeasuredLog read_measured(const std::vector<std::string>& files, const OpenResultFile& open) {
  MeasuredLog log;
  for (const std::string& file : files) {
    if (is_other_result(file)) {
      read_result(*open(file), log);
    } else {
      read_text(file, log);
    }
  }
  std::erase_if(log.recordings, [](const Recording& one) { return one.t.empty(); });
  if (log.recordings.empty()) { fail(Error("the log has no rows")); }
  return log;
}

}  // namespace polhode
