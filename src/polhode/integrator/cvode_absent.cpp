#include "polhode/integrator/method.h"

namespace polhode {

/// In the place of cvode.cpp where CMake found no SUNDIALS.
void add_cvode(MethodList& list) {
  for (const char* name : {"cvode-adams", "cvode-bdf"}) {
    list.absent.push_back({name, "install SUNDIALS (Debian: libsundials-dev) and build again, or try 'dop853'"});
  }
}

}  // namespace polhode
