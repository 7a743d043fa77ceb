#pragma once

#include "polhode/io/formula.h"

#include <array>

namespace polhode::io {

/// A formula of time with its first and second derivative by it, exact: dual numbers of dual numbers. The grammar is
/// that of Formula, which refuses what it does not understand; names other than t stand still.
class TimeFormula {
 public:
  /// The names must hold "t". Fails as Formula does.
  TimeFormula(std::string_view text, const FormulaNames& names, const Place& where);
  TimeFormula(TimeFormula&&) noexcept;
  TimeFormula& operator=(TimeFormula&&) noexcept;
  ~TimeFormula();

  /// Whether the formula looks at a name.
  bool uses(const std::string& name) const { return plain_.uses(name); }
  /// Value, rate, acceleration.
  std::array<double, 3> operator()(double t) const;

 private:
  struct Tree;
  struct Reader;
  Formula plain_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace polhode::io
