#include "command.h"

#include "polhode/catalog/scenario.h"
#include "polhode/core/error.h"
#include "polhode/io/output_folder.h"
#include "polhode/io/result_log.h"
#include "polhode/io/write_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

namespace polhode::app {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;  // the number of the signal

Problem problem_of(const std::string& path, const char* action) {
  return {.what = fmt::format("cannot {} '{}': {}", action, path, std::strerror(errno)), .allowed = {}, .cure = {}};
}
[[noreturn]] void fail_on(const std::string& path, const char* action) { fail(Error(problem_of(path, action))); }
/// A file that was open took no more.
[[noreturn]] void fail_writing(const std::string& path) { throw io::WriteError(problem_of(path, "write")); }
[[noreturn]] void fail_writing_out() {
  if (errno == EPIPE) { throw ClosedPipe{}; }
  fail_writing("standard output");
}

/// What this command has read: plain files, by device and number, whatever their names.
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

/// Bytes of the UTF-8 character at the front of `text`, 0 if there is none or it is a control character.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) { return (byte(0) >= 0x20 && byte(0) != 0x7f) || byte(0) == '\n' ? 1 : 0; }
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) { return 0; }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) { return 0; }
  }
  return byte(0) == 0xc2 && byte(1) < 0xa0 ? 0 : length;  // the second set of control characters
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    shown += length > 0 ? text.substr(0, length) : "?";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

void talk(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

void set_streams_up() {
  // The wrong way round: a read or a write fails as it does on a closed descriptor.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) { continue; }
    const int stand_in = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (stand_in >= 0 && stand_in != descriptor) {
      dup2(stand_in, descriptor);
      close(stand_in);
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow further is an error with its name, not a sudden end
  io::on_opened = Inputs::add;
}

void Session::say(std::string_view line) const {
  if (!quiet) { talk(printable(line) + '\n'); }
}

void Session::warn(std::string_view line) const { talk("warning: " + printable(line) + '\n'); }

std::string in_shell(const std::string& name) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+,:=@%";
  if (!name.empty() && name.find_first_not_of(kPlain) == std::string::npos) { return name; }
  std::string quoted = "'";
  for (const char c : name) { quoted += c == '\'' ? std::string("'\\''") : std::string(1, c); }
  return quoted + "'";
}

std::string Session::scenario_arguments(const std::string& file) const {
  return in_shell(file) + (allow_outside ? " --allow-outside" : "");
}

void Session::suggest(std::string_view command) const {
  if (!quiet && !json) { talk("Next: " + printable(command) + '\n'); }
}

catalog::MeshPlaces Session::mesh_places() const {
  return allow_outside ? catalog::MeshPlaces::anywhere : catalog::MeshPlaces::below_scenario;
}

bool Session::colour() const {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  struct stat there = {};
  if (path_ == "-") {
    if (fstat(STDOUT_FILENO, &there) == 0) { Inputs::require_other(there, "standard output"); }
    file_ = stdout;
    return;
  }
  target_ = followed(path_);
  const bool exists = stat(target_.c_str(), &there) == 0;
  const bool straight = exists && !S_ISREG(there.st_mode);
  if (exists) { Inputs::require_other(there, path_); }
  if (exists && access(target_.c_str(), W_OK) != 0) { fail_on(path_, "write"); }
  if (straight) {
    file_ = std::fopen(target_.c_str(), "wb");
  } else {
    open_temporary();
  }
  if (file_ == nullptr) { fail_on(path_, "write"); }
  constexpr mode_t kPermissions = 07777;
  if (exists && !straight && fchmod(fileno(file_), there.st_mode & kPermissions) != 0) {
    abandon();
    fail_on(path_, "write");
  }
}

OutputFile::~OutputFile() { abandon(); }

void OutputFile::open_temporary() {
  const std::string name = target_ + std::string(io::kPartEnding);
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
    // who held the lock before may have given the file its own name, or removed it
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
  if (file_ != nullptr && file_ != stdout) { std::fclose(file_); }
  file_ = nullptr;
  temporary_.clear();
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    if (file_ == stdout) { fail_writing_out(); }
    fail_writing(path_);
  }
}

void OutputFile::commit(const std::function<void(const std::string&)>& when_whole) {
  if (file_ == stdout) {
    if (std::fflush(stdout) != 0) { fail_writing_out(); }
    return;
  }
  if (std::fflush(file_) != 0) { fail_writing(path_); }
  if (when_whole) { when_whole(writing_to()); }
  if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) { fail_on(path_, "write"); }
  temporary_.clear();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) { fail_writing(path_); }
}

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void write_into(io::OutputFolder& folder, const std::string& name, const std::function<void(OutputFile&)>& write) {
  OutputFile file(folder.claim(name));
  write(file);
  file.commit([&](const std::string& whole) { folder.add(name, whole); });
}

void write_into(io::OutputFolder& folder, const std::string& name, std::string_view text) {
  write_into(folder, name, [&](OutputFile& file) { file.write(text); });
}

void write_out(std::string_view text) { write_file("-", text); }

void write_json(const nlohmann::ordered_json& object) {
  write_out(object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

nlohmann::ordered_json number_or_null(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
}

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  if (std::error_code none; path_ != "-" && std::filesystem::is_directory(path_, none)) {
    const bool of_run = std::filesystem::exists(std::filesystem::path(path_) / "run.plog", none);
    fail(Error(Problem{.what = fmt::format("'{}' is a folder{}", path_, of_run ? ", of a run" : ""),
                       .allowed = "a file is wanted",
                       .cure = of_run ? fmt::format("its results: polhode convert {} --to csv", path_) : ""}));
  }
  if (path_ == "-") {
    file_ = stdin;
    Inputs::add(fileno(file_));
    return;
  }
  // a named pipe that nobody writes to would hold an open that waits, for ever
  const int descriptor = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) { fail_on(path_, "read"); }
  struct stat there = {};
  const bool pipe = fstat(descriptor, &there) == 0 && S_ISFIFO(there.st_mode);
  int first = EOF;
  if (pipe && !has_writer(descriptor, first)) {
    close(descriptor);
    fail(Error(Problem{.what = fmt::format("'{}' is a pipe that nobody writes to", path_),
                       .allowed = {},
                       .cure = "start what writes to it first, or give a file"}));
  }
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  file_ = fdopen(descriptor, "rb");
  if (file_ == nullptr) { fail_on(path_, "read"); }
  Inputs::add(fileno(file_));
  if (first != EOF) { std::ungetc(first, file_); }
}

InputFile::~InputFile() {
  if (file_ != stdin) { std::fclose(file_); }
}

std::size_t InputFile::read(char* to, std::size_t size) {
  if (interrupted()) { return 0; }
  const std::size_t got = std::fread(to, 1, size, file_);
  if (got == 0 && std::ferror(file_) != 0 && !interrupted()) { fail_on(path_, "read"); }
  return got;
}

std::string read_file(const std::string& path) {
  InputFile file(path);
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

void catch_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) { interrupt_seen = signal; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // and no SA_RESTART: a read that waits for input ends
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) { sigaction(SIGHUP, &action, nullptr); }  // nohup stays in force
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return interrupt_seen != 0; }

int interrupted_status() { return interrupt_seen == 0 ? kDone : 128 + static_cast<int>(interrupt_seen); }

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option Option::delimiter(char between) {
  option_->delimiter(between);
  return *this;
}

Option Option::one_word() {
  option_->allow_extra_args(false);
  return *this;
}

Option Command::add_option(const std::string& names, std::string& to, const std::string& help) {
  return Option(app_.add_option(names, to, help));
}

Option Command::add_option(const std::string& names, std::optional<std::string>& to, const std::string& help) {
  return Option(app_.add_option(names, to, help));
}

Option Command::add_option(const std::string& names, std::vector<std::string>& to, const std::string& help) {
  return Option(app_.add_option(names, to, help));
}

Option Command::add_option(const std::string& names, double& to, const std::string& help) {
  return Option(app_.add_option(names, to, help));
}

Option Command::add_option(const std::string& names, unsigned& to, const std::string& help) {
  return Option(app_.add_option(names, to, help));
}

Option Command::add_flag(const std::string& names, bool& to, const std::string& help) {
  return Option(app_.add_flag(names, to, help));
}

void Command::add_scenario_flags(Session& session) {
  add_flag("--allow-outside", session.allow_outside, "meshes may lie outside the folder of the scenario");
}

void Command::footer(const std::string& text) { app_.footer(text); }

Command add_command(CLI::App& program, Session& session, const std::string& name, const std::string& example,
                    const std::string& summary, std::function<int()> run) {
  CLI::App* command = program.add_subcommand(name, summary);
  // the help of a command opens with an example; the list of commands shows the summary alone
  command->formatter_fn([example](const CLI::App* app, std::string invoked, CLI::AppFormatMode mode) {
    const std::string help = CLI::Formatter().make_help(app, std::move(invoked), mode);
    return mode == CLI::AppFormatMode::Sub ? help : "Example:\n" + example + "\n\n" + help;
  });
  command->add_flag("--json", session.json, "print one JSON object and nothing else");
  command->add_flag("-q,--quiet", session.quiet, "no talk on stderr; warnings and errors stay");
  command->callback([&session, run = std::move(run)] { session.status = run(); });
  return Command(*command);
}

}  // namespace polhode::app
