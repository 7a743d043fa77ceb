#include "polhode/integrator/splitting.h"

namespace polhode {

void add_free_kick4(MethodList& list) {
  add_free_kick<kSplitting4>(list, 4, "exact free motion and kicks, 12 maps (S6 of Blanes and Moan)",
                             "BlanesMoan2002; Celledoni2008");
}

}  // namespace polhode
