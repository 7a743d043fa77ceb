#include "polhode/force/gravity_gradient_torque.h"

#include "polhode/core/error.h"
#include "polhode/formulation/body_system.h"
#include "polhode/integrator/driver.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace polhode;

namespace {

const Mat3<double> kInertia{{{2, 0.1, 0.2}, {0.1, 3, 0.3}, {0.2, 0.3, 4}}};
const Vec3<double> kX{1, 0, 0};
const Vec3<double> kZ{0, 0, 1};

BodyState<double> some_state(test::Random& random) {
  return {random.between(0, 5), {}, {}, random.attitude(), random.vector(1)};
}

/// −dV/dφ for small turns of the body about its own axes.
Vec3<double> minus_gradient(const GravityGradient<double>& law, const BodyState<double>& state) {
  const double h = 1e-5;
  Vec3<double> slope{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto turned = [&](double angle) {
      BodyState<double> moved = state;
      moved.e_NB = state.e_NB * exp(angle * axis_vector<double>(i));
      return law.potential(moved);
    };
    slope[i] = -(turned(h) - turned(-h)) / (2 * h);
  }
  return slope;
}

/// Relative change of what is kept over ten time units; the twin keeps the books as if the centre stood still.
double change_on_orbit(bool twin) {
  test::Random random;
  OneBody<double> body;
  body.J_B = kInertia;
  const auto orbit = GravityGradient<double>::circular_orbit(kInertia, 0.9, kX, kZ);
  const auto books = twin ? GravityGradient<double>::fixed_centre(kInertia, 0.81, kX) : orbit;
  body.load.add_moment(orbit, LawOf::time_and_pose);
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  BodyState<double> start = some_state(random);
  start.t = 0;
  std::vector<double> y(system.size());
  system.set_state(start, y);
  const auto stepper = integrator<double>("dop853").bind(system);
  RunOptions<double> options;
  options.relative_tolerance = 1e-13;
  options.absolute_tolerance = 1e-13;
  REQUIRE(integrate<double>(system, *stepper, options, 0, 10, y).status == RunStatus::done);
  return std::fabs(books.conserved_energy(system.body_state(10, y)) / books.conserved_energy(start) - 1);
}

}  // namespace

TEST_CASE("the gravity-gradient torque is minus the derivative of its potential, and lies across the direction") {
  test::Random random;
  for (int n = 0; n < 20; ++n) {
    const BodyState<double> state = some_state(random);
    for (const auto& law : {GravityGradient<double>::fixed_centre(kInertia, 1.7, kX),
                            GravityGradient<double>::circular_orbit(kInertia, 1.3, kX, kZ)}) {
      const Vec3<double> torque = law(state);
      CHECK(norm(torque - minus_gradient(law, state)) < 1e-9);  // h² times third derivatives, rounding 1e-16/h
      const Vec3<double> u_B = rotate_back(state.e_NB, law.direction_N(state.t));
      CHECK(std::fabs(norm(u_B) - 1) < 1e-15);
      CHECK(std::fabs(dot(u_B, torque)) < 1e-14);
      CHECK(norm(torque) > 1e-3);
    }
  }
}

TEST_CASE("a body whose principal axis points to the centre feels no torque") {
  const Mat3<double> J = diagonal(1.0, 2.0, 2.5);
  const auto law = GravityGradient<double>::fixed_centre(J, 2, kX);
  BodyState<double> state;
  for (const EulerParameters<double>& e : {EulerParameters<double>{1, {0, 0, 0}}, {0.5, {0.5, 0.5, 0.5}}}) {
    state.e_NB = e;
    CHECK(norm(law(state)) == 0);
  }
  state.e_NB = exp(Vec3<double>{0, 0, 0.1});
  CHECK(norm(law(state)) > 0.1);
}

TEST_CASE("on a circular orbit Jacobi's integral is kept, and the energy alone is not") {
  CHECK(change_on_orbit(false) < 1e-11);  // 100 steps, each to 1e-13
  CHECK(change_on_orbit(true) > 1e-3);
}

TEST_CASE("directions that are no unit vectors are refused") {
  CHECK_THROWS_AS(GravityGradient<double>::fixed_centre(kInertia, 1, {1, 1, 0}), Error);
  CHECK_THROWS_AS(GravityGradient<double>::circular_orbit(kInertia, 1, kX, {0, 0, 2}), Error);
  CHECK_THROWS_AS(GravityGradient<double>::circular_orbit(kInertia, 1, kX, kX), Error);
}
