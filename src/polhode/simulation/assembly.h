#pragma once

#include "polhode/multibody/dynamics.h"

#include <optional>
#include <string>
#include <vector>

/// Where a mechanism starts: its drawing closed, coordinates and rates of joints as asked for.
namespace polhode::simulation {

/// What is asked of one coordinate of a joint at the start.
struct StartValue {
  int joint = 0;
  Coordinate coordinate = Coordinate::turn;
  std::optional<double> value;
  std::optional<double> rate;
  bool driven = false;  ///< a driver's value and rate: never adjusted
};

/// Where a body that floats is put at the start, with all that hangs on it: the origin of its axes, and its attitude.
struct GivenPose {
  BodyId body = 0;
  std::optional<Vec3<double>> r_N;
  std::optional<EulerParameters<double>> e_NB;
};

/// What is given of a body's velocity at the start. What is not given follows from joints, couplings, rolling and
/// rates.
struct GivenVelocity {
  std::optional<Vec3<double>> v_N;  ///< of the mass centre
  std::optional<Vec3<double>> w;    ///< angular velocity, in body or space components
  bool w_in_space = false;
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

  /// A given velocity that joints, couplings, rolling or drivers do not allow as it stands, and the nearest one that
  /// they do, which is in y.
  struct Change {
    enum class Of { velocity, rate, coordinate } of = Of::velocity;
    std::size_t index = 0;  ///< of the body; of the start value, where it is the rate of a coordinate
    Vec3<double> given{};   ///< in the components in which it was given; the rate of a coordinate is in x
    Vec3<double> used{};
    double speed = 0;  ///< |used − given| in m/s, angular velocities times speed_length()
  };
  std::vector<Change> changes;
  /// The largest speed of a mass centre or of a coordinate at the start, given or used; angular ones times
  /// speed_length().
  double largest_speed = 0;
};

/// Closes the drawing, then moves it step by step until the coordinates have their start values: what hangs on a joint
/// follows it, and loops are closed by Newton's method after every step.
///
/// Velocities: what is given (by `velocities`, and as rates of `starts`) is kept, as long as the constraints of the
/// mechanism allow it. Everything else follows: what hangs on a joint moves with it, at the given rate or none, and
/// what then still violates a constraint is moved by the smallest change of what is not given, weighed by mass and
/// inertia. Where no velocities fulfil all constraints and have the given values, the constraints and the rates of
/// drivers hold, and the given values are changed as little as possible: Assembly::changes.
///
/// `builder` holds bodies, joints, couplings and rolling, and no drivers; `velocities` has one entry a body.
Assembly assemble(const ModelBuilder& builder, const std::vector<StartValue>& starts, const std::vector<GivenPose>& put,
                  const std::vector<GivenVelocity>& velocities);

/// The length that turns rates into speeds where velocities are compared: the longest way from a mass centre to a
/// joint, a rim that rolls or a blade of its body; 1 m where there is none.
double speed_length(const Model& model);

/// Groups of bodies that joints connect, and which of them float.
class FloatingGroups {
 public:
  explicit FloatingGroups(const Model& model);
  /// The bodies connected with `body`, itself included, in order; empty where the ground is among them.
  const std::vector<BodyId>& with(BodyId body) const;

 private:
  std::vector<std::size_t> group_of_;  ///< by body
  std::vector<std::vector<BodyId>> groups_;
};

}  // namespace polhode::simulation
