#include "polhode/core/error.h"
#include "polhode/multibody/ida.h"

namespace polhode {

bool has_ida() { return false; }

IdaReport run_ida(const Model&, double, double, std::span<double>, const IdaOptions&) {
  fail(Error(Problem{.what = "IDA is not part of this build",
                     .allowed = {},
                     .cure = "install SUNDIALS (Debian: libsundials-dev) and build again, or take StiffStepper"}));
}

}  // namespace polhode
