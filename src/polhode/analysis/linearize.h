#pragma once

#include "polhode/analysis/linear_model.h"
#include "polhode/run/simulate.h"

#include <optional>

/// A scenario linearised: state matrices, eigenvalues, modes; and how they change with a parameter.
namespace polhode {

using analysis::About;

struct LinearizeOptions {
  /// Parameters that are inputs u: they shape nothing but what acts. Of one: its unit is that of the parameter.
  std::vector<std::string> inputs{};
  /// Columns of results (docs/formats.md) that are outputs y.
  std::vector<std::string> outputs{};
  /// Coordinates and rates that shall be states.
  std::vector<std::string> states{};
  About about = About::steady;
  /// The moment whose state is meant, s: the scenario is run up to it.
  double at = 0;
  /// Leaves out coordinates on which no rate depends.
  bool without_ignorable = false;
  /// Values of parameters that take the place of those in the scenario.
  Named<double> parameters{};
  force::Laws laws{};
  /// Where meshes are found, and whether they may lie elsewhere.
  std::string folder{};
  catalog::MeshLocations meshes = catalog::MeshLocations::below_scenario;
};

/// One of the names of a linear system.
struct LinearName {
  std::string name;
  std::string unit;  ///< "rad", "m/s"; "" of inputs
};

/// A scenario near one of its states, or near a steady motion of it.
///
///   ẋ = A x + B u,   y = C x + D u                          (ANA-1)
struct Linearization {
  std::string title;
  std::string about;  ///< in words
  bool steady = false;
  double residual = 0;  ///< of the accelerations, relative to the forces
  double drift = 0;     ///< of the speeds, relative to the largest
  double t = 0;
  std::vector<LinearName> states;
  std::size_t position_count = 0;     ///< the first states are coordinates, the others rates
  std::vector<bool> ignorable;        ///< by state: a coordinate on which no rate depends
  std::vector<std::string> left_out;  ///< such coordinates, where they were not wanted
  std::vector<LinearName> inputs;
  std::vector<LinearName> outputs;
  analysis::DenseMatrix A, B, C, D;
  /// What is not an exact derivative but a difference: laws given as code for double alone; inputs that do not act
  /// linearly; outputs.
  std::vector<std::string> differences;
  std::vector<std::string> notes;  ///< what else should be known, a line each

  std::vector<analysis::Mode> modes() const { return analysis::modes(A); }
  std::vector<std::complex<double>> eigenvalues() const { return analysis::eigenvalues(A); }
};

/// Fails with everything that is wrong with the scenario, and where its state is none to linearise about.
Linearization linearize(const Scenario& scenario, const LinearizeOptions& options = {});
/// Of a scenario that was compiled once; options.laws, folder and meshes are those it was compiled with.
Linearization linearize(const CompiledScenario& scenario, const LinearizeOptions& options = {});

/// For people.
std::string to_text(const Linearization& linear);
/// One object.
std::string to_json(const Linearization& linear);
/// Commands that give A, B, C, D and the names in MATLAB and Octave.
std::string to_matlab(const Linearization& linear);
/// A, B, C, D with names at rows and columns.
std::string to_csv(const Linearization& linear);

}  // namespace polhode
