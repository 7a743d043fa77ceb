#include "polhode/formulation/schemes.h"
#include "support/precise.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;

namespace {

struct Start {
  Mat3<double> J_B;
  Mat3<double> J_inverse_B;
  SchemeState<double> state;
  Vec3<double> w_B;
};

Start start_for(const Scheme& scheme, const Mat3<double>& J_B, const EulerParameters<double>& e,
                const Vec3<double>& w_B) {
  Start s{J_B, inverse(J_B), {}, w_B};
  s.state.e_NB = e;
  s.state.L = scheme.world ? rotate(e, J_B * w_B) : J_B * w_B;
  return s;
}

const EulerParameters<double> kGoldenAttitude{2.0 / 9, {4.0 / 9, 5.0 / 9, 6.0 / 9}};

}  // namespace

TEST_CASE("golden values of the catalogue: one free step of each scheme") {
  // q = (2,4,5,6)/9, J' = diag(2,3,4), ω' = (0.3, −0.2, 0.5), h = 0.1; 15 digits
  const double golden[4][4] = {{0.204347402470269, 0.468111033376186, 0.551960103411541, 0.659131431337524},
                               {0.204786178362376, 0.468347250427850, 0.551716031816812, 0.659031785579964},
                               {0.203908562179928, 0.467874667843339, 0.552203999276183, 0.659230867483910},
                               {0.204347402470269, 0.468111033376186, 0.551960103411541, 0.659131431337524}};
  for (std::size_t n = 0; n < 4; ++n) {
    Start s = start_for(kSchemes[n], diagonal(2.0, 3.0, 4.0), kGoldenAttitude, {0.3, -0.2, 0.5});
    CAPTURE(std::string(kSchemes[n].name));
    CHECK(scheme_step(kSchemes[n], SchemeIndex::lagged, s.J_inverse_B, Vec3<double>{0, 0, 0}, 0.1, s.state));
    const EulerParameters<double> expected{golden[n][0], {golden[n][1], golden[n][2], golden[n][3]}};
    CHECK(norm(s.state.e_NB - expected) < 2e-15);
  }
}

TEST_CASE("exact facts of one free step: turn, momentum and energy of each scheme") {
  test::Random random;
  const Vec3<double> none{0, 0, 0};
  for (int n = 0; n < 100; ++n) {
    const Mat3<double> U = rotation_matrix(random.attitude());
    const Mat3<double> J_B = U * diagonal(1.0, 1.7, 2.4) * transpose(U);
    const EulerParameters<double> e = random.attitude();
    const Vec3<double> w_B = random.vector(1);
    const double h = random.between(0.01, 0.5);
    const Vec3<double> gyro_B = cross(w_B, J_B * w_B);
    for (const Scheme& scheme : kSchemes) {
      CAPTURE(std::string(scheme.name));
      Start s = start_for(scheme, J_B, e, w_B);
      const SchemeState<double> before = s.state;
      REQUIRE(scheme_step(scheme, SchemeIndex::lagged, s.J_inverse_B, none, h, s.state));
      const double energy_before = scheme_energy(scheme, 1.0, s.J_inverse_B, before);
      const double energy_after = scheme_energy(scheme, 1.0, s.J_inverse_B, s.state);
      const double growth = dot(s.state.L, s.state.L) - dot(before.L, before.L);
      // the rate that turned the body: new momentum, old attitude
      const Vec3<double> w_used = s.J_inverse_B * (scheme.world ? rotate_back(e, s.state.L) : s.state.L);
      CHECK(rotation_angle(relative_rotation(e, s.state.e_NB)) ==
            doctest::Approx(2 * std::atan(h * norm(w_used) / 2)).epsilon(1e-13));
      if (scheme.name == "world") {
        CHECK(s.state.L == before.L);
      } else if (scheme.name == "world-no-gyro") {
        CHECK(growth == doctest::Approx(h * h * dot(gyro_B, gyro_B)).epsilon(1e-10));
      } else if (scheme.name == "body") {
        CHECK(growth == doctest::Approx(h * h * dot(gyro_B, gyro_B)).epsilon(1e-10));
        CHECK(energy_after - energy_before ==
              doctest::Approx(0.5 * h * h * dot(gyro_B, s.J_inverse_B * gyro_B)).epsilon(1e-10));
      } else {
        CHECK(s.state.L == before.L);
        CHECK(norm(rotate(s.state.e_NB, s.state.L) - rotate(e, before.L)) > 1e-4 * h * norm(gyro_B));
      }
      CHECK(std::fabs(norm(s.state.e_NB) - 1) < 4e-16);
    }
    // the first and the last give the same attitude after their first free step
    Start w1 = start_for(kSchemes[0], J_B, e, w_B);
    Start b2 = start_for(kSchemes[3], J_B, e, w_B);
    scheme_step(kSchemes[0], SchemeIndex::lagged, w1.J_inverse_B, none, h, w1.state);
    scheme_step(kSchemes[3], SchemeIndex::lagged, b2.J_inverse_B, none, h, b2.state);
    CHECK(norm(w1.state.e_NB - b2.state.e_NB) < 1e-15);
  }
}

TEST_CASE("right physics converges with order 1 to the free motion, wrong physics to steady rotation") {
  // free axisymmetric body in closed form: J = diag(1, 1, 2), w' turns at Ω = w3 (C − I)/I
  const Vec3<double> w_B{0.4, 0.2, 0.9};
  const Mat3<double> J_B = diagonal(1.0, 1.0, 2.0);
  const EulerParameters<double> e = exp(Vec3<double>{0.2, -0.5, 0.3});
  const double T = 1;
  const Vec3<double> h_N = rotate(e, J_B * w_B);
  const EulerParameters<double> exact =
      exp(T * h_N) * e * exp(Vec3<double>{0, 0, -w_B.z * T});  // precession |h|/I about h, spin −Ω
  const EulerParameters<double> steady = e * exp(T * w_B);
  for (const Scheme& scheme : kSchemes) {
    for (const SchemeIndex index : {SchemeIndex::lagged, SchemeIndex::implicit}) {
      CAPTURE(std::string(scheme.name));
      double error[2] = {};
      for (const int level : {0, 1}) {
        const int steps = level == 0 ? 400 : 800;
        Start s = start_for(scheme, J_B, e, w_B);
        for (int n = 0; n < steps; ++n) {
          REQUIRE(scheme_step(scheme, index, s.J_inverse_B, Vec3<double>{0, 0, 0}, T / steps, s.state));
        }
        error[level] = rotation_angle(relative_rotation(scheme.gyroscopic ? exact : steady, s.state.e_NB));
      }
      // body-no-gyro turns at a constant rate: its only error is 2 atan(x/2) against x, order 2
      const double order = scheme.name == "body-no-gyro" ? 2 : 1;
      CHECK(std::log2(error[0] / error[1]) == doctest::Approx(order).epsilon(0.03));
    }
  }
}

TEST_CASE("the implicit index holds the printed equation, and a step that cannot be solved changes nothing") {
  const Mat3<double> J_B = diagonal(1.0, 2.0, 2.5);
  const Vec3<double> w_B{0.5, 1, -0.7};
  const EulerParameters<double> e = exp(Vec3<double>{0.2, -0.5, 0.3});
  const Vec3<double> tau_N{0.1, -0.2, 0.3};
  const double h = 0.1;
  Start w = start_for(kSchemes[0], J_B, e, w_B);
  REQUIRE(scheme_step(kSchemes[0], SchemeIndex::implicit, w.J_inverse_B, tau_N, h, w.state));
  const Vec3<double> w_new = rotate(w.state.e_NB, w.J_inverse_B * rotate_back(w.state.e_NB, w.state.L));
  CHECK(norm(normalized(e + (0.5 * h) * (pure(w_new) * e)) - w.state.e_NB) < 1e-14);
  Start b = start_for(kSchemes[2], J_B, e, w_B);
  const Vec3<double> L_before = b.state.L;
  REQUIRE(scheme_step(kSchemes[2], SchemeIndex::implicit, b.J_inverse_B, tau_N, h, b.state));
  CHECK(norm(b.state.L - L_before - h * (rotate_back(e, tau_N) - cross(b.J_inverse_B * b.state.L, b.state.L))) < 1e-14);

  Start hopeless = start_for(kSchemes[2], J_B, e, 1000.0 * w_B);
  const SchemeState<double> untouched = hopeless.state;
  CHECK_FALSE(scheme_step(kSchemes[2], SchemeIndex::implicit, hopeless.J_inverse_B, tau_N, 1.0, hopeless.state));
  CHECK(hopeless.state.e_NB == untouched.e_NB);
  CHECK(hopeless.state.L == untouched.L);
}

TEST_CASE("translation: new momentum moves the body") {
  SchemeState<double> state;
  state.p_N = {2, 0, 0};
  scheme_translate(2.0, Vec3<double>{0, 0, -10}, 0.5, state);
  CHECK(state.p_N == Vec3<double>{2, 0, -5});
  CHECK(state.r_N == Vec3<double>{0.5, 0, -1.25});
}

TEST_CASE(
    "the energy has a linear part: translation adds p·p/2m to every scheme, and a thrown body trades it for height") {
  const Mat3<double> J_inverse_B = inverse(diagonal(1.0, 1.7, 2.4));
  for (const Scheme& scheme : kSchemes) {
    CAPTURE(std::string(scheme.name));
    SchemeState<double> state;
    state.e_NB = kGoldenAttitude;
    state.L = {0.3, -0.2, 0.5};
    const double turning = scheme_energy(scheme, 2.0, J_inverse_B, state);
    state.p_N = {3, 0, 4};
    CHECK(scheme_energy(scheme, 2.0, J_inverse_B, state) == doctest::Approx(turning + 25.0 / 4).epsilon(1e-15));
    // m g z and ½ p·p/m together, to first order in h; without the linear part all of the work would be missing
    const double before = scheme_energy(scheme, 2.0, J_inverse_B, state);
    const double h = 1e-4;
    for (int n = 0; n < 1000; ++n) { scheme_translate(2.0, Vec3<double>{0, 0, -19.62}, h, state); }
    const double gained = scheme_energy(scheme, 2.0, J_inverse_B, state) - before;
    CHECK(gained == doctest::Approx(-19.62 * state.r_N.z).epsilon(1e-3));
    CHECK(std::fabs(gained) > 1);
  }
}
