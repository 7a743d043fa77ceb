// A mechanism that can be closed is not told to be torn apart, whatever the tolerance or the step.
#include "polhode/catalog/examples.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/math/elementary.h"
#include "support/files.h"
#include "support/sinks.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <cmath>
#include <regex>

using namespace polhode;

namespace {

/// An example, 0.3 s of it, run by other means.
simulation::Outcome run_by(const catalog::Example& example, const std::string& means) {
  std::string text =
      std::regex_replace(std::string(example.text), std::regex("\nduration = [^\n]*"), "\nduration = 0.3");
  text = std::regex_replace(text, std::regex("\noutput_interval = [^\n]*"), "\noutput_interval = 0.1");
  text = std::regex_replace(text, std::regex("\ntolerance = [^\n]*"), "\n" + means);
  REQUIRE(text.find(means) != std::string::npos);
  const catalog::MechanismScenario scenario = catalog::read_mechanism(text, std::string(example.name));
  test::EventTimes sink;
  return simulation::Simulation(scenario.plan).run(sink);
}

}  // namespace

TEST_CASE("every mechanism among the examples runs at every tolerance, and by every fixed step that is not too long") {
  std::vector<std::string> adaptive;
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12}) {
    adaptive.push_back(fmt::format("tolerance = {:g}", tolerance));
  }
  for (const char* method : {"dopri5", "extrapolation"}) {
    adaptive.push_back(fmt::format("tolerance = 1e-5\nintegrator = \"{}\"", method));
  }
  const auto by_step = [](const char* method, double step) {
    return fmt::format("integrator = \"{}\"\nstep = {:g}", method, step);
  };
  const std::vector<std::string> fixed{by_step("explicit-euler", 0.001),
                                       by_step("semi-implicit-euler", 0.001),
                                       by_step("rk4", 0.01),
                                       by_step("dopri5", 0.01),
                                       by_step("dop853", 0.01),
                                       by_step("extrapolation", 0.01),
                                       by_step("gauss2", 0.002),
                                       by_step("gauss4", 0.002),
                                       by_step("gauss6", 0.002),
                                       by_step("generalised-alpha", 0.005)};
  std::size_t mechanisms = 0;
  for (const catalog::Example& example : catalog::examples()) {
    if (!catalog::is_mechanism(example.text, std::string(example.name))) { continue; }
    ++mechanisms;
    CAPTURE(std::string(example.name));
    std::vector<std::string> ways = adaptive;
    // the motors of the manipulator are too stiff for these steps
    if (example.name != "manipulator") { ways.insert(ways.end(), fixed.begin(), fixed.end()); }
    for (const std::string& way : ways) {
      CAPTURE(way);
      const simulation::Outcome outcome = run_by(example, way);
      CHECK_MESSAGE(outcome.ending == simulation::Ending::done, outcome.message);
    }
  }
  CHECK(mechanisms > 10);
}

TEST_CASE("a double pendulum at tolerance 1e-6 runs to its end") {
  const std::string file = std::string(POLHODE_SOURCE_DIR) + "/tests/cases/attack/dp-1e-6.toml";
  const catalog::MechanismScenario scenario = catalog::read_mechanism(test::text_of(file), file);
  test::EventTimes sink;
  const simulation::Outcome outcome = simulation::Simulation(scenario.plan).run(sink);
  CHECK_MESSAGE(outcome.ending == simulation::Ending::done, outcome.message);
  CHECK(outcome.ledger.position_error < 1e-10);
}

TEST_CASE("a mechanism that cannot be closed any more is told at every tolerance, at the same moment") {
  // a crank of 1 m, driven, and a rod of 0.8 m on a slide through the crank's centre: it cannot go round
  const std::string text =
      "title = \"stuck\"\n"
      "[[bodies]]\nname = \"crank\"\nshape = \"box\"\nmass = 1\nedges = [1, 0.1, 0.1]\nposition = [0.5, 0, 0]\n"
      "[[bodies]]\nname = \"rod\"\nshape = \"box\"\nmass = 1\nedges = [0.8, 0.1, 0.1]\nposition = [1.4, 0, 0]\n"
      "[[bodies]]\nname = \"block\"\nshape = \"box\"\nmass = 1\nedges = [0.1, 0.1, 0.1]\nposition = [1.8, 0, 0]\n"
      "[[joints]]\nname = \"a\"\nkind = \"revolute\"\nbodies = [\"ground\", \"crank\"]\npoint = [0, 0, 0]\n"
      "axis = [0, 1, 0]\n"
      "[[joints]]\nname = \"b\"\nkind = \"revolute\"\nbodies = [\"crank\", \"rod\"]\npoint = [1, 0, 0]\naxis = [0, 1, "
      "0]\n"
      "[[joints]]\nname = \"c\"\nkind = \"revolute\"\nbodies = [\"rod\", \"block\"]\npoint = [1.8, 0, 0]\n"
      "axis = [0, 1, 0]\n"
      "[[joints]]\nname = \"d\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"block\"]\npoint = [1.8, 0, 0]\n"
      "axis = [1, 0, 0]\n"
      "[[drivers]]\nname = \"turning\"\njoint = \"a\"\nvalue = \"0.3 + t\"\n[run]\nduration = 3\n";
  // the rod stands across the slide: sin q = 0.8
  const double t_stuck = math::asin(0.8) - 0.3;
  for (const char* means :
       {"tolerance = 1e-4\n", "tolerance = 1e-6\n", "tolerance = 1e-10\n", "integrator = \"rk4\"\nstep = 0.01\n"}) {
    CAPTURE(means);
    const catalog::MechanismScenario scenario = catalog::read_mechanism(text + means, "stuck.toml");
    test::EventTimes sink;
    const simulation::Outcome outcome = simulation::Simulation(scenario.plan).run(sink);
    CAPTURE(outcome.message);
    CAPTURE(outcome.t);
    CHECK(outcome.ending != simulation::Ending::done);
    CHECK(std::fabs(outcome.t - t_stuck) < 0.05);
  }
}

TEST_CASE("a run that grows without bounds in steps that are too long blames the step, not the joints") {
  for (const catalog::Example& example : catalog::examples()) {
    if (example.name != "double-pendulum" && example.name != "flyball-governor") { continue; }
    CAPTURE(std::string(example.name));
    for (const char* method : {"explicit-euler", "semi-implicit-euler"}) {
      CAPTURE(method);
      const std::string means = fmt::format("integrator = \"{}\"\nstep = 0.01", method);
      const std::string text =
          std::regex_replace(std::string(example.text), std::regex("\ntolerance = [^\n]*"), "\n" + means);
      const catalog::MechanismScenario scenario = catalog::read_mechanism(text, std::string(example.name));
      test::EventTimes sink;
      const simulation::Outcome outcome = simulation::Simulation(scenario.plan).run(sink);
      CAPTURE(outcome.message);
      CHECK(outcome.ending != simulation::Ending::done);
      CHECK(outcome.message.find("closed") == std::string::npos);
      CHECK(outcome.message.find("rad in a step of 0.01 s, which is too long") != std::string::npos);
    }
  }
}

TEST_CASE("generalised-alpha passes moments in which nothing accelerates") {
  // shafts driven at 10 rad/s: no acceleration every quarter of a turn, as at t = 0.2 pi
  for (const catalog::Example& example : catalog::examples()) {
    if (example.name != "hooke-joint") { continue; }
    for (const double step : {0.002, 0.001, 0.0005}) {
      CAPTURE(step);
      const std::string means = fmt::format("integrator = \"generalised-alpha\"\nstep = {:g}", step);
      const std::string text =
          std::regex_replace(std::string(example.text), std::regex("\ntolerance = [^\n]*"), "\n" + means);
      const catalog::MechanismScenario scenario = catalog::read_mechanism(text, std::string(example.name));
      test::EventTimes sink;
      const simulation::Outcome outcome = simulation::Simulation(scenario.plan).run(sink);
      CHECK_MESSAGE(outcome.ending == simulation::Ending::done, outcome.message);
    }
  }
}
