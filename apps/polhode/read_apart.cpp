#include "read_apart.h"

#include "command.h"
#include "polhode/core/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>

namespace polhode::app {
namespace {

using Json = nlohmann::ordered_json;

// Between the two processes goes a log (io/result_log.h): the header, to which the number of bytes of all rows is
// added; rows and events; and an end with the notes, or with what is wrong. A reader that fails before it has a header
// sends an empty one.

std::string as_file(int descriptor) { return fmt::format("/dev/fd/{}", descriptor); }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kInstrumented = true;  // and reserves more addresses than any limit
#elif defined(__has_feature)
constexpr bool kInstrumented = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kInstrumented = false;
#endif

/// The other process has no terminal, dies with this one, and takes no more memory and time than the file can be worth.
void confine(const std::string& path) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) { std::signal(signal, SIG_DFL); }
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDERR_FILENO);
  std::error_code none;
  const std::uint64_t size = std::filesystem::file_size(path, none);
  constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20U;
  const auto limit = [](auto resource, std::uint64_t value) {
    const struct rlimit both = {value, value};
    setrlimit(resource, &both);
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, 3 + size / kMegabyte);  // seconds, thirty times as many as a whole file takes
  if (!kInstrumented) { limit(RLIMIT_AS, 1024 * kMegabyte + 16 * size); }
}

simulation::EventOccurrence occurrence_of(const io::ResultEvent& event, const std::vector<std::string>& names) {
  simulation::EventOccurrence occurrence;
  occurrence.event = static_cast<std::size_t>(std::find(names.begin(), names.end(), event.name) - names.begin());
  occurrence.t = event.t;
  occurrence.state.e_NB = event.e_NB;
  occurrence.state.w_B = event.w_B;
  return occurrence;
}

/// Sends the result at `path`.
void send(const std::string& path, const std::string& to, std::optional<io::LogWriter>& log) {
  const std::unique_ptr<io::ResultReader> result = io::open_result(path);
  Json header = Json::parse(io::to_json(result->head()));
  header["bytes"] = result->total();
  log.emplace(io::LogWriter::create(to, header.dump()));
  for (io::ResultReader::Item item = result->next(); item != io::ResultReader::Item::end; item = result->next()) {
    if (item == io::ResultReader::Item::row) { log->row(result->row()); }
    if (item == io::ResultReader::Item::event) { log->event(occurrence_of(result->event(), result->head().events)); }
  }
  log->end(Json{{"notes", result->notes()}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// The life of the other process.
[[noreturn]] void serve(const std::string& path, int descriptor) {
  const std::string to = as_file(descriptor);
  std::optional<io::LogWriter> log;
  try {
    confine(path);
    std::string wrong;
    try {
      send(path, to, log);
    } catch (const Error& error) { wrong = error.what(); } catch (const std::exception& error) {
      wrong = fmt::format("{}: it cannot be read: {}", path, error.what());
    }
    if (!wrong.empty()) {
      if (!log) { log.emplace(io::LogWriter::create(to, "{}")); }
      log->end(Json{{"wrong", wrong}}.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): the pipe is no longer read, or there is no memory left to tell it
  }
  _exit(0);
}

class ApartReader final : public io::ResultReader {
 public:
  explicit ApartReader(const std::string& path) : ResultReader(path) {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) { cannot_start(); }
    child_ = fork();
    if (child_ == 0) {
      close(ends[0]);
      serve(path, ends[1]);
    }
    close(ends[1]);
    try {
      if (child_ < 0) { cannot_start(); }
      receive_head(ends[0]);
    } catch (...) {
      close(ends[0]);
      end_child();
      throw;
    }
    close(ends[0]);
    row_.resize(head_.columns.size());
    find_time();
  }
  ~ApartReader() override { end_child(); }
  std::uint64_t done() const override { return rows() * row_.size() * sizeof(double); }
  std::uint64_t total() const override { return total_; }

 private:
  Item take() override {
    const std::size_t bytes = row_.size() * sizeof(double);
    while (content_.empty()) {
      if (at_end_) { return Item::end; }
      const std::optional<io::LogReader::Frame> frame = log_->next();
      if (interrupted()) { return Item::end; }
      if (!frame) { died(); }
      if (frame->kind == io::FrameKind::event) { return take_event(frame->content); }
      if (frame->kind == io::FrameKind::rows) { content_ = frame->content; }
      if (content_.size() % bytes != 0) { died(); }
      if (frame->kind == io::FrameKind::end) { take_end(frame->content); }
    }
    std::memcpy(row_.data(), content_.data(), bytes);
    content_.remove_prefix(bytes);
    return Item::row;
  }
  Location location() const override { return {file_, 0, 0}; }

  void receive_head(int descriptor) {
    try {
      log_.emplace(as_file(descriptor));
    } catch (const Error&) { died(); }
    const Json header = Json::parse(log_->header_json());
    if (header.empty()) {
      if (const std::optional<io::LogReader::Frame> frame = log_->next()) { take_end(frame->content); }
      died();
    }
    head_ = io::head_from_json(log_->header_json(), file_);
    total_ = header.at("bytes");
  }
  Item take_event(std::string_view content) {
    const simulation::EventOccurrence h = io::read_event(content);
    event_ = {head_.events.at(h.event), h.t, h.state.e_NB, h.state.w_B};
    return Item::event;
  }
  void take_end(std::string_view content) {
    const Json json = Json::parse(content);
    if (json.contains("wrong")) { fail(Error(json.at("wrong").get<std::string>())); }
    json.at("notes").get_to(notes_);
    at_end_ = true;
  }

  [[noreturn]] void cannot_start() const {
    fail(Error(fmt::format("cannot read '{}': {}", file_, std::strerror(errno))));
  }
  /// The other process ended without a word.
  [[noreturn]] void died() const {
    fail(Error(Problem{.what = file_ + " is damaged: its HDF5 cannot be read",
                       .allowed = {},
                       .cure = "convert the log of the run again"}));
  }
  void end_child() {
    if (child_ <= 0) { return; }
    kill(child_, SIGKILL);
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {}
    child_ = -1;
  }

  pid_t child_ = -1;
  std::optional<io::LogReader> log_;
  std::uint64_t total_ = 0;
  std::string_view content_;  ///< rows of the frame not yet given out
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<io::ResultReader> open_result_apart(const std::string& path) {
  if (io::result_format_of(path).name == "hdf5") { return std::make_unique<ApartReader>(path); }
  return io::open_result(path);
}

}  // namespace polhode::app
