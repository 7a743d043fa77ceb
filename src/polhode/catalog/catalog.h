#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Names to things: every list that a user can choose from, with what each entry is and where it comes from.
namespace polhode::catalog {

struct Entry {
  std::string name;
  std::string summary;
  std::string source;  ///< key of docs/references.bib, the documentation that says so, or ""
  /// More about it, name and value: ("unknowns", "e0 e1 e2 e3 w1 w2 w3 (body)").
  std::vector<std::pair<std::string, std::string>> details{};
};

struct Kind {
  std::string name;     ///< "sequences"
  std::string summary;  ///< "the 12 orders of three turns"
  std::vector<Entry> entries;
};

/// All kinds, in the order they are listed.
const std::vector<Kind>& kinds();

}  // namespace polhode::catalog
