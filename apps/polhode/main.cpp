#include "command.h"
#include "polhode/core/error.h"
#include "polhode/core/version.h"
#include "polhode/io/write_error.h"

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace polhode::app {
namespace {

constexpr const char* kProgramExample =
    "Example:\n"
    "  polhode new t-handle                 a scenario to start from\n"
    "  polhode run t-handle.toml            simulate it: summary, certificate, results, a page of plots\n"
    "  polhode compare t-handle.toml        the same under every form of the equations of motion\n"
    "  polhode draw 3-1-3 -o cans.svg       draw Euler angles as cans in series\n"
    "  polhode convert --from euler:3-2-1 --to quaternion_wxyz --deg -- 30 20 10\n";

/// "--json", "-q": every way to write an option of `app`.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) { names.push_back("--" + name); }
    for (const std::string& name : option->get_snames()) { names.push_back("-" + name); }
  }
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& word) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

/// "did you mean '--deg'?" for an option that is not known: the nearest, or one that begins or goes on like it; or "".
std::string did_you_mean(const std::vector<std::string>& names, const std::string& word) {
  constexpr std::size_t kTelling = 4;  // "--" and two letters
  std::string near = nearest_name(word, {names.begin(), names.end()});
  for (const std::string& name : names) {
    const bool one_begins_the_other = word.starts_with(name) || name.starts_with(word);
    if (near.empty() && std::min(name.size(), word.size()) >= kTelling && one_begins_the_other) { near = name; }
  }
  return near.empty() ? "" : fmt::format("did you mean '{}'?", near);
}

/// Fails when the first word is neither a command nor an option of the program itself.
void require_command(const CLI::App& program, const std::string& word) {
  std::vector<std::string> commands;
  std::vector<std::string> options = option_names(program);
  if (contains(options, word)) { return; }
  for (const CLI::App* command : program.get_subcommands({})) {
    commands.push_back(command->get_name());
    const std::vector<std::string> more = option_names(*command);
    options.insert(options.end(), more.begin(), more.end());
  }
  if (!word.starts_with("-")) {
    if (!contains(commands, word)) { fail(Error(unknown_name("command", word, {commands.begin(), commands.end()}))); }
    return;
  }
  if (contains(options, word)) {
    fail(Error(Problem{.what = fmt::format("'{}' stands before the command", word),
                       .allowed = {},
                       .cure = "options follow the command, such as: polhode list --json"}));
  }
  fail(Error(
      Problem{.what = fmt::format("unknown option '{}'", word), .allowed = {}, .cure = did_you_mean(options, word)}));
}

/// Of the words that no option took, the one to blame: an option that is not known leaves its values over too.
std::string unexpected(const CLI::App& program) {
  const std::vector<std::string> left = program.remaining(true);
  const auto option = std::find_if(left.begin(), left.end(), [](const std::string& word) {
    return word.size() > 1 && word[0] == '-' && (word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])));
  });
  return option != left.end() ? *option : left.empty() ? "" : left.front();
}

/// The help of the program, or of the command that is named after the word help.
int help(const CLI::App& program, int argc, char** argv) {
  if (argc == 2) {
    write_out(program.help());
    return kDone;
  }
  require_command(program, argv[2]);
  write_out(program.get_subcommand(argv[2])->help("polhode"));
  return kDone;
}

int report(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {  // --help
    std::ostringstream text;
    program.exit(error, text, text);
    write_out(text.str());
    return kDone;
  }
  const std::vector<CLI::App*> active = program.get_subcommands();
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::string word = unexpected(program);
    const std::vector<std::string> known = option_names(active.empty() ? program : *active.front());
    const std::string near = did_you_mean(known, word);
    message = contains(known, word) ? fmt::format("{} needs a value", word)
                                    : fmt::format("unexpected '{}'{}{}", word, near.empty() ? "" : "; ", near);
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    // "--to: 1 required REP missing"
    message = fmt::format("{} needs a value", message.substr(0, message.find(':')));
  }
  if (constexpr std::string_view kBefore = "Could not convert: "; message.starts_with(kBefore)) {
    // "--drift = abc"
    const std::string said = message.substr(kBefore.size());
    const std::size_t at = std::min(said.find(" = "), said.size());
    const std::string value = said.substr(std::min(at + 3, said.size()));
    message = fmt::format("{}: '{}' is not a number; a number is written like -1.5e-3{}", said.substr(0, at),
                          value.substr(0, 60), value.find(',') != std::string::npos ? ", with a decimal point" : "");
  }
  talk(fmt::format("polhode: {}\nSee: polhode {}--help\n", printable(message),
                   active.empty() ? "" : active.front()->get_name() + " "));
  return kBadInput;
}

constexpr std::string_view kNoMemory =
    "polhode: there is not enough memory for this; what was written so far is kept: allow more memory, or ask for a "
    "smaller model or fewer rows\n";

/// Memory can run out where no exception may pass, and in other threads: then too it is told in a line.
[[noreturn]] void end_without_memory() {
  if (const std::exception_ptr now = std::current_exception()) {
    try {
      std::rethrow_exception(now);
    } catch (const std::bad_alloc&) {
      if (write(STDERR_FILENO, kNoMemory.data(), kNoMemory.size()) < 0) { _exit(kCheckFailed); }
      _exit(kCheckFailed);
    } catch (...) {  // NOLINT(bugprone-empty-catch): a fault of the program, for abort() to show
    }
  }
  std::abort();
}

int run(int argc, char** argv) {
  CLI::App program("Polhode: how rigid bodies turn, in Euler parameters.", "polhode");
  program.formatter_fn([](const CLI::App* app, std::string invoked, CLI::AppFormatMode mode) {
    return std::string(kProgramExample) + "\n" + CLI::Formatter().make_help(app, std::move(invoked), mode);
  });
  program.set_version_flag("--version", std::string("polhode ") + version());
  program.require_subcommand(1);
  Session session;
#define COMMAND(name) add_##name(program, session);
#include "commands.def"
#undef COMMAND
  try {
    if (argc == 1) {
      write_out(program.help());
      return kDone;
    }
    if (std::string_view(argv[1]) == "help") { return help(program, argc, argv); }
    require_command(program, argv[1]);
    program.parse(argc, argv);
    return session.status;
  } catch (const CLI::ParseError& error) { return report(program, error); }
}

}  // namespace
}  // namespace polhode::app

int main(int argc, char** argv) {
  using namespace polhode;
  app::set_streams_up();
  std::set_terminate(app::end_without_memory);
  try {
    return app::run(argc, argv);
  } catch (const Error& error) {
    app::talk("polhode: " + app::printable(error.what()) + '\n');
    return dynamic_cast<const io::WriteError*>(&error) != nullptr ? app::kCheckFailed : app::kBadInput;
  } catch (const io::ClosedPipe&) { return app::kClosedPipe; } catch (const std::bad_alloc&) {
    app::talk(app::kNoMemory);
    return app::kCheckFailed;
  } catch (const std::exception& error) {
    app::talk(std::string("polhode: internal error: ") + error.what() + '\n');
    return app::kBadInput;
  }
}
