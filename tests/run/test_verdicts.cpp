// What the certificate must say of planted traps, each with its honest twin: docs/certificate.md has the table.
#include "polhode/core/error.h"
#include "polhode/integrator/integrator.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/polhode.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
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
/// The same with a start and further tables.
std::string started_hinge(const std::string& start, const std::string& tables, const std::string& run) {
  return "[[bodies]]\nname = \"disc\"\nmass = 1\nprincipal_moments = [1, 1, 1]\n"
         "[[joints]]\nname = \"hinge\"\nkind = \"revolute\"\nbodies = [\"ground\", \"disc\"]\npoint = [0, 0, 0]\n"
         "axis = [0, 0, 1]\n" +
         (start.empty() ? "" : "start = { " + start + " }\n") + tables + "[run]\n" + run;
}
std::string force_on_hinge(const std::string& force) {
  return "[[forces]]\nkind = \"joint_force\"\njoint = \"hinge\"\nforce = \"" + force + "\"\n";
}
std::string spring_on_hinge(const std::string& stiffness) {
  return "[[forces]]\nkind = \"joint_spring\"\njoint = \"hinge\"\nstiffness = " + stiffness + "\n";
}
std::string driven_hinge(const std::string& key, const std::string& formula) {
  return started_hinge("", "[[drivers]]\nname = \"drive\"\njoint = \"hinge\"\n" + key + " = \"" + formula + "\"\n",
                       "duration = 10\n");
}
/// Two pendulums of `size` m, one below the other, `far` m from the origin, let go from `angle` degrees.
std::string double_pendulum(double far, double size, double angle, const std::string& run) {
  const auto body = [&](const char* name, double below) {
    return fmt::format(
        "[[bodies]]\nname = \"{}\"\nmass = 1\nprincipal_moments = [{:.17g}, {:.17g}, {:.17g}]\n"
        "position = [{:.17g}, 0, {:.17g}]\n",
        name, 0.1 * size * size, 0.1 * size * size, 0.1 * size * size, far, -below * size);
  };
  const auto joint = [&](const char* name, const char* bodies, double below) {
    return fmt::format(
        "[[joints]]\nname = \"{}\"\nkind = \"revolute\"\nbodies = [{}]\npoint = [{:.17g}, 0, {:.17g}]\n"
        "axis = [0, 1, 0]\nstart = {{ turn_deg = {:.17g} }}\n",
        name, bodies, far, -below * size, angle);
  };
  return fmt::format("[gravity]\ng_space = [0, 0, {:.17g}]\n", -9.81 * size) + body("upper", 0.5) + body("lower", 1.5) +
         joint("a", "\"ground\", \"upper\"", 0) + joint("b", "\"upper\", \"lower\"", 1) + "[run]\n" + run;
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

/// Furuta's pendulum upside down: an arm about the vertical, at its end a pendulum that turns about the arm.
std::string furuta(double pivot_rate, const std::string& run) {
  return "[gravity]\ng_space = [0, 0, -9.81]\n"
         "[[bodies]]\nname = \"arm\"\nshape = \"box\"\nmass = 0.3\nedges = [0.25, 0.02, 0.02]\nposition = [0.125, 0, "
         "0]\n"
         "[[bodies]]\nname = \"pendulum\"\nshape = \"box\"\nmass = 0.1\nedges = [0.01, 0.01, 0.3]\n"
         "position = [0.25, 0, -0.15]\n"
         "[[joints]]\nname = \"column\"\nkind = \"revolute\"\nbodies = [\"ground\", \"arm\"]\npoint = [0, 0, 0]\n"
         "axis = [0, 0, 1]\n"
         "[[joints]]\nname = \"pivot\"\nkind = \"revolute\"\nbodies = [\"arm\", \"pendulum\"]\npoint = [0.25, 0, 0]\n"
         "axis = [1, 0, 0]\nstart = { turn_deg = 180, turn_rate = " +
         fmt::format("{:.17g}", pivot_rate) + " }\n[run]\noutput_interval = 0.01\n" + run;
}

struct Trap {
  const char* name;
  std::string scenario;
  Verdict verdict;
  double rate;             ///< at the end; NaN: not looked at
  double accuracy = 1e-8;  ///< of the rate
};

const double kAnyRate = std::nan("");

bool has_note(const Trajectory& run, const std::string& text) {
  const std::vector<std::string>& notes = run.certificate().notes;
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

void check_trap(const Trap& row, const char* rate) {
  CAPTURE(row.name);
  const Trajectory run = certified_trap(row.scenario);
  CAPTURE(run.certificate().reason);
  CHECK(simulation::to_text(run.certificate().verdict) == simulation::to_text(row.verdict));
  if (!std::isnan(row.rate)) { CHECK(run.column(rate).back() == doctest::Approx(row.rate).epsilon(row.accuracy)); }
}

}  // namespace

TEST_CASE("pulses in long steps are seen: what is certified has their effect, and fixed steps over them are not") {
  const std::string by_seconds = "integrator = \"rk4\"\nstep = 1\n";
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
      {"ten pulses by steps of 1 s", pulsed_hinge("mod(t, 10) < 0.001 ? 100 : 0", "duration = 99\n" + by_seconds),
       Verdict::no, kAnyRate},
      {"an instant by steps of 1 s", pulsed_hinge("t == 5 ? 1e6 : 0.1", "duration = 10\n" + by_seconds), Verdict::no,
       kAnyRate},
      {"identical zero by steps of 1 s", pulsed_hinge("max(0, t - 50) > 0 ? 0.02 : 0", "duration = 100\n" + by_seconds),
       Verdict::no, kAnyRate},
      {"a smooth pulse by steps of 1 s",
       pulsed_hinge("56.418958354775628*exp(-((t-50.3)/0.01)^2)", "duration = 100\n" + by_seconds), Verdict::no,
       kAnyRate},
      {"sliver by steps of 1 s", pulsed_hinge("t > 3 && t < 3.000001 ? 1e6 : 0", "duration = 100\n" + by_seconds),
       Verdict::no, kAnyRate},
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

TEST_CASE("energy turned over that is rounding of V is no error, and a real error of it is one") {
  const auto energy = [](double pivot_rate, const std::string& run, Verdict verdict) {
    const Trajectory trajectory = certified_trap(furuta(pivot_rate, run));
    const simulation::Certificate& certificate = trajectory.certificate();
    CAPTURE(pivot_rate);
    CAPTURE(certificate.reason);
    CHECK(simulation::to_text(certificate.verdict) == simulation::to_text(verdict));
    for (const simulation::Evidence& one : certificate.evidence) {
      if (one.name == "energy") { return one; }
    }
    FAIL("no evidence of energy");
    return simulation::Evidence();
  };
  const simulation::Evidence tiny = energy(1e-9, "duration = 1\ntolerance = 1e-11\n", Verdict::yes);
  CHECK(tiny.value > 1e-6);  // or the row shows nothing
  CHECK(tiny.bound > 1e-6);
  const simulation::Evidence falling = energy(0.1, "duration = 2\ntolerance = 1e-11\n", Verdict::yes);
  CHECK(falling.bound == 1e-6);
  const simulation::Evidence wrong = energy(1e-3, "duration = 1\nintegrator = \"rk4\"\nstep = 0.05\n", Verdict::no);
  CHECK(wrong.bound == 1e-6);
  CHECK(wrong.value > 1e-6);
  // as slow a start, with as little energy turned over, and a real error of it
  const simulation::Evidence slow = energy(5e-7, "duration = 1\nintegrator = \"rk4\"\nstep = 0.25\n", Verdict::no);
  CHECK(slow.bound > 1e-6);
  CHECK(slow.value > slow.bound);
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
  CHECK(count("t > 130.001 && t < 130.0011 ? 1 : -1") == 0);
}

TEST_CASE("an event at the instant of a switch is found where a run, or rows between two checkpoints, end there") {
  const auto count = [](const std::string& load, const std::string& event) {
    return certified_trap(
               "[body]\nprincipal_moments = [1, 2, 2.5]\n[initial]\nw_body = [0, 0, 0.1]\n"
               "[[load]]\nkind = \"moment\"\nmoment_body = [0, 0, \"" +
               load + "\"]\n[[event]]\nname = \"end\"\nformula = \"" + event +
               "\"\n[run]\nduration = 10\noutput_interval = 0.005\n")
        .events()
        .size();
  };
  CHECK(count("t >= 10 ? 1 : 0", "t - 10") == 1);
  CHECK(count("0", "t - 10") == 1);
  CHECK(count("t >= 10 ? 1 : 0", "t - 11") == 0);
  CHECK(count("t >= 5 ? 1 : 0", "t - 5") == 1);  // 1000 rows
  CHECK(count("t >= 10 ? 1 : 0", "t >= 10 ? 1 : R11 - R11 - 1") == 1);
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

TEST_CASE("what cannot be certified leaves its results, and what the second method says of it") {
  const std::string scenario =
      "[body]\nprincipal_moments = [1, 2, 2.5]\n[initial]\nw_body = [1, 0.5, 0.2]\n"
      "[[load]]\nkind = \"moment\"\nmoment_body = [\"0.1*sin(t)\", 0, 0]\n[run]\nduration = 10\n";
  const Trajectory run = certified_trap(scenario + "tolerance = 1e-14\n");
  CHECK(run.rows() == 1001);
  CHECK(run.certificate().verdict == Verdict::not_established);
  CHECK(has_note(run, "'extrapolation' with tolerance 1e-13 differs by"));
  // the twin that a finer run can follow
  CHECK(certified_trap(scenario + "tolerance = 1e-12\n").certificate().verdict == Verdict::yes);
}

TEST_CASE("laws that switch, swing or grow: what is certified has their effect, rough steps are not") {
  const std::string rk4 = "integrator = \"rk4\"\n";
  const double beat = 0.5 * (std::sin(0.1 * 20) / 0.1 - std::sin(200.1 * 20) / 200.1);
  const Trap rows[] = {
      {"square wave", pulsed_hinge("mod(t, 0.2) < 0.1 ? 1 : -1", "duration = 20\n"), Verdict::yes, 0},
      {"by steps that see half of it", pulsed_hinge("mod(t, 0.2) < 0.1 ? 1 : -1", "duration = 20\nstep = 1\n" + rk4),
       Verdict::no, kAnyRate},
      {"staircase", pulsed_hinge("floor(t)*0.001", "duration = 100\n"), Verdict::yes, 4.95},
      {"by steps beside it", pulsed_hinge("floor(t+0.3)*0.001", "duration = 100\nstep = 1\n" + rk4), Verdict::no,
       kAnyRate},
      {"two smooth pulses that cancel",
       pulsed_hinge("exp(-((t-30.3)/0.01)^2) - exp(-((t-60.7)/0.01)^2)", "duration = 100\n"), Verdict::yes, 0},
      {"a steep change of sign", pulsed_hinge("0.1*tanh((t-50.3)/1e-4)", "duration = 100\n"), Verdict::yes, -0.06},
      {"beat", pulsed_hinge("sin(100*t)*sin(100.1*t)", "duration = 20\n"), Verdict::yes, beat},
      {"two smooth pulses by steps of 1 s",
       pulsed_hinge("exp(-((t-30.3)/0.01)^2) - exp(-((t-60.7)/0.01)^2)", "duration = 100\nstep = 1\n" + rk4),
       Verdict::no, kAnyRate},
      {"a steep change of sign by steps of 1 s",
       pulsed_hinge("0.1*tanh((t-50.3)/1e-4)", "duration = 100\nstep = 1\n" + rk4), Verdict::no, kAnyRate},
      {"beat by steps of 50 ms", pulsed_hinge("sin(100*t)*sin(100.1*t)", "duration = 20\nstep = 0.05\n" + rk4),
       Verdict::no, kAnyRate},
      {"steps that see the same phase each time", pulsed_hinge("20*sin(4*pi*t)^2", "duration = 16\nstep = 1\n" + rk4),
       Verdict::no, kAnyRate},
      {"its twin by tolerance", pulsed_hinge("20*sin(4*pi*t)^2", "duration = 16\n"), Verdict::yes, 160},
      {"a pole within the run", pulsed_hinge("1/(10-t)", "duration = 20\n"), Verdict::no, kAnyRate},
      {"its twin before the pole", pulsed_hinge("1/(10-t)", "duration = 9\n"), Verdict::yes, std::log(10.0)},
      {"growth beyond all numbers",
       started_hinge("turn_rate = 1", force_on_hinge("hinge_turn_rate^2"), "duration = 2\n"), Verdict::no, kAnyRate},
      {"its twin before that", started_hinge("turn_rate = 1", force_on_hinge("hinge_turn_rate^2"), "duration = 0.9\n"),
       Verdict::yes, 10},
      {"parameters set by events for 50 ms",
       "[parameters]\nk = 0\n" +
           started_hinge("turn = 0",
                         force_on_hinge("k") +
                             "[[event]]\nname = \"on\"\nformula = \"t - 50.01\"\naction = \"set\"\nset = { k = 20 }\n"
                             "[[event]]\nname = \"off\"\nformula = \"t - 50.06\"\naction = \"set\"\nset = { k = 0 }\n",
                         "duration = 100\n"),
       Verdict::yes, 1},
      {"its twin, set behind the end",
       "[parameters]\nk = 0\n" +
           started_hinge("turn_rate = 1",
                         force_on_hinge("k") +
                             "[[event]]\nname = \"on\"\nformula = \"t - 150.01\"\naction = \"set\"\nset = { k = 20 }\n",
                         "duration = 100\n"),
       Verdict::yes, 1},
  };
  for (const Trap& row : rows) { check_trap(row, "disc.wz_body_rad_s"); }
}

TEST_CASE("springs, friction and laws of the state") {
  const std::string rk4 = "integrator = \"rk4\"\n";
  const double pushed = std::sqrt(1.2);  // by 0.1 J from 1 rad/s
  const Trap rows[] = {
      {"stiff spring by long steps",
       started_hinge("turn = 0.1", spring_on_hinge("1e6"), "duration = 0.2\nstep = 5e-3\n" + rk4), Verdict::no,
       kAnyRate},
      {"its twin by tolerance", started_hinge("turn = 0.1", spring_on_hinge("1e6"), "duration = 0.2\n"), Verdict::yes,
       -100 * std::sin(200.0), 1e-6},
      {"resonance", started_hinge("turn = 0", spring_on_hinge("100") + force_on_hinge("sin(10*t)"), "duration = 20\n"),
       Verdict::yes, 10 * std::sin(200.0), 1e-6},
      {"resonance by steps of 20 ms",
       started_hinge("turn = 0", spring_on_hinge("100") + force_on_hinge("sin(10*t)"),
                     "duration = 20\nstep = 0.02\n" + rk4),
       Verdict::no, kAnyRate},
      {"a push between two angles",
       started_hinge("turn_rate = 1", force_on_hinge("hinge_turn > 10.3 && hinge_turn < 10.4 ? 1 : 0"),
                     "duration = 100\n"),
       Verdict::yes, pushed},
      {"a smooth push at an angle",
       started_hinge("turn_rate = 1", force_on_hinge("5.6418958354775628*exp(-((hinge_turn-10.3)/0.01)^2)"),
                     "duration = 100\n"),
       Verdict::yes, pushed},
      {"a push between two angles by steps of 1 s",
       started_hinge("turn_rate = 1", force_on_hinge("hinge_turn > 10.3 && hinge_turn < 10.4 ? 1 : 0"),
                     "duration = 100\nstep = 1\n" + rk4),
       Verdict::no, kAnyRate},
      {"a smooth push by steps of 1 s",
       started_hinge("turn_rate = 1", force_on_hinge("5.6418958354775628*exp(-((hinge_turn-10.3)/0.01)^2)"),
                     "duration = 100\nstep = 1\n" + rk4),
       Verdict::no, kAnyRate},
      {"dry friction that sticks",
       started_hinge("turn_rate = 1", force_on_hinge("-0.1*sign(hinge_turn_rate)"), "duration = 20\n"), Verdict::no,
       kAnyRate},
      {"its twin that still slides",
       started_hinge("turn_rate = 1", force_on_hinge("-0.1*sign(hinge_turn_rate)"), "duration = 9\n"), Verdict::yes,
       0.1},
      {"a driver whose rate jumps", driven_hinge("rate", "t < 5 ? 1 : 0"), Verdict::no, kAnyRate},
      {"its smooth twin", driven_hinge("value", "0.1*sin(t)"), Verdict::yes, 0.1 * std::cos(10.0)},
  };
  for (const Trap& row : rows) { check_trap(row, "disc.wz_body_rad_s"); }
  // what looks at the state is named
  const Trajectory named = certified_trap(rows[4].scenario);
  bool told = false;
  for (const std::string& note : named.certificate().notes) {
    told = told || note.find("switches that look at the state, in [[forces]] 1") != std::string::npos;
  }
  CHECK(told);
}

TEST_CASE(
    "a law of the state too narrow for the steps of the run is met by the second method: no, and no is not made up") {
  const std::string push = "hinge_turn > 10.3 && hinge_turn < 10.301 ? 100 : 0";
  const std::string smooth = "1e4*exp(-((hinge_turn-10.3)/1e-5)^2)";
  const double pushed = std::sqrt(1.2);
  const Trap rows[] = {
      {"100 N m between 10.3 and 10.301 rad", started_hinge("turn_rate = 1", force_on_hinge(push), "duration = 100\n"),
       Verdict::no, kAnyRate},
      {"its twin by max_step",
       started_hinge("turn_rate = 1", force_on_hinge("hinge_turn > 1.3 && hinge_turn < 1.301 ? 100 : 0"),
                     "duration = 2\nmax_step = 1e-3\n"),
       Verdict::yes, pushed},
      {"its twin beyond the motion",
       started_hinge("turn_rate = 1", force_on_hinge("hinge_turn > 110.3 && hinge_turn < 110.301 ? 100 : 0"),
                     "duration = 100\n"),
       Verdict::yes, 1},
      {"a smooth push 1e-5 rad wide", started_hinge("turn_rate = 1", force_on_hinge(smooth), "duration = 100\n"),
       Verdict::no, kAnyRate},
      {"its twin beyond the motion",
       started_hinge("turn_rate = 1", force_on_hinge("1e4*exp(-((hinge_turn-110.3)/1e-5)^2)"), "duration = 100\n"),
       Verdict::yes, 1},
      {"a law that is smooth and wide",
       started_hinge("turn_rate = 1", force_on_hinge("0.1*sin(hinge_turn)+0.01*tanh(hinge_turn_rate)"),
                     "duration = 20\n"),
       Verdict::yes, kAnyRate},
  };
  for (const Trap& row : rows) { check_trap(row, "disc.wz_body_rad_s"); }
}

TEST_CASE("a switch that the motion only grazes leaves no yes; one that it stays away from does") {
  // an amplitude of 1 rad, to the digits that the run has
  const auto swinging = [](const char* law) {
    return started_hinge("turn_rate = 1", spring_on_hinge("1") + force_on_hinge(law), "duration = 3\n");
  };
  const Trajectory grazes = certified_trap(swinging("hinge_turn > 1 ? 10 : 0"));
  CAPTURE(grazes.certificate().reason);
  CHECK(grazes.certificate().verdict != Verdict::yes);
  check_trap({"its twin", swinging("hinge_turn > 1.001 ? 10 : 0"), Verdict::yes, std::cos(3.0), 1e-7},
             "disc.wz_body_rad_s");
}

TEST_CASE("events too narrow for the looks of a run: found by the second method, and what differs is named") {
  const auto run_with = [](const std::string& formula, const std::string& action) {
    return certified_trap(started_hinge(
        "turn_rate = 1", "[[event]]\nname = \"narrow\"\nformula = \"" + formula + "\"\naction = \"" + action + "\"\n",
        "duration = 100\n"));
  };
  for (const std::string at : {"10.3", "110.3"}) {
    CAPTURE(at);
    const bool met = at == "10.3";
    for (const std::string& formula : {"hinge_turn > " + at + " && hinge_turn < " + at + "+0.001 ? 1 : -1",
                                       "exp(-((hinge_turn-" + at + ")/0.001)^2)-0.5"}) {
      CAPTURE(formula);
      const Trajectory stopped = run_with(formula, "stop");
      CAPTURE(stopped.certificate().reason);
      const bool found = met && stopped.events().size() == 1;  // by luck, at the end of a step
      CHECK(stopped.certificate().verdict == (met && !found ? Verdict::no : Verdict::yes));
      if (met && !found) { CHECK(has_note(stopped, "event 'narrow' is met 0 times, by 'extrapolation' 1 time")); }
      const Trajectory recorded = run_with(formula, "record");
      CHECK(recorded.certificate().verdict ==
            (met && recorded.events().size() != 2 ? Verdict::not_established : Verdict::yes));
    }
  }
}

TEST_CASE("an event at the end of a step of the second method counts once, and one that a run starts on is no doubt") {
  // apsides of nutation, one of which the second method meets at the end of a step
  const Trajectory top = certified_trap(
      "[body]\nmass = 0.1\nprincipal_moments = [4.0e-5, 4.0e-5, 2.0e-5]\nmass_centre = [0, 0, 0.03]\n"
      "fixed_point = [0, 0, 0]\n[initial]\neuler = { sequence = \"3-1-3\", angles_deg = [0, 30, 0] }\n"
      "w_body = [0, 0, 200]\n[[load]]\nkind = \"gravity\"\ng_space = [0, 0, -9.81]\n"
      "[[event]]\nname = \"apsis\"\napsides = \"nutation\"\n"
      "[run]\nduration = 3\noutput_interval = 0.002\ntolerance = 1e-11\n");
  CAPTURE(top.certificate().reason);
  CHECK(top.certificate().verdict == Verdict::yes);
  CHECK(top.events().size() == 18);
  // a pendulum that starts at rest on its event, and leaves it as t²
  const Trajectory rod = certified_trap(
      started_hinge("turn = 0", force_on_hinge("1") + "[[event]]\nname = \"start\"\njoint = \"hinge\"\nvalue = 0\n",
                    "duration = 2\n"));
  CAPTURE(rod.certificate().reason);
  CHECK(rod.certificate().verdict == Verdict::yes);
  CHECK(rod.events().empty());
}

TEST_CASE("what the exact motion shows needs no second method, which may know attitudes and times less well") {
  const std::string flips =
      "[body]\nprincipal_moments = [2, 1, 3]\n[initial]\nw_body = [15, 0.001, 0]\n"
      "[[event]]\nname = \"flip\"\nrate_body = \"x\"\n[run]\nduration = 10\n";
  const Trajectory free = certified_trap(flips);
  CAPTURE(free.certificate().reason);
  CHECK(free.certificate().verdict == Verdict::yes);
  CHECK(free.events().size() == 4);
  // a load that does nothing, of which that is not known: the same motion with no exact one to hold it against
  const Trajectory loaded = certified_trap(flips + "[[load]]\nkind = \"moment\"\nmoment_body = [0, 0, \"0*t\"]\n");
  CHECK(loaded.certificate().verdict != Verdict::yes);
  // the exact motion knows nothing of an impulse
  const Trajectory kicked = certified_trap(
      "[body]\nprincipal_moments = [2, 1, 3]\n[initial]\nw_body = [1, 0.2, 0.3]\n"
      "[[event]]\nname = \"kick\"\nformula = \"t - 1\"\naction = \"impulse\"\nimpulse_body = [0, 1, 0]\n"
      "[run]\nduration = 3\n");
  CHECK(kicked.certificate().method.find("exact") == std::string::npos);
  CHECK(kicked.certificate().verdict == Verdict::yes);
}

TEST_CASE("several events in a row act all, and in their order") {
  const auto spun = [](const char* at) {
    std::string events;
    for (int i = 0; i < 4; ++i) {
      events += fmt::format(
          "[[event]]\nname = \"e{}\"\nformula = \"R11 - cos({} + {}*1e-5)\"\ndirection = \"down\"\n"
          "action = \"set\"\nset = {{ k = {} }}\n",
          i, at, i, i < 3 ? 0.1 * (i + 1) : 0.0);
    }
    return "[parameters]\nk = 0\n[body]\nprincipal_moments = [1, 1, 1]\n[initial]\nw_body = [0, 0, 0.5]\n" + events +
           "[[load]]\nkind = \"moment\"\nmoment_body = [0, 0, \"k*1e4\"]\n[run]\nduration = 4\n";
  };
  // ω² grows by twice what the moments 1000, 2000, 3000 N m do over 10 µrad each
  check_trap({"in a row", spun("1"), Verdict::yes, std::sqrt(0.25 + 0.12), 1e-6}, "wz_body_rad_s");
  check_trap({"their twins, never met", spun("3.1"), Verdict::yes, 0.5}, "wz_body_rad_s");
}

TEST_CASE("a motion on a separatrix is not known for long") {
  // up to the top, and no further: errors grow by exp(√9.81 t)
  const auto upwards = [](const char* duration) {
    return started_hinge("turn_rate = 6.264183905346330", force_on_hinge("-9.81*sin(hinge_turn)"),
                         std::string("duration = ") + duration + "\n");
  };
  const Trajectory on_top = certified_trap(upwards("12"));
  CAPTURE(on_top.certificate().reason);
  CHECK(on_top.certificate().verdict != Verdict::yes);
  check_trap({"its twin", upwards("1.5"), Verdict::yes, kAnyRate}, "disc.wz_body_rad_s");
}

TEST_CASE("where no second method reaches the end there is no yes, and the note says why and what helps") {
  const auto damped = [](const char* damping) {
    return started_hinge("turn_rate = 1", force_on_hinge(std::string("-") + damping + "*hinge_turn_rate"),
                         "duration = 1000\nintegrator = \"cvode-bdf\"\ntolerance = 1e-9\n");
  };
  for (const auto& method : integrators<double>()) {
    if (method->description().name != "cvode-bdf") { continue; }
    const Trajectory stiff = certified_trap(damped("1e6"));
    CAPTURE(stiff.certificate().reason);
    CHECK(stiff.certificate().verdict != Verdict::yes);
    CHECK(has_note(stiff, "no second method spoke: 'extrapolation' did not reach the end within"));
    CHECK(has_note(stiff, "certify a shorter duration"));
    CHECK(certified_trap(damped("1")).certificate().verdict == Verdict::yes);
  }
}

TEST_CASE("chaos, saddles, far origins and scales") {
  const std::string rough = "duration = 2\nintegrator = \"rk4\"\nstep = 0.05\n";
  const std::string fine = "duration = 2\ntolerance = 1e-10\n";
  const auto saddle = [](const char* duration) {
    return std::string(
               "[body]\nprincipal_moments = [1, 2, 3]\n[initial]\nw_body = [1e-9, 1, 1e-9]\n"
               "[[load]]\nkind = \"moment\"\nmoment_body = [0, 0, \"0*t\"]\n[run]\nduration = ") +
           duration + "\n";
  };
  const Trap rows[] = {
      {"chaos for long", double_pendulum(0, 1, 90, "duration = 60\ntolerance = 1e-8\n"), Verdict::no, kAnyRate},
      {"its twin for 2 s", double_pendulum(0, 1, 90, fine), Verdict::yes, kAnyRate},
      {"about the middle axis for 100 s", saddle("100"), Verdict::no, kAnyRate},
      {"its twin for 20 s", saddle("20"), Verdict::yes, kAnyRate},
      {"1000 km off, rough steps", double_pendulum(1e6, 1, 90, rough), Verdict::no, kAnyRate},
      {"its twin by tolerance", double_pendulum(1e6, 1, 90, fine), Verdict::yes, kAnyRate},
      {"1000 km long, rough steps", double_pendulum(0, 1e6, 90, rough), Verdict::no, kAnyRate},
      {"its twin by tolerance", double_pendulum(0, 1e6, 90, fine), Verdict::yes, kAnyRate},
      {"a micrometre long, rough steps", double_pendulum(0, 1e-6, 90, rough), Verdict::no, kAnyRate},
      {"its twin by tolerance", double_pendulum(0, 1e-6, 90, fine), Verdict::yes, kAnyRate},
  };
  for (const Trap& row : rows) { check_trap(row, ""); }
  // the rounding of far coordinates is allowed, and no more
  const double far = certified_trap(rows[5].scenario).certificate().position_allowed.value_or(0);
  const double near = certified_trap(rows[1].scenario).certificate().position_allowed.value_or(0);
  CHECK(far - near == doctest::Approx(64 * 2.220446049250313e-16 * 1e6).epsilon(1e-3));
}

TEST_CASE("impossible moments of inertia are refused, or known to be meant") {
  const std::string body = "principal_moments = [1, 1, 5]\n";
  const std::string rest = "[initial]\nw_body = [0.1, 0.2, 1]\n[run]\nduration = 10\n";
  CHECK_THROWS_AS(certified_trap("[body]\n" + body + rest), Error);
  CHECK(certified_trap("[body]\n" + body + "allow_impossible_inertia = true\n" + rest).certificate().verdict ==
        Verdict::yes);
}
