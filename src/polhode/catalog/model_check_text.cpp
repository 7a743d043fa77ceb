#include "polhode/catalog/model_check.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

/// What is found of a model, for people and for programs.
namespace polhode::catalog {
namespace {

using Json = nlohmann::ordered_json;

void add_meshes(const ScenarioHead& scenario, ModelCheck& check) {
  for (const MeshFacts& mesh : scenario.meshes) {
    check.findings.push_back({Finding::Level::note, fmt::format("mesh {}: {}", mesh.file, to_text(mesh))});
  }
  check.limit_messages();
}

/// "a, b, c"; of many the first ones.
std::string first_of(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), ModelCheck::kMostMessages);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) { text += fmt::format(" and {} more", names.size() - shown); }
  return text;
}

std::string of_switches(const ModelCheck& check) {
  std::string text;
  const auto list = [&](bool of_time, std::string_view head, const auto& words) {
    bool first = true;
    for (const FoundSwitch& one : check.switches) {
      if (one.of_time != of_time) { continue; }
      if (first) { text += head; }
      first = false;
      text += fmt::format("  {}: {}\n", one.law, words(one));
    }
  };
  list(true,
       check.lands ? "switches by time; steps end on those of what acts, and events are found there:\n"
                   : "switches by time; steps of fixed length do not end on them, steps by tolerance would:\n",
       [](const FoundSwitch& one) {
         std::string times = one.count == 0 ? one.is_more ? "not among the first 5000 of its law" : "not within the run"
                             : one.is_more  ? "at least at "
                                            : "at ";
         if (one.count > one.times.size()) {
           times = fmt::format("at {}{} times: ", one.is_more ? "more than " : "", one.count);
         }
         for (std::size_t i = 0; i < one.times.size(); ++i) {
           times += fmt::format("{}{:.9g}", i > 0 ? ", " : "", one.times[i]);
         }
         if (one.count > one.times.size()) { times += ", ..."; }
         if (one.count > 0) { times += " s"; }
         if (!one.is_decided) {
           times += "; whether the law switches at others cannot be decided, and then there is no yes";
         }
         return one.words + " " + times;
       });
  list(false,
       "switches that look at the state; steps do not end on them, error estimates and a second method meet them:\n",
       [](const FoundSwitch& one) { return counted(one.count, "switch", "switches"); });
  if (check.switches_left_out > 0) {
    text += fmt::format("  and {} more\n", counted(check.switches_left_out, "switch", "switches"));
  }
  for (const std::string& law : check.opaque_laws) {
    text +=
        fmt::format("law '{}' is code: whether and when it switches is not known; a certificate wants max_step\n", law);
  }
  return text;
}

}  // namespace

std::string to_json(const std::vector<AdjustedVelocity>& adjusted) {
  Json list = Json::array();
  for (const AdjustedVelocity& one : adjusted) {
    list.push_back(
        {{one.of_joint ? "joint" : "body", one.name}, {"key", one.key}, {"given", one.given}, {"used", one.used}});
  }
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ModelCheck check_file(std::string_view text, const std::string& file, MeshLocations meshes,
                      const ParameterValues& values, std::string& title) {
  const bool mechanism = is_mechanism(text, file);
  try {
    if (!mechanism) {
      const OneBodyScenario scenario = read_scenario(text, file, meshes, values);
      title = scenario.title;
      ModelCheck check = check_one_body(scenario);
      add_meshes(scenario, check);
      if (!check.wrong()) { look_at_switches(scenario.plan, check); }
      return check;
    }
    const MechanismScenario scenario = read_mechanism(text, file, meshes, values);
    title = scenario.title;
    ModelCheck check = check_mechanism(scenario);
    add_meshes(scenario, check);
    if (!check.wrong()) { look_at_switches(scenario.plan, check); }
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

std::string to_json(const ModelCheck& check, const std::string& title) {
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
            {"adjusted_velocities", Json::parse(to_json(check.adjusted))}};
  json["findings"] = Json::array();
  for (const Finding& finding : check.findings) {
    json["findings"].push_back({{"level", to_text(finding.level)}, {"text", finding.text}});
  }
  json["findings_left_out"] = check.findings_left_out;
  json["switches"] = Json::array();
  for (const FoundSwitch& one : check.switches) {
    Json entry{{"law", one.law}, {"of", one.of_time ? "time" : "state"}, {"count", one.count}};
    if (one.of_time) {
      entry["formula"] = one.words;
      entry["times_s"] = one.times;
      entry["count_is_least"] = one.is_more;
      entry["decided"] = one.is_decided;
    }
    json["switches"].push_back(std::move(entry));
  }
  json["switches_left_out"] = check.switches_left_out;
  json["laws_given_as_code"] = check.opaque_laws;
  json["steps_end_on_switches_of_time"] = check.lands;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string to_text(const ModelCheck& check, const std::string& title) {
  std::string text = title.empty() ? "" : title + "\n";
  if (check.bodies > 0) {
    text += fmt::format("{}, {}: {}\n", counted(check.bodies, "body", "bodies"), counted(check.joints, "joint"),
                        counted(static_cast<std::size_t>(check.freedoms), "degree of freedom", "degrees of freedom"));
  }
  if (check.rows > check.independent) {
    text += fmt::format("{}, {} of them independent; the motion is the same without the rest:\n",
                        counted(static_cast<std::size_t>(check.rows), "constraint"), check.independent);
    for (const std::string& one : check.redundancies) { text += "  " + one + "\n"; }
    if (check.redundancies_left_out > 0) {
      text += fmt::format("  and {} more of this kind\n", check.redundancies_left_out);
    }
    if (check.untold_redundancies > 0) {
      text += fmt::format("  {} of loops that hang together, too many to look at one by one\n",
                          counted(static_cast<std::size_t>(check.untold_redundancies), "constraint"));
    }
    if (!check.undetermined_joints.empty()) {
      text += fmt::format("  reactions that could be shared otherwise: {}\n", first_of(check.undetermined_joints));
    }
  }
  for (const Finding& finding : check.findings) {
    text += fmt::format("{}: {}\n", to_text(finding.level), finding.text);
  }
  if (check.findings_left_out > 0) { text += fmt::format("and {} more\n", check.findings_left_out); }
  text += of_switches(check);
  return text + (check.wrong() ? "Something is wrong.\n" : "Nothing is wrong.\n");
}

}  // namespace polhode::catalog
