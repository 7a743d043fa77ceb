#pragma once

#include "polhode/simulation/simulation.h"

#include <optional>

/// How far the result of a run can be trusted, and by which evidence.
namespace polhode::simulation {

enum class Verdict { yes, no, not_established };

/// "yes", "no", "not established".
std::string_view to_text(Verdict verdict);

/// Verdict on the attitude error of a run against the accuracy that was asked for.
///
///   no               the error of a balance is larger than the accuracy allows, or the error found is larger
///   not established  balances hold, but nothing measured the error itself, or something that acts cannot be looked
///                    into
///   yes              the error was measured, or estimated with a factor of safety, and is small enough; a run by
///                    another method agrees within half of the accuracy
///
/// Balances are necessary, not sufficient: a relative momentum error δ needs an attitude or a rate that
/// has an error of about δ, while a run may hold all balances and still be late along its path.
struct Certificate {
  Verdict verdict = Verdict::not_established;
  double accuracy = 0;                     ///< asked for, rad
  std::optional<double> attitude_error;    ///< rad, largest over the rows and bodies looked at
  std::optional<double> position_error;    ///< of a mass centre, m, likewise; where positions are judged
  std::optional<double> position_allowed;  ///< asked for, or the accuracy times the scale of the motion, m
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

/// Time and poses out of rows, by the names of their columns: e0 to e3 of every body, and rx_space_m to rz_space_m
/// where the plan judges positions.
class PoseColumns {
 public:
  PoseColumns(const std::vector<Column>& columns, const Plan& plan);
  /// Whether all of them are there: an output plan may leave columns out.
  bool complete() const { return complete_; }
  /// Time and poses of a row; nothing where columns are missing.
  std::vector<double> of(std::span<const double> row) const;

 private:
  void find(const std::vector<Column>& columns, const std::string& name);
  std::vector<std::size_t> indices_;
  bool complete_ = true;
};

/// When events happened: a list of times by event of the plan.
using EventTimes = std::vector<std::vector<double>>;

/// Measures the errors of attitudes and positions: against the exact motion, or by runs with finer steps (`keep_going`
/// is asked between them and may end the work). `poses` are those of rows of the run, as PoseColumns gives them.
/// Without any, as where the output plan leaves them out, the run is made again to see them. `events`: those of the
/// run, held against those of a second method; nullptr: they are not judged.
void certify(Certificate& certificate, const Plan& plan, std::span<const std::vector<double>> poses,
             const EventTimes* events = nullptr, const std::function<bool()>& keep_going = {});

/// Angle of the rotation between two attitudes, rad.
double attitude_difference(const EulerParameters<double>& a, const EulerParameters<double>& b);

}  // namespace polhode::simulation
