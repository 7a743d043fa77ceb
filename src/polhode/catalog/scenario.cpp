#include "polhode/catalog/scenario.h"

#include "polhode/catalog/scenario_parts.h"
#include "polhode/core/error.h"
#include "polhode/formulation/formulation.h"
#include "polhode/math/degree.h"
#include "polhode/math/elementary.h"
#include "polhode/rotation/euler_angles.h"

#include <fmt/format.h>

#include <algorithm>

namespace polhode::catalog {
namespace {

using io::TomlTable;
using math::kDegree;

// ---- loads ----------------------------------------------------------------------------------------------------------

void read_loads(TomlTable& root, Scenario& scenario, const LoadContext& common) {
  simulation::Plan& plan = scenario.plan;
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
    if (!context.turns && !plan.body.mass) { scenario.idle_loads.push_back(name); }
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
  if (key.empty()) { table.has("value"); }
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
  for (TomlTable& table : event_tables(root)) {
    simulation::PlannedEvent event;
    read_event_head(table, event);
    read_function(table, scope, event);
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
      const std::function<void()> set = read_set(table, *scope);
      if (!set) { continue; }
      event.change = [set](BodyState<double>&) { set(); };
    } else {
      table.problem("action", unknown_name("action", action, {"record", "stop", "impulse", "set"}));
      // are keys, though which of them counts is not known
      for (const char* key : {"impulse_body", "impulse_space", "set"}) { table.has(key); }
    }
    if (event.function) { plan.events.push_back(std::move(event)); }
  }
}

// ---- run ------------------------------------------------------------------------------------------------------------

void read_run_of_body(TomlTable& table, simulation::Plan& plan) {
  plan.formulation = table.optional_text("formulation").value_or(plan.formulation);
  noting(table, "formulation", [&] { return &polhode::formulation<double>(plan.formulation); });
  read_run(table, plan);
  if (table.has("chart_distance_deg")) {
    plan.body.least_chart_distance = kDegree * positive(table, "chart_distance_deg", 1);
  }
}

/// What a run would refuse at its start, told at the key that asks for it.
void try_start(TomlTable& body, TomlTable& run, const simulation::Plan& plan) {
  const auto system = noting(body, "", [&] {
    return std::make_unique<BodySystem<double>>(polhode::formulation<double>(plan.formulation), plan.body);
  });
  if (!system) { return; }
  std::vector<double> y((*system)->size());
  noting(run, "formulation", [&] {
    (*system)->set_state(plan.start, y);
    return true;
  });
  noting(run, "integrator", [&] { return polhode::integrator<double>(plan.integrator).bind(**system) != nullptr; });
}

}  // namespace

Scenario read_scenario(std::string_view bytes, std::string file, MeshPlaces places) {
  Scenario scenario;
  scenario.file = file;
  scenario.text = bytes;
  MeshShelf meshes(scenario, places);
  io::TomlReader reader(bytes, std::move(file));
  TomlTable root = reader.root();
  read_head(root, scenario);
  if (root.has("bodies")) {
    root.problem("bodies", "the file describes a mechanism, and one body is wanted here", {},
                 "use polhode run or polhode check");
    root.keys();
    reader.finish();
  }
  simulation::Plan& plan = scenario.plan;
  plan.title = scenario.title;

  auto scope = std::make_shared<FormulaScope>();
  read_parameters(root, *scope);
  plan.parameters = scope->parameters();
  plan.start_parameters = *plan.parameters;
  read_definitions(root, {&scope->names});
  check_definitions(root, scope->names);

  LoadContext common{
      .plan = &plan, .body = &scenario.mass_properties, .scope = scope, .potential = {}, .scene = &scenario.scene};
  std::optional<TomlTable> body = root.optional_table("body");
  if (body) {
    scenario.mass_properties = read_body(*body, scenario.outlines, meshes);
    if (scenario.outlines.empty()) { scenario.outlines.push_back(equivalent_outline(scenario.mass_properties)); }
    common.reference_B = scenario.mass_properties.center_B;
    if (const std::optional<Vec3<double>> fixed = body->optional_vector("fixed_point")) {
      common.held = true;
      common.reference_B = *fixed;
    }
    scenario.reference_B = common.reference_B;
    scenario.held = common.held;
    plan.body.J_B = inertia_about(scenario.mass_properties, common.reference_B);
    if (body->optional_boolean("allow_impossible_inertia").value_or(false)) {
      plan.body.physical = Physical::allow_any_positive;
    }
  } else if (!root.has("body")) {
    root.problem("", "there is no [body]", "wanted: a table [body] with its inertia");
  }

  if (std::optional<TomlTable> initial = root.optional_table("initial")) {
    RepresentationPtr representation;
    std::vector<double> values;
    plan.start.e_NB = read_attitude(*initial, &representation, &values);
    const GivenRate rate = read_rate(*initial, plan.start.e_NB, representation, values);
    plan.start.w_B = rate.in_space ? rotate_back(plan.start.e_NB, rate.w) : rate.w;
    constexpr double kFastest = 1e100;
    if (!(norm(plan.start.w_B) < kFastest)) {
      const char* key = initial->has("w_body") ? "w_body" : initial->has("w_space") ? "w_space" : "";
      initial->problem(key, "the rate is too large", "allowed: below 1e100 rad/s");
      plan.start.w_B = {};
    }
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

  read_loads(root, scenario, common);
  read_events(root, plan, scope);
  std::optional<TomlTable> run = root.optional_table("run");
  if (run) {
    read_run_of_body(*run, plan);
  } else if (!root.has("run")) {
    root.problem("", "there is no [run]", "wanted: a table [run] with its duration");
  }
  reader.finish();
  try_start(*body, *run, plan);
  reader.finish();
  meshes.finish(scenario);
  return scenario;
}

}  // namespace polhode::catalog
