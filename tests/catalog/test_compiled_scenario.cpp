// Compiled once, made into models often.
#include "polhode/catalog/compiled_scenario.h"
#include "polhode/catalog/examples.h"
#include "polhode/core/sha256.h"
#include "polhode/simulation/simulation.h"
#include "support/sinks.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace polhode;
using catalog::CompiledScenario;

namespace {

/// A braked body whose brake ends, with a number of everything that formulas may be.
Scenario braked_body() {
  Scenario s;
  s.title = "braked";
  s.parameters = {{"spin", 3.0}, {"k", 0.2}, {"size", 0.2}, {"twice", "2*size"}};
  s.definitions["brake"] = "-k*wx_body";
  s.body.emplace().inertia.principal_moments = NumberVector{2.0, 1.0, "1 + twice"};
  s.initial.emplace().rate.w_body = NumberVector{"spin", 0.01, 0.02};
  s.load.push_back({.what = force::Moment{.moment_body = ExpressionVector{"brake", "0.1*sin(t)", 0.0}}});
  s.event.push_back({.name = "half", .formula = Expression("wx_body - 1.5")});
  s.event.push_back({.name = "off", .formula = Expression("t - 2"), .action = "set", .set = Named<Number>{{"k", 0.0}}});
  s.run.emplace().duration = "spin";
  return s;
}

/// n hinged rods in a row, the last one pushed by a formula and the first one driven.
Scenario rods() {
  Scenario s;
  s.title = "rods";
  s.parameters = {{"n", 3.0}, {"push", 0.5}};
  scenario::Body rod{
      .name = "rod{i}", .copies = {.copies = "n", .copy_offset = {1.0, 0.0, 0.0}}, .position = {0.5, 0.0, 0.0}};
  rod.inertia.shape = {.shape = "box", .mass = "1 + push", .edges = NumberVector{1.0, 0.1, 0.1}};
  s.bodies.push_back(rod);
  scenario::Joint first{.name = "hinge1", .kind = "revolute", .bodies = {"ground", "rod1"}};
  first.point = NumberVector{0.0, 0.0, 0.0};
  first.axis = NumberVector{0.0, 0.0, 1.0};
  scenario::Joint next = first;
  next.name = "hinge{i+1}";
  next.bodies = {"rod{i}", "rod{i+1}"};
  next.point = NumberVector{1.0, 0.0, 0.0};
  next.copies = {.copies = "n - 1", .copy_offset = {1.0, 0.0, 0.0}};
  s.joints = {first, next};
  s.forces.push_back(
      {.what = force::JointForce{.on = {.joint = "hinge2"}, .force = "push*cos(hinge2_turn) - 0.1*rod2_wz_body"}});
  s.drivers.push_back({.name = "crank", .on = {.joint = "hinge1"}, .value = Expression("0.1*push*sin(t)")});
  s.run.emplace().duration = 1.0;
  return s;
}

std::vector<std::vector<double>> rows_of(const catalog::OneBodyScenario& made) {
  test::Keeper keeper;
  simulation::Simulation(made.plan).run(keeper);
  return keeper.rows;
}
std::vector<std::vector<double>> rows_of(const catalog::MechanismScenario& made) {
  test::Keeper keeper;
  simulation::Simulation(made.plan).run(keeper);
  return keeper.rows;
}

template <class Make>
std::string refused(const Make& make) {
  try {
    make();
  } catch (const Error& error) { return error.what(); }
  return "nothing";
}

}  // namespace

TEST_CASE("compiled once: every instance moves as a scenario written with its values, to the bit") {
  const CompiledScenario body(braked_body());
  CHECK(rows_of(body.one_body()) == rows_of(catalog::understand(braked_body())));
  for (const double spin : {2.0, 5.0, 2.0}) {
    Scenario written = braked_body();
    written.parameters["spin"] = spin;
    written.parameters["twice"] = 0.5;  // a formula that a number takes the place of
    CHECK(rows_of(body.one_body({{"spin", spin}, {"twice", 0.5}})) == rows_of(catalog::understand(written)));
  }
  CHECK(rows_of(body.one_body({{"k", 0.3}})) != rows_of(body.one_body()));

  const CompiledScenario mechanism(rods());
  for (const double push : {0.5, 2.0, 0.5}) {
    Scenario written = rods();
    written.parameters["push"] = push;
    CHECK(rows_of(mechanism.mechanism({{"push", push}})) == rows_of(catalog::understand_mechanism(written)));
  }
}

TEST_CASE("a number of copies may be a formula of parameters, another one for every instance") {
  const CompiledScenario compiled(rods());
  for (const int n : {2, 5, 3, 2}) {
    CAPTURE(n);
    const catalog::MechanismScenario made = compiled.mechanism({{"n", n}});
    REQUIRE(made.plan.model->body_count() == static_cast<std::size_t>(n));
    CHECK(made.plan.model->joint_count() == static_cast<std::size_t>(n));
    Scenario written = rods();
    written.bodies[0].copies.copies = static_cast<double>(n);
    written.joints[1].copies.copies = static_cast<double>(n - 1);
    CHECK(rows_of(made) == rows_of(catalog::understand_mechanism(written)));
  }
  CHECK(refused([&] { compiled.mechanism({{"n", 2.5}}); }).find("bodies[0].copies: 2.5 copies") != std::string::npos);
  // a formula sees the bodies that there are, whatever others there were before
  Scenario third = rods();
  third.forces[0].what = force::JointForce{.on = {.joint = "hinge2"}, .force = "rod3_wz_body"};
  const CompiledScenario sees_third(third);
  for (int round = 0; round < 2; ++round) {
    CHECK(refused([&] { sees_third.mechanism({{"n", 2.0}}); }).find("unknown name 'rod3_wz_body'") !=
          std::string::npos);
    CHECK(sees_third.mechanism({{"n", 3.0}}).plan.model->body_count() == 3);
  }
}

TEST_CASE("values that one instance is refused for leave the next one right; all that is wrong is told each time") {
  Scenario bad_formula = rods();
  bad_formula.run->duration = "2*";
  const CompiledScenario broken(bad_formula);
  for (int round = 0; round < 2; ++round) {
    const std::string told = refused([&] { broken.mechanism({{"push", -2.0}}); });
    CAPTURE(told);
    CHECK(told.find("run.duration: formula \"2*\"") != std::string::npos);
    CHECK(told.find("bodies[0].shape: ") != std::string::npos);
  }
  const CompiledScenario sound(rods());
  CHECK(refused([&] { sound.mechanism({{"push", -2.0}}); }).find("bodies[0].shape: ") != std::string::npos);
  CHECK(refused([&] { sound.mechanism({{"pull", 1.0}}); }).find("unknown parameter 'pull'") != std::string::npos);
  CHECK(rows_of(sound.mechanism()) == rows_of(catalog::understand_mechanism(rods())));
  // the scenario's own values need not be possible where others are given
  Scenario none = braked_body();
  none.parameters["spin"] = 0.0;  // a duration of 0
  const CompiledScenario waits(none);
  CHECK(refused([&] { waits.one_body(); }).find("run.duration") != std::string::npos);
  CHECK(waits.one_body({{"spin", 1.0}}).plan.duration == 1);
}

TEST_CASE("a compiled scenario reads each mesh once: instances are made of the file as it was, and hash it") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("polhode-compiled-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  std::ofstream(folder / "a.obj") << mesh;
  Scenario s = braked_body();
  s.parameters["size"] = 1.0;
  s.body->inertia = {};
  s.body->inertia.shape = {.shape = "mesh", .mass = 2.0, .file = "a.obj", .scale = "size"};
  const CompiledScenario compiled(s, folder.string());
  const catalog::OneBodyScenario first = compiled.one_body();
  fs::remove_all(folder);
  const catalog::OneBodyScenario again = compiled.one_body();
  const catalog::OneBodyScenario larger = compiled.one_body({{"size", 2.0}});
  CHECK(first.sha256 == sha256(io::to_toml(s) + mesh));
  CHECK(again.sha256 == first.sha256);
  CHECK(larger.sha256 == first.sha256);
  CHECK(again.plan.body.J_B == first.plan.body.J_B);
  CHECK(larger.plan.body.J_B == 4.0 * first.plan.body.J_B);
  CHECK(again.meshes.size() == 1);
  REQUIRE(larger.meshes.size() == 1);
  CHECK(larger.meshes[0].triangles == 4);
}
