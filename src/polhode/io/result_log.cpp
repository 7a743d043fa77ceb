#include "polhode/io/result_log.h"

#include "polhode/core/error.h"
#include "polhode/io/binary.h"
#include "polhode/io/output_folder.h"
#include "polhode/io/write_error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace polhode::io {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are written as they lie in memory");

constexpr std::string_view kMagic = "PLHD";
constexpr std::size_t kHead = 4 + 1 + 8;
constexpr std::size_t kRowsPerFrame = 256;
/// No frame of ours is longer; a longer one is damage.
constexpr std::uint64_t kLongest = std::uint64_t{1} << 30U;

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) { c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U; }
    table[i] = c;
  }
  return table;
}();

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t c = ~before;
  for (const char byte : bytes) { c = kCrcTable[(c ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (c >> 8U); }
  return ~c;
}

// ---- writing --------------------------------------------------------------------------------------------------------

LogWriter::LogWriter(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {
  if (file_ != nullptr) { return; }
  const int cause = errno;
  fail_to_open({.what = "cannot write " + path_ + ": " + std::strerror(cause), .allowed = {}, .cure = {}}, cause);
}
LogWriter::LogWriter(LogWriter&& other) noexcept
    : keep_going(std::move(other.keep_going)),
      on_row(std::move(other.on_row)),
      on_event(std::move(other.on_event)),
      path_(std::move(other.path_)),
      file_(std::exchange(other.file_, nullptr)),
      rows_(std::move(other.rows_)),
      row_count_(other.row_count_) {}
LogWriter::~LogWriter() {
  if (file_ != nullptr) { std::fclose(file_); }
}

LogWriter LogWriter::create(const std::string& path, std::string_view header_json) {
  // Under another name until the header is whole, so that a kill at any time leaves a log or none.
  const bool plain = !std::filesystem::exists(path) || std::filesystem::is_regular_file(path);
  const std::string begun = plain ? path + std::string(kPartEnding) : path;  // a device or a pipe is written as it is
  const int descriptor = open(begun.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (plain ? O_NOFOLLOW : 0), 0666);
  LogWriter writer(path, descriptor < 0 ? nullptr : fdopen(descriptor, "wb"));
  if (!plain) {
    writer.frame(FrameKind::header, header_json);
    return writer;
  }
  try {
    writer.frame(FrameKind::header, header_json);
    writer.flush();
    if (!put_on_disk(descriptor) || std::rename(begun.c_str(), path.c_str()) != 0) { writer.fail_writing(); }
  } catch (...) {
    std::remove(begun.c_str());
    throw;
  }
  return writer;
}

LogWriter LogWriter::go_on_at(const std::string& path, std::uint64_t size) {
  if (::truncate(path.c_str(), static_cast<off_t>(size)) != 0) {
    fail(Error("cannot cut " + path + " back to its last checkpoint: " + std::strerror(errno)));
  }
  return {path, std::fopen(path.c_str(), "ab")};
}

void LogWriter::fail_writing() const {
  throw WriteError(Problem{.what = "cannot write " + path_ + ": " + std::strerror(errno),
                           .allowed = "what was written so far is readable",
                           .cure = "make room, then go on with --resume"});
}

void LogWriter::frame(FrameKind kind, std::string_view content) {
  buffer_.assign(kMagic);
  buffer_ += static_cast<char>(kind);
  put(buffer_, static_cast<std::uint64_t>(content.size()));
  const std::uint32_t sum = crc32(content, crc32(std::string_view(buffer_).substr(kMagic.size())));
  buffer_ += content;
  put(buffer_, sum);
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) { fail_writing(); }
}

void LogWriter::flush_rows() {
  if (row_count_ == 0) { return; }
  frame(FrameKind::rows, rows_);
  rows_.clear();
  row_count_ = 0;
}

void LogWriter::flush() {
  flush_rows();
  if (std::fflush(file_) != 0) { fail_writing(); }
}

bool LogWriter::row(std::span<const double> row) {
  rows_.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
  if (++row_count_ == kRowsPerFrame) { flush_rows(); }
  if (on_row) { on_row(row); }
  return go_on();
}

bool LogWriter::event(const simulation::EventOccurrence& occurrence) {
  flush_rows();
  std::string content;
  put(content, static_cast<std::uint64_t>(occurrence.event));
  put(content, occurrence.t);
  put(content, occurrence.state);
  frame(FrameKind::event, content);
  if (on_event) { on_event(occurrence); }
  return go_on();
}

bool LogWriter::checkpoint(const simulation::Snapshot& snapshot) {
  flush_rows();
  std::string content;
  put(content, snapshot.segment);
  put(content, snapshot.rows);
  put(content, snapshot.t);
  put_row(content, snapshot.y);
  put_row(content, snapshot.parameters);
  put_row(content, snapshot.ledger);
  put_row(content, snapshot.just_happened);
  put(content, snapshot.statistics);
  if (!snapshot.discrete.empty()) { put_row(content, snapshot.discrete); }
  frame(FrameKind::checkpoint, content);
  flush();
  return go_on();
}

void LogWriter::end(std::string_view end_json) {
  flush_rows();
  frame(FrameKind::end, end_json);
  flush();
  if (!put_on_disk(fileno(file_))) { fail_writing(); }
  // some file systems tell only now that there was no room
  if (std::fclose(std::exchange(file_, nullptr)) != 0) { fail_writing(); }
}

// ---- reading --------------------------------------------------------------------------------------------------------

std::FILE* open_to_read(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) { return nullptr; }
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return fdopen(descriptor, "rb");
}

LogReader::LogReader(const std::string& path) : path_(path), file_(open_to_read(path)) {
  if (file_ == nullptr) { fail(Error("cannot read " + path_ + ": " + std::strerror(errno))); }
  tell_opened(fileno(file_.get()));
  struct stat about = {};
  if (fstat(fileno(file_.get()), &about) == 0 && S_ISREG(about.st_mode)) {
    size_ = static_cast<std::uint64_t>(about.st_size);
  }
  const std::optional<Frame> first = next();
  if (!first || first->kind != FrameKind::header) {
    fail(Error(Problem{.what = path_ + " is not the log of a run: it does not begin with a whole header",
                       .allowed = {},
                       .cure = "give the .plog file that polhode run wrote"}));
  }
  header_ = first->content;
}
LogReader::~LogReader() = default;

std::size_t LogReader::read(void* to, std::size_t size) {
  const std::size_t got = std::fread(to, 1, size, file_.get());
  if (std::ferror(file_.get()) != 0) { fail(Error("cannot read '" + path_ + "': " + std::strerror(errno))); }
  return got;
}

std::optional<LogReader::Frame> LogReader::next() {
  if (cut_off_) { return {}; }
  std::array<char, kHead> head{};
  const std::size_t got = read(head.data(), head.size());
  if (got == 0) { return {}; }
  cut_off_ = true;
  if (got < head.size() || std::string_view(head.data(), kMagic.size()) != kMagic) { return {}; }
  std::uint64_t length = 0;
  std::memcpy(&length, head.data() + 5, sizeof length);
  if (length > kLongest || (size_ && length > *size_)) { return {}; }
  content_.resize(length);
  std::uint32_t sum = 0;
  if (read(content_.data(), length) != length || read(&sum, sizeof sum) != sizeof sum ||
      sum != crc32(content_, crc32(std::string_view(head.data() + kMagic.size(), kHead - kMagic.size())))) {
    return {};
  }
  cut_off_ = false;
  position_ += kHead + length + sizeof sum;
  return Frame{static_cast<FrameKind>(head[4]), content_, position_};
}

std::uint64_t rows_in_log(const std::string& path, std::size_t columns) {
  LogReader log(path);
  std::uint64_t rows = 0;
  while (const std::optional<LogReader::Frame> frame = log.next()) {
    if (frame->kind == FrameKind::rows) { rows += frame->content.size() / (columns * sizeof(double)); }
  }
  return rows;
}

void each_row(std::string_view content, std::size_t columns, const std::function<void(std::span<const double>)>& use) {
  std::vector<double> row(columns);
  const std::size_t bytes = columns * sizeof(double);
  for (; content.size() >= bytes; content.remove_prefix(bytes)) {
    std::memcpy(row.data(), content.data(), bytes);
    use(row);
  }
}

simulation::EventOccurrence read_event(std::string_view bytes) {
  Content content(bytes);
  simulation::EventOccurrence occurrence;
  occurrence.event = content.take<std::uint64_t>();
  occurrence.t = content.take<double>();
  occurrence.state = content.take<BodyState<double>>();
  return occurrence;
}

simulation::Snapshot read_checkpoint(std::string_view bytes) {
  Content content(bytes);
  simulation::Snapshot snapshot;
  snapshot.segment = content.take<std::uint64_t>();
  snapshot.rows = content.take<std::uint64_t>();
  snapshot.t = content.take<double>();
  snapshot.y = content.take_row();
  snapshot.parameters = content.take_row();
  snapshot.ledger = content.take_row();
  snapshot.just_happened = content.take_row();
  snapshot.statistics = content.take<RunStatistics>();
  if (!content.empty()) { snapshot.discrete = content.take_row(); }
  return snapshot;
}

}  // namespace polhode::io
