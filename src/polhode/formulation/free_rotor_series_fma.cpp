// Compiled with -mavx2 -mfma on x86-64: called only where the processor has them.
#include "polhode/formulation/free_rotor_series.h"

#include "polhode/formulation/free_rotor_series_impl.h"

namespace polhode {

void free_rotor_series_fma(const double* gyration, std::size_t order, double* rows);

void free_rotor_series_fma(const double* gyration, std::size_t order, double* rows) {
#if defined(__AVX2__) && defined(__FMA__)
  expand_free_rotor<WideLanes, kMostFreeRotorOrder>(gyration, order, rows);
#else
  expand_free_rotor<PlainLanes<double>, kMostFreeRotorOrder>(gyration, order, rows);
#endif
}

}  // namespace polhode
