#pragma once

#include "polhode/core/error.h"
#include "polhode/formula/compiler.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Formulas that users write in scenario files, bound to numbers that have their place in memory. What a formula may
/// hold is said in formula/compiler.h.
namespace polhode::io {

/// Names that formulas may use, and where their numbers are. The numbers must stay where they are.
class FormulaNames final : public formula::Scope {
 public:
  FormulaNames() = default;
  FormulaNames(const FormulaNames&) = delete;
  FormulaNames& operator=(const FormulaNames&) = delete;

  /// Fails where the name is taken, is a function, or is not letters, digits and _.
  void add(const std::string& name, const double* number);
  const double* number(std::uint32_t id) const { return numbers_[id]; }
  /// A named expression; `where` is the place of its first character. What is wrong in it is told by the formulas that
  /// use it.
  void define(const std::string& name, std::string text, Place where);
  /// Place of the first character of a named expression.
  const Place& place_of_definition(std::string_view name) const { return definitions_.find(name)->second.where; }

  std::optional<formula::Input> find(std::string_view name) const override;
  const std::string* definition(std::string_view name) const override;
  std::vector<std::string_view> names() const override;
  std::string how_to_declare(std::string_view name) const override;

 private:
  struct Definition {
    std::string text;
    Place where;
  };
  void require_free(const std::string& name) const;

  std::unordered_map<std::string, std::uint32_t> ids_;  ///< there may be millions: each name is held once
  std::vector<const std::string*> names_;
  std::vector<const double*> numbers_;
  std::map<std::string, Definition, std::less<>> definitions_;
};

/// One formula, compiled once; evaluating does not allocate.
class Formula {
 public:
  /// Fails with all that is wrong, and where: `where` is the place of the text's first character.
  Formula(std::string_view text, const FormulaNames& names, const Place& where);

  bool uses(const std::string& name) const;
  /// Where the numbers are that the formula reads.
  const std::vector<const double*>& used_numbers() const;
  /// With the numbers as they now are; may be infinite or NaN.
  double operator()() const;

 private:
  friend class TimeFormula;
  struct Bound;
  /// `scope`: the names as the formula sees them.
  Formula(std::string_view text, const formula::Scope& scope, const FormulaNames& names, const Place& where);
  std::shared_ptr<Bound> bound_;
};

/// A formula of time with its first and second derivative by it, exact: a power series in time. Names other than t
/// stand still, and so does what is made of them alone.
class TimeFormula {
 public:
  /// Fails as Formula does.
  TimeFormula(std::string_view text, const FormulaNames& names, const Place& where);

  /// Whether the formula looks at a name.
  bool uses(const std::string& name) const { return plain_.uses(name); }
  /// Value, rate, acceleration.
  std::array<double, 3> operator()(double t) const;

 private:
  struct Series;
  Formula plain_;
  std::shared_ptr<Series> series_;
};

}  // namespace polhode::io
