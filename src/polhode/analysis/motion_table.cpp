#include "polhode/analysis/motion_table.h"

#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/math/pi.h"
#include "polhode/math/quintic_spline.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace polhode::analysis {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\"";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) { return {}; }
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t end = std::min(line.find(','), line.size());
    cells.push_back(trimmed(line.substr(0, end)));
    if (end == line.size()) { return cells; }
    line.remove_prefix(end + 1);
  }
}

MotionTable::Column column_named(std::string_view name) {
  MotionTable::Column column;
  column.name = name;
  const std::size_t dot = name.find('.');
  column.joint = name.substr(0, dot);
  std::string_view coordinate = dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1);
  const auto take_off = [&](std::string_view ending) {
    if (!coordinate.ends_with(ending)) { return false; }
    coordinate.remove_suffix(ending.size());
    return true;
  };
  if (take_off("_deg")) {
    column.unit = math::kPi<double> / 180;
  } else if (!take_off("_rad")) {
    take_off("_m");
  }
  if (coordinate.ends_with("_unwrapped")) { coordinate.remove_suffix(std::string_view("_unwrapped").size()); }
  column.coordinate = coordinate;
  return column;
}

}  // namespace

MotionTable read_motion_table(std::string_view text, const std::string& file) {
  MotionTable table;
  Problems problems;
  int line_number = 0;
  bool has_header = false;
  constexpr int kMostTold = 12;
  int told = 0;
  const auto problem = [&](int column, std::string what, std::string allowed) {
    if (++told <= kMostTold) { problems.add({std::move(what), std::move(allowed), "", {file, line_number, column}}); }
  };
  if (text.starts_with("\xef\xbb\xbf")) { text.remove_prefix(3); }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (trimmed(line).empty() || trimmed(line).starts_with('#')) { continue; }
    const std::vector<std::string_view> cells = cells_of(line);
    if (!has_header) {
      has_header = true;
      if (cells[0] != "t" && cells[0] != "t_s") {
        problem(1, fmt::format("the first column is '{}'", cells[0]), "wanted: a header t, JOINT.COORDINATE, ...");
      }
      if (cells.size() < 2) { problem(1, "no column but time", "wanted: a header t, JOINT.COORDINATE, ..."); }
      for (std::size_t k = 1; k < cells.size(); ++k) {
        MotionTable::Column column = column_named(cells[k]);
        for (const MotionTable::Column& other : table.columns) {
          if (other.joint == column.joint && other.coordinate == column.coordinate) {
            problem(1, fmt::format("columns '{}' and '{}' are the same coordinate", other.name, column.name),
                    "wanted: each once");
          }
        }
        table.columns.push_back(std::move(column));
      }
      continue;
    }
    if (cells.size() != table.columns.size() + 1) {
      problem(1, fmt::format("{} in this row", counted(cells.size(), "value")),
              fmt::format("wanted: {}, as in the header", table.columns.size() + 1));
      continue;
    }
    std::vector<double> numbers;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      double number = 0;
      std::string_view cell = cells[k];
      const int place = static_cast<int>(cell.empty() ? 0 : cell.data() - line.data()) + 1;
      if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') { cell.remove_prefix(1); }
      const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
      if (error != std::errc{} || stop != cell.data() + cell.size() || !std::isfinite(number)) {
        problem(place, fmt::format("'{}' is not a finite number", cell), "");
        break;
      }
      numbers.push_back(number);
    }
    if (numbers.size() != cells.size()) { continue; }
    if (!table.times.empty() && !(numbers[0] > table.times.back())) {
      problem(1, fmt::format("time {} does not come after {}", numbers[0], table.times.back()),
              "wanted: times that increase");
      continue;
    }
    table.times.push_back(numbers[0]);
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      table.columns[k].values.push_back(table.columns[k].unit * numbers[k + 1]);
    }
  }
  if (told == 0 && table.times.size() < math::QuinticSpline::kLeastPoints) {
    line_number = 0;
    problem(0, fmt::format("{} of numbers", counted(table.times.size(), "row")),
            fmt::format("wanted: a header and {} or more", math::QuinticSpline::kLeastPoints));
  }
  std::move(problems).fail_if_any();
  return table;
}

}  // namespace polhode::analysis
