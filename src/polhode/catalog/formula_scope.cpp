#include "polhode/catalog/scenario.h"
#include "polhode/core/error.h"
#include "polhode/rotation/rotation_matrix.h"

namespace polhode::catalog {

const std::vector<std::pair<std::string, std::string>>& FormulaScope::meanings() {
  static const std::vector<std::pair<std::string, std::string>> kAll = [] {
    std::vector<std::pair<std::string, std::string>> all{{"t", "time, s"}};
    for (const char* name : {"e0", "e1", "e2", "e3"}) { all.emplace_back(name, "Euler parameter, body to space"); }
    for (const char* axis : {"x", "y", "z"}) {
      all.emplace_back(std::string("w") + axis + "_body", "angular velocity, body component, rad/s");
    }
    for (const char* axis : {"x", "y", "z"}) {
      all.emplace_back(std::string("w") + axis + "_space", "angular velocity, space component, rad/s");
    }
    for (const char* axis : {"x", "y", "z"}) { all.emplace_back(axis, "position of the reference point, space, m"); }
    for (const char* axis : {"x", "y", "z"}) {
      all.emplace_back(std::string("v") + axis, "velocity of the reference point, space, m/s");
    }
    for (const char* ij : {"11", "12", "13", "21", "22", "23", "31", "32", "33"}) {
      all.emplace_back(std::string("R") + ij, "entry of the rotation matrix, body to space");
    }
    return all;
  }();
  return kAll;
}

ParameterSet::ParameterSet() {
  parameters_->reserve(kMostParameters);  // formulas point into it
}

FormulaScope::FormulaScope() {
  for (std::size_t i = 0; i < meanings().size(); ++i) { names.add(meanings()[i].first, &numbers_[i]); }
}

void ParameterSet::add_parameter(const std::string& name, double value) {
  if (parameters_->size() == kMostParameters) { fail(Error("more than 256 parameters")); }
  parameters_->push_back(value);
  names.add(name, &parameters_->back());
  parameter_names_.push_back(name);
}

void FormulaScope::set(const BodyState<double>& state) {
  std::size_t i = 0;
  const auto put = [&](const Vec3<double>& v) {
    numbers_[i++] = v.x;
    numbers_[i++] = v.y;
    numbers_[i++] = v.z;
  };
  numbers_[i++] = state.t;
  numbers_[i++] = state.e_NB.e0;
  put(state.e_NB.ev);
  const Mat3<double> R_NB = rotation_matrix(state.e_NB);
  put(state.w_B);
  put(R_NB * state.w_B);
  put(state.r_N);
  put(state.v_N);
  for (std::size_t r = 0; r < 3; ++r) { put(row(R_NB, r)); }
}

VectorLaw::VectorLaw(io::TomlTable& table, std::string_view key, const std::shared_ptr<FormulaScope>& scope)
    : scope_(scope) {
  const std::vector<io::TomlValue> values = table.values(key, 3);
  if (values.size() != 3) { return; }
  bool constant = true;
  for (std::size_t i = 0; i < 3; ++i) {
    value_[i] = values[i].number;
    constant = constant && values[i].formula.empty();
  }
  if (constant) { return; }
  for (const io::TomlValue& value : values) {
    try {
      formulas_.emplace_back(value.formula.empty() ? std::to_string(0) : value.formula, scope->names, value.where);
    } catch (const Error& error) {
      table.problem(key, error);
      formulas_.clear();
      return;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (const auto& [name, meaning] : FormulaScope::meanings()) {
      const bool rate = name.starts_with('w') || name.starts_with('v');
      if (rate && formulas_[i].uses(name)) { looks_at_ = LawOf::rates_too; }
    }
    // an entry that is a plain number stays what it is
    if (!values[i].formula.empty()) { value_[i] = 0; }
  }
}

Vec3<double> VectorLaw::operator()(const BodyState<double>& state) const {
  if (formulas_.empty()) { return value_; }
  scope_->set(state);
  return value_ + Vec3<double>{formulas_[0](), formulas_[1](), formulas_[2]()};
}

}  // namespace polhode::catalog
