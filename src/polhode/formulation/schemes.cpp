#include "polhode/formulation/schemes.h"

#include "polhode/core/error.h"

#include <vector>

namespace polhode {

const Scheme& scheme(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Scheme& candidate : kSchemes) {
    if (candidate.name == name) { return candidate; }
    known.push_back(candidate.name);
  }
  fail(Error(unknown_name("scheme", name, known)));
}

}  // namespace polhode
