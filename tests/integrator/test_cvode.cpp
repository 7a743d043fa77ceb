// CVODE behind our interface, where SUNDIALS is there; else the message that says what it takes.
#include "integrator/cliff.h"
#include "integrator/free_body.h"
#include "polhode/core/error.h"

#include <doctest/doctest.h>

#include <limits>

using namespace polhode;

namespace {

const bool kHere = absent_integrators().empty();

/// ẏ = −k (y − cos t) − sin t from y(0) = 1: y = cos t, stiff for large k.
class Stiff final : public System<double> {
 public:
  explicit Stiff(double k) : k_(k) {}
  std::size_t size() const override { return 1; }
  void rhs(const double& t, std::span<const double> y, std::span<double> ydot) const override {
    ydot[0] = -k_ * (y[0] - std::cos(t)) - std::sin(t);
  }

 private:
  double k_;
};

RunOptions<double> by_tolerance(double tolerance) {
  RunOptions<double> options;
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  return options;
}

}  // namespace

TEST_CASE("without SUNDIALS the message says what it takes; with it nothing is absent") {
  if (kHere) {
    CHECK(integrator<double>("cvode-adams").description().portable == false);
    CHECK(integrator<double>("cvode-bdf").description().portable == false);
  } else {
    CHECK_THROWS_WITH_AS(integrator<double>("cvode-bdf"), doctest::Contains("libsundials-dev"), Error);
  }
  // double only: SUNDIALS knows no other numbers
  CHECK_THROWS_AS(integrator<long double>("cvode-adams"), Error);
}

TEST_CASE("CVODE: a free body forwards and back again, the error follows the tolerance, dense output does too") {
  if (!kHere) { return; }
  const OneBody<double> body = test::free_asymmetric_body<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  const BodyState<long double> end = test::reference_after(test::free_asymmetric_body<long double>(), 5);
  const BodyState<long double> middle = test::reference_after(test::free_asymmetric_body<long double>(), 2.34L);
  const auto off = [](const BodyState<double>& a, const BodyState<long double>& b) {
    const EulerParameters<double> e{double(b.e_NB.e0), {double(b.e_NB.ev.x), double(b.e_NB.ev.y), double(b.e_NB.ev.z)}};
    return test::difference(a, BodyState<double>{0, {}, {}, e, {double(b.w_B.x), double(b.w_B.y), double(b.w_B.z)}});
  };
  for (const std::string name : {"cvode-adams", "cvode-bdf"}) {
    CAPTURE(name);
    double error_before = 1;
    for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
      CAPTURE(tolerance);
      const auto stepper = integrator<double>(name).bind(system);
      std::vector<double> y = test::start_of(system);
      RunOptions<double> options = by_tolerance(tolerance);
      options.output_times = {2.34};
      double inside = 1;
      Observer<double> observer;
      observer.output = [&](const double& t, std::span<const double> at) {
        inside = off(system.body_state(t, at), middle);
        return true;
      };
      REQUIRE(integrate<double>(system, *stepper, options, 0, 5, y, observer).status == RunStatus::done);
      const double error = off(system.body_state(5, y), end);
      // some hundred steps, each within the tolerance; errors of BDF have one sign and add up
      const double bound = 400 * tolerance;
      CHECK(error < bound);
      CHECK(inside < bound);
      CHECK(error < 0.1 * error_before);  // a thousandth of the tolerance buys at least this
      error_before = error;
      // and back
      options.output_times.clear();
      REQUIRE(integrate<double>(system, *stepper, options, 5, 0, y).status == RunStatus::done);
      CHECK(test::difference(system.body_state(0, y), test::start_state<double>()) < 3 * bound);
    }
  }
}

TEST_CASE("CVODE: backward differences do not feel a stiff system, Adams does") {
  if (!kHere) { return; }
  const Stiff system(1e6);
  const auto steps = [&](const char* name) {
    const auto stepper = integrator<double>(name).bind(system);
    std::vector<double> y{1};
    const RunResult<double> result = integrate<double>(system, *stepper, by_tolerance(1e-6), 0, 1, y);
    CHECK(result.status == RunStatus::done);
    CHECK(std::fabs(y[0] - std::cos(1.0)) < 1e-5);
    return result.statistics.steps;
  };
  CHECK(steps("cvode-bdf") < 200);
  CHECK(steps("cvode-adams") > 10'000);  // the wrong twin: steps of 1/k
}

TEST_CASE("CVODE: events are found to the accuracy of the run, largest steps are respected") {
  if (!kHere) { return; }
  const Stiff system(1);
  const auto stepper = integrator<double>("cvode-adams").bind(system);
  RunOptions<double> options = by_tolerance(1e-12);
  options.largest_step = 0.01;
  options.events.push_back({"zero", [](const double&, std::span<const double> y) { return y[0]; }, 0, true});
  std::vector<double> y{1};
  const RunResult<double> result = integrate<double>(system, *stepper, options, 0, 3, y);
  CHECK(result.status == RunStatus::stopped_by_event);
  CHECK(std::fabs(result.t - std::acos(0.0)) < 1e-10);
  CHECK(result.statistics.steps >= 157);
}

TEST_CASE("CVODE: a right-hand side without an answer is a status at its time, never a hang") {
  if (!kHere) { return; }
  const test::Cliff cliff;
  for (const char* name : {"cvode-adams", "cvode-bdf"}) {
    CAPTURE(name);
    const auto stepper = integrator<double>(name).bind(cliff);
    std::vector<double> y{3, 0};
    const RunResult<double> result = integrate<double>(cliff, *stepper, by_tolerance(1e-8), 0, 2, y);
    CHECK(result.status != RunStatus::done);
    CHECK(result.t <= 1);
    CHECK(result.t > 0.5);
    CHECK(y[1] <= 1 + 1e-8);
  }
}

TEST_CASE("CVODE: its short first step is no obstacle to a long run") {
  if (!kHere) { return; }
  const Stiff system(1);
  for (const char* name : {"cvode-adams", "cvode-bdf"}) {
    for (const double end : {1e4, 1e8}) {
      const auto stepper = integrator<double>(name).bind(system);
      RunOptions<double> options = by_tolerance(1e-10);
      options.most_steps = 1000;
      std::vector<double> y{1};
      CHECK(integrate<double>(system, *stepper, options, 0, end, y).status == RunStatus::too_many_steps);
    }
  }
}

TEST_CASE("CVODE: a fixed step that takes more than a hundred thousand of its own ends the run in words") {
  if (!kHere) { return; }
  // 10^6 rad/s for 1 s: some 10^8 internal steps, among which nothing could interrupt
  const OneBody<double> body = test::free_asymmetric_body<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  for (const std::string name : {"cvode-adams", "cvode-bdf"}) {
    CAPTURE(name);
    const auto stepper = integrator<double>(name).bind(system);
    BodyState<double> state = test::start_state<double>();
    state.w_B = {1e6, 1e6, 1};
    std::vector<double> y(system.size());
    system.set_state(state, y);
    RunOptions<double> options;
    options.step = 1;
    const RunResult<double> result = integrate<double>(system, *stepper, options, 0, 10, y);
    CHECK(result.status == RunStatus::no_convergence);
    CHECK(result.t == 0);
    CHECK(result.message.find("the step takes more than 100000 of the method's own; a step shorter than 1 may help") !=
          std::string::npos);
    CHECK(result.statistics.evaluations < 2'000'000);
  }
}

TEST_CASE("CVODE: dry friction of a turning body is told as chatter, also where steps stay on one side of the switch") {
  if (!kHere) { return; }
  /// e0' = −½ e3 w, e3' = ½ e0 w, w' = −0.2 sign(w).
  class Disc final : public System<double> {
   public:
    std::size_t size() const override { return 3; }
    std::string entry_name(std::size_t i) const override { return i == 2 ? "w" : "e"; }
    void rhs(const double&, std::span<const double> y, std::span<double> ydot) const override {
      ydot[0] = -0.5 * y[1] * y[2];
      ydot[1] = 0.5 * y[0] * y[2];
      ydot[2] = y[2] > 0 ? -0.2 : y[2] < 0 ? 0.2 : 0;
    }
  };
  const Disc disc;
  for (const std::string name : {"cvode-adams", "cvode-bdf"}) {
    CAPTURE(name);
    for (const double tolerance : {1e-5, 1e-7, 1e-10, 1e-12}) {
      CAPTURE(tolerance);
      const auto stepper = integrator<double>(name).bind(disc);
      std::vector<double> y{1, 0, 1};
      const RunResult<double> result = integrate<double>(disc, *stepper, by_tolerance(tolerance), 0, 10, y);
      CAPTURE(result.message);
      CHECK(result.status == RunStatus::step_too_small);
      CHECK(result.message.find("w chatters: its rate jumps between -0.2 and 0.2") != std::string::npos);
      CHECK(result.message.find("cvode-bdf") == std::string::npos);  // it is no cure
      CHECK(result.statistics.steps < 10'000);
    }
    const auto stepper = integrator<double>(name).bind(disc);
    std::vector<double> y{1, 0, 1};
    RunOptions<double> options;
    options.step = 0.01;
    const RunResult<double> fixed = integrate<double>(disc, *stepper, options, 0, 10, y);
    CAPTURE(fixed.message);
    CHECK(fixed.status == RunStatus::no_convergence);
    CHECK(fixed.message.find("w chatters") != std::string::npos);
  }
}
