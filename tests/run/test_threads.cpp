// One scenario, run by many threads at once.
#include "polhode/catalog/compiled_scenario.h"
#include "polhode/polhode.h"
#include "support/sinks.h"

#include <doctest/doctest.h>

#include <array>
#include <thread>

using namespace polhode;

namespace {

constexpr std::size_t kThreads = 8;

/// Formulas, a definition, an event that sets a parameter, one that is recorded, and an impulse.
Scenario busy_body() {
  Scenario s;
  s.title = "busy body";
  s.parameters = {{"k", 0.3}, {"slow", 0.3}, {"spin", "10*slow"}};
  s.definitions["brake"] = "-k*wx_body*step(t - 0.2)";
  s.body.emplace().inertia.principal_moments = NumberVector{2.0, 1.0, "0.6*spin"};
  s.initial.emplace().rate.w_body = NumberVector{"spin", 0.01, 0.0};
  s.load.push_back({.what = force::Moment{.moment_body = ExpressionVector{"brake", "0.1*sin(t)", "max(0, R11)*k"}}});
  s.event.push_back(
      {.name = "off", .formula = Expression("t - 0.5"), .action = "set", .set = Named<Number>{{"k", 0.1}}});
  s.event.push_back({.name = "slow", .formula = Expression("wx_body - 2.95")});
  s.event.push_back({.name = "kick",
                     .formula = Expression("t - 0.7"),
                     .action = "impulse",
                     .impulse_body = NumberVector{0.0, "spin", 0.0}});
  s.run.emplace().duration = 1.0;
  return s;
}

/// A driven four-bar linkage whose coupler is pushed by formulas that look at joints with their whole turns.
Scenario busy_linkage() {
  Scenario s;
  s.title = "busy linkage";
  s.parameters = {{"rate", 2.0}, {"push", 0.4}};
  s.definitions["swing"] = "push*sin(rocker_turn)";
  s.gravity = scenario::MechanismGravity{.g_space = NumberVector{0.0, -9.81, 0.0}};
  const auto bar = [&s](const char* name, double length, const NumberVector& position) {
    scenario::Body body{.name = name, .position = position};
    const bool upright = position[0].value == 0 || position[0].value == 2;
    body.inertia.shape = {.shape = "box",
                          .mass = 1.0,
                          .edges = upright ? NumberVector{0.1, length, 0.1} : NumberVector{length, 0.1, 0.1}};
    s.bodies.push_back(body);
  };
  bar("arm", 1, {0.0, 0.5, 0.0});
  bar("rod", 2, {1.0, 1.0, 0.0});
  bar("lever", 1, {2.0, 0.5, 0.0});
  const auto pin = [&s](const char* name, const char* first, const char* second, double x, double y) {
    scenario::Joint joint{.name = name, .kind = "revolute", .bodies = {first, second}};
    joint.point = NumberVector{x, y, 0.0};
    joint.axis = NumberVector{0.0, 0.0, 1.0};
    s.joints.push_back(joint);
  };
  pin("crank", "ground", "arm", 0, 0);
  pin("left", "arm", "rod", 0, 1);
  pin("right", "rod", "lever", 2, 1);
  pin("rocker", "ground", "lever", 2, 0);
  s.forces.push_back({.what = force::Force{.body = "rod", .force_space = ExpressionVector{"swing", 0.0, 0.0}}});
  s.forces.push_back({.what = force::JointForce{.on = {.joint = "rocker"}, .force = "-push*rocker_turn_rate"}});
  s.drivers.push_back({.name = "motor", .on = {.joint = "crank"}, .value = Expression("0.3*sin(rate*t)")});
  s.event.push_back(
      {.name = "set", .formula = Expression("t - 0.3"), .action = "set", .set = Named<Number>{{"push", 0.2}}});
  s.event.push_back({.name = "past", .formula = Expression("rocker_turn - 0.1")});
  s.run.emplace().duration = 0.6;
  s.run->output_interval = 0.01;
  return s;
}

/// Calls `work(i)` on threads of its own, all at once.
template <class Work>
void on_threads(const Work& work) {
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&work, i] { work(i); });
  }
  for (std::thread& thread : threads) { thread.join(); }
}

/// All numbers of a run: rows, events.
std::vector<double> numbers_of(const Trajectory& run) {
  std::vector<double> all;
  for (std::size_t i = 0; i < run.rows(); ++i) { all.insert(all.end(), run.row(i).begin(), run.row(i).end()); }
  for (const EventRecord& event : run.events()) {
    for (const double x : {event.t, event.state.e_NB.e0, event.state.w_B.x}) { all.push_back(x); }
  }
  return all;
}

}  // namespace

TEST_CASE("one scenario, run by 8 threads at once, gives each the numbers of a run alone") {
  for (const Scenario& scenario : {busy_body(), busy_linkage()}) {
    CAPTURE(scenario.title);
    const Trajectory alone = simulate(scenario);
    REQUIRE(alone.done());
    REQUIRE(alone.events().size() >= 2);
    std::array<std::vector<double>, kThreads> found;
    on_threads([&](std::size_t i) { found[i] = numbers_of(simulate(scenario)); });
    for (const std::vector<double>& one : found) { CHECK(one == numbers_of(alone)); }
  }
}

TEST_CASE("a compiled scenario makes models on 8 threads at once, and 8 threads run one model") {
  const catalog::CompiledScenario body(busy_body());
  const catalog::CompiledScenario linkage(busy_linkage());
  const auto rows_of_body = [](const catalog::OneBodyScenario& made) {
    test::Keeper keeper;
    simulation::Simulation(made.plan).run(keeper);
    return keeper.rows;
  };
  const auto rows_of_linkage = [](const catalog::MechanismScenario& made) {
    test::Keeper keeper;
    simulation::Simulation(made.plan).run(keeper);
    return keeper.rows;
  };
  using Rows = std::vector<std::vector<double>>;
  std::array<Rows, kThreads> bodies;
  std::array<Rows, kThreads> linkages;
  const auto value = [](std::size_t i) { return 0.2 + 0.01 * static_cast<double>(i % 4); };
  on_threads([&](std::size_t i) {
    bodies[i] = rows_of_body(body.one_body({{"k", value(i)}}));
    linkages[i] = rows_of_linkage(linkage.mechanism({{"push", value(i)}}));
  });
  for (std::size_t i = 0; i < kThreads; ++i) {
    CHECK(bodies[i] == rows_of_body(body.one_body({{"k", value(i)}})));
    CHECK(linkages[i] == rows_of_linkage(linkage.mechanism({{"push", value(i)}})));
  }
  CHECK(bodies[0] != bodies[1]);
  CHECK(linkages[0] != linkages[1]);

  const catalog::OneBodyScenario one_body = body.one_body();
  const catalog::MechanismScenario one_linkage = linkage.mechanism();
  on_threads([&](std::size_t i) {
    bodies[i] = rows_of_body(one_body);
    linkages[i] = rows_of_linkage(one_linkage);
  });
  for (std::size_t i = 0; i < kThreads; ++i) {
    CHECK(bodies[i] == rows_of_body(one_body));
    CHECK(linkages[i] == rows_of_linkage(one_linkage));
  }
}
