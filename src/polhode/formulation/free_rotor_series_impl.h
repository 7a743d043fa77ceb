#pragma once

#include <cstddef>
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

/// Taylor series of a free body in principal axes, four numbers at a time. Included by files that are compiled for
/// different instruction sets: nothing here has linkage, nothing of the standard library is called.
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
};
#if defined(__AVX2__) && defined(__FMA__)
/// The same bits four at a time, one instruction each.
struct WideLanes {
  using Number = double;
  using Vector = double __attribute__((vector_size(32)));
  Vector v;
  void set(double a, double b, double c, double d) { v = Vector{a, b, c, d}; }
  double operator[](std::size_t i) const { return v[i]; }
  void set_product(const WideLanes& x, double s) { v = x.v * Vector{s, s, s, s}; }
  void set_product(const WideLanes& x, const WideLanes& y) { v = x.v * y.v; }
  void add_product(const WideLanes& x, double s) { v = _mm256_fmadd_pd(x.v, Vector{s, s, s, s}, v); }
  void add_product(const WideLanes& x, const WideLanes& y) { v = _mm256_fmadd_pd(x.v, y.v, v); }
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

/// Rows 1 ... order of the series from row 0; 7 numbers a row, (e | ω').
///
///   (k + 1) e_{k+1} = ½ Σ_j e_j ∘ (0; ω'_{k−j}),   (k + 1) ω1_{k+1} = (J2 − J3)/J1 Σ_j ω2_j ω3_{k−j} and so on in turn
///   (DYN-32)
///
/// Sums Σ_j e_j ω_i,k−j and Σ_j (ω2, ω3, ω1)_j (ω3, ω1, ω2)_k−j run side by side; products of e come out of the first
/// three by exchange of places. The newest term enters last, so that a sum is well under way before its end is known,
/// and two sums, for k and k + 1, run over the known terms together: each number is loaded once for both, and twice as
/// many additions are under way. Every sum keeps its order of terms, so the bits are those of one sum at a time.
template <class Lanes, std::size_t kMostOrder, class S = typename Lanes::Number>
inline void expand_free_rotor(const S* gyration, std::size_t order, S* rows) {
  struct Term {
    Lanes e;
    Lanes ahead;   // ω2 ω3 ω1
    Lanes behind;  // ω3 ω1 ω2
  };
  struct Sums {
    Lanes a, b, c;  // e ω1, e ω2, e ω3
    Lanes g;        // ω2 ω3, ω3 ω1, ω1 ω2
    void clear() {
      a.set(S(0), S(0), S(0), S(0));
      b = a;
      c = a;
      g = a;
    }
    void add(const Term& p, const Term& q) {
      a.add_product(p.e, q.behind[1]);
      b.add_product(p.e, q.behind[2]);
      c.add_product(p.e, q.behind[0]);
      g.add_product(p.ahead, q.behind);
    }
  };
  static constexpr Shares<S, kMostOrder> kShares;
  Term list[kMostOrder + 1];
  list[0].e.set(rows[0], rows[1], rows[2], rows[3]);
  list[0].ahead.set(rows[5], rows[6], rows[4], S(0));
  list[0].behind.set(rows[6], rows[4], rows[5], S(0));
  Lanes c;
  Lanes sign1;
  Lanes sign2;
  Lanes sign3;
  c.set(gyration[0], gyration[1], gyration[2], S(0));
  sign1.set(S(-0.5), S(0.5), S(0.5), S(-0.5));
  sign2.set(S(-0.5), S(-0.5), S(0.5), S(0.5));
  sign3.set(S(-0.5), S(0.5), S(-0.5), S(0.5));

  // Row k + 1 from its sum.
  const auto close = [&](std::size_t k, const Sums& sum) {
    const S share = kShares.of[k];
    Lanes e;
    Lanes w;
    Lanes part;
    Lanes weight;
    part.set(sum.a[1], sum.a[0], sum.a[3], sum.a[2]);
    weight.set_product(sign1, share);
    e.set_product(part, weight);
    part.set(sum.b[2], sum.b[3], sum.b[0], sum.b[1]);
    weight.set_product(sign2, share);
    e.add_product(part, weight);
    part.set(sum.c[3], sum.c[2], sum.c[1], sum.c[0]);
    weight.set_product(sign3, share);
    e.add_product(part, weight);
    weight.set_product(c, share);
    w.set_product(sum.g, weight);
    Term& next = list[k + 1];
    next.e = e;
    next.ahead.set(w[1], w[2], w[0], w[3]);
    next.behind.set(w[2], w[0], w[1], w[3]);
    S* row = rows + 7 * (k + 1);
    for (std::size_t i = 0; i < 4; ++i) { row[i] = e[i]; }
    for (std::size_t i = 0; i < 3; ++i) { row[4 + i] = w[i]; }
  };

  for (std::size_t k = 0; k < order; k += 2) {
    Sums sum;       // for k
    Sums sum_next;  // for k + 1
    sum.clear();
    sum_next.clear();
    if (k > 0) {
      const Term* p = list + 1;
      const Term* q = list + k;
      sum_next.add(*p, *q);
      while (--q > list) {
        sum.add(*p, *q);
        sum_next.add(*++p, *q);
      }
      sum.add(list[0], list[k]);
    }
    sum.add(list[k], list[0]);
    close(k, sum);
    if (k + 1 == order) { break; }
    sum_next.add(list[0], list[k + 1]);
    sum_next.add(list[k + 1], list[0]);
    close(k + 1, sum_next);
  }
}

}  // namespace
}  // namespace polhode
