#pragma once

#include "polhode/math/symmetric_eigen.h"
#include "polhode/math/theta.h"
#include "polhode/motion/checks.h"
#include "polhode/motion/phase.h"
#include "polhode/motion/state.h"
#include "polhode/rotation/rotation_matrix.h"

#include <array>
#include <span>
#include <utility>

namespace polhode {

/// How a free body moves. In the last three the body rate goes around an axis of largest or smallest moment, or
/// tends to the axis of the middle moment.
enum class FreeBranch { rest, steady, axisymmetric, about_largest, about_smallest, separatrix };

/// The motion of a free body in closed form, attitude included, at any time forward or backward.
///
/// Set up once from principal moments (body axes are principal axes) or a full inertia matrix, attitude and body rate
/// at t = 0; then `at(t)`, which is const, allocates nothing and may be called from many threads. e_NB is continuous in
/// t, sign included. |e_NB| stays what it was at t = 0.
///
/// The asymmetric body: in axes C with the middle moment B second and, third, the axis that the rate goes around,
///
///   ω1 = a1 cn τ,   ω2 = σ a2 sn τ,   ω3 = a3 dn τ,   τ = ν t + τ0                 (MOT-13) [Whittaker1937, chapter 6]
///
/// and the attitude with respect to axes H, third along h, by Cayley-Klein parameters α = e0 + i e3, β = e1 + i e2:
///
///   α : β = ϑ4(τ − iσy) : σ N ϑ1(τ − iσy),   |α|² + |β|² = 1, both times exp(iΛt)              (MOT-14) [Jacobi1850]
///
/// with σ = sign(C − A) and theta functions of half periods K and 2iK'. y and N are constants, 2Λ is the mean rate of
/// turning about h: free_motion_impl.h. [VanZonSchofield2007] and [Celledoni2008] compute the same motion from angles
/// and the integral of the third kind; here no angle is singular, no such integral is left, and near the separatrix the
/// theta functions become hyperbolic ones without loss.
///
/// Constants are set up in two doubles (`Wide<S>`), so that for input taken as exact the error does not grow with
/// time: about 1e-15 rad (measured table: docs/theory/motions.md). Rates below 1e-140 of the largest count as 0.
template <class S = double, class W = Wide<S>>
class FreeMotion {
 public:
  /// Body axes are principal axes with these moments, in any order.
  FreeMotion(const Vec3<S>& J_B, const EulerParameters<S>& e_NB0, const Vec3<S>& w_B0);
  /// Any symmetric inertia matrix, products of inertia included as they stand in the matrix.
  FreeMotion(const Mat3<S>& J_B, const EulerParameters<S>& e_NB0, const Vec3<S>& w_B0);

  MotionState<S> at(const S& t) const;
  /// One state for each time; both spans have the same length.
  void at(std::span<const S> times, std::span<MotionState<S>> states) const;

  FreeBranch branch() const { return branch_; }
  /// Parameter of the elliptic functions and its complement; 0 and 1 where there are none.
  const S& m() const { return m_; }
  const S& m1() const { return m1_; }
  /// Time after which the body rate is the same again; infinite where it is constant or never returns.
  const S& period() const { return period_; }
  /// Angle about h that the body has turned after one period: A(t + period) = Rot(ĥ, advance) A(t). Not reduced;
  /// 0 where there is no period.
  const S& advance() const { return advance_; }
  const S& kinetic_energy() const { return kinetic_energy_; }
  /// |h|; the direction of h in N does not change.
  const S& momentum() const { return momentum_; }
  const Vec3<S>& h_N() const { return h_N_; }
  const Vec3<S>& principal_moments() const { return moments_; }
  /// Relative uncertainty of m1 when every number of the input was rounded once: about ε/m1 times the spread of the
  /// moments. The motion is computed for the numbers as they stand; this says what their last digit is worth. A change
  /// δ of m1 shifts the phase by δ/2 per quarter period.
  const S& input_loss() const { return input_loss_; }

 private:
  void set_up(const std::array<W, 3>& moments, const Mat3<W>& R_BP, const EulerParameters<S>& e_NB0,
              const Vec3<S>& w_B0);
  void set_up_steady(const EulerParameters<S>& e_NB0, const Vec3<S>& w_B0, const W& size);
  void set_up_axisymmetric(std::size_t axis, const std::array<W, 3>& I, const std::array<W, 3>& w, const Mat3<W>& R_BP,
                           const W& h);
  void set_up_asymmetric(const std::array<W, 3>& I, const std::array<W, 3>& w, const Mat3<W>& R_BP, const W& h,
                         const W& rate_unit);

  FreeBranch branch_ = FreeBranch::rest;
  S m_{0}, m1_{1}, period_{}, advance_{0}, kinetic_energy_{0}, momentum_{0}, input_loss_{0};
  Vec3<S> moments_{}, h_N_{}, w_B0_{};
  EulerParameters<S> e_NB0_{};

  motion::Phase<S, W> turn_;        // about h, in half angles: Λt/2π; steady: |ω|t/4π
  motion::Phase<S, W> rate_;        // of the body rate: asymmetric τ/2K, axisymmetric Ωt/4π
  Vec3<S> axis_B_{};                // steady: direction of ω'; axisymmetric: of h' at t = 0
  Vec3<S> symmetry_B_{};            // axisymmetric: symmetry axis
  Vec3<S> along_B_{}, across_B_{};  // axisymmetric: parts of ω' along the symmetry axis and across, at t = 0
  S two_K_{};
  S beta_{};             // σ N
  Vec3<S> amplitude_{};  // a1, σ a2, a3
  EulerParameters<S> e_NH_{}, e_CB_{};
  Mat3<S> R_BC_{};
  elliptic::ThetaLine<S> line_;
  elliptic::JacobiTable<S> jacobi_;
};

/// Set up in plain doubles: a few times quicker, for short times and m1 not too small. The error grows as 1e-16 times
/// the phase, and m1 is good to 1e-16/m1 only.
using QuickFreeMotion = FreeMotion<double, double>;

extern template class FreeMotion<double>;
extern template class FreeMotion<double, double>;
extern template class FreeMotion<long double>;

}  // namespace polhode
