#pragma once

#include "polhode/core/error.h"
#include "polhode/math/vec3.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What of a run is handed out: which columns, and rows at which times.
namespace polhode::simulation {

/// One number of a row: its name carries frame and unit ("wx_body_rad_s").
struct Column {
  std::string name;
  std::string unit;
  std::string meaning;
};
/// Three columns: SYMBOLx_FRAME_UNIT and so on.
void add_vector(std::vector<Column>& columns, const std::string& symbol, const std::string& frame,
                const std::string& unit, const std::string& unit_name, const std::string& meaning);
/// The two columns of a wheel with a motor: its speed relative to its body, and the torque of its motor on it.
void add_wheel(std::vector<Column>& columns, const std::string& name);

/// A point of a body that a run follows.
struct TrackedPoint {
  std::string name;
  int body = 0;
  /// From the origin of the body's axes; of one body, from the point that its inertia counts from.
  Vec3<double> r_BP_B{};
};

struct OutputPlan {
  /// Names of columns, or patterns in which * stands for anything; none: the columns that are there by default. Time is
  /// always there, and so are tracked points.
  std::vector<std::string> columns{};
  std::vector<std::string> extra{};  ///< groups of further columns
  /// Of rows, increasing, from 0 to the duration; none: rows at every output interval.
  std::vector<double> times{};
  std::vector<TrackedPoint> points{};
  bool files = true;  ///< false: the run writes no files

  /// The columns that are there by default, and no others.
  bool has_default_columns() const { return columns.empty() && extra.empty() && points.empty(); }
  /// The same rows with the columns that are there by default.
  OutputPlan with_default_columns() const { return {{}, {}, times, {}, files}; }
};

/// The group of the columns of tracked points.
inline constexpr std::string_view kPointGroup = "points";

/// A column that a run can have.
struct OfferedColumn : Column {
  std::string group{};  ///< of OutputPlan::extra; "": there by default
};

/// Whether a name fits a pattern, in which * stands for any characters, or none.
bool fits(std::string_view pattern, std::string_view name);

/// Whether the columns of that name and group are asked for; "": by default.
bool asks_for(const OutputPlan& output, std::string_view name, std::string_view group);

/// What is wrong with an entry of a list of an output plan.
struct OutputProblem {
  std::string list;       ///< "columns", "extra", "times"
  std::size_t index = 0;  ///< in it
  Problem problem;
};
/// Names and patterns that no column fits, groups that there are not, times that do not increase or lie outside of the
/// run.
std::vector<OutputProblem> problems_of(const OutputPlan& output, double duration,
                                       std::span<const OfferedColumn> offered);

/// Further columns that are computed together, from what a row is made of.
template <class Now>
struct ColumnGroup {
  std::string group;  ///< of OutputPlan::extra
  std::vector<Column> columns{};
  std::function<void(const Now& now, std::span<double> to)> fill{};  ///< a number for each column
};

/// The columns of a run: those of a row as it is computed, and which of them are handed out.
struct ColumnChoice {
  std::vector<Column> columns;
  std::vector<std::size_t> given{};  ///< indices in a row, increasing; none: all of it
};

/// The columns offered: those by default, then those of the groups.
template <class Now>
std::vector<OfferedColumn> offered_columns(const std::vector<Column>& by_default,
                                           const std::vector<ColumnGroup<Now>>& groups) {
  std::vector<OfferedColumn> offered;
  offered.reserve(by_default.size());
  for (const Column& column : by_default) { offered.push_back({column, {}}); }
  for (const ColumnGroup<Now>& group : groups) {
    for (const Column& column : group.columns) { offered.push_back({column, group.group}); }
  }
  return offered;
}

/// Fails with everything that is wrong with an output plan.
template <class Now>
void require_sound(const OutputPlan& output, double duration, const std::vector<Column>& by_default,
                   const std::vector<ColumnGroup<Now>>& groups) {
  if (output.has_default_columns() && output.times.empty()) { return; }
  Problems problems;
  for (OutputProblem& one : problems_of(output, duration, offered_columns(by_default, groups))) {
    problems.add(std::move(one.problem));
  }
  std::move(problems).fail_if_any();
}

/// Takes away the groups of which nothing is asked for, so that nothing of them is computed.
template <class Now>
ColumnChoice choose_columns(const OutputPlan& output, std::vector<Column> by_default,
                            std::vector<ColumnGroup<Now>>& groups) {
  ColumnChoice choice{std::move(by_default), {}};
  if (output.has_default_columns()) {
    groups.clear();
    return choice;
  }
  for (std::size_t i = 0; i < choice.columns.size(); ++i) {
    if (i == 0 || asks_for(output, choice.columns[i].name, {})) { choice.given.push_back(i); }
  }
  std::erase_if(groups, [&](const ColumnGroup<Now>& group) {
    const std::size_t before = choice.given.size();
    for (std::size_t i = 0; i < group.columns.size(); ++i) {
      if (asks_for(output, group.columns[i].name, group.group)) { choice.given.push_back(choice.columns.size() + i); }
    }
    if (choice.given.size() == before) { return true; }
    choice.columns.insert(choice.columns.end(), group.columns.begin(), group.columns.end());
    return false;
  });
  return choice;
}

/// Fills a row from its beginning on.
class RowFiller {
 public:
  explicit RowFiller(std::span<double> row) : row_(row) {}
  void put(double x) { row_[next_++] = x; }
  void put(const Vec3<double>& v) {
    put(v.x);
    put(v.y);
    put(v.z);
  }

 private:
  std::span<double> row_;
  std::size_t next_ = 0;
};

/// The numbers of the groups, behind each other.
template <class Now>
void fill_further(const std::vector<ColumnGroup<Now>>& groups, const Now& now, std::span<double> to) {
  std::size_t first = 0;
  for (const ColumnGroup<Now>& group : groups) {
    group.fill(now, to.subspan(first, group.columns.size()));
    first += group.columns.size();
  }
}

}  // namespace polhode::simulation
