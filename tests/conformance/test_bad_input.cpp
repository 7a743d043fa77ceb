// What one body cannot be, cannot start from or cannot be given: one line each, with the value and the cure. A NaN on
// the way ends a run with the time and the quantity by name.
#include "polhode/core/error.h"
#include "polhode/formulation/body_system.h"
#include "polhode/integrator/driver.h"
#include "polhode/rotation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

using namespace polhode;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

OneBody<double> good_body() {
  OneBody<double> body;
  body.J_B = diagonal(1.0, 2.0, 2.5);
  return body;
}
BodyState<double> good_start() {
  BodyState<double> start;
  start.e_NB = {0.5, {0.5, -0.1, 0.7}};
  start.w_B = {0.3, 1, -0.4};
  return start;
}

template <class Do>
std::string message_of(const Do& something) {
  try {
    something();
  } catch (const Error& error) { return error.what(); }
  return {};
}
std::string message_of_body(const OneBody<double>& body) {
  return message_of([&] { BodySystem<double>(formulation<double>("euler-body"), body); });
}
std::string message_of_start(const std::string& form, const BodyState<double>& start) {
  return message_of([&] {
    const OneBody<double> body = good_body();
    const BodySystem<double> system(formulation<double>(form), body);
    std::vector<double> y(system.size());
    system.set_state(start, y);
  });
}
std::string message_of_run(const std::string& method, const RunOptions<double>& options) {
  return message_of([&] {
    const OneBody<double> body = good_body();
    const BodySystem<double> system(formulation<double>("euler-body"), body);
    std::vector<double> y(system.size());
    system.set_state(good_start(), y);
    integrate<double>(system, *integrator<double>(method).bind(system), options, 0, 1, y);
  });
}

/// A load that is sound until t = 0.31 and then returns `broken`: a NaN or an infinity.
OneBody<double> body_with_broken_law(double broken) {
  OneBody<double> body = good_body();
  body.load.add_moment(
      [broken](const BodyState<double>& s) { return Vec3<double>{0.1, s.t > 0.31 ? broken : 0.2, 0.1}; },
      LawOf::time_and_pose);
  return body;
}

}  // namespace

TEST_CASE("a body that cannot be is refused") {
  CHECK(message_of_body(good_body()).empty());
  OneBody<double> body;
  body.J_B = diagonal(1.0, 2.0, -1.0);
  CHECK(message_of_body(body).starts_with("one body: inertia is not positive definite: J1 = -1 kg m², 1 missing"));
  body.J_B = diagonal(0.0, 2.0, 2.0);
  CHECK(message_of_body(body).starts_with("one body: the smallest principal moment is zero"));
  body.J_B = diagonal(kNaN, 2.0, 2.0);
  CHECK(message_of_body(body) == "one body: inertia is not finite; all entries must be finite numbers");
  body.J_B = diagonal(1.0, 2.0, 2.0);
  body.J_B(0, 1) = 0.5;
  CHECK(message_of_body(body).starts_with("one body: inertia is not symmetric: Jxy = 0.5 but Jyx = 0 kg m²"));
  body.J_B = diagonal(0.1, 0.2, 0.4);
  const std::string impossible = message_of_body(body);
  CHECK(
      impossible.starts_with("one body: no rigid body has these moments: J1 + J2 = 0.3 < J3 = 0.4 kg m², 0.1 missing"));
  CHECK(
      impossible.ends_with("a scenario with any positive moments can be computed with allow_impossible_inertia = "
                           "true (in C++ Physical::allow_any_positive)"));
  body.physical = Physical::allow_any_positive;
  CHECK(message_of_body(body).empty());
  body = good_body();
  for (const double mass : {0.0, -1.0, kNaN, kInfinity}) {
    body.mass = mass;
    CHECK(message_of_body(body) ==
          "mass of a translating body is not a positive number; leave it out for a body that is held");
  }
}

TEST_CASE("loads that are not finite are refused, all at once") {
  OneBody<double> body = good_body();
  body.load.add_force_space({0, 0, -9.81}, {0, 0, kInfinity});
  body.load.add_moment_body({1, 2, 3});
  body.load.add_moment_body({0, kNaN, 0});
  CHECK(message_of_body(body) ==
        "load: point of the force in space components 1 is (0 0 inf); finite numbers; leave it out, or give a law of "
        "time and state\n"
        "load: moment in body components 2 is (0 nan 0); finite numbers; leave it out, or give a law of time and "
        "state");
  OneBody<double> other = good_body();
  other.load.add_force_body({kNaN, 0, 0}, {0, 0, 0});
  other.load.add_moment_space({0, 0, -kInfinity});
  const std::string message = message_of_body(other);
  CHECK(message.find("force in body components 1 is (nan 0 0)") != std::string::npos);
  CHECK(message.find("moment in space components 1 is (0 0 -inf)") != std::string::npos);
}

TEST_CASE("steps and tolerances that make no sense are refused") {
  RunOptions<double> options;
  CHECK(message_of_run("rk4", options) ==
        "neither a step nor a tolerance is given; set step > 0, or a tolerance for an adaptive method");
  options.step = -0.1;
  CHECK(message_of_run("rk4", options) ==
        "step -0.1; positive steps; for a run backwards in time exchange the two times, not the sign of the step");
  options.step = kNaN;
  CHECK(message_of_run("rk4", options).starts_with("step nan; positive steps"));
  options.step = kInfinity;
  CHECK(message_of_run("rk4", options).starts_with("step inf; positive steps"));
  options.step = 0;
  options.relative_tolerance = 1e-17;
  CHECK(message_of_run("dop853", options) ==
        "tolerance 1e-17 is below the rounding of these numbers; relative tolerance at least 8.88178e-16; try 1e-12");
  options.relative_tolerance = kNaN;
  CHECK(message_of_run("dop853", options).starts_with("tolerances nan (relative) and 0 (absolute); numbers"));
  options.relative_tolerance = 1e-9;
  CHECK(message_of_run("rk4", options) ==
        "integrator 'rk4' has no error estimate; give it a step, or try 'dop853' with tolerances");
  CHECK(message_of_run("dop853", options).empty());
}

TEST_CASE("a start at the singularity of a chart is refused, and the best chart of the family is named") {
  BodyState<double> start = good_start();
  start.e_NB = exp(Vec3<double>{0, 0.5 * math::kPi<double>, 0});
  CHECK(message_of_start("s1:3-2-1", start) ==
        "formulation 's1:3-2-1' cannot start here: the attitude is at its singularity (middle angle +-90 deg); try "
        "'s1:1-2-1', or Euler parameters, which have none: 'euler-body'");
  CHECK(message_of_start("euler-body", start).empty());
  CHECK(message_of_start("s1:1-2-1", start).empty());
  // at the identity every proper sequence is locked, at half a turn the reduced parameters are
  start.e_NB = EulerParameters<double>::identity();
  CHECK(message_of_start("a1:3-1-3", start).find("(middle angle 0 and 180 deg)") != std::string::npos);
  CHECK(message_of_start("a2:3-1-3:last-first", start).find("cannot start here") != std::string::npos);
  CHECK(message_of_start("a3:reduced", start).empty());
  start.e_NB = {0, {1, 0, 0}};
  CHECK(message_of_start("a3:reduced", start).find("(a rotation of 180 deg)") != std::string::npos);
  // a thousandth of a radian away is a start
  start.e_NB = exp(Vec3<double>{0, 0.5 * math::kPi<double> - 1e-3, 0});
  CHECK(message_of_start("s1:3-2-1", start).empty());
}

TEST_CASE("the cure that is named for a singular start works, for every form and every attitude of quarter turns") {
  int refused = 0;
  for (const auto& form : formulations<double>()) {
    for (const EulerParameters<double>& about_x :
         {EulerParameters<double>{1, {0, 0, 0}}, {0, {1, 0, 0}}, exp(Vec3<double>{0.5 * math::kPi<double>, 0, 0})}) {
      for (const EulerParameters<double>& about_y :
           {EulerParameters<double>{1, {0, 0, 0}}, {0, {0, 1, 0}}, exp(Vec3<double>{0, 0.5 * math::kPi<double>, 0})}) {
        BodyState<double> start = good_start();
        start.e_NB = about_x * about_y;
        const std::string& name = form->description().name;
        CAPTURE(name);
        const std::string message = message_of_start(name, start);
        if (message.empty()) { continue; }
        ++refused;
        const std::size_t begin = message.find("try '") + 5;
        const std::string cure = message.substr(begin, message.find('\'', begin) - begin);
        CHECK(message_of_start(cure, start).empty());
      }
    }
  }
  CHECK(refused > 40);
}

TEST_CASE("an initial state that is not finite is refused") {
  BodyState<double> start = good_start();
  start.w_B.y = kNaN;
  CHECK(message_of_start("f5", start) ==
        "initial state: attitude (0.5; (0.5 -0.1 0.7)), body rate (0.3 nan -0.4) rad/s; finite numbers");
  CHECK(message_of_start("s1:3-2-1", start).starts_with("initial state: "));
  // past set_state, the run looks too, and names the entry
  const OneBody<double> body = good_body();
  const BodySystem<double> system(formulation<double>("momentum-space"), body);
  std::vector<double> y(system.size());
  system.set_state(good_start(), y);
  y[6] = kInfinity;
  RunOptions<double> options;
  options.step = 0.1;
  CHECK(message_of([&] { integrate<double>(system, *integrator<double>("rk4").bind(system), options, 0, 1, y); }) ==
        "initial state: h_N.z is inf; finite numbers");
}

TEST_CASE("an integrator that needs what a formulation lacks is refused, whatever the pair, and the cure works") {
  const OneBody<double> body = good_body();
  int refused = 0;
  for (const auto& form : formulations<double>()) {
    const BodySystem<double> system(*form, body);
    for (const auto& method : integrators<double>()) {
      const std::string message = message_of([&] { method->bind(system); });
      if (message.empty()) { continue; }
      ++refused;
      CAPTURE(message);
      CHECK(message.find("integrator '" + method->description().name + "' needs ") == 0);
      CHECK(message.find("(formulation '" + form->description().name + "')") != std::string::npos);
      CHECK(message.find(") does not offer: only ") != std::string::npos);
      CHECK(message.ends_with(method->description().adaptive ? "try 'dop853'" : "try 'gauss4'"));
    }
    CHECK(integrator<double>("gauss4").bind(system) != nullptr);
    CHECK(integrator<double>("dop853").bind(system) != nullptr);
  }
  CHECK(refused > 100);
}

TEST_CASE("what is in the way of an integrator is told: a body that travels, a load, an inertia that changes") {
  const auto refusal = [](const OneBody<double>& body, const char* method, const char* form) {
    const BodySystem<double> system(formulation<double>(form), body);
    return message_of([&] { integrator<double>(method).bind(system); });
  };
  OneBody<double> travelling = good_body();
  travelling.mass = 2;
  CHECK(refusal(travelling, "dmv", "euler-body").find("does not offer: the body travels; try") != std::string::npos);
  CHECK(refusal(travelling, "rattle", "canonical").find(": the body travels; try") != std::string::npos);
  OneBody<double> damped = good_body();
  damped.load.add_moment([](const BodyState<double>& s) { return -0.1 * s.w_B; });
  CHECK(refusal(damped, "splitting2", "euler-body").find(": a load looks at rates; try") != std::string::npos);
  CHECK(refusal(damped, "taylor", "euler-body").find(": a law of the load is code, which has no series; try") !=
        std::string::npos);
  OneBody<double> changing = good_body();
  changing.inertia_law = [J = changing.J_B](const double& t) { return inertia_now((1 + 0.1 * t) * J, 0.1 * J); };
  CHECK(refusal(changing, "splitting2", "momentum-body").find(": the inertia changes with time; try") !=
        std::string::npos);
  CHECK(refusal(good_body(), "generalised-alpha-index3", "euler-body").find(": only mechanisms do; try") !=
        std::string::npos);
}

TEST_CASE("an inertia law that is no inertia is refused at the start, and named where a run meets it") {
  OneBody<double> body = good_body();
  const Mat3<double> J_B = body.J_B;
  std::vector<double> y(7);
  const auto at_start = [&](const Mat3<double>& J) {
    body.inertia_law = [J](const double&) { return inertia_now(J); };
    const BodySystem<double> system(formulation<double>("euler-body"), body);
    return message_of([&] { system.set_state(good_start(), y); });
  };
  CHECK(at_start(J_B).empty());
  CHECK(at_start(kNaN * J_B) == "inertia law at t = 0: inertia is not finite; all entries must be finite numbers");
  CHECK(at_start(-1.0 * J_B).starts_with("inertia law at t = 0: inertia is not positive definite"));
  CHECK(at_start(diagonal(1.0, 1.0, 3.0)).starts_with("inertia law at t = 0: no rigid body has these moments"));
  body.physical = Physical::allow_any_positive;
  CHECK(at_start(diagonal(1.0, 1.0, 3.0)).empty());
  body.physical = Physical::require;

  const auto in_run = [&](const auto& law) {
    body.inertia_law = law;
    const BodySystem<double> system(formulation<double>("euler-body"), body);
    system.set_state(good_start(), y);
    RunOptions<double> options;
    options.relative_tolerance = options.absolute_tolerance = 1e-9;
    const RunResult<double> result =
        integrate<double>(system, *integrator<double>("dop853").bind(system), options, 0, 2, y);
    CHECK(result.status == RunStatus::not_finite);
    return result.message;
  };
  CHECK(in_run([J_B](const double& t) {
          return inertia_now((t < 1 ? 1.0 : kNaN) * J_B);
        }).find("; the inertia law is not finite: row 1 of J_B = (nan nan nan), of its rate (0 0 0) at t = 1") !=
        std::string::npos);
  CHECK(in_run([J_B](const double& t) {
          return inertia_now((t < 1 ? 1.0 : 0.0) * J_B);
        }).find("; the inertia law is not positive definite: principal moments (0 0 0) kg m² at t = 1") !=
        std::string::npos);
}

TEST_CASE("a run that meets a NaN stops with the time and the quantity by name") {
  for (const double broken : {kNaN, kInfinity}) {
    const OneBody<double> body = body_with_broken_law(broken);
    for (const auto& method : integrators<double>()) {
      const MethodDescription& description = method->description();
      const bool canonical = !description.needs.empty() && description.needs.front() == "constrained Hamiltonian";
      const BodySystem<double> system(formulation<double>(canonical ? "canonical" : "euler-body"), body);
      if (!message_of([&] { method->bind(system); }).empty()) { continue; }
      CAPTURE(description.name);
      std::vector<double> y(system.size());
      system.set_state(good_start(), y);
      RunOptions<double> options;
      options.step = 0.04;
      RunResult<double> result = integrate<double>(system, *method->bind(system), options, 0, 1, y);
      CAPTURE(result.message);
      CHECK(result.status == RunStatus::not_finite);
      CHECK(result.t > 0.24);
      CHECK(result.t < 0.33);
      // J'⁻¹ spreads it over all three rates, the first is named; the load is where it came from
      const std::string text = std::string(canonical ? "pi0" : "w_B.x") +
                               " is no longer finite; the loads are not finite: tau_B = (0.1 " +
                               (std::isnan(broken) ? "nan" : "inf") + " 0.1) at t = ";
      // a method that looks at the start of its steps or their middle only gets one step further
      const bool names_all = result.message == "in the step from t = 0.28 " + text + "0.31" ||
                             result.message == "in the step from t = 0.32 " + text + "0.32";
      CHECK(names_all);
      for (const double entry : y) { CHECK(std::isfinite(entry)); }
      if (!description.adaptive) { continue; }
      options.step = 0;
      options.relative_tolerance = 1e-9;
      options.absolute_tolerance = 1e-9;
      system.set_state(good_start(), y);
      result = integrate<double>(system, *method->bind(system), options, 0, 1, y);
      CHECK(result.status == RunStatus::not_finite);
      CHECK(std::fabs(result.t - 0.31) < 1e-3);
      CHECK(result.message.find("in the step from t = 0.31 w_B.x") == 0);
      CHECK(result.message.find("tau_B = (0.1 ") != std::string::npos);
    }
  }
}

TEST_CASE("every form names all entries of its state") {
  OneBody<double> body = good_body();
  body.mass = 2;
  for (const auto& form : formulations<double>()) {
    const BodySystem<double> system(*form, body);
    CAPTURE(system.name());
    std::set<std::string> names;
    for (std::size_t i = 0; i < system.size(); ++i) { names.insert(system.entry_name(i)); }
    CHECK(names.size() == system.size());
    CHECK(names.contains("r_N.x"));
    CHECK(names.contains("v_N.z"));
  }
  const auto name_of = [&](const char* form, std::size_t i) {
    return BodySystem<double>(formulation<double>(form), body).entry_name(i);
  };
  CHECK(name_of("euler-body", 0) == "e0");
  CHECK(name_of("euler-body", 5) == "w_B.y");
  CHECK(name_of("euler-space", 6) == "w_N.z");
  CHECK(name_of("momentum-body", 4) == "h_B.x");
  CHECK(name_of("canonical", 7) == "pi3");
  CHECK(name_of("f5", 4) == "e0.");
  CHECK(name_of("s1:3-2-1", 1) == "x2");
  CHECK(name_of("s1:3-2-1", 3) == "w_B.x");
  CHECK(name_of("a1:3-2-1", 5) == "x3.");
  CHECK(name_of("a1:3-2-1", 6) == "reference e0");
}
