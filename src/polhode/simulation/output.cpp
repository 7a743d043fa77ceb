#include "polhode/simulation/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace polhode::simulation {

void add_vector(std::vector<Column>& columns, const std::string& symbol, const std::string& frame,
                const std::string& unit, const std::string& unit_name, const std::string& meaning) {
  for (const char* axis : {"x", "y", "z"}) {
    columns.push_back({symbol + axis + "_" + frame + "_" + unit_name, unit, meaning + ", " + axis + " of " + frame});
  }
}

void add_wheel(std::vector<Column>& columns, const std::string& name) {
  columns.push_back({name + ".speed_rad_s", "rad/s", "speed of wheel " + name + " relative to the body"});
  columns.push_back({name + ".motor_torque_Nm", "N m", "torque of its motor on wheel " + name});
}

bool fits(std::string_view pattern, std::string_view name) {
  // greedy: the last * takes one character more wherever the rest does not fit
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool asks_for(const OutputPlan& output, std::string_view name, std::string_view group) {
  if (group == kPointGroup) { return true; }
  if (group.empty() && output.columns.empty()) { return true; }
  if (!group.empty() && std::find(output.extra.begin(), output.extra.end(), group) != output.extra.end()) {
    return true;
  }
  return std::any_of(output.columns.begin(), output.columns.end(),
                     [&](const std::string& pattern) { return fits(pattern, name); });
}

std::vector<OutputProblem> problems_of(const OutputPlan& output, double duration,
                                       std::span<const OfferedColumn> offered) {
  std::vector<OutputProblem> problems;
  std::vector<std::string_view> names;
  std::set<std::string_view> groups;
  for (const OfferedColumn& column : offered) {
    names.push_back(column.name);
    if (!column.group.empty()) { groups.insert(column.group); }
  }
  for (std::size_t i = 0; i < output.columns.size(); ++i) {
    const std::string& wanted = output.columns[i];
    if (std::any_of(names.begin(), names.end(), [&](std::string_view name) { return fits(wanted, name); })) {
      continue;
    }
    if (wanted.find('*') == std::string::npos) {
      problems.push_back({"columns", i, unknown_name("column", wanted, names)});
      continue;
    }
    std::string plain = wanted;
    std::erase(plain, '*');
    const std::string nearest = nearest_name(plain, names);
    problems.push_back({"columns", i,
                        Problem{.what = fmt::format("no column fits '{}'", wanted),
                                .allowed = fmt::format("columns are called such as {}", names.back()),
                                .cure = nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest)}});
  }
  for (std::size_t i = 0; i < output.extra.size(); ++i) {
    if (groups.contains(output.extra[i])) { continue; }
    problems.push_back({"extra", i,
                        unknown_name("group of columns", output.extra[i],
                                     std::vector<std::string_view>(groups.begin(), groups.end()))});
  }
  for (std::size_t i = 0; i < output.times.size(); ++i) {
    const double t = output.times[i];
    if (!(t >= 0 && t <= duration)) {
      problems.push_back({"times", i,
                          Problem{.what = fmt::format("a row at {:g} s", t),
                                  .allowed = fmt::format("allowed: from 0 to the duration, {:g} s", duration),
                                  .cure = {}}});
    } else if (i > 0 && !(t > output.times[i - 1])) {
      problems.push_back({"times", i,
                          Problem{.what = fmt::format("the time {:g} s behind {:g} s", t, output.times[i - 1]),
                                  .allowed = "wanted: times that increase",
                                  .cure = {}}});
    }
  }
  return problems;
}

}  // namespace polhode::simulation
