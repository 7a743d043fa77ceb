#include "polhode/io/result.h"

#include "polhode/core/error.h"

#include <nlohmann/json.hpp>

namespace polhode::io {

using Json = nlohmann::ordered_json;

namespace {

Json json_of(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Json json_of(const EulerParameters<double>& e) { return {e.e0, e.ev.x, e.ev.y, e.ev.z}; }
Vec3<double> vector_of(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }
EulerParameters<double> parameters_of(const Json& json) { return {json.at(0), {json.at(1), json.at(2), json.at(3)}}; }

Json json_of(const PicturedBody& body) {
  const PrincipalAxes axes = principal_axes(body.J_B);
  Json json{{"name", body.name},
            {"mass", body.mass},
            {"reference_B", json_of(body.reference_B)},
            {"held", body.held},
            {"principal_moments", json_of(axes.moments)},
            {"e_BP", json_of(axes.e_BP)}};
  for (std::size_t i = 0; i < 3; ++i) { json["J_B"].push_back({body.J_B(i, 0), body.J_B(i, 1), body.J_B(i, 2)}); }
  json["parts"] = Json::array();
  for (const Outline& one : body.outlines) {
    json["parts"].push_back({{"shape", one.shape},
                             {"lengths", one.lengths},
                             {"e_BC", json_of(one.e_BC)},
                             {"r_BC_B", json_of(one.r_BC_B)},
                             {"hole", one.hole}});
  }
  return json;
}

PicturedBody body_of(const Json& json) {
  PicturedBody body;
  json.at("name").get_to(body.name);
  json.at("mass").get_to(body.mass);
  body.reference_B = vector_of(json.at("reference_B"));
  json.at("held").get_to(body.held);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { json.at("J_B").at(i).at(j).get_to(body.J_B(i, j)); }
  }
  for (const Json& one : json.at("parts")) {
    body.outlines.push_back({one.at("shape"), one.at("lengths").get<std::vector<double>>(),
                             parameters_of(one.at("e_BC")), vector_of(one.at("r_BC_B")), one.at("hole")});
  }
  return body;
}

}  // namespace

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
  if (!head.bodies.empty()) {
    for (const PicturedBody& body : head.bodies) { json["bodies"].push_back(json_of(body)); }
  }
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
    if (json.contains("bodies")) {
      for (const Json& body : json.at("bodies")) { head.bodies.push_back(body_of(body)); }
    }
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
