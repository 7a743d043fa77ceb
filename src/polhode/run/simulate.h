#pragma once

#include "polhode/catalog/compiled_scenario.h"
#include "polhode/force/kind.h"
#include "polhode/run/trajectory.h"
#include "polhode/scenario/scenario.h"

#include <functional>
#include <memory>

namespace polhode {

using CompiledScenario = catalog::CompiledScenario;

struct SimulateOptions {
  /// Values of parameters that take the place of those in the scenario.
  Named<double> parameters{};
  /// Functions for what acts as code: [[load]] or [[forces]] with kind = "code", by the names under `law`.
  force::Laws laws{};
  /// Parameters with respect to which every column has a derivative, COLUMN_by_NAME, and every event its time.
  std::vector<std::string> sensitivities{};
  /// Measures the error of the run: against the exact motion where there is one, or by finer runs.
  bool certify = false;
  /// Asked after every step; false ends the run.
  std::function<bool()> keep_going{};
  /// Where meshes are found.
  std::string folder{};
};

/// Runs a scenario, of one body or of a mechanism. Fails with everything that is wrong with it, each at its path
/// ("bodies[2].mass"); what goes wrong on the way is told by Trajectory::end(). A scenario may be run by any number of
/// threads at once.
Trajectory simulate(const Scenario& scenario, const SimulateOptions& options = {});

/// Runs a scenario that was compiled once, as often as wanted; `options.laws` and `options.folder` are those it was
/// compiled with.
Trajectory simulate(const CompiledScenario& scenario, const SimulateOptions& options = {});

/// Runs what was read from a file: what is saved of it is, byte for byte, what `polhode run` leaves.
Trajectory simulate(std::unique_ptr<run::Run> run, const SimulateOptions& options = {});

struct SaveOptions {
  std::vector<std::string> formats{"csv"};  ///< of tables: csv, hdf5, json, aem
  bool report = true;                       ///< report.html
  bool svg = false;                         ///< each plot of one body as a file
  bool overwrite = false;                   ///< also over files there that are of another run, or of others
};
/// Writes what `polhode run` writes into a folder: log, tables, certificate, report. Returns the paths of the files.
std::vector<std::string> save(const Trajectory& trajectory, const std::string& folder, const SaveOptions& options = {});

}  // namespace polhode
