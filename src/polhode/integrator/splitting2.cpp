#include "polhode/integrator/splitting.h"

namespace polhode {

/// χ(dt/2) then χ*(dt/2): Strang's composition.
void add_splitting2(MethodList& list) {
  add_splitting<kSplitting2>(list, 2, "symmetric splitting into exact flows (Strang)",
                             "HairerLubichWanner2006 section II.5");
}

}  // namespace polhode
