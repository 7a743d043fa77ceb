#include "polhode/io/files.h"

#include "polhode/core/error.h"
#include "polhode/io/result_log.h"
#include "polhode/io/write_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

namespace polhode::io {
namespace {

Problem problem_of(const std::string& path, const char* action) {
  return {.what = fmt::format("cannot {} '{}': {}", action, path, std::strerror(errno)), .allowed = {}, .cure = {}};
}
[[noreturn]] void fail_on(const std::string& path, const char* action) { fail(Error(problem_of(path, action))); }
[[noreturn]] void fail_to_write(const std::string& path) {
  const int cause = errno;
  fail_to_open(problem_of(path, "write"), cause);
}

/// What must not be written over: plain files, by device and number, whatever their names.
class Inputs {
 public:
  static void add(int descriptor) {
    struct stat about = {};
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) { return; }
    const std::lock_guard lock(mutex());
    list().emplace(about.st_dev, about.st_ino);
  }
  /// Fails where `about` is one of them.
  static void require_other(const struct stat& about, const std::string& path) {
    const std::lock_guard lock(mutex());
    if (!S_ISREG(about.st_mode) || !list().contains({about.st_dev, about.st_ino})) { return; }
    fail(Error(Problem{.what = fmt::format("cannot write '{}': it is an input of this command", path),
                       .allowed = {},
                       .cure = "choose another name for the output"}));
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::set<std::pair<dev_t, ino_t>>& list() {
    static std::set<std::pair<dev_t, ino_t>> one;
    return one;
  }
};

/// The file that a chain of symbolic links ends at, there or not yet.
std::string followed(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the system itself allows
  std::filesystem::path at = path;
  std::error_code none;
  for (int n = 0; n < kMostLinks && std::filesystem::is_symlink(at, none); ++n) {
    at = at.parent_path() / std::filesystem::read_symlink(at, none);  // an absolute one replaces all
  }
  return at.string();
}

/// Whether something is, or comes within two seconds, at the other end of a pipe that was opened without waiting.
/// `first`: a byte that was read to find out, or EOF.
bool has_writer(int descriptor, int& first) {
  constexpr int kTries = 40;
  constexpr int kMilliseconds = 50;
  for (int n = 0; n < kTries; ++n) {
    struct pollfd end = {.fd = descriptor, .events = POLLIN, .revents = 0};
    if (poll(&end, 1, kMilliseconds) > 0) { return true; }  // something to read, or a writer that has gone again
    unsigned char byte = 0;
    const ssize_t got = read(descriptor, &byte, 1);
    if (got > 0) { first = byte; }
    if (got != 0) { return true; }  // a writer that has not written yet: nothing to read, but no end either
  }
  return false;
}

/// Closed at the end of its life.
struct Descriptor {
  explicit Descriptor(int number) : descriptor(number) {}
  ~Descriptor() {
    if (descriptor >= 0) { close(descriptor); }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int descriptor;
};

}  // namespace

void remember_input(int descriptor) { Inputs::add(descriptor); }

OutputFile::OutputFile(std::string path, std::FILE* standard_output) : path_(std::move(path)) {
  struct stat there = {};
  if (path_ == "-" && standard_output != nullptr) {
    if (fstat(fileno(standard_output), &there) == 0) { Inputs::require_other(there, "standard output"); }
    file_ = standard_output_ = standard_output;
    return;
  }
  target_ = followed(path_);
  const bool exists = stat(target_.c_str(), &there) == 0;
  const bool straight = exists && !S_ISREG(there.st_mode);
  if (exists) { Inputs::require_other(there, path_); }
  if (exists && access(target_.c_str(), W_OK) != 0) { fail_to_write(path_); }
  if (straight) {
    file_ = std::fopen(target_.c_str(), "wb");
  } else {
    open_temporary();
  }
  if (file_ == nullptr) { fail_to_write(path_); }
  constexpr mode_t kPermissions = 07777;
  if (exists && !straight && fchmod(fileno(file_), there.st_mode & kPermissions) != 0) {
    abandon();
    fail_to_write(path_);
  }
}

OutputFile::~OutputFile() { abandon(); }

void OutputFile::open_temporary() {
  const std::string name = target_ + std::string(kPartEnding);
  while (true) {
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0) { return; }
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const bool busy = errno == EWOULDBLOCK;
      close(descriptor);
      if (busy) {
        fail(Error(Problem{.what = fmt::format("'{}' is being written by another command", path_),
                           .allowed = {},
                           .cure = "wait for it, or choose another name"}));
      }
      return;
    }
    // the previous holder of the lock may have renamed the file, or removed it
    struct stat held = {};
    struct stat named = {};
    if (fstat(descriptor, &held) != 0 || stat(name.c_str(), &named) != 0 || held.st_ino != named.st_ino ||
        held.st_dev != named.st_dev) {
      close(descriptor);
      continue;
    }
    temporary_ = name;
    file_ = ftruncate(descriptor, 0) == 0 ? fdopen(descriptor, "wb") : nullptr;
    if (file_ == nullptr) { close(descriptor); }
    return;
  }
}

void OutputFile::abandon() {
  if (!temporary_.empty()) { std::remove(temporary_.c_str()); }  // while the lock is held
  if (file_ != nullptr && file_ != standard_output_) { std::fclose(file_); }
  file_ = nullptr;
  temporary_.clear();
}

void OutputFile::fail_writing() const {
  const bool standard = file_ != nullptr && file_ == standard_output_;
  if (standard && errno == EPIPE) { throw ClosedPipe{}; }
  throw WriteError(problem_of(standard ? "standard output" : path_, "write"));
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) { fail_writing(); }
}

void OutputFile::commit(const std::function<void(const std::string&)>& when_whole) {
  if (std::fflush(file_) != 0) { fail_writing(); }
  if (file_ == standard_output_) { return; }
  if (when_whole) { when_whole(writing_to()); }
  if (temporary_.empty()) {
    if (std::fclose(std::exchange(file_, nullptr)) != 0) { fail_writing(); }
    return;
  }
  // the name comes last, when nothing can fail any more; another descriptor holds the lock until then
  if (!put_on_disk(fileno(file_))) { fail_writing(); }
  const Descriptor lock(fcntl(fileno(file_), F_DUPFD_CLOEXEC, 0));
  if (std::fclose(std::exchange(file_, nullptr)) != 0 || std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int cause = errno;
    abandon();  // while the lock is held
    errno = cause;
    fail_writing();
  }
  temporary_.clear();
}

void write_file(const std::string& path, std::string_view text, std::FILE* standard_output) {
  OutputFile file(path, standard_output);
  file.write(text);
  file.commit();
}

void write_into(OutputFolder& folder, const std::string& name, const std::function<void(OutputFile&)>& write) {
  OutputFile file(folder.claim(name));
  write(file);
  file.commit([&](const std::string& whole) { folder.add(name, whole); });
}

void write_into(OutputFolder& folder, const std::string& name, std::string_view text) {
  write_into(folder, name, [&](OutputFile& file) { file.write(text); });
}

InputFile::InputFile(std::string path, std::function<bool()> keep_going)
    : path_(std::move(path)), keep_going_(std::move(keep_going)) {
  if (std::error_code none; path_ != "-" && std::filesystem::is_directory(path_, none)) {
    const bool of_run = std::filesystem::exists(std::filesystem::path(path_) / "run.plog", none);
    fail(Error(Problem{.what = fmt::format("'{}' is a folder{}", path_, of_run ? ", of a run" : ""),
                       .allowed = "a file is wanted",
                       .cure = of_run ? fmt::format("its results: polhode convert {} --to csv", path_) : ""}));
  }
  if (path_ == "-") {
    file_ = stdin;
    tell_opened(fileno(file_));
    return;
  }
  // an open that waits would wait for ever on a named pipe without a writer
  const int descriptor = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) { fail_on(path_, "read"); }
  struct stat there = {};
  const bool pipe = fstat(descriptor, &there) == 0 && S_ISFIFO(there.st_mode);
  int first = EOF;
  if (pipe && !has_writer(descriptor, first)) {
    close(descriptor);
    fail(Error(Problem{.what = fmt::format("'{}' is a pipe that no program writes to", path_),
                       .allowed = {},
                       .cure = "start the program that writes to it first, or give a file"}));
  }
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  file_ = fdopen(descriptor, "rb");
  if (file_ == nullptr) { fail_on(path_, "read"); }
  tell_opened(fileno(file_));
  if (first != EOF) { std::ungetc(first, file_); }
}

InputFile::~InputFile() {
  if (file_ != stdin) { std::fclose(file_); }
}

std::size_t InputFile::read(char* to, std::size_t size) {
  if (!goes_on()) { return 0; }
  const std::size_t got = std::fread(to, 1, size, file_);
  if (got == 0 && std::ferror(file_) != 0 && goes_on()) { fail_on(path_, "read"); }
  return got;
}

std::string read_file(const std::string& path, std::function<bool()> keep_going) {
  InputFile file(path, std::move(keep_going));
  std::string text;
  char block[1 << 16];
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  while (const std::size_t got = file.read(block, sizeof block)) {
    if (text.size() + got > kMost) {
      fail(Error(Problem{.what = fmt::format("'{}' is longer than 64 MiB", path),
                         .allowed = {},
                         .cure = "a scenario has 16 MiB at most"}));
    }
    text.append(block, got);
  }
  return text;
}

}  // namespace polhode::io
