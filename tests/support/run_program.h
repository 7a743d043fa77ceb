#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// Runs the built program as a shell would, in a folder of its own that goes with the object.
class Workshop {
 public:
  Workshop() : folder_(std::filesystem::temp_directory_path() / ("polhode-test-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Workshop() { std::filesystem::remove_all(folder_); }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  struct Result {
    int status = 0;
    std::string out;
    std::string err;
  };
  /// `arguments` are words of a shell command line after the program's name; standard input is empty or `input`.
  Result polhode(const std::string& arguments, const std::string& input = "") const {
    return shell(std::string("'") + POLHODE_PROGRAM + "' " + arguments, input);
  }
  /// A command that starts with the word polhode, or a pipe of such.
  Result command(std::string text, const std::string& input = "") const {
    const std::string program = std::string("'") + POLHODE_PROGRAM + "' ";
    for (std::size_t at = text.find("polhode "); at != std::string::npos;
         at = text.find("polhode ", at + program.size())) {
      text.replace(at, std::string("polhode ").size(), program);
    }
    return shell(text, input);
  }

  /// The same as polhode(), with Ctrl-C, or another signal, as soon as the program is ready to catch it: no clock,
  /// however busy the machine.
  Result interrupted(const std::string& arguments, const std::string& signal = "INT") const {
    const std::string program = std::string("'") + POLHODE_PROGRAM + "'";
    return shell(program + " " + arguments + " & until [ /proc/$!/exe -ef " + program +
                     " ] && grep -q 'SigCgt:.*[2367abef]$' /proc/$!/status; do sleep 0.01; done; kill -" + signal +
                     " $!; wait $!",
                 "");
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string read(const std::string& name) const {
    std::ifstream file(folder_ / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  const std::filesystem::path& path() const { return folder_; }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::size_t count_files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) { ++count; }
    return count;
  }

 private:
  Result shell(const std::string& command, const std::string& input) const {
    // the streams go beside the folder, not into it
    const std::string streams = folder_.string();
    { std::ofstream(streams + ".in") << input; }
    { std::ofstream(streams + ".sh") << command << '\n'; }
    // what waits for a pipe that nobody opens would wait for ever: exit code 124 after a minute and a half
    const std::string line = "cd '" + folder_.string() + "' && timeout 90 sh '" + streams + ".sh' <'" + streams +
                             ".in' >'" + streams + ".out' 2>'" + streams + ".err'";
    const int status = std::system(line.c_str());
    Result result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(streams + ".out"), slurp(streams + ".err")};
    for (const char* end : {".in", ".out", ".err", ".sh"}) { std::filesystem::remove(streams + end); }
    return result;
  }
  static std::string slurp(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::filesystem::path folder_;
};

/// Talk without the line that suggests the next command.
inline std::string without_next(const std::string& err) {
  std::stringstream lines(err);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("Next: ")) { kept += line + '\n'; }
  }
  return kept;
}

/// A command on a page of the documents, and what the page says that it prints.
struct PageCommand {
  std::string command;
  std::string expected;
};
/// Of the blocks marked console: lines that begin with "$ ", each with the lines below it.
inline std::vector<PageCommand> console_of(const std::string& page) {
  std::vector<PageCommand> list;
  std::istringstream lines(page);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      list.push_back({line.substr(2), ""});
    } else if (inside && !list.empty()) {
      list.back().expected += line + '\n';
    }
  }
  return list;
}
