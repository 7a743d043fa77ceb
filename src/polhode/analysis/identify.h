#pragma once

#include "polhode/analysis/linear_model.h"
#include "polhode/analysis/measured.h"
#include "polhode/catalog/compiled_scenario.h"
#include "polhode/drawing/chart.h"

#include <functional>
#include <string>
#include <vector>

/// Parameters of a scenario from measured data, with their uncertainties. docs/identify.md; labels (ANA-n):
/// docs/theory/analysis.md.
namespace polhode {

struct IdentifyOptions {
  /// Parameters of the scenario that the log shall tell; they start at the values that the scenario gives.
  std::vector<std::string> unknown{};
  /// Parameters that have another value in every recording: NAME, or NAME=COLUMN, which starts at the first number of a
  /// column of the log.
  std::vector<std::string> own{};
  /// Three parameters that are the principal moments of a body, or six that are J11, J22, J33, J12, J13, J23 of its
  /// inertia matrix: unknown, and searched among what a body can have.
  std::vector<std::vector<std::string>> inertias{};
  /// Of one body: rate, attitude, position and velocity at the first row of every recording are its own, and time
  /// counts from there.
  bool unknown_start = false;

  /// Columns of the log to go by; none: all that are attitudes, positions, and their rates.
  std::vector<std::string> measured{};
  // Of sensors. One is called by its column, or by what its three columns have in common: "w_body_rad_s" of
  // wx_body_rad_s, wy_body_rad_s, wz_body_rad_s; "e" of e0 to e3.
  Named<double>
      noise{};  ///< standard deviation, in the unit of the column, of an attitude in rad; else it is estimated
  std::vector<std::string> bias{};          ///< sensors with a constant error, of every column
  std::vector<std::string> scale{};         ///< with an error of the scale of every column
  std::vector<std::string> misalignment{};  ///< of three columns: turned against the body
  Named<double> time_offset{};              ///< late by no more than so many s; rows before that are left out
  /// Few wrong numbers do no harm: Huber's loss.
  bool robust = false;

  /// Values of parameters that take the place of those in the scenario.
  Named<double> parameters{};
  force::Laws laws{};
  /// Where meshes are found, and whether they may lie elsewhere.
  std::string folder{};
  catalog::MeshLocations meshes = catalog::MeshLocations::below_scenario;
  /// 0: as many as the machine has. The result does not depend on it.
  unsigned threads = 0;
  std::function<bool()> keep_going{};
};

/// An unknown that the fit has found.
struct IdentifiedValue {
  std::string name;  ///< "J2", "bias of wx_body_rad_s"
  double start = 0;
  double value = 0;
  double sigma = 0;  ///< standard deviation; counts where it is told
  bool told = true;  ///< false: not by the log, or only together with others; see not_told
};

/// A ratio or product of parameters that is told where they themselves are not.
struct IdentifiedCombination {
  std::string name;  ///< "J2/J1"
  double value = 0;
  double sigma = 0;
};

struct IdentifiedSensor {
  std::string name;
  std::vector<std::string> columns;
  double noise = 0;          ///< standard deviation
  bool estimated = true;     ///< from the residuals; else it was given
  double residual = 0;       ///< root mean square of measured less fitted
  std::size_t outliers = 0;  ///< residuals beyond 4 times the noise
};

/// One measured column as the fit sees it, for plots.
struct IdentifiedCurve {
  std::string column;  ///< of an attitude: "turn 1 of e"
  std::string sensor;
  std::vector<double> t, measured, residual;
};

struct Identification {
  std::string title;
  std::string scenario_file;    ///< for heads of tables; may be empty
  std::string scenario_sha256;  ///< likewise
  Named<double> parameters;     ///< IdentifyOptions::parameters
  std::size_t samples = 0;      ///< rows that were used
  std::size_t numbers = 0;      ///< measured numbers in them
  std::vector<IdentifiedValue> values;
  analysis::DenseMatrix correlation;  ///< of `values`; 0 where one is not told
  std::vector<IdentifiedCombination> combinations;
  std::vector<std::string> recordings;            ///< their names
  std::vector<std::vector<IdentifiedValue>> own;  ///< by recording
  std::vector<IdentifiedSensor> sensors;
  std::vector<std::string> not_told;  ///< what the log does not tell, in words, a line each
  std::vector<std::string> notes;
  double chi_squared = 0;  ///< of the residuals against their noise
  double freedoms = 0;     ///< numbers less unknowns that were told
  int iterations = 0;
  bool converged = false;
  bool interrupted = false;
  /// By recording, its curves.
  std::vector<std::vector<IdentifiedCurve>> curves;

  /// Fails with the nearest name.
  const IdentifiedValue& operator[](std::string_view name) const;
};

/// Fails with what is wrong with the scenario, the log or the question.
Identification identify(const Scenario& scenario, const MeasuredLog& log, const IdentifyOptions& options);

/// The scenario with the fitted values of its own parameters, and with those that took their place.
Scenario fitted(const Scenario& scenario, const Identification& found);

/// For people.
std::string to_text(const Identification& found);
/// One object.
std::string to_json(const Identification& found);
/// Parameters with their uncertainties and, behind them, those of every recording.
std::string to_csv(const Identification& found);
/// Measured and fitted, and residuals over the noise, of the first recordings.
drawing::Chart to_chart(const Identification& found);

}  // namespace polhode
