#pragma once

#include "polhode/multibody/dynamics.h"

#include <optional>

/// Where a mechanism starts: its drawing closed, coordinates and rates of joints as asked for.
namespace polhode::simulation {

/// What is asked of one coordinate of a joint at the start.
struct StartValue {
  int joint = 0;
  Coordinate coordinate = Coordinate::turn;
  std::optional<double> value;
  std::optional<double> rate;
};

/// Where a body that floats is put at the start, with all that hangs on it: the origin of its axes, and its attitude.
struct StartPlace {
  BodyId body = 0;
  std::optional<Vec3<double>> r_N;
  std::optional<EulerParameters<double>> e_NB;
};

struct Assembly {
  std::vector<double> y;
  /// By body: how far its mass centre was shifted, and by which angle it was turned, to close the drawing.
  struct Move {
    double distance = 0;
    double angle = 0;
  };
  std::vector<Move> closing;
  std::string failure;  ///< "": closed; otherwise which joint is left open, in words
  int open_joint = -1;  ///< the one that is open most, or −1
};

/// Closes the drawing, then moves it step by step until the coordinates have their start values: what hangs on a joint
/// follows it, and loops are closed by Newton's method after every step. Velocities: what hangs on a joint follows it
/// with the given rate, or none; bodies that have their own keep it; then the nearest ones that all joints allow.
/// `builder` holds bodies, joints, couplings and rolling, and no drivers.
Assembly assemble(const ModelBuilder& builder, const std::vector<StartValue>& starts,
                  const std::vector<StartPlace>& put, const std::vector<bool>& has_own_velocity);

/// The bodies that joints connect with `body`, itself included, in order; empty where the ground is among them.
std::vector<BodyId> floating_with(const Model& model, BodyId body);

}  // namespace polhode::simulation
