#pragma once

// Definitions of LagrangeTop, for number types other than double: include this file instead of lagrange_top.h.
#include "polhode/motion/convert.h"
#include "polhode/motion/lagrange_top.h"

#include <algorithm>
#include <array>

namespace polhode {

namespace motion {

/// Roots v1 ≥ v2 ≥ 0 ≥ v3 of  v(2 − v)(ε + βv) − (d + av)² = 0, v = 1 − u, β > 0.
///
/// The root that stands farthest from the others by Newton's method, the others from their sum and their product, which
/// is −v2 v3 = d²/(βv1) or v1 v2 = d²/(−βv3).                                                                (MOT-25)
template <class W>
Vec3<W> top_roots(const W& beta, const W& epsilon, const W& a, const W& d) {
  const W c2 = W(2) * beta - epsilon - a * a;
  const W c1 = W(2) * (epsilon - a * d);
  const W c0 = -d * d;
  const auto f = [&](const W& v) { return ((c2 - beta * v) * v + c1) * v + c0; };
  const auto slope = [&](const W& v) { return (W(2) * c2 - W(3) * beta * v) * v + c1; };
  // from outside all roots Newton's method falls towards the outermost one without passing it
  const W bound = W(1) + (size(c2) + size(c1) + size(c0)) / beta;
  const auto outermost = [&](W v) {
    for (int n = 0; n < 400; ++n) {
      const W down = slope(v);
      if (down == W(0)) { break; }
      const W step = f(v) / down;
      const W next = v - step;
      if (next == v || size(step) < W(std::numeric_limits<W>::epsilon()) * size(v) / W(4)) { break; }
      v = next;
    }
    return v;
  };
  const W top = outermost(bound);
  const W bottom = std::min(outermost(-bound), W(0));
  const W middle = c2 / beta - top - bottom;
  const auto root = [](const W& x) { return x > W(0) ? math::sqrt(x) : W(0); };
  // v1 + v2 + v3 = c2/β, or v1 v2 + v1 v3 + v2 v3 = −c1/β where the others are small against this root
  const auto sum_of_others = [&](const W& v, const W& product) {
    const W difference = c2 / beta - v;
    return size(v) > size(difference) ? -(c1 / beta + product) / v : difference;
  };
  if (top - middle > middle - bottom) {
    const W product = c0 / (beta * top);
    const W sum = sum_of_others(top, product);
    const W spread = root(sum * sum - W(4) * product);
    // the root of the same sign as the sum without cancellation, the other from the product
    if (sum > W(0)) {
      const W v2 = (sum + spread) / W(2);
      return {top, v2, product / v2};
    }
    const W v3 = (sum - spread) / W(2);
    return {top, v3 == W(0) ? W(0) : product / v3, v3};
  }
  const W product = bottom == W(0) ? -c1 / beta : c0 / (beta * bottom);
  const W sum = sum_of_others(bottom, product);
  const W v1 = (sum + root(sum * sum - W(4) * product)) / W(2);
  return {v1, v1 == W(0) ? W(0) : product / v1, bottom};
}

}  // namespace motion

/// Constants of (MOT-24); d = b − a and s = b + a are formed without cancellation, sn, cn, dn at parameter m1:
///
///   yα:  sn² = (1+u1)/(1+u2),  cn² = (u2−u1)/(1+u2);          σα = sign(b + a)
///   yβ:  sn² = (1−u2)(u3−u1)/((1−u1)(u3−u2)),  dn² = (u2−u1)/(1−u1);   σβ = sign(b − a)                       (MOT-26)
///   Λα = ½(ω3 − a) + ½(b + a)/(1 + u2) + ip (ϑ1'/ϑ1)(K − iσα yα)
///   Λβ = ½(a − ω3) + ½(b − a)/(1 − u1) + ip (ϑ2'/ϑ2)(−iσβ yβ)                                                 (MOT-27)
template <class S>
LagrangeTop<S>::LagrangeTop(const TopBody<S>& body, const EulerParameters<S>& e_NB0, const Vec3<S>& w_B0) {
  motion::require_moment(static_cast<double>(body.transverse), "transverse moment");
  motion::require_moment(static_cast<double>(body.axial), "axial moment");
  motion::require_axis(body.axis);
  motion::require_top_load(static_cast<double>(body.k));
  motion::require_start_of(e_NB0, w_B0);
  axis_ = body.axis;
  period_ = std::numeric_limits<S>::infinity();

  // symmetry axis third: cyclic axes; mass centre above: for k < 0 turn the world upside down
  e_right_ = motion::cyclic_axes<S>(axis_);
  const bool hanging = body.k < S(0);
  e_left_ = hanging ? EulerParameters<S>{S(0), {S(1), S(0), S(0)}} : EulerParameters<S>::identity();
  using Cw = elliptic::Complex<W>;
  const EulerParameters<S> e = conjugate(e_left_) * e_NB0 * conjugate(e_right_);
  const Cw alpha0{W(e.e0), W(e.ev.z)};
  const Cw beta0{W(e.ev.x), W(e.ev.y)};
  const auto [w1, w2, w3] = std::array{W(w_B0[(axis_ + 1) % 3]), W(w_B0[(axis_ + 2) % 3]), W(w_B0[axis_])};

  // state of the top: 1 ± u = 2|α|², 2|β|² and γ' = Aᵀe_z across: γ2 + iγ1 = 2αβ̄, all for |e| = 1
  const W norm2 = norm_squared(alpha0) + norm_squared(beta0);
  const W v0 = W(2) * norm_squared(beta0) / norm2;
  const W up0 = W(2) * norm_squared(alpha0) / norm2;
  const Cw across = W(2) / norm2 * (alpha0 * conjugate(beta0));
  const W I(body.transverse);
  const W k = motion::size(W(body.k));
  const W a = W(body.axial) * w3 / I;
  const W horizontal = w1 * across.im + w2 * across.re;  // φ̇ sin²θ
  const W udot = across.im * w2 - across.re * w1;
  const W d = horizontal - a * v0;
  const W s = horizontal + a * up0;
  const W beta = W(2) * k / I;
  const W epsilon = w1 * w1 + w2 * w2 - beta * v0;

  spin_ = w_B0[axis_];
  momentum_z_ = static_cast<S>(I * (d + a)) * S(hanging ? -1 : 1);
  energy_ = static_cast<S>((I * (w1 * w1 + w2 * w2) + W(body.axial) * w3 * w3) * W(0.5) + k * (W(1) - v0));

  const Vec3<W> v = motion::top_roots(beta, epsilon, a, d);
  const W p = math::sqrt(beta * (v.x - v.z)) / W(2);
  const W v3 = -v.z;          // u3 − 1
  const W up2 = W(2) - v.y;   // 1 + u2
  const W range = v.x - v.y;  // u2 − u1
  roots_ = motion::convert<S>(Vec3<W>{W(1) - v.x, W(1) - v.y, W(1) + v3});
  const W two_pi = W(2) * elliptic::pi<W>();

  const bool still = w1 == W(0) && w2 == W(0);
  const bool upright = v0 == W(0) || up0 == W(0);
  const W noise = W(4) * math::sqrt(W(std::numeric_limits<W>::epsilon()));
  if ((upright && still) || !(range > noise * v.x)) {
    // precession φ̇ about the vertical and spin ψ̇ about the axis; α and β turn by half their sum and difference
    const W precession = upright ? W(0) : horizontal / (v0 * up0);
    const W own = w3 - (W(1) - v0) * precession;
    alpha_phase_ = {(precession + own) / (W(2) * two_pi), W(0)};
    beta_phase_ = {(precession - own) / (W(2) * two_pi), W(0)};
    alpha_ = {static_cast<S>(alpha0.re), static_cast<S>(alpha0.im)};
    beta_ = {static_cast<S>(beta0.re), static_cast<S>(beta0.im)};
    alpha_rate_ = static_cast<S>((precession + own) / W(2));
    beta_rate_ = static_cast<S>((precession - own) / W(2));
    return;
  }

  const W m = range / (v.x + v3);
  const W m1 = (v.y + v3) / (v.x + v3);
  const bool endless = m1 < W(16) * W(std::numeric_limits<W>::epsilon());
  branch_ = endless ? TopBranch::asymptotic : TopBranch::nutation;
  const W K = endless ? W(elliptic::kNoPeriod) : elliptic::complete_K(m1);
  const W Kprime = elliptic::complete_K(m);

  // τ0 from the values of sn, cn, dn; near a turning point the small one comes from u̇ = 2p (u2 − u1) sn cn dn
  const W sn2 = motion::clamp01((v.x - v0) / range);
  const W dn = math::sqrt(motion::clamp01((v0 + v3) / (v.x + v3)));
  W cn = math::sqrt(motion::clamp01((v0 - v.y) / range));
  W sn = udot < W(0) ? -math::sqrt(sn2) : math::sqrt(sn2);
  const W full = W(2) * p * range * dn;
  if (sn2 < W(0.5)) {
    sn = udot / (full * cn);
  } else if (dn > W(0.05)) {
    cn = udot / (full * sn);
  }
  const W tau0 = elliptic::F_of(sn, cn, dn);

  const W up1 = s * s / (beta * up2 * (W(2) + v3));  // 1 + u1, from the product of the roots of 1 + u
  const W sn_a2 = up1 / up2;
  const W cn_a2 = range / up2;
  const W y_a = math::sqrt(sn_a2) * elliptic::R_F(cn_a2, cn_a2 + m * sn_a2, W(1));
  W y_b(0);
  if (!endless) {
    const W sn_b2 = v.y / (v.x * m1);
    const W cn_b2 = v3 * m / (v.x * m1);
    y_b = math::sqrt(sn_b2) * elliptic::R_F(cn_b2, cn_b2 + m * sn_b2, W(1));
  }
  const elliptic::ThetaLine<W> base(K, Kprime, W(0));
  const elliptic::ThetaLine<W> alpha_line(K, Kprime, s < W(0) ? y_a : -y_a);
  const elliptic::ThetaLine<W> beta_line(K, Kprime, d < W(0) ? y_b : -y_b);
  const auto start = base.wave(W(0));
  const auto quarter = base.wave(K);

  const Cw alpha_at_K = alpha_line.template theta<1>(quarter);
  const Cw beta_at_0 = beta_line.template theta<2>(start);
  const W N_alpha = math::sqrt(up2 / W(2) / norm_squared(alpha_at_K)) * base.template theta<4>(quarter).re;
  const W N_beta = math::sqrt(v.x / W(2) / norm_squared(beta_at_0)) * base.template theta<4>(start).re;
  // logarithmic derivatives; ϑ1 at K has lost its phase exp(iκK) in value and slope alike
  const W alpha_slope = (alpha_line.template slope<1>(quarter) * conjugate(alpha_at_K)).im / norm_squared(alpha_at_K);
  const W beta_slope = (beta_line.template slope<2>(start) * conjugate(beta_at_0)).im / norm_squared(beta_at_0);
  const W Lambda_alpha = W(0.5) * (w3 - a + s / up2) - p * alpha_slope;
  const W Lambda_beta = W(0.5) * (a - w3 + d / v.x) - p * beta_slope;

  two_K_ = static_cast<S>(W(2) * K);
  p_ = static_cast<S>(p);
  alpha_line_ = elliptic::ThetaLine<S>(alpha_line);
  beta_line_ = elliptic::ThetaLine<S>(beta_line);
  alpha_phase_ = {Lambda_alpha / two_pi, W(0)};
  beta_phase_ = {Lambda_beta / two_pi, W(0)};
  alpha_rate_ = static_cast<S>(Lambda_alpha);
  beta_rate_ = static_cast<S>(Lambda_beta);
  nutation_ = {p / (W(2) * K), tau0 / (W(2) * K)};

  // phases of α and β at t = 0, by their rates where the top stands exactly upright or hangs down
  const auto wave0 = base.wave(tau0);
  const auto phase_of = [&](const Cw& wanted, const Cw& theta, const W& slope) {
    const Cw turned = wanted * conjugate(theta * Cw{math::cos(slope * tau0), math::sin(slope * tau0)});
    return W(1) / math::sqrt(norm_squared(turned)) * turned;
  };
  const Cw rate{-w1, w2};  // i(ω2 + iω1)
  const Cw alpha_phase = up0 == W(0)
                             ? phase_of(rate * beta0, alpha_line.template slope<1>(wave0), alpha_line.phase_slope())
                             : phase_of(alpha0, alpha_line.template theta<1>(wave0), alpha_line.phase_slope());
  const Cw beta_phase = v0 == W(0)
                            ? phase_of(Cw{w1, w2} * alpha0, beta_line.template slope<2>(wave0), beta_line.phase_slope())
                            : phase_of(beta0, beta_line.template theta<2>(wave0), beta_line.phase_slope());
  const W size0 = math::sqrt(norm2);
  size0_ = static_cast<S>(size0);
  alpha_ = {static_cast<S>(size0 * N_alpha * alpha_phase.re), static_cast<S>(size0 * N_alpha * alpha_phase.im)};
  beta_ = {static_cast<S>(size0 * N_beta * beta_phase.re), static_cast<S>(size0 * N_beta * beta_phase.im)};
  m_ = static_cast<S>(m);
  m1_ = static_cast<S>(m1);
  if (!endless) { period_ = static_cast<S>(W(2) * K / p); }
}

template <class S>
MotionState<S> LagrangeTop<S>::at(const S& t) const {
  const auto turned = [](const S& angle) {
    const math::SinCos<S> x = math::sincos(angle);
    return C{x.cos, x.sin};
  };
  C alpha{};
  C beta{};
  C alpha_dot{};
  C beta_dot{};
  if (branch_ == TopBranch::steady) {
    alpha = turned(alpha_phase_.angle(t)) * alpha_;
    beta = turned(beta_phase_.angle(t)) * beta_;
    alpha_dot = C{S(0), alpha_rate_} * alpha;
    beta_dot = C{S(0), beta_rate_} * beta;
  } else {
    const auto phase = nutation_.at(t);
    const S tau = phase.part * two_K_;
    const auto wave = alpha_line_.wave(tau);
    const C front_a = turned(alpha_phase_.angle(t) + alpha_line_.phase_slope() * tau) * alpha_;
    const C front_b = turned(beta_phase_.angle(t) + beta_line_.phase_slope() * tau) * beta_;
    const C theta1 = alpha_line_.template theta<1>(wave);
    const C theta2 = beta_line_.template theta<2>(wave);
    alpha = front_a * theta1;
    beta = front_b * theta2;
    alpha_dot = front_a * (p_ * alpha_line_.template slope<1>(wave) + C{S(0), alpha_rate_} * theta1);
    beta_dot = front_b * (p_ * beta_line_.template slope<2>(wave) + C{S(0), beta_rate_} * theta2);
    // ϑ4(τ), the same under both, and the sign of whole half periods
    const S size =
        math::sqrt((norm_squared(alpha_) * norm_squared(theta1) + norm_squared(beta_) * norm_squared(theta2)));
    const S scale = (phase.odd ? S(-1) : S(1)) * size0_ / size;
    alpha = scale * alpha;
    beta = scale * beta;
    alpha_dot = scale * alpha_dot;
    beta_dot = scale * beta_dot;
  }
  // ω2 + iω1 = −2i (β̄ α̇ − α β̄˙)/|e|² (MOT-28); a common real factor of α and β drops out, ϑ4(τ) and its rate too
  const C difference = conjugate(beta) * alpha_dot - alpha * conjugate(beta_dot);
  const S twice = S(2) / (norm_squared(alpha) + norm_squared(beta));
  Vec3<S> w_B{};
  w_B[(axis_ + 1) % 3] = -twice * difference.re;
  w_B[(axis_ + 2) % 3] = twice * difference.im;
  w_B[axis_] = spin_;
  const EulerParameters<S> e{alpha.re, {beta.re, beta.im, alpha.im}};
  return {e_left_ * e * e_right_, w_B};
}

template <class S>
void LagrangeTop<S>::at(std::span<const S> times, std::span<MotionState<S>> states) const {
  const std::size_t count = std::min(times.size(), states.size());
  for (std::size_t i = 0; i < count; ++i) { states[i] = at(times[i]); }
}

}  // namespace polhode
