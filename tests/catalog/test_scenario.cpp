// Scenario files: what they mean, and what every mistake in them is told as.
#include "polhode/catalog/model_check.h"
#include "polhode/catalog/scenario.h"
#include "polhode/simulation/certificate.h"
#include "support/files.h"
#include "support/sinks.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <map>

using namespace polhode;
using catalog::OneBodyScenario;
using catalog::read_scenario;

namespace {

/// A scenario with one part of it replaced.
std::string scenario_with(const std::map<std::string, std::string>& parts) {
  std::map<std::string, std::string> all{{"head", "title = \"test\""},
                                         {"parameters", ""},
                                         {"body", "principal_moments = [1, 2, 3]"},
                                         {"initial", "w_body = [0.1, 0.2, 0.3]"},
                                         {"run", "duration = 10"},
                                         {"more", ""}};
  for (const auto& [name, text] : parts) { all[name] = text; }
  return all["head"] + "\n" + (all["parameters"].empty() ? "" : "[parameters]\n" + all["parameters"] + "\n") +
         "[body]\n" + all["body"] + "\n[initial]\n" + all["initial"] + "\n[run]\n" + all["run"] + "\n" + all["more"] +
         "\n";
}
OneBodyScenario scenario_of(const std::map<std::string, std::string>& parts) {
  return read_scenario(scenario_with(parts), "s.toml");
}
std::string message(const std::map<std::string, std::string>& parts) {
  try {
    scenario_of(parts);
  } catch (const Error& error) { return error.what(); }
  return "no error";
}

bool near(const Vec3<double>& a, const Vec3<double>& b) { return norm(a - b) < 1e-14; }

}  // namespace

TEST_CASE("an attitude and a rate mean the same however they are written") {
  const EulerParameters<double> turn{std::sqrt(0.5), {0, 0, std::sqrt(0.5)}};  // a quarter turn about z
  for (const char* attitude :
       {"quaternion_wxyz = [0.7071067811865476, 0, 0, 0.7071067811865476]",
        "quaternion_xyzw = [0, 0, 0.7071067811865476, 0.7071067811865476]",
        "euler = { sequence = \"3-2-1\", angles_deg = [90, 0, 0] }",
        "euler = { sequence = \"1-2-3\", angles = [0, 0, 1.5707963267948966], extrinsic = true }",
        "axis_angle = { axis = [0, 0, 1], angle_deg = 90 }", "matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
        "rotation_vector = [0, 0, 1.5707963267948966]", "rodrigues = [0, 0, 1]", "mrp = [0, 0, 0.41421356237309503]"}) {
    CAPTURE(attitude);
    const OneBodyScenario s = scenario_of({{"initial", std::string(attitude) + "\nw_space = [1, 2, 3]"}});
    CHECK(norm(s.plan.start.e_NB - turn) < 1e-15);
    CHECK(near(s.plan.start.w_B, {2, -1, 3}));
  }
  CHECK(near(scenario_of({{"initial", "w_body_rpm = [60, 0, 0]"}}).plan.start.w_B, {6.283185307179586, 0, 0}));
  CHECK(near(scenario_of({{"initial", "w_body_deg = [180, 0, 0]"}}).plan.start.w_B, {3.141592653589793, 0, 0}));
  CHECK(near(scenario_of({{"initial", "euler = { sequence = \"3-1-3\", angles = [0, 1, 0], rates = [0, 0, 2] }"}})
                 .plan.start.w_B,
             {0, 0, 2}));
}

TEST_CASE("inertia means the same however it is written") {
  const OneBodyScenario box = scenario_of({{"body", "shape = \"box\"\nmass = 12\nedges = [1, 2, 3]"}});
  CHECK(norm(row(box.plan.body.J_B, 0) - Vec3<double>{13, 0, 0}) < 1e-14);
  const OneBodyScenario parts =
      scenario_of({{"body",
                    "[[body.part]]\nshape = \"box\"\nmass = 6\nedges = [0.5, 2, 3]\nposition = [0.25, 0, 0]\n"
                    "[[body.part]]\nshape = \"box\"\nmass = 6\nedges = [0.5, 2, 3]\nposition = [-0.25, 0, 0]"}});
  for (std::size_t i = 0; i < 3; ++i) { CHECK(norm(row(parts.plan.body.J_B, i) - row(box.plan.body.J_B, i)) < 1e-13); }
  // held at a point: parallel axes
  const OneBodyScenario held = scenario_of(
      {{"body", "mass = 2\nprincipal_moments = [1, 1, 1]\nmass_centre = [0, 0, 0.5]\nfixed_point = [0, 0, 0]"}});
  CHECK(held.plan.body.J_B(0, 0) == 1.5);
  CHECK(held.plan.body.J_B(2, 2) == 1);
}

TEST_CASE("loads: formulas see state and parameters, potentials and momentum follow from what acts") {
  using Momentum = simulation::OneBodyPlan::Momentum;
  CHECK(scenario_of({}).plan.momentum == Momentum::whole);
  const OneBodyScenario top =
      scenario_of({{"body", "principal_moments = [1, 1, 1]\nmass_centre = [0, 0, 1]\nfixed_point = [0, 0, 0]"},
                   {"more", "[[load]]\nkind = \"gravity\"\ng_space = [0, 0, -9]"}});
  CHECK(top.plan.momentum == Momentum::along_axis);
  REQUIRE(top.plan.potential);
  CHECK(top.plan.potential({0, {}, {}, {1, {0, 0, 0}}, {}}) == 9);
  const OneBodyScenario formulas =
      scenario_of({{"parameters", "k = 2"},
                   {"more", "[[load]]\nkind = \"moment\"\nmoment_body = [\"-k*wx_body\", 1, \"sin(t)*R11\"]"}});
  CHECK(formulas.plan.momentum == Momentum::balance);
  CHECK_FALSE(formulas.plan.potential);
  BodyState<double> state;
  state.t = 0;
  state.e_NB = {1, {0, 0, 0}};
  state.w_B = {3, 0, 0};
  CHECK(LoadNow<double>(formulas.plan.body.load, state).torque_B() == Vec3<double>{-6, 1, 0});
  CHECK(formulas.plan.body.load.looks_at_rates);
  CHECK(LoadNow<double>(formulas.plan.with(std::vector<double>{5})->body.load, state).torque_B().x == -15);
}

TEST_CASE(
    "definitions are formulas by name, for every other formula; what is wrong in one is told at its own location") {
  const OneBodyScenario defined =
      scenario_of({{"parameters", "k = 2"},
                   {"more",
                    "[definitions]\nbrake = \"-k*spin\"\nspin = \"wx_body + 1\"\nfour = 4\n"
                    "[[load]]\nkind = \"moment\"\nmoment_body = [\"brake + four\", \"2*brake\", 0]"}});
  BodyState<double> state;
  state.e_NB = {1, {0, 0, 0}};
  state.w_B = {3, 0, 0};
  CHECK(LoadNow<double>(defined.plan.body.load, state).torque_B() == Vec3<double>{-4, -16, 0});
  CHECK(defined.plan.body.load.looks_at_rates);
  // used or not
  CHECK(message({{"more", "[definitions]\na = \"2*wx_bdy\""}}) ==
        "s.toml:9:8: definition 'a': unknown name 'wx_bdy'; did you mean 'wx_body'? or declare it in [parameters]: "
        "wx_bdy = 1.5");
  CHECK(message({{"more", "[definitions]\na = \"b + 1\"\nb = \"2*a\""}})
            .find("the definitions go in a circle: a -> b -> a") != std::string::npos);
  CHECK(message({{"parameters", "k = 2"}, {"more", "[definitions]\nk = \"3\""}}).find("the name 'k' is taken") !=
        std::string::npos);
  CHECK(message({{"more", "[definitions]\nsin = \"3\""}}).find("the name 'sin' is taken") != std::string::npos);
  // one mistake, told once however many formulas use the definition
  const std::string once = message({{"more",
                                     "[definitions]\na = \"qq\"\n[[load]]\nkind = \"moment\"\n"
                                     "moment_body = [\"a\", \"a\", \"2*a\"]"}});
  CHECK(once.find("unknown name 'qq'") == once.rfind("unknown name 'qq'"));
  // each is looked at with all that it is made of: so many are allowed
  const auto with = [](int count) {
    std::string text = "[definitions]\na0 = \"t\"\n";
    for (int i = 1; i < count; ++i) {
      text += "a" + std::to_string(i) + " = \"sin(a" + std::to_string(i / 2) + ")\"\n";
    }
    return message({{"more", text + "[[load]]\nkind = \"moment\"\nmoment_body = [\"a999\", \"qq\", 0]"}});
  };
  CHECK(with(1000).starts_with("s.toml:1011:"));  // qq alone is wrong
  const std::string too_many = with(1001);
  CHECK(too_many.starts_with("s.toml:8:"));
  CHECK(too_many.find("1001 definitions; allowed: 1000; put those that only one formula uses into it") !=
        std::string::npos);
  CHECK(too_many.find("unknown name 'a") == std::string::npos);
}

TEST_CASE("loads that conserve do, loads that take energy take it, and keep what they promise to keep") {
  const auto run = [](const std::string& load) {
    const OneBodyScenario s = scenario_of({{"more", load}, {"run", "duration = 10\ntolerance = 1e-11"}});
    test::EventTimes sink;
    const simulation::Outcome outcome = simulation::Simulation(s.plan).run(sink);
    CHECK(outcome.ending == simulation::Ending::done);
    CHECK(simulation::certificate_of(s.plan, outcome).verdict ==
          simulation::Verdict::not_established);  // balances hold
    return outcome;
  };
  CHECK(run("[[load]]\nkind = \"damping\"\nlinear = 0.1\nquadratic = 0.2").ledger.supplied < 0);
  CHECK(run("[[load]]\nkind = \"magnetic_damping\"\ncoefficient = 0.1\nfield_space = [0, \"cos(t)\", 1]")
            .ledger.supplied < 0);
  const simulation::Outcome sink = run("[[load]]\nkind = \"energy_sink\"\ncoefficient = 0.05");
  CHECK(sink.ledger.supplied < 0);
  const Vec3<double> w = sink.state.w_B;
  CHECK(std::fabs(norm(Vec3<double>{w.x, 2 * w.y, 3 * w.z}) - norm(sink.ledger.h_N_start)) < 1e-9);
  const simulation::Outcome wheel = run("[[load]]\nkind = \"wheel\"\naxis_body = [1, 1, 0]\nmomentum = 2");
  CHECK(std::fabs(wheel.ledger.supplied) < 1e-12);
}

TEST_CASE("events: each kind finds its moment") {
  const auto times = [](const std::string& body_and_more, const std::string& event) {
    test::EventTimes sink;
    const OneBodyScenario s = scenario_of({{"initial", "w_body = [0, 0, 1]"},
                                           {"body", "principal_moments = [1, 1, 2]\n" + body_and_more},
                                           {"more", "[[event]]\nname = \"e\"\n" + event},
                                           {"parameters", "k = 0"}});
    simulation::Simulation(s.plan).run(sink);
    return sink.list;
  };
  // one turn takes 2π: the angle passes 90 degrees twice in 10 s, upwards
  const auto angle = times("", "angle = { sequence = \"3-2-1\", number = 1, value_deg = 90 }");
  REQUIRE(angle.size() == 2);
  CHECK(std::fabs(angle[0] - 1.5707963267948966) < 1e-10);
  CHECK(std::fabs(angle[1] - 1.5707963267948966 - 6.283185307179586) < 1e-10);
  CHECK(times("", "formula = \"t - 4.5\"").size() == 1);
  CHECK(times("", "formula = \"t - 4.5\"\ndirection = \"down\"").empty());
  CHECK(times("", "rate_space = \"z\"\nvalue = 2").empty());
  CHECK(times("", "formula = \"t - 4.5\"\naction = \"stop\"").size() == 1);
  CHECK(times("", "formula = \"t - 4.5\"\naction = \"set\"\nset = { k = 1 }").size() == 1);
  CHECK(times("", "formula = \"t - 4.5\"\naction = \"impulse\"\nimpulse_body = [0, 0, 1]").size() == 1);
}

TEST_CASE("every mistake is told with its location and what would be right") {
  const std::pair<std::map<std::string, std::string>, const char*> mistakes[] = {
      {{{"head", ""}}, "title is missing"},
      {{{"head", "title = 5"}}, "s.toml:1:9: title is a number, not text"},
      {{{"head", "title = \"x\"\nepoch = \"yesterday\""}}, "'yesterday' is no time"},
      {{{"head", "title = \"x\"\nepoch = \"2026-02-29T00:00:00\""}}, "'2026-02-29T00:00:00' is no time"},
      {{{"more", "[aem]\nobject_id = \"\""}}, "a message cannot hold this text"},
      {{{"more", "[aem]\nobject_name = \"ä\""}}, "a message cannot hold this text"},
      {{{"more", "[aem]\nobjectid = \"x\""}}, "unknown key 'objectid'"},
      {{{"more", "[aem]\nattitude_type = \"SPIN\""}}, "unknown attitude_type 'SPIN'"},
      {{{"head", "title = \"x\"\ncolour = 1"}}, "unknown key 'colour'"},
      {{{"body", "principal_moment = [1, 2, 3]"}}, "did you mean 'principal_moments'?"},
      {{{"body", "principal_moments = [1, 2]"}}, "has 2 entries"},
      {{{"body", "principal_moments = [1, 2, \"x\"]"}}, "s.toml:3:29: formula \"x\": unknown name 'x'"},
      {{{"body", "principal_moments = [1, 2, nan]"}},
       "entry 3 of principal_moments is nan; wanted: a list of 3 finite"},
      {{{"body", "principal_moments = [1, 2, 4]"}}, "no rigid body"},
      {{{"body", "principal_moments = [1, 2, -1]"}}, "s.toml:3:21"},
      {{{"body", "inertia_matrix = [[1, 0, 0], [0, 1, 0]]"}}, "has 2 rows"},
      {{{"body", "inertia_matrix = [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]"}}, "symmetric"},
      {{{"body", "shape = \"bix\"\nmass = 1"}}, "did you mean 'box'?"},
      {{{"body", "shape = \"box\"\nedges = [1, 1, 1]"}}, "wanted: one of mass, density"},
      {{{"body", "shape = \"box\"\nmass = 1\ndensity = 1\nedges = [1, 1, 1]"}}, "given twice"},
      {{{"body", "shape = \"box\"\nmass = -1\nedges = [1, 1, 1]"}}, "mass"},
      {{{"body", "shape = \"cylinder\"\nmass = 1\nradius = 1"}}, "length is missing"},
      {{{"body", "mass = 0\nprincipal_moments = [1, 1, 1]"}}, "mass is 0"},
      {{{"body", ""}}, "inertia is missing in [body]"},
      {{{"initial", ""}}, "the angular velocity is missing in [initial]"},
      {{{"initial", "w = [1, 2, 3]"}}, "unknown key 'w' in [initial]"},
      {{{"initial", "w_body = [1, 2, 3]\nw_space = [1, 2, 3]"}}, "given twice: w_body and w_space"},
      {{{"initial", "w_body = [1, 2, 3]\nquaternion_wxyz = [1, 1, 0, 0]"}}, "s.toml:6:19"},
      {{{"initial", "w_body = [1, 2, 3]\nquaternion_wxyz = [0, 0, 0, 0]"}}, "quaternion"},
      {{{"initial", "w_body = [1, 2, 3]\neuler = { sequence = \"3-3-1\", angles = [0, 0, 0] }"}}, "3-3-1"},
      {{{"initial", "w_body = [1, 2, 3]\neuler = { sequence = \"3-2-1\" }"}}, "wanted: one of angles, angles_deg"},
      {{{"initial", "w_body = [1, 2, 3]\neuler = 5"}}, "euler is a number, not a table"},
      {{{"initial", "w_body = [1, 2, 3]\nmatrix = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]"}}, "s.toml:6:10"},
      {{{"initial", "w_body = [1, 2, 3]\nmrp = [0, 0, 0]\nrodrigues = [0, 0, 0]"}}, "the attitude is given twice"},
      {{{"body", "principal_moments = [1, 1, 1]\nfixed_point = [0, 0, 0]"},
        {"initial", "w_body = [1, 2, 3]\nvelocity = [1, 0, 0]"}},
       "a body with a fixed point does not travel"},
      {{{"run", ""}}, "duration is missing in [run]"},
      {{{"run", "duration = -1"}}, "duration is -1; wanted: a number above 0"},
      {{{"run", "duration = 1\nstep = 0"}}, "step is 0"},
      {{{"run", "duration = 1\noutput_interval = 1e-12"}}, "rows; allowed: 1e8; a longer output_interval"},
      {{{"initial", "w_body = [1e300, 2, 3]"}}, "s.toml:5:10: the rate is too large; allowed: below 1e100 rad/s"},
      {{{"run", "duration = 1e300"}}, "duration is 1e+300 s; allowed: 1e12 s; beyond, steps are lost"},
      {{{"run", "duration = 1\nintegrator = \"rk4\"\nstep = 1e-300"}}, "1e+300 steps; allowed: 1e12; a longer step"},
      {{{"run", "duration = 1\ntolerance = 1e-300"}}, "tolerance 1e-300 is below rounding; allowed: 1e-14 and more"},
      {{{"run", "duration = 1\ntolerance = 1e-20"}}, "below rounding"},
      {{{"run", "duration = 1\nstep = 0.1\ntolerance = 1e-6"}}, "both step and tolerance"},
      {{{"run", "duration = 1\nintegrator = \"rk5\"\nstep = 0.1"}}, "did you mean 'rk4'?"},
      {{{"run", "duration = 1\nintegrator = \"rk4\""}}, "needs fixed steps"},
      {{{"run", "duration = 1\nformulation = \"eulr-body\""}}, "did you mean 'euler-body'?"},
      {{{"run", "duration = 1\nformulation = \"f11\""}}, "rank"},
      {{{"run", "duration = 1\nprojection = \"always\""}}, "unknown projection"},
      {{{"run", "duration = 1\ncheckpoint_rows = 2.5"}}, "whole numbers"},
      {{{"run", "duration = 1\naccuracy = 0"}}, "accuracy is 0"},
      {{{"run", "duration = \"10 s\""}}, "formula \"10 s\""},
      {{{"more", "[[load]]\nkind = \"gravitty\""}}, "did you mean 'gravity'?"},
      {{{"more", "[[load]]\nforce = 1"}}, "kind is missing in [[load]] 1"},
      {{{"more", "[[load]]\nkind = \"gravity\""}}, "g_space is missing"},
      {{{"more", "[[load]]\nkind = \"gravity\"\ng_space = [0, 0, 0]"}}, "g_space is zero"},
      {{{"more", "[[load]]\nkind = \"moment\""}}, "a moment needs its frame"},
      {{{"more", "[[load]]\nkind = \"moment\"\nmoment_body = [\"2*wx_bdy\", 0, 0]"}}, "s.toml:10:19: formula"},
      {{{"more", "[[load]]\nkind = \"moment\"\nmoment_body = [true, 0, 0]"}},
       "entry 1 of moment_body is true or false"},
      {{{"more", "[[load]]\nkind = \"moment\"\nmoment_body = [0, nan, 0]"}}, "entry 2 of moment_body is nan"},
      {{{"more", "[[load]]\nkind = \"moment\"\nmoment_body = [0, 0]"}}, "moment_body has 2 entries"},
      {{{"run", "duration = 1\nformulation = \"a1:3-2-1\""},
        {"initial", "w_body = [1, 2, 3]\neuler = { sequence = \"3-2-1\", angles_deg = [0, 90, 0] }"}},
       "s.toml:9:15: formulation 'a1:3-2-1' cannot start here"},
      {{{"run", "duration = 1\nformulation = \"f5\"\nintegrator = \"splitting4\"\nstep = 0.1"}},
       "s.toml:9:14: integrator 'splitting4' needs exact flows"},
      {{{"run", "duration = 1\nintegrator = \"taylor\""},
        {"more", "[[load]]\nkind = \"moment\"\nname = \"brake\"\nmoment_body = [0, \"-abs(wy_body)\", 0]"}},
       "does not offer: load 'brake': 'abs' has an edge, across which there is no series; try 'dop853'"},
      {{{"more", "[[load]]\nkind = \"damping\""}}, "damping without a coefficient"},
      {{{"more", "[[load]]\nkind = \"damping\"\nlinear = -1"}}, "negative damping adds energy"},
      {{{"more", "[[load]]\nkind = \"spring\"\nstiffness = -1\nanchor_space = [0, 0, 0]\nat_body = [0, 0, 0]"}},
       "a negative stiffness"},
      {{{"more", "[[load]]\nkind = \"wheel\"\naxis_body = [0, 0, 0]\nmomentum = 1"}}, "axis_body has no direction"},
      {{{"more", "load = 5"}}, "unknown key 'load' in [run]"},
      {{{"more", "[[event]]\nformula = \"t - 1\""}}, "name is missing in [[event]] 1"},
      {{{"more", "[[event]]\nname = \"e\""}}, "what is looked for is missing"},
      {{{"more", "[[event]]\nname = \"e\"\nformula = \"t -\""}}, "ends too early"},
      {{{"more", "[[event]]\nname = \"e\"\nformula = 5"}}, "never changes its sign"},
      {{{"more", "[[event]]\nname = \"e\"\nformula = \"t\"\ndirection = \"left\""}}, "unknown direction 'left'"},
      {{{"more", "[[event]]\nname = \"e\"\nformula = \"t\"\naction = \"explode\""}}, "unknown action 'explode'"},
      {{{"more", "[[event]]\nname = \"e\"\nformula = \"t\"\naction = \"set\""}}, "action 'set' without a table"},
      {{{"more", "[[event]]\nname = \"e\"\nformula = \"t\"\naction = \"set\"\nset = { q = 1 }"}},
       "unknown parameter 'q'"},
      {{{"more", "[[event]]\nname = \"e\"\nformula = \"t\"\naction = \"impulse\""}}, "the impulse is missing"},
      {{{"more", "[[event]]\nname = \"e\"\nrate_body = \"w\""}}, "allowed: x, y, z"},
      {{{"more", "[[event]]\nname = \"e\"\nangle = { sequence = \"3-2-1\", number = 4, value = 0 }"}},
       "allowed: 1, 2, 3"},
      {{{"more", "[[event]]\nname = \"e\"\napsides = \"orbit\""}}, "allowed: nutation"},
      {{{"parameters", "t = 1"}}, "the name 't' is taken"},
      {{{"parameters", "\"a b\" = 1"}}, "cannot be a name"},
      {{{"parameters", "k = \"q\""}}, "formula \"q\": unknown name 'q'; did you mean 'k'?"},
  };
  for (const auto& [parts, expected] : mistakes) {
    CAPTURE(expected);
    const std::string told = message(parts);
    CAPTURE(told);
    CHECK(told.find(expected) != std::string::npos);
    CHECK(told.find("s.toml:") != std::string::npos);
  }
  CHECK(message({}) == "no error");
}

TEST_CASE("a mistake does not make the keys beside it unknown") {
  const std::pair<std::map<std::string, std::string>, const char*> mistakes[] = {
      {{{"body", "shape = \"bix\"\nmass = 1\nedges = [1, 1, 1]"}}, "did you mean 'box'?"},
      {{{"body", "shape = \"sphere\"\nprincipal_moments = [1, 1, 1]\nmass = 1\nradius = 1"}}, "inertia is given twice"},
      {{{"body", "[[body.part]]\nshape = \"sphre\"\nmass = 1\nradius = 1"}}, "did you mean 'sphere'?"},
      {{{"body", "shape = \"sphere\"\nmass = 1\nradius = 1\n[[body.part]]\nshape = \"sphere\"\nmass = 1\nradius = 1"}},
       "inertia is given twice: shape and parts"},
      {{{"initial",
         "w_body = [1, 2, 3]\nmrp = [0, 0, 0]\neuler = { sequence = \"3-2-1\", angles = [0, 0, 0], extrinsic = true "
         "}"}},
       "the attitude is given twice"},
      {{{"initial", "euler = { sequence = \"3-2-1\", angles = [0, 0, 0], angles_deg = [0, 0, 0], rates = [1, 0, 0] }"}},
       "angles is given twice"},
      {{{"more", "[[load]]\nkind = \"force\"\nat_body = [1, 0, 0]"}}, "a force without force and moment"},
      {{{"more", "[[event]]\nname = \"e\"\nvalue = 1"}}, "what is looked for is missing"},
      {{{"more", "[[event]]\nname = \"e\"\nformula = \"t\"\naction = \"inpulse\"\nimpulse_body = [1, 0, 0]"}},
       "unknown action 'inpulse'"},
      {{{"more", "[[event]]\nname = \"e\"\nrate_body = \"w\"\nvalue = 1"}}, "allowed: x, y, z"},
      {{{"more", "[[event]]\nname = \"e\"\nformula = \"t\"\naction = \"stpo\"\nset = { k = 1 }"}},
       "did you mean 'stop'?"},
  };
  for (const auto& [parts, expected] : mistakes) {
    CAPTURE(expected);
    const std::string told = message(parts);
    CAPTURE(told);
    CHECK(told.find(expected) != std::string::npos);
    CHECK(told.find("unknown key") == std::string::npos);
  }
}

TEST_CASE("one mistake is told once") {
  const std::map<std::string, std::string> mistakes[] = {
      {{"parameters", "1k = 0.5"}},
      {{"parameters", "sin = 1"}},
      {{"parameters", "k = \"t\""}},
      {{"body", "principal_moments = [nan, 2, 2]"}},
      {{"body", "shape = \"box\"\nmass = 1\nedges = [1, inf, 1]"}},
      {{"body", "shape = \"sphere\"\nmass = nan\nradius = 1"}},
      {{"body", "shape = \"sphere\"\nmass = 1"}},
      {{"more", "[[load]]\nkind = \"gravity\"\ng_space = [0, 0, -inf]"}},
      {{"more", "[[load]]\nkind = \"wheel\"\naxis_body = [0, nan, 0]\nmomentum = 1"}},
      {{"more",
        "[[load]]\nkind = \"gravity_gradient\"\norbit_rate = inf\norbit_normal_space = [0, 0, 1]\n"
        "centre_space = [1, 0, 0]"}},
      {{"more", "[[load]]\nkind = \"moment\"\nmoment_body = [nan, 0, 0]"}},
      {{"initial", "w_body = [0, 0, 1]\nquaternion_wxyz = [nan, 0, 0, 0]"}},
      {{"initial", "w_body = [0, 0, 1]\nquaternion_xyzw = [0, 0, 0, inf]"}},
      {{"initial", "w_body = [0, 0, 1]\nquaternion_wxyz = [1, 0, 0]"}},
      {{"initial", "w_body = [0, 0, 1]\nquaternion_wxyz = \"none\""}},
      {{"initial", "w_body = [0, 0, 1]\naxis_angle = { axis = [nan, 0, 0], angle = 1 }"}},
      {{"initial", "w_body = [0, 0, 1]\naxis_angle = { axis = [0, 0, 1], angle = nan }"}},
      {{"initial", "w_body = [0, 0, 1]\nmatrix = [[nan, 0, 0], [0, 1, 0], [0, 0, 1]]"}},
      {{"initial", "w_body = [0, 0, 1]\nmrp = [nan, 0, 0]"}},
      {{"initial", "w_body = [0, 0, 1]\neuler = { sequence = \"3-1-3\", angles = [nan, 0, 0] }"}},
      {{"initial", "w_body = [0, 0, 1]\neuler = { sequence = 7, angles = [0, 0, 0] }"}},
      {{"initial", "euler = { sequence = \"3-1-3\", angles = [nan, 0, 0], rates = [0, 0, 1] }"}},
      {{"initial", "euler = { sequence = \"3-1-3\", angles = [0.1, 0.2, 0], rates = [0, inf, 1] }"}},
  };
  for (const auto& parts : mistakes) {
    const std::string told = message(parts);
    CAPTURE(told);
    CHECK(told.starts_with("s.toml:"));
    CHECK(told.find("s.toml:", 1) == std::string::npos);
  }
}

TEST_CASE("a key that belongs elsewhere is told where it stands") {
  // the columns are those of the keys
  CHECK(message({{"body", "principal_moments = [1, 2, 3]\ndensity = 5"}}).find("s.toml:4:1: unknown key 'density'") ==
        0);
  CHECK(message({{"run", "duration = 10\n  jacobian = \"raw\""}}).find("s.toml:8:3: unknown key 'jacobian'") == 0);
  CHECK(message({{"more", "[[load]]\nkind = \"force\"\nforce_body = [1, 0, 0]\nbody = \"x\""}})
            .find("s.toml:11:8: there is one body alone, and it has no name; leave out body") == 0);
}

TEST_CASE("what an event's action does not use is told, not passed over") {
  const std::string event = "[[event]]\nname = \"e\"\nformula = \"t - 1\"\n";
  const std::string set = "set = { k = 1 }\n";
  const std::string impulse = "impulse_body = [1, 0, 0]\n";
  const std::pair<std::string, const char*> mistakes[] = {
      {set, "set does nothing with action \"record\"; write action = \"set\""},
      {"action = \"stop\"\n" + set, "set does nothing with action \"stop\""},
      {"action = \"impulse\"\n" + impulse + set, "set does nothing with action \"impulse\""},
      {"action = \"set\"\n" + set + impulse, "impulse_body does nothing with action \"set\""},
      {impulse, "impulse_body does nothing with action \"record\"; write action = \"impulse\""},
  };
  for (const auto& [keys, expected] : mistakes) {
    const std::string told = message({{"parameters", "k = 2"}, {"more", event + keys}});
    CAPTURE(told);
    CHECK(told.find(expected) != std::string::npos);
    CHECK(told.find("s.toml:", 1) == std::string::npos);
  }
  CHECK(message({{"parameters", "k = 2"}, {"more", event + "action = \"set\"\n" + set}}) == "no error");
  CHECK(message({{"more", event + "action = \"impulse\"\n" + impulse}}) == "no error");
}

TEST_CASE("kinds and keys that are offered are those that can stand there") {
  const std::string kind = message({{"more", "[[load]]\nkind = \"momnt\""}});
  CHECK(kind.find("gravity_gradient") != std::string::npos);
  CHECK(kind.find("joint_spring") == std::string::npos);
  const std::string copies = message({{"more", "[[load]]\nkind = \"moment\"\ncopies = 3\nmoment_body = [1, 0, 0]"}});
  CHECK(copies.find("unknown key 'copies' in [[load]] 1; known: kind name moment_body moment_space") !=
        std::string::npos);
}

TEST_CASE("a number that looks at time or state is told so, with no cure that does not help") {
  for (const auto& [name, meaning] : catalog::BodyNames::meanings()) {
    for (const std::map<std::string, std::string>& parts :
         {std::map<std::string, std::string>{{"run", "duration = \"2*" + name + "\""}},
          std::map<std::string, std::string>{{"parameters", "k = \"2*" + name + "\""}}}) {
      const std::string told = message(parts);
      CAPTURE(told);
      CHECK(told.find("unknown name '" + name + "'; it changes with the motion") != std::string::npos);
      CHECK(told.find("declare it") == std::string::npos);
    }
  }
  CHECK(message({{"run", "duration = \"2*span\""}}).find("declare it in [parameters]: span") != std::string::npos);
}

TEST_CASE("moments that no body has are let through where the file allows them, to the run") {
  const std::string impossible = "principal_moments = [0.1, 0.2, 0.4]";
  CHECK(message({{"body", impossible}}).find("can be computed with allow_impossible_inertia = true") !=
        std::string::npos);
  const OneBodyScenario read = scenario_of({{"body", impossible + "\nallow_impossible_inertia = true"}});
  const catalog::ModelCheck check = catalog::check_one_body(read);
  CHECK_FALSE(check.wrong());
  REQUIRE(check.findings.size() == 1);
  CHECK(check.findings[0].text.ends_with("; allow_impossible_inertia lets them through"));
  test::EventTimes sink;
  CHECK(simulation::Simulation(read.plan).run(sink).ending == simulation::Ending::done);
}

TEST_CASE("check notes a load whose force goes through the mass centre of a body that does not travel") {
  const std::string gravity = "[[load]]\nkind = \"gravity\"\ng_space = [0, 0, -9.81]";
  const auto notes = [](const OneBodyScenario& s) {
    int idle = 0;
    for (const catalog::Finding& f : catalog::check_one_body(s).findings) {
      idle += f.text.find("does nothing") != std::string::npos;
      CHECK(f.level == catalog::Finding::Level::note);
    }
    return idle;
  };
  CHECK(notes(scenario_of({{"more", gravity}})) == 1);
  CHECK(notes(scenario_of({{"more", "[[load]]\nkind = \"force\"\nforce_space = [1, 0, 0]"}})) == 1);
  CHECK(notes(scenario_of({{"more", "[[load]]\nkind = \"force\"\nforce_space = [1, 0, 0]\nat_body = [0, 0, 1]"}})) ==
        0);
  CHECK(notes(scenario_of({{"more", gravity}, {"initial", "w_body = [0, 1, 0]\nposition = [0, 0, 0]"}})) == 0);
}

TEST_CASE("what acts on one body may have a name: one that can be a name, and its own") {
  const std::string damping = "[[load]]\nkind = \"damping\"\nlinear = 0.1\n";
  CHECK(message({{"more", damping + "name = \"air\"\n" + damping + "name = \"oil\"\n" + damping}}) == "no error");
  const std::string twice = message({{"more", damping + "name = \"air\"\n" + damping + "name = \"air\"\n"}});
  CAPTURE(twice);
  CHECK(twice.find("s.toml:15:8: two elements are called 'air'; rename one") != std::string::npos);
  CHECK(message({{"more", damping + "name = \"2 x\"\n"}}).find("'2 x' cannot be a name") != std::string::npos);
}

TEST_CASE("a load that is not finite at the start is found before the run") {
  const catalog::ModelCheck check =
      catalog::check_one_body(scenario_of({{"more", "[[load]]\nkind = \"moment\"\nmoment_body = [\"1/0\", 0, 0]"}}));
  CHECK(check.wrong());
  CHECK(check.findings.at(0).text == "the loads are not finite: tau_B = (inf 0 0) at t = 0");
}

TEST_CASE("all mistakes of a file are told at once, in the order of its lines") {
  const std::string told = message({{"body", "principal_moments = [1, 2, 9]"}, {"run", "duration = 0\nspeed = 2"}});
  CHECK(told.find("s.toml:3") < told.find("s.toml:7"));
  CHECK(told.find("s.toml:7") < told.find("s.toml:8"));
  CHECK(message({{"head", "[x"}}).find("s.toml:") != std::string::npos);
}

TEST_CASE("every example runs to its end and its balances hold") {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(POLHODE_SOURCE_DIR) + "/examples")) {
    const std::string text = test::text_of(entry.path());
    if (entry.path().extension() != ".toml" || text.find("[run]") == std::string::npos ||
        text.find("[[bodies]]") != std::string::npos) {
      continue;  // mechanisms: test_mechanism_scenario.cpp
    }
    CAPTURE(entry.path().filename().string());
    ++found;
    CHECK(text.starts_with("# "));  // a story comes first
    const OneBodyScenario s = read_scenario(text, entry.path().string());
    test::EventTimes sink;
    const simulation::Outcome outcome = simulation::Simulation(s.plan).run(sink);
    CHECK(outcome.ending == simulation::Ending::done);
    CHECK(simulation::certificate_of(s.plan, outcome).verdict == simulation::Verdict::not_established);
  }
  CHECK(found >= 10);
}

TEST_CASE("the sleeping top wakes when friction has taken its spin below the bound, and not before") {
  const std::string file = std::string(POLHODE_SOURCE_DIR) + "/examples/sleeping-top.toml";
  test::EventTimes sink;
  const OneBodyScenario s = read_scenario(test::text_of(file), "sleeping-top.toml");
  simulation::Simulation(s.plan).run(sink);
  REQUIRE(sink.list.size() == 2);
  // Jω̇ = −cω about the axis; stable while J3 ω > 2 √(m g l J1)
  const double bound = 2 * std::sqrt(0.1 * 9.81 * 0.03 * (4e-5 + 0.1 * 0.03 * 0.03)) / 2e-5;
  CHECK(std::fabs(sink.list[0] - std::log(260 / bound) / (1.5e-6 / 2e-5)) < 1e-4);  // the file rounds it to 6 digits
  CHECK(sink.list[1] > sink.list[0]);
  CHECK(sink.list[1] < sink.list[0] + 1);
}

TEST_CASE("docs/scenario.md names every key that a scenario may have") {
  const std::string docs = test::text_of(std::string(POLHODE_SOURCE_DIR) + "/docs/scenario.md");
  // an unknown key is answered with all that are known there
  const auto known = [](const std::map<std::string, std::string>& parts) {
    const std::string told = message(parts);
    const std::size_t line = told.find("unknown key 'qqqqqqqqqqqq'");
    REQUIRE(line != std::string::npos);
    const std::size_t begin = told.find("known: ", line) + 7;
    std::vector<std::string> keys;
    std::string key;
    for (std::size_t i = begin; i <= told.size(); ++i) {
      const char c = i < told.size() ? told[i] : '\n';
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_') {
        key += c;
        continue;
      }
      if (!key.empty()) { keys.push_back(key); }
      key.clear();
      if (c == '\n' || c == ';') { break; }
    }
    return keys;
  };
  const std::string q = "\nqqqqqqqqqqqq = 1";
  std::vector<std::map<std::string, std::string>> files{
      {{"head", "title = \"x\"" + q}},
      {{"body", "principal_moments = [1, 2, 3]" + q}},
      {{"body", "shape = \"box\"\nmass = 1\nedges = [1, 1, 1]" + q}},
      {{"body", "shape = \"ellipsoid\"\nmass = 1\nsemi_axes = [1, 1, 1]" + q}},
      {{"body", "shape = \"capsule\"\nmass = 1\nradius = 1\nlength = 1" + q}},
      {{"body", "shape = \"tube\"\nmass = 1\nouter_radius = 1\ninner_radius = 0.5\nlength = 1" + q}},
      {{"body", "shape = \"cone\"\nmass = 1\nradius = 1\nheight = 1" + q}},
      {{"body", "shape = \"mesh\"\nmass = 1\nfile = \"none.obj\"" + q}},
      {{"body", "[[body.part]]\nshape = \"sphere\"\nmass = 1\nradius = 1" + q}},
      {{"initial", "w_body = [1, 2, 3]" + q}},
      {{"initial", "w_body = [1, 2, 3]\neuler = { sequence = \"3-2-1\", angles = [0, 0, 0], qqqqqqqqqqqq = 1 }"}},
      {{"initial", "w_body = [1, 2, 3]\naxis_angle = { axis = [0, 0, 1], angle = 1, qqqqqqqqqqqq = 1 }"}},
      {{"run", "duration = 1" + q}},
      {{"more", "[aem]" + q}},
      {{"more", "[[event]]\nname = \"e\"\nrate_body = \"x\"\naction = \"impulse\"\nimpulse_body = [0, 0, 1]" + q}},
      {{"more", "[[event]]\nname = \"e\"\nangle = { sequence = \"3-2-1\", number = 1, value = 1, qqqqqqqqqqqq = 1 }"}},
  };
  for (const force::Kind& kind : force::kinds()) {
    if (!kind.on_one_body) { continue; }
    files.push_back({{"more", "[[load]]\nkind = \"" + std::string(kind.name) + "\"" + q}});
    CHECK(docs.find("| `" + std::string(kind.name) + "` |") != std::string::npos);
  }
  std::size_t seen = 0;
  for (const auto& file : files) {
    for (const std::string& key : known(file)) {
      CAPTURE(key);
      ++seen;
      const bool named = docs.find("`" + key + "`") != std::string::npos || docs.find(key + " = ") != std::string::npos;
      CHECK(named);
    }
  }
  CHECK(seen > 100);
  for (const auto& [name, meaning] : catalog::BodyNames::meanings()) {
    CAPTURE(name);
    const bool entry_of_matrix = name.starts_with('R');
    CHECK((entry_of_matrix || docs.find("`" + name + "`") != std::string::npos));
  }
  for (const auto& [name, arguments] : formula::functions()) {
    CAPTURE(name);
    CHECK(docs.find("`" + name + "`") != std::string::npos);
  }
}
