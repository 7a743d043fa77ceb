#include "polhode/integrator/gauss.h"

namespace polhode {

void add_gauss4(MethodList& list) { add_gauss<2>(list); }

}  // namespace polhode
