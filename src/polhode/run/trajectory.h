#pragma once

#include "polhode/formula/number.h"
#include "polhode/simulation/certificate.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The front door of the library: a scenario in, a trajectory out.
namespace polhode {

/// An event that a run has met.
struct EventRecord {
  std::string name;
  double t = 0;
  BodyState<double> state;        ///< before what it changes; of a mechanism, of its first body
  std::vector<double> time_by{};  ///< derivatives of t with respect to SimulateOptions::sensitivities
};

/// A number of a trajectory and when it was so.
struct Peak {
  double t = 0;
  double value = 0;
};

namespace run {
class Run;
struct Rows;
}  // namespace run

/// What a run has computed: rows of numbers by the names of their columns, events, how it ended, and how far it can be
/// trusted. Columns are those of a result file (docs/formats.md). Copies share their rows.
class Trajectory {
 public:
  Trajectory(std::shared_ptr<const run::Run> run, std::shared_ptr<const run::Rows> rows,
             simulation::Certificate certificate);

  std::size_t rows() const;
  const std::vector<simulation::Column>& columns() const;
  bool has(std::string_view column) const;
  /// All values of a column, a row each. Fails with the nearest name where there is no such column.
  std::vector<double> column(std::string_view name) const;
  /// One row, in the order of columns().
  std::span<const double> row(std::size_t i) const;
  /// The largest and the smallest value of a column.
  Peak largest(std::string_view column) const;
  Peak smallest(std::string_view column) const;

  const std::vector<EventRecord>& events() const { return events_; }
  /// How the run ended, where, and what it took.
  const simulation::RunEnd& end() const;
  /// It reached its duration, or an event stopped it.
  bool done() const;
  const simulation::Certificate& certificate() const { return certificate_; }

  /// What it was made by and of, for save().
  const run::Run& run() const { return *run_; }
  const run::Rows& all_rows() const { return *rows_; }

 private:
  const std::vector<double>& numbers() const;  ///< row by row
  std::size_t index(std::string_view column) const;
  Peak peak(std::string_view column, double sign) const;

  std::shared_ptr<const run::Run> run_;
  std::shared_ptr<const run::Rows> rows_;
  std::vector<EventRecord> events_;
  simulation::Certificate certificate_;
};

}  // namespace polhode
