#include "polhode/integrator/splitting.h"

namespace polhode {

void add_splitting4(MethodList& list) {
  add_splitting<kSplitting4>(list, 4, "symmetric splitting into exact flows, 12 maps (S6 of Blanes and Moan)",
                             "BlanesMoan2002; McLachlan1995");
}

}  // namespace polhode
