// Formulas as tapes: one text, any number type; switches; what is shared and what is skipped.
#include "polhode/formula/compiler.h"

#include "polhode/math/dual.h"
#include "polhode/math/interval.h"
#include "polhode/math/jet.h"
#include "polhode/math/pack.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <thread>

using namespace polhode;
using formula::Code;
using formula::Compiler;
using formula::Evaluation;
using formula::Input;
using formula::Pace;
using formula::Tape;

namespace {

/// t, k (a parameter), x, y, and definitions.
struct TestScope final : formula::Scope {
  std::vector<std::string> list{"t", "k", "x", "y"};
  std::map<std::string, std::string, std::less<>> definitions;
  std::optional<Input> find(std::string_view name) const override {
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      if (list[i] == name) { return Input{i, i == 1 ? Pace::parameter : Pace::state}; }
    }
    return {};
  }
  const std::string* definition(std::string_view name) const override {
    const auto found = definitions.find(name);
    return found == definitions.end() ? nullptr : &found->second;
  }
  std::vector<std::string_view> names() const override { return {list.begin(), list.end()}; }
  std::string how_to_declare(std::string_view) const override { return "declare it in [parameters]"; }
};

Tape compiled(const std::string& text, const TestScope& scope = {}) {
  Compiler compiler(scope);
  compiler.add(text);
  for (const formula::Mistake& mistake : compiler.mistakes()) { CAPTURE(mistake.problem.what); }
  REQUIRE(compiler.mistakes().empty());
  return compiler.finish();
}
template <class S>
S evaluate(const Tape& tape, const std::vector<S>& values) {
  Evaluation<S> evaluation(tape);
  const std::span<S> in = evaluation.inputs();
  for (std::size_t i = 0; i < in.size(); ++i) { in[i] = values[tape.inputs()[i].id]; }
  evaluation.parameters_changed();
  evaluation.update();
  return evaluation[0];
}
std::vector<std::string> mistakes(const std::string& text, const TestScope& scope = {}) {
  Compiler compiler(scope);
  compiler.add(text);
  std::vector<std::string> list;
  for (const formula::Mistake& m : compiler.mistakes()) {
    list.push_back((m.definition.empty() ? "" : m.definition + ":") + std::to_string(m.at) + ": " + to_line(m.problem));
  }
  return list;
}
std::size_t count_of(const Tape& tape, Code code) {
  std::size_t count = 0;
  for (const formula::Op& op : tape.ops()) { count += op.code == code ? 1 : 0; }
  return count;
}

const char* const kEveryKind[] = {"1 + 2*t - t/3",
                                  "-t^2",
                                  "2^-t",
                                  "2^3^0.5*t",
                                  "(t + 1)*(t - k)",
                                  "t < 1 ? t*t : 2*t - 1",
                                  "!t + !0",
                                  "t > 0.5 && t < 2 || t == 7",
                                  "t >= 1 ? 1 : t <= 0.2 ? 2 : t != 0.7",
                                  "sin(t) + cos(k*t) + tan(t/2)",
                                  "asin(t/4)+acos(t/4)+atan(t)",
                                  "sinh(t)+cosh(t)+tanh(t)",
                                  "exp(-k*t) + log(t+1) + log10(t+2)",
                                  "sqrt(t+1)*cbrt(t+2)",
                                  "abs(t-1)+floor(3*t)+sign(t-1)+step(t-1)",
                                  "atan2(t, k) + hypot(t, 2)",
                                  "min(t, k) + max(t, 0.5) + mod(5*t, 2)",
                                  "1e-3*t + .5 + 2.",
                                  "pi*t",
                                  "t^3 - t^-2",
                                  "(t+1)^k",
                                  "x > 0 ? sin(x)*exp(-y*y) + cos(y) : cos(x)*x + y^3",
                                  "x*y > 1 ? (y > 0 ? x^2*sin(y) : x^3) : sqrt(x*x + y*y + 1)"};

}  // namespace

TEST_CASE("one formula gives the same value on every number type") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> any(-2, 2);
  for (const char* text : kEveryKind) {
    CAPTURE(text);
    const Tape tape = compiled(text);
    constexpr std::size_t kLanes = 4;
    std::vector<Pack<kLanes>> packs(4);
    std::vector<double> alone(kLanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::vector<double> v{std::fabs(any(random)) + 0.01, 1.25, any(random), any(random)};
      for (std::size_t i = 0; i < 4; ++i) { packs[i][lane] = v[i]; }
      const double value = evaluate<double>(tape, v);
      alone[lane] = value;
      REQUIRE(std::isfinite(value));
      // to the bit where the type is made of doubles
      const Dual<double> dual = evaluate<Dual<double>>(tape, {{v[0], 1.0}, v[1], v[2], v[3]});
      CHECK(dual.value == value);
      const Jet<double, 3> jet = evaluate<Jet<double, 3>>(tape, {Jet<double, 3>::time(v[0]), v[1], v[2], v[3]});
      CHECK(jet.c[0] == value);
      CHECK(jet.c[1] == doctest::Approx(dual.derivative).epsilon(1e-12));
      // the derivative by a complex step; wherever the formula is smooth both are right to some roundings
      const double h = 1e-30;
      const std::complex<double> step = evaluate<std::complex<double>>(tape, {{v[0], h}, v[1], v[2], v[3]});
      CHECK(step.real() == doctest::Approx(value).epsilon(1e-14));
      CHECK(step.imag() / h == doctest::Approx(dual.derivative).epsilon(1e-12));
      const long double wide = evaluate<long double>(tape, {v.begin(), v.end()});
      CHECK(static_cast<double>(wide) == doctest::Approx(value).epsilon(1e-14));
      // a range around the numbers holds the value, and is narrow unless an edge is inside
      const auto around = [](double x) { return Interval{x - 1e-9, x + 1e-9}; };
      const Interval range = evaluate<Interval>(tape, {around(v[0]), v[1], around(v[2]), around(v[3])});
      CHECK(range.contains(value));
      CHECK(range.contains(static_cast<double>(wide)));
    }
    const Pack<kLanes> lanes = evaluate<Pack<kLanes>>(tape, packs);
    for (std::size_t lane = 0; lane < kLanes; ++lane) { CHECK(lanes[lane] == alone[lane]); }
  }
}

TEST_CASE("formulas: a batch has the bits of each state alone, whether its lanes choose the same side or not") {
  // each computed in fewer lanes than the one around it
  const char* choices_inside =
      "x > 0 ? (y > 0 ? (t > 0 ? sin(x)*cos(y)*exp(-t) : x^y*tan(t)) : atan(x)*tanh(t)) : "
      "sin(t)*exp(x)*(y > 1 ? cos(t)*atan2(x, t) : mod(t, 0.3)*exp(y)*sin(y))";
  const char* texts[] = {"x > 0.5 ? sin(t)*exp(-x) : x^3*cos(y)", "t > 1 && log(x) < y ? tan(y) : atan2(x, y)",
                         "t < 0 || sqrt(y) > 1 ? tanh(x) : (y > 0 ? cbrt(y) : sinh(y))", choices_inside};
  std::mt19937_64 random(11);
  const double special[] = {0.0,   -0.0,  1.0,    -1.0,     0.5,          std::nextafter(0.5, 1),
                            1e300, -1e22, 1e-310, HUGE_VAL, std::nan(""), 3.0};
  for (const char* text : texts) {
    CAPTURE(text);
    const Tape tape = compiled(text);
    constexpr std::size_t kLanes = 32;
    formula::Evaluation<Pack<kLanes>> many(tape);
    formula::Evaluation<double> one(tape);
    for (int round = 0; round < 300; ++round) {
      const std::span<Pack<kLanes>> in = many.inputs();
      for (Pack<kLanes>& pack : in) {
        const double all_lanes = std::uniform_real_distribution<double>(-2, 2)(random);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          // a third of the rounds with all lanes alike, a third without a rule, a third with what is rare
          const double any = std::uniform_real_distribution<double>(-2, 2)(random);
          pack[lane] = round % 3 == 0 ? all_lanes : round % 3 == 1 ? any : special[random() % std::size(special)];
        }
      }
      many.parameters_changed();
      many.update();
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        for (std::size_t i = 0; i < in.size(); ++i) { one.inputs()[i] = in[i][lane]; }
        one.parameters_changed();
        one.update();
        const bool same = std::bit_cast<std::uint64_t>(many[0][lane]) == std::bit_cast<std::uint64_t>(one[0]) ||
                          (std::isnan(many[0][lane]) && std::isnan(one[0]));
        REQUIRE(same);
      }
    }
  }
}

TEST_CASE("formulas: one state that takes the other side is computed in whichever lane it is, and so are all but one") {
  const Tape tape = compiled("x > 0.5 ? sin(t)*exp(-x)*cos(y) : x^3*cos(t)*atan(y)");
  REQUIRE(tape.sides().size() == 2);
  for (const formula::Side& side : tape.sides()) {
    CHECK(side.is_costly);
    CHECK(side.is_worth_moving);
    CHECK(side.gives.size() == 1);
  }
  constexpr std::size_t kLanes = 64;
  formula::Evaluation<Pack<kLanes>> many(tape);
  formula::Evaluation<double> one(tape);
  const auto set = [&](std::size_t lane, double t, double x, double y) {
    const double values[] = {t, 1.25, x, y};
    for (std::size_t i = 0; i < tape.inputs().size(); ++i) {
      one.inputs()[i] = many.inputs()[i][lane] = values[tape.inputs()[i].id];
    }
  };
  // `count` lanes from `from` on are on the one side, the others on the other
  std::size_t unlike = 0;
  for (std::size_t count = 0; count <= kLanes; ++count) {
    for (std::size_t from = 0; from < kLanes; ++from) {
      std::vector<double> alone(kLanes);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const bool is_above = (lane + kLanes - from) % kLanes < count;
        set(lane, 0.1 * static_cast<double>(lane), is_above ? 1 : 0.25, 0.5 + static_cast<double>(count));
        one.update();
        alone[lane] = one[0];
      }
      many.update();
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        REQUIRE(std::bit_cast<std::uint64_t>(many[0][lane]) == std::bit_cast<std::uint64_t>(alone[lane]));
        unlike += many[0][lane] == alone[(lane + 1) % kLanes] ? 0U : 1U;
      }
    }
  }
  CHECK(unlike == (kLanes + 1) * kLanes * kLanes);  // the value of the neighbour would be wrong
}

TEST_CASE("formulas: the modes of a batch are those of each state alone on the sides that it takes") {
  const Tape tape = compiled(
      "x > 0 ? abs(sin(3*t))*exp(x)*cos(y) + floor(2*exp(y)) : max(cos(t), sin(y))*exp(x) + (y > 0 ? "
      "sign(sin(9*x))*sin(t)"
      "*cos(x)*exp(y) : t)");
  constexpr std::size_t kLanes = 32;
  formula::Evaluation<Pack<kLanes>> many(tape);
  std::vector<formula::Evaluation<double>> alone(kLanes, formula::Evaluation<double>(tape));
  std::vector<Pack<kLanes>> modes(tape.switches().size());
  std::vector<double> modes_alone(tape.switches().size());
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> any(-2, 2);
  // which switches are on which side, by their letters
  const auto is_on_side_taken = [&](const formula::Switch& one, double x, double y) {
    switch (one.code) {
      case Code::abs:
      case Code::floor:
        return x > 0;
      case Code::max:
        return x <= 0;
      case Code::sign:
        return x <= 0 && y > 0;
      default:
        return one.slot == tape.switches()[0].slot || x <= 0;
    }
  };
  int looked_at = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::array<double, 4>> values(kLanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      values[lane] = {any(random), 1.25, any(random), any(random)};
      for (std::size_t i = 0; i < tape.inputs().size(); ++i) {
        alone[lane].inputs()[i] = many.inputs()[i][lane] = values[lane][tape.inputs()[i].id];
      }
      alone[lane].update();
    }
    many.update();
    many.modes(modes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      REQUIRE(many[0][lane] == alone[lane][0]);
      alone[lane].modes(modes_alone);
      for (std::size_t i = 0; i < modes.size(); ++i) {
        if (!is_on_side_taken(tape.switches()[i], values[lane][2], values[lane][3])) { continue; }
        ++looked_at;
        REQUIRE(modes[i][lane] == modes_alone[i]);
      }
    }
  }
  CHECK(looked_at > 20000);
}

TEST_CASE("formulas: all mistakes of a text are told at once, with their locations") {
  const std::vector<std::string> three = mistakes("2*xx + sin(1, 2) - yy/atan2(t)");
  REQUIRE(three.size() == 4);
  CHECK(three[0].starts_with("2: unknown name 'xx'"));
  CHECK(three[0].find("declare it in [parameters]") != std::string::npos);
  CHECK(three[1] == "7: too many arguments for 'sin'; allowed: 1");
  CHECK(three[2].starts_with("19: unknown name 'yy'"));
  CHECK(three[3] == "22: too few arguments for 'atan2'; allowed: 2");
  CHECK(mistakes("2 +")[0] == "3: the formula ends too early");
  CHECK(mistakes("")[0] == "0: the formula is empty");
  CHECK(mistakes("   ")[0] == "0: the formula is empty");
  CHECK(mistakes("(1 + 2")[0] == "6: a parenthesis is not closed");
  CHECK(mistakes("1 + 2)")[0] == "5: a parenthesis too many");
  CHECK(mistakes("1, 2")[0] == "0: gives more than one number; write decimals with a point: 2.5");
  CHECK(mistakes("t**2")[0] == "2: '*' is not expected here; write ^ for powers");
  CHECK(mistakes("2x")[0] == "1: 'x' is not expected here; write * between factors");
  CHECK(mistakes("t = 5")[0] == "2: '=' is not expected here; write == to compare");
  CHECK(mistakes("sin t")[0] == "0: 'sin' is a function; put what it is of into parentheses: sin(...)");
  CHECK(mistakes("t ? 1")[0] == "5: a '?' without its ':'");
  CHECK(mistakes("1e999")[0].find("too large") != std::string::npos);
  CHECK(mistakes("foo(1)").size() == 1);
  CHECK(mistakes("- -t").size() == 1);
  CHECK(mistakes("(1, 2)").size() == 1);
  CHECK(mistakes(std::string(3000, '1')).size() == 1);
  // as deep as the text is long: refused, not a crash
  CHECK(mistakes(std::string(900, '(') + "t" + std::string(900, ')')).size() == 1);
  CHECK(mistakes("t" +
                 [] {
                   std::string tower;
                   for (int i = 0; i < 900; ++i) { tower += "^t"; }
                   return tower;
                 }())
            .size() == 1);
  CHECK(mistakes(std::string(150, '(') + "t" + std::string(150, ')')).empty());
}

TEST_CASE("a comparison behind a comparison is refused, for it would compare a truth") {
  for (const char* text : {"0 < t < 1", "0 < t <= 1 ? 2 : 3", "t == x == y", "t < 1 != 0", "k && 0 < t+1 < 1"}) {
    CAPTURE(text);
    REQUIRE(mistakes(text).size() == 1);
    CHECK(mistakes(text)[0].find("write a < b && b < c") != std::string::npos);
  }
  CHECK(mistakes("0 < t < 1")[0].starts_with("6: '<' behind another comparison"));
  CHECK(evaluate<double>(compiled("(0 < t) < 1"), {-1, 0, 0, 0}) == 1);
  CHECK(evaluate<double>(compiled("0 < t && t < 1 || x == (y < 2)"), {3, 0, 1, 1}) == 1);
}

TEST_CASE("definitions inside each other, each full of parentheses, are refused before the stack is") {
  TestScope scope;
  const std::string open(190, '(');
  const std::string close(190, ')');
  for (int i = 0; i < 399; ++i) {
    scope.definitions["a" + std::to_string(i)] = open + "a" + std::to_string(i + 1) + close;
    scope.definitions["b" + std::to_string(i)] = "b" + std::to_string(i + 1) + " + 1";
  }
  scope.definitions["a399"] = "x";
  scope.definitions["b399"] = "x";
  const std::vector<std::string> told = mistakes("a0", scope);
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("too many parentheses") != std::string::npos);
  // choices in definitions that were read one after the other
  scope.definitions["c0"] = "x";
  std::string sum = "c0";
  for (int i = 1; i <= 300; ++i) {
    std::string text = "c" + std::to_string(i - 1);
    for (int k = 0; k < 50; ++k) { text = "t > 1 ? " + text + "*y : sin(t)"; }
    scope.definitions["c" + std::to_string(i)] = text;
    sum += "+c" + std::to_string(i);
  }
  REQUIRE(!mistakes(sum, scope).empty());
  CHECK(mistakes(sum, scope)[0].starts_with("c21:"));
  CHECK(mistakes(sum, scope)[0].find("too many choices inside each other") != std::string::npos);
  CHECK(mistakes("c15", scope).empty());
  // as many without parentheses are within the limits
  CHECK(evaluate<double>(compiled("b0", scope), {0, 0, 1, 0}) == 400);
}

TEST_CASE("definitions: named expressions may use each other, are computed once, and circles are named") {
  TestScope scope;
  scope.definitions = {{"u", "x*x + y*y"}, {"speed", "sqrt(u)"}, {"p", "q + 1"}, {"q", "2*r"},
                       {"r", "p - x"},     {"bad", "2*zz"},      {"d0", "x"}};
  for (int i = 1; i <= 100; ++i) {
    scope.definitions["d" + std::to_string(i)] = "d" + std::to_string(i - 1) + " + d" + std::to_string(i - 1);
    scope.definitions["c" + std::to_string(i)] =
        "x > " + std::to_string(i) + " ? c" + std::to_string(i - 1) + " : c" + std::to_string(i - 1) + " + 1";
  }
  scope.definitions["c0"] = "y";
  const Tape tape = compiled("speed + 3*u + speed/(1 + u)", scope);
  CHECK(evaluate<double>(tape, {0, 0, 3, 4}) == 5 + 75 + 5.0 / 26);
  CHECK(count_of(tape, Code::sqrt) == 1);
  CHECK(count_of(tape, Code::multiply) == 3);
  const std::vector<std::string> circle = mistakes("p", scope);
  REQUIRE(circle.size() == 1);
  CHECK(circle[0] == "r:0: the definitions go in a circle: p -> q -> r -> p");
  CHECK(mistakes("bad + 1", scope)[0].starts_with("bad:2: unknown name 'zz'"));
  CHECK(mistakes("bad + bad", scope).size() == 1);
  // a hundred doublings are a hundred additions, not 2^100; the same through choices
  const Tape doubled = compiled("d100", scope);
  CHECK(doubled.ops().size() == 100);
  CHECK(evaluate<double>(doubled, {0, 0, 1, 0}) == 0x1p100);
  const Tape chosen = compiled("c100", scope);
  CHECK(chosen.ops().size() < 700);
  CHECK(evaluate<double>(chosen, {0, 0, 50.5, 7}) == 57);
}

TEST_CASE("what is constant is computed when a tape is bound, what depends on parameters when they change") {
  const Tape tape = compiled("sin(2)*k^3 + exp(k)*x");
  CHECK(tape.ops(Pace::constant).size() == 1);
  CHECK(tape.ops(Pace::parameter).size() == 3);
  CHECK(tape.ops(Pace::state).size() == 2);
  Evaluation<double> evaluation(tape);
  const auto set = [&](std::uint32_t id, double value) {
    for (std::size_t i = 0; i < tape.inputs().size(); ++i) {
      if (tape.inputs()[i].id == id) { evaluation.inputs()[i] = value; }
    }
  };
  set(1, 2);
  set(2, 3);
  evaluation.parameters_changed();
  evaluation.update();
  CHECK(evaluation[0] == math::sin(2.0) * 8 + math::exp(2.0) * 3);
  set(2, 4);
  evaluation.update();
  CHECK(evaluation[0] == math::sin(2.0) * 8 + math::exp(2.0) * 4);
}

TEST_CASE("the side of a choice that is not taken is skipped, and what both sides need is computed before") {
  const Tape tape = compiled("x > 0 ? sin(x)*exp(y) + sqrt(y) : cos(x)*exp(y) + cbrt(y)");
  CHECK(count_of(tape, Code::skip_if_zero) == 1);
  CHECK(count_of(tape, Code::skip_unless_zero) == 1);
  // exp(y) stands before both skips
  std::size_t first_skip = 0;
  while (tape.ops()[first_skip].code != Code::skip_if_zero) { ++first_skip; }
  bool before = false;
  for (std::size_t i = 0; i < first_skip; ++i) { before = before || tape.ops()[i].code == Code::exp; }
  CHECK(before);
  CHECK(count_of(tape, Code::exp) == 1);
  // a NaN on the other side does no harm
  CHECK(evaluate<double>(tape, {0, 0, -1, 0.25}) == math::cos(-1.0) * math::exp(0.25) + math::cbrt(0.25));
  CHECK(count_of(compiled("x > 0 ? 1 : y"), Code::skip_if_zero) == 0);
}

TEST_CASE("each comparison, step, sign, abs, min, max, floor and mod is a switch that can be seen and held") {
  const Tape tape = compiled("(t >= 50 && t < 51 ? 20 : 0) + abs(x) + min(x, y) + mod(x, 2) + floor(y) + step(t - 3)");
  std::map<Code, int> kinds;
  for (const formula::Switch& one : tape.switches()) { ++kinds[one.code]; }
  CHECK(kinds == std::map<Code, int>{{Code::less, 1},
                                     {Code::less_or_equal, 1},
                                     {Code::abs, 1},
                                     {Code::min, 1},
                                     {Code::mod, 1},
                                     {Code::floor, 1},
                                     {Code::step, 1}});
  int of_time = 0;
  for (const formula::Switch& one : tape.switches()) {
    of_time += tape.reads_only(one.slot, [](const Input& input) { return input.id == 0; }) ? 1 : 0;
  }
  CHECK(of_time == 3);
  // held on its pieces, the formula goes on smoothly beyond the edge
  Evaluation<double> evaluation(tape);
  const auto at = [&](double t, double x, double y) {
    const double values[] = {t, 0, x, y};
    for (std::size_t i = 0; i < tape.inputs().size(); ++i) { evaluation.inputs()[i] = values[tape.inputs()[i].id]; }
  };
  at(50.5, 1.5, 2.5);
  evaluation.update();
  CHECK(evaluation[0] == 20 + 1.5 + 1.5 + 1.5 + 2 + 1);
  std::vector<double> modes(tape.switches().size());
  evaluation.modes(modes);
  at(60, -0.5, 0.25);
  evaluation.update(modes.data());
  CHECK(evaluation[0] == 20 - 0.5 - 0.5 - 0.5 + 2 + 1);
  evaluation.update();
  CHECK(evaluation[0] == 0 + 0.5 - 0.5 + 1.5 + 0 + 1);
  // a number used as a truth is compared with zero
  CHECK(compiled("x ? 1 : 2").switches().size() == 1);
  CHECK(compiled("x < y ? 1 : 2").switches().size() == 1);
  CHECK(compiled("sin(x)*y^2").switches().empty());
}

TEST_CASE("several formulas make one tape, and many threads use it at once") {
  const TestScope scope;
  Compiler compiler(scope);
  CHECK(compiler.add("sin(x)*y") == 0);
  CHECK(compiler.add("sin(x) + t") == 1);
  const Tape tape = compiler.finish();
  CHECK(count_of(tape, Code::sin) == 1);
  CHECK(tape.uses(0));
  CHECK_FALSE(tape.uses(1));
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (std::size_t n = 0; n < wrong.size(); ++n) {
    threads.emplace_back([&, n] {
      Evaluation<double> evaluation(tape);
      for (int i = 0; i < 1000; ++i) {
        const double values[] = {0.1 * i, 0, static_cast<double>(n) + i, 2};
        for (std::size_t k = 0; k < tape.inputs().size(); ++k) { evaluation.inputs()[k] = values[tape.inputs()[k].id]; }
        evaluation.update();
        const bool right =
            evaluation[0] == math::sin(values[2]) * 2 && evaluation[1] == math::sin(values[2]) + values[0];
        wrong[n] += right ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) { thread.join(); }
  CHECK(wrong == std::vector<int>(8));
}
