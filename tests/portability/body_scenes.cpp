#include "polhode/force/gravity_gradient_torque.h"
#include "polhode/formulation/body_system.h"
#include "polhode/formulation/schemes.h"
#include "polhode/integrator/driver.h"
#include "polhode/integrator/generalised_alpha.h"
#include "polhode/math/elementary.h"
#include "scenes.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace polhode::portability {
namespace {

// ---- bodies ------------------------------------------------------------------------------------

OneBody<double> free_body() {
  OneBody<double> body;
  body.J_B = diagonal(1.0, 2.0, 2.7);
  return body;
}
OneBody<double> free_full_body() {
  OneBody<double> body;
  body.J_B = {{{2.0, 0.1, -0.2}, {0.1, 2.5, 0.3}, {-0.2, 0.3, 3.0}}};
  return body;
}
/// Held at a point, weight at c_B: a top without symmetry.
OneBody<double> top() {
  OneBody<double> body;
  body.J_B = diagonal(1.0, 1.5, 0.6);
  body.load.add_gravity(1.0, {0, 0, -2}, {0.1, 0, 0.5});
  return body;
}
/// Every kind of constant load.
OneBody<double> pushed_body() {
  OneBody<double> body = free_full_body();
  body.load.add_force_space({0.3, -0.2, -0.9}, {0.1, 0.2, 0.4});
  body.load.add_force_body({0.5, 0.1, 0.3}, {-0.3, 0.2, 0.1});
  body.load.add_moment_body({0.2, -0.1, 0.3});
  body.load.add_moment_space({-0.3, 0.4, 0.2});
  return body;
}
/// And a law of time and pose.
OneBody<double> driven_body() {
  OneBody<double> body = pushed_body();
  body.load.add_moment(
      [](const BodyState<double>& s) {
        return Vec3<double>{0.5 * math::sin(2 * s.t), s.e_NB.e0, 0.3 * math::cos(3 * s.t)};
      },
      LawOf::time_and_pose);
  return body;
}

BodyState<double> start() {
  BodyState<double> state;
  state.e_NB = {0.5, {0.5, -0.1, 0.7}};
  state.w_B = {0.3, 1, -0.4};
  state.r_N = {1, -2, 3};
  state.v_N = {0.1, 0.2, -0.3};
  return state;
}

const char* form_for(const MethodDescription& method) {
  return !method.needs.empty() && method.needs.front() == "constrained Hamiltonian" ? "canonical" : "euler-body";
}

// ---- runs --------------------------------------------------------------------------------------

void must(bool good, const std::string& what) {
  if (good) { return; }
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

RunOptions<double> steps_of(double step) {
  RunOptions<double> options;
  options.step = step;
  return options;
}
RunOptions<double> tolerance_of(double relative) {
  RunOptions<double> options;
  options.relative_tolerance = relative;
  options.absolute_tolerance = relative;
  return options;
}

/// The final state, what was shown on the way, and the events.
void run(Hash& hash, const std::string& form, const Integrator<double>& method, const OneBody<double>& body,
         const RunOptions<double>& options, double t0, double t1) {
  const BodySystem<double> system(formulation<double>(form), body);
  BodyState<double> state = start();
  state.t = t0;
  std::vector<double> y(system.size());
  system.set_state(state, y);
  Observer<double> observer;
  if (!options.output_times.empty()) {
    observer.output = [&](const double& t, std::span<const double> at) {
      hash << t << at;
      return true;
    };
  }
  const auto stepper = method.bind(system);
  const RunResult<double> result = integrate<double>(system, *stepper, options, t0, t1, y, observer);
  must(result.status == RunStatus::done || result.status == RunStatus::stopped_by_event, form + ": " + result.message);
  must(options.events.empty() || !result.events.empty(), form + ": no event");
  for (const EventHit<double>& hit : result.events) { hash << hit.t << std::span<const double>(hit.y); }
  hash << result.t << std::span<const double>(y);
}
void run(Hash& hash, const std::string& form, const std::string& method, const OneBody<double>& body,
         const RunOptions<double>& options, double t0 = 0, double t1 = 4) {
  run(hash, form, integrator<double>(method), body, options, t0, t1);
}

std::vector<double> times(double step, int count) {
  std::vector<double> list;
  for (int k = 0; k <= count; ++k) { list.push_back(step * k); }
  return list;
}
/// The first number of the state, e0 or an angle, passes zero.
Event<double> passes_zero(bool terminal) {
  return {"zero", [](const double&, std::span<const double> y) { return y[0]; }, 0, terminal};
}

/// A pushed body of tiny or huge inertia, which moves alike.
OneBody<double> scaled_body(double scale) {
  OneBody<double> body;
  body.J_B = scale * free_full_body().J_B;
  body.load.add_moment_body(scale * Vec3<double>{0.2, -0.1, 0.3});
  return body;
}

// ---- scenes ------------------------------------------------------------------------------------

/// Every form under every kind of load, by rk4; charts are switched on the way.
void add_forms(std::vector<Scene>& scenes) {
  for (const auto& form : formulations<double>()) {
    const FormDescription& description = form->description();
    if (!description.portable) { continue; }
    scenes.push_back({"form/" + description.name, [name = description.name](Hash& hash) {
                        OneBody<double> body = driven_body();
                        body.least_chart_distance = 0.4;
                        run(hash, name, "rk4", body, steps_of(0.03));
                      }});
  }
}

/// Every method: a top and a free body by steps, a pushed body by tolerance with dense output and events.
void add_methods(std::vector<Scene>& scenes) {
  for (const auto& method : integrators<double>()) {
    const MethodDescription& description = method->description();
    if (!description.portable) { continue; }
    const std::string form = form_for(description);
    scenes.push_back({"top/" + description.name,
                      [&method = *method, form](Hash& hash) { run(hash, form, method, top(), steps_of(0.02), 0, 4); }});
    scenes.push_back({"free/" + description.name, [&method = *method, form](Hash& hash) {
                        run(hash, form, method, free_body(), steps_of(0.03), 0, 4);
                      }});
    scenes.push_back({"full/" + description.name, [&method = *method, form](Hash& hash) {
                        run(hash, form, method, free_full_body(), steps_of(0.03), 0, 4);
                      }});
    if (!description.adaptive) { continue; }
    scenes.push_back({"tolerance/" + description.name, [&method = *method, form](Hash& hash) {
                        RunOptions<double> options = tolerance_of(1e-10);
                        options.output_times = times(0.11, 50);
                        options.events = {passes_zero(false)};
                        run(hash, form, method, pushed_body(), options, 0, 6);
                      }});
  }
}

/// What the lists above do not reach.
void add_particular(std::vector<Scene>& scenes) {
  const auto add = [&](std::string name, std::function<void(Hash&)> what) {
    scenes.push_back({std::move(name), std::move(what)});
  };
  add("law_of_time/splitting4", [](Hash& h) { run(h, "momentum-body", "splitting4", driven_body(), steps_of(0.05)); });
  add("law_of_time/gauss6", [](Hash& h) { run(h, "f5", "gauss6", driven_body(), steps_of(0.1)); });
  add("law_of_time/dop853", [](Hash& h) { run(h, "euler-body", "dop853", driven_body(), tolerance_of(1e-12), 1, -5); });
  add("momentum-space/rkmk4", [](Hash& h) { run(h, "momentum-space", "rkmk4", pushed_body(), steps_of(0.05)); });
  add("momentum-space/cf4", [](Hash& h) { run(h, "momentum-space", "cf4", driven_body(), steps_of(0.05)); });
  add("canonical/rattle_forced", [](Hash& h) { run(h, "canonical", "rattle", driven_body(), steps_of(0.05)); });
  add("damped/extrapolation", [](Hash& h) {
    OneBody<double> body = driven_body();
    body.load.add_moment([](const BodyState<double>& s) { return (-0.2 * norm(s.w_B)) * s.w_B; });
    run(h, "f3", "extrapolation", body, tolerance_of(1e-11));
  });
  add("translating/dopri5", [](Hash& h) {
    OneBody<double> body = driven_body();
    body.mass = 1.7;
    run(h, "f7", "dopri5", body, tolerance_of(1e-9));
  });
  // long steps, where the last bit of every coefficient counts
  add("long_steps/taylor", [](Hash& h) { run(h, "euler-body", "taylor", free_body(), tolerance_of(1e-10), 0, 50); });
  add("translating/taylor", [](Hash& h) {
    OneBody<double> body = pushed_body();
    body.mass = 1.7;
    run(h, "euler-body", "taylor", body, tolerance_of(1e-13));
  });
  add("gravity_gradient/taylor", [](Hash& h) {
    OneBody<double> body = pushed_body();
    body.load.add_moment(GravityGradient<double>::circular_orbit(body.J_B, 0.8, {1, 0, 0}, {0, 0, 1}),
                         LawOf::time_and_pose);
    run(h, "euler-body", "taylor", body, tolerance_of(1e-12), 0, 20);
  });
  add("orbit/taylor", [](Hash& h) {
    OneBody<double> body = top();
    body.load.add_moment(GravityGradient<double>::circular_orbit(body.J_B, 0.8, {1, 0, 0}, {0, 0, 1}),
                         LawOf::time_and_pose);
    run(h, "euler-body", "taylor", body, tolerance_of(1e-12), 0, 20);
  });
  add("law_of_time/taylor", [](Hash& h) {
    OneBody<double> body = pushed_body();
    body.add_moment_law("drag and wind", [](const auto& s) {
      using S = std::remove_cvref_t<decltype(s.t)>;
      return (S(-0.2) * norm(s.w_B)) * s.w_B + Vec3<S>{math::sin(S(2) * s.t), math::exp(-s.t) / s.e_NB.e0, S(0.5)};
    });
    run(h, "euler-body", "taylor", body, tolerance_of(1e-12), 0, 1);
  });
  add("translating/splitting6", [](Hash& h) {
    OneBody<double> body = pushed_body();
    body.mass = 1.7;
    run(h, "euler-body", "splitting6", body, steps_of(0.1));
  });
  add("inertia_of_time/dop853", [](Hash& h) {
    OneBody<double> body = driven_body();
    body.inertia_law = [](const double& t) {
      const double s = math::sin(t);
      const double c = math::cos(t);
      return inertia_now(diagonal(2 + 0.3 * s, 2.5 + 0.2 * c, 3.0), diagonal(0.3 * c, -0.2 * s, 0.0));
    };
    run(h, "momentum-body", "dop853", body, tolerance_of(1e-11));
  });
  add("projection/rk4", [](Hash& h) {
    RunOptions<double> options = steps_of(0.1);
    options.projection = ProjectionUse::every_step;
    run(h, "f1", "rk4", driven_body(), options);
  });
  add("charts/dop853", [](Hash& h) {
    OneBody<double> body = free_body();
    body.least_chart_distance = 0.5;
    run(h, "a2:3-1-3", "dop853", body, tolerance_of(1e-11), 0, 30);
  });
  add("events/gauss6", [](Hash& h) {
    RunOptions<double> options = steps_of(0.05);
    options.output_times = times(0.07, 20);
    options.events = {passes_zero(true)};
    run(h, "euler-body", "gauss6", free_body(), options, 0, 30);
  });
  add("damping/generalised-alpha", [](Hash& h) {
    const auto method = generalised_alpha<double>(0.4);
    run(h, "euler-body", *method, top(), steps_of(0.05), 0, 4);
  });
  add("long/splitting2", [](Hash& h) { run(h, "euler-body", "splitting2", top(), steps_of(0.01), 0, 200); });
  for (const auto& [name, scale] : {std::pair<const char*, double>{"tiny", 1e-18}, {"huge", 1e18}}) {
    add(std::string(name) + "/dop853", [size = scale](Hash& h) {
      RunOptions<double> options = tolerance_of(1e-10);
      run(h, "euler-body", "dop853", scaled_body(size), options);
    });
    add(std::string(name) + "/f2", [size = scale](Hash& h) { run(h, "f2", "rk4", scaled_body(size), steps_of(0.05)); });
  }
}

/// The update schemes of game engines, explicit and implicit.
void add_schemes(std::vector<Scene>& scenes) {
  for (const Scheme& scheme : kSchemes) {
    for (const SchemeIndex index : {SchemeIndex::lagged, SchemeIndex::implicit}) {
      const std::string name =
          "scheme/" + std::string(scheme.name) + (index == SchemeIndex::lagged ? "/lagged" : "/implicit");
      scenes.push_back({name, [&scheme, index, name](Hash& hash) {
                          const Mat3<double> J_B = free_full_body().J_B;
                          const Mat3<double> J_inverse_B = inverse(J_B);
                          const Vec3<double> h_B = J_B * start().w_B;
                          SchemeState<double> state;
                          state.e_NB = normalized(start().e_NB);
                          state.L = scheme.world ? rotate(state.e_NB, h_B) : h_B;
                          for (int n = 0; n < 200; ++n) {
                            must(scheme_step(scheme, index, J_inverse_B, {0.1, 0.2, -0.1}, 0.01, state), name);
                            scheme_translate(1.7, {0, 0, -9.81}, 0.01, state);
                          }
                          hash << state.e_NB << state.L << state.r_N << state.p_N;
                        }});
    }
  }
}

}  // namespace

void add_body_scenes(std::vector<Scene>& scenes) {
  add_forms(scenes);
  add_methods(scenes);
  add_particular(scenes);
  add_schemes(scenes);
}

}  // namespace polhode::portability
