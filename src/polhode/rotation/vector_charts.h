#pragma once

#include "polhode/math/error_free.h"
#include "polhode/math/stumpff.h"
#include "polhode/rotation/chart.h"

#include <limits>

namespace polhode {

/// size² − x·x. Plain reals: good to rounding of itself however near the two are, from squares and sums with their
/// errors.
template <class S>
constexpr S square_left(const S& size, const Vec3<S>& x) {
  if constexpr (PlainReal<S>) {
    auto [high, low] = math::two_prod(size, size);
    for (const S component : {x.x, x.y, x.z}) {
      const math::TwoParts<S> square = math::two_prod(component, component);
      const math::TwoParts<S> sum = math::two_sum(high, -square.high);
      high = sum.high;
      low += sum.low - square.low;
    }
    return high + low;
  } else {
    return size * size - norm_squared(x);
  }
}

/// a, b, c of an axis-parallel chart at a point, and their derivatives by ρ = x·x.
template <class S>
struct IsotropicRate {
  S a, b, c;
  S da, db, dc;
};

/// Charts whose x is parallel to the axis of rotation, x = n f(μ): turning both frames turns x like a vector. So
/// the rate matrix can only be made of I, x̃ and x xᵀ, and one derivation serves them all [Shuster1993].
///
///   S = a I − b x̃ + c x xᵀ,  a, b, c functions of ρ = x·x   (KIN-40)
///   S⁻¹ = (a I + b x̃ + (b² − a c)/(a + cρ) x xᵀ) / (a² + b² ρ)                     (KIN-41)
///   singular values a + cρ along x, √(a² + b² ρ) twice across; det S = (a + cρ)(a² + b² ρ)   (KIN-42)
///   ∂ᵢS = 2xᵢ (a' I − b' x̃ + c' x xᵀ) − b ẽᵢ + c (eᵢ xᵀ + x eᵢᵀ)                   (KIN-43)
///   C(x) = S(x)ᵀ: the space rate matrix is the transpose    (KIN-44)
///
/// Derived gives: isotropic_rate(x), angle_left(x) (KIN-42's distance), and the two conversions.
template <class Derived>
struct VectorChart {
  template <class S>
  Mat3<S> body_rate_matrix(const Vec3<S>& x) const {
    const IsotropicRate<S> r = Derived::isotropic_rate(x);
    return r.a * identity<S, 3>() - r.b * skew(x) + r.c * outer(x, x);
  }
  template <class S>
  Mat3<S> inverse_body_rate_matrix(const Vec3<S>& x) const {
    const IsotropicRate<S> r = Derived::isotropic_rate(x);
    const S rho = norm_squared(x);
    const S across = r.a * r.a + r.b * r.b * rho;
    const S along = r.a + r.c * rho;
    return (S(1) / across) * (r.a * identity<S, 3>() + r.b * skew(x) + ((r.b * r.b - r.a * r.c) / along) * outer(x, x));
  }
  template <class S>
  std::array<Mat3<S>, 3> body_rate_partials(const Vec3<S>& x) const {
    const IsotropicRate<S> r = Derived::isotropic_rate(x);
    const Mat3<S> d = r.da * identity<S, 3>() - r.db * skew(x) + r.dc * outer(x, x);
    const auto partial = [&](std::size_t i) {
      const Vec3<S> ei = axis_vector<S>(i);
      return (S(2) * x[i]) * d - r.b * skew(ei) + r.c * (outer(ei, x) + outer(x, ei));
    };
    return {partial(0), partial(1), partial(2)};
  }
  template <class S>
  Conditioning<S> conditioning(const Vec3<S>& x) const {
    const IsotropicRate<S> r = Derived::isotropic_rate(x);
    const S rho = norm_squared(x);
    const S across_squared = r.a * r.a + r.b * r.b * rho;
    const S along = r.a + r.c * rho;
    const S ratio = math::sqrt(across_squared) / (value_of(along) < 0 ? S(-along) : along);
    return {along * across_squared, value_of(ratio) < 1 ? S(1) / ratio : ratio, Derived::angle_left(x)};
  }
  template <class S>
  Vec3<S> center() const {
    return {S(0), S(0), S(0)};
  }
};

/// Rotation vector x = μ n. Singular at |x| = 2π (and every further whole turn).
///
///   a = c1, b = c2, c = c3 of ρ (Stumpff functions)         (KIN-45) [Shuster1993]
///   S⁻¹ = c1/(2 c2) I + ½ x̃ + (c2² − c1 c3)/(2 c2) x xᵀ,  det S = 2 c2,  singular values 1, √(2 c2), √(2 c2)
///
/// by c1² + ρ c2² = 2 c2 and c1 + ρ c3 = 1, which in numbers would cancel near |x| = 2π.
struct RotationVector : VectorChart<RotationVector> {
  template <class S>
  EulerParameters<S> to_euler_parameters(const Vec3<S>& x) const {
    return exp(x);
  }
  /// |x| in [0, π].
  template <class S>
  Vec3<S> from_euler_parameters(const EulerParameters<S>& e) const {
    return rotation_vector(e);
  }
  template <class S>
  static IsotropicRate<S> isotropic_rate(const Vec3<S>& x) {
    const Stumpff<S> c = stumpff(norm_squared(x));
    return {c.c1, c.c2, c.c3, S(0.5) * (c.c3 - c.c2), S(0.5) * (S(2) * c.c4 - c.c3), S(0.5) * (S(3) * c.c5 - c.c4)};
  }
  template <class S>
  Mat3<S> inverse_body_rate_matrix(const Vec3<S>& x) const {
    const Stumpff<S> c = stumpff(norm_squared(x));
    const S half_inverse = S(0.5) / c.c2;
    return (half_inverse * c.c1) * identity<S, 3>() + S(0.5) * skew(x) +
           (half_inverse * (c.c2 * c.c2 - c.c1 * c.c3)) * outer(x, x);
  }
  template <class S>
  Conditioning<S> conditioning(const Vec3<S>& x) const {
    const S across_squared = S(2) * stumpff(norm_squared(x)).c2;
    const S across = math::sqrt(across_squared);
    return {across_squared, value_of(across) < 1 ? S(1) / across : across, angle_left(x)};
  }
  /// To the nearest whole turn other than none.
  template <class S>
  static S angle_left(const Vec3<S>& x) {
    const S size = norm(x);
    if (value_of(size) < value_of(S(3) * math::pi<S>())) {
      const S left = turn_left(x, size);
      return value_of(left) < 0 ? S(-left) : left;
    }
    const math::SinCos<S> at = math::sincos(size);
    const S left = math::atan2(at.sin, at.cos);
    return value_of(left) < 0 ? S(-left) : left;
  }
  /// The same attitude the other way round, |x| → 2π − |x|; x ≠ 0.
  ///
  ///   x̂ = (1 − 2π/|x|) x                                    (KIN-48)
  template <class S>
  static Vec3<S> shadow(const Vec3<S>& x) {
    const S size = norm(x);
    return (-turn_left(x, size) / size) * x;
  }

 private:
  /// 2π − |x|. Plain reals up to 3π: with what rounding took from 2π and from |x|, so that little turns that are left
  /// keep their digits:  |x| = size + δ,  δ = (x·x − size²)/(2 size).
  template <class S>
  static S turn_left(const Vec3<S>& x, const S& size) {
    const S turn = S(2) * math::pi<S>();
    if constexpr (PlainReal<S>) {
      if (size > math::pi<S>() && size < S(3) * math::pi<S>()) {
        return (turn - size) + (S(2) * math::kPiRest<S> + square_left(size, x) / (S(2) * size));
      }
    }
    return turn - size;
  }
};

/// Rodrigues parameters (Gibbs vector) x = n tan(μ/2) = e/e0. Singular at μ = π, where they are infinite.
///
///   a = b = 2/(1 + ρ), c = 0                                (KIN-46) [Shuster1993]
///   S⁻¹ = ½ (I + x̃ + x xᵀ),  det S = 8/(1 + ρ)²,  condition number √(1 + ρ): no quotient that is lost for large x
struct Rodrigues : VectorChart<Rodrigues> {
  ///   e = (1; x)/|(1; x)|
  template <class S>
  EulerParameters<S> to_euler_parameters(const Vec3<S>& x) const {
    return normalized(EulerParameters<S>{S(1), x});
  }
  template <class S>
  Vec3<S> from_euler_parameters(const EulerParameters<S>& e) const {
    return e.ev / e.e0;
  }
  template <class S>
  static IsotropicRate<S> isotropic_rate(const Vec3<S>& x) {
    const S f = S(1) / (S(1) + norm_squared(x));
    return {S(2) * f, S(2) * f, S(0), S(-2) * f * f, S(-2) * f * f, S(0)};
  }
  template <class S>
  Mat3<S> inverse_body_rate_matrix(const Vec3<S>& x) const {
    return S(0.5) * (identity<S, 3>() + skew(x) + outer(x, x));
  }
  template <class S>
  Conditioning<S> conditioning(const Vec3<S>& x) const {
    const S f = S(1) / (S(1) + norm_squared(x));
    return {S(8) * f * f, norm(EulerParameters<S>{S(1), x}), angle_left(x)};
  }
  /// π − μ = 2 acot |x|
  template <class S>
  static S angle_left(const Vec3<S>& x) {
    return S(2) * math::atan2(S(1), norm(x));
  }
};

/// Modified Rodrigues parameters x = n tan(μ/4) = e/(1 + e0). Singular at μ = 2π; the shadow set switches there.
///
///   a = 4 (1 − ρ)/(1 + ρ)², b = c = 8/(1 + ρ)²              (KIN-47) [SchaubJunkins1996]
struct ModifiedRodrigues : VectorChart<ModifiedRodrigues> {
  ///   e = (1 − ρ; 2x)/(1 + ρ)
  ///
  /// For ρ > 2 plain reals divide by ρ above and below, so that no square overflows.
  template <class S>
  EulerParameters<S> to_euler_parameters(const Vec3<S>& x) const {
    const S rho = norm_squared(x);
    if constexpr (PlainReal<S>) {
      if (rho > S(2)) {
        const S size = norm(x);
        const S inverse_rho = (S(1) / size) * (S(1) / size);
        const S g = S(1) / (inverse_rho + S(1));
        return {(inverse_rho - S(1)) * g, (S(2) * g / size) * (x / size)};
      }
    }
    const S f = S(1) / (S(1) + rho);
    return {square_left(S(1), x) * f, (S(2) * f) * x};
  }
  /// The set with |x| ≤ 1. Any |e| ≠ 0 will do.
  template <class S>
  Vec3<S> from_euler_parameters(const EulerParameters<S>& e) const {
    const EulerParameters<S> shortest = canonical(e);
    return shortest.ev / (norm(shortest) + shortest.e0);
  }
  template <class S>
  static IsotropicRate<S> isotropic_rate(const Vec3<S>& x) {
    const S rho = norm_squared(x);
    const S f = S(1) / (S(1) + rho);
    const S f2 = f * f;
    const S f3 = f2 * f;
    const S one_minus_rho = value_of(rho) < 2 ? square_left(S(1), x) : S(S(1) - rho);
    return {S(4) * one_minus_rho * f2, S(8) * f2, S(8) * f2, S(4) * (rho - S(3)) * f3, S(-16) * f3, S(-16) * f3};
  }
  /// 2π − μ = 4 acot |x|
  template <class S>
  static S angle_left(const Vec3<S>& x) {
    return S(4) * math::atan2(S(1), norm(x));
  }
  /// The same attitude by the other set, x ≠ 0.
  ///
  ///   x̂ = −x/|x|²                                           (KIN-48) [SchaubJunkins1996]
  template <class S>
  static Vec3<S> shadow(const Vec3<S>& x) {
    return (S(-1) / norm_squared(x)) * x;
  }
  /// Rates follow the switch: d/dt of (KIN-48), (2 x xᵀ/ρ − I) ẋ/ρ.
  template <class S>
  static Vec3<S> shadow_rate(const Vec3<S>& x, const Vec3<S>& xdot) {
    const S rho = norm_squared(x);
    return (S(1) / rho) * ((S(2) * dot(x, xdot) / rho) * x - xdot);
  }
};

/// Reduced Euler parameters x = (e1, e2, e3) with e0 = +√(1 − x·x). Singular at μ = π, |x| = 1.
///
///   a = 2 e0, b = 2, c = 2/e0                               (KIN-49) [Bernstein2023, eq. 49]
///   S⁻¹ = ½ (e0 I + x̃),  det S = 8/e0,  singular values 2, 2, 2/|e0|
struct ReducedEulerParameters : VectorChart<ReducedEulerParameters> {
  template <class S>
  EulerParameters<S> to_euler_parameters(const Vec3<S>& x) const {
    return {scalar_part(x), x};
  }
  /// The vector part of the sign with e0 ≥ 0; e is taken to be a unit quaternion.
  template <class S>
  Vec3<S> from_euler_parameters(const EulerParameters<S>& e) const {
    return canonical(e).ev;
  }
  template <class S>
  static IsotropicRate<S> isotropic_rate(const Vec3<S>& x) {
    return isotropic_rate_at(scalar_part(x));
  }
  /// The same with e0 given: on exact fractions, and for the branch e0 < 0, where all formulas hold too.
  template <class S>
  static constexpr IsotropicRate<S> isotropic_rate_at(const S& e0) {
    return {S(2) * e0, S(2), S(2) / e0, S(-1) / e0, S(0), S(1) / (e0 * e0 * e0)};
  }
  /// π − μ = 2 asin e0
  template <class S>
  static S angle_left(const Vec3<S>& x) {
    return S(2) * math::atan2(scalar_part(x), norm(x));
  }

 private:
  ///   e0 = √(1 − x·x)
  ///
  /// The vector part of a half turn, rounded, may be longer than 1 by some roundings: e0 is 0 there.
  template <class S>
  static S scalar_part(const Vec3<S>& x) {
    const S square = square_left(S(1), x);
    if (value_of(square) < 0 && value_of(square) > -8 * unit_roundoff<S>()) { return S(0); }
    return math::sqrt(square);
  }
};

static_assert(Chart<RotationVector> && Chart<Rodrigues> && Chart<ModifiedRodrigues> && Chart<ReducedEulerParameters>);

}  // namespace polhode
