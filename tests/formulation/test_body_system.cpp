// Each capability of a one-body system against its right-hand side: an integrator may trust either.
#include "polhode/core/error.h"
#include "polhode/force/gravity_gradient_torque.h"
#include "polhode/formulation/body_system.h"
#include "polhode/motion/free_motion.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <vector>

using namespace polhode;

namespace {

/// A free or loaded body; loads are constants in both frames plus a law of time and pose.
OneBody<double> loaded_body(test::Random& random, bool translates, bool with_law) {
  OneBody<double> body;
  const Mat3<double> U = rotation_matrix(random.attitude());
  body.J_B = U * diagonal(1.0, 2.0, 2.5) * transpose(U);
  body.load.add_force_space({0.3, -0.2, -2}, {0.1, 0.2, 0.4});
  body.load.add_force_body({0.5, 0.1, 0.3}, {-0.3, 0.2, 0.1});
  body.load.add_moment_body({0.2, -0.1, 0.3});
  body.load.add_moment_space({-0.3, 0.4, 0.2});
  if (with_law) {
    body.load.add_moment([](const BodyState<double>& s) { return Vec3<double>{std::sin(s.t), s.e_NB.e0, 0.1}; },
                         LawOf::time_and_pose);
  }
  if (translates) { body.mass = 1.7; }
  return body;
}

BodyState<double> random_state(test::Random& random) {
  return {0.3, random.vector(1), random.vector(1), random.attitude(), random.vector(1)};
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) { most = std::max(most, std::fabs(a[i] - b[i])); }
  return most;
}

/// Central difference of a path y(h), y(−h) built by `advance(dt, y)`, against the right-hand side.
template <class Advance>
double rate_error(const System<double>& system, const std::vector<double>& y, Advance advance) {
  const double h = 1e-5;
  std::vector<double> ahead = y;
  std::vector<double> behind = y;
  advance(h, std::span<double>(ahead));
  advance(-h, std::span<double>(behind));
  std::vector<double> slope(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) { slope[i] = (ahead[i] - behind[i]) / (2 * h); }
  std::vector<double> ydot(y.size());
  system.rhs(0.3, y, ydot);
  return largest_difference(slope, ydot);
}
constexpr double kDifferenceTolerance = 1e-8;  // h² times third derivatives of order 10, rounding 1e-16/h

}  // namespace

TEST_CASE("the group action moves the state as the right-hand side says, and its differential is undone") {
  test::Random random;
  for (const char* name : {"euler-body", "momentum-body", "momentum-space"}) {
    for (const bool translates : {false, true}) {
      CAPTURE(name);
      const OneBody<double> body = loaded_body(random, translates, true);
      const BodySystem<double> system(formulation<double>(name), body);
      const GroupAction<double>* group = system.group_action();
      REQUIRE(group != nullptr);
      std::vector<double> y(system.size());
      system.set_state(random_state(random), y);
      std::vector<double> xi(group->algebra_size());
      group->algebra(0.3, y, xi);
      CHECK(rate_error(system, y, [&](double dt, std::span<double> moved) {
              std::vector<double> a(xi.size());
              for (std::size_t i = 0; i < xi.size(); ++i) { a[i] = dt * xi[i]; }
              group->act(moved, a);
            }) < kDifferenceTolerance);

      // y · exp(a(t)) with ȧ = dexp⁻¹(ξ) has velocity ξ also away from a = 0
      std::vector<double> a(xi.size());
      for (double& entry : a) { entry = random.between(-1, 1); }
      std::vector<double> adot(xi.size());
      group->dexp_inverse(a, xi, adot);
      const double h = 1e-5;
      const auto moved_by = [&](double dt) {
        std::vector<double> moved = y;
        std::vector<double> at(xi.size());
        for (std::size_t i = 0; i < xi.size(); ++i) { at[i] = a[i] + dt * adot[i]; }
        group->act(moved, at);
        return moved;
      };
      const std::vector<double> there = moved_by(0);
      std::vector<double> by_xi = there;
      std::vector<double> small(xi.size());
      for (std::size_t i = 0; i < xi.size(); ++i) { small[i] = h * xi[i]; }
      group->act(by_xi, small);
      CHECK(largest_difference(by_xi, moved_by(h)) < 1e-8);  // both differ from the path by h² terms
    }
  }
}

TEST_CASE("exact flows add up to the right-hand side, each keeps its invariant") {
  test::Random random;
  for (const char* name : {"euler-body", "momentum-body"}) {
    const OneBody<double> body = loaded_body(random, true, true);
    const BodySystem<double> system(formulation<double>(name), body);
    const ExactFlows<double>* flows = system.exact_flows();
    REQUIRE(flows != nullptr);
    std::vector<double> y(system.size());
    system.set_state(random_state(random), y);
    CHECK(rate_error(system, y, [&](double dt, std::span<double> moved) {
            std::vector<double> rest(moved.size());
            for (std::size_t k = 0; k < flows->count(); ++k) { flows->flow(k, 0.3, dt, moved, rest); }
          }) < 1e-4);  // a first-order composition: h times commutators
    // a turn about a principal axis keeps the momentum in space, at any length
    const auto momentum_N = [&](std::span<const double> at) {
      const BodyState<double> s = system.body_state(0.3, at);
      return rotate(s.e_NB, body.J_B * s.w_B);
    };
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<double> moved = y;
      std::vector<double> rest(y.size());
      flows->flow(k, 0.3, 1.7, moved, rest);
      CHECK(norm(momentum_N(moved) - momentum_N(y)) < 2e-15);
      flows->flow(k, 0.3, -1.7, moved, rest);
      CHECK(largest_difference(moved, y) < 2e-15);
    }
  }
  // a law that looks at rates has no exact kick
  OneBody<double> damped = loaded_body(random, false, false);
  damped.load.add_moment([](const BodyState<double>& s) { return -0.1 * s.w_B; });
  const BodySystem<double> held(formulation<double>("euler-body"), damped);
  CHECK(held.exact_flows() == nullptr);
  CHECK(held.free_flow() == nullptr);
}

TEST_CASE("free flow and kick add up to the right-hand side; the free flow is exact, keeps h, and cancels backwards") {
  test::Random random;
  for (const char* name : {"euler-body", "momentum-body"}) {
    for (const bool full : {false, true}) {
      CAPTURE(name);
      CAPTURE(full);
      OneBody<double> body = loaded_body(random, true, true);
      if (!full) { body.J_B = diagonal(2.5, 1.0, 2.0); }
      const BodySystem<double> system(formulation<double>(name), body);
      const FreeFlow<double>* free = system.free_flow();
      REQUIRE(free != nullptr);
      std::vector<double> y(system.size());
      system.set_state(random_state(random), y);
      CHECK(rate_error(system, y, [&](double dt, std::span<double> moved) {
              std::vector<double> rest(moved.size());
              free->kick(0.3, dt, moved, rest);
              free->drift(dt, moved, rest);
            }) < 1e-4);  // a first-order composition: h times commutators

      // three turns at once, against the closed form set up in two doubles
      const BodyState<double> start = system.body_state(0.3, y);
      const FreeMotion<double> motion(body.J_B, start.e_NB, start.w_B);
      std::vector<double> moved = y;
      std::vector<double> rest(y.size());
      free->drift(17, moved, rest);
      const BodyState<double> end = system.body_state(17.3, moved);
      const MotionState<double> exact = motion.at(17);
      CHECK(norm(nearest_sign(exact.e_NB, end.e_NB) - end.e_NB) < 1e-13);  // phase of 20 in plain doubles
      CHECK(norm(exact.w_B - end.w_B) < 1e-13);
      CHECK(norm(end.r_N - (start.r_N + 17 * start.v_N)) < 1e-14);
      const Vec3<double> h_N = rotate(start.e_NB, body.J_B * start.w_B);
      CHECK(norm(rotate(end.e_NB, body.J_B * end.w_B) - h_N) < 4e-15);
      CHECK(std::fabs(norm(end.e_NB) - norm(start.e_NB)) < 1e-15);  // some roundings of numbers below 1
      free->drift(-17, moved, rest);
      CHECK(largest_difference(moved, y) < 1e-13);
    }
  }
  // it says what it cannot compute
  const OneBody<double> body = loaded_body(random, false, false);
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  std::vector<double> y{1, 0, 0, 0, 1e200, 0, 0};
  std::vector<double> rest(y.size());
  system.free_flow()->drift(1, y, rest);
  CHECK(std::isnan(y[0]));
}

TEST_CASE("second-order and canonical views agree with the right-hand side") {
  test::Random random;
  const OneBody<double> body = loaded_body(random, true, true);
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  const SecondOrder<double>* second = system.second_order();
  REQUIRE(second != nullptr);
  std::vector<double> y(system.size());
  system.set_state(random_state(random), y);
  std::vector<double> v(second->velocity_size());
  std::vector<double> vdot(second->velocity_size());
  second->velocity(y, v);
  second->acceleration(0.3, y, vdot);
  CHECK(rate_error(system, y, [&](double dt, std::span<double> moved) {
          std::vector<double> a(v.size());
          std::vector<double> faster(v.size());
          for (std::size_t i = 0; i < v.size(); ++i) {
            a[i] = dt * v[i];
            faster[i] = v[i] + dt * vdot[i];
          }
          second->move(moved, a);
          second->set_velocity(moved, faster);
        }) < kDifferenceTolerance);

  OneBody<double> held = loaded_body(random, false, true);
  const BodySystem<double> canonical(formulation<double>("canonical"), held);
  const ConstrainedHamiltonian<double>* hamiltonian = canonical.constrained_hamiltonian();
  REQUIRE(hamiltonian != nullptr);
  std::vector<double> state(8);
  canonical.set_state(random_state(random), state);
  std::vector<double> ydot(8);
  canonical.rhs(0.3, state, ydot);
  const std::span<const double> all(state);
  std::vector<double> dq(4);
  std::vector<double> dp(4);
  hamiltonian->dH_dq(0.3, all.first(4), all.last(4), dq);
  hamiltonian->dH_dp(0.3, all.first(4), all.last(4), dp);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(dp[i] == doctest::Approx(ydot[i]).epsilon(1e-13));
    CHECK(-dq[i] == doctest::Approx(ydot[i + 4]).epsilon(1e-13));
  }
  std::vector<double> g(1);
  hamiltonian->constraint(all.first(4), g);
  CHECK(std::fabs(g[0]) < 1e-15);
}

namespace {

/// Value and slope at dt of the series whose coefficients are rows of n numbers, by Horner's scheme.
std::pair<std::vector<double>, std::vector<double>> sum_of_series(const std::vector<double>& rows, std::size_t n,
                                                                  std::size_t order, double dt) {
  std::vector<double> value(n, 0.0);
  std::vector<double> slope(n, 0.0);
  for (std::size_t k = order + 1; k-- > 0;) {
    for (std::size_t i = 0; i < n; ++i) {
      slope[i] = slope[i] * dt + value[i];
      value[i] = value[i] * dt + rows[k * n + i];
    }
  }
  return {value, slope};
}

}  // namespace

TEST_CASE("Taylor coefficients continue the motion: the series differentiated is the right-hand side of the series") {
  test::Random random;
  for (const bool full : {false, true}) {
    for (const bool translates : {false, true}) {
      CAPTURE(full);
      CAPTURE(translates);
      OneBody<double> body = loaded_body(random, translates, false);
      if (!full) { body.J_B = diagonal(1.0, 2.0, 2.5); }
      const BodySystem<double> system(formulation<double>("euler-body"), body);
      const TaylorSeries<double>* taylor = system.taylor_series();
      REQUIRE(taylor != nullptr);
      const std::size_t n = system.size();
      const std::size_t order = 24;
      std::vector<double> y(n);
      system.set_state(random_state(random), y);
      std::vector<double> rows((order + 1) * (n + taylor->auxiliary_size()));
      taylor->coefficients(0.3, y, order, rows);
      for (const double dt : {0.1, -0.1}) {
        const auto [value, slope] = sum_of_series(rows, n, order, dt);
        std::vector<double> ydot(n);
        system.rhs(0.3 + dt, value, ydot);
        CHECK(largest_difference(slope, ydot) < 1e-13);  // rounding; the remainder 0.1^24 is far below
      }
    }
  }
}

TEST_CASE("Taylor coefficients under gravity gradients, of any norm of e, at any time, still and on orbits") {
  test::Random random;
  for (const bool full : {false, true}) {
    for (const bool translates : {false, true}) {
      CAPTURE(full);
      CAPTURE(translates);
      OneBody<double> body = loaded_body(random, translates, false);
      body.load.forces_body.clear();  // their moment is a constant in the series, turned twice by e in a form
      const Vec3<double> x{1, 0, 0};
      const Vec3<double> y_axis{0, 1, 0};
      const Vec3<double> z{0, 0, 1};
      if (!full) {  // principal axes, one gradient, one direction that stands still: a series of its own
        body.J_B = diagonal(1.0, 2.0, 2.5);
        body.load.moments_space.clear();
      }
      body.load.add_moment(GravityGradient<double>::circular_orbit(body.J_B, 0.8, x, z), LawOf::time_and_pose);
      if (full) {
        body.load.add_moment(GravityGradient<double>::fixed_centre(body.J_B, 0.3, y_axis), LawOf::time_and_pose);
      }
      const BodySystem<double> system(formulation<double>("euler-body"), body);
      const TaylorSeries<double>* taylor = system.taylor_series();
      REQUIRE(taylor != nullptr);
      CHECK(taylor->auxiliary_size() == (full ? 12 : 6));
      const std::size_t n = system.size();
      const std::size_t order = 24;
      std::vector<double> y(n);
      system.set_state(random_state(random), y);
      for (std::size_t i = 0; i < 4; ++i) { y[i] *= 1.01; }  // drifted off the sphere
      std::vector<double> rows((order + 1) * (n + taylor->auxiliary_size()));
      taylor->coefficients(0.3, y, order, rows);
      for (const double dt : {0.1, -0.1}) {
        const auto [value, slope] = sum_of_series(rows, n, order, dt);
        std::vector<double> ydot(n);
        system.rhs(0.3 + dt, value, ydot);
        CHECK(largest_difference(slope, ydot) < 1e-13);  // rounding; the remainder 0.1^24 is far below
        // the wrong twin: half a tenth of a second elsewhere on the orbit
        system.rhs(0.35 + dt, value, ydot);
        CHECK(largest_difference(slope, ydot) > 1e-4);
      }
    }
  }
}

TEST_CASE("reduced parameters with |x| >= 1 are no attitude: no rates, no exception, and the trouble has its name") {
  test::Random random;
  const OneBody<double> body = loaded_body(random, false, false);
  for (const char* name : {"a2:reduced", "a3:reduced"}) {
    CAPTURE(name);
    const BodySystem<double> system(formulation<double>(name), body);
    std::vector<double> y(system.size());
    system.set_state(random_state(random), y);
    std::vector<double> ydot(system.size());
    for (const Vec3<double>& x : {Vec3<double>{0.8, 0.6, 0}, Vec3<double>{0.9, -0.9, 0.1}, Vec3<double>{1e200, 0, 0},
                                  Vec3<double>{std::numeric_limits<double>::quiet_NaN(), 0, 0}}) {
      for (std::size_t i = 0; i < 3; ++i) { y[i] = x[i]; }
      std::feclearexcept(FE_ALL_EXCEPT);
      system.rhs(0.3, y, ydot);
      CHECK(std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW) == 0);
      for (const double rate : ydot) { CHECK(std::isnan(rate)); }
      CHECK(system.trouble(0.3, y) == "the chart is at its singularity (a rotation of 180 deg) at t = 0.3");
      CHECK(std::isinf(system.form().chart_condition(y)));
    }
  }
}

TEST_CASE("capabilities are offered only where they hold") {
  test::Random random;
  OneBody<double> body = loaded_body(random, false, false);
  const BodySystem<double> f5(formulation<double>("f5"), body);
  CHECK(f5.group_action() == nullptr);
  CHECK(f5.exact_flows() == nullptr);
  CHECK(f5.taylor_series() == nullptr);
  CHECK(f5.projection() != nullptr);
  CHECK(f5.chart_switching() == nullptr);
  body.least_chart_distance = 0.2;
  CHECK(BodySystem<double>(formulation<double>("a1:3-2-1"), body).chart_switching() != nullptr);
  body.inertia_law = [](const double& t) { return inertia_now(diagonal(1 + t, 2.0, 2.0), diagonal(1.0, 0.0, 0.0)); };
  const BodySystem<double> growing(formulation<double>("euler-body"), body);
  CHECK(growing.exact_flows() == nullptr);
  CHECK(growing.rotor() == nullptr);
  CHECK(growing.taylor_series() == nullptr);
  // a law of plain numbers has no series
  OneBody<double> driven = loaded_body(random, false, false);
  driven.load.add_moment([](const BodyState<double>& s) { return Vec3<double>{s.t, 0, 0}; }, LawOf::time_and_pose);
  CHECK(BodySystem<double>(formulation<double>("euler-body"), driven).taylor_series() == nullptr);
}

TEST_CASE("what flows carry on beside the state stays within its rounding, however far each of them turns") {
  test::Random random;
  for (const char* name : {"euler-body", "momentum-body"}) {
    for (const bool full : {false, true}) {
      for (const bool translates : {false, true}) {
        CAPTURE(name);
        CAPTURE(full);
        CAPTURE(translates);
        OneBody<double> body = loaded_body(random, translates, false);
        if (!full) { body.J_B = diagonal(1.0, 2.0, 2.5); }
        const BodySystem<double> system(formulation<double>(name), body);
        const auto worst_after = [&](double dt, const auto& move) {
          std::vector<double> y(system.size());
          BodyState<double> start = random_state(random);
          start.w_B = {0.3, 0.7, 2.1};
          system.set_state(start, y);
          std::vector<double> rest(y.size());
          double worst = 0;
          for (int n = 0; n < 300; ++n) {
            move(dt, y, rest);
            // each of rate and attitude against its own size
            for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>{0, 4}, {4, 7}}) {
              double size = 0;
              for (std::size_t i = first; i < last; ++i) { size = std::fmax(size, std::fabs(y[i])); }
              for (std::size_t i = first; i < last; ++i) { worst = std::fmax(worst, std::fabs(rest[i]) / size); }
            }
          }
          return worst;
        };
        // turns from a thousandth of a radian to many whole ones
        for (double dt = 1e-3; dt < 100; dt *= 1.37) {
          CAPTURE(dt);
          const double flows = worst_after(dt, [&](double h, std::span<double> y, std::span<double> rest) {
            for (std::size_t k = 0; k < 3; ++k) { system.exact_flows()->flow(k, 0, h, y, rest); }
          });
          const double drift = worst_after(dt, [&](double h, std::span<double> y, std::span<double> rest) {
            system.free_flow()->drift(h, y, rest);
          });
          // some roundings of half an ulp, through moments with a ratio of 2.5
          CHECK(flows < 16 * std::numeric_limits<double>::epsilon());
          CHECK(drift < 16 * std::numeric_limits<double>::epsilon());
        }
      }
    }
  }
}
