// A scenario in, a trajectory out, as a program calls it.
#include "polhode/polhode.h"

#include "polhode/catalog/scenario.h"
#include "polhode/run/run_folder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace polhode;

namespace {

Scenario spinning_body() {
  Scenario s;
  s.title = "spin";
  s.parameters["spin"] = 3.0;
  s.body.emplace().inertia.principal_moments = NumberVector{2.0, 1.0, "1.5*2"};
  s.initial.emplace().rate.w_body = NumberVector{"spin", 0.01, 0.0};
  s.run.emplace().duration = 2.0;
  s.event.push_back({.name = "half", .formula = Expression("t - 1")});
  return s;
}

/// A rod on a hinge about y, at rest, without gravity.
Scenario hinged_rod() {
  Scenario s;
  s.title = "rod";
  scenario::Body rod{.name = "rod", .position = {0.5, 0.0, 0.0}};
  rod.inertia.shape = {.shape = "box", .mass = 3.0, .edges = NumberVector{1.0, 0.1, 0.1}};
  s.bodies.push_back(rod);
  s.joints.push_back({.name = "hinge",
                      .kind = "revolute",
                      .bodies = {"ground", "rod"},
                      .point = NumberVector{0.0, 0.0, 0.0},
                      .axis = NumberVector{0.0, 1.0, 0.0}});
  s.run.emplace().duration = 1.0;
  return s;
}

std::string what_is_wrong(const Scenario& scenario, const SimulateOptions& options = {}) {
  try {
    static_cast<void>(simulate(scenario, options));
  } catch (const Error& error) { return error.what(); }
  return "nothing";
}

}  // namespace

TEST_CASE("simulate gives rows by the names of their columns, events and a certificate") {
  const Trajectory run = simulate(spinning_body(), {.certify = true});
  CHECK(run.done());
  REQUIRE(run.rows() == 1001);
  CHECK(run.column("t_s").back() == 2);
  CHECK(run.column("wx_body_rad_s").front() == 3);
  CHECK(run.row(1000)[0] == 2);
  CHECK(run.has("kinetic_J"));
  CHECK_FALSE(run.has("kinetic"));
  REQUIRE(run.events().size() == 1);
  CHECK(run.events()[0].name == "half");
  CHECK(run.events()[0].t == doctest::Approx(1).epsilon(1e-12));
  CHECK(run.certificate().verdict == simulation::Verdict::yes);
  CHECK_THROWS_WITH_AS(static_cast<void>(run.column("wx_body")), doctest::Contains("unknown column 'wx_body'"), Error);
  CHECK_THROWS_AS(static_cast<void>(run.row(1001)), Error);
  const Peak most = run.largest("wy_body_rad_s");
  const Peak least = run.smallest("wy_body_rad_s");
  for (const double w : run.column("wy_body_rad_s")) {
    CHECK(w <= most.value);
    CHECK(w >= least.value);
  }
}

TEST_CASE("a parameter given to simulate takes the place of the scenario's, which stays as it is") {
  const Scenario scenario = spinning_body();
  const Trajectory faster = simulate(scenario, {.parameters = {{"spin", 5.0}}});
  CHECK(faster.column("wx_body_rad_s").front() == 5);
  CHECK(scenario == spinning_body());
  Scenario changed = spinning_body();
  changed.parameters["spin"] = 5.0;
  CHECK(simulate(changed).column("e0") == faster.column("e0"));
  CHECK(what_is_wrong(scenario, {.parameters = {{"spun", 5.0}}}).find("did you mean 'spin'?") != std::string::npos);
}

TEST_CASE("a law as code moves one body as the same law by formulas, to rounding; code that is bent is seen") {
  Scenario by_formula = spinning_body();
  by_formula.load.push_back(
      {.what = force::Moment{.moment_body = ExpressionVector{"-0.3*wx_body", "0.1*sin(t)", 0.0}}});
  Scenario by_code = spinning_body();
  by_code.load.push_back({.what = force::Code{.law = "brake"}});
  const auto moved = [&](double factor) {
    const auto brake = [factor](const BodyState<double>& s) {
      return force::BodyWrench<double>{.moment_B = {-factor * s.w_B.x, 0.1 * std::sin(s.t), 0}};
    };
    return simulate(by_code, {.laws = {{"brake", brake}}});
  };
  const Trajectory wanted = simulate(by_formula);
  const Trajectory found = moved(0.3);
  const Trajectory bent = moved(0.301);
  const auto off = [&](const Trajectory& run) {
    return std::fabs(run.column("wx_body_rad_s").back() - wanted.column("wx_body_rad_s").back());
  };
  CHECK(off(found) < 1e-9);  // steps by a tolerance of 1e-10
  CHECK(off(bent) > 1e-4);
  REQUIRE_FALSE(found.certificate().notes.empty());
  CHECK(found.certificate().notes.back().find("law 'brake' is code") != std::string::npos);
}

TEST_CASE("a law as code acts on a body of a mechanism: moment in its axes, force in space at its mass centre") {
  Scenario rod = hinged_rod();
  rod.forces.push_back({.what = force::Code{.law = "push", .body = "rod"}});
  // about the hinge J = 3 (1/12 (1 + 0.01) + 1/4); constant torque: ω = τ t / J. Across the rod, and about its y axis.
  const double J = 3 * ((1 + 0.01) / 12 + 0.25);
  const auto moment = [](const BodyState<double>&) { return force::BodyWrench<double>{.moment_B = {0, 0.2, 0}}; };
  const Trajectory by_moment = simulate(rod, {.laws = {{"push", moment}}});
  CHECK(by_moment.column("hinge.turn_rad_s").back() == doctest::Approx(0.2 / J).epsilon(1e-9));
  const auto force = [](const BodyState<double>& s) {
    return force::BodyWrench<double>{.force_N = rotate(s.e_NB, Vec3<double>{0, 0, -0.4})};
  };
  const Trajectory by_force = simulate(rod, {.laws = {{"push", force}}});
  CHECK(by_force.column("hinge.turn_rad_s").back() == doctest::Approx(0.4 * 0.5 / J).epsilon(1e-9));
}

TEST_CASE("what is wrong with a scenario in code is told at its path, all at once") {
  Scenario bad = hinged_rod();
  bad.bodies[0].inertia.shape.mass = -1.0;
  bad.joints[0].bodies[1] = "rot";
  bad.run->duration = "2*";
  const std::string told = what_is_wrong(bad);
  CAPTURE(told);
  CHECK(told.find("bodies[0].shape: ") != std::string::npos);
  CHECK(told.find("joints[0].bodies: unknown body 'rot'; known: ground rod; did you mean 'rod'?") != std::string::npos);
  CHECK(told.find("run.duration: formula \"2*\"") != std::string::npos);
  Scenario unbound = hinged_rod();
  unbound.forces.push_back({.what = force::Code{.law = "push", .body = "rod"}});
  CHECK(what_is_wrong(unbound).find("law 'push' is code, and nothing is bound to its name") != std::string::npos);
  unbound.forces[0].what = force::Code{.law = "", .body = "rod"};
  CHECK(what_is_wrong(unbound).find("law is missing in [[forces]] 1") != std::string::npos);
  CHECK(what_is_wrong({}).find("there is no [body]") != std::string::npos);
}

TEST_CASE("a run that is told to stop keeps the rows that it has") {
  int steps = 0;
  const Trajectory run = simulate(spinning_body(), {.keep_going = [&steps] { return ++steps < 3; }});
  CHECK_FALSE(run.done());
  CHECK(run.end().ending == simulation::Ending::interrupted);
  CHECK(run.rows() > 0);
  CHECK(run.rows() < 1001);
}

TEST_CASE("save writes what a run into a folder writes: the same bytes of log, table and certificate") {
  namespace fs = std::filesystem;
  const fs::path top = fs::temp_directory_path() / "polhode-test-save";
  fs::remove_all(top);
  const auto bytes = [](const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  Scenario both[] = {spinning_body(), hinged_rod()};
  both[0].run->checkpoint_rows = 100.0;
  both[1].event.push_back({.name = "half", .formula = Expression("t - 0.5")});
  for (const Scenario& scenario : both) {
    CAPTURE(scenario.title);
    const SimulateOptions options{.parameters =
                                      scenario.parameters.empty() ? Named<double>{} : Named<double>{{"spin", 4.0}}};
    const fs::path saved = top / (scenario.title + "-saved");
    const fs::path streamed = top / (scenario.title + "-streamed");
    const std::vector<std::string> files = save(simulate(scenario, options), saved.string(), {.report = false});
    CHECK(files.size() == 3);
    const std::unique_ptr<run::Run> run = run::prepare(scenario, options.parameters, "", {});
    const run::Record record = run::run_into_folder(*run, "", {.folder = streamed.string(), .report = false});
    CHECK(record.done());
    CHECK(record.event_times == std::vector<std::vector<double>>{{record.event_times.at(0).at(0)}});
    for (const char* file : {"run.plog", "results.csv", "certificate.json"}) {
      CAPTURE(file);
      CHECK(bytes(saved / file).size() > 100);
      CHECK(bytes(saved / file) == bytes(streamed / file));
    }
    // the values that were given are in the head, and the scenario's own stay in its text
    const std::string csv = bytes(saved / "results.csv");
    CHECK((csv.find("# set: {\"spin\":4.0}") != std::string::npos) == !scenario.parameters.empty());
  }
  fs::remove_all(top);
}

TEST_CASE("a result says which laws were code, in every format of text") {
  namespace fs = std::filesystem;
  const fs::path top = fs::temp_directory_path() / "polhode-test-laws";
  fs::remove_all(top);
  Scenario scenario = spinning_body();
  scenario.load.push_back({.what = force::Code{.law = "brake"}});
  const auto brake = [](const BodyState<double>& s) {
    return force::BodyWrench<double>{.moment_B = {-0.1 * s.w_B.x, 0, 0}};
  };
  save(simulate(scenario, {.laws = {{"brake", brake}}}), top.string(), {.formats = {"csv", "json"}, .report = false});
  for (const char* file : {"results.csv", "results.json", "run.plog"}) {
    CAPTURE(file);
    CHECK(io::open_result((top / file).string())->head().laws == std::vector<std::string>{"brake"});
  }
  fs::remove_all(top);
}

TEST_CASE("a scenario runs by an update scheme of game engines, with force, torque and translation") {
  Scenario s;
  s.title = "thrown";
  s.body.emplace().inertia.principal_moments = NumberVector{1.0, 2.0, 3.0};
  s.body->inertia.shape.mass = 1.5;
  s.initial.emplace().rate.w_body = NumberVector{0.2, 1.0, -0.3};
  s.initial->velocity = NumberVector{1.0, 0.0, 4.0};
  s.run.emplace().duration = 0.5;
  s.run->integrator = "world";
  s.run->step = 0.01;
  s.run->output_interval = 0.1;
  const Trajectory run = simulate(s);
  REQUIRE(run.done());
  // nothing acts: the momentum stays, and the kinetic energy has its linear part ½ 1.5 (1 + 16)
  const double turning = 0.5 * (1 * 0.04 + 2 * 1.0 + 3 * 0.09);
  CHECK(run.column("kinetic_J").front() == doctest::Approx(turning + 12.75).epsilon(1e-14));
  CHECK(run.column("rz_space_m").back() == doctest::Approx(2).epsilon(1e-14));
  CHECK(run.column("momentum_balance_Nms").back() < 1e-14);
  // under gravity an engine's step falls with the new velocity: z = 4 t − ½ g t (t + h); the other order would have −h
  s.load.push_back({.what = force::Gravity{.g_space = NumberVector{0.0, 0.0, -10.0}}});
  const Trajectory falling = simulate(s);
  REQUIRE(falling.done());
  CHECK(falling.column("rz_space_m").back() == doctest::Approx(2 - 5 * 0.5 * 0.51).epsilon(1e-13));
}

TEST_CASE("a mechanism by an update scheme of one body is refused with the reason") {
  Scenario s = hinged_rod();
  s.run->integrator = "world";
  s.run->step = 0.01;
  CHECK(what_is_wrong(s).find("integrator 'world' needs update schemes, which this system (mechanism) does not offer: "
                              "they step one body, without joints; try 'gauss4'") != std::string::npos);
}
