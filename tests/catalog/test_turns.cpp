// Whole turns of joints: what counts them, what does not, and that they belong to the state of a run.
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/math/elementary.h"
#include "polhode/simulation/certificate.h"
#include "support/files.h"
#include "support/sinks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace polhode;
using simulation::MechanismPlan;
using simulation::Simulation;

namespace {

constexpr double kTurn = 2 * math::kPi<double>;

/// A disc of 1 kg m² on a hinge.
catalog::MechanismScenario disc(const std::string& start, const std::string& rest,
                                const std::string& run = "duration = 10\n") {
  return catalog::read_mechanism(
      "title = \"disc\"\n[[bodies]]\nname = \"disc\"\nmass = 1\nprincipal_moments = [1, 1, 1]\n"
      "[[joints]]\nname = \"hinge\"\nkind = \"revolute\"\nbodies = [\"ground\", \"disc\"]\npoint = [0, 0, 0]\n"
      "axis = [0, 0, 1]\nstart = { " +
          start + " }\n" + rest + "[run]\n" + run,
      "disc.toml");
}
const char* const kSpring = "[[forces]]\nkind = \"joint_spring\"\njoint = \"hinge\"\nstiffness = 1\n";

struct TurnRun {
  explicit TurnRun(const MechanismPlan& plan) {
    Simulation simulation(plan);
    outcome = simulation.run(sink);
    if (!simulation.discrete().empty()) { counted = simulation.discrete()[0]; }
    const CoordinateValue q = plan.model->coordinates(outcome.y, 0)[0];
    turn = q.value;
    rate = q.rate;
  }
  test::Keeper sink;
  simulation::Outcome outcome;
  double counted = 0;
  double turn = 0;
  double rate = 0;
};

/// Whether a run asks for a method of SUNDIALS in a build without it.
bool is_absent(const std::string& run) {
  const std::vector<AbsentMethod>& absent = absent_integrators();
  return std::any_of(absent.begin(), absent.end(),
                     [&](const AbsentMethod& one) { return run.find('"' + one.name + '"') != std::string::npos; });
}

}  // namespace

TEST_CASE("a torsion spring counts whole turns: the disc comes back as an oscillator does, by every kind of method") {
  // q = 5 sin t, beyond half a turn each way
  for (const char* run :
       {"duration = 10\n", "duration = 10\nformulation = \"f5\"\n",
        "duration = 10\nintegrator = \"rk4\"\nstep = 0.002\n", "duration = 10\nintegrator = \"gauss6\"\nstep = 0.02\n",
        "duration = 10\nintegrator = \"generalised-alpha-index2\"\nstep = 0.0005\n",
        "duration = 10\nintegrator = \"cvode-adams\"\n", "duration = 10\nintegrator = \"cvode-bdf\"\n",
        "duration = 10\nintegrator = \"ida\"\n", "duration = 10\ntolerance = 1e-4\n"}) {
    CAPTURE(run);
    if (is_absent(run)) { continue; }
    const catalog::MechanismScenario scenario = disc("turn = 0, turn_rate = 5", kSpring, run);
    const TurnRun ran(scenario.plan);
    CAPTURE(ran.outcome.message);
    CHECK(ran.outcome.ending == simulation::Ending::done);
    const bool rough = std::string(run).find("1e-4") != std::string::npos;
    const double tolerance = rough ? 1e-2 : 2e-5;  // that of second order at 0.0005 s
    CHECK(std::fabs(ran.counted - 5 * std::sin(10)) < tolerance);
    CHECK(std::fabs(ran.rate - 5 * std::cos(10)) < tolerance);
    CHECK(std::fabs(std::remainder(ran.turn - 5 * std::sin(10), kTurn)) < tolerance);
    CHECK(ran.outcome.ledger.energy_error < 12.5 * tolerance);
  }
}

TEST_CASE("a run that is resumed at any checkpoint goes on with the turns counted before, bit for bit") {
  catalog::MechanismScenario scenario = disc(
      "turn = 0, turn_rate = 25",
      std::string(kSpring) + "[[forces]]\nkind = \"joint_force\"\njoint = \"hinge\"\nforce = \"-0.1*hinge_turn\"\n");
  scenario.plan.rows_per_checkpoint = 9;
  const TurnRun whole(scenario.plan);
  REQUIRE(whole.sink.snapshots.size() > 20);
  double most = 0;
  for (std::size_t n = 0; n < whole.sink.snapshots.size(); ++n) {
    const simulation::Snapshot& snapshot = whole.sink.snapshots[n];
    REQUIRE(snapshot.discrete.size() == 1);
    most = std::fmax(most, std::fabs(snapshot.discrete[0]));
    if (n % 8 != 0) { continue; }
    Simulation again(scenario.plan);
    test::Keeper rest;
    again.resume(snapshot, rest);
    REQUIRE(rest.rows.size() == whole.sink.rows.size() - snapshot.rows);
    for (std::size_t i = 0; i < rest.rows.size(); ++i) { CHECK(rest.rows[i] == whole.sink.rows[snapshot.rows + i]); }
  }
  CHECK(most > 3 * kTurn);
  simulation::Snapshot without = whole.sink.snapshots[3];
  without.discrete.clear();
  Simulation again(scenario.plan);
  test::Keeper rest;
  CHECK_THROWS_WITH_AS(again.resume(without, rest), doctest::Contains("counts the whole turns of 0 angles"), Error);
}

TEST_CASE("formulas, motors and stops see whole turns, from the count that the start is given with") {
  {
    const TurnRun ran(disc("turn = 7, turn_rate = 0", kSpring).plan);
    CHECK(ran.counted == doctest::Approx(7 * std::cos(10)).epsilon(1e-7));
  }
  {
    // the same as a formula
    const TurnRun ran(
        disc("turn = 7", "[[forces]]\nkind = \"joint_force\"\njoint = \"hinge\"\nforce = \"-hinge_turn\"\n").plan);
    CHECK(ran.counted == doctest::Approx(7 * std::cos(10)).epsilon(1e-7));
  }
  {
    // three turns and a bit, the long way
    const TurnRun ran(disc("turn = 0",
                           "[[forces]]\nkind = \"motor\"\njoint = \"hinge\"\ntarget = 20\nstiffness = 4\ndamping = 4\n",
                           "duration = 20\n")
                          .plan);
    CHECK(std::fabs(ran.counted - 20) < 1e-6);
  }
  {
    // a stop more than a turn away: 8 rad at 2 rad/s, then back
    const catalog::MechanismScenario scenario =
        disc("turn = 0, turn_rate = 2",
             "[[forces]]\nkind = \"joint_stop\"\njoint = \"hinge\"\nlower = -1\nupper = 8\nstiffness = 1e4\n",
             "duration = 5\noutput_interval = 0.5\n");
    const TurnRun ran(scenario.plan);
    CHECK(std::fabs(ran.rate + 2) < 1e-6);
    CHECK(ran.counted < 7);
    CHECK(ran.counted > 5);
    CHECK(ran.sink.rows[7][scenario.plan.model->state_size() + 2] ==
          doctest::Approx(2));  // rate, at 3.5 s: not yet there
  }
}

TEST_CASE("with wrap, springs, motors and stops know an angle without its whole turns, as formulas know it wrapped") {
  const char* const start = "turn = 0, turn_rate = 5";
  const TurnRun spring(disc(start, std::string(kSpring) + "wrap = true\n").plan);
  const TurnRun formula(
      disc(start, "[[forces]]\nkind = \"joint_force\"\njoint = \"hinge\"\nforce = \"-hinge_turn_wrapped\"\n").plan);
  const TurnRun motor(
      disc(start, "[[forces]]\nkind = \"motor\"\njoint = \"hinge\"\ntarget = 0\nstiffness = 1\nwrap = true\n").plan);
  // over the jump at half a turn: it goes on round and round
  for (const TurnRun* ran : {&spring, &formula, &motor}) {
    CHECK(ran->rate > 3);
    CHECK(std::fabs(ran->rate - spring.rate) < 1e-6);
    CHECK(std::fabs(ran->turn - spring.turn) < 1e-6);
  }
  CHECK_THROWS_WITH_AS(
      catalog::read_mechanism(
          "title = \"slide\"\n[[bodies]]\nname = \"block\"\nmass = 1\nprincipal_moments = [1, 1, 1]\n"
          "[[joints]]\nname = \"slide\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"block\"]\n"
          "point = [0, 0, 0]\naxis = [0, 0, 1]\n[[forces]]\nkind = \"joint_spring\"\njoint = \"slide\"\n"
          "stiffness = 1\nwrap = true\n[run]\nduration = 1\n",
          "slide.toml"),
      doctest::Contains("slide.toml:16:8: 'slide_z' has no whole turns"), Error);
  // stops that are a turn apart make no sense there
  CHECK_THROWS_WITH_AS(
      disc(start,
           "[[forces]]\nkind = \"joint_stop\"\njoint = \"hinge\"\nlower = -1\nupper = 8\nstiffness = 1\nwrap = true\n"),
      doctest::Contains("is a whole turn or more"), Error);
}

TEST_CASE("events: a formula passes an angle once, a joint passes its value once a turn") {
  const std::string events =
      "[[event]]\nname = \"far\"\nformula = \"hinge_turn - 8\"\n"
      "[[event]]\nname = \"round\"\njoint = \"hinge\"\nvalue = 8\n";
  const catalog::MechanismScenario scenario =
      disc("turn = 0, turn_rate = 2", events, "duration = 10\noutput_interval = 5\n");
  test::Keeper sink;
  Simulation simulation(scenario.plan);
  simulation.run(sink);
  // 8 − 2π, 8 twice, 8 + 2π: at half of that, in seconds
  REQUIRE(sink.times.size() == 4);
  CHECK(sink.times[0] == doctest::Approx((8 - kTurn) / 2).epsilon(1e-9));
  CHECK(sink.times[1] == doctest::Approx(4).epsilon(1e-9));
  CHECK(sink.times[2] == doctest::Approx(4).epsilon(1e-9));
  CHECK(sink.times[3] == doctest::Approx((8 + kTurn) / 2).epsilon(1e-9));
}

TEST_CASE("where turns are counted no step is half a turn: adaptive ones are cut, fixed ones that are longer refused") {
  // a free disc could be carried over many turns at once
  const std::string looks_on = "[[forces]]\nkind = \"joint_force\"\njoint = \"hinge\"\nforce = \"0*hinge_turn\"\n";
  for (const char* run : {"duration = 20\noutput_interval = 20\n",
                          "duration = 20\noutput_interval = 20\nintegrator = \"cvode-adams\"\n"}) {
    if (is_absent(run)) { continue; }
    const TurnRun ran(disc("turn = 0, turn_rate = 30", looks_on, run).plan);
    CHECK(ran.outcome.ending == simulation::Ending::done);
    CHECK(ran.counted == doctest::Approx(600).epsilon(1e-8));
    CHECK(ran.outcome.statistics.steps >= 300);
  }
  const TurnRun coarse(
      disc("turn = 0, turn_rate = 30", looks_on, "duration = 20\nintegrator = \"rk4\"\nstep = 0.1\n").plan);
  CHECK(coarse.outcome.ending == simulation::Ending::no_convergence);
  CHECK(coarse.outcome.message.find("is too long, for whole turns of joints are counted") != std::string::npos);
  // nothing looks at the turns: nothing is counted, and nothing in the way
  const TurnRun free(disc("turn = 0, turn_rate = 30", "", "duration = 20\nintegrator = \"rk4\"\nstep = 0.1\n").plan);
  CHECK(free.outcome.ending == simulation::Ending::done);
  CHECK(free.sink.snapshots[0].discrete.empty());
}

TEST_CASE("the certificate's finer run counts turns as the run does") {
  const std::string file = std::string(POLHODE_SOURCE_DIR) + "/tests/cases/attack/torsion.toml";
  const catalog::MechanismScenario scenario = catalog::read_mechanism(test::text_of(file), file);
  const TurnRun ran(scenario.plan);
  simulation::Certificate certificate = simulation::certificate_of(scenario.plan, ran.outcome);
  simulation::certify(certificate, scenario.plan, ran.sink.poses(scenario.plan), {});
  CHECK(certificate.verdict == simulation::Verdict::yes);
  CHECK(std::fabs(ran.rate - 5 * std::cos(10)) < 1e-6);
}
