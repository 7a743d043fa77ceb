#include "polhode/analysis/linearize.h"

#include "polhode/analysis/as_mechanism.h"
#include "polhode/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode {
namespace {

using analysis::DenseMatrix;
using analysis::LinearModel;
using simulation::MechanismPlan;

/// A state of a run, and the plan as events have left it there.
struct Moment {
  std::shared_ptr<const MechanismPlan> plan;
  double t = 0;
  std::vector<double> y;
  std::vector<double> turns;
};

class NoRows final : public simulation::Sink {
 public:
  bool row(std::span<const double>) override { return true; }
  bool event(const simulation::EventOccurrence&) override { return true; }
  bool go_on() override { return true; }
  bool checkpoint(const simulation::Snapshot&) override { return true; }
};

Moment moment_of(const MechanismPlan& plan, double at) {
  Moment moment{std::make_shared<const MechanismPlan>(plan), 0, plan.start, plan.start_turns};
  if (at == 0) { return moment; }
  if (!(at > 0) || !std::isfinite(at)) { fail(Error(fmt::format("a moment at {:g} s: wanted is 0 or more", at))); }
  simulation::Simulation simulation(plan);
  NoRows sink;
  if (!simulation.begin(sink) || !simulation.advance(at)) {
    const simulation::Outcome end = simulation.standing();
    fail(Error(fmt::format("the run ends at {:g} s, before {:g} s{}{}", end.t, at, end.message.empty() ? "" : ": ",
                           end.message)));
  }
  const simulation::Outcome now = simulation.standing();
  moment.t = now.t;
  moment.y = now.y;
  moment.turns = simulation.discrete();
  if (simulation.parameters() != plan.parameters && plan.with) { moment.plan = plan.with(simulation.parameters()); }
  return moment;
}

// ---- inputs ---------------------------------------------------------------------------------------------------------

/// The index of a parameter that may be an input; fails where it is none.
std::size_t require_input(const CompiledScenario& scenario, const std::string& name) {
  std::size_t index = 0;
  std::vector<std::string_view> known;
  for (const auto& [parameter, number] : scenario.scenario().parameters) {
    if (parameter == name) {
      if (const std::optional<Problem> why = scenario.why_no_input(name)) { fail(Error(*why)); }
      return index;
    }
    known.push_back(parameter);
    ++index;
  }
  fail(Error(unknown_name("parameter", name, known)));
}

/// ẏ at a moment, for another value of a parameter.
class RatesByInput {
 public:
  RatesByInput(const Moment& moment, std::size_t parameter, std::string name)
      : moment_(&moment), parameter_(parameter), name_(std::move(name)) {}

  std::shared_ptr<const MechanismPlan> plan_at(double value) const {
    std::vector<double> values = moment_->plan->parameters;
    values[parameter_] = value;
    return moment_->plan->with(values);
  }
  double now() const { return moment_->plan->parameters[parameter_]; }
  std::vector<double> operator()(double value) const {
    const std::shared_ptr<const MechanismPlan> plan = plan_at(value);
    Scratch scratch(*plan->model);
    scratch.turns = moment_->turns;
    const Residuals open = residuals(*plan->model, moment_->t, moment_->y, scratch);
    const Residuals before = residuals(*moment_->plan->model, moment_->t, moment_->y, scratch);
    const double length = plan->model->length();
    if (open.position > before.position + 1e-9 * length || open.velocity > before.velocity + 1e-9 * length) {
      fail(Error(Problem{.what = fmt::format("input '{}' moves a driver or another constraint", name_),
                         .allowed = "inputs act by forces",
                         .cure = "put a motor or a force in the place of the driver"}));
    }
    std::vector<double> ydot(moment_->y.size());
    evaluate(*plan->model, moment_->t, moment_->y, ydot, scratch);
    return ydot;
  }

 private:
  const Moment* moment_;
  std::size_t parameter_;
  std::string name_;
};

/// Central difference of fourth order, and whether the function is a straight line, so that it is exact.
struct Slope {
  std::vector<double> by;
  bool straight = true;
};
template <class F>
Slope slope_of(const F& f, double at, double step) {
  const std::vector<double> up = f(at + step);
  const std::vector<double> down = f(at - step);
  const std::vector<double> far_up = f(at + 2 * step);
  const std::vector<double> far_down = f(at - 2 * step);
  Slope slope{std::vector<double>(up.size()), true};
  for (std::size_t i = 0; i < up.size(); ++i) {
    const double near = up[i] - down[i];
    const double far = far_up[i] - far_down[i];
    const double rounding = 1e-13 * (std::fabs(up[i]) + std::fabs(down[i]) + std::fabs(far));
    const double bend = std::fabs(up[i] + down[i] - (far_up[i] + far_down[i]));
    slope.straight = slope.straight && std::fabs(far - 2 * near) <= rounding && bend <= rounding;
    slope.by[i] = slope.straight ? far / (4 * step) : 0;
  }
  if (slope.straight) { return slope; }
  for (std::size_t i = 0; i < up.size(); ++i) {
    slope.by[i] = (8 * (up[i] - down[i]) - (far_up[i] - far_down[i])) / (12 * step);
  }
  return slope;
}

// ---- outputs --------------------------------------------------------------------------------------------------------

/// Columns of results at a state.
class OutputRow {
 public:
  OutputRow(const MechanismPlan& plan, const std::vector<std::string>& names) : plan_(plan) {
    plan_.output = {};
    plan_.output.columns = names;
    const std::vector<simulation::OfferedColumn> offered = plan.offered_columns();
    for (const std::string& name : names) {
      std::vector<std::string_view> known;
      for (const auto& column : offered) { known.push_back(column.name); }
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        fail(Error(unknown_name("column", name, known)));
      }
    }
    subject_ = plan_.subject();
    const std::vector<simulation::Column>& all = subject_->columns().columns;
    row_.resize(all.size());
    for (const std::string& name : names) {
      const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
      columns_.push_back(static_cast<std::size_t>(found - all.begin()));
      units_.push_back(found->unit);
    }
    std::vector<double> y(subject_->system().size());
    subject_->begin(y, ledger_);
  }
  const std::vector<std::string>& units() const { return units_; }
  std::vector<double> at(double t, std::span<const double> y, const std::vector<double>& turns) {
    subject_->set_discrete(turns);
    subject_->fill(t, y, row_, ledger_);
    std::vector<double> values;
    values.reserve(columns_.size());
    for (const std::size_t c : columns_) { values.push_back(row_[c]); }
    return values;
  }

 private:
  MechanismPlan plan_;
  std::unique_ptr<simulation::Subject> subject_;
  simulation::LedgerState ledger_;
  std::vector<std::size_t> columns_;
  std::vector<std::string> units_;
  std::vector<double> row_;
};

// ---- from the linear model to the result ----------------------------------------------------------------------------

Linearization linearize_moment(const Moment& moment, const CompiledScenario& scenario, const LinearizeOptions& options,
                               const std::string& title) {
  const Model& model = *moment.plan->model;
  const LinearModel linear(model, moment.t, moment.y, moment.turns, options.about, options.states);
  if (linear.states().empty()) {
    fail(Error(Problem{.what = "nothing is left that could move on its own: no freedom remains",
                       .allowed = "drivers and joints say where everything is",
                       .cure = "put a motor in the place of a driver"}));
  }
  Linearization result;
  result.title = title;
  result.about = to_text(linear.motion());
  result.steady = linear.motion().kind != analysis::MotionFound::Kind::none;
  result.residual = linear.motion().residual;
  result.drift = linear.motion().drift;
  result.t = moment.t;
  for (const std::string& law : laws_without_derivatives(model)) { result.differences.push_back(law); }

  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < linear.states().size(); ++i) {
    const analysis::LinearState& one = linear.states()[i];
    if (options.without_ignorable && linear.ignorable()[i]) {
      result.left_out.push_back(one.name);
      continue;
    }
    kept.push_back(i);
    const bool angle = one.wheel >= 0 || one.of.is_angle;
    result.states.push_back({one.name, std::string(angle ? "rad" : "m") + (one.is_rate ? "/s" : "")});
    result.ignorable.push_back(linear.ignorable()[i]);
    if (i < linear.position_count()) { ++result.position_count; }
  }
  const std::size_t n = kept.size();
  result.A = DenseMatrix(n, n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) { result.A(r, c) = linear.A()(kept[r], kept[c]); }
  }

  // B: forces that change by a unit of the input
  result.B = DenseMatrix(n, options.inputs.size());
  std::vector<RatesByInput> by_input;
  for (std::size_t k = 0; k < options.inputs.size(); ++k) {
    const std::string& name = options.inputs[k];
    const std::size_t index = require_input(scenario, name);
    by_input.emplace_back(moment, index, name);
    const RatesByInput& rates = by_input.back();
    const double step = std::fmax(1, std::fabs(rates.now()));
    Slope slope = slope_of(rates, rates.now(), step);
    if (!slope.straight) {
      slope = slope_of(rates, rates.now(), 1e-3 * step);
      result.differences.push_back(fmt::format("input '{}', which does not act linearly", name));
    }
    const std::vector<double> column = linear.by_rates(slope.by);
    for (std::size_t r = 0; r < n; ++r) { result.B(r, k) = column[kept[r]]; }
    result.inputs.push_back({name, ""});
  }

  // C and D: by differences over states that fulfil the constraints
  result.C = DenseMatrix(options.outputs.size(), n);
  result.D = DenseMatrix(options.outputs.size(), options.inputs.size());
  if (options.outputs.empty()) { return result; }
  OutputRow output(*moment.plan, options.outputs);
  for (std::size_t i = 0; i < options.outputs.size(); ++i) {
    result.outputs.push_back({options.outputs[i], output.units()[i]});
  }
  result.differences.push_back("outputs");
  Scratch scratch(model);
  scratch.turns = moment.turns;
  for (std::size_t c = 0; c < n; ++c) {
    const std::span<const double> direction = linear.direction(kept[c]);
    const auto along = [&](double h) {
      std::vector<double> y = moment.y;
      for (std::size_t i = 0; i < y.size(); ++i) { y[i] += h * direction[i]; }
      project(model, moment.t, y, scratch);
      return output.at(moment.t, y, moment.turns);
    };
    const bool angle = result.states[c].unit.starts_with("rad");
    const Slope slope = slope_of(along, 0, 1e-3 * (angle ? 1 : model.length()));
    for (std::size_t r = 0; r < options.outputs.size(); ++r) { result.C(r, c) = slope.by[r]; }
  }
  for (std::size_t k = 0; k < by_input.size(); ++k) {
    const auto along = [&](double value) {
      OutputRow changed(*by_input[k].plan_at(value), options.outputs);
      return changed.at(moment.t, moment.y, moment.turns);
    };
    const double now = by_input[k].now();
    const double step = std::fmax(1, std::fabs(now));
    Slope slope = slope_of(along, now, step);
    if (!slope.straight) { slope = slope_of(along, now, 1e-3 * step); }
    for (std::size_t r = 0; r < options.outputs.size(); ++r) { result.D(r, k) = slope.by[r]; }
  }
  return result;
}

}  // namespace

Linearization linearize(const CompiledScenario& scenario, const LinearizeOptions& options) {
  if (!scenario.scenario().is_mechanism()) {
    for (const std::string& name : options.inputs) { require_input(scenario, name); }
    const CompiledScenario as_mechanism(analysis::as_mechanism(scenario, options.parameters), options.folder,
                                        scenario.laws(), options.meshes);
    return linearize(as_mechanism, options);
  }
  const catalog::MechanismScenario made = scenario.mechanism(options.parameters);
  return linearize_moment(moment_of(made.plan, options.at), scenario, options, made.title);
}

Linearization linearize(const Scenario& scenario, const LinearizeOptions& options) {
  return linearize(CompiledScenario(scenario, options.folder, options.laws, options.meshes), options);
}

}  // namespace polhode
