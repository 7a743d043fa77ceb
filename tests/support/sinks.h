#pragma once

#include "polhode/simulation/certificate.h"

#include <vector>

/// What tests keep of a run.
namespace polhode::test {

/// The moments of its events.
class EventTimes : public simulation::Sink {
 public:
  bool row(std::span<const double>) override { return true; }
  bool event(const simulation::EventOccurrence& h) override {
    list.push_back(h.t);
    return true;
  }
  bool go_on() override { return true; }
  bool checkpoint(const simulation::Snapshot&) override { return true; }
  std::vector<double> list;
};

/// Everything: rows, moments of events, checkpoints.
class Keeper : public simulation::Sink {
 public:
  bool row(std::span<const double> row) override {
    rows.emplace_back(row.begin(), row.end());
    return true;
  }
  bool event(const simulation::EventOccurrence& h) override {
    times.push_back(h.t);
    return true;
  }
  bool go_on() override { return true; }
  bool checkpoint(const simulation::Snapshot& s) override {
    snapshots.push_back(s);
    return true;
  }
  /// What certify() looks at.
  std::vector<std::vector<double>> poses(const simulation::Plan& plan) const {
    const simulation::PoseColumns columns(simulation::Simulation(plan).columns(), plan);
    std::vector<std::vector<double>> list;
    for (const auto& row : rows) { list.push_back(columns.of(row)); }
    return list;
  }
  std::vector<std::vector<double>> rows;
  std::vector<double> times;
  std::vector<simulation::Snapshot> snapshots;
};

}  // namespace polhode::test
