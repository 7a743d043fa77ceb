#pragma once

#include "polhode/analysis/linearize.h"
#include "polhode/drawing/chart.h"
#include "polhode/run/sweep.h"

namespace polhode {

/// Where an eigenvalue passes from decay to growth, or back.
struct StabilityChange {
  double parameter = 0;
  std::complex<double> eigenvalue;  ///< its real part is 0 but for rounding; imaginary part 0 or above
  bool becomes_unstable = false;    ///< as the parameter grows
};

/// Eigenvalues of a scenario against one of its parameters.
struct RootLocus {
  std::string title;
  SweepAxis axis;
  struct Point {
    double parameter = 0;
    std::string refused;  ///< why there are no eigenvalues; "": there are
    /// In lines: number k continues number k of the point before.
    std::vector<std::complex<double>> eigenvalues;
  };
  std::vector<Point> points;
  std::vector<StabilityChange> changes;
  std::size_t zeros = 0;  ///< eigenvalues that are 0 at every point; not among those of the points
  bool interrupted = false;
};

/// Linearises at every value of the parameter, and finds where stability changes to rounding. `keep_going` may end it.
RootLocus root_locus(const CompiledScenario& scenario, const SweepAxis& axis, const LinearizeOptions& options = {},
                     const std::function<bool()>& keep_going = {},
                     const std::function<void(std::uint64_t done, std::uint64_t total)>& on_progress = {});

std::string to_text(const RootLocus& locus);
std::string to_json(const RootLocus& locus);
/// A row a point: the parameter, and real and imaginary part of each eigenvalue.
std::string to_csv(const RootLocus& locus);
/// Real and imaginary parts against the parameter, and both against each other.
drawing::Chart to_chart(const RootLocus& locus);
/// A page with the chart, changes of stability, and how to make it again.
std::string to_page(const RootLocus& locus, const std::string& command, const std::string& scenario_file,
                    const std::string& scenario_text);

}  // namespace polhode
