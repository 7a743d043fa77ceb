#pragma once

#include "polhode/math/elementary.h"
#include "polhode/math/piecewise.h"

#include <array>
#include <cstddef>

/// A power series in time, cut off: x(t + τ) = Σ c_k τ^k, k = 0 ... N. Arithmetic and elementary functions act on the
/// coefficients by the recurrences that follow from f' = g(u) u' [HairerNorsettWanner1993 I.8], in N²/2 operations
/// each. c_0 has the bits that the number alone would have.
namespace polhode {

template <class S, std::size_t N>
struct Jet {
  std::array<S, N + 1> c{};

  constexpr Jet() = default;
  constexpr Jet(const S& x) { c[0] = x; }  // NOLINT(google-explicit-constructor): a constant is a series
  template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, S>)
  constexpr Jet(T x) : Jet(S(x)) {}  // NOLINT(google-explicit-constructor)

  /// Time itself, at t: t + τ.
  static constexpr Jet time(const S& t) {
    Jet result(t);
    if constexpr (N > 0) { result.c[1] = S(1); }
    return result;
  }

  constexpr Jet& operator+=(const Jet& b) { return *this = *this + b; }
  constexpr Jet& operator-=(const Jet& b) { return *this = *this - b; }
  constexpr Jet& operator*=(const Jet& b) { return *this = *this * b; }
  constexpr Jet& operator/=(const Jet& b) { return *this = *this / b; }

  friend constexpr Jet operator+(const Jet& a) { return a; }
  friend constexpr Jet operator-(const Jet& a) {
    Jet result;
    for (std::size_t k = 0; k <= N; ++k) { result.c[k] = -a.c[k]; }
    return result;
  }
  friend constexpr Jet operator+(const Jet& a, const Jet& b) {
    Jet result;
    for (std::size_t k = 0; k <= N; ++k) { result.c[k] = a.c[k] + b.c[k]; }
    return result;
  }
  friend constexpr Jet operator-(const Jet& a, const Jet& b) {
    Jet result;
    for (std::size_t k = 0; k <= N; ++k) { result.c[k] = a.c[k] - b.c[k]; }
    return result;
  }
  friend constexpr Jet operator*(const Jet& a, const Jet& b) {
    Jet result;
    for (std::size_t k = 0; k <= N; ++k) {
      S sum = a.c[0] * b.c[k];
      for (std::size_t j = 1; j <= k; ++j) { sum = sum + a.c[j] * b.c[k - j]; }
      result.c[k] = sum;
    }
    return result;
  }
  friend constexpr Jet operator/(const Jet& a, const Jet& b) {
    Jet result;
    for (std::size_t k = 0; k <= N; ++k) {
      S sum = a.c[k];
      for (std::size_t j = 1; j <= k; ++j) { sum = sum - b.c[j] * result.c[k - j]; }
      result.c[k] = sum / b.c[0];
    }
    return result;
  }
  friend bool operator==(const Jet&, const Jet&) = default;
};

template <class S, std::size_t N>
inline constexpr bool kHoldsOneValue<Jet<S, N>> = kHoldsOneValue<S>;

template <class S, std::size_t N>
constexpr auto value_of(const Jet<S, N>& x) {
  return value_of(x.c[0]);
}

namespace math {
template <class S, std::size_t N>
inline constexpr Jet<S, N> kPi<Jet<S, N>>{kPi<S>};
}  // namespace math

namespace detail {

/// Σ_{j=1..k} j u_j g_{k−j} / k: coefficient k of f where f' = g u'.
template <class S, std::size_t N>
S coefficient(const Jet<S, N>& u, const Jet<S, N>& g, std::size_t k) {
  S sum = u.c[1] * g.c[k - 1];
  for (std::size_t j = 2; j <= k; ++j) { sum = sum + S(static_cast<double>(j)) * (u.c[j] * g.c[k - j]); }
  return sum / S(static_cast<double>(k));
}
/// f(u) from f(u_0) and the series of f'(u).
template <class S, std::size_t N>
Jet<S, N> from_slope(const S& first, const Jet<S, N>& u, const Jet<S, N>& slope) {
  Jet<S, N> f(first);
  for (std::size_t k = 1; k <= N; ++k) { f.c[k] = coefficient(u, slope, k); }
  return f;
}
/// √ of a series whose first coefficient is known: r² = u.
template <class S, std::size_t N>
Jet<S, N> root_from(const S& first, const Jet<S, N>& u) {
  Jet<S, N> r(first);
  for (std::size_t k = 1; k <= N; ++k) {
    S sum = u.c[k];
    for (std::size_t j = 1; j < k; ++j) { sum = sum - r.c[j] * r.c[k - j]; }
    r.c[k] = sum / (S(2) * first);
  }
  return r;
}
/// sin u and cos u (sign −1), or sinh u and cosh u (sign +1): s' = c u', c' = sign s u'.
template <class S, std::size_t N>
struct Waves {
  Jet<S, N> s, c;
};
template <class S, std::size_t N>
Waves<S, N> waves(const S& s0, const S& c0, const Jet<S, N>& u, double sign) {
  Waves<S, N> w{s0, c0};
  for (std::size_t k = 1; k <= N; ++k) {
    w.s.c[k] = coefficient(u, w.c, k);
    w.c.c[k] = S(sign) * coefficient(u, w.s, k);
  }
  return w;
}
/// f with f' = (1 + sign f²) u': tan (+1), tanh (−1).
template <class S, std::size_t N>
Jet<S, N> tangent(const S& first, const Jet<S, N>& u, double sign) {
  Jet<S, N> f(first);
  Jet<S, N> slope;  // 1 + sign f², as far as f is known
  for (std::size_t k = 1; k <= N; ++k) {
    S square = f.c[0] * f.c[k - 1];
    for (std::size_t j = 1; j < k; ++j) { square = square + f.c[j] * f.c[k - 1 - j]; }
    slope.c[k - 1] = S(sign) * square;
    if (k == 1) { slope.c[0] = S(1) + slope.c[0]; }
    f.c[k] = coefficient(u, slope, k);
  }
  return f;
}

/// The first coefficient that is not 0; N + 1: none up to τ^N.
template <class S, std::size_t N>
double order_of_zero(const Jet<S, N>& u) {
  std::size_t m = 0;
  while (m <= N && u.c[m] == S(0)) { ++m; }
  return static_cast<double>(m);
}

/// p = u^(n/d), u_0 ≠ 0 of either sign, by d u p' = n p u'.
template <class S, std::size_t N>
Jet<S, N> power_from(const S& first, const Jet<S, N>& u, const S& n, const S& d) {
  Jet<S, N> p(first);
  for (std::size_t k = 1; k <= N; ++k) {
    S sum = S(0);
    for (std::size_t j = 1; j <= k; ++j) {
      const S factor = n * S(static_cast<double>(j)) - d * S(static_cast<double>(k - j));
      sum = sum + factor * (u.c[j] * p.c[k - j]);
    }
    p.c[k] = sum / (d * S(static_cast<double>(k)) * u.c[0]);
  }
  return p;
}

}  // namespace detail

template <class S, std::size_t N>
Jet<S, N> sqrt(const Jet<S, N>& u) {
  return detail::root_from(S(math::sqrt(u.c[0])), u);
}
template <class S, std::size_t N>
Jet<S, N> exp(const Jet<S, N>& u) {
  Jet<S, N> e(math::exp(u.c[0]));
  for (std::size_t k = 1; k <= N; ++k) { e.c[k] = detail::coefficient(u, e, k); }
  return e;
}
template <class S, std::size_t N>
Jet<S, N> log(const Jet<S, N>& u) {
  return detail::from_slope(S(math::log(u.c[0])), u, Jet<S, N>(1.0) / u);
}
template <class S, std::size_t N>
Jet<S, N> log10(const Jet<S, N>& u) {
  return detail::from_slope(S(math::log10(u.c[0])), u, Jet<S, N>(1.0) / (Jet<S, N>(math::log(S(10))) * u));
}
template <class S, std::size_t N>
Jet<S, N> sin(const Jet<S, N>& u) {
  return detail::waves(S(math::sin(u.c[0])), S(math::cos(u.c[0])), u, -1).s;
}
template <class S, std::size_t N>
Jet<S, N> cos(const Jet<S, N>& u) {
  return detail::waves(S(math::sin(u.c[0])), S(math::cos(u.c[0])), u, -1).c;
}
template <class S, std::size_t N>
Jet<S, N> sinh(const Jet<S, N>& u) {
  return detail::waves(S(math::sinh(u.c[0])), S(math::cosh(u.c[0])), u, 1).s;
}
template <class S, std::size_t N>
Jet<S, N> cosh(const Jet<S, N>& u) {
  return detail::waves(S(math::sinh(u.c[0])), S(math::cosh(u.c[0])), u, 1).c;
}
template <class S, std::size_t N>
Jet<S, N> tan(const Jet<S, N>& u) {
  return detail::tangent(S(math::tan(u.c[0])), u, 1);
}
template <class S, std::size_t N>
Jet<S, N> tanh(const Jet<S, N>& u) {
  return detail::tangent(S(math::tanh(u.c[0])), u, -1);
}
template <class S, std::size_t N>
Jet<S, N> asin(const Jet<S, N>& u) {
  const Jet<S, N> one(1.0);
  return detail::from_slope(S(math::asin(u.c[0])), u, one / sqrt((one - u) * (one + u)));
}
template <class S, std::size_t N>
Jet<S, N> acos(const Jet<S, N>& u) {
  const Jet<S, N> one(1.0);
  return detail::from_slope(S(math::acos(u.c[0])), u, -one / sqrt((one - u) * (one + u)));
}
template <class S, std::size_t N>
Jet<S, N> atan(const Jet<S, N>& u) {
  const Jet<S, N> one(1.0);
  return detail::from_slope(S(math::atan(u.c[0])), u, one / (one + u * u));
}
/// θ' = (x y' − y x')/(x² + y²).
template <class S, std::size_t N>
Jet<S, N> atan2(const Jet<S, N>& y, const Jet<S, N>& x) {
  const Jet<S, N> square = x * x + y * y;
  const Jet<S, N> by_y = detail::from_slope(S(math::atan2(y.c[0], x.c[0])), y, x / square);
  const Jet<S, N> by_x = detail::from_slope(S(0), x, y / square);
  return by_y - by_x;
}
template <class S, std::size_t N>
Jet<S, N> hypot(const Jet<S, N>& x, const Jet<S, N>& y) {
  return detail::root_from(S(math::hypot(x.c[0], y.c[0])), x * x + y * y);
}
template <class S, std::size_t N>
Jet<S, N> cbrt(const Jet<S, N>& u) {
  return detail::power_from(S(math::cbrt(u.c[0])), u, S(1), S(3));
}
/// u^y: whole powers up to 64 by multiplication, which is right where u is 0 too; else by u p' = y p u', or by
/// e^(y log u) where y changes. Where u is 0, of order m, a power y > N/m has no coefficient up to τ^N. The first
/// coefficient is that of math::pow.
template <class S, std::size_t N>
Jet<S, N> pow(const Jet<S, N>& u, const Jet<S, N>& y) {
  bool constant = true;
  for (std::size_t k = 1; k <= N; ++k) { constant = constant && y.c[k] == S(0); }
  const auto n = value_of(y);
  using std::fabs;
  using std::floor;
  Jet<S, N> p(1.0);
  if (constant && n == floor(n) && fabs(n) <= 64) {
    const int count = static_cast<int>(fabs(n));
    for (int i = 0; i < count; ++i) { p = p * u; }
    if (n < 0) { p = Jet<S, N>(1.0) / p; }
  } else if (constant && value_of(u.c[0]) == 0 &&
             n * static_cast<std::remove_cv_t<decltype(n)>>(detail::order_of_zero(u)) >
                 static_cast<std::remove_cv_t<decltype(n)>>(N)) {
    p = Jet<S, N>();
  } else if (constant) {
    p = detail::power_from(S(math::pow(u.c[0], y.c[0])), u, y.c[0], S(1));
  } else {
    p = exp(y * log(u));
  }
  p.c[0] = math::pow(u.c[0], y.c[0]);
  return p;
}

}  // namespace polhode
