#include "polhode/catalog/scenario_parts.h"

#include "polhode/body/shapes.h"
#include "polhode/core/counted.h"
#include "polhode/io/moment.h"
#include "polhode/io/result.h"
#include "polhode/math/degree.h"
#include "polhode/math/pi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode::catalog {
namespace {

using force::values;
using math::kDegree;
using math::kRpm;

constexpr double kMostRows = 1e8;
constexpr double kMostSteps = 1e12;
constexpr double kLongestRun = 1e12;  // s
constexpr std::size_t kMostEvents = 10'000;

/// The first way of several that is given, and that there is no other; "" and a problem noted where there are two.
std::string the_one_given(Desk& desk, const std::vector<GivenKey>& keys, std::string_view thing,
                          std::string_view wanted) {
  std::string_view found;
  for (const auto& [key, given] : keys) {
    if (!given) { continue; }
    if (!found.empty()) {
      desk.problem(key, fmt::format("{} is given twice: {} and {}", thing, found, key), std::string(wanted));
      return {};
    }
    found = key;
  }
  return std::string(found);
}

std::string listed(const std::vector<GivenKey>& keys) {
  std::string names;
  for (const auto& [key, given] : keys) { names += fmt::format("{}{}", names.empty() ? "" : ", ", key); }
  return "wanted: one of " + names;
}

bool any_given(const std::vector<GivenKey>& keys) {
  return std::any_of(keys.begin(), keys.end(), [](const GivenKey& key) { return key.second; });
}

Mat3<double> matrix_of(const NumberMatrix& rows) {
  Mat3<double> m;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { m(i, j) = rows[i][j].value; }
  }
  return m;
}

}  // namespace

std::string one_of(Desk& desk, const std::vector<GivenKey>& keys, std::string_view thing) {
  if (!any_given(keys)) {
    const std::string table = desk.name();
    desk.problem("", fmt::format("{} is missing{}", thing, table.empty() ? "" : " in " + table), listed(keys));
    return {};
  }
  return the_one_given(desk, keys, thing, listed(keys));
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto allowed = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), allowed);
}

void take_name(Desk& desk, const std::string& name, std::set<std::string>& taken) {
  if (!is_name(name)) {
    desk.problem("name", fmt::format("'{}' cannot be a name", name),
                 "allowed: letters, digits, _ and -, a letter first");
  } else if (name == "ground") {
    desk.problem("name", "'ground' is what does not move, and has its name already");
  } else if (!taken.insert(name).second) {
    desk.problem("name", fmt::format("two elements are called '{}'", name), {}, "rename one");
  }
}

double positive(Desk& desk, std::string_view key, const std::optional<Number>& number, double fallback) {
  const double value = number ? number->value : fallback;
  if (value > 0) { return value; }
  desk.problem(key, fmt::format("{} is {:g}", key, value), "wanted: a number above 0");
  return fallback > 0 ? fallback : 1;
}

double not_negative(Desk& desk, std::string_view key, const Number& number) {
  if (number.value >= 0) { return number.value; }
  desk.problem(key, fmt::format("{} is {:g}", key, number.value), "wanted: 0 or more");
  return 0;
}

// ---- attitude and rates ---------------------------------------------------------------------------------------------

double angle_of(Desk& desk, std::string_view key, const std::optional<Number>& radians,
                const std::optional<Number>& degrees) {
  const std::string in_degrees = std::string(key) + "_deg";
  const std::string chosen = one_of(desk, {{key, radians.has_value()}, {in_degrees, degrees.has_value()}}, key);
  if (chosen.empty()) { return 0; }
  return chosen == key ? radians->value : degrees->value * kDegree;
}

namespace {

/// Three angles or rates under `key`, or under `key`_deg.
std::vector<double> angles_of(Desk& desk, std::string_view key, const std::optional<NumberVector>& radians,
                              const std::optional<NumberVector>& degrees) {
  const std::string in_degrees = std::string(key) + "_deg";
  const std::string chosen = one_of(desk, {{key, radians.has_value()}, {in_degrees, degrees.has_value()}}, key);
  if (chosen.empty()) { return {0, 0, 0}; }
  std::vector<double> list;
  for (const Number& number : chosen == key ? *radians : *degrees) {
    list.push_back(chosen == key ? number.value : number.value * kDegree);
  }
  return list;
}

/// An attitude as numbers of a representation, and the key that it stands under.
struct AttitudeText {
  std::string representation;
  std::vector<double> values;
  std::string key;
};

template <std::size_t N>
std::vector<double> list_of(const std::array<Number, N>& numbers) {
  std::vector<double> list;
  list.reserve(N);
  for (const Number& number : numbers) { list.push_back(number.value); }
  return list;
}

std::optional<AttitudeText> attitude_text(Desk& desk, const scenario::Attitude& attitude) {
  const std::vector<GivenKey> keys{
      {"quaternion_wxyz", attitude.quaternion_wxyz.has_value()},
      {"quaternion_xyzw", attitude.quaternion_xyzw.has_value()},
      {"rotation_vector", attitude.rotation_vector.has_value()},
      {"rodrigues", attitude.rodrigues.has_value()},
      {"mrp", attitude.mrp.has_value()},
      {"euler", attitude.euler.has_value()},
      {"axis_angle", attitude.axis_angle.has_value()},
      {"matrix", attitude.matrix.has_value()},
  };
  const std::string key = the_one_given(
      desk, keys, "the attitude",
      "wanted: one of quaternion_wxyz, quaternion_xyzw, euler, axis_angle, matrix, rotation_vector, rodrigues, mrp");
  if (key.empty()) { return {}; }
  AttitudeText text{key, {}, key};
  if (key == "quaternion_wxyz") { text.values = list_of(*attitude.quaternion_wxyz); }
  if (key == "quaternion_xyzw") { text.values = list_of(*attitude.quaternion_xyzw); }
  if (key == "rotation_vector") { text.values = list_of(*attitude.rotation_vector); }
  if (key == "rodrigues") { text.values = list_of(*attitude.rodrigues); }
  if (key == "mrp") { text.values = list_of(*attitude.mrp); }
  if (key == "euler") {
    Desk euler = desk.inner("euler");
    text.representation = "euler:" + attitude.euler->sequence;
    if (attitude.euler->extrinsic) { text.representation += ":extrinsic"; }
    text.values = angles_of(euler, "angles", attitude.euler->angles, attitude.euler->angles_deg);
  }
  if (key == "axis_angle") {
    Desk turn = desk.inner("axis_angle");
    text.values = list_of(attitude.axis_angle->axis);
    text.values.push_back(angle_of(turn, "angle", attitude.axis_angle->angle, attitude.axis_angle->angle_deg));
  }
  if (key == "matrix") {
    for (const NumberVector& row : *attitude.matrix) {
      for (const Number& number : row) { text.values.push_back(number.value); }
    }
  }
  return text;
}

}  // namespace

EulerParameters<double> attitude_of(Desk& desk, const scenario::Attitude& attitude, RepresentationPtr* representation,
                                    std::vector<double>* values) {
  const std::optional<AttitudeText> text = attitude_text(desk, attitude);
  if (!text) { return EulerParameters<double>::identity(); }
  const auto found = desk.noting(text->key, [&] { return catalog::representation(text->representation); });
  if (!found) { return EulerParameters<double>::identity(); }
  const auto reading = desk.noting(text->key, [&] { return (*found)->read(text->values, Noise::refuse); });
  if (representation != nullptr) { *representation = *found; }
  if (values != nullptr) { *values = text->values; }
  return reading ? normalized(reading->e_NB) : EulerParameters<double>::identity();
}

namespace {

/// A rate that may be given: its key, its numbers, its unit.
struct RateWay {
  const char* key;
  const std::optional<NumberVector>* numbers;
  double unit;
};
std::vector<RateWay> ways_of(const scenario::Rate& rate) {
  return {{"w_body", &rate.w_body, 1},
          {"w_body_deg", &rate.w_body_deg, kDegree},
          {"w_body_rpm", &rate.w_body_rpm, kRpm},
          {"w_space", &rate.w_space, 1},
          {"w_space_deg", &rate.w_space_deg, kDegree},
          {"w_space_rpm", &rate.w_space_rpm, kRpm}};
}
bool has_angle_rates(const scenario::Attitude& attitude) {
  return attitude.euler && (attitude.euler->rates || attitude.euler->rates_deg);
}

}  // namespace

bool has_rate(const scenario::Rate& rate, const scenario::Attitude& attitude) {
  return has_angle_rates(attitude) || !(rate == scenario::Rate{});
}

GivenRate rate_of(Desk& desk, const scenario::Rate& rate, const scenario::Attitude& attitude,
                  const EulerParameters<double>& e_NB, const RepresentationPtr& representation,
                  const std::vector<double>& values) {
  const std::vector<RateWay> ways = ways_of(rate);
  // rates of the Euler angles stand beside the angles
  if (has_angle_rates(attitude)) {
    Desk euler = desk.inner("euler");
    const std::vector<double> rates = angles_of(euler, "rates", attitude.euler->rates, attitude.euler->rates_deg);
    for (const RateWay& way : ways) {
      if (!*way.numbers) { continue; }
      desk.problem(way.key, fmt::format("the rate is given twice: {} and the rates of the Euler angles", way.key));
    }
    if (!representation) { return {"euler"}; }
    const auto read = euler.noting("", [&] { return representation->read_rates(e_NB, values, rates, Noise::refuse); });
    return {"euler", read ? read->w.raw() : Vec3<double>{}};
  }
  std::vector<GivenKey> keys;
  keys.reserve(ways.size());
  for (const RateWay& way : ways) { keys.emplace_back(way.key, way.numbers->has_value()); }
  const std::string key = one_of(desk, keys, "the angular velocity");
  for (const RateWay& way : ways) {
    if (way.key != key) { continue; }
    return {key, way.unit * force::values(**way.numbers), key.starts_with("w_space"), way.unit};
  }
  return {};
}

// ---- body -----------------------------------------------------------------------------------------------------------

namespace {

/// A shape by name: its lengths in the order of its function in body/shapes.h.
struct ShapeKeys {
  std::string_view name;
  std::vector<std::string_view> lengths;
};
const std::vector<ShapeKeys>& shapes() {
  static const std::vector<ShapeKeys> kAll{{"box", {"edges"}},
                                           {"ellipsoid", {"semi_axes"}},
                                           {"sphere", {"radius"}},
                                           {"cylinder", {"radius", "length"}},
                                           {"capsule", {"radius", "length"}},
                                           {"tube", {"outer_radius", "inner_radius", "length"}},
                                           {"cone", {"radius", "height"}},
                                           {"mesh", {"file", "scale"}}};
  return kAll;
}

/// What a shape weighs; `outline` is told what it looks like. A shape that only shows how a body looks has no weight.
enum class Weight { of_shape, none };
MassProperties mass_of_shape(Desk& desk, const scenario::Shape& shape, Outline& outline, MeshShelf& meshes,
                             Weight weight = Weight::of_shape) {
  const MassProperties fallback{1, {}, identity<double, 3>()};
  if (shape.shape.empty()) { return fallback; }
  outline.shape = shape.shape;
  std::vector<std::string_view> known;
  const ShapeKeys* keys = nullptr;
  for (const ShapeKeys& one : shapes()) {
    known.push_back(one.name);
    if (one.name == shape.shape) { keys = &one; }
  }
  if (keys == nullptr) {
    desk.problem("shape", unknown_name("shape", shape.shape, known));
    return fallback;
  }
  const bool weighs = weight == Weight::of_shape;
  const std::string amount_key =
      weighs ? one_of(desk, {{"mass", shape.mass.has_value()}, {"density", shape.density.has_value()}},
                      "the amount of material")
             : "";
  bool complete = !weighs || !amount_key.empty();
  const Amount amount = amount_key.empty()        ? Amount::mass(1)
                        : amount_key == "density" ? Amount::density(shape.density->value)
                                                  : Amount::mass(shape.mass->value);
  std::vector<std::string_view> allowed{"shape"};
  if (weighs) { allowed.insert(allowed.end(), {"mass", "density"}); }
  allowed.insert(allowed.end(), keys->lengths.begin(), keys->lengths.end());
  desk.only(shape, allowed);
  const auto length = [&](std::string_view key, const std::optional<Number>& number) {
    if (!number) {
      desk.missing(key, "a finite number or a formula in quotes");
      complete = false;
    }
    return outline.lengths.emplace_back(number ? number->value : 1);
  };
  const auto lengths = [&](std::string_view key, const std::optional<NumberVector>& numbers) {
    if (!numbers) {
      desk.missing(key, "a list of 3 finite numbers or formulas in quotes");
      complete = false;
    }
    const Vec3<double> v = numbers ? force::values(*numbers) : Vec3<double>{1, 1, 1};
    outline.lengths = {v.x, v.y, v.z};
    return v;
  };
  const auto made = [&](const auto& make) {
    return complete ? desk.noting("shape", make).value_or(fallback) : fallback;
  };
  const std::string_view kind = keys->name;
  if (kind == "box") {
    const Vec3<double> edges = lengths("edges", shape.edges);
    return made([&] { return shape::box(amount, edges); });
  }
  if (kind == "ellipsoid") {
    const Vec3<double> semi_axes = lengths("semi_axes", shape.semi_axes);
    return made([&] { return shape::ellipsoid(amount, semi_axes); });
  }
  if (kind == "sphere") {
    const double radius = length("radius", shape.radius);
    return made([&] { return shape::sphere(amount, radius); });
  }
  if (kind == "cylinder" || kind == "capsule") {
    const double radius = length("radius", shape.radius);
    const double l = length("length", shape.length);
    return made(
        [&] { return kind == "capsule" ? shape::capsule(amount, radius, l) : shape::cylinder(amount, radius, l); });
  }
  if (kind == "tube") {
    const double outer = length("outer_radius", shape.outer_radius);
    const double inner = length("inner_radius", shape.inner_radius);
    const double l = length("length", shape.length);
    return made([&] { return shape::tube(amount, outer, inner, l); });
  }
  if (kind == "cone") {
    const double radius = length("radius", shape.radius);
    const double height = length("height", shape.height);
    return made([&] { return shape::cone(amount, radius, height); });
  }
  const double scale = positive(desk, "scale", shape.scale, 1);
  if (shape.file.empty()) {
    desk.missing("file", "text");
    return fallback;
  }
  if (!weighs) {
    desk.noting("file", [&] { return meshes.show(shape.file, scale, outline), true; });
    return fallback;
  }
  return desk.noting("file", [&] { return meshes.take(shape.file, scale, amount, outline); }).value_or(fallback);
}

}  // namespace

MassProperties mass_properties_of(Desk& desk, const scenario::Inertia& inertia, std::vector<Outline>& outlines,
                                  MeshShelf& meshes) {
  const MassProperties fallback{1, {}, identity<double, 3>()};
  const Physical physical = inertia.allow_impossible_inertia ? Physical::allow_any_positive : Physical::require;
  const bool has_shape = !inertia.shape.shape.empty();
  if (!inertia.part.empty()) {
    for (const auto& [key, given] :
         std::initializer_list<GivenKey>{{"principal_moments", inertia.principal_moments.has_value()},
                                         {"inertia_matrix", inertia.inertia_matrix.has_value()},
                                         {"shape", has_shape}}) {
      if (!given) { continue; }
      desk.problem(key, fmt::format("inertia is given twice: {} and parts", key), {}, "remove one");
    }
    std::vector<Part> list;
    for (std::size_t i = 0; i < inertia.part.size(); ++i) {
      const scenario::Part& part = inertia.part[i];
      Desk inner = desk.inner("part", static_cast<int>(i));
      if (part.shape.shape.empty()) { inner.missing("shape", "text"); }
      Part one;
      Outline& outline = outlines.emplace_back();
      one.body_C = mass_of_shape(inner, part.shape, outline, meshes);
      outline.e_BC = one.e_BC = attitude_of(inner, part.attitude);
      outline.r_BC_B = one.r_BC_B = values(part.position);
      outline.hole = one.hole = part.hole;
      list.push_back(one);
    }
    return desk.noting("part", [&] { return require_physical(composed(list), physical); }).value_or(fallback);
  }
  const std::string key = one_of(desk,
                                 {{"principal_moments", inertia.principal_moments.has_value()},
                                  {"inertia_matrix", inertia.inertia_matrix.has_value()},
                                  {"shape", has_shape}},
                                 "inertia");
  if (key == "shape") {
    const MassProperties made = mass_of_shape(desk, inertia.shape, outlines.emplace_back(), meshes);
    return desk.noting("shape", [&] { return require_physical(made, physical); }).value_or(fallback);
  }
  if (!has_shape) { desk.only(inertia.shape, {"mass"}); }
  const double mass = positive(desk, "mass", inertia.shape.mass, 1);
  const Vec3<double> center_B = values(inertia.mass_centre);
  if (key == "principal_moments") {
    const Vec3<double> moments = values(inertia.principal_moments);
    return desk.noting(key, [&] { return from_principal_moments(mass, moments, center_B, physical); })
        .value_or(fallback);
  }
  if (key == "inertia_matrix") {
    const Mat3<double> J_B = matrix_of(*inertia.inertia_matrix);
    return desk.noting(key, [&] { return from_inertia_matrix(mass, J_B, center_B, physical); }).value_or(fallback);
  }
  return fallback;
}

std::vector<Outline> outlines_of(Desk& desk, const std::vector<scenario::Part>& parts, MeshShelf& meshes) {
  std::vector<Outline> outlines;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const scenario::Part& part = parts[i];
    Desk inner = desk.inner("outline", static_cast<int>(i));
    if (part.shape.shape.empty()) { inner.missing("shape", "text"); }
    Outline& outline = outlines.emplace_back();
    mass_of_shape(inner, part.shape, outline, meshes, Weight::none);
    outline.e_BC = attitude_of(inner, part.attitude);
    outline.r_BC_B = values(part.position);
    outline.hole = part.hole;
  }
  return outlines;
}

// ---- the whole scenario ---------------------------------------------------------------------------------------------

void plan_run(Desk& desk, const scenario::Run& run, simulation::Plan& plan) {
  plan.duration = positive(desk, "duration", run.duration, 1);
  if (plan.duration > kLongestRun) {
    desk.problem("duration", fmt::format("duration is {:g} s", plan.duration), "allowed: 1e12 s",
                 "beyond, steps are lost in the rounding of time");
    plan.duration = 1;
  }
  plan.output_interval = positive(desk, "output_interval", run.output_interval, plan.duration / 1000);
  if (plan.duration / plan.output_interval > kMostRows) {
    desk.problem("output_interval", fmt::format("{:g} rows", plan.duration / plan.output_interval), "allowed: 1e8",
                 "a longer output_interval");
    plan.output_interval = plan.duration;
  }
  const double rows = run.checkpoint_rows.value;
  if (!(rows >= 1 && rows <= 1e6 && rows == std::floor(rows))) {
    desk.problem("checkpoint_rows", fmt::format("checkpoint_rows is {:g}", rows),
                 "allowed: whole numbers from 1 to 1e6");
  } else {
    plan.rows_per_checkpoint = static_cast<std::size_t>(rows);
  }
  plan.integrator = run.integrator;
  plan.accuracy = positive(desk, "accuracy", run.accuracy, plan.accuracy);
  if (run.position_accuracy) { plan.position_accuracy = positive(desk, "position_accuracy", run.position_accuracy, 1); }
  const auto method = desk.noting("integrator", [&] { return &polhode::integrator<double>(plan.integrator); });
  if (run.step && run.tolerance) {
    desk.problem("step", "both step and tolerance", "wanted: step for fixed steps, tolerance for steps by tolerance");
  }
  if (run.step) {
    plan.step = positive(desk, "step", run.step, 1);
    if (plan.duration / plan.step > kMostSteps) {
      desk.problem("step", fmt::format("{:.3g} steps", plan.duration / plan.step), "allowed: 1e12",
                   "a longer step, or a shorter duration");
    }
  } else if (method && !(*method)->description().adaptive) {
    desk.problem("integrator", fmt::format("'{}' has no error estimate: it needs fixed steps", plan.integrator),
                 "wanted: step = ... in s", "or integrator = \"dop853\"");
  }
  if (run.max_step) {
    plan.max_step = positive(desk, "max_step", run.max_step, 1);
    if (run.step) {
      desk.problem("max_step", "both step and max_step", "wanted: max_step beside a tolerance", "leave out max_step");
    } else if (plan.duration / plan.max_step > kMostSteps) {
      desk.problem("max_step", fmt::format("{:.3g} steps", plan.duration / plan.max_step), "allowed: 1e12",
                   "a longer max_step, or a shorter duration");
    }
  }
  const double tolerance = positive(desk, "tolerance", run.tolerance, 1e-10);
  if (tolerance < 1e-14) {
    desk.problem("tolerance", fmt::format("tolerance {:g} is below rounding", tolerance), "allowed: 1e-14 and more",
                 "1e-12 is as much as most motions can use");
  }
  plan.relative_tolerance = tolerance;
  plan.absolute_tolerance = tolerance;
  if (run.projection) {
    plan.projection =
        desk.noting("projection", [&] { return projection_use(*run.projection); }).value_or(plan.projection);
  }
  if (method && (*method)->description().holds_constraints) {
    if (run.projection && plan.projection != ProjectionUse::none) {
      desk.problem("projection", fmt::format("'{}' holds the joints by its own equations", plan.integrator),
                   "wanted: no projection", "or integrator = \"dop853\"");
    }
    plan.projection = ProjectionUse::none;
  } else if (method && (*method)->description().keeps_history && !run.projection &&
             plan.projection == ProjectionUse::every_step) {
    plan.projection = ProjectionUse::at_output;
  }
}

void plan_output(Desk& desk, const scenario::Output& output, const std::optional<scenario::Run>& run,
                 simulation::Plan& plan) {
  plan.output.columns = output.columns;
  plan.output.extra = output.extra;
  plan.output.files = output.files;
  for (const Number& time : output.times) { plan.output.times.push_back(time.value); }
  if (!output.times.empty() && run && run->output_interval) {
    desk.problem("times", "both times and output_interval", "wanted: one of them");
  }
}

void check_output(Desk& desk, const simulation::Plan& plan, std::span<const simulation::OfferedColumn> offered) {
  for (simulation::OutputProblem& one : problems_of(plan.output, plan.duration, offered)) {
    desk.inner(one.list, static_cast<int>(one.index)).problem("", std::move(one.problem));
  }
}

namespace {

/// [aem]: what an attitude message says besides the motion.
void check_message(Desk& desk, const Named<std::string>& message, ScenarioHead& head) {
  constexpr std::size_t kLongest = 200;
  std::vector<std::string_view> known;
  for (const io::MessageKey& key : io::kMessageKeys) {
    known.emplace_back(key.name);
    const std::string* value = message.find(key.name);
    if (value == nullptr) { continue; }
    const bool printable = std::all_of(value->begin(), value->end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (value->empty() || value->size() > kLongest || !printable) {
      desk.problem(key.name, "a message cannot hold this text", "wanted: 1 to 200 characters of printable ASCII");
    }
    head.message.emplace_back(key.name, *value);
  }
  for (const auto& [key, value] : message) {
    if (std::find(known.begin(), known.end(), key) == known.end()) { desk.unknown_key(key, known); }
  }
  const std::string* type = message.find("attitude_type");
  if (type != nullptr && *type != "QUATERNION" && *type != "QUATERNION/DERIVATIVE") {
    desk.problem("attitude_type", unknown_name("attitude_type", *type, {"QUATERNION", "QUATERNION/DERIVATIVE"}));
  }
}

}  // namespace

void check_head(Desk& root, const polhode::Scenario& scenario, ScenarioHead& head) {
  head.title = scenario.title;
  head.epoch = scenario.epoch;
  if (!head.epoch.empty() && !io::read_moment(head.epoch, io::Calendar::utc)) {
    root.problem("epoch", "'" + head.epoch + "' is no time", "wanted: such as \"2026-01-31T12:00:00\", UTC");
  }
  for (const auto* list : {&scenario.load, &scenario.forces}) {
    for (const scenario::Acting& acting : *list) {
      const auto* code = std::get_if<force::Code>(&acting.what);
      if (code != nullptr && std::find(head.laws.begin(), head.laws.end(), code->law) == head.laws.end()) {
        head.laws.push_back(code->law);
      }
    }
  }
  Desk message = root.inner("aem");
  check_message(message, scenario.aem, head);
}

bool too_many_events(Desk& root, const polhode::Scenario& scenario) {
  if (scenario.event.size() <= kMostEvents) { return false; }
  root.problem("event", counted(scenario.event.size(), "event"), "allowed: 10000",
               "one formula, such as a sine of time, may have many zeros");
  return true;
}

Vec3<double> constant_wheels_B(const polhode::Scenario& scenario, std::string_view body) {
  Vec3<double> sum{};
  for (const auto* list : {&scenario.load, &scenario.forces}) {
    for (const scenario::Acting& acting : *list) {
      const auto* wheel = std::get_if<force::Wheel>(&acting.what);
      if (wheel != nullptr && wheel->body == body && norm(force::values(wheel->axis_body)) > 0) {
        sum += wheel->law<double>().h_B;
      }
    }
  }
  return sum;
}

void check_sink(Desk& desk, const polhode::Scenario& scenario, const force::EnergySink& sink) {
  for (const auto* list : {&scenario.load, &scenario.forces}) {
    for (const scenario::Acting& acting : *list) {
      const auto* wheel = std::get_if<force::ReactionWheel>(&acting.what);
      if (wheel == nullptr || wheel->body != sink.body) { continue; }
      desk.problem("kind", "an energy sink in a body with a reaction wheel, whose momentum it does not know", {},
                   "take kind = \"wheel\", at constant speed, or put the wheel into a body of its own on a hinge");
      return;
    }
  }
}

void plan_event_head(Desk& desk, const scenario::Event& event, simulation::EventHead& head) {
  head.name = event.name;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(event.name.begin(), event.name.end(), is_control)) {
    desk.problem("name", "the name of an event has a line break or another control character",
                 "wanted: a name on one line");
  }
  const std::string& direction = event.direction;
  if (direction != "up" && direction != "down" && direction != "both") {
    desk.problem("direction", unknown_name("direction", direction, {"up", "down", "both"}));
  }
  head.direction = direction == "up" ? 1 : direction == "down" ? -1 : 0;
  // what another action needs would do nothing
  const std::string& action = event.action;
  if (action != "record" && action != "stop" && action != "impulse" && action != "set") { return; }
  const auto belongs_to = [&](const char* key, bool is_given, const char* other) {
    if (!is_given || action == other) { return; }
    desk.problem(key, fmt::format("{} does nothing with action \"{}\"", key, action), {},
                 fmt::format("write action = \"{}\", or leave it out", other));
  };
  belongs_to("set", event.set.has_value(), "set");
  belongs_to("impulse_body", event.impulse_body.has_value(), "impulse");
  belongs_to("impulse_space", event.impulse_space.has_value(), "impulse");
  belongs_to("body", !event.body.empty(), "impulse");
}

std::optional<Problem> why_fixed(const scenario::Blueprint& blueprint, std::string_view parameter,
                                 std::string_view consequence) {
  if (const std::string& text = blueprint.scenario().parameters.find(parameter)->formula; !text.empty()) {
    return Problem{.what = fmt::format("'{}' is the formula \"{}\" of other parameters", parameter, text.substr(0, 60)),
                   .allowed = "wanted: a parameter that is a number",
                   .cure = "set those that it is made of"};
  }
  // what is made of it changes with it
  std::vector<std::string> changed = blueprint.made_of(parameter);
  changed.insert(changed.begin(), std::string(parameter));
  const auto shapes = std::find_if(changed.begin(), changed.end(),
                                   [&](const std::string& one) { return blueprint.shaped_by(one).has_value(); });
  if (shapes == changed.end()) { return {}; }
  return Problem{
      .what = fmt::format("'{}' is a part of {}{}, {}", parameter, scenario::to_text(*blueprint.shaped_by(*shapes)),
                          *shapes == parameter ? "" : fmt::format(" (through '{}')", *shapes), consequence),
      .allowed = "wanted: a parameter of what acts",
      .cure = {}};
}

std::vector<std::pair<std::size_t, double>> changes_of(Desk& desk, const scenario::Event& event,
                                                       const scenario::Blueprint& blueprint) {
  std::vector<std::pair<std::size_t, double>> changes;
  if (!event.set) {
    desk.problem("", "action 'set' without a table", "wanted: such as set = { k = 0.0 }");
    return changes;
  }
  Desk set = desk.inner("set");
  std::vector<std::string_view> names;
  for (const auto& [name, number] : blueprint.scenario().parameters) { names.push_back(name); }
  for (const auto& [name, number] : *event.set) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      set.problem(name, unknown_name("parameter", name, names));
      continue;
    }
    if (std::optional<Problem> fixed = why_fixed(blueprint, name, "which an event cannot change")) {
      set.problem(name, std::move(*fixed));
      continue;
    }
    changes.emplace_back(static_cast<std::size_t>(found - names.begin()), number.value);
  }
  return changes;
}

}  // namespace polhode::catalog
