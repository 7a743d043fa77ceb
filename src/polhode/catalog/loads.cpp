#include "polhode/catalog/scenario.h"

namespace polhode::catalog {

#define LOAD(name) extern const LoadKind kLoad_##name;
#include "polhode/catalog/loads.def"
#undef LOAD

const std::vector<const LoadKind*>& load_kinds() {
  static const std::vector<const LoadKind*> kAll{
#define LOAD(name) &kLoad_##name,
#include "polhode/catalog/loads.def"
#undef LOAD
  };
  return kAll;
}

}  // namespace polhode::catalog
