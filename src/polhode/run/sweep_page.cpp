#include "polhode/run/sweep_page.h"

#include "polhode/core/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace polhode {
namespace {

/// Rows of the table on the page.
constexpr std::size_t kMostShown = 100;
/// Values of a parameter that get a mark each.
constexpr std::size_t kMostMarks = 60;
constexpr std::size_t kMostEventsDrawn = 6;

std::string short_number(double x) { return fmt::format("{:.6g}", x); }

/// "spin = 10, tilt = 0.5", of the axes that are wanted.
template <class Wanted>
std::string name_of(const SweepHead& head, const std::vector<double>& values, const Wanted& wanted) {
  std::string name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!wanted(i)) { continue; }
    name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", head.axes[i].parameter, short_number(values[i]));
  }
  return name;
}

/// For a chart, in which an underscore would make a subscript.
std::string in_chart(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// "wx body (rad/s)" of wx_body_rad_s.
std::string label_of(const simulation::Column& column) {
  std::string name = column.name;
  if (column.unit.empty() || column.unit == "1") { return in_chart(name); }
  std::string ending = "_";
  for (const char c : column.unit) {
    if (c != ' ') { ending += c == '/' ? '_' : c; }
  }
  if (name.ends_with(ending)) { name.resize(name.size() - ending.size()); }
  return fmt::format("{} ({})", in_chart(name), column.unit);
}

drawing::Chart sweep_chart(std::string title) {
  drawing::Chart chart;
  chart.title = std::move(title);
  chart.columns = 2;
  chart.panel_width = 430;
  chart.panel_height = 230;
  return chart;
}

drawing::ChartAxis parameter_axis(const SweepAxis& axis) {
  const bool log = axis.logarithmic && axis.from > 0;
  const auto [low, high] = std::minmax(axis.from, axis.to);
  return {in_chart(axis.parameter), log ? drawing::Scale::logarithmic : drawing::Scale::linear, low, high};
}

}  // namespace

SweepPage::SweepPage(const SweepHead& head) : head_(&head) {
  for (std::size_t i = 0; i < head.axes.size(); ++i) {
    if (head.axes[i].count >= head.axes[x_axis_].count) { x_axis_ = i; }
  }
}

void SweepPage::row(const SweepRow& row) {
  const SweepHead& head = *head_;
  ++rows_;
  if (row.done()) { ++done_; }
  Ending& ending = endings_[row.ending];
  ++ending.count;
  if (ending.first_reason.empty() && !row.reason.empty()) {
    ending.first_reason =
        fmt::format("{}: {}", name_of(head, row.values, [](std::size_t) { return true; }), row.reason);
  }
  if (row.verdict) { ++verdicts_[std::string(simulation::to_text(*row.verdict))]; }

  if (!row.curves.empty()) {
    curves_.push_back({name_of(head, row.values, [](std::size_t) { return true; }), row.curves});
  }

  // lines along one axis, at those values of the others that are drawn
  const std::vector<std::size_t> at = head.indices(row.point);
  bool drawn = true;
  for (std::size_t i = 0; i < at.size(); ++i) { drawn = drawn && (i == x_axis_ || head.is_drawn(i, at[i])); }
  if (drawn) {
    const std::string name = name_of(head, row.values, [&](std::size_t i) { return i != x_axis_; });
    auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& one) { return one.name == name; });
    if (line == lines_.end()) { line = lines_.insert(lines_.end(), Line{name, {}}); }
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const auto add = [&](const std::string& quantity, double value) {
      line->quantities.try_emplace(quantity, drawing::ThinnedLine(120)).first->second.add(row.values[x_axis_], value);
    };
    for (std::size_t i = 0; i < head.columns.size(); ++i) {
      const std::optional<ColumnFacts>& facts = row.columns[i];
      add("final " + head.columns[i].name, facts ? facts->final : kNone);
      if (head.axes.size() > 1) { continue; }
      add("largest " + head.columns[i].name, facts ? facts->largest.value : kNone);
      add("smallest " + head.columns[i].name, facts ? facts->smallest.value : kNone);
    }
    for (std::size_t i = 0; i < std::min(head.events.size(), kMostEventsDrawn); ++i) {
      const EventFacts& event = row.events[i];
      add("count " + head.events[i], row.has_run() ? static_cast<double>(event.count) : kNone);
      add("first " + head.events[i], event.count > 0 ? event.first : kNone);
    }
  }

  if (shown_.size() < kMostShown) {
    std::vector<std::string> cells{fmt::format("{}", row.point)};
    for (const double value : row.values) { cells.push_back(short_number(value)); }
    cells.push_back(row.has_run() ? short_number(row.t_end) : "-");
    for (const auto& facts : row.columns) { cells.push_back(facts ? short_number(facts->final) : "-"); }
    for (const EventFacts& event : row.events) {
      cells.push_back(row.has_run() ? fmt::format("{}", event.count) : "-");
    }
    if (head.certified) { cells.emplace_back(row.verdict ? simulation::to_text(*row.verdict) : "-"); }
    cells.push_back(row.ending);
    cells.push_back(row.reason.substr(0, row.reason.find("; ")));  // what is allowed and the cure are in the table
    shown_.push_back(std::move(cells));
  }
}

report::Table SweepPage::table() const {
  report::Table table;
  table.heads = {"point"};
  for (const SweepAxis& axis : head_->axes) { table.heads.push_back(axis.parameter); }
  table.heads.emplace_back("t_end_s");
  for (const simulation::Column& column : head_->columns) { table.heads.push_back(column.name); }
  for (const std::string& event : head_->events) { table.heads.push_back(event); }
  if (head_->certified) { table.heads.emplace_back("certificate"); }
  table.heads.insert(table.heads.end(), {"ending", "reason"});
  table.rows = shown_;
  for (const auto& cells : shown_) { table.row_classes.emplace_back(cells.back().empty() ? "" : "off"); }
  if (std::all_of(shown_.begin(), shown_.end(), [](const auto& cells) { return cells.back().empty(); })) {
    table.heads.pop_back();
    for (auto& cells : table.rows) { cells.pop_back(); }
  }
  return table;
}

std::string SweepPage::in_words() const {
  if (rows_ == 0) { return "no run"; }
  std::string text = done_ == rows_
                         ? fmt::format("{} came to {} end", rows_ == 1 ? "1 run" : fmt::format("all {} runs", rows_),
                                       rows_ == 1 ? "its" : "their")
                         : fmt::format("{} of {} came to their end", done_, counted(rows_, "run"));
  for (const auto& [name, ending] : endings_) {
    if (!ending.first_reason.empty()) { text += fmt::format(", {} {}", ending.count, name); }
  }
  for (const auto& [verdict, count] : verdicts_) { text += fmt::format("; certificate {}: {}", verdict, count); }
  return text;
}

bool SweepPage::marks() const { return head_->axes[x_axis_].count <= kMostMarks; }

/// Quantities of the lines with what they are called where the lines have no names of their own.
void SweepPage::add_panel(drawing::Chart& chart, const std::string& title,
                          const std::vector<std::pair<std::string, std::string>>& quantities) const {
  drawing::ChartPanel panel;
  panel.title = title;
  panel.x = parameter_axis(head_->axes[x_axis_]);
  int style = static_cast<int>(quantities.size());
  for (const auto& [quantity, name] : quantities) {
    --style;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto found = lines_[i].quantities.find(quantity);
      if (found == lines_[i].quantities.end()) { continue; }
      drawing::ChartLine line;
      line.name = lines_[i].name.empty() ? name : in_chart(lines_[i].name);
      line.points = found->second.points();
      line.style = style;
      line.marks = marks();
      line.shade = lines_.size() > 1 ? static_cast<double>(i) / static_cast<double>(lines_.size() - 1) : -1;
      panel.lines.push_back(std::move(line));
    }
  }
  chart.panels.push_back(std::move(panel));
}

drawing::Chart SweepPage::finals() const {
  drawing::Chart chart = sweep_chart("Against " + in_chart(head_->axes[x_axis_].parameter));
  for (const simulation::Column& column : head_->columns) {
    std::vector<std::pair<std::string, std::string>> quantities;
    if (head_->axes.size() == 1) {
      quantities = {{"largest " + column.name, "largest"}, {"smallest " + column.name, "smallest"}};
    }
    quantities.emplace_back("final " + column.name, "final");  // over the others
    add_panel(chart, label_of(column), quantities);
  }
  return chart;
}

drawing::Chart SweepPage::events() const {
  drawing::Chart chart = sweep_chart("Against " + in_chart(head_->axes[x_axis_].parameter));
  for (std::size_t i = 0; i < std::min(head_->events.size(), kMostEventsDrawn); ++i) {
    const std::string& event = head_->events[i];
    add_panel(chart, in_chart(event) + ": first at (s)", {{"first " + event, ""}});
    add_panel(chart, in_chart(event) + ": how often", {{"count " + event, ""}});
  }
  return chart;
}

drawing::Chart SweepPage::over_time() const {
  drawing::Chart chart =
      sweep_chart(curves_.size() < rows_ ? fmt::format("{} of {} runs, spread over the grid", curves_.size(), rows_)
                                         : std::string("All runs"));
  for (std::size_t k = 0; k < head_->columns.size(); ++k) {
    drawing::ChartPanel panel;
    panel.title = label_of(head_->columns[k]);
    panel.x.label = "t (s)";
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      drawing::ChartLine line;
      line.name = in_chart(curves_[i].name);
      line.points = curves_[i].by_column[k];
      line.shade = curves_.size() > 1 ? static_cast<double>(i) / static_cast<double>(curves_.size() - 1) : 0;
      panel.lines.push_back(std::move(line));
    }
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

std::string SweepPage::html(const io::TableHead& origin, const std::string& scenario_text, const std::string& command,
                            const std::string& table) const {
  const SweepHead& head = *head_;
  const bool interrupted = rows_ < head.points;
  const bool failed = verdicts_.contains(std::string(simulation::to_text(simulation::Verdict::no)));
  std::string words = in_words();
  if (!interrupted && words.starts_with('a')) { words[0] = 'A'; }
  std::string body = fmt::format("<h1>{}: a sweep</h1>\n", report::escape(origin.title));
  body +=
      fmt::format("<div class=\"verdict {}\"><strong>{}{}</strong>\n",
                  interrupted || (done_ < rows_ && !failed) ? "open"
                  : failed                                  ? "no"
                                                            : "yes",
                  interrupted ? fmt::format("Interrupted after {} of {}: ", rows_, counted(head.points, "point")) : "",
                  report::escape(words));
  std::vector<std::pair<std::string, std::string>> facts = table_facts(head);
  for (const auto& [name, ending] : endings_) {
    if (!ending.first_reason.empty()) { facts.emplace_back("first " + name, ending.first_reason); }
  }
  body += report::facts(facts) + "</div>\n";

  const bool one_axis = head.axes.size() == 1;
  const auto add = [&](const char* heading, const char* name, const std::string& caption, const drawing::Chart& chart) {
    body += report::heading(heading) + report::figures({{name, caption, chart}});
  };
  if (head.axes[x_axis_].count > 1) {
    add("Final values", "finals",
        fmt::format("{}, a {} a run.", one_axis ? "Final values and extremes" : "Final values",
                    marks() ? "mark" : "point"),
        finals());
    if (!head.events.empty()) { add("Events", "events", "When each event was met first, and how often.", events()); }
  }
  if (!curves_.empty()) { add("Over time", "over-time", "Over each other.", over_time()); }
  report::Table rows = SweepPage::table();
  rows.caption =
      shown_.size() < rows_
          ? fmt::format("Final values, the first {} of {}; the others, and extremes with their times, are in {}.",
                        shown_.size(), counted(rows_, "row"), table)
          : fmt::format("Final values; extremes with their times, and events with theirs, are in {}.", table);
  body += report::heading("The runs") + report::to_html(rows);

  body += report::heading("Make it again") + report::commands({command});
  body += report::facts({{"scenario", origin.scenario_file},
                         {"SHA-256", origin.scenario_sha256},
                         {"program", "polhode " + origin.version}});
  body += report::details("The scenario, " + origin.scenario_file, report::preformatted(scenario_text));
  return report::page(origin.title + ": a sweep", body);
}

}  // namespace polhode
