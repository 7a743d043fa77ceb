// What formulas do with time alone: no switch is missed, and none is made up.
#include "polhode/formula/compiler.h"
#include "polhode/formula/in_time.h"
#include "polhode/math/elementary.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;
using formula::LawInTime;
using formula::TimeJump;
using formula::TimeSearch;

namespace {

/// t is time, x the state, k a parameter of value 3.
class TimeAndState final : public formula::Scope {
 public:
  std::optional<formula::Input> find(std::string_view name) const override {
    if (name == "k") { return formula::Input{0, formula::Pace::parameter}; }
    if (name == "t") { return formula::Input{1, formula::Pace::state}; }
    if (name == "x") { return formula::Input{2, formula::Pace::state}; }
    return {};
  }
  std::vector<std::string_view> names() const override { return {"k", "t", "x"}; }
};

std::vector<LawInTime> laws_of(const std::string& text, bool watches_sign = false) {
  const TimeAndState scope;
  formula::Compiler compiler(scope);
  compiler.add(text);
  REQUIRE(compiler.mistakes().empty());
  const double k = 3;
  std::vector<LawInTime> laws;
  laws.emplace_back("law", formula::Function(compiler.finish(), {&k, 1}),
                    [](const formula::Input& input) { return input.id == 1; });
  laws.front().watches_sign = watches_sign;
  return laws;
}

/// All switches in (t, until], each as the later of its two neighbouring times.
struct Found {
  std::vector<double> times;
  std::size_t undecided = 0;
};
Found all_switches(const std::string& text, double t, double until, bool watches_sign = false) {
  const std::vector<LawInTime> laws = laws_of(text, watches_sign);
  TimeSearch search(laws);
  Found found;
  while (const std::optional<TimeJump> jump = search.first_switch(t, until)) {
    CHECK(jump->before < jump->after);
    CHECK(detail::above(jump->before) == jump->after);
    CHECK(jump->before >= t);
    found.times.push_back(jump->after);
    t = jump->after;
    REQUIRE(found.times.size() < 2000);
  }
  found.undecided = search.undecided();
  return found;
}

}  // namespace

TEST_CASE("switches of time alone are found to the last digit, however short what lies between them") {
  const Found pulse = all_switches("t >= 50.02 && t < 50.07 ? 20 : 0", 0, 100);
  REQUIRE(pulse.times.size() == 2);
  CHECK(pulse.times[0] == 50.02);
  CHECK(pulse.times[1] == 50.07);
  const Found steps = all_switches("10*step(t-50)*step(50.01-t)", 0, 100);
  REQUIRE(steps.times.size() == 2);
  CHECK(steps.times[0] == 50);
  CHECK(steps.times[1] == doctest::Approx(50.01).epsilon(1e-15));
  // an instant, a billionth of a second in a year, and a parameter
  CHECK(all_switches("t == 5 ? 1 : 0", 0, 10).times.size() == 2);
  CHECK(all_switches("t > 1e7 && t < 1e7 + 1e-8", 0, 3e7).times.size() == 2);
  CHECK(all_switches("t > k", 0, 10).times == std::vector<double>{detail::above(3.0)});
  CHECK(all_switches("sign(t - 5)", 0, 10).times == std::vector<double>{5, detail::above(5.0)});
  for (const Found& found : {pulse, steps}) { CHECK(found.undecided == 0); }
}

TEST_CASE("switches that come again and again are found one by one") {
  const Found wave = all_switches("sin(20*t) > 0 ? 1 : -1", 0.01, 100);
  REQUIRE(wave.times.size() == 636);  // k pi/20 up to 100
  for (std::size_t i = 0; i < wave.times.size(); ++i) {
    CHECK(wave.times[i] == doctest::Approx(static_cast<double>(i + 1) * 3.141592653589793 / 20).epsilon(1e-14));
  }
  CHECK(wave.undecided == 0);
  // ends of stretches fall on zeros here
  const Found whole = all_switches("sin(3.141592653589793*t) > 0", 0.5, 64.5);
  CHECK(whole.times.size() == 64);
  CHECK(whole.undecided == 0);
  CHECK(all_switches("floor(t)", 0.5, 20.5).times.size() == 20);
  CHECK(all_switches("mod(t, 0.5)", 0.25, 10.25).times.size() == 20);
}

TEST_CASE("what does not switch is not said to: the twins of what does") {
  for (const char* text : {"t >= 150.02 && t < 150.07 ? 20 : 0", "max(0, t - 500) > 0", "sin(20*t)", "exp(-t)", "2 > 1",
                           "x > 0 ? t : 0", "abs(t + 1)", "sin(t) > 1.5", "(t-5)^2 >= 0 ? 1 : 0"}) {
    CAPTURE(text);
    CHECK(all_switches(text, 0, 100).times.empty());
  }
  // of a choice that is not taken nothing counts
  CHECK(all_switches("t < 200 ? 1 : floor(100*t)", 0, 100).times.empty());
  CHECK(all_switches("t < 99 ? 1 : floor(100*t)", 0, 100).times.size() > 100);
}

TEST_CASE("what can be neither shown nor excluded is counted, and costs no end of work") {
  // touches zero at 5: whether it passes is a matter of rounding
  const Found touching = all_switches("1 - cos(t - 5) > 0", 0, 10);
  CHECK((touching.undecided > 0 || !touching.times.empty()));
  const Found noise = all_switches("sin(t)^2 + cos(t)^2 - 1 > 0", 0, 1e-3);
  CHECK((noise.undecided > 0 || !noise.times.empty()));
  // what is zero up to a time, and rises from there, is decided
  const Found edge = all_switches("max(0, t - 50) > 0", 0, 100);
  CHECK(edge.undecided == 0);
  CHECK(edge.times == std::vector<double>{detail::above(50.0)});
  // its twin a hair away from zero is decided
  CHECK(all_switches("1.000001 - cos(t - 5) > 0", 0, 10).undecided == 0);
}

TEST_CASE("zeros of an event by time alone are found, leaving and arriving told apart by its signs") {
  const Found wave = all_switches("sin(20*t)", 0.01, 100, true);
  CHECK(wave.times.size() == 636);
  CHECK(all_switches("t < 50 ? -1 : t < 50.001 ? 1 : -1", 0, 100, true).times == std::vector<double>{50, 50.001});
  CHECK(all_switches("2 + sin(20*t)", 0, 100, true).times.empty());
}

TEST_CASE("a step over which a smooth law varies unseen is shortened, one that its looks show is not") {
  const auto shown = [](const std::string& text, double t, double until) {
    const std::vector<LawInTime> laws = laws_of(text);
    TimeSearch search(laws);
    return search.shown_until(t, until);
  };
  const double before = shown("10*exp(-((t-50)/0.01)^2)", 0, 100);
  CHECK(before > 40);
  CHECK(before < 50);
  CHECK(shown("10*exp(-((t-50)/0.01)^2)*x", 0, 100) < 50);
  CHECK(shown("10*exp(-((t-50)/0.01)^2)", 60, 100) == 100);
  CHECK(shown("10*exp(-((t-50)/40)^2)", 0, 100) == 100);
  CHECK(shown("sin(t)", 0, 3) == 3);
  CHECK(shown("3", 0, 100) == 100);
}

TEST_CASE(
    "a law that nothing shows to stay within its looks is counted as undecided, and slopes show more than values") {
  const auto undecided = [](const std::string& text, double t, double until) {
    const std::vector<LawInTime> laws = laws_of(text);
    TimeSearch search(laws);
    CHECK(search.shown_until(t, until) == until);
    return search.undecided();
  };
  // by values alone both would take some 1e5 stretches
  CHECK(undecided("sin(t)^2 + cos(t)^2", 0, 0.1) == 0);
  CHECK(undecided("t*t - 200*t + 10000", 97, 97.5) == 0);
  // slopes of slopes would be needed
  CHECK(undecided("sin(300*t)^2 + cos(300*t)^2", 0, 100) == 1);
  CHECK(undecided("sin(300*t)", 0, 100) == 0);
}
