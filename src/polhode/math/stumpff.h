#pragma once

#include "polhode/math/elementary.h"
#include "polhode/math/scalar.h"

namespace polhode {

/// Stumpff functions c_n(ρ) = Σ_k (−ρ)^k / (2k + n)!: what sin and cos leave when powers of the
/// angle φ are divided out, ρ = φ². c0 = cos φ, c1 = sin φ/φ, c2 = (1 − cos φ)/φ², c3 = (φ − sin φ)/φ³.
///
///   c_n = 1/n! − ρ c_{n+2},    dc_n/dρ = ½ (n c_{n+2} − c_{n+1})          (KIN-60)
template <class S>
struct Stumpff {
  S c0, c1, c2, c3, c4, c5;
};

/// All six at ρ ≥ 0, without cancellation: c4 and c5 by their series and the rest upwards for ρ < 4; beyond, c0 to c2
/// from the half angle, c1 = sin(φ/2) cos(φ/2)/(φ/2) and c2 = 2 sin²(φ/2)/ρ, which are as good next to their zeros, and
/// the recurrence downwards (where each difference loses less than three bits).
template <class S>
Stumpff<S> stumpff(const S& rho) {
  Stumpff<S> c{};
  if (value_of(rho) < 4) {
    // terms (−ρ)^k / (2k + n)! until they no longer count
    S term4 = S(1) / S(24);
    S term5 = S(1) / S(120);
    c.c4 = term4;
    c.c5 = term5;
    const auto smallest = unit_roundoff<S>() / 1024;
    for (int k = 1; k < 64; ++k) {
      term4 = -term4 * rho / S((2 * k + 3) * (2 * k + 4));
      term5 = -term5 * rho / S((2 * k + 4) * (2 * k + 5));
      c.c4 = c.c4 + term4;
      c.c5 = c.c5 + term5;
      const auto size = value_of(term4);
      if ((size < 0 ? -size : size) < smallest) { break; }
    }
    c.c2 = S(0.5) - rho * c.c4;
    c.c3 = S(1) / S(6) - rho * c.c5;
    c.c0 = S(1) - rho * c.c2;
    c.c1 = S(1) - rho * c.c3;
  } else {
    const S phi = math::sqrt(rho);
    const math::SinCos<S> half = math::sincos(S(0.5) * phi);
    c.c0 = (half.cos - half.sin) * (half.cos + half.sin);
    c.c1 = S(2) * half.sin * half.cos / phi;
    c.c2 = S(2) * half.sin * half.sin / rho;
    c.c3 = (S(1) - c.c1) / rho;
    c.c4 = (S(0.5) - c.c2) / rho;
    c.c5 = (S(1) / S(6) - c.c3) / rho;
  }
  return c;
}

/// atan(√r)/√r by its series 1 − r/3 + r²/5 − …, for |r| ≪ 1.
template <class S>
S atan_over(const S& r) {
  S sum(1);
  S power(1);
  const auto smallest = unit_roundoff<S>() / 1024;
  for (int k = 1; k < 64; ++k) {
    power = -power * r;
    const S term = power / S(2 * k + 1);
    sum = sum + term;
    const auto size = value_of(term);
    if ((size < 0 ? -size : size) < smallest) { break; }
  }
  return sum;
}

}  // namespace polhode
