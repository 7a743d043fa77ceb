// Compiled with -mavx2 on x86-64: called only where the processor has it.
#include "polhode/formulation/free_rotor_series.h"

#include "polhode/formulation/free_rotor_series_impl.h"

namespace polhode {

void free_rotor_series_avx2(const double* gyration, std::size_t order, double* rows);

void free_rotor_series_avx2(const double* gyration, std::size_t order, double* rows) {
  expand_free_rotor<WideLanes, kMostFreeRotorOrder>(gyration, order, rows);
}

}  // namespace polhode
