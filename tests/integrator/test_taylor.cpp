// The Taylor method's own business: its steps, its tolerance entry by entry, its sum.
#include "integrator/free_body.h"

#include <doctest/doctest.h>

#include <array>
#include <limits>

using namespace polhode;

namespace {

constexpr double kTolerance = 1e-9;

/// Largest error estimate of the last step against what each entry is allowed.
double largest_share(const Stepper<double>& stepper, std::span<const double> y) {
  double worst = 0;
  const std::span<const double> error = stepper.error_estimate();
  for (std::size_t i = 0; i < y.size(); ++i) {
    worst = std::max(worst, std::fabs(error[i]) / (kTolerance + kTolerance * std::fabs(y[i])));
  }
  return worst;
}

BodyState<double> fast_spin(double rate) {
  BodyState<double> state = test::start_state<double>();
  state.w_B = {0.3 * rate, rate, -0.4 * rate};
  return state;
}

}  // namespace

TEST_CASE("a Taylor step of the proposed length keeps the tolerance in every entry, and one twice as long does not") {
  const OneBody<double> body = test::free_asymmetric_body<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  for (const double rate : {1e-3, 1.0, 1e4}) {
    CAPTURE(rate);
    const auto stepper = integrator<double>("taylor").bind(system);
    stepper->set_tolerance(kTolerance, kTolerance);
    std::vector<double> start(system.size());
    system.set_state(fast_spin(rate), start);
    for (const int direction : {1, -1}) {
      std::vector<double> y = start;
      const double length = stepper->propose(0, y, direction);
      CHECK(length * direction > 0);
      REQUIRE(stepper->step(0, length, y) == StepStatus::ok);
      CHECK(stepper->keeps_tolerance());
      CHECK(largest_share(*stepper, start) < 1.01);  // lengths are good to 2e-4, to the power of the order
      y = start;
      stepper->restart();
      REQUIRE(stepper->step(0, length, y) == StepStatus::ok);
      CHECK(!stepper->keeps_tolerance());  // the length was not asked for: it is not known
      y = start;
      CHECK(stepper->propose(0, y, direction) == length);
      REQUIRE(stepper->step(0, 2 * length, y) == StepStatus::ok);
      CHECK(!stepper->keeps_tolerance());
      CHECK(largest_share(*stepper, start) > 100);
    }
  }
}

TEST_CASE("Taylor steps keep the attitude to its tolerance however fast the body turns") {
  const double rate = 1e4;  // an error of 1e-9 of the rate would be 1e-5 in the attitude
  const double t_end = 20 / rate;
  OneBody<long double> precise_body = test::free_asymmetric_body<long double>();
  const BodySystem<long double> precise(formulation<long double>("euler-body"), precise_body);
  const BodyState<double> start = fast_spin(rate);
  std::vector<long double> reference;
  for (const double entry :
       {start.e_NB.e0, start.e_NB.ev.x, start.e_NB.ev.y, start.e_NB.ev.z, start.w_B.x, start.w_B.y, start.w_B.z}) {
    reference.push_back(static_cast<long double>(entry));
  }
  RunOptions<long double> fixed;
  const auto t_end_precise = static_cast<long double>(t_end);
  fixed.step = t_end_precise / 400;
  const auto precise_stepper = integrator<long double>("taylor").bind(precise);
  REQUIRE(integrate<long double>(precise, *precise_stepper, fixed, 0, t_end_precise, reference).status ==
          RunStatus::done);

  const OneBody<double> body = test::free_asymmetric_body<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  std::vector<double> y(system.size());
  system.set_state(start, y);
  RunOptions<double> options;
  options.relative_tolerance = kTolerance;
  options.absolute_tolerance = kTolerance;
  const auto stepper = integrator<double>("taylor").bind(system);
  const RunResult<double> result = integrate<double>(system, *stepper, options, 0, t_end, y);
  REQUIRE(result.status == RunStatus::done);
  // each step errs by the tolerance at most; relative errors of the rate turn the body through 20 rad wrongly
  const double bound = static_cast<double>(result.statistics.steps) * 2 * kTolerance * 20;
  for (std::size_t i = 0; i < 4; ++i) { CHECK(std::fabs(y[i] - static_cast<double>(reference[i])) < bound); }
  CHECK(bound < 5e-6);
}

TEST_CASE("Taylor steps survive what no tolerance is meant for: rest, zero entries without absolute tolerance") {
  const OneBody<double> body = test::free_asymmetric_body<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  const auto stepper = integrator<double>("taylor").bind(system);
  RunOptions<double> options;
  options.relative_tolerance = 1e-10;  // and no absolute one
  std::vector<double> y{1, 0, 0, 0, 0, 0, 2};
  CHECK(integrate<double>(system, *stepper, options, 0, 3, y).status == RunStatus::done);
  CHECK(std::fabs(y[0] - std::cos(3.0)) < 1e-8);  // 1e-10 a step, and some
  CHECK(y[1] == 0);
  y = {1, 0, 0, 0, 0, 0, 0};
  const RunResult<double> at_rest = integrate<double>(system, *stepper, options, 0, 3, y);
  CHECK(at_rest.status == RunStatus::done);
  CHECK(at_rest.statistics.steps == 1);
  CHECK(y == std::vector<double>{1, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("a Taylor sum is the series, term by term, for sizes known beforehand and for others") {
  for (const bool translates : {false, true}) {
    OneBody<double> body = test::heavy_top<double>();
    if (translates) { body.mass = 2; }
    const BodySystem<double> system(formulation<double>("euler-body"), body);
    const std::size_t n = system.size();
    const std::vector<double> start = test::start_of(system);
    const auto stepper = integrator<double>("taylor").bind(system);
    std::vector<double> y = start;
    const double h = 0.2;
    REQUIRE(stepper->step(0, h, y) == StepStatus::ok);
    // far more terms than the method takes, from the smallest up
    const std::size_t order = 40;
    std::vector<double> rows((order + 1) * (n + system.taylor_series()->auxiliary_size()));
    system.taylor_series()->coefficients(0, start, order, rows);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t k = order + 1; k-- > 0;) { sum = sum * h + rows[k * n + i]; }
      CHECK(std::fabs(y[i] - sum) < 1e-14);  // rounding of numbers up to 3
    }
  }
}
