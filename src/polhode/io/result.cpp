#include "polhode/io/result.h"

#include "polhode/core/error.h"
#include "polhode/core/shell.h"
#include "polhode/io/file_kind.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <type_traits>

namespace polhode::io {

using Json = nlohmann::ordered_json;

namespace {

Json json_of(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Json json_of(const EulerParameters<double>& e) { return {e.e0, e.ev.x, e.ev.y, e.ev.z}; }
Vec3<double> vector_of(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }
EulerParameters<double> parameters_of(const Json& json) { return {json.at(0), {json.at(1), json.at(2), json.at(3)}}; }

// ---- surfaces: a text of numbers each for points and triangles, in the order of the file

/// Numbers with blanks between them; the shortest that read back to the same bits.
template <class T, class List>
std::string text_of(const List& list) {
  std::string text;
  char number[32];
  for (const auto& three : list) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!text.empty()) { text += ' '; }
      text.append(number, std::to_chars(number, number + sizeof number, static_cast<T>(three[i])).ptr);
    }
  }
  return text;
}

/// And back, three by three.
template <class T, class List>
List list_of(const std::string& text) {
  List list;
  std::size_t count = 0;
  const char* end = text.data() + text.size();
  for (const char* p = text.data(); p < end; ++p) {  // over the blank
    T number{};
    const auto [rest, error] = std::from_chars(p, end, number);
    if (error != std::errc{} || (rest != end && *rest != ' ')) { throw std::runtime_error("no list of numbers"); }
    if (count % 3 == 0) { list.emplace_back(); }
    auto& to = list.back()[count++ % 3];
    to = static_cast<std::remove_reference_t<decltype(to)>>(number);
    p = rest;
  }
  if (count % 3 != 0) { throw std::runtime_error("not three by three"); }
  return list;
}

/// A surface that several shapes share is written once: after that, its index among those written.
Json json_of(const std::shared_ptr<const Surface>& surface, std::vector<const Surface*>& written) {
  const auto found = std::find(written.begin(), written.end(), surface.get());
  if (found != written.end()) { return found - written.begin(); }
  written.push_back(surface.get());
  return {{"points", text_of<float>(surface->points)}, {"triangles", text_of<std::uint32_t>(surface->triangles)}};
}

std::shared_ptr<const Surface> surface_of(const Json& json, std::vector<std::shared_ptr<const Surface>>& read) {
  if (json.is_number()) { return read.at(json.get<std::size_t>()); }
  auto surface = std::make_shared<Surface>();
  surface->points = list_of<float, std::vector<Vec3<double>>>(json.at("points"));
  surface->triangles = list_of<std::uint32_t, std::vector<shape::Triangle>>(json.at("triangles"));
  for (const Vec3<double>& p : surface->points) {
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) { throw std::runtime_error("no point"); }
  }
  for (const auto& [a, b, c] : surface->triangles) {
    if (std::max({a, b, c}) >= surface->points.size()) { throw std::runtime_error("no such point"); }
  }
  return read.emplace_back(std::move(surface));
}

Json json_of(const PicturedBody& body, std::vector<const Surface*>& written) {
  const PrincipalAxes axes = principal_axes(body.J_B);
  Json json{{"name", body.name},
            {"mass", body.mass},
            {"reference_B", json_of(body.reference_B)},
            {"held", body.held},
            {"principal_moments", json_of(axes.moments)},
            {"e_BP", json_of(axes.e_BP)}};
  for (std::size_t i = 0; i < 3; ++i) { json["J_B"].push_back({body.J_B(i, 0), body.J_B(i, 1), body.J_B(i, 2)}); }
  if (!body.shaped) { json["shaped"] = false; }
  json["parts"] = Json::array();
  for (const Outline& one : body.outlines) {
    json["parts"].push_back({{"shape", one.shape},
                             {"lengths", one.lengths},
                             {"e_BC", json_of(one.e_BC)},
                             {"r_BC_B", json_of(one.r_BC_B)},
                             {"hole", one.hole}});
    if (one.surface) { json["parts"].back()["surface"] = json_of(one.surface, written); }
  }
  return json;
}

PicturedBody body_of(const Json& json, std::vector<std::shared_ptr<const Surface>>& surfaces) {
  PicturedBody body;
  json.at("name").get_to(body.name);
  json.at("mass").get_to(body.mass);
  body.reference_B = vector_of(json.at("reference_B"));
  json.at("held").get_to(body.held);
  body.shaped = json.value("shaped", true);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { json.at("J_B").at(i).at(j).get_to(body.J_B(i, j)); }
  }
  for (const Json& one : json.at("parts")) {
    body.outlines.push_back({one.at("shape"), one.at("lengths").get<std::vector<double>>(),
                             parameters_of(one.at("e_BC")), vector_of(one.at("r_BC_B")), one.at("hole")});
    if (one.contains("surface")) { body.outlines.back().surface = surface_of(one.at("surface"), surfaces); }
  }
  return body;
}

Json json_of(const std::vector<PicturedBody>& bodies) {
  Json json = Json::array();
  std::vector<const Surface*> written;
  for (const PicturedBody& body : bodies) { json.push_back(json_of(body, written)); }
  return json;
}
std::vector<PicturedBody> bodies_of(const Json& json) {
  std::vector<PicturedBody> bodies;
  std::vector<std::shared_ptr<const Surface>> surfaces;
  for (const Json& body : json) { bodies.push_back(body_of(body, surfaces)); }
  return bodies;
}

Json json_of(const std::vector<PicturedJoint>& joints) {
  Json json = Json::array();
  for (const PicturedJoint& joint : joints) {
    json.push_back({{"name", joint.name},
                    {"kind", joint.kind},
                    {"first", joint.first},
                    {"second", joint.second},
                    {"r_first", json_of(joint.r_first)},
                    {"e_first", json_of(joint.e_first)},
                    {"r_second", json_of(joint.r_second)},
                    {"e_second", json_of(joint.e_second)}});
  }
  return json;
}
std::vector<PicturedJoint> joints_of(const Json& json) {
  std::vector<PicturedJoint> joints;
  for (const Json& one : json) {
    joints.push_back({one.at("name"), one.at("kind"), one.at("first"), one.at("second"), vector_of(one.at("r_first")),
                      parameters_of(one.at("e_first")), vector_of(one.at("r_second")),
                      parameters_of(one.at("e_second"))});
  }
  return joints;
}

// What a scene does not have is left out, and logs of older versions have none of it.

Json json_of(const PicturedPlane& plane) {
  return {{"point", json_of(plane.point)}, {"normal", json_of(plane.normal)}};
}
PicturedPlane plane_of(const Json& json) { return {vector_of(json.at("point")), vector_of(json.at("normal"))}; }

Json json_of(const PicturedScene& scene) {
  Json json = Json::object();
  if (scene.up_N) { json["up_N"] = json_of(*scene.up_N); }
  if (scene.floor) { json["floor"] = json_of(*scene.floor); }
  for (const PicturedPlane& plane : scene.other_floors) { json["other_floors"].push_back(json_of(plane)); }
  for (const PicturedSpring& spring : scene.springs) {
    json["springs"].push_back({{"kind", spring.kind},
                               {"first", spring.first},
                               {"on_first", json_of(spring.on_first)},
                               {"second", spring.second},
                               {"on_second", json_of(spring.on_second)}});
  }
  return json;
}
PicturedScene scene_of(const Json& json) {
  PicturedScene scene;
  if (json.contains("up_N")) { scene.up_N = vector_of(json.at("up_N")); }
  if (json.contains("floor")) { scene.floor = plane_of(json.at("floor")); }
  for (const Json& one : json.value("other_floors", Json::array())) { scene.other_floors.push_back(plane_of(one)); }
  for (const Json& one : json.value("springs", Json::array())) {
    scene.springs.push_back({one.at("kind"), one.at("first"), vector_of(one.at("on_first")), one.at("second"),
                             vector_of(one.at("on_second"))});
  }
  return scene;
}

[[noreturn]] void not_ours(std::string_view what, const Location& where) {
  fail(Error(Problem{.what = fmt::format("{} are not what this version wrote", what),
                     .allowed = {},
                     .cure = "leave them out, or convert the log of the run again",
                     .where = where}));
}

}  // namespace

// ---- head -----------------------------------------------------------------------------------------------------------

std::size_t ResultHead::column(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const simulation::Column& c) { return c.name == name; });
  if (found == columns.end()) { fail(Error("the result has no column '" + std::string(name) + "'")); }
  return static_cast<std::size_t>(found - columns.begin());
}

bool ResultHead::is_mechanism() const {
  const auto attitude = [](const simulation::Column& c) { return c.name == "e0"; };
  return !bodies.empty() && std::none_of(columns.begin(), columns.end(), attitude);
}

std::string ResultHead::scenario_arguments() const {
  std::string text = in_shell(scenario_file);
  for (const auto& [name, value] : parameters) { text += fmt::format(" --set {}={}", name, value); }
  return text;
}

std::string ResultHead::message_value(std::string_view key, std::string_view otherwise) const {
  for (const auto& [name, value] : message) {
    if (name == key) { return value; }
  }
  return std::string(otherwise);
}

std::string to_json(const ResultHead& head) {
  Json json;
  json["format"] = "polhode log 1";
  json["title"] = head.title;
  json["version"] = head.version;
  json["convention"] = kConvention;
  json["scenario_file"] = head.scenario_file;
  json["scenario_sha256"] = head.scenario_sha256;
  for (const auto& [name, value] : head.parameters) { json["set"][name] = value; }
  if (!head.laws.empty()) { json["laws"] = head.laws; }
  json["formulation"] = head.formulation;
  json["integrator"] = head.integrator;
  json["portable"] = head.portable;
  json["epoch"] = head.epoch;
  json["time_system"] = head.time_system;
  json["aem"] = Json::object();
  for (const auto& [key, value] : head.message) { json["aem"][key] = value; }
  json["columns"] = Json::array();
  for (const simulation::Column& column : head.columns) {
    json["columns"].push_back({{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
  }
  json["events"] = head.events;
  if (!head.bodies.empty()) { json["bodies"] = json_of(head.bodies); }
  if (!head.joints.empty()) { json["joints"] = json_of(head.joints); }
  if (!head.scene.empty()) { json["scene"] = json_of(head.scene); }
  json["scenario"] = head.scenario_text;
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

ResultHead head_from_json(const std::string& json_text, const std::string& file) {
  const Json json = Json::parse(json_text, nullptr, false);
  ResultHead head;
  try {
    if (json.at("format") != "polhode log 1") { throw std::runtime_error("another format"); }
    json.at("title").get_to(head.title);
    json.at("version").get_to(head.version);
    json.at("scenario_file").get_to(head.scenario_file);
    json.at("scenario_sha256").get_to(head.scenario_sha256);
    const Json set = json.value("set", Json::object());
    for (const auto& [name, value] : set.items()) { head.parameters[name] = value.get<double>(); }
    head.laws = json.value("laws", std::vector<std::string>{});
    json.at("formulation").get_to(head.formulation);
    json.at("integrator").get_to(head.integrator);
    json.at("portable").get_to(head.portable);
    json.at("epoch").get_to(head.epoch);
    head.time_system = json.value("time_system", "UTC");
    const Json message = json.value("aem", Json::object());
    for (const auto& [key, value] : message.items()) { head.message.emplace_back(key, value.get<std::string>()); }
    for (const Json& column : json.at("columns")) {
      head.columns.push_back({column.at("name"), column.at("unit"), column.at("meaning")});
    }
    json.at("events").get_to(head.events);
    if (json.contains("bodies")) { head.bodies = bodies_of(json.at("bodies")); }
    if (json.contains("joints")) { head.joints = joints_of(json.at("joints")); }
    if (json.contains("scene")) { head.scene = scene_of(json.at("scene")); }
    json.at("scenario").get_to(head.scenario_text);
  } catch (const std::exception&) {
    fail(Error(Problem{.what = file + ": the head is not one that this version wrote",
                       .allowed = "wanted: \"polhode log 1\"",
                       .cure = "run the scenario again"}));
  }
  return head;
}

std::string parameters_to_json(const Named<double>& parameters) {
  Json json = Json::object();
  for (const auto& [name, value] : parameters) { json[name] = value; }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Named<double> parameters_from_json(std::string_view text, const Location& where) {
  try {
    Named<double> parameters;
    const Json json = Json::parse(text);
    for (const auto& [name, value] : json.items()) { parameters[name] = value.get<double>(); }
    return parameters;
  } catch (const std::exception&) { not_ours("the values of the parameters", where); }
}

std::string bodies_to_json(const std::vector<PicturedBody>& bodies) {
  return json_of(bodies).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<PicturedBody> bodies_from_json(std::string_view text, const Location& where) {
  try {
    return bodies_of(Json::parse(text));
  } catch (const std::exception&) { not_ours("the shapes of the bodies", where); }
}

std::string joints_to_json(const std::vector<PicturedJoint>& joints) {
  return json_of(joints).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<PicturedJoint> joints_from_json(std::string_view text, const Location& where) {
  try {
    return joints_of(Json::parse(text));
  } catch (const std::exception&) { not_ours("the joints", where); }
}

std::string scene_to_json(const PicturedScene& scene) {
  return json_of(scene).dump(-1, ' ', false, Json::error_handler_t::replace);
}

PicturedScene scene_from_json(std::string_view text, const Location& where) {
  try {
    return scene_of(Json::parse(text));
  } catch (const std::exception&) { not_ours("up, floor and springs", where); }
}

// ---- reading --------------------------------------------------------------------------------------------------------

ResultReader::Item ResultReader::next() {
  const Item item = take();
  if (item == Item::event) { ++events_; }
  if (item != Item::row) { return item; }
  ++rows_;
  for (std::size_t i = 0; i < row_.size(); ++i) {
    if (!std::isfinite(row_[i])) {
      fail(Error(Problem{.what = fmt::format("row {}: {} is {}", rows_, head_.columns[i].name, row_[i]),
                         .allowed = "all numbers of a result are finite",
                         .cure = {},
                         .where = location()}));
    }
  }
  const double t = row_[time_column_];
  if (rows_ > 1 && t < t_) {
    fail(Error(Problem{.what = fmt::format("row {}: time goes back from {} to {} s", rows_, t_, t),
                       .allowed = "rows stand in the order of time",
                       .cure = {},
                       .where = location()}));
  }
  t_ = t;
  return item;
}

const std::vector<const ResultFormat*>& result_formats() {
#define READER(name) extern const ResultFormat kReader_##name;
#include "polhode/io/readers.def"
#undef READER
  static const std::vector<const ResultFormat*> kAll{
#define READER(name) &kReader_##name,
#include "polhode/io/readers.def"
#undef READER
  };
  return kAll;
}

const ResultFormat& result_format_of(const std::string& path) {
  SourceFile file(path);
  std::string bytes(512, '\0');
  bytes.resize(file.read(bytes.data(), bytes.size()));
  for (const ResultFormat* format : result_formats()) {
    if (format->begins(bytes)) { return *format; }
  }
  std::string known = "known:";
  for (const ResultFormat* format : result_formats()) { known += fmt::format(" {}", format->name); }
  const std::optional<FileKind> kind = file_kind_of(bytes);
  fail(Error(Problem{.what = bytes.empty() ? path + " is empty"
                                           : fmt::format("{} is no result that we know{}{}", path,
                                                         kind ? ": it is " : "", kind ? kind->what : ""),
                     .allowed = known,
                     .cure = {}}));
}

std::unique_ptr<ResultReader> open_result(const std::string& path) {
  std::unique_ptr<ResultReader> reader = result_format_of(path).open(path);
  const ResultHead& head = reader->head();
  std::vector<std::string> wanted{"t_s"};
  std::map<std::string_view, int> counts;
  for (const simulation::Column& column : head.columns) { ++counts[column.name]; }
  // what we wrote may leave attitudes out ([output] of a scenario), whole ones; a table of others has one
  const auto left_out = [&](const std::string& body) {
    return !head.version.empty() && !counts.contains(body + "e0") && !counts.contains(body + "e1") &&
           !counts.contains(body + "e2") && !counts.contains(body + "e3");
  };
  const auto want = [&](const std::string& body) {
    if (left_out(body)) { return; }
    for (const char* name : {"e0", "e1", "e2", "e3"}) { wanted.push_back(body + name); }
  };
  if (!head.is_mechanism()) { want(""); }
  for (std::size_t b = 0; head.is_mechanism() && b < head.bodies.size(); ++b) { want(head.bodies[b].name + "."); }
  std::string missing;
  for (const std::string& name : wanted) {
    const int count = counts[name];
    if (count != 1) { missing += fmt::format(" {}{}", name, count > 1 ? " (twice)" : ""); }
  }
  if (!missing.empty()) {
    fail(Error(Problem{.what = path + ": columns that every result has once:" + missing,
                       .allowed = "wanted: t_s e0 e1 e2 e3, time and attitude, scalar first, body to space",
                       .cure = {}}));
  }
  reader->find_time();
  return reader;
}

// ---- writing --------------------------------------------------------------------------------------------------------

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

// ---- for the formats ------------------------------------------------------------------------------------------------

void append_number(std::string& to, double x) {
  char text[32];
  to.append(text, std::to_chars(text, text + sizeof text, x).ptr);
}

std::string unit_of(std::string_view column) {
  constexpr std::pair<std::string_view, std::string_view> kEnds[] = {
      {"_rad_s2", "rad/s2"}, {"_rad_s", "rad/s"}, {"_m_s2", "m/s2"}, {"_m_s", "m/s"}, {"_Nms", "N m s"}, {"_Nm", "N m"},
      {"_rad", "rad"},       {"_N", "N"},         {"_J", "J"},       {"_m", "m"},     {"_s", "s"}};
  for (const auto& [end, unit] : kEnds) {
    if (column.ends_with(end)) { return std::string(unit); }
  }
  return "1";
}

SourceFile::SourceFile(const std::string& path) : path_(path), file_(open_to_read(path)) {
  struct stat about = {};
  if (file_ != nullptr && fstat(fileno(file_), &about) == 0 && S_ISREG(about.st_mode)) {
    size_ = static_cast<std::uint64_t>(about.st_size);
    tell_opened(fileno(file_));
    return;
  }
  const std::string cause = file_ == nullptr ? std::strerror(errno) : "not a plain file";
  if (file_ != nullptr) { std::fclose(file_); }
  fail(Error("cannot read '" + path_ + "': " + cause));
}
SourceFile::~SourceFile() { std::fclose(file_); }

std::size_t SourceFile::read(char* to, std::size_t size) {
  const std::size_t got = std::fread(to, 1, size, file_);
  if (got == 0 && std::ferror(file_) != 0) { fail(Error("cannot read '" + path_ + "': " + std::strerror(errno))); }
  position_ += got;
  return got;
}

void SourceFile::go_to(std::uint64_t position) {
  if (fseeko(file_, static_cast<off_t>(position), SEEK_SET) != 0) {
    fail(Error("cannot read '" + path_ + "': " + std::strerror(errno)));
  }
  position_ = position;
}

}  // namespace polhode::io
