// Logs really written by other engines (bench/logs records them): what the referee says, and that it is right.
#include "polhode/audit/audit.h"
#include "support/words.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace polhode;
using namespace polhode::audit;

namespace {

RotationLog read_case(const std::string& name, const std::string& map) {
  std::ifstream file(std::string(POLHODE_SOURCE_DIR) + "/tests/cases/" + name);
  REQUIRE(file);
  return read_log(name, {.map = &log_map(map)}, [&](char* to, std::size_t size) {
    file.read(to, static_cast<std::streamsize>(size));
    return static_cast<std::size_t>(file.gcount());
  });
}

/// The body of every recorded log.
const Mat3<double> kBox_B = diagonal(0.02, 0.03, 0.04);

double number(const Verdict& verdict, const std::string& name) {
  for (const auto& [known, value] : verdict.numbers) {
    if (known == name) { return value; }
  }
  FAIL("no number ", name);
  return 0;
}

struct Engine {
  const char* file;
  const char* map;
  const char* faults;
  const char* scheme;  ///< words of the verdict, "" where it cannot be told
};

/// Settings and what they mean:
///   MuJoCo   Euler: explicit rates, then the attitude by the new rate; implicit: one Newton step; RK4
///   Bullet   the gyroscopic term by one Newton step in body components (default), explicit, or not at all
///   ODE      the gyroscopic term with new rate and old momentum (default) or not at all; the attitude of first order
///            unless finite rotations are asked for
const Engine kEngines[] = {
    {"audit_mujoco_euler.csv", "mujoco", "growth", "attitude: exponential-new|rates: explicit "},
    {"audit_mujoco_implicit.csv", "mujoco", "damping", "attitude: exponential-new|rates: newton "},
    {"audit_mujoco_rk4.csv", "mujoco", "", "rates: exact "},
    {"audit_mujoco_damped.csv", "mujoco", "damping", ""},
    {"audit_bullet_default.csv", "bullet", "damping", "attitude: exponential-new|rates: newton "},
    {"audit_bullet_no_gyro.csv", "bullet", "gyroscopic-missing", "attitude: exponential |rates: constant "},
    {"audit_bullet_explicit.csv", "bullet", "growth", "attitude: exponential-new|rates: explicit "},
    {"audit_bullet_damped.csv", "bullet", "damping", ""},
    {"audit_ode_default.csv", "ode", "attitude damping", "attitude: first-order-new|rates: linear-implicit "},
    {"audit_ode_finite.csv", "ode", "damping", "attitude: exponential-new|rates: linear-implicit "},
    {"audit_ode_no_gyro.csv", "ode", "attitude gyroscopic-missing", "this is the scheme 'body-no-gyro'"},
};

}  // namespace

TEST_CASE("MuJoCo, Bullet and ODE: conventions, faults and schemes are what their settings say") {
  for (const Engine& engine : kEngines) {
    const std::string name = engine.file;
    CAPTURE(name);
    const Report report = audit::audit(read_case(engine.file, engine.map), {.J_B = kBox_B});
    for (const char* question : {"order", "direction", "frame", "units", "norm"}) {
      CAPTURE(question);
      CHECK(report.verdict(question).answer == Answer::yes);
    }
    CHECK(test::joined(report.faults()) == engine.faults);
    const Verdict& scheme = report.verdict("scheme");
    CAPTURE(scheme.reason);
    CHECK((scheme.answer == Answer::yes) == (std::strlen(engine.scheme) > 0));
    std::istringstream parts(engine.scheme);
    for (std::string part; std::getline(parts, part, '|');) { CHECK(test::holds(scheme.reason, part)); }
  }
}

TEST_CASE("the change of energy is that between first and last row") {
  // ½ ω'·Jω' of the rows themselves; a trend over all rows is not the difference of two, and the change is not straight
  for (const Engine& engine : kEngines) {
    const std::string name = engine.file;
    CAPTURE(name);
    const RotationLog log = read_case(engine.file, engine.map);
    const auto energy = [&](std::size_t k) {
      const EulerParameters<double> e_NB =
          log.assumed.order == Order::wxyz
              ? EulerParameters<double>{log.q[k][0], {log.q[k][1], log.q[k][2], log.q[k][3]}}
              : EulerParameters<double>{log.q[k][3], {log.q[k][0], log.q[k][1], log.q[k][2]}};
      const Vec3<double> w_B =
          log.assumed.frame == RateFrame::body ? log.w[k] : rotate_back(normalized(e_NB), log.w[k]);
      return dot(w_B, kBox_B * w_B);
    };
    const double change = energy(log.size() - 1) / energy(0) - 1;
    const double found = number(audit::audit(log, {.J_B = kBox_B}).verdict("energy"), "relative_change");
    CHECK(std::fabs(found - change) < 1e-12 * (1 + std::fabs(change)));  // rounding of a logarithm and its inverse
  }
}

TEST_CASE("times in another unit are put right exactly: the same verdicts, scheme and numbers as in seconds") {
  struct Unit {
    double times;
    double by;
    double factor;
    const char* what;
  };
  // whole multiples of 0.02 s, as an engine writes them: 20 ms is 20/1000 s to the bit
  const RotationLog seconds = read_case("audit_mujoco_euler.csv", "mujoco");
  const Report right = audit::audit(seconds, {.J_B = kBox_B});
  for (const Unit& unit : {Unit{1e3, 1, 1e-3, "milliseconds"}, Unit{1e6, 1, 1e-6, "microseconds"},
                           Unit{1e9, 1, 1e-9, "nanoseconds"}, Unit{1, 60, 60, "minutes"}}) {
    const std::string what = unit.what;
    CAPTURE(what);
    RotationLog log = seconds;
    for (double& t : log.t) { t = t * unit.times / unit.by; }
    const Report report = audit::audit(log, {.J_B = kBox_B});
    CHECK(report.time_factor == unit.factor);
    CHECK(report.rate_factor == 1);
    CHECK(test::joined(report.faults()) == "units growth");
    CHECK(test::holds(report.verdict("units").reason, "the times are in " + what));
    CHECK(report.verdict("scheme").reason == right.verdict("scheme").reason);
    CHECK(report.duration == doctest::Approx(right.duration).epsilon(1e-14));
    for (const char* question : {"attitude", "gyroscopic", "inertia", "energy", "momentum", "accuracy"}) {
      CAPTURE(question);
      CHECK(report.verdict(question).answer == right.verdict(question).answer);
    }
  }
}

TEST_CASE("rates in degree/s or revolutions a minute are put right exactly, with times in milliseconds too") {
  const RotationLog seconds = read_case("audit_mujoco_rk4.csv", "mujoco");
  for (const double time : {1.0, 1e3}) {
    for (const double rate : {180 / math::kPi<double>, 30 / math::kPi<double>}) {
      RotationLog log = seconds;
      for (double& t : log.t) { t *= time; }
      for (Vec3<double>& w : log.w) { w *= rate; }
      const Report report = audit::audit(log, {.J_B = kBox_B});
      CHECK(report.rate_factor == doctest::Approx(1 / rate).epsilon(1e-15));
      CHECK(report.time_factor == 1 / time);
      CHECK(test::joined(report.faults()) == "units");
      CHECK(report.verdict("scheme").answer == Answer::yes);
      // the number behind the words: rates as logged over those that the attitudes turn with
      const auto& numbers = report.verdict("units").numbers;
      REQUIRE(numbers.size() == 1);
      CHECK(numbers[0].first == "rates_over_turns");
      CHECK(numbers[0].second == doctest::Approx(rate * time).epsilon(1e-3));
    }
  }
}

TEST_CASE("a short log of explicit Euler steps is neither a torque nor another inertia: the step is recognised") {
  const Mat3<double> J_B = diagonal(1.0, 2.0, 3.0);
  for (const double h : {0.02, 0.05, 0.1}) {
    for (const int rows : {10, 20, 40}) {
      CAPTURE(h);
      CAPTURE(rows);
      RotationLog log;
      EulerParameters<double> e_NB = EulerParameters<double>::identity();
      Vec3<double> w_B{1, 2, 3};
      for (int k = 0; k < rows; ++k) {
        log.t.push_back(h * k);
        log.q.push_back({e_NB.e0, e_NB.ev.x, e_NB.ev.y, e_NB.ev.z});
        log.w.push_back(w_B);
        w_B += h * (inverse(J_B) * cross(J_B * w_B, w_B));
        e_NB = normalized(e_NB * exp(h * w_B));
      }
      const Report report = audit::audit(log, {.J_B = J_B});
      CHECK(test::joined(report.faults()) == "growth");
      CHECK(report.verdict("gyroscopic").answer == Answer::yes);
      CHECK(report.verdict("inertia").answer == Answer::yes);
      CHECK(report.verdict("attitude").answer == Answer::yes);
      CHECK(test::holds(report.verdict("scheme").reason, "attitude: exponential-new"));
      CHECK(test::holds(report.verdict("scheme").reason, "rates: explicit "));
    }
  }
}

TEST_CASE("an attitude that stays while the rates turn, and one that turns while the rates are zero, are faults") {
  const auto faults = [](const RotationLog& log) { return test::joined(audit::audit(log, {.J_B = kBox_B}).faults()); };
  CHECK(faults(read_case("attack/frozen.csv", "generic")) == "attitude");
  RotationLog still = read_case("audit_mujoco_rk4.csv", "mujoco");
  const RotationLog turning = still;
  for (auto& q : still.q) { q = still.q.front(); }
  CHECK(faults(still) == "attitude");
  // as rounding of an attitude near (0.5 0.5 0.5 0.5) may leave it
  for (std::size_t k = 0; k < still.size(); ++k) { still.q[k][k % 4] += 1e-3 * static_cast<double>(k % 3); }
  CHECK(faults(still) == "attitude");
  RotationLog zero = turning;
  for (Vec3<double>& w : zero.w) { w = {}; }
  CHECK(faults(zero) == "attitude");
  RotationLog constant = turning;
  for (Vec3<double>& w : constant.w) { w = turning.w.front(); }
  CHECK(faults(constant) != "");
  // a body that shakes and stays where it is: rates of 3 rad/s, attitudes within 0.1 rad
  RotationLog shaking;
  for (int k = 0; k < 500; ++k) {
    const double t = 0.005 * k;
    const double angle = 0.1 * std::sin(30 * t);
    shaking.t.push_back(t);
    shaking.q.push_back({std::cos(0.5 * angle), std::sin(0.5 * angle), 0, 0});
    shaking.w.push_back({3 * std::cos(30 * t), 0, 0});
  }
  const Report report = audit::audit(shaking, {.J_B = kBox_B});
  CHECK(report.conclusion().starts_with("no fault found, but cannot tell: order, direction, frame, units, attitude"));
}

TEST_CASE("a log under the wrong map, with the wrong moments or without any is answered accordingly") {
  const RotationLog rk4 = read_case("audit_mujoco_rk4.csv", "mujoco");
  // what MuJoCo wrote, read as ODE's: space rates
  RotationLog as_ode = rk4;
  as_ode.assumed = log_map("ode").convention;
  CHECK(test::joined(audit::audit(as_ode, {.J_B = kBox_B}).faults()) == "frame");
  RotationLog as_bullet = rk4;
  as_bullet.assumed = log_map("bullet").convention;
  CHECK(test::joined(audit::audit(as_bullet, {.J_B = kBox_B}).faults()) == "order frame");

  const Report permuted = audit::audit(rk4, {.J_B = diagonal(0.03, 0.02, 0.04)});
  CHECK(test::joined(permuted.faults()) == "inertia");
  CHECK(std::fabs(number(permuted.verdict("inertia"), "estimated_moment_2_over_1") - 1.5) < 1e-6);
  CHECK(std::fabs(number(permuted.verdict("inertia"), "estimated_moment_3_over_1") - 2) < 1e-6);

  const Report unknown = audit::audit(rk4, {});
  CHECK(test::joined(unknown.faults()) == "");
  CHECK(unknown.verdict("gyroscopic").answer == Answer::cannot_tell);
  CHECK(std::fabs(number(unknown.verdict("inertia"), "estimated_moment_3_over_1") - 2) < 1e-6);
  CHECK(unknown.verdict("energy").answer == Answer::yes);
}

TEST_CASE("the time at which the error passes 0.1 rad shrinks with the error of the engine") {
  const auto passes = [](const char* file, const char* map) {
    return number(audit::audit(read_case(file, map), {.J_B = kBox_B}).verdict("accuracy"), "passes_limit_at_s");
  };
  CHECK(std::isnan(passes("audit_mujoco_rk4.csv", "mujoco")));
  const double euler = passes("audit_mujoco_euler.csv", "mujoco");
  const double none = passes("audit_bullet_no_gyro.csv", "bullet");
  CHECK(euler > 1);
  CHECK(euler < 2);
  CHECK(none > 0.1);  // without the term: before a quarter of a turn
  CHECK(none < 0.25);
}
