#pragma once

#include "polhode/drawing/linkage.h"
#include "polhode/rotation/euler_angles.h"

namespace polhode::drawing {

/// Below this |det| of the rate matrix (about half a degree from lock) the plane of the can axes is marked.
inline constexpr double kLockDeterminant = 0.01;
/// Below this one it is lock itself: the rounding of angles given in degrees explains so much.
inline constexpr double kLockRounding = 1e-9;
/// The largest angle, rad, and rate, rad/s, that are drawn.
inline constexpr double kLargestAngle = 1e9;
inline constexpr double kLargestRate = 1e30;

/// Euler angles to be drawn as cans in series.
struct EulerCans {
  EulerSequence sequence;
  Vec3<double> angles;                  ///< rad, in the order of the turns as the sequence states them
  std::optional<Vec3<double>> rates{};  ///< rad/s, in the same order
  bool rates_in_degrees = true;         ///< unit of the rates on paper
};

/// Angles that show a sequence well, far from lock.
Vec3<double> pleasant_angles(const EulerSequence& sequence);

/// Symbols of the three angles in the order of the turns: φ θ ψ for proper Euler angles; for Tait-Bryan angles by
/// the axis, φ about x, θ about y, ψ about z, so that 3-2-1 reads ψ θ φ: yaw, pitch, roll.
std::array<std::string, 3> angle_symbols(const EulerSequence& sequence);

/// The three pairs of cans in space. Neighbouring axes are at right angles, so the chain never folds onto itself.
/// The axes are the columns of the space rate matrix, (KIN-32). An extrinsic i-j-k is drawn as the intrinsic k-j-i
/// that it equals: its first turn is the pair next to the body. [SchwabMeijaard2006, figs. 2-4]
/// Fails on angles and rates beyond kLargestAngle and kLargestRate.
Linkage to_linkage(const EulerCans& cans);

}  // namespace polhode::drawing
