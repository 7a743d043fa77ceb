#pragma once

#include "polhode/motion/convert.h"
#include "polhode/motion/phase.h"
#include "polhode/motion/state.h"

#include <algorithm>
#include <array>
#include <span>

namespace polhode {

/// Spin about one principal axis under a torque about that axis, other rates zero.
///
///   ω = ω0 + P/C,   χ = ω0 t + Q/C,   P = ∫₀ᵗ M dt,  Q = ∫₀ᵗ P dt,   e = e(0) ∘ (cos χ/2; s' sin χ/2)         (MOT-29)
template <class S = double>
class ForcedSpin {
 public:
  /// `moment` about body axis 0, 1 or 2; `w0` the rate about it at t = 0.
  ForcedSpin(const S& moment, std::size_t axis, const EulerParameters<S>& e_NB0, const S& w0)
      : moment_(moment), w0_(w0), axis_(axis), e_NB0_(e_NB0) {
    motion::require_moment(static_cast<double>(moment), "moment about the spin axis");
    motion::require_axis(axis);
    motion::require_start_of(e_NB0, {S(0), S(0), w0});
  }

  /// The state at t from the torque's first and second integral over (0, t).
  MotionState<S> at(const S& t, const Wide<S>& P, const Wide<S>& Q) const {
    using W = Wide<S>;
    const W chi = W(w0_) * W(t) + Q / W(moment_);
    const motion::Phase<S> turns{W(0), chi / (W(4) * elliptic::pi<W>())};
    const math::SinCos<S> half = math::sincos(turns.angle(S(0)));
    MotionState<S> state;
    state.e_NB = e_NB0_ * EulerParameters<S>{half.cos, half.sin * axis_vector<S>(axis_)};
    state.w_B = static_cast<S>(W(w0_) + P / W(moment_)) * axis_vector<S>(axis_);
    return state;
  }

  /// The state at t under M(t) = c0 + c1 t + c2 t² + …
  MotionState<S> at(const S& t, std::span<const S> torque) const {
    using W = Wide<S>;
    W P(0);
    W Q(0);
    for (std::size_t i = torque.size(); i-- > 0;) {
      const int n = static_cast<int>(i);
      P = P * W(t) + W(torque[i]) / W(n + 1);
      Q = Q * W(t) + W(torque[i]) / W((n + 1) * (n + 2));
    }
    return at(t, P * W(t), Q * W(t) * W(t));
  }

  /// One state for each time; both spans have the same length.
  void at(std::span<const S> times, std::span<const S> torque, std::span<MotionState<S>> states) const {
    const std::size_t count = std::min(times.size(), states.size());
    for (std::size_t i = 0; i < count; ++i) { states[i] = at(times[i], torque); }
  }

 private:
  S moment_, w0_;
  std::size_t axis_;
  EulerParameters<S> e_NB0_;
};

/// Body rate of an axisymmetric body, moments I across and C along body axis 3, under a constant body torque (M1, M2,
/// 0).
///
///   z = ω'1 + iω'2,  Ω = ω'3 (C − I)/I,  ω'3 constant:
///   z(t) = z(0) e^{iΩt} + (M1 + iM2)/I · t e^{iΩt/2} sinc(Ωt/2)                                        (MOT-30)
///
/// The rate only: the attitude of this motion has no closed form in known functions and takes an integrator. Regular
/// for Ω → 0.
template <class S = double>
class ConstantTorqueRate {
 public:
  ConstantTorqueRate(const S& transverse, const S& axial, const Vec3<S>& w_B0, const S& M1, const S& M2)
      : w_B0_(w_B0), M1_(M1), M2_(M2), transverse_(transverse) {
    motion::require_moment(static_cast<double>(transverse), "transverse moment");
    motion::require_moment(static_cast<double>(axial), "axial moment");
    motion::require_start_of(EulerParameters<S>::identity(), w_B0);
    motion::require_finite(static_cast<double>(M1), "torque M1");
    motion::require_finite(static_cast<double>(M2), "torque M2");
    using W = Wide<S>;
    Omega_ = static_cast<S>(W(w_B0.z) * (W(axial) - W(transverse)) / W(transverse));
    half_ = {W(w_B0.z) * (W(axial) - W(transverse)) / W(transverse) / (W(4) * elliptic::pi<W>()), W(0)};
  }

  Vec3<S> at(const S& t) const {
    const math::SinCos<S> x = math::sincos(half_.angle(t));
    const S c = (x.cos - x.sin) * (x.cos + x.sin);
    const S s = S(2) * x.sin * x.cos;
    // t sinc(Ωt/2), from its limit where Ωt is too small to tell
    const S Omega_t = Omega_ * t;
    const bool small = Omega_t * Omega_t < S(std::numeric_limits<S>::epsilon());
    const S growth = (small ? t : S(2) * x.sin / Omega_) / transverse_;
    const S re = growth * (M1_ * x.cos - M2_ * x.sin);
    const S im = growth * (M1_ * x.sin + M2_ * x.cos);
    return {w_B0_.x * c - w_B0_.y * s + re, w_B0_.x * s + w_B0_.y * c + im, w_B0_.z};
  }

  /// One rate for each time; both spans have the same length.
  void at(std::span<const S> times, std::span<Vec3<S>> rates) const {
    const std::size_t count = std::min(times.size(), rates.size());
    for (std::size_t i = 0; i < count; ++i) { rates[i] = at(times[i]); }
  }

 private:
  Vec3<S> w_B0_;
  S M1_, M2_, transverse_;
  S Omega_{};
  motion::Phase<S> half_;
};

}  // namespace polhode
