// What each method promises beyond its order: reversal, invariants, no allocation, repeatability, honest failure.
#include "integrator/cliff.h"
#include "integrator/free_body.h"
#include "polhode/core/error.h"
#include "polhode/force/gravity_gradient_torque.h"
#include "polhode/integrator/generalised_alpha.h"
#include "polhode/integrator/rk4_step.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

using namespace polhode;

namespace {
std::atomic<std::size_t> allocations{0};  // threads of other tests allocate, too
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) { std::abort(); }
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

double kinetic_energy(const OneBody<double>& body, const BodyState<double>& s) {
  return 0.5 * dot(s.w_B, body.J_B * s.w_B);
}
Vec3<double> momentum_N(const OneBody<double>& body, const BodyState<double>& s) {
  return rotate(s.e_NB, body.J_B * s.w_B);
}
double top_energy(const OneBody<double>& body, const BodyState<double>& s) {
  const PointForce<double>& weight = body.load.forces_space.front();
  return kinetic_energy(body, s) - dot(weight.f_N, rotate(s.e_NB, weight.u_B));
}

}  // namespace

TEST_CASE("no method allocates in a step, nor in dense output") {
  const OneBody<double> body = test::heavy_top<double>();
  for (const auto& method : integrators<double>()) {
    if (method->description().holds_constraints) { continue; }  // one body has none
    const std::string& name = method->description().name;
    CAPTURE(name);
    const BodySystem<double> system(formulation<double>(test::form_for(name)), body);
    std::vector<double> y = test::start_of(system);
    std::vector<double> inside(y.size());
    const auto stepper = method->bind(system);
    bool good = true;
    const std::size_t before = allocations;
    for (int n = 0; n < 3; ++n) {
      good = stepper->step(0.01 * n, 0.01, y) == StepStatus::ok && good;
      static_cast<void>(stepper->interpolate(0.5, inside));
    }
    const std::size_t after = allocations;
    CHECK(after == before);
    CHECK(good);
  }
}

TEST_CASE("the Taylor method does not allocate in a step under gravity gradients and laws either") {
  for (const bool by_law : {false, true}) {
    OneBody<double> body = test::heavy_top<double>();
    if (by_law) {  // its series is recorded
      body.add_moment_law("damper", [](const auto& s) { return -0.1 * s.w_B; });
    }
    if (!by_law) {
      body.load.add_moment(GravityGradient<double>::circular_orbit(body.J_B, 0.8, {1, 0, 0}, {0, 0, 1}),
                           LawOf::time_and_pose);
    }
    const BodySystem<double> system(formulation<double>("euler-body"), body);
    std::vector<double> y = test::start_of(system);
    const auto stepper = integrator<double>("taylor").bind(system);
    bool good = true;
    const std::size_t before = allocations;
    for (int n = 0; n < 3; ++n) { good = stepper->step(0.01 * n, 0.01, y) == StepStatus::ok && good; }
    const std::size_t after = allocations;
    CHECK(after == before);
    CHECK(good);
  }
}

TEST_CASE("symmetric methods: a step forward and one backward cancel to rounding") {
  const OneBody<double> body = test::heavy_top<double>();
  for (const auto& method : integrators<double>()) {
    if (method->description().holds_constraints) { continue; }  // one body has none
    const std::string& name = method->description().name;
    CAPTURE(name);
    const BodySystem<double> system(formulation<double>(test::form_for(name)), body);
    const std::vector<double> start = test::start_of(system);
    std::vector<double> y = start;
    const auto stepper = method->bind(system);
    REQUIRE(stepper->step(0, 0.1, y) == StepStatus::ok);
    stepper->restart();
    REQUIRE(stepper->step(0.1, -0.1, y) == StepStatus::ok);
    double most = 0;
    for (std::size_t i = 0; i < y.size(); ++i) { most = std::max(most, std::fabs(y[i] - start[i])); }
    if (method->description().symmetric) {
      CHECK(most < 4e-15);  // rounding errors of numbers up to 1, two a flow for the 120 flows of splitting6
    } else if (method->description().order > 0 && method->description().order < 5) {
      CHECK(most > 1e-9);  // the wrong twin: these do not come back
    }
  }
}

TEST_CASE("symplectic and variational methods: the energy error of a top stays where it was") {
  const OneBody<double> body = test::heavy_top<double>();
  for (const auto& method : integrators<double>()) {
    const MethodDescription& description = method->description();
    if (!description.symplectic) { continue; }
    CAPTURE(description.name);
    const BodySystem<double> system(formulation<double>(test::form_for(description.name)), body);
    std::vector<double> y = test::start_of(system);
    const auto stepper = method->bind(system);
    const double start = top_energy(body, system.body_state(0, y));
    const double dt = 0.02;
    double early = 0;
    double late = 0;
    const int blocks = 20;
    const int steps = 2000;
    for (int block = 0; block < blocks; ++block) {
      double worst = 0;
      for (int n = 0; n < steps; ++n) {
        REQUIRE(stepper->step(0, dt, y) == StepStatus::ok);
        worst = std::max(worst, std::fabs(top_energy(body, system.body_state(0, y)) - start));
      }
      if (block == 0) { early = worst; }
      if (block == blocks - 1) { late = worst; }
    }
    CAPTURE(early);
    // no growth: the bound of a block is reached again, plus rounding that walks at random over 40000 steps
    CHECK(late < 1.5 * early + 2e-13);
    CHECK(early < 2e-3);
  }
}

TEST_CASE("a free body: what is kept to rounding is kept to rounding") {
  const OneBody<double> body = test::free_asymmetric_body<double>();
  const auto drift = [&](const std::string& name, auto quantity) {
    const BodySystem<double> system(formulation<double>(test::form_for(name)), body);
    std::vector<double> y = test::start_of(system);
    const auto stepper = integrator<double>(name).bind(system);
    const auto start = quantity(system.body_state(0, y));
    for (int n = 0; n < 5000; ++n) { REQUIRE(stepper->step(0, 0.05, y) == StepStatus::ok); }
    return norm(quantity(system.body_state(0, y)) - start);
  };
  const auto momentum = [&](const BodyState<double>& s) { return momentum_N(body, s); };
  const auto energy = [&](const BodyState<double>& s) { return Vec3<double>{kinetic_energy(body, s), 0, 0}; };
  const double rounding = 1e-12;  // 5000 steps, a few rounding errors each
  for (const std::string name : {"splitting2", "splitting4", "splitting6", "dmv"}) {
    CAPTURE(name);
    CHECK(drift(name, momentum) < rounding);
  }
  // quadratic invariants of Gauss methods, without drift by compensation
  for (const std::string name : {"gauss2", "gauss4", "gauss6"}) {
    CAPTURE(name);
    CHECK(drift(name, energy) < 2e-14);
  }
  CHECK(drift("lie-midpoint", energy) < rounding);
  CHECK(drift("rk4", momentum) > 1e-8);
  CHECK(drift("rk4", energy) > 1e-8);
}

TEST_CASE("RATTLE keeps the constraint to rounding") {
  const OneBody<double> body = test::heavy_top<double>();
  const BodySystem<double> system(formulation<double>("canonical"), body);
  std::vector<double> y = test::start_of(system);
  const auto stepper = integrator<double>("rattle").bind(system);
  double worst = 0;
  for (int n = 0; n < 2000; ++n) {
    REQUIRE(stepper->step(0, 0.02, y) == StepStatus::ok);
    double square = 0;
    double tangent = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      square += y[i] * y[i];
      tangent += y[i] * y[4 + i];
    }
    worst = std::max({worst, std::fabs(square - 1), std::fabs(tangent)});
  }
  CHECK(worst < 4e-15);
}

TEST_CASE("a NaN in a step is a status, and the state stays as it was") {
  const test::Cliff cliff;
  for (const auto& method : integrators<double>()) {
    if (!method->description().needs.empty()) { continue; }
    CAPTURE(method->description().name);
    const auto stepper = method->bind(cliff);
    std::vector<double> y{3, 2};
    CHECK(stepper->step(0, 0.1, y) == StepStatus::not_finite);
    CHECK(stepper->bad_index() == 1);
    CHECK(y == std::vector<double>{3, 2});
    // and the stepper is none the worse for it
    y = {3, 0};
    CHECK(stepper->step(0, 0.125, y) == StepStatus::ok);
    CHECK(std::fabs(y[1] - 0.125) < 1e-15);
  }
}

TEST_CASE("what was carried over from the last step does not follow a state that was set anew, or a failed step") {
  OneBody<double> body = test::heavy_top<double>();
  const auto cliff_at_1 = [](const BodyState<double>& s) {
    return Vec3<double>{s.t < 1 ? 0.1 : std::numeric_limits<double>::quiet_NaN(), 0, 0};
  };
  body.load.add_moment(cliff_at_1, LawOf::time_and_pose);
  for (const std::string name : {"gauss4", "splitting2", "splitting6", "free-kick2", "free-kick4", "dmv"}) {
    CAPTURE(name);
    const BodySystem<double> system(formulation<double>(test::form_for(name)), body);
    const std::vector<double> a = test::start_of(system);
    const auto stepped = [&](Stepper<double>& with, std::vector<double> y) {
      REQUIRE(with.step(0.1, 0.05, y) == StepStatus::ok);
      return y;
    };
    const auto alone = [&](const std::vector<double>& y) { return stepped(*integrator<double>(name).bind(system), y); };
    const auto stepper = integrator<double>(name).bind(system);
    std::vector<double> b = stepped(*stepper, a);
    CHECK(stepped(*stepper, a) == alone(a));
    b = stepped(*stepper, a);
    b[5] = std::nextafter(b[5], 2);
    CHECK(stepped(*stepper, b) == alone(b));
    const std::vector<double> c = stepped(*stepper, b);
    std::vector<double> failed = c;
    CHECK(stepper->step(1, 0.05, failed) == StepStatus::not_finite);
    CHECK(failed == c);
    CHECK(stepped(*stepper, c) == alone(c));
  }
}

TEST_CASE("implicit methods say when they cannot solve their equations") {
  OneBody<double> body = test::free_asymmetric_body<double>();
  for (const std::string name : {"gauss2", "gauss4", "gauss6", "lie-midpoint", "dmv", "rattle"}) {
    CAPTURE(name);
    const BodySystem<double> system(formulation<double>(test::form_for(name)), body);
    std::vector<double> y = test::start_of(system);
    const std::vector<double> start = y;
    const auto stepper = integrator<double>(name).bind(system);
    CHECK(stepper->step(0, 50, y) != StepStatus::ok);
    CHECK(y == start);
  }
}

TEST_CASE("the same run gives the same bits, with a stepper of its own or with a used one") {
  const OneBody<double> body = test::heavy_top<double>();
  for (const auto& method : integrators<double>()) {
    if (method->description().holds_constraints) { continue; }  // one body has none
    const std::string& name = method->description().name;
    CAPTURE(name);
    const BodySystem<double> system(formulation<double>(test::form_for(name)), body);
    const auto stepper = method->bind(system);
    const auto run = [&](Stepper<double>& with) {
      std::vector<double> y = test::start_of(system);
      RunOptions<double> options;
      options.step = 0.03;
      CHECK(integrate<double>(system, with, options, 0, 1, y).status == RunStatus::done);
      return y;
    };
    const std::vector<double> first = run(*stepper);
    CHECK(run(*stepper) == first);
    CHECK(run(*method->bind(system)) == first);
  }
}

TEST_CASE("the inlined Runge-Kutta step agrees with the method of the list") {
  const OneBody<double> body = test::heavy_top<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  std::vector<double> y = test::start_of(system);
  std::array<double, 7> z{};
  std::copy(y.begin(), y.end(), z.begin());
  const auto stepper = integrator<double>("rk4").bind(system);
  const auto f = [&](double t, const std::array<double, 7>& at, std::array<double, 7>& rate) {
    system.rhs(t, at, rate);
  };
  for (int n = 0; n < 100; ++n) {
    REQUIRE(stepper->step(0.01 * n, 0.01, y) == StepStatus::ok);
    rk4_step(f, 0.01 * n, 0.01, z);
  }
  for (std::size_t i = 0; i < 7; ++i) { CHECK(std::fabs(y[i] - z[i]) < 1e-14); }  // rounding of 100 steps
}

TEST_CASE("an integrator that needs what a system lacks says so and names a cure") {
  const OneBody<double> body = test::free_asymmetric_body<double>();
  const BodySystem<double> system(formulation<double>("f5"), body);
  const auto message = [&](const char* name) -> std::string {
    try {
      integrator<double>(name).bind(system);
    } catch (const Error& error) { return error.what(); }
    return {};
  };
  CHECK(message("splitting4") ==
        "integrator 'splitting4' needs exact flows, which this system (formulation 'f5') does not offer: only "
        "euler-body and momentum-body do; try 'gauss4'");
  // a method that runs by tolerance is replaced by one that does
  CHECK(message("taylor") ==
        "integrator 'taylor' needs Taylor series, which this system (formulation 'f5') does not offer: only euler-body "
        "does; try 'dop853'");
  CHECK(message("gauss4").empty());
  CHECK_THROWS_WITH(integrator<double>("rk5"), doctest::Contains("did you mean 'rk4'"));
  CHECK_THROWS_AS(generalised_alpha<double>(1.5), Error);
}

TEST_CASE("generalised-alpha: rho_inf = 1 keeps the energy of a pendulum swing better than 0.3") {
  const OneBody<double> body = test::heavy_top<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  const auto loss = [&](double rho) {
    const auto method = generalised_alpha<double>(rho);
    const auto stepper = method->bind(system);
    std::vector<double> y = test::start_of(system);
    const double start = top_energy(body, system.body_state(0, y));
    for (int n = 0; n < 2000; ++n) { REQUIRE(stepper->step(0.05 * n, 0.05, y) == StepStatus::ok); }
    return std::fabs(top_energy(body, system.body_state(0, y)) - start);
  };
  CHECK(loss(1) < 0.2 * loss(0.3));
}

TEST_CASE("methods made of exact flows keep |e| and the momentum of a free body at every step, up to many turns") {
  for (const std::string name : {"free-kick2", "free-kick4", "free-kick6", "splitting2", "splitting4", "splitting6"}) {
    for (const bool loaded : {false, true}) {
      CAPTURE(name);
      CAPTURE(loaded);
      OneBody<double> body;
      body.J_B = diagonal(1.0, 2.0, 2.5);
      if (loaded) { body.load.add_gravity(1, {0, 0, -2}, {0.1, 0, 0.5}); }
      const BodySystem<double> system(formulation<double>("euler-body"), body);
      for (double dt = 0.01; dt < 100; dt *= 1.7) {
        CAPTURE(dt);
        BodyState<double> start = test::start_state<double>();
        start.w_B = {0.3, 0.7, 2.1};
        std::vector<double> y(system.size());
        system.set_state(start, y);
        const auto stepper = integrator<double>(name).bind(system);
        constexpr int kSteps = 300;
        for (int n = 0; n < kSteps; ++n) { REQUIRE(stepper->step(n * dt, dt, y) == StepStatus::ok); }
        const BodyState<double> end = system.body_state(kSteps * dt, y);
        // a rounding of 1e-16 a flow, 120 of them in a step of splitting6, all on one side
        CHECK(std::fabs(norm(end.e_NB) - 1) < 5e-12);
        if (loaded) { continue; }
        const auto h_N = [&](const BodyState<double>& s) { return rotate(s.e_NB, body.J_B * s.w_B); };
        CHECK(norm(h_N(end) - h_N(start)) < 5e-11);
      }
    }
  }
}
