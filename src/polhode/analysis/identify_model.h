#pragma once

#include "polhode/analysis/identify.h"
#include "polhode/analysis/least_squares.h"
#include "polhode/simulation/sensitivity.h"

#include <optional>

/// What a scenario, with sensors on it, says that a log should show. Labels (ANA-n): docs/theory/analysis.md.
namespace polhode::analysis {

/// Columns of a log that are measured by one instrument.
struct Sensor {
  enum class Kind { numbers, vector, attitude };
  std::string name;
  Kind kind = Kind::numbers;
  std::vector<std::size_t> columns;  ///< of the log
  std::vector<std::string> names;    ///< of these
  bool is_angle = false;             ///< a number that may jump by a turn
  bool is_late = false;
  double most_late = 0;  ///< s
  double size = 1;       ///< of what it shows

  /// Residuals of a row.
  std::size_t residuals() const { return kind == Kind::attitude ? 3 : columns.size(); }
};
/// The sensors that measured columns make: vectors and attitudes are found by their names.
std::vector<Sensor> sensors_of(const MeasuredLog& log, const std::vector<std::string>& measured);

/// A shared unknown, as the fit has it.
struct SharedUnknown {
  enum class Kind { parameter, inertia, bias, scale, misalignment, time_offset };
  Kind kind = Kind::parameter;
  std::string name;       ///< what it is called, for people
  std::string parameter;  ///< of the scenario
  std::size_t group = 0;  ///< among the inertias
  std::size_t index = 0;  ///< in its group; of a sensor: the component
  std::size_t sensor = 0;
  double start = 0;  ///< of a parameter: its value, also where the fit has another coordinate
  double unit = 1;   ///< of the fit's coordinate

  bool of_sensor() const { return kind != Kind::parameter && kind != Kind::inertia; }
};

/// Moments, or entries of the matrix, that a body can have, by any numbers θ: with Σ = ∫ r rᵀ dm of the body,
///
///   J = tr(Σ) 1 − Σ,   Σ = L Lᵀ,   L lower triangular, its diagonal e^θ           (ANA-62) [Rucker2022]
///
/// Three: J1, J2, J3 and θ of diagonal L. Six: J11, J22, J33, J12, J13, J23.
std::vector<double> inertia_from(std::span<const double> theta);
/// θ of an inertia. One at the edge of what a body can have is taken a little inside of it; one beyond fails.
std::vector<double> coordinates_of_inertia(std::span<const double> inertia);

/// A parameter with a value of its own in every recording.
struct OwnUnknown {
  std::string parameter;
  double unit = 1;
  std::vector<double> start;  ///< by recording
};

/// Predictions of all recordings, and their derivatives.
class IdentifyModel {
 public:
  IdentifyModel(const Scenario& scenario, const MeasuredLog& log, const IdentifyOptions& options);

  const std::vector<Sensor>& sensors() const { return sensors_; }
  const std::vector<SharedUnknown>& shared() const { return shared_; }
  const std::vector<OwnUnknown>& own() const { return own_; }
  const std::vector<std::string>& notes() const { return notes_; }
  FitPoint start() const;
  std::vector<double> shared_scale() const;
  std::vector<double> own_scale() const;
  /// The own unknowns that nothing in the log depends on; they keep their start from here on.
  std::vector<std::string> drop_own_without_effect(const std::vector<RecordingRows>& rows);

  /// Noise of every sensor, which residuals are divided by.
  std::vector<double> noise;
  /// Rows of residuals: sample by sample, in it sensor by sensor.
  std::vector<RecordingRows> rows(const FitPoint& point) const;
  /// Sensor of every residual of a recording, and its component.
  std::vector<std::pair<std::size_t, std::size_t>> layout(std::size_t recording) const;
  /// Row of the log of every residual.
  std::vector<std::size_t> samples(std::size_t recording) const;

  /// Values of parameters and of sensors' unknowns, as people know them, and by the coordinates of the fit.
  std::vector<double> values(const std::vector<double>& shared) const;
  DenseMatrix values_by_shared(const std::vector<double>& shared) const;
  /// Why no prediction could be made at some recording, of the last rows(); "" otherwise.
  std::string trouble() const { return trouble_; }

 private:
  struct Table;
  void add_start(Scenario& scenario);
  void choose_sensors(const IdentifyOptions& options);
  void choose_unknowns(const Scenario& scenario);
  catalog::ParameterValues values_at(std::size_t recording, const std::vector<double>& shared,
                                     const std::vector<double>& own) const;
  bool is_used(const Sensor& sensor, std::size_t recording, std::size_t sample) const;
  double time_of(std::size_t recording, std::size_t sample) const;
  std::vector<double> times_of(std::size_t recording, const std::vector<double>& shared) const;
  double offset_of(std::size_t sensor, const std::vector<double>& shared) const;
  Table predicted(std::size_t recording, const FitPoint& point) const;
  RecordingRows rows_of(std::size_t recording, const FitPoint& point, std::string& trouble) const;

  const MeasuredLog* log_;
  const IdentifyOptions* options_;
  std::vector<Sensor> sensors_;
  std::vector<SharedUnknown> shared_;
  std::vector<OwnUnknown> own_;
  std::vector<OwnUnknown> fixed_;  ///< values of recordings that are no unknowns
  std::optional<catalog::CompiledScenario> compiled_;
  std::vector<std::string> notes_;
  std::vector<double> interval_;  ///< by recording, s: the mean one
  mutable std::string trouble_;
};

}  // namespace polhode::analysis
