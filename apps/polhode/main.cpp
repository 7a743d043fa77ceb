#include "command.h"
#include "polhode/core/error.h"
#include "polhode/core/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace polhode::app {
namespace {

constexpr const char* kExample =
    "Example:\n"
    "  polhode draw 3-1-3 -o cans.svg       draw Euler angles as cans in series\n"
    "  polhode convert --from euler:3-2-1 --to quaternion_wxyz --deg -- 30 20 10\n";

/// "; did you mean '--json'?" for an option that the active command does not know.
std::string did_you_mean(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) { names.push_back("--" + name); }
  }
  const std::string near = nearest_name(word, {names.begin(), names.end()});
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

/// Fails when the first word is not a command.
void require_command(const CLI::App& program, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) { names.push_back(command->get_name()); }
  if (!word.starts_with("-") && std::find(names.begin(), names.end(), word) == names.end()) {
    fail(Error(unknown_name("command", word, {names.begin(), names.end()})));
  }
}

int report(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) { return program.exit(error); }  // --help
  const std::vector<CLI::App*> active = program.get_subcommands();
  std::string message = error.what();
  if (const auto* extras = dynamic_cast<const CLI::ExtrasError*>(&error); extras != nullptr) {
    const std::size_t colon = message.find(": ");
    std::string word = colon == std::string::npos ? "" : message.substr(colon + 2);
    word = word.substr(0, word.find(' '));
    message = fmt::format("unexpected '{}'{}", word, did_you_mean(active.empty() ? program : *active.front(), word));
  }
  fmt::print(stderr, "polhode: {}\nSee: polhode {}--help\n", message,
             active.empty() ? "" : active.front()->get_name() + " ");
  return kBadInput;
}

int run(int argc, char** argv) {
  CLI::App program("Polhode: how rigid bodies turn, in Euler parameters.", "polhode");
  program.formatter_fn([](const CLI::App* app, std::string invoked, CLI::AppFormatMode mode) {
    return std::string(kExample) + "\n" + CLI::Formatter().make_help(app, std::move(invoked), mode);
  });
  program.set_version_flag("--version", std::string("polhode ") + version());
  program.require_subcommand(1);
  Session session;
#define COMMAND(name) add_##name(program, session);
#include "commands.def"
#undef COMMAND
  if (argc == 1) {
    fmt::print("{}", program.help());
    return kDone;
  }
  try {
    require_command(program, argv[1]);
    program.parse(argc, argv);
    return session.status;
  } catch (const CLI::ParseError& error) { return report(program, error); } catch (const Error& error) {
    fmt::print(stderr, "polhode: {}\n", error.what());
    return kBadInput;
  }
}

}  // namespace
}  // namespace polhode::app

int main(int argc, char** argv) {
  try {
    return polhode::app::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "polhode: internal error: {}\n", error.what());
    return polhode::app::kBadInput;
  }
}
