#include "command.h"
#include "polhode/catalog/model_check.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "run_subject.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace polhode::app {
namespace {

using catalog::Finding;
using catalog::ModelCheck;
using Json = nlohmann::ordered_json;

void add_meshes(const catalog::ScenarioHead& scenario, ModelCheck& check) {
  for (const catalog::MeshFacts& mesh : scenario.meshes) {
    check.findings.push_back({Finding::Level::note, fmt::format("mesh {}: {}", mesh.file, catalog::to_text(mesh))});
  }
  check.limit_messages();
}

/// What a file is found to be; what its reader refuses is a finding too.
ModelCheck check_file(const std::string& file, catalog::MeshPlaces meshes, std::string& title) {
  const std::string text = read_file(file);
  const bool mechanism = catalog::is_mechanism(text, file);
  try {
    if (!mechanism) {
      const catalog::OneBodyScenario scenario = catalog::read_scenario(text, file, meshes);
      title = scenario.title;
      ModelCheck check = catalog::check_one_body(scenario);
      add_meshes(scenario, check);
      return check;
    }
    const catalog::MechanismScenario scenario = catalog::read_mechanism(text, file, meshes);
    title = scenario.title;
    ModelCheck check = catalog::check_mechanism(scenario);
    add_meshes(scenario, check);
    return check;
  } catch (const Error& error) {
    ModelCheck check;
    for (const Problem& problem : error.problems()) {
      check.findings.push_back({Finding::Level::wrong, to_line(problem)});
    }
    check.limit_messages();
    return check;
  }
}

Json to_json(const ModelCheck& check, const std::string& title) {
  Json json{{"title", title},
            {"sound", !check.wrong()},
            {"bodies", check.bodies},
            {"joints", check.joints},
            {"freedoms", check.freedoms},
            {"rows", check.rows},
            {"independent_rows", check.independent},
            {"redundancies", check.redundancies},
            {"redundancies_left_out", check.redundancies_left_out},
            {"joints_with_undetermined_reactions", check.undetermined_joints},
            {"adjusted_velocities", adjusted_json(check.adjusted)}};
  json["findings"] = Json::array();
  for (const Finding& finding : check.findings) {
    json["findings"].push_back({{"level", catalog::to_text(finding.level)}, {"text", finding.text}});
  }
  json["findings_left_out"] = check.findings_left_out;
  return json;
}

/// "a, b, c"; of many the first ones.
std::string first_of(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), ModelCheck::kMostMessages);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) { text += fmt::format(" and {} more", names.size() - shown); }
  return text;
}

std::string to_text(const ModelCheck& check, const std::string& title) {
  std::string text = title.empty() ? "" : title + "\n";
  if (check.bodies > 0) {
    text += fmt::format("{}, {}: {}\n", counted(check.bodies, "body", "bodies"), counted(check.joints, "joint"),
                        counted(static_cast<std::size_t>(check.freedoms), "degree of freedom", "degrees of freedom"));
  }
  if (check.rows > check.independent) {
    text += fmt::format("{}, {} of them independent; the motion is the same without the rest:\n",
                        counted(static_cast<std::size_t>(check.rows), "condition"), check.independent);
    for (const std::string& one : check.redundancies) { text += "  " + one + "\n"; }
    if (check.redundancies_left_out > 0) {
      text += fmt::format("  and {} more of this kind\n", check.redundancies_left_out);
    }
    if (check.untold_redundancies > 0) {
      text += fmt::format("  {} of loops that hang together, too many to look at one by one\n",
                          counted(static_cast<std::size_t>(check.untold_redundancies), "condition"));
    }
    if (!check.undetermined_joints.empty()) {
      text += fmt::format("  reactions that could be shared otherwise: {}\n", first_of(check.undetermined_joints));
    }
  }
  for (const Finding& finding : check.findings) {
    text += fmt::format("{}: {}\n", catalog::to_text(finding.level), finding.text);
  }
  if (check.findings_left_out > 0) { text += fmt::format("and {} more\n", check.findings_left_out); }
  return text + (check.wrong() ? "Something is wrong.\n" : "Nothing is wrong.\n");
}

}  // namespace

void add_check(CLI::App& program, Session& session) {
  auto file = std::make_shared<std::string>();
  Command command = add_command(program, session, "check",
                                "  polhode check four-bar.toml        degrees of freedom, redundancy, what will hurt\n"
                                "  polhode check four-bar.toml --json the same for programs",
                                "is this model physical and well posed? in words", [file, &session] {
                                  std::string title;
                                  const ModelCheck check = check_file(*file, session.mesh_places(), title);
                                  if (session.json) {
                                    write_json(to_json(check, title));
                                  } else {
                                    write_out(to_text(check, title));
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
