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

/// Best first; equal ones as they stood.
std::vector<UpdateFit> sorted(const std::vector<UpdateFit>& fits) {
  std::vector<UpdateFit> result;
  for (const UpdateFit& fit : fits) {
    const auto better = [](const UpdateFit& a, const UpdateFit& b) { return a.residual < b.residual; };
    result.insert(std::upper_bound(result.begin(), result.end(), fit, better), fit);
  }
  return result;
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
                              {"exponential-new", "turned by h times the new rate"},
                              {"exponential-old", "turned by h times the old rate"},
                              {"exponential-mean", "turned by h times the mean of old and new rate"},
                              {"first-order-new", "e + h/2 e w with the new rate, normalised"},
                              {"first-order-old", "e + h/2 e w with the old rate, normalised"}};
  double turned = 0;
  for (std::size_t k = 0; k < steps; ++k) {
    const double h = t[k + 1] - t[k];
    const Attitude& e = e_NB[k];
    const Vec3<double> old_rate = w_B[k];
    const Vec3<double> new_rate = w_B[k + 1];
    const Vec3<double> Omega = sums[k].w + cross(sums[k].w, sums[k].moment) / h;  // (AUD-3)
    const std::array<Attitude, 6> predicted{e * exp(Omega),
                                            e * exp(h * new_rate),
                                            e * exp(h * old_rate),
                                            e * exp((0.5 * h) * (old_rate + new_rate)),
                                            first_order(e, new_rate, h),
                                            first_order(e, old_rate, h)};
    for (std::size_t i = 0; i < fits.size(); ++i) {
      const double off = rotation_angle(relative_rotation(predicted[i], e_NB[k + 1]));
      fits[i].residual += off * off;
    }
    turned += h * h * norm_squared(old_rate);
  }
  for (UpdateFit& fit : fits) { fit.residual = turned > 0 ? std::sqrt(fit.residual / turned) : 0; }
  return sorted(fits);
}

std::vector<UpdateFit> rate_updates(std::span<const double> t, std::span<const Attitude> e_NB,
                                    std::span<const Vec3<double>> w_B, const Mat3<double>& J_B) {
  const std::size_t steps = std::min(t.size() - 1, kMostSteps);
  const Mat3<double> J_inverse = inverse(J_B);
  std::vector<UpdateFit> fits{{"exact", "Euler's equations, accurately"},
                              {"constant", "the body rate stays: no gyroscopic term"},
                              {"explicit", "explicit step with the gyroscopic term"},
                              {"linear-implicit", "gyroscopic term of new rate and old momentum"},
                              {"newton", "one Newton step of the implicit equation"},
                              {"implicit", "implicit step with the gyroscopic term"},
                              {"momentum", "momentum in space is kept"}};
  constexpr std::size_t kWays = 7;
  std::array<double, kWays> squares{};
  std::array<double, kWays> products{};
  double size = 0;
  for (std::size_t k = 0; k < steps; ++k) {
    const double h = t[k + 1] - t[k];
    const Vec3<double>& w = w_B[k];
    const Vec3<double> h_B = J_B * w;
    const std::array<Vec3<double>, kWays> predicted{exact_rate(J_B, J_inverse, w, h),
                                                    w,
                                                    w + h * (J_inverse * cross(h_B, w)),
                                                    inverse(J_B - h * skew(h_B)) * h_B,
                                                    implicit_rate(J_B, w, h, 1),
                                                    implicit_rate(J_B, w, h, 6),
                                                    J_inverse * rotate_back(e_NB[k + 1], rotate(e_NB[k], h_B))};
    for (std::size_t i = 0; i < kWays; ++i) {
      squares[i] += norm_squared(predicted[i]);
      products[i] += dot(predicted[i], w_B[k + 1]);
    }
    size += norm_squared(w_B[k + 1]);
  }
  for (std::size_t i = 0; i < kWays && size > 0; ++i) {
    fits[i].factor = products[i] / squares[i];
    fits[i].residual = std::sqrt(std::max(0.0, 1 - products[i] * products[i] / (squares[i] * size)));
  }
  return sorted(fits);
}

}  // namespace polhode::audit
