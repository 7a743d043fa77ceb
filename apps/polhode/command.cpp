#include "command.h"

#include "polhode/core/error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace polhode::app {
namespace {

[[noreturn]] void fail_on(const std::string& path, const char* action) {
  const int cause = errno;
  fail(Error(Problem{
      .what = fmt::format("cannot {} '{}': {}", action, path, std::strerror(cause)), .allowed = {}, .cure = {}}));
}

}  // namespace

void Session::say(std::string_view line) const {
  if (!quiet) { fmt::print(stderr, "{}\n", line); }
}

void Session::warn(std::string_view line) const { fmt::print(stderr, "warning: {}\n", line); }

void Session::suggest(std::string_view command) const {
  if (!quiet && !json) { fmt::print(stderr, "Next: {}\n", command); }
}

bool Session::colour() const {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    file_ = stdout;
    return;
  }
  temporary_ = fmt::format("{}.part{}", path_, getpid());
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) { fail_on(path_, "write"); }
}

OutputFile::~OutputFile() {
  if (temporary_.empty()) { return; }
  if (file_ != nullptr) { std::fclose(file_); }
  std::remove(temporary_.c_str());
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    fail_on(temporary_.empty() ? "standard output" : path_, "write");
  }
}

void OutputFile::commit() {
  if (temporary_.empty()) {
    if (std::fflush(stdout) != 0) { fail_on("standard output", "write"); }
    return;
  }
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) { fail_on(path_, "write"); }
  temporary_.clear();
}

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  file_ = path_ == "-" ? stdin : std::fopen(path_.c_str(), "rb");
  if (file_ == nullptr) { fail_on(path_, "read"); }
}

InputFile::~InputFile() {
  if (file_ != stdin) { std::fclose(file_); }
}

std::size_t InputFile::read(char* to, std::size_t size) {
  const std::size_t got = std::fread(to, 1, size, file_);
  if (got == 0 && std::ferror(file_) != 0) { fail_on(path_, "read"); }
  return got;
}

std::string read_file(const std::string& path) {
  InputFile file(path);
  std::string text;
  char block[1 << 16];
  while (const std::size_t got = file.read(block, sizeof block)) { text.append(block, got); }
  return text;
}

CLI::App& add_command(CLI::App& program, Session& session, const std::string& name, const std::string& example,
                      const std::string& summary, std::function<int()> run) {
  CLI::App* command = program.add_subcommand(name, summary);
  // the help of a command opens with an example; the list of commands shows the summary alone
  command->formatter_fn([example](const CLI::App* app, std::string invoked, CLI::AppFormatMode mode) {
    const std::string help = CLI::Formatter().make_help(app, std::move(invoked), mode);
    return mode == CLI::AppFormatMode::Sub ? help : "Example:\n" + example + "\n\n" + help;
  });
  command->add_flag("--json", session.json, "print one JSON object and nothing else");
  command->add_flag("-q,--quiet", session.quiet, "no talk on stderr");
  command->callback([&session, run = std::move(run)] { session.status = run(); });
  return *command;
}

}  // namespace polhode::app
