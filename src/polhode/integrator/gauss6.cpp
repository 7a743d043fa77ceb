#include "polhode/integrator/gauss.h"

namespace polhode {

void add_gauss6(MethodList& list) { add_gauss<3>(list); }

}  // namespace polhode
