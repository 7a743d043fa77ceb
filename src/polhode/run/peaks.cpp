#include "polhode/run/peaks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace polhode {
namespace {

/// "wx_body_rad_s", "wy_...", "wz_..." make the vector "w_body_rad_s"; others "".
std::string vector_of(const std::string& x, const std::string& y, const std::string& z) {
  const auto [differs, other] = std::mismatch(x.begin(), x.end(), y.begin(), y.end());
  if (differs == x.end() || *differs != 'x') { return {}; }
  const auto at = static_cast<std::size_t>(differs - x.begin());
  const auto with = [&](const char* axis) { return x.substr(0, at) + axis + x.substr(at + 1); };
  return y == with("y") && z == with("z") ? with("") : "";
}

}  // namespace

const Peak& Peaks::Extremes::farthest() const {
  return std::fabs(smallest.value) > std::fabs(largest.value) ? smallest : largest;
}

Peaks::Peaks(const std::vector<simulation::Column>& columns) {
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const simulation::Column& column = columns[i];
    entries_.push_back({{.name = column.name, .unit = column.unit, .meaning = column.meaning}, i});
    if (i < 3) { continue; }
    std::string vector = vector_of(columns[i - 2].name, columns[i - 1].name, column.name);
    if (vector.empty()) { continue; }
    const std::string meaning = "size of: " + column.meaning.substr(0, column.meaning.rfind(','));
    entries_.push_back({{.name = std::move(vector), .unit = column.unit, .meaning = meaning, .is_size = true}, i - 2});
  }
}

void Peaks::row(std::span<const double> row) {
  for (Entry& entry : entries_) {
    const double* x = row.data() + entry.first;
    const double value = entry.extremes.is_size ? std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) : x[0];
    if (empty_ || value > entry.extremes.largest.value) { entry.extremes.largest = {row[0], value}; }
    if (empty_ || value < entry.extremes.smallest.value) { entry.extremes.smallest = {row[0], value}; }
  }
  empty_ = false;
}

std::vector<Peaks::Extremes> Peaks::all() const {
  std::vector<Extremes> all;
  if (empty_) { return all; }
  all.reserve(entries_.size());
  for (const Entry& entry : entries_) { all.push_back(entry.extremes); }
  return all;
}

std::vector<std::pair<std::string, std::string>> Peaks::in_words() const {
  std::vector<std::pair<std::string, std::string>> lines;
  if (empty_) { return lines; }
  const auto add = [&](const char* words, const auto& wanted) {
    const Extremes* best = nullptr;
    for (const Entry& entry : entries_) {
      const Extremes& one = entry.extremes;
      if (!wanted(one)) { continue; }
      if (best == nullptr || std::fabs(one.farthest().value) > std::fabs(best->farthest().value)) { best = &one; }
    }
    if (best == nullptr || best->farthest().value == 0) { return; }
    const Peak& peak = best->farthest();
    lines.emplace_back(words,
                       fmt::format("{:.6g} {} ({}), at t = {:.6g} s", peak.value, best->unit, best->name, peak.t));
  };
  const auto of_joint = [](const Extremes& one, std::string_view what) {
    return one.is_size && one.meaning.starts_with("size of: " + std::string(what) + " of joint");
  };
  add("largest rate", [](const Extremes& one) { return one.is_size && one.name.ends_with("w_body_rad_s"); });
  add("largest reaction force", [&](const Extremes& one) { return of_joint(one, "force"); });
  add("largest reaction moment", [&](const Extremes& one) { return of_joint(one, "moment"); });
  add("largest torque on a joint", [](const Extremes& one) { return one.name.ends_with(".torque_Nm"); });
  add("largest force", [](const Extremes& one) { return one.name.ends_with(".force_N"); });
  return lines;
}

Peaks peaks_of(const Trajectory& trajectory) {
  Peaks peaks(trajectory.columns());
  for (std::size_t i = 0; i < trajectory.rows(); ++i) { peaks.row(trajectory.row(i)); }
  return peaks;
}

std::string to_json(const Peaks& peaks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Peaks::Extremes& one : peaks.all()) {
    list.push_back({{one.is_size ? "size_of" : "column", one.name},
                    {"largest", one.largest.value},
                    {"largest_at_s", one.largest.t},
                    {"smallest", one.smallest.value},
                    {"smallest_at_s", one.smallest.t}});
  }
  return list.dump();
}

}  // namespace polhode
