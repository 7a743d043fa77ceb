#include "polhode/rotation/batch.h"

#include <algorithm>

namespace polhode::batch {
namespace {

/// Rows worked on together: small enough for the first cache, long enough for vector loops.
constexpr std::size_t kBlock = 64;

/// One number of each row of a block.
using Lane = std::array<double, kBlock>;

/// A block of attitudes, component by component: e_i, e_j, ε e_l of (KIN-36).
struct Components {
  Lane e0, ei, ej, el;
  Lane square;  ///< |e|²
};

/// What the three angles of a block are made of: each is atan2(y, x), the middle one of a proper sequence twice that.
struct Arguments {
  Lane y1, x1, y2, x2, y3, x3;
  Lane regular;  ///< 1 where the row is far enough from lock and from the ends of the range, 0 elsewhere
};

/// sums of two squares for which neither their root nor the product of two roots leaves the range
constexpr double kLowest = std::numeric_limits<double>::min() /
                           (std::numeric_limits<double>::epsilon() * std::numeric_limits<double>::epsilon());
constexpr double kHighest = 0x1p900;

/// (KIN-36) and (KIN-37) for a block, both ways of multiplying out: see EulerAngles::from_euler_parameters, whose bits
/// these are.
template <bool kProper>
[[gnu::always_inline]] inline void find_arguments(const Components& in, Arguments& out) {
  for (std::size_t n = 0; n < kBlock; ++n) {
    const double e0 = in.e0[n];
    const double ei = in.ei[n];
    const double ej = in.ej[n];
    const double el = in.el[n];
    const double a = kProper ? e0 : e0 - ej;
    const double b = kProper ? ei : ei - el;
    const double c = kProper ? ej : ej + e0;
    const double d = kProper ? el : ei + el;
    const double ab_squared = a * a + b * b;
    const double cd_squared = c * c + d * d;
    const double ab = std::sqrt(ab_squared);
    const double cd = std::sqrt(cd_squared);

    const double rounding = 8 * unit_roundoff<double>() * (ab + cd);
    const double smaller = ab < cd ? ab : cd;
    const double smallest = ab_squared < cd_squared ? ab_squared : cd_squared;
    const double largest = ab_squared < cd_squared ? cd_squared : ab_squared;
    const double above = smaller > rounding ? 1.0 : 0.0;
    const double in_range = smallest > kLowest ? 1.0 : 0.0;
    out.regular[n] = (largest < kHighest ? above : 0.0) * in_range;

    const double y1 = b * c + a * d;
    const double x1 = a * c - b * d;
    const double x3 = a * c + b * d;
    if constexpr (kProper) {
      out.y1[n] = y1;
      out.x1[n] = x1;
      out.y2[n] = cd;
      out.x2[n] = ab;
      out.y3[n] = b * c - a * d;
      out.x3[n] = x3;
    } else {
      const double cosine = ab * cd;
      const double s0 = e0 * e0;
      const double si = ei * ei;
      const double sj = ej * ej;
      const double sl = el * el;
      const bool near_lock = cosine < 0.25 * in.square[n];
      const double far_y1 = 2 * (e0 * ei - ej * el);
      const double far_x1 = (s0 - sj) + (sl - si);
      const double far_y3 = 2 * (e0 * el - ei * ej);
      const double far_x3 = (s0 - sj) + (si - sl);
      out.y1[n] = near_lock ? y1 : far_y1;
      out.x1[n] = near_lock ? x1 : far_x1;
      out.y2[n] = 2 * (e0 * ej + ei * el);
      out.x2[n] = cosine;
      out.y3[n] = near_lock ? a * d - b * c : far_y3;
      out.x3[n] = near_lock ? x3 : far_x3;
    }
  }
}

/// scale · atan2(y, x) in place of y, for regular rows.
[[gnu::always_inline]] inline void find_angle(double scale, Lane& y, const Lane& x) {
  for (std::size_t n = 0; n < kBlock; ++n) { y[n] = scale * math::portable::atan2_moderate(y[n], x[n]); }
}

/// θ1, θ2, θ3 of a block in at.y1, at.y2, at.y3.
[[gnu::always_inline]] inline void find_angles(bool proper, double epsilon, const Components& in, Arguments& at) {
  if (proper) {
    find_arguments<true>(in, at);
  } else {
    find_arguments<false>(in, at);
  }
  find_angle(1, at.y1, at.x1);
  find_angle(proper ? 2 : 1, at.y2, at.x2);
  find_angle(proper ? 1 : epsilon, at.y3, at.x3);
}

// The same operations on two or on four rows at once, and so the same bits: the processor decides.
using FindAngles = void (*)(bool proper, double epsilon, const Components& in, Arguments& at);

void find_angles_anywhere(bool proper, double epsilon, const Components& in, Arguments& at) {
  find_angles(proper, epsilon, in, at);
}
#ifdef __x86_64__
[[gnu::target("avx2")]] void find_angles_avx2(bool proper, double epsilon, const Components& in, Arguments& at) {
  find_angles(proper, epsilon, in, at);
}
FindAngles find_angles_here() { return __builtin_cpu_supports("avx2") != 0 ? find_angles_avx2 : find_angles_anywhere; }
#else
FindAngles find_angles_here() { return find_angles_anywhere; }
#endif

}  // namespace

void product(std::span<const EulerParameters<double>> a, std::span<const EulerParameters<double>> b,
             std::span<EulerParameters<double>> out) {
  for (std::size_t i = 0; i < a.size(); ++i) { out[i] = a[i] * b[i]; }
}

void rotate(std::span<const EulerParameters<double>> e_NB, std::span<const Vec3<double>> v_B,
            std::span<Vec3<double>> v_N) {
  for (std::size_t i = 0; i < e_NB.size(); ++i) { v_N[i] = polhode::rotate(e_NB[i], v_B[i]); }
}

void rotation_matrix(std::span<const EulerParameters<double>> e_NB, std::span<Mat3<double>> R_NB) {
  for (std::size_t i = 0; i < e_NB.size(); ++i) { R_NB[i] = polhode::rotation_matrix(e_NB[i]); }
}

void euler_angles(const EulerSequence& sequence, std::span<const EulerParameters<double>> e_NB,
                  std::span<Vec3<double>> angles) {
  const EulerAngles chart{sequence};
  const EulerSequence intrinsic = sequence.extrinsic ? sequence::reversed(sequence) : sequence;
  const auto i = static_cast<std::size_t>(intrinsic.axes[0]);
  const auto j = static_cast<std::size_t>(intrinsic.axes[1]);
  const std::size_t l = 3 - i - j;
  const double epsilon = sequence::sign(intrinsic);
  const bool proper = intrinsic.proper();

  const FindAngles find = find_angles_here();
  Components in;
  Arguments at;
  for (std::size_t start = 0; start < e_NB.size(); start += kBlock) {
    const std::size_t count = std::min(kBlock, e_NB.size() - start);
    for (std::size_t n = 0; n < kBlock; ++n) {
      const EulerParameters<double>& e = e_NB[start + std::min(n, count - 1)];
      const double components[3] = {e.ev.x, e.ev.y, e.ev.z};
      in.e0[n] = e.e0;
      in.ei[n] = components[i];
      in.ej[n] = components[j];
      in.el[n] = epsilon * components[l];
      in.square[n] = norm_squared(e);
    }
    find(proper, epsilon, in, at);

    const Lane& first = sequence.extrinsic ? at.y3 : at.y1;
    const Lane& last = sequence.extrinsic ? at.y1 : at.y3;
    for (std::size_t n = 0; n < count; ++n) {
      const EulerParameters<double> e = e_NB[start + n];
      angles[start + n] =
          at.regular[n] != 0 ? Vec3<double>{first[n], at.y2[n], last[n]} : chart.from_euler_parameters(e);
    }
  }
}

void slerp(std::span<const EulerParameters<double>> a, std::span<const EulerParameters<double>> b, double s,
           std::span<EulerParameters<double>> out) {
  for (std::size_t i = 0; i < a.size(); ++i) { out[i] = polhode::slerp(a[i], b[i], s); }
}

}  // namespace polhode::batch
