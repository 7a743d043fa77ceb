#include "polhode/audit/updates.h"

#include "polhode/audit/integrals.h"
#include "polhode/integrator/rk4_step.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace polhode::audit {
namespace {

using Attitude = EulerParameters<double>;

/// Steps that are looked at.
constexpr std::size_t kMostSteps = 4000;

std::vector<UpdateFit> sorted(std::vector<UpdateFit> fits) {
  std::stable_sort(fits.begin(), fits.end(),
                   [](const UpdateFit& a, const UpdateFit& b) { return a.residual < b.residual; });
  return fits;
}

Attitude first_order(const Attitude& e_NB, const Vec3<double>& w_B, double h) {
  return normalized(e_NB + h * rate_from_body(e_NB, w_B));
}

/// J ω̇' = −ω' × Jω' over a step, in four Runge-Kutta steps.
Vec3<double> exact_rate(const Mat3<double>& J, const Mat3<double>& J_inverse, const Vec3<double>& w, double h) {
  std::array<double, 3> y{w.x, w.y, w.z};
  const auto f = [&](double, const std::array<double, 3>& at, std::array<double, 3>& slope) {
    const Vec3<double> w_B{at[0], at[1], at[2]};
    const Vec3<double> wdot_B = J_inverse * cross(J * w_B, w_B);
    slope = {wdot_B.x, wdot_B.y, wdot_B.z};
  };
  for (int i = 0; i < 4; ++i) { rk4_step(f, 0.0, h / 4, y); }
  return {y[0], y[1], y[2]};
}

/// J (ω − ω_n) + h ω × Jω = 0, by Newton's method from ω_n.
Vec3<double> implicit_rate(const Mat3<double>& J, const Vec3<double>& w_n, double h, int rounds) {
  Vec3<double> w = w_n;
  for (int i = 0; i < rounds; ++i) {
    const Vec3<double> f = J * (w - w_n) + h * cross(w, J * w);
    const Mat3<double> slope = J + h * (skew(w) * J - skew(J * w));
    w = w - inverse(slope) * f;
  }
  return w;
}

}  // namespace

std::vector<UpdateFit> attitude_updates(std::span<const double> t, std::span<const Attitude> e_NB,
                                        std::span<const Vec3<double>> w_B) {
  const std::vector<RateIntegrals> sums = integrate_rates(t, w_B);
  const std::size_t steps = std::min(t.size() - 1, kMostSteps);
  std::vector<UpdateFit> fits{{"exact", "the attitude follows the rates exactly"},
                              {"exponential-new", "turned by h times the new body rate"},
                              {"exponential-old", "turned by h times the old rate"},
                              {"exponential-mean", "turned by h times the mean of old and new body rate"},
                              {"exponential-space-new", "turned by h times the new space rate"},
                              {"first-order-new", "e + h/2 e w with the new body rate, normalised"},
                              {"first-order-old", "e + h/2 e w with the old rate, normalised"},
                              {"first-order-space-new", "e + h/2 w e with the new space rate, normalised"}};
  double turned = 0;
  for (std::size_t k = 0; k < steps; ++k) {
    const double h = t[k + 1] - t[k];
    const Attitude& e = e_NB[k];
    const Vec3<double> old_rate = w_B[k];
    const Vec3<double> new_rate = w_B[k + 1];
    const Vec3<double> new_space = rotate_back(e, rotate(e_NB[k + 1], new_rate));  // in components of the old body axes
    const Vec3<double> Omega = sums[k].w + cross(sums[k].w, sums[k].moment) / h;   // (AUD-3)
    const std::array<Attitude, 8> predicted{e * exp(Omega),
                                            e * exp(h * new_rate),
                                            e * exp(h * old_rate),
                                            e * exp((0.5 * h) * (old_rate + new_rate)),
                                            e * exp(h * new_space),
                                            first_order(e, new_rate, h),
                                            first_order(e, old_rate, h),
                                            first_order(e, new_space, h)};
    for (std::size_t i = 0; i < fits.size(); ++i) {
      const double off = rotation_angle(relative_rotation(predicted[i], e_NB[k + 1]));
      fits[i].residual += off * off;
    }
    turned += h * h * norm_squared(old_rate);
  }
  for (UpdateFit& fit : fits) { fit.residual = turned > 0 ? std::sqrt(fit.residual / turned) : 0; }
  return sorted(std::move(fits));
}

std::vector<UpdateFit> rate_updates(std::span<const double> t, std::span<const Attitude> e_NB,
                                    std::span<const Vec3<double>> w_B, const Mat3<double>& J_B) {
  const std::size_t steps = std::min(t.size() - 1, kMostSteps);
  const Mat3<double> J_inverse = inverse(J_B);
  std::vector<UpdateFit> fits{{"exact", "Euler's equations, accurately"},
                              {"constant", "the body rate stays: no gyroscopic term"},
                              {"explicit", "explicit step with the gyroscopic term, in body components"},
                              {"explicit-space", "explicit step with the gyroscopic term, kept in space components"},
                              {"implicit", "implicit step with the gyroscopic term, in body components"},
                              {"implicit-space", "implicit step with the gyroscopic term, kept in space components"},
                              {"newton", "one Newton step of the implicit equation, in body components"},
                              {"newton-space", "one Newton step of the implicit equation, kept in space components"},
                              {"momentum", "momentum in space is kept"}};
  double size = 0;
  for (std::size_t k = 0; k < steps; ++k) {
    const double h = t[k + 1] - t[k];
    const Vec3<double>& w = w_B[k];
    // a rate kept in space components over the step
    const auto kept = [&](const Vec3<double>& rate) { return rotate_back(e_NB[k + 1], rotate(e_NB[k], rate)); };
    const Vec3<double> by_explicit = w + h * (J_inverse * cross(J_B * w, w));
    const Vec3<double> by_implicit = implicit_rate(J_B, w, h, 6);
    const Vec3<double> by_newton = implicit_rate(J_B, w, h, 1);
    const std::array<Vec3<double>, 9> predicted{exact_rate(J_B, J_inverse, w, h),
                                                w,
                                                by_explicit,
                                                kept(by_explicit),
                                                by_implicit,
                                                kept(by_implicit),
                                                by_newton,
                                                kept(by_newton),
                                                J_inverse * kept(J_B * w)};
    for (std::size_t i = 0; i < fits.size(); ++i) { fits[i].residual += norm_squared(w_B[k + 1] - predicted[i]); }
    size += norm_squared(w);
  }
  for (UpdateFit& fit : fits) { fit.residual = size > 0 ? std::sqrt(fit.residual / size) : 0; }
  return sorted(std::move(fits));
}

}  // namespace polhode::audit
