#pragma once

#include <cstddef>
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

/// Four numbers at a time, for the Taylor series of rotors. Included by files that are compiled for different
/// instruction sets: nothing here has linkage, nothing of the standard library is called.
namespace polhode {
namespace {

/// x y + z, rounded once for double: an instruction where the processor has it, else a slow function, the same bits.
inline double multiply_add(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline long double multiply_add(long double x, long double y, long double z) { return x * y + z; }

/// Four numbers side by side.
template <class S>
struct PlainLanes {
  using Number = S;
  S v[4];
  void set(const S& a, const S& b, const S& c, const S& d) {
    v[0] = a;
    v[1] = b;
    v[2] = c;
    v[3] = d;
  }
  const S& operator[](std::size_t i) const { return v[i]; }
  /// Entries a, b, c and d, in this order.
  template <int a, int b, int c, int d>
  PlainLanes permuted() const {
    return {{v[a], v[b], v[c], v[d]}};
  }
  /// ← x s, ← x y entry by entry
  void set_product(const PlainLanes& x, const S& s) {
    for (std::size_t i = 0; i < 4; ++i) { v[i] = x.v[i] * s; }
  }
  void set_product(const PlainLanes& x, const PlainLanes& y) {
    for (std::size_t i = 0; i < 4; ++i) { v[i] = x.v[i] * y.v[i]; }
  }
  /// += x s, += x y
  void add_product(const PlainLanes& x, const S& s) {
    for (std::size_t i = 0; i < 4; ++i) { v[i] = multiply_add(x.v[i], s, v[i]); }
  }
  void add_product(const PlainLanes& x, const PlainLanes& y) {
    for (std::size_t i = 0; i < 4; ++i) { v[i] = multiply_add(x.v[i], y.v[i], v[i]); }
  }
  /// -= x y
  void subtract_product(const PlainLanes& x, const PlainLanes& y) {
    for (std::size_t i = 0; i < 4; ++i) { v[i] = multiply_add(-x.v[i], y.v[i], v[i]); }
  }
};
#if defined(__AVX2__) && defined(__FMA__)
/// The same bits four at a time, one instruction each.
struct WideLanes {
  using Number = double;
  using Vector = double __attribute__((vector_size(32)));
  Vector v;
  void set(double a, double b, double c, double d) { v = Vector{a, b, c, d}; }
  double operator[](std::size_t i) const { return v[i]; }
  template <int a, int b, int c, int d>
  WideLanes permuted() const {
    return {__builtin_shufflevector(v, v, a, b, c, d)};
  }
  void set_product(const WideLanes& x, double s) { v = x.v * Vector{s, s, s, s}; }
  void set_product(const WideLanes& x, const WideLanes& y) { v = x.v * y.v; }
  void add_product(const WideLanes& x, double s) { v = _mm256_fmadd_pd(x.v, Vector{s, s, s, s}, v); }
  void add_product(const WideLanes& x, const WideLanes& y) { v = _mm256_fmadd_pd(x.v, y.v, v); }
  void subtract_product(const WideLanes& x, const WideLanes& y) { v = _mm256_fnmadd_pd(x.v, y.v, v); }
};
#endif

/// 1/1, 1/2, 1/3, ...: divided by the compiler, rounded as everywhere.
template <class S, std::size_t kCount>
struct Shares {
  S of[kCount];
  constexpr Shares() : of() {
    for (std::size_t k = 0; k < kCount; ++k) { of[k] = S(1) / S(static_cast<double>(k + 1)); }
  }
};

}  // namespace
}  // namespace polhode
