#include "polhode/analysis/identify.h"
#include "polhode/core/counted.h"
#include "polhode/core/version.h"
#include "polhode/io/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace polhode {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::vector<IdentifiedValue>& values) {
  Json list = Json::array();
  for (const IdentifiedValue& one : values) {
    Json entry{{"name", one.name}, {"start", one.start}, {"value", one.value}};
    entry["sigma"] = one.told ? Json(one.sigma) : Json(nullptr);
    entry["told"] = one.told;
    list.push_back(std::move(entry));
  }
  return list;
}

/// A value with as many digits as its uncertainty leaves sense to.
std::string with_digits(double value, double sigma) {
  if (!(sigma > 0) || !(std::fabs(value) > 0)) { return fmt::format("{:.6g}", value); }
  const double ratio = std::log10(std::fabs(value) / sigma);
  const int digits = std::clamp(static_cast<int>(std::ceil(ratio)) + 2, 1, 12);
  return fmt::format("{:.{}g}", value, digits);
}

std::string table_of(const std::vector<IdentifiedValue>& values) {
  std::size_t width = 9;
  for (const IdentifiedValue& one : values) { width = std::max(width, one.name.size()); }
  std::string text = fmt::format("  {:<{}}  {:>14}  {:>16}  {:>12}\n", "", width, "start", "fitted", "± 1 sigma");
  for (const IdentifiedValue& one : values) {
    text += fmt::format("  {:<{}}  {:>14.6g}  {:>16}  {:>12}\n", one.name, width, one.start,
                        with_digits(one.value, one.told ? one.sigma : 0),
                        one.told ? fmt::format("{:.3g}", one.sigma) : "not told");
  }
  return text;
}

/// Pairs of unknowns that are hard to tell apart.
std::vector<std::string> close_pairs(const Identification& found) {
  std::vector<std::string> lines;
  constexpr double kClose = 0.95;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    for (std::size_t k = i + 1; k < found.values.size(); ++k) {
      const double r = found.correlation(i, k);
      if (std::fabs(r) < kClose) { continue; }
      lines.push_back(fmt::format("{} and {} are hard to tell apart: their errors go together (correlation {:.3f})",
                                  found.values[i].name, found.values[k].name, r));
    }
  }
  return lines;
}

constexpr std::size_t kMostRecordingsInText = 5;

}  // namespace

std::string to_text(const Identification& found) {
  std::string text = found.title + "\n";
  text += fmt::format("{} in {}, {}; {} of the search{}\n", counted(found.samples, "row"),
                      counted(found.curves.size(), "recording"), counted(found.numbers, "measured number"),
                      counted(static_cast<std::uint64_t>(found.iterations), "step"),
                      found.converged     ? ""
                      : found.interrupted ? ", interrupted"
                                          : ", which did not come to an end");
  if (!found.values.empty()) { text += "\n" + table_of(found.values); }
  for (std::size_t r = 0; r < std::min(found.own.size(), kMostRecordingsInText); ++r) {
    text += fmt::format("\n{}\n{}", found.recordings[r], table_of(found.own[r]));
  }
  if (found.own.size() > kMostRecordingsInText) {
    text += fmt::format("and {} more, in the files and with --json\n",
                        counted(found.own.size() - kMostRecordingsInText, "recording"));
  }
  text += "\nsensors\n";
  for (const IdentifiedSensor& one : found.sensors) {
    text += fmt::format("  {}: noise {:.4g}{}, residuals {:.4g}{}\n", one.name, one.noise,
                        one.estimated ? " (estimated)" : "", one.residual,
                        one.outliers > 0 ? fmt::format(", {} beyond 4 times the noise", one.outliers) : "");
  }
  if (!found.not_told.empty()) {
    text += "\nwhat the log does not tell\n";
    for (const std::string& line : found.not_told) { text += "  " + line + "\n"; }
  }
  if (!found.combinations.empty()) {
    text += "what it tells of them\n";
    for (const IdentifiedCombination& one : found.combinations) {
      text += fmt::format("  {} = {} ± {:.3g}\n", one.name, with_digits(one.value, one.sigma), one.sigma);
    }
  }
  for (const std::string& line : close_pairs(found)) { text += "note: " + line + "\n"; }
  for (const std::string& note : found.notes) { text += "note: " + note + "\n"; }
  return text;
}

std::string to_json(const Identification& found) {
  Json object{{"title", found.title},
              {"samples", found.samples},
              {"numbers", found.numbers},
              {"iterations", found.iterations},
              {"converged", found.converged},
              {"interrupted", found.interrupted},
              {"chi_squared", found.chi_squared},
              {"freedoms", found.freedoms},
              {"values", to_json(found.values)}};
  Json correlation = Json::array();
  for (std::size_t r = 0; r < found.correlation.rows; ++r) {
    Json row = Json::array();
    for (std::size_t c = 0; c < found.correlation.columns; ++c) { row.push_back(found.correlation(r, c)); }
    correlation.push_back(std::move(row));
  }
  object["correlation"] = std::move(correlation);
  Json combinations = Json::array();
  for (const IdentifiedCombination& one : found.combinations) {
    combinations.push_back(Json{{"name", one.name}, {"value", one.value}, {"sigma", one.sigma}});
  }
  object["combinations"] = std::move(combinations);
  Json own = Json::array();
  for (std::size_t r = 0; r < found.own.size(); ++r) {
    own.push_back(Json{{"recording", found.recordings[r]}, {"values", to_json(found.own[r])}});
  }
  object["own"] = std::move(own);
  Json sensors = Json::array();
  for (const IdentifiedSensor& one : found.sensors) {
    sensors.push_back(Json{{"name", one.name},
                           {"columns", one.columns},
                           {"noise", one.noise},
                           {"estimated", one.estimated},
                           {"residual", one.residual},
                           {"outliers", one.outliers}});
  }
  object["sensors"] = std::move(sensors);
  object["not_told"] = found.not_told;
  object["notes"] = found.notes;
  return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string to_csv(const Identification& found) {
  io::TableHead head;
  head.title = found.title;
  head.version = std::string(version());
  head.scenario_file = found.scenario_file;
  head.scenario_sha256 = found.scenario_sha256;
  for (const auto& [name, value] : found.parameters) {
    head.facts.emplace_back("set " + name, fmt::format("{}", value));
  }
  head.facts.emplace_back("samples", fmt::format("{}", found.samples));
  using Holds = io::TableColumn::Holds;
  head.columns = {{"recording", "", "of an unknown of its own; else empty", Holds::words},
                  {"name", "", "of the unknown", Holds::words},
                  {"start", "", "where the search began", Holds::numbers},
                  {"value", "", "fitted", Holds::numbers},
                  {"sigma", "", "standard deviation; empty where the log does not tell it", Holds::numbers}};
  std::string text = io::csv_head(head);
  const auto add = [&](const std::string& recording, const std::vector<IdentifiedValue>& values) {
    for (const IdentifiedValue& one : values) {
      const std::vector<io::TableCell> row{recording, one.name, one.start, one.value,
                                           one.told ? io::TableCell(one.sigma) : io::TableCell()};
      text += io::csv_row(row);
    }
  };
  add("", found.values);
  for (std::size_t r = 0; r < found.own.size(); ++r) { add(found.recordings[r], found.own[r]); }
  return text;
}

drawing::Chart to_chart(const Identification& found) {
  drawing::Chart chart;
  chart.title = found.title;
  chart.note = "points: measured, lines: fitted; residuals over their noise";
  chart.legend = drawing::Chart::Legend::above;
  constexpr std::size_t kMostRecordings = 3;
  for (std::size_t r = 0; r < std::min(found.curves.size(), kMostRecordings); ++r) {
    for (const IdentifiedSensor& sensor : found.sensors) {
      drawing::ChartPanel motion;
      drawing::ChartPanel left;
      motion.title = sensor.name;
      left.title = "residuals of " + sensor.name;
      if (found.curves.size() > 1) {
        motion.title += fmt::format(", recording {}", r + 1);
        left.title += fmt::format(", recording {}", r + 1);
      }
      motion.x.label = left.x.label = "t, s";
      left.y.label = "over the noise";
      int style = 0;
      for (const IdentifiedCurve& curve : found.curves[r]) {
        if (curve.sensor != sensor.name) { continue; }
        drawing::ChartLine measured{curve.column + ", measured", {}, style, true};
        drawing::ChartLine fit{curve.column, {}, style};
        drawing::ChartLine residual{curve.column, {}, style};
        for (std::size_t i = 0; i < curve.t.size(); ++i) {
          residual.points.emplace_back(curve.t[i], curve.residual[i] / sensor.noise);
          if (curve.measured.empty()) { continue; }
          measured.points.emplace_back(curve.t[i], curve.measured[i]);
          fit.points.emplace_back(curve.t[i], curve.measured[i] - curve.residual[i]);
        }
        ++style;
        left.lines.push_back(std::move(residual));
        if (fit.points.empty()) { continue; }
        motion.lines.push_back(std::move(fit));
        motion.lines.push_back(std::move(measured));
      }
      if (!motion.lines.empty()) { chart.panels.push_back(std::move(motion)); }
      if (!left.lines.empty()) { chart.panels.push_back(std::move(left)); }
    }
  }
  return chart;
}

}  // namespace polhode
