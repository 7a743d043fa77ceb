#pragma once

// Definitions of FreeMotion, for number types other than double: include this file instead of free_motion.h.
#include "polhode/motion/convert.h"
#include "polhode/motion/free_motion.h"

#include <algorithm>

namespace polhode {

template <class S, class W>
FreeMotion<S, W>::FreeMotion(const Vec3<S>& J_B, const EulerParameters<S>& e_NB0, const Vec3<S>& w_B0) {
  motion::require_moments(motion::convert<double>(J_B));
  motion::require_start_of(e_NB0, w_B0);
  set_up({W(J_B.x), W(J_B.y), W(J_B.z)}, identity<W, 3>(), e_NB0, w_B0);
}

/// Principal axes P of a full matrix: J_B = U diag(I) Uᵀ, U = R_BP, det U = +1, in the wide number type.   (MOT-15)
template <class S, class W>
FreeMotion<S, W>::FreeMotion(const Mat3<S>& J_B, const EulerParameters<S>& e_NB0, const Vec3<S>& w_B0) {
  motion::require_symmetric(motion::convert<double>(J_B));
  motion::require_start_of(e_NB0, w_B0);
  const SymmetricEigen<W, 3> eigen = symmetric_eigen(motion::convert<W>(J_B));
  Mat3<W> R_BP = eigen.vectors;
  if (determinant(R_BP) < W(0)) {
    for (std::size_t i = 0; i < 3; ++i) { R_BP(i, 2) = -R_BP(i, 2); }
  }
  const std::array<W, 3>& I = eigen.values;
  motion::require_moments({static_cast<double>(I[0]), static_cast<double>(I[1]), static_cast<double>(I[2])});
  set_up(I, R_BP, e_NB0, w_B0);
}

template <class S, class W>
void FreeMotion<S, W>::set_up(const std::array<W, 3>& moments, const Mat3<W>& R_BP, const EulerParameters<S>& e_NB0,
                              const Vec3<S>& w_B0) {
  e_NB0_ = e_NB0;
  w_B0_ = w_B0;
  moments_ = {static_cast<S>(moments[0]), static_cast<S>(moments[1]), static_cast<S>(moments[2])};
  period_ = std::numeric_limits<S>::infinity();

  const S largest_rate = std::max({motion::size(w_B0.x), motion::size(w_B0.y), motion::size(w_B0.z)});
  if (largest_rate == S(0)) { return; }

  // moments and rates of order 1, by powers of two: nothing over- or underflows below
  const W rate_unit = motion::binary_unit(W(largest_rate));
  const W moment_unit = motion::binary_unit(std::max({moments[0], moments[1], moments[2]}));
  const Vec3<W> w_P = transpose_times(R_BP, motion::convert<W>(w_B0));
  std::array<W, 3> I;
  std::array<W, 3> w;
  for (std::size_t i = 0; i < 3; ++i) {
    I[i] = moments[i] / moment_unit;
    w[i] = w_P[i] / rate_unit;
    if (motion::size(w[i]) < W(1e-140)) { w[i] = W(0); }
  }
  const Vec3<W> h_P{I[0] * w[0], I[1] * w[1], I[2] * w[2]};
  const W h = math::sqrt(h_P.x * h_P.x + h_P.y * h_P.y + h_P.z * h_P.z);
  momentum_ = static_cast<S>(h) * static_cast<S>(moment_unit) * static_cast<S>(rate_unit);
  kinetic_energy_ = static_cast<S>((h_P.x * w[0] + h_P.y * w[1] + h_P.z * w[2]) * W(0.5)) *
                    static_cast<S>(moment_unit) * static_cast<S>(rate_unit) * static_cast<S>(rate_unit);
  const Vec3<S> h_unit_B = motion::convert<S>(R_BP * (h_P / h));
  h_N_ = momentum_ * rotate(e_NB0, h_unit_B) / norm_squared(e_NB0);

  const bool same01 = I[0] == I[1];
  const bool same12 = I[1] == I[2];
  const bool same02 = I[0] == I[2];
  const int turning = (w[0] != W(0)) + (w[1] != W(0)) + (w[2] != W(0));
  if (turning == 1 || (same01 && same12)) {
    set_up_steady(e_NB0, w_B0, math::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * rate_unit);
  } else if (same01 || same12 || same02) {
    axis_B_ = h_unit_B;
    set_up_axisymmetric(same01 ? 2 : (same12 ? 0 : 1), I, {w[0] * rate_unit, w[1] * rate_unit, w[2] * rate_unit}, R_BP,
                        h * rate_unit);
  } else {
    set_up_asymmetric(I, w, R_BP, h, rate_unit);
  }
}

/// Spin about a principal axis, or about any axis of a spherical body.
///
///   e(t) = e(0) ∘ (cos ½|ω|t; ω'/|ω| sin ½|ω|t)              (MOT-16)
template <class S, class W>
void FreeMotion<S, W>::set_up_steady(const EulerParameters<S>&, const Vec3<S>& w_B0, const W& size) {
  branch_ = FreeBranch::steady;
  turn_ = {size / (W(4) * elliptic::pi<W>()), W(0)};
  axis_B_ = w_B0 / norm(w_B0);
}

/// Two equal moments I, the third C: with ĥ' the direction of h in the body at t = 0 and s' the symmetry axis,
///
///   e(t) = e(0) ∘ (cos a; ĥ' sin a) ∘ (cos b; −s' sin b),   a = |h|t/(2I),  b = Ωt/2,  Ω = ω's (C − I)/I (MOT-17)
///
/// and ω' turns about s' by Ωt.
template <class S, class W>
void FreeMotion<S, W>::set_up_axisymmetric(std::size_t axis, const std::array<W, 3>& I, const std::array<W, 3>& w,
                                           const Mat3<W>& R_BP, const W& h) {
  branch_ = FreeBranch::axisymmetric;
  const W& C = I[axis];
  const W& transverse = I[(axis + 1) % 3];
  const W Omega = w[axis] * (C - transverse) / transverse;
  const W four_pi = W(4) * elliptic::pi<W>();
  turn_ = {h / transverse / four_pi, W(0)};
  rate_ = {Omega / four_pi, W(0)};
  const Vec3<W> symmetry = column(R_BP, axis);
  symmetry_B_ = motion::convert<S>(symmetry);
  along_B_ = motion::convert<S>(w[axis] * symmetry);
  across_B_ = motion::convert<S>(w[(axis + 1) % 3] * column(R_BP, (axis + 1) % 3) +
                                 w[(axis + 2) % 3] * column(R_BP, (axis + 2) % 3));
  if (Omega != W(0)) {
    const W period = W(2) * elliptic::pi<W>() / motion::size(Omega);
    period_ = static_cast<S>(period);
    advance_ = static_cast<S>(h / transverse * period);
  }
}

/// The asymmetric body, moments (A, B, C) about axes C, B the middle one:
///
///   a1² = ω1² + ω2² B(C−B)/(A(C−A)),  a2² = ω2² + ω1² A(C−A)/(B(C−B)),  a3² = ω3² + ω2² B(B−A)/(C(C−A))
///   m = B(B−A)a2²/(C(C−A)a3²),  m1 = Δ/(C(C−B)a3²),  ν = a3 √((C−B)(C−A)/(AB)),  Δ = h² − 2TB                (MOT-18)
///
/// sn, cn, dn of y at parameter m1 depend on the moments alone:
///
///   sn² = A(C−B)/(B(C−A)),   cn² = C(B−A)/(B(C−A))                                                          (MOT-19)
///   2Λ = a3 + A a1²/(|h| + C a3) + 2ν i (ϑ4'/ϑ4)(−iσy),   N = (B a2/(|h| + C a3 √m1)) |ϑ4/ϑ1|(K − iσy)        (MOT-20)
///   advance in one period P = 4K/ν:  2ΛP + 2πσ                                                              (MOT-21)
template <class S, class W>
void FreeMotion<S, W>::set_up_asymmetric(const std::array<W, 3>& I, const std::array<W, 3>& w, const Mat3<W>& R_BP,
                                         const W& h, const W& rate_unit) {
  std::array<std::size_t, 3> order{0, 1, 2};  // by moment, smallest first
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return I[a] < I[b]; });
  const auto [low, mid, high] = order;

  // Δ = Σ I (I − I_mid) ω², in the wide type because the two terms cancel near the separatrix
  const W above = I[high] * (I[high] - I[mid]) * w[high] * w[high];
  const W below = I[low] * (I[mid] - I[low]) * w[low] * w[low];
  W Delta = above - below;
  if (motion::size(Delta) < W(16) * W(std::numeric_limits<W>::epsilon()) * (above + below)) { Delta = W(0); }
  branch_ =
      Delta == W(0) ? FreeBranch::separatrix : (Delta > W(0) ? FreeBranch::about_largest : FreeBranch::about_smallest);
  const std::size_t axis3 = branch_ == FreeBranch::about_smallest ? low : high;
  const std::size_t axis1 = branch_ == FreeBranch::about_smallest ? high : low;

  // axes C, right-handed, turned so that ω3 > 0 and ω1 ≥ 0 at t = 0
  const auto unit = [](std::size_t i, bool negative) {
    const Vec3<W> e = axis_vector<W>(i);
    return negative ? -e : e;
  };
  Vec3<W> r3 = unit(axis3, w[axis3] < W(0));
  Vec3<W> r2 = unit(mid, false);
  if (dot(cross(r2, r3), Vec3<W>{w[0], w[1], w[2]}) < W(0)) { r2 = -r2; }
  const Vec3<W> r1 = cross(r2, r3);
  const Mat3<W> R_BC = R_BP * from_columns(r1, r2, r3);
  const W w1 = motion::size(w[axis1]);
  const W w2 = r2[mid] * w[mid];
  const W w3 = motion::size(w[axis3]);
  const W& A = I[axis1];
  const W& B = I[mid];
  const W& C = I[axis3];
  const W CB = motion::size(C - B);
  const W CA = motion::size(C - A);
  const W BA = motion::size(B - A);
  const int sigma = C > A ? 1 : -1;

  const W a1 = math::sqrt(w1 * w1 + w2 * w2 * (B * CB) / (A * CA));
  const W a2 = math::sqrt(w2 * w2 + w1 * w1 * (A * CA) / (B * CB));
  const W a3 = math::sqrt(w3 * w3 + w2 * w2 * (B * BA) / (C * CA));
  const W m1 = motion::size(Delta) / (C * CB * a3 * a3);
  const W m = branch_ == FreeBranch::separatrix ? W(1) : B * BA * a2 * a2 / (C * CA * a3 * a3);
  const W nu = a3 * math::sqrt(CB * CA / (A * B));
  const W K = m1 > W(0) ? elliptic::complete_K(m1) : W(elliptic::kNoPeriod);
  const W Kprime = elliptic::complete_K(m);
  const W tau0 = elliptic::F_of(W(sigma) * w2 / a2, w1 / a1, w3 / a3);

  const W sn_y2 = A * CB / (B * CA);
  const W cn_y2 = C * BA / (B * CA);
  const W y = math::sqrt(sn_y2) * elliptic::R_F(cn_y2, cn_y2 + m * sn_y2, W(1));

  const elliptic::ThetaLine<W> line(K, W(2) * Kprime, W(-sigma) * y);
  const auto start = line.wave(W(0));
  const auto quarter = line.wave(K);
  // ϑ4'/ϑ4 on the imaginary axis is imaginary
  const W slope = line.template slope<4>(start).im / line.template theta<4>(start).re;
  const W Lambda = W(0.5) * (a3 + A * a1 * a1 / (h + C * a3)) - nu * slope;
  const W N = B * a2 / (h + C * a3 * math::sqrt(m1)) *
              math::sqrt(norm_squared(line.template theta<4>(quarter)) / norm_squared(line.template theta<1>(quarter)));

  line_ = elliptic::ThetaLine<S>(line);
  jacobi_ = elliptic::JacobiTable<S>(elliptic::JacobiTable<W>(K, Kprime));
  two_K_ = static_cast<S>(W(2) * K);
  beta_ = static_cast<S>(W(sigma) * N);
  amplitude_ = motion::convert<S>(rate_unit * Vec3<W>{a1, W(sigma) * a2, a3});
  R_BC_ = motion::convert<S>(R_BC);
  e_CB_ = conjugate(from_matrix(R_BC_));
  turn_ = {Lambda * rate_unit / (W(2) * elliptic::pi<W>()), W(0)};
  rate_ = {nu * rate_unit / (W(2) * K), tau0 / (W(2) * K)};
  e_NH_ = EulerParameters<S>::identity();
  e_NH_ = e_NB0_ * conjugate(at(S(0)).e_NB);

  m_ = static_cast<S>(m);
  m1_ = static_cast<S>(m1);
  if (branch_ != FreeBranch::separatrix) {
    const W period = W(4) * K / (nu * rate_unit);
    period_ = static_cast<S>(period);
    advance_ = static_cast<S>(W(2) * Lambda * rate_unit * period + W(2 * sigma) * elliptic::pi<W>());
  }
  // a rounding of every input changes Δ = h² − 2TB by about ε (2 |h| + 2 I |ω|) I |ω|
  const S speed = static_cast<S>(math::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
  const S change = S(std::numeric_limits<S>::epsilon()) * static_cast<S>(I[high]) * speed *
                   (static_cast<S>(h) + static_cast<S>(I[high]) * speed);
  input_loss_ = Delta == W(0) ? S(1) : std::min(S(1), change / static_cast<S>(motion::size(Delta)));
}

template <class S, class W>
MotionState<S> FreeMotion<S, W>::at(const S& t) const {
  switch (branch_) {
    case FreeBranch::rest:
      return {e_NB0_, w_B0_};
    case FreeBranch::steady: {
      const math::SinCos<S> half = math::sincos(turn_.angle(t));
      return {e_NB0_ * EulerParameters<S>{half.cos, half.sin * axis_B_}, w_B0_};
    }
    case FreeBranch::axisymmetric: {
      const math::SinCos<S> a = math::sincos(turn_.angle(t));
      const math::SinCos<S> b = math::sincos(rate_.angle(t));
      const S cos2b = (b.cos - b.sin) * (b.cos + b.sin);
      const S sin2b = S(2) * b.sin * b.cos;
      return {e_NB0_ * (EulerParameters<S>{a.cos, a.sin * axis_B_} * EulerParameters<S>{b.cos, -b.sin * symmetry_B_}),
              along_B_ + cos2b * across_B_ + sin2b * cross(symmetry_B_, across_B_)};
    }
    case FreeBranch::about_largest:
    case FreeBranch::about_smallest:
    case FreeBranch::separatrix:
      break;
  }
  // τ = 2K j + τr: ϑ1, sn and cn change sign with j
  const auto phase = rate_.at(t);
  const S tau = phase.part * two_K_;
  const S sign = phase.odd ? S(-1) : S(1);
  const elliptic::Jacobi<S> f = jacobi_.at(tau);
  const Vec3<S> w_C{sign * amplitude_.x * f.cn, sign * amplitude_.y * f.sn, amplitude_.z * f.dn};  // (MOT-13)

  // (MOT-14)
  const auto wave = line_.wave(tau);
  const elliptic::Complex<S> theta4 = line_.template theta<4>(wave);
  const elliptic::Complex<S> theta1 = (sign * beta_) * line_.template theta<1>(wave);
  const math::SinCos<S> turn = math::sincos(turn_.angle(t) + line_.phase_slope() * tau);
  const S scale = S(1) / math::sqrt(norm_squared(theta4) + norm_squared(theta1));
  const elliptic::Complex<S> factor{scale * turn.cos, scale * turn.sin};
  const elliptic::Complex<S> alpha = factor * theta4;
  const elliptic::Complex<S> beta = factor * theta1;
  const EulerParameters<S> e_HC{alpha.re, {beta.re, beta.im, alpha.im}};
  return {e_NH_ * (e_HC * e_CB_), R_BC_ * w_C};
}

template <class S, class W>
void FreeMotion<S, W>::at(std::span<const S> times, std::span<MotionState<S>> states) const {
  const std::size_t count = std::min(times.size(), states.size());
  for (std::size_t i = 0; i < count; ++i) { states[i] = at(times[i]); }
}

}  // namespace polhode
