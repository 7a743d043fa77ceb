#include "polhode/integrator/splitting.h"

namespace polhode {

void add_splitting6(MethodList& list) {
  add_splitting<kSplitting6>(list, 6, "symmetric splitting into exact flows, 20 maps (S10 of Blanes and Moan)",
                             "BlanesMoan2002; McLachlan1995");
}

}  // namespace polhode
