#include "polhode/catalog/scenario_parts.h"

#include "polhode/body/shapes.h"
#include "polhode/io/moment.h"
#include "polhode/io/result.h"
#include "polhode/math/degree.h"
#include "polhode/math/pi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode::catalog {
namespace {

using io::TomlTable;
using math::kDegree;
using math::kRpm;

constexpr double kMostRows = 1e8;
constexpr double kMostSteps = 1e12;
constexpr double kLongestRun = 1e12;  // s
constexpr std::size_t kMostEvents = 10'000;
constexpr std::size_t kMostDefinitions = 1000;

/// A unit of an angle's rate, by the end of the key.
struct RateUnit {
  const char* suffix;
  double size;
};
constexpr RateUnit kRateUnits[] = {{"", 1}, {"_deg", kDegree}, {"_rpm", kRpm}};

}  // namespace

std::string one_of(TomlTable& table, const std::vector<std::string>& keys, std::string_view thing) {
  std::vector<std::string> found;
  for (const std::string& key : keys) {
    if (table.has(key)) { found.push_back(key); }
  }
  if (found.size() == 1) { return found.front(); }
  table.problem(found.empty() ? "" : found[1],
                found.empty() ? fmt::format("{} is missing{}", thing, table.name().empty() ? "" : " in " + table.name())
                              : fmt::format("{} is given twice: {} and {}", thing, found[0], found[1]),
                fmt::format("wanted: one of {}", fmt::join(keys, ", ")));
  return {};
}

std::optional<Vec3<double>> wanted_vector(TomlTable& table, std::string_view key) {
  if (table.has(key)) { return table.optional_vector(key); }
  table.vector(key);  // says that it is missing
  return {};
}

double positive(TomlTable& table, std::string_view key, double fallback) {
  const double value = table.optional_number(key).value_or(fallback);
  if (value > 0) { return value; }
  table.problem(key, fmt::format("{} is {:g}", key, value), "wanted: a number above 0");
  return fallback > 0 ? fallback : 1;
}

namespace {

Mat3<double> matrix(TomlTable& table, std::string_view key) {
  const std::vector<Vec3<double>> rows = table.vectors(key, 3);
  if (rows.size() != 3) {
    if (rows.size() > 3) { table.problem(key, fmt::format("{} has {} rows", key, rows.size()), "wanted: 3"); }
    return identity<double, 3>();
  }
  Mat3<double> m;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { m(i, j) = rows[i][j]; }
  }
  return m;
}

}  // namespace

// ---- attitude and rates ---------------------------------------------------------------------------------------------

std::vector<double> angles(TomlTable& table, const std::string& key, std::size_t count) {
  const std::string chosen = one_of(table, {key, key + "_deg"}, key);
  if (chosen.empty()) { return std::vector<double>(count, 0.0); }
  std::vector<double> values = count == 1 ? std::vector<double>{table.number(chosen)} : table.numbers(chosen, count);
  if (chosen != key) {
    for (double& value : values) { value *= kDegree; }
  }
  return values;
}

namespace {

/// An attitude as numbers of a representation, and the keys it may be written with.
struct AttitudeText {
  std::string representation;
  std::vector<double> values;
  std::string key;
};

std::optional<AttitudeText> read_attitude_text(TomlTable& table) {
  const std::vector<std::string> plain{"quaternion_wxyz", "quaternion_xyzw", "rotation_vector", "rodrigues", "mrp"};
  std::vector<std::string> given;
  for (const std::string& key : plain) {
    if (table.has(key)) { given.push_back(key); }
  }
  for (const char* key : {"euler", "axis_angle", "matrix"}) {
    if (table.has(key)) { given.emplace_back(key); }
  }
  if (given.empty()) { return {}; }
  if (given.size() > 1) {
    table.problem(
        given[1], fmt::format("the attitude is given twice: {} and {}", given[0], given[1]),
        "wanted: one of quaternion_wxyz, quaternion_xyzw, euler, axis_angle, matrix, rotation_vector, rodrigues, mrp");
    // rates beside Euler angles are looked at, so the angles are known keys too
    if (table.has("euler")) {
      if (std::optional<TomlTable> euler = table.optional_table("euler")) { euler->keys(); }
    }
    return {};
  }
  AttitudeText text{given[0], {}, given[0]};
  if (text.key == "euler") {
    std::optional<TomlTable> euler = table.optional_table("euler");
    if (!euler) { return {}; }
    text.representation = "euler:" + euler->text("sequence");
    if (euler->optional_boolean("extrinsic").value_or(false)) { text.representation += ":extrinsic"; }
    text.values = angles(*euler, "angles", 3);
  } else if (text.key == "axis_angle") {
    std::optional<TomlTable> turn = table.optional_table("axis_angle");
    if (!turn) { return {}; }
    const Vec3<double> axis = turn->vector("axis");
    text.values = {axis.x, axis.y, axis.z, angles(*turn, "angle", 1)[0]};
  } else if (text.key == "matrix") {
    const Mat3<double> m = matrix(table, "matrix");
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) { text.values.push_back(m(i, j)); }
    }
  } else {
    text.values = table.numbers(text.key, text.key.starts_with("quaternion") ? 4 : 3);
  }
  return text;
}

}  // namespace

EulerParameters<double> read_attitude(TomlTable& table, RepresentationPtr* representation,
                                      std::vector<double>* values) {
  const std::optional<AttitudeText> text = read_attitude_text(table);
  if (!text) { return EulerParameters<double>::identity(); }
  const auto found = noting(table, text->key, [&] { return catalog::representation(text->representation); });
  if (!found) { return EulerParameters<double>::identity(); }
  const auto reading = noting(table, text->key, [&] { return (*found)->read(text->values, Noise::refuse); });
  if (representation != nullptr) { *representation = *found; }
  if (values != nullptr) { *values = text->values; }
  return reading ? normalized(reading->e_NB) : EulerParameters<double>::identity();
}

namespace {

std::vector<std::string> rate_keys() {
  std::vector<std::string> keys;
  for (const char* frame : {"w_body", "w_space"}) {
    for (const RateUnit& unit : kRateUnits) { keys.push_back(std::string(frame) + unit.suffix); }
  }
  return keys;
}

}  // namespace

bool has_rates(TomlTable& table) {
  bool found = false;
  for (const std::string& key : rate_keys()) { found = table.has(key) || found; }
  std::optional<TomlTable> euler = table.has("euler") ? table.optional_table("euler") : std::nullopt;
  return found || (euler && (euler->has("rates") || euler->has("rates_deg")));
}

GivenRate read_rate(TomlTable& table, const EulerParameters<double>& e_NB, const RepresentationPtr& representation,
                    const std::vector<double>& values) {
  const std::vector<std::string> keys = rate_keys();
  // rates of the Euler angles stand beside the angles
  std::optional<TomlTable> euler = table.has("euler") ? table.optional_table("euler") : std::nullopt;
  const bool angle_rates = euler && (euler->has("rates") || euler->has("rates_deg"));
  if (angle_rates) {
    const std::vector<double> rates = angles(*euler, "rates", 3);
    for (const std::string& key : keys) {
      if (table.has(key)) {
        table.problem(key, "the rate is given twice: " + key + " and the rates of the Euler angles");
      }
    }
    if (!representation) { return {"euler"}; }
    const auto read =
        noting(*euler, "", [&] { return representation->read_rates(e_NB, values, rates, Noise::refuse); });
    return {"euler", read ? read->w.raw() : Vec3<double>{}};
  }
  const std::string key = one_of(table, keys, "the angular velocity");
  if (key.empty()) { return {}; }
  double unit = 1;
  for (const RateUnit& u : kRateUnits) {
    if (key.ends_with(u.suffix)) { unit = u.size; }
  }
  return {key, unit * table.vector(key), key.starts_with("w_space"), unit};
}

// ---- body -----------------------------------------------------------------------------------------------------------

namespace {

/// Keys of shapes: no complaint about them where it is not known which shape is meant.
void know_shape_keys(TomlTable& table) {
  for (const char* key : {"mass", "density", "edges", "semi_axes", "radius", "length", "outer_radius", "inner_radius",
                          "height", "file", "scale"}) {
    table.has(key);
  }
}

/// What a shape weighs; `outline` is told what it looks like.
MassProperties read_shape(TomlTable& table, Outline& outline, MeshShelf& meshes) {
  const MassProperties fallback{1, {}, identity<double, 3>()};
  const std::string kind = table.text("shape");
  outline.shape = kind;
  const std::string amount_key = one_of(table, {"mass", "density"}, "the amount of material");
  bool complete = true;  // a number that is missing or wrong is told once, where it is
  const auto number_at = [&](const std::string& key) {
    const std::optional<double> value = table.has(key) ? table.optional_number(key) : std::optional(table.number(key));
    complete = complete && table.has(key) && value;
    return value.value_or(1);
  };
  const double amount_value = amount_key.empty() ? 1 : number_at(amount_key);
  const Amount amount = amount_key == "density" ? Amount::density(amount_value) : Amount::mass(amount_value);
  const auto length = [&](const char* key) { return outline.lengths.emplace_back(number_at(key)); };
  const auto lengths = [&](const char* key) {
    const std::optional<Vec3<double>> found = wanted_vector(table, key);
    complete = complete && found;
    const Vec3<double> v = found.value_or(Vec3<double>{1, 1, 1});
    outline.lengths = {v.x, v.y, v.z};
    return v;
  };
  const auto made = [&](const auto& make) {
    return complete ? noting(table, "shape", make).value_or(fallback) : fallback;
  };
  if (kind == "box") {
    const Vec3<double> edges = lengths("edges");
    return made([&] { return shape::box(amount, edges); });
  }
  if (kind == "ellipsoid") {
    const Vec3<double> semi_axes = lengths("semi_axes");
    return made([&] { return shape::ellipsoid(amount, semi_axes); });
  }
  if (kind == "sphere") {
    const double radius = length("radius");
    return made([&] { return shape::sphere(amount, radius); });
  }
  if (kind == "cylinder" || kind == "capsule") {
    const double radius = length("radius");
    const double l = length("length");
    return made(
        [&] { return kind == "capsule" ? shape::capsule(amount, radius, l) : shape::cylinder(amount, radius, l); });
  }
  if (kind == "tube") {
    const double outer = length("outer_radius");
    const double inner = length("inner_radius");
    const double l = length("length");
    return made([&] { return shape::tube(amount, outer, inner, l); });
  }
  if (kind == "cone") {
    const double radius = length("radius");
    const double height = length("height");
    return made([&] { return shape::cone(amount, radius, height); });
  }
  if (kind == "mesh") {
    const std::string file = table.text("file");
    const double scale = positive(table, "scale", 1);
    if (!table.is_text("file")) { return fallback; }
    return noting(table, "file", [&] { return meshes.take(file, scale, amount, outline); }).value_or(fallback);
  }
  if (table.is_text("shape")) {
    table.problem("shape", unknown_name("shape", kind,
                                        {"box", "ellipsoid", "sphere", "cylinder", "capsule", "tube", "cone", "mesh"}));
    know_shape_keys(table);
  }
  return fallback;
}

}  // namespace

MassProperties read_body(TomlTable& table, std::vector<Outline>& outlines, MeshShelf& meshes) {
  const MassProperties fallback{1, {}, identity<double, 3>()};
  const Physical physical = table.optional_boolean("allow_impossible_inertia").value_or(false)
                                ? Physical::allow_any_positive
                                : Physical::require;
  std::vector<TomlTable> parts = table.tables("part");
  if (!parts.empty()) {
    for (const char* key : {"principal_moments", "inertia_matrix", "shape"}) {
      if (!table.has(key)) { continue; }
      table.problem(key, fmt::format("inertia is given twice: {} and parts", key), {}, "remove one");
      table.has("mass_centre");
      know_shape_keys(table);
    }
    std::vector<Part> list;
    for (TomlTable& part : parts) {
      Part one;
      Outline& outline = outlines.emplace_back();
      one.body_C = read_shape(part, outline, meshes);
      outline.e_BC = one.e_BC = read_attitude(part);
      outline.r_BC_B = one.r_BC_B = part.optional_vector("position").value_or(Vec3<double>{});
      outline.hole = one.hole = part.optional_boolean("hole").value_or(false);
      list.push_back(one);
    }
    return noting(table, "part", [&] { return require_physical(composed(list), physical); }).value_or(fallback);
  }
  const std::string key = one_of(table, {"principal_moments", "inertia_matrix", "shape"}, "inertia");
  if (key == "shape") {
    const MassProperties made = read_shape(table, outlines.emplace_back(), meshes);
    return noting(table, "shape", [&] { return require_physical(made, physical); }).value_or(fallback);
  }
  if (key.empty() && table.has("shape")) { know_shape_keys(table); }  // given twice
  const double mass = positive(table, "mass", 1);
  const Vec3<double> center_B = table.optional_vector("mass_centre").value_or(Vec3<double>{});
  if (key == "principal_moments") {
    const std::optional<Vec3<double>> moments = table.optional_vector(key);
    if (!moments) { return fallback; }
    return noting(table, key, [&] { return from_principal_moments(mass, *moments, center_B, physical); })
        .value_or(fallback);
  }
  if (key == "inertia_matrix") {
    const Mat3<double> J_B = matrix(table, key);
    return noting(table, key, [&] { return from_inertia_matrix(mass, J_B, center_B, physical); }).value_or(fallback);
  }
  return fallback;
}

// ---- the whole file
// --------------------------------------------------------------------------------------------------

void read_run(TomlTable& table, simulation::RunPlan& plan) {
  plan.duration = table.has("duration") ? positive(table, "duration", 1) : table.number("duration");
  if (!(plan.duration > 0)) { plan.duration = 1; }
  if (plan.duration > kLongestRun) {
    table.problem("duration", fmt::format("duration is {:g} s", plan.duration), "allowed: 1e12 s",
                  "beyond, steps are lost in the rounding of time");
    plan.duration = 1;
  }
  plan.output_interval = positive(table, "output_interval", plan.duration / 1000);
  if (plan.duration / plan.output_interval > kMostRows) {
    table.problem("output_interval", fmt::format("{:g} rows", plan.duration / plan.output_interval), "allowed: 1e8",
                  "a longer output_interval");
    plan.output_interval = plan.duration;
  }
  const double rows = table.optional_number("checkpoint_rows").value_or(1000);
  if (!(rows >= 1 && rows <= 1e6 && rows == std::floor(rows))) {
    table.problem("checkpoint_rows", fmt::format("checkpoint_rows is {:g}", rows),
                  "allowed: whole numbers from 1 to 1e6");
  } else {
    plan.rows_per_checkpoint = static_cast<std::size_t>(rows);
  }
  plan.integrator = table.optional_text("integrator").value_or(plan.integrator);
  plan.accuracy = positive(table, "accuracy", plan.accuracy);
  const auto method = noting(table, "integrator", [&] { return &polhode::integrator<double>(plan.integrator); });
  if (table.has("step") && table.has("tolerance")) {
    table.problem("step", "both step and tolerance", "wanted: step for fixed steps, tolerance for steps by tolerance");
  }
  if (table.has("step")) {
    plan.step = positive(table, "step", 1);
    if (plan.duration / plan.step > kMostSteps) {
      table.problem("step", fmt::format("{:.3g} steps", plan.duration / plan.step), "allowed: 1e12",
                    "a longer step, or a shorter duration");
    }
  } else if (method && !(*method)->description().adaptive) {
    table.problem("integrator", fmt::format("'{}' has no error estimate: it needs fixed steps", plan.integrator),
                  "wanted: step = ... in s", "or integrator = \"dop853\"");
  }
  const double tolerance = positive(table, "tolerance", 1e-10);
  if (tolerance < 1e-14) {
    table.problem("tolerance", fmt::format("tolerance {:g} is below rounding", tolerance), "allowed: 1e-14 and more",
                  "1e-12 is as much as most motions can use");
  }
  plan.relative_tolerance = tolerance;
  plan.absolute_tolerance = tolerance;
  if (const std::optional<std::string> projection = table.optional_text("projection")) {
    plan.projection =
        noting(table, "projection", [&] { return projection_use(*projection); }).value_or(plan.projection);
  }
  if (method && (*method)->description().holds_conditions) {
    if (table.has("projection") && plan.projection != ProjectionUse::none) {
      table.problem("projection", fmt::format("'{}' holds the joints by its own equations", plan.integrator),
                    "wanted: no projection", "or integrator = \"dop853\"");
    }
    plan.projection = ProjectionUse::none;
  } else if (method && (*method)->description().keeps_history && !table.has("projection") &&
             plan.projection == ProjectionUse::every_step) {
    plan.projection = ProjectionUse::at_output;
  }
}

namespace {

/// [aem]: what an attitude message says besides the motion.
void read_message(TomlTable& table, ScenarioHead& head) {
  constexpr std::size_t kLongest = 200;
  for (const io::MessageKey& key : io::kMessageKeys) {
    const std::optional<std::string> value = table.optional_text(key.name);
    if (!value) { continue; }
    const bool printable = std::all_of(value->begin(), value->end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (value->empty() || value->size() > kLongest || !printable) {
      table.problem(key.name, "a message cannot hold this text", "wanted: 1 to 200 characters of printable ASCII");
    }
    head.message.emplace_back(key.name, *value);
  }
  if (const std::optional<std::string> type = table.optional_text("attitude_type");
      type && *type != "QUATERNION" && *type != "QUATERNION/DERIVATIVE") {
    table.problem("attitude_type", unknown_name("attitude_type", *type, {"QUATERNION", "QUATERNION/DERIVATIVE"}));
  }
}

}  // namespace

void read_head(TomlTable& root, ScenarioHead& head) {
  head.title = root.text("title");
  head.epoch = root.optional_text("epoch").value_or("");
  if (!head.epoch.empty() && !io::read_moment(head.epoch, io::Calendar::utc)) {
    root.problem("epoch", "'" + head.epoch + "' is no time", "wanted: such as \"2026-01-31T12:00:00\", UTC");
  }
  if (std::optional<TomlTable> message = root.optional_table("aem")) { read_message(*message, head); }
}

void read_parameters(TomlTable& root, ParameterSet& parameters) {
  std::optional<TomlTable> table = root.optional_table("parameters");
  if (!table) { return; }
  for (const std::string& name : table->keys()) {
    const double value = table->number(name);
    noting(*table, name, [&] {
      parameters.add_parameter(name, value);
      return true;
    });
  }
}

void read_definitions(TomlTable& root, const std::vector<io::FormulaNames*>& scopes) {
  std::optional<TomlTable> table = root.optional_table("definitions");
  if (!table) { return; }
  const std::vector<std::string> names = table->keys();
  if (names.size() > kMostDefinitions) {
    root.problem("definitions", fmt::format("{} definitions", names.size()),
                 fmt::format("allowed: {}", kMostDefinitions), "put those that only one formula uses into it");
  }
  for (const std::string& name : names) {
    const io::TomlValue value = table->value(name);
    const std::string text = value.formula.empty() ? fmt::format("{}", value.number) : value.formula;
    for (io::FormulaNames* scope : scopes) {
      const auto define = [&] {
        scope->define(name, text, value.where);
        return true;
      };
      if (!noting(*table, name, define)) { break; }
    }
  }
}

void check_definitions(TomlTable& root, const io::FormulaNames& names) {
  std::optional<TomlTable> table = root.optional_table("definitions");
  if (!table || table->keys().size() > kMostDefinitions) { return; }
  for (const std::string& name : table->keys()) {
    if (names.definition(name) == nullptr) { continue; }
    noting(*table, name, [&] { return io::Formula(name, names, names.place_of_definition(name)); });
  }
}

std::vector<TomlTable> event_tables(TomlTable& root) {
  std::vector<TomlTable> tables = root.tables("event");
  if (tables.size() > kMostEvents) {
    root.problem("event", fmt::format("{} events", tables.size()), "allowed: 10000",
                 "one formula, such as a sine of time, may have many zeros");
    for (TomlTable& table : tables) { table.keys(); }
    tables.clear();
  }
  return tables;
}

void read_event_head(TomlTable& table, simulation::EventHead& event) {
  event.name = table.text("name");
  const std::string direction = table.optional_text("direction").value_or("both");
  if (direction != "up" && direction != "down" && direction != "both") {
    table.problem("direction", unknown_name("direction", direction, {"up", "down", "both"}));
  }
  event.direction = direction == "up" ? 1 : direction == "down" ? -1 : 0;
}

std::function<void()> read_set(TomlTable& table, const ParameterSet& parameters) {
  std::optional<TomlTable> set = table.optional_table("set");
  if (!set) {
    if (!table.has("set")) { table.problem("", "action 'set' without a table", "wanted: such as set = { k = 0.0 }"); }
    return {};
  }
  std::vector<std::pair<std::size_t, double>> changes;
  const std::vector<std::string>& names = parameters.parameter_names();
  for (const std::string& key : set->keys()) {
    const auto found = std::find(names.begin(), names.end(), key);
    if (found == names.end()) {
      set->problem(key, unknown_name("parameter", key, {names.begin(), names.end()}));
      continue;
    }
    changes.emplace_back(static_cast<std::size_t>(found - names.begin()), set->number(key));
  }
  return [changes, values = parameters.parameters()] {
    for (const auto& [i, value] : changes) { (*values)[i] = value; }
  };
}

}  // namespace polhode::catalog
