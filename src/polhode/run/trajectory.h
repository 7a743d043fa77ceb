#pragma once

#include "polhode/formula/number.h"
#include "polhode/simulation/certificate.h"

#include <functional>
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
  BodyState<double> state;  ///< before what it changes; of a mechanism, of its first body
};

/// A number of a trajectory and when it was so.
struct Peak {
  double t = 0;
  double value = 0;
};

/// What a run has computed: rows of numbers by the names of their columns, events, how it ended, and how far it can be
/// trusted. Columns are those of a result file (docs/formats.md).
class Trajectory {
 public:
  Trajectory(std::vector<simulation::Column> columns, std::vector<double> numbers, std::vector<EventRecord> events,
             simulation::RunEnd end, simulation::Certificate certificate)
      : columns_(std::move(columns)),
        numbers_(std::move(numbers)),
        events_(std::move(events)),
        end_(std::move(end)),
        certificate_(std::move(certificate)) {}

  std::size_t rows() const { return columns_.empty() ? 0 : numbers_.size() / columns_.size(); }
  const std::vector<simulation::Column>& columns() const { return columns_; }
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
  const simulation::RunEnd& end() const { return end_; }
  /// It reached its duration, or an event stopped it.
  bool done() const {
    return end_.ending == simulation::Ending::done || end_.ending == simulation::Ending::stopped_by_event;
  }
  const simulation::Certificate& certificate() const { return certificate_; }

 private:
  std::size_t index(std::string_view column) const;
  Peak peak(std::string_view column, double sign) const;

  std::vector<simulation::Column> columns_;
  std::vector<double> numbers_;  ///< row by row
  std::vector<EventRecord> events_;
  simulation::RunEnd end_;
  simulation::Certificate certificate_;
};

}  // namespace polhode
