// CPU time against error for every integrator of the catalog and for Boost.odeint, all in one run: a free body with
// moments (1, 2, 3), 100 s, from two starts. The error is that of the attitude at the end, against the exact motion.
#include "one_body/work_precision.h"

#include "one_body/clock.h"
#include "one_body/peers.h"
#include "polhode/drawing/chart.h"
#include "polhode/formulation/body_system.h"
#include "polhode/integrator/driver.h"
#include "polhode/integrator/rk4_step.h"
#include "polhode/motion/free_motion.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>

namespace polhode::bench {
namespace {

constexpr double kEnd = 100;      // s
constexpr double kGoal = 1e-9;    // rad
constexpr double kLongest = 0.1;  // s of CPU time: longer runs are not made
const Vec3<double> kPrincipal{1, 2, 3};
const EulerParameters<double> kAttitude{1, {0, 0, 0}};

struct Start {
  std::string name;
  Vec3<double> w_B;
};
const std::vector<Start> kStarts{{"ω′ = (0.01, 5, 0.01) rad/s", {0.01, 5, 0.01}}, {"ω′ = (1, 2, 3) rad/s", {1, 2, 3}}};

// ---- error ----------------------------------------------------------------------------------------------------------

/// Angle of the turn from one attitude to the other [rad].
template <class S>
double angle_between(const EulerParameters<S>& a, const EulerParameters<S>& b) {
  const EulerParameters<S> d = conjugate(a) * b;
  return 2 * std::atan2(static_cast<double>(norm(d.ev)), std::fabs(static_cast<double>(d.e0)));
}

// ---- who takes part -------------------------------------------------------------------------------------------------

/// A method on the free body from one start. The parameter is a tolerance, or a step in s.
class Contestant {
 public:
  Contestant(std::string name, bool is_peer, bool by_tolerance)
      : name_(std::move(name)), is_peer_(is_peer), by_tolerance_(by_tolerance) {}
  virtual ~Contestant() = default;
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;

  const std::string& name() const { return name_; }
  bool is_peer() const { return is_peer_; }
  bool by_tolerance() const { return by_tolerance_; }

  /// From 0 to kEnd; what is timed. False if it did not get there.
  virtual bool run(double parameter) = 0;
  /// Where the last run ended.
  virtual EulerParameters<double> attitude() const = 0;
  /// Evaluations of the right-hand side, or of what stands for it.
  virtual std::size_t evaluations(double parameter) = 0;

 private:
  std::string name_;
  bool is_peer_;
  bool by_tolerance_;
};

class Ours final : public Contestant {
 public:
  Ours(const Integrator<double>& method, const Formulation<double>& form, const Vec3<double>& w_B)
      : Contestant(method.description().name, false, method.description().adaptive),
        body_(free_body_of(kPrincipal)),
        system_(form, body_),
        stepper_(method.bind(system_)),
        start_(system_.size()),
        y_(system_.size()) {
    BodyState<double> state;
    state.e_NB = kAttitude;
    state.w_B = w_B;
    system_.set_state(state, start_);
  }
  bool run(double parameter) override {
    y_ = start_;
    RunOptions<double> options;
    if (by_tolerance()) {
      options.relative_tolerance = parameter;
      options.absolute_tolerance = parameter;
    } else {
      options.step = parameter;
    }
    const RunResult<double> result = integrate<double>(system_, *stepper_, options, 0, kEnd, y_);
    evaluations_ = result.statistics.evaluations;
    return result.status == RunStatus::done;
  }
  EulerParameters<double> attitude() const override { return system_.body_state(kEnd, y_).e_NB; }
  std::size_t evaluations(double) override { return evaluations_; }

 private:
  static OneBody<double> free_body_of(const Vec3<double>& moments) {
    OneBody<double> body;
    body.J_B = diagonal(moments.x, moments.y, moments.z);
    return body;
  }
  OneBody<double> body_;
  BodySystem<double> system_;
  std::unique_ptr<Stepper<double>> stepper_;
  std::vector<double> start_;
  std::vector<double> y_;
  std::size_t evaluations_ = 0;
};

class Theirs final : public Contestant {
 public:
  Theirs(const Peer& peer, const Vec3<double>& w_B)
      : Contestant(peer.name, true, peer.by_tolerance),
        peer_(&peer),
        start_{kAttitude.e0, kAttitude.ev.x, kAttitude.ev.y, kAttitude.ev.z, w_B.x, w_B.y, w_B.z} {}
  bool run(double parameter) override {
    y_ = start_;
    try {
      peer_->run(parameter, kEnd, y_);
    } catch (const std::exception&) { return false; }
    return true;
  }
  EulerParameters<double> attitude() const override { return {y_[0], {y_[1], y_[2], y_[3]}}; }
  std::size_t evaluations(double parameter) override { return peer_->evaluations(parameter, kEnd, start_); }

 private:
  const Peer* peer_;
  State start_;
  State y_{};
};

/// All of the catalog that fit one of two forms, then the peers.
std::vector<std::unique_ptr<Contestant>> contestants(const Vec3<double>& w_B) {
  std::vector<std::unique_ptr<Contestant>> list;
  OneBody<double> body;
  body.J_B = diagonal(kPrincipal.x, kPrincipal.y, kPrincipal.z);
  for (const auto& method : integrators<double>()) {
    if (!method->description().leaves_out.empty()) { continue; }  // it converges to another motion
    for (const char* name : {"euler-body", "canonical"}) {
      const Formulation<double>& form = formulation<double>(name);
      const BodySystem<double> system(form, body);
      const std::vector<std::string>& needs = method->description().needs;
      if (!std::all_of(needs.begin(), needs.end(), [&](const auto& need) { return offers<double>(system, need); })) {
        continue;
      }
      list.push_back(std::make_unique<Ours>(*method, form, w_B));
      break;
    }
  }
  for (const Peer& peer : odeint_peers()) { list.push_back(std::make_unique<Theirs>(peer, w_B)); }
  return list;
}

// ---- runs -----------------------------------------------------------------------------------------------------------

struct Run {
  double parameter;
  double error;  ///< rad
  double cpu_seconds;
  std::size_t evaluations;
};

/// Error at the end; nothing if the run failed or ended anywhere.
std::optional<double> error_of(Contestant& contestant, double parameter, const EulerParameters<double>& exact) {
  if (!contestant.run(parameter)) { return std::nullopt; }
  const double error = angle_between(exact, contestant.attitude());
  return error < 1 ? std::optional<double>(error) : std::nullopt;
}

/// Tolerances 10⁻³ ... 10⁻¹⁴, or 2⁷ ... 2²² steps.
std::vector<double> ladder(bool by_tolerance) {
  std::vector<double> rungs;
  for (int n = by_tolerance ? 3 : 7; n <= (by_tolerance ? 14 : 22); ++n) {
    rungs.push_back(by_tolerance ? std::pow(10.0, -n) : kEnd / std::pow(2.0, n));
  }
  return rungs;
}

std::vector<Run> measure(Contestant& contestant, const EulerParameters<double>& exact) {
  std::vector<Run> runs;
  for (const double parameter : ladder(contestant.by_tolerance())) {
    std::optional<double> error;
    const double once = cpu_seconds_of([&] { error = error_of(contestant, parameter, exact); });
    if (once > kLongest) { break; }
    if (!error) { continue; }
    const double seconds = quick_cpu_seconds([&] { contestant.run(parameter); });
    runs.push_back({parameter, *error, seconds, contestant.evaluations(parameter)});
  }
  return runs;
}

/// The coarsest parameter that meets the goal: 16 to a rung of the ladder, from three rungs above the first that does.
std::optional<Run> run_at_goal(Contestant& contestant, const std::vector<Run>& runs,
                               const EulerParameters<double>& exact) {
  const auto met = std::find_if(runs.begin(), runs.end(), [](const Run& run) { return run.error <= kGoal; });
  if (met == runs.end()) { return std::nullopt; }
  constexpr int kParts = 16;
  constexpr int kRungs = 3;
  const double rung = contestant.by_tolerance() ? 10 : 2;
  for (int part = kRungs * kParts; part > 0; --part) {
    double parameter = met->parameter * std::pow(rung, static_cast<double>(part) / kParts);
    if (!contestant.by_tolerance()) { parameter = kEnd / std::ceil(kEnd / parameter); }  // whole steps
    const std::optional<double> error = error_of(contestant, parameter, exact);
    if (error && *error <= kGoal) {
      const double seconds = quick_cpu_seconds([&] { contestant.run(parameter); });
      return Run{parameter, *error, seconds, contestant.evaluations(parameter)};
    }
  }
  return *met;
}

struct Entry {
  std::unique_ptr<Contestant> contestant;
  std::vector<Run> runs;
  std::optional<Run> at_goal;
};

std::vector<Entry> measure_all(const Start& start) {
  const EulerParameters<double> exact = FreeMotion<double>(kPrincipal, kAttitude, start.w_B).at(kEnd).e_NB;
  std::vector<Entry> entries;
  for (auto& contestant : contestants(start.w_B)) {
    Entry entry{std::move(contestant), {}, {}};
    entry.runs = measure(*entry.contestant, exact);
    entry.at_goal = run_at_goal(*entry.contestant, entry.runs, exact);
    entries.push_back(std::move(entry));
  }
  // once more, in turn, those that meet the goal in reasonable time
  constexpr double kReasonable = 5e-3;
  std::vector<std::function<void()>> again;
  std::vector<Run*> again_runs;
  for (Entry& entry : entries) {
    if (!entry.at_goal || entry.at_goal->cpu_seconds > kReasonable) { continue; }
    again.emplace_back([&entry] { entry.contestant->run(entry.at_goal->parameter); });
    again_runs.push_back(&*entry.at_goal);
  }
  const std::vector<double> least = quick_cpu_seconds_in_turn(again, 200);
  for (std::size_t i = 0; i < again.size(); ++i) { again_runs[i]->cpu_seconds = least[i]; }
  return entries;
}

// ---- tables ---------------------------------------------------------------------------------------------------------

/// Least CPU time of a peer's run that is at least as exact.
std::optional<double> peer_seconds(const std::vector<Entry>& entries, double error) {
  std::optional<double> least;
  for (const Entry& entry : entries) {
    if (!entry.contestant->is_peer()) { continue; }
    for (const Run& run : entry.runs) {
      if (run.error <= error && (!least || run.cpu_seconds < *least)) { least = run.cpu_seconds; }
    }
  }
  return least;
}
std::string ratio_text(double seconds, const std::optional<double>& peer) {
  return peer ? fmt::format("{:9.2f}", seconds / *peer) : fmt::format("{:>9}", "-");
}
std::string parameter_text(const Contestant& contestant, double parameter) {
  return fmt::format("{} {:.2e}", contestant.by_tolerance() ? "tol " : "step", parameter);
}

void print_runs(const Start& start, const std::vector<Entry>& entries) {
  fmt::print("\n{}, 100 s; x odeint: CPU time to the best run of odeint that is at least as exact\n", start.name);
  fmt::print("{:<25} {:<14} {:>11} {:>11} {:>12} {:>9}\n", "method", "parameter", "error rad", "CPU ms", "evaluations",
             "x odeint");
  for (const Entry& entry : entries) {
    for (const Run& run : entry.runs) {
      fmt::print("{:<25} {:<14} {:11.2e} {:11.4f} {:12} {}\n", entry.contestant->name(),
                 parameter_text(*entry.contestant, run.parameter), run.error, 1e3 * run.cpu_seconds, run.evaluations,
                 ratio_text(run.cpu_seconds, peer_seconds(entries, run.error)));
    }
  }
}

void print_goal(const Start& start, const std::vector<Entry>& entries) {
  std::vector<const Entry*> order;
  for (const Entry& entry : entries) {
    if (entry.at_goal) { order.push_back(&entry); }
  }
  std::sort(order.begin(), order.end(),
            [](const Entry* a, const Entry* b) { return a->at_goal->cpu_seconds < b->at_goal->cpu_seconds; });
  const auto best_peer =
      std::find_if(order.begin(), order.end(), [](const Entry* entry) { return entry->contestant->is_peer(); });
  fmt::print("\n{}: least CPU time for {:.0e} rad\n", start.name, kGoal);
  fmt::print("{:<25} {:<14} {:>11} {:>11} {:>12} {:>9}\n", "method", "parameter", "error rad", "CPU ms", "evaluations",
             "x odeint");
  for (const Entry* entry : order) {
    const std::optional<double> peer =
        best_peer == order.end() ? std::nullopt : std::optional<double>((*best_peer)->at_goal->cpu_seconds);
    const Run& run = *entry->at_goal;
    fmt::print("{:<25} {:<14} {:11.2e} {:11.4f} {:12} {}\n", entry->contestant->name(),
               parameter_text(*entry->contestant, run.parameter), run.error, 1e3 * run.cpu_seconds, run.evaluations,
               ratio_text(run.cpu_seconds, peer));
  }
}

/// The attitude at 1000 output times in closed form, set-up included.
void print_exact(const Start& start) {
  std::vector<double> times(1000);
  for (std::size_t i = 0; i < times.size(); ++i) { times[i] = kEnd * static_cast<double>(i + 1) / 1000; }
  std::vector<MotionState<double>> states(times.size());
  const double seconds = quick_cpu_seconds([&] {
    const FreeMotion<double> motion(kPrincipal, kAttitude, start.w_B);
    motion.at(times, states);
    benchmark::DoNotOptimize(states.data());
  });

  // the reference shares nothing with the closed form: Taylor series in long double
  OneBody<long double> body;
  body.J_B = diagonal(1.0L, 2.0L, 3.0L);
  const BodySystem<long double> system(formulation<long double>("euler-body"), body);
  const auto stepper = integrator<long double>("taylor").bind(system);
  using Long = long double;
  std::vector<Long> y{1, 0, 0, 0, Long(start.w_B.x), Long(start.w_B.y), Long(start.w_B.z)};
  RunOptions<long double> options;
  options.step = 0.1L;
  for (const double t : times) { options.output_times.push_back(Long(t)); }
  double worst = 0;
  std::size_t next = 0;
  Observer<long double> observer;
  observer.output = [&](const long double&, std::span<const long double> at) {
    const EulerParameters<double>& e = states[next++].e_NB;
    const EulerParameters<Long> ours{Long(e.e0), {Long(e.ev.x), Long(e.ev.y), Long(e.ev.z)}};
    worst = std::max(worst, angle_between(EulerParameters<long double>{at[0], {at[1], at[2], at[3]}}, ours));
    return true;
  };
  integrate<long double>(system, *stepper, options, 0, Long(kEnd), y, observer);
  fmt::print("exact motion, {}: attitude at 1000 times in {:.3f} ms, largest error {:.1e} rad\n", start.name,
             1e3 * seconds, worst);
}

/// One step of the classical method: by hand, inlined, and through System and Stepper.
void print_rk4() {
  constexpr int kSteps = 5000;
  static constexpr double kStep = 1e-3;
  const State start{1, 0, 0, 0, 0.01, 5, 0.01};
  Moments J = kMoments;
  benchmark::DoNotOptimize(J);
  const auto f = [J](double, const State& at, State& rate) { free_body(at.data(), J, rate.data()); };
  OneBody<double> body;
  body.J_B = diagonal(kPrincipal.x, kPrincipal.y, kPrincipal.z);
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  const auto stepper = integrator<double>("rk4").bind(system);
  const auto steps = [&start](const auto& one) {
    return [start, one] {
      State y = start;
      for (int n = 0; n < kSteps; ++n) {
        one(y);
        benchmark::DoNotOptimize(y);
      }
    };
  };
  const std::vector<double> quick = quick_cpu_seconds_in_turn(
      {steps([J](State& y) { rk4_by_hand(J, kStep, y); }), steps([f](State& y) { rk4_step(f, 0.0, kStep, y); }),
       steps([&](State& y) { benchmark::DoNotOptimize(stepper->step(0.0, kStep, y)); })},
      100);
  fmt::print("RK4 step by hand {:.1f} ns; rk4_step {:.2f} times that; stepper 'rk4' {:.2f} times that\n",
             1e9 * quick[0] / kSteps, quick[1] / quick[0], quick[2] / quick[0]);
}

}  // namespace

int work_precision(const std::string& svg_path) {
  drawing::Chart chart;
  chart.title = "Free body, moments (1, 2, 3) kg m², 100 s: error of the attitude against CPU time";
  chart.panel_width = 400;
  chart.panel_height = 460;
  std::vector<std::vector<Entry>> all;
  for (const Start& start : kStarts) {
    all.push_back(measure_all(start));
    print_runs(start, all.back());
    drawing::ChartPanel panel{start.name,
                              {"CPU time [ms]", drawing::Scale::logarithmic, 1e-2, 1e2},
                              {"attitude error at 100 s [rad]", drawing::Scale::logarithmic, 1e-14, 1},
                              {}};
    int ours = 0;
    int peers = 0;
    for (const Entry& entry : all.back()) {
      const bool is_peer = entry.contestant->is_peer();
      drawing::ChartLine line{entry.contestant->name(), {}, is_peer ? peers++ : ours++, true, is_peer};
      for (const Run& run : entry.runs) { line.points.emplace_back(1e3 * run.cpu_seconds, run.error); }
      panel.lines.push_back(std::move(line));
    }
    chart.panels.push_back(std::move(panel));
  }
  for (std::size_t i = 0; i < kStarts.size(); ++i) { print_goal(kStarts[i], all[i]); }
  fmt::print("\n");
  print_rk4();
  for (const Start& start : kStarts) { print_exact(start); }
  if (svg_path.empty()) { return 0; }

  std::ofstream file(svg_path, std::ios::binary);
  file << drawing::draw(chart);
  file.close();
  if (!file) {
    fmt::print(stderr, "cannot write '{}'\n", svg_path);
    return 1;
  }
  return 0;
}

}  // namespace polhode::bench
