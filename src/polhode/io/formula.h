#pragma once

#include "polhode/core/error.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Formulas that users write: numbers, names, + - * / ^, comparisons, a ? b : c, and elementary functions. Nothing else
/// can be reached from them. The parser's own functions and operators are all replaced by ours, so that a formula gives
/// the same bits everywhere.
namespace polhode::io {

/// Names that formulas may use, and where their numbers are. The numbers must stay where they are.
class FormulaNames {
 public:
  FormulaNames();
  ~FormulaNames();
  FormulaNames(const FormulaNames&) = delete;
  FormulaNames& operator=(const FormulaNames&) = delete;

  /// Fails where the name is taken, is a function, or is not letters, digits and _.
  void add(const std::string& name, double* number);
  /// Where the number of a name is; nullptr where there is none.
  const double* find(std::string_view name) const;
  /// The functions, with how many arguments each takes, for messages and documents.
  static const std::vector<std::pair<std::string, int>>& functions();

 private:
  friend class Formula;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  std::unordered_map<std::string, double*, Hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> in_order_;  ///< its names as they were added
};

/// One formula, compiled once; evaluating does not allocate.
class Formula {
 public:
  /// Fails with what is wrong and where: `where` is the place of the text's first character.
  Formula(std::string_view text, const FormulaNames& names, const Place& where);
  Formula(Formula&&) noexcept;
  Formula& operator=(Formula&&) noexcept;
  ~Formula();

  bool uses(const std::string& name) const;
  /// The numbers that it looks at.
  std::vector<const double*> used_numbers() const;
  /// With the numbers as they now are; may be infinite or NaN.
  double operator()() const;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace polhode::io
