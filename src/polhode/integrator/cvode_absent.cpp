#include "polhode/integrator/method.h"

namespace polhode {

/// Compiled instead of cvode.cpp where SUNDIALS is not installed.
void add_cvode(MethodList& list) {
  for (const char* name : {"cvode-adams", "cvode-bdf"}) {
    list.absent.push_back({name, "install SUNDIALS (Debian: libsundials-dev) and build again, or try 'dop853'"});
  }
}

}  // namespace polhode
