#pragma once

#include "polhode/math/matrix.h"
#include "polhode/rotation/euler_parameters.h"

/// Gate-keepers of the exact motions: each fails with one line that says what is wrong and what would be right.
/// The triangle inequality is not asked for: the motions are computable for any positive moments.
namespace polhode::motion {

/// Finite and positive, within 1e±100.
void require_moment(double moment, const char* what);
void require_moments(const Vec3<double>& moments);
/// Finite and symmetric to rounding; the moments themselves are looked at once they are known.
void require_symmetric(const Mat3<double>& J_B);
/// Unit Euler parameters (rotation/checks.h) and a finite rate below 1e100.
void require_start(const EulerParameters<double>& e_NB, const Vec3<double>& w_B);
void require_finite(double value, const char* what);
/// 0, 1 or 2.
void require_axis(std::size_t axis);
/// m g l: finite and not 0.
void require_top_load(double k);

}  // namespace polhode::motion
