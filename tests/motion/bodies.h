#pragma once

#include "polhode/motion/free_motion_impl.h"
#include "support/precise.h"
#include "support/random.h"

#include <array>
#include <cmath>
#include <cstdlib>

namespace polhode::test {

inline bool long_run() {
  const char* text = std::getenv("POLHODE_LONG");
  return text != nullptr && text[0] == '1';
}

inline Vec3<Precise> precise(const Vec3<double>& v) { return {Precise(v.x), Precise(v.y), Precise(v.z)}; }
inline EulerParameters<Precise> precise(const EulerParameters<double>& e) { return {Precise(e.e0), precise(e.ev)}; }

/// The angle between two attitudes, any norms.
inline double angle_between(const EulerParameters<Precise>& a, const EulerParameters<Precise>& b) {
  const EulerParameters<Precise> turn = relative_rotation(a, b);
  return static_cast<double>(2 * atan2(sqrt(norm_squared(turn.ev)), boost::multiprecision::abs(turn.e0)));
}
inline double angle_between(const EulerParameters<double>& a, const EulerParameters<Precise>& b) {
  return angle_between(precise(a), b);
}
inline double distance(const Vec3<double>& a, const Vec3<Precise>& b) {
  return static_cast<double>(sqrt(norm_squared(precise(a) - b)));
}

struct Start {
  Vec3<double> J;
  EulerParameters<double> e;
  Vec3<double> w;
  double turn() const { return 2 * math::kPi<double> / norm(w); }  ///< time of one turn at the rate of t = 0
};

/// A random body that could exist (moments from the sizes of a box), at any attitude, with m1 of about `m1`: on the
/// separatrix Σ I (I − I_mid) ω² = 0, and ω of one outer axis is off it by the factor that makes m1.
inline Start random_start(Random& random, double m1) {
  const Vec3<double> box{random.between(0.2, 1), random.between(0.2, 1), random.between(0.2, 1)};
  const Vec3<double> J{box.y * box.y + box.z * box.z, box.x * box.x + box.z * box.z, box.x * box.x + box.y * box.y};
  std::array<std::size_t, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return J[a] < J[b]; });
  const auto [low, mid, high] = order;
  Vec3<double> w;
  w[mid] = random.between(-1, 1);
  w[low] = random.between(-1, 1);
  // Δ = m1 C |C−B| a3² with a3² = ω3² + ω2² B|B−A|/(C|C−A|) about the axis C = high or low
  const double p_high = J[high] * (J[high] - J[mid]);
  const double p_low = J[low] * (J[mid] - J[low]);
  const double spread = J[high] - J[low];
  if (random.between(0, 1) < 0.5) {
    const double from_mid = w[mid] * w[mid] * J[mid] * (J[mid] - J[low]) / (J[high] * spread);
    w[high] = std::sqrt((p_low * w[low] * w[low] + m1 * p_high * from_mid) / (p_high * std::max(1 - m1, 1e-3)));
  } else {
    const double from_mid = w[mid] * w[mid] * J[mid] * (J[high] - J[mid]) / (J[low] * spread);
    const double swapped = random.between(-1, 1);
    w[high] = swapped;
    w[low] = std::sqrt((p_high * swapped * swapped + m1 * p_low * from_mid) / (p_low * std::max(1 - m1, 1e-3)));
  }
  if (random.between(0, 1) < 0.5) { w[high] = -w[high]; }
  return {J, random.attitude(), w};
}

}  // namespace polhode::test
