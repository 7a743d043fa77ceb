#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// What every verification hands back: what was checked, whether it held, and whether its wrong twin was caught.
namespace polhode::verification {

struct Item {
  std::string source;      ///< its key in docs/references.bib; "own" for what the sources do not number
  std::string equation;    ///< its number there, or a few words
  std::string label;       ///< our labels (KIN-n), separated by blanks, or ""
  std::string function;    ///< what of the library is verified
  std::string statement;   ///< the relation in one line
  std::string twin;        ///< the same made wrong
  std::string arithmetic;  ///< "exact", "50-digit", "long double" or "double"
  std::string erratum;     ///< what is wrong in the print, or ""
  bool ok = false;
  bool twin_killed = false;
  double residual = 0;       ///< largest deviation found; in double and long double, as a fraction of what is allowed
  double twin_residual = 0;  ///< that of the twin
  std::string trouble;       ///< why the check could not be evaluated, or ""
  bool in_table = false;     ///< its numbers stand among the measurements of the report
  bool everywhere = true;    ///< false: of a part that not every build has, and left out of the table of equations
};

/// A number found on the way: what an item judged, or what is told without judging.
struct Measurement {
  std::string quantity;  ///< "order"
  std::string of;        ///< "rk4"
  std::string on;        ///< "free body"
  double value = 0;
};

struct Report {
  std::string what;
  std::vector<Item> items;
  std::vector<Measurement> measured{};

  std::size_t checks() const { return items.size(); }
  std::size_t failed() const;
  std::size_t twins() const { return items.size(); }  ///< every check has one
  std::size_t twins_killed() const;
  /// All checks hold and all twins are caught.
  bool passed() const { return failed() == 0 && twins_killed() == twins(); }
};

/// Sources in the order of their first item.
std::vector<std::string> sources_of(const Report& report);

/// Tables for people, with colours of a terminal where they are welcome.
std::string to_text(const Report& report, bool colour);
/// One JSON object: what, checks, failed, twins, twins_killed, items, and what was measured where there is such; the
/// outcomes left out if not evaluated.
std::string to_json(const Report& report, bool evaluated = true);

/// Source equation → our label → function → check, as Markdown tables. Says nothing about the outcome.
std::string traceability(const Report& report);

}  // namespace polhode::verification
