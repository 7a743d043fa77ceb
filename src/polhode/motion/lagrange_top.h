#pragma once

#include "polhode/math/theta.h"
#include "polhode/motion/checks.h"
#include "polhode/motion/phase.h"
#include "polhode/motion/state.h"

#include <span>

namespace polhode {

/// How a Lagrange top moves: steady precession (or spin upright or hanging), nutation, or the limit in between that
/// takes for ever to stand upright.
enum class TopBranch { steady, nutation, asymptotic };

/// What a Lagrange top is: symmetric about the body axis `axis` (0, 1 or 2) through the fixed point O.
template <class S = double>
struct TopBody {
  S transverse;  ///< moment about any axis across, at O, kg m²
  S axial;       ///< moment about the symmetry axis, kg m²
  S k;           ///< m g l, N m: mass centre at +l along the symmetry axis, gravity along −z of N; l < 0 is allowed
  std::size_t axis = 2;  ///< symmetry axis of the body
};

/// The motion of a Lagrange top in closed form, attitude included, at any time forward or backward. Set up once, then
/// `at(t)`: const, without allocation. e_NB is continuous in t, sign included.
///
/// With u = cos of the angle between symmetry axis and vertical, Cayley-Klein parameters α = e0 + i e3, β = e1 + i e2:
///
///   u̇² = (1 − u²)(q − ku·2/I) − (b − au)²,  a = Cω3/I,  b = h_z/I,  q = ω1² + ω2² + 2ku/I          (MOT-22)
///   u = u1 + (u2 − u1) sn² τ,  τ = pt + τ0,  p = √(k(u3 − u1)/2I),  m = (u2 − u1)/(u3 − u1)        (MOT-23)
///   α = Nα exp(iΛα t) ϑ1(τ − iσα yα)/ϑ4(τ),   β = Nβ exp(iΛβ t) ϑ2(τ − iσβ yβ)/ϑ4(τ)               (MOT-24)
///
/// [Whittaker1937, chapter 6; Klein1897]; roots u1 ≤ u2 ≤ 1 ≤ u3 of (MOT-22), half periods K and iK'; the constants are
/// in lagrange_top_impl.h. Passing exactly through the vertical is nothing special.
template <class S = double>
class LagrangeTop {
 public:
  LagrangeTop(const TopBody<S>& body, const EulerParameters<S>& e_NB0, const Vec3<S>& w_B0);

  MotionState<S> at(const S& t) const;
  void at(std::span<const S> times, std::span<MotionState<S>> states) const;

  TopBranch branch() const { return branch_; }
  const S& m() const { return m_; }
  const S& m1() const { return m1_; }
  /// u1 ≤ u ≤ u2, and the third root; u is measured from the upward vertical for k > 0, from the downward one for k <
  /// 0.
  const Vec3<S>& roots() const { return roots_; }
  /// Of the nutation; infinite without it.
  const S& period() const { return period_; }
  /// E = T + k u, h_z and ω3 do not change.
  const S& energy() const { return energy_; }
  const S& momentum_z() const { return momentum_z_; }
  const S& spin() const { return spin_; }

 private:
  using W = Wide<S>;
  using C = elliptic::Complex<S>;

  TopBranch branch_ = TopBranch::steady;
  S m_{0}, m1_{1}, period_{}, energy_{}, momentum_z_{}, spin_{};
  Vec3<S> roots_{};
  motion::Phase<S> alpha_phase_, beta_phase_, nutation_;
  EulerParameters<S> e_left_{}, e_right_{};  // N from the frame with the mass centre above, symmetry axis third to B
  std::size_t axis_ = 2;
  C alpha_{}, beta_{};  // constants in front; steady: the values at t = 0
  S two_K_{}, p_{}, alpha_rate_{}, beta_rate_{}, size0_{1};
  elliptic::ThetaLine<S> alpha_line_, beta_line_;
};

extern template class LagrangeTop<double>;

}  // namespace polhode
