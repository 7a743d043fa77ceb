// Published motions; each file names its source.
#include "motion/bodies.h"
#include "polhode/math/degree.h"
#include "polhode/motion/free_motion.h"
#include "polhode/motion/lagrange_top.h"
#include "support/cases.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace polhode;
using test::rows_of;

namespace {

/// Largest differences of attitude (up to sign) and rate from rows t, e0 … e3, ωx ωy ωz.
template <class Motion>
std::pair<double, double> worst(const Motion& motion, const std::string& name) {
  double attitude = 0;
  double rate = 0;
  for (const std::vector<double>& row : rows_of(name)) {
    const MotionState<double> state = motion.at(row[0]);
    const EulerParameters<double> e{row[1], {row[2], row[3], row[4]}};
    attitude = std::max(attitude, norm(nearest_sign(e, state.e_NB) - state.e_NB));
    rate = std::max(rate, norm(state.w_B - Vec3<double>{row[5], row[6], row[7]}));
  }
  return {attitude, rate};
}

const EulerParameters<double> kNone = EulerParameters<double>::identity();

}  // namespace

TEST_CASE("the free cylinder of Kane's Spacecraft Dynamics") {
  const auto [attitude, rate] =
      worst(FreeMotion<double>(Vec3<double>{0.04, 0.04, 0.02}, kNone, {2, 4, 6}), "free_cylinder.csv");
  CHECK(attitude < 2e-14);  // printed to 16 digits; angles of 75 rad in their computation
  CHECK(rate < 1e-13);
  // with the axial moment the other way round it is another body
  CHECK(worst(FreeMotion<double>(Vec3<double>{0.02, 0.02, 0.04}, kNone, {2, 4, 6}), "free_cylinder.csv").first > 0.1);
}

TEST_CASE("the free asymmetric body of van Zon and Schofield, near the unstable axis") {
  const auto [attitude, rate] =
      worst(FreeMotion<double>(Vec3<double>{10, 20, 26}, kNone, {1, 15, 1}), "free_asymmetric.csv");
  CHECK(attitude < 1e-11);  // the integrator behind the file: measured 2e-12
  CHECK(rate < 1e-10);
}

TEST_CASE("the fast heavy top of Bruls and Cardona") {
  // symmetry axis and mass centre along body y: k = 15 · 9.81 · 1
  const LagrangeTop<double> top({15.234375, 0.46875, 15 * 9.81, 1}, kNone, {0, 150, -4.61538});
  const auto [attitude, rate] = worst(top, "heavy_top.csv");
  CHECK(attitude < 1e-10);  // the integrator behind the file, over 300 rad
  CHECK(rate < 1e-9);
  const auto space_rate_y = [&](double t) { return rotate(top.at(t).e_NB, top.at(t).w_B).y; };
  CHECK(std::fabs(space_rate_y(0.01) - 149.8473939540758) < 5e-12);  // recorded as converged to 14 digits
  CHECK(std::fabs(space_rate_y(2) + 106.16380414309) < 5e-11);       // two recorded values differ by 2.5e-11
}

TEST_CASE("NASA's tumbling brick: body rates") {
  const FreeMotion<double> brick(Vec3<double>{0.00189422, 0.006211019, 0.007194665}, kNone,
                                 {10 * math::kDegree, 20 * math::kDegree, 30 * math::kDegree});
  double difference = 0;
  for (const std::vector<double>& row : rows_of("tumbling_brick.csv")) {
    difference =
        std::max(difference, norm(brick.at(row[0]).w_B / math::kDegree - Vec3<double>{row[1], row[2], row[3]}));
  }
  CHECK(difference < 1e-9);  // degree/s; the published simulations agree with each other to 4e-3
}
