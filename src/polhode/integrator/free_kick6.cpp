#include "polhode/integrator/splitting.h"

namespace polhode {

void add_free_kick6(MethodList& list) {
  add_free_kick<kSplitting6>(list, 6, "exact free motion and kicks, 20 maps (S10 of Blanes and Moan)",
                             "BlanesMoan2002; Celledoni2008");
}

}  // namespace polhode
