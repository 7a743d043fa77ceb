// Reaction wheels in bodies of mechanisms: the keys, names and columns of one body, and the same motion.
#include "catalog/kept_run.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/catalog/model_check.h"
#include "polhode/comparison/mechanism_forms.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/simulation/certificate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace polhode;

namespace {

constexpr double kHubJ = 0.3;     // of the body about z, wheel included, kg m²
constexpr double kWheelI = 0.02;  // of the wheel about its axis

/// A free body at rest, alone in its mechanism, with a wheel along z.
std::string hub_with_wheel(const std::string& wheel, const std::string& run = "", const std::string& more = "",
                           const std::string& body = "w_body = [0, 0, 0]") {
  return "title = \"x\"\n[[bodies]]\nname = \"hub\"\nmass = 5\nprincipal_moments = [0.2, 0.25, 0.3]\n" + body +
         "\n[run]\nduration = 4\noutput_interval = 0.125\n" + run +
         "\n[[forces]]\nname = \"rw\"\nkind = \"reaction_wheel\"\nbody = \"hub\"\naxis_body = [0, 0, 2]\ninertia = "
         "0.02\n" +
         wheel + "\n" + more;
}

struct HubScenario {
  explicit HubScenario(const std::string& text) : scenario(catalog::read_mechanism(text, "m.toml")) {}
  catalog::MechanismScenario scenario;
};
struct HubRun : HubScenario, test::KeptRun {
  explicit HubRun(const std::string& text) : HubScenario(text), test::KeptRun(scenario.plan) {}
};

std::string told_of_hub(const std::string& text) {
  try {
    catalog::read_mechanism(text, "m.toml");
  } catch (const Error& error) { return error.what(); }
  return "nothing";
}

bool says(const std::string& text, const std::string& words) {
  CAPTURE(text);
  return text.find(words) != std::string::npos;
}

/// Some integrators need SUNDIALS.
bool is_installed(const std::string& integrator) {
  const auto& known = integrators<double>();
  return std::any_of(known.begin(), known.end(),
                     [&](const auto& method) { return method->description().name == integrator; });
}

/// Hub and panel on a sprung hinge that float, a wheel in each.
std::string panel_satellite(const std::string& run, const std::string& interval = "0.5") {
  return "title = \"x\"\n[[bodies]]\nname = \"hub\"\nmass = 20\nprincipal_moments = [1, 1.3, 0.9]\nw_body = [0.2, "
         "-0.3, 0.4]\n[[bodies]]\nname = \"panel\"\nmass = 3\nprincipal_moments = [0.2, 0.05, 0.24]\nposition = [1, 0, "
         "0]\n[[joints]]\nname = \"hinge\"\nkind = \"revolute\"\nbodies = [\"hub\", \"panel\"]\npoint = [0.5, 0, "
         "0]\naxis = [0, 1, 0]\n[[forces]]\nkind = \"joint_spring\"\njoint = \"hinge\"\nstiffness = 5\ndamping = 0.1\n"
         "[[forces]]\nkind = \"reaction_wheel\"\nname = \"on-panel\"\nbody = \"panel\"\naxis_body = [1, 2, "
         "-1]\ninertia = 0.01\nspeed = 80\nfriction = 0.002\nmotor_torque = \"0.4*cos(2*t) + hub_wy_body - "
         "0.01*wheel2_speed\"\n[[forces]]\nkind = \"reaction_wheel\"\nbody = \"hub\"\naxis_body = [0, 1, 1]\ninertia = "
         "0.03\nspeed_rpm = -500\nmotor_torque = \"0.1*hinge_turn_rate\"\nmax_torque = 0.05\n[run]\nduration = "
         "2\noutput_interval = " +
         interval + "\n" + run;
}

}  // namespace

TEST_CASE("one body with wheels and a mechanism of that one body move alike, under several forms and integrators") {
  const std::string wheels =
      "[[forces]]\nname = \"rw\"\nkind = \"reaction_wheel\"\nBODYaxis_body = [0, 0, 2]\ninertia = 0.02\nspeed = "
      "20\nfriction = 0.001\nmotor_torque = \"0.02*sin(3*t) - 0.001*rw_speed\"\n"
      "[[forces]]\nkind = \"reaction_wheel\"\nBODYaxis_body = [1, 1, 0]\ninertia = 0.01\nspeed_rpm = -300\n"
      "motor_torque = \"0.1*WX\"\n";  // no limits: a kink would cost digits at these tolerances
  const auto filled = [&](const std::string& body, const std::string& wx) {
    std::string text = wheels;
    for (std::size_t at = text.find("BODY"); at != std::string::npos; at = text.find("BODY")) {
      text.replace(at, 4, body);
    }
    return text.replace(text.find("WX"), 2, wx);
  };
  const std::string run = "[run]\nduration = 4\noutput_interval = 0.5\n";
  const catalog::OneBodyScenario alone = catalog::read_scenario(
      "title = \"x\"\n[body]\nmass = 5\nprincipal_moments = [0.2, 0.25, 0.3]\n[initial]\nw_body = [0.4, -0.7, 0.9]\n" +
          run + "tolerance = 1e-13\n" + filled("", "wx_body"),
      "s.toml");
  simulation::Simulation simulation(alone.plan);
  test::Keeper expected;
  REQUIRE(simulation.run(expected).ending == simulation::Ending::done);
  const auto column_of = [&](const std::string& name) {
    const auto& all = simulation.columns();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    REQUIRE(found != all.end());
    return static_cast<std::size_t>(found - all.begin());
  };
  const auto off = [&](const std::string& settings, const std::string& forces) {
    const HubRun many(
        "title = \"x\"\n[[bodies]]\nname = \"hub\"\nmass = 5\nprincipal_moments = [0.2, 0.25, 0.3]\n"
        "w_body = [0.4, -0.7, 0.9]\n" +
        run + settings + forces);
    double most = 0;
    for (const auto& [one, other, scale] : std::initializer_list<std::tuple<const char*, const char*, double>>{
             {"e0", "hub.e0", 1},
             {"e1", "hub.e1", 1},
             {"e2", "hub.e2", 1},
             {"e3", "hub.e3", 1},
             {"wx_body_rad_s", "hub.wx_body_rad_s", 1},
             {"wy_body_rad_s", "hub.wy_body_rad_s", 1},
             {"wz_body_rad_s", "hub.wz_body_rad_s", 1},
             {"kinetic_J", "kinetic_J", 10},
             {"rw.speed_rad_s", "rw.speed_rad_s", 30},
             {"rw.motor_torque_Nm", "rw.motor_torque_Nm", 0.1},
             {"wheel2.speed_rad_s", "wheel2.speed_rad_s", 30},
             {"wheel2.motor_torque_Nm", "wheel2.motor_torque_Nm", 0.1}}) {
      const std::size_t i = column_of(one);
      const std::size_t k = many.column(other);
      REQUIRE(many.keeper.rows.size() == expected.rows.size());
      for (std::size_t r = 0; r < expected.rows.size(); ++r) {
        most = std::fmax(most, std::fabs(expected.rows[r][i] - many.keeper.rows[r][k]) / scale);
      }
    }
    return most;
  };
  const std::string in_hub = filled("body = \"hub\"\n", "hub_wx_body");
  // the same equations with another state: rounding of some hundred steps, measured 4e-14
  CHECK(off("tolerance = 1e-13\n", in_hub) < 5e-13);
  for (const EulerForm& form : euler_forms()) {
    CAPTURE(form.name);
    CHECK(off("tolerance = 1e-11\nformulation = \"" + std::string(form.name) + "\"\n", in_hub) < 1e-9);
  }
  struct Case {
    const char* method;
    const char* steps;
    double allowed;  ///< order 4 and more; order 2; order 1, at these steps
  };
  for (const Case& one :
       {Case{"dopri5", "tolerance = 1e-12", 1e-10}, Case{"extrapolation", "tolerance = 1e-12", 1e-10},
        Case{"rk4", "step = 0.002", 1e-8}, Case{"gauss4", "step = 0.005", 1e-7},
        Case{"semi-implicit-euler", "step = 0.0005", 1e-2}, Case{"generalised-alpha", "step = 0.001", 1e-4},
        Case{"generalised-alpha-index2", "step = 0.002", 1e-4}, Case{"generalised-alpha-index3", "step = 0.002", 1e-4},
        Case{"ida", "tolerance = 1e-9", 1e-5}, Case{"cvode-adams", "tolerance = 1e-11", 1e-7},
        Case{"cvode-bdf", "tolerance = 1e-11", 1e-7}}) {
    CAPTURE(std::string(one.method));
    if (!is_installed(one.method)) { continue; }
    CHECK(off(std::string("integrator = \"") + one.method + "\"\n" + one.steps + "\n", in_hub) < one.allowed);
  }
  // wrong twins: the wheel's inertia on top of the body's; the axis the other way round
  std::string heavier = in_hub;
  heavier.replace(heavier.find("inertia = 0.02"), 14, "inertia = 0.03");
  CHECK(off("tolerance = 1e-12\n", heavier) > 1e-2);
  std::string reversed = in_hub;
  reversed.replace(reversed.find("[0, 0, 2]"), 9, "[0, 0, -2]");
  CHECK(off("tolerance = 1e-12\n", reversed) > 1e-2);
}

TEST_CASE("a wheel in a mechanism: spin-up, largest torque, largest speed and friction are exact") {
  // J ω + I Ω = 0 and I (Ω̇ + ω̇) = τ:  ω = −τ t/(J − I),  Ω = J τ t/(I (J − I))
  const HubRun up(hub_with_wheel("motor_torque = 0.05"));
  CHECK(up.off("hub.wz_body_rad_s", [](double t) { return -0.05 * t / (kHubJ - kWheelI); }) < 1e-11);
  CHECK(up.off("rw.speed_rad_s", [](double t) { return kHubJ / kWheelI * 0.05 * t / (kHubJ - kWheelI); }) < 1e-10);
  CHECK(up.off("rw.motor_torque_Nm", [](double) { return 0.05; }) == 0);
  CHECK(up.off("hub.wz_body_rad_s", [](double t) { return -0.05 * t / kHubJ; }) > 1e-2);  // the wheel left in the body
  const auto work = [](double t) { return 0.5 * 0.05 * 0.05 * t * t * (1 / (kHubJ - kWheelI) + 1 / kWheelI); };
  CHECK(up.off("work_supplied_J", work) < 1e-10);
  CHECK(up.off("kinetic_J", work) < 1e-10);
  CHECK(up.outcome.ledger.dissipated == 0);

  const HubRun limited(hub_with_wheel("motor_torque = \"0.1*t\"\nmax_torque = 0.2"));
  CHECK(limited.off("rw.motor_torque_Nm", [](double t) { return std::fmin(0.1 * t, 0.2); }) < 1e-15);
  const auto impulse = [](double t) { return t < 2 ? 0.05 * t * t : 0.2 + 0.2 * (t - 2); };
  CHECK(limited.off("hub.wz_body_rad_s", [&](double t) { return -impulse(t) / (kHubJ - kWheelI); }) < 1e-9);

  const double k = kHubJ * 1.0 / (kWheelI * (kHubJ - kWheelI));
  const double t1 = 99 / k;
  const HubRun fast(hub_with_wheel("motor_torque = 1\nmax_speed = 100", "tolerance = 1e-12"));
  const auto speed = [&](double t) { return t < t1 ? k * t : 100 - std::exp(-k * (t - t1)); };
  CHECK(fast.off("rw.speed_rad_s", speed) < 1e-8);
  CHECK(fast.off("rw.speed_rad_s", [&](double t) { return k * t; }) > 100);  // without a limit

  const HubRun brakes(hub_with_wheel("speed = 50\nfriction = 0.01"));
  const double decay = 0.01 * kHubJ / (kWheelI * (kHubJ - kWheelI));
  CHECK(brakes.off("rw.speed_rad_s", [&](double t) { return 50 * std::exp(-decay * t); }) < 1e-8);
  CHECK(brakes.outcome.ledger.supplied == 0);
  // what is left of ½ I_r Ω², I_r = I (J − I)/J the inertia that the bearing feels
  const double felt = kWheelI * (kHubJ - kWheelI) / kHubJ;
  CHECK(brakes.outcome.ledger.dissipated ==
        doctest::Approx(0.5 * felt * 2500 * (1 - std::exp(-8 * decay))).epsilon(1e-8));
  CHECK(brakes.outcome.ledger.energy_error < 1e-9 * brakes.outcome.ledger.energy_scale);
}

TEST_CASE("hub and panel with wheels: all forms and stiff methods agree, energy balances, the certificate holds") {
  const HubRun reference(panel_satellite("tolerance = 1e-12\n"));
  CHECK(reference.outcome.ledger.energy_error < 1e-9 * reference.outcome.ledger.energy_scale);
  CHECK(simulation::certificate_of(reference.scenario.plan, reference.outcome).verdict ==
        simulation::Verdict::not_established);  // balances hold
  CHECK(reference.columns.back().name == "wheel2.motor_torque_Nm");
  CHECK(reference.last("on-panel.speed_rad_s") !=
        reference.keeper.rows.front()[reference.column("on-panel.speed_rad_s")]);
  CHECK(reference.keeper.rows.front()[reference.column("on-panel.speed_rad_s")] == doctest::Approx(80).epsilon(1e-14));
  const auto off = [&](const std::string& run) {
    const HubRun other(panel_satellite(run));
    double most = 0;
    for (const char* name : {"hub.e0", "hub.e1", "hub.wx_body_rad_s", "panel.e2", "panel.rx_space_m", "hinge.turn_rad",
                             "on-panel.speed_rad_s", "wheel2.speed_rad_s"}) {
      const std::size_t i = reference.column(name);
      for (std::size_t r = 0; r < reference.keeper.rows.size(); ++r) {
        most = std::fmax(most, std::fabs(other.keeper.rows[r][i] - reference.keeper.rows[r][i]) /
                                   (1 + std::fabs(reference.keeper.rows[r][i])));
      }
    }
    return most;
  };
  for (const char* form : {"f1", "f3", "f5", "f8", "f12"}) {
    CAPTURE(form);
    CHECK(off(std::string("tolerance = 1e-11\nformulation = \"") + form + "\"\n") < 1e-8);
  }
  CHECK(off("tolerance = 1e-11\nformulation = \"f6\"\njacobian = \"raw\"\n") < 1e-8);
  CHECK(off("step = 0.002\nintegrator = \"generalised-alpha-index2\"\n") < 1e-4);
  CHECK(off("step = 0.002\nintegrator = \"generalised-alpha-index3\"\n") < 1e-4);
  if (is_installed("ida")) { CHECK(off("tolerance = 1e-9\nintegrator = \"ida\"\n") < 1e-5); }
  if (is_installed("cvode-bdf")) { CHECK(off("tolerance = 1e-11\nintegrator = \"cvode-bdf\"\n") < 1e-6); }
  // the forms at states along the run, as `compare` has them
  const comparison::FormComparison compared = comparison::compare_mechanism_forms(reference.scenario.plan, 5);
  CHECK(compared.rows.size() == 18);
  CHECK(compared.all_agree());
  // further columns: what a wheel does to the rest of its body
  const HubRun more(panel_satellite("tolerance = 1e-12\n[output]\nextra = [\"forces\", \"accelerations\"]\n"));
  const std::size_t i = more.column("wheel2.mx_space_Nm");
  double most = 0;
  for (const std::vector<double>& row : more.keeper.rows) {
    // −τ s − ω × I (Ω + s·ω) s, in space
    const std::size_t e = more.column("hub.e0");
    const std::size_t w = more.column("hub.wx_body_rad_s");
    const EulerParameters<double> e_NB{row[e], {row[e + 1], row[e + 2], row[e + 3]}};
    const Vec3<double> w_B{row[w], row[w + 1], row[w + 2]};
    const Vec3<double> s = Vec3<double>{0, 1, 1} / std::sqrt(2.0);
    const double rate = row[more.column("wheel2.speed_rad_s")] + dot(s, w_B);
    const Vec3<double> m_N =
        rotate(e_NB, -row[more.column("wheel2.motor_torque_Nm")] * s - cross(w_B, (0.03 * rate) * s));
    most = std::fmax(most, norm(m_N - Vec3<double>{row[i], row[i + 1], row[i + 2]}));
  }
  CHECK(most < 1e-13);
}

TEST_CASE("a resumed run of a mechanism with wheels has the same bytes") {
  const HubRun whole(panel_satellite("checkpoint_rows = 8\n", "0.05"));
  REQUIRE(whole.keeper.snapshots.size() > 2);
  const simulation::Snapshot& snapshot = whole.keeper.snapshots[2];
  CHECK(snapshot.y.size() == 28);
  test::Keeper rest;
  simulation::Simulation again(whole.scenario.plan);
  CHECK(again.resume(snapshot, rest).ending == simulation::Ending::done);
  REQUIRE(rest.rows.size() + snapshot.rows == whole.keeper.rows.size());
  for (std::size_t i = 0; i < rest.rows.size(); ++i) { CHECK(rest.rows[i] == whole.keeper.rows[snapshot.rows + i]); }
  // wrong twin: the wheel's rate forgotten
  simulation::Snapshot forgot = snapshot;
  forgot.y.back() = 0;
  test::Keeper other;
  simulation::Simulation(whole.scenario.plan).resume(forgot, other);
  CHECK(other.rows.back() != whole.keeper.rows.back());
}

TEST_CASE("events of mechanisms see the speed of a wheel; impulses leave it its momentum; what drives it can be set") {
  const HubRun passes(hub_with_wheel("motor_torque = 0.05", "",
                                     "[definitions]\nexcess = \"rw_speed - 5\"\n[[event]]\nname = \"fast\"\nformula = "
                                     "\"excess\"\n"));
  REQUIRE(passes.keeper.times.size() == 1);
  CHECK(passes.keeper.times[0] == doctest::Approx(5 * kWheelI * (kHubJ - kWheelI) / (kHubJ * 0.05)).epsilon(1e-9));
  // at t = 1 an impulse of 0.1 N m s about z: Δω = 0.1/(J − I), ΔΩ = −Δω
  const HubRun hit(hub_with_wheel("speed = 10", "",
                                  "[[event]]\nname = \"hit\"\nformula = \"t - 1\"\naction = \"impulse\"\nbody = "
                                  "\"hub\"\nimpulse_body = [0, 0, 0.1]\n"));
  CHECK(hit.last("hub.wz_body_rad_s") == doctest::Approx(0.1 / (kHubJ - kWheelI)).epsilon(1e-12));
  CHECK(hit.last("rw.speed_rad_s") == doctest::Approx(10 - 0.1 / (kHubJ - kWheelI)).epsilon(1e-12));
  CHECK(hit.outcome.ledger.energy_error < 1e-12);
  // the motor is switched off at t = 1
  const std::string off_at_one =
      "[[event]]\nname = \"off\"\nformula = \"t - 1\"\naction = \"set\"\nset = { pull = 0 }\n";
  const HubRun off(hub_with_wheel("motor_torque = \"pull\"", "", off_at_one + "[parameters]\npull = 0.05\n"));
  CHECK(off.last("hub.wz_body_rad_s") == doctest::Approx(-0.05 / (kHubJ - kWheelI)).epsilon(1e-10));
  CHECK(off.last("rw.motor_torque_Nm") == 0);
  // the wheel itself cannot change while it turns
  std::string grows = hub_with_wheel("", "", off_at_one + "[parameters]\npull = 0.02\n");
  grows.replace(grows.find("inertia = 0.02"), 14, "inertia = \"pull + 0.001\"");
  try {
    catalog::read_mechanism(grows, "m.toml");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(says(error.what(), "'pull' is a part of forces[0].inertia, which an event cannot change"));
  }
  // a limit may be set below the initial speed once the wheel is slower; 0.05 N m s take it from 50 to 0 within 4 s
  const HubRun slowed(hub_with_wheel("speed = 50\nfriction = 0.05\nmax_speed = \"top\"", "",
                                     "[[event]]\nname = \"limit\"\nformula = \"t - 3.9\"\naction = \"set\"\n"
                                     "set = { top = 20 }\n[parameters]\ntop = 60\n"));
  CHECK(slowed.outcome.ending == simulation::Ending::done);
}

TEST_CASE("copies of wheels, wheels without names, and what formulas call them") {
  const std::string bodies =
      "title = \"x\"\n[[bodies]]\nname = \"b{i}\"\ncopies = 3\ncopy_offset = [1, 0, 0]\nmass = 1\n"
      "principal_moments = [0.2, 0.25, 0.3]\n[run]\nduration = 1\noutput_interval = 0.5\n[[forces]]\n"
      "kind = \"reaction_wheel\"\nbody = \"b1\"\naxis_body = [1, 0, 0]\ninertia = 0.01\nspeed = 4\n";
  const HubRun run(bodies +
                   "[[forces]]\nname = \"rw\"\ncopies = 2\nkind = \"reaction_wheel\"\nbody = \"b{i+1}\"\naxis_body = "
                   "[0, 0, 1]\ninertia = 0.02\nmotor_torque = \"0.01*wheel1_speed + rw1_speed - rw2_speed\"\n");
  CHECK(run.scenario.plan.model->wheels()[2].body == 2);
  // both wheels of the copies do the same: their difference stays zero
  CHECK(run.last("rw1.speed_rad_s") == run.last("rw2.speed_rad_s"));
  CHECK(run.last("rw1.speed_rad_s") > 1);
  CHECK(run.last("wheel1.speed_rad_s") == doctest::Approx(4).epsilon(1e-14));
  std::string clash = bodies;
  clash.replace(clash.find("b{i}"), 4, "wheel{i}");
  clash.replace(clash.find("body = \"b1\""), 11, "body = \"wheel1\"");
  CHECK(says(told_of_hub(clash), "two elements are called 'wheel1'"));
}

TEST_CASE("mistakes of wheels in mechanisms are told with their locations") {
  CHECK(says(told_of_hub(hub_with_wheel("speed = 1\nspeed_rpm = 1")), "both speed and speed_rpm"));
  CHECK(says(told_of_hub(hub_with_wheel("speed = 11\nmax_speed = 10")), "the wheel starts faster than its largest"));
  CHECK(says(told_of_hub(hub_with_wheel("motor_torque = \"rv_speed\"")),
             "unknown name 'rv_speed'; did you mean 'rw_speed'?"));
  CHECK(says(told_of_hub(hub_with_wheel("motor_torque = \"rv_speed\"")), "m.toml:17:17: "));
  std::string text = hub_with_wheel("");
  text.replace(text.find("body = \"hub\"\naxis"), 12, "body = \"hug\"");
  CHECK(says(told_of_hub(text), "unknown body 'hug'; known: hub; did you mean 'hub'?"));
  text = hub_with_wheel("");
  text.replace(text.find("body = \"hub\"\naxis"), 13, "");
  CHECK(says(told_of_hub(text), "body is missing"));
  text = hub_with_wheel("");
  text.replace(text.find("[0, 0, 2]"), 9, "[0, 0, 0]");
  CHECK(says(told_of_hub(text), "axis_body has no direction"));
  text = hub_with_wheel("");
  text.replace(text.find("inertia = 0.02"), 14, "inertia = 0.4");
  const std::string heavy = told_of_hub(text);
  CHECK(says(heavy, "body 'hub' without its reaction wheels has a moment of inertia of -0.1 kg m²"));
  CHECK(heavy.starts_with("m.toml:16:"));
  CHECK(says(told_of_hub(hub_with_wheel("", "", "[parameters]\nrw_speed = 1\n")), "the name 'rw_speed' is taken"));
  for (const char* method : {"splitting4", "taylor", "rattle"}) {
    CAPTURE(method);
    const bool by_tolerance = std::string_view(method) == "taylor";
    CHECK(told_of_hub(hub_with_wheel("", std::string(by_tolerance ? "" : "step = 0.01\n") + "integrator = \"" + method +
                                             "\"\n")) != "nothing");
  }
  // a body that is alone has no name
  CHECK(says(
      [] {
        try {
          catalog::read_scenario(
              "title = \"x\"\n[body]\nprincipal_moments = [1, 1, 1]\n[initial]\nw_body = [0, 0, 0]\n[run]\nduration = "
              "1\n[[load]]\nkind = \"reaction_wheel\"\nbody = \"b\"\naxis_body = [0, 0, 1]\ninertia = 0.1\n",
              "s.toml");
        } catch (const Error& error) { return std::string(error.what()); }
        return std::string("nothing");
      }(),
      "there is one body alone, and it has no name"));
}

TEST_CASE("a mechanism with wheels is written and read back equal, and checked like any other") {
  const std::string text = panel_satellite("tolerance = 1e-9\n");
  const Scenario read = io::ScenarioFile(text, "m.toml").scenario();
  CHECK(io::ScenarioFile(io::to_toml(read), "again.toml").scenario() == read);
  CHECK(std::get<force::ReactionWheel>(read.forces[1].what).body == "panel");
  const catalog::ModelCheck check = catalog::check_mechanism(catalog::read_mechanism(text, "m.toml"));
  CHECK(check.freedoms == 7);  // wheels turn besides
  CHECK_FALSE(check.wrong());
  // a motor torque that is not finite ends the run with the name of the wheel
  const catalog::MechanismScenario bad =
      catalog::read_mechanism(hub_with_wheel("motor_torque = \"log(1 - t)\""), "m.toml");
  test::Keeper keeper;
  const simulation::Outcome outcome = simulation::Simulation(bad.plan).run(keeper);
  CHECK(outcome.ending != simulation::Ending::done);
  CHECK(says(outcome.message, "the motor torque of wheel 'rw' is not finite"));
}
