#pragma once

#include "polhode/math/double_double.h"
#include "polhode/math/elementary.h"
#include "polhode/math/pi.h"

#include <array>
#include <cmath>

/// Elliptic integrals and Jacobi functions of real argument in the complementary parameter m1 = 1 − m, 0 ≤ m1 ≤ 1,
/// because 1 − m loses all digits next to m = 1. Templates for double, long double, DoubleDouble and
/// multiprecision numbers; + - * / sqrt and math:: functions only. Arguments outside the stated range give NaN or
/// nonsense, nothing is checked. Labels (MOT-n): docs/theory/motions.md.
namespace polhode::elliptic {

template <class S>
S pi() {
  if constexpr (std::is_same_v<S, DoubleDouble>) {
    return kPiWide;
  } else {
    return math::pi<S>();
  }
}

namespace detail {
template <class S>
S size(const S& x) {
  return x < S(0) ? -x : x;
}
/// Whether each x is so near the mean that a series cut at order 8 is good to the last digit: within ½ ε^(1/8). A
/// question that double can answer for every number type.
template <class S, class... X>
bool near_mean(const S& mean, const X&... x) {
  static const double reach =
      std::sqrt(std::sqrt(std::sqrt(static_cast<double>(std::numeric_limits<S>::epsilon())))) / 2;
  const double centre = static_cast<double>(mean);
  return (... && (std::fabs(static_cast<double>(x) - centre) < reach * centre));
}
}  // namespace detail

/// Symmetric integral of the first kind; x, y, z ≥ 0, at most one of them 0.
///
///   R_F(x,y,z) = ½ ∫₀^∞ ds / √((s+x)(s+y)(s+z)),   R_F(x,y,z) = R_F((x+λ)/4, (y+λ)/4, (z+λ)/4),
///   λ = √x√y + √x√z + √y√z                                   (MOT-1) [Carlson1995, section 2]
template <class S>
S R_F(S x, S y, S z) {
  for (int n = 0; n < 200; ++n) {
    const S mean = (x + y + z) / S(3);
    if (detail::near_mean(mean, x, y, z) || n == 199) {
      const S dx = S(1) - x / mean;
      const S dy = S(1) - y / mean;
      const S dz = -(dx + dy);
      const S e2 = dx * dy - dz * dz;
      const S e3 = dx * dy * dz;
      // symmetric polynomials up to order 7
      const S series = S(1) - e2 / S(10) + e3 / S(14) + e2 * e2 / S(24) - S(3) * e2 * e3 / S(44) -
                       S(5) * e2 * e2 * e2 / S(208) + S(3) * e3 * e3 / S(104) + e2 * e2 * e3 / S(16);
      return series / math::sqrt(mean);
    }
    const S rx = math::sqrt(x);
    const S ry = math::sqrt(y);
    const S rz = math::sqrt(z);
    const S lambda = rx * ry + rx * rz + ry * rz;
    x = S(0.25) * (x + lambda);
    y = S(0.25) * (y + lambda);
    z = S(0.25) * (z + lambda);
  }
  return x;
}

///   R_C(x,y) = R_F(x,y,y), y > 0                             (MOT-2) [Carlson1995, section 2]
template <class S>
S R_C(const S& x, const S& y) {
  return R_F(x, y, y);
}

/// Symmetric integral of the third kind; x, y, z ≥ 0, at most one of them 0, p > 0.
///
///   R_J(x,y,z,p) = 3/2 ∫₀^∞ ds / ((s+p) √((s+x)(s+y)(s+z)))
///                = ¼ R_J((x+λ)/4, …, (p+λ)/4) + 6/d R_C(1, 1+e),
///   d = (√p+√x)(√p+√y)(√p+√z),  e = (p−x)(p−y)(p−z)/d²       (MOT-3) [Carlson1995, section 2]
template <class S>
S R_J(S x, S y, S z, S p) {
  S sum(0);
  S weight(1);
  for (int n = 0; n < 200; ++n) {
    const S mean = (x + y + z + S(2) * p) / S(5);
    if (detail::near_mean(mean, x, y, z, p) || n == 199) {
      const S dx = S(1) - x / mean;
      const S dy = S(1) - y / mean;
      const S dz = S(1) - z / mean;
      const S dp = -(dx + dy + dz) / S(2);
      const S e2 = dx * dy + dx * dz + dy * dz - S(3) * dp * dp;
      const S e3 = dx * dy * dz + S(2) * e2 * dp + S(4) * dp * dp * dp;
      const S e4 = (S(2) * dx * dy * dz + e2 * dp + S(3) * dp * dp * dp) * dp;
      const S e5 = dx * dy * dz * dp * dp;
      const S series = S(1) - S(3) * e2 / S(14) + e3 / S(6) + S(9) * e2 * e2 / S(88) - S(3) * e4 / S(22) -
                       S(9) * e2 * e3 / S(52) + S(3) * e5 / S(26) - e2 * e2 * e2 / S(16) + S(3) * e3 * e3 / S(40) +
                       S(3) * e2 * e4 / S(20) + S(45) * e2 * e2 * e3 / S(272) - S(9) * (e3 * e4 + e2 * e5) / S(68);
      return sum + weight * series / (mean * math::sqrt(mean));
    }
    const S rx = math::sqrt(x);
    const S ry = math::sqrt(y);
    const S rz = math::sqrt(z);
    const S rp = math::sqrt(p);
    const S lambda = rx * ry + rx * rz + ry * rz;
    const S d = (rp + rx) * (rp + ry) * (rp + rz);
    const S e = (p - x) * (p - y) * (p - z) / (d * d);
    sum = sum + weight * S(6) / d * R_C(S(1), S(1) + e);
    weight = S(0.25) * weight;
    x = S(0.25) * (x + lambda);
    y = S(0.25) * (y + lambda);
    z = S(0.25) * (z + lambda);
    p = S(0.25) * (p + lambda);
  }
  return sum;
}

/// Complete integral of the first kind by the arithmetic-geometric mean; 0 < m1. K' is K at parameter m1, that is
/// complete_K(m).
///
///   K = π / (2 agm(1, √m1))                                  (MOT-4)
template <class S>
S complete_K(const S& m1) {
  S a(1);
  S b = math::sqrt(m1);
  const S close = math::sqrt(S(std::numeric_limits<S>::epsilon()));
  for (int n = 0; n < 60; ++n) {
    const S mean = (a + b) / S(2);
    const bool last = detail::size(a - b) < close * a;  // the next difference is below the last digit
    b = math::sqrt(a * b);
    a = mean;
    if (last) { break; }
  }
  return pi<S>() / (a + b);
}

/// Integral of the first kind from the values of the Jacobi functions there, |F| ≤ K; keeps all digits where cn and
/// dn are small. sn, cn, dn are those of one real argument.
///
///   F = sn R_F(cn², dn², 1)                                  (MOT-5) [Carlson1995, section 4]
template <class S>
S F_of(const S& sn, const S& cn, const S& dn) {
  return sn * R_F(cn * cn, dn * dn, S(1));
}

namespace detail {
/// φ = j π + rest, |rest| ≤ π/2.
template <class S>
struct Reduced {
  S turns;  ///< j
  S sin;
  S cos;
};
template <class S>
Reduced<S> reduce(const S& phi) {
  using std::round;
  const S j = round(phi / pi<S>());
  const S rest = phi - j * pi<S>();
  return {j, math::sin(rest), math::cos(rest)};
}
}  // namespace detail

///   F(φ|m) = ∫₀^φ dα/√(1 − m sin²α), any real φ              (MOT-5)
template <class S>
S F(const S& phi, const S& m1) {
  const detail::Reduced<S> at = detail::reduce(phi);
  const S dn_squared = at.cos * at.cos + m1 * at.sin * at.sin;
  S value = at.sin * R_F(at.cos * at.cos, dn_squared, S(1));
  if (at.turns != S(0)) { value = value + S(2) * at.turns * complete_K(m1); }
  return value;
}

///   Π(n; φ|m) = ∫₀^φ dα/((1 − n sin²α) √(1 − m sin²α)), n < 1, any real φ
///             = s R_F(c², d², 1) + (n/3) s³ R_J(c², d², 1, 1 − n s²)         (MOT-6) [Carlson1995, section 4]
///
/// The error is relative to F: for n ≪ 0 the two terms nearly cancel.
template <class S>
S Pi(const S& n, const S& phi, const S& m1) {
  const detail::Reduced<S> at = detail::reduce(phi);
  const S s2 = at.sin * at.sin;
  const S c2 = at.cos * at.cos;
  const S d2 = c2 + m1 * s2;
  S value = at.sin * R_F(c2, d2, S(1)) + n / S(3) * at.sin * s2 * R_J(c2, d2, S(1), c2 + (S(1) - n) * s2);
  if (at.turns != S(0)) {
    const S complete = R_F(S(0), m1, S(1)) + n / S(3) * R_J(S(0), m1, S(1), S(1) - n);
    value = value + S(2) * at.turns * complete;
  }
  return value;
}

/// Amplitude: F(am τ|m) = τ, continuous and increasing in τ, any real τ; 0 < m1.
///
///   a₀ = 1, b₀ = √m1;  a, b ← (a+b)/2, √(ab);  φ_N = 2^N a_N τ,  φ_{k−1} = ½(φ_k + asin(c_k sin φ_k / a_k)),
///   c_k = (a_{k−1} − b_{k−1})/2,  am = φ₀                     (MOT-7) [WhittakerWatson1927, section 22.42]
///
/// The cosine of the angle asin(…) is √(cos²φ + (b/a)² sin²φ), without cancellation.
template <class S>
S am(const S& tau, const S& m1) {
  constexpr int kMostSteps = 24;
  std::array<S, kMostSteps> c_over_a;
  std::array<S, kMostSteps> b_over_a;
  S a(1);
  S b = math::sqrt(m1);
  S scale(1);
  std::size_t steps = 0;
  while (steps < kMostSteps) {
    const S c = (a - b) / S(2);
    const S mean = (a + b) / S(2);
    b = math::sqrt(a * b);
    a = mean;
    scale = scale * S(2);
    c_over_a[steps] = c / a;
    b_over_a[steps] = b / a;
    ++steps;
    if (detail::size(c) <= S(std::numeric_limits<S>::epsilon()) * a) { break; }
  }
  S phi = scale * a * tau;
  while (steps > 0) {
    --steps;
    const math::SinCos<S> at = math::sincos(phi);
    const S height = b_over_a[steps] * at.sin;
    const S width = math::sqrt(at.cos * at.cos + height * height);
    phi = (phi + math::atan2(S(c_over_a[steps] * at.sin), width)) / S(2);
  }
  return phi;
}

template <class S>
struct Jacobi {
  S sn;
  S cn;
  S dn;
};

///   sn = sin am τ,  cn = cos am τ,  dn = √(cn² + m1 sn²)      (MOT-8) [WhittakerWatson1927, section 22.12]
///
/// m1 = 0 too: tanh, sech, sech.
template <class S>
Jacobi<S> jacobi(const S& tau, const S& m1) {
  if (m1 == S(0)) {
    const S sech = S(1) / math::cosh(tau);
    return {math::tanh(tau), sech, sech};
  }
  const S phi = am(tau, m1);
  const S sn = math::sin(phi);
  const S cn = math::cos(phi);
  return {sn, cn, math::sqrt(cn * cn + m1 * sn * sn)};
}

extern template double R_F(double, double, double);
extern template double R_J(double, double, double, double);
extern template double complete_K(const double&);
extern template double F(const double&, const double&);
extern template double Pi(const double&, const double&, const double&);
extern template double am(const double&, const double&);
extern template Jacobi<double> jacobi(const double&, const double&);

}  // namespace polhode::elliptic
