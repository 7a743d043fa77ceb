#include "polhode/comparison/mechanism_forms.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polhode::comparison {
namespace {

/// Keeps the states of some rows.
class StateSink final : public simulation::Sink {
 public:
  StateSink(const simulation::MechanismPlan& plan, const simulation::MechanismSimulation& simulation,
            std::size_t wanted)
      : plan_(&plan),
        simulation_(&simulation),
        every_(std::max<std::uint64_t>(1, simulation.rows() / wanted)),
        bodies_(plan.model->body_count()) {}
  bool row(std::span<const double> row) override {
    if (row_++ % every_ != 0) { return true; }
    std::vector<double> y(13 * bodies_);
    for (std::size_t b = 0; b < bodies_; ++b) {
      const double* s = row.data() + 1 + 13 * b;  // e, w, r, v
      Model::set(y, static_cast<BodyId>(b),
                 {{s[7], s[8], s[9]},
                  normalized(EulerParameters<double>{s[0], {s[1], s[2], s[3]}}),
                  {s[10], s[11], s[12]},
                  {s[4], s[5], s[6]}});
    }
    times.push_back(row[0]);
    states.push_back(std::move(y));
    turns.emplace_back(simulation_->turns().begin(), simulation_->turns().end());
    parameters.push_back(*plan_->parameters);
    return true;
  }
  bool event(const simulation::Happening&) override { return true; }
  bool go_on() override { return true; }
  bool checkpoint(const simulation::Snapshot&) override { return true; }

  std::vector<double> times;
  std::vector<std::vector<double>> states;
  std::vector<std::vector<double>> turns;       ///< with each state
  std::vector<std::vector<double>> parameters;  ///< with each state: events may set them

 private:
  const simulation::MechanismPlan* plan_;
  const simulation::MechanismSimulation* simulation_;
  std::uint64_t every_;
  std::uint64_t row_ = 0;
  std::size_t bodies_;
};

}  // namespace

std::vector<FormRow> compare_mechanism_forms(const simulation::MechanismPlan& plan, std::size_t states,
                                             std::span<const EulerForm> forms) {
  const Model& model = *plan.model;
  simulation::MechanismSimulation simulation(plan);
  StateSink sink(plan, simulation, states);
  static_cast<void>(simulation.run(sink));
  std::vector<DenseSolution> reference;
  double acceleration_scale = 0;
  double reaction_scale = 0;
  const auto size = [&](const Pair& a) { return std::fmax(norm(a.lin), model.length() * norm(a.ang)); };
  for (std::size_t i = 0; i < sink.states.size(); ++i) {
    *plan.parameters = sink.parameters[i];
    reference.push_back(dense_solution(model, sink.times[i], sink.states[i], sink.turns[i]));
    for (const Pair& a : reference.back().a) { acceleration_scale = std::fmax(acceleration_scale, size(a)); }
    for (const double lambda : reference.back().lambda) {
      reaction_scale = std::fmax(reaction_scale, std::fabs(lambda));
    }
  }
  const auto relative = [](double error, double scale) { return scale > 0 ? error / scale : error; };
  std::vector<FormRow> rows;
  for (const EulerForm& form : forms) {
    for (const JointJacobian jacobian : {JointJacobian::through_rate, JointJacobian::raw}) {
      if (jacobian == JointJacobian::raw && !has_joints_only(model)) { continue; }
      FormRow row;
      row.form = form.name;
      row.raw = jacobian == JointJacobian::raw;
      row.multiplier_least = std::numeric_limits<double>::infinity();
      row.multiplier_most = -row.multiplier_least;
      for (std::size_t i = 0; i < sink.states.size(); ++i) {
        *plan.parameters = sink.parameters[i];
        const double t = sink.times[i];
        const std::vector<double>& y = sink.states[i];
        const EulerSolution s = euler_solution(model, t, y, form, jacobian, sink.turns[i]);
        const std::vector<double> expected =
            norm_multipliers_by_rule(model, t, y, form.name, jacobian, s.lambda, sink.turns[i]);
        for (std::size_t b = 0; b < s.a.size(); ++b) {
          row.acceleration =
              std::fmax(row.acceleration, relative(size(s.a[b] - reference[i].a[b]), acceleration_scale));
          row.multiplier_least = std::fmin(row.multiplier_least, s.norm_multipliers[b]);
          row.multiplier_most = std::fmax(row.multiplier_most, s.norm_multipliers[b]);
          row.multiplier_off = std::fmax(row.multiplier_off,
                                         std::fabs(s.norm_multipliers[b] - expected[b]) / (1 + std::fabs(expected[b])));
        }
        // where rows repeat each other the multipliers are a choice: only determined joints are compared
        std::size_t k = 0;
        for (std::size_t joint = 0; joint < model.joint_count(); ++joint) {
          for (const std::size_t end = k + model.joints()[joint].kind->row_count(); k < end; ++k) {
            if (!reference[i].determined[joint]) { continue; }
            row.reaction =
                std::fmax(row.reaction, relative(std::fabs(s.lambda[k] - reference[i].lambda[k]), reaction_scale));
          }
        }
      }
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace polhode::comparison
