#include "command.h"

#include "numbers.h"
#include "polhode/core/error.h"
#include "polhode/io/result_log.h"
#include "polhode/run/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace polhode::app {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;  // the number of the signal

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
  io::on_opened = io::remember_input;
}

void Session::say(std::string_view line) const {
  if (!quiet) { talk(printable(line) + '\n'); }
}

void Session::warn(std::string_view line) const { talk("warning: " + printable(line) + '\n'); }

std::string Session::scenario_arguments(const std::string& file) const {
  std::string text = in_shell(file) + (allow_outside ? " --allow-outside" : "");
  for (const std::string& one : set) { text += " --set " + in_shell(one); }
  return text;
}

void Session::suggest(std::string_view command) const {
  if (!quiet && !json) { talk("Next: " + printable(command) + '\n'); }
}

run::Source Session::source() const {
  run::Source source;
  if (allow_outside) { source.meshes = catalog::MeshLocations::anywhere; }
  for (const std::string& one : set) {
    const std::size_t equals = one.find('=');
    const std::string name = one.substr(0, equals);
    if (equals == std::string::npos || name.empty()) {
      fail(Error(Problem{.what = fmt::format("--set {}: no value", one),
                         .allowed = "wanted: NAME=VALUE, such as spin=20",
                         .cure = {}}));
    }
    if (source.parameters.contains(name)) {
      fail(Error(fmt::format("--set gives '{}' two values; give one of them", name)));
    }
    source.parameters[name] = parse_list(fmt::format("--set {} =", name).c_str(), one.substr(equals + 1), 1)[0];
  }
  return source;
}

bool Session::colour() const {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

void write_file(const std::string& path, std::string_view text) { io::write_file(path, text, stdout); }

void write_out(std::string_view text) { write_file("-", text); }

void write_json(const nlohmann::ordered_json& object) {
  write_out(object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

nlohmann::ordered_json number_or_null(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
}

std::string read_file(const std::string& path) { return io::read_file(path, goes_on); }

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

bool goes_on() { return !interrupted(); }

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
  add_option("--set", session.set, "NAME=VALUE: a value in place of a parameter of the scenario; may be repeated")
      .type_name("NAME=VALUE")
      .one_word();
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
