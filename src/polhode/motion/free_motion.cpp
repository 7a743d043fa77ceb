#include "polhode/motion/free_motion_impl.h"

namespace polhode {

template class FreeMotion<double>;
template class FreeMotion<double, double>;
template class FreeMotion<long double>;

}  // namespace polhode
