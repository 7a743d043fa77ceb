// The free body: closed form in double against the same in 50 digits, that against an independent integration, golden
// values, and what every free motion must keep.
#include "motion/bodies.h"
#include "polhode/core/error.h"
#include "polhode/motion/free_motion_impl.h"
#include "polhode/verification/taylor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace polhode;
using test::angle_between;
using test::distance;
using test::precise;
using test::Precise;
using test::Start;

namespace {

FreeMotion<double> motion_of(const Start& s) { return {s.J, s.e, s.w}; }
FreeMotion<Precise> precise_motion_of(const Start& s) { return {precise(s.J), precise(s.e), precise(s.w)}; }

/// The attitude by 3-1-3 angles about h and the integral of the third kind: the textbook form, which shares nothing
/// with the theta functions. `wrong_sign` takes ω2 with the wrong sign of s2.
///
///   cos θ = Cω3/|h|,  ψ = atan2(Aω1, Bω2),  φ = (|h|/C) t + |h|(C−A)/(ACν) [Π(n; am τ) − Π(n; am τ0)],  n =
///   −C(B−A)/(A(C−B))
///
/// Axes must already be in the order A < B < C or A > B > C, with ω3 > 0.
struct Textbook {
  Precise A, B, C, a1, a2, a3, m1, nu, tau0, n, h, s2;

  Textbook(const Vec3<Precise>& J, const Vec3<Precise>& w, bool wrong_sign) : A(J.x), B(J.y), C(J.z) {
    a1 = sqrt(w.x * w.x + w.y * w.y * B * (C - B) / (A * (C - A)));
    a2 = sqrt(w.y * w.y + w.x * w.x * A * (C - A) / (B * (C - B)));
    a3 = sqrt(w.z * w.z + w.y * w.y * B * (B - A) / (C * (C - A)));
    m1 = 1 - B * (B - A) * a2 * a2 / (C * (C - A) * a3 * a3);
    nu = a3 * sqrt((C - B) * (C - A) / (A * B));
    s2 = (C > A) != wrong_sign ? 1 : -1;
    tau0 = elliptic::F(Precise(atan2(s2 * w.y / a2, w.x / a1)), m1);
    n = -C * (B - A) / (A * (C - B));
    h = sqrt(A * A * w.x * w.x + B * B * w.y * w.y + C * C * w.z * w.z);
  }
  Vec3<Precise> rate(const Precise& t) const {
    const elliptic::Jacobi<Precise> f = elliptic::jacobi(Precise(nu * t + tau0), m1);
    return {a1 * f.cn, s2 * a2 * f.sn, a3 * f.dn};
  }
  EulerParameters<Precise> attitude(const Precise& t) const {
    const Vec3<Precise> w = rate(t);
    const Precise theta = acos(C * w.z / h);
    const Precise psi = atan2(A * w.x, B * w.y);
    const Precise phi = h / C * t + h * (C - A) / (A * C * nu) *
                                        (elliptic::Pi(n, elliptic::am(Precise(nu * t + tau0), m1), m1) -
                                         elliptic::Pi(n, elliptic::am(tau0, m1), m1));
    const auto about = [](const Precise& angle, std::size_t axis) {
      return EulerParameters<Precise>{cos(angle / 2), sin(angle / 2) * axis_vector<Precise>(axis)};
    };
    return about(phi, 2) * about(theta, 0) * about(psi, 2);
  }
  /// From the attitude at 0, turned by what this form says.
  EulerParameters<Precise> at(const EulerParameters<Precise>& e0, const Precise& t) const {
    return e0 * conjugate(attitude(Precise(0))) * attitude(t);
  }
};

const Start kUpper{{2, 3, 4}, {2.0 / 9, {4.0 / 9, 5.0 / 9, 6.0 / 9}}, {0.3, -0.2, 0.5}};
const Start kLower{{2, 3, 4}, {2.0 / 9, {4.0 / 9, 5.0 / 9, 6.0 / 9}}, {0.9, 0.2, 0.1}};

}  // namespace

TEST_CASE("golden values of the free body: both branches and the separatrix, 15 digits") {
  struct Golden {
    Start start;
    double t, m, period;
    Vec3<double> w;
    EulerParameters<double> e;
  };
  const Golden rows[] = {
      {kUpper,
       10,
       0.226415094339623,
       22.5187112226838,
       {-0.220811995669616, 0.308203531384487, 0.478935244804347},
       {0.126007750994200, {0.161233214960650, 0.880143298799491, 0.428338266631860}}},
      {kLower,
       10,
       0.0595238095238095,
       17.0511369804522,
       {0.889420186906368, -0.255425739040899, -0.0231113486901777},
       {0.474754403554784, {-0.285530105302511, -0.608829780430211, 0.567809046892156}}},
      {{kUpper.J, kUpper.e, {0.4 * std::sqrt(2.0), 0.1, 0.4}},
       2,
       1,
       0,
       {0.477581479084030, 0.364080450515927, 0.337701102429419},
       {0.406193414419768, {-0.505382249530146, -0.625475131620404, -0.434023676389086}}},
  };
  for (const Golden& row : rows) {
    const FreeMotion<double> motion = motion_of(row.start);
    const MotionState<double> state = motion.at(row.t);
    CHECK(std::fabs(motion.m() - row.m) < 1e-15);
    if (row.period > 0) { CHECK(std::fabs(motion.period() - row.period) < 1e-13); }  // printed to 15 digits
    CHECK(norm(state.w_B - row.w) < 3e-15);
    CHECK(norm(canonical(state.e_NB) - row.e) < 3e-15);
  }
}

TEST_CASE("over 100 turns the attitude of random bodies is good to 3e-15 rad for every m1 from 1e-16 to 1") {
  test::Random random(11);
  const int bodies = test::long_run() ? 10000 : 300;
  double worst_angle = 0;
  double worst_rate = 0;
  for (int n = 0; n < bodies; ++n) {
    const Start s = random_start(random, random.logarithmic(1e-16, 1));
    const FreeMotion<double> motion = motion_of(s);
    const FreeMotion<Precise> exact = precise_motion_of(s);
    for (const double turns : {random.between(-100, 100), 100.0}) {
      const double t = turns * s.turn();
      const MotionState<double> state = motion.at(t);
      const MotionState<Precise> reference = exact.at(Precise(t));
      worst_angle = std::max(worst_angle, angle_between(state.e_NB, reference.e_NB));
      worst_rate = std::max(worst_rate, distance(state.w_B, reference.w_B) / norm(s.w));
      CHECK(dot(precise(state.e_NB), reference.e_NB) > 0);  // the sign too
    }
  }
  // required: 1e-11 for m1 ≥ 1e-6 and 1e-8 for m1 ≥ 1e-8; measured 1.6e-15: some ten roundings of products of unit size
  CHECK(worst_angle < 3e-15);
  CHECK(worst_rate < 2e-15);
}

TEST_CASE("the closed form in 50 digits is the solution of the equations of motion: Taylor series agree to 1e-38") {
  test::Random random(12);
  const int bodies = test::long_run() ? 20 : 3;
  const double turns = test::long_run() ? 100 : 6;
  for (int n = 0; n < bodies; ++n) {
    const Start s = random_start(random, std::pow(10.0, n == 0 ? -0.5 : (n == 1 ? -3.0 : -random.between(0.1, 12))));
    const FreeMotion<Precise> exact = precise_motion_of(s);
    verification::Taylor<Precise> series({precise(s.J)}, precise(s.e), precise(s.w));
    const Precise t(turns * s.turn() * (n % 2 == 0 ? 1 : -1));
    series.advance(t);
    const MotionState<Precise> state = exact.at(t);
    // 1e-45 a step; near the separatrix neighbours part as 1/√m1 each half period, 1e6 for these
    CHECK(static_cast<double>(sqrt(norm_squared(state.e_NB - series.e()))) < 1e-38);
    CHECK(static_cast<double>(sqrt(norm_squared(state.w_B - series.w()))) < 1e-38);
  }
}

TEST_CASE("in long double the closed form agrees with 50 digits to some of its last digits over a few turns") {
  test::Random random(21);
  double worst = 0;
  double worst_in_double = 0;
  for (int n = 0; n < 50; ++n) {
    const Start s = random_start(random, std::pow(10.0, -random.between(0.1, 4)));
    const auto wide = [](const Vec3<double>& v) {
      return Vec3<long double>{static_cast<long double>(v.x), static_cast<long double>(v.y),
                               static_cast<long double>(v.z)};
    };
    const FreeMotion<long double> motion(wide(s.J), {static_cast<long double>(s.e.e0), wide(s.e.ev)}, wide(s.w));
    const QuickFreeMotion quick(s.J, s.e, s.w);
    const double t = random.between(-3, 3) * s.turn();
    const EulerParameters<Precise> exact = precise_motion_of(s).at(Precise(t)).e_NB;
    const EulerParameters<long double> e = motion.at(static_cast<long double>(t)).e_NB;
    const EulerParameters<Precise> found{Precise(e.e0), {Precise(e.ev.x), Precise(e.ev.y), Precise(e.ev.z)}};
    worst = std::max(worst, angle_between(found, exact));
    worst_in_double = std::max(worst_in_double, angle_between(quick.at(t).e_NB, exact));
  }
  // rounding 5e-20, times 20 rad of phase and m1 known to 5e-20/1e-4
  CHECK(worst < 1e-15);
  CHECK(worst < worst_in_double / 100);
}

TEST_CASE("the textbook form with the integral of the third kind agrees; with the wrong sign of s2 it does not") {
  const Start cases[] = {kUpper, {{4, 3, 2}, kUpper.e, {0.1, 0.2, 0.9}}, {{10, 20, 26}, kUpper.e, {1, 15, 1}}};
  for (const Start& s : cases) {
    const FreeMotion<Precise> exact = precise_motion_of(s);
    for (const double t : {0.7, 33.0, -12.5}) {
      const MotionState<Precise> state = exact.at(Precise(t));
      const Textbook right(precise(s.J), precise(s.w), false);
      CHECK(angle_between(right.at(precise(s.e), Precise(t)), state.e_NB) < 1e-40);
      CHECK(static_cast<double>(sqrt(norm_squared(right.rate(Precise(t)) - state.w_B))) < 1e-40);
      const Textbook wrong(precise(s.J), precise(s.w), true);
      CHECK(angle_between(wrong.at(precise(s.e), Precise(t)), state.e_NB) > 1e-3);
    }
    // advance about h in one period: (|h|/C) P + 4|h|(C−A)/(ACν) Π(n; π/2)
    const Textbook b(precise(s.J), precise(s.w), false);
    const Precise quarter = math::pi<Precise>() / 2;
    const Precise period = 4 * elliptic::complete_K(b.m1) / b.nu;
    const Precise advance =
        b.h / b.C * period + 4 * b.h * (b.C - b.A) / (b.A * b.C * b.nu) * elliptic::Pi(b.n, quarter, b.m1);
    CHECK(static_cast<double>(abs(exact.period() - period)) < 1e-40);
    CHECK(static_cast<double>(abs(exact.advance() - advance)) < 1e-40);
  }
}

TEST_CASE("after one period the body rate is back and the body has turned about h by the advance") {
  test::Random random(13);
  for (int n = 0; n < 60; ++n) {
    Start s = random_start(random, random.logarithmic(1e-12, 1));
    if (n % 5 == 0) { s.J.y = s.J.x; }  // axisymmetric
    const FreeMotion<double> motion = motion_of(s);
    const double t = random.between(-20, 20);
    const MotionState<double> now = motion.at(t);
    const MotionState<double> later = motion.at(t + motion.period());
    // t + period is rounded: 1e-16 of it times the rate
    const double rounding = 1e-15 * (10 + (std::fabs(t) + motion.period()) * norm(s.w));
    CHECK(norm(later.w_B - now.w_B) < rounding * norm(s.w));
    const Vec3<double> axis = motion.h_N() / norm(motion.h_N());
    const EulerParameters<double> turned = exp(motion.advance() * axis) * now.e_NB;
    CHECK(rotation_angle(relative_rotation(turned, later.e_NB)) < rounding + 1e-15 * std::fabs(motion.advance()));
    const EulerParameters<double> wrong = exp(-motion.advance() * axis) * now.e_NB;
    CHECK(rotation_angle(relative_rotation(wrong, later.e_NB)) > 1e-4);
  }
}

TEST_CASE("energy, momentum in space and the norm of e do not change") {
  test::Random random(14);
  for (int n = 0; n < 200; ++n) {
    const Start s = random_start(random, random.logarithmic(1e-16, 1));
    const FreeMotion<double> motion = motion_of(s);
    const Vec3<double> h0{s.J.x * s.w.x, s.J.y * s.w.y, s.J.z * s.w.z};
    CHECK(norm(motion.h_N() - rotate(s.e, h0)) < 3e-15 * norm(h0));
    const MotionState<double> state = motion.at(random.between(-1000, 1000));
    const Vec3<double> h{s.J.x * state.w_B.x, s.J.y * state.w_B.y, s.J.z * state.w_B.z};
    CHECK(norm(rotate(state.e_NB, h) - motion.h_N()) < 1e-14 * norm(h0));  // a few roundings of each factor
    CHECK(std::fabs(dot(h, state.w_B) / 2 - motion.kinetic_energy()) < 5e-15 * motion.kinetic_energy());
    CHECK(std::fabs(norm(h) - motion.momentum()) < 3e-15 * norm(h0));
    CHECK(std::fabs(norm(state.e_NB) - norm(s.e)) < 2e-15);
    CHECK(norm(rotate(conjugate(state.e_NB), h) - motion.h_N()) > 1e-6 * norm(h0));  // the wrong direction shows
  }
}

TEST_CASE("going on from a state on the way, and back from it, are the same motion") {
  test::Random random(15);
  for (int n = 0; n < 200; ++n) {
    const double m1 = random.logarithmic(1e-3, 1);
    const Start s = random_start(random, m1);
    const FreeMotion<double> motion = motion_of(s);
    const double t = random.between(-5, 5);
    const double u = random.between(-5, 5);
    const MotionState<double> middle = motion.at(t);
    const FreeMotion<double> next(s.J, middle.e_NB, middle.w_B);
    const MotionState<double> sum = motion.at(t + u);
    const MotionState<double> two = next.at(u);
    // the state on the way is rounded; neighbours part at most by (1 + phase)/m1
    const double tolerance = 1e-14 / m1;
    CHECK(norm(sum.e_NB - two.e_NB) < tolerance);  // sign included
    CHECK(norm(sum.w_B - two.w_B) < tolerance);
    CHECK(norm(next.at(-t).e_NB - s.e) < tolerance);
    CHECK(norm(next.at(t).e_NB - s.e) > 1e-9);  // forward is not back
  }
}

TEST_CASE("ten million turns later the attitude is still good to the rounding of the time itself") {
  test::Random random(16);
  for (int n = 0; n < 20; ++n) {
    const Start s = random_start(random, random.logarithmic(1e-6, 1));
    const double t = 1e7 * s.turn();
    CHECK(angle_between(motion_of(s).at(t).e_NB, precise_motion_of(s).at(Precise(t)).e_NB) < 3e-15);
  }
}

TEST_CASE("e is continuous in time, sign included, and starts where it was told to") {
  test::Random random(17);
  for (int n = 0; n < 40; ++n) {
    const Start s = random_start(random, random.logarithmic(1e-10, 1));
    const FreeMotion<double> motion = motion_of(s);
    CHECK(norm(motion.at(0).e_NB - s.e) < 1e-15);
    CHECK(norm(motion.at(0).w_B - s.w) < 1e-15 * norm(s.w));
    const double step = 0.02 * s.turn();
    EulerParameters<double> last = motion.at(-40 * s.turn()).e_NB;
    for (int i = 1; i < 4000; ++i) {
      const EulerParameters<double> e = motion.at(-40 * s.turn() + i * step).e_NB;
      if (dot(e, last) < 0.7) { FAIL("a jump of sign"); }  // cos of half the angle turned in a fiftieth of a turn
      last = e;
    }
  }
}

TEST_CASE("a full inertia matrix moves as its principal axes do, and the worth of its last digit is reported") {
  test::Random random(18);
  for (int n = 0; n < 50; ++n) {
    const Start s = random_start(random, random.logarithmic(1e-8, 1));
    // axes P turned by an exact rotation (entries are multiples of 1/9), so that J_B = U diag Uᵀ rounds only once
    const EulerParameters<double> e_BP{1.0 / 3, {2.0 / 3, 0, 2.0 / 3}};
    const Mat3<double> U = rotation_matrix(e_BP);
    const Mat3<double> J_B = U * diagonal(s.J.x, s.J.y, s.J.z) * transpose(U);
    Mat3<double> J = J_B;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < i; ++j) { J(i, j) = J(j, i); }
    }
    const EulerParameters<double> e_NB = s.e * conjugate(e_BP);
    const Vec3<double> w_B = U * s.w;
    const FreeMotion<double> full(J, e_NB, w_B);
    const FreeMotion<double> principal = motion_of(s);
    CHECK(std::fabs(full.m1() - principal.m1()) < 20 * full.input_loss() * full.m1());
    const double t = 3 * s.turn();
    const double tolerance = 1e-14 + 20 * full.input_loss();
    CHECK(norm(nearest_sign(full.at(t).e_NB * e_BP, principal.at(t).e_NB) - principal.at(t).e_NB) < tolerance);
    CHECK(norm(transpose_times(U, full.at(t).w_B) - principal.at(t).w_B) < tolerance);
    // and in 50 digits from the same rounded matrix: nothing is lost on top of the input
    const FreeMotion<Precise> exact(motion::convert<Precise>(J), precise(e_NB), precise(w_B));
    CHECK(angle_between(full.at(t).e_NB, exact.at(Precise(t)).e_NB) < 3e-15);
    // ε/m1, within the spread of the moments
    CHECK(full.input_loss() * full.m1() > 1e-16);
  }
}

TEST_CASE("every special case works: rest, axes, equal and nearly equal moments, the exact separatrix, all scales") {
  const EulerParameters<double> e{0.5, {-0.5, 0.5, 0.5}};
  const auto same_as_50_digits = [&](const Vec3<double>& J, const Vec3<double>& w, FreeBranch branch) {
    CAPTURE(J.x);
    CAPTURE(J.y);
    CAPTURE(J.z);
    CAPTURE(w.x);
    CAPTURE(w.y);
    CAPTURE(w.z);
    const FreeMotion<double> motion(J, e, w);
    CHECK(motion.branch() == branch);
    const FreeMotion<Precise> exact(precise(J), precise(e), precise(w));
    const double unit = norm(w) > 0 ? 1 / norm(w) : 1;
    for (const double turns : {0.0, 0.3, -2.0, 17.0, 600.0}) {
      const MotionState<double> state = motion.at(turns * unit);
      const MotionState<Precise> reference = exact.at(Precise(turns * unit));
      CHECK(angle_between(state.e_NB, reference.e_NB) < 3e-15);
      CHECK(distance(state.w_B, reference.w_B) <= 3e-15 * norm(w));
    }
  };
  using enum FreeBranch;
  same_as_50_digits({2, 3, 4}, {0, 0, 0}, rest);
  same_as_50_digits({2, 3, 4}, {0, 0, 5}, steady);
  same_as_50_digits({2, 3, 4}, {0, -5, 0}, steady);  // the unstable axis, exactly
  same_as_50_digits({2, 2, 2}, {1, 2, 3}, steady);
  same_as_50_digits({2, 2, 3}, {1, 2, 3}, axisymmetric);
  same_as_50_digits({3, 2, 2}, {1, 2, 3}, axisymmetric);
  same_as_50_digits({2, 3, 2}, {1, 2, 0}, axisymmetric);  // h and ω across: C ω'_s ≠ 0
  same_as_50_digits({2, 3, 2}, {1, 0, 1}, axisymmetric);  // Ω = 0
  // 2·2·ω1² = 4.5·½·ω3² holds exactly for ω1 : ω3 = 3 : 4
  for (const double s1 : {-1.5, 1.5}) {
    for (const double s3 : {-2.0, 2.0}) { same_as_50_digits({2, 4, 4.5}, {s1, 0.7, s3}, separatrix); }
  }
  same_as_50_digits({2, 4, 4.5}, {1.5, -0.7, std::nextafter(2.0, 3.0)}, about_largest);
  same_as_50_digits({2, 4, 4.5}, {1.5, -0.7, std::nextafter(2.0, 1.0)}, about_smallest);
  const double tiny = 0x1p-52;
  same_as_50_digits({1, 1 + tiny, 2}, {1, 2, 3}, about_largest);
  same_as_50_digits({1, 2, 2 + 2 * tiny}, {1, 2, 3}, about_smallest);
  same_as_50_digits({1, 2, 2 + 2 * tiny}, {1e-9, 2, 3}, about_largest);  // |n| = 1e15
  same_as_50_digits({1, 1 + tiny, 1 + 2 * tiny}, {1, 2, 3}, about_largest);
  same_as_50_digits({1e-3, 1, 1.0005}, {5, 1e-2, 3}, about_smallest);  // a needle
  same_as_50_digits({2, 3, 4}, {1e-30, 1e-30, 5}, about_largest);
  same_as_50_digits({2, 3, 4}, {1e-120, 3, 1e-121}, about_smallest);
  same_as_50_digits({2, 3, 4}, {0, 3, 1e-60}, about_largest);
  same_as_50_digits({2, 3, 4}, {1e-8, 5, 0}, about_smallest);
  for (const double mass : {1e-9, 1e9}) {
    for (const double rate : {1e-9, 1e9}) {
      same_as_50_digits({2 * mass, 3 * mass, 4 * mass}, {0.3 * rate, -0.2 * rate, 0.5 * rate}, about_largest);
      same_as_50_digits({2 * mass, 3 * mass, 3 * mass}, {0.3 * rate, -0.2 * rate, 0.5 * rate}, axisymmetric);
    }
  }
}

TEST_CASE("exactly on the separatrix the rate follows tanh and sech and ends on the middle axis") {
  const Vec3<double> J{2, 4, 4.5};
  const FreeMotion<double> motion(J, EulerParameters<double>::identity(), {1.5, 0, 2});
  CHECK(motion.m1() == 0);
  CHECK(std::isinf(motion.period()));
  // ν = a3 √((C−B)(C−A)/(AB)), a3 = 2; a2 = |h|/B
  const double nu = 2 * std::sqrt(0.5 * 2.5 / 8);
  const double a2 = std::hypot(2 * 1.5, 4.5 * 2) / 4;
  for (const double t : {-3.0, 0.4, 9.0}) {
    const Vec3<double> w = motion.at(t).w_B;
    CHECK(std::fabs(w.x - 1.5 / std::cosh(nu * t)) < 1e-15);
    CHECK(std::fabs(w.y - a2 * std::tanh(nu * t)) < 2e-15);
    CHECK(std::fabs(w.z - 2 / std::cosh(nu * t)) < 1e-15);
  }
  CHECK(norm(motion.at(1e6).w_B - Vec3<double>{0, a2, 0}) < 2e-15);
  CHECK(norm(motion.at(-1e6).w_B - Vec3<double>{0, -a2, 0}) < 2e-15);
}

TEST_CASE("set up in plain doubles the motion is good to rounding over one turn, and to 1e-16/m1 near the separatrix") {
  test::Random random(19);
  for (int n = 0; n < 200; ++n) {
    const double m1 = random.logarithmic(1e-8, 1);
    const Start s = random_start(random, m1);
    const QuickFreeMotion motion(s.J, s.e, s.w);
    const double t = random.between(-1, 1) * s.turn();
    // some ten roundings in the constants, and a small spread of moments divides differences by C − B
    CHECK(angle_between(motion.at(t).e_NB, precise_motion_of(s).at(Precise(t)).e_NB) < 2e-14 + 2e-15 / motion.m1());
  }
}

TEST_CASE("many times in one call give what single calls give") {
  const FreeMotion<double> motion = motion_of(kUpper);
  const std::vector<double> times{-3, 0, 0.5, 100};
  std::vector<MotionState<double>> states(times.size());
  motion.at(times, states);
  for (std::size_t i = 0; i < times.size(); ++i) {
    CHECK(states[i].e_NB == motion.at(times[i]).e_NB);
    CHECK(states[i].w_B == motion.at(times[i]).w_B);
  }
}

TEST_CASE("impossible input is refused with one line") {
  const EulerParameters<double> one = EulerParameters<double>::identity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto message = [&](const Vec3<double>& J, const EulerParameters<double>& e, const Vec3<double>& w) {
    try {
      const FreeMotion<double> motion(J, e, w);
      return std::string("accepted");
    } catch (const Error& error) { return std::string(error.what()); }
  };
  CHECK(message({2, 3, 4}, one, {1, 2, 3}) == "accepted");
  CHECK(message({2, -3, 4}, one, {1, 2, 3}) ==
        "principal moment 2 is -3 kg m²; moments of inertia are positive numbers, 1e-100 to 1e100");
  CHECK(message({2, 3, 0}, one, {1, 2, 3}).find("principal moment 3 is 0 kg m²") == 0);
  CHECK(message({2, nan, 4}, one, {1, 2, 3}).find("principal moment 2 is nan") == 0);
  CHECK(message({2, 3, 4}, one, {1, nan, 3}).find("body rate (1 nan 3) is not finite") == 0);
  CHECK(message({2, 3, 4}, {1, {1, 0, 0}}, {1, 2, 3}).find("has norm 1.41421356, not 1") != std::string::npos);
  Mat3<double> J = diagonal(2.0, 3.0, 4.0);
  J(0, 1) = 0.1;
  CHECK_THROWS_WITH_AS(
      FreeMotion<double>(J, one, {1, 2, 3}),
      "inertia matrix is not symmetric: two entries differ by 0.1; give J12 = J21, J13 = J31, J23 = J32", Error);
  CHECK_THROWS_AS(FreeMotion<double>(diagonal(2.0, -3.0, 4.0), one, {1, 2, 3}), Error);
  J(0, 1) = J(1, 0) = nan;
  CHECK_THROWS_AS(FreeMotion<double>(J, one, {1, 2, 3}), Error);
}

TEST_CASE("a spherical body turns about its rate in the body, whatever its direction, and the rate stays") {
  const Vec3<double> w{1, 2, -1.5};
  const EulerParameters<double> e{2.0 / 9, {4.0 / 9, 5.0 / 9, 6.0 / 9}};
  const FreeMotion<double> motion(Vec3<double>{2, 2, 2}, e, w);
  for (const double t : {-3.0, 0.7, 5.0}) {
    const MotionState<double> state = motion.at(t);
    CHECK(norm(state.w_B - w) < 1e-13);
    CHECK(norm(state.e_NB - e * exp(t * w)) < 1e-13);  // the sign, too
  }
}
