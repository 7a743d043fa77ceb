#include "polhode/run/sweep_log.h"

#include "polhode/core/error.h"
#include "polhode/io/binary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace polhode::run {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSweepLogFormat = "polhode sweep 1";

/// Curves are those of few runs; the others have none.
void put_curves(std::string& to, const SweepRow& row) {
  io::put(to, static_cast<std::uint64_t>(row.curves.size()));
  for (const auto& curve : row.curves) {
    io::put(to, static_cast<std::uint64_t>(curve.size()));
    for (const auto& [t, value] : curve) {
      io::put(to, t);
      io::put(to, value);
    }
  }
}
void take_curves(io::Content& content, SweepRow& row) {
  row.curves.resize(content.take<std::uint64_t>());
  for (auto& curve : row.curves) {
    curve.resize(content.take<std::uint64_t>());
    for (auto& [t, value] : curve) {
      t = content.take<double>();
      value = content.take<double>();
    }
  }
}

/// All but the values of the axes, which follow from the point.
std::string bytes_of(const SweepRow& row) {
  std::string to;
  io::put(to, static_cast<std::uint64_t>(row.point));
  io::put_text(to, row.ending);
  io::put_text(to, row.reason);
  io::put(to, row.t_end);
  for (const std::optional<ColumnFacts>& column : row.columns) {
    io::put(to, column.has_value());
    io::put(to, column.value_or(ColumnFacts{}));
  }
  for (const EventFacts& event : row.events) { io::put(to, event); }
  io::put(to, row.verdict.has_value());
  io::put(to, row.verdict.value_or(simulation::Verdict::not_established));
  io::put(to, row.attitude_error.has_value());
  io::put(to, row.attitude_error.value_or(0));
  put_curves(to, row);
  return to;
}

SweepRow row_from(std::string_view bytes, const SweepHead& head) {
  io::Content content(bytes);
  SweepRow row;
  row.point = content.take<std::uint64_t>();
  row.values = head.values(row.point);
  row.ending = content.take_text();
  row.reason = content.take_text();
  row.t_end = content.take<double>();
  for (std::size_t i = 0; i < head.columns.size(); ++i) {
    const bool there = content.take<bool>();
    const auto facts = content.take<ColumnFacts>();
    row.columns.push_back(there ? std::optional(facts) : std::nullopt);
  }
  for (std::size_t i = 0; i < head.events.size(); ++i) { row.events.push_back(content.take<EventFacts>()); }
  const bool judged = content.take<bool>();
  const auto verdict = content.take<simulation::Verdict>();
  if (judged) { row.verdict = verdict; }
  const bool measured = content.take<bool>();
  const auto error = content.take<double>();
  if (measured) { row.attitude_error = error; }
  take_curves(content, row);
  return row;
}

/// The first thing in which the sweep of a log differs from this one; null where they are the same.
const char* sweep_difference(const Json& old, const Json& now) {
  constexpr std::array<std::array<const char*, 2>, 6> kParts{{{"version", "version"},
                                                              {"scenario_sha256", "scenario"},
                                                              {"over", "grid (--over)"},
                                                              {"set", "choice of parameters (--set)"},
                                                              {"columns", "choice of columns (--columns)"},
                                                              {"certified", "choice of --certify"}}};
  for (const auto& [key, what] : kParts) {
    if (!old.contains(key) || old.at(key) != now.at(key)) { return what; }
  }
  return nullptr;
}

}  // namespace

SweepLog::SweepLog(std::string path, const SweepHead& head, const io::TableHead& table)
    : path_(std::move(path)), head_(head), table_(table) {}

std::string SweepLog::header() const {
  Json json{{"format", kSweepLogFormat},
            {"title", table_.title},
            {"version", table_.version},
            {"scenario_file", table_.scenario_file},
            {"scenario_sha256", table_.scenario_sha256},
            {"over", Json::array()},
            {"set", Json::object()},
            {"columns", Json::array()},
            {"certified", head_.certified}};
  for (const SweepAxis& axis : head_.axes) {
    json["over"].push_back({axis.parameter, axis.from, axis.to, axis.count, axis.logarithmic});
  }
  for (const auto& [name, value] : head_.parameters) { json["set"][name] = value; }
  for (const simulation::Column& column : head_.columns) { json["columns"].push_back(column.name); }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void SweepLog::find_rows() {
  io::LogReader log(path_);
  const Json old = Json::parse(log.header_json(), nullptr, false);
  const bool sweep = old.is_object() && old.value("format", "") == kSweepLogFormat;
  if (const char* other = sweep ? sweep_difference(old, Json::parse(header())) : "command"; other != nullptr) {
    fail(Error(Problem{.what = fmt::format("{} is the log of another {}", path_, other),
                       .allowed = {},
                       .cure = "start anew with --overwrite in place of --resume, or choose another folder with -o"}));
  }
  places_.assign(head_.points, {});
  end_ = log.position();
  while (const std::optional<io::LogReader::Frame> frame = log.next()) {
    end_ = frame->end_at;
    if (frame->kind != io::FrameKind::point) { continue; }
    const auto point = io::Content(frame->content).take<std::uint64_t>();
    if (point >= places_.size()) { fail(Error(path_ + " holds a point that is not in the grid")); }
    const std::uint64_t at = frame->end_at - sizeof(std::uint32_t) - frame->content.size();
    if (places_[point].size == 0) { ++found_; }
    places_[point] = {at, frame->content.size()};
  }
}

void SweepLog::open() {
  if (found_ > 0) {
    writer_.emplace(io::LogWriter::go_on_at(path_, end_));
  } else {
    writer_.emplace(io::LogWriter::create(path_, header()));
  }
}

std::optional<SweepRow> SweepLog::recall(std::size_t point) const {
  if (point >= places_.size() || places_[point].size == 0) { return {}; }
  const Place& place = places_[point];
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(io::open_to_read(path_), std::fclose);
  std::string bytes(place.size, '\0');
  if (!file || std::fseek(file.get(), static_cast<long>(place.at), SEEK_SET) != 0 ||
      std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) {
    fail(Error(fmt::format("cannot read '{}': {}", path_, std::strerror(errno))));
  }
  return row_from(bytes, head_);
}

void SweepLog::remember(const SweepRow& row) {
  writer_->frame(io::FrameKind::point, bytes_of(row));
  writer_->flush();
}

}  // namespace polhode::run
