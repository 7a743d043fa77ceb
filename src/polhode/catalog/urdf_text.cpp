#include "polhode/catalog/urdf.h"
#include "polhode/catalog/urdf_robot.h"
#include "polhode/io/scenario_toml.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace polhode::catalog {
namespace {

using JsonObject = nlohmann::ordered_json;

JsonObject notes_as_json(const std::vector<RobotNote>& notes) {
  JsonObject list = JsonObject::array();
  for (const RobotNote& note : notes) {
    JsonObject one{{"kind", to_text(note.kind)}, {"text", note.text}};
    if (note.line > 0) { one["line"] = note.line; }
    list.push_back(std::move(one));
  }
  return list;
}

std::string text_of(const JsonObject& object) {
  return object.dump(2, ' ', false, JsonObject::error_handler_t::replace);
}

}  // namespace

std::string_view to_text(RobotNote::Kind kind) {
  switch (kind) {
    case RobotNote::Kind::left_out:
      return "left out";
    case RobotNote::Kind::changed:
      return "changed";
    case RobotNote::Kind::chosen:
      return "chosen";
  }
  return "";
}

std::vector<RobotNote> in_order_of_kind(const std::vector<RobotNote>& notes) {
  std::vector<RobotNote> ordered;
  ordered.reserve(notes.size());
  for (const RobotNote::Kind kind : {RobotNote::Kind::left_out, RobotNote::Kind::changed, RobotNote::Kind::chosen}) {
    for (const RobotNote& note : notes) {
      if (note.kind == kind) { ordered.push_back(note); }
    }
  }
  return ordered;
}

std::string to_toml(const ImportedRobot& robot, const std::string& from) {
  std::string text = fmt::format("# Robot '{}', read from {} by polhode import.\n", robot.name, plain_text(from));
  const RobotNote* before = nullptr;
  for (const RobotNote& note : robot.notes) {
    if (before == nullptr || before->kind != note.kind) {
      const std::string_view kind = to_text(note.kind);
      text += fmt::format("#\n# {}{}:\n", static_cast<char>(kind[0] - 'a' + 'A'), kind.substr(1));
    }
    before = &note;
    text += fmt::format("# - {}{}\n", note.text, note.line > 0 ? fmt::format(" (line {})", note.line) : "");
  }
  return text + '\n' + io::to_toml(robot.scenario);
}

std::string to_json(const ImportedRobot& robot, const std::string& input, const std::string& output) {
  return text_of({{"what", "import"},
                  {"input", input},
                  {"output", output},
                  {"robot", robot.name},
                  {"links", robot.links},
                  {"bodies", robot.scenario.bodies.size()},
                  {"joints", robot.scenario.joints.size()},
                  {"root", robot.root},
                  {"root_free", robot.root_free},
                  {"notes", notes_as_json(robot.notes)}});
}

std::string to_json(const WrittenUrdf& robot, const std::string& input, const std::string& output) {
  return text_of({{"what", "convert"},
                  {"input", input},
                  {"input_format", "scenario"},
                  {"output", output},
                  {"output_format", "urdf"},
                  {"links", robot.links},
                  {"joints", robot.joints},
                  {"root", robot.root},
                  {"root_free", robot.root_free},
                  {"notes", notes_as_json(robot.notes)}});
}

}  // namespace polhode::catalog
