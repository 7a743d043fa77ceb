#include "polhode/rotation/checks.h"

#include "polhode/core/refuse.h"

#include <fmt/format.h>

#include <cmath>

namespace polhode {
namespace {

std::string show(const EulerParameters<double>& e) {
  return fmt::format("quaternion ({:.9g} {:.9g} {:.9g} {:.9g})", e.e0, e.ev.x, e.ev.y, e.ev.z);
}

std::string show(const Vec3<double>& v, const char* what) {
  return fmt::format("{} ({:.9g} {:.9g} {:.9g})", what, v.x, v.y, v.z);
}

}  // namespace

const EulerParameters<double>& require_unit(const EulerParameters<double>& e, double tolerance) {
  const double size = norm(e);
  if (!std::isfinite(e.e0) || !std::isfinite(e.ev.x) || !std::isfinite(e.ev.y) || !std::isfinite(e.ev.z)) {
    refuse(show(e) + " is not finite", "all four components must be finite numbers");
  }
  if (size == 0) { refuse(show(e) + " is zero: it describes no attitude", "no rotation is 1 0 0 0"); }
  if (std::fabs(size - 1) > tolerance) {
    refuse(fmt::format("{} has norm {:.9g}, not 1 (tolerance {:g})", show(e), size, tolerance),
           fmt::format("divided by its norm it would be {:.17g} {:.17g} {:.17g} {:.17g}", e.e0 / size, e.ev.x / size,
                       e.ev.y / size, e.ev.z / size));
  }
  return e;
}

const Mat3<double>& require_rotation(const Mat3<double>& A, double tolerance) {
  constexpr double kHuge = 1e50;  // products of three such entries are still finite
  for (const auto& row : A.m) {
    for (const double entry : row) {
      if (!std::isfinite(entry)) { refuse("matrix is not finite", "all nine entries must be finite numbers"); }
      if (std::fabs(entry) > kHuge) {
        refuse(fmt::format("matrix is not orthogonal: it has an entry of size {:.3g}", std::fabs(entry)),
               "the entries of a rotation are at most 1");
      }
    }
  }
  const Orthogonality<double> test = orthogonality(A);
  if (test.defect > tolerance) {
    refuse(
        fmt::format("matrix is not orthogonal: an entry of AᵀA − I is {:.3g} (tolerance {:g})", test.defect, tolerance),
        fmt::format("the nearest rotation is {:.3g} away", nearest_rotation(A).distance));
  }
  if (test.determinant < 0) {
    refuse(fmt::format("matrix is left-handed: det A = {:.6g}, a rotation has +1", test.determinant),
           "one axis is mirrored; rows must be x y z of one right-handed frame in the other");
  }
  return A;
}

const Vec3<double>& require_finite(const Vec3<double>& v, const char* what) {
  if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z)) {
    refuse(show(v, what) + " is not finite", "all three components must be finite numbers");
  }
  return v;
}

const Vec3<double>& require_unit(const Vec3<double>& v, const char* what, double tolerance) {
  const double size = norm(require_finite(v, what));
  if (std::fabs(size - 1) > tolerance) {
    refuse(fmt::format("{} has length {:.9g}, not 1 (tolerance {:g})", show(v, what), size, tolerance),
           size == 0 ? "give the direction of the axis"
                     : fmt::format("divided by its length it would be {:.17g} {:.17g} {:.17g}", v.x / size, v.y / size,
                                   v.z / size));
  }
  return v;
}

}  // namespace polhode
