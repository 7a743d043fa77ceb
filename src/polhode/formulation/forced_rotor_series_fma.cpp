// Compiled with -mavx2 -mfma on x86-64: called only where the processor has them.
#include "polhode/formulation/forced_rotor_series.h"

#include "polhode/formulation/forced_rotor_series_impl.h"

namespace polhode {

void forced_rotor_series_fma(const RotorForcing<double>& forcing, std::size_t order, std::size_t stride, double* rows);

void forced_rotor_series_fma(const RotorForcing<double>& forcing, std::size_t order, std::size_t stride, double* rows) {
#if defined(__AVX2__) && defined(__FMA__)
  expand_forced_rotor<WideLanes, kMostForcedRotorOrder>(forcing, order, stride, rows);
#else
  expand_forced_rotor<PlainLanes<double>, kMostForcedRotorOrder>(forcing, order, stride, rows);
#endif
}

}  // namespace polhode
