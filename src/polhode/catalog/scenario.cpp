#include "polhode/catalog/scenario.h"

#include "polhode/catalog/scenario_parts.h"
#include "polhode/core/error.h"
#include "polhode/formulation/formulation.h"
#include "polhode/math/degree.h"
#include "polhode/math/elementary.h"
#include "polhode/rotation/euler_angles.h"
#include "polhode/rotation/rotation_matrix.h"

#include <fmt/format.h>

#include <algorithm>

namespace polhode::catalog {
namespace {

using force::is_constant;
using force::values;
using math::kDegree;
using scenario::Blueprint;
using scenario::Review;

// ---- formulas -------------------------------------------------------------------------------------------------------

/// All that formulas of one body see of its state, in the order of BodyNames::meanings().
template <class S>
std::array<S, 26> seen_of(const BodyState<S>& state) {
  std::array<S, 26> numbers{};
  std::size_t i = 0;
  const auto put = [&](const Vec3<S>& v) {
    numbers[i++] = v.x;
    numbers[i++] = v.y;
    numbers[i++] = v.z;
  };
  numbers[i++] = state.t;
  numbers[i++] = state.e_NB.e0;
  put(state.e_NB.ev);
  const Mat3<S> R_NB = rotation_matrix(state.e_NB);
  put(state.w_B);
  put(R_NB * state.w_B);
  put(state.r_N);
  put(state.v_N);
  for (std::size_t r = 0; r < 3; ++r) { put(row(R_NB, r)); }
  return numbers;
}

/// More wheels with motors are refused.
constexpr std::size_t kMostWheels = 32;

/// Formulas as functions of the state of a body.
class BodyFunction {
 public:
  BodyFunction(formula::Function function, std::uint32_t state_id) : function_(std::move(function)) {
    for (const formula::Input& input : function_.inputs()) { from_.push_back(input.id - state_id); }
  }
  template <std::size_t N, class S>
  std::array<S, N> operator()(const BodyState<S>& state, std::span<const S> wheel_speeds = {}) const {
    const std::array<S, 26> seen = seen_of(state);
    std::array<S, 26 + kMostWheels> inputs;
    for (std::size_t i = 0; i < from_.size(); ++i) {
      inputs[i] = from_[i] < seen.size() ? seen[from_[i]] : wheel_speeds[from_[i] - seen.size()];
    }
    std::array<S, N> values;
    function_(std::span<const S>(inputs.data(), from_.size()), std::span<S>(values));
    return values;
  }
  /// What it looks at, in the order of function().inputs().
  void look(const BodyState<double>& state, std::span<const double> wheel_speeds, std::span<double> inputs) const {
    const std::array<double, 26> seen = seen_of(state);
    for (std::size_t i = 0; i < from_.size(); ++i) {
      inputs[i] = from_[i] < seen.size() ? seen[from_[i]] : wheel_speeds[from_[i] - seen.size()];
    }
  }
  simulation::OneBodyLook as_look() const {
    return [function = *this](const BodyState<double>& state, std::span<const double> wheel_speeds,
                              std::span<double> inputs) { function.look(state, wheel_speeds, inputs); };
  }
  bool looks_at_wheels() const {
    return std::any_of(from_.begin(), from_.end(), [](std::size_t i) { return i >= BodyNames::meanings().size(); });
  }
  LawOf looks_at() const {
    const auto is_rate = [](std::size_t i) {
      const char first = BodyNames::meanings()[i].first[0];
      return first == 'w' || first == 'v';
    };
    return std::any_of(from_.begin(), from_.end(), is_rate) ? LawOf::rates_too : LawOf::time_and_pose;
  }
  const formula::Function& function() const { return function_; }

 private:
  formula::Function function_;
  std::vector<std::size_t> from_;
};

/// What formulas do with time and with the state.
struct NotedLaws {
  std::vector<formula::LawInTime> in_time;
  std::vector<formula::LawOfState> of_state;
  std::vector<simulation::OneBodyLook> looks;  ///< of these
};

/// Binds the formulas of a table for given values of the parameters.
template <class S>
class FormulaBinder : public force::Binder<S> {
 public:
  FormulaBinder(const CompiledParts& parts, std::span<const double> parameters)
      : parts_(&parts), parameters_(parameters) {}
  const force::Laws& laws() const { return parts_->laws; }
  /// Formulas bound from here on are noted there, under a name; nullptr: no longer.
  void note_in(NotedLaws* list, std::string name = {}) const {
    noted_ = list;
    noted_name_ = std::move(name);
  }
  force::BodyLaw<S> code(const std::string& name) const override {
    if constexpr (std::is_same_v<S, double>) {
      return *laws().find(name);
    } else {
      return [](const BodyState<S>& s) {
        s.t.recorder()->note_obstacle("a law given as code has no series");
        return force::BodyWrench<S>{};
      };
    }
  }

  force::ScalarFunction<S> scalar(const Expression& expression) const override {
    if (expression.formula.empty()) { return {S(expression.value), {}}; }
    const BodyFunction function = bound(expression.formula, {&expression, 1});
    return {S(0), [function](const BodyState<S>& s, std::span<const S> wheel_speeds) {
              return function.template operator()<1>(s, wheel_speeds)[0];
            }};
  }
  force::VectorFunction<S> vector(const ExpressionVector& expressions) const override {
    force::VectorFunction<S> result;
    const Vec3<double> given = values(expressions);
    result.constant = {S(given.x), S(given.y), S(given.z)};
    if (is_constant(expressions)) { return result; }
    std::string all;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string& text = expressions[i].formula;
      all += (text.empty() ? "0" : text) + '\n';
      if (!text.empty()) { result.constant[i] = S(0); }
    }
    const BodyFunction function = bound(all, expressions);
    result.looks_at = function.looks_at();
    result.law = [function, constant = result.constant](const BodyState<S>& s) {
      const std::array<S, 3> v = function.template operator()<3>(s);
      return constant + Vec3<S>{v[0], v[1], v[2]};
    };
    return result;
  }

 protected:
  /// The formulas of expressions, kept under `key`.
  BodyFunction bound(const std::string& key, std::span<const Expression> expressions) const {
    std::shared_ptr<const formula::Tape> compiled = parts_->tapes.find(key);
    if (!compiled) {
      formula::Compiler compiler(parts_->body_names);
      for (const Expression& one : expressions) { compiler.add(one.formula.empty() ? "0" : one.formula); }
      compiled = parts_->tapes.keep(key, compiler.finish());
    }
    BodyFunction function = function_of(*compiled);
    if (noted_ != nullptr) {
      formula::LawInTime law = in_time(noted_name_, function);
      if (law.looks_at_time() || !law.of_state.empty()) { noted_->in_time.push_back(std::move(law)); }
      formula::LawOfState of_state(noted_name_, function.function(), is_time());
      if (of_state.must_be_watched()) {
        noted_->of_state.push_back(std::move(of_state));
        noted_->looks.push_back(function.as_look());
      }
    }
    return function;
  }
  BodyFunction function_of(const formula::Tape& tape) const {
    return BodyFunction(formula::Function(tape, parameters_), parts_->body_names.state_id());
  }

  formula::LawInTime in_time(std::string name, const BodyFunction& function) const {
    return {std::move(name), function.function(), is_time()};
  }
  std::function<bool(const formula::Input&)> is_time() const {
    return [id = parts_->body_names.state_id()](const formula::Input& input) { return input.id == id; };
  }

  const CompiledParts* parts_;
  std::span<const double> parameters_;
  mutable NotedLaws* noted_ = nullptr;
  mutable std::string noted_name_;
};

/// Compiles the formulas of a table.
class BodyBinder final : public FormulaBinder<double> {
 public:
  using FormulaBinder::FormulaBinder;

  /// Notes the mistakes of the formulas under a key of three.
  void check(Desk& desk, std::string_view key, const std::optional<ExpressionVector>& expressions) const {
    for (int i = 0; expressions && i < 3; ++i) {
      const std::string& text = (*expressions)[static_cast<std::size_t>(i)].formula;
      if (text.empty()) { continue; }
      const std::shared_ptr<const formula::Tape> compiled = tape(desk, key, text, i);
      if (!compiled || parts_->body_names.wheel_speeds().empty()) { continue; }
      if (function_of(*compiled).looks_at_wheels()) {
        desk.problem(key, "the speed of a wheel is seen by motor_torque of wheels and by events alone");
      }
    }
  }
  void check(Desk& desk, std::string_view key, const Expression& expression) const {
    if (!expression.formula.empty()) { static_cast<void>(function(desk, key, expression.formula)); }
  }
  std::optional<BodyFunction> function(Desk& desk, std::string_view key, const std::string& text) const {
    const std::shared_ptr<const formula::Tape> compiled = tape(desk, key, text);
    if (!compiled) { return {}; }
    return function_of(*compiled);
  }
  /// A function of time alone, for its zeros; nothing where it looks at the state.
  std::shared_ptr<const std::vector<formula::LawInTime>> zeros(const std::string& name,
                                                               const BodyFunction& function) const {
    auto laws = std::make_shared<std::vector<formula::LawInTime>>(1, in_time(name, function));
    laws->front().watches_sign = true;
    return laws->front().is_of_time_alone() ? laws : nullptr;
  }
  /// A function of the state, for its zeros.
  std::shared_ptr<const formula::LawOfState> zeros_of_state(const std::string& name,
                                                            const BodyFunction& function) const {
    return std::make_shared<const formula::LawOfState>(name, function.function(), is_time(), true);
  }
  /// One formula; nullptr, and its mistakes noted, where it has some. `index`: in the list under the key.
  std::shared_ptr<const formula::Tape> tape(Desk& desk, std::string_view key, const std::string& text,
                                            int index = -1) const {
    if (std::shared_ptr<const formula::Tape> known = parts_->tapes.find(text)) { return known; }
    formula::Compiler compiler(parts_->body_names);
    compiler.add(text);
    desk.problems(key, text, compiler.mistakes(), index);
    return compiler.mistakes().empty() ? parts_->tapes.keep(text, compiler.finish()) : nullptr;
  }
};

// ---- loads ----------------------------------------------------------------------------------------------------------

/// What acts by laws, as it is recorded for a Taylor series when one is asked for.
class LawRecords {
 public:
  using Term = SeriesTerm<double>;

  LawRecords(std::shared_ptr<const CompiledParts> parts, std::span<const double> parameters,
             const force::BodyFacts<double>& facts)
      : parts_(std::move(parts)), parameters_(parameters.begin(), parameters.end()) {
    const auto as_terms = [](const Vec3<double>& v) { return Vec3<Term>{v.x, v.y, v.z}; };
    facts_ = {facts.mass, as_terms(facts.center_B), as_terms(facts.reference_B), {},
              facts.held, as_terms(facts.wheels_B)};
    for (std::size_t i = 0; i < 9; ++i) { facts_.J_B(i / 3, i % 3) = facts.J_B(i / 3, i % 3); }
  }
  void add(std::string name, const force::Acts& what) { all_.emplace_back(std::move(name), what); }
  bool empty() const { return all_.empty(); }

  std::vector<RecordedLoad<double>> operator()() const {
    const FormulaBinder<Term> binder(*parts_, parameters_);
    std::vector<RecordedLoad<double>> made;
    for (const auto& [name, what] : all_) {
      RecordedLoad<double>& one = made.emplace_back(RecordedLoad<double>{"load '" + name + "'", {}});
      std::visit(
          [&](const auto& load) {
            if constexpr (std::remove_cvref_t<decltype(load)>::kind.on_one_body) {
              static_cast<void>(load.add_to(one.load, facts_, binder));
            }
          },
          what);
    }
    return made;
  }

 private:
  std::shared_ptr<const CompiledParts> parts_;
  std::vector<double> parameters_;
  force::BodyFacts<Term> facts_;
  std::vector<std::pair<std::string, force::Acts>> all_;
};

/// What acts, added to the plan, with what it means for balances and pictures.
void add_loads(Desk& root, const polhode::Scenario& scenario, const force::BodyFacts<double>& facts,
               const BodyBinder& binder, LawRecords records, OneBodyScenario& to) {
  simulation::OneBodyPlan& plan = to.plan;
  using Momentum = simulation::OneBodyPlan::Momentum;
  using Effects = force::Effects<double>;
  std::vector<std::function<double(const BodyState<double>&)>> potentials;
  bool all_conservative = true;
  Vec3<double> wheels_B{};
  bool has_wheels = false;
  std::size_t laws = 0;
  NotedLaws noted;
  plan.opaque_laws.clear();
  const auto law_count = [&] {
    const Load<double>& load = plan.body.load;
    return load.force_laws.size() + load.moment_laws.size() + load.wheels.size();
  };
  plan.momentum = Momentum::whole;
  const auto add = [&](Desk& desk, const auto& load, const std::string& name) {
    using Kind = std::remove_cvref_t<decltype(load)>;
    if constexpr (!Kind::kind.on_one_body) {
      desk.problem("kind",
                   fmt::format("'{}' acts between bodies or on joints, and there is one body alone", Kind::kind.name),
                   {}, "describe a mechanism, with [[bodies]], or see polhode list loads");
    } else {
      const scenario::Path before = desk.path();
      Review own;
      own.during_run = !desk.at_start();
      Desk inner(own, before);
      load.check(inner, force::Where::one_body);
      if constexpr (std::is_same_v<Kind, force::Code>) { check_code(inner, load, binder.laws()); }
      if constexpr (std::is_same_v<Kind, force::EnergySink>) { check_sink(inner, scenario, load); }
      if constexpr (std::is_same_v<Kind, force::CentralGravity>) {
        if (!plan.body.mass) {
          inner.problem("kind", "a far centre moves the mass centre, and this body does not travel", {},
                        to.held ? "leave out fixed_point, and give position and velocity in [initial]"
                                : "give position and velocity in [initial]");
        }
      }
      scenario::each_key(load, [&](std::string_view key, const auto& field) {
        using Field = std::remove_cvref_t<decltype(field)>;
        if constexpr (std::is_same_v<Field, ExpressionVector> ||
                      std::is_same_v<Field, std::optional<ExpressionVector>> || std::is_same_v<Field, Expression>) {
          binder.check(inner, key, field);
        }
      });
      if (!own.empty()) {
        desk.take(own);
        return;
      }
      binder.note_in(&noted, fmt::format("load '{}'", name));
      const Effects effects = load.add_to(plan.body.load, facts, binder);
      binder.note_in(nullptr);
      if constexpr (std::is_same_v<Kind, force::Code>) { plan.opaque_laws.push_back(load.law); }
      if (const std::size_t now = law_count(); now > laws) {
        records.add(name, load);
        laws = now;
      }
      if (scenario.output && !std::is_same_v<Kind, force::ReactionWheel>) {  // a motor's torque is a column of its own
        static_cast<void>(load.add_to(plan.each_load.emplace_back(name, Load<double>{}).second, facts, binder));
      }
      if (!effects.turns && !plan.body.mass) { to.idle_loads.emplace_back(Kind::kind.name); }
      if (effects.potential) {
        potentials.push_back(effects.potential);
      } else {
        all_conservative = false;
      }
      if (effects.gravity_N) { to.scene.up_N = to.scene.up_N.value_or(Vec3<double>{}) - *effects.gravity_N; }
      if (effects.spring) {
        to.scene.springs.push_back({"spring", -1, effects.spring->anchor_N, 0, effects.spring->at_B});
      }
      if constexpr (std::is_same_v<Kind, force::Wheel>) {
        wheels_B = has_wheels ? wheels_B + effects.momentum_B : effects.momentum_B;
        has_wheels = true;
      }
      const bool same_axis =
          plan.momentum == Momentum::whole || norm_squared(cross(plan.momentum_axis_N, effects.axis_N)) == 0;
      if (effects.torque == Effects::Torque::any || (effects.torque == Effects::Torque::not_about_axis && !same_axis)) {
        plan.momentum = Momentum::balance;
      } else if (effects.torque == Effects::Torque::not_about_axis && plan.momentum != Momentum::balance) {
        plan.momentum = Momentum::along_axis;
        plan.momentum_axis_N = effects.axis_N;
      }
    }
  };
  std::set<std::string> names;
  const std::vector<std::string> wheels = BodyNames::wheels(scenario);
  if (wheels.size() > kMostWheels) {
    root.problem("load", fmt::format("{} reaction wheels", wheels.size()), fmt::format("allowed: {}", kMostWheels));
    return;
  }
  std::size_t count = 0;
  for (const auto& [table, list] : {std::pair{"load", &scenario.load}, std::pair{"forces", &scenario.forces}}) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      const scenario::Acting& acting = (*list)[i];
      Desk desk = root.inner(table, static_cast<int>(i));
      std::vector<std::string_view> known{"kind", "name"};
      std::visit(
          [&](const auto& load) {
            scenario::each_key(load, [&](std::string_view key, const auto&) {
              if (key != "body" && key != "bodies") { known.push_back(key); }  // of mechanisms
            });
          },
          acting.what);
      desk.only(acting.copies, known);
      if (!acting.name.empty()) { take_name(desk, acting.name, names); }
      ++count;
      std::visit(
          [&](const auto& load) {
            using Kind = std::remove_cvref_t<decltype(load)>;
            add(desk, load, acting.name.empty() ? fmt::format("{}-{}", Kind::kind.name, count) : acting.name);
          },
          acting.what);
    }
  }
  for (std::size_t w = 0; w < plan.body.load.wheels.size() && w < wheels.size(); ++w) {
    plan.body.load.wheels[w].name = wheels[w];
  }
  if (!records.empty()) { plan.body.recorded_laws = std::move(records); }
  plan.take_laws(noted.in_time);
  plan.laws_of_state = nullptr;
  if (!noted.of_state.empty()) {
    plan.laws_of_state = std::make_shared<const std::vector<formula::LawOfState>>(std::move(noted.of_state));
  }
  plan.looks = std::move(noted.looks);
  if (has_wheels) {
    plan.wheel_momentum_B = [wheels_B](const BodyState<double>&) { return wheels_B; };
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
void plan_function(Desk& desk, const scenario::Event& event, const BodyBinder& binder, simulation::OneBodyEvent& to) {
  const std::string key = one_of(desk,
                                 {{"formula", event.formula.has_value()},
                                  {"rate_body", event.rate_body.has_value()},
                                  {"rate_space", event.rate_space.has_value()},
                                  {"angle", event.angle.has_value()},
                                  {"apsides", event.apsides.has_value()}},
                                 "what is looked for");
  if (key == "formula") {
    if (event.formula->formula.empty()) {
      desk.problem("formula", "a plain number never changes its sign");
      return;
    }
    const std::optional<BodyFunction> function = binder.function(desk, key, event.formula->formula);
    if (!function) { return; }
    const std::string name = fmt::format("event '{}'", event.name);
    to.in_time = binder.zeros(name, *function);
    if (!to.in_time) {
      to.in_state = binder.zeros_of_state(name, *function);
      to.look = function->as_look();
    }
    if (function->looks_at_wheels()) {
      to.function_of_wheels = [f = *function](const BodyState<double>& s, std::span<const double> wheel_speeds) {
        return f.operator()<1>(s, wheel_speeds)[0];
      };
    } else {
      to.function = [f = *function](const BodyState<double>& s) { return f.operator()<1>(s)[0]; };
    }
  }
  const bool of_rate = key == "rate_body" || key == "rate_space";
  if (event.value && !of_rate && !key.empty()) {
    desk.unknown_key("value",
                     {"name", "formula", "rate_body", "rate_space", "angle", "apsides", "direction", "action"});
  }
  if (of_rate) {
    const bool in_space = key == "rate_space";
    const std::string& axis = in_space ? *event.rate_space : *event.rate_body;
    if (axis != "x" && axis != "y" && axis != "z") {
      desk.problem(key, fmt::format("{} is '{}'", key, axis), "allowed: x, y, z");
      return;
    }
    const auto i = static_cast<std::size_t>(axis[0] - 'x');
    const double value = event.value.value_or(Number()).value;
    to.function = [=](const BodyState<double>& s) { return (in_space ? rotate(s.e_NB, s.w_B) : s.w_B)[i] - value; };
  }
  if (key == "angle") {
    Desk inner = desk.inner("angle");
    const scenario::AnglePassage& angle = *event.angle;
    const double number = angle.number.value;
    const double value = angle_of(inner, "value", angle.value, angle.value_deg);
    const auto chart = inner.noting("sequence", [&] { return EulerAngles{EulerSequence::parse(angle.sequence)}; });
    if (!(number == 1 || number == 2 || number == 3)) {
      inner.problem("number", fmt::format("angle number {:g}", number), "allowed: 1, 2, 3");
      return;
    }
    if (!chart) { return; }
    // the sine of the difference has no jump at ±180 degrees, but a zero half a turn away that is not meant
    const auto off = [chart = *chart, i = static_cast<std::size_t>(number) - 1, value](const BodyState<double>& s) {
      return math::sincos(chart.from_euler_parameters(s.e_NB)[i] - value);
    };
    to.function = [off](const BodyState<double>& s) { return off(s).sin; };
    to.counts = [off](const BodyState<double>& s) { return off(s).cos > 0; };
  }
  if (key == "apsides") {
    if (*event.apsides != "nutation") {
      desk.problem(key, fmt::format("apsides of '{}'", *event.apsides), "allowed: nutation");
      return;
    }
    to.function = nutation_rate;
  }
}

void plan_events(Desk& root, const polhode::Scenario& scenario, const Blueprint& blueprint, const BodyBinder& binder,
                 simulation::OneBodyPlan& plan) {
  if (too_many_events(root, scenario)) { return; }
  for (std::size_t n = 0; n < scenario.event.size(); ++n) {
    const scenario::Event& event = scenario.event[n];
    Desk desk = root.inner("event", static_cast<int>(n));
    std::vector<std::string_view> known{"name",      "formula", "rate_body",    "rate_space",    "angle", "apsides",
                                        "direction", "action",  "impulse_body", "impulse_space", "set",   "value"};
    desk.only(event, known);
    simulation::OneBodyEvent planned;
    plan_event_head(desk, event, planned);
    plan_function(desk, event, binder, planned);
    if (event.action == "record") {
      planned.action = simulation::Action::record;
    } else if (event.action == "stop") {
      planned.action = simulation::Action::stop;
    } else if (event.action == "impulse") {
      planned.action = simulation::Action::change;
      const std::string key = one_of(
          desk, {{"impulse_body", event.impulse_body.has_value()}, {"impulse_space", event.impulse_space.has_value()}},
          "the impulse");
      if (key.empty()) { continue; }
      const bool in_space = key == "impulse_space";
      const Vec3<double> impulse = values(in_space ? event.impulse_space : event.impulse_body);
      const Mat3<double> inverse_B = inverse(carrier_inertia(plan.body.J_B, plan.body.load.wheels));
      planned.change = [=](BodyState<double>& s) {
        s.w_B = s.w_B + inverse_B * (in_space ? rotate_back(s.e_NB, impulse) : impulse);
      };
    } else if (event.action == "set") {
      planned.action = simulation::Action::change;
      planned.set = changes_of(desk, event, blueprint);
    } else {
      desk.problem("action", unknown_name("action", event.action, {"record", "stop", "impulse", "set"}));
    }
    if (planned.function || planned.function_of_wheels) { plan.events.push_back(std::move(planned)); }
  }
}

// ---- run ------------------------------------------------------------------------------------------------------------

void plan_run_of_body(Desk& desk, const scenario::Run& run, simulation::OneBodyPlan& plan) {
  plan.formulation = run.formulation.value_or(plan.formulation);
  desk.noting("formulation", [&] { return &polhode::formulation<double>(plan.formulation); });
  plan_run(desk, run, plan);
  if (run.chart_distance_deg) {
    plan.body.least_chart_distance = kDegree * positive(desk, "chart_distance_deg", run.chart_distance_deg, 1);
  }
  desk.only(run, {"duration", "output_interval", "integrator", "formulation", "step", "tolerance", "max_step",
                  "projection", "chart_distance_deg", "accuracy", "position_accuracy", "checkpoint_rows"});
}

void plan_output_of_body(Desk& desk, const scenario::Output& output, const polhode::Scenario& scenario,
                         OneBodyScenario& to) {
  plan_output(desk, output, scenario.run, to.plan);
  std::set<std::string> names;
  for (std::size_t i = 0; i < output.points.size(); ++i) {
    const scenario::OutputPoint& point = output.points[i];
    Desk inner = desk.inner("points", static_cast<int>(i));
    if (!point.body.empty()) { inner.unknown_key("body", {"name", "at_body"}); }
    if (!point.name.empty()) { take_name(inner, point.name, names); }
    to.plan.output.points.push_back({point.name, 0, values(point.at_body) - to.reference_B});
  }
}

/// What a run would refuse at its start, told at the key that asks for it.
void try_start(Desk& body, Desk& run, const simulation::OneBodyPlan& plan) {
  const auto system = body.noting("", [&] {
    return std::make_unique<BodySystem<double>>(polhode::formulation<double>(plan.formulation), plan.body);
  });
  if (!system) { return; }
  std::vector<double> y((*system)->size());
  run.noting("formulation", [&] {
    (*system)->set_state(plan.start, y);
    return true;
  });
  run.noting("integrator", [&] { return polhode::integrator<double>(plan.integrator).bind(**system) != nullptr; });
}

// ---- the whole ------------------------------------------------------------------------------------------------------

/// The initial state, and whether the body travels.
void plan_start(Desk& desk, const scenario::Initial& initial, OneBodyScenario& to) {
  simulation::OneBodyPlan& plan = to.plan;
  RepresentationPtr representation;
  std::vector<double> numbers;
  plan.start.e_NB = attitude_of(desk, initial.attitude, &representation, &numbers);
  const GivenRate rate = rate_of(desk, initial.rate, initial.attitude, plan.start.e_NB, representation, numbers);
  plan.start.w_B = rate.in_space ? rotate_back(plan.start.e_NB, rate.w) : rate.w;
  constexpr double kFastest = 1e100;
  if (!(norm(plan.start.w_B) < kFastest)) {
    desk.problem(initial.rate.w_body    ? "w_body"
                 : initial.rate.w_space ? "w_space"
                                        : "",
                 "the rate is too large", "allowed: below 1e100 rad/s");
    plan.start.w_B = {};
  }
  constexpr std::string_view kEuler = "euler:";
  if (representation && representation->name().starts_with(kEuler)) {
    to.sequence = representation->name().substr(kEuler.size());
  }
  const bool moves = initial.position || initial.velocity;
  plan.start.r_N = values(initial.position);
  plan.start.v_N = values(initial.velocity);
  if (moves && to.held) {
    desk.problem(initial.position ? "position" : "velocity", "a body with a fixed point does not travel", {},
                 "leave out fixed_point, or position and velocity");
  } else if (moves) {
    plan.body.mass = to.mass_properties.mass;
  }
}

/// The plan for other values of the parameters: what acts and events differ.
std::shared_ptr<const simulation::OneBodyPlan> plan_with(const std::shared_ptr<const CompiledParts>& shared_parts,
                                                         const OneBodyScenario& first,
                                                         std::span<const double> parameters) {
  const CompiledParts& parts = *shared_parts;
  Review review;
  review.during_run = true;
  const polhode::Scenario scenario = parts.blueprint.at(parameters, review);
  Desk root(review, {});
  OneBodyScenario to;
  to.plan = first.plan;
  to.plan.parameters.assign(parameters.begin(), parameters.end());
  to.plan.body.load = {};
  to.plan.body.recorded_laws = nullptr;
  to.plan.each_load.clear();
  to.plan.events.clear();
  to.plan.potential = nullptr;
  to.plan.wheel_momentum_B = nullptr;
  const force::BodyFacts<double> facts{first.mass_properties.mass,
                                       first.mass_properties.center_B,
                                       first.reference_B,
                                       first.plan.body.J_B,
                                       first.held,
                                       constant_wheels_B(scenario, "")};
  const BodyBinder binder(parts, parameters);
  add_loads(root, scenario, facts, binder, LawRecords(shared_parts, parameters, facts), to);
  plan_events(root, scenario, parts.blueprint, binder, to.plan);
  review.fail_if_any();
  const auto wheels = [](const simulation::OneBodyPlan& plan) {
    return plan.wheel_momentum_B ? plan.wheel_momentum_B(plan.start) : Vec3<double>{};
  };
  if (!(wheels(to.plan) == wheels(first.plan))) {
    fail(Error("the momentum of a wheel cannot jump: the body would have to answer"));
  }
  for (std::size_t w = 0; w < to.plan.body.load.wheels.size(); ++w) {
    const MotorWheel<double>& now = to.plan.body.load.wheels[w];
    const MotorWheel<double>& before = first.plan.body.load.wheels[w];
    if (now.inertia == before.inertia && now.axis_B == before.axis_B) { continue; }
    fail(Error("axis and inertia of reaction wheel '" + now.name + "' cannot jump: the body would have to answer"));
  }
  if (to.plan.momentum != first.plan.momentum || (to.plan.momentum == simulation::OneBodyPlan::Momentum::along_axis &&
                                                  !(to.plan.momentum_axis_N == first.plan.momentum_axis_N))) {
    fail(Error("the direction of gravity cannot jump"));
  }
  return std::make_shared<const simulation::OneBodyPlan>(std::move(to.plan));
}

}  // namespace

OneBodyScenario body_of(const std::shared_ptr<const CompiledParts>& parts, const ParameterValues& values,
                        Review& review) {
  OneBodyScenario to;
  static_cast<ScenarioHead&>(to) = parts->head;
  to.set = values;
  MeshShelf meshes(parts->meshes);
  Desk root(review, {});
  const polhode::Scenario& given = parts->blueprint.scenario();
  for (const auto& [name, meaning] : BodyNames::meanings()) {
    for (const char* table : {"parameters", "definitions"}) {
      const bool taken =
          table == std::string_view("parameters") ? given.parameters.contains(name) : given.definitions.contains(name);
      if (taken) { root.inner(table).problem(name, "the name '" + name + "' is taken: choose another"); }
    }
  }
  const std::vector<std::string>& speeds = parts->body_names.wheel_speeds();
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    if (std::find(speeds.begin(), speeds.begin() + static_cast<std::ptrdiff_t>(i), speeds[i]) !=
        speeds.begin() + static_cast<std::ptrdiff_t>(i)) {
      root.problem("load", fmt::format("formulas would call the speeds of two wheels '{}'", speeds[i]), {},
                   "give one of them another name: - and _ are the same in formulas");
    }
  }
  for (const std::string& name : parts->body_names.wheel_speeds()) {
    for (const char* table : {"parameters", "definitions"}) {
      const bool taken =
          table == std::string_view("parameters") ? given.parameters.contains(name) : given.definitions.contains(name);
      if (taken) { root.inner(table).problem(name, "the name '" + name + "' is taken: choose another"); }
    }
  }
  simulation::OneBodyPlan& plan = to.plan;
  plan.parameters = parts->blueprint.parameters(values, review);
  const polhode::Scenario scenario = parts->blueprint.at(plan.parameters, review);
  check_head(root, scenario, to);
  plan.title = to.title;
  if (scenario.is_mechanism()) {
    root.problem("bodies", "the file describes a mechanism, and one body is wanted here", {},
                 "use polhode run or polhode check");
    return to;
  }
  for (const auto& [key, is_given] : std::initializer_list<GivenKey>{{"joints", !scenario.joints.empty()},
                                                                     {"gravity", scenario.gravity.has_value()},
                                                                     {"drivers", !scenario.drivers.empty()},
                                                                     {"couplings", !scenario.couplings.empty()},
                                                                     {"rolling", !scenario.rolling.empty()},
                                                                     {"blades", !scenario.blades.empty()},
                                                                     {"constraints", !scenario.constraints.empty()}}) {
    if (!is_given) { continue; }
    root.unknown_key(key, {"title", "epoch", "aem", "parameters", "definitions", "body", "initial", "load", "forces",
                           "event", "run", "output"});
  }
  const BodyBinder binder(*parts, plan.parameters);
  Desk definitions = root.inner("definitions");
  for (const auto& [name, expression] : scenario.definitions) { binder.tape(definitions, name, name); }

  Desk body = root.inner("body");
  if (scenario.body) {
    to.mass_properties = mass_properties_of(body, scenario.body->inertia, to.outlines, meshes);
    if (to.outlines.empty()) { to.outlines.push_back(equivalent_outline(to.mass_properties)); }
    to.reference_B = to.mass_properties.center_B;
    if (scenario.body->fixed_point) {
      to.held = true;
      to.reference_B = force::values(*scenario.body->fixed_point);
    }
    plan.body.J_B = inertia_about(to.mass_properties, to.reference_B);
    if (scenario.body->inertia.allow_impossible_inertia) { plan.body.physical = Physical::allow_any_positive; }
  } else {
    root.problem("", "there is no [body]", "wanted: a table [body] with its inertia");
  }
  if (scenario.initial) {
    Desk initial = root.inner("initial");
    plan_start(initial, *scenario.initial, to);
  } else {
    plan.start.e_NB = EulerParameters<double>::identity();
    root.problem("", "there is no [initial]", "wanted: a table [initial] with its rate");
  }
  const force::BodyFacts<double> facts{
      to.mass_properties.mass,        to.mass_properties.center_B, to.reference_B, plan.body.J_B, to.held,
      constant_wheels_B(scenario, "")};
  add_loads(root, scenario, facts, binder, LawRecords(parts, plan.parameters, facts), to);
  plan_events(root, scenario, parts->blueprint, binder, plan);
  Desk run = root.inner("run");
  if (scenario.run) {
    plan_run_of_body(run, *scenario.run, plan);
  } else {
    root.problem("", "there is no [run]", "wanted: a table [run] with its duration");
  }
  Desk output = root.inner("output");
  if (scenario.output) { plan_output_of_body(output, *scenario.output, scenario, to); }
  if (review.empty()) { try_start(body, run, plan); }
  if (review.empty() && scenario.output) { check_output(output, plan, plan.offered_columns()); }
  if (review.empty()) {
    meshes.finish(to);
    if (!plan.parameters.empty()) {
      const auto first = std::make_shared<const OneBodyScenario>(to);
      plan.with = [parts, first](std::span<const double> parameters) {
        return plan_with(parts, *first, parts->blueprint.after_change(parameters, first->set));
      };
    }
  }
  return to;
}

bool check_code(Desk& desk, const force::Code& code, const force::Laws& laws) {
  if (code.law.empty()) { return false; }  // told by Code::check
  if (laws.contains(code.law)) { return true; }
  std::vector<std::string_view> bound;
  for (const auto& [name, law] : laws) { bound.push_back(name); }
  if (bound.empty()) {
    desk.problem("law", fmt::format("law '{}' is code, and nothing is bound to its name", code.law), {},
                 "run the scenario from a program: simulate(scenario, {.laws = ...})");
  } else {
    desk.problem("law", unknown_name("law", code.law, bound));
  }
  return false;
}

void settle(const io::ScenarioFile& file, const Review& review) {
  std::vector<Problem> all = file.problems();
  for (const Review::Finding& finding : review.findings()) {
    // what follows from a mistake of form is not told again
    if (file.is_broken(finding.table)) { continue; }
    Problem problem = finding.problem;
    if (problem.where.file.empty()) { problem.where = file.location(finding.path, finding.offset); }
    all.push_back(std::move(problem));
  }
  std::stable_sort(all.begin(), all.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  const auto same = [](const Problem& a, const Problem& b) {
    return a.what == b.what && a.where.line == b.where.line && a.where.column == b.where.column;
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  Problems problems;
  for (Problem& problem : all) { problems.add(std::move(problem)); }
  std::move(problems).fail_if_any();
}

OneBodyScenario read_scenario(std::string_view bytes, std::string file, MeshLocations meshes,
                              const ParameterValues& values) {
  const io::ScenarioFile read(bytes, file);
  ScenarioHead head;
  head.file = std::move(file);
  head.text = bytes;
  const auto parts = std::make_shared<const CompiledParts>(read.scenario(), std::move(head), meshes, force::Laws{});
  Review review = parts->mistakes;
  OneBodyScenario scenario = body_of(parts, values, review);
  settle(read, review);
  return scenario;
}

}  // namespace polhode::catalog
