#include "polhode/comparison/comparison.h"

#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/integrator/integrator.h"
#include "polhode/io/on_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>

namespace polhode::comparison {
namespace {

using simulation::Ending;
using simulation::OneBodyPlan;
using simulation::Outcome;
using simulation::Simulation;

/// Rows that are looked at, spread evenly: about this many, no more than twice.
constexpr std::uint64_t kLookedAt = 1000;
/// Of the runs that stand for an exact motion.
constexpr double kTight = 1e-13;
/// A multiplier is computed from the state: with a larger relative error its form is wrong.
constexpr double kMultiplierError = 1e-6;
/// A chart creeps up to its singularity in ever smaller steps: so many, and 20 for every row, are enough.
constexpr std::uint64_t kMostSteps = 50'000;
/// From here on, about six degrees from its singularity, a chart is to blame for what is computed in it.
constexpr double kBadCondition = 10;

struct Sample {
  double t = 0;
  EulerParameters<double> e_NB;
  Vec3<double> w_B;
  double energy = 0;
  double momentum = 0;
  double norm = 0;
  std::optional<double> multiplier;
  double closed_form = 0;
  double kinetic = 0;  ///< of rotation
};

bool is_looked_at(std::uint64_t row, std::uint64_t rows) {
  return row % std::max<std::uint64_t>(1, rows / kLookedAt) == 0 || row + 1 == rows;
}

std::size_t column(const Simulation& simulation, std::string_view name) {
  const auto& columns = simulation.columns();
  return static_cast<std::size_t>(
      std::find_if(columns.begin(), columns.end(), [&](const auto& one) { return one.name == name; }) -
      columns.begin());
}

/// Counts the rows of all threads.
class Counter {
 public:
  Counter(const Options& options, std::uint64_t total) : options_(&options), total_(total) {}
  void add(std::uint64_t rows) {
    const std::uint64_t done = done_ += rows;
    if (!options_->on_progress) { return; }
    const std::lock_guard lock(mutex_);
    options_->on_progress(std::min(done, total_), total_);
  }

 private:
  const Options* options_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
};

/// Keeps what is looked at.
class SampleSink final : public simulation::Sink {
 public:
  SampleSink(const OneBodyPlan& plan, const Simulation& simulation, const Options& options, Counter* counter)
      : simulation_(&simulation),
        system_(plan.form(), plan.body),
        options_(&options),
        counter_(counter),
        energy_(column(simulation, "energy_balance_J")),
        momentum_(column(simulation, "momentum_balance_Nms")),
        norm_(column(simulation, "norm_error")),
        multiplier_(column(simulation, "multiplier")),
        closed_form_(column(simulation, "multiplier_closed_form")) {}

  bool row(std::span<const double> row) override {
    if (is_looked_at(count_++, simulation_->rows())) { samples.push_back(sample(row)); }
    return true;
  }
  bool event(const simulation::EventOccurrence&) override { return true; }
  bool go_on() override {
    if (has_chart_ && ++asked_ > kMostSteps + 20 * simulation_->rows()) {
      gave_up = true;
      return false;
    }
    return !options_->keep_going || options_->keep_going();
  }
  bool checkpoint(const simulation::Snapshot&) override {
    report();
    return go_on();
  }
  /// What is left to report once the run has ended, by whatever.
  void finish() {
    report();
    if (counter_ != nullptr) { counter_->add(simulation_->rows() - std::min(count_, simulation_->rows())); }
  }

  std::vector<Sample> samples;
  bool gave_up = false;

 private:
  void report() {
    if (counter_ != nullptr) { counter_->add(count_ - reported_); }
    reported_ = count_;
  }
  Sample sample(std::span<const double> row) const {
    Sample s;
    s.t = row[0];
    s.e_NB = {row[1], {row[2], row[3], row[4]}};
    s.w_B = {row[5], row[6], row[7]};
    s.energy = row[energy_];
    s.momentum = row[momentum_];
    s.norm = row[norm_];
    s.kinetic = 0.5 * dot(s.w_B, system_.inertia_at(s.t).J_B * s.w_B);
    if (multiplier_ < row.size()) {
      s.multiplier = row[multiplier_];
      s.closed_form = closed_form_ < row.size() ? row[closed_form_] : 0;
    }
    return s;
  }

  const Simulation* simulation_;
  BodySystem<double> system_;
  const Options* options_;
  Counter* counter_;
  std::size_t energy_, momentum_, norm_, multiplier_, closed_form_;
  bool has_chart_ = !system_.form().description().singularity.empty();
  std::uint64_t asked_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t reported_ = 0;
};

struct Ran {
  Outcome outcome;
  std::vector<Sample> samples;
};
Ran run(const OneBodyPlan& plan, const Options& options, Counter* counter) {
  Simulation simulation(plan);
  SampleSink sink(plan, simulation, options, counter);
  Ran ran;
  ran.outcome = simulation.run(sink);
  sink.finish();
  ran.samples = std::move(sink.samples);
  if (sink.gave_up) {
    ran.outcome.ending = Ending::step_too_small;
    ran.outcome.message = fmt::format("given up after {}", counted(ran.outcome.statistics.steps, "step"));
  }
  return ran;
}

bool ended_well(const Outcome& outcome) {
  return outcome.ending == Ending::done || outcome.ending == Ending::stopped_by_event;
}

void refine(OneBodyPlan& plan, double step, double tolerance) {
  plan.step = step;
  plan.relative_tolerance = tolerance;
  plan.absolute_tolerance = tolerance;
}

double largest_difference(const std::vector<Sample>& a, const std::vector<Sample>& b) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::fmax(most, simulation::attitude_difference(a[i].e_NB, b[i].e_NB));
  }
  return most;
}

/// The whole work, shared by the threads.
class Comparing {
 public:
  Comparing(const PlanMaker& make, const std::vector<Choice>& choices, const Options& options)
      : make_(&make), options_(&options) {
    for (const Choice& choice : choices) {
      Row row;
      row.choice = choice;
      result_.rows.push_back(std::move(row));
    }
  }

  Comparison operator()() {
    find_reference();
    for (const Sample& sample : reference_) {
      result_.reference_series.e_NB.push_back(sample.e_NB);
      result_.reference_series.w_B.push_back(sample.w_B);
    }
    Counter counter(*options_, rows_of_one_ * result_.rows.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < result_.rows.size() && going(); i = next++) { fill(result_.rows[i], counter); }
    };
    io::on_threads(options_->threads, work);
    if (failure_) { std::rethrow_exception(failure_); }
    result_.interrupted = !going();
    return std::move(result_);
  }

 private:
  bool going() const { return !options_->keep_going || options_->keep_going(); }

  OneBodyPlan plan_for(const Choice& choice) {
    const std::lock_guard lock(mutex_);
    OneBodyPlan plan = (*make_)(choice);
    plan.formulation = choice.formulation;
    plan.integrator = choice.integrator;
    plan.output = plan.output.with_default_columns();
    return plan;
  }

  void find_reference() {
    OneBodyPlan plan = plan_for({"euler-body", "dop853"});
    result_.accuracy = plan.accuracy;
    refine(plan, 0, kTight);
    const Simulation simulation(plan);
    rows_of_one_ = simulation.rows();
    result_.rows_in_all = simulation.rows();
    Reference& reference = result_.reference;
    if (const std::optional<simulation::ExactMotion> exact = plan.exact_motion()) {
      reference.exact = true;
      reference.name = "exact motion (" + exact->name + ")";
      for (std::uint64_t row = 0; row < simulation.rows(); ++row) {
        if (!is_looked_at(row, simulation.rows())) { continue; }
        const double t = simulation.time_of_row(row);
        const MotionState<double> state = exact->at(t);
        reference_.push_back({.t = t, .e_NB = state.e_NB, .w_B = state.w_B, .multiplier = {}});
        result_.times.push_back(t);
      }
      return;
    }
    const Ran first = run(plan, *options_, nullptr);
    OneBodyPlan other = plan_for({"momentum-space", "extrapolation"});
    refine(other, 0, kTight);
    const Ran second = run(other, *options_, nullptr);
    reference_ = first.samples;
    for (const Sample& sample : reference_) { result_.times.push_back(sample.t); }
    reference.name = fmt::format("euler-body with dop853, tolerance {:g}", kTight);
    reference.uncertainty = largest_difference(first.samples, second.samples);
    if (!ended_well(first.outcome)) { reference.reason = first.outcome.message; }
  }

  void fill(Row& row, Counter& counter) {
    try {
      compute(row, counter);
    } catch (const Error& error) {
      row.standing = Standing::cannot;
      row.reason = error.what();
      counter.add(rows_of_one_);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  /// The plan of a row, with a step for methods that need one.
  OneBodyPlan plan_of(const Row& row) {
    OneBodyPlan plan = plan_for(row.choice);
    const MethodDescription& method = polhode::integrator<double>(row.choice.integrator).description();
    if (plan.step == 0 && !method.adaptive) {
      if (!(options_->step > 0)) {
        fail(Error(Problem{.what = fmt::format("integrator '{}' has no error estimate", row.choice.integrator),
                           .allowed = "wanted: a fixed step",
                           .cure = "give --step"}));
      }
      plan.step = options_->step;
    }
    return plan;
  }

  void compute(Row& row, Counter& counter) {
    const OneBodyPlan plan = plan_of(row);
    const FormDescription form = plan.form().description();
    row.flops = form.cost.flops();
    const Ran ran = run(plan, *options_, &counter);
    if (ran.outcome.ending == Ending::interrupted) {
      row.reason = "interrupted";
      return;
    }
    measure(row, form, ran);
    judge(row, form, plan, ran);
  }

  void measure(Row& row, const FormDescription& form, const Ran& ran) const {
    const simulation::LedgerState& ledger = ran.outcome.ledger;
    row.ending = ran.outcome.ending;
    row.t_end = ran.outcome.t;
    row.statistics = ran.outcome.statistics;
    row.chart_condition = ledger.chart_condition;
    row.norm_error = ledger.norm_error;
    const auto relative = [](double error, double scale) { return scale > 0 ? error / scale : error; };
    row.energy_drift = relative(ledger.energy_error, ledger.energy_scale);
    row.momentum_drift = relative(ledger.momentum_error, ledger.momentum_scale);
    const std::size_t count = std::min(ran.samples.size(), reference_.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Sample& own = ran.samples[i];
      const double difference = simulation::attitude_difference(own.e_NB, reference_[i].e_NB);
      row.attitude_difference = std::fmax(row.attitude_difference, difference);
      row.attitude_difference_end = difference;
      row.rate_difference = std::fmax(row.rate_difference, norm(own.w_B - reference_[i].w_B));
      row.series.e_NB.push_back(own.e_NB);
      row.series.w_B.push_back(own.w_B);
      row.series.attitude_difference.push_back(difference);
      row.series.energy.push_back(relative(std::fabs(own.energy), ledger.energy_scale));
      row.series.momentum.push_back(relative(own.momentum, ledger.momentum_scale));
      row.series.norm.push_back(std::fabs(own.norm));
    }
    if (form.row_scale && count > 0) { measure_multiplier(row, form, ran.samples); }
  }

  static void measure_multiplier(Row& row, const FormDescription& form, const std::vector<Sample>& samples) {
    Multiplier m;
    m.row_scale = *form.row_scale;
    m.closed_form = form.multiplier;
    double error = 0;
    double scale = 0;
    bool first = true;
    for (const Sample& sample : samples) {
      if (!sample.multiplier) { continue; }
      const double value = *sample.multiplier;
      m.least = first ? value : std::fmin(m.least, value);
      m.most = first ? value : std::fmax(m.most, value);
      m.closed_least = first ? sample.closed_form : std::fmin(m.closed_least, sample.closed_form);
      m.closed_most = first ? sample.closed_form : std::fmax(m.closed_most, sample.closed_form);
      error = std::fmax(error, std::fabs(value - sample.closed_form));
      scale = std::fmax(scale, std::fabs(sample.closed_form) + 4 * sample.kinetic);
      first = false;
      row.series.multiplier.push_back(value);
      row.series.closed_form.push_back(sample.closed_form);
    }
    m.size = scale;
    m.error = scale > 0 ? error / scale : error;
    if (!first) { row.multiplier = m; }
  }

  void judge(Row& row, const FormDescription& form, const OneBodyPlan& plan, const Ran& ran) {
    const bool chart = !form.singularity.empty();
    if (!ended_well(ran.outcome)) {
      row.standing = chart ? Standing::singular : Standing::off;
      row.reason = fmt::format("{} at t = {:.6g} s: {}", simulation::to_text(ran.outcome.ending), ran.outcome.t,
                               ran.outcome.message);
      return;
    }
    // the closed forms hold on the unit sphere, so that the norm error adds to that of the multiplier
    const double allowed_multiplier = std::fmax(kMultiplierError, result_.accuracy) + 10 * row.norm_error;
    if (row.multiplier && !(row.multiplier->error <= allowed_multiplier)) {
      row.standing = Standing::off;
      row.reason = fmt::format("the multiplier differs from its closed form {} by {:.2g} of its size",
                               row.multiplier->closed_form, row.multiplier->error);
      return;
    }
    const double allowed = result_.accuracy + result_.reference.uncertainty;
    if (row.attitude_difference <= allowed) {
      row.standing = Standing::agrees;
      return;
    }
    if (chart && row.chart_condition > kBadCondition) {
      row.standing = Standing::singular;
      row.reason = fmt::format(
          "its chart came near to its singularity ({}), condition number {:.2g}; chart_distance_deg in [run] switches "
          "charts in time",
          form.singularity, row.chart_condition);
      return;
    }
    // is it the method, or the form?
    struct Finer {
      const char* how;
      double step;  ///< part of the step, or of the tolerance
      double tolerance;
      double nearer;  ///< what the error must shrink to: half the step halves that of the roughest method
    };
    const std::vector<Finer> ways = plan.step > 0 ? std::vector<Finer>{{"half the step", 0.5, 1, 0.7}}
                                                  : std::vector<Finer>{{"a hundredth of the tolerance", 1, 0.01, 0.3},
                                                                       {"a tenth of the tolerance", 1, 0.1, 0.7}};
    std::string trouble;
    for (const Finer& way : ways) {
      OneBodyPlan finer = plan_of(row);
      const double least = integrator<double>(finer.integrator).description().least_tolerance;
      const double tolerance = std::fmax(plan.relative_tolerance * way.tolerance, least);
      if (plan.step == 0 && tolerance > 0.5 * plan.relative_tolerance) {
        trouble = fmt::format("'{}' follows tolerances down to {:g}", finer.integrator, least);
        continue;
      }
      refine(finer, plan.step * way.step, tolerance);
      const Ran ran_finer = run(finer, *options_, nullptr);
      if (!going()) {
        row.reason = "interrupted";
        return;
      }
      if (!ended_well(ran_finer.outcome)) {
        trouble = ran_finer.outcome.message;
        continue;
      }
      const double rest = largest_difference(ran_finer.samples, reference_);
      row.finer_difference = rest;
      const bool nearer = rest < way.nearer * row.attitude_difference;
      row.standing = nearer ? Standing::coarse : Standing::off;
      row.reason =
          nearer ? fmt::format(
                       "beyond the accuracy asked for; with {} its attitude error is {:.2g} rad: the form is right",
                       way.how, rest)
                 : fmt::format("it computes another motion; with {} its attitude error is still {:.2g} rad", way.how,
                               rest);
      return;
    }
    if (plan.step == 0) {  // then from the other side
      OneBodyPlan coarser = plan_of(row);
      refine(coarser, 0, 100 * plan.relative_tolerance);
      const Ran ran_coarser = run(coarser, *options_, nullptr);
      const double more = largest_difference(ran_coarser.samples, reference_);
      if (ended_well(ran_coarser.outcome) && row.attitude_difference < 0.3 * more) {
        row.standing = Standing::coarse;
        row.reason = fmt::format(
            "beyond the accuracy asked for; with a hundred times the tolerance its attitude error is {:.2g} rad: the "
            "form is right",
            more);
        return;
      }
    }
    row.standing = Standing::off;
    row.reason = "beyond the accuracy asked for, and no finer steps could tell why: " + trouble;
  }

  const PlanMaker* make_;
  const Options* options_;
  std::uint64_t rows_of_one_ = 0;
  std::vector<Sample> reference_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  Comparison result_;
};

}  // namespace

std::string_view to_text(Standing standing) {
  switch (standing) {
    case Standing::agrees:
      return "agrees";
    case Standing::coarse:
      return "coarse";
    case Standing::off:
      return "off";
    case Standing::singular:
      return "singular";
    case Standing::cannot:
      return "cannot run";
    case Standing::not_run:
      return "not run";
  }
  return "unknown";
}

std::size_t Comparison::count(Standing standing) const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.standing == standing; }));
}

bool Comparison::all_agree() const {
  return count(Standing::agrees) > 0 && count(Standing::coarse) + count(Standing::off) + count(Standing::not_run) == 0;
}

Comparison compare(const PlanMaker& make, const std::vector<Choice>& choices, const Options& options) {
  return Comparing(make, choices, options)();
}

std::vector<std::string> forms_named(const std::vector<std::string>& names) {
  constexpr const char* kWithout = "f11";
  std::vector<std::string> all;
  for (const auto& form : formulations<double>()) {
    all.push_back(form->description().name);
    if (all.back() == "f10") { all.emplace_back(kWithout); }
  }
  if (names.empty()) { return all; }
  std::vector<std::string> chosen;
  const auto take = [&](const std::string& name) {
    if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) { chosen.push_back(name); }
  };
  for (const std::string& name : names) {
    const bool exact = std::find(all.begin(), all.end(), name) != all.end();
    bool found = exact;
    for (const std::string& one : all) {
      if (exact ? one == name : one.starts_with(name + ":")) {
        take(one);
        found = true;
      }
    }
    if (!found) { fail(Error(unknown_name("formulation", name, {all.begin(), all.end()}))); }
  }
  return chosen;
}

}  // namespace polhode::comparison
