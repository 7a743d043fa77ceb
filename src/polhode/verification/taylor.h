#pragma once

#include "polhode/rotation/euler_parameters.h"

#include <algorithm>
#include <cmath>
#include <vector>

/// An integrator that shares nothing with the closed forms: Taylor series of the equations of motion themselves.
namespace polhode::verification {

/// A body with principal moments, a constant body torque, a weight at c' (m g c' here), and a gravity gradient of
/// strength k whose centre goes around z at the rate n, from x; zero without.
template <class S>
struct TaylorBody {
  Vec3<S> J;
  Vec3<S> tau_B{S(0), S(0), S(0)};
  Vec3<S> weight_B{S(0), S(0), S(0)};
  S gradient{0};
  S orbit_rate{0};
  bool gyroscopic = true;  ///< false: J ω̇' = n', the law of schemes that leave the gyroscopic term out
};

/// From (e, w') at 0 to time t. With γ = Aᵀ e_z, u' = Aᵀ u(t) and v' = Aᵀ (e_z × u(t)) the equations
///
///   ė = ½ e ∘ (0; ω'),   J ω̇' = τ' + γ × m g c' + 3k u' × J u' − ω' × Jω',
///   γ̇ = γ × ω',   u̇' = u' × ω' + n v',   v̇' = v' × ω' − n u'
///
/// are quadratic, so each coefficient is a convolution of earlier ones. Steps are chosen so that the last term is
/// 1e-45.
template <class S>
class Taylor {
 public:
  Taylor(const TaylorBody<S>& body, const EulerParameters<S>& e, const Vec3<S>& w) : body_(body) {
    y_ = {e.e0, e.ev.x, e.ev.y, e.ev.z, w.x, w.y, w.z};
    for (const std::size_t axis : {std::size_t{2}, std::size_t{0}, std::size_t{1}}) {
      const Vec3<S> fixed = rotate_back(e, axis_vector<S>(axis)) / norm_squared(e);
      for (std::size_t i = 0; i < 3; ++i) { y_.push_back(fixed[i]); }
    }
  }

  void advance(const S& t) {
    S left = t;
    while (left != S(0)) {
      series();
      using std::abs;
      S last(0);
      for (const auto& c : c_) { last = std::max(last, S(abs(c[kOrder]))); }
      S step = left;
      if (last > S(0)) {
        const double reach = std::exp((std::log(1e-45) - std::log(static_cast<double>(last))) / kOrder);
        if (S(abs(left)) > S(reach)) { step = left < S(0) ? S(-reach) : S(reach); }
      }
      for (std::size_t i = 0; i < kSize; ++i) {
        S sum = c_[i][kOrder];
        for (int n = kOrder - 1; n >= 0; --n) { sum = sum * step + c_[i][static_cast<std::size_t>(n)]; }
        y_[i] = sum;
      }
      left = left - step;
    }
  }
  EulerParameters<S> e() const { return {y_[0], {y_[1], y_[2], y_[3]}}; }
  Vec3<S> w() const { return {y_[4], y_[5], y_[6]}; }

 private:
  static constexpr int kOrder = 48;
  static constexpr std::size_t kSize = 16;

  S product(std::size_t a, std::size_t b, std::size_t n) const {
    S sum(0);
    for (std::size_t i = 0; i <= n; ++i) { sum += c_[a][i] * c_[b][n - i]; }
    return sum;
  }
  void series() {
    c_.assign(kSize, std::vector<S>(kOrder + 1, S(0)));
    for (std::size_t i = 0; i < kSize; ++i) { c_[i][0] = y_[i]; }
    const Vec3<S>& J = body_.J;
    for (std::size_t n = 0; n < kOrder; ++n) {
      const S next(static_cast<int>(n + 1));
      const auto p = [&](std::size_t a, std::size_t b) { return product(a, b, n); };
      const S half = S(0.5) / next;
      c_[0][n + 1] = half * (-p(1, 4) - p(2, 5) - p(3, 6));
      c_[1][n + 1] = half * (p(0, 4) + p(2, 6) - p(3, 5));
      c_[2][n + 1] = half * (p(0, 5) + p(3, 4) - p(1, 6));
      c_[3][n + 1] = half * (p(0, 6) + p(1, 5) - p(2, 4));
      const Vec3<S> arm = body_.weight_B;
      const Vec3<S> gamma{c_[7][n], c_[8][n], c_[9][n]};
      Vec3<S> torque = cross(gamma, arm);
      if (n == 0) { torque = torque + body_.tau_B; }
      if (body_.gradient != S(0)) {
        const S k = S(3) * body_.gradient;
        torque = torque + k * Vec3<S>{(J.z - J.y) * p(11, 12), (J.x - J.z) * p(12, 10), (J.y - J.x) * p(10, 11)};
      }
      if (body_.gyroscopic) {
        torque = torque - Vec3<S>{(J.z - J.y) * p(5, 6), (J.x - J.z) * p(6, 4), (J.y - J.x) * p(4, 5)};
      }
      c_[4][n + 1] = torque.x / (J.x * next);
      c_[5][n + 1] = torque.y / (J.y * next);
      c_[6][n + 1] = torque.z / (J.z * next);
      if (norm_squared(arm) != S(0)) { turn_back(7, n); }
      if (body_.gradient != S(0)) {
        turn_back(10, n);
        turn_back(13, n);
        for (std::size_t i = 0; i < 3; ++i) {
          c_[10 + i][n + 1] += body_.orbit_rate * c_[13 + i][n] / next;
          c_[13 + i][n + 1] -= body_.orbit_rate * c_[10 + i][n] / next;
        }
      }
    }
  }
  /// A vector fixed in space, entries i to i + 2, seen from the body: its rate is γ × ω'.
  void turn_back(std::size_t i, std::size_t n) {
    const S next(static_cast<int>(n + 1));
    const auto p = [&](std::size_t a, std::size_t b) { return product(i + a, 4 + b, n); };
    c_[i][n + 1] = (p(1, 2) - p(2, 1)) / next;
    c_[i + 1][n + 1] = (p(2, 0) - p(0, 2)) / next;
    c_[i + 2][n + 1] = (p(0, 1) - p(1, 0)) / next;
  }

  TaylorBody<S> body_;
  std::vector<S> y_;
  std::vector<std::vector<S>> c_;
};

}  // namespace polhode::verification
