#include "polhode/comparison/mechanism_forms.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polhode::comparison {
namespace {

/// Keeps the states of some rows.
class StateSink final : public simulation::Sink {
 public:
  StateSink(const simulation::MechanismPlan& plan, const simulation::Simulation& simulation, std::size_t wanted,
            const std::function<bool()>& keep_going)
      : simulation_(&simulation),
        every_(std::max<std::uint64_t>(1, simulation.rows() / wanted)),
        model_(plan.model.get()),
        bodies_(plan.model->body_count()),
        keep_going_(&keep_going) {}
  bool row(std::span<const double> row) override {
    if (row_++ % every_ != 0) { return true; }
    const Model& model = *model_;
    std::vector<double> y(model.state_size());
    for (std::size_t b = 0; b < bodies_; ++b) {
      const double* s = row.data() + 1 + 13 * b;  // e, w, r, v
      Model::set(y, static_cast<BodyId>(b),
                 {{s[7], s[8], s[9]},
                  normalized(EulerParameters<double>{s[0], {s[1], s[2], s[3]}}),
                  {s[10], s[11], s[12]},
                  {s[4], s[5], s[6]}});
    }
    // speed and torque of every wheel end the row
    const std::size_t first = row.size() - 2 * model.wheel_count();
    for (std::size_t w = 0; w < model.wheel_count(); ++w) { model.set_wheel_speed(y, w, row[first + 2 * w]); }
    times.push_back(row[0]);
    states.push_back(std::move(y));
    turns.push_back(simulation_->discrete());
    parameters.push_back(simulation_->parameters());
    return true;
  }
  bool event(const simulation::EventOccurrence&) override { return true; }
  bool go_on() override { return !*keep_going_ || (*keep_going_)(); }
  bool checkpoint(const simulation::Snapshot&) override { return true; }

  std::vector<double> times;
  std::vector<std::vector<double>> states;
  std::vector<std::vector<double>> turns;       ///< with each state
  std::vector<std::vector<double>> parameters;  ///< with each state: events may set them

 private:
  const simulation::Simulation* simulation_;
  std::uint64_t every_;
  std::uint64_t row_ = 0;
  const Model* model_;
  std::size_t bodies_;
  const std::function<bool()>* keep_going_;
};

/// The larger of two errors; one that is no number stays.
double worse(double a, double b) { return b > a || std::isnan(b) ? b : a; }

double trace(const Mat3<double>& J) { return J(0, 0) + J(1, 1) + J(2, 2); }

/// The largest of its bodies.
double radius_of_gyration(const Model& model) {
  double most = 0;
  for (const auto& body : model.bodies()) {
    most = std::fmax(most, std::sqrt(trace(body.mass.J_B) / (2 * body.mass.mass)));
  }
  return most;
}

/// What differences are held against: the sizes of the terms that a sum is made of, not of what is left of it. A
/// mechanism at rest, or a balanced rotor, has accelerations and reactions of rounding alone.
struct Scales {
  double acceleration = 0;
  double reaction = 0;
  double energy = 0;
};

Scales scales_of(const Model& model, const std::vector<std::vector<double>>& states,
                 const std::vector<DenseSolution>& solutions) {
  const double lever = model.joint_count() > 0 ? model.length() : radius_of_gyration(model);
  const double g = norm(model.gravity_N());
  double total_mass = 0;
  for (const auto& body : model.bodies()) { total_mass += body.mass.mass; }
  double lambda_most = 0;
  Scales scales;
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const double lambda : solutions[i].lambda) { lambda_most = std::fmax(lambda_most, std::fabs(lambda)); }
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      const Vec3<double> w_B = Model::view(states[i], static_cast<BodyId>(b)).w_B;
      const MassProperties& own = model.bodies()[b].mass;
      const Pair& a = solutions[i].a[b];
      const double turning = norm(a.ang) + dot(w_B, w_B);
      scales.acceleration = std::fmax(scales.acceleration, norm(a.lin) + g + model.length() * turning);
      scales.energy = std::fmax(scales.energy, own.mass * (norm(a.lin) + g) * lever + 4 * trace(own.J_B) * turning);
    }
  }
  scales.acceleration += lambda_most / total_mass;
  scales.reaction = lambda_most + (lever > 0 ? scales.energy / lever : 0);
  scales.energy += lever * lambda_most;
  return scales;
}

}  // namespace

bool FormRow::agrees() const {
  return std::isfinite(multiplier_least) && acceleration <= kFormsAgree && reaction.value_or(0) <= kFormsAgree &&
         multiplier_off <= kFormsAgree;
}

bool FormComparison::reached_end() const {
  return end.ending == simulation::Ending::done || end.ending == simulation::Ending::stopped_by_event;
}

std::size_t FormComparison::count_off() const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const FormRow& row) { return !row.agrees(); }));
}

FormComparison compare_mechanism_forms(const simulation::MechanismPlan& given, std::size_t states,
                                       std::span<const EulerForm> forms, const std::function<bool()>& keep_going) {
  simulation::MechanismPlan plan = given;
  plan.output = given.output.with_default_columns();
  const Model& model = *plan.model;
  // events may set parameters that forces depend on
  std::shared_ptr<const simulation::MechanismPlan> changed;
  const auto model_for = [&](const std::vector<double>& parameters) -> const Model& {
    if (parameters == plan.parameters) { return model; }
    if (!changed || changed->parameters != parameters) { changed = plan.with(parameters); }
    return *changed->model;
  };
  simulation::Simulation simulation(plan);
  StateSink sink(plan, simulation, states, keep_going);
  FormComparison result;
  const simulation::Outcome outcome = simulation.run(sink);
  const simulation::RunEnd& how = outcome;
  result.end = how;
  result.states = sink.states.size();
  std::vector<DenseSolution> reference;
  reference.reserve(sink.states.size());
  const auto size = [&](const Pair& a) { return worse(norm(a.lin), model.length() * norm(a.ang)); };
  for (std::size_t i = 0; i < sink.states.size(); ++i) {
    reference.push_back(dense_solution(model_for(sink.parameters[i]), sink.times[i], sink.states[i], sink.turns[i]));
  }
  const Scales scales = scales_of(model, sink.states, reference);
  const auto relative = [](double error, double scale) { return scale > 0 ? error / scale : error; };
  for (const EulerForm& form : forms) {
    for (const JointJacobian jacobian : {JointJacobian::through_rate, JointJacobian::raw}) {
      if (jacobian == JointJacobian::raw && !has_joints_only(model)) { continue; }
      FormRow row;
      row.form = form.name;
      row.raw = jacobian == JointJacobian::raw;
      row.multiplier_least = std::numeric_limits<double>::infinity();
      row.multiplier_most = -row.multiplier_least;
      for (std::size_t i = 0; i < sink.states.size(); ++i) {
        const Model& now = model_for(sink.parameters[i]);
        const double t = sink.times[i];
        const std::vector<double>& y = sink.states[i];
        const EulerSolution s = euler_solution(now, t, y, form, jacobian, sink.turns[i]);
        const std::vector<double> expected =
            norm_multipliers_by_rule(now, t, y, form.name, jacobian, s.lambda, sink.turns[i]);
        for (std::size_t b = 0; b < s.a.size(); ++b) {
          row.acceleration = worse(row.acceleration, relative(size(s.a[b] - reference[i].a[b]), scales.acceleration));
          row.multiplier_least = std::fmin(row.multiplier_least, s.norm_multipliers[b]);
          row.multiplier_most = std::fmax(row.multiplier_most, s.norm_multipliers[b]);
          row.multiplier_off = worse(row.multiplier_off, relative(std::fabs(s.norm_multipliers[b] - expected[b]),
                                                                  scales.energy + std::fabs(expected[b])));
        }
        // where constraints are redundant the multipliers are a choice: only determined joints are compared
        std::size_t k = 0;
        for (std::size_t joint = 0; joint < model.joint_count(); ++joint) {
          for (const std::size_t end = k + model.joints()[joint].kind->row_count(); k < end; ++k) {
            if (!reference[i].determined[joint]) { continue; }
            row.reaction = worse(row.reaction.value_or(0),
                                 relative(std::fabs(s.lambda[k] - reference[i].lambda[k]), scales.reaction));
          }
        }
      }
      result.rows.push_back(row);
    }
  }
  return result;
}

}  // namespace polhode::comparison
