// Stepping with floating-point traps on: nothing divides by zero, overflows or makes a NaN on its way.
#include "integrator/free_body.h"
#include "polhode/force/gravity_gradient_torque.h"
#include "support/traps.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>

using namespace polhode;

namespace {

/// Units of length, mass and time, as factors of metre, kilogram and second.
struct Units {
  const char* name;
  double length;
  double mass;
  double time;
};
constexpr Units kSi{"SI", 1, 1, 1};
constexpr Units kAllUnits[] = {
    kSi, {"tiny", 1e-9, 1e-9, 1e-9}, {"huge", 1e9, 1e9, 1e9}, {"short times", 1, 1, 1e-9}, {"long times", 1, 1, 1e9}};

struct Start {
  std::string name;
  OneBody<double> body;
  BodyState<double> state;
  double orbit_rate = 0;  ///< under a gravity gradient, if not zero
};

/// The same start with its numbers in other units: x in SI is x · length, and so on.
Start in_units(Start start, const Units& u) {
  const double inertia = u.mass * u.length * u.length;
  const double force = u.mass * u.length / (u.time * u.time);
  start.body.J_B = inertia * start.body.J_B;
  for (PointForce<double>& p : start.body.load.forces_space) { p = {force * p.f_N, u.length * p.u_B}; }
  for (Vec3<double>& m_B : start.body.load.moments_body) { m_B = (force * u.length) * m_B; }
  for (auto& law : start.body.load.moment_laws) {
    law = [in_si = law, u, moment = force * u.length](const BodyState<double>& s) {
      return moment * in_si({s.t / u.time, s.r_N / u.length, (u.time / u.length) * s.v_N, s.e_NB, u.time * s.w_B});
    };
  }
  if (start.orbit_rate > 0) {
    start.body.load.add_moment(
        GravityGradient<double>::circular_orbit(start.body.J_B, start.orbit_rate / u.time, {1, 0, 0}, {0, 0, 1}),
        LawOf::time_and_pose);
  }
  if (start.body.mass) { *start.body.mass *= u.mass; }
  start.state.w_B = start.state.w_B / u.time;
  start.state.r_N = u.length * start.state.r_N;
  start.state.v_N = (u.length / u.time) * start.state.v_N;
  start.name += std::string(", ") + u.name;
  return start;
}

std::vector<Start> starts() {
  std::vector<Start> list;
  const BodyState<double> moving = test::start_state<double>();
  BodyState<double> resting = moving;
  resting.w_B = {0, 0, 0};
  BodyState<double> about_axis = moving;
  about_axis.w_B = {0, 1, 0};
  list.push_back({"free, in motion", test::free_asymmetric_body<double>(), moving});
  list.push_back({"free, at rest", test::free_asymmetric_body<double>(), resting});
  list.push_back({"free, about the middle axis", test::free_asymmetric_body<double>(), about_axis});
  OneBody<double> ball;
  ball.J_B = diagonal(2.0, 2.0, 2.0);
  list.push_back({"free ball", ball, moving});
  list.push_back({"top, in motion", test::heavy_top<double>(), moving});
  list.push_back({"top, let go", test::heavy_top<double>(), resting});
  OneBody<double> hanging = test::heavy_top<double>();
  hanging.load.forces_space.front().u_B = {0, 0, -0.5};
  BodyState<double> upright = resting;
  upright.e_NB = EulerParameters<double>::identity();
  list.push_back({"hanging at rest", hanging, upright});
  OneBody<double> pushed = test::heavy_top<double>();
  pushed.load.add_moment_body({0.1, 0, -0.2});
  list.push_back({"pushed", pushed, moving});
  BodyState<double> flying = moving;
  flying.r_N = {1, -2, 3};
  flying.v_N = {0.1, 0.2, -0.3};
  OneBody<double> thrown = pushed;
  thrown.mass = 1.7;
  list.push_back({"pushed and translating", thrown, flying});
  flying = resting;
  list.push_back({"translating, from rest at the origin", thrown, flying});
  OneBody<double> driven = pushed;
  driven.load.add_moment([](const BodyState<double>& s) { return Vec3<double>{math::sin(2 * s.t), s.e_NB.e0, 0.3}; },
                         LawOf::time_and_pose);
  list.push_back({"under a law of time and pose", driven, moving});
  list.push_back({"under a gravity gradient", test::free_asymmetric_body<double>(), moving, 0.8});
  OneBody<double> damped = pushed;
  damped.load.add_moment([](const BodyState<double>& s) { return (-0.2 * norm(s.w_B)) * s.w_B; });
  list.push_back({"damped", damped, resting});
  return list;
}

bool can_run(const Integrator<double>& method, const Start& start) {
  const BodySystem<double> system(formulation<double>(test::form_for(method.description().name)), start.body);
  const std::vector<std::string>& needs = method.description().needs;
  return std::all_of(needs.begin(), needs.end(), [&](const std::string& need) { return offers<double>(system, need); });
}

/// Steps, then tolerances where the method knows them, with dense output and an event.
void run(const std::string& form, const Integrator<double>& method, const Start& start, double turn, double step,
         bool by_tolerance = true, bool may_end = false) {
  const BodySystem<double> system(formulation<double>(form), start.body);
  std::vector<double> y(system.size());
  system.set_state(start.state, y);
  const auto stepper = method.bind(system);
  const std::string scene = method.description().name + ", " + form + ", " + start.name;
  CAPTURE(scene);
  const auto trapped = [&](const RunOptions<double>& options) {
    const test::Traps traps(scene);
    const RunStatus status = integrate<double>(system, *stepper, options, 0, turn, y).status;
    const bool clean = traps.clean();
    return std::pair(status, clean);
  };
  RunOptions<double> options;
  for (int k = 0; k < 5; ++k) { options.output_times.push_back(0.19 * k * turn); }
  options.events = {{"e0", [](const double&, std::span<const double> at) { return at[0]; }, 0, false}};
  if (step > 0) {
    options.step = step;
    const auto [status, clean] = trapped(options);
    CHECK(status == RunStatus::done);
    CHECK(clean);
  }
  if (method.description().adaptive && by_tolerance) {
    options.step = 0;
    options.relative_tolerance = 1e-9;
    options.absolute_tolerance = turn > 1 ? 1e-12 : 1e-9;
    options.most_steps = 10000;
    const auto [status, clean] = trapped(options);
    // Rodrigues parameters on the way to infinity take ever shorter steps: the count of steps may end them, too
    const bool ended =
        status == RunStatus::not_finite || status == RunStatus::step_too_small || status == RunStatus::too_many_steps;
    CHECK((status == RunStatus::done || (may_end && ended)));
    CHECK(clean);
  }
}

}  // namespace

TEST_CASE("no method divides by zero, overflows or makes a NaN on its way, at rest or in motion, in any units") {
  for (const auto& method : integrators<double>()) {
    if (!method->description().portable) { continue; }  // another library's arithmetic
    for (const Start& start : starts()) {
      for (const Units& units : kAllUnits) {
        if (!can_run(*method, in_units(start, units))) { continue; }
        run(test::form_for(method->description().name), *method, in_units(start, units), 2 * units.time,
            0.05 * units.time);
      }
    }
  }
}

TEST_CASE("no form divides by zero, overflows or makes a NaN on its way, in any units") {
  for (const auto& form : formulations<double>()) {
    for (const Start& start : starts()) {
      // charts are switched before they are singular; a start at lock is another test's business
      for (const Units& units : kAllUnits) {
        Start scaled = in_units(start, units);
        scaled.body.least_chart_distance = 0.3;
        BodyState<double>& state = scaled.state;
        if (!form->description().singularity.empty()) { state.e_NB = {0.5, {0.5, -0.1, 0.7}}; }
        for (const char* method : {"rk4", "dop853", "gauss4"}) {
          // by tolerance in SI only: one absolute tolerance for numbers of 1 and of 1e18 asks for the impossible
          run(form->description().name, integrator<double>(method), scaled, 0.5 * units.time, 0.05 * units.time,
              units.time == 1);
        }
      }
    }
  }
}

TEST_CASE("a form in a chart near its singularity, but not at it, divides by no zero") {
  int near = 0;
  bool reduced_too = false;
  for (const auto& form : formulations<double>()) {
    const std::string& name = form->description().name;
    if (form->description().singularity.empty()) { continue; }
    // reduced parameters end at their singularity: a trial step beyond finds no attitude, and is taken back; Rodrigues
    // parameters are infinite at it. A motion that goes there ends there
    const bool ends = name.ends_with(":reduced") || name.ends_with(":rodrigues");
    const Start start = starts().front();
    const BodySystem<double> system(*form, start.body);
    BodyState<double> state = start.state;
    state.w_B = {0.3, 0.1, -0.4};
    std::vector<double> y(system.size());
    // a quarter and a half turn about each axis are where charts break down; a little less is not
    for (const double angle : {0.5 * math::kPi<double>, math::kPi<double>, 0.0}) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Vec3<double> x{0, 0, 0};
        x[axis] = angle;
        state.e_NB = exp(x) * exp(Vec3<double>{3e-5, -5e-5, 8e-5});
        system.set_state(state, y);
        if (form->chart_condition(std::span<const double>(y).first(form->size())) < 1e3) { continue; }
        ++near;
        run(name, integrator<double>("dop853"), {"near its singularity", start.body, state}, 1e-3, 0, true, ends);
        reduced_too = reduced_too || name.ends_with(":reduced");
      }
    }
  }
  CHECK(near > 30);
  CHECK(reduced_too);
}

TEST_CASE("a trap names the scene and ends the program, and is off afterwards") {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    const test::Traps traps("zero over zero");
    volatile double zero = 0;
    zero = zero / zero;
    _exit(traps.on() ? 0 : 77);
  }
  close(ends[1]);
  std::array<char, 200> text{};
  const ssize_t length = read(ends[0], text.data(), text.size() - 1);
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) != 77) {  // 77: no traps on this system
    CHECK(WEXITSTATUS(status) == 1);
    CHECK(length > 0);
    CHECK(std::string(text.data()) == "floating-point trap in: zero over zero\n");
  }
  { const test::Traps traps("nothing"); }
  volatile double zero = 0;
  const double quotient = 1 / zero;
  CHECK(std::isinf(quotient));
  std::feclearexcept(FE_ALL_EXCEPT);
}
