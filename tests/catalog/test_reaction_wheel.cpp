// Wheels with motors: their speeds are part of the state of one body. In mechanisms: test_mechanism_wheels.cpp.
#include "catalog/kept_run.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/simulation/certificate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace polhode;

namespace {

constexpr double kJ = 0.3;   // of the body about z, wheel included, kg m²
constexpr double kI = 0.02;  // of the wheel about its axis

/// A body at rest with a wheel along z, unless `initial` says otherwise.
std::string with_wheel(const std::string& wheel, const std::string& run = "", const std::string& more = "",
                       const std::string& initial = "w_body = [0, 0, 0]") {
  return "title = \"x\"\n[body]\nprincipal_moments = [0.2, 0.25, 0.3]\n[initial]\n" + initial +
         "\n[run]\nduration = 4\noutput_interval = 0.125\n" + run +
         "\n[[load]]\nname = \"rw\"\nkind = \"reaction_wheel\"\naxis_body = [0, 0, 2]\ninertia = 0.02\n" + wheel +
         "\n" + more;
}

struct WheelScenario {
  explicit WheelScenario(const std::string& text) : scenario(catalog::read_scenario(text, "s.toml")) {}
  catalog::OneBodyScenario scenario;
};
struct WheelRun : WheelScenario, test::KeptRun {
  explicit WheelRun(const std::string& text)
      : WheelScenario(text),
        test::KeptRun(scenario.plan),
        verdict(simulation::certificate_of(scenario.plan, outcome).verdict) {}
  simulation::Verdict verdict;
};

std::string told_of_wheel(const std::string& text) {
  try {
    catalog::read_scenario(text, "s.toml");
  } catch (const Error& error) { return error.what(); }
  return "nothing";
}

}  // namespace

TEST_CASE("a wheel that is spun up turns the body the other way: h stays zero, and the rates are exact") {
  // J ω + I Ω = 0 and I (Ω̇ + ω̇) = τ:  ω = −τ t/(J − I),  Ω = J τ t/(I (J − I))
  const double torque = 0.05;
  const WheelRun run(with_wheel("motor_torque = 0.05"));
  const auto rate = [&](double t) { return -torque * t / (kJ - kI); };
  CHECK(run.off("wz_body_rad_s", rate) < 1e-11);
  CHECK(run.off("rw.speed_rad_s", [&](double t) { return kJ / kI * torque * t / (kJ - kI); }) < 1e-10);
  CHECK(run.off("rw.motor_torque_Nm", [&](double) { return torque; }) == 0);
  CHECK(run.off("hz_space_Nms", [](double) { return 0.0; }) < 1e-13);  // rounding of I Ω, 3 N m s
  // wrong twin: the inertia of the wheel left in that of the body that turns
  CHECK(run.off("wz_body_rad_s", [&](double t) { return -torque * t / kJ; }) > 1e-2);
  // the motor's work is what both have: ½ τ² t² (1/(J − I) + 1/I)
  CHECK(run.off("kinetic_J", [&](double t) { return 0.5 * torque * torque * t * t * (1 / (kJ - kI) + 1 / kI); }) <
        1e-10);
  CHECK(run.outcome.ledger.energy_error < 1e-11);
  CHECK(run.verdict == simulation::Verdict::not_established);  // balances hold
}

TEST_CASE("a motor gives no more than its largest torque") {
  // τ = 0.1 t up to 0.2 at t = 2, then 0.2: ω = −∫τ dt/(J − I)
  const WheelRun run(with_wheel("motor_torque = \"0.1*t\"\nmax_torque = 0.2"));
  const auto impulse = [](double t) { return t < 2 ? 0.05 * t * t : 0.2 + 0.2 * (t - 2); };
  CHECK(run.off("wz_body_rad_s", [&](double t) { return -impulse(t) / (kJ - kI); }) < 1e-9);
  CHECK(run.off("rw.motor_torque_Nm", [](double t) { return std::fmin(0.1 * t, 0.2); }) < 1e-15);
  CHECK(run.off("wz_body_rad_s", [&](double t) { return -0.05 * t * t / (kJ - kI); }) > 0.1);  // without a limit
  CHECK(run.outcome.ledger.energy_error < 1e-8 * run.outcome.ledger.energy_scale);
}

TEST_CASE("a wheel comes up to its largest speed and no further") {
  // Ω̇ = k, k = J τ/(I (J − I)), up to 99 % of 100 rad/s; then Ω̇ = k (100 − Ω)/1: 100 − exp(−k (t − t1))
  const double k = kJ * 1.0 / (kI * (kJ - kI));
  const double t1 = 99 / k;
  const WheelRun run(with_wheel("motor_torque = 1\nmax_speed = 100", "tolerance = 1e-12"));
  const auto speed = [&](double t) { return t < t1 ? k * t : 100 - std::exp(-k * (t - t1)); };
  CHECK(run.off("rw.speed_rad_s", speed) < 1e-8);
  CHECK(run.off("wz_body_rad_s", [&](double t) { return -kI / kJ * speed(t); }) < 1e-9);
  CHECK(run.off("rw.speed_rad_s", [&](double t) { return k * t; }) > 100);  // without a limit
  CHECK(std::fabs(run.last("rw.motor_torque_Nm")) < 1e-8);
  // a torque that brakes is not cut
  const WheelRun brakes(with_wheel("motor_torque = -0.5\nmax_speed_rpm = 1000\nspeed_rpm = 1000"));
  CHECK(brakes.off("rw.motor_torque_Nm", [](double) { return -0.5; }) == 0);
  CHECK(brakes.last("rw.speed_rad_s") < 0);
}

TEST_CASE("friction brings wheel and body together: the total momentum stays, energy goes into the bearing") {
  // I (Ω̇ + ω̇) = −c Ω, J ω̇ + I Ω̇ = 0:  Ω = Ω0 exp(−c J t/(I (J − I)))
  const WheelRun run(with_wheel("speed = 50\nfriction = 0.01"));
  const double decay = 0.01 * kJ / (kI * (kJ - kI));
  const auto speed = [&](double t) { return 50 * std::exp(-decay * t); };
  CHECK(run.off("rw.speed_rad_s", speed) < 1e-8);
  CHECK(run.off("wz_body_rad_s", [&](double t) { return kI / kJ * (50 - speed(t)); }) < 1e-9);
  CHECK(run.outcome.ledger.supplied < -1);
  CHECK(run.outcome.ledger.momentum_error < 1e-13);
  CHECK(run.outcome.ledger.energy_error < 1e-8 * run.outcome.ledger.energy_scale);
}

TEST_CASE("wheels in a body that tumbles: every form gives the same motion, momentum of body and wheels is kept") {
  const auto text = [](const std::string& form) {
    return with_wheel("motor_torque = \"0.02*sin(3*t) - 0.001*rw_speed\"\nspeed = 20\nfriction = 0.001",
                      "tolerance = 1e-12\nformulation = \"" + form + "\"",
                      "[[forces]]\nkind = \"reaction_wheel\"\naxis_body = [1, 1, 0]\ninertia = 0.01\nspeed_rpm = -300\n"
                      "motor_torque = \"0.1*wx_body\"\n",
                      "w_body = [0.4, -0.7, 0.9]");
  };
  const WheelRun reference(text("euler-body"));
  CHECK(reference.outcome.ledger.momentum_error < 1e-11);
  CHECK(reference.outcome.ledger.energy_error < 1e-9 * reference.outcome.ledger.energy_scale);
  CHECK(reference.column("wheel2.speed_rad_s") > reference.column("rw.speed_rad_s"));
  for (const char* form : {"euler-space", "momentum-body", "momentum-space", "f1", "f5", "f9", "f12", "canonical"}) {
    CAPTURE(form);
    const WheelRun other(text(form));
    CHECK(simulation::attitude_difference(reference.outcome.state.e_NB, other.outcome.state.e_NB) < 1e-9);
    CHECK(other.last("rw.speed_rad_s") == doctest::Approx(reference.last("rw.speed_rad_s")).epsilon(1e-9));
    CHECK(other.outcome.ledger.momentum_error < 1e-10);
  }
  for (const char* method : {"rk4", "gauss4", "rkmk4", "semi-implicit-euler"}) {
    CAPTURE(method);
    std::string fixed = text("euler-body");
    fixed.replace(fixed.find("tolerance = 1e-12"), 17, std::string("step = 0.001\nintegrator = \"") + method + "\"");
    const WheelRun other(fixed);
    const bool first_order = std::string_view(method) == "semi-implicit-euler";
    CHECK(simulation::attitude_difference(reference.outcome.state.e_NB, other.outcome.state.e_NB) <
          (first_order ? 1e-2 : 1e-8));
  }
}

TEST_CASE("a reaction wheel as a body on a hinge of a mechanism moves as the wheel with its state inside one body") {
  // the wheel: a cylinder of mass 1 at the mass centre; J of the body alone includes it
  const WheelRun alone(
      "title = \"x\"\n[body]\nmass = 5\nprincipal_moments = [0.2, 0.25, 0.3]\n[initial]\nw_body = [0.4, -0.7, 0.9]\n"
      "[run]\nduration = 2\ntolerance = 1e-12\n[[load]]\nname = \"rw\"\nkind = \"reaction_wheel\"\naxis_body = [0, 0, "
      "1]\n"
      "inertia = 0.02\nspeed = 30\nmotor_torque = \"0.3*cos(2*t)\"\n");
  const catalog::MechanismScenario made = catalog::read_mechanism(
      "title = \"x\"\n[[bodies]]\nname = \"hull\"\nmass = 4\nprincipal_moments = [0.185, 0.235, 0.28]\nw_body = [0.4, "
      "-0.7, "
      "0.9]\n[[bodies]]\nname = \"disc\"\nmass = 1\nprincipal_moments = [0.015, 0.015, 0.02]\n[[joints]]\nname = "
      "\"axle\"\nkind = \"revolute\"\nbodies = [\"hull\", \"disc\"]\npoint = [0, 0, 0]\naxis = [0, 0, 1]\nstart = { "
      "turn_rate = 30 }\n[run]\nduration = 2\ntolerance = 1e-12\n[[forces]]\nkind = \"joint_force\"\njoint = "
      "\"axle\"\nforce = \"0.3*cos(2*t)\"\n",
      "m.toml");
  test::Keeper keeper;
  const simulation::Outcome outcome = simulation::Simulation(made.plan).run(keeper);
  const BodyView hull = Model::view(outcome.y, 0);
  CHECK(simulation::attitude_difference(alone.outcome.state.e_NB, hull.e_NB) < 1e-9);
  CHECK(norm(alone.outcome.state.w_B - hull.w_B) < 1e-9);
  CHECK(made.plan.model->coordinates(outcome.y, 0)[0].rate ==
        doctest::Approx(alone.last("rw.speed_rad_s")).epsilon(1e-9));
}

TEST_CASE("a resumed run with wheels has the same bytes") {
  const std::string text = with_wheel("motor_torque = \"0.02*sin(3*t) - 0.001*rw_speed\"\nspeed = 20\nfriction = 0.001",
                                      "checkpoint_rows = 8", "", "w_body = [0.4, -0.7, 0.9]");
  const WheelRun whole(text);
  REQUIRE(whole.keeper.snapshots.size() > 2);
  const simulation::Snapshot& snapshot = whole.keeper.snapshots[2];
  CHECK(snapshot.y.size() == 8);
  test::Keeper rest;
  simulation::Simulation again(whole.scenario.plan);
  const simulation::Outcome outcome = again.resume(snapshot, rest);
  CHECK(outcome.ending == simulation::Ending::done);
  REQUIRE(rest.rows.size() + snapshot.rows == whole.keeper.rows.size());
  for (std::size_t i = 0; i < rest.rows.size(); ++i) { CHECK(rest.rows[i] == whole.keeper.rows[snapshot.rows + i]); }
  // wrong twin: the wheel's speed forgotten
  simulation::Snapshot forgot = snapshot;
  forgot.y.back() = 20;
  test::Keeper other;
  simulation::Simulation(whole.scenario.plan).resume(forgot, other);
  CHECK(other.rows.back() != whole.keeper.rows.back());
}

TEST_CASE("an event sees the speed of a wheel, and an impulse on the body leaves the wheel its momentum") {
  const WheelRun passes(
      with_wheel("motor_torque = 0.05", "", "[[event]]\nname = \"fast\"\nformula = \"rw_speed - 5\"\n"));
  REQUIRE(passes.keeper.times.size() == 1);
  CHECK(passes.keeper.times[0] == doctest::Approx(5 * kI * (kJ - kI) / (kJ * 0.05)).epsilon(1e-9));
  // at t = 1 an impulse of 0.1 N m s about z: Δω = 0.1/(J − I), ΔΩ = −Δω
  const WheelRun hit(
      with_wheel("speed = 10", "",
                 "[[event]]\nname = \"hit\"\nformula = \"t - 1\"\naction = \"impulse\"\nimpulse_body = [0, 0, "
                 "0.1]\n"));
  CHECK(hit.last("wz_body_rad_s") == doctest::Approx(0.1 / (kJ - kI)).epsilon(1e-12));
  CHECK(hit.last("rw.speed_rad_s") == doctest::Approx(10 - 0.1 / (kJ - kI)).epsilon(1e-12));
  CHECK(hit.last("hz_space_Nms") == doctest::Approx(0.1 + kI * 10).epsilon(1e-12));
  CHECK(hit.outcome.ledger.momentum_error < 1e-14);
}

TEST_CASE("mistakes of wheels are told, and methods that cannot carry their speeds say so") {
  const auto has = [](const std::string& text, const std::string& words) {
    CAPTURE(text);
    return text.find(words) != std::string::npos;
  };
  CHECK(has(told_of_wheel(with_wheel("speed = 1\nspeed_rpm = 1")), "both speed and speed_rpm"));
  CHECK(has(told_of_wheel(with_wheel("max_torque = 0")), "max_torque is not positive"));
  CHECK(has(told_of_wheel(with_wheel("friction = -1")), "negative friction adds energy"));
  CHECK(has(told_of_wheel(with_wheel("speed = 11\nmax_speed = 10")), "the wheel starts faster than its largest speed"));
  CHECK(has(told_of_wheel(with_wheel("motor_torque = \"rv_speed\"")),
            "unknown name 'rv_speed'; did you mean 'rw_speed'?"));
  CHECK(has(told_of_wheel(with_wheel("", "", "[[load]]\nkind = \"moment\"\nmoment_body = [\"rw_speed\", 0, 0]")),
            "the speed of a wheel is seen by motor_torque of wheels and by events alone"));
  std::string heavy = with_wheel("");
  heavy.replace(heavy.find("inertia = 0.02"), 14, "inertia = 0.4");
  CHECK(has(told_of_wheel(heavy), "the body without its reaction wheels has a moment of inertia of -0.1 kg m²"));
  for (const char* method : {"splitting4", "free-kick4", "dmv"}) {
    CAPTURE(method);
    const std::string why =
        told_of_wheel(with_wheel("", std::string("step = 0.01\nintegrator = \"") + method + "\"\n"));
    CHECK(
        has(why, "the speed of a reaction wheel is part of the state, which methods by right sides alone carry; try"));
  }
  // a motor with a limit has an edge, and no series across it; one without has a series
  CHECK(has(told_of_wheel(with_wheel("motor_torque = \"0.1*sin(t)\"\nmax_torque = 0.05", "integrator = \"taylor\"\n")),
            "load 'rw': '<' has an edge, across which there is no series; try 'dop853'"));
  CHECK(told_of_wheel(with_wheel("motor_torque = \"0.1*sin(t)\"", "integrator = \"taylor\"\n")) == "nothing");
}

TEST_CASE("an initial speed cannot be set by an event, a limit below it can, and formulas tell wheels apart") {
  const std::string at_three = "[[event]]\nname = \"limit\"\nformula = \"t - 3.9\"\naction = \"set\"\n";
  const WheelRun slowed(with_wheel("speed = 50\nfriction = 0.05\nmax_speed = \"top\"", "",
                                   at_three + "set = { top = 20 }\n[parameters]\ntop = 60\n"));
  CHECK(slowed.last("rw.speed_rad_s") < 20);
  const std::string start =
      told_of_wheel(with_wheel("speed = \"first\"", "", at_three + "set = { first = 20 }\n[parameters]\nfirst = 50\n"));
  CHECK(start.find("'first' is a part of load[0].speed, which an event cannot change") != std::string::npos);
  const std::string twin = "[[load]]\nkind = \"reaction_wheel\"\naxis_body = [1, 0, 0]\ninertia = 0.01\nname = ";
  CHECK(told_of_wheel(with_wheel("", "", twin + "\"r-w\"\n" + twin + "\"r_w\"\n")).find("two wheels 'r_w_speed'") !=
        std::string::npos);
  CHECK(told_of_wheel(with_wheel("", "", twin + "\"r-w\"\n" + twin + "\"r_v\"\n")).find("two wheels") ==
        std::string::npos);
}
