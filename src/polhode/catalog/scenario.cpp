#include "polhode/catalog/scenario.h"

#include "polhode/body/shapes.h"
#include "polhode/catalog/representations.h"
#include "polhode/core/error.h"
#include "polhode/formulation/formulation.h"
#include "polhode/io/moment.h"
#include "polhode/io/result.h"
#include "polhode/math/degree.h"
#include "polhode/math/elementary.h"
#include "polhode/rotation/euler_angles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode::catalog {
namespace {

using io::TomlTable;
using math::kDegree;

constexpr double kRpm = math::kPi<double> / 30;
constexpr double kMostRows = 1e9;

/// What a library function refuses becomes a problem at `key`.
template <class F>
auto noting(TomlTable& table, std::string_view key, const F& f) -> std::optional<decltype(f())> {
  try {
    return f();
  } catch (const Error& error) {
    table.problem(key, error);
    return {};
  }
}

/// Exactly one of `keys` must be there; which one, or "".
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

double positive(TomlTable& table, std::string_view key, double fallback) {
  const double value = table.optional_number(key).value_or(fallback);
  if (value > 0) { return value; }
  table.problem(key, fmt::format("{} is {:g}", key, value), "wanted: a number above 0");
  return fallback > 0 ? fallback : 1;
}

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

// ---- attitude and rates ---------------------------------------------------------------------------------------------

/// An angle or angles under `key` in radians, or under `key`_deg in degrees.
std::vector<double> angles(TomlTable& table, const std::string& key, std::size_t count) {
  const std::string chosen = one_of(table, {key, key + "_deg"}, key);
  if (chosen.empty()) { return std::vector<double>(count, 0.0); }
  std::vector<double> values = count == 1 ? std::vector<double>{table.number(chosen)} : table.numbers(chosen, count);
  if (chosen != key) {
    for (double& value : values) { value *= kDegree; }
  }
  return values;
}

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

EulerParameters<double> read_attitude(TomlTable& table, RepresentationPtr* representation = nullptr,
                                      std::vector<double>* values = nullptr) {
  const std::optional<AttitudeText> text = read_attitude_text(table);
  if (!text) { return EulerParameters<double>::identity(); }
  const auto found = noting(table, text->key, [&] { return catalog::representation(text->representation); });
  if (!found) { return EulerParameters<double>::identity(); }
  const auto reading = noting(table, text->key, [&] { return (*found)->read(text->values, Noise::refuse); });
  if (representation != nullptr) { *representation = *found; }
  if (values != nullptr) { *values = text->values; }
  return reading ? normalized(reading->e_NB) : EulerParameters<double>::identity();
}

Vec3<double> read_rates(TomlTable& table, const EulerParameters<double>& e_NB, const RepresentationPtr& representation,
                        const std::vector<double>& values) {
  struct Unit {
    const char* suffix;
    double size;
  };
  const Unit units[] = {{"", 1}, {"_deg", kDegree}, {"_rpm", kRpm}};
  std::vector<std::string> keys;
  for (const char* frame : {"w_body", "w_space"}) {
    for (const Unit& unit : units) { keys.push_back(std::string(frame) + unit.suffix); }
  }
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
    if (!representation) { return {}; }
    const auto w = noting(*euler, "", [&] { return representation->angular_velocity(e_NB, values, rates); });
    return w ? w->raw() : Vec3<double>{};
  }
  const std::string key = one_of(table, keys, "the angular velocity");
  if (key.empty()) { return {}; }
  double unit = 1;
  for (const Unit& u : units) {
    if (key.ends_with(u.suffix)) { unit = u.size; }
  }
  const Vec3<double> w = unit * table.vector(key);
  return key.starts_with("w_space") ? rotate_back(e_NB, w) : w;
}

// ---- body -----------------------------------------------------------------------------------------------------------

/// What a shape weighs; `outline` is told what it looks like.
MassProperties read_shape(TomlTable& table, Outline& outline) {
  const MassProperties fallback{1, {}, identity<double, 3>()};
  const std::string kind = table.text("shape");
  outline.shape = kind;
  const std::string amount_key = one_of(table, {"mass", "density"}, "the amount of material");
  const double amount_value = amount_key.empty() ? 1 : table.number(amount_key);
  const Amount amount = amount_key == "density" ? Amount::density(amount_value) : Amount::mass(amount_value);
  const auto length = [&](const char* key) { return outline.lengths.emplace_back(table.number(key)); };
  const auto lengths = [&](const char* key) {
    const Vec3<double> v = table.vector(key);
    outline.lengths = {v.x, v.y, v.z};
    return v;
  };
  const auto made = [&](const auto& make) { return noting(table, "shape", make).value_or(fallback); };
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
  if (table.is_text("shape")) {
    table.problem("shape",
                  unknown_name("shape", kind, {"box", "ellipsoid", "sphere", "cylinder", "capsule", "tube", "cone"}));
  }
  return fallback;
}

MassProperties read_body(TomlTable& table, std::vector<Outline>& outlines) {
  const MassProperties fallback{1, {}, identity<double, 3>()};
  const Physical physical = table.optional_boolean("allow_impossible_inertia").value_or(false)
                                ? Physical::allow_any_positive
                                : Physical::require;
  std::vector<TomlTable> parts = table.tables("part");
  if (!parts.empty()) {
    for (const char* key : {"principal_moments", "inertia_matrix", "shape"}) {
      if (table.has(key)) { table.problem(key, fmt::format("inertia is given twice: {} and parts", key)); }
    }
    std::vector<Part> list;
    for (TomlTable& part : parts) {
      Part one;
      Outline& outline = outlines.emplace_back();
      one.body_C = read_shape(part, outline);
      outline.e_BC = one.e_BC = read_attitude(part);
      outline.r_BC_B = one.r_BC_B = part.optional_vector("position").value_or(Vec3<double>{});
      outline.hole = one.hole = part.optional_boolean("hole").value_or(false);
      list.push_back(one);
    }
    return noting(table, "part", [&] { return require_physical(composed(list), physical); }).value_or(fallback);
  }
  const std::string key = one_of(table, {"principal_moments", "inertia_matrix", "shape"}, "inertia");
  if (key == "shape") {
    const MassProperties made = read_shape(table, outlines.emplace_back());
    return noting(table, "shape", [&] { return require_physical(made, physical); }).value_or(fallback);
  }
  const double mass = positive(table, "mass", 1);
  const Vec3<double> center_B = table.optional_vector("mass_centre").value_or(Vec3<double>{});
  if (key == "principal_moments") {
    const Vec3<double> moments = table.vector(key);
    return noting(table, key, [&] { return from_principal_moments(mass, moments, center_B, physical); })
        .value_or(fallback);
  }
  if (key == "inertia_matrix") {
    const Mat3<double> J_B = matrix(table, key);
    return noting(table, key, [&] { return from_inertia_matrix(mass, J_B, center_B, physical); }).value_or(fallback);
  }
  return fallback;
}

// ---- loads ----------------------------------------------------------------------------------------------------------

void read_loads(TomlTable& root, simulation::Plan& plan, LoadContext common) {
  using Momentum = simulation::Plan::Momentum;
  std::vector<std::function<double(const BodyState<double>&)>> potentials;
  bool all_conservative = true;
  plan.momentum = Momentum::whole;
  for (TomlTable& table : root.tables("load")) {
    const std::string name = table.text("kind");
    std::vector<std::string_view> known;
    const LoadKind* kind = nullptr;
    for (const LoadKind* one : load_kinds()) {
      known.push_back(one->name);
      if (one->name == name) { kind = one; }
    }
    if (kind == nullptr) {
      if (table.is_text("kind")) { table.problem("kind", unknown_name("kind of load", name, known)); }
      table.keys();  // what its keys should be is not known either
      continue;
    }
    LoadContext context = common;
    kind->add(table, context);
    if (context.potential) {
      potentials.push_back(context.potential);
    } else {
      all_conservative = false;
    }
    const bool same_axis =
        plan.momentum == Momentum::whole || norm_squared(cross(plan.momentum_axis_N, context.axis_N)) == 0;
    if (context.torque == LoadContext::Torque::any ||
        (context.torque == LoadContext::Torque::not_about_axis && !same_axis)) {
      plan.momentum = Momentum::balance;
    } else if (context.torque == LoadContext::Torque::not_about_axis && plan.momentum != Momentum::balance) {
      plan.momentum = Momentum::along_axis;
      plan.momentum_axis_N = context.axis_N;
    }
  }
  if (all_conservative) {
    plan.potential = [potentials](const BodyState<double>& s) {
      double sum = 0;
      for (const auto& potential : potentials) { sum += potential(s); }
      return sum;
    };
  }
}

// ---- events ---------------------------------------------------------------------------------------------------------

/// d/dt of the cosine of the angle between the body's z axis and that of space: 0 at the apsides of nutation.
double nutation_rate(const BodyState<double>& s) { return rotate(s.e_NB, cross(s.w_B, Vec3<double>{0, 0, 1})).z; }

/// What is looked for: function and counts of an event.
void read_function(TomlTable& table, const std::shared_ptr<FormulaScope>& scope, simulation::PlannedEvent& event) {
  const std::string key =
      one_of(table, {"formula", "rate_body", "rate_space", "angle", "apsides"}, "what is looked for");
  if (key == "formula") {
    const io::TomlValue value = table.value("formula");
    if (value.formula.empty()) {
      if (table.has("formula")) { table.problem("formula", "a plain number never changes its sign"); }
      return;
    }
    const auto formula =
        noting(table, key, [&] { return std::make_shared<io::Formula>(value.formula, scope->names, value.where); });
    if (!formula) { return; }
    event.function = [scope, f = *formula](const BodyState<double>& s) {
      scope->set(s);
      return (*f)();
    };
  }
  if (key == "rate_body" || key == "rate_space") {
    const std::string axis = table.text(key);
    const double value = table.optional_number("value").value_or(0);
    if (axis != "x" && axis != "y" && axis != "z") {
      table.problem(key, fmt::format("{} is '{}'", key, axis), "allowed: x, y, z");
      return;
    }
    const auto i = static_cast<std::size_t>(axis[0] - 'x');
    const bool in_space = key == "rate_space";
    event.function = [=](const BodyState<double>& s) { return (in_space ? rotate(s.e_NB, s.w_B) : s.w_B)[i] - value; };
  }
  if (key == "angle") {
    std::optional<TomlTable> angle = table.optional_table("angle");
    if (!angle) { return; }
    const std::string sequence = angle->text("sequence");
    const double number = angle->number("number");
    const double value = angles(*angle, "value", 1)[0];
    const auto chart = noting(*angle, "sequence", [&] { return EulerAngles{EulerSequence::parse(sequence)}; });
    if (!(number == 1 || number == 2 || number == 3)) {
      angle->problem("number", fmt::format("angle number {:g}", number), "allowed: 1, 2, 3");
      return;
    }
    if (!chart) { return; }
    // the sine of the difference has no jump at ±180 degrees, but a zero half a turn away that is not meant
    const auto off = [chart = *chart, i = static_cast<std::size_t>(number) - 1, value](const BodyState<double>& s) {
      return math::sincos(chart.from_euler_parameters(s.e_NB)[i] - value);
    };
    event.function = [off](const BodyState<double>& s) { return off(s).sin; };
    event.counts = [off](const BodyState<double>& s) { return off(s).cos > 0; };
  }
  if (key == "apsides") {
    const std::string what = table.text("apsides");
    if (what != "nutation") {
      table.problem(key, fmt::format("apsides of '{}'", what), "allowed: nutation");
      return;
    }
    event.function = nutation_rate;
  }
}

void read_events(TomlTable& root, simulation::Plan& plan, const std::shared_ptr<FormulaScope>& scope) {
  for (TomlTable& table : root.tables("event")) {
    simulation::PlannedEvent event;
    event.name = table.text("name");
    read_function(table, scope, event);
    const std::string direction = table.optional_text("direction").value_or("both");
    if (direction != "up" && direction != "down" && direction != "both") {
      table.problem("direction", unknown_name("direction", direction, {"up", "down", "both"}));
    }
    event.direction = direction == "up" ? 1 : direction == "down" ? -1 : 0;
    const std::string action = table.optional_text("action").value_or("record");
    if (action == "record") {
      event.action = simulation::Action::record;
    } else if (action == "stop") {
      event.action = simulation::Action::stop;
    } else if (action == "impulse") {
      event.action = simulation::Action::change;
      const std::string key = one_of(table, {"impulse_body", "impulse_space"}, "the impulse");
      if (key.empty()) { continue; }
      const Vec3<double> impulse = table.vector(key);
      const bool in_space = key == "impulse_space";
      const Mat3<double> inverse_B = inverse(plan.body.J_B);
      event.change = [=](BodyState<double>& s) {
        s.w_B = s.w_B + inverse_B * (in_space ? rotate_back(s.e_NB, impulse) : impulse);
      };
    } else if (action == "set") {
      event.action = simulation::Action::change;
      std::optional<TomlTable> set = table.optional_table("set");
      if (!set) {
        if (!table.has("set")) {
          table.problem("", "action 'set' without a table", "wanted: such as set = { k = 0.0 }");
        }
        continue;
      }
      std::vector<std::pair<std::size_t, double>> changes;
      const std::vector<std::string>& names = scope->parameter_names();
      for (const std::string& key : set->keys()) {
        const auto found = std::find(names.begin(), names.end(), key);
        if (found == names.end()) {
          set->problem(key, unknown_name("parameter", key, {names.begin(), names.end()}));
          continue;
        }
        changes.emplace_back(static_cast<std::size_t>(found - names.begin()), set->number(key));
      }
      event.change = [changes, parameters = scope->parameters()](BodyState<double>&) {
        for (const auto& [i, value] : changes) { (*parameters)[i] = value; }
      };
    } else {
      table.problem("action", unknown_name("action", action, {"record", "stop", "impulse", "set"}));
    }
    if (event.function) { plan.events.push_back(std::move(event)); }
  }
}

// ---- run ------------------------------------------------------------------------------------------------------------

void read_run(TomlTable& table, simulation::Plan& plan) {
  plan.duration = table.has("duration") ? positive(table, "duration", 1) : table.number("duration");
  if (!(plan.duration > 0)) { plan.duration = 1; }
  plan.output_interval = positive(table, "output_interval", plan.duration / 1000);
  if (plan.duration / plan.output_interval > kMostRows) {
    table.problem("output_interval", fmt::format("{:g} rows", plan.duration / plan.output_interval), "allowed: 1e9");
    plan.output_interval = plan.duration;
  }
  const double rows = table.optional_number("checkpoint_rows").value_or(1000);
  if (!(rows >= 1 && rows <= 1e6 && rows == std::floor(rows))) {
    table.problem("checkpoint_rows", fmt::format("checkpoint_rows is {:g}", rows),
                  "allowed: whole numbers from 1 to 1e6");
  } else {
    plan.rows_per_checkpoint = static_cast<std::size_t>(rows);
  }
  plan.formulation = table.optional_text("formulation").value_or(plan.formulation);
  plan.integrator = table.optional_text("integrator").value_or(plan.integrator);
  plan.accuracy = positive(table, "accuracy", plan.accuracy);
  const auto method = noting(table, "integrator", [&] { return &polhode::integrator<double>(plan.integrator); });
  noting(table, "formulation", [&] { return &polhode::formulation<double>(plan.formulation); });
  if (table.has("step") && table.has("tolerance")) {
    table.problem("step", "both step and tolerance", "wanted: step for fixed steps, tolerance for steps by tolerance");
  }
  if (table.has("step")) {
    plan.step = positive(table, "step", 1);
  } else if (method && !(*method)->description().adaptive) {
    table.problem("integrator", fmt::format("'{}' has no error estimate: it needs fixed steps", plan.integrator),
                  "wanted: step = ... in s", "or integrator = \"dop853\"");
  }
  const double tolerance = positive(table, "tolerance", 1e-10);
  if (tolerance < 1e-14) {
    table.problem("tolerance", fmt::format("tolerance {:g} is below rounding", tolerance), "allowed: 1e-14 and more");
  }
  plan.relative_tolerance = tolerance;
  plan.absolute_tolerance = tolerance;
  const std::string projection = table.optional_text("projection").value_or("none");
  plan.projection =
      noting(table, "projection", [&] { return projection_use(projection); }).value_or(ProjectionUse::none);
  if (table.has("chart_distance_deg")) {
    plan.body.least_chart_distance = kDegree * positive(table, "chart_distance_deg", 1);
  }
}

/// [aem]: what an attitude message says besides the motion.
void read_message(TomlTable& table, Scenario& scenario) {
  constexpr std::size_t kLongest = 200;
  for (const io::MessageKey& key : io::kMessageKeys) {
    const std::optional<std::string> value = table.optional_text(key.name);
    if (!value) { continue; }
    const bool printable = std::all_of(value->begin(), value->end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (value->empty() || value->size() > kLongest || !printable) {
      table.problem(key.name, "a message cannot hold this text", "wanted: 1 to 200 characters of printable ASCII");
    }
    scenario.message.emplace_back(key.name, *value);
  }
  if (const std::optional<std::string> type = table.optional_text("attitude_type");
      type && *type != "QUATERNION" && *type != "QUATERNION/DERIVATIVE") {
    table.problem("attitude_type", unknown_name("attitude_type", *type, {"QUATERNION", "QUATERNION/DERIVATIVE"}));
  }
}

}  // namespace

Scenario read_scenario(std::string_view bytes, std::string file) {
  Scenario scenario;
  scenario.file = file;
  scenario.text = bytes;
  io::TomlReader reader(bytes, std::move(file));
  TomlTable root = reader.root();
  scenario.title = root.text("title");
  scenario.epoch = root.optional_text("epoch").value_or("");
  if (!scenario.epoch.empty() && !io::read_moment(scenario.epoch, io::Calendar::utc)) {
    root.problem("epoch", "'" + scenario.epoch + "' is no time", "wanted: such as \"2026-01-31T12:00:00\", UTC");
  }
  if (std::optional<TomlTable> message = root.optional_table("aem")) { read_message(*message, scenario); }
  simulation::Plan& plan = scenario.plan;
  plan.title = scenario.title;

  auto scope = std::make_shared<FormulaScope>();
  if (std::optional<TomlTable> parameters = root.optional_table("parameters")) {
    for (const std::string& name : parameters->keys()) {
      const double value = parameters->number(name);
      noting(*parameters, name, [&] {
        scope->add_parameter(name, value);
        return true;
      });
    }
  }
  plan.parameters = scope->parameters();
  plan.start_parameters = *plan.parameters;

  LoadContext common{.plan = &plan, .body = &scenario.mass_properties, .scope = scope, .potential = {}};
  std::optional<TomlTable> body = root.optional_table("body");
  if (body) {
    scenario.mass_properties = read_body(*body, scenario.outlines);
    if (scenario.outlines.empty()) { scenario.outlines.push_back(equivalent_outline(scenario.mass_properties)); }
    common.reference_B = scenario.mass_properties.center_B;
    if (const std::optional<Vec3<double>> fixed = body->optional_vector("fixed_point")) {
      common.held = true;
      common.reference_B = *fixed;
    }
    scenario.reference_B = common.reference_B;
    scenario.held = common.held;
    plan.body.J_B = inertia_about(scenario.mass_properties, common.reference_B);
  } else if (!root.has("body")) {
    root.problem("", "there is no [body]", "wanted: a table [body] with its inertia");
  }

  if (std::optional<TomlTable> initial = root.optional_table("initial")) {
    RepresentationPtr representation;
    std::vector<double> values;
    plan.start.e_NB = read_attitude(*initial, &representation, &values);
    plan.start.w_B = read_rates(*initial, plan.start.e_NB, representation, values);
    constexpr std::string_view kEuler = "euler:";
    if (representation && representation->name().starts_with(kEuler)) {
      scenario.sequence = representation->name().substr(kEuler.size());
    }
    const bool moves = initial->has("position") || initial->has("velocity");
    plan.start.r_N = initial->optional_vector("position").value_or(Vec3<double>{});
    plan.start.v_N = initial->optional_vector("velocity").value_or(Vec3<double>{});
    if (moves && common.held) {
      initial->problem(initial->has("position") ? "position" : "velocity", "a body with a fixed point does not travel",
                       {}, "leave out fixed_point, or position and velocity");
    } else if (moves) {
      plan.body.mass = scenario.mass_properties.mass;
    }
  } else {
    plan.start.e_NB = EulerParameters<double>::identity();
    if (!root.has("initial")) { root.problem("", "there is no [initial]", "wanted: a table [initial] with its rate"); }
  }

  read_loads(root, plan, common);
  read_events(root, plan, scope);
  std::optional<TomlTable> run = root.optional_table("run");
  if (run) {
    read_run(*run, plan);
  } else if (!root.has("run")) {
    root.problem("", "there is no [run]", "wanted: a table [run] with its duration");
  }
  reader.finish();
  return scenario;
}

}  // namespace polhode::catalog
