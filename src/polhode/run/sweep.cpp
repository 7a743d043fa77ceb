#include "polhode/run/sweep.h"

#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/drawing/thinned_line.h"
#include "polhode/io/on_threads.h"
#include "polhode/math/elementary.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace polhode {
namespace {

// ---- axes -----------------------------------------------------------------------------------------------------------

[[noreturn]] void refuse_axis(std::string_view text, std::string what) {
  fail(Error(Problem{.what = fmt::format("'{}': {}", text, what),
                     .allowed = "wanted: NAME=FROM:TO:COUNT, or NAME=FROM:TO:COUNT:log",
                     .cure = "such as spin=1:10:4"}));
}

/// What cannot be swept; "" where all is well.
std::string why_no_axis(const SweepAxis& axis) {
  constexpr double kLargest = 1e300;  // so that multiples of it are numbers
  for (const double end : {axis.from, axis.to}) {
    if (!(std::fabs(end) <= kLargest)) { return fmt::format("{} is not a number up to 1e300", end); }
  }
  if (axis.count < 1) { return "COUNT must be 1 or more"; }
  if (axis.count == 1 && axis.from != axis.to) {
    return fmt::format("one value cannot be both {} and {}; COUNT must be 2 or more", axis.from, axis.to);
  }
  if (axis.count > 1 && axis.from == axis.to) {
    return fmt::format("{} values from {} to {} are all the same; COUNT must be 1", axis.count, axis.from, axis.to);
  }
  if (axis.count > kMostSweepPoints) {
    return fmt::format("{} values; a grid has at most {} points", axis.count, kMostSweepPoints);
  }
  if (axis.logarithmic && !(axis.from > 0 && axis.to > 0) && !(axis.from < 0 && axis.to < 0)) {
    return fmt::format("logarithmic spacing needs ends of one sign, not {} and {}", axis.from, axis.to);
  }
  return {};
}

/// Takes the text up to the next colon off the front.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(':'), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

template <class Value>
bool read_whole(std::string_view word, Value& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') { word.remove_prefix(1); }
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && stop == word.data() + word.size();
}

/// The number with few digits that `value` is but for rounding, where there is one.
double with_few_digits(double value, double step) {
  constexpr int kFew = 11;
  const std::string text = fmt::format("{:.13g}", value);
  const std::string_view digits = std::string_view(text).substr(0, text.find('e'));
  if (std::count_if(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }) > kFew) { return value; }
  double rounded = value;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return std::fabs(rounded - value) <= 1e-6 * std::fabs(step) ? rounded : value;
}

// ---- columns --------------------------------------------------------------------------------------------------------

/// Of one body its rates, of a mechanism the coordinates of its joints; and the energy balance.
std::vector<simulation::Column> telling_columns(const std::vector<simulation::Column>& all, bool mechanism) {
  constexpr std::size_t kMost = 6;
  std::vector<simulation::Column> chosen;
  const auto add_where = [&](const auto& wanted) {
    for (const simulation::Column& column : all) {
      if (chosen.size() < kMost && wanted(column)) { chosen.push_back(column); }
    }
  };
  if (mechanism) {
    add_where([](const simulation::Column& column) {
      return (column.unit == "rad" || column.unit == "m") && column.meaning.find(" of joint ") != std::string::npos;
    });
  }
  if (chosen.empty()) {  // of a mechanism without joints, those of its first body
    std::string body;
    for (const simulation::Column& column : all) {
      const std::size_t at = column.name.find("wx_body_rad_s");
      if (at != std::string::npos) {
        body = column.name.substr(0, at);
        break;
      }
    }
    add_where([&](const simulation::Column& column) {
      return column.name == body + "wx_body_rad_s" || column.name == body + "wy_body_rad_s" ||
             column.name == body + "wz_body_rad_s";
    });
  }
  for (const simulation::Column& column : all) {
    if (column.name == "energy_balance_J") { chosen.push_back(column); }
  }
  return chosen;
}

std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      if (!line.ends_with("; ") && !line.empty()) { line += "; "; }
    } else {
      line += c;
    }
  }
  return line.ends_with("; ") ? line.substr(0, line.size() - 2) : line;
}

/// Of one column of a run, (t, value).
std::vector<std::pair<double, double>> curve_of(const Trajectory& run, std::size_t time, std::size_t column) {
  constexpr std::size_t kStretches = 100;  // up to twice as many, of four points at most
  drawing::ThinnedLine line(kStretches);
  for (std::size_t i = 0; i < run.rows(); ++i) {
    const std::span<const double> row = run.row(i);
    line.add(row[time], row[column]);
  }
  return line.points();
}

/// Index of a column in a row; nothing where there is none of this name.
std::optional<std::size_t> index_of(const Trajectory& run, std::string_view name) {
  for (std::size_t i = 0; i < run.columns().size(); ++i) {
    if (run.columns()[i].name == name) { return i; }
  }
  return {};
}

}  // namespace

double SweepAxis::value(std::size_t i) const {
  if (i == 0) { return from; }
  if (i + 1 >= count) { return to; }
  const auto n = static_cast<double>(count - 1);
  const auto k = static_cast<double>(i);
  if (!logarithmic) { return with_few_digits((from * (n - k) + to * k) / n, (to - from) / n); }
  const double ratio = math::log(to / from) / n;  // of two of one sign
  const double found = from * math::exp(ratio * k);
  return with_few_digits(found, found * ratio);
}

SweepAxis SweepAxis::read(std::string_view text) {
  SweepAxis axis;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) { refuse_axis(text, "no NAME= in front"); }
  axis.parameter = text.substr(0, equals);
  std::string_view rest = text.substr(equals + 1);
  if (std::count(rest.begin(), rest.end(), ':') < 2) {
    refuse_axis(
        text, fmt::format("{} behind the =",
                          counted(static_cast<std::uint64_t>(1 + std::count(rest.begin(), rest.end(), ':')), "value")));
  }
  for (double* end : {&axis.from, &axis.to}) {
    const std::string_view word = take_word(rest);
    if (!read_whole(word, *end)) { refuse_axis(text, fmt::format("'{}' is not a number", word)); }
  }
  const std::string_view count = take_word(rest);
  if (!read_whole(count, axis.count)) { refuse_axis(text, fmt::format("COUNT '{}' is not a whole number", count)); }
  if (!rest.empty() || text.ends_with(':')) {
    if (rest != "log") { refuse_axis(text, fmt::format("unknown spacing '{}'", rest)); }
    axis.logarithmic = true;
  }
  if (const std::string why = why_no_axis(axis); !why.empty()) { refuse_axis(text, why); }
  return axis;
}

std::string to_text(const SweepAxis& axis) {
  if (axis.count == 1) { return fmt::format("{} = {}", axis.parameter, axis.from); }
  return fmt::format("{} from {} to {}, {} values{}", axis.parameter, axis.from, axis.to, axis.count,
                     axis.logarithmic ? ", logarithmic" : "");
}

std::vector<std::size_t> SweepHead::indices(std::size_t point) const {
  std::vector<std::size_t> indices(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    indices[i] = point % axes[i].count;
    point /= axes[i].count;
  }
  return indices;
}

std::vector<double> SweepHead::values(std::size_t point) const {
  const std::vector<std::size_t> at = indices(point);
  std::vector<double> values(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) { values[i] = axes[i].value(at[i]); }
  return values;
}

bool SweepHead::is_drawn(std::size_t axis, std::size_t index) const {
  return std::binary_search(drawn[axis].begin(), drawn[axis].end(), index);
}

bool SweepRow::done() const {
  return ending == simulation::to_text(simulation::Ending::done) ||
         ending == simulation::to_text(simulation::Ending::stopped_by_event);
}

// ---- sweep ----------------------------------------------------------------------------------------------------------

Sweep::Sweep(const Scenario& scenario, std::vector<SweepAxis> over, SweepOptions options)
    : compiled_(scenario, options.folder, options.laws, options.meshes), options_(std::move(options)) {
  head_.title = scenario.title;
  head_.axes = std::move(over);
  head_.parameters = options_.parameters;
  head_.certified = options_.certify;
  head_.points = 1;
  if (head_.axes.empty()) { fail(Error("a sweep is over one parameter or more, and none is given")); }
  std::vector<std::string_view> known;
  for (const auto& [name, value] : scenario.parameters) { known.push_back(name); }
  std::set<std::string_view> seen;
  for (const SweepAxis& axis : head_.axes) {
    if (known.empty()) {
      fail(Error(Problem{.what = fmt::format("no parameter '{}': the scenario has no [parameters]", axis.parameter),
                         .allowed = {},
                         .cure = fmt::format("write {} = ... there, and \"{}\" where the number stands", axis.parameter,
                                             axis.parameter)}));
    }
    if (!scenario.parameters.contains(axis.parameter)) {
      fail(Error(unknown_name("parameter", axis.parameter, known)));
    }
    if (const std::string why = why_no_axis(axis); !why.empty()) {
      fail(Error(fmt::format("sweep over {}: {}", axis.parameter, why)));
    }
    if (!seen.insert(axis.parameter).second) { fail(Error(fmt::format("{} is swept twice", axis.parameter))); }
    if (head_.parameters.contains(axis.parameter)) {
      fail(Error(fmt::format("{} is both set and swept", axis.parameter)));
    }
    if (axis.count > kMostSweepPoints / head_.points) {
      std::string product;
      for (const SweepAxis& one : head_.axes) {
        product += fmt::format("{}{}", product.empty() ? "" : " x ", one.count);
      }
      fail(Error(Problem{.what = fmt::format("a grid of {} points", product),
                         .allowed = fmt::format("at most {}", kMostSweepPoints),
                         .cure = "take fewer values, or several sweeps"}));
    }
    head_.points *= axis.count;
  }
  std::set<std::string_view> named;
  for (const scenario::Event& event : scenario.event) {
    if (named.insert(event.name).second) { head_.events.push_back(event.name); }
  }
  find_columns();
  choose_curves();
}

/// As many values of every axis as together make no more curves than asked for: the first, the last, and evenly between
/// them.
void Sweep::choose_curves() {
  std::vector<std::size_t> drawn(head_.axes.size(), 1);
  const auto curves = [&] {
    std::size_t product = 1;
    for (const std::size_t n : drawn) { product *= n; }
    return product;
  };
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = head_.axes.size(); i-- > 0;) {
      if (drawn[i] == head_.axes[i].count) { continue; }
      ++drawn[i];
      if (curves() > options_.curves) {
        --drawn[i];
      } else {
        grown = true;
      }
    }
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    std::vector<std::size_t>& list = head_.drawn.emplace_back();
    const std::size_t gaps = std::max<std::size_t>(drawn[i] - 1, 1);
    for (std::size_t k = 0; k < drawn[i]; ++k) { list.push_back((k * (head_.axes[i].count - 1) + gaps / 2) / gaps); }
  }
}

Named<double> Sweep::parameters_at(std::size_t point) const {
  Named<double> parameters = head_.parameters;
  const std::vector<double> values = head_.values(point);
  for (std::size_t i = 0; i < values.size(); ++i) { parameters[head_.axes[i].parameter] = values[i]; }
  return parameters;
}

/// The one place where the scenario and values of its parameters become a run.
Trajectory Sweep::run_with(const Named<double>& parameters, const std::function<bool()>& keep_going,
                           bool certify) const {
  return simulate(compiled_, {.parameters = parameters, .certify = certify, .keep_going = keep_going});
}

void Sweep::find_columns() {
  std::optional<Error> first;
  std::vector<simulation::Column> all;
  const auto at_once = [] { return false; };
  for (std::size_t point = 0; point < head_.points && all.empty(); ++point) {
    if (options_.keep_going && !options_.keep_going()) { break; }
    try {
      all = run_with(parameters_at(point), at_once, false).columns();
      head_.first_that_runs = point;
    } catch (const Error& error) {
      if (first) { continue; }
      first = error;
      // what is wrong with the scenario whatever the values: no other point will do better
      try {
        static_cast<void>(run_with(head_.parameters, at_once, false));
      } catch (const Error& same) {
        if (std::string_view(same.what()) == first->what()) { fail(*first); }
      }
    }
  }
  if (all.empty()) { fail(first ? *first : Error("interrupted before the first run")); }
  if (options_.columns.empty()) {
    head_.columns = telling_columns(all, compiled_.scenario().is_mechanism());
    return;
  }
  std::vector<std::string_view> known;
  known.reserve(all.size());
  for (const simulation::Column& column : all) { known.push_back(column.name); }
  for (const std::string& name : options_.columns) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) { fail(Error(unknown_name("column", name, known))); }
    const simulation::Column& column = all[static_cast<std::size_t>(found - known.begin())];
    const bool again = std::any_of(head_.columns.begin(), head_.columns.end(),
                                   [&](const simulation::Column& one) { return one.name == name; });
    if (!again) { head_.columns.push_back(column); }
  }
}

bool Sweep::has_curves(std::size_t point) const {
  const std::vector<std::size_t> at = head_.indices(point);
  bool drawn = options_.curves > 0;
  for (std::size_t i = 0; i < at.size(); ++i) { drawn = drawn && head_.is_drawn(i, at[i]); }
  return drawn;
}

/// Nothing where it was interrupted.
std::optional<SweepRow> Sweep::row_at(std::size_t point, const std::function<bool()>& keep_going) const {
  SweepRow row;
  row.point = point;
  row.values = head_.values(point);
  row.columns.resize(head_.columns.size());
  row.events.resize(head_.events.size());
  try {
    const Trajectory run = run_with(parameters_at(point), keep_going, options_.certify);
    const bool cut_short = options_.certify && !keep_going();
    if (cut_short || run.end().ending == simulation::Ending::interrupted) { return {}; }
    row.ending = simulation::to_text(run.end().ending);
    row.reason = run.done() ? "" : in_one_line(run.end().message);
    row.t_end = run.end().t;
    const bool drawn = has_curves(point);
    const std::optional<std::size_t> time = index_of(run, "t_s");
    if (drawn) { row.curves.resize(head_.columns.size()); }
    for (std::size_t i = 0; i < head_.columns.size(); ++i) {
      const std::string& name = head_.columns[i].name;
      const std::optional<std::size_t> index = index_of(run, name);
      if (!index || run.rows() == 0) { continue; }
      row.columns[i] = {run.row(run.rows() - 1)[*index], run.largest(name), run.smallest(name)};
      if (drawn && time) { row.curves[i] = curve_of(run, *time, *index); }
    }
    for (const EventRecord& record : run.events()) {
      const auto at = std::find(head_.events.begin(), head_.events.end(), record.name) - head_.events.begin();
      EventFacts& event = row.events[static_cast<std::size_t>(at)];
      if (event.count++ == 0) { event.first = record.t; }
      event.last = record.t;
    }
    if (head_.certified) {
      row.verdict = run.certificate().verdict;
      row.attitude_error = run.certificate().attitude_error;
    }
  } catch (const Error& error) {
    row.ending = SweepRow::kRefused;
    row.reason = in_one_line(error.what());
  }
  return row;
}

bool Sweep::run(const std::function<void(const SweepRow&)>& take, const SweepMemory& memory) const {
  constexpr std::size_t kMostThreads = 1024;
  const std::size_t wanted =
      options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = std::min({wanted, head_.points, kMostThreads});
  const std::size_t window = 16 * threads;  // points begun and not handed out, at most
  std::mutex mutex;
  std::condition_variable moved;
  std::map<std::size_t, SweepRow> waiting;
  std::size_t next = 0;  // to be begun
  std::size_t due = 0;   // to be handed out
  std::size_t handed = 0;
  std::atomic<bool> stopped{false};
  std::exception_ptr failure;
  const std::function<bool()> going = [&] { return !stopped && (!options_.keep_going || options_.keep_going()); };

  const auto hand_out = [&](const SweepRow& row) {
    take(row);
    ++handed;
    if (options_.on_progress) { options_.on_progress(handed, head_.points); }
  };
  const auto work = [&] {
    while (true) {
      std::unique_lock lock(mutex);
      moved.wait(lock, [&] { return stopped || next >= head_.points || next < due + window; });
      if (stopped || next >= head_.points) { return; }
      const std::size_t point = next++;
      try {
        std::optional<SweepRow> row = memory.recall ? memory.recall(point) : std::nullopt;
        if (!row) {
          lock.unlock();
          if (going()) { row = row_at(point, going); }
          lock.lock();
          if (row && memory.remember) { memory.remember(*row); }
        }
        if (!row) {
          stopped = true;
        } else {
          waiting.emplace(point, std::move(*row));
        }
        while (!waiting.empty() && waiting.begin()->first == due) {
          hand_out(waiting.begin()->second);
          waiting.erase(waiting.begin());
          ++due;
        }
      } catch (...) {
        if (!lock.owns_lock()) { lock.lock(); }
        if (!failure) { failure = std::current_exception(); }
        stopped = true;
      }
      moved.notify_all();
    }
  };
  io::on_threads(threads, work);
  if (failure) { std::rethrow_exception(failure); }
  for (const auto& [point, row] : waiting) { hand_out(row); }  // behind one that was interrupted
  return handed == head_.points;
}

SweepTable sweep(const Scenario& scenario, const std::vector<SweepAxis>& over, const SweepOptions& options) {
  const Sweep all(scenario, over, options);
  SweepTable table{all.head(), {}, false};
  table.interrupted = !all.run([&](const SweepRow& row) { table.rows.push_back(row); });
  return table;
}

// ---- table ----------------------------------------------------------------------------------------------------------

std::vector<io::TableColumn> table_columns(const SweepHead& head) {
  using Holds = io::TableColumn::Holds;
  std::vector<io::TableColumn> columns;
  std::set<std::string> taken;
  for (const SweepAxis& axis : head.axes) { taken.insert(axis.parameter); }
  // a parameter keeps its name, whatever else is called so
  const auto add = [&](std::string name, std::string unit, std::string meaning, Holds holds = Holds::numbers) {
    while (!taken.insert(name).second) { name += '_'; }
    columns.push_back({std::move(name), std::move(unit), std::move(meaning), holds});
  };
  add("point", "1", "number of the point of the grid, from 0", Holds::whole_numbers);
  for (const SweepAxis& axis : head.axes) { columns.push_back({axis.parameter, "", "parameter", Holds::numbers}); }
  add("ending", "", "how the run ended; refused: it could not be run", Holds::words);
  add("t_end_s", "s", "when it ended");
  for (const simulation::Column& column : head.columns) {
    add("final_" + column.name, column.unit, column.meaning + ", in the last row");
    add("largest_" + column.name, column.unit, column.meaning + ", largest of all rows");
    add("largest_" + column.name + "_t_s", "s", "when it is largest");
    add("smallest_" + column.name, column.unit, column.meaning + ", smallest of all rows");
    add("smallest_" + column.name + "_t_s", "s", "when it is smallest");
  }
  for (const std::string& event : head.events) {
    add(event + "_count", "1", "how often event " + event + " was met", Holds::whole_numbers);
    add(event + "_first_t_s", "s", "when it was met first");
    add(event + "_last_t_s", "s", "when it was met last");
  }
  if (head.certified) {
    add("certificate", "", "whether the run is within its accuracy: yes, no, not established", Holds::words);
    add("attitude_error_rad", "rad", "attitude error that the certificate found");
  }
  add("reason", "", "of a run that did not come to its end", Holds::words);
  return columns;
}

std::vector<io::TableCell> table_row(const SweepHead& head, const SweepRow& row) {
  std::vector<io::TableCell> cells;
  const bool ran = row.has_run();
  const auto number = [&](double x, bool there) { cells.push_back(there ? io::TableCell(x) : io::TableCell()); };
  cells.emplace_back(std::uint64_t{row.point});
  for (const double value : row.values) { cells.emplace_back(value); }
  cells.emplace_back(row.ending);
  number(row.t_end, ran);
  for (const std::optional<ColumnFacts>& column : row.columns) {
    const ColumnFacts facts = column.value_or(ColumnFacts{});
    for (const double x : {facts.final, facts.largest.value, facts.largest.t, facts.smallest.value, facts.smallest.t}) {
      number(x, column.has_value());
    }
  }
  for (const EventFacts& event : row.events) {
    cells.push_back(ran ? io::TableCell(event.count) : io::TableCell());
    number(event.first, event.count > 0);
    number(event.last, event.count > 0);
  }
  if (head.certified) {
    cells.push_back(row.verdict ? io::TableCell(std::string(simulation::to_text(*row.verdict))) : io::TableCell());
    number(row.attitude_error.value_or(0), row.attitude_error.has_value());
  }
  cells.push_back(row.reason.empty() ? io::TableCell() : io::TableCell(row.reason));
  return cells;
}

std::vector<std::pair<std::string, std::string>> table_facts(const SweepHead& head) {
  std::vector<std::pair<std::string, std::string>> facts;
  std::string axes;
  for (const SweepAxis& axis : head.axes) { axes += (axes.empty() ? "" : "; ") + to_text(axis); }
  facts.emplace_back("over", axes);
  facts.emplace_back("points", fmt::format("{}", head.points));
  std::string set;
  for (const auto& [name, value] : head.parameters) {
    set += fmt::format("{}{} = {}", set.empty() ? "" : ", ", name, value);
  }
  if (!set.empty()) { facts.emplace_back("set", set); }
  return facts;
}

}  // namespace polhode
