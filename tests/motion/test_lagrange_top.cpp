// The Lagrange top, forced spin and constant torque: golden values, 50-digit Taylor series, invariants, special cases.
#include "motion/bodies.h"
#include "polhode/core/error.h"
#include "polhode/motion/forced.h"
#include "polhode/motion/lagrange_top_impl.h"
#include "polhode/rotation/euler_angles.h"
#include "polhode/verification/taylor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

using namespace polhode;
using test::angle_between;
using test::distance;
using test::precise;
using test::Precise;

namespace {

const EulerAngles kAngles{EulerSequence::parse("3-1-3")};

struct TopStart {
  TopBody<double> body;
  EulerParameters<double> e;
  Vec3<double> w;
};

TopStart from_angles(const TopBody<double>& body, const Vec3<double>& angles, const Vec3<double>& rates) {
  return {body, kAngles.to_euler_parameters(angles), kAngles.body_rate_matrix(angles) * rates};
}

/// Largest differences: double − 50 digits, 50 digits − Taylor series.
struct Differences {
  double rounding = 0;
  double formula = 0;
};
Differences differences(const TopStart& s, double t) {
  const LagrangeTop<double> top(s.body, s.e, s.w);
  const TopBody<Precise> body{Precise(s.body.transverse), Precise(s.body.axial), Precise(s.body.k)};
  const LagrangeTop<Precise> exact(body, precise(s.e), precise(s.w));
  verification::Taylor<Precise> series({{body.transverse, body.transverse, body.axial}, {0, 0, 0}, {0, 0, body.k}},
                                       precise(s.e), precise(s.w));
  series.advance(Precise(t));
  const MotionState<double> state = top.at(t);
  const MotionState<Precise> reference = exact.at(Precise(t));
  const Precise e = sqrt(norm_squared(reference.e_NB - series.e()));  // sign included
  const Precise w = sqrt(norm_squared(reference.w_B - series.w()));
  const double size = 1 + norm(s.w);
  return {std::max({angle_between(state.e_NB, reference.e_NB), distance(state.w_B, reference.w_B) / size,
                    norm(top.at(0).e_NB - s.e), norm(top.at(0).w_B - s.w) / size}),
          static_cast<double>(std::max(e, w))};
}

}  // namespace

TEST_CASE("golden values of the Lagrange top, 15 digits") {
  const TopStart s = from_angles({1.3, 0.4, 2.1}, {0.3, 0.9, -0.4}, {0.5, -0.3, 12});
  const LagrangeTop<double> top(s.body, s.e, s.w);
  CHECK(norm(top.roots() - Vec3<double>{0.551899487892822, 0.696641362212212, 3.88960639649708}) < 1e-14);
  CHECK(std::fabs(top.period() - 1.93465251272365) < 1e-14);
  const EulerParameters<double> golden =
      kAngles.to_euler_parameters(Vec3<double>{1.38967319097767, 0.890536148255486, 34.6411346790623});
  // ψ is printed to 5e-14, which is also the rounding of 34.6 × 2
  CHECK(norm(nearest_sign(golden, top.at(2.9).e_NB) - top.at(2.9).e_NB) < 5e-14);
}

TEST_CASE("tops of every kind agree with Taylor series in 50 digits, and double with 50 digits to a few 1e-15") {
  test::Random random(21);
  for (int n = 0; n < (test::long_run() ? 60 : 6); ++n) {
    const TopStart s{
        {random.between(0.5, 2), random.between(0.2, 3), random.between(-3, 3)}, random.attitude(), random.vector(4)};
    const Differences d = differences(s, random.between(-8, 8));
    CHECK(d.formula < 1e-42);
    CHECK(d.rounding < 4e-15);
  }
}

TEST_CASE("tops that pass through the vertical, spin on it, are released at rest or precess without nutation") {
  const TopBody<double> body{1.3, 0.4, 2.1};
  const EulerParameters<double> up{1, {0, 0, 0}};
  const EulerParameters<double> down{0, {1, 0, 0}};
  const TopStart slanted = from_angles(body, {0.3, 0.9, -0.4}, {0, 0, 12});
  const TopStart starts[] = {
      {body, up, {0.3, 0.2, 12}},         // upright, fast, pushed
      {body, up, {0.3, -0.2, 1}},         // upright, too slow to stand
      {body, up, {1e-7, 0, 1}},           // the same, hardly pushed
      {body, down, {0.7, 0.4, 1}},        // from hanging
      {body, down, {0.7, 0.4, 0}},        // a plane pendulum
      {{1.3, 0.4, -2.1}, up, {1, 0, 3}},  // mass centre below
      slanted,                            // cusps
      {body, slanted.e, {0, 0, 0}},       // falls in a plane
  };
  for (const TopStart& s : starts) {
    const Differences d = differences(s, 5);
    CHECK(d.formula < 1e-36);  // 1e-45 a step; the third start is amplified by 1e7
    CHECK(d.rounding < 4e-15);
  }
  for (const TopStart& s : {TopStart{body, up, {0, 0, 3}}, TopStart{body, down, {0, 0, -3}}}) {
    CHECK(LagrangeTop<double>(s.body, s.e, s.w).branch() == TopBranch::steady);
    CHECK(differences(s, 5).formula < 1e-42);
    CHECK(differences(s, 5).rounding < 4e-15);
  }
}

TEST_CASE("steady precession at the rate of its quadratic equation has no nutation; at a wrong rate it has") {
  const TopBody<double> body{1.3, 0.4, 2.1};
  const double theta = 0.9;
  const double spin = 12;
  for (const double sign : {-1.0, 1.0}) {
    const double L = body.axial * spin;
    const double c = std::cos(theta);
    const double rate = (L + sign * std::sqrt(L * L - 4 * body.transverse * body.k * c)) / (2 * body.transverse * c);
    const TopStart s = from_angles(body, {0, theta, 0}, {rate, 0, spin - rate * c});
    const LagrangeTop<double> top(s.body, s.e, s.w);
    CHECK(top.roots().y - top.roots().x < 1e-14);  // rounding of the start
    const TopStart off = from_angles(body, {0, theta, 0}, {1.01 * rate, 0, spin - 1.01 * rate * c});
    const LagrangeTop<double> nutating(off.body, off.e, off.w);
    CHECK(nutating.roots().y - nutating.roots().x > 1e-5);
    const Vec3<double> axis = rotate(top.at(7).e_NB, Vec3<double>{0, 0, 1});
    const Vec3<double> expected{std::sin(theta) * std::sin(7 * rate), -std::sin(theta) * std::cos(7 * rate), c};
    CHECK(norm(axis - expected) < 1e-14 * (1 + 7 * rate));  // rate rounded, times 7 s
  }
}

TEST_CASE("energy, vertical momentum and spin of a top do not change, in any order of the body axes") {
  test::Random random(22);
  for (int n = 0; n < 200; ++n) {
    const TopBody<double> body{random.between(0.5, 2), random.between(0.2, 3), random.between(-3, 3),
                               static_cast<std::size_t>(n % 3)};
    const EulerParameters<double> e = random.attitude();
    const Vec3<double> w = random.vector(5);
    const LagrangeTop<double> top(body, e, w);
    Vec3<double> J{body.transverse, body.transverse, body.transverse};
    J[body.axis] = body.axial;
    const auto energy = [&](const MotionState<double>& s) {
      const Vec3<double> axis = rotate(s.e_NB, axis_vector<double>(body.axis));
      return (J.x * s.w_B.x * s.w_B.x + J.y * s.w_B.y * s.w_B.y + J.z * s.w_B.z * s.w_B.z) / 2 + body.k * axis.z;
    };
    const auto vertical = [&](const MotionState<double>& s) {
      return rotate(s.e_NB, Vec3<double>{J.x * s.w_B.x, J.y * s.w_B.y, J.z * s.w_B.z}).z;
    };
    const MotionState<double> state = top.at(random.between(-50, 50));
    const double size = 80;  // largest energy and momentum here: ½·3·25·3 and 3·5·√3
    CHECK(std::fabs(energy(state) - energy({e, w})) < 1e-15 * size);
    CHECK(std::fabs(energy(state) - top.energy()) < 1e-15 * size);
    CHECK(std::fabs(vertical(state) - vertical({e, w})) < 1e-15 * size);
    CHECK(std::fabs(vertical(state) - top.momentum_z()) < 1e-15 * size);
    CHECK(state.w_B[body.axis] == w[body.axis]);
    CHECK(std::fabs(norm(state.e_NB) - norm(e)) < 1e-15);
    // going on from there, and back
    const LagrangeTop<double> next(body, state.e_NB, state.w_B);
    const double t = random.between(-3, 3);
    CHECK(norm(LagrangeTop<double>(body, next.at(t).e_NB, next.at(t).w_B).at(-t).e_NB - state.e_NB) < 1e-11);
  }
}

TEST_CASE("a top without weight is refused, and so are impossible moments") {
  const EulerParameters<double> one = EulerParameters<double>::identity();
  CHECK_THROWS_WITH_AS(LagrangeTop<double>({1, 1, 0}, one, {1, 2, 3}),
                       "m g l is 0: no torque acts on the top; use FreeMotion for a free body", Error);
  CHECK_THROWS_AS(LagrangeTop<double>({-1, 1, 1}, one, {1, 2, 3}), Error);
  CHECK_THROWS_AS(LagrangeTop<double>({1, 0, 1}, one, {1, 2, 3}), Error);
  CHECK_THROWS_AS(LagrangeTop<double>({1, 1, 1, 3}, one, {1, 2, 3}), Error);
  CHECK_THROWS_AS(LagrangeTop<double>({1, 1, std::numeric_limits<double>::infinity()}, one, {1, 2, 3}), Error);
}

TEST_CASE("spin under a torque polynomial in time, about each axis, is its integrals") {
  const EulerParameters<double> e{0.5, {0.5, -0.5, 0.5}};
  const std::array<double, 3> torque{0.3, -0.02, 0.001};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const ForcedSpin<double> spin(0.7, axis, e, -2);
    const MotionState<double> state = spin.at(20, torque);
    // by hand at t = 20: P = 6 − 4 + 8/3, Q = 60 − 80/3 + 40/3
    CHECK(std::fabs(state.w_B[axis] - (-2 + (2 + 8.0 / 3) / 0.7)) < 1e-14);
    const double chi = -40 + (60 - 40.0 / 3) / 0.7;
    CHECK(norm(state.e_NB - e * exp(chi * axis_vector<double>(axis))) < 1e-14);
    CHECK(norm(state.e_NB - spin.at(20, 2 + 8.0 / 3, 60 - 40.0 / 3).e_NB) < 1e-14);
    CHECK(norm(state.e_NB - spin.at(20, 2 + 8.0 / 3, 2 + 8.0 / 3).e_NB) > 1e-2);
    CHECK(norm(spin.at(0, torque).e_NB - e) == 0);
  }
  CHECK_THROWS_AS(ForcedSpin<double>(0.7, 3, e, 1), Error);
  CHECK_THROWS_AS(ForcedSpin<double>(0, 2, e, 1), Error);
}

TEST_CASE("rates under a constant torque agree with Taylor series, also where the body does not nutate") {
  for (const double axial : {3.0, 0.5, 1.25, 1.25 * (1 + 1e-9)}) {  // the third has Ω = 0
    const Vec3<double> w{0.4, -0.3, 2};
    const ConstantTorqueRate<double> rate(1.25, axial, w, 0.2, 0.7);
    verification::Taylor<Precise> series(
        {{Precise(1.25), Precise(1.25), Precise(axial)}, {Precise(0.2), Precise(0.7), 0}},
        precise(EulerParameters<double>::identity()), precise(w));
    series.advance(Precise(9));
    CHECK(distance(rate.at(9), series.w()) < 4e-15 * 6);  // rates up to 6
    CHECK(norm(rate.at(0) - w) < 1e-16);
    const ConstantTorqueRate<double> wrong(1.25, axial, w, 0.7, 0.2);
    CHECK(distance(wrong.at(9), series.w()) > 1e-2);
  }
}

TEST_CASE("forced spin and constant torque at many times in one call give what single calls give") {
  const std::vector<double> times{-3, 0, 0.5, 100};
  const std::array<double, 2> torque{0.3, -0.02};
  const ForcedSpin<double> spin(0.7, 1, {0.5, {0.5, -0.5, 0.5}}, -2);
  std::vector<MotionState<double>> states(times.size());
  spin.at(times, torque, states);
  const ConstantTorqueRate<double> rate(1.25, 3, {0.4, -0.3, 2}, 0.2, 0.7);
  std::vector<Vec3<double>> rates(times.size());
  rate.at(times, rates);
  for (std::size_t i = 0; i < times.size(); ++i) {
    CHECK(states[i].e_NB == spin.at(times[i], torque).e_NB);
    CHECK(states[i].w_B == spin.at(times[i], torque).w_B);
    CHECK(rates[i] == rate.at(times[i]));
  }
}

TEST_CASE("a top with just the energy to stand upright takes for ever: 1 - cos is a squared hyperbolic secant") {
  // I = 1, C = 1/2, axis level: e = (1, 1, 1, 1)/2 turns z' to x. With h_z = C w3 and T - C w3²/2 + k u = k the cubic
  // has 1 twice, u̇² = (1 - u)² (β(1 + u) - a²); all numbers are exact in binary.
  const double a = 0.75;
  const double beta = 1.5625;
  const double c = 2 * beta - a * a;
  for (const double w1 : {1.0, -1.0}) {
    CAPTURE(w1);
    const TopStart s{{1, 0.5, 0.5 * beta}, {0.5, {0.5, 0.5, 0.5}}, {w1, a, 2 * a}};
    const LagrangeTop<double> top(s.body, s.e, s.w);
    CHECK(top.branch() == TopBranch::asymptotic);
    CHECK(std::isinf(top.period()));
    CHECK(norm(top.roots() - Vec3<double>{a * a / beta - 1, 1, 1}) < 1e-15);
    // u̇ = w × axis, upwards along z: at the start it is that of w1
    const double phase0 = std::atanh(std::sqrt(1 - beta / c));
    const double up = rotate(s.e, cross(s.w, Vec3<double>{0, 0, 1})).z > 0 ? 1 : -1;
    for (const double t : {-20.0, -1.0, 0.0, 0.3, 2.0, 20.0}) {
      CAPTURE(t);
      const MotionState<double> state = top.at(t);
      const double sech = 1 / std::cosh(0.5 * std::sqrt(c) * t + up * phase0);
      const double u = rotate(state.e_NB, Vec3<double>{0, 0, 1}).z;
      CHECK(std::fabs(1 - u - c / beta * sech * sech) < 1e-14);
      CHECK(std::fabs(norm(state.e_NB) - 1) < 1e-14);
      CHECK(state.w_B.z == 2 * a);
    }
    for (const double t : {-3.0, 2.0, 6.0}) {
      const Differences off = differences(s, t);
      CHECK(off.rounding < 1e-14);
      CHECK(off.formula < 1e-36);  // 50 digits less the growth of errors by e^(1.6 t), and some steps
    }
    // the wrong twin: a little more energy, and the top nutates through the vertical
    CHECK(LagrangeTop<double>(s.body, s.e, {w1 * (1 + 1e-12), a, 2 * a}).branch() == TopBranch::nutation);
  }
  // without spin, from hanging: sin of half the angle from below is tanh t
  const LagrangeTop<double> pendulum({1, 0.5, 1}, {0, {1, 0, 0}}, {2, 0, 0});
  CHECK(pendulum.branch() == TopBranch::asymptotic);
  for (const double t : {-2.0, 0.5, 3.0}) {
    const double u = rotate(pendulum.at(t).e_NB, Vec3<double>{0, 0, 1}).z;
    const double tanh = std::tanh(t);
    CHECK(std::fabs(u - (2 * tanh * tanh - 1)) < 1e-14);
  }
}
