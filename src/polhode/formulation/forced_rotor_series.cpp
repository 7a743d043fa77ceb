#include "polhode/formulation/forced_rotor_series.h"

#include "polhode/formulation/forced_rotor_series_impl.h"

namespace polhode {

/// The same function, compiled for AVX2 and FMA: forced_rotor_series_fma.cpp.
void forced_rotor_series_fma(const RotorForcing<double>& forcing, std::size_t order, std::size_t stride, double* rows);

namespace {

bool forced_rotor_has_fma() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}
const bool kForcedRotorHasFma = forced_rotor_has_fma();

}  // namespace

void forced_rotor_series(const RotorForcing<double>& forcing, std::size_t order, std::size_t stride, double* rows) {
  kForcedRotorHasFma ? forced_rotor_series_fma(forcing, order, stride, rows)
                     : expand_forced_rotor<PlainLanes<double>, kMostForcedRotorOrder>(forcing, order, stride, rows);
}
void forced_rotor_series(const RotorForcing<long double>& forcing, std::size_t order, std::size_t stride,
                         long double* rows) {
  expand_forced_rotor<PlainLanes<long double>, kMostForcedRotorOrder>(forcing, order, stride, rows);
}

}  // namespace polhode
