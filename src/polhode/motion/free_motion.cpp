#include "polhode/motion/free_motion.h"

namespace polhode {

template class FreeMotion<double>;

}  // namespace polhode
