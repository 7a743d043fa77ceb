#include "convert_result.h"

#include "polhode/core/counted.h"
#include "polhode/core/refuse.h"
#include "polhode/io/moment.h"
#include "polhode/io/result.h"
#include "polhode/rotation/euler_parameters.h"
#include "progress.h"
#include "read_apart.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <optional>

namespace polhode::app {
namespace {

namespace fs = std::filesystem;

struct Interrupted {};

/// What went through, for the summary.
struct Seen {
  std::uint64_t rows = 0;
  std::uint64_t events = 0;
  double first = 0;
  double last = 0;
  bool interpolated = false;  ///< the states of events
  std::vector<std::string> notes;
};

/// Makes a mechanism's head that of one of its bodies; which columns of the mechanism it has.
std::vector<std::size_t> keep_body(io::ResultHead& head, const std::string& body) {
  std::vector<std::string_view> known;
  known.reserve(head.bodies.size());
  for (const io::PicturedBody& one : head.bodies) { known.push_back(one.name); }
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
void place_between(const Moment& a, const Moment& b, io::ResultEvent& event) {
  const double span = b.t - a.t;
  const double s = span > 0 ? std::clamp((event.t - a.t) / span, 0.0, 1.0) : 0.0;
  event.e_NB = slerp(a.e_NB, b.e_NB, s);
  event.w_B = a.w_B && b.w_B ? (1 - s) * *a.w_B + s * *b.w_B
              : span > 0     ? (1 / span) * rotation_vector(relative_rotation(a.e_NB, b.e_NB))
                             : Vec3<double>{};
}

/// A result that shows how far it is, ends at Ctrl-C, and has the epoch and the body that the user gave.
class Watched final : public io::ResultReader {
 public:
  Watched(std::unique_ptr<io::ResultReader> result, const ResultConversion& choice, Progress& progress, Seen& seen)
      : ResultReader(result->file()), result_(std::move(result)), progress_(&progress), seen_(&seen) {
    head_ = result_->head();
    if (!choice.epoch.empty()) { head_.epoch = choice.epoch; }
    if (!choice.body.empty()) {
      another_body_ = !head_.bodies.empty() && head_.bodies.front().name != choice.body;
      kept_ = keep_body(head_, choice.body);
    }
    time_ = head_.column("t_s");
    find_time();
    *seen_ = {};
  }
  std::uint64_t done() const override { return result_->done(); }
  std::uint64_t total() const override { return result_->total(); }

 private:
  Item take() override {
    if (interrupted()) { throw Interrupted{}; }
    // An event is told with the state of the first body. That of another lies between the rows before and after it, so
    // the event waits for the second.
    while (waiting_.empty() || !ahead_) {
      Item item = ahead_ ? *ahead_ : result_->next();
      ahead_.reset();
      if (interrupted()) { throw Interrupted{}; }
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
      progress_->set(result_->done());
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
  Place place() const override { return {file_, 0, 0}; }

  std::unique_ptr<io::ResultReader> result_;
  Progress* progress_;
  Seen* seen_;
  std::size_t time_ = 0;
  std::vector<std::size_t> kept_;  ///< columns of the one body; empty: all
  bool another_body_ = false;      ///< than the first, which events are told with
  std::deque<io::ResultEvent> waiting_;
  std::optional<Item> ahead_;     ///< what follows the events that wait
  std::optional<Moment> before_;  ///< at the last row
};

/// The log in the folder of a run, or the file itself.
std::string file_of(const std::string& input) {
  std::error_code none;
  return fs::is_directory(input, none) ? (fs::path(input) / "run.plog").string() : input;
}

std::vector<std::string> left_out(const io::ResultWriter& writer, const io::ResultHead& head) {
  std::vector<std::string> names;
  for (const auto& column : head.columns) {
    if (writer.keeps != nullptr && !writer.keeps(head, column.name)) { names.push_back(column.name); }
  }
  return names;
}

}  // namespace

bool is_result_format(const std::string& name) {
  const auto& all = io::result_writers();
  return std::any_of(all.begin(), all.end(), [&](const io::ResultWriter* writer) { return writer->name == name; });
}

int convert_result(const Session& session, const ResultConversion& choice) {
  const io::ResultWriter& writer = io::result_writer(choice.format);
  if (choice.input.empty()) {
    refuse("there is no result to convert", "name it: polhode convert t-handle.run --to " + choice.format);
  }
  const std::string input = file_of(choice.input);
  if (session.json && choice.output == "-") {
    refuse("with --json standard output holds the summary", "give the result a file: -o FILE");
  }
  if (!choice.epoch.empty() && !io::read_moment(choice.epoch, io::Calendar::utc)) {
    refuse(fmt::format("--epoch '{}' is no moment", choice.epoch), "write it such as 2026-01-31T12:00:00, UTC");
  }
  const std::string_view input_format = io::result_format_of(input).name;
  io::ResultHead head;
  std::uint64_t bytes = 0;
  {
    const std::unique_ptr<io::ResultReader> first = open_result_apart(input);
    head = first->head();
    bytes = first->total();
  }
  if (!choice.epoch.empty()) {
    if (!head.epoch.empty()) { refuse(fmt::format("{} has an epoch: {}", input, head.epoch), "leave out --epoch"); }
    head.epoch = choice.epoch;
  }
  if (!choice.body.empty()) { keep_body(head, choice.body); }
  if (writer.check != nullptr) { writer.check(head); }

  catch_interrupt();
  Seen seen;
  OutputFile file(choice.output);
  try {
    Progress progress(session, "converting", "bytes", bytes);
    writer.write(
        [&]() -> std::unique_ptr<io::ResultReader> {
          return std::make_unique<Watched>(open_result_apart(input), choice, progress, seen);
        },
        {[&](std::string_view text) { file.write(text); }, file.writing_to()});
  } catch (const Interrupted&) {
    session.say(fmt::format("interrupted; {} is not written", choice.output));
    return interrupted_status();
  }
  file.commit();

  const std::vector<std::string> lost = left_out(writer, head);
  const bool events_lost = writer.keeps != nullptr && seen.events > 0;
  if (seen.interpolated && !events_lost) {
    seen.notes.push_back(
        fmt::format("attitude and rate of '{}' at events lie between its rows: the result holds those "
                    "of the first body",
                    choice.body));
  }
  if (session.json) {
    nlohmann::ordered_json json{{"what", "convert"},
                                {"input", input},
                                {"input_format", input_format},
                                {"output", choice.output},
                                {"output_format", writer.name},
                                {"rows", seen.rows},
                                {"events", seen.events},
                                {"first_t_s", seen.first},
                                {"last_t_s", seen.last},
                                {"left_out", lost},
                                {"events_left_out", events_lost},
                                {"notes", seen.notes}};
    write_json(json);
    return kDone;
  }
  for (const std::string& note : seen.notes) { session.warn(note); }
  session.say(fmt::format("{} and {} of {} ({}) written to {} ({})", counted(seen.rows, "row"),
                          counted(seen.events, "event"), input, input_format,
                          choice.output == "-" ? "standard output" : choice.output, writer.name));
  if (!lost.empty() || events_lost) {
    session.say(fmt::format("{} has no room for {}{}{}", writer.name, fmt::join(lost, " "),
                            !lost.empty() && events_lost ? " and for " : "", events_lost ? "events" : ""));
  }
  return kDone;
}

}  // namespace polhode::app
