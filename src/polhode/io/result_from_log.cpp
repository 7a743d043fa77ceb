#include "polhode/core/error.h"
#include "polhode/io/result.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

namespace polhode::io {
namespace {

/// The log of a run as a result: all that is whole, also where a kill or damage cut it off.
class LogResult final : public ResultReader {
 public:
  explicit LogResult(const std::string& path)
      : ResultReader(path), log_(path), size_(std::filesystem::file_size(path)) {
    head_ = head_from_json(log_.header_json(), path);
    row_.resize(head_.columns.size());
    done_ = log_.position();
  }
  std::uint64_t done() const override { return done_; }
  std::uint64_t total() const override { return size_; }

 private:
  Item take() override {
    const std::size_t bytes = row_.size() * sizeof(double);
    while (content_.size() < bytes || bytes == 0) {
      if (!content_.empty()) { does_not_fit(); }
      const std::optional<LogReader::Frame> frame = at_end_ ? std::nullopt : log_.next();
      if (!frame) {
        if (!at_end_) { tell_how_it_ends(); }
        at_end_ = true;
        return Item::end;
      }
      done_ = frame->end_at;
      ended_ = frame->kind == FrameKind::end;
      if (frame->kind == FrameKind::event) { return take_event(frame->content); }
      if (frame->kind == FrameKind::rows) { content_ = frame->content; }
    }
    std::memcpy(row_.data(), content_.data(), bytes);
    content_.remove_prefix(bytes);
    return Item::row;
  }
  Location location() const override { return {file_, 0, 0}; }

  Item take_event(std::string_view content) {
    const simulation::EventOccurrence h = read_event(content);
    if (h.event >= head_.events.size()) { does_not_fit(); }
    event_ = {head_.events[h.event], h.t, h.state.e_NB, h.state.w_B};
    return Item::event;
  }
  [[noreturn]] void does_not_fit() const {
    fail(Error(Problem{.what = fmt::format("{}: the frame before byte {} does not fit the header", file_, done_),
                       .allowed = {},
                       .cure = "run the scenario again"}));
  }
  void tell_how_it_ends() {
    if (log_.cut_off()) {
      notes_.push_back(fmt::format("{} has no whole frame after byte {}: the {} bytes there are left out", file_, done_,
                                   size_ - done_));
    }
    if (!ended_) { notes_.push_back(file_ + " is the log of a run that did not reach its end"); }
  }

  LogReader log_;
  std::uint64_t size_;
  std::uint64_t done_ = 0;
  std::string_view content_;  ///< rows of the frame not yet given out
  bool at_end_ = false;
  bool ended_ = false;
};

}  // namespace

extern const ResultFormat kReader_log{
    "log", [](std::string_view bytes) { return bytes.starts_with("PLHD"); },
    [](const std::string& path) -> std::unique_ptr<ResultReader> { return std::make_unique<LogResult>(path); }};

}  // namespace polhode::io
