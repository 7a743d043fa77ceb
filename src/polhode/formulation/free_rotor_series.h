#pragma once

#include "polhode/math/vec3.h"

#include <cstddef>

namespace polhode {

/// Longest series of a free body that is computed here.
inline constexpr std::size_t kMostFreeRotorOrder = 48;

/// Taylor series of a free body in principal axes: rows 1 ... order from row 0, 7 numbers a row, (e | ω') (DYN-32).
/// `gyration` is (J2 − J3)/J1 and its like. The same bits on every processor.
void free_rotor_series(const Vec3<double>& gyration, std::size_t order, double* rows);
void free_rotor_series(const Vec3<long double>& gyration, std::size_t order, long double* rows);

}  // namespace polhode
