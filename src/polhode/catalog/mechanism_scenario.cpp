#include "polhode/catalog/mechanism_scenario.h"

#include "polhode/catalog/scenario_parts.h"
#include "polhode/core/error.h"
#include "polhode/io/toml_reader.h"
#include "polhode/math/degree.h"
#include "polhode/math/elementary.h"
#include "polhode/math/jet.h"
#include "polhode/math/symmetric_eigen.h"
#include "polhode/rotation/rotation_matrix.h"
#include "polhode/simulation/mechanism_columns.h"
#include "polhode/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace polhode::catalog {
namespace {

using force::values;
using math::kDegree;
using math::kRpm;
using scenario::Review;
using simulation::StartValue;

constexpr double kMostCopies = 100000;
/// Given velocities that contradict the joints by up to this part of the largest speed do so by digits that were not
/// typed: they are adjusted, and it is told.
constexpr double kRoundedDigits = 1e-3;
/// A body whose attitude at the start is this near to the drawn one, in radian, has not been turned.
constexpr double kSameAttitude = 1e-9;
/// The nearest known name is looked for among all there are, for so many unknown names at most.
constexpr int kMostSuggestions = 12;

/// "6", or "[0, 0, 6]": all digits, so that it can be typed back.
std::string listed(const std::vector<double>& numbers) {
  return numbers.size() == 1 ? fmt::format("{}", numbers[0]) : fmt::format("[{}]", fmt::join(numbers, ", "));
}

/// A name with {i}, {i+1}, {i-2} replaced.
std::string named(std::string text, int copy) {
  constexpr std::string_view kMark = "{i";
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at + 1)) {
    const char* begin = text.data() + at + kMark.size();
    const char* end = text.data() + text.size();
    int shift = 0;
    const bool plus = begin < end && *begin == '+';
    const std::from_chars_result number = std::from_chars(begin + (plus ? 1 : 0), end, shift);
    const char* close = number.ec == std::errc() && (plus || *begin == '-') ? number.ptr : begin;
    if (close == begin) { shift = 0; }
    if (close >= end || *close != '}') { continue; }
    text.replace(at, static_cast<std::size_t>(close + 1 - (text.data() + at)), std::to_string(copy + shift));
  }
  return text;
}

/// The name of copy number `copy`, where there is more than one.
std::string name_of_copy(std::string name, bool copied, int copy) {
  if (copied && !name.empty() && name.find("{i") == std::string::npos) { name += "{i}"; }
  return named(std::move(name), copy);
}

/// How many copies a table stands for; nothing where it is no number of copies.
std::optional<int> count_of(const scenario::Copies& copies) {
  const double count = copies.copies ? copies.copies->value : 1;
  if (!(count >= 1 && count <= kMostCopies && count == std::floor(count))) { return {}; }
  return static_cast<int>(count);
}

/// Names of all reaction wheels in the order in which they are built; one without a name is called "wheel1", "wheel2"
/// by its number among them.
std::vector<std::string> wheels_of(const polhode::Scenario& scenario) {
  std::vector<std::string> names;
  for (const auto* list : {&scenario.load, &scenario.forces}) {
    for (const scenario::Acting& acting : *list) {
      if (!std::holds_alternative<force::ReactionWheel>(acting.what)) { continue; }
      const int count = count_of(acting.copies).value_or(1);
      for (int i = 1; i <= count; ++i) {
        names.push_back(acting.name.empty() ? fmt::format("wheel{}", names.size() + 1)
                                            : name_of_copy(acting.name, acting.copies.copies.has_value(), i));
      }
    }
  }
  return names;
}

/// A coordinate of a joint.
struct JointCoordinate {
  int joint = 0;
  Coordinate coordinate = Coordinate::turn;
};

/// A function of time with its first and second derivative by it, exact: a power series in time.
class TimeFunction {
 public:
  TimeFunction() = default;
  explicit TimeFunction(double number) : number_(number) {}
  explicit TimeFunction(formula::Function function) : function_(std::move(function)), has_formula_(true) {}

  bool has_formula() const { return has_formula_; }
  /// Value, rate, acceleration.
  std::array<double, 3> operator()(double t) const {
    if (!has_formula_) { return {number_, 0, 0}; }
    using Series = Jet<double, 2>;
    const Series time = Series::time(t);
    std::array<Series, 1> value{};
    function_(std::span<const Series>(&time, function_.inputs().size()), std::span<Series>(value));
    return {value[0].c[0], value[0].c[1], 2 * value[0].c[2]};
  }

 private:
  double number_ = 0;
  formula::Function function_;
  bool has_formula_ = false;
};

/// A few names of its own (time; coordinates of a point) and parameters. Name i of its own has the id state_id() + i.
class FewNames final : public scenario::Names {
 public:
  /// `all`: what other formulas see; nullptr where that is not known yet.
  FewNames(const polhode::Scenario& scenario, std::shared_ptr<const MechanismNames> all,
           std::vector<std::string_view> own)
      : Names(scenario), all_(std::move(all)), own_(std::move(own)) {}
  std::optional<formula::Input> find(std::string_view name) const override {
    const auto found = std::find(own_.begin(), own_.end(), name);
    if (found == own_.end()) { return Names::find(name); }
    return formula::Input{state_id() + static_cast<std::uint32_t>(found - own_.begin()), formula::Pace::state};
  }
  std::vector<std::string_view> names() const override {
    std::vector<std::string_view> all = own_;
    for (const std::string_view name : Names::names()) { all.push_back(name); }
    return all;
  }
  std::string why_unknown(std::string_view name) const override {
    if (!all_->find(name)) { return all_->why_unknown(name); }
    return fmt::format("it changes with the motion, and this formula is made of {}, parameters and definitions of them",
                       fmt::join(own_, ", "));
  }

 private:
  std::shared_ptr<const MechanismNames> all_;
  std::vector<std::string_view> own_;
};

/// Makes a mechanism of a scenario: bodies and constraints first, then what acts, which other values of the parameters
/// may change.
class Builder {
 public:
  Builder(std::shared_ptr<const CompiledParts> parts, std::vector<double> parameters, Review& review)
      : parts_(std::move(parts)),
        review_(&review),
        root_(review, {}),
        scenario_(parts_->blueprint.at(parameters, review)),
        meshes_(parts_->meshes) {
    result_.plan.parameters = std::move(parameters);
  }

  /// `given`: values that took the place of the scenario's.
  MechanismScenario build(const ParameterValues& given) {
    static_cast<ScenarioHead&>(result_) = parts_->head;
    result_.set = given;
    check_head(root_, scenario_, result_);
    simulation::MechanismPlan& plan = result_.plan;
    plan.title = result_.title;
    for (const auto& [key, is_given] : std::initializer_list<GivenKey>{{"body", scenario_.body.has_value()},
                                                                       {"initial", scenario_.initial.has_value()}}) {
      if (!is_given) { continue; }
      root_.problem(key, fmt::format("[{}] belongs to scenarios of one body, [[bodies]] to mechanisms", key), {},
                    "put its keys under [[bodies]]");
    }
    add_bodies();
    add_joints();
    make_names();
    add_gravity();
    add_couplings();
    add_rolling();
    add_constraints();
    bare_ = builder_;
    add_what_acts();
    add_events();
    Desk run = root_.inner("run");
    if (scenario_.run) {
      plan_run(run, *scenario_.run, plan);
      plan_run_of_mechanism(run, *scenario_.run);
    } else {
      root_.problem("", "there is no [run]", "wanted: a table [run] with its duration");
    }
    Desk output = root_.inner("output");
    if (scenario_.output) { plan_output_of_mechanism(output, *scenario_.output); }
    count_for(plan.output);
    if (!review_->empty()) { return std::move(result_); }
    finish();
    if (!review_->empty()) { return std::move(result_); }
    if (scenario_.output) { check_output(output, plan, plan.offered_columns()); }
    if (!review_->empty()) { return std::move(result_); }
    run.noting("integrator", [&] {
      const simulation::Simulation fits(plan);  // says what a run would refuse
      return true;
    });
    if (!review_->empty()) { return std::move(result_); }
    meshes_.finish(result_);
    if (!plan.parameters.empty()) {
      const auto first = std::make_shared<const simulation::MechanismPlan>(plan);
      plan.with = [parts = parts_, first, given](std::span<const double> values) {
        Review review;
        review.during_run = true;
        return Builder(parts, parts->blueprint.after_change(values, given), review).rebuilt(*first);
      };
    }
    return std::move(result_);
  }

 private:
  /// The plan `first`, with what acts and events as other values of the parameters have them.
  std::shared_ptr<const simulation::MechanismPlan> rebuilt(const simulation::MechanismPlan& first) {
    add_bodies();
    add_joints();
    make_names();
    add_gravity();
    add_couplings();
    add_rolling();
    add_constraints();
    add_what_acts();
    add_events();
    review_->fail_if_any();
    auto plan = std::make_shared<simulation::MechanismPlan>(first);
    plan->parameters = result_.plan.parameters;
    plan->events = std::move(result_.plan.events);
    plan->laws_in_time = result_.plan.laws_in_time;
    plan->laws_of_state = result_.plan.laws_of_state;
    plan->looks = std::move(result_.plan.looks);
    count_for(plan->output);
    for (const CountedAngle& angle : counted_) { builder_.count_turns(angle.joint, angle.coordinate); }
    auto model = std::make_shared<const Model>(builder_.build());
    for (std::size_t w = 0; w < model->wheel_count(); ++w) {
      const ReactionWheel& now = model->wheels()[w];
      const ReactionWheel& before = first.model->wheels()[w];
      if (now.inertia == before.inertia && now.axis_B == before.axis_B) { continue; }
      fail(Error("axis and inertia of reaction wheel '" + now.name + "' cannot jump: the body would have to answer"));
    }
    // drivers at an even rate go on from where their joints were at the start
    for (auto& [start, from] : driven_from_start_) {
      const auto [one, two] = model->ends(first.start, start.joint);
      *from = joint_coordinate(start.coordinate, one, two).value;
    }
    plan->model = std::move(model);
    return plan;
  }

  void add_what_acts() {
    acts_ = true;
    add_forces();
    add_drivers();
    acts_ = false;
    result_.plan.take_laws(in_time_);
    in_time_.clear();
    result_.plan.laws_of_state = nullptr;
    if (!of_state_.empty()) {
      result_.plan.laws_of_state = std::make_shared<const std::vector<formula::LawOfState>>(std::move(of_state_));
    }
    of_state_.clear();
    result_.plan.looks = std::exchange(looks_, {});
  }

  // ---- finding by name ----------------------------------------------------------------------------------------------

  template <class Things>
  std::optional<int> find_named(Desk& desk, std::string_view key, const std::string& text, std::string_view what,
                                const Things& things, bool ground) {
    const std::string name = named(text, copy_);
    if (ground && name == "ground") { return kGround; }
    const auto found = things.find(name);
    if (found != things.end()) { return found->second; }
    if (unusable_.contains(name)) { return {}; }
    for (const std::string& beginning : uncounted_) {
      if (name.starts_with(beginning)) { return {}; }
    }
    if (++unknown_names_ > kMostSuggestions) {
      desk.problem(key, fmt::format("unknown {} '{}'", what, name));
      return {};
    }
    std::vector<std::string_view> known;
    if (ground) { known.emplace_back("ground"); }
    for (const auto& [one, index] : things) { known.push_back(one); }
    desk.problem(key, unknown_name(what, name, known));
    return {};
  }
  /// A body by its name, "ground" included where allowed; notes a problem and gives nothing otherwise.
  std::optional<BodyId> find_body(Desk& desk, std::string_view key, const std::string& name, bool ground = false) {
    return find_named(desk, key, name, "body", body_names_, ground);
  }
  std::optional<int> find_joint(Desk& desk, std::string_view key, const std::string& name) {
    return find_named(desk, key, name, "joint", joint_names_, false);
  }
  /// The coordinate of a joint that can be acted on: by its name, or the only one.
  std::optional<Coordinate> find_coordinate(Desk& desk, std::string_view key, int joint, const std::string& name) {
    const JointKind& kind = *kinds_[static_cast<std::size_t>(joint)];
    std::vector<std::string_view> known;
    std::vector<Coordinate> all;
    for (const Coordinate coordinate : kind.acted_on()) {
      if (to_text(coordinate) == name) { return coordinate; }
      known.push_back(to_text(coordinate));
      all.push_back(coordinate);
    }
    if (known.empty()) {
      desk.problem(key, fmt::format("a joint of kind '{}' has no turn or slide to act on", kind.name));
      return {};
    }
    if (name.empty() && all.size() == 1) { return all.front(); }
    if (name.empty()) {
      desk.problem("", "which coordinate of the joint is meant?", fmt::format("known: {}", fmt::join(known, ", ")),
                   fmt::format("add coordinate = \"{}\"", known.front()));
      return {};
    }
    desk.problem(key, unknown_name("coordinate", name, known));
    return {};
  }
  std::optional<JointCoordinate> find_joint_coordinate(Desk& desk, const std::string& joint,
                                                       const std::string& coordinate) {
    const std::optional<int> found = find_joint(desk, "joint", joint);
    if (!found) { return {}; }
    const std::optional<Coordinate> of_it = find_coordinate(desk, "coordinate", *found, coordinate);
    if (!of_it) { return {}; }
    return JointCoordinate{*found, *of_it};
  }

  // ---- formulas -----------------------------------------------------------------------------------------------------

  void make_names() {
    // names depend on bodies, joints and wheels, and these on how many copies there are of each
    keep_formulas_ = review_->empty();
    wheel_names_ = wheels_of(scenario_);
    structure_ = fmt::format("{}\n{}\n", fmt::join(copies_, " "), fmt::join(wheel_names_, " "));
    const auto known = keep_formulas_ ? parts_->mechanism_names.find(structure_) : nullptr;
    names_ = known ? *known : new_names();
    if (keep_formulas_ && !known) { parts_->mechanism_names.keep(structure_, names_); }
    time_names_ = std::make_shared<const FewNames>(scenario_, names_, std::vector<std::string_view>{"t"});
    point_names_ = std::make_shared<const FewNames>(scenario_, names_, std::vector<std::string_view>{"x", "y", "z"});
    for (const std::string& name : names_->taken()) {
      const char* table = scenario_.parameters.contains(name)    ? "parameters"
                          : scenario_.definitions.contains(name) ? "definitions"
                                                                 : "";
      const std::string what = "the name '" + name + "' is taken: choose another";
      if (*table != '\0') {
        root_.inner(table).problem(name, what);
      } else {
        root_.problem("bodies", what);
      }
    }
    Desk definitions = root_.inner("definitions");
    for (const auto& [name, expression] : scenario_.definitions) {
      tape_of(*names_, "state", {name}, [&, &one = name](std::size_t, const std::vector<formula::Mistake>& mistakes) {
        definitions.problems(one, one, mistakes);
      });
    }
  }
  std::shared_ptr<const MechanismNames> new_names() const {
    std::vector<std::string> bodies;
    bodies.reserve(bodies_.size());
    for (const BodyStarts& body : bodies_) { bodies.push_back(body.name); }
    std::vector<MechanismNames::NamedJoint> joints;
    joints.reserve(kinds_.size());
    for (std::size_t j = 0; j < kinds_.size(); ++j) { joints.emplace_back(joint_order_[j], kinds_[j]); }
    return std::make_shared<const MechanismNames>(scenario_, bodies, joints, unusable_joints_, wheel_names_);
  }

  /// Formulas as one tape, compiled once for all instances with the same names; nullptr where there are mistakes, which
  /// are told formula by formula. `scope`: what their names are.
  template <class Tell>
  std::shared_ptr<const formula::Tape> tape_of(const formula::Scope& names, std::string_view scope,
                                               const std::vector<std::string>& texts, const Tell& tell) {
    const std::string key = fmt::format("{}{}\n{}", structure_, scope, fmt::join(texts, "\n"));
    if (keep_formulas_) {
      if (auto known = parts_->tapes.find(key)) { return known; }
    }
    formula::Compiler all(names);
    bool right = true;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      formula::Compiler compiler(names);
      compiler.add(texts[i]);
      tell(i, compiler.mistakes());
      right = right && compiler.mistakes().empty();
      all.add(texts[i]);
    }
    if (!right) { return nullptr; }
    return keep_formulas_ ? parts_->tapes.keep(key, all.finish()) : std::make_shared<const formula::Tape>(all.finish());
  }

  /// Numbers and formulas of the state as one function; nothing, and the mistakes noted, where there are some.
  /// `indexed`: they are the entries of a list under the key.
  std::optional<MechanismFunction> function_of(Desk& desk, std::string_view key,
                                               std::initializer_list<const Expression*> expressions, bool indexed) {
    std::vector<std::string> texts;
    texts.reserve(expressions.size());
    for (const Expression* one : expressions) {
      texts.push_back(one->formula.empty() ? fmt::format("{}", one->value) : named(one->formula, copy_));
    }
    const auto tape =
        tape_of(*names_, "state", texts, [&](std::size_t i, const std::vector<formula::Mistake>& mistakes) {
          desk.problems(key, texts[i], mistakes, indexed ? static_cast<int>(i) : -1);
        });
    if (!tape) { return {}; }
    MechanismFunction function(formula::Function(*tape, result_.plan.parameters), *names_);
    counted_.insert(counted_.end(), function.counted().begin(), function.counted().end());
    const auto is_time = [this](const formula::Input& input) { return !names_->source(input.id).has_value(); };
    note_in_time(desk, function.function(), is_time);
    if (!acts_) { return function; }
    formula::LawOfState law(desk.name(), function.function(), is_time);
    if (law.must_be_watched()) {
      of_state_.push_back(std::move(law));
      looks_.push_back(look_of(function));
    }
    return function;
  }

  /// A number or a formula of time; nothing, and the mistakes noted, where there are some.
  std::optional<TimeFunction> time_function_of(Desk& desk, std::string_view key, const Expression& expression) {
    if (expression.formula.empty()) { return TimeFunction(expression.value); }
    const std::string text = named(expression.formula, copy_);
    const auto tape = tape_of(
        *time_names_, "time", {text},
        [&](std::size_t, const std::vector<formula::Mistake>& mistakes) { desk.problems(key, text, mistakes); });
    if (!tape) { return {}; }
    formula::Function function(*tape, result_.plan.parameters);
    note_in_time(desk, function, [](const formula::Input&) { return true; });
    return TimeFunction(std::move(function));
  }
  static simulation::MechanismLook look_of(const MechanismFunction& function) {
    return [function](const MechanismView& now, std::span<double> inputs) { function.look(now, inputs); };
  }
  /// Of what acts: what a formula does with time.
  void note_in_time(const Desk& desk, const formula::Function& function,
                    const std::function<bool(const formula::Input&)>& is_time) {
    if (!acts_) { return; }
    formula::LawInTime law(desk.name(), function, is_time);
    if (law.looks_at_time() || !law.of_state.empty()) { in_time_.push_back(std::move(law)); }
  }

  /// Formulas of the coordinates of a point; nothing, and the mistakes noted, where there are some.
  std::optional<PointFunction> point_function_of(Desk& desk, std::string_view key, std::span<const Expression> formulas,
                                                 bool indexed) {
    std::vector<std::string> texts;
    texts.reserve(formulas.size());
    for (std::size_t i = 0; i < formulas.size(); ++i) {
      if (formulas[i].formula.empty()) {
        desk.problem(key, fmt::format("the number {} in place of a formula of x, y, z", formulas[i].value));
        return {};
      }
      texts.push_back(named(formulas[i].formula, copy_));
    }
    const auto tape =
        tape_of(*point_names_, "point", texts, [&](std::size_t i, const std::vector<formula::Mistake>& mistakes) {
          desk.problems(key, texts[i], mistakes, indexed ? static_cast<int>(i) : -1);
        });
    if (!tape) { return {}; }
    formula::Function function(*tape, result_.plan.parameters);
    std::vector<std::size_t> axes;
    for (const formula::Input& input : function.inputs()) { axes.push_back(input.id - point_names_->state_id()); }
    return PointFunction(std::move(function), std::move(axes));
  }

  // ---- elements -----------------------------------------------------------------------------------------------------

  struct BodyStarts {
    std::string name;
    BodyStart start;  ///< as drawn
    simulation::GivenVelocity velocity;
    std::string rate_key;  ///< "" where no rate is given
    double rate_unit = 1;
    Desk desk;
  };

  /// Takes a table once for each of its copies.
  template <class Take>
  void each_copy(Desk& desk, const scenario::Copies& copies, const std::string& name, const Take& take) {
    const std::optional<int> whole = count_of(copies);
    const int count = whole.value_or(1);  // the other keys of the table are looked at all the same
    if (!whole) {
      desk.problem("copies", fmt::format("{:g} copies", copies.copies->value),
                   "allowed: whole numbers from 1 to 100000");
      uncounted_.push_back(name.substr(0, name.find("{i")));
      if (uncounted_.back().empty()) { uncounted_.pop_back(); }
    }
    copies_.push_back(count);
    const Vec3<double> offset = values(copies.copy_offset);
    for (int i = 1; i <= count; ++i) {
      copy_ = i;
      take(static_cast<double>(i - 1) * offset, copies.copies.has_value());
    }
    copy_ = 1;
  }

  /// The name of an element, a new one.
  std::string new_name(Desk& desk, std::string name, bool copied) {
    if (name.empty()) { return name; }
    name = name_of_copy(std::move(name), copied, copy_);
    take_name(desk, name, element_names_);
    return name;
  }

  void add_bodies() {
    for (std::size_t n = 0; n < scenario_.bodies.size(); ++n) {
      const scenario::Body& given = scenario_.bodies[n];
      Desk desk = root_.inner("bodies", static_cast<int>(n));
      each_copy(desk, given.copies, given.name, [&](const Vec3<double>& offset, bool copied) {
        BodyStarts body{new_name(desk, given.name, copied), {}, {}, {}, 1, desk};
        std::vector<Outline> outlines;
        const MassProperties mass = mass_properties_of(desk, given.inertia, outlines, meshes_);
        masses_.push_back(mass);
        if (!given.outline.empty()) { outlines = outlines_of(desk, given.outline, meshes_); }
        const bool by_moments = given.inertia.principal_moments || given.inertia.inertia_matrix;
        if (by_moments && !given.inertia.shape.mass) {
          desk.problem("", fmt::format("body '{}' has no mass", body.name), "wanted: mass in kg, above 0");
        }
        result_.has_shape.push_back(!outlines.empty());
        if (outlines.empty()) { outlines.push_back(equivalent_outline(mass)); }
        RepresentationPtr representation;
        std::vector<double> numbers;
        body.start.e_NB = attitude_of(desk, given.attitude, &representation, &numbers);
        body.start.r_N = values(given.position) + offset;
        if (given.velocity) { body.velocity.v_N = values(*given.velocity); }
        if (has_rate(given.rate, given.attitude)) {
          const GivenRate rate = rate_of(desk, given.rate, given.attitude, body.start.e_NB, representation, numbers);
          body.rate_key = rate.key;
          body.rate_unit = rate.unit;
          body.velocity.w = rate.w;
          body.velocity.w_in_space = rate.in_space;
        }
        if (given.start) {
          Desk start = desk.inner("start");
          add_start_pose(start, *given.start, copied);
        }
        const Physical physical =
            given.inertia.allow_impossible_inertia ? Physical::allow_any_positive : Physical::require;
        body_names_.emplace(body.name, builder_.body(body.name, mass, body.start, physical));
        result_.outlines.push_back(std::move(outlines));
        bodies_.push_back(std::move(body));
      });
    }
    if (bodies_.empty()) { root_.problem("bodies", "there is no [[bodies]]", "wanted: one or more bodies"); }
  }

  /// start of a body: where it goes from its drawing, with all that hangs on it.
  void add_start_pose(Desk& desk, const scenario::StartPose& start, bool copied) {
    simulation::GivenPose pose{static_cast<BodyId>(bodies_.size()), {}, {}};
    if (start.position) { pose.r_N = values(*start.position); }
    RepresentationPtr representation;
    const EulerParameters<double> e_NB = attitude_of(desk, start.attitude, &representation);
    if (representation) { pose.e_NB = e_NB; }
    if (copied) { desk.problem("", "copies cannot start at one position", {}, "use position and copy_offset"); }
    given_poses_.push_back(pose);
    given_pose_desks_.push_back(desk);
  }

  /// A frame of space on a body where it is drawn.
  FrameOnBody on_body(BodyId body, const Vec3<double>& point_N, const EulerParameters<double>& e_NF) const {
    if (body < 0) { return {point_N, e_NF}; }
    const BodyStart& start = bodies_[static_cast<std::size_t>(body)].start;
    return {rotate_back(start.e_NB, point_N - start.r_N), conjugate(start.e_NB) * e_NF};
  }

  /// Notes a direction that is zero or not finite.
  static bool is_direction(Desk& desk, std::string_view key, const Vec3<double>& v) {
    if (norm(v) > 0) { return true; }
    desk.problem(key, fmt::format("{} is zero: it gives no direction", key), "wanted: a vector that is not zero");
    return false;
  }
  /// A unit vector.
  static Vec3<double> direction(Desk& desk, std::string_view key, const std::optional<NumberVector>& given,
                                const Vec3<double>& fallback) {
    const Vec3<double> v = given ? values(*given) : fallback;
    return is_direction(desk, key, v) ? v / norm(v) : fallback;
  }
  /// Axes of a joint frame by its z axis and, if given, x axis.
  static EulerParameters<double> axes_of(Desk& desk, const std::optional<NumberVector>& axis,
                                         const std::optional<NumberVector>& x_axis) {
    const Vec3<double> z = axis ? values(*axis) : Vec3<double>{0, 0, 1};
    const Vec3<double> x = values(x_axis);
    if (!is_direction(desk, "axis", z)) { return EulerParameters<double>::identity(); }
    if (x_axis) {
      if (!is_direction(desk, "x_axis", x)) { return EulerParameters<double>::identity(); }
      if (norm(cross(x, z)) < 1e-9 * norm(x) * norm(z)) {
        desk.problem("x_axis", "x_axis lies along axis", "wanted: a direction across it");
        return EulerParameters<double>::identity();
      }
    }
    return frame_with_axis(z, x);
  }
  /// on_first, on_second: a frame in the axes of its body.
  static FrameOnBody frame_of(Desk& desk, const scenario::JointFrame& given) {
    FrameOnBody frame;
    frame.r_BF_B = values(given.point);
    if (given.axis) {
      frame.e_BF = axes_of(desk, given.axis, given.x_axis);
      if (!(given.attitude == scenario::Attitude{})) {
        for (const std::string_view key : given_keys(given.attitude)) {
          desk.unknown_key(key, {"point", "axis", "x_axis"});
        }
      }
    } else {
      if (given.x_axis) { desk.unknown_key("x_axis", {"point", "axis"}); }
      frame.e_BF = attitude_of(desk, given.attitude);
    }
    return frame;
  }

  void add_joints() {
    for (std::size_t n = 0; n < scenario_.joints.size(); ++n) {
      const scenario::Joint& joint = scenario_.joints[n];
      Desk desk = root_.inner("joints", static_cast<int>(n));
      each_copy(desk, joint.copies, joint.name,
                [&](const Vec3<double>& offset, bool copied) { add_joint(desk, joint, offset, copied); });
    }
  }

  void add_joint(Desk& desk, const scenario::Joint& given, const Vec3<double>& offset, bool copied) {
    const std::string name = new_name(desk, given.name, copied);
    const auto kind = given.kind.empty() ? std::nullopt : desk.noting("kind", [&] { return &joint_kind(given.kind); });
    constexpr BodyId kNoBody = kGround - 1;
    BodyId first = kNoBody;
    BodyId second = kNoBody;
    if (!given.bodies[0].empty() && !given.bodies[1].empty()) {
      first = find_body(desk, "bodies", given.bodies[0], true).value_or(kNoBody);
      second = find_body(desk, "bodies", given.bodies[1], true).value_or(kNoBody);
    }
    if (first != kNoBody && first == second) {
      desk.problem("bodies", fmt::format("joint '{}' joins '{}' with itself", name, named(given.bodies[0], copy_)),
                   "wanted: two different bodies");
      first = kNoBody;
    }
    // where the frames are
    FrameOnBody on_first;
    FrameOnBody on_second;
    double distance = 0;
    const bool by_frames = given.on_first || given.on_second;
    const bool rod = kind && (*kind)->parameter == "length";
    const bool screw = kind && (*kind)->parameter == "pitch";
    if (kind) {
      const std::vector<std::string_view> known{"name",   "kind",     "bodies",    "point", "axis",
                                                "x_axis", "on_first", "on_second", "start"};
      if (given.second_point && !rod && !by_frames) { desk.unknown_key("second_point", known); }
      if (given.length && !rod) { desk.unknown_key("length", known); }
      if (given.pitch && !screw) { desk.unknown_key("pitch", known); }
    }
    if (by_frames) {
      for (const auto& [key, is_given] :
           std::initializer_list<GivenKey>{{"point", given.point.has_value()},
                                           {"axis", given.axis.has_value()},
                                           {"x_axis", given.x_axis.has_value()},
                                           {"second_point", given.second_point.has_value()}}) {
        if (!is_given) { continue; }
        desk.problem(key, fmt::format("{} beside frames on the bodies", key),
                     "wanted: point and axis in space, or on_first and on_second");
      }
      for (const auto& [key, frame, to] : {std::tuple{"on_first", &given.on_first, &on_first},
                                           std::tuple{"on_second", &given.on_second, &on_second}}) {
        if (*frame) {
          Desk inner = desk.inner(key);
          *to = frame_of(inner, **frame);
        } else {
          desk.problem("", fmt::format("{} is missing in {}", key, desk.name()), "wanted: both frames");
        }
      }
    } else {
      if (!given.point) { desk.missing("point", "a list of 3 finite numbers or formulas in quotes"); }
      const Vec3<double> point = values(given.point) + offset;
      const bool needs_axis = kind && (*kind)->turns != FreeTurns::all && (*kind)->name != "weld";
      const bool slides = kind && (*kind)->slides != FreeSlides::none && (*kind)->slides != FreeSlides::sphere;
      if ((needs_axis || slides) && !given.axis) {
        desk.problem("", fmt::format("axis is missing in {}", desk.name()),
                     fmt::format("wanted: the z axis of the joint in space; {}: {}", (*kind)->name, (*kind)->summary));
      }
      const EulerParameters<double> e_NF = axes_of(desk, given.axis, given.x_axis);
      Vec3<double> second_point = point;
      if (rod) {
        if (!given.second_point) { desk.missing("second_point", "a list of 3 finite numbers or formulas in quotes"); }
        second_point = values(given.second_point) + offset;
        distance = norm(second_point - point);
        if (distance == 0 && given.second_point) {
          desk.problem("second_point", "the rod has no length: both points are the same");
        }
      }
      on_first = on_body(first, point, e_NF);
      on_second = on_body(second, second_point, e_NF);
    }
    double parameter = 0;
    if (rod) {
      if (by_frames && !given.length) { desk.missing("length", "a finite number or a formula in quotes"); }
      parameter = by_frames ? given.length.value_or(Number()).value
                            : positive(desk, "length", given.length, distance > 0 ? distance : 1);
    }
    if (screw) {
      if (!given.pitch) { desk.missing("pitch", "a finite number or a formula in quotes"); }
      parameter = given.pitch.value_or(Number()).value;
    }
    const int index = static_cast<int>(kinds_.size());
    if (kind && given.start) {
      Desk start = desk.inner("start");
      add_start(start, **kind, *given.start, index);
    }
    if (!kind || first == kNoBody || second == kNoBody) {
      // it still counts as a joint for elements that name it; its number goes to the next one
      while (!starts_.empty() && starts_.back().joint == index) { starts_.pop_back(); }
      unusable_.insert(name);
      if (is_name(name)) { unusable_joints_.emplace_back(name, kind.value_or(nullptr)); }
      return;
    }
    builder_.joint(given.kind, name, first, on_first, second, on_second, parameter);
    kinds_.push_back(*kind);
    joint_order_.push_back(name);
    joint_names_.emplace(name, index);
    joint_desks_.push_back(desk);
  }

  void add_start(Desk& desk, const JointKind& kind, const Named<Number>& start, int joint) {
    std::vector<std::string> known;
    for (const Coordinate coordinate : kind.coordinates) {
      if (!has_row(coordinate)) { continue; }
      const std::string name(to_text(coordinate));
      StartValue value{joint, coordinate, {}, {}};
      std::pair<std::string, double> unit;
      const auto one = [&](const std::string& key, std::initializer_list<std::pair<const char*, double>> units) {
        std::optional<double> found;
        for (const auto& [suffix, size] : units) {
          known.push_back(key + suffix);
          const Number* number = start.find(known.back());
          if (number == nullptr) { continue; }
          if (found) { desk.problem(known.back(), key + " is given twice"); }
          found = size * number->value;
          unit = {known.back(), size};
        }
        return found;
      };
      if (is_angle(coordinate)) {
        value.value = one(name, {{"", 1}, {"_deg", kDegree}});
        value.rate = one(name + "_rate", {{"", 1}, {"_deg", kDegree}, {"_rpm", kRpm}});
      } else {
        value.value = one(name, {{"", 1}});
        value.rate = one(name + "_rate", {{"", 1}});
      }
      if (value.rate) { rate_keys_[{joint, coordinate}] = unit; }
      if (value.value || value.rate) { starts_.push_back(value); }
    }
    for (const auto& [key, number] : start) {
      if (std::find(known.begin(), known.end(), key) != known.end()) { continue; }
      desk.unknown_key(key, {known.begin(), known.end()});
    }
  }

  void add_gravity() {
    if (!scenario_.gravity) { return; }
    const scenario::MechanismGravity& gravity = *scenario_.gravity;
    Desk desk = root_.inner("gravity");
    const std::string key =
        one_of(desk, {{"g_space", gravity.g_space.has_value()}, {"mu", gravity.mu.has_value()}}, "what attracts");
    if (key == "g_space") {
      gravity_N_ = values(gravity.g_space);
      builder_.gravity(gravity_N_);
      if (gravity.centre_space) { desk.unknown_key("centre_space", {"g_space"}); }
    }
    if (key == "mu") {
      builder_.add(CentralGravity{values(gravity.centre_space), positive(desk, "mu", gravity.mu, 1)});
    }
  }

  void add_couplings() {
    for (std::size_t n = 0; n < scenario_.couplings.size(); ++n) {
      const scenario::Coupling& given = scenario_.couplings[n];
      Desk desk = root_.inner("couplings", static_cast<int>(n));
      each_copy(desk, given.copies, given.name, [&](const Vec3<double>&, bool copied) {
        Coupling coupling;
        coupling.name = new_name(desk, given.name, copied);
        const std::array<std::string, 2> coordinates = given.coordinates.value_or(std::array<std::string, 2>{});
        if (given.joints[0].empty() || given.joints[1].empty()) { return; }
        const std::optional<int> first = find_joint(desk, "joints", given.joints[0]);
        const std::optional<int> second = find_joint(desk, "joints", given.joints[1]);
        if (!first || !second) { return; }
        const auto q1 = find_coordinate(desk, "coordinates", *first, coordinates[0]);
        const auto q2 = find_coordinate(desk, "coordinates", *second, coordinates[1]);
        if (!q1 || !q2) { return; }
        coupling.first_joint = *first;
        coupling.second_joint = *second;
        coupling.first_coordinate = *q1;
        coupling.second_coordinate = *q2;
        coupling.first_factor = given.factors[0].value;
        coupling.second_factor = given.factors[1].value;
        coupling.constant = given.constant.value_or(Number()).value;
        if (!given.constant) { coupled_as_drawn_.push_back(couplings_.size()); }
        couplings_.push_back(std::move(coupling));
      });
    }
    if (couplings_.empty()) { return; }
    // couplings that name no constant keep the one of the drawing
    const auto drawn = root_.noting("couplings", [&] { return builder_.build(); });
    if (!drawn) { return; }
    const std::vector<double> y = drawn->start();
    const auto coordinate = [&](int joint, Coordinate c) {
      const auto [first, second] = drawn->ends(y, joint);
      return joint_coordinate(c, first, second).value;
    };
    for (const std::size_t i : coupled_as_drawn_) {
      Coupling& c = couplings_[i];
      c.constant = c.first_factor * coordinate(c.first_joint, c.first_coordinate) +
                   c.second_factor * coordinate(c.second_joint, c.second_coordinate);
    }
    for (const Coupling& coupling : couplings_) { builder_.add(coupling); }
  }

  void add_rolling() {
    for (std::size_t n = 0; n < scenario_.rolling.size(); ++n) {
      const scenario::Rolling& given = scenario_.rolling[n];
      Desk desk = root_.inner("rolling", static_cast<int>(n));
      each_copy(desk, given.copies, given.name, [&](const Vec3<double>&, bool copied) {
        Rolling rolling;
        rolling.name = new_name(desk, given.name, copied);
        const std::optional<BodyId> body = find_body(desk, "body", given.body);
        rolling.axis_B = direction(desk, "axis_body", given.axis_body, {0, 0, 1});
        rolling.center_B = values(given.centre_body);
        rolling.radius = not_negative(desk, "radius", given.radius);
        rolling.edge_radius = not_negative(desk, "edge_radius", given.edge_radius);
        rolling.point_N = values(given.plane_point);
        rolling.normal_N = direction(desk, "plane_normal", given.plane_normal, {0, 0, 1});
        if (rolling.radius + rolling.edge_radius == 0) {
          desk.problem("", fmt::format("rolling '{}' has no radius", rolling.name),
                       "wanted: radius, edge_radius, or both");
          return;
        }
        if (!body) { return; }
        rolling.body = *body;
        builder_.add(std::move(rolling));
      });
    }
    for (std::size_t n = 0; n < scenario_.blades.size(); ++n) {
      const scenario::Blade& given = scenario_.blades[n];
      Desk desk = root_.inner("blades", static_cast<int>(n));
      each_copy(desk, given.copies, given.name, [&](const Vec3<double>&, bool copied) {
        Blade blade;
        blade.name = new_name(desk, given.name, copied);
        const std::optional<BodyId> body = find_body(desk, "body", given.body);
        blade.point_B = values(given.point_body);
        blade.across_B = direction(desk, "across_body", given.across_body, {0, 1, 0});
        if (!body) { return; }
        blade.body = *body;
        builder_.add(std::move(blade));
      });
    }
  }

  /// Finds what one of [[constraints]] names.
  class Binder final : public ConstraintBinder {
   public:
    Binder(Builder& builder, Desk& desk) : builder_(&builder), desk_(&desk) {}
    force::Complaints& complaints() override { return *desk_; }
    std::optional<BodyId> body(std::string_view key, const std::string& name) override {
      return builder_->find_body(*desk_, key, name);
    }
    std::optional<BodyId> body_or_ground(std::string_view key, const std::string& name) override {
      return builder_->find_body(*desk_, key, name, true);
    }
    std::optional<PointFunction> of_point(std::string_view key, std::span<const Expression> formulas,
                                          bool indexed) override {
      return builder_->point_function_of(*desk_, key, formulas, indexed);
    }

   private:
    Builder* builder_;
    Desk* desk_;
  };

  void add_constraints() {
    for (std::size_t n = 0; n < scenario_.constraints.size(); ++n) {
      const scenario::Constraining& given = scenario_.constraints[n];
      Desk desk = root_.inner("constraints", static_cast<int>(n));
      Binder binder(*this, desk);
      each_copy(desk, given.copies, given.name, [&](const Vec3<double>&, bool copied) {
        const std::string name = new_name(desk, given.name, copied);
        std::visit(
            [&](const auto& one) {
              auto made = one.build(binder);
              if (!made) { return; }
              made->name = name;
              builder_.add(std::move(*made));
            },
            given.what);
      });
    }
  }

  // ---- what acts ----------------------------------------------------------------------------------------------------

  void add_forces() {
    for (const auto& [table, list] : {std::pair{"load", &scenario_.load}, std::pair{"forces", &scenario_.forces}}) {
      for (std::size_t n = 0; n < list->size(); ++n) {
        const scenario::Acting& acting = (*list)[n];
        Desk desk = root_.inner(table, static_cast<int>(n));
        const auto add = [&](const auto& force) {
          using Kind = std::remove_cvref_t<decltype(force)>;
          if constexpr (Kind::kind.in_mechanisms) {
            each_copy(desk, acting.copies, acting.name, [&](const Vec3<double>&, bool copied) {
              kind_now_ = Kind::kind.name;
              laws_now_ = 0;
              add_force(desk, force, new_name(desk, acting.name, copied));
            });
          } else {
            desk.problem("kind", fmt::format("'{}' acts on a body that is alone", Kind::kind.name));
          }
        };
        std::visit(add, acting.what);
      }
    }
  }

  /// A law of the table that is being read; one table may make several.
  void add_law(WrenchLaw law) {
    law.kind = kind_now_;
    law.goes_on = laws_now_++ > 0;
    builder_.add(std::move(law));
  }

  /// A body as laws of room force see it; the reference point is its mass centre.
  template <class S>
  static BodyState<S> state_of(const MechanismViewOf<S>& now, BodyId body) {
    const BodyViewOf<S> view = Model::view(now.y, body);
    return {S(now.t), view.r_N, view.v_N, view.e_NB, view.w_B};
  }
  /// The body under the key "body"; nothing, and a problem noted, where there is none, or where the table has others.
  template <class Force>
  std::optional<BodyId> acted_on(Desk& desk, const Force& given) {
    Review own;
    own.during_run = !desk.at_start();
    Desk inner(own, desk.path());
    given.check(inner, force::Where::mechanism);
    desk.take(own);
    const std::optional<BodyId> body = given.body.empty() ? std::nullopt : find_body(desk, "body", given.body);
    return own.empty() ? body : std::nullopt;
  }
  template <class Force>
  static auto law_of(const Force& given) {
    return [given]<class S>(const S&) { return given.template law<S>(); };
  }
  const MassProperties& mass_of(BodyId body) const { return masses_[static_cast<std::size_t>(body)]; }
  /// A law of room force that gives a moment in body components: `law_of(S())` is it for the number type S.
  template <class LawOf>
  void add_moment_law(BodyId body, const LawOf& law_of, WorkOf work, const std::string& name) {
    add_law(
        WrenchLaw{.body = body,
                  .r_BP_B = {},
                  .in_body = true,
                  .law = [law_of, body]<class S>(
                             const MechanismViewOf<S>& now) { return PairOf<S>{law_of(S())(state_of(now, body)), {}}; },
                  .name = name,
                  .work = work,
                  .reads = Reads()});
  }

  void add_force(Desk& desk, const force::Damping& given, const std::string& name) {
    const std::optional<BodyId> body = acted_on(desk, given);
    if (body) { add_moment_law(*body, law_of(given), WorkOf::dissipated, name); }
  }
  void add_force(Desk& desk, const force::EnergySink& given, const std::string& name) {
    const std::optional<BodyId> body = acted_on(desk, given);
    if (!body) { return; }
    check_sink(desk, scenario_, given);
    add_moment_law(
        *body,
        [given, J_B = mass_of(*body).J_B, wheels_B = constant_wheels_B(scenario_, given.body)]<class S>(const S&) {
          return given.law(as<S>(J_B), as<S>(wheels_B));
        },
        WorkOf::dissipated, name);
  }
  void add_force(Desk& desk, const force::Wheel& given, const std::string& name) {
    const std::optional<BodyId> body = acted_on(desk, given);
    if (body) { add_moment_law(*body, law_of(given), WorkOf::potential, name); }
  }
  void add_force(Desk& desk, const force::ReactionWheel& given, const std::string& name) {
    const std::string& own = wheel_names_[wheels_told_++];
    if (name.empty()) { take_name(desk, own, element_names_); }
    const std::optional<BodyId> body = acted_on(desk, given);
    const std::optional<MechanismFunction> torque = function_of(desk, "motor_torque", {&given.motor_torque}, false);
    if (!body || !torque) { return; }
    ReactionWheel wheel;
    given.describe(wheel);
    wheel.name = own;
    wheel.body = *body;
    if (!desk.at_start()) { wheel.speed_at_start = 0; }  // a limit that is set later is none for the initial speed
    wheel.command = [torque = *torque]<class S>(const MechanismViewOf<S>& now) {
      S value(0);
      torque(now, std::span<S>(&value, 1));
      return value;
    };
    wheel.reads = torque->reads();
    Mat3<double>& left_B = without_wheels_.try_emplace(*body, mass_of(*body).J_B).first->second;
    left_B = carrier_inertia(left_B, std::span(&wheel, 1));
    const SymmetricEigen<double, 3> moments = symmetric_eigen(left_B);
    const double least = std::min({moments.values[0], moments.values[1], moments.values[2]});
    if (!(least > 0)) {
      desk.problem("inertia",
                   fmt::format("body '{}' without its reaction wheels has a moment of inertia of {:.3g} kg m²",
                               bodies_[static_cast<std::size_t>(*body)].name, least),
                   "wanted: above 0", "the body's inertia includes its wheels: give more to the body, or less to them");
      return;
    }
    builder_.add(std::move(wheel));
  }
  void add_force(Desk& desk, const force::OrbitGradient& given, const std::string& name) {
    const std::optional<BodyId> body = acted_on(desk, given);
    if (!body) { return; }
    const auto law = [given, J_B = mass_of(*body).J_B]<class S>(const S&) { return given.law(as<S>(J_B)); };
    add_moment_law(*body, law, WorkOf::supplied, name);
  }

  void add_force(Desk& desk, const force::MagneticDamping& given, const std::string& name) {
    const std::optional<BodyId> body = acted_on(desk, given);
    const ExpressionVector& b = given.field_space;
    const std::optional<MechanismFunction> field = function_of(desk, "field_space", {&b[0], &b[1], &b[2]}, true);
    if (!body || !field) { return; }
    add_law(
        WrenchLaw{.body = *body,
                  .r_BP_B = {},
                  .in_body = true,
                  .law =
                      [k = given.coefficient.value, field = *field, b = *body]<class S>(const MechanismViewOf<S>& now) {
                        std::array<S, 3> b_N{};
                        field(now, std::span<S>(b_N));
                        const force::MagneticDamping::Law<S> law{S(k), {{b_N[0], b_N[1], b_N[2]}, {}}};
                        return PairOf<S>{law(state_of(now, b)), {}};
                      },
                  .name = name,
                  .work = WorkOf::dissipated,
                  .reads = field->reads()});
  }

  void add_force(Desk& desk, const force::Moment& given, const std::string& name) {
    force::Force both;
    both.body = given.body;
    both.moment_body = given.moment_body;
    both.moment_space = given.moment_space;
    if (!acted_on(desk, given)) { return; }
    add_force(desk, both, name);
  }

  /// On one body, or on all.
  void add_force(Desk& desk, const force::Gravity& given, const std::string& name) {
    const std::optional<BodyId> body = acted_on(desk, given);
    const Vec3<double> g_N = values(given.g_space);
    if (given.body.empty()) {
      gravity_N_ += g_N;
      builder_.gravity(gravity_N_);
    }
    if (!body) { return; }
    const force::Gravity::Law<double> law{mass_of(*body).mass, g_N, {}};
    add_law(WrenchLaw{
        .body = *body,
        .r_BP_B = {},
        .in_body = false,
        .law = [f_N = law.mass * g_N]<class S>(const MechanismViewOf<S>&) { return PairOf<S>{{}, as<S>(f_N)}; },
        .name = name,
        .work = WorkOf::potential,
        .potential = [law, b = *body](const MechanismView& now) { return law.potential(state_of(now, b)); },
        .reads = Reads()});
  }
  void add_force(Desk& desk, const force::CentralGravity& given, const std::string& name) {
    const std::optional<BodyId> body = acted_on(desk, given);
    if (given.body.empty()) { builder_.add(CentralGravity{values(given.centre_space), given.mu.value}); }
    if (!body) { return; }
    const force::CentralGravity::Law<double> law = given.law(mass_of(*body).mass, mass_of(*body).J_B);
    const auto at = [](const auto& now, BodyId b, const auto& use) {
      const auto view = Model::view(now.y, b);
      return use(view.r_N, rotation_matrix(view.e_NB));
    };
    const auto law_for = [given, mass = mass_of(*body)]<class S>(const S&) {
      return given.law(S(mass.mass), as<S>(mass.J_B));
    };
    add_law(WrenchLaw{.body = *body,
                      .r_BP_B = {},
                      .in_body = false,
                      .law =
                          [law_for, at, b = *body]<class S>(const MechanismViewOf<S>& now) {
                            const auto pull = at(now, b, law_for(S()));
                            return PairOf<S>{pull.moment_N, pull.force_N};
                          },
                      .name = name,
                      .work = WorkOf::potential,
                      .potential =
                          [law, at, b = *body](const MechanismView& now) {
                            return at(now, b,
                                      [&](const auto& r_N, const auto& R_NB) { return law.potential(r_N, R_NB); });
                          },
                      .reads = Reads()});
  }

  /// Two different bodies by their names; ground may be one.
  std::optional<std::pair<BodyId, BodyId>> two_bodies(Desk& desk, const std::array<std::string, 2>& names,
                                                      std::string_view what) {
    if (names[0].empty() || names[1].empty()) { return {}; }
    const std::optional<BodyId> first = find_body(desk, "bodies", names[0], true);
    const std::optional<BodyId> second = find_body(desk, "bodies", names[1], true);
    if (!first || !second) { return {}; }
    if (*first == *second) {
      desk.problem("bodies", fmt::format("a {} between '{}' and itself", what, names[0]),
                   "wanted: two different bodies");
      return {};
    }
    return std::pair{*first, *second};
  }

  /// The key "wrap" of forces on an angle: notes where there are no whole turns to leave out.
  static void check_wrap(Desk& desk, bool wrap, const std::optional<JointCoordinate>& which) {
    if (!wrap || !which || counts_turns(which->coordinate)) { return; }
    desk.problem("wrap", fmt::format("'{}' has no whole turns", to_text(which->coordinate)),
                 "wanted: wrap with a turn, cross_x or cross_y", "leave it out");
  }

  void add_force(Desk& desk, const force::Spring& given, const std::string& name) {
    given.check(desk, force::Where::mechanism);
    const auto number = [](const std::optional<Number>& one) { return one.value_or(Number()).value; };
    Spring spring;
    spring.name = name;
    if (!given.body.empty()) {
      const std::optional<BodyId> body = find_body(desk, "body", given.body);
      if (!body) { return; }
      spring.on_first_B = values(given.anchor_space);
      spring.second = *body;
      spring.on_second_B = values(given.at_body);
      spring.stiffness = number(given.stiffness);
      spring.damping = number(given.damping);
      spring.free_length = number(given.length);
      builder_.add(spring);
      return;
    }
    if (!given.bodies) { return; }
    spring.on_first_B = values(given.first_point);
    spring.on_second_B = values(given.second_point);
    spring.stiffness = number(given.stiffness);
    spring.damping = number(given.damping);
    spring.free_length = number(given.free_length);
    spring.force = number(given.pull);
    const auto bodies = two_bodies(desk, *given.bodies, "spring");
    if (!bodies) { return; }
    std::tie(spring.first, spring.second) = *bodies;
    builder_.add(spring);
  }

  void add_force(Desk& desk, const force::JointSpring& given, const std::string& name) {
    JointSpring spring;
    spring.name = name;
    spring.stiffness = not_negative(desk, "stiffness", given.stiffness);
    spring.damping = not_negative(desk, "damping", given.damping);
    spring.zero = given.zero_deg ? kDegree * given.zero_deg->value : given.zero.value_or(Number()).value;
    if (given.zero_deg && given.zero) { desk.problem("zero", "both zero and zero_deg"); }
    const std::optional<JointCoordinate> which = find_joint_coordinate(desk, given.on.joint, given.on.coordinate);
    spring.wrap = given.wrap;
    check_wrap(desk, given.wrap, which);
    if (!which) { return; }
    spring.joint = which->joint;
    spring.coordinate = which->coordinate;
    builder_.add(spring);
  }

  void add_force(Desk& desk, const force::Motor& given, const std::string& name) {
    const double stiffness = not_negative(desk, "stiffness", given.stiffness);
    const double damping = not_negative(desk, "damping", given.damping);
    const double limit = given.limit ? not_negative(desk, "limit", *given.limit) : HUGE_VAL;
    const bool degrees = given.target_deg.has_value();
    if (degrees && given.target) { desk.problem("target", "both target and target_deg"); }
    const char* key = degrees ? "target_deg" : "target";
    if (!degrees && !given.target) { desk.missing("target", "a finite number or a formula in quotes"); }
    const std::optional<JointCoordinate> which = find_joint_coordinate(desk, given.on.joint, given.on.coordinate);
    check_wrap(desk, given.wrap, which);
    if (!which || (!degrees && !given.target)) { return; }
    // the target's own rate is exact: a formula of time is differentiated, a number stands still
    const std::optional<TimeFunction> target = time_function_of(desk, key, degrees ? *given.target_deg : *given.target);
    if (!target) { return; }
    const double unit = degrees ? kDegree : 1;
    if (!given.wrap && stiffness > 0) { builder_.count_turns(which->joint, which->coordinate); }
    const bool without_turns = given.wrap && counts_turns(which->coordinate);
    const auto Q = [=, target = *target]<class S>(const MechanismViewOf<S>& now, const CoordinateValueOf<S>& q) {
      const std::array<double, 3> wanted = target(now.t);
      S off = S(unit * wanted[0]) - q.value;
      if (without_turns) {
        const double in_a_turn = std::remainder(value_of(off), 2 * math::kPi<double>);
        off = S(in_a_turn) + (off - S(value_of(off)));
      }
      const S asked = S(stiffness) * off + S(damping) * (S(unit * wanted[1]) - q.rate);
      return value_of(asked) > limit ? S(limit) : value_of(asked) < -limit ? S(-limit) : asked;
    };
    builder_.add(JointLaw{which->joint, which->coordinate, Q, name, Reads()});
  }

  void add_force(Desk& desk, const force::JointForce& given, const std::string& name) {
    const std::optional<MechanismFunction> law = function_of(desk, "force", {&given.force}, false);
    const std::optional<JointCoordinate> which = find_joint_coordinate(desk, given.on.joint, given.on.coordinate);
    if (!which || !law) { return; }
    const auto Q = [law = *law]<class S>(const MechanismViewOf<S>& now, const CoordinateValueOf<S>&) {
      S value(0);
      law(now, std::span<S>(&value, 1));
      return value;
    };
    builder_.add(JointLaw{which->joint, which->coordinate, Q, name, law->reads()});
  }

  void add_force(Desk& desk, const force::JointStop& given, const std::string& name) {
    JointLimit limit;
    limit.name = name;
    const auto bound = [&](const std::string& key, const std::optional<Number>& plain,
                           const std::optional<Number>& degrees, double& to) {
      if (plain && degrees) { desk.problem(key, "both " + key + " and " + key + "_deg"); }
      if (plain) { to = plain->value; }
      if (degrees) { to = kDegree * degrees->value; }
      return plain || degrees;
    };
    const bool lower = bound("lower", given.lower, given.lower_deg, limit.lower);
    const bool upper = bound("upper", given.upper, given.upper_deg, limit.upper);
    limit.stiffness = not_negative(desk, "stiffness", given.stiffness);
    limit.damping = not_negative(desk, "damping", given.damping);
    limit.softness = given.softness.value;
    const std::optional<JointCoordinate> which = find_joint_coordinate(desk, given.on.joint, given.on.coordinate);
    limit.wrap = given.wrap;
    check_wrap(desk, given.wrap, which);
    if (!lower && !upper) { desk.problem("", "a stop without a bound", "wanted: lower, upper, or both"); }
    if (limit.lower >= limit.upper) { desk.problem("upper", "upper is not above lower"); }
    if (!(limit.softness > 0)) { desk.problem("softness", "softness is not above 0"); }
    if (!which) { return; }
    limit.joint = which->joint;
    limit.coordinate = which->coordinate;
    builder_.add(limit);
  }

  void add_force(Desk& desk, const force::JointFriction& given, const std::string& name) {
    JointFriction friction;
    friction.name = name;
    friction.dry = not_negative(desk, "dry", given.dry);
    friction.viscous = not_negative(desk, "viscous", given.viscous);
    friction.velocity = given.velocity.value;
    const std::optional<JointCoordinate> which = find_joint_coordinate(desk, given.on.joint, given.on.coordinate);
    if (!(friction.velocity > 0)) { desk.problem("velocity", "velocity is not above 0"); }
    if (!which) { return; }
    friction.joint = which->joint;
    friction.coordinate = which->coordinate;
    builder_.add(friction);
  }

  void add_force(Desk& desk, const force::Bushing& given, const std::string& name) {
    Bushing bushing;
    bushing.name = name;
    const auto diagonal = [&](const char* key, const std::array<Number, 6>& numbers, Matrix<double, 6, 6>& to) {
      for (std::size_t i = 0; i < 6; ++i) {
        to(i, i) = numbers[i].value;
        if (numbers[i].value < 0) { desk.problem(key, "a negative entry", "wanted: 0 or more"); }
      }
    };
    diagonal("stiffness", given.stiffness, bushing.stiffness);
    if (given.damping) { diagonal("damping", *given.damping, bushing.damping); }
    bushing.on_first.r_BF_B = values(given.first_point);
    bushing.on_second.r_BF_B = values(given.second_point);
    const auto bodies = two_bodies(desk, given.bodies, "bushing");
    if (!bodies) { return; }
    std::tie(bushing.first, bushing.second) = *bodies;
    builder_.add(bushing);
  }

  void add_force(Desk& desk, const force::Drag& given, const std::string& name) {
    Drag drag;
    drag.name = name;
    drag.linear = given.linear.value;
    drag.quadratic = given.quadratic.value;
    drag.r_BP_B = values(given.at_body);
    drag.medium_N = values(given.medium_space);
    const std::optional<BodyId> body = acted_on(desk, given);
    if (!body) { return; }
    drag.body = *body;
    builder_.add(drag);
  }

  void add_force(Desk& desk, const force::Force& given, const std::string& name) {
    const std::optional<BodyId> body = acted_on(desk, given);
    for (const auto& [key, expressions] :
         {std::pair{"force_space", &given.force_space}, std::pair{"force_body", &given.force_body},
          std::pair{"moment_space", &given.moment_space}, std::pair{"moment_body", &given.moment_body}}) {
      if (!*expressions) { continue; }
      const ExpressionVector& v = **expressions;
      const std::optional<MechanismFunction> three = function_of(desk, key, {&v[0], &v[1], &v[2]}, true);
      if (!body || !three) { continue; }
      const bool is_force = std::string_view(key).starts_with("force");
      WrenchLaw law{
          .body = *body, .r_BP_B = {}, .in_body = std::string_view(key).ends_with("_body"), .law = {}, .name = name};
      if (is_force && given.at_body) { law.r_BP_B = values(*given.at_body); }
      law.law = [three = *three, is_force]<class S>(const MechanismViewOf<S>& now) {
        std::array<S, 3> numbers{};
        three(now, std::span<S>(numbers));
        const Vec3<S> value{numbers[0], numbers[1], numbers[2]};
        return is_force ? PairOf<S>{{}, value} : PairOf<S>{value, {}};
      };
      law.reads = three->reads();
      add_law(std::move(law));
    }
  }

  void add_force(Desk& desk, const force::Code& given, const std::string& name) {
    given.check(desk, force::Where::mechanism);
    const bool bound = check_code(desk, given, parts_->laws);
    const std::optional<BodyId> body = given.body.empty() ? std::nullopt : find_body(desk, "body", given.body);
    if (!body || !bound) { return; }
    result_.plan.opaque_laws.push_back(given.law);
    WrenchLaw law{.body = *body, .r_BP_B = {}, .in_body = false, .law = {}, .name = name};
    law.reads = Reads();
    law.law = [code = *parts_->laws.find(given.law), b = *body](const MechanismView& now) {
      const BodyView view = Model::view(now.y, b);
      const force::BodyWrench<double> wrench = code({now.t, view.r_N, view.v_N, view.e_NB, view.w_B});
      return Pair{rotate(view.e_NB, wrench.moment_B), wrench.force_N};
    };
    add_law(std::move(law));
  }

  void add_drivers() {
    std::map<std::pair<int, Coordinate>, std::string> driven;
    std::map<std::pair<int, Coordinate>, std::size_t> start_of_coordinate;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      start_of_coordinate.emplace(std::pair{starts_[i].joint, starts_[i].coordinate}, i);
    }
    for (std::size_t n = 0; n < scenario_.drivers.size(); ++n) {
      const scenario::Driver& given = scenario_.drivers[n];
      Desk desk = root_.inner("drivers", static_cast<int>(n));
      each_copy(desk, given.copies, given.name, [&](const Vec3<double>&, bool copied) {
        add_driver(desk, given, copied, driven, start_of_coordinate);
      });
    }
  }

  void add_driver(Desk& desk, const scenario::Driver& given, bool copied,
                  std::map<std::pair<int, Coordinate>, std::string>& driven,
                  const std::map<std::pair<int, Coordinate>, std::size_t>& start_of_coordinate) {
    Driver driver;
    driver.name = new_name(desk, given.name, copied);
    const std::array<std::pair<const char*, const std::optional<Expression>*>, 5> ways{{{"value", &given.value},
                                                                                        {"value_deg", &given.value_deg},
                                                                                        {"rate", &given.rate},
                                                                                        {"rate_deg", &given.rate_deg},
                                                                                        {"rate_rpm", &given.rate_rpm}}};
    std::vector<GivenKey> keys;
    keys.reserve(ways.size());
    for (const auto& [way, expression] : ways) { keys.emplace_back(way, expression->has_value()); }
    const std::string key = one_of(desk, keys, "what is driven");
    const bool by_rate = key.starts_with("rate");
    const double unit = key.ends_with("_deg") ? kDegree : key.ends_with("_rpm") ? kRpm : 1;
    std::optional<TimeFunction> law;
    for (const auto& [way, expression] : ways) {
      if (way != key) { continue; }
      law = time_function_of(desk, key, **expression);
      driver.formula = (*expression)->formula;
    }
    const std::optional<JointCoordinate> which = find_joint_coordinate(desk, given.on.joint, given.on.coordinate);
    if (!which || !law) { return; }
    const int joint = which->joint;
    const Coordinate coordinate = which->coordinate;
    if (unit != 1 && !is_angle(coordinate)) {
      desk.problem(key, fmt::format("{} for a slide", key), "wanted: value in m, or rate in m/s");
    }
    const auto [before, is_new] = driven.emplace(std::pair{joint, coordinate}, driver.name);
    if (!is_new) {
      desk.problem("joint", fmt::format("drivers '{}' and '{}' drive the same coordinate", before->second, driver.name),
                   {}, "remove one");
      return;
    }
    driver.joint = joint;
    driver.coordinate = coordinate;
    StartValue start{joint, coordinate, {}, {}, true};
    if (by_rate && law->has_formula()) {
      // a rate given as a formula has no use for its second derivative
      driver.of_rate = true;
      driver.law = [law = *law, unit](double t) {
        const std::array<double, 3> q = law(t);
        return std::array<double, 3>{0, unit * q[0], unit * q[1]};
      };
      const std::array<double, 3> q = driver.law(0);
      if (!std::isfinite(q[1]) || !std::isfinite(q[2])) {
        desk.problem(key, fmt::format("rate or acceleration at t = 0 is not finite ({:g}, {:g})", q[1], q[2]),
                     "wanted: a law that can be differentiated");
        return;
      }
      start.rate = q[1];
    } else if (by_rate) {
      // from where the joint starts
      const auto from = std::make_shared<double>(0);
      const double rate = unit * (*law)(0)[0];
      driver.law = [from, rate](double t) { return std::array<double, 3>{*from + rate * t, rate, 0}; };
      start.rate = rate;
      driven_from_start_.emplace_back(start, from);
    } else {
      driver.law = [law = *law, unit](double t) {
        std::array<double, 3> q = law(t);
        for (double& x : q) { x *= unit; }
        return q;
      };
      const std::array<double, 3> q = driver.law(0);
      if (!std::isfinite(q[0]) || !std::isfinite(q[1]) || !std::isfinite(q[2])) {
        // the sign of a NaN means nothing
        const auto shown = [](double x) { return std::isnan(x) ? std::fabs(x) : x; };
        desk.problem(key,
                     fmt::format("value, rate or acceleration at t = 0 is not finite ({:g}, {:g}, {:g})", shown(q[0]),
                                 shown(q[1]), shown(q[2])),
                     "wanted: a law that can be differentiated twice");
        return;
      }
      start.value = q[0];
      start.rate = q[1];
    }
    const auto own = start_of_coordinate.find({joint, coordinate});
    if (own != start_of_coordinate.end()) {
      const StartValue& other = starts_[own->second];
      if ((other.value && start.value) || (other.rate && start.rate)) {
        desk.problem("joint",
                     fmt::format("joint '{}' has a start of its own for what driver '{}' says",
                                 joint_order_[static_cast<std::size_t>(joint)], driver.name),
                     {}, "remove it from start");
      }
    }
    driver_starts_.push_back(start);
    builder_.add(std::move(driver));
  }

  // ---- events -------------------------------------------------------------------------------------------------------

  void add_events() {
    if (too_many_events(root_, scenario_)) { return; }
    for (std::size_t n = 0; n < scenario_.event.size(); ++n) {
      const scenario::Event& given = scenario_.event[n];
      Desk desk = root_.inner("event", static_cast<int>(n));
      desk.only(given, {"name", "formula", "joint", "coordinate", "value", "value_deg", "direction", "action", "body",
                        "impulse_body", "impulse_space", "set"});
      simulation::MechanismEvent event;
      plan_event_head(desk, given, event);
      plan_function(desk, given, event);
      if (given.action == "stop") {
        event.action = simulation::Action::stop;
      } else if (given.action == "set") {
        event.action = simulation::Action::change;
        event.set = changes_of(desk, given, parts_->blueprint);
      } else if (given.action == "impulse") {
        event.action = simulation::Action::change;
        const std::string key = one_of(
            desk,
            {{"impulse_body", given.impulse_body.has_value()}, {"impulse_space", given.impulse_space.has_value()}},
            "the impulse");
        if (given.body.empty()) { desk.missing("body", "text"); }
        const std::optional<BodyId> body = given.body.empty() ? std::nullopt : find_body(desk, "body", given.body);
        if (key.empty() || !body) { continue; }
        const bool in_space = key == "impulse_space";
        const Vec3<double> impulse = values(in_space ? given.impulse_space : given.impulse_body);
        // an angular impulse; what joints make of it is the projection that follows, weighed by mass
        event.change = [impulse, in_space, b = *body](const Model& model, double, std::span<double> y) {
          BodyView hit = Model::view(y, b);
          // wheels inside keep their momenta
          hit.w_B += inverse(model.carrier_J_B(b)) * (in_space ? rotate_back(hit.e_NB, impulse) : impulse);
          Model::set(y, b, hit);
        };
      } else if (given.action != "record") {
        desk.problem("action", unknown_name("action", given.action, {"record", "stop", "impulse", "set"}));
      }
      if (event.function) { result_.plan.events.push_back(std::move(event)); }
    }
  }

  void plan_function(Desk& desk, const scenario::Event& given, simulation::MechanismEvent& event) {
    const std::string key = one_of(desk, {{"formula", given.formula.has_value()}, {"joint", given.joint.has_value()}},
                                   "what is looked for");
    if (key == "formula") {
      for (const auto& [other, is_given] :
           std::initializer_list<GivenKey>{{"coordinate", !given.coordinate.empty()},
                                           {"value", given.value.has_value()},
                                           {"value_deg", given.value_deg.has_value()}}) {
        if (is_given) { desk.unknown_key(other, {"name", "formula", "joint", "direction", "action"}); }
      }
      if (given.formula->formula.empty()) {
        desk.problem("formula", "a plain number never changes its sign");
        return;
      }
      const std::optional<MechanismFunction> function = function_of(desk, key, {&*given.formula}, false);
      if (!function) { return; }
      auto zeros = std::make_shared<std::vector<formula::LawInTime>>(
          1, formula::LawInTime("event '" + event.name + "'", function->function(),
                                [this](const formula::Input& input) { return !names_->source(input.id).has_value(); }));
      zeros->front().watches_sign = true;
      if (zeros->front().is_of_time_alone()) {
        event.in_time = std::move(zeros);
      } else {
        event.in_state = std::make_shared<const formula::LawOfState>(
            zeros->front().name, function->function(),
            [this](const formula::Input& input) { return !names_->source(input.id).has_value(); }, true);
        event.look = look_of(*function);
      }
      event.function = [f = *function](const MechanismView& now) {
        double value = 0;
        f(now, std::span(&value, 1));
        return value;
      };
    }
    if (key == "joint") {
      const std::optional<JointCoordinate> which = find_joint_coordinate(desk, *given.joint, given.coordinate);
      if (!which) { return; }
      const bool angle = is_angle(which->coordinate);
      if (!angle && given.value_deg) { desk.unknown_key("value_deg", {"value"}); }
      if (!angle && !given.value) { desk.missing("value", "a finite number or a formula in quotes"); }
      const double value =
          angle ? angle_of(desk, "value", given.value, given.value_deg) : given.value.value_or(Number()).value;
      const auto q = [which = *which, value](const MechanismView& now) {
        const auto [first, second] = now.model.ends(now.y, which.joint);
        return joint_coordinate(which.coordinate, first, second).value - value;
      };
      event.function = [q, angle](const MechanismView& now) { return angle ? math::sin(q(now)) : q(now); };
      // an angle passes its value once a turn: the sine has no jump at half a turn, but a zero there that is not meant
      if (angle) {
        event.counts = [q](const MechanismView& now) { return math::cos(q(now)) > 0; };
      }
    }
  }

  // ---- run ----------------------------------------------------------------------------------------------------------

  /// What [run] of mechanisms alone has: velocities to solve for, which derivative of the joints' constraints their
  /// forces follow, and whether given velocities may be changed.
  void plan_run_of_mechanism(Desk& desk, const scenario::Run& run) {
    simulation::MechanismPlan& plan = result_.plan;
    desk.only(run, {"duration", "output_interval", "integrator", "formulation", "step", "tolerance", "max_step",
                    "projection", "accuracy", "position_accuracy", "checkpoint_rows", "adjust_velocities", "jacobian"});
    plan.formulation = run.formulation.value_or(plan.formulation);
    if (plan.formulation != simulation::kNewtonEuler) {
      std::vector<std::string_view> known{simulation::kNewtonEuler};
      for (const EulerForm& form : euler_forms()) { known.push_back(form.name); }
      if (std::find(known.begin(), known.end(), plan.formulation) == known.end()) {
        desk.problem("formulation", unknown_name("formulation of mechanisms", plan.formulation, known));
        plan.formulation = simulation::kNewtonEuler;
      }
    }
    const std::string& jacobian = run.jacobian;
    if (jacobian != "rate" && jacobian != "raw") {
      desk.problem("jacobian", unknown_name("jacobian", jacobian, {"rate", "raw"}));
    }
    plan.jacobian = jacobian == "raw" ? JointJacobian::raw : JointJacobian::through_rate;
    if (jacobian == "raw" && plan.formulation == simulation::kNewtonEuler) {
      desk.problem("jacobian", "Newton-Euler velocities have no raw Jacobian",
                   "wanted: formulation = \"f5\", or another");
    }
    for (const auto& [table, given] :
         std::initializer_list<GivenKey>{{"couplings", !scenario_.couplings.empty()},
                                         {"drivers", !scenario_.drivers.empty()},
                                         {"rolling", !scenario_.rolling.empty()},
                                         {"blades", !scenario_.blades.empty()},
                                         {"constraints", !scenario_.constraints.empty()}}) {
      if (jacobian != "raw" || !given) { continue; }
      desk.problem("jacobian", fmt::format("the raw Jacobian knows joints only, and there are {}", table),
                   "wanted: jacobian = \"rate\"");
    }
    if (plan.formulation != simulation::kNewtonEuler && plan.projection == ProjectionUse::none) {
      desk.problem("formulation", "a form with Euler parameters holds |e| = 1 and the joints for accelerations only",
                   "wanted: projection = \"every_step\"", "and a method such as \"dop853\"");
    }
  }

  void plan_output_of_mechanism(Desk& desk, const scenario::Output& output) {
    simulation::MechanismPlan& plan = result_.plan;
    plan_output(desk, output, scenario_.run, plan);
    for (std::size_t i = 0; i < output.points.size(); ++i) {
      const scenario::OutputPoint& point = output.points[i];
      Desk inner = desk.inner("points", static_cast<int>(i));
      if (!point.name.empty()) { take_name(inner, point.name, element_names_); }
      if (point.body.empty()) {
        if (bodies_.size() != 1) { inner.missing("body", "text"); }
        plan.output.points.push_back({point.name, 0, values(point.at_body)});
        continue;
      }
      const std::optional<BodyId> body = find_body(inner, "body", point.body);
      plan.output.points.push_back({point.name, body.value_or(0), values(point.at_body)});
    }
  }

  /// Angles that are to be handed out with their whole turns are counted.
  void count_for(const simulation::OutputPlan& output) {
    if (output.has_default_columns()) { return; }
    for (std::size_t j = 0; j < kinds_.size(); ++j) {
      for (const Coordinate coordinate : kinds_[j]->coordinates) {
        const std::string column = simulation::unwrapped_column(joint_order_[j], coordinate);
        if (counts_turns(coordinate) && simulation::asks_for(output, column, "turns")) {
          counted_.push_back({static_cast<int>(j), coordinate});
        }
      }
    }
  }

  /// The model, its initial state, and what had to be moved or changed for it.
  void finish() {
    std::map<std::pair<int, Coordinate>, std::size_t> index_of_coordinate;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      index_of_coordinate.emplace(std::pair{starts_[i].joint, starts_[i].coordinate}, i);
    }
    for (const StartValue& start : driver_starts_) {
      // one entry a coordinate: what a driver says joins what the file asks for
      const auto [found, is_new] =
          index_of_coordinate.emplace(std::pair{start.joint, start.coordinate}, starts_.size());
      if (is_new) {
        starts_.push_back(start);
      } else {
        StartValue& same = starts_[found->second];
        if (start.value) { same.value = start.value; }
        if (start.rate) {
          same.rate = start.rate;
          same.driven = true;
        }
      }
    }
    for (const CountedAngle& angle : counted_) { builder_.count_turns(angle.joint, angle.coordinate); }
    const auto model = root_.noting("joints", [&] { return std::make_shared<const Model>(builder_.build()); });
    if (!model) { return; }
    result_.plan.model = *model;
    const simulation::FloatingGroups floating(**model);
    for (std::size_t i = 0; i < given_poses_.size(); ++i) {
      if (floating.with(given_poses_[i].body).empty()) {
        given_pose_desks_[i].problem("",
                                     fmt::format("joints hold body '{}' to the ground: its pose follows from them",
                                                 bodies_[static_cast<std::size_t>(given_poses_[i].body)].name),
                                     {}, "give start to a joint instead");
        return;
      }
    }
    std::vector<simulation::GivenVelocity> velocities;
    velocities.reserve(bodies_.size());
    for (const BodyStarts& body : bodies_) { velocities.push_back(body.velocity); }
    const auto assembly =
        root_.noting("joints", [&] { return simulation::assemble(bare_, starts_, given_poses_, velocities); });
    if (!assembly) { return; }
    if (!assembly->failure.empty()) {
      Desk& where = assembly->open_joint >= 0 ? joint_desks_[static_cast<std::size_t>(assembly->open_joint)] : root_;
      where.problem(assembly->open_joint >= 0 ? "name" : "joints",
                    "the mechanism cannot be assembled: " + assembly->failure, {},
                    "move its points, lengths or start so that the loop can close");
      return;
    }
    result_.plan.start = assembly->y;
    result_.plan.start.resize((*model)->state_size());
    for (std::size_t w = 0; w < (*model)->wheel_count(); ++w) {
      (*model)->set_wheel_speed(result_.plan.start, w, (*model)->wheels()[w].speed_at_start);
    }
    // whole turns that the file gives a start count
    for (const CountedAngle& angle : (*model)->counted()) {
      double& turn = result_.plan.start_turns.emplace_back(0);
      for (const StartValue& start : starts_) {
        if (start.joint == angle.joint && start.coordinate == angle.coordinate && start.value) { turn = *start.value; }
      }
    }
    look_at_velocities(*assembly);
    for (auto& [start, from] : driven_from_start_) {
      const auto [first, second] = (*model)->ends(assembly->y, start.joint);
      *from = joint_coordinate(start.coordinate, first, second).value;
    }
    const double small = 1e-9 * (*model)->length();
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const auto& move = assembly->closing[b];
      if (move.distance > small || move.angle > 1e-9) {
        result_.closing.push_back(fmt::format("body '{}' was moved by {:.3g} m and turned by {:.3g} rad",
                                              bodies_[b].name, move.distance, move.angle));
      }
    }
    Scratch scratch(**model);
    const Residuals left = residuals(**model, 0, assembly->y, scratch);
    if (!(left.position <= 1e-9 * (*model)->length())) {
      root_.problem("joints", "the mechanism cannot be assembled: " + simulation::widest_gap(**model, 0, assembly->y));
    }
  }

  /// Rates of Euler angles belong to the angles beside them; what was given and could not be kept is told, or refused.
  void look_at_velocities(const simulation::Assembly& assembly) {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      if (bodies_[b].rate_key != "euler") { continue; }
      const EulerParameters<double> e_NB = Model::view(assembly.y, static_cast<BodyId>(b)).e_NB;
      const EulerParameters<double> turn = conjugate(bodies_[b].start.e_NB) * e_NB;
      if (norm(turn.ev) < kSameAttitude * std::fabs(turn.e0)) { continue; }
      bodies_[b].desk.problem(
          "euler",
          fmt::format("body '{}' is drawn in one attitude and starts in another: rates of its drawn angles do "
                      "not say how it turns",
                      bodies_[b].name),
          {}, "give w_body or w_space instead of rates");
    }
    double most = 0;
    for (const simulation::Assembly::Change& change : assembly.changes) { most = std::max(most, change.speed); }
    const bool refused = most > kRoundedDigits * assembly.largest_speed && !scenario_.run->adjust_velocities;
    for (const simulation::Assembly::Change& change : assembly.changes) {
      AdjustedVelocity adjusted;
      Desk* table = nullptr;
      double unit = 1;
      if (change.of == simulation::Assembly::Change::Of::coordinate) {
        const StartValue& start = starts_[change.index];
        adjusted.of_joint = true;
        adjusted.name = joint_order_[static_cast<std::size_t>(start.joint)];
        table = &joint_desks_[static_cast<std::size_t>(start.joint)];
        std::tie(adjusted.key, unit) = rate_keys_.at({start.joint, start.coordinate});
        adjusted.given = {change.given.x / unit};
        adjusted.used = {change.used.x / unit};
      } else {
        BodyStarts& body = bodies_[change.index];
        adjusted.name = body.name;
        table = &body.desk;
        const bool rate = change.of == simulation::Assembly::Change::Of::rate;
        // rates of Euler angles are told as the angular velocity that they are
        adjusted.key = !rate ? "velocity" : body.rate_key == "euler" ? "w_body" : body.rate_key;
        unit = rate ? body.rate_unit : 1;
        for (std::size_t k = 0; k < 3; ++k) {
          adjusted.given.push_back(change.given[k] / unit);
          adjusted.used.push_back(change.used[k] / unit);
        }
      }
      // a component that is rounding beside the others is written as zero
      double size = 0;
      for (const double x : adjusted.used) { size = std::max(size, std::fabs(x)); }
      for (double& x : adjusted.used) {
        if (std::fabs(x) < 1e-15 * size) { x = 0; }
      }
      if (refused) {
        table->problem(
            adjusted.of_joint ? "start" : adjusted.key,
            fmt::format("{} of {} '{}', {}, contradicts the joints by {:.3g} m/s, the largest speed being "
                        "{:.3g} m/s",
                        adjusted.key, adjusted.of_joint ? "joint" : "body", adjusted.name, listed(adjusted.given),
                        change.speed, assembly.largest_speed),
            fmt::format("nearest allowed: {}", listed(adjusted.used)),
            "give what the joints allow, leave out what follows from them, or set adjust_velocities = true in "
            "[run]");
      } else {
        result_.adjusted.push_back(std::move(adjusted));
      }
    }
  }

  std::shared_ptr<const CompiledParts> parts_;
  Review* review_;
  Desk root_;
  polhode::Scenario scenario_;  ///< every number with its value
  std::string_view kind_now_;   ///< of what acts, while it is being read
  int laws_now_ = 0;            ///< that its table has made so far
  std::shared_ptr<const FewNames> time_names_;
  std::shared_ptr<const FewNames> point_names_;
  std::shared_ptr<const MechanismNames> names_;
  MechanismScenario result_;
  MeshShelf meshes_;
  ModelBuilder builder_;
  ModelBuilder bare_;                             ///< without forces and drivers
  int copy_ = 1;                                  ///< what {i} stands for
  std::vector<double> copies_;                    ///< of each table so far
  std::string structure_;                         ///< of bodies and joints: the copies of each
  bool acts_ = false;                             ///< formulas of what acts are being bound
  std::vector<formula::LawInTime> in_time_;       ///< these, where they look at time
  std::vector<formula::LawOfState> of_state_;     ///< these, where they look at the state and may do something unseen
  std::vector<simulation::MechanismLook> looks_;  ///< of these
  bool keep_formulas_ = false;  ///< bodies and joints are right: their names are those of other instances too
  std::set<std::string> element_names_;
  /// Names of elements that are there but cannot be built, and beginnings of names whose copies were not counted right:
  /// what refers to them is not at fault.
  std::set<std::string> unusable_;
  std::vector<std::string> uncounted_;
  std::vector<MechanismNames::NamedJoint> unusable_joints_;
  int unknown_names_ = 0;  ///< told so far
  std::map<std::string, BodyId> body_names_;
  std::map<std::string, int> joint_names_;
  std::vector<std::string> joint_order_;
  std::vector<const JointKind*> kinds_;
  std::vector<Desk> joint_desks_;
  std::vector<BodyStarts> bodies_;
  std::vector<MassProperties> masses_;
  std::vector<std::string> wheel_names_;           ///< of all reaction wheels
  std::size_t wheels_told_ = 0;                    ///< how many of them have been looked at
  std::map<BodyId, Mat3<double>> without_wheels_;  ///< inertia of bodies that have wheels, less these
  Vec3<double> gravity_N_{};
  std::vector<StartValue> starts_;
  std::vector<simulation::GivenPose> given_poses_;
  std::vector<Desk> given_pose_desks_;
  std::vector<StartValue> driver_starts_;
  std::vector<CountedAngle> counted_;  ///< angles that formulas look at with their whole turns
  std::map<std::pair<int, Coordinate>, std::pair<std::string, double>> rate_keys_;  ///< of starts: key and its unit
  std::vector<std::pair<StartValue, std::shared_ptr<double>>> driven_from_start_;
  std::vector<Coupling> couplings_;
  std::vector<std::size_t> coupled_as_drawn_;
};

}  // namespace

MechanismScenario mechanism_of(const std::shared_ptr<const CompiledParts>& parts, const ParameterValues& values,
                               Review& review) {
  return Builder(parts, parts->blueprint.parameters(values, review), review).build(values);
}

std::string to_text(const AdjustedVelocity& adjusted) {
  return fmt::format("{} of {} '{}' from {} to {}", adjusted.key, adjusted.of_joint ? "joint" : "body", adjusted.name,
                     listed(adjusted.given), listed(adjusted.used));
}

bool is_mechanism(std::string_view bytes, const std::string& file) {
  io::TomlReader reader(bytes, file);
  return reader.root().has("bodies");
}

MechanismScenario read_mechanism(std::string_view bytes, std::string file, MeshLocations meshes,
                                 const ParameterValues& values) {
  const io::ScenarioFile read(bytes, file);
  ScenarioHead head;
  head.file = std::move(file);
  head.text = bytes;
  const auto parts = std::make_shared<const CompiledParts>(read.scenario(), std::move(head), meshes, force::Laws{});
  Review review = parts->mistakes;
  MechanismScenario scenario = mechanism_of(parts, values, review);
  settle(read, review);
  return scenario;
}

}  // namespace polhode::catalog
