// Random runs with switched loads, against their exact motion: no certificate says yes of a wrong one. A few hundred
// here; 10 000 with POLHODE_LONG=1.
#include "polhode/io/scenario_toml.h"
#include "polhode/polhode.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

using namespace polhode;
using simulation::Verdict;

namespace {

/// The same numbers from every library.
class Draw {
 public:
  explicit Draw(unsigned seed) : bits_(seed) {}
  double between(double low, double high) { return low + (high - low) * static_cast<double>(bits_() >> 11U) * 0x1p-53; }
  /// As often between 1 and 10 as between 10 and 100.
  double of_size(double low, double high) { return low * std::pow(high / low, between(0, 1)); }
  int number(int count) { return static_cast<int>(bits_() % static_cast<unsigned>(count)); }

 private:
  std::mt19937_64 bits_;
};

/// A turn about one axis, under torques that are constant for a while: exact, piece by piece.
struct Spin {
  long double t = 0;
  long double turn = 0;
  long double rate = 0;
  /// Until a time, with this acceleration.
  void until(long double end, long double acceleration) {
    const long double dt = end - t;
    turn += dt * (rate + acceleration * dt / 2);
    rate += acceleration * dt;
    t = end;
  }
  /// Until a turn that is ahead, with an acceleration that leaves the rate positive; no further than `end`.
  void until_turn(long double wanted, long double acceleration, long double end) {
    const long double later = std::sqrt(rate * rate + 2 * acceleration * (wanted - turn));
    const long double when = t + 2 * (wanted - turn) / (rate + later);
    if (when >= end) { return until(end, acceleration); }
    t = when;
    turn = wanted;
    rate = later;
  }
};

struct Case {
  std::string what;
  std::string scenario;
  std::string prefix;  ///< of the columns
  double angle = 0;    ///< at the end
};

constexpr double kMoment = 3;  ///< of inertia about z, kg m²

/// The same number, for the exact motion.
constexpr long double exact(double x) { return static_cast<long double>(x); }
constexpr long double acceleration(double moment) { return exact(moment) / exact(kMoment); }

std::string spinning_body(double rate, const std::string& moment, const std::string& run) {
  return fmt::format(
      "title = \"drawn\"\n[body]\nprincipal_moments = [1, 2.5, {}]\n[initial]\nw_body = [0, 0, {:.17g}]\n"
      "[[load]]\nkind = \"moment\"\nmoment_body = [0, 0, \"{}\"]\n[run]\n{}",
      kMoment, rate, moment, run);
}
std::string spinning_disc(double rate, const std::string& force, const std::string& run) {
  return fmt::format(
      "title = \"drawn\"\n[[bodies]]\nname = \"disc\"\nmass = 1\nprincipal_moments = [2, 2, {}]\n"
      "[[joints]]\nname = \"hinge\"\nkind = \"revolute\"\nbodies = [\"ground\", \"disc\"]\npoint = [0, 0, 0]\n"
      "axis = [0, 0, 1]\nstart = {{ turn_rate = {:.17g} }}\n"
      "[[forces]]\nkind = \"joint_force\"\njoint = \"hinge\"\nforce = \"{}\"\n[run]\n{}",
      kMoment, rate, force, run);
}

/// Times or turns at which something begins and ends, in order.
std::vector<double> edges(Draw& draw, int pulses, double end) {
  std::vector<double> list;
  for (int i = 0; i < pulses; ++i) {
    const double width = draw.of_size(1e-4, 0.1 * end);
    const double begin = draw.between(0.001, end - 1.01 * width);
    if (std::any_of(list.begin(), list.end(),
                    [&](double other) { return std::fabs(other - begin) < 0.3 * end / pulses; })) {
      continue;
    }
    list.push_back(begin);
    list.push_back(std::fmin(begin + width, begin + 0.2 * end / pulses));
  }
  std::sort(list.begin(), list.end());
  return list;
}

/// How the run goes: mostly by tolerance, sometimes by steps that are too long for what they meet.
std::string run_lines(Draw& draw, double duration) {
  std::string lines = fmt::format("duration = {:.17g}\noutput_interval = {:.17g}\n", duration, duration / 50);
  switch (draw.number(8)) {
    case 0:
      return lines + fmt::format("integrator = \"rk4\"\nstep = {:.17g}\n", draw.of_size(1e-3, 0.1) * duration);
    case 1:
      return lines + "tolerance = 1e-7\n";
    case 2:
      return lines + "integrator = \"extrapolation\"\n";
    default:
      return lines;
  }
}

/// Pulses by time, written in one of three ways.
Case pulses_by_time(Draw& draw) {
  const double duration = draw.between(10, 100);
  const std::vector<double> list = edges(draw, 1 + draw.number(3), duration);
  Spin spin;
  const double rate = draw.between(-0.5, 0.5);
  spin.rate = exact(rate);
  std::string law = "0";
  for (std::size_t i = 0; i < list.size(); i += 2) {
    const double moment = draw.between(-1, 1) / std::fmax(list[i + 1] - list[i], 0.01);
    const char* forms[] = {" + (t >= {0:.17g} && t < {1:.17g} ? {2:.17g} : 0)",
                           " + {2:.17g}*step(t-{0:.17g})*(1-step(t-{1:.17g}))",
                           " + {2:.17g}*(sign(t-{0:.17g})-sign(t-{1:.17g}))/2"};
    law += fmt::format(fmt::runtime(forms[draw.number(3)]), list[i], list[i + 1], moment);
    spin.until(exact(list[i]), 0);
    spin.until(exact(list[i + 1]), acceleration(moment));
  }
  spin.until(exact(duration), 0);
  return {"pulses by time", spinning_body(rate, law, run_lines(draw, duration)), "", static_cast<double>(spin.turn)};
}

/// A wave that is on for a part of each period.
Case square_wave(Draw& draw) {
  const double period = draw.of_size(0.1, 10);
  const double on = draw.of_size(1e-3, 0.9);
  const int count = 1 + draw.number(20);
  const double duration = (count + 0.95) * period;
  const double moment = draw.between(-1, 1);
  Spin spin;
  for (int i = 0; i <= count; ++i) {
    const long double begin = static_cast<long double>(i) * exact(period);
    spin.until(begin + exact(on) * exact(period), acceleration(moment));
    spin.until(i < count ? begin + exact(period) : exact(duration), 0);
  }
  return {"square wave",
          spinning_body(0, fmt::format("mod(t, {0:.17g}) < {1:.17g} ? {2:.17g} : 0", period, on * period, moment),
                        run_lines(draw, duration)),
          "", static_cast<double>(spin.turn)};
}

/// A moment that is switched on where the body has become fast enough.
Case switched_by_rate(Draw& draw) {
  const double duration = draw.between(10, 60);
  const double first = draw.between(0.05, 0.3);
  const double second = first + draw.between(0.1, 2);
  const double threshold = draw.between(0.1, 0.8) * first / kMoment * duration;
  Spin spin;
  spin.until(exact(threshold) / acceleration(first), acceleration(first));
  spin.until(exact(duration), acceleration(second));
  return {"switched by the rate",
          spinning_body(0, fmt::format("wz_body > {:.17g} ? {:.17g} : {:.17g}", threshold, second, first),
                        run_lines(draw, duration)),
          "", static_cast<double>(spin.turn)};
}

/// Pushes between angles, some of them too narrow for any step.
Case pushes_by_angle(Draw& draw) {
  const double duration = draw.between(5, 40);
  const double rate = draw.between(0.5, 2);
  const std::vector<double> list = edges(draw, 1 + draw.number(2), 0.8 * rate * duration);
  Spin spin;
  spin.rate = exact(rate);
  std::string law = "0";
  for (std::size_t i = 0; i < list.size(); i += 2) {
    const double moment = draw.between(0.01, 0.5) / std::fmax(list[i + 1] - list[i], 0.001);
    law += fmt::format(" + (hinge_turn > {:.17g} && hinge_turn < {:.17g} ? {:.17g} : 0)", list[i], list[i + 1], moment);
    spin.until_turn(exact(list[i]), 0, exact(duration));
    if (spin.t < exact(duration)) { spin.until_turn(exact(list[i + 1]), acceleration(moment), exact(duration)); }
  }
  spin.until(exact(duration), 0);
  return {"pushes by angle", spinning_disc(rate, law, run_lines(draw, duration)), "disc.",
          static_cast<double>(spin.turn)};
}

Case drawn(Draw& draw) {
  switch (draw.number(10)) {
    case 0:
    case 1:
      return square_wave(draw);
    case 2:
    case 3:
      return switched_by_rate(draw);
    case 4:
    case 5:
      return pushes_by_angle(draw);
    default:
      return pulses_by_time(draw);
  }
}

}  // namespace

TEST_CASE("random runs with switched loads: none that is certified is off by more than was asked for") {
  const int count = std::getenv("POLHODE_LONG") != nullptr ? 10'000 : 300;
  constexpr double kAccuracy = 1e-6;   // of runs, where they do not say
  constexpr double kRounding = 1e-10;  // of the angle in double, some hundred rad
  Draw draw(20260401);
  int certified = 0;
  int wrong = 0;
  int wrong_and_known = 0;
  for (int n = 0; n < count; ++n) {
    const Case one = drawn(draw);
    CAPTURE(n);
    CAPTURE(one.scenario);
    const io::ScenarioFile file(one.scenario, "drawn.toml");
    REQUIRE(file.problems().empty());
    const Trajectory run = simulate(file.scenario(), {.certify = true});
    EulerParameters<double> e;
    e.e0 = run.column(one.prefix + "e0").back();
    e.ev.z = run.column(one.prefix + "e3").back();
    const EulerParameters<double> exact{std::cos(one.angle / 2), {0, 0, std::sin(one.angle / 2)}};
    const double error = simulation::attitude_difference(e, exact);
    CAPTURE(error);
    CAPTURE(run.certificate().reason);
    const bool yes = run.certificate().verdict == Verdict::yes;
    certified += yes ? 1 : 0;
    wrong += error > kAccuracy ? 1 : 0;
    wrong_and_known += error > kAccuracy && !yes ? 1 : 0;
    if (yes) { CHECK_MESSAGE(error <= kAccuracy + kRounding, one.what); }
  }
  CAPTURE(certified);
  CAPTURE(wrong);
  // the check is not empty: most runs are certified, and a part of all, by long steps, is wrong
  CHECK(2 * certified > count);
  CHECK(20 * wrong > count);
  CHECK(wrong_and_known == wrong);
}

TEST_CASE("the exact motion of switched loads notices a pulse that is left out") {
  Spin with;
  with.until(5, 0);
  with.until(5.05L, 2);
  with.until(10, 0);
  CHECK(static_cast<double>(with.turn) == doctest::Approx(0.5 * 2 * 0.05 * 0.05 + 0.1 * 4.95));
  Spin by_turn;
  by_turn.rate = 1;
  by_turn.until_turn(2, 0, 10);
  by_turn.until_turn(2.1L, 1, 10);
  CHECK(static_cast<double>(by_turn.rate) == doctest::Approx(std::sqrt(1.2)));
  CHECK(static_cast<double>(by_turn.t) == doctest::Approx(2 + std::sqrt(1.2) - 1));
}
