#include "polhode/integrator/gauss.h"

namespace polhode {

void add_gauss2(MethodList& list) { add_gauss<1>(list); }

}  // namespace polhode
