#include "polhode/integrator/method.h"

namespace polhode {

/// Compiled instead of ida.cpp where SUNDIALS is not installed.
void add_ida(MethodList& list) {
  list.absent.push_back(
      {"ida", "install SUNDIALS (Debian: libsundials-dev) and build again, or try 'generalised-alpha-index2'"});
}

}  // namespace polhode
