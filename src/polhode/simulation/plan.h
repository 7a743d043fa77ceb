#pragma once

#include "polhode/formulation/body_system.h"
#include "polhode/integrator/driver.h"
#include "polhode/simulation/output.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// From a body and a method to a trajectory, with a ledger of what must be conserved and a certificate.
namespace polhode::simulation {

/// What happens at an event besides its being recorded.
enum class Action { record, stop, change };

/// An event, whatever it looks at.
struct EventHead {
  std::string name;
  int direction = 0;  ///< +1: upwards only, −1: downwards only, 0: both
  Action action = Action::record;
  /// For Action::change: new values of parameters, by their index.
  std::vector<std::pair<std::size_t, double>> set{};
};

struct PlannedEvent : EventHead {
  std::function<double(const BodyState<double>&)> function;  ///< its sign changes are the event
  std::function<bool(const BodyState<double>&)> counts;      ///< may be empty; zeros where it says false are not meant
  /// For Action::change: a new rate or velocity; may be empty.
  std::function<void(BodyState<double>&)> change;
  /// In place of `function`, for what looks at speeds of wheels; may be empty.
  std::function<double(const BodyState<double>&, std::span<const double> wheel_speeds)> function_of_wheels{};
};

/// How a run goes through time, whatever it carries. Constant once made: any number of threads may run it at once.
struct RunPlan {
  std::string title;
  std::string integrator = "dop853";
  double step = 0;  ///< fixed steps; 0: by tolerance
  double relative_tolerance = 1e-10;
  double absolute_tolerance = 1e-10;
  ProjectionUse projection = ProjectionUse::none;
  double duration = 0;
  double output_interval = 0;
  /// A checkpoint after so many rows: the method starts anew there in every run, so that a resumed one has the same
  /// bits.
  std::size_t rows_per_checkpoint = 1000;
  double accuracy = 1e-6;          ///< attitude error allowed, rad; what the certificate is judged by
  std::vector<double> parameters;  ///< their values at the start of a run; events may set them
  OutputPlan output{};             ///< which columns, and rows at which times
};

/// Everything that a run of one body depends on.
struct Plan : RunPlan {
  OneBody<double> body;
  BodyState<double> start;
  /// Sum of the potential energies of all loads; empty where a load has none: then the energy balance is T less work.
  std::function<double(const BodyState<double>&)> potential;
  /// Direction along which the angular momentum about the fixed point is kept by symmetry; all of it, or none.
  enum class Momentum { balance, along_axis, whole } momentum = Momentum::balance;
  Vec3<double> momentum_axis_N{0, 0, 1};
  /// Momentum of wheels inside the body, body components: part of the angular momentum, no part of J ω'.
  std::function<Vec3<double>(const BodyState<double>&)> wheel_momentum_B;

  /// Each load by itself, by its name: for runs that hand out what each does. Empty where nobody asks.
  std::vector<std::pair<std::string, Load<double>>> each_load{};

  std::string formulation = "euler-body";
  /// A form of one's own in place of the one of that name; empty for those of the catalog.
  std::shared_ptr<const Formulation<double>> own_form{};
  std::vector<PlannedEvent> events;
  /// The same for other values of the parameters: loads, potential and events differ. Empty where there are none. Fails
  /// where something cannot have these values.
  std::function<std::shared_ptr<const Plan>(std::span<const double> parameters)> with;
};

}  // namespace polhode::simulation
