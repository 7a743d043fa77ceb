#pragma once

#include "polhode/formula/compiler.h"
#include "polhode/formula/function.h"
#include "polhode/math/jet.h"

#include <array>
#include <map>
#include <string>
#include <vector>

/// Formulas bound to numbers of a test by their names, as the builders of scenarios bind them to a state.
namespace polhode::testing {

class FormulaNames final : public formula::Scope {
 public:
  void add(const std::string& name, const double* number) {
    order_.push_back(name);
    numbers_.push_back(number);
  }
  void define(const std::string& name, std::string text, Location where) {
    definitions_[name] = {std::move(text), std::move(where)};
  }
  const Location& location_of(const std::string& definition) const { return definitions_.at(definition).second; }
  double number(std::uint32_t id) const { return *numbers_[id]; }
  std::vector<double> all() const {
    std::vector<double> values;
    for (const double* number : numbers_) { values.push_back(*number); }
    return values;
  }

  std::optional<formula::Input> find(std::string_view name) const override {
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      if (order_[i] == name) {
        return formula::Input{
            i, pace_of_others == nullptr || name == pace_of_others ? formula::Pace::state : formula::Pace::parameter};
      }
    }
    return {};
  }
  const std::string* definition(std::string_view name) const override {
    const auto found = definitions_.find(std::string(name));
    return found == definitions_.end() ? nullptr : &found->second.first;
  }
  std::vector<std::string_view> names() const override {
    std::vector<std::string_view> all(order_.begin(), order_.end());
    for (const auto& [name, text] : definitions_) { all.push_back(name); }
    return all;
  }
  std::string how_to_declare(std::string_view name) const override {
    return "declare it in [parameters]: " + std::string(name.substr(0, 60)) + " = 1.5";
  }
  /// Where set, all other names are parameters.
  const char* pace_of_others = nullptr;

 private:
  std::vector<std::string> order_;
  std::vector<const double*> numbers_;
  std::map<std::string, std::pair<std::string, Location>> definitions_;
};

/// Fails with all that is wrong, each with its location.
inline formula::Tape compiled(std::string_view text, const FormulaNames& names, const Location& where) {
  formula::Compiler compiler(names);
  compiler.add(text);
  Problems problems;
  for (const formula::Mistake& mistake : compiler.mistakes()) {
    Problem problem = mistake.problem;
    problem.where = mistake.definition.empty() ? where : names.location_of(mistake.definition);
    if (problem.where.column > 0) { problem.where.column += static_cast<int>(mistake.at); }
    problems.add(std::move(problem));
  }
  std::move(problems).fail_if_any();
  return compiler.finish();
}

class Formula {
 public:
  Formula(std::string_view text, const FormulaNames& names, const Location& where)
      : names_(&names), function_(compiled(text, names, where), names.all()), inputs_(function_.inputs().size()) {}
  double operator()() const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) { inputs_[i] = names_->number(function_.inputs()[i].id); }
    double value = 0;
    function_(std::span<const double>(inputs_), std::span(&value, 1));
    return value;
  }
  bool uses(const std::string& name) const {
    const std::optional<formula::Input> input = names_->find(name);
    return input && function_.tape().uses(input->id);
  }

 private:
  const FormulaNames* names_;
  formula::Function function_;
  mutable std::vector<double> inputs_;
};

/// A formula of t with its first and second derivative by it.
class TimeFormula {
 public:
  TimeFormula(std::string_view text, FormulaNames names, const Location& where) : names_(std::move(names)) {
    names_.pace_of_others = "t";
    function_ = formula::Function(compiled(text, names_, where), names_.all());
  }
  std::array<double, 3> operator()(double t) const {
    const Jet<double, 2> time = Jet<double, 2>::time(t);
    Jet<double, 2> x;
    function_(std::span(&time, function_.inputs().size()), std::span(&x, 1));
    return {x.c[0], x.c[1], 2 * x.c[2]};
  }

 private:
  FormulaNames names_;
  formula::Function function_;
};

}  // namespace polhode::testing
