#pragma once

#include "polhode/math/vec3.h"

#include <array>
#include <span>
#include <vector>

namespace polhode::audit {

/// What the rates add up to over one interval of a log.
struct RateIntegrals {
  Vec3<double> w;              ///< ∫ω dt
  Vec3<double> moment;         ///< ∫(t − t_middle) ω dt
  std::array<double, 6> ww{};  ///< ∫ω ωᵀ dt: xx yy zz xy xz yz
};

/// One entry for each pair of neighbouring rows.
///
///   ω(t) = Σ_j ω_j L_j(t),   ∫f dt = Σ_i (5 8 5)_i h/18 f(t_i)   over the six nearest rows, Gauss points t_i (AUD-1)
///
/// L_j are Lagrange's polynomials, so times need not be evenly spaced. Where neighbouring intervals differ more than
/// fourfold in length, the line between two rows is taken.
std::vector<RateIntegrals> integrate_rates(std::span<const double> t, std::span<const Vec3<double>> w);

/// The rates at the times t_k + shift, by the polynomials of AUD-1, for the rows k = first, first + 1, ... whose
/// shifted time lies within the log: nothing is extrapolated.
struct ShiftedRates {
  std::size_t first = 0;
  std::vector<Vec3<double>> w;
};
ShiftedRates shift_rates(std::span<const double> t, std::span<const Vec3<double>> w, double shift);

/// Error that the rates may have between rows beyond their noise: rms, in the unit of the rates. Rows are held
/// against the polynomial of degree 5 through the rows m, 3m and 5m before and after them, and against the line through
/// the nearest two of those, m = 1, 2, 3, ... until the polynomial is twice as near as the line: from there on the log
/// is smooth. What the polynomial misses up to there, less the noise that does not grow with m, is what interpolation
/// has cut off or what too few rows leave open. (AUD-8)
double roughness_of(std::span<const double> t, std::span<const Vec3<double>> w);

/// The rms error of a component by rounding, where all numbers were written with the same few decimals (up to eight) or
/// significant digits (up to nine); 0 where they were not.
double rounding_of(std::span<const Vec3<double>> values);

/// The straight trend of a series, from the means of up to 16 blocks, so that noise and vibration average out and the
/// scatter of the blocks tells how certain it is.
struct Trend {
  double slope = 0;
  double error = 0;  ///< standard error of the slope
};
Trend trend_of(std::span<const double> t, std::span<const double> values);

}  // namespace polhode::audit
