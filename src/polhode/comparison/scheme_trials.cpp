#include "polhode/comparison/scheme_trials.h"

#include "polhode/formulation/body_system.h"
#include "polhode/formulation/gyro_steps.h"
#include "polhode/formulation/schemes.h"
#include "polhode/integrator/integrator.h"
#include "polhode/motion/free_motion.h"
#include "polhode/step.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace polhode::comparison {
namespace {

constexpr double kOffMiddleAxis = 0.01;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class S>
Vec3<S> to(const Vec3<double>& v) {
  return {static_cast<S>(v.x), static_cast<S>(v.y), static_cast<S>(v.z)};
}
template <class S>
Vec3<double> to_double(const Vec3<S>& v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
template <class S>
EulerParameters<double> to_double(const EulerParameters<S>& e) {
  return {static_cast<double>(e.e0), to_double(e.ev)};
}
template <class S>
MotionState<S> start_of(const FreeSpin& body) {
  const MotionState<double> state = body.start();
  return {EulerParameters<S>::identity(), to<S>(state.w_B)};
}

template <class S>
class SeedRun final : public SchemeRun {
 public:
  SeedRun(const Scheme& scheme, SchemeIndex index, const FreeSpin& body, double step)
      : scheme_(&scheme), index_(index), step_(static_cast<S>(step)) {
    const Vec3<S> J = to<S>(body.moments);
    J_inverse_B_ = diagonal(S(1) / J.x, S(1) / J.y, S(1) / J.z);
    const MotionState<S> start = start_of<S>(body);
    state_.e_NB = start.e_NB;
    state_.L = {J.x * start.w_B.x, J.y * start.w_B.y, J.z * start.w_B.z};  // the same in both frames at e = 1
  }
  bool advance(int steps) override {
    const Vec3<S> none{};
    for (int n = 0; n < steps; ++n) {
      if (!scheme_step(*scheme_, index_, J_inverse_B_, none, step_, state_)) { return false; }
    }
    return true;
  }
  MotionState<double> state() const override {
    return {to_double(state_.e_NB), to_double(J_inverse_B_ * scheme_momentum_B(*scheme_, state_))};
  }

 private:
  const Scheme* scheme_;
  SchemeIndex index_;
  S step_;
  Mat3<S> J_inverse_B_{};
  SchemeState<S> state_;
};

/// A step that works on attitude and body rate.
template <class S, class Step>
class RateRun final : public SchemeRun {
 public:
  RateRun(Step step, const FreeSpin& body, double dt)
      : step_(step), J_B_(to<S>(body.moments)), dt_(static_cast<S>(dt)), state_(start_of<S>(body)) {}
  bool advance(int steps) override {
    for (int n = 0; n < steps; ++n) { step_(J_B_, dt_, state_); }
    return true;
  }
  MotionState<double> state() const override { return {to_double(state_.e_NB), to_double(state_.w_B)}; }

 private:
  Step step_;
  Vec3<S> J_B_;
  S dt_;
  MotionState<S> state_;
};

template <class S>
class HeaderRun final : public SchemeRun {
 public:
  HeaderRun(const FreeSpin& body, double dt)
      : inertia_(static_cast<S>(body.moments.x), static_cast<S>(body.moments.y), static_cast<S>(body.moments.z)),
        dt_(static_cast<S>(dt)) {
    const Vec3<S> w_B = start_of<S>(body).w_B;
    rotor_ = step::start(inertia_, step::Quaternion<S>{}, step::Vector<S>{w_B.x, w_B.y, w_B.z});
  }
  bool advance(int steps) override {
    for (int n = 0; n < steps; ++n) { step::advance(inertia_, rotor_, dt_); }
    return true;
  }
  MotionState<double> state() const override {
    const step::Quaternion<S>& e = rotor_.e_NB;
    const step::Vector<S> w_B = step::angular_velocity_B(inertia_, rotor_);
    return {to_double(EulerParameters<S>{e.w, {e.x, e.y, e.z}}), to_double(Vec3<S>{w_B.x, w_B.y, w_B.z})};
  }

 private:
  step::Inertia<S> inertia_;
  S dt_;
  step::Rotor<S> rotor_;
};

/// A free body under Euler's equations, for the integrators.
struct EulerBody {
  explicit EulerBody(const Vec3<double>& moments) {
    body.J_B = diagonal(moments.x, moments.y, moments.z);
    system.emplace(formulation<double>("euler-body"), body);
  }
  polhode::OneBody<double> body;
  std::optional<BodySystem<double>> system;
};

class IntegratorRun final : public SchemeRun {
 public:
  IntegratorRun(const Integrator<double>& method, const FreeSpin& body, double dt)
      : body_(body.moments), stepper_(method.bind(*body_.system)), dt_(dt) {
    const MotionState<double> start = body.start();
    y_ = {start.e_NB.e0, start.e_NB.ev.x, start.e_NB.ev.y, start.e_NB.ev.z, start.w_B.x, start.w_B.y, start.w_B.z};
  }
  bool advance(int steps) override {
    for (int n = 0; n < steps; ++n) {
      if (stepper_->step(0, dt_, y_) != StepStatus::ok) { return false; }
    }
    return true;
  }
  MotionState<double> state() const override { return {{y_[0], {y_[1], y_[2], y_[3]}}, {y_[4], y_[5], y_[6]}}; }

 private:
  EulerBody body_;
  std::unique_ptr<Stepper<double>> stepper_;
  double dt_;
  std::array<double, 7> y_{};
};

template <class S>
void add_templates(std::vector<SchemeEntry>& list, const std::string& precision) {
  const auto add = [&](std::string name, std::string summary, bool right, auto make) {
    list.push_back({std::move(name), precision, std::move(summary), right, make});
  };
  for (const Scheme& scheme : kSchemes) {
    for (const SchemeIndex index : {SchemeIndex::lagged, SchemeIndex::implicit}) {
      const bool implicit = index == SchemeIndex::implicit;
      if (implicit && !has_implicit_index(scheme)) { continue; }
      add(std::string(scheme.name) + (implicit ? "-implicit" : ""), std::string(scheme.summary), scheme.gyroscopic,
          [&scheme, index](const FreeSpin& body, double step) {
            return std::make_unique<SeedRun<S>>(scheme, index, body, step);
          });
    }
  }
  const auto newton = [](const Vec3<S>& J_B, const S& h, MotionState<S>& state) { newton_gyro_step(J_B, h, state); };
  add("newton-gyro", "gyroscopic term at the end of the step, one Newton iteration", true,
      [newton](const FreeSpin& body, double step) {
        return std::make_unique<RateRun<S, decltype(newton)>>(newton, body, step);
      });
  const auto midpoint = [](const Vec3<S>& J_B, const S& h, MotionState<S>& state) { midpoint_step(J_B, h, 5, state); };
  add("midpoint-newton5", "midpoint rule, five Newton iterations", true, [midpoint](const FreeSpin& body, double step) {
    return std::make_unique<RateRun<S, decltype(midpoint)>>(midpoint, body, step);
  });
  add("step.hpp", "polhode/step.hpp: momentum and energy stored, attitude by its series", true,
      [](const FreeSpin& body, double step) { return std::make_unique<HeaderRun<S>>(body, step); });
}

double energy(const Vec3<double>& J_B, const Vec3<double>& w_B) {
  return 0.5 * (J_B.x * w_B.x * w_B.x + J_B.y * w_B.y * w_B.y + J_B.z * w_B.z * w_B.z);
}
Vec3<double> momentum_N(const Vec3<double>& J_B, const MotionState<double>& state) {
  return rotate(state.e_NB, Vec3<double>{J_B.x * state.w_B.x, J_B.y * state.w_B.y, J_B.z * state.w_B.z});
}

}  // namespace

MotionState<double> FreeSpin::start() const {
  const double size = rate / std::sqrt(1 + 2 * kOffMiddleAxis * kOffMiddleAxis);
  return {EulerParameters<double>::identity(), {kOffMiddleAxis * size, size, kOffMiddleAxis * size}};
}

double FreeSpin::period() const {
  const MotionState<double> state = start();
  return FreeMotion<double>(moments, state.e_NB, state.w_B).period();
}

std::vector<SchemeEntry> scheme_entries() {
  std::vector<SchemeEntry> list;
  add_templates<float>(list, "float");
  add_templates<double>(list, "double");
  const EulerBody probe({1, 2, 3});
  for (const auto& method : integrators<double>()) {
    const MethodDescription& d = method->description();
    const bool fits = std::all_of(d.needs.begin(), d.needs.end(),
                                  [&](const std::string& need) { return offers<double>(*probe.system, need); });
    // variable order: no scheme of its own at a fixed step; the update schemes are there by their own steps
    const bool is_update_scheme = std::find(d.needs.begin(), d.needs.end(), "update schemes") != d.needs.end();
    if (d.order == 0 || !fits || is_update_scheme) { continue; }
    list.push_back({d.name, "double", d.summary, true, [&m = *method](const FreeSpin& body, double step) {
                      return std::make_unique<IntegratorRun>(m, body, step);
                    }});
  }
  return list;
}

bool Trial::holds() const { return finished && energy_worst <= 0.01 && momentum_worst <= 0.01; }

Trial try_scheme(const SchemeEntry& scheme, const FreeSpin& body, double step, double turns) {
  constexpr double kTurn = 2 * math::kPi<double>;
  const double period = body.period();
  const double wanted = std::max(turns * kTurn / body.rate, std::isfinite(period) ? 2.5 * period : 0.0);
  const int steps = static_cast<int>(std::min(std::ceil(wanted / step), static_cast<double>(kMostSchemeSteps)));

  const std::unique_ptr<SchemeRun> run = scheme.make(body, step);
  MotionState<double> state = run->state();
  const double energy_0 = energy(body.moments, state.w_B);
  const Vec3<double> h_N0 = momentum_N(body.moments, state);
  const double energy_most = 1.01 * norm_squared(h_N0) / (2 * body.moments.x);
  Trial trial;
  double energy_error = 0;
  double first_flip = 0;
  double last_flip = 0;
  int n = 0;
  while (n < steps && trial.finished) {
    const double before = state.w_B.y;
    const bool solved = run->advance(1);
    ++n;
    state = run->state();
    energy_error = energy(body.moments, state.w_B) / energy_0 - 1;
    const double momentum_error = norm(momentum_N(body.moments, state) - h_N0) / norm(h_N0);
    if (!solved || !std::isfinite(energy_error) || !std::isfinite(momentum_error)) {
      trial.finished = false;
      break;
    }
    trial.energy_worst = std::max(trial.energy_worst, std::fabs(energy_error));
    trial.exploded = trial.exploded || energy_0 * (1 + energy_error) > energy_most;
    trial.momentum_worst = std::max(trial.momentum_worst, momentum_error);
    if ((before < 0) != (state.w_B.y < 0)) {
      last_flip = step * (n - state.w_B.y / (state.w_B.y - before));
      if (trial.flips++ == 0) { first_flip = last_flip; }
    }
  }
  trial.turns = n * step * body.rate / kTurn;
  trial.energy_drift_per_turn = trial.finished ? energy_error / trial.turns : kInfinity;
  if (!trial.finished) {
    trial.energy_worst = kInfinity;
    trial.momentum_worst = kInfinity;
  }
  if (trial.finished && trial.flips >= 2 && std::isfinite(period)) {
    trial.period_error = 2 * (last_flip - first_flip) / (trial.flips - 1) / period - 1;
  }
  return trial;
}

std::optional<double> cost_ns(const SchemeEntry& scheme, const FreeSpin& body, double step) {
  using Clock = std::chrono::steady_clock;
  constexpr int kSteps = 2000;
  constexpr int kRounds = 9;
  double best = kInfinity;
  for (int round = 0; round < kRounds; ++round) {
    const std::unique_ptr<SchemeRun> run = scheme.make(body, step);
    const auto begin = Clock::now();
    if (!run->advance(kSteps)) { return {}; }
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kSteps);
  }
  return best;
}

}  // namespace polhode::comparison
