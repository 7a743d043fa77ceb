#include "polhode/formulation/free_rotor_series.h"

#include "polhode/formulation/free_rotor_series_impl.h"

namespace polhode {

/// The same function, compiled for AVX2 and FMA: free_rotor_series_fma.cpp.
void free_rotor_series_fma(const double* gyration, std::size_t order, double* rows);

namespace {

bool processor_has_fma() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}
const bool kHasFma = processor_has_fma();

}  // namespace

void free_rotor_series(const Vec3<double>& gyration, std::size_t order, double* rows) {
  const double c[3]{gyration.x, gyration.y, gyration.z};
  kHasFma ? free_rotor_series_fma(c, order, rows)
          : expand_free_rotor<PlainLanes<double>, kMostFreeRotorOrder>(c, order, rows);
}
void free_rotor_series(const Vec3<long double>& gyration, std::size_t order, long double* rows) {
  const long double c[3]{gyration.x, gyration.y, gyration.z};
  expand_free_rotor<PlainLanes<long double>, kMostFreeRotorOrder>(c, order, rows);
}

}  // namespace polhode
