#include "polhode/integrator/method.h"

namespace polhode {

/// In the place of ida.cpp where CMake found no SUNDIALS.
void add_ida(MethodList& list) {
  list.absent.push_back(
      {"ida", "install SUNDIALS (Debian: libsundials-dev) and build again, or try 'generalised-alpha-index2'"});
}

}  // namespace polhode
