// The update schemes of game engines as integrators: the same steps as by hand, with torque, force and translation.
#include "polhode/formulation/body_system.h"
#include "polhode/formulation/schemes.h"
#include "polhode/integrator/driver.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace polhode;

namespace {

/// Free to move, a full inertia matrix, pushed off its mass centre, and a moment that looks at time and rate.
OneBody<double> driven_body() {
  OneBody<double> body;
  body.J_B = {{{2.0, 0.1, -0.2}, {0.1, 2.5, 0.3}, {-0.2, 0.3, 3.0}}};
  body.mass = 1.7;
  body.load.add_force_space({0.3, -0.2, -0.9}, {0.1, 0.2, 0.4});
  body.load.add_force_body({0.5, 0.1, 0.3}, {-0.3, 0.2, 0.1});
  body.load.add_moment([](const BodyState<double>& s) { return Vec3<double>{0.2 * s.t, -0.1, 0.3} - 0.05 * s.w_B; });
  return body;
}

BodyState<double> start() {
  BodyState<double> state;
  state.e_NB = {0.5, {0.5, -0.1, 0.7}};
  state.w_B = {0.3, 1, -0.4};
  state.r_N = {1, -2, 3};
  state.v_N = {0.1, 0.2, -0.3};
  return state;
}

std::string name_of(const Scheme& scheme, SchemeIndex index) {
  return std::string(scheme.name) + (index == SchemeIndex::implicit ? "-implicit" : "");
}

/// Calls visit(scheme, index) for each of the seven.
template <class Visit>
void for_each_scheme(const Visit& visit) {
  for (const Scheme& scheme : kSchemes) {
    for (const SchemeIndex index : {SchemeIndex::lagged, SchemeIndex::implicit}) {
      if (index == SchemeIndex::implicit && !has_implicit_index(scheme)) { continue; }
      const std::string name = name_of(scheme, index);
      CAPTURE(name);
      visit(scheme, index, name);
    }
  }
}

/// The table of the source by hand: loads at the start of a step, SCH-1 or SCH-2, then SCH-3.
BodyState<double> by_hand(const Scheme& scheme, SchemeIndex index, const OneBody<double>& body, double dt, int steps,
                          double& energy) {
  const BodyState<double> first = start();
  const Mat3<double> J_inverse = inverse(body.J_B);
  const Vec3<double> h_B = body.J_B * first.w_B;
  SchemeState<double> s{first.e_NB, scheme.world ? rotate(first.e_NB, h_B) : h_B, first.r_N, *body.mass * first.v_N};
  BodyState<double> state = first;
  for (int n = 0; n < steps; ++n) {
    state.t = n * dt;
    const LoadNow<double> load(body.load, state);
    REQUIRE(scheme_step(scheme, index, J_inverse, rotate(s.e_NB, load.torque_B()), dt, s));
    scheme_translate(*body.mass, load.force_N(), dt, s);
    state.e_NB = s.e_NB;
    state.w_B = J_inverse * scheme_momentum_B(scheme, s);
    state.r_N = s.r_N;
    state.v_N = s.p_N / *body.mass;
  }
  energy = scheme_energy(scheme, *body.mass, J_inverse, s);
  return state;
}

double apart(const BodyState<double>& a, const BodyState<double>& b) {
  return norm(a.e_NB - b.e_NB) + norm(a.w_B - b.w_B) + norm(a.r_N - b.r_N) + norm(a.v_N - b.v_N);
}

}  // namespace

TEST_CASE(
    "integrators by the names of the schemes make the table's steps, in three forms, with force and translation") {
  const OneBody<double> body = driven_body();
  constexpr double kStep = 0.01;
  constexpr int kSteps = 200;
  for_each_scheme([&](const Scheme& scheme, SchemeIndex index, const std::string& name) {
    double energy = 0;
    const BodyState<double> expected = by_hand(scheme, index, body, kStep, kSteps, energy);
    for (const char* form : {"euler-body", "momentum-body", "momentum-space"}) {
      CAPTURE(form);
      const BodySystem<double> system(formulation<double>(form), body);
      std::vector<double> y(system.size());
      system.set_state(start(), y);
      const auto stepper = integrator<double>(name).bind(system);
      RunOptions<double> options;
      options.step = kStep;
      const RunResult<double> result = integrate<double>(system, *stepper, options, 0, kStep * kSteps, y);
      CHECK(result.status == RunStatus::done);
      CHECK(result.statistics.steps == kSteps);
      const BodyState<double> state = system.body_state(kStep * kSteps, y);
      // 200 steps, some ten roundings each of numbers up to 4
      CHECK(apart(state, expected) < 2e-12);
      // the energy of the table, its linear part included; the wrong twin leaves that out
      const double turning = 0.5 * dot(state.w_B, body.J_B * state.w_B);
      const double linear = 0.5 * *body.mass * norm_squared(state.v_N);
      CHECK(std::fabs(turning + linear - energy) < 1e-11);
      CHECK(std::fabs(turning - energy) > 0.1);
    }
  });
}

TEST_CASE("every scheme is another step: none passes for one of the others") {
  const OneBody<double> body = driven_body();
  std::vector<BodyState<double>> ends;
  for_each_scheme([&](const Scheme& scheme, SchemeIndex index, const std::string&) {
    double energy = 0;
    ends.push_back(by_hand(scheme, index, body, 0.01, 200, energy));
  });
  REQUIRE(ends.size() == 7);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) { CHECK(apart(ends[i], ends[j]) > 1e-4); }
  }
}

TEST_CASE("world keeps L of a free body to the last bit in the form momentum-space, body does not") {
  OneBody<double> body;
  body.J_B = diagonal(1.0, 2.0, 2.7);
  const BodySystem<double> system(formulation<double>("momentum-space"), body);
  const auto momentum_after = [&](const char* name) {
    std::vector<double> y(system.size());
    system.set_state(start(), y);
    const auto stepper = integrator<double>(name).bind(system);
    for (int n = 0; n < 1000; ++n) { REQUIRE(stepper->step(0.01 * n, 0.01, y) == StepStatus::ok); }
    return Vec3<double>{y[4], y[5], y[6]};
  };
  std::vector<double> y(system.size());
  system.set_state(start(), y);
  const Vec3<double> before{y[4], y[5], y[6]};
  CHECK(momentum_after("world") == before);
  CHECK(momentum_after("world-implicit") == before);
  CHECK(norm(momentum_after("body") - before) > 1e-3);
  CHECK(norm(momentum_after("body-no-gyro") - before) > 0.1);
}

TEST_CASE("inside a step a scheme is the shorter step of itself, not the equations of motion") {
  const OneBody<double> body = driven_body();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  for_each_scheme([&](const Scheme&, SchemeIndex, const std::string& name) {
    std::vector<double> y(system.size());
    system.set_state(start(), y);
    std::vector<double> half = y;
    std::vector<double> inside(y.size());
    const auto whole = integrator<double>(name).bind(system);
    REQUIRE(whole->step(0.3, 0.1, y) == StepStatus::ok);
    REQUIRE(whole->interpolate(0.5, inside));
    REQUIRE(integrator<double>(name).bind(system)->step(0.3, 0.05, half) == StepStatus::ok);
    CHECK(inside == half);
    REQUIRE(whole->interpolate(1.0, inside));
    CHECK(inside == y);
  });
}

TEST_CASE("schemes that leave the gyroscopic term out say so, and no other method does") {
  for (const auto& method : integrators<double>()) {
    const MethodDescription& description = method->description();
    CAPTURE(description.name);
    const bool without = description.name.find("no-gyro") != std::string::npos;
    CHECK(description.leaves_out == (without ? "the gyroscopic term" : ""));
  }
}

TEST_CASE("a step whose iteration does not settle, or whose load is not finite, is told and changes nothing") {
  OneBody<double> body;
  body.J_B = diagonal(1.0, 2.0, 2.5);
  const BodySystem<double> free(formulation<double>("euler-body"), body);
  std::vector<double> y(free.size());
  BodyState<double> fast = start();
  fast.w_B = {500, 1000, -700};
  free.set_state(fast, y);
  const std::vector<double> before = y;
  const auto stepper = integrator<double>("body-implicit").bind(free);
  CHECK(stepper->step(0, 1, y) == StepStatus::no_convergence);
  CHECK(stepper->trouble().find("turns too far in a step") != std::string::npos);
  CHECK(y == before);

  body.load.add_moment([](const BodyState<double>&) { return Vec3<double>{0, std::nan(""), 0}; });
  const BodySystem<double> broken(formulation<double>("euler-body"), body);
  broken.set_state(start(), y);
  const std::vector<double> untouched = y;
  for_each_scheme([&](const Scheme&, SchemeIndex, const std::string& name) {
    const auto one = integrator<double>(name).bind(broken);
    CHECK(one->step(0, 0.01, y) == StepStatus::not_finite);
    CHECK(one->bad_index() < y.size());
    CHECK(y == untouched);
  });
}

TEST_CASE("what stands in the way of an update scheme is told") {
  const auto refusal = [](const OneBody<double>& body, const char* form) -> std::string {
    const BodySystem<double> system(formulation<double>(form), body);
    try {
      integrator<double>("world").bind(system);
    } catch (const std::exception& error) { return error.what(); }
    return "";
  };
  OneBody<double> body = driven_body();
  CHECK(refusal(body, "euler-body").empty());
  CHECK(refusal(body, "f5").find("only euler-body, momentum-body and momentum-space do") != std::string::npos);
  const Mat3<double> J_B = body.J_B;
  body.inertia_law = [J_B](const double& t) { return inertia_now((1 + 0.1 * t) * J_B, 0.1 * J_B); };
  CHECK(refusal(body, "euler-body").find("the inertia changes with time") != std::string::npos);
}
