#include "command.h"
#include "polhode/catalog/model_check.h"
#include "polhode/run/run.h"

#include <memory>

namespace polhode::app {

void add_check(CLI::App& program, Session& session) {
  auto file = std::make_shared<std::string>();
  Command command = add_command(program, session, "check",
                                "  polhode check four-bar.toml        degrees of freedom, redundancy, what will hurt\n"
                                "  polhode check four-bar.toml --json the same for programs",
                                "is this model physical and well posed? in words", [file, &session] {
                                  std::string title;
                                  const run::Source source = session.source();
                                  const catalog::ModelCheck check = catalog::check_file(
                                      read_file(*file), *file, source.meshes, source.parameters, title);
                                  if (session.json) {
                                    write_out(catalog::to_json(check, title) + '\n');
                                  } else {
                                    write_out(catalog::to_text(check, title));
                                    if (!check.wrong()) {
                                      session.suggest("polhode run " + session.scenario_arguments(*file));
                                    }
                                  }
                                  return check.wrong() ? kCheckFailed : kDone;
                                });
  command.add_option("FILE", *file, "the scenario, TOML (docs/scenario.md)").required();
  command.add_scenario_flags(session);
}

}  // namespace polhode::app
