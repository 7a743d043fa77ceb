#pragma once

#include "polhode/motion/state.h"
#include "polhode/simulation/mechanism.h"
#include "polhode/simulation/simulation.h"

#include <optional>

/// How far the result of a run can be trusted, and by which evidence.
namespace polhode::simulation {

enum class Verdict { yes, no, not_established };

/// "yes", "no", "not established".
std::string_view to_text(Verdict verdict);

/// One thing that was looked at.
struct Evidence {
  std::string name;     ///< "angular momentum"
  double value = 0;     ///< what was found
  double bound = 0;     ///< what is allowed
  std::string meaning;  ///< what the number is, in words
  bool holds() const { return value <= bound; }
};

/// Verdict on the attitude error of a run against the accuracy that was asked for.
///
///   no               a balance is off by more than the accuracy allows, or the error found is larger
///   not established  balances hold, but nothing measured the error itself
///   yes              the error was measured, or estimated with a factor of safety, and is small enough
///
/// Balances are necessary, not sufficient: momentum that is off by a part δ of itself needs an attitude or a rate that
/// is off by about δ, while a run may hold all balances and still be late along its path.
struct Certificate {
  Verdict verdict = Verdict::not_established;
  double accuracy = 0;                   ///< asked for, rad
  std::optional<double> attitude_error;  ///< rad, largest over the rows and bodies looked at
  std::optional<double> place_error;     ///< of mechanisms: of a mass centre, m, likewise
  std::string method;  ///< how the error was found: "exact motion (free body)", "step halving", or "" for not at all
  std::optional<double> observed_order;  ///< of step halving
  std::optional<int> declared_order;
  std::vector<Evidence> evidence;
  std::vector<std::string> notes;
  std::string reason;     ///< of the verdict, one line
  std::size_t steps = 0;  ///< of the run itself
};

/// From what the run itself has shown.
Certificate certificate_of(const Plan& plan, const Outcome& outcome);

/// The exact motion of the plan's body, where it is one that has one: a free body, a Lagrange top, a body that spins
/// about a principal axis under a constant moment. Empty otherwise.
struct ExactMotion {
  std::string name;
  std::function<MotionState<double>(double t)> at;
  /// Of a full inertia matrix: what the last digit of the input is worth at t, rad. Empty where axes are principal.
  std::function<double(double t)> uncertainty{};
};
std::optional<ExactMotion> exact_motion_of(const Plan& plan);

/// Time and poses out of rows, by the names of their columns: e0 to e3 of one body, NAME.e0 to NAME.e3 and
/// NAME.rx_space_m to NAME.rz_space_m of every body of a mechanism.
class PoseColumns {
 public:
  /// Of one body.
  explicit PoseColumns(const std::vector<Column>& columns);
  PoseColumns(const std::vector<Column>& columns, const Model& model);
  /// Whether all of them are there: an output plan may leave columns out.
  bool complete() const { return complete_; }
  /// Time and poses of a row; nothing where columns are missing.
  std::vector<double> of(std::span<const double> row) const;

 private:
  void find(const std::vector<Column>& columns, const std::string& name);
  std::vector<std::size_t> places_;
  bool complete_ = true;
};

/// Measures the attitude error: against the exact motion, or by runs with finer steps (`keep_going` is asked between
/// them and may end the work). `rows` are those of the run: time first, then the attitude. Without any, as where the
/// output plan leaves out the attitude, the run is made again to see them.
struct AttitudeRow {
  double t = 0;
  EulerParameters<double> e_NB;
};
void certify(Certificate& certificate, const Plan& plan, std::span<const AttitudeRow> rows,
             const std::function<bool()>& keep_going = {});

/// The same for mechanisms: balance of energy, residuals of joints at three levels, norms; rows that repeat others are
/// told in the notes.
Certificate certificate_of(const MechanismPlan& plan, const MechanismOutcome& outcome);
/// `rows` are those of the run: time, then 7 numbers a body, Euler parameters and place. Without any, or with rows that
/// PoseColumns left empty, the run is made again to see them. By runs with finer steps.
void certify(Certificate& certificate, const MechanismPlan& plan, std::span<const std::vector<double>> rows,
             const std::function<bool()>& keep_going = {});
/// Such a row, from a row of a run with the columns that are there by default.
std::vector<double> pose_row(std::span<const double> row, std::size_t bodies);

/// Angle of the rotation between two attitudes, rad.
double attitude_difference(const EulerParameters<double>& a, const EulerParameters<double>& b);

}  // namespace polhode::simulation
