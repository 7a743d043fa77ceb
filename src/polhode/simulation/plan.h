#pragma once

#include "polhode/force/loads.h"
#include "polhode/formula/in_state.h"
#include "polhode/formula/in_time.h"
#include "polhode/integrator/driver.h"
#include "polhode/motion/state.h"
#include "polhode/simulation/ledger.h"
#include "polhode/simulation/output.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// From a body or a mechanism and a method to a trajectory, with a ledger of what must be conserved and a certificate.
namespace polhode::simulation {

class Subject;

/// What happens at an event besides its being recorded.
enum class Action { record, stop, change };

/// An event, whatever it looks at.
struct EventHead {
  std::string name;
  int direction = 0;  ///< +1: upwards only, −1: downwards only, 0: both
  Action action = Action::record;
  /// For Action::change: new values of parameters, by their index.
  std::vector<std::pair<std::size_t, double>> set{};
  /// Its function, where that is a formula of time alone: one law that watches its sign. Else nothing.
  std::shared_ptr<const std::vector<formula::LawInTime>> in_time{};
  /// Its function, where that is a formula of the state, which watches its sign. Else nothing.
  std::shared_ptr<const formula::LawOfState> in_state{};
};

/// How often a law switches with the state.
struct StateSwitches {
  std::string law;
  std::size_t count = 0;
};

/// One thing that a certificate looked at.
struct Evidence {
  std::string name;     ///< "angular momentum"
  double value = 0;     ///< what was found
  double bound = 0;     ///< what is allowed
  std::string meaning;  ///< what the number is, in words
  bool holds() const { return value <= bound; }
};

/// A motion that is known exactly.
struct ExactMotion {
  std::string name;
  std::function<MotionState<double>(double t)> at;
  /// Of a full inertia matrix: what the last digit of the input is worth at t, rad. Empty where axes are principal.
  std::function<double(double t)> uncertainty{};
};

/// How a run goes through time, whatever it carries. Constant once made: any number of threads may run it at once.
/// OneBodyPlan and MechanismPlan add what is carried.
struct Plan {
  std::string title;
  std::string integrator = "dop853";
  double step = 0;  ///< fixed steps; 0: by tolerance
  double relative_tolerance = 1e-10;
  double absolute_tolerance = 1e-10;
  double max_step = 0;  ///< of steps by tolerance, the longest; 0: any
  ProjectionUse projection = ProjectionUse::none;
  double duration = 0;
  double output_interval = 0;
  /// A checkpoint after so many rows: the method starts anew there in every run, so that a resumed one has the same
  /// bits.
  std::size_t rows_per_checkpoint = 1000;
  double accuracy = 1e-6;                     ///< attitude error allowed, rad; what the certificate is judged by
  std::optional<double> position_accuracy{};  ///< m; nothing: the accuracy times the scale of the motion
  /// Formulas of what acts that look at time, for their switches; nullptr: there are none.
  std::shared_ptr<const std::vector<formula::LawInTime>> laws_in_time{};
  /// Formulas of what acts that look at the state and may switch or vary unseen; nullptr: there are none.
  std::shared_ptr<const std::vector<formula::LawOfState>> laws_of_state{};
  /// Above 0: steps by tolerance end at switches of these, and zeros of events are looked for on the whole of a step
  /// (INT-37), the state being known to this part of itself, or to this much. For second opinions.
  double watch_blur = 0;
  std::vector<StateSwitches> switches_of_state{};  ///< by law; those of code are not known
  std::vector<std::string> opaque_laws{};          ///< names of those given as code: nobody can look into them
  std::vector<double> parameters;  ///< their values at the start of a run; events and callers may set them
  OutputPlan output{};             ///< which columns, and rows at which times

  /// Takes the formulas of what acts: those that look at time, and of the others how often they switch.
  void take_laws(const std::vector<formula::LawInTime>& laws) {
    std::vector<formula::LawInTime> in_time;
    switches_of_state.clear();
    for (const formula::LawInTime& law : laws) {
      if (law.looks_at_time()) { in_time.push_back(law); }
      if (!law.of_state.empty()) { switches_of_state.push_back({law.name, law.of_state.size()}); }
    }
    laws_in_time =
        in_time.empty() ? nullptr : std::make_shared<const std::vector<formula::LawInTime>>(std::move(in_time));
  }

  Plan() = default;
  Plan(const Plan&) = default;
  Plan(Plan&&) = default;
  Plan& operator=(const Plan&) = default;
  Plan& operator=(Plan&&) = default;
  virtual ~Plan() = default;

  /// What a run of this plan carries; the plan must outlive it. Fails with one line where parts of the plan do not fit.
  virtual std::unique_ptr<Subject> subject() const = 0;
  virtual std::unique_ptr<Plan> copy() const = 0;
  /// The columns that a run of the plan can have. Fails as subject() does.
  virtual std::vector<OfferedColumn> offered_columns() const = 0;
  /// What stands before the name of a column of each body: "hub."; "" where there is one body alone.
  virtual std::vector<std::string> column_prefixes() const = 0;
  /// The length of the model, m: an error of a position that is small against it is small. 0: there is none.
  virtual double length() const = 0;
  /// Whether mass centres move, so that their positions are judged.
  virtual bool judges_positions() const = 0;
  /// The projection of runs that do not choose one.
  virtual ProjectionUse usual_projection() const { return ProjectionUse::none; }
  /// What a run's own balances show: what must hold, and what should be known besides.
  virtual std::vector<Evidence> evidence(const LedgerState& ledger, std::vector<std::string>& notes) const = 0;
  virtual std::optional<ExactMotion> exact_motion() const { return {}; }
};

}  // namespace polhode::simulation
