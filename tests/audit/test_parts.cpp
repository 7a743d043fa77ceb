// The parts of the referee, each against what it must find.
#include "audit/generated_logs.h"
#include "polhode/audit/dynamics.h"
#include "polhode/audit/exact_error.h"
#include "polhode/audit/integrals.h"
#include "polhode/audit/kinematics.h"
#include "polhode/formulation/schemes.h"
#include "polhode/motion/lagrange_top.h"
#include "support/words.h"

#include <doctest/doctest.h>

using namespace polhode;
using namespace polhode::audit;

namespace {

const Vec3<double> kMoments{1, 1.7, 2.3};
const Mat3<double> kJ_B = diagonal(1.0, 1.7, 2.3);
const EulerParameters<double> kStart = normalized(EulerParameters<double>{0.3, {-0.5, 0.7, 0.4}});

/// Rows of an exact free motion of about 1 rad/s.
struct Rows {
  std::vector<double> t;
  std::vector<EulerParameters<double>> e_NB;
  std::vector<Vec3<double>> w_B;

  Rows(std::size_t count, double step, double unevenness = 0) {
    const FreeMotion<double> motion(kMoments, kStart, {0.5, 0.8, -0.3});
    test::Random random;
    for (std::size_t k = 0; k < count; ++k) {
      t.push_back(step * (static_cast<double>(k) + unevenness * random.between(-1, 1)));
      e_NB.push_back(motion.at(t.back()).e_NB);
      w_B.push_back(motion.at(t.back()).w_B);
    }
  }
};

/// A log of one of the four schemes (formulation/schemes.h), one row a step.
RotationLog scheme_log(std::string_view name, SchemeIndex index, double step) {
  const Mat3<double> J_inverse = inverse(kJ_B);
  const Scheme& which = scheme(name);
  SchemeState<double> state{.e_NB = kStart};
  const Vec3<double> h_B = kJ_B * Vec3<double>{0.5, 0.8, -0.3};
  state.L = which.world ? rotate(kStart, h_B) : h_B;
  RotationLog log;
  for (int k = 0; k < 300; ++k) {
    const Vec3<double> w_B = J_inverse * scheme_momentum_B(which, state);
    log.t.push_back(step * k);
    log.q.push_back({state.e_NB.e0, state.e_NB.ev.x, state.e_NB.ev.y, state.e_NB.ev.z});
    log.w.push_back(w_B);
    REQUIRE(scheme_step(which, index, J_inverse, {0, 0, 0}, step, state));
  }
  return log;
}

}  // namespace

TEST_CASE(
    "the rates' own turn is the attitude's turn, to fourth order and for uneven times; with the other sign it is not") {
  const auto worst = [](double step, double sign, double unevenness) {
    const Rows rows(200, step, unevenness);
    const std::vector<RateIntegrals> sums = integrate_rates(rows.t, rows.w_B);
    double off = 0;
    for (std::size_t k = 0; k + 1 < rows.t.size(); ++k) {
      const Vec3<double> Omega = sums[k].w + sign * cross(sums[k].w, sums[k].moment) / (rows.t[k + 1] - rows.t[k]);
      off = std::max(off, rotation_angle(relative_rotation(rows.e_NB[k] * exp(Omega), rows.e_NB[k + 1])));
    }
    return off;
  };
  // local error of order five
  CHECK(worst(0.2, 1, 0) < 1e-6);
  CHECK(worst(0.1, 1, 0) < worst(0.2, 1, 0) / 24);
  CHECK(worst(0.1, 1, 0.3) < 1e-6);
  CHECK(worst(0.2, -1, 0) > 1e-4);
}

TEST_CASE("the integrals of a polynomial of degree five are exact; a gap is bridged by a line") {
  std::vector<double> t{0, 0.3, 0.5, 1.1, 1.4, 1.7, 2.4};
  std::vector<Vec3<double>> w;
  w.reserve(t.size());
  for (const double x : t) { w.push_back({x * x * x * x * x, 1, x}); }
  const std::vector<RateIntegrals> sums = integrate_rates(t, w);
  double sum = 0;
  double square = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sum += sums[k].w.x;
    square += sums[k].ww[2];
    CHECK(std::fabs(sums[k].moment.y) < 1e-15);
  }
  CHECK(std::fabs(sum - std::pow(2.4, 6) / 6) < 1e-13);  // rounding
  CHECK(std::fabs(square - std::pow(2.4, 3) / 3) < 1e-13);
  t = {0, 0.1, 0.2, 5.2, 5.3, 5.4};
  w = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
  CHECK(std::fabs(integrate_rates(t, w)[2].w.x - 2.5) < 1e-15);
}

TEST_CASE("rates are shifted in time to sixth order, and never beyond the log") {
  const auto worst = [](double step, double shift) {
    const Rows rows(60, step, 0.2);
    const FreeMotion<double> motion(kMoments, kStart, {0.5, 0.8, -0.3});
    const ShiftedRates shifted = shift_rates(rows.t, rows.w_B, shift * step);
    CHECK(shifted.first == (shift < 0 ? 2 : 0));
    CHECK(shifted.w.size() == 58);
    double off = 0;
    for (std::size_t k = 0; k < shifted.w.size(); ++k) {
      off = std::max(off, norm(shifted.w[k] - motion.at(rows.t[shifted.first + k] + shift * step).w_B));
    }
    return off;
  };
  for (const double shift : {1.5, -1.5}) {
    CHECK(worst(0.2, shift) < 1e-5);
    CHECK(worst(0.1, shift) < worst(0.2, shift) / 40);
  }
  const Rows rows(10, 0.2);
  CHECK(shift_rates(rows.t, rows.w_B, 0).w.size() == 10);
  CHECK(shift_rates(rows.t, rows.w_B, 5).w.empty());
  CHECK(shift_rates(rows.t, rows.w_B, -5).w.empty());
}

TEST_CASE("a lag of the rates is found to a hundredth of a step, and the scale is not biased by it") {
  const FreeMotion<double> motion(kMoments, kStart, {0.5, 0.8, -0.3});
  for (const double lag : {-1.9, -1.0, -0.5, 0.1, 0.5, 1.0, 1.9}) {
    for (const RateFrame frame : {RateFrame::body, RateFrame::space}) {
      RotationLog log;
      log.assumed.frame = frame;
      for (int k = 0; k < 300; ++k) {
        const double t = 0.2 * k;
        const EulerParameters<double> e = motion.at(t).e_NB;
        const MotionState<double> then = motion.at(t - 0.2 * lag);
        log.t.push_back(t);
        log.q.push_back({e.e0, e.ev.x, e.ev.y, e.ev.z});
        log.w.push_back(frame == RateFrame::body ? then.w_B : rotate(then.e_NB, then.w_B));
      }
      CAPTURE(lag);
      const ConventionFit best = compare_conventions(log).fits[0];
      CHECK(best.convention == log.assumed);
      CHECK(std::fabs(best.lag - lag) < 0.01);
      CHECK(std::fabs(best.scale - 1) < 1e-4);
      CHECK(best.residual < 1e-4);
      const Report report = audit::audit(log, {.J_B = kJ_B});
      CHECK(report.conclusion() == "no fault found");
    }
  }
}

TEST_CASE("a trend is found to its standard error, and none where there is none") {
  test::Random random;
  std::vector<double> t;
  std::vector<double> level;
  std::vector<double> rising;
  for (int k = 0; k < 5000; ++k) {
    t.push_back(0.01 * k);
    level.push_back(random.between(-1, 1) + std::sin(3 * t.back()));
    rising.push_back(level.back() + 0.05 * t.back());
  }
  const Trend none = trend_of(t, level);
  const Trend some = trend_of(t, rising);
  CHECK(std::fabs(none.slope) < 5 * none.error);
  CHECK(std::fabs(some.slope - 0.05) < 5 * some.error);
  CHECK(some.slope > 6 * some.error);
}

TEST_CASE("the inertia that fits is the body's, up to its scale") {
  const Rows rows(300, 0.2);
  const RateEquations equations(rows.t, rows.w_B);
  const Mat3<double> unit = (1 / frobenius_norm(kJ_B)) * kJ_B;
  CHECK(frobenius_norm(equations.fit().J_B - unit) < 1e-7);  // quadrature at 30 rows a turn: measured 1.3e-9
  CHECK(equations.residual(kJ_B, 1) < 1e-7);
  CHECK(equations.residual(1000.0 * kJ_B, 1) == doctest::Approx(equations.residual(kJ_B, 1)));
  // without the term, with the wrong sign, with moments exchanged
  CHECK(equations.residual(kJ_B, 0) > 0.05);
  CHECK(equations.residual(kJ_B, -1) > 0.1);
  CHECK(equations.residual(diagonal(1.7, 1.0, 2.3), 1) > 0.05);
  CHECK(equations.fit().second > 0.01);
}

TEST_CASE("every reading is found in a log written that way, and is the only one that fits") {
  for (const Order order : {Order::wxyz, Order::xyzw}) {
    for (const Direction direction : {Direction::body_to_space, Direction::space_to_body}) {
      for (const RateFrame frame : {RateFrame::body, RateFrame::space}) {
        const Rows rows(200, 0.2);
        RotationLog log;
        for (std::size_t k = 0; k < rows.t.size(); ++k) {
          const EulerParameters<double> e =
              direction == Direction::body_to_space ? rows.e_NB[k] : conjugate(rows.e_NB[k]);
          log.t.push_back(rows.t[k]);
          log.q.push_back(order == Order::wxyz ? std::array<double, 4>{e.e0, e.ev.x, e.ev.y, e.ev.z}
                                               : std::array<double, 4>{e.ev.x, e.ev.y, e.ev.z, e.e0});
          log.w.push_back(frame == RateFrame::body ? rows.w_B[k] : rotate(rows.e_NB[k], rows.w_B[k]));
        }
        const Kinematics kinematics = compare_conventions(log);
        CHECK(kinematics.fits[0].convention == Convention{order, direction, frame});
        CHECK(kinematics.fits[0].residual < 1e-4);  // windows of 0.3 rad: measured 1.3e-5
        CHECK(kinematics.fits[1].residual > 0.1);
        CHECK(std::fabs(kinematics.fits[0].scale - 1) < 1e-4);
        CHECK(std::fabs(kinematics.fits[0].lag) < 0.05);
      }
    }
  }
}

TEST_CASE("an exact log is off by no more than rounding, and a body that is not the given one passes the limit") {
  const Rows rows(500, 0.2);
  const ExactError right = exact_error(rows.t, rows.e_NB, rows.w_B, kJ_B, 0.1);
  CHECK(right.known);
  CHECK(right.largest < 1e-9);
  CHECK(right.passes_at < 0);
  const ExactError wrong = exact_error(rows.t, rows.e_NB, rows.w_B, diagonal(1.0, 1.75, 2.3), 0.1);
  CHECK(wrong.largest > 0.1);
  CHECK(wrong.passes_at > 0);
  CHECK(wrong.passes_at < rows.t.back());
}

TEST_CASE("each of the four schemes is recognised by its steps, and the exact motion as none of them") {
  const auto verdict = [](const RotationLog& log) { return audit::audit(log, {.J_B = kJ_B}).verdict("scheme"); };
  const auto check = [&](const char* name, SchemeIndex index, const std::string& expected) {
    const Verdict scheme = verdict(scheme_log(name, index, 0.05));
    CAPTURE(name);
    CAPTURE(scheme.reason);
    CHECK(scheme.answer == Answer::yes);
    CHECK(test::holds(scheme.reason, "this is the scheme '" + expected + "'"));
  };
  check("body", SchemeIndex::lagged, "body");
  check("body", SchemeIndex::implicit, "body, implicit");
  check("world", SchemeIndex::lagged, "world");
  check("world", SchemeIndex::implicit, "world, implicit");
  check("body-no-gyro", SchemeIndex::lagged, "body-no-gyro");

  const Rows rows(300, 0.05);
  RotationLog exact;
  for (std::size_t k = 0; k < rows.t.size(); ++k) {
    const EulerParameters<double>& e = rows.e_NB[k];
    exact.t.push_back(rows.t[k]);
    exact.q.push_back({e.e0, e.ev.x, e.ev.y, e.ev.z});
    exact.w.push_back(rows.w_B[k]);
  }
  CHECK(verdict(exact).answer == Answer::yes);
  CHECK(test::holds(verdict(exact).reason, "rates: exact "));
  CHECK_FALSE(test::holds(verdict(exact).reason, "this is the scheme"));
}

TEST_CASE("damping and growth are told with their rate") {
  // ω' falls as exp(−βt): momentum at the rate −β, energy at −2β
  const double beta = 0.01;
  const FreeMotion<double> motion(kMoments, kStart, {0.5, 0.8, -0.3});
  RotationLog log;
  for (int k = 0; k < 500; ++k) {
    const double t = 0.1 * k;
    const MotionState<double> state = motion.at((1 - std::exp(-beta * t)) / beta);
    log.t.push_back(t);
    log.q.push_back({state.e_NB.e0, state.e_NB.ev.x, state.e_NB.ev.y, state.e_NB.ev.z});
    log.w.push_back(std::exp(-beta * t) * state.w_B);
  }
  const Report report = audit::audit(log, {.J_B = kJ_B});
  CHECK(report.faults() == std::vector<std::string>{"damping"});
  CHECK(std::fabs(report.verdict("energy").numbers[2].second + 2 * beta) < 1e-9);
  CHECK(std::fabs(report.verdict("momentum").numbers[2].second + beta) < 1e-9);
}

TEST_CASE("a body under a torque is no free body, whatever its inertia") {
  // a top: gravity acts
  const LagrangeTop<double> top({1.3, 0.9, 2.1, 2}, kStart, {0.4, 0.9, 3});
  RotationLog log;
  for (int k = 0; k < 500; ++k) {
    const MotionState<double> state = top.at(0.05 * k);
    log.t.push_back(0.05 * k);
    log.q.push_back({state.e_NB.e0, state.e_NB.ev.x, state.e_NB.ev.y, state.e_NB.ev.z});
    log.w.push_back(state.w_B);
  }
  const Report report = audit::audit(log, {.J_B = diagonal(1.3, 1.3, 0.9)});
  CHECK(report.verdict("attitude").answer == Answer::yes);
  CAPTURE(report.verdict("inertia").reason);
  CHECK(report.verdict("inertia").fault == "torque");
}

TEST_CASE("an unknown name of a verdict is answered with the known ones") {
  const Report report = audit::audit(scheme_log("body", SchemeIndex::lagged, 0.05), {});
  CHECK_THROWS_WITH_AS(
      report.verdict("energies"),
      doctest::Contains("unknown verdict 'energies'; known: order direction frame units norm attitude"), Error);
}
