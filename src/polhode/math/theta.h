#pragma once

#include "polhode/math/elliptic.h"

#include <array>
#include <cstddef>

namespace polhode::elliptic {

/// x + i y of any number type.
template <class S>
struct Complex {
  S re;
  S im;
  friend Complex operator*(const Complex& a, const Complex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Complex operator+(const Complex& a, const Complex& b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(const Complex& a, const Complex& b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator*(const S& s, const Complex& a) { return {s * a.re, s * a.im}; }
};
template <class S>
Complex<S> conjugate(const Complex<S>& a) {
  return {a.re, -a.im};
}
template <class S>
S norm_squared(const Complex<S>& a) {
  return a.re * a.re + a.im * a.im;
}

/// K of the limit m1 = 0, where the period is infinite: so long that nothing comes back.
inline constexpr double kNoPeriod = 0x1p60;

/// Theta functions ϑ1…ϑ4 along the line τ + i y, τ real, of the lattice with half periods K and i K'; in the usual
/// argument u = π(τ + iy)/(2K), nome q = exp(−πK'/K).
///
///   ϑ1 = 2 Σ (−1)ⁿ q^((n+½)²) sin (2n+1)u,   ϑ2 = 2 Σ q^((n+½)²) cos (2n+1)u,
///   ϑ3 = 1 + 2 Σ q^(n²) cos 2nu,             ϑ4 = 1 + 2 Σ (−1)ⁿ q^(n²) cos 2nu             (MOT-9)
///
/// [WhittakerWatson1927, section 21.1].
/// For K' < K the same functions as sums of Gaussians, that is in the nome q' = exp(−πK/K') and hyperbolic functions of
/// U = π(τ + iy)/(2K') [WhittakerWatson1927, section 21.51]:
///
///   ϑ1 ~ 2 Σ (−1)ⁿ q'^((n+½)²) sinh (2n+1)U, ϑ2 ~ 1 + 2 Σ (−1)ⁿ q'^(n²) cosh 2nU,
///   ϑ4 ~ 2 Σ q'^((n+½)²) cosh (2n+1)U,       ϑ3 ~ 1 + 2 Σ q'^(n²) cosh 2nU                 (MOT-10)
///
/// The factor left out is exp(−u²/(πK'/K)): its phase is exp(i κ τ), κ = −πy/(2KK') (`phase_slope`), its size depends
/// on τ alone. So at one τ the quotients of sizes on lines of one lattice are right up to a constant of each function
/// (powers of the nome, to stay in range), and the phases are right with exp(i κ τ). Five terms give a double. |y| ≤ K'
/// and |τ| ≤ K.
template <class S>
class ThetaLine {
 public:
  ThetaLine() = default;
  ThetaLine(const S& K, const S& Kprime, const S& y);

  /// The same line in another number type.
  template <class Other>
  explicit ThetaLine(const ThetaLine<Other>& wide);

  /// What all lines of one lattice need at τ.
  struct Wave {
    S c;        ///< direct: cos z; else exp(−|X|)
    S s;        ///< direct: sin z; else unused
    S c2;       ///< direct: cos 2z; else exp(2|X|)
    S s2;       ///< direct: sin 2z; else exp(−2|X|)
    bool left;  ///< τ < 0
  };
  Wave wave(const S& tau) const;

  /// ϑ_I, I = 1 2 3 4, without its phase exp(i κ τ).
  template <int I>
  Complex<S> theta(const Wave& at) const {
    return sum<I, false>(at);
  }
  /// dϑ_I/dτ, without the phase but with its derivative: exp(−iκτ) d/dτ (exp(iκτ) ϑ_I).
  template <int I>
  Complex<S> slope(const Wave& at) const {
    const Complex<S> value = theta<I>(at);
    const Complex<S> rate = sum<I, true>(at);
    return {frequency_ * rate.re - phase_slope_ * value.im, frequency_ * rate.im + phase_slope_ * value.re};
  }
  const S& phase_slope() const { return phase_slope_; }

 private:
  template <class Other>
  friend class ThetaLine;
  template <int I, bool Slope>
  Complex<S> sum(const Wave& at) const;

  static constexpr std::size_t kMostTerms = 12;
  /// Terms fall off as nome^(n² − n) at worst; none but the first counts where the nome is 0 altogether.
  static std::size_t terms_needed(double decay) {
    if (!(decay < 1e15)) { return 1; }
    static const double digits = 3 - math::log(static_cast<double>(std::numeric_limits<S>::epsilon()));
    std::size_t terms = 2;
    while (terms < kMostTerms && decay * static_cast<double>(terms * terms - terms) < digits) { ++terms; }
    return terms;
  }

  bool direct_ = true;
  bool below_ = false;     // y < 0: the conjugate of the line −y
  std::size_t terms_ = 1;  // of the odd group n = 0 … terms−1, of the even group n = 1 … terms−1
  double decay_ = 0;       // −ln of the nome
  S frequency_{};          // π/(2K) or π/(2K')
  S phase_slope_{};
  // direct: coefficients of the first and second part; else coefficients times cos and sin of the harmonic of γ
  std::array<S, kMostTerms> odd_first_{}, odd_second_{}, even_first_{}, even_second_{};
};

template <class S>
ThetaLine<S>::ThetaLine(const S& K, const S& Kprime, const S& y)
    : direct_(!(Kprime < K)), below_(y < S(0)), frequency_(pi<S>() / (S(2) * (direct_ ? K : Kprime))) {
  const S height = below_ ? -y : y;
  const S decay = direct_ ? pi<S>() * Kprime / K : pi<S>() * K / Kprime;
  const S offset = frequency_ * height;  // w or γ
  decay_ = static_cast<double>(decay);
  if (!direct_) { phase_slope_ = -pi<S>() * y / (S(2) * K * Kprime); }

  terms_ = terms_needed(decay_);
  const S nome = math::exp(-decay);
  S power(1);  // nome^(2n)
  if (direct_) {
    // nome^(n²+n) e^(2nw), nome^(n²+n) e^(−(2n+2)w), nome^(n²) e^(±2nw), each from the one before; none exceeds 1
    const S up = math::exp(S(2) * offset - decay);
    const S down = math::exp(-(S(2) * offset));
    S odd_up(1);
    S odd_down = down;
    S even_up(1);
    S even_down(1);
    for (std::size_t i = 0; i < terms_; ++i) {
      odd_first_[i] = odd_up + odd_down;
      odd_second_[i] = odd_up - odd_down;
      even_first_[i] = even_up + even_down;
      even_second_[i] = even_up - even_down;
      even_up = even_up * up * power;
      even_down = even_down * down * nome * power;
      odd_up = odd_up * up * nome * power;
      power = power * nome * nome;
      odd_down = odd_down * down * power;
    }
  } else {
    const math::SinCos<S> one = math::sincos(offset);
    S odd(1);   // nome^(n²+n)
    S even(1);  // nome^(n²)
    S c(1);     // harmonics of γ
    S s(0);
    const auto turn = [&] {
      const S next = c * one.cos - s * one.sin;
      s = s * one.cos + c * one.sin;
      c = next;
    };
    for (std::size_t i = 0; i < terms_; ++i) {
      even_first_[i] = even * c;
      even_second_[i] = even * s;
      turn();
      odd_first_[i] = odd * c;
      odd_second_[i] = odd * s;
      turn();
      even = even * nome * power;
      power = power * nome * nome;
      odd = odd * power;
    }
  }
}

template <class S>
template <class Other>
ThetaLine<S>::ThetaLine(const ThetaLine<Other>& wide)
    : direct_(wide.direct_),
      below_(wide.below_),
      terms_(terms_needed(wide.decay_)),
      decay_(wide.decay_),
      frequency_(static_cast<S>(wide.frequency_)),
      phase_slope_(static_cast<S>(wide.phase_slope_)) {
  for (std::size_t i = 0; i < terms_; ++i) {
    odd_first_[i] = static_cast<S>(wide.odd_first_[i]);
    odd_second_[i] = static_cast<S>(wide.odd_second_[i]);
    even_first_[i] = static_cast<S>(wide.even_first_[i]);
    even_second_[i] = static_cast<S>(wide.even_second_[i]);
  }
}

template <class S>
typename ThetaLine<S>::Wave ThetaLine<S>::wave(const S& tau) const {
  const S x = frequency_ * tau;
  if (direct_) {
    const math::SinCos<S> z = math::sincos(x);
    return {z.cos, z.sin, (z.cos - z.sin) * (z.cos + z.sin), S(2) * z.sin * z.cos, false};
  }
  const bool left = x < S(0);
  const S fall = math::exp(left ? x : -x);
  const S fall2 = fall * fall;
  return {fall, S(0), terms_ > 1 ? S(1) / fall2 : S(0), fall2, left};
}

template <class S>
template <int I, bool Slope>
Complex<S> ThetaLine<S>::sum(const Wave& at) const {
  constexpr bool kAlternating = I == 1;
  S re(0);
  S im(0);
  if (direct_) {
    if constexpr (I <= 2) {
      // (2n+1)u: a sin + i b cos for ϑ1, a cos − i b sin for ϑ2
      S c = at.c;
      S s = at.s;
      for (std::size_t i = 0; i < terms_; ++i) {
        const S weight = S((kAlternating && i % 2 == 1 ? -1 : 1) * (Slope ? static_cast<int>(2 * i + 1) : 1));
        const S a = weight * odd_first_[i];
        const S b = weight * odd_second_[i];
        if constexpr ((I == 1) != Slope) {
          re = re + a * s;
          im = im + b * c;
        } else {
          re = re + a * c;
          im = im - b * s;
        }
        const S next = c * at.c2 - s * at.s2;
        s = s * at.c2 + c * at.s2;
        c = next;
      }
      if constexpr (I == 2 && Slope) { re = -re, im = -im; }
    } else {
      re = S(Slope ? 0 : 1);
      S c = at.c2;
      S s = at.s2;
      for (std::size_t i = 1; i < terms_; ++i) {
        const S weight = S((I == 4 && i % 2 == 1 ? -1 : 1) * (Slope ? static_cast<int>(2 * i) : 1));
        const S a = weight * even_first_[i];
        const S b = weight * even_second_[i];
        if constexpr (Slope) {
          re = re - a * s;
          im = im - b * c;
        } else {
          re = re + a * c;
          im = im - b * s;
        }
        const S next = c * at.c2 - s * at.s2;
        s = s * at.c2 + c * at.s2;
        c = next;
      }
    }
  } else {
    // rise = exp(kX), fall = exp(−kX) of the harmonic k, both times exp(−X)
    constexpr bool kOdd = I == 1 || I == 4;
    constexpr bool kDifference = (I == 1) != Slope;  // of rise and fall in the real part: sinh rather than cosh
    S rise = kOdd ? S(1) : at.c;
    S fall = kOdd ? at.s2 : at.c;
    std::size_t i = 0;
    if constexpr (!kOdd) {
      re = Slope ? S(0) : at.c;
      i = 1;
      rise = rise * at.c2;
      fall = fall * at.s2;
    }
    for (; i < terms_; ++i) {
      const int harmonic = static_cast<int>(kOdd ? 2 * i + 1 : 2 * i);
      const S weight = S((I <= 2 && i % 2 == 1 ? -1 : 1) * (Slope ? harmonic : 1));
      const S a = weight * (kOdd ? odd_first_[i] : even_first_[i]);
      const S b = weight * (kOdd ? odd_second_[i] : even_second_[i]);
      if constexpr (kOdd ? kDifference : Slope) {
        re = re + a * (rise - fall);
        im = im + b * (rise + fall);
      } else {
        re = re + a * (rise + fall);
        im = im + b * (rise - fall);
      }
      if (i + 1 < terms_) {  // one more factor could overflow
        rise = rise * at.c2;
        fall = fall * at.s2;
      }
    }
    // f(−X + iγ) from f(X + iγ): ϑ1 is odd, the others even
    if (at.left) {
      if constexpr ((I == 1) != Slope) {
        re = -re;
      } else {
        im = -im;
      }
    }
  }
  return {re, below_ ? -im : im};
}

/// sn, cn, dn of one modulus at many arguments: quotients of theta functions.
///
///   sn ~ ϑ1/ϑ4,   cn ~ ϑ2/ϑ4,   dn ~ ϑ3/ϑ4                   (MOT-11) [WhittakerWatson1927, section 22.11]
///
/// The factors are those that make sn K = cn 0 = dn 0 = 1. |τ| ≤ K.
template <class S>
class JacobiTable {
 public:
  JacobiTable() = default;
  JacobiTable(const S& K, const S& Kprime) : line_(K, Kprime, S(0)) {
    const auto start = line_.wave(S(0));
    const auto quarter = line_.wave(K);
    sn_ = line_.template theta<4>(quarter).re / line_.template theta<1>(quarter).re;
    cn_ = line_.template theta<4>(start).re / line_.template theta<2>(start).re;
    dn_ = line_.template theta<4>(start).re / line_.template theta<3>(start).re;
  }
  template <class Other>
  explicit JacobiTable(const JacobiTable<Other>& wide)
      : line_(wide.line_),
        sn_(static_cast<S>(wide.sn_)),
        cn_(static_cast<S>(wide.cn_)),
        dn_(static_cast<S>(wide.dn_)) {}

  Jacobi<S> at(const S& tau) const {
    const auto wave = line_.wave(tau);
    const S under = S(1) / line_.template theta<4>(wave).re;
    return {sn_ * line_.template theta<1>(wave).re * under, cn_ * line_.template theta<2>(wave).re * under,
            dn_ * line_.template theta<3>(wave).re * under};
  }

 private:
  template <class Other>
  friend class JacobiTable;
  ThetaLine<S> line_;
  S sn_{}, cn_{}, dn_{};
};

}  // namespace polhode::elliptic
