#pragma once

#include "polhode/simulation/certificate.h"
#include "polhode/simulation/one_body.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// One scenario under many forms of the equations of motion, and under many methods: which of them move as the
/// reference does, and at what cost.
namespace polhode::comparison {

/// What one row of the table is run with.
struct Choice {
  std::string formulation;
  std::string integrator;
  friend bool operator==(const Choice&, const Choice&) = default;
};

/// How a row came out.
enum class Standing {
  agrees,    ///< with the reference, as far as the accuracy asked for; its multiplier with its closed form
  coarse,    ///< beyond the accuracy, but finer steps bring it to the reference: as much as its steps allow
  off,       ///< another motion, another multiplier, or no motion to the end
  singular,  ///< its chart met a singularity on the way
  cannot,    ///< form, method and scenario do not go together
  not_run,   ///< interrupted
};
/// As written in files: "agrees", "not run".
std::string_view to_text(Standing standing);
inline constexpr std::array<Standing, 6> kStandings{Standing::agrees,   Standing::coarse, Standing::off,
                                                    Standing::singular, Standing::cannot, Standing::not_run};

/// The multiplier of the norm constraint, for the row c eᵀ.
struct Multiplier {
  int row_scale = 1;        ///< c
  std::string closed_form;  ///< of λ with this c
  double least = 0;
  double most = 0;
  double closed_least = 0;  ///< of the closed form along the same motion
  double closed_most = 0;
  double size = 0;   ///< largest |closed form| + 4T
  double error = 0;  ///< largest |λ − closed form|, relative to it
};

/// What is drawn: one value a row looked at, in the order of time; fewer where a run ended early.
struct Series {
  std::vector<EulerParameters<double>> e_NB;
  std::vector<Vec3<double>> w_B;
  std::vector<double> attitude_difference;  ///< rad
  std::vector<double> energy;               ///< |balance|, relative to the largest energy
  std::vector<double> momentum;
  std::vector<double> norm;  ///< ||e| − 1|
  std::vector<double> multiplier;
  std::vector<double> closed_form;
};

struct Row {
  Choice choice;
  Standing standing = Standing::not_run;
  std::string reason;  ///< in words; empty where it agrees
  /// Of a row beyond the accuracy: the same with half the step, or a hundredth of the tolerance, rad.
  std::optional<double> finer_difference;
  simulation::Ending ending = simulation::Ending::interrupted;
  double t_end = 0;

  // Measured, where something was run.
  double attitude_difference = 0;      ///< largest, rad
  double attitude_difference_end = 0;  ///< at the last row, rad
  double rate_difference = 0;          ///< largest |ω' − ω'_ref|, rad/s
  double energy_drift = 0;             ///< largest, relative: as the certificate has it
  double momentum_drift = 0;
  double norm_error = 0;
  std::optional<Multiplier> multiplier;
  RunStatistics statistics;
  double chart_condition = 1;
  std::size_t flops = 0;  ///< of one evaluation of the form under one force
  Series series;

  bool has_run() const { return standing != Standing::cannot && standing != Standing::not_run; }
};

/// What the rows are compared with.
struct Reference {
  bool exact = false;
  std::string name;        ///< "exact motion (free body)", or which runs
  double uncertainty = 0;  ///< rad: how far two references are apart; 0 for an exact motion
  std::string reason;      ///< where it did not reach the end
};

struct Comparison {
  Reference reference;
  double accuracy = 0;        ///< asked for by the scenario, rad
  std::vector<double> times;  ///< of the rows looked at, s
  Series reference_series;    ///< attitude and rate only
  std::uint64_t rows_in_all = 0;
  std::vector<Row> rows;
  bool interrupted = false;

  std::size_t count(Standing standing) const;
  /// Every row that came through agrees as it was run: none is coarse, off or left out by an interrupt. One that met a
  /// singularity of its chart or cannot run does not speak against a form.
  bool all_agree() const;
  /// Some row is off: a form, a method or a multiplier is wrong. Coarse rows are not.
  bool any_off() const { return count(Standing::off) > 0; }
};

/// A plan for a choice, with its own parameters. The form and the method are set by the caller of it.
using PlanMaker = std::function<simulation::OneBodyPlan(const Choice& choice)>;

struct Options {
  double step = 0;       ///< for methods that need fixed steps where the plan has none; 0: none
  unsigned threads = 1;  ///< any number gives the same numbers
  std::function<bool()> keep_going;
  /// Rows done of all rows; called by one thread at a time.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;
};

/// Runs every choice and compares. A choice that cannot run has its reason in its row.
Comparison compare(const PlanMaker& make, const std::vector<Choice>& choices, const Options& options);

/// Every form by name, and "f11", which has its reason why not; by names and families ("a1" for "a1:3-2-1" and its
/// like) where some are given. Fails with the nearest name.
std::vector<std::string> forms_named(const std::vector<std::string>& names);

}  // namespace polhode::comparison
