#pragma once

#include "polhode/multibody/derivatives.h"

#include <span>
#include <string>
#include <vector>

/// Steady motions of mechanisms: states that move along a symmetry of their equations of motion, such as a top that
/// precesses, a bicycle that rolls straight on, a satellite on its orbit. Labels (ANA-n): docs/theory/analysis.md.
namespace polhode::analysis {

/// A motion of the whole state that may leave the equations of motion as they are: all bodies move along or turn about
/// an axis of space; what hangs on a joint turns about it or slides along it; one body turns in itself, its angular
/// velocity in space staying as it is.
struct Generator {
  enum class Kind : std::uint8_t { shift, turn, joint_turn, joint_slide, spin };
  Kind kind = Kind::shift;
  std::size_t axis = 0;   ///< of space
  std::size_t node = 0;   ///< whose joint turns or slides
  BodyId body = 0;        ///< that turns in itself
  Vec3<double> axis_B{};  ///< of that turn
  std::string name;       ///< "shift along x", "turn of joint 'hub'"

  /// σ(y), in the entries of y.
  template <class S>
  void at(const Model& model, std::span<const S> y, std::span<S> sigma) const;
};

/// How a state moves along symmetries: ẏ = σ(y) = Σ c_k σ_k(y), for all that is symmetric.
///
///   [f, σ] = (∂f/∂y) σ − (∂σ/∂y) f + ∂f/∂t = 0 near y₀,   f(y₀) = σ(y₀)     (ANA-3)
struct SteadyMotion {
  std::vector<Generator> generators;
  std::vector<double> rates;  ///< c_k; m/s or rad/s
  /// σ(y₀) and its derivative along dy.
  std::vector<double> at(const Model& model, std::span<const double> y) const;
  void along(const Model& model, std::span<const double> y, std::span<const double> dy, std::span<double> result) const;
  /// y ← y carried along σ for dt.
  void step(const Model& model, std::span<double> y, double dt) const;
};

/// What a search for the motion of a state has found.
struct MotionFound {
  enum class Kind : std::uint8_t { equilibrium, steady, none };
  Kind kind = Kind::none;
  SteadyMotion motion;   ///< of the kind `steady`
  double residual = 0;   ///< of the accelerations: what is left of them, relative to each body's own forces
  double drift = 0;      ///< of the pose: what no symmetry moves, relative to each body's own speed
  bool changes = false;  ///< it fits at this moment, but the equations change along it: a pendulum that passes below
  bool by_time = false;  ///< what acts changes with time, and does not keep step
  double forces = 0;     ///< the largest that accelerations are compared with, m/s²
  double speed = 0;      ///< the largest that speeds are compared with, m/s
};
/// Largest residual and drift that still count as none.
inline constexpr double kSteadyTolerance = 1e-6;

/// Looks how the state at (t, y) moves. `y` fulfils the constraints. `later_times`, increasing: moments at which laws
/// that change with time are looked at, too.
MotionFound find_motion(const Model& model, double t, std::span<const double> y, std::span<const double> turns,
                        std::span<const double> later_times);

/// "equilibrium", "steady motion: shift along x at 5 m/s, turn of joint 'hub' at -14.3 rad/s"
std::string to_text(const MotionFound& found);

}  // namespace polhode::analysis
