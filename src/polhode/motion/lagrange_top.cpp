#include "polhode/motion/lagrange_top_impl.h"

namespace polhode {

template class LagrangeTop<double>;

}  // namespace polhode
