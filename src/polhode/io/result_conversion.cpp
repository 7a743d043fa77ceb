#include "polhode/io/result_conversion.h"

#include "polhode/core/refuse.h"
#include "polhode/io/moment.h"
#include "polhode/rotation/euler_parameters.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <optional>

namespace polhode::io {
namespace {

struct Interrupted {};

/// Makes a mechanism's head that of one of its bodies; which columns of the mechanism it has.
std::vector<std::size_t> keep_body(ResultHead& head, const std::string& body) {
  std::vector<std::string_view> known;
  known.reserve(head.bodies.size());
  for (const PicturedBody& one : head.bodies) { known.push_back(one.name); }
  const auto found = std::find(known.begin(), known.end(), body);
  if (!head.is_mechanism()) { refuse("this result has one body without a name", "leave out --body"); }
  if (found == known.end()) { fail(Error(unknown_name("body", body, known))); }
  std::vector<std::size_t> kept;
  std::vector<simulation::Column> columns;
  for (std::size_t i = 0; i < head.columns.size(); ++i) {
    simulation::Column column = head.columns[i];
    if (column.name != "t_s" && !column.name.starts_with(body + ".")) { continue; }
    if (column.name != "t_s") { column.name.erase(0, body.size() + 1); }
    kept.push_back(i);
    columns.push_back(std::move(column));
  }
  for (const char* name : {"e0", "e1", "e2", "e3"}) {
    if (std::any_of(columns.begin(), columns.end(), [&](const auto& column) { return column.name == name; })) {
      continue;
    }
    refuse(fmt::format("this result has no column '{}.{}'", body, name),
           "run again with the attitude of the body among the columns of [output]");
  }
  head.columns = std::move(columns);
  head.bodies = {head.bodies[static_cast<std::size_t>(found - known.begin())]};
  head.joints.clear();
  head.scene.springs.clear();
  return kept;
}

/// What a row says of its one body.
struct Moment {
  double t = 0;
  EulerParameters<double> e_NB;
  std::optional<Vec3<double>> w_B;  ///< where the result has rates
};

/// Puts the state of another body into an event between two of its rows: the attitude by the shortest arc, the rate in
/// proportion, or that of the arc where there is none.
void place_between(const Moment& a, const Moment& b, ResultEvent& event) {
  const double span = b.t - a.t;
  const double s = span > 0 ? std::clamp((event.t - a.t) / span, 0.0, 1.0) : 0.0;
  event.e_NB = slerp(a.e_NB, b.e_NB, s);
  event.w_B = a.w_B && b.w_B ? (1 - s) * *a.w_B + s * *b.w_B
              : span > 0     ? (1 / span) * rotation_vector(relative_rotation(a.e_NB, b.e_NB))
                             : Vec3<double>{};
}

/// A result that shows how far it is, ends at Ctrl-C, and has the epoch and the body that the user gave.
class Watched final : public ResultReader {
 public:
  Watched(std::unique_ptr<ResultReader> result, const ResultConversion& choice, Converted& seen)
      : ResultReader(result->file()), result_(std::move(result)), choice_(&choice), seen_(&seen) {
    head_ = result_->head();
    if (!choice.epoch.empty()) { head_.epoch = choice.epoch; }
    if (!choice.body.empty()) {
      another_body_ = !head_.bodies.empty() && head_.bodies.front().name != choice.body;
      kept_ = keep_body(head_, choice.body);
    }
    time_ = head_.column("t_s");
    find_time();
    seen_->rows = seen_->events = 0;
    seen_->notes.clear();
  }
  std::uint64_t done() const override { return result_->done(); }
  std::uint64_t total() const override { return result_->total(); }

 private:
  Item take() override {
    if (choice_->keep_going && !choice_->keep_going()) { throw Interrupted{}; }
    // An event is told with the state of the first body. That of another lies between the rows before and after it, so
    // the event waits for the second.
    while (waiting_.empty() || !ahead_) {
      Item item = ahead_ ? *ahead_ : result_->next();
      ahead_.reset();
      if (choice_->keep_going && !choice_->keep_going()) { throw Interrupted{}; }
      if (item == Item::event && another_body_) {
        waiting_.push_back(result_->event());
        continue;
      }
      if (!waiting_.empty()) {
        ahead_ = item;
        break;
      }
      return give(item);
    }
    event_ = std::move(waiting_.front());
    waiting_.pop_front();
    if (before_ || *ahead_ == Item::row) {
      const Moment after = *ahead_ == Item::row ? moment_of(picked()) : *before_;
      place_between(before_.value_or(after), after, event_);
    }
    ++seen_->events;
    seen_->interpolated = true;
    return Item::event;
  }

  Item give(Item item) {
    if (item == Item::row) {
      row_ = picked();
      if (another_body_ && !head_.events.empty()) { before_ = moment_of(row_); }
      seen_->last = row_[time_];
      if (++seen_->rows == 1) { seen_->first = seen_->last; }
      if (choice_->on_progress) { choice_->on_progress(result_->done(), result_->total()); }
    } else if (item == Item::event) {
      event_ = result_->event();
      ++seen_->events;
    } else {
      seen_->notes = result_->notes();
    }
    return item;
  }

  /// The columns that are kept of the result's row.
  std::vector<double> picked() const {
    const std::span<const double> all = result_->row();
    if (kept_.empty()) { return {all.begin(), all.end()}; }
    std::vector<double> row;
    row.reserve(kept_.size());
    for (const std::size_t i : kept_) { row.push_back(all[i]); }
    return row;
  }
  Moment moment_of(std::span<const double> row) const {
    std::array<std::optional<double>, 7> found;
    constexpr std::string_view kNames[] = {"e0", "e1", "e2", "e3", "wx_body_rad_s", "wy_body_rad_s", "wz_body_rad_s"};
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto* const name = std::find(std::begin(kNames), std::end(kNames), head_.columns[i].name);
      if (name != std::end(kNames)) { found[static_cast<std::size_t>(name - std::begin(kNames))] = row[i]; }
    }
    const auto& [e0, e1, e2, e3, x, y, z] = found;
    Moment moment{row[time_], {*e0, {*e1, *e2, *e3}}, {}};
    if (x && y && z) { moment.w_B = {*x, *y, *z}; }
    return moment;
  }
  Location location() const override { return {file_, 0, 0}; }

  std::unique_ptr<ResultReader> result_;
  const ResultConversion* choice_;
  Converted* seen_;
  std::size_t time_ = 0;
  std::vector<std::size_t> kept_;  ///< columns of the one body; empty: all
  bool another_body_ = false;      ///< than the first, which events are told with
  std::deque<ResultEvent> waiting_;
  std::optional<Item> ahead_;     ///< what follows the events that wait
  std::optional<Moment> before_;  ///< at the last row
};

std::vector<std::string> left_out(const ResultWriter& writer, const ResultHead& head) {
  std::vector<std::string> names;
  for (const auto& column : head.columns) {
    if (writer.keeps != nullptr && !writer.keeps(head, column.name)) { names.push_back(column.name); }
  }
  return names;
}

}  // namespace

std::string result_file_in(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  return fs::is_directory(path, none) ? (fs::path(path) / "run.plog").string() : path;
}

bool is_result_format(const std::string& name) {
  const auto& all = result_writers();
  return std::any_of(all.begin(), all.end(), [&](const ResultWriter* writer) { return writer->name == name; });
}

std::string Converted::lost() const {
  if (left_out.empty() && !events_left_out) { return {}; }
  return fmt::format("{} has no room for {}{}{}", output_format, fmt::join(left_out, " "),
                     !left_out.empty() && events_left_out ? " and for " : "", events_left_out ? "events" : "");
}

std::string to_json(const Converted& converted, const std::string& input, const std::string& output) {
  const nlohmann::ordered_json json{{"what", "convert"},
                                    {"input", input},
                                    {"input_format", converted.input_format},
                                    {"output", output},
                                    {"output_format", converted.output_format},
                                    {"rows", converted.rows},
                                    {"events", converted.events},
                                    {"first_t_s", converted.first},
                                    {"last_t_s", converted.last},
                                    {"left_out", converted.left_out},
                                    {"events_left_out", converted.events_left_out},
                                    {"notes", converted.notes}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

ResultConverter::ResultConverter(ResultConversion choice)
    : choice_(std::move(choice)), writer_(&result_writer(choice_.format)) {
  if (!choice_.epoch.empty() && !read_moment(choice_.epoch, Calendar::utc)) {
    refuse(fmt::format("--epoch '{}' is no moment", choice_.epoch), "write it such as 2026-01-31T12:00:00, UTC");
  }
  head_ = choice_.open(choice_.input)->head();
  if (!choice_.epoch.empty()) {
    if (!head_.epoch.empty()) {
      refuse(fmt::format("{} has an epoch: {}", choice_.input, head_.epoch), "leave out --epoch");
    }
    head_.epoch = choice_.epoch;
  }
  if (!choice_.body.empty()) { keep_body(head_, choice_.body); }
  if (writer_->check != nullptr) { writer_->check(head_); }
}

Converted ResultConverter::write(const ResultOutput& output) const {
  Converted converted;
  converted.input_format = result_format_of(choice_.input).name;
  converted.output_format = writer_->name;
  try {
    writer_->write(
        [&]() -> std::unique_ptr<ResultReader> {
          return std::make_unique<Watched>(choice_.open(choice_.input), choice_, converted);
        },
        output);
  } catch (const Interrupted&) {
    converted.interrupted = true;
    return converted;
  }
  converted.left_out = left_out(*writer_, head_);
  converted.events_left_out = writer_->keeps != nullptr && converted.events > 0;
  if (converted.interpolated && !converted.events_left_out) {
    converted.notes.push_back(
        fmt::format("attitude and rate of '{}' at events lie between its rows: the result holds those "
                    "of the first body",
                    choice_.body));
  }
  return converted;
}

}  // namespace polhode::io
