// What acts: one list of kinds for one body and for mechanisms, and a far centre of attraction on any orbit.
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/simulation/certificate.h"
#include "support/sinks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

using namespace polhode;

namespace {

/// A body that travels, alone or as the only one of a mechanism.
struct OneAndMany {
  static std::string alone(const std::string& more) {
    return "title = \"x\"\n[body]\nmass = 2\nprincipal_moments = [0.3, 0.5, 0.7]\n[initial]\nposition = [1, 0, 0]\n"
           "velocity = [0, 1, 0.1]\nw_body = [0.5, -1, 0.8]\n[run]\nduration = 3\ntolerance = 1e-11\n" +
           more;
  }
  static std::string in_mechanism(const std::string& more) {
    return "title = \"x\"\n[[bodies]]\nname = \"b\"\nmass = 2\nprincipal_moments = [0.3, 0.5, 0.7]\nposition = [1, 0, "
           "0]\n"
           "velocity = [0, 1, 0.1]\nw_body = [0.5, -1, 0.8]\n[run]\nduration = 3\ntolerance = 1e-11\n" +
           more;
  }
};

struct AloneEnd {
  simulation::Outcome outcome;
  simulation::Verdict verdict;
  std::vector<std::vector<double>> rows;
};
AloneEnd run_alone(const std::string& text) {
  const catalog::OneBodyScenario s = catalog::read_scenario(text, "s.toml");
  test::Keeper keeper;
  const simulation::Outcome outcome = simulation::Simulation(s.plan).run(keeper);
  REQUIRE(outcome.ending == simulation::Ending::done);
  return {outcome, simulation::certificate_of(s.plan, outcome).verdict, keeper.rows};
}
struct MechanismEnd {
  simulation::Outcome outcome;
  std::vector<std::vector<double>> rows;
};
MechanismEnd run_mechanism(const std::string& text) {
  const catalog::MechanismScenario s = catalog::read_mechanism(text, "m.toml");
  test::Keeper keeper;
  simulation::Outcome outcome = simulation::Simulation(s.plan).run(keeper);
  REQUIRE(outcome.ending == simulation::Ending::done);
  return {std::move(outcome), keeper.rows};
}

/// How far the ends of both runs are apart: position, velocity, attitude, rate.
double apart(const simulation::Outcome& alone, const simulation::Outcome& many) {
  const BodyView b = Model::view(many.y, 0);
  const EulerParameters<double> d = conjugate(alone.state.e_NB) * b.e_NB;
  return norm(alone.state.r_N - b.r_N) + norm(alone.state.v_N - b.v_N) + norm(alone.state.w_B - b.w_B) + 2 * norm(d.ev);
}

struct Example {
  const char* kind;
  const char* keys;
  const char* wrong;  ///< keys of a deliberately wrong twin
};
const std::vector<Example> kOnOneBody{
    {"moment", "moment_body = [\"0.1*sin(t)\", 0, 0.05]", "moment_space = [\"0.1*sin(t)\", 0, 0.05]"},
    {"force", "force_space = [0, \"0.1*t\", 0.2]\nat_body = [0.1, 0, 0.3]\nmoment_body = [0.1, 0, 0]",
     "force_space = [0, \"0.1*t\", 0.2]\nat_body = [0.1, 0, 0.3]\nmoment_space = [0.1, 0, 0]"},
    {"gravity", "g_space = [0, 0, -9.81]", "g_space = [0, 0, -9.82]"},
    {"gravity_gradient", "orbit_rate = 0.5\norbit_normal_space = [0, 0, 1]\ncentre_space = [1, 0, 0]",
     "orbit_rate = 0.5\norbit_normal_space = [0, 0, -1]\ncentre_space = [1, 0, 0]"},
    {"central_gravity", "mu = 3\ncentre_space = [0, 0, 4]", "mu = 3\ncentre_space = [0, 0, -4]"},
    {"spring", "stiffness = 5\nanchor_space = [0, 0, 1]\nat_body = [0.1, 0.2, 0]\nlength = 0.5\ndamping = 0.1",
     "stiffness = 5\nanchor_space = [0, 0, 1]\nat_body = [0.1, 0.2, 0]\nlength = 0.5"},
    {"damping", "linear = 0.1\nquadratic = 0.05", "linear = 0.1"},
    {"energy_sink", "coefficient = 0.5", "coefficient = 0.4"},
    {"magnetic_damping", "coefficient = 0.3\nfield_space = [0, \"cos(t)\", 1]",
     "coefficient = 0.3\nfield_space = [0, \"sin(t)\", 1]"},
    {"wheel", "axis_body = [1, 1, 0]\nmomentum = 0.4", "axis_body = [1, 1, 0]\nmomentum = -0.4"},
    {"reaction_wheel", "axis_body = [0, 0, 1]\ninertia = 0.05\nspeed = 20\nmotor_torque = \"cos(t)\"\nfriction = 0.01",
     "axis_body = [0, 0, 1]\ninertia = 0.06\nspeed = 20\nmotor_torque = \"cos(t)\"\nfriction = 0.01"},
    {"drag", "at_body = [0, 0.2, 0.1]\nlinear = 0.2\nquadratic = 0.1\nmedium_space = [0.5, 0, 0]",
     "linear = 0.2\nquadratic = 0.1\nmedium_space = [0.5, 0, 0]"},
};

std::string acting(const std::string& table, const std::string& kind, const std::string& keys) {
  return "[[" + table + "]]\nkind = \"" + kind + "\"\n" + keys + "\n";
}
std::string told_of_body(const std::string& more) {
  try {
    catalog::read_scenario(OneAndMany::alone(more), "s.toml");
  } catch (const Error& error) { return error.what(); }
  return "nothing";
}
std::string told_of_mechanism(const std::string& more) {
  try {
    catalog::read_mechanism(OneAndMany::in_mechanism(more), "m.toml");
  } catch (const Error& error) { return error.what(); }
  return "nothing";
}

/// Kepler's motion in the plane: position and velocity at the time t after the pericentre.
struct Kepler {
  double mu, a, e;
  std::array<double, 4> at(double t) const {
    const double n = std::sqrt(mu / (a * a * a));
    double E = n * t;
    for (int i = 0; i < 60; ++i) { E -= (E - e * std::sin(E) - n * t) / (1 - e * std::cos(E)); }
    const double b = a * std::sqrt(1 - e * e);
    const double rate = n / (1 - e * std::cos(E));
    return {a * (std::cos(E) - e), b * std::sin(E), -a * std::sin(E) * rate, b * std::cos(E) * rate};
  }
};

}  // namespace

TEST_CASE(
    "a body alone and the same body in a mechanism move alike under every kind of the list, and energy balances") {
  for (const force::Kind& kind : force::kinds()) {
    if (!kind.on_one_body || !kind.in_mechanisms || kind.name == "code") { continue; }
    const bool tried = std::any_of(kOnOneBody.begin(), kOnOneBody.end(),
                                   [&](const Example& example) { return example.kind == kind.name; });
    CAPTURE(kind.name);
    CHECK(tried);
  }
  for (const Example& example : kOnOneBody) {
    CAPTURE(example.kind);
    const std::string on_b = std::string("body = \"b\"\n");
    const AloneEnd alone = run_alone(OneAndMany::alone(acting("load", example.kind, example.keys)));
    const MechanismEnd many =
        run_mechanism(OneAndMany::in_mechanism(acting("load", example.kind, on_b + example.keys)));
    CHECK(alone.verdict == simulation::Verdict::not_established);  // balances hold
    // both runs at 1e-11: ends agree to some 100 times that
    CHECK(apart(alone.outcome, many.outcome) < 1e-8);
    CHECK(many.outcome.ledger.energy_error < 1e-9 * many.outcome.ledger.energy_scale);
    const MechanismEnd wrong =
        run_mechanism(OneAndMany::in_mechanism(acting("load", example.kind, on_b + example.wrong)));
    CHECK(apart(alone.outcome, wrong.outcome) > 1e-4);
  }
}

TEST_CASE("what brakes a body of a mechanism dissipates, what does no work supplies none") {
  const auto ledger = [](const std::string& kind, const std::string& keys) {
    return run_mechanism(OneAndMany::in_mechanism(acting("forces", kind, "body = \"b\"\n" + keys))).outcome.ledger;
  };
  for (const auto& [kind, keys] : {std::pair{"damping", "linear = 0.1"}, std::pair{"energy_sink", "coefficient = 0.5"},
                                   std::pair{"magnetic_damping", "coefficient = 0.3\nfield_space = [0, 0, 1]"}}) {
    CAPTURE(kind);
    CHECK(ledger(kind, keys).dissipated > 1e-3);
    CHECK(ledger(kind, keys).supplied == 0);
  }
  CHECK(ledger("wheel", "axis_body = [1, 1, 0]\nmomentum = 0.4").dissipated == 0);
  CHECK(ledger("wheel", "axis_body = [1, 1, 0]\nmomentum = 0.4").supplied == 0);
  CHECK(ledger("central_gravity", "mu = 3\ncentre_space = [0, 0, 4]").supplied == 0);
}

TEST_CASE("[[load]] and [[forces]] are one table under two names") {
  const std::string damping = "kind = \"damping\"\nlinear = 0.1\n";
  CHECK(run_alone(OneAndMany::alone("[[load]]\n" + damping)).rows ==
        run_alone(OneAndMany::alone("[[forces]]\n" + damping)).rows);
  const std::string drag = "kind = \"drag\"\nbody = \"b\"\nlinear = 0.1\n";
  CHECK(run_mechanism(OneAndMany::in_mechanism("[[load]]\n" + drag)).rows ==
        run_mechanism(OneAndMany::in_mechanism("[[forces]]\n" + drag)).rows);
  // both at once
  CHECK(run_alone(OneAndMany::alone("[[load]]\n" + damping + "[[forces]]\n" + damping)).rows ==
        run_alone(OneAndMany::alone("[[forces]]\n" + damping + "[[forces]]\n" + damping)).rows);
  // gravity without a body is that of all bodies
  CHECK(run_mechanism(OneAndMany::in_mechanism("[[load]]\nkind = \"gravity\"\ng_space = [0, 0, -9]\n")).rows ==
        run_mechanism(OneAndMany::in_mechanism("[gravity]\ng_space = [0, 0, -9]\n")).rows);
  CHECK(run_mechanism(
            OneAndMany::in_mechanism("[[load]]\nkind = \"central_gravity\"\nmu = 3\ncentre_space = [0, 0, 4]\n"))
            .rows == run_mechanism(OneAndMany::in_mechanism("[gravity]\nmu = 3\ncentre_space = [0, 0, 4]\n")).rows);
}

TEST_CASE("a scenario keeps under which name the table of what acts was written, and is read back equal") {
  std::string text = OneAndMany::alone("");
  for (const Example& example : kOnOneBody) {
    text += acting(example.kind == std::string_view("drag") ? "forces" : "load", example.kind, example.keys);
  }
  text +=
      acting("forces", "reaction_wheel", "name = \"rw\"\naxis_body = [0, 0, 1]\ninertia = 0.01\nmotor_torque = \"-t\"");
  const Scenario read = io::ScenarioFile(text, "s.toml").scenario();
  CHECK(read.load.size() == kOnOneBody.size() - 1);
  REQUIRE(read.forces.size() == 2);
  CHECK(read.forces[1].name == "rw");
  const Scenario again = io::ScenarioFile(io::to_toml(read), "again.toml").scenario();
  CHECK(again == read);
  // what a program builds is what a file says
  CHECK(std::get<force::ReactionWheel>(read.forces[1].what) ==
        force::ReactionWheel{.axis_body = {0.0, 0.0, 1.0}, .inertia = 0.01, .motor_torque = "-t"});
}

TEST_CASE("a kind that cannot act somewhere is refused in the words of its table") {
  const std::string joint = told_of_body("[[forces]]\nkind = \"joint_spring\"\njoint = \"hinge\"\nstiffness = 1\n");
  CAPTURE(joint);
  CHECK(joint.find(
            "'joint_spring' acts between bodies or on joints, and there is one body alone; describe a mechanism") !=
        std::string::npos);
  CHECK(joint.starts_with("s.toml:13:"));
  CHECK(told_of_body("[[load]]\nkind = \"damping\"\nlinear = 1\nbody = \"b\"\n")
            .find("there is one body alone, and it has no name; leave out body") != std::string::npos);
  for (const char* table : {"load", "forces"}) {
    const std::string missing = told_of_mechanism(acting(table, "damping", "linear = 0.1"));
    CAPTURE(missing);
    CHECK(missing.find(std::string("body is missing in [[") + table + "]] 1; wanted: the name of a body") !=
          std::string::npos);
  }
  CHECK(told_of_mechanism(acting("load", "damping", "body = \"c\"\nlinear = 0.1")).find("unknown body 'c'") !=
        std::string::npos);
  CHECK(told_of_mechanism(
            acting("load", "magnetic_damping", "body = \"b\"\ncoefficient = 1\nfield_space = [\"q\", 0, 0]"))
            .find("unknown name 'q'") != std::string::npos);
  try {
    catalog::read_scenario(
        "title = \"x\"\n[body]\nprincipal_moments = [1, 2, 3]\n[initial]\nw_body = [1, 0, 0]\n[run]\nduration = 1\n"
        "[[load]]\nkind = \"central_gravity\"\nmu = 1\n",
        "s.toml");
    FAIL("a body that does not travel has no orbit");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("this body does not travel; give position and velocity in [initial]") !=
          std::string::npos);
  }
}

TEST_CASE("a sphere under a far centre goes along Kepler's ellipse") {
  const Kepler orbit{3.0, 2.0, 0.6};
  const std::array<double, 4> start = orbit.at(0);
  const std::string text =
      "title = \"x\"\n[body]\nmass = 2\nprincipal_moments = [0.3, 0.3, 0.3]\n[initial]\nposition = [" +
      std::to_string(start[0]) + ", 0, 0]\nvelocity = [0, " + "\"sqrt(6)\"" +
      ", 0]\nw_body = [0.5, -1, 0.8]\n[run]\nduration = 10\ntolerance = 1e-12\noutput_interval = 0.5\n"
      "[[load]]\nkind = \"central_gravity\"\nmu = 3\n";
  // at the pericentre v = sqrt(mu (1 + e)/(a (1 - e))) = sqrt(6), and r = a (1 - e) = 0.8
  CHECK(start[0] == doctest::Approx(0.8).epsilon(1e-15));
  CHECK(start[3] == doctest::Approx(std::sqrt(6.0)).epsilon(1e-15));
  const AloneEnd run = run_alone(text);
  double off = 0;
  double off_circle = 0;
  for (const std::vector<double>& row : run.rows) {
    const std::array<double, 4> exact = orbit.at(row[0]);
    off = std::fmax(off, std::hypot(row[11] - exact[0], row[12] - exact[1]));
    off_circle = std::fmax(off_circle, std::fabs(std::hypot(row[11], row[12]) - 0.8));
    CHECK(std::fabs(row[13]) < 1e-14);
  }
  CHECK(off < 1e-9);  // the tolerance, and an orbit and a half that carries it along
  CHECK(off_circle > 1);
}

TEST_CASE(
    "a long body on an eccentric orbit keeps energy and the angular momentum about the centre, orbit and spin "
    "together") {
  const AloneEnd run = run_alone(
      "title = \"x\"\n[body]\nmass = 2\nprincipal_moments = [0.02, 0.05, 0.06]\n[initial]\nposition = [0.8, 0, 0]\n"
      "velocity = [0, 2.2, 0.3]\nw_body = [0.5, -1, 0.8]\n[run]\nduration = 10\ntolerance = 1e-12\noutput_interval = "
      "0.5\n"
      "[[load]]\nkind = \"central_gravity\"\nmu = 3\n");
  CHECK(run.outcome.ledger.energy_error < 1e-10 * run.outcome.ledger.energy_scale);
  const auto momenta = [](const std::vector<double>& row) {
    const Vec3<double> orbit = 2.0 * cross(Vec3<double>{row[11], row[12], row[13]}, {row[14], row[15], row[16]});
    return std::pair{orbit, Vec3<double>{row[8], row[9], row[10]}};
  };
  const auto [orbit_0, spin_0] = momenta(run.rows.front());
  double whole = 0;
  double orbit_alone = 0;
  for (const std::vector<double>& row : run.rows) {
    const auto [orbit, spin] = momenta(row);
    whole = std::fmax(whole, norm(orbit + spin - orbit_0 - spin_0));
    orbit_alone = std::fmax(orbit_alone, norm(orbit - orbit_0));
  }
  CHECK(whole < 1e-10);
  CHECK(orbit_alone > 1e-3);  // the two are exchanged
}

TEST_CASE("on a circular orbit a far centre turns a satellite as the gravity gradient of that orbit does") {
  // r = 7000 km: what J adds to the orbit is 1e-13 of it
  const double mu = 3.986004418e14;
  const double r = 7e6;
  const double n = std::sqrt(mu / (r * r * r));
  const auto text = [&](const std::string& load) {
    char numbers[200];
    std::snprintf(numbers, sizeof numbers, "position = [%.17g, 0, 0]\nvelocity = [0, %.17g, 0]\n", r, n * r);
    return "title = \"x\"\n[body]\nmass = 500\nprincipal_moments = [100, 200, 250]\n[initial]\n" +
           std::string(numbers) + "w_body = [0.0003, 0.0002, 0.0011]\n[run]\nduration = 6000\ntolerance = 1e-12\n" +
           load;
  };
  char rate[80];
  std::snprintf(rate, sizeof rate, "orbit_rate = %.17g\n", n);
  const std::string directions = "orbit_normal_space = [0, 0, 1]\ncentre_space = [-1, 0, 0]\n";
  const AloneEnd central = run_alone(text("[[load]]\nkind = \"central_gravity\"\nmu = 3.986004418e14\n"));
  const AloneEnd given = run_alone(text(acting("load", "gravity_gradient", rate + directions)));
  const AloneEnd none = run_alone(text(""));
  const auto angle = [](const AloneEnd& a, const AloneEnd& b) {
    return simulation::attitude_difference(a.outcome.state.e_NB, b.outcome.state.e_NB);
  };
  // the orbit is followed to 1e-12 of its size, and the phase to some 1e-10 after one round
  CHECK(angle(central, given) < 1e-8);
  CHECK(angle(none, given) > 0.1);
}
