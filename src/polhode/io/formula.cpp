#include "polhode/io/formula.h"

#include "polhode/math/jet.h"

#include <utility>

namespace polhode::io {

void FormulaNames::require_free(const std::string& name) const {
  if (!formula::is_name(name)) {
    fail(Error(Problem{.what = "'" + name + "' cannot be a name in formulas",
                       .allowed = "allowed: letters, digits and _, a letter first",
                       .cure = {}}));
  }
  if (formula::is_reserved(name) || ids_.contains(name) || definitions_.contains(name)) {
    fail(Error("the name '" + name + "' is taken: choose another"));
  }
}

void FormulaNames::add(const std::string& name, const double* number) {
  require_free(name);
  names_.push_back(&ids_.emplace(name, static_cast<std::uint32_t>(names_.size())).first->first);
  numbers_.push_back(number);
}

void FormulaNames::define(const std::string& name, std::string text, Place where) {
  require_free(name);
  definitions_.emplace(name, Definition{std::move(text), std::move(where)});
}

const std::string* FormulaNames::definition(std::string_view name) const {
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? nullptr : &found->second.text;
}

std::vector<std::string_view> FormulaNames::names() const {
  std::vector<std::string_view> all;
  all.reserve(names_.size() + definitions_.size());
  for (const std::string* name : names_) { all.push_back(*name); }
  for (const auto& [name, definition] : definitions_) { all.push_back(name); }
  return all;
}

std::optional<formula::Input> FormulaNames::find(std::string_view name) const {
  const auto found = ids_.find(std::string(name));
  if (found == ids_.end()) { return {}; }
  return formula::Input{found->second, formula::Pace::state};
}

std::string FormulaNames::how_to_declare(std::string_view name) const {
  return "declare it in [parameters]: " + std::string(name.substr(0, 60)) + " = 1.5";
}

/// The tape, its numbers, and where they come from.
struct Formula::Bound {
  Bound(formula::Tape made, const FormulaNames& of) : names(&of), tape(std::move(made)), evaluation(tape) {
    for (const formula::Input& input : tape.inputs()) { from.push_back(of.number(input.id)); }
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  const FormulaNames* names;
  formula::Tape tape;
  formula::Evaluation<double> evaluation;
  std::vector<const double*> from;
};

namespace {

/// Time is all that changes.
struct TimeScope final : formula::Scope {
  explicit TimeScope(const FormulaNames& of) : names_of(&of) {}
  std::optional<formula::Input> find(std::string_view name) const override {
    std::optional<formula::Input> input = names_of->find(name);
    if (input && name != "t") { input->pace = formula::Pace::parameter; }
    return input;
  }
  const std::string* definition(std::string_view name) const override { return names_of->definition(name); }
  std::vector<std::string_view> names() const override { return names_of->names(); }
  std::string how_to_declare(std::string_view name) const override { return names_of->how_to_declare(name); }

  const FormulaNames* names_of;
};

}  // namespace

Formula::Formula(std::string_view text, const FormulaNames& names, const Place& where)
    : Formula(text, names, names, where) {}

Formula::Formula(std::string_view text, const formula::Scope& scope, const FormulaNames& names, const Place& where) {
  formula::Compiler compiler(scope);
  compiler.add(text);
  Problems problems;
  for (const formula::Mistake& mistake : compiler.mistakes()) {
    Problem problem = mistake.problem;
    const bool here = mistake.definition.empty();
    problem.what =
        (here ? "formula \"" + std::string(text.substr(0, 60)) + "\": " : "definition '" + mistake.definition + "': ") +
        problem.what;
    problem.where = here ? where : names.place_of_definition(mistake.definition);
    if (problem.where.column > 0) { problem.where.column += static_cast<int>(mistake.at); }
    problems.add(std::move(problem));
  }
  std::move(problems).fail_if_any();
  bound_ = std::make_shared<Bound>(compiler.finish(), names);
}

bool Formula::uses(const std::string& name) const {
  const std::optional<formula::Input> input = bound_->names->find(name);
  return input && bound_->tape.uses(input->id);
}

const std::vector<const double*>& Formula::used_numbers() const { return bound_->from; }

double Formula::operator()() const {
  const std::span<double> inputs = bound_->evaluation.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) { inputs[i] = *bound_->from[i]; }
  bound_->evaluation.update();
  return bound_->evaluation[0];
}

struct TimeFormula::Series {
  formula::Evaluation<Jet<double, 2>> evaluation;
  std::vector<bool> is_time;  ///< one an input
};

TimeFormula::TimeFormula(std::string_view text, const FormulaNames& names, const Place& where)
    : plain_(text, TimeScope(names), names, where) {
  const formula::Tape& tape = plain_.bound_->tape;
  series_ = std::make_shared<Series>(Series{formula::Evaluation<Jet<double, 2>>(tape), {}});
  const std::optional<formula::Input> time = names.find("t");
  for (const formula::Input& input : tape.inputs()) { series_->is_time.push_back(time && input.id == time->id); }
}

std::array<double, 3> TimeFormula::operator()(double t) const {
  Formula::Bound& bound = *plain_.bound_;
  const std::span<double> still = bound.evaluation.inputs();
  const std::span<Jet<double, 2>> inputs = series_->evaluation.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    still[i] = series_->is_time[i] ? t : *bound.from[i];
    inputs[i] = series_->is_time[i] ? Jet<double, 2>::time(t) : Jet<double, 2>(still[i]);
  }
  bound.evaluation.parameters_changed();
  series_->evaluation.take_parameters(bound.evaluation);
  series_->evaluation.update();
  const Jet<double, 2>& x = series_->evaluation[0];
  return {x.c[0], x.c[1], 2 * x.c[2]};
}

}  // namespace polhode::io
