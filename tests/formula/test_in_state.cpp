// What formulas of the state do along a step: no switch on the path is missed, and none is made up.
#include "polhode/formula/compiler.h"
#include "polhode/formula/in_state.h"
#include "polhode/math/elementary.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

using namespace polhode;
using formula::LawOfState;
using formula::Path;
using formula::StateSearch;
using formula::TimeJump;

namespace {

/// t is time, x and y the state.
class StepNames final : public formula::Scope {
 public:
  std::optional<formula::Input> find(std::string_view name) const override {
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (name == names()[i]) { return formula::Input{i, formula::Pace::state}; }
    }
    return {};
  }
  std::vector<std::string_view> names() const override { return {"t", "x", "y"}; }
};

LawOfState state_law(const std::string& text, bool watches_sign = false) {
  const StepNames scope;
  formula::Compiler compiler(scope);
  compiler.add(text);
  REQUIRE(compiler.mistakes().empty());
  return {"law", formula::Function(compiler.finish(), {}), [](const formula::Input& input) { return input.id == 0; },
          watches_sign};
}

/// x rises by 2 along the step, a little bent, about 10; the law looks at nothing else.
void along_x(double theta, std::span<double> inputs) { inputs[0] = 9 + 2 * theta + 0.01 * std::sin(3 * theta); }

constexpr double kBlur = 1e-10;

struct FoundOnPath {
  std::vector<TimeJump> jumps;
  std::size_t undecided = 0;
};
FoundOnPath jumps_of(const std::string& text, bool watches_sign, const Path::Look& look) {
  const LawOfState law = state_law(text, watches_sign);
  StateSearch search(law, kBlur, kBlur);
  FoundOnPath found;
  if (search.along(look)) {
    double from = 0;
    while (const std::optional<TimeJump> next = search.first_switch(from)) {
      found.jumps.push_back(*next);
      from = next->after;
    }
  }
  found.undecided = search.undecided();
  return found;
}

}  // namespace

TEST_CASE("polynomials enclose what a step goes through, and a kink is not followed") {
  Path path(2);
  const auto look = [](double theta, std::span<double> x) {
    x[0] = std::sin(2 * theta);
    x[1] = 7;
  };
  REQUIRE(path.follow(look, {true, false}, kBlur, kBlur));
  double widest = 0;
  for (int n = 0; n < 200; ++n) {
    const double low = n / 200.0;
    const double high = (n + 1) / 200.0;
    const Interval range = path.value(0, Interval(low, high));
    const Interval slope = path.value(0, Dual<Interval>(Interval(low, high), Interval(1.0))).derivative;
    for (const double theta : {low, 0.3 * low + 0.7 * high, high}) {
      CHECK(range.contains(std::sin(2 * theta)));
      CHECK(slope.contains(2 * std::cos(2 * theta)));
    }
    widest = std::fmax(widest, range.width());
  }
  CHECK(widest < 0.0101);                                 // the function itself takes 0.01 there
  CHECK(path.value(1, Interval(0, 1)) == Interval(7.0));  // it stands still: no blur
  CHECK_FALSE(path.follow([](double theta, std::span<double> x) { x[0] = x[1] = std::fabs(theta - 0.37); },
                          {true, true}, 0, 0));
}

TEST_CASE("a law that switches back at once is met on both edges, wherever in a step it is") {
  for (const double at : {9.001, 9.7, 10.3, 10.99}) {
    CAPTURE(at);
    const std::string text = fmt::format("x > {0:.17g} && x < {0:.17g} + 1e-6 ? 100 : 0", at);
    const FoundOnPath found = jumps_of(text, false, along_x);
    REQUIRE(found.jumps.size() == 2);
    CHECK(found.undecided == 0);
    double x = 0;
    along_x(found.jumps[0].after, std::span(&x, 1));
    CHECK(x == doctest::Approx(at).epsilon(1e-14));
    along_x(found.jumps[1].after, std::span(&x, 1));
    CHECK(x == doctest::Approx(at + 1e-6).epsilon(1e-14));
  }
  // the twin that is not passed
  CHECK(jumps_of("x > 12 && x < 12.001 ? 100 : 0", false, along_x).jumps.empty());
  CHECK(jumps_of("x > 12 && x < 12.001 ? 100 : 0", false, along_x).undecided == 0);
}

TEST_CASE("zeros of an event are found in pairs, of formulas that jump and of smooth ones") {
  for (const std::string text :
       {"x > 10.3 && x < 10.3001 ? 1 : -1", "exp(-((x-10.3)/1e-4)^2)-0.5", "(x-10.3)*(x-10.3001)"}) {
    CAPTURE(text);
    const FoundOnPath found = jumps_of(text, true, along_x);
    CHECK(found.undecided == 0);
    // a zero that is met by a double counts twice, when it is reached and when it is left
    CHECK(found.jumps.size() >= 2);
    CHECK(found.jumps.size() <= 4);
  }
  CHECK(jumps_of("exp(-((x-10.3)/1e-4)^2)-1.5", true, along_x).jumps.empty());
}

TEST_CASE("what is shallower than the state is known is undecided, unless it is passed") {
  const auto up_and_down = [](double theta, std::span<double> inputs) {
    inputs[0] = 1 - (theta - 0.4) * (theta - 0.4);
  };
  CHECK(jumps_of("x > 1 ? 1 : 0", false, up_and_down).undecided > 0);
  CHECK(jumps_of("x > 1 + 3e-11 ? 1 : 0", false, up_and_down).undecided > 0);
  const FoundOnPath clear = jumps_of("x > 1.000001 ? 1 : 0", false, up_and_down);
  CHECK(clear.undecided == 0);
  CHECK(clear.jumps.empty());
  const FoundOnPath passed = jumps_of("x > 0.999999 ? 1 : 0", false, up_and_down);
  CHECK(passed.undecided == 0);
  CHECK(passed.jumps.size() == 2);
}

TEST_CASE("a law that starts on its edge at rest leaves it; one that comes to an edge and rests there is undecided") {
  const auto leaves = [](double theta, std::span<double> inputs) { inputs[0] = theta * theta; };
  const FoundOnPath left = jumps_of("x > 0 ? 1 : 0", false, leaves);
  CHECK(left.undecided == 0);
  CHECK(left.jumps.size() == 1);
  CHECK(left.jumps.front().after < 1e-6);
  CHECK(jumps_of("x", true, leaves).undecided == 0);
  const auto arrives = [](double theta, std::span<double> inputs) { inputs[0] = 1e-11 + (1 - theta) * (1 - theta); };
  CHECK(jumps_of("x > 0 ? 1 : 0", false, arrives).undecided > 0);
}

TEST_CASE("a bump between looks is seen, and a law that varies as its looks show is left alone") {
  const auto shown = [](const std::string& text, std::size_t& undecided) {
    const LawOfState law = state_law(text);
    StateSearch search(law, kBlur, kBlur);
    REQUIRE(search.along(along_x));
    const double until = search.shown_until();
    undecided = search.undecided();
    return until;
  };
  std::size_t undecided = 0;
  CHECK(shown("exp(-((x-10.3)/1e-5)^2)", undecided) < 0.66);  // where x = 10.3
  CHECK(undecided == 0);
  for (const char* text : {"sin(x)", "1/x^2", "-x/(x*x+1)^1.5", "tanh(x-10)", "exp(-((x-20.3)/1e-5)^2)"}) {
    CAPTURE(text);
    CHECK(shown(text, undecided) == 1);
    CHECK(undecided == 0);
  }
}

TEST_CASE("polynomials of low degree hide nothing and are not watched; what switches is") {
  CHECK_FALSE(state_law("-100*x + 3*x*y - 2*x^3 + x/4").must_be_watched());
  CHECK_FALSE(state_law("sin(t)").must_be_watched());  // time alone
  CHECK(state_law("x^9").must_be_watched());
  CHECK(state_law("1/x").must_be_watched());
  CHECK(state_law("sin(x)").must_be_watched());
  CHECK(state_law("abs(x)").must_be_watched());
  CHECK(state_law("x > 1").must_be_watched());
}
