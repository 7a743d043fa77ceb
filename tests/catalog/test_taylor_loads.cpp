// Scenarios of one body by the Taylor method: what acts comes from the file, formulas, definitions and parameters
// included.
#include "catalog/kept_run.h"
#include "polhode/catalog/scenario.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace polhode;

namespace {

struct TaylorScenario {
  explicit TaylorScenario(const std::string& text) : scenario(catalog::read_scenario(text, "s.toml")) {}
  catalog::OneBodyScenario scenario;
};
struct TaylorRun : TaylorScenario, test::KeptRun {
  explicit TaylorRun(const std::string& text) : TaylorScenario(text), test::KeptRun(scenario.plan) {}
};

/// A body that travels, tied to a point, in a wind, driven by formulas; `k` is the stiffness of the spring.
std::string driven(const std::string& integrator, const std::string& more = "") {
  return R"x(title = "x"
[parameters]
k = 5
half = "k/2"
[definitions]
swing = "sin(half*t) + 0.2*R13"
[body]
mass = 2
inertia_matrix = [[0.5, 0.02, 0], [0.02, 0.4, 0.01], [0, 0.01, 0.3]]
[initial]
w_body = [0.4, 2, -1]
position = [0.5, 0.25, 1]
velocity = [1, 0, 0.5]
[run]
duration = 3
output_interval = 0.25
tolerance = 1e-13
integrator = ")x" +
         integrator + R"x("
[[load]]
kind = "spring"
stiffness = "k"
damping = 0.1
length = 0.2
anchor_space = [0, 0, 2]
at_body = [0.1, 0, 0.2]
[[load]]
kind = "drag"
quadratic = 0.3
linear = 0.05
medium_space = [2, 0, 0]
at_body = [0, 0.1, 0]
[[load]]
kind = "gravity"
g_space = [0, 0, -9.81]
[[load]]
kind = "reaction_wheel"
name = "rw"
axis_body = [0, 0, 1]
inertia = 0.02
motor_torque = "0.05*cos(t) - 0.01*rw_speed"
[[load]]
kind = "moment"
name = "stick"
moment_body = ["0.3*swing", "-0.1*wy_body^3", "exp(-t)/(1 + x^2)"]
)x" + more;
}

}  // namespace

TEST_CASE("springs, drag, gravity, wheels and formulas of a scenario: taylor goes where dop853 does") {
  const TaylorRun taylor(driven("taylor"));
  const TaylorRun dop853(driven("dop853"));
  // tolerances of 1e-13 a step, some hundreds of steps of numbers up to 10
  for (const char* column : {"e0", "wx_body_rad_s", "wz_body_rad_s", "rx_space_m", "vz_space_m_s", "rw.speed_rad_s"}) {
    CAPTURE(column);
    CHECK(std::fabs(taylor.last(column) - dop853.last(column)) < 1e-10);
  }
  // the wrong twin: one coefficient of one formula
  std::string other = driven("taylor");
  other.replace(other.find("0.3*swing"), 9, "0.301*swing");
  CHECK(std::fabs(TaylorRun(other).last("wx_body_rad_s") - dop853.last("wx_body_rad_s")) > 1e-6);
}

TEST_CASE("a load without a series is refused by its name before the run starts") {
  const auto told = [](const std::string& text) -> std::string {
    try {
      catalog::read_scenario(text, "s.toml");
    } catch (const Error& error) { return error.what(); }
    return "nothing";
  };
  const std::string more = "[[load]]\nkind = \"force\"\nname = \"gust\"\nforce_space = [\"t > 1 ? 2 : 0\", 0, 0]\n";
  CHECK(told(driven("taylor", more))
            .find("load 'gust': '<' has an edge, across which there is no series; try 'dop853'") != std::string::npos);
  CHECK(told(driven("dop853", more)) == "nothing");
}

TEST_CASE("quadratic drag on a body at rest has no series there, and the run says so") {
  const TaylorScenario still(
      "title = \"x\"\n[body]\nprincipal_moments = [1, 2, 2.5]\nmass = 1\n[initial]\nw_body = [0, 0, 0]\nposition = [0, "
      "0, 0]\n"
      "[run]\nduration = 1\nintegrator = \"taylor\"\n[[load]]\nkind = \"gravity\"\ng_space = [0, 0, -9.81]\n"
      "[[load]]\nkind = \"drag\"\nquadratic = 0.1\n");
  simulation::Simulation simulation(still.scenario.plan);
  test::Keeper keeper;
  CHECK(simulation.run(keeper).message.find("a law takes a root of zero, or divides by zero, here; try 'dop853'") !=
        std::string::npos);
}
