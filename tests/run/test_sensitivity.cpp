// Derivatives of runs with respect to parameters, against closed forms.
#include "polhode/catalog/varied.h"
#include "polhode/core/error.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/run/simulate.h"
#include "polhode/simulation/simulation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace polhode;

namespace {

struct VariedRun final : simulation::Sink {
  std::vector<simulation::Column> columns;
  std::vector<double> last;
  std::vector<simulation::EventOccurrence> events;
  simulation::Outcome outcome;

  bool row(std::span<const double> row) override {
    last.assign(row.begin(), row.end());
    return true;
  }
  bool event(const simulation::EventOccurrence& occurrence) override {
    events.push_back(occurrence);
    return true;
  }
  bool go_on() override { return true; }
  bool checkpoint(const simulation::Snapshot&) override { return true; }

  double operator[](const std::string& column) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == column) { return last[i]; }
    }
    FAIL("no column " << column);
    return 0;
  }
};

VariedRun varied_run(const std::string& toml, const std::vector<std::string>& parameters) {
  const io::ScenarioFile file(toml, "test.toml");
  for (const Problem& problem : file.problems()) { FAIL_CHECK(problem.what); }
  const catalog::CompiledScenario scenario(file.scenario());
  const auto plan = catalog::sensitivity_plan(scenario, {}, parameters);
  simulation::Simulation simulation(*plan);
  VariedRun run;
  run.columns = simulation.columns();
  run.outcome = simulation.run(run);
  CHECK(run.outcome.message == "");
  return run;
}

}  // namespace

TEST_CASE("derivatives of a free symmetric top are those of its closed form") {
  // w1 + i w2 = w0 exp(i k t), k = (J3 - J)/J spin; 1e-10 is the aim, tolerances of the run are 1e-13
  const double J = 0.02, J3 = 0.035, spin = 7, w0 = 0.9, t = 3;
  const VariedRun run = varied_run(R"toml(title = "top"
[parameters]
J = 0.02
J3 = 0.035
spin = 7
w0 = 0.9
[body]
principal_moments = ["J", "J", "J3"]
[initial]
w_body = ["w0", 0, "spin"]
[run]
duration = 3
output_interval = 0.5
tolerance = 1e-13
)toml",
                                   {"J", "J3", "spin", "w0"});
  const double k = (J3 - J) / J * spin;
  const double c = std::cos(k * t), s = std::sin(k * t);
  const auto along = [&](const std::string& parameter, double k_by) {
    CHECK(std::fabs(run["wx_body_rad_s_by_" + parameter] + w0 * s * t * k_by) < 1e-10 * t * std::fabs(k_by));
    CHECK(std::fabs(run["wy_body_rad_s_by_" + parameter] - w0 * c * t * k_by) < 1e-10 * t * std::fabs(k_by));
  };
  along("J", -J3 / (J * J) * spin);
  along("J3", spin / J);
  along("spin", (J3 - J) / J);
  CHECK(std::fabs(run["wx_body_rad_s_by_w0"] - c) < 1e-10);
  CHECK(std::fabs(run["wy_body_rad_s_by_w0"] - s) < 1e-10);
  CHECK(std::fabs(run["wz_body_rad_s_by_spin"] - 1) < 1e-12);
  CHECK(std::fabs(run["kinetic_J_by_spin"] - J3 * spin) < 1e-10);
  CHECK(std::fabs(run["kinetic_J_by_J3"] - spin * spin / 2) < 1e-9);
  CHECK(std::fabs(run["hx_space_Nms_by_J"] - w0) < 1e-9);
}

TEST_CASE("derivatives of a mass on a spring are those of its closed form") {
  // x = x0 cos(w t), w = sqrt(k/m); in the slide of a mechanism
  const double k = 40, m = 0.8, x0 = 0.3, t = 2, w = std::sqrt(k / m);
  const VariedRun run = varied_run(R"toml(title = "spring"
[parameters]
k = 40
m = 0.8
x0 = 0.3
[body]
mass = "m"
principal_moments = [1, 1, 1]
[initial]
w_body = [0, 0, 0]
position = ["x0", 0, 0]
velocity = [0, 0, 0]
[[load]]
kind = "force"
force_space = ["-k*x", 0, 0]
[run]
duration = 2
output_interval = 0.5
tolerance = 1e-13
)toml",
                                   {"k", "m", "x0"});
  CHECK(std::fabs(run["rx_space_m"] - x0 * std::cos(w * t)) < 1e-11);
  CHECK(std::fabs(run["rx_space_m_by_k"] + x0 * std::sin(w * t) * t * w / (2 * k)) < 1e-10);
  CHECK(std::fabs(run["rx_space_m_by_m"] - x0 * std::sin(w * t) * t * w / (2 * m)) < 1e-10);
  CHECK(std::fabs(run["rx_space_m_by_x0"] - std::cos(w * t)) < 1e-10);
}

TEST_CASE("derivatives jump where an event acts, and those of its time are exact") {
  // wz = M t/J until it is w1, at t1 = w1 J/M; then an impulse P adds P/J, and the moment goes on
  const double M = 0.3, J = 0.2, P = 0.05, w1 = 0.9, T = 1.5;
  const VariedRun run = varied_run(R"toml(title = "kick"
[parameters]
M = 0.3
J = 0.2
P = 0.05
w1 = 0.9
[body]
principal_moments = [0.2, 0.2, "J"]
[initial]
w_body = [0, 0, 0]
[[load]]
kind = "moment"
moment_body = [0, 0, "M"]
[[event]]
name = "kick"
rate_body = "z"
value = "w1"
direction = "up"
action = "impulse"
impulse_body = [0, 0, "P"]
[run]
duration = 1.5
output_interval = 0.5
tolerance = 1e-13
)toml",
                                   {"M", "J", "P", "w1"});
  const double t1 = w1 * J / M;
  REQUIRE(run.events.size() == 1);
  CHECK(std::fabs(run.events[0].t - t1) < 1e-11);
  REQUIRE(run.events[0].time_by.size() == 4);
  CHECK(std::fabs(run.events[0].time_by[0] + t1 / M) < 1e-10);
  CHECK(std::fabs(run.events[0].time_by[1] - w1 / M) < 1e-10);
  CHECK(std::fabs(run.events[0].time_by[2]) < 1e-11);
  CHECK(std::fabs(run.events[0].time_by[3] - J / M) < 1e-10);
  // the angle is M T^2/(2 J) + P/J (T - t1)
  const double angle = M * T * T / (2 * J) + P / J * (T - t1);
  CHECK(std::fabs(run["e0"] - std::cos(angle / 2)) < 1e-11);
  const auto turned = [&](double angle_by) { return -std::sin(angle / 2) / 2 * angle_by; };
  CHECK(std::fabs(run["e0_by_M"] - turned(T * T / (2 * J) + P / J * t1 / M)) < 1e-10);
  CHECK(std::fabs(run["e0_by_J"] - turned(-M * T * T / (2 * J * J) - P / (J * J) * (T - t1) - P / J * w1 / M)) < 1e-10);
  CHECK(std::fabs(run["e0_by_P"] - turned((T - t1) / J)) < 1e-10);
  CHECK(std::fabs(run["e0_by_w1"] - turned(-P / J * J / M)) < 1e-10);
  CHECK(std::fabs(run["wz_body_rad_s_by_P"] - 1 / J) < 1e-10);
  CHECK(std::fabs(run["wz_body_rad_s_by_w1"]) < 1e-10);
}

TEST_CASE("derivatives follow a parameter that an event sets: what it was counts no longer, when it changed does") {
  // a moment M until wz = w1, then M2
  const double M = 0.3, M2 = -0.1, J = 0.2, w1 = 0.9, T = 1.5;
  const VariedRun run = varied_run(R"toml(title = "set"
[parameters]
M = 0.3
M2 = -0.1
J = 0.2
w1 = 0.9
[body]
principal_moments = [0.2, 0.2, "J"]
[initial]
w_body = [0, 0, 0]
[[load]]
kind = "moment"
moment_body = [0, 0, "M"]
[[event]]
name = "turns back"
rate_body = "z"
value = "w1"
direction = "up"
action = "set"
set = { M = "M2" }
[run]
duration = 1.5
output_interval = 0.5
tolerance = 1e-13
)toml",
                                   {"M", "M2", "J", "w1"});
  const double t1 = w1 * J / M;
  CHECK(std::fabs(run["wz_body_rad_s"] - (w1 + M2 / J * (T - t1))) < 1e-11);
  CHECK(std::fabs(run["wz_body_rad_s_by_M"] - M2 / J * t1 / M) < 1e-10);
  CHECK(std::fabs(run["wz_body_rad_s_by_M2"] - (T - t1) / J) < 1e-10);
  CHECK(std::fabs(run["wz_body_rad_s_by_J"] - (-M2 / (J * J) * (T - t1) - M2 / J * w1 / M)) < 1e-10);
  CHECK(std::fabs(run["wz_body_rad_s_by_w1"] - (1 - M2 / J * J / M)) < 1e-10);
}

TEST_CASE("the derivative of a pendulum's quarter period is that of the complete elliptic integral") {
  // of a point mass on a rod, released from rest at the angle a: t1 = sqrt(l/g) K(sin(a/2))
  const VariedRun run = varied_run(R"toml(title = "pendulum"
[parameters]
g = 9.81
[[bodies]]
name = "rod"
mass = 1.0
principal_moments = [0.01, 0.01, 0.002]
position = [0, 0, -0.5]
[[joints]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]
start = { turn = 1.0 }
[gravity]
g_space = [0, 0, "-g"]
[[event]]
name = "lowest"
joint = "hinge"
coordinate = "turn"
value = 0
[run]
duration = 0.6
output_interval = 0.2
tolerance = 1e-13
)toml",
                                   {"g"});
  REQUIRE(run.events.size() == 1);
  const double t1 = std::sqrt((0.01 + 0.25) / (9.81 * 0.5)) * std::comp_ellint_1(std::sin(0.5));
  CHECK(std::fabs(run.events[0].t - t1) < 1e-10);
  REQUIRE(run.events[0].time_by.size() == 1);
  CHECK(std::fabs(run.events[0].time_by[0] + t1 / (2 * 9.81)) < 1e-10);
}

TEST_CASE("a parameter without neighbours has no derivative, and one that is none is told") {
  const auto says = [](const std::string& parameter) -> std::string {
    try {
      static_cast<void>(varied_run(R"toml(title = "plate"
[parameters]
J = 0.02
n = 0
c = 0
[body]
principal_moments = ["J", "J", 0.04]
[initial]
w_body = [0, 1, 0]
[[load]]
kind = "damping"
linear = "c"
[run]
duration = 1
)toml",
                                   {parameter}));
    } catch (const Error& error) { return error.what(); }
    return "";
  };
  // damping is nowhere below zero; a plate is at the edge of what a body can be, where the check has some room
  CHECK(says("c").find("'c' has no derivative: its neighbours cannot be") != std::string::npos);
  CHECK(says("J") == "");
  CHECK(says("K").find("unknown parameter 'K'") != std::string::npos);
  CHECK(says("n") == "");
}

TEST_CASE("a trajectory has derivatives of its columns and of the times of its events, for any method") {
  const char* toml = R"toml(title = "spin"
[parameters]
M = 0.3
J = 0.2
[body]
principal_moments = [0.2, 0.2, "J"]
[initial]
w_body = [0, 0, 0]
[[load]]
kind = "moment"
moment_body = [0, 0, "M"]
[[event]]
name = "fast"
rate_body = "z"
value = 1.5
[run]
duration = 2
output_interval = 1
)toml";
  for (const char* integrator : {"dop853", "extrapolation", "taylor", "gauss6"}) {
    CAPTURE(integrator);
    Scenario scenario = io::ScenarioFile(toml, "test.toml").scenario();
    scenario.run->integrator = integrator;
    if (std::string(integrator) == "gauss6") { scenario.run->step = 0.1; }
    SimulateOptions options;
    options.sensitivities = {"J", "M"};
    const Trajectory run = simulate(scenario, options);
    REQUIRE(run.done());
    CHECK(std::fabs(run.column("wz_body_rad_s_by_M").back() - 10) < 1e-9);
    CHECK(std::fabs(run.column("wz_body_rad_s_by_J").back() + 15) < 1e-9);
    REQUIRE(run.events().size() == 1);
    REQUIRE(run.events()[0].time_by.size() == 2);
    CHECK(std::fabs(run.events()[0].time_by[0] - 5) < 1e-9);
    CHECK(std::fabs(run.events()[0].time_by[1] + 1 / 0.3) < 1e-9);
    CHECK_FALSE(run.has("norm_error_by_M"));
    // the run itself is the same motion
    CHECK(std::fabs(run.column("wz_body_rad_s").back() - 3) < 1e-9);
  }
}
