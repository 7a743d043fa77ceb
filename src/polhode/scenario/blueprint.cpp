#include "polhode/scenario/blueprint.h"

#include "polhode/core/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace polhode::scenario {
namespace {

constexpr std::size_t kMostParameters = 256;
constexpr std::size_t kMostDefinitions = 1000;

/// Names of state in formulas of one body; those of mechanisms have the name of a body before them.
constexpr std::array<std::string_view, 25> kOfState{
    "e0", "e1", "e2", "e3",  "wx_body", "wy_body", "wz_body", "wx_space", "wy_space", "wz_space", "x",   "y",  "z",
    "vx", "vy", "vz", "R11", "R12",     "R13",     "R21",     "R22",      "R23",      "R31",      "R32", "R33"};

/// The names of bodies and joints as formulas write them, each with its "_".
std::vector<std::string> names_of_elements(const Scenario& scenario) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    names.push_back(name + '_');
  };
  for (const auto& body : scenario.bodies) { add(body.name); }
  for (const auto& joint : scenario.joints) { add(joint.name); }
  return names;
}

/// Why a number cannot know a name; "" where it is no name of time or state.
std::string why_of_motion(const std::vector<std::string>& elements, std::string_view name) {
  const auto is_state = [](std::string_view text) {
    return std::find(kOfState.begin(), kOfState.end(), text) != kOfState.end();
  };
  const auto is_coordinate = [](std::string_view text) {
    return text.starts_with("turn") || text.starts_with("slide_") || text.starts_with("cross_") ||
           text.starts_with("swing");
  };
  const auto is_of = [&](const std::string& element) {
    if (!name.starts_with(element)) { return false; }
    const std::string_view rest = name.substr(element.size());
    return is_state(rest) || is_coordinate(rest);
  };
  const bool is_of_motion =
      name == "t" || (elements.empty() && is_state(name)) || std::any_of(elements.begin(), elements.end(), is_of);
  return is_of_motion ? "it changes with the motion, and this number is made of parameters" : "";
}

/// Names of parameters as formulas of each other: those that are numbers are inputs, the others definitions.
class ParameterScope final : public formula::Scope {
 public:
  ParameterScope(const Scenario& scenario, const Named<double>& given) : scenario_(&scenario), given_(&given) {}

  bool is_input(std::string_view name) const {
    const Number* number = scenario_->parameters.find(name);
    return number != nullptr && (number->formula.empty() || given_->contains(name));
  }
  std::optional<formula::Input> find(std::string_view name) const override {
    std::uint32_t id = 0;
    for (const auto& [one, number] : scenario_->parameters) {
      if (one == name && is_input(name)) { return formula::Input{id, formula::Pace::parameter}; }
      ++id;
    }
    return {};
  }
  const std::string* definition(std::string_view name) const override {
    const Number* number = scenario_->parameters.find(name);
    return number != nullptr && !is_input(name) ? &number->formula : nullptr;
  }
  std::vector<std::string_view> names() const override {
    std::vector<std::string_view> all;
    all.reserve(scenario_->parameters.size());
    for (const auto& [name, number] : scenario_->parameters) { all.push_back(name); }
    return all;
  }
  std::string why_unknown(std::string_view name) const override {
    return why_of_motion(names_of_elements(*scenario_), name);
  }
  std::string how_to_declare(std::string_view name) const override {
    return fmt::format("declare it in [parameters]: {} = 1.5", name.substr(0, 60));
  }

 private:
  const Scenario* scenario_;
  const Named<double>* given_;
};

/// Numbers of a scenario, but for the parameters themselves.
template <class S, class Visit>
void each_number_of_model(S& scenario, Visit& visit) {
  each_key(scenario, [&](std::string_view key, auto& field) {
    if (key == "parameters") { return; }
    each_number(field, visit, [key] { return Path{}.then(key); });
  });
}

/// The table that holds what a path names.
Path table_of(Path path) {
  if (!path.steps.empty()) { path.steps.pop_back(); }
  return path;
}

/// Notes a name that cannot be one in formulas, or that is taken.
bool check_name(Desk& desk, const std::string& name, bool taken) {
  if (!formula::is_name(name)) {
    desk.problem(name, fmt::format("'{}' cannot be a name in formulas", name),
                 "allowed: letters, digits and _, a letter first");
    return false;
  }
  if (taken || formula::is_reserved(name)) {
    desk.problem(name, fmt::format("the name '{}' is taken: choose another", name));
    return false;
  }
  return true;
}

}  // namespace

// ---- names ----------------------------------------------------------------------------------------------------------

Names::Names(const Scenario& scenario) : elements_(names_of_elements(scenario)) {
  for (const auto& [name, number] : scenario.parameters) {
    parameters_.emplace(name, static_cast<std::uint32_t>(order_.size()));
    order_.push_back(name);
  }
  for (const auto& [name, expression] : scenario.definitions) {
    if (parameters_.contains(name)) { continue; }
    definitions_.emplace(name, expression.formula.empty() ? fmt::format("{}", expression.value) : expression.formula);
  }
}

std::optional<formula::Input> Names::find(std::string_view name) const {
  const auto found = parameters_.find(std::string(name));
  if (found == parameters_.end()) { return {}; }
  return formula::Input{found->second, formula::Pace::parameter};
}

const std::string* Names::definition(std::string_view name) const {
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> Names::names() const {
  std::vector<std::string_view> all(order_.begin(), order_.end());
  for (const auto& [name, text] : definitions_) { all.push_back(name); }
  return all;
}

std::string Names::why_unknown(std::string_view name) const { return why_of_motion(elements_, name); }

std::string Names::how_to_declare(std::string_view name) const {
  return fmt::format("declare it in [parameters]: {} = 1.5", name.substr(0, 60));
}

// ---- numbers --------------------------------------------------------------------------------------------------------

Blueprint::Blueprint(Scenario scenario, Review& review) : scenario_(std::move(scenario)), names_(scenario_) {
  const Desk root(review, {});
  Desk parameters = root.inner("parameters");
  if (scenario_.parameters.size() > kMostParameters) {
    parameters.problem("", counted(scenario_.parameters.size(), "parameter"),
                       fmt::format("allowed: {}", kMostParameters));
  }
  for (const auto& [name, number] : scenario_.parameters) { check_name(parameters, name, false); }
  Desk definitions = root.inner("definitions");
  if (scenario_.definitions.size() > kMostDefinitions) {
    definitions.problem("", counted(scenario_.definitions.size(), "definition"),
                        fmt::format("allowed: {}", kMostDefinitions), "put those that only one formula uses into it");
  }
  for (const auto& [name, expression] : scenario_.definitions) {
    check_name(definitions, name, scenario_.parameters.contains(name));
  }

  formula::Compiler compiler(names_);
  std::size_t index = 0;
  std::size_t told = 0;
  std::vector<Path> wrong;
  auto visit = [&](const Number& number, const std::function<Path()>& path) {
    const std::size_t here = index++;
    if (number.formula.empty()) { return; }
    slots_.push_back({here, compiler.add(number.formula)});
    const std::vector<formula::Mistake>& all = compiler.mistakes();
    if (all.size() == told) { return; }
    const Path at = path();
    const Path::Step last = at.steps.back();
    Desk(review, table_of(at))
        .problems(last.key, number.formula, {all.begin() + static_cast<std::ptrdiff_t>(told), all.end()}, last.index);
    told = all.size();
    wrong.push_back(table_of(at));
  };
  each_number_of_model(scenario_, visit);
  for (const Path& table : wrong) { review.distrust(table); }
  tape_ = compiler.finish();

  // what is wrong is told when values are asked for
  Review own;
  Desk desk(own, Path{}.then("parameters"));
  formula::Tape tape = parameter_tape({}, desk);
  if (own.empty()) { parameter_tape_ = std::move(tape); }
}

formula::Tape Blueprint::parameter_tape(const Named<double>& given, Desk& desk) const {
  const ParameterScope scope(scenario_, given);
  formula::Compiler compiler(scope);
  std::size_t told = 0;
  for (const auto& [name, number] : scenario_.parameters) {
    // what cannot be a name has been told already
    compiler.add(formula::is_name(name) && !formula::is_reserved(name) ? name : "0");
    // circles and unknown names are those of the parameter that holds them
    const std::vector<formula::Mistake>& all = compiler.mistakes();
    for (std::size_t i = told; i < all.size(); ++i) {
      const std::string& holder = all[i].definition.empty() ? name : all[i].definition;
      formula::Mistake mistake = all[i];
      mistake.definition.clear();
      desk.problems(holder, scenario_.parameters.find(holder)->formula, {mistake});
    }
    told = all.size();
  }
  return compiler.finish();
}

std::vector<double> Blueprint::parameters(const Named<double>& given, Review& review) const {
  Desk desk(review, Path{}.then("parameters"));
  for (const auto& [name, value] : given) {
    if (scenario_.parameters.contains(name)) { continue; }
    if (scenario_.parameters.empty()) {
      desk.problem("", fmt::format("no parameter '{}': the scenario has no [parameters]", name), {},
                   fmt::format("write {0} = ... there, and \"{0}\" where the number stands", name));
      continue;
    }
    std::vector<std::string_view> known;
    for (const auto& [one, number] : scenario_.parameters) { known.push_back(one); }
    desk.problem("", unknown_name("parameter", name, known));
  }
  const bool as_written = parameter_tape_ && std::none_of(given.begin(), given.end(), [&](const auto& one) {
                            const Number* number = scenario_.parameters.find(one.first);
                            return number != nullptr && !number->formula.empty();
                          });
  const std::size_t found = review.size();
  const formula::Tape made = as_written ? formula::Tape() : parameter_tape(given, desk);
  const bool right = review.size() == found;
  const formula::Tape& tape = as_written ? *parameter_tape_ : made;
  formula::Evaluation<double> evaluation(tape);
  const std::span<double> inputs = evaluation.inputs();
  std::vector<double> plain;
  plain.reserve(scenario_.parameters.size());
  for (const auto& [name, number] : scenario_.parameters) {
    const double* other = given.find(name);
    plain.push_back(other != nullptr ? *other : number.value);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) { inputs[i] = plain[tape.inputs()[i].id]; }
  evaluation.parameters_changed();
  evaluation.update();
  std::vector<double> values;
  values.reserve(plain.size());
  std::size_t i = 0;
  for (const auto& [name, number] : scenario_.parameters) {
    values.push_back(evaluation[i++]);
    if (!std::isfinite(values.back()) && right) {
      desk.problem(name, fmt::format("parameter '{}' is not finite", name), "wanted: a finite number");
    }
  }
  return values;
}

std::vector<double> Blueprint::after_change(std::span<const double> values, const Named<double>& given) const {
  Named<double> now;
  bool any_formula = false;
  std::size_t i = 0;
  for (const auto& [name, number] : scenario_.parameters) {
    const double value = values[i++];
    if (number.formula.empty() || given.contains(name)) {
      now[name] = value;
    } else {
      any_formula = true;
    }
  }
  if (!any_formula) { return {values.begin(), values.end()}; }
  Review review;
  std::vector<double> all = parameters(now, review);
  review.fail_if_any();
  return all;
}

std::vector<std::string> Blueprint::made_of(std::string_view parameter) const {
  std::vector<std::string> found;
  const std::optional<formula::Input> input = names_.find(parameter);
  if (!input || !parameter_tape_) { return found; }
  std::size_t i = 0;
  for (const auto& [name, number] : scenario_.parameters) {
    const std::uint32_t output = parameter_tape_->output(i++);
    const bool reads =
        !parameter_tape_->reads_only(output, [&](const formula::Input& one) { return one.id != input->id; });
    if (reads && name != parameter) { found.push_back(name); }
  }
  return found;
}

Scenario Blueprint::at(std::span<const double> parameters, Review& review) const {
  Scenario now = scenario_;
  std::size_t i = 0;
  for (auto& [name, number] : now.parameters) { number.value = parameters[i++]; }
  if (slots_.empty()) { return now; }
  formula::Evaluation<double> evaluation(tape_);
  const std::span<double> inputs = evaluation.inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) { inputs[k] = parameters[tape_.inputs()[k].id]; }
  evaluation.parameters_changed();
  evaluation.update();
  std::size_t index = 0;
  auto slot = slots_.begin();
  std::vector<Path> wrong;
  auto visit = [&](Number& number, const std::function<Path()>& path) {
    if (slot == slots_.end() || slot->number != index++) { return; }
    number.value = evaluation[slot->output];
    ++slot;
    if (std::isfinite(number.value)) { return; }
    const Path at = path();
    Desk(review, table_of(at))
        .problem(at.steps.back().key, fmt::format("formula \"{}\" is not finite", number.formula.substr(0, 60)),
                 "wanted: a finite number");
    wrong.push_back(table_of(at));
  };
  each_number_of_model(now, visit);
  for (const Path& table : wrong) { review.distrust(table); }
  return now;
}

namespace {

/// Of what acts, a wheel brings momentum along, and one with a motor inertia and an initial state.
bool shapes_wheel(const Scenario& scenario, const Path& at) {
  const Path::Step& table = at.steps.front();
  if ((table.key != "load" && table.key != "forces") || at.steps.size() < 2) { return false; }
  const std::vector<Acting>& list = table.key == "load" ? scenario.load : scenario.forces;
  const auto index = static_cast<std::size_t>(std::max(0, table.index));
  if (index >= list.size()) { return false; }
  const std::string& key = at.steps[1].key;
  if (std::holds_alternative<force::Wheel>(list[index].what)) { return key == "axis_body" || key == "momentum"; }
  return std::holds_alternative<force::ReactionWheel>(list[index].what) &&
         (key == "axis_body" || key == "inertia" || key == "speed" || key == "speed_rpm");
}

}  // namespace

std::optional<Path> Blueprint::shaped_by(std::string_view parameter) const {
  const std::optional<formula::Input> input = names_.find(parameter);
  if (!input) { return {}; }
  std::size_t index = 0;
  auto slot = slots_.begin();
  std::optional<Path> found;
  auto visit = [&](const Number&, const std::function<Path()>& path) {
    if (slot == slots_.end() || slot->number != index++) { return; }
    const std::size_t output = slot->output;
    ++slot;
    if (found ||
        tape_.reads_only(tape_.output(output), [&](const formula::Input& one) { return one.id != input->id; })) {
      return;
    }
    const Path at = path();
    const std::string& first = at.steps.front().key;
    if ((first != "load" && first != "forces" && first != "gravity") || shapes_wheel(scenario_, at)) { found = at; }
  };
  each_number_of_model(scenario_, visit);
  return found;
}

}  // namespace polhode::scenario
