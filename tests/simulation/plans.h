#pragma once

#include "polhode/simulation/certificate.h"
#include "polhode/simulation/one_body.h"

/// Plans and sinks for the tests of this room.
namespace polhode::test {

inline simulation::OneBodyPlan free_plan() {
  simulation::OneBodyPlan plan;
  plan.title = "free";
  plan.body.J_B = diagonal(1.0, 2.0, 3.0);
  plan.start.e_NB = {0.5, {0.5, -0.5, 0.5}};
  plan.start.w_B = {0.3, 1, -0.4};
  plan.potential = [](const BodyState<double>&) { return 0.0; };
  plan.momentum = simulation::OneBodyPlan::Momentum::whole;
  plan.duration = 20;
  plan.output_interval = 0.1;
  plan.rows_per_checkpoint = 50;
  return plan;
}

/// A top without symmetry: no exact motion.
inline simulation::OneBodyPlan top_plan() {
  simulation::OneBodyPlan plan = free_plan();
  plan.title = "top";
  plan.body.J_B = diagonal(1.0, 1.5, 0.6);
  const Vec3<double> c_B{0.1, 0, 0.5};
  const Vec3<double> g_N{0, 0, -2};
  plan.body.load.add_gravity(1, g_N, c_B);
  plan.potential = [=](const BodyState<double>& s) { return -dot(g_N, rotate(s.e_NB, c_B)); };
  plan.momentum = simulation::OneBodyPlan::Momentum::along_axis;
  return plan;
}

/// The same with damping and a moment that changes with time: nothing is conserved.
inline simulation::OneBodyPlan forced_plan() {
  simulation::OneBodyPlan plan = top_plan();
  plan.title = "forced";
  plan.body.load.add_moment(
      [](const BodyState<double>& s) { return Vec3<double>{0.2 * s.t, -0.1, 0.3} - 0.05 * s.w_B; });
  plan.potential = {};
  plan.momentum = simulation::OneBodyPlan::Momentum::balance;
  return plan;
}

/// Keeps everything; stops after so many rows, if asked to.
class Keep final : public simulation::Sink {
 public:
  bool row(std::span<const double> row) override {
    rows.emplace_back(row.begin(), row.end());
    return rows.size() < stop_after;
  }
  bool event(const simulation::EventOccurrence& occurrence) override {
    events.push_back(occurrence);
    return true;
  }
  bool go_on() override { return true; }
  bool checkpoint(const simulation::Snapshot& snapshot) override {
    snapshots.push_back(snapshot);
    return true;
  }
  /// What certify() looks at.
  std::vector<std::vector<double>> poses(const simulation::Plan& plan) const {
    const simulation::PoseColumns columns(simulation::Simulation(plan).columns(), plan);
    std::vector<std::vector<double>> list;
    for (const auto& row : rows) { list.push_back(columns.of(row)); }
    return list;
  }

  std::size_t stop_after = 1'000'000'000;
  std::vector<std::vector<double>> rows;
  std::vector<simulation::EventOccurrence> events;
  std::vector<simulation::Snapshot> snapshots;
};

}  // namespace polhode::test
