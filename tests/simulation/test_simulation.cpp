// Runs, their ledger, events, and going on after an interruption.
#include "polhode/core/error.h"
#include "simulation/plans.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace polhode;
using simulation::Ending;
using simulation::OneBodyPlan;
using simulation::Outcome;
using simulation::Simulation;

TEST_CASE("rows come at every output interval and at the end, however the interval divides the run") {
  for (const double interval : {0.1, 0.3, 7.0, 20.0, 50.0}) {
    CAPTURE(interval);
    OneBodyPlan plan = test::free_plan();
    plan.output_interval = interval;
    test::Keep sink;
    const Simulation simulation(plan);
    const Outcome outcome = Simulation(plan).run(sink);
    CHECK(outcome.ending == Ending::done);
    REQUIRE(sink.rows.size() == simulation.rows());
    CHECK(outcome.rows == sink.rows.size());
    for (std::size_t i = 0; i + 1 < sink.rows.size(); ++i) {
      CHECK(sink.rows[i][0] == static_cast<double>(i) * interval);
      CHECK(sink.rows[i].size() == simulation.columns().size());
    }
    CHECK(sink.rows.back()[0] == 20);
  }
}

TEST_CASE("a run that goes on from any of its checkpoints gives the same bits, with events that change things too") {
  const auto with_events = [] {
    OneBodyPlan plan = test::forced_plan();
    plan.parameters = {0.3};
    plan.events.push_back({{"kick", 1, simulation::Action::change},
                           [](const BodyState<double>& s) { return s.w_B.x - 0.5; },
                           {},
                           [](BodyState<double>& s) { s.w_B.y = s.w_B.y + 0.25; }});
    plan.events.push_back({{"set", 0, simulation::Action::change, {{0, -0.7}}},
                           [](const BodyState<double>& s) { return s.t - 11.03; },
                           {},
                           {}});
    plan.events.push_back(
        {{"look", 0, simulation::Action::record}, [](const BodyState<double>& s) { return s.w_B.z; }, {}, {}});
    const auto with = [plan](std::span<const double> p) {
      auto other = std::make_shared<OneBodyPlan>(plan);
      other->parameters.assign(p.begin(), p.end());
      other->body.load.add_moment([x = p[0]](const BodyState<double>&) { return Vec3<double>{x, 0, 0}; });
      return other;
    };
    plan = *with(plan.parameters);
    plan.with = with;
    return plan;
  };
  for (const std::string method : {"dop853", "gauss4", "extrapolation"}) {
    CAPTURE(method);
    OneBodyPlan plan = with_events();
    plan.integrator = method;
    if (method == "gauss4") { plan.step = 0.01; }
    test::Keep whole;
    const Outcome outcome = Simulation(plan).run(whole);
    REQUIRE(outcome.ending == Ending::done);
    REQUIRE(whole.snapshots.size() > 3);
    CHECK(whole.events.size() > 3);
    for (const std::size_t from : {std::size_t{0}, std::size_t{1}, whole.snapshots.size() - 2}) {
      const simulation::Snapshot& snapshot = whole.snapshots[from];
      OneBodyPlan other = with_events();
      other.integrator = plan.integrator;
      other.step = plan.step;
      test::Keep rest;
      const Outcome resumed = Simulation(other).resume(snapshot, rest);
      REQUIRE(rest.rows.size() == whole.rows.size() - snapshot.rows);
      CHECK(std::equal(rest.rows.begin(), rest.rows.end(),
                       whole.rows.begin() + static_cast<std::ptrdiff_t>(snapshot.rows)));
      CHECK(resumed.ledger.supplied == outcome.ledger.supplied);
      CHECK(resumed.ledger.momentum_error == outcome.ledger.momentum_error);
      CHECK(resumed.statistics.steps == outcome.statistics.steps);
    }
  }
}

TEST_CASE(
    "ledger: balances close to the accuracy of the run whatever acts; without the work or the impulse they do not") {
  for (OneBodyPlan plan : {test::free_plan(), test::top_plan(), test::forced_plan()}) {
    CAPTURE(plan.title);
    plan.relative_tolerance = 1e-12;
    plan.absolute_tolerance = 1e-12;
    test::Keep sink;
    const Outcome outcome = Simulation(plan).run(sink);
    // some hundred steps of 1e-12 and their quadrature
    CHECK(outcome.ledger.energy_error < 1e-9 * outcome.ledger.energy_scale);
    CHECK(outcome.ledger.momentum_error < 1e-9 * outcome.ledger.momentum_scale);
    CHECK(outcome.ledger.norm_error < 1e-9);
    // the wrong twin: what acts is left out of the balance
    if (plan.title == "forced") {
      plan.momentum = OneBodyPlan::Momentum::whole;
      plan.potential = [](const BodyState<double>&) { return 0.0; };
      test::Keep other;
      const Outcome wrong = Simulation(plan).run(other);
      CHECK(wrong.ledger.energy_error > 0.1 * wrong.ledger.energy_scale);
      CHECK(wrong.ledger.momentum_error > 0.1 * wrong.ledger.momentum_scale);
    }
  }
}

TEST_CASE("ledger: a change of inertia does its work, translation too, and impulses are no error") {
  OneBodyPlan plan = test::free_plan();
  plan.potential = {};
  plan.body.inertia_law = [](const double& t) {
    return inertia_now(diagonal(1.0 + 0.1 * t, 2.0, 3.0), diagonal(0.1, 0.0, 0.0));
  };
  plan.body.mass = 2.0;
  plan.body.load.add_force_space({0, 0, -19.62}, {0, 0, 0});
  plan.start.v_N = {1, 0, 5};
  plan.momentum = OneBodyPlan::Momentum::balance;
  plan.events.push_back({{"kick", 0, simulation::Action::change},
                         [](const BodyState<double>& s) { return s.t - 3; },
                         {},
                         [](BodyState<double>& s) { s.w_B = s.w_B + Vec3<double>{1, 0, 0}; }});
  test::Keep sink;
  const Outcome outcome = Simulation(plan).run(sink);
  CHECK(outcome.ending == Ending::done);
  CHECK(outcome.ledger.energy_error < 1e-8 * outcome.ledger.energy_scale);
  CHECK(outcome.ledger.momentum_error < 1e-8 * outcome.ledger.momentum_scale);
  // it fell as a stone falls
  CHECK(std::fabs(outcome.state.r_N.z - (5 * 20 - 0.5 * 9.81 * 400)) < 1e-6);
}

TEST_CASE("ledger: an event that turns the body changes what energy counts from, and is no error") {
  OneBodyPlan plan = test::top_plan();
  plan.relative_tolerance = 1e-12;
  plan.absolute_tolerance = 1e-12;
  double raised = 0;
  const auto potential = plan.potential;
  plan.events.push_back({{"turned", 0, simulation::Action::change},
                         [](const BodyState<double>& s) { return s.t - 3; },
                         {},
                         [&](BodyState<double>& s) {
                           const double before = potential(s);
                           s.e_NB = s.e_NB * exp(Vec3<double>{0.9, 0.2, 0});
                           raised = potential(s) - before;
                         }});
  test::Keep sink;
  const Outcome outcome = Simulation(plan).run(sink);
  CHECK(outcome.ending == Ending::done);
  CHECK(std::fabs(raised) > 0.01);  // the twin: energy counted from the first start is off by this
  CHECK(outcome.ledger.energy_error < 1e-8 * outcome.ledger.energy_scale);
  CHECK(outcome.ledger.momentum_error < 1e-8 * outcome.ledger.momentum_scale);
}

TEST_CASE("events: stop ends the run there, record does not, a zero that does not count is none") {
  OneBodyPlan plan = test::free_plan();
  plan.events.push_back(
      {{"stop", 0, simulation::Action::stop}, [](const BodyState<double>& s) { return s.t - 3.14; }, {}, {}});
  plan.events.push_back({{"never", 0, simulation::Action::stop},
                         [](const BodyState<double>& s) { return s.t - 1; },
                         [](const BodyState<double>&) { return false; },
                         {}});
  plan.events.push_back(
      {{"seen", 0, simulation::Action::record}, [](const BodyState<double>& s) { return s.t - 2; }, {}, {}});
  test::Keep sink;
  const Outcome outcome = Simulation(plan).run(sink);
  CHECK(outcome.ending == Ending::stopped_by_event);
  CHECK(std::fabs(outcome.t - 3.14) < 1e-12);
  REQUIRE(sink.events.size() == 2);
  CHECK(std::fabs(sink.events[0].t - 2) < 1e-12);
  CHECK(sink.rows.back()[0] <= outcome.t);
}

TEST_CASE("an event that brings itself about at once ends the run instead of hanging it") {
  const auto run_with_kick = [](double back_to) {
    OneBodyPlan plan = test::free_plan();
    plan.start.w_B = {0.49, 1, -0.4};  // the first rate rises through 0.5 at once
    plan.events.push_back({{"again", 1, simulation::Action::change},
                           [](const BodyState<double>& s) { return s.w_B.x - 0.5; },
                           {},
                           [=](BodyState<double>& s) { s.w_B.x = back_to; }});
    test::Keep sink;
    return Simulation(plan).run(sink);
  };
  const Outcome endless = run_with_kick(0.5 - 1e-10);
  CHECK(endless.ending == Ending::step_too_small);
  CHECK(endless.message.find("event 'again' brings itself about without end: at t = ") == 0);
  CHECK(endless.t < 0.1);
  // a zero that is left at once, from either side of it, is not found again
  for (const double back_to : {std::nextafter(0.5, 0.0), 0.5, std::nextafter(0.5, 1.0)}) {
    CHECK(run_with_kick(back_to).ending == Ending::done);
  }
  // far enough back it happens again and again, and that is no mistake
  CHECK(run_with_kick(0.3).ending == Ending::done);
}

namespace {

/// Zeros at t = 10 that are computed in different ways, up to some roundings.
const std::vector<std::function<double(const BodyState<double>&)>> kAtTen{
    [](const BodyState<double>& s) { return s.t - 10; }, [](const BodyState<double>& s) { return 3 * s.t - 30; },
    [](const BodyState<double>& s) { return 0.1 * s.t - 1; }, [](const BodyState<double>& s) { return 1 - s.t / 10; },
    [](const BodyState<double>& s) { return std::sin(0.3141592653589793 * s.t); }};

simulation::OneBodyEvent kick_at_ten(const std::string& name, std::size_t which, const Vec3<double>& dw_B) {
  return {
      {name, 0, simulation::Action::change}, kAtTen[which], {}, [=](BodyState<double>& s) { s.w_B = s.w_B + dw_B; }};
}

}  // namespace

TEST_CASE("events at one instant all happen, in the order of the plan: rows, checkpoints and resumed runs agree") {
  const std::vector<Vec3<double>> kicks{{0.1, 0, 0}, {0, 0.2, 0}, {0, 0, -0.3}, {0.05, 0, 0.1}};
  // rows on the instant and beside it; checkpoints on it and not; fixed and adaptive steps
  for (const double interval : {0.1, 0.37}) {
    for (const std::size_t rows_per_checkpoint : {std::size_t{50}, std::size_t{30}}) {
      for (const std::string method : {"dop853", "gauss4"}) {
        CAPTURE(interval);
        CAPTURE(rows_per_checkpoint);
        CAPTURE(method);
        const auto plan_of = [&](bool together) {
          OneBodyPlan plan = test::forced_plan();
          plan.integrator = method;
          plan.step = method == "gauss4" ? 0.01 : 0;
          plan.output_interval = interval;
          plan.rows_per_checkpoint = rows_per_checkpoint;
          if (together) {
            plan.events.push_back(kick_at_ten("all", 0, kicks[0] + kicks[1] + kicks[2] + kicks[3]));
            return plan;
          }
          plan.events.push_back({{"seen", 0, simulation::Action::record}, kAtTen[4], {}, {}});
          for (std::size_t i = 0; i < 4; ++i) {
            plan.events.push_back(kick_at_ten("kick" + std::to_string(i), i, kicks[i]));
          }
          plan.events.push_back({{"seen too", 0, simulation::Action::record}, kAtTen[0], {}, {}});
          return plan;
        };
        OneBodyPlan one = plan_of(true);
        OneBodyPlan many = plan_of(false);
        test::Keep by_one;
        test::Keep by_many;
        const Outcome expected = Simulation(one).run(by_one);
        const Outcome outcome = Simulation(many).run(by_many);
        REQUIRE(outcome.ending == Ending::done);
        REQUIRE(by_many.events.size() == 6);
        for (std::size_t i = 0; i < 6; ++i) {
          CHECK(by_many.events[i].event == i);
          CHECK(std::fabs(by_many.events[i].t - 10) < 1e-12);
        }
        CHECK(outcome.statistics.events == 6);
        // the same sum of rates up to rounding, which the motion carries on for 10 s
        CHECK(simulation::attitude_difference(outcome.state.e_NB, expected.state.e_NB) < 1e-9);
        CHECK(norm(outcome.state.w_B - expected.state.w_B) < 1e-9);
        CHECK(by_many.rows.size() == by_one.rows.size());
        for (const simulation::Snapshot& snapshot : by_many.snapshots) {
          OneBodyPlan other = plan_of(false);
          test::Keep rest;
          const Outcome resumed = Simulation(other).resume(snapshot, rest);
          REQUIRE(rest.rows.size() == by_many.rows.size() - snapshot.rows);
          CHECK(std::equal(rest.rows.begin(), rest.rows.end(),
                           by_many.rows.begin() + static_cast<std::ptrdiff_t>(snapshot.rows)));
          CHECK(resumed.statistics.events == 6);
        }
      }
    }
  }
}

TEST_CASE("a stop beside changes and records: all of them happen, then the run ends") {
  for (const std::size_t stop_at : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    OneBodyPlan plan = test::forced_plan();
    plan.integrator = "rk4";
    plan.step = 0.01;  // a step ends at the instant, where the sine has not crossed its zero yet
    double seen = 0;
    plan.events.push_back(kick_at_ten("kick", 1, {0, 0, 5}));
    plan.events.push_back(
        {{"after", 0, simulation::Action::change}, kAtTen[0], {}, [&seen](BodyState<double>& s) { seen = s.w_B.z; }});
    plan.events.insert(plan.events.begin() + static_cast<std::ptrdiff_t>(stop_at),
                       {{"stop", 0, simulation::Action::stop}, kAtTen[3], {}, {}});
    plan.events.push_back({{"seen", 0, simulation::Action::record}, kAtTen[4], {}, {}});
    test::Keep sink;
    const Outcome outcome = Simulation(plan).run(sink);
    CHECK(outcome.ending == Ending::stopped_by_event);
    CHECK(outcome.message == "at t = 10 event 'stop'");
    REQUIRE(sink.events.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) { CHECK(sink.events[i].event == i); }
    CHECK(outcome.state.w_B.z == sink.events[0].state.w_B.z + 5);
    CHECK(seen == outcome.state.w_B.z);  // acts after the kick, as in the plan
  }
}

TEST_CASE("an event that another one makes true happens at the same instant; what does not cross zero does not") {
  const auto plan_of = [](double kick, int direction) {
    OneBodyPlan plan = test::free_plan();
    plan.start.w_B = {0, 0, 1};  // stays as it is
    plan.events.push_back({{"fast", direction, simulation::Action::change},
                           [](const BodyState<double>& s) { return s.w_B.z - 1.5; },
                           {},
                           [](BodyState<double>& s) { s.w_B.z = s.w_B.z - 2; }});
    plan.events.push_back(kick_at_ten("kick", 0, {0, 0, kick}));
    plan.events.push_back(
        {{"slow", 0, simulation::Action::stop}, [](const BodyState<double>& s) { return s.w_B.z + 0.25; }, {}, {}});
    return plan;
  };
  const auto names_in = [](const OneBodyPlan& plan) {
    test::Keep sink;
    const Outcome outcome = Simulation(plan).run(sink);
    std::string names = std::string(simulation::to_text(outcome.ending));
    for (const simulation::EventOccurrence& h : sink.events) { names += " " + plan.events[h.event].name; }
    return names;
  };
  CHECK(names_in(plan_of(1, 1)) == "done kick fast");  // to 2, then to 0
  CHECK(names_in(plan_of(0.25, 1)) == "done kick");
  CHECK(names_in(plan_of(1, -1)) == "done kick");                         // upwards is not looked for
  CHECK(names_in(plan_of(0.5, 1)) == "stopped-by-event kick fast slow");  // at 1.5, then to -0.5
}

TEST_CASE("what is thrown back from a zero has not passed it, on whichever side of it the instant was found") {
  const auto level = [](const BodyState<double>& s) { return s.w_B.z - 0.05; };
  for (const double moment : {1.0, 0.7, 1.3, 0.9, 1.1, 0.37}) {  // rounding differs
    for (const std::string method : {"dop853", "dopri5", "rk4"}) {
      CAPTURE(moment);
      CAPTURE(method);
      OneBodyPlan plan = test::free_plan();
      plan.integrator = method;
      plan.step = method == "rk4" ? 0.01 : 0;
      plan.start.w_B = {0, 0, 0.35};
      plan.body.load.add_moment([=](const BodyState<double>&) { return Vec3<double>{0, 0, -moment}; });
      plan.events.push_back({{"bounce", -1, simulation::Action::change}, level, {}, [](BodyState<double>& s) {
                               s.w_B.z = s.w_B.z + 0.5;
                             }});
      plan.events.push_back({{"upwards", 1, simulation::Action::record}, level, {}, {}});
      test::Keep sink;
      CHECK(Simulation(plan).run(sink).ending == Ending::done);
      CHECK(sink.events.size() > 1);
      for (const simulation::EventOccurrence& h : sink.events) { CHECK(plan.events[h.event].name == "bounce"); }
    }
  }
}

TEST_CASE("events that bring each other about without end are refused") {
  OneBodyPlan plan = test::free_plan();
  plan.start.w_B = {0, 0, 1};
  plan.events.push_back(kick_at_ten("kick", 0, {0, 0, 1}));
  plan.events.push_back({{"down", 1, simulation::Action::change},
                         [](const BodyState<double>& s) { return s.w_B.z - 1.5; },
                         {},
                         [](BodyState<double>& s) { s.w_B.z = 1; }});
  plan.events.push_back({{"up", -1, simulation::Action::change},
                         [](const BodyState<double>& s) { return s.w_B.z - 1.5; },
                         {},
                         [](BodyState<double>& s) { s.w_B.z = 2; }});
  test::Keep sink;
  const Outcome outcome = Simulation(plan).run(sink);
  CHECK(outcome.ending == Ending::step_too_small);
  CHECK(outcome.message.find("brings itself about without end: at t = 10 s") != std::string::npos);
  CHECK(outcome.message.find("output_interval") != std::string::npos);
}

TEST_CASE("a body that is thrown back where it meets an event meets it once a swing, in either direction of it") {
  // turns about z at 1 rad/s towards the half plane e3 = sin(φ/2) = sin 0.5, and back
  for (const std::string method : {"dop853", "rk4"}) {
    for (const int direction : {0, 1}) {
      OneBodyPlan plan = test::free_plan();
      plan.integrator = method;
      plan.step = method == "rk4" ? 0.05 : 0;
      plan.start.e_NB = EulerParameters<double>::identity();
      plan.start.w_B = {0, 0, 1};
      plan.duration = 11;
      plan.events.push_back({{"wall", direction, simulation::Action::change},
                             [](const BodyState<double>& s) { return std::fabs(s.e_NB.ev.z) - std::sin(0.5); },
                             {},
                             [](BodyState<double>& s) { s.w_B = -1.0 * s.w_B; }});
      test::Keep sink;
      const Outcome outcome = Simulation(plan).run(sink);
      CHECK(outcome.ending == Ending::done);
      REQUIRE(sink.events.size() == 5);  // at 1, 3, 5, 7, 9
      for (std::size_t i = 0; i < 5; ++i) {
        CHECK(std::fabs(sink.events[i].t - (1.0 + 2.0 * static_cast<double>(i))) < 1e-6);  // error of rk4
      }
    }
  }
}

TEST_CASE("a run that meets a NaN, or that is stopped, says so and gives out nothing that is not finite") {
  OneBodyPlan plan = test::free_plan();
  plan.body.load.add_moment([](const BodyState<double>& s) { return Vec3<double>{s.t > 5 ? std::nan("") : 0, 0, 0}; });
  plan.potential = {};
  plan.momentum = OneBodyPlan::Momentum::balance;
  test::Keep sink;
  const Outcome outcome = Simulation(plan).run(sink);
  CHECK(outcome.ending == Ending::not_finite);
  CHECK(outcome.message.find("t = ") != std::string::npos);
  CHECK(outcome.t <= 5);
  for (const auto& row : sink.rows) {
    for (const double x : row) { CHECK(std::isfinite(x)); }
  }
  test::Keep short_sink;
  short_sink.stop_after = 7;
  const Outcome stopped = Simulation(test::free_plan()).run(short_sink);
  CHECK(stopped.ending == Ending::interrupted);
  CHECK(short_sink.rows.size() == 7);
}

namespace {

/// Free until `from`, then a moment that is no number.
OneBodyPlan plan_with_broken_moment(const Integrator<double>& method, double from, double broken) {
  OneBodyPlan plan = test::free_plan();
  plan.duration = 2;
  plan.integrator = method.description().name;
  const std::vector<std::string>& needs = method.description().needs;
  if (!needs.empty() && needs.front() == "constrained Hamiltonian") { plan.formulation = "canonical"; }
  plan.body.load.add_moment([=](const BodyState<double>& s) { return Vec3<double>{s.t >= from ? broken : 0.1, 0, 0}; },
                            LawOf::time_and_pose);
  plan.potential = {};
  plan.momentum = OneBodyPlan::Momentum::balance;
  return plan;
}

void check_stops_at_what_is_not_finite(const OneBodyPlan& plan, double from) {
  CAPTURE(plan.integrator);
  CAPTURE(plan.step);
  CAPTURE(plan.output_interval);
  test::Keep sink;
  const Outcome outcome = Simulation(plan).run(sink);
  CAPTURE(outcome.message);
  CHECK(outcome.ending == Ending::not_finite);
  CHECK(outcome.message.find("t = ") != std::string::npos);
  CHECK(outcome.message.find("the loads are not finite: tau_B = (") != std::string::npos);
  CHECK(outcome.t <= from + 1e-12);
  for (const auto& row : sink.rows) {
    for (const double x : row) { CHECK(std::isfinite(x)); }
  }
}

}  // namespace

TEST_CASE("every integrator: a run that meets a NaN or an infinity stops there, wherever its rows lie") {
  int seen = 0;
  for (const auto& method : integrators<double>()) {
    for (const double broken : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      // at the start, in the middle of a step, at the end of one
      for (const double from : {0.0, 0.503, 0.5}) {
        OneBodyPlan plan = plan_with_broken_moment(*method, from, broken);
        try {
          const Simulation fits(plan);
        } catch (const Error&) { continue; }  // it needs what one body under a law has not
        ++seen;
        if (method->description().adaptive) {
          for (const double interval : {0.1, 0.0023}) {
            plan.output_interval = interval;
            check_stops_at_what_is_not_finite(plan, from);
          }
        }
        plan.step = 0.01;
        // rows at the ends of steps only, and inside them
        for (const double interval : {0.1, 0.0023}) {
          plan.output_interval = interval;
          check_stops_at_what_is_not_finite(plan, from);
        }
      }
    }
  }
  CHECK(seen > 60);
}

TEST_CASE("a number of a row that is not finite while the state is ends the run, and its row is not given") {
  // the moment breaks for so short a time that no step sees it, and the multiplier of the row does
  OneBodyPlan plan = test::free_plan();
  plan.duration = 2;
  plan.formulation = "f5";
  plan.body.load.add_moment(
      [](const BodyState<double>& s) { return Vec3<double>{s.t == 1.0 ? std::nan("") : 0.1, 0, 0}; },
      LawOf::time_and_pose);
  plan.potential = {};
  plan.momentum = OneBodyPlan::Momentum::balance;
  plan.rows_per_checkpoint = 1000;
  test::Keep sink;
  const Outcome outcome = Simulation(plan).run(sink);
  CHECK(outcome.ending == Ending::not_finite);
  CHECK(outcome.message == "at t = 1 multiplier is nan; the loads are not finite: tau_B = (nan 0 0) at t = 1");
  CHECK(sink.rows.back()[0] < 1);
}

TEST_CASE("a checkpoint of another shape is refused, with the cure") {
  const OneBodyPlan plan = test::forced_plan();
  test::Keep whole;
  Simulation(plan).run(whole);
  const simulation::Snapshot good = whole.snapshots[1];
  const auto refused = [&](const auto& spoil) {
    simulation::Snapshot bad = good;
    spoil(bad);
    test::Keep rest;
    try {
      Simulation(plan).resume(bad, rest);
    } catch (const Error& error) { return std::string(error.what()).find("run from the start") != std::string::npos; }
    return false;
  };
  CHECK(refused([](simulation::Snapshot& bad) { bad.ledger.pop_back(); }));
  CHECK(refused([](simulation::Snapshot& bad) { bad.ledger.push_back(0); }));
  CHECK(refused([](simulation::Snapshot& bad) { bad.y.pop_back(); }));
  CHECK(refused([](simulation::Snapshot& bad) { bad.parameters.push_back(1); }));
  CHECK(!refused([](simulation::Snapshot&) {}));
}

TEST_CASE("a run that its caller carries forward gives the rows of a run with a checkpoint at each of them") {
  for (OneBodyPlan plan : {test::top_plan(), test::forced_plan()}) {
    plan.rows_per_checkpoint = 1;
    test::Keep whole;
    Simulation(plan).run(whole);
    test::Keep own;
    Simulation carried(plan);
    REQUIRE(carried.begin(own));
    for (std::uint64_t row = 1; row < carried.rows(); ++row) { REQUIRE(carried.advance(carried.time_of_row(row))); }
    CHECK(own.rows == whole.rows);  // the same bits
    CHECK_THROWS_AS(carried.advance(carried.t()), Error);
  }
}
