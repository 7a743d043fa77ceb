#include "convert_result.h"

#include "polhode/core/counted.h"
#include "polhode/core/refuse.h"
#include "polhode/io/moment.h"
#include "polhode/io/result.h"
#include "progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

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
  head.columns = std::move(columns);
  head.bodies = {head.bodies[static_cast<std::size_t>(found - known.begin())]};
  head.joints.clear();
  head.events.clear();
  return kept;
}

/// A result that shows how far it is, ends at Ctrl-C, and has the epoch and the body that the user gave.
class Watched final : public io::ResultReader {
 public:
  Watched(std::unique_ptr<io::ResultReader> result, const ResultConversion& choice, Progress& progress, Seen& seen)
      : ResultReader(result->file()), result_(std::move(result)), progress_(&progress), seen_(&seen) {
    head_ = result_->head();
    if (!choice.epoch.empty()) { head_.epoch = choice.epoch; }
    if (!choice.body.empty()) { kept_ = keep_body(head_, choice.body); }
    time_ = head_.column("t_s");
    find_time();
    *seen_ = {};
  }
  std::uint64_t done() const override { return result_->done(); }
  std::uint64_t total() const override { return result_->total(); }

 private:
  Item take() override {
    if (interrupted()) { throw Interrupted{}; }
    Item item = result_->next();
    while (item == Item::event && !kept_.empty()) { item = result_->next(); }  // seen from the first body
    if (item == Item::row) {
      row_.assign(result_->row().begin(), result_->row().end());
      for (std::size_t i = 0; i < kept_.size(); ++i) { row_[i] = result_->row()[kept_[i]]; }
      if (!kept_.empty()) { row_.resize(kept_.size()); }
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
  Place place() const override { return {file_, 0, 0}; }

  std::unique_ptr<io::ResultReader> result_;
  Progress* progress_;
  Seen* seen_;
  std::size_t time_ = 0;
  std::vector<std::size_t> kept_;  ///< columns of the one body; empty: all
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
    const std::unique_ptr<io::ResultReader> first = io::open_result(input);
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
          return std::make_unique<Watched>(io::open_result(input), choice, progress, seen);
        },
        {[&](std::string_view text) { file.write(text); }, file.writing_to()});
  } catch (const Interrupted&) {
    session.say(fmt::format("interrupted; {} is not written", choice.output));
    return interrupted_status();
  }
  file.commit();

  const std::vector<std::string> lost = left_out(writer, head);
  const bool events_lost = writer.keeps != nullptr && seen.events > 0;
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
