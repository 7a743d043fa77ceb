#include "polhode/motion/checks.h"

#include "polhode/core/refuse.h"
#include "polhode/rotation/checks.h"

#include <fmt/format.h>

#include <cmath>

namespace polhode::motion {
namespace {

constexpr double kLargest = 1e100;

}  // namespace

void require_moment(double moment, const char* what) {
  if (!(moment > 1 / kLargest && moment < kLargest)) {
    refuse(fmt::format("{} is {:.9g} kg m²", what, moment), "moments of inertia are positive numbers, 1e-100 to 1e100");
  }
}

void require_moments(const Vec3<double>& moments) {
  require_moment(moments.x, "principal moment 1");
  require_moment(moments.y, "principal moment 2");
  require_moment(moments.z, "principal moment 3");
}

void require_symmetric(const Mat3<double>& J_B) {
  double size = 0;
  double skew = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (!std::isfinite(J_B(i, j))) {
        refuse(fmt::format("inertia matrix has the entry {} at row {}, column {}", J_B(i, j), i + 1, j + 1),
               "all nine entries must be finite numbers");
      }
      size = std::fmax(size, std::fabs(J_B(i, j)));
      skew = std::fmax(skew, std::fabs(J_B(i, j) - J_B(j, i)));
    }
  }
  if (skew > 1e-12 * size) {
    refuse(fmt::format("inertia matrix is not symmetric: two entries differ by {:.3g}", skew),
           "give J12 = J21, J13 = J31, J23 = J32");
  }
}

void require_start(const EulerParameters<double>& e_NB, const Vec3<double>& w_B) {
  require_unit(e_NB);
  polhode::require_finite(w_B, "body rate");
  if (!(norm(w_B) < kLargest)) {
    refuse(fmt::format("body rate ({:.9g} {:.9g} {:.9g}) rad/s is too large", w_B.x, w_B.y, w_B.z),
           "rates are smaller than 1e100");
  }
}

void require_finite(double value, const char* what) {
  if (!std::isfinite(value)) { refuse(fmt::format("{} is {}", what, value), "give a finite number"); }
}

void require_axis(std::size_t axis) {
  if (axis > 2) { refuse(fmt::format("body axis {} does not exist", axis), "axes are 0, 1 and 2"); }
}

void require_top_load(double k) {
  require_finite(k, "m g l");
  if (k == 0) { refuse("m g l is 0: no torque acts on the top", "use FreeMotion for a free body"); }
}

}  // namespace polhode::motion
