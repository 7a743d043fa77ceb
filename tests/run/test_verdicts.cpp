// What the certificate must say of planted traps, each with its honest twin: docs/certificate.md has the table.
#include "polhode/core/error.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/polhode.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace polhode;
using simulation::Verdict;

namespace {

Trajectory certified_trap(const std::string& toml, const force::Laws& laws = {}) {
  const io::ScenarioFile file("title = \"trap\"\n" + toml, "trap.toml");
  REQUIRE(file.problems().empty());
  return simulate(file.scenario(), {.laws = laws, .certify = true});
}

/// A disc of 1 kg m² on a hinge, moved by a formula.
std::string pulsed_hinge(const std::string& force, const std::string& run) {
  return "[[bodies]]\nname = \"disc\"\nmass = 1\nprincipal_moments = [1, 1, 1]\n"
         "[[joints]]\nname = \"hinge\"\nkind = \"revolute\"\nbodies = [\"ground\", \"disc\"]\npoint = [0, 0, 0]\n"
         "axis = [0, 0, 1]\n[[forces]]\nkind = \"joint_force\"\njoint = \"hinge\"\nforce = \"" +
         force + "\"\n[run]\n" + run;
}
/// A body that spins slowly about its axis of symmetry, under a moment about it.
std::string thruster(const std::string& moment, const std::string& run) {
  return "[body]\nprincipal_moments = [0.04, 0.04, 0.01]\n[initial]\nw_body_deg = [0, 0, 0.5]\n"
         "[[load]]\nkind = \"moment\"\nmoment_body = [0, 0, \"" +
         moment + "\"]\n[run]\n" + run;
}
/// On a circle of 10 000 km about the earth.
std::string orbiting(const std::string& run) {
  return "[parameters]\nmu = 3.986004415e14\n[body]\nmass = 100\nprincipal_moments = [500, 200, 300]\n"
         "[initial]\nw_body = [0, 0, 0]\n"
         "position = [-4020338.690396649, 7490566.741852513, 5248299.211589362]\n"
         "velocity = [-5199.77710904224, -3436.681645356935, 1041.576797498721]\n"
         "[[load]]\nkind = \"force\"\nforce_space = [\"-100*mu*x/(x*x+y*y+z*z)^1.5\", "
         "\"-100*mu*y/(x*x+y*y+z*z)^1.5\", \"-100*mu*z/(x*x+y*y+z*z)^1.5\"]\n[run]\n" +
         run;
}

struct Trap {
  const char* name;
  std::string scenario;
  Verdict verdict;
  double rate;  ///< at the end; NaN: not looked at
};

const double kAnyRate = std::nan("");

void check_trap(const Trap& row, const char* rate) {
  CAPTURE(row.name);
  const Trajectory run = certified_trap(row.scenario);
  CAPTURE(run.certificate().reason);
  CHECK(simulation::to_text(run.certificate().verdict) == simulation::to_text(row.verdict));
  if (!std::isnan(row.rate)) { CHECK(run.column(rate).back() == doctest::Approx(row.rate).epsilon(1e-8)); }
}

}  // namespace

TEST_CASE("pulses in long steps are seen: what is certified has their effect, and fixed steps over them are not") {
  const std::string pulse = "t >= 50.02 && t < 50.07 ? 20 : 0";
  const Trap rows[] = {
      {"pulse of 50 ms in 100 s", pulsed_hinge(pulse, "duration = 100\n"), Verdict::yes, 1},
      {"the same by steps of 1 s", pulsed_hinge(pulse, "duration = 100\nintegrator = \"rk4\"\nstep = 1\n"), Verdict::no,
       kAnyRate},
      {"its twin without a pulse, by steps of 1 s",
       pulsed_hinge("t >= 150 ? 20 : 0", "duration = 100\nintegrator = \"rk4\"\nstep = 1\n"), Verdict::yes, 0},
      {"pulse by steps of tolerance 1e-4", pulsed_hinge(pulse, "duration = 100\ntolerance = 1e-4\n"), Verdict::no,
       kAnyRate},
      {"ten pulses", pulsed_hinge("mod(t, 10) < 0.001 ? 100 : 0", "duration = 99\n"), Verdict::yes, 1},
      {"an instant", pulsed_hinge("t == 5 ? 1e6 : 0.1", "duration = 10\n"), Verdict::yes, 1},
      {"identical zero", pulsed_hinge("max(0, t - 50) > 0 ? 0.02 : 0", "duration = 100\n"), Verdict::yes, 1},
      {"a smooth pulse of 10 ms", pulsed_hinge("56.418958354775628*exp(-((t-50.3)/0.01)^2)", "duration = 100\n"),
       Verdict::yes, 1},
      {"sliver of a microsecond", pulsed_hinge("t > 3 && t < 3.000001 ? 1e6 : 0", "duration = 100\n"), Verdict::yes, 1},
  };
  for (const Trap& row : rows) { check_trap(row, "disc.wz_body_rad_s"); }
}

TEST_CASE("a thruster of 50 ms in 1000 s turns the body that it acts on") {
  const double w = 0.5 * 3.141592653589793 / 180;
  check_trap({"thruster", thruster("1e-4*step(t-53.3)*step(53.35-t)", "duration = 1000\n"), Verdict::yes, w + 5e-4},
             "wz_body_rad_s");
  check_trap({"its twin at rest", thruster("1e-4*step(t-5300)", "duration = 1000\n"), Verdict::yes, w},
             "wz_body_rad_s");
}

TEST_CASE("positions of one body count") {
  check_trap(
      {"steps of 100 s", orbiting("duration = 20000\nintegrator = \"rk4\"\nstep = 100\n"), Verdict::no, kAnyRate}, "");
  check_trap({"the twin by tolerance", orbiting("duration = 20000\n"), Verdict::yes, kAnyRate}, "");
  // what is allowed is told, and can be asked for
  const Trajectory wide =
      certified_trap(orbiting("duration = 20000\nintegrator = \"rk4\"\nstep = 100\nposition_accuracy = 500\n"));
  CHECK(wide.certificate().verdict == Verdict::yes);
  REQUIRE(wide.certificate().position_allowed.has_value());
  CHECK(*wide.certificate().position_allowed == doctest::Approx(500));
}

TEST_CASE("a law given as code is opaque: no yes without max_step") {
  const std::string head =
      "[body]\nprincipal_moments = [1, 2, 3]\n[initial]\nw_body = [0, 0, 1]\n"
      "[[load]]\nkind = \"code\"\nlaw = \"own\"\n[run]\nduration = 2\n";
  const auto moment = [](double size) {
    force::Laws laws;
    laws["own"] = [size](const BodyState<double>& s) {
      force::BodyWrench<double> wrench;
      wrench.moment_B.z = s.t > 1.05 && s.t < 1.0505 ? size : 0.0;
      return wrench;
    };
    return laws;
  };
  CHECK(certified_trap(head, moment(1)).certificate().verdict != Verdict::yes);
  const Trajectory harmless = certified_trap(head, moment(0));
  CHECK(harmless.certificate().verdict == Verdict::not_established);
  CHECK(harmless.certificate().reason.find("max_step") != std::string::npos);
  CHECK(certified_trap(head + "max_step = 0.1\n", moment(0)).certificate().verdict == Verdict::yes);
  const Trajectory seen = certified_trap(head + "max_step = 2e-4\n", moment(1));
  CAPTURE(seen.certificate().reason);
  CHECK(seen.certificate().verdict == Verdict::yes);
  CHECK(seen.column("wz_body_rad_s").back() == doctest::Approx(1 + 5e-4 / 3).epsilon(1e-7));
}

TEST_CASE("events by time alone are all found, however long the steps") {
  const auto count = [](const std::string& formula) {
    const Trajectory run = certified_trap(
        "[body]\nprincipal_moments = [1, 2, 2.5]\n[initial]\nw_body = [0, 0, 0.001]\n"
        "[[event]]\nname = \"wave\"\nformula = \"" +
        formula + "\"\n[run]\nduration = 100\n");
    CHECK(run.certificate().verdict == Verdict::yes);
    return run.events().size();
  };
  CHECK(count("sin(20*t) + 0*t") == 636);
  CHECK(count("t > 30.001 && t < 30.0011 ? 1 : -1") == 2);
  CHECK(count("2 + sin(20*t)") == 0);
}

TEST_CASE("events that come and go between two looks are found where the function turns") {
  const auto count = [](const std::string& formula) {
    return certified_trap(
               "[body]\nprincipal_moments = [1, 2, 2.5]\n[initial]\nw_body = [0, 0, 0.1]\n"
               "[[event]]\nname = \"boresight\"\nformula = \"" +
               formula + "\"\n[run]\nduration = 630\n")
        .events()
        .size();
  };
  CHECK(count("R11 - cos(1*pi/180)") == 21);
  CHECK(count("R11 - 1.0006") == 0);
}

TEST_CASE("what cannot be certified leaves its results") {
  const Trajectory run = certified_trap(
      "[body]\nprincipal_moments = [1, 2, 2.5]\n[initial]\nw_body = [1, 0.5, 0.2]\n"
      "[[load]]\nkind = \"moment\"\nmoment_body = [\"0.1*sin(t)\", 0, 0]\n"
      "[run]\nduration = 10\ntolerance = 1e-14\n");
  CHECK(run.rows() == 1001);
  CHECK(run.certificate().verdict == Verdict::not_established);
}
