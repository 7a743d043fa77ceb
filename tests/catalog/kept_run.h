#pragma once

#include "support/sinks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace polhode::test {

/// A run of a plan to its end, with everything that it gave out, by the names of columns.
struct KeptRun {
  explicit KeptRun(const simulation::Plan& plan) {
    simulation::Simulation simulation(plan);
    columns = simulation.columns();
    outcome = simulation.run(keeper);
    CAPTURE(outcome.message);
    CHECK(outcome.ending == simulation::Ending::done);
  }
  std::size_t column(const std::string& name) const {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& one) { return one.name == name; });
    CAPTURE(name);
    REQUIRE(found != columns.end());
    return static_cast<std::size_t>(found - columns.begin());
  }
  double last(const std::string& name) const { return keeper.rows.back()[column(name)]; }
  /// The largest difference of a column from a function of time.
  template <class F>
  double off(const std::string& name, const F& exact) const {
    const std::size_t i = column(name);
    double most = 0;
    for (const std::vector<double>& row : keeper.rows) { most = std::fmax(most, std::fabs(row[i] - exact(row[0]))); }
    return most;
  }

  std::vector<simulation::Column> columns;
  Keeper keeper;
  simulation::Outcome outcome;
};

}  // namespace polhode::test
