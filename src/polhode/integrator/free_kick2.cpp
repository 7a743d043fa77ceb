#include "polhode/integrator/splitting.h"

namespace polhode {

/// Half a kick, free motion, half a kick.
void add_free_kick2(MethodList& list) {
  add_free_kick<kSplitting2>(list, 2, "half a kick, exact free motion, half a kick",
                             "HairerLubichWanner2006 section II.5; VanZonSchofield2007");
}

}  // namespace polhode
