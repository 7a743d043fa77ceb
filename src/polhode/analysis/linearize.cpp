#include "polhode/analysis/linearize.h"

#include "polhode/analysis/as_mechanism.h"
#include "polhode/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

/// A derivative, and whether the function is a straight line at uneven samples, so that it is exact; else a central
/// difference of fourth order, whose step shrinks until it stands still.
struct Slope {
  std::vector<double> by;
  bool straight = true;
  bool settled = true;
};
template <class F>
Slope slope_of(const F& f, double at, double step) {
  const std::vector<double> here = f(at);
  Slope slope{std::vector<double>(here.size()), true, true};
  const std::vector<double> first = f(at + step);
  for (const double part : {-0.7313, 0.4127, 1.618, -2.237, 0.0931, 0.0017}) {
    const std::vector<double> there = f(at + part * step);
    for (std::size_t i = 0; i < here.size(); ++i) {
      const double rounding = 1e-13 * (std::fabs(here[i]) + std::fabs(first[i]) + std::fabs(there[i]));
      const double bend = std::fabs(there[i] - here[i] - part * (first[i] - here[i]));
      slope.straight = slope.straight && bend <= rounding;
    }
  }
  if (slope.straight) {
    for (std::size_t i = 0; i < here.size(); ++i) { slope.by[i] = (first[i] - here[i]) / step; }
    return slope;
  }
  std::vector<double> before;
  double best = std::numeric_limits<double>::infinity();
  double h = 0.05 * step;
  for (int k = 0; k < 12; ++k, h /= 4) {
    const std::vector<double> up = f(at + h);
    const std::vector<double> down = f(at - h);
    const std::vector<double> far_up = f(at + 2 * h);
    const std::vector<double> far_down = f(at - 2 * h);
    std::vector<double> now(here.size());
    double change = 0;
    double largest = 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
      now[i] = (8 * (up[i] - down[i]) - (far_up[i] - far_down[i])) / (12 * h);
      largest = std::fmax(largest, std::fabs(now[i]));
      if (!before.empty()) { change = std::fmax(change, std::fabs(now[i] - before[i])); }
    }
    if (!before.empty() && change < best) {
      best = change;
      slope.by = now;
      slope.settled = change <= 1e-6 * largest;
    }
    before = std::move(now);
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
      if (name == "t_s" || name.starts_with("work_") || name == "energy_balance_J") {
        fail(Error(fmt::format("output '{}' is no function of the state: it belongs to a run", name)));
      }
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
  // uneven parts of the run, for what changes with time
  const double duration = moment.plan->duration > 0 ? moment.plan->duration : 1;
  std::vector<double> later;
  for (const double part : {0.013, 0.11, 0.29, 0.47, 0.83, 1.0}) { later.push_back(moment.t + part * duration); }
  const LinearModel linear(model, moment.t, moment.y, moment.turns, options.about, options.states, later);
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
  for (const simulation::StateSwitches& one : moment.plan->switches_of_state) {
    result.notes.push_back(
        fmt::format("{} switches with the state: the matrices are those of its branch here", one.law));
  }

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
    const Slope slope = slope_of(rates, rates.now(), step);
    if (!slope.settled) {
      fail(Error(Problem{.what = fmt::format("what acts has no derivative by input '{}' at {:g}", name, rates.now()),
                         .allowed = "differences do not settle there",
                         .cure = "give it another value by --set"}));
    }
    if (!slope.straight) { result.differences.push_back(fmt::format("input '{}', which does not act linearly", name)); }
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
  const std::vector<double> base = output.at(moment.t, moment.y, moment.turns);
  // what changes along the motion itself is not a constant matrix times x
  if (result.steady) {
    const auto carried = [&](double h) {
      std::vector<double> y = moment.y;
      linear.motion().motion.step(model, y, h);
      return output.at(moment.t, y, moment.turns);
    };
    const double h = 1e-3 * model.length() / std::fmax(linear.motion().speed, 1e-300);
    const std::vector<double> ahead = carried(h);
    const std::vector<double> behind = carried(-h);
    for (std::size_t r = 0; r < base.size(); ++r) {
      const double size = std::fabs(ahead[r]) + std::fabs(behind[r]);
      if (linear.motion().motion.generators.empty() || std::fabs(ahead[r] - behind[r]) <= 1e-9 * size) { continue; }
      result.differences.push_back(
          fmt::format("output '{}', which changes along the motion: C and D hold at this moment", options.outputs[r]));
    }
  }
  for (std::size_t c = 0; c < n; ++c) {
    const std::span<const double> direction = linear.direction(kept[c]);
    const auto along = [&](double h) {
      std::vector<double> y = moment.y;
      for (std::size_t i = 0; i < y.size(); ++i) { y[i] += h * direction[i]; }
      project(model, moment.t, y, scratch);
      std::vector<double> values = output.at(moment.t, y, moment.turns);
      for (std::size_t r = 0; r < values.size(); ++r) {
        // angles that go round: the turn nearest to that of the state
        constexpr double kTurn = 6.283185307179586;
        if (output.units()[r] == "rad") { values[r] -= kTurn * std::nearbyint((values[r] - base[r]) / kTurn); }
      }
      return values;
    };
    const bool angle = result.states[c].unit.starts_with("rad");
    const Slope slope = slope_of(along, 0, 0.02 * (angle ? 1 : model.length()));
    for (std::size_t r = 0; r < options.outputs.size(); ++r) { result.C(r, c) = slope.by[r]; }
  }
  for (std::size_t k = 0; k < by_input.size(); ++k) {
    const auto along = [&](double value) {
      OutputRow changed(*by_input[k].plan_at(value), options.outputs);
      return changed.at(moment.t, moment.y, moment.turns);
    };
    const double now = by_input[k].now();
    const Slope slope = slope_of(along, now, std::fmax(1, std::fabs(now)));
    for (std::size_t r = 0; r < options.outputs.size(); ++r) { result.D(r, k) = slope.by[r]; }
  }
  return result;
}

}  // namespace

Linearization linearize(const CompiledScenario& scenario, const LinearizeOptions& options) {
  if (!scenario.scenario().is_mechanism()) {
    for (const std::string& name : options.inputs) { require_input(scenario, name); }
    if (options.at != 0) {
      fail(Error(Problem{.what = "a moment of a run of one body is not linearised",
                         .allowed = "wanted: its initial state, or a mechanism",
                         .cure = "leave out --at, or write the body under [[bodies]]"}));
    }
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
