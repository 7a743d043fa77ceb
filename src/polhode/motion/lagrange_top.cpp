#include "polhode/motion/lagrange_top.h"

namespace polhode {

template class LagrangeTop<double>;

}  // namespace polhode
