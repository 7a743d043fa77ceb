// Published motions of one body through every form and every method; each file in tests/cases names its source.
#include "motion/bodies.h"
#include "polhode/formulation/body_system.h"
#include "polhode/integrator/driver.h"
#include "polhode/math/degree.h"
#include "polhode/motion/free_motion.h"
#include "polhode/rotation.h"
#include "support/cases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace polhode;
using math::kDegree;

namespace {

/// Rows t, e0 … e3, ωx ωy ωz or t, ωx ωy ωz, from the attitude 1 0 0 0 at t = 0.
struct Published {
  std::string file;
  OneBody<double> body;
  Vec3<double> w_B;
  double rate_unit;  ///< of the rows
  double attitude_tolerance;
  double rate_tolerance;
  double step;  ///< at which methods of order 4 and more reach their tolerance
  double last;  ///< rows later than this take too many such steps
};

OneBody<double> body_of(double J1, double J2, double J3) {
  OneBody<double> body;
  body.J_B = diagonal(J1, J2, J3);
  body.least_chart_distance = 0.3;
  return body;
}
OneBody<double> falling_cylinder() {
  OneBody<double> body = body_of(0.04, 0.04, 0.02);
  body.mass = 1.7;
  body.load.add_gravity(1.7, {0, 0, -9.81}, {0, 0, 0});
  return body;
}
OneBody<double> heavy_top() {
  OneBody<double> body = body_of(15.234375, 0.46875, 15.234375);
  body.load.add_gravity(15, {0, 0, -9.81}, {0, 1, 0});
  return body;
}

/// Tolerances: about three times the worst form, which is near what an integration to 1e-14 a step can give.
std::vector<Published> published() {
  return {
      {"free_cylinder.csv", falling_cylinder(), {2, 4, 6}, 1, 2e-11, 5e-11, 0.001, 2},
      // flips near the unstable axis, where errors grow
      {"free_asymmetric.csv", body_of(10, 20, 26), {1, 15, 1}, 1, 3e-10, 1e-8, 0.0005, 3},
      {"tumbling_brick.csv", body_of(0.00189422, 0.006211019, 0.007194665), Vec3<double>{10, 20, 30} * kDegree, kDegree,
       0, 1e-9, 0.01, 30},
      {"heavy_top.csv", heavy_top(), {0, 150, -4.61538}, 1, 5e-10, 4e-9, 0.00002, 0.1},
  };
}

struct Errors {
  double attitude = 0;
  double rate = 0;
  double position = 0;  ///< of a falling body
};

Errors errors_of(const Published& p, const BodySystem<double>& system, const Integrator<double>& method,
                 RunOptions<double> options, double last) {
  BodyState<double> start;
  start.e_NB = EulerParameters<double>::identity();
  start.w_B = p.w_B;
  start.r_N = {1, 2, 3};
  start.v_N = {-4.2, 5.5, 6.1};
  std::vector<double> y(system.size());
  system.set_state(start, y);
  std::vector<std::vector<double>> rows;
  for (const std::vector<double>& row : test::rows_of(p.file)) {
    if (row[0] > last) { continue; }
    rows.push_back(row);
    options.output_times.push_back(row[0]);
  }
  REQUIRE(!rows.empty());
  Errors errors;
  std::size_t n = 0;
  Observer<double> observer;
  observer.output = [&](const double& t, std::span<const double> at) {
    const std::vector<double>& row = rows[n++];
    const BodyState<double> state = system.body_state(t, at);
    if (row.size() == 8) {
      const EulerParameters<double> e{row[1], {row[2], row[3], row[4]}};
      errors.attitude = std::max(errors.attitude, norm(nearest_sign(e, state.e_NB) - state.e_NB));
    }
    const std::size_t first = row.size() - 3;
    const Vec3<double> w_B{row[first], row[first + 1], row[first + 2]};
    errors.rate = std::max(errors.rate, norm(state.w_B / p.rate_unit - w_B));
    if (system.body().mass) {
      const Vec3<double> r_N = start.r_N + t * start.v_N + Vec3<double>{0, 0, -0.5 * 9.81 * t * t};
      errors.position = std::max(errors.position, norm(state.r_N - r_N));
    }
    return true;
  };
  const auto stepper = method.bind(system);
  const RunResult<double> result =
      integrate<double>(system, *stepper, options, 0, options.output_times.back(), y, observer);
  CAPTURE(result.message);
  CHECK(result.status == RunStatus::done);
  CHECK(n == rows.size());
  return errors;
}

RunOptions<double> tight() {
  RunOptions<double> options;
  options.relative_tolerance = 1e-14;
  options.absolute_tolerance = 1e-14;
  return options;
}
RunOptions<double> steps_of(double step) {
  RunOptions<double> options;
  options.step = step;
  return options;
}

std::string form_for(const MethodDescription& method) {
  return !method.needs.empty() && method.needs.front() == "constrained Hamiltonian" ? "canonical" : "euler-body";
}

}  // namespace

TEST_CASE("every form: published motions of one body") {
  for (const Published& p : published()) {
    for (const auto& form : formulations<double>()) {
      const std::string& name = form->description().name;
      CAPTURE(p.file);
      CAPTURE(name);
      const bool is_typical =
          name.find(':') == std::string::npos || name.ends_with(":3-2-1") || name.ends_with(":reduced");
      if (!is_typical && !test::long_run()) { continue; }
      // 3-1-3 and its like are singular at the start
      BodyState<double> start;
      start.e_NB = EulerParameters<double>::identity();
      const BodySystem<double> system(*form, p.body);
      std::vector<double> y(form->size());
      form->to_state(system.inertia_at(0), start.e_NB, {0, 0, 0}, y);
      if (!(form->chart_condition(y) < 10)) { continue; }
      const Errors errors = errors_of(p, system, integrator<double>("dop853"), tight(), 1e9);
      CHECK(errors.attitude <= p.attitude_tolerance);
      CHECK(errors.rate < p.rate_tolerance);
      CHECK(errors.position < 1e-10);
    }
  }
}

TEST_CASE("every method: published motions of one body, to their digits or with its order") {
  for (Published& p : published()) {
    p.body.mass.reset();  // not every method knows translation
    for (const auto& method : integrators<double>()) {
      const MethodDescription& description = method->description();
      if (description.holds_constraints) { continue; }    // one body has none
      if (!description.leaves_out.empty()) { continue; }  // they converge to another motion
      CAPTURE(p.file);
      CAPTURE(description.name);
      const BodySystem<double> system(formulation<double>(form_for(description)), p.body);
      if (!description.portable) {
        // CVODE: low orders take for ever at tolerances near rounding
        if (description.name == "cvode-bdf") { continue; }
        RunOptions<double> options;
        options.relative_tolerance = 1e-9;
        options.absolute_tolerance = 1e-9;
        CHECK(errors_of(p, system, *method, options, p.last).rate < 1e-6);
      } else if (description.adaptive) {
        const Errors errors = errors_of(p, system, *method, tight(), 1e9);
        CHECK(errors.attitude <= p.attitude_tolerance);
        CHECK(errors.rate < p.rate_tolerance);
      } else if (description.order >= 4) {
        const Errors errors = errors_of(p, system, *method, steps_of(p.step), p.last);
        CHECK(errors.attitude <= p.attitude_tolerance);
        CHECK(errors.rate < p.rate_tolerance);
      } else {
        // half the step: the distance from the published numbers shrinks by 2^order
        const double step = description.order == 1 ? p.step / 512 : 2 * p.step;
        const double coarse = errors_of(p, system, *method, steps_of(2 * step), p.last).rate;
        const double fine = errors_of(p, system, *method, steps_of(step), p.last).rate;
        // where nothing turns the body the exact free flow has no error to shrink
        const bool exact = description.name == "free-kick2" && coarse < p.rate_tolerance;
        CAPTURE(coarse);
        CAPTURE(fine);
        CHECK((exact || std::fabs(std::log2(coarse / fine) - description.order) < 0.15));
      }
    }
  }
}

TEST_CASE("the wrong body does not pass for the published one") {
  Published p = published()[1];
  p.body.J_B = diagonal(10.0, 20.0, 26.0 * (1 + 1e-7));
  const BodySystem<double> system(formulation<double>("euler-body"), p.body);
  const Errors errors = errors_of(p, system, integrator<double>("dop853"), tight(), 1e9);
  CHECK(errors.attitude > p.attitude_tolerance);
  CHECK(errors.rate > p.rate_tolerance);
}

TEST_CASE("the fast heavy top of Bruls and Cardona: methods on a group reach the recorded rates") {
  const OneBody<double> body = heavy_top();
  const auto space_rate_y = [&](const std::string& form, const std::string& method, double step, double t_end) {
    const BodySystem<double> system(formulation<double>(form), body);
    BodyState<double> start;
    start.e_NB = EulerParameters<double>::identity();
    start.w_B = {0, 150, -4.61538};
    std::vector<double> y(system.size());
    system.set_state(start, y);
    const auto stepper = integrator<double>(method).bind(system);
    CHECK(integrate<double>(system, *stepper, steps_of(step), 0, t_end, y).status == RunStatus::done);
    const BodyState<double> state = system.body_state(t_end, y);
    return rotate(state.e_NB, state.w_B).y;
  };
  const double at_0_01 = 149.8473939540758;  // recorded as converged to 14 digits
  const double at_2 = -106.16380414309;      // two recorded values differ by 2.5e-11
  for (const std::string form : {"euler-body", "momentum-body", "momentum-space"}) {
    for (const std::string method : {"rkmk4", "cf4"}) {
      CAPTURE(form);
      CAPTURE(method);
      const double early = std::fabs(space_rate_y(form, method, 0x1p-17, 0.01) - at_0_01);
      const double coarse = std::fabs(space_rate_y(form, method, 0x1p-12, 2) - at_2);
      const double fine = std::fabs(space_rate_y(form, method, 0x1p-13, 2) - at_2);
      CHECK(early < 1e-9);
      CHECK(std::fabs(std::log2(coarse / fine) - 4) < 0.2);
    }
  }
  for (const std::string method : {"lie-midpoint", "generalised-alpha"}) {
    CAPTURE(method);
    const double coarse = std::fabs(space_rate_y("euler-body", method, 0x1p-13, 2) - at_2);
    const double fine = std::fabs(space_rate_y("euler-body", method, 0x1p-14, 2) - at_2);
    CHECK(std::fabs(std::log2(coarse / fine) - 2) < 0.2);
  }
}

TEST_CASE("NASA's spinning sphere over a round Earth: angles from local north-east-down") {
  const EulerAngles yaw_pitch_roll{EulerSequence::parse("3-2-1")};
  const Vec3<double> w_B = Vec3<double>{10, 20, 30} * kDegree;
  constexpr double kEarthRate = 7.292115e-5;
  // the same motion as a constant turn, in closed form for any body, and by a form in angles and a method
  const FreeMotion<double> closed(Vec3<double>{3.6, 3.6, 3.6}, EulerParameters<double>::identity(), w_B);
  const auto by_constant_turn = [&](double t) { return exp(t * w_B); };
  const auto by_closed_form = [&](double t) { return closed.at(t).e_NB; };
  const OneBody<double> ball = body_of(3.6, 3.6, 3.6);
  const auto by_method = [&](const char* form, const char* method) {
    return [&ball, w_B, form, method](double t) {
      const BodySystem<double> system(formulation<double>(form), ball);
      BodyState<double> state;
      state.e_NB = EulerParameters<double>::identity();
      state.w_B = w_B;
      std::vector<double> y(system.size());
      system.set_state(state, y);
      const auto stepper = integrator<double>(method).bind(system);
      CHECK(integrate<double>(system, *stepper, tight(), 0, t, y).status == RunStatus::done);
      return system.body_state(t, y).e_NB;
    };
  };
  const auto worst = [&](const auto& attitude, double earth_rate_of_case_5) {
    double most = 0;
    for (const std::vector<double>& row : test::rows_of("spinning_sphere.csv")) {
      const double t = row[1];
      // on the equator local north stays, and the local frame L turns about it
      const double turn = row[0] == 5 ? earth_rate_of_case_5 * t + row[2] * kDegree : 0;
      const EulerParameters<double> e_NL = exp(Vec3<double>{turn, 0, 0});
      const EulerParameters<double> e_NB = attitude(t);
      const Vec3<double> angles = yaw_pitch_roll.from_euler_parameters(conjugate(e_NL) * e_NB) / kDegree;
      most = std::max(most, norm(angles - Vec3<double>{row[3], row[4], row[5]}));
    }
    return most;
  };
  const double tolerance = 1e-8;  // degree; 12 digits are printed
  CHECK(worst(by_constant_turn, kEarthRate) < tolerance);
  CHECK(worst(by_closed_form, kEarthRate) < tolerance);
  CHECK(worst(by_method("euler-body", "taylor"), kEarthRate) < tolerance);
  CHECK(worst(by_method("s1:3-2-1", "dop853"), kEarthRate) < tolerance);
  CHECK(worst(by_method("a3:reduced", "dop853"), kEarthRate) < tolerance);
  CHECK(worst(by_constant_turn, 0) > 0.05);  // the Earth turns by 0.125 degree in 30 s
}
