#include "polhode/io/result.h"

#include "polhode/core/error.h"

#include <nlohmann/json.hpp>

namespace polhode::io {

using Json = nlohmann::ordered_json;

std::string to_json(const ResultHead& head) {
  Json json;
  json["format"] = "polhode log 1";
  json["title"] = head.title;
  json["version"] = head.version;
  json["convention"] = kConvention;
  json["scenario_file"] = head.scenario_file;
  json["scenario_sha256"] = head.scenario_sha256;
  json["formulation"] = head.formulation;
  json["integrator"] = head.integrator;
  json["portable"] = head.portable;
  json["epoch"] = head.epoch;
  for (const simulation::Column& column : head.columns) {
    json["columns"].push_back({{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
  }
  json["events"] = head.events;
  json["scenario"] = head.scenario_text;
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

ResultHead head_from_json(const std::string& text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, false);
  ResultHead head;
  try {
    if (json.at("format") != "polhode log 1") { throw std::runtime_error("another format"); }
    json.at("title").get_to(head.title);
    json.at("version").get_to(head.version);
    json.at("scenario_file").get_to(head.scenario_file);
    json.at("scenario_sha256").get_to(head.scenario_sha256);
    json.at("formulation").get_to(head.formulation);
    json.at("integrator").get_to(head.integrator);
    json.at("portable").get_to(head.portable);
    json.at("epoch").get_to(head.epoch);
    for (const Json& column : json.at("columns")) {
      head.columns.push_back({column.at("name"), column.at("unit"), column.at("meaning")});
    }
    json.at("events").get_to(head.events);
    json.at("scenario").get_to(head.scenario_text);
  } catch (const std::exception&) {
    fail(Error(Problem{.what = file + ": the header of the log is not one that this version wrote",
                       .allowed = "wanted: \"polhode log 1\"",
                       .cure = "run the scenario again"}));
  }
  return head;
}

#define WRITER(name) extern const ResultWriter kWriter_##name;
#include "polhode/io/writers.def"
#undef WRITER

const std::vector<const ResultWriter*>& result_writers() {
  static const std::vector<const ResultWriter*> kAll{
#define WRITER(name) &kWriter_##name,
#include "polhode/io/writers.def"
#undef WRITER
  };
  return kAll;
}

const ResultWriter& result_writer(std::string_view name) {
  std::vector<std::string_view> known;
  for (const ResultWriter* writer : result_writers()) {
    if (writer->name == name) { return *writer; }
    known.push_back(writer->name);
  }
  fail(Error(unknown_name("format", name, known)));
}

}  // namespace polhode::io
