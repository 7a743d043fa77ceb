#include "polhode/formulation/gyro_steps.h"
#include "polhode/formulation/schemes.h"
#include "polhode/motion/free_motion.h"
#include "polhode/step.hpp"
#include "support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using namespace polhode;

namespace {

/// POLHODE_LONG=1 runs the whole promise: 1000 states, 10^5 steps each; otherwise a sample.
bool is_long() {
  const char* text = std::getenv("POLHODE_LONG");
  return text != nullptr && std::string(text) == "1";
}
int states() { return is_long() ? 1000 : 40; }
int steps() { return is_long() ? 100'000 : 1'000; }

const Vec3<double> kBodies[] = {{1, 2, 3}, {1, 1.02, 2.01}, {0.05, 1, 1.04}};
constexpr double kAngles[] = {0.05, 0.1, 0.25, 0.4, 0.7, 1.0, 1.7};  // |ω| dt

template <class S>
step::Inertia<S> inertia_of(const Vec3<double>& J) {
  return {static_cast<S>(J.x), static_cast<S>(J.y), static_cast<S>(J.z)};
}
template <class S>
step::Vector<S> to(const Vec3<double>& v) {
  return {static_cast<S>(v.x), static_cast<S>(v.y), static_cast<S>(v.z)};
}
template <class S>
step::Quaternion<S> to(const EulerParameters<double>& e) {
  return {static_cast<S>(e.e0), static_cast<S>(e.ev.x), static_cast<S>(e.ev.y), static_cast<S>(e.ev.z)};
}
template <class S>
Vec3<double> from(const step::Vector<S>& v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
template <class S>
EulerParameters<double> from(const step::Quaternion<S>& e) {
  return {static_cast<double>(e.w), {static_cast<double>(e.x), static_cast<double>(e.y), static_cast<double>(e.z)}};
}

/// Kinetic energy from what a user sees, attitude and momentum, in double: what the header thinks of it does not count.
template <class S>
double energy(const step::Inertia<S>& inertia, const step::Rotor<S>& rotor) {
  const Vec3<double> J = from(inertia.J_B);
  const Vec3<double> h_B = rotate_back(from(rotor.e_NB), from(step::momentum_N(rotor)));
  return 0.5 * (h_B.x * h_B.x / J.x + h_B.y * h_B.y / J.y + h_B.z * h_B.z / J.z);
}
/// Momentum from attitude and angular velocity, the other way round.
template <class S>
Vec3<double> momentum_from_rate(const step::Inertia<S>& inertia, const step::Rotor<S>& rotor) {
  const Vec3<double> J = from(inertia.J_B);
  const Vec3<double> w_B = from(step::angular_velocity_B(inertia, rotor));
  return rotate(from(rotor.e_NB), Vec3<double>{J.x * w_B.x, J.y * w_B.y, J.z * w_B.z});
}

/// States of all kinds: any direction, next to the middle axis, next to the axis of the largest moment.
template <class S>
step::Rotor<S> random_start(test::Random& random, const step::Inertia<S>& inertia, int kind) {
  Vec3<double> w_B = random.direction();
  if (kind % 4 == 1) { w_B = {1e-3 * w_B.x, 1, 1e-3 * w_B.z}; }
  if (kind % 4 == 2) { w_B = {1e-4 * w_B.x, 1e-4 * w_B.y, 1}; }
  w_B = w_B / norm(w_B);
  return step::start(inertia, to<S>(random.attitude()), to<S>(w_B));
}

struct Errors {
  double energy = 0;
  double momentum = 0;
  double norm = 0;
};

template <class S>
Errors worst_of_run(const step::Inertia<S>& inertia, step::Rotor<S> rotor, double dt, int count) {
  const double energy_0 = energy(inertia, rotor);
  const Vec3<double> h_N = from(step::momentum_N(rotor));
  Errors worst;
  const auto grow = [](double& most, double value) {
    if (!(value <= most)) { most = value; }  // a NaN stays
  };
  for (int n = 0; n < count; ++n) {
    step::advance(inertia, rotor, static_cast<S>(dt));
    grow(worst.energy, std::fabs(energy(inertia, rotor) / energy_0 - 1));
    grow(worst.momentum, norm(momentum_from_rate(inertia, rotor) - h_N) / norm(h_N));
    grow(worst.norm, std::fabs(norm(from(rotor.e_NB)) - 1));
  }
  return worst;
}

struct Flips {
  int count = 0;
  double first = 0;
  double last = 0;
  void see(double before, double after, double time, double dt) {
    if ((before < 0) == (after < 0)) { return; }
    last = time - dt * after / (after - before);
    if (count++ == 0) { first = last; }
  }
  double period() const { return 2 * (last - first) / (count - 1); }
};

}  // namespace

TEST_CASE("in float, free, at any step up to |w| dt = 1.7: energy within 1 %, momentum within 1e-4") {
  test::Random random;
  for (const Vec3<double>& J : kBodies) {
    const step::Inertia<float> inertia = inertia_of<float>(J);
    for (const double angle : kAngles) {
      Errors worst;
      for (int n = 0; n < states(); ++n) {
        const Errors one = worst_of_run(inertia, random_start(random, inertia, n), angle, steps());
        worst = {std::fmax(worst.energy, one.energy), std::fmax(worst.momentum, one.momentum),
                 std::fmax(worst.norm, one.norm)};
        REQUIRE(std::isfinite(one.energy + one.momentum + one.norm));
      }
      CAPTURE(J.x);
      CAPTURE(angle);
      if (is_long()) {
        MESSAGE("J1 " << J.x << ", |w| dt " << angle << ": energy " << worst.energy << ", momentum " << worst.momentum);
      }
      CHECK(worst.energy < 0.01);  // measured 1e-3 at most, where the series is at its end
      CHECK(worst.momentum < 1e-4);
      CHECK(worst.norm < 1e-5);  // rounding, once a step and forgotten in the next
      // along the curve energy is kept to rounding: h_B errs by some 2^-24, and 1/J is up to 20
      if (angle >= 0.7) { CHECK(worst.energy < 1e-5); }
    }
  }
}

TEST_CASE("the steps of game engines do not hold what the header holds") {
  const Vec3<float> J{1, 2, 3};
  const Vec3<float> w_B{0.3F, 0.8F, 0.5F};
  const auto energy_of = [&](const Vec3<float>& w) { return J.x * w.x * w.x + J.y * w.y * w.y + J.z * w.z * w.z; };
  // explicit: the energy grows without end
  SchemeState<float> state;
  state.e_NB = EulerParameters<float>::identity();
  state.L = {J.x * w_B.x, J.y * w_B.y, J.z * w_B.z};
  const Mat3<float> J_inverse = diagonal(1.0F, 0.5F, 1.0F / 3);
  for (int n = 0; n < 1000; ++n) {
    scheme_step(scheme("body"), SchemeIndex::lagged, J_inverse, Vec3<float>{}, 0.25F, state);
  }
  CHECK_FALSE(energy_of(J_inverse * state.L) < 2 * energy_of(w_B));
  // implicit, one Newton iteration: it is lost
  MotionState<float> newton{EulerParameters<float>::identity(), w_B};
  for (int n = 0; n < 1000; ++n) { newton_gyro_step(J, 0.25F, newton); }
  CHECK(energy_of(newton.w_B) < 0.9F * energy_of(w_B));
  // midpoint: one iteration is not enough, five are
  MotionState<float> one{EulerParameters<float>::identity(), w_B};
  MotionState<float> five = one;
  for (int n = 0; n < 1000; ++n) {
    midpoint_step(J, 1.0F, 1, one);
    midpoint_step(J, 1.0F, 5, five);
  }
  CHECK(std::fabs(energy_of(one.w_B) / energy_of(w_B) - 1) > 0.01F);
  CHECK(std::fabs(energy_of(five.w_B) / energy_of(w_B) - 1) < 1e-3F);
}

TEST_CASE("in float, at |w| dt up to 0.1, the period of a flip is right within 1 %") {
  test::Random random(3);
  int seen = 0;
  for (const Vec3<double>& J : kBodies) {
    const step::Inertia<float> inertia = inertia_of<float>(J);
    for (const double dt : {0.02, 0.1}) {
      for (int n = 0; n < (is_long() ? 200 : 20); ++n) {
        step::Rotor<float> rotor = random_start(random, inertia, n % 2);
        const FreeMotion<double> exact(from(inertia.J_B), from(rotor.e_NB),
                                       from(step::angular_velocity_B(inertia, rotor)));
        // next to the separatrix the period hangs on digits that float does not have
        if (!(exact.m1() > 1e-4) || !std::isfinite(exact.period())) { continue; }
        const double time = 6 * exact.period();
        if (time / dt > 2e5) { continue; }
        Flips flips;
        double before = static_cast<double>(rotor.n_B.y);
        for (int k = 1; k * dt < time; ++k) {
          step::advance(inertia, rotor, static_cast<float>(dt));
          const auto now = static_cast<double>(rotor.n_B.y);
          flips.see(before, now, k * dt, dt);
          before = now;
        }
        REQUIRE(flips.count > 4);
        CAPTURE(J.x);
        CAPTURE(dt);
        CAPTURE(exact.m1());
        CHECK(flips.period() == doctest::Approx(exact.period()).epsilon(0.01));
        ++seen;
      }
    }
  }
  CHECK(seen > 50);
}

TEST_CASE("the first flip comes when the exact motion flips, and not when the gyroscopic term has the wrong sign") {
  // a wrong sign runs Euler's equations backwards
  const Vec3<double> J{1, 2, 3};
  const Vec3<double> w_B{0.02, 1, 0.01};
  const step::Inertia<float> inertia = inertia_of<float>(J);
  const FreeMotion<double> exact(J, EulerParameters<double>::identity(), w_B);
  const double dt = 0.05;
  Flips right;
  Flips wrong;
  Flips truth;
  step::Rotor<float> rotor = step::start(inertia, {1, 0, 0, 0}, to<float>(w_B));
  step::Rotor<float> twin = rotor;
  for (int n = 1; n <= 400; ++n) {
    const auto before = static_cast<double>(rotor.n_B.y);
    const auto twin_before = static_cast<double>(twin.n_B.y);
    step::advance(inertia, rotor, static_cast<float>(dt));
    step::advance(inertia, twin, static_cast<float>(-dt));
    right.see(before, static_cast<double>(rotor.n_B.y), n * dt, dt);
    wrong.see(twin_before, static_cast<double>(twin.n_B.y), n * dt, dt);
    truth.see(exact.at((n - 1) * dt).w_B.y, exact.at(n * dt).w_B.y, n * dt, dt);
  }
  REQUIRE(truth.count > 0);
  CHECK(right.first == doctest::Approx(truth.first).epsilon(0.01));
  CHECK(wrong.first != doctest::Approx(truth.first).epsilon(0.05));
}

TEST_CASE("the attitude converges to the exact motion: order 3 by the series, order 4 along the curve") {
  test::Random random(5);
  // long steps: the error of dt against that of dt/2, both beyond the series (|w| dt > 0.36)
  for (const auto& [dt, order] : {std::pair{0.1, 3.0}, std::pair{1.2, 4.0}}) {
    double error[2] = {};
    for (int n = 0; n < 20; ++n) {
      const step::Inertia<double> inertia(1, 2, 3);
      const step::Rotor<double> start = random_start(random, inertia, 0);
      const Vec3<double> w_B = from(step::angular_velocity_B(inertia, start));
      const FreeMotion<double> exact(Vec3<double>{1, 2, 3}, from(start.e_NB), w_B);
      for (const int level : {0, 1}) {
        step::Rotor<double> rotor = start;
        const double h = level == 0 ? dt : dt / 2;
        const int count = level == 0 ? 10 : 20;
        for (int k = 0; k < count; ++k) { step::advance(inertia, rotor, h); }
        error[level] += rotation_angle(relative_rotation(exact.at(10 * dt).e_NB, from(rotor.e_NB)));
      }
    }
    CAPTURE(dt);
    CHECK(std::log2(error[0] / error[1]) > order - 0.35);  // 20 states, steps that are not small
    CHECK(error[0] / 20 < (dt < 1 ? 1e-4 : 0.05));
  }
}

TEST_CASE("under torque the energy changes by the work that is done, and by nothing else") {
  test::Random random(7);
  for (const Vec3<double>& J : kBodies) {
    const step::Inertia<float> inertia = inertia_of<float>(J);
    const Vec3<double> moments = from(inertia.J_B);
    for (const double dt : {0.05, 0.25, 1.0}) {
      for (int history = 0; history < (is_long() ? 100 : 5); ++history) {
        step::Rotor<float> rotor = random_start(random, inertia, history);
        double expected = energy(inertia, rotor);
        double most = expected;
        double excess = 0;
        Vec3<double> impulse_N = 0.01 * random.vector(1);
        for (int n = 0; n < (is_long() ? 20'000 : 2'000); ++n) {
          if (n % 50 == 0) { impulse_N = (n % 100 == 0 ? 0.01 : 0.0) * random.vector(1); }
          // the work of a push: impulse · (ω before + ω after)/2, at the attitude of the push
          const EulerParameters<double> e_NB = from(rotor.e_NB);
          const auto rate_N = [&] {
            const Vec3<double> h_B = rotate_back(e_NB, from(step::momentum_N(rotor)));
            return rotate(e_NB, Vec3<double>{h_B.x / moments.x, h_B.y / moments.y, h_B.z / moments.z});
          };
          const Vec3<double> before_N = rate_N();
          step::push(inertia, rotor, to<float>(impulse_N));
          expected += 0.5 * dot(impulse_N, before_N + rate_N());
          step::advance(inertia, rotor, static_cast<float>(dt));
          most = std::fmax(most, expected);
          excess = std::fmax(excess, std::fabs(energy(inertia, rotor) - expected));
        }
        CAPTURE(J.x);
        CAPTURE(dt);
        CHECK(excess < 0.01 * most);
      }
    }
  }
  // the twin: an explicit step gains more than it is given
  SchemeState<double> state;
  state.e_NB = EulerParameters<double>::identity();
  state.L = {0.5, 1, 0.7};
  const Mat3<double> J_inverse = inverse(diagonal(1.0, 2.0, 3.0));
  const Scheme& explicit_body = scheme("body");
  double allowed = scheme_energy(explicit_body, 1.0, J_inverse, state);
  for (int n = 0; n < 400; ++n) {
    const Vec3<double> tau_N{0.01, 0, 0};
    const Vec3<double> w_N = rotate(state.e_NB, J_inverse * state.L);
    allowed += 0.25 * std::fabs(dot(tau_N, w_N)) * 1.5;
    scheme_step(explicit_body, SchemeIndex::lagged, J_inverse, tau_N, 0.25, state);
  }
  CHECK_FALSE(scheme_energy(explicit_body, 1.0, J_inverse, state) < allowed);
}

TEST_CASE("any step of any body is finite and keeps the energy: rods, plates, spheres, steps far too long") {
  test::Random random(11);
  for (int body = 0; body < (is_long() ? 1000 : 60); ++body) {
    // half axes of a box of points spread over four decades; now and then two alike, or a flat body
    double s[3];
    for (double& half : s) { half = random.logarithmic(1e-4, 1); }
    if (body % 5 == 0) { s[1] = s[0]; }
    if (body % 7 == 0) { s[2] = 0; }
    if (body % 15 == 0) { s[2] = s[0]; }
    const step::Inertia<float> inertia = inertia_of<float>({s[1] + s[2], s[0] + s[2], s[0] + s[1]});
    CHECK(inertia.physical());
    for (const double dt : {-0.1, 0.02, 0.25, 0.36, 0.5, 1.7, 2.6, 30.0, 1e4, 1e30}) {
      for (int kind = 0; kind < 4; ++kind) {
        const Errors worst = worst_of_run(inertia, random_start(random, inertia, kind), dt, is_long() ? 1'000 : 200);
        CAPTURE(body);
        CAPTURE(dt);
        CAPTURE(kind);
        CHECK(worst.energy < 0.01);
        CHECK(worst.momentum < 1e-4);
        CHECK(worst.norm < 1e-5);
      }
    }
  }
}

TEST_CASE("spin about a principal axis stays there and turns at the right rate, up to 2.4 rad a step") {
  const step::Inertia<float> inertia(1, 2, 3);
  for (const double angle : {0.01, 0.3, 0.5, 1.7, 2.4}) {
    for (int axis = 0; axis < 3; ++axis) {
      Vec3<double> w_B{0, 0, 0};
      w_B[static_cast<std::size_t>(axis)] = 1;
      step::Rotor<float> rotor = step::start(inertia, {1, 0, 0, 0}, to<float>(w_B));
      for (int n = 0; n < 10; ++n) { step::advance(inertia, rotor, static_cast<float>(angle)); }
      CAPTURE(angle);
      CAPTURE(axis);
      CHECK(norm(from(rotor.n_B) - w_B) < 1e-6);
      const double turned = rotation_angle(relative_rotation(exp(10 * angle * w_B), from(rotor.e_NB)));
      // the series of cosine and sine end at the powers 6 and 7: 1.2^8/8! = 1e-4 a step; that of order 3 at (½ 0.3)^4/6
      CHECK(turned < (angle < 0.4 ? 1e-3 : 2.5e-3));
    }
  }
}

TEST_CASE("a body at rest rests, starts by a push and stops by the opposite one") {
  const step::Inertia<float> inertia(1, 2, 3);
  step::Rotor<float> rotor = step::start(inertia, {2, 0, 0, 0}, {0, 0, 0});
  step::advance(inertia, rotor, 0.1F);
  CHECK(rotor.e_NB.w == 1);
  CHECK(step::kinetic_energy(inertia, rotor) == 0);
  step::push(inertia, rotor, {0.5F, 1, 0.25F});
  CHECK(step::kinetic_energy(inertia, rotor) == doctest::Approx(0.5 * (0.25 + 0.5 + 0.0625 / 3)).epsilon(1e-6));
  step::advance(inertia, rotor, 0.1F);
  step::push(inertia, rotor, {-0.5F, -1, -0.25F});
  CHECK(static_cast<double>(rotor.h) < 1e-6);
  const EulerParameters<double> here = from(rotor.e_NB);
  step::push(inertia, rotor,
             step::Vector<float>{-step::momentum_N(rotor).x, -step::momentum_N(rotor).y, -step::momentum_N(rotor).z});
  step::advance(inertia, rotor, 10.0F);
  CHECK(norm(from(rotor.e_NB) - here) < 1e-5);
  CHECK(std::isfinite(static_cast<double>(rotor.e_NB.w)));
}

TEST_CASE("an angular velocity that is set is the one that is read, and setting what is there changes nothing") {
  test::Random random(13);
  const step::Inertia<double> inertia(1, 2, 2.5);
  for (int n = 0; n < 50; ++n) {
    step::Rotor<double> rotor = random_start(random, inertia, 0);
    const Vec3<double> w_N = 3.0 * random.direction();
    step::set_angular_velocity_N(inertia, rotor, to<double>(w_N));
    CHECK(norm(from(step::angular_velocity_N(inertia, rotor)) - w_N) < 1e-14);
    const double before = step::kinetic_energy(inertia, rotor);
    step::set_angular_velocity_N(inertia, rotor, step::angular_velocity_N(inertia, rotor));
    CHECK(step::kinetic_energy(inertia, rotor) == doctest::Approx(before).epsilon(1e-14));
  }
}

TEST_CASE("a body modelled in other axes is drawn by the product with a constant quaternion") {
  // J_F = R_FB diag(1, 2, 3) R_FBᵀ; the motion from the full matrix is the exact one
  test::Random random(17);
  const EulerParameters<double> e_FB = random.attitude();
  const Mat3<double> R_FB = rotation_matrix(e_FB);
  const Mat3<double> J_F = R_FB * diagonal(1.0, 2.0, 3.0) * transpose(R_FB);
  const Vec3<double> w_F{0.3, 0.8, -0.5};
  const FreeMotion<double> exact(J_F, EulerParameters<double>::identity(), w_F);
  const step::Inertia<double> inertia(1, 2, 3);
  // e_NF = 1 at the start, so e_NB = e_FB
  step::Rotor<double> rotor = step::start(inertia, to<double>(e_FB), to<double>(rotate_back(e_FB, w_F)));
  for (int n = 0; n < 500; ++n) { step::advance(inertia, rotor, 0.01); }
  const step::Quaternion<double> e_NF = step::product(rotor.e_NB, step::conjugate(to<double>(e_FB)));
  CHECK(rotation_angle(relative_rotation(exact.at(5.0).e_NB, from(e_NF))) < 1e-6);
}

TEST_CASE("moments that no body has are told apart") {
  CHECK(step::Inertia<float>(1, 2, 3).physical());
  CHECK(step::Inertia<float>(3, 1, 2).physical());
  CHECK_FALSE(step::Inertia<float>(1, 2, 3.1F).physical());
  CHECK_FALSE(step::Inertia<float>(0, 1, 1).physical());
  CHECK_FALSE(step::Inertia<float>(-1, 1, 1).physical());
  CHECK_FALSE(step::Inertia<float>(1, 1, std::numeric_limits<float>::infinity()).physical());
  CHECK_FALSE(step::Inertia<float>(1, 1, std::numeric_limits<float>::quiet_NaN()).physical());
}

TEST_CASE("states are plain data") {
  CHECK(std::is_trivially_copyable_v<step::Rotor<float>>);
  CHECK(sizeof(step::Rotor<float>) == 15 * sizeof(float));
  constexpr step::Inertia<float> kInertia(1, 2, 3);  // known to the compiler
  CHECK(kInertia.q.y == 0);
}
