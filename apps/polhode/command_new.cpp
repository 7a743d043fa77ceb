#include "command.h"
#include "polhode/catalog/examples.h"
#include "polhode/core/error.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace polhode::app {
namespace {

struct NewChoice {
  std::string name;
  std::string output;
  bool force = false;
};

int start(const Session& session, const NewChoice& choice) {
  std::vector<std::string_view> known;
  const catalog::Example* found = nullptr;
  for (const catalog::Example& example : catalog::examples()) {
    known.push_back(example.name);
    if (example.name == choice.name) { found = &example; }
  }
  if (found == nullptr) { fail(Error(unknown_name("example", choice.name, known))); }
  const std::string path = choice.output.empty() ? choice.name + ".toml" : choice.output;
  std::vector<std::pair<std::string, std::string_view>> files{{path, found->text}};
  if (path != "-") {
    // what it reads goes beside it
    for (const auto& [name, text] : found->files) {
      files.emplace_back((std::filesystem::path(path).parent_path() / name).string(), text);
    }
    for (const auto& [name, text] : files) {
      std::error_code none;
      const bool link = name != path && std::filesystem::is_symlink(name, none);  // a name that the user did not give
      if (!link && (choice.force || !std::filesystem::exists(name, none))) { continue; }
      fail(Error(Problem{
          .what = fmt::format("'{}' is already there", name),
          .allowed = {},
          .cure = link ? "it is a link; move it away" : "choose another name with -o, or write over it with --force"}));
    }
  }
  for (const auto& [name, text] : files) { write_file(name, text); }
  if (path != "-") {
    session.say(fmt::format("Wrote {}: {}", path, found->title));
    for (std::size_t i = 1; i < files.size(); ++i) {
      session.say(fmt::format("Wrote {}, which it reads", files[i].first));
    }
    session.suggest("polhode run " + in_shell(path));
  } else {
    for (const auto& [name, text] : found->files) {
      session.say(fmt::format("It reads {}, which 'polhode new {}' writes beside it", name, choice.name));
    }
  }
  return kDone;
}

}  // namespace

void add_new(CLI::App& program, Session& session) {
  auto choice = std::make_shared<NewChoice>();
  Command command = add_command(program, session, "new",
                                "  polhode new t-handle                  writes t-handle.toml, to run and to change\n"
                                "  polhode new spinning-top -o my.toml   under a name of your own",
                                "start from an example: writes a commented scenario",
                                [choice, &session] { return start(session, *choice); });
  command.add_option("NAME", choice->name, "of the example; polhode list examples shows them").required();
  command.add_option("-o,--output", choice->output, "file to write; NAME.toml if not given, - for stdout");
  command.add_flag("--force", choice->force, "write over a file that is there");
}

}  // namespace polhode::app
