#pragma once

#include "polhode/rotation/euler_parameters.h"
#include "polhode/rotation/rotation_matrix.h"

/// Gate-keepers for numbers that come from outside: each passes its argument on or fails with one line
/// that says what is wrong and what would be right. Nothing is repaired.
namespace polhode {

/// How far |e| may be from 1, and AᵀA from I, in numbers typed or stored with few digits.
inline constexpr double kUnitTolerance = 1e-6;

/// Finite and |e| = 1 within `tolerance`.
const EulerParameters<double>& require_unit(const EulerParameters<double>& e, double tolerance = kUnitTolerance);

/// Finite, orthogonal within `tolerance`, right-handed.
const Mat3<double>& require_rotation(const Mat3<double>& A, double tolerance = kUnitTolerance);

/// Finite and of length 1 within `tolerance`; `what` names it in the message ("axis").
const Vec3<double>& require_unit(const Vec3<double>& v, const char* what, double tolerance = kUnitTolerance);

/// Finite.
const Vec3<double>& require_finite(const Vec3<double>& v, const char* what);

}  // namespace polhode
