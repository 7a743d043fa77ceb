#pragma once

#include <array>
#include <string_view>

/// The four first-order update schemes that game engines grew up with [EngineNotes]: momentum in the world or in the
/// body frame, gyroscopic effect included or ignored. Here by name, so that integrators may ask a system for them; the
/// steps themselves are in formulation/schemes.h.
namespace polhode {

struct Scheme {
  std::string_view name;  ///< "world", "world-no-gyro", "body", "body-no-gyro"
  std::string_view summary;
  bool world = true;       ///< momentum in space components; else in body components
  bool gyroscopic = true;  ///< false: L̇' = τ', the gyroscopic moment is left out
};

inline constexpr std::array<Scheme, 4> kSchemes{{
#define SCHEME(name, summary, world, gyroscopic) {name, summary, world, gyroscopic},
#include "polhode/core/schemes.def"
#undef SCHEME
}};

/// Where the quantities with index n + 1 on the right side are taken.
///   lagged    at the attitude of the step's start (world), at L'_n (body): explicit
///   implicit  at n + 1, by iteration: the inertia at the new attitude (world), the gyroscopic term at the new
///             momentum (body)
enum class SchemeIndex { lagged, implicit };

/// Body without gyroscopic effect has nothing to iterate: both indices are the same step.
constexpr bool has_implicit_index(const Scheme& scheme) { return scheme.world || scheme.gyroscopic; }

}  // namespace polhode
