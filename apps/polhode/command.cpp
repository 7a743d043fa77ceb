#include "command.h"

#include "polhode/core/error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace polhode::app {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

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

void write_file(const std::string& path, std::string_view text) {
  if (path == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
      fail_on("standard output", "write");
    }
    return;
  }
  const std::string temporary = fmt::format("{}.part{}", path, getpid());
  File file(std::fopen(temporary.c_str(), "wb"));
  if (!file) { fail_on(path, "write"); }
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() && std::fflush(file.get()) == 0;
  if (!written || std::fclose(file.release()) != 0 || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int cause = errno;
    std::remove(temporary.c_str());
    errno = cause;
    fail_on(path, "write");
  }
}

std::string read_file(const std::string& path) {
  const File opened(path == "-" ? nullptr : std::fopen(path.c_str(), "rb"));
  std::FILE* file = path == "-" ? stdin : opened.get();
  if (file == nullptr) { fail_on(path, "read"); }
  std::string text;
  char block[1 << 16];
  std::size_t got = 0;
  while ((got = std::fread(block, 1, sizeof block, file)) > 0) { text.append(block, got); }
  if (std::ferror(file) != 0) { fail_on(path, "read"); }
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
