#pragma once

#include "polhode/core/shell.h"
#include "polhode/io/files.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace polhode::run {
struct Source;
}  // namespace polhode::run

namespace polhode::app {

/// Exit codes of every command.
inline constexpr int kDone = 0;
inline constexpr int kCheckFailed = 1;  ///< a check failed, a run could not meet its tolerance, or a disk is full
inline constexpr int kBadInput = 2;     ///< the input is wrong; an Error ends here
// and 128 + the number of the signal that ended a command early: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP

/// Text on stderr. What cannot be written there (a closed or full device) is dropped: talk ends no command.
void talk(std::string_view text);

/// The exit code that a shell gives where standard output goes to a pipe that is no longer read.
inline constexpr int kClosedPipe = 128 + 13;  // SIGPIPE

/// Before anything else: streams that were closed stay closed, instead of becoming the next file that is opened; a
/// closed pipe is an error of the write and no signal.
void set_streams_up();

/// What all commands share: data goes to stdout, talk to stderr.
struct Session {
  bool json = false;               ///< one JSON object on stdout, nothing else
  bool quiet = false;              ///< no talk
  bool allow_outside = false;      ///< meshes may lie outside the folder of their scenario
  std::vector<std::string> set{};  ///< "NAME=VALUE": values in place of the scenario's parameters
  int status = kDone;

  /// A line of talk on stderr.
  void say(std::string_view line) const;
  /// A warning on stderr, said even when quiet.
  void warn(std::string_view line) const;
  /// The next command worth trying.
  void suggest(std::string_view command) const;
  /// A scenario in a suggested command, with the flags that it needs.
  std::string scenario_arguments(const std::string& file) const;
  /// What the flags of a scenario say.
  run::Source source() const;
  /// Whether escape sequences are welcome on stdout: a terminal, and NO_COLOR is not set.
  bool colour() const;
};

using io::OutputFile;
using io::write_into;

/// Writes all of `text` to `path` ("-": stdout), whole or not at all.
void write_file(const std::string& path, std::string_view text);

/// Data on stdout; fails when not all of it can be written.
void write_out(std::string_view text);
/// One JSON object on stdout; bytes that are not UTF-8 are replaced.
void write_json(const nlohmann::ordered_json& object);
/// JSON knows no infinity.
nlohmann::ordered_json number_or_null(double x);

/// `text` for a terminal: what it might obey instead of show is replaced by '?'.
std::string printable(std::string_view text);

/// All of a file ("-": stdin); fails naming the path and the cause.
std::string read_file(const std::string& path);

/// From here on the first Ctrl-C, SIGTERM or SIGHUP only sets a flag, so that a command can close its files; the second
/// ends the program at once.
void catch_interrupt();
bool interrupted();
/// Not interrupted.
bool goes_on();
/// The exit code that tells of it, or kDone.
int interrupted_status();

/// An option of a command that has been declared; what is left to say about it follows in a chain.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option required();
  /// What stands for the value in the help.
  Option type_name(const std::string& name);
  /// Several values in one word, with this between them.
  Option delimiter(char between);
  /// One word each time that it is given: FILE may follow.
  Option one_word();

 private:
  CLI::Option* option_;
};

/// A command whose options are declared: each fills its variable before the command runs. (The parser behind it,
/// CLI11, costs ten seconds in every file that includes it: it stays in two.)
class Command {
 public:
  explicit Command(CLI::App& app) : app_(app) {}
  /// `names`: "-o,--output", or one in capitals for a word without a dash.
  Option add_option(const std::string& names, std::string& to, const std::string& help);
  Option add_option(const std::string& names, std::optional<std::string>& to, const std::string& help);
  Option add_option(const std::string& names, std::vector<std::string>& to, const std::string& help);
  Option add_option(const std::string& names, double& to, const std::string& help);
  Option add_option(const std::string& names, unsigned& to, const std::string& help);
  Option add_flag(const std::string& names, bool& to, const std::string& help);
  /// What every command has that reads a scenario.
  void add_scenario_flags(Session& session);
  /// What stands at the end of the help.
  void footer(const std::string& text);

 private:
  CLI::App& app_;
};

/// A subcommand with --json and --quiet. `example` opens its help. `run` sets nothing up and returns the exit code.
Command add_command(CLI::App& program, Session& session, const std::string& name, const std::string& example,
                    const std::string& summary, std::function<int()> run);

// One function a command, in command_NAME.cpp; listed in commands.def.
#define COMMAND(name) void add_##name(CLI::App& program, Session& session);
#include "commands.def"
#undef COMMAND

}  // namespace polhode::app
