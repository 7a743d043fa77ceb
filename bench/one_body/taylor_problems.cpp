// Least CPU time of the Taylor method for an attitude that is right to 1e-9 rad at the end: a free body from two
// starts, two heavy tops, a satellite under gravity gradient. The reference is the same method in long double at its
// rounding unit; heyoka_peer.py checks it against one that shares nothing with it.
#include "one_body/taylor_problems.h"

#include "one_body/clock.h"
#include "polhode/formulation/body_system.h"
#include "polhode/integrator/driver.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

namespace polhode::bench {
namespace {

constexpr double kGoal = 1e-9;  // rad

struct Problem {
  std::string name;
  Vec3<double> moments;
  EulerParameters<double> e_NB;
  Vec3<double> w_B;
  double end;         // s
  double weight = 0;  // m g l, at z of the body
  double orbit = 0;   // rad/s
};

const std::vector<Problem>& problems() {
  static const EulerParameters<double> kUpright{1, {0, 0, 0}};
  static const EulerParameters<double> kLeaning{0.9396926207859084, {0.3420201433256687, 0, 0}};  // 40 degrees
  // 20 degrees off the vertical, as in examples/gravity-gradient.toml
  static const EulerParameters<double> kSwinging{0.5792279653395692,
                                                 {0.5792279653395692, 0.4055797876726389, 0.4055797876726389}};
  static const std::vector<Problem> kAll{
      {"free body, (0.01, 5, 0.01) rad/s", {1, 2, 3}, kUpright, {0.01, 5, 0.01}, 100},
      {"free body, (1, 2, 3) rad/s", {1, 2, 3}, kUpright, {1, 2, 3}, 100},
      {"Lagrange top", {1, 1, 0.5}, kLeaning, {0, 0, 12}, 100, 4.905},
      {"asymmetric heavy top", {1, 1.25, 0.5}, kLeaning, {0, 0, 12}, 20, 4.905},
      {"gravity gradient", {90, 100, 12}, kSwinging, {3.5e-5, 9.8e-4, 3.9e-5}, 65536, 0, 1.0 / 1024},
  };
  return kAll;
}

template <class S>
OneBody<S> body_of(const Problem& problem) {
  OneBody<S> body;
  body.J_B = diagonal(S(problem.moments.x), S(problem.moments.y), S(problem.moments.z));
  if (problem.weight > 0) { body.load.add_force_space({S(0), S(0), S(-1)}, {S(0), S(0), S(problem.weight)}); }
  if (problem.orbit > 0) {
    body.load.add_moment(
        GravityGradient<S>::circular_orbit(body.J_B, S(problem.orbit), {S(1), S(0), S(0)}, {S(0), S(0), S(1)}),
        LawOf::time_and_pose);
  }
  return body;
}

template <class S>
std::vector<S> start_of(const Problem& problem) {
  const EulerParameters<double>& e = problem.e_NB;
  const Vec3<double>& w = problem.w_B;
  return {S(e.e0), S(e.ev.x), S(e.ev.y), S(e.ev.z), S(w.x), S(w.y), S(w.z)};
}

/// Angle of the turn from one attitude to the other [rad], both of any length.
double angle_between(const std::vector<long double>& a, const std::vector<double>& y) {
  const EulerParameters<long double> from{a[0], {a[1], a[2], a[3]}};
  const EulerParameters<long double> to{y[0], {y[1], y[2], y[3]}};
  const EulerParameters<long double> d = conjugate(from) * to;
  return static_cast<double>(2 * std::atan2(norm(d.ev), std::fabs(d.e0)));
}

std::vector<long double> reference_of(const Problem& problem) {
  const OneBody<long double> body = body_of<long double>(problem);
  const BodySystem<long double> system(formulation<long double>("euler-body"), body);
  const auto stepper = integrator<long double>("taylor").bind(system);
  RunOptions<long double> options;
  options.relative_tolerance = 1e-18L;
  options.absolute_tolerance = 1e-18L;
  std::vector<long double> y = start_of<long double>(problem);
  integrate<long double>(system, *stepper, options, 0, static_cast<long double>(problem.end), y);
  return y;
}

}  // namespace

int taylor_problems() {
  fmt::print("[");
  for (const Problem& problem : problems()) {
    const std::vector<long double> reference = reference_of(problem);
    const OneBody<double> body = body_of<double>(problem);
    const BodySystem<double> system(formulation<double>("euler-body"), body);
    const auto stepper = integrator<double>("taylor").bind(system);
    const std::vector<double> start = start_of<double>(problem);
    double least = 0;
    double best_tolerance = 0;
    double best_error = 0;
    std::size_t steps = 0;
    for (int n = 12; n <= 30; ++n) {  // halves of a power of ten
      RunOptions<double> options;
      options.relative_tolerance = std::pow(10.0, -0.5 * n);
      options.absolute_tolerance = options.relative_tolerance;
      std::vector<double> y;
      std::size_t taken = 0;
      const auto run = [&] {
        y = start;
        taken = integrate<double>(system, *stepper, options, 0, problem.end, y).statistics.steps;
      };
      run();
      const double error = angle_between(reference, y);
      if (!(error < kGoal)) { continue; }
      const double seconds = quick_cpu_seconds(run);
      if (least > 0 && seconds > least) { continue; }
      least = seconds;
      best_tolerance = options.relative_tolerance;
      best_error = error;
      steps = taken;
    }
    fmt::print("{}\n {{\"name\": \"{}\", \"moments\": [{}, {}, {}], \"start\": [{:.17g}",
               &problem == &problems()[0] ? "" : ",", problem.name, problem.moments.x, problem.moments.y,
               problem.moments.z, start[0]);
    for (std::size_t i = 1; i < 7; ++i) { fmt::print(", {:.17g}", start[i]); }
    fmt::print(
        "], \"end\": {}, \"weight\": {}, \"orbit\": {:.17g}, \"reference\": [{:.20Lg}, {:.20Lg}, {:.20Lg}, {:.20Lg}], ",
        problem.end, problem.weight, problem.orbit, reference[0], reference[1], reference[2], reference[3]);
    fmt::print("\"seconds\": {:.6g}, \"tolerance\": {:.3g}, \"error\": {:.3g}, \"steps\": {}}}", least, best_tolerance,
               best_error, steps);
  }
  fmt::print("\n]\n");
  return 0;
}

}  // namespace polhode::bench
