// The driver: tolerances, dense output, events, projection, charts, statuses, mistakes.
#include "integrator/free_body.h"
#include "polhode/core/error.h"

#include <doctest/doctest.h>

#include <limits>

using namespace polhode;

namespace {

/// ẍ = −x, exact: x = cos t, ẋ = −sin t.
template <class S>
class Oscillator final : public System<S> {
 public:
  std::string name() const override { return "oscillator"; }
  std::size_t size() const override { return 2; }
  void rhs(const S&, std::span<const S> y, std::span<S> ydot) const override {
    ydot[0] = y[1];
    ydot[1] = -y[0];
  }
};

/// ẏ = y², which is infinite at t = 1 from y = 1.
class BlowUp final : public System<double> {
 public:
  std::size_t size() const override { return 1; }
  void rhs(const double&, std::span<const double> y, std::span<double> ydot) const override { ydot[0] = y[0] * y[0]; }
};

RunOptions<double> tolerance(double relative) {
  RunOptions<double> options;
  options.relative_tolerance = relative;
  options.absolute_tolerance = relative;
  return options;
}

const std::vector<std::string> kAdaptive{"dopri5", "dop853", "extrapolation", "taylor"};

double error_at_end(const std::string& name, double relative, double t_end, const BodyState<long double>& reference,
                    RunStatistics* statistics = nullptr) {
  const OneBody<double> body = test::free_asymmetric_body<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  std::vector<double> y = test::start_of(system);
  const auto stepper = integrator<double>(name).bind(system);
  const RunResult<double> result = integrate<double>(system, *stepper, tolerance(relative), 0, t_end, y);
  CHECK(result.status == RunStatus::done);
  CHECK(result.t == t_end);
  if (statistics != nullptr) { *statistics = result.statistics; }
  const BodyState<double> s = system.body_state(t_end, y);
  const BodyState<double> r{t_end,
                            {},
                            {},
                            {static_cast<double>(reference.e_NB.e0),
                             {static_cast<double>(reference.e_NB.ev.x), static_cast<double>(reference.e_NB.ev.y),
                              static_cast<double>(reference.e_NB.ev.z)}},
                            {static_cast<double>(reference.w_B.x), static_cast<double>(reference.w_B.y),
                             static_cast<double>(reference.w_B.z)}};
  return test::difference(s, r);
}

}  // namespace

TEST_CASE("adaptive methods: the error follows the tolerance, and work grows as it shrinks") {
  const double t_end = 10;
  const BodyState<long double> reference = test::reference_after(test::free_asymmetric_body<long double>(), 10.0L);
  for (const std::string& name : kAdaptive) {
    CAPTURE(name);
    std::size_t work_before = 0;
    for (const double relative : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(relative);
      RunStatistics statistics;
      CHECK(error_at_end(name, relative, t_end, reference, &statistics) < 10 * relative);
      if (name != "taylor") {
        CHECK(statistics.evaluations > work_before);
        work_before = statistics.evaluations;
      }
      CHECK(statistics.rejected <= statistics.steps / 2 + 2);
    }
  }
}

TEST_CASE("adaptive methods run backwards as well as forwards") {
  const OneBody<double> body = test::free_asymmetric_body<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  for (const std::string& name : kAdaptive) {
    CAPTURE(name);
    std::vector<double> y = test::start_of(system);
    const std::vector<double> start = y;
    const auto stepper = integrator<double>(name).bind(system);
    const RunOptions<double> options = tolerance(1e-12);
    CHECK(integrate<double>(system, *stepper, options, 1, 6, y).status == RunStatus::done);
    const RunResult<double> back = integrate<double>(system, *stepper, options, 6, 1, y);
    CHECK(back.t == 1);
    for (std::size_t i = 0; i < y.size(); ++i) { CHECK(std::fabs(y[i] - start[i]) < 1e-10); }
  }
}

TEST_CASE("fixed steps: time is t0 + n dt and the last step lands on t1") {
  const Oscillator<double> system;
  const auto stepper = integrator<double>("rk4").bind(system);
  std::vector<double> times;
  Observer<double> observer;
  observer.output = [&](const double& t, std::span<const double>) {
    times.push_back(t);
    return true;
  };
  RunOptions<double> options;
  options.step = 0.1;
  std::vector<double> y{1, 0};
  RunResult<double> result = integrate<double>(system, *stepper, options, 0, 100, y, observer);
  REQUIRE(times.size() == 1001);
  CHECK(result.statistics.steps == 1000);
  CHECK(result.statistics.evaluations == 4000);
  for (std::size_t n = 0; n < 1000; ++n) { REQUIRE(times[n] == 0.1 * static_cast<double>(n)); }
  CHECK(times.back() == 100);
  // a step that does not divide the run: the last one is shorter, and backwards too
  times.clear();
  y = {1, 0};
  options.step = 0.3;
  result = integrate<double>(system, *stepper, options, 1, 0, y, observer);
  REQUIRE(times.size() == 5);
  CHECK(times[3] == doctest::Approx(0.1));
  CHECK(times[4] == 0);
  CHECK(std::fabs(y[0] - std::cos(1.0)) < 1e-3);
  CHECK(std::fabs(y[1] - std::sin(1.0)) < 1e-3);
}

TEST_CASE("dense output is as good as the steps") {
  const Oscillator<double> system;
  for (const auto& method : integrators<double>()) {
    const MethodDescription& description = method->description();
    if (!description.needs.empty() || description.order == 1 || description.order == 2) { continue; }
    CAPTURE(description.name);
    const auto stepper = method->bind(system);
    RunOptions<double> options;
    if (description.adaptive) {
      options = tolerance(1e-9);
    } else {
      options.step = 0.02;
    }
    for (int k = 0; k <= 1000; ++k) { options.output_times.push_back(0.01 * k); }
    std::size_t seen = 0;
    double worst = 0;
    Observer<double> observer;
    observer.output = [&](const double& t, std::span<const double> y) {
      CHECK(t == options.output_times[seen]);
      ++seen;
      worst = std::max({worst, std::fabs(y[0] - std::cos(t)), std::fabs(y[1] + std::sin(t))});
      return true;
    };
    std::vector<double> y{1, 0};
    CHECK(integrate<double>(system, *stepper, options, 0, 10, y, observer).status == RunStatus::done);
    CHECK(seen == 1001);
    const double end = std::max(std::fabs(y[0] - std::cos(10.0)), std::fabs(y[1] + std::sin(10.0)));
    CAPTURE(end);
    CHECK(worst < 3 * end + (description.adaptive ? 1e-8 : 1e-12));
  }
}

TEST_CASE("dense output in long double shows its order: 4, 7 and, for methods without their own, 5") {
  const Oscillator<long double> system;
  const auto worst_inside = [&](const std::string& name, long double dt) {
    // from exact values, so that the inside of one step shows
    const auto stepper = integrator<long double>(name).bind(system);
    RunOptions<long double> options;
    options.step = dt;
    for (int k = 1; k < 16; ++k) { options.output_times.push_back(dt * static_cast<long double>(k) / 16); }
    long double worst = 0;
    Observer<long double> observer;
    observer.output = [&](const long double& t, std::span<const long double> y) {
      worst = std::max({worst, std::fabs(y[0] - std::cos(t)), std::fabs(y[1] + std::sin(t))});
      return true;
    };
    std::vector<long double> y{1, 0};
    CHECK(integrate<long double>(system, *stepper, options, 0, dt, y, observer).status == RunStatus::done);
    return worst;
  };
  for (const auto& [name, order] : {std::pair<std::string, double>{"dopri5", 4.0}, {"dop853", 7.0}, {"gauss6", 5.0}}) {
    CAPTURE(name);
    const double slope = static_cast<double>(std::log2(worst_inside(name, 0.2L) / worst_inside(name, 0.1L)));
    CHECK(std::fabs(slope - (order + 1)) < 0.3);  // the error inside one step has one power more
  }
}

TEST_CASE("events are found to 1e-12, in the direction asked for, and a terminal one ends the run") {
  const Oscillator<double> system;
  const double pi = 3.14159265358979323846;
  for (const std::string name : {"dop853", "extrapolation", "dopri5"}) {
    CAPTURE(name);
    const auto stepper = integrator<double>(name).bind(system);
    RunOptions<double> options = tolerance(name == "dopri5" ? 1e-14 : 1e-13);
    const auto x = [](const double&, std::span<const double> y) { return y[0]; };
    options.events = {{"down", x, -1, false}, {"up", x, 1, false}, {"both", x, 0, false}};
    std::vector<double> y{1, 0};
    const RunResult<double> result = integrate<double>(system, *stepper, options, 0, 10, y);
    std::array<std::vector<double>, 3> hits;
    for (const EventHit<double>& hit : result.events) { hits[hit.event].push_back(hit.t); }
    REQUIRE(hits[0].size() == 2);  // π/2, 5π/2
    REQUIRE(hits[1].size() == 1);  // 3π/2
    REQUIRE(hits[2].size() == 3);
    CHECK(std::fabs(hits[0][0] - pi / 2) < 1e-12);
    CHECK(std::fabs(hits[0][1] - 5 * pi / 2) < 1e-12);
    CHECK(std::fabs(hits[1][0] - 3 * pi / 2) < 1e-12);
    CHECK(hits[2][1] == hits[1][0]);
    CHECK(result.statistics.events == 6);

    options.events = {{"top speed", [](const double&, std::span<const double> at) { return at[0]; }, 1, true}};
    options.output_times = {1, 4, 5, 6};
    std::size_t outputs = 0;
    Observer<double> observer;
    observer.output = [&](const double&, std::span<const double>) {
      ++outputs;
      return true;
    };
    y = {1, 0};
    const RunResult<double> stopped = integrate<double>(system, *stepper, options, 0, 10, y, observer);
    CHECK(stopped.status == RunStatus::stopped_by_event);
    CHECK(std::fabs(stopped.t - 3 * pi / 2) < 1e-12);
    CHECK(std::fabs(y[0]) < 1e-12);
    CHECK(std::fabs(y[1] - 1) < 1e-12);
    CHECK(outputs == 2);  // what lies behind the event is not shown
  }
}

TEST_CASE("a function that stays at zero is an event once, where it arrives there, also just before a terminal one") {
  const Oscillator<double> system;
  using Y = std::span<const double>;
  const std::vector<Event<double>> functions{
      {"from above", [](const double& t, Y) { return std::fmax(0.0, 1.003 - t); }, 0, false},
      {"from below", [](const double& t, Y) { return std::fmin(0.0, t - 1.003); }, 0, false},
      {"a jump", [](const double& t, Y) { return t < 1.003 ? -1.0 : 0.0; }, 0, false},
      {"a rest between signs", [](const double& t, Y) { return std::fmin(0.0, t - 1.003) + std::fmax(0.0, t - 1.004); },
       0, false},
      {"always", [](const double&, Y) { return 0.0; }, 0, false}};
  for (const std::string name : {"dop853", "rk4", "gauss4"}) {
    for (const bool ended_soon_after : {false, true}) {
      CAPTURE(name);
      CAPTURE(ended_soon_after);
      const auto stepper = integrator<double>(name).bind(system);
      RunOptions<double> options = tolerance(1e-6);
      if (name != "dop853") {
        options = {};
        options.step = 0.25;
      }
      options.events = functions;
      if (ended_soon_after) {
        options.events.push_back({"end", [](const double& t, Y) { return t - 1.01; }, 0, true});
      }
      std::vector<double> y{1, 0};
      const RunResult<double> result = integrate<double>(system, *stepper, options, 0, 4, y);
      CHECK(result.status == (ended_soon_after ? RunStatus::stopped_by_event : RunStatus::done));
      std::vector<std::vector<double>> times(6);
      for (const EventHit<double>& hit : result.events) { times[hit.event].push_back(hit.t); }
      for (std::size_t e = 0; e < 4; ++e) {
        CAPTURE(functions[e].name);
        REQUIRE(times[e].size() == 1);
        CHECK(std::fabs(times[e][0] - 1.003) < 1e-12);
      }
      CHECK(times[4].empty());
    }
  }
}

TEST_CASE("events are found by methods without dense output and backwards in time") {
  const Oscillator<double> system;
  const auto stepper = integrator<double>("gauss6").bind(system);
  RunOptions<double> options;
  options.step = 0.005;
  options.events = {{"zero", [](const double&, std::span<const double> y) { return y[0]; }, 0, true}};
  std::vector<double> y{1, 0};
  const RunResult<double> result = integrate<double>(system, *stepper, options, 0, -10, y);
  CHECK(result.status == RunStatus::stopped_by_event);
  CHECK(std::fabs(result.t + 1.57079632679489661923) < 1e-12);
}

TEST_CASE("two sign changes inside one long step are both seen") {
  const Oscillator<double> system;
  const auto stepper = integrator<double>("extrapolation").bind(system);
  RunOptions<double> options = tolerance(1e-10);
  options.first_step = 1;
  // positive only for |t − 0.5| < 0.2, while a step is about 1 long
  options.events = {
      {"window", [](const double& t, std::span<const double>) { return 0.04 - (t - 0.5) * (t - 0.5); }, 0, false}};
  std::vector<double> y{1, 0};
  const RunResult<double> result = integrate<double>(system, *stepper, options, 0, 1, y);
  REQUIRE(result.events.size() == 2);
  CHECK(std::fabs(result.events[0].t - 0.3) < 1e-12);
  CHECK(std::fabs(result.events[1].t - 0.7) < 1e-12);
}

TEST_CASE("projection is a choice: none leaves the norm error, the others put what they say on the sphere") {
  const OneBody<double> body = test::free_asymmetric_body<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  double inside = 0;
  const auto run = [&](ProjectionUse use, double& shown) {
    std::vector<double> y = test::start_of(system);
    const auto stepper = integrator<double>("dopri5").bind(system);
    RunOptions<double> options;
    options.step = 0.1;
    options.projection = use;
    for (int k = 0; k <= 77; ++k) { options.output_times.push_back(0.13 * k); }
    shown = 0;
    inside = 0;
    const auto norm_error = [](std::span<const double> at) {
      return std::fabs(std::sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + at[3] * at[3]) - 1);
    };
    Observer<double> observer;
    observer.output = [&](const double&, std::span<const double> at) {
      shown = std::max(shown, norm_error(at));
      return true;
    };
    observer.piece = [&](const Piece<double>& piece) {
      std::vector<double> at(7);
      for (const double theta : {0.0, 0.3, 1.0}) {
        piece.at(theta, at);
        inside = std::max(inside, norm_error(at));
      }
      return true;
    };
    CHECK(integrate<double>(system, *stepper, options, 0, 10.01, y, observer).status == RunStatus::done);
    return norm_error(y);
  };
  double shown = 0;
  CHECK(run(ProjectionUse::none, shown) > 1e-9);
  CHECK(shown > 1e-9);
  CHECK(inside > 1e-9);
  CHECK(run(ProjectionUse::at_output, shown) > 1e-9);
  CHECK(shown < 3e-16);
  CHECK(inside < 3e-16);
  CHECK(run(ProjectionUse::every_step, shown) < 3e-16);
  CHECK(shown < 3e-16);
  CHECK(inside < 3e-16);
  CHECK(projection_use("at_output") == ProjectionUse::at_output);
  CHECK_THROWS_WITH(projection_use("every-step"), doctest::Contains("did you mean 'every_step'"));
}

TEST_CASE("charts are switched on the way, counted, and do not change the motion") {
  OneBody<double> body = test::free_asymmetric_body<double>();
  body.least_chart_distance = 0.5;
  const BodySystem<double> reference(formulation<double>("euler-body"), body);
  std::vector<double> y_reference = test::start_of(reference);
  CHECK(
      integrate<double>(reference, *integrator<double>("dop853").bind(reference), tolerance(1e-12), 0, 20, y_reference)
          .status == RunStatus::done);
  const BodySystem<double> system(formulation<double>("a3:reduced"), body);
  std::vector<double> y = test::start_of(system);
  const RunResult<double> result =
      integrate<double>(system, *integrator<double>("dop853").bind(system), tolerance(1e-12), 0, 20, y);
  CHECK(result.status == RunStatus::done);
  CHECK(result.statistics.chart_switches > 0);
  CHECK(test::difference(system.body_state(20, y), reference.body_state(20, y_reference)) < 1e-9);
}

TEST_CASE("what numerics do on a bad day is a status with its numbers") {
  const BlowUp system;
  std::vector<double> y{1};
  // adaptive: the step shrinks towards the pole at t = 1
  RunResult<double> result =
      integrate<double>(system, *integrator<double>("dopri5").bind(system), tolerance(1e-8), 0, 2, y);
  CHECK((result.status == RunStatus::step_too_small || result.status == RunStatus::not_finite));
  CHECK(std::fabs(result.t - 1) < 1e-6);
  CHECK(!result.message.empty());
  // fixed: over the edge
  RunOptions<double> fixed;
  fixed.step = 0.01;
  y = {1};
  result = integrate<double>(system, *integrator<double>("rk4").bind(system), fixed, 0, 2, y);
  CHECK(result.status == RunStatus::not_finite);
  CHECK(result.bad_index == 0);
  CHECK(result.message.find("t = 1.0") != std::string::npos);
  CHECK(std::isfinite(y[0]));
  // implicit equations without a solution
  y = {1};
  result = integrate<double>(system, *integrator<double>("gauss4").bind(system), fixed, 0, 2, y);
  CHECK(result.status != RunStatus::done);
  CHECK(std::fabs(result.t - 1) < 0.2);
  // interrupted
  const Oscillator<double> oscillator;
  y = {1, 0};
  Observer<double> observer;
  observer.output = [](const double& t, std::span<const double>) { return t < 0.5; };
  result = integrate<double>(oscillator, *integrator<double>("rk4").bind(oscillator), fixed, 0, 2, y, observer);
  CHECK(result.status == RunStatus::interrupted);
  CHECK(result.t == doctest::Approx(0.5));
  CHECK(to_text(result.status) == "interrupted");
  fixed.most_steps = 10;
  y = {1, 0};
  result = integrate<double>(oscillator, *integrator<double>("rk4").bind(oscillator), fixed, 0, 2, y);
  CHECK(result.status == RunStatus::too_many_steps);
  CHECK(result.t == doctest::Approx(0.1));
}

TEST_CASE("an event whose function becomes a NaN ends the run there, at its start too") {
  const Oscillator<double> system;
  const auto run = [&](double from) {
    RunOptions<double> options = tolerance(1e-10);
    options.events = {
        {"fine", [](const double&, std::span<const double> y) { return y[1] - 2; }, 0, false},
        {"lost", [&](const double& t, std::span<const double> y) { return t < from ? y[0] + 2 : std::nan(""); }, 0,
         false}};
    std::vector<double> y{1, 0};
    return integrate<double>(system, *integrator<double>("dop853").bind(system), options, 0, 10, y);
  };
  RunResult<double> result = run(4);
  CHECK(result.status == RunStatus::not_finite);
  CHECK(result.bad_index == 2);
  CHECK(result.t <= 4);
  CHECK(result.message.find("the function of event 'lost' is nan") != std::string::npos);
  result = run(0);
  CHECK(result.message.starts_with("at t = 0 the function of event 'lost' is nan"));
  CHECK(run(11).status == RunStatus::done);
}

TEST_CASE("a caller's mistakes are refused in one line each") {
  const Oscillator<double> system;
  const auto message = [&](const char* name, const RunOptions<double>& options, std::vector<double> y = {1, 0},
                           double t1 = 1) -> std::string {
    const auto stepper = integrator<double>(name).bind(system);
    try {
      integrate<double>(system, *stepper, options, 0, t1, y);
    } catch (const Error& error) { return error.what(); }
    return {};
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  RunOptions<double> options;
  CHECK(has(message("rk4", options), "neither a step nor a tolerance"));
  options.step = -0.1;
  CHECK(has(message("rk4", options), "step -0.1; positive steps"));
  CHECK(has(message("rk4", tolerance(1e-6)), "integrator 'rk4' has no error estimate"));
  CHECK(has(message("dop853", tolerance(1e-17)), "is below the rounding"));
  CHECK(has(message("dop853", tolerance(-1)), "not negative"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(has(message("dop853", tolerance(1e-6), {1, nan}), "initial state: entry 1"));
  CHECK(has(message("dop853", tolerance(1e-6), {1, 0, 0}), "state has 3 numbers; this system (oscillator) has 2"));
  CHECK(has(message("dop853", tolerance(1e-6), {1, 0}, nan), "finite times"));
  options = tolerance(1e-6);
  options.output_times = {0.5, 0.2};
  CHECK(has(message("dop853", options), "output time 0.2 after 0.5"));
  options = tolerance(1e-6);
  options.projection = ProjectionUse::every_step;
  CHECK(has(message("dop853", options), "has no projection"));
}

namespace {

/// y' = −sign(y) − 0.3 and z' = 1: y comes to zero and cannot leave it.
class DryFriction final : public System<double> {
 public:
  std::string name() const override { return "dry friction"; }
  std::size_t size() const override { return 2; }
  std::string entry_name(std::size_t i) const override { return i == 0 ? "w" : "z"; }
  void rhs(const double&, std::span<const double> y, std::span<double> ydot) const override {
    ydot[0] = (y[0] > 0 ? -1 : y[0] < 0 ? 1 : 0) - 0.3;
    ydot[1] = 1;
  }
};

/// Switches with time, not with its state: some 100 steps a switch, and no reason to stop.
class SquareWave final : public System<double> {
 public:
  std::string name() const override { return "square wave"; }
  std::size_t size() const override { return 1; }
  std::string entry_name(std::size_t) const override { return "w"; }
  void rhs(const double& t, std::span<const double>, std::span<double> ydot) const override {
    ydot[0] = std::fmod(t, 2e-4) < 1e-4 ? 1 : -1;
  }
};

/// Turns fast, beside a number whose rate is nothing but rounding.
class FastBesideNoise final : public System<double> {
 public:
  std::string name() const override { return "fast beside noise"; }
  std::size_t size() const override { return 3; }
  std::string entry_name(std::size_t i) const override { return i == 2 ? "noise" : "x"; }
  void rhs(const double&, std::span<const double> y, std::span<double> ydot) const override {
    ydot[0] = -1e5 * y[1];
    ydot[1] = 1e5 * y[0];
    ydot[2] = ((y[0] + 3) - 3) - y[0];
  }
};

/// x'' = −sign(x), through its jumps and not along them, beside a fast turn that makes steps short.
class ThroughJumps final : public System<double> {
 public:
  std::string name() const override { return "through jumps"; }
  std::size_t size() const override { return 4; }
  std::string entry_name(std::size_t i) const override { return i == 1 ? "v" : "x"; }
  void rhs(const double&, std::span<const double> y, std::span<double> ydot) const override {
    ydot[0] = y[1];
    ydot[1] = y[0] > 0 ? -1 : 1;
    ydot[2] = -1e5 * y[3];
    ydot[3] = 1e5 * y[2];
  }
};

}  // namespace

TEST_CASE(
    "a right-hand side that switches with the sign of what it drives is told as chatter; one that only switches runs") {
  for (const std::string name : {"dopri5", "dop853", "extrapolation"}) {
    CAPTURE(name);
    const DryFriction friction;
    std::vector<double> y{1, 0};
    RunOptions<double> options = tolerance(1e-10);
    options.most_steps = 1'000'000;
    const RunResult<double> result =
        integrate<double>(friction, *integrator<double>(name).bind(friction), options, 0, 10, y);
    CHECK(result.status == RunStatus::step_too_small);
    CAPTURE(result.message);
    CHECK(result.message.find("w chatters: its rate jumps between -") != std::string::npos);
    CHECK(result.message.find("tanh(w/w0)") != std::string::npos);
    // extrapolation steps over the first contact, measured 0.39 s, before its steps show the chatter
    CHECK(std::fabs(result.t - 1 / 1.3) < (name == "extrapolation" ? 0.5 : 1e-3));
    CHECK(result.statistics.steps < 10'000);
    const SquareWave wave;
    std::vector<double> z{0};
    CHECK(integrate<double>(wave, *integrator<double>(name).bind(wave), options, 0, 0.1, z).status == RunStatus::done);
    const FastBesideNoise fast;
    std::vector<double> x{1, 0, 1};
    options.most_steps = 30'000;
    const RunResult<double> slow = integrate<double>(fast, *integrator<double>(name).bind(fast), options, 0, 100, x);
    CHECK(slow.message.find("all 30000 steps are used up") != std::string::npos);
    // x reaches its jump after some 5 ms and goes on
    const ThroughJumps through;
    std::vector<double> u{0.005, -1, 1, 0};
    const RunResult<double> passed =
        integrate<double>(through, *integrator<double>(name).bind(through), options, 0, 100, u);
    CAPTURE(passed.message);
    CHECK(passed.message.find("all 30000 steps are used up") != std::string::npos);
    CHECK(passed.t > 0.006);
  }
}

TEST_CASE(
    "an implicit method of fixed steps that finds no solution at a switch says so, and the method it names does") {
  const auto run = [](const std::string& name, double step) {
    const DryFriction friction;
    std::vector<double> y{1, 0};
    RunOptions<double> options;
    options.step = step;
    return integrate<double>(friction, *integrator<double>(name).bind(friction), options, 0, 10, y);
  };
  for (const std::string name : {"gauss2", "gauss4", "gauss6"}) {
    CAPTURE(name);
    for (const double step : {0.1, 0.01, 0.001}) {  // shorter steps are no cure
      const RunResult<double> result = run(name, step);
      CAPTURE(result.message);
      CHECK(result.status == RunStatus::no_convergence);
      CHECK(result.message.find("w chatters: its rate jumps between -1.3 and 0.7") != std::string::npos);
      CHECK(result.message.find("explicit method, such as rk4") != std::string::npos);
      CHECK(result.message.find("may help") == std::string::npos);
    }
  }
  CHECK(run("rk4", 0.01).status == RunStatus::done);
}

TEST_CASE("a rate too fast to follow is told with its entry") {
  class Growth final : public System<double> {
   public:
    std::string name() const override { return "growth"; }
    std::size_t size() const override { return 1; }
    std::string entry_name(std::size_t) const override { return "w"; }
    void rhs(const double& t, std::span<const double> y, std::span<double> ydot) const override {
      ydot[0] = std::exp(1000 * t) * (y[0] + 1);
    }
  };
  const Growth growth;
  std::vector<double> y{0};
  const RunResult<double> result =
      integrate<double>(growth, *integrator<double>("dop853").bind(growth), tolerance(1e-10), 0, 10, y);
  CHECK(result.status != RunStatus::done);
  CHECK(result.message.find("w ") != std::string::npos);
  CHECK(result.message.size() < 300);
  // y turns ever faster: no step is too small, but there is no end of them
  class FasterTurn final : public System<double> {
   public:
    std::string name() const override { return "turn"; }
    std::size_t size() const override { return 3; }
    std::string entry_name(std::size_t i) const override { return i == 2 ? "w" : "x"; }
    void rhs(const double& t, std::span<const double> y, std::span<double> ydot) const override {
      ydot[0] = -y[2] * y[1];
      ydot[1] = y[2] * y[0];
      ydot[2] = std::exp(1000 * t);
    }
  };
  const FasterTurn turn;
  std::vector<double> z{1, 0, 0};
  const RunResult<double> faster =
      integrate<double>(turn, *integrator<double>("dop853").bind(turn), tolerance(1e-10), 0, 10, z);
  CHECK(faster.status == RunStatus::too_many_steps);
  CHECK(faster.message.find("steps are left: w is ") != std::string::npos);
  CHECK(faster.statistics.steps < 300'000);
}
